//! The part of a plan that works on ranges of paths: each range has its own board, on which everything outside of it counts as settled.

use std::sync::Mutex;
use std::time::Instant;

use tandem_analyses::Task;
use tandem_analyses::export::all_unreachable;
use tandem_artifact::Verdict;
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{Gia, combine};
use tandem_artifact::plan::Plan;
use tandem_artifact::range::Range;

use super::actor::{Approximation, Declaration, Delivery};
use super::journal::Size;
use super::run::{Performance, STACK, Stage, perform_part};
use crate::ranges::{Splitter, range_gia, split as split_paths};

/// Works on each range of the paths. Whether that brought anything new.
pub fn split(stage: &Stage<'_>, splitter: &str, ranges: u32, body: &Plan) -> bool {
    let Some(splitter) = Splitter::named(splitter) else { return false };
    let setting = stage.setting;
    let task = setting.task(1);
    let (began, known) = (Instant::now(), stage.state().known.gia.clone());
    let ranges = split_paths(task, &splitter, ranges as usize, &stage.budget).ranges();
    let done: Mutex<Vec<(usize, Performance)>> = Mutex::new(Vec::new());
    let work = |number: usize, range: &Range| {
        let Some(given) = outside(task, stage, range, &known) else { return };
        let performance =
            perform_part(body, stage.casts, setting, stage.trust, Some(&given), &stage.budget, &|_, _| {});
        if performance.verdict == Verdict::False {
            stage.budget.cancel.raise();
        }
        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((number, performance));
    };
    std::thread::scope(|scope| {
        for (number, range) in ranges.iter().enumerate() {
            let work = &work;
            let builder = std::thread::Builder::new().stack_size(STACK);
            // Without a thread the range is not worked on, and nothing is proved.
            let _ = builder.spawn_scoped(scope, move || work(number, range));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
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
