//! The part of a plan that works on ranges of paths: each range has its own board, on which everything outside of it counts as settled.

use std::time::{Duration, Instant};

use tandem_analyses::Task;
use tandem_analyses::export::all_unreachable;
use tandem_artifact::Verdict;
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{Gia, combine};
use tandem_artifact::plan::Plan;
use tandem_artifact::range::Range;
use tandem_base::{Budget, Pace};

use super::actor::{Approximation, Declaration, Delivery};
use super::journal::Size;
use super::run::{Performance, Stage, perform_part};
use crate::kernel::schedule;
use crate::ranges::{Splitter, range_gia, split as split_paths};

/// How long is waited for a range before the next look.
const PAUSE: Duration = Duration::from_secs(1);

/// Works on each range of the paths. Whether that brought anything new.
pub fn split(stage: &Stage<'_>, splitter: &str, ranges: u32, body: &Plan, budget: &Budget) -> bool {
    let Some(splitter) = Splitter::named(splitter) else { return false };
    let setting = stage.setting;
    let task = setting.task(1);
    let (began, known) = (Instant::now(), stage.state().known.gia.clone());
    let ranges = split_paths(task, &splitter, ranges as usize, budget).ranges();
    let work = |range: &Range, budget: &Budget| {
        let given = outside(task, stage, range, &known)?;
        let performance = perform_part(body, stage.casts, setting, stage.trust, Some(&given), budget, &|_, _| {});
        if performance.verdict == Verdict::False {
            stage.budget.cancel.raise();
        }
        Some(performance)
    };
    let work = &work;
    // A range that was not worked on to its end, for whatever reason, makes a proof impossible.
    let mut done: Vec<(usize, Performance)> = schedule(setting.threads, Pace::Clock, budget, |session| {
        for range in &ranges {
            session.begin("range", 1, Duration::ZERO, move |budget| work(range, budget));
        }
        let mut done = Vec::new();
        while session.running() > 0 {
            if let Some((number, ended)) = session.next_within(PAUSE) {
                done.extend(ended.or_else(|| None).map(|performance| (number, performance)));
            }
        }
        done
    });
    done.sort_by_key(|(number, _)| *number);
    let proved = done.len() == ranges.len() && done.iter().all(|(_, one)| one.verdict == Verdict::True);
    let mut delivery = Delivery { note: format!("{} ranges", ranges.len()), ..Delivery::default() };
    for (number, performance) in done {
        for mut entry in performance.journal {
            entry.actor = format!("range {}: {}", number + 1, entry.actor);
            entry.began += began - stage.start;
            stage.state().journal.push(entry);
        }
        delivery.violation = delivery.violation.or(performance.known.violation);
        delivery.caveats.extend(performance.caveats);
    }
    if proved {
        let targets = error_targets(setting.program, setting.error);
        delivery.gia = Some(all_unreachable(setting.subject.clone(), targets));
        delivery.caveats.clear();
    }
    let entry = stage.entry("split".into(), Size::of(&known), began);
    stage.file(entry, &declaration(), delivery)
}

/// What is known, and what is outside of the range.
fn outside(task: Task<'_>, stage: &Stage<'_>, range: &Range, known: &Gia) -> Option<Gia> {
    let mut flow = task.flow()?;
    let targets = error_targets(task.program, task.error);
    let (outside, _) = range_gia(&mut flow, range, stage.setting.subject.clone(), targets).ok()?;
    combine(&[known, &outside]).ok()
}

fn declaration() -> Declaration {
    Declaration {
        name: "split".into(),
        about: "puts together what was found on ranges".into(),
        needs: Vec::new(),
        gives: Vec::new(),
        approximates: Approximation::Both,
        trusted: true,
    }
}
