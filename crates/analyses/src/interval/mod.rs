//! The interval analysis: one store of intervals for each program point.
//!
//! `domain` and its neighbours are the sets of values: every operation covers what [`tandem_cfa::semantics`] gives for all values in
//! its arguments, and nothing there knows programs, memory or paths. `values` makes them the values of a store,
//! `analysis` follows steps, `fixpoint` finds states that hold, `facts` says what they are good for.

mod analysis;
mod assume;
mod bitwise;
mod convert;
pub mod domain;
mod facts;
mod fixpoint;
mod floats;
mod operate;
mod range;
mod refine;
#[cfg(test)]
mod tests;
mod thresholds;
mod unreached;
pub mod values;

use tandem_artifact::{Caveat, Invariant, Verdict};
use tandem_base::Budget;

use crate::bmc::no_entry;
use crate::registry::{AnalysisEntry, AnalysisLimit, Approximation, ContributionKind};
use crate::{Outcome, Task};
pub use analysis::Bounded;
pub use domain::Interval;
pub use facts::{Bound, bounds, literal};
pub use fixpoint::Fixpoint;
pub use refine::refine;
pub use unreached::unreached;

pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "interval",
    about: "ranges of values with widening and narrowing; proves, and reports no violation",
    reads: &[ContributionKind::SettledPaths, ContributionKind::Goals],
    gives: &[ContributionKind::Goals, ContributionKind::Facts],
    hands_over_paths: false,
    follows_whole_program: false,
    approximation: Approximation::Over,
    limits: &[
        AnalysisLimit {
            name: "rounds before widening",
            value: fixpoint::PATIENCE as u64,
            unit: "rounds",
            about: "how often a loop is entered before its state is widened",
        },
        AnalysisLimit {
            name: "rounds of narrowing",
            value: fixpoint::ROUNDS as u64,
            unit: "rounds",
            about: "how often what widening gave away is taken back",
        },
        AnalysisLimit {
            name: "depth of recursion",
            value: fixpoint::RECURSION as u64,
            unit: "calls",
            about: "how many calls of one function may be under way",
        },
    ],
    default_share: 0,
    run: |task, _, budget| interval(task, budget),
};

/// Loop invariants that hold in every run, also in runs that lead to no error; none if the analysis does not come to an end in time, or meets
/// something that it does not model.
pub fn loop_facts(task: Task<'_>, budget: &Budget) -> Vec<Invariant> {
    let Some(flow) = task.flow() else { return Vec::new() };
    let mut flow = flow.whole();
    let mut analysis = Bounded::new(&flow);
    let mut fixpoint = Fixpoint::default();
    let complete = fixpoint.run(&mut analysis, &mut flow, budget).is_ok()
        && fixpoint.check(&mut analysis, &mut flow, budget).is_ok_and(|gaps| gaps.is_empty())
        && !fixpoint.is_bounded;
    if complete { facts::invariants(&analysis, &flow, &fixpoint) } else { Vec::new() }
}

/// Proves, or knows nothing: an error that is reached may be one that no run makes.
pub fn interval(task: Task<'_>, budget: &Budget) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new("interval", None, None, vec![no_entry()]);
    };
    let mut analysis = Bounded::new(&flow);
    let mut fixpoint = Fixpoint::default();
    if let Err(reason) = fixpoint.run(&mut analysis, &mut flow, budget) {
        return Outcome::new("interval", None, Some(reason), Vec::new());
    }
    let checked = fixpoint.check(&mut analysis, &mut flow, budget);
    let (stopped, mut caveats) = match checked {
        Ok(gaps) => (None, gaps),
        Err(reason) => (Some(reason), Vec::new()),
    };
    if fixpoint.is_bounded {
        caveats.push(Caveat::Bound("recursion that is too deep".into()));
    }
    if !fixpoint.alarms.is_empty() {
        caveats.push(Caveat::Imprecise("intervals do not exclude the error".into()));
    }
    let mut outcome = Outcome::new("interval", None, stopped, caveats);
    if outcome.verdict == Verdict::True {
        outcome.invariants = loop_facts(task, budget);
    }
    outcome.statistics.insert("points", fixpoint.states.len() as u64);
    outcome.statistics.insert("steps", analysis.steps);
    outcome
}
