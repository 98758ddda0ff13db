//! An analysis as an actor: it looks at what is not settled yet, and says what it has settled.

use std::time::Duration;

use tandem_analyses::export::all_unreachable;
use tandem_analyses::predicate::components::{Candidate, Components};
use tandem_analyses::predicate::landmarks::Landmarks;
use tandem_analyses::registry;
use tandem_analyses::{ContributionKind, NAMES, Outcome, Task, verify};
use tandem_artifact::Verdict;
use tandem_artifact::convert::{error_targets, reached_path};
use tandem_artifact::gia::{Gia, Mark, Subject};
use tandem_base::Budget;
use tandem_cfa::{EdgeId, Program};

use super::candidate::{automaton_of_all, candidate_of, candidates};
use super::cegar::check_all;
use crate::cooperation::{Actor, Delivery, Known, ProofGround, Setting};
use crate::hints::with_hints;
use crate::settled::{Settled, is_small};

pub struct Analysis {
    name: &'static str,
}

impl Analysis {
    /// The analysis of this name, or the default run.
    pub fn named(name: &str) -> Option<Analysis> {
        NAMES.iter().find(|known| **known == name).map(|name| Analysis { name })
    }
}

impl<'a> Actor<'a> for Analysis {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        if let Some(found) = known.alarms.as_ref().and_then(|alarms| self.look_at(setting, alarms, budget)) {
            return found;
        }
        with_open_paths(setting, known, |task| {
            verify(self.name, task, budget).unwrap_or_else(|| Outcome::new(self.name, None, None, Vec::new()))
        })
    }
}

/// What an analysis of the paths that are not settled delivers.
pub fn with_open_paths(setting: Setting<'_>, known: &Known, analyse: impl FnOnce(Task<'_>) -> Outcome) -> Delivery {
    let settled = known.gia.has(Mark::Unreachable) && is_small(&known.gia);
    let observer = settled.then(|| Settled::new(&known.gia, false));
    let hinted = with_hints(setting.program, known.invariants.iter().chain(&known.precision));
    let (program, hints) = hinted.map_or((None, Vec::new()), |(program, hints)| (Some(program), hints));
    let task = Task {
        exchange: Some(setting.subject),
        observer: observer.as_ref().map(|observer| observer as _),
        hints: &hints,
        program: program.as_ref().unwrap_or(setting.program),
        ..setting.task(setting.threads)
    };
    let outcome = analyse(task);
    let note = if settled { "on what is not settled" } else { "" };
    let ground = if outcome.in_bounds { ProofGround::UndefinedExcluded } else { ProofGround::UndefinedOpen };
    let proof = (!settled && outcome.verdict == Verdict::True).then_some(ground);
    Delivery { note: note.into(), proof, ..deliver(setting, outcome) }
}

/// The part of the time in which alarms of others are looked at.
const CANDIDATES: u32 = 10;
/// The same where there is no limit.
const CANDIDATES_TIME: Duration = Duration::from_secs(20);

impl Analysis {
    /// For an analysis that reads candidates: what is found out about alarms of others, if a run takes one. These are looked at before everything else.
    fn look_at<'a>(&self, setting: Setting<'a>, alarms: &Gia, budget: &Budget) -> Option<Delivery> {
        if !registry::reads(self.name, ContributionKind::Candidates) {
            return None;
        }
        let budget = budget.within(budget.left().map_or(CANDIDATES_TIME, |left| left * CANDIDATES / 100));
        let mut components = Components::new(setting.task(1), &budget).ok()?;
        let candidates = candidates(&components.landmarks, alarms)?;
        Some(check_all(setting, &mut components, &candidates, &budget)).filter(|found| found.violation.is_some())
    }
}

/// Alarms as candidates: all paths with the same landmarks, in the same order.
fn candidates_of(setting: Setting<'_>, alarms: &[Vec<EdgeId>]) -> Option<Gia> {
    let flow = setting.task(1).flow()?;
    let landmarks = Landmarks::of(&flow);
    let mut all: Vec<Candidate> = Vec::new();
    for candidate in alarms.iter().filter_map(|alarm| candidate_of(&landmarks, alarm)) {
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    }
    let targets = error_targets(setting.program, setting.error);
    (!all.is_empty()).then(|| automaton_of_all(setting.subject, &targets, &landmarks, &all))
}

/// What an outcome says about paths.
pub fn deliver(setting: Setting<'_>, outcome: Outcome) -> Delivery {
    let targets = || error_targets(setting.program, setting.error);
    let gia = match (&outcome.verdict, &outcome.violation) {
        (Verdict::True, _) => Some(all_unreachable(setting.subject.clone(), targets())),
        (_, Some(violation)) => reached(setting.program, setting.subject, &targets(), violation),
        _ => outcome.gia,
    };
    let invariants = if outcome.verdict == Verdict::True { outcome.invariants } else { Vec::new() };
    let alarms = if outcome.violation.is_none() { candidates_of(setting, &outcome.alarms) } else { None };
    Delivery { gia, alarms, violation: outcome.violation, invariants, caveats: outcome.caveats, ..Delivery::default() }
}

/// Steps of a run whose path nobody needs: its inputs say the same, and are shorter.
const LONG: u64 = 100_000;

/// The path of a run as an automaton, if it can be told.
pub fn reached(
    program: &Program,
    subject: &Subject,
    targets: &[tandem_artifact::gia::Target],
    violation: &tandem_artifact::Violation,
) -> Option<Gia> {
    if violation.run.steps > LONG {
        return None;
    }
    reached_path(program, subject.clone(), targets, &violation.run).ok()
}
