//! What can be asked for by name: the registered analyses, and the default run, which is a plan that is made of them.

use std::time::Duration;

use tandem_artifact::Verdict;
use tandem_base::Budget;

use crate::interval::loop_facts;
use crate::plan::default_plan;
use crate::registry::{ANALYSES, entry};
use crate::symbolic::Share;
use crate::undefined::sift;
use crate::{Outcome, Task};

/// The name of the default run. It is no analysis, and has no entry.
pub const DEFAULT_RUN: &str = "default";

/// What the default run is, in the words of an entry.
pub const ABOUT_DEFAULT_RUN: &str = "several analyses side by side, the quick ones first, until one has an answer";

/// Everything that can be asked for by name: the default run, and all analyses.
pub const NAMES: &[&str] = &all_names();

const fn all_names() -> [&'static str; ANALYSES.len() + 1] {
    let mut names = [DEFAULT_RUN; ANALYSES.len() + 1];
    let mut number = 0;
    while number < ANALYSES.len() {
        names[number + 1] = ANALYSES[number].name;
        number += 1;
    }
    names
}

/// All names, each with a sentence about what it stands for.
pub fn described_names() -> impl Iterator<Item = (&'static str, &'static str)> {
    let analyses = ANALYSES.iter().map(|entry| (entry.name, entry.about));
    std::iter::once((DEFAULT_RUN, ABOUT_DEFAULT_RUN)).chain(analyses)
}

/// Runs the analysis of this name; nothing if there is none.
pub fn verify(name: &str, task: Task<'_>, budget: &Budget) -> Option<Outcome> {
    match name {
        // Its members take the last look at their outcomes themselves.
        DEFAULT_RUN => Some(default_plan(task, task.threads, budget)),
        _ => Some(entry(name)?.verify(task, None, budget)),
    }
}

/// Whether the analysis of this name can give away a part of its paths while it works.
pub fn is_shareable(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.hands_over_paths)
}

/// Runs the analysis of this name, which gives away a part of its paths to whoever wants it, if it can.
pub fn verify_shared<'a>(name: &str, task: Task<'a>, share: &'a dyn Share, budget: &Budget) -> Option<Outcome> {
    match entry(name).filter(|entry| entry.hands_over_paths) {
        Some(entry) => Some(entry.verify(task, Some(share), budget)),
        None => verify(name, task, budget),
    }
}

/// The last look at an outcome that took so long: a proof is taken back if a run carries out an undefined operation, and gets what
/// others need to check it.
pub fn finished(task: Task<'_>, outcome: Outcome, took: Duration, budget: &Budget) -> Outcome {
    supported(task, sift(task, outcome, took, budget), budget)
}

/// An outcome at which the last look was taken: a proof gets what others need to check it.
pub(crate) fn supported(task: Task<'_>, mut outcome: Outcome, budget: &Budget) -> Outcome {
    if outcome.verdict == Verdict::True {
        outcome.statistics.insert("undefined behaviour excluded", u64::from(outcome.in_bounds));
    }
    with_facts(task, outcome, budget)
}

/// How long facts that support a proof are looked for.
const SUPPORT: Duration = Duration::from_millis(700);

/// A proof that others are to check gets loop invariants, if it has none of its own.
pub fn with_facts(task: Task<'_>, mut outcome: Outcome, budget: &Budget) -> Outcome {
    let has_loops = || {
        task.program
            .functions
            .iter()
            .any(|function| !function.is_library && function.body.as_ref().is_some_and(|body| !body.loops.is_empty()))
    };
    if outcome.verdict == Verdict::True && outcome.invariants.is_empty() && task.exchange.is_some() && has_loops() {
        outcome.invariants = loop_facts(task, &budget.within(SUPPORT));
    }
    outcome
}
