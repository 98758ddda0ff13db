//! The names of the analyses, and what each name means.

use std::time::{Duration, Instant};

use tandem_artifact::Verdict;
use tandem_base::Budget;
use tandem_cpa::Search;

use crate::bmc::bmc;
use crate::induction::k_induction;
use crate::interval::{interval, loop_facts};
use crate::plan::default_plan;
use crate::predicate::predicate;
use crate::random::random;
use crate::symbolic::{Share, symbolic, symbolic_shared};
use crate::undefined::sift;
use crate::value::value;
use crate::{Outcome, Task};

/// Every analysis that can be asked for by name.
pub const NAMES: &[&str] = &[
    "default",
    "value",
    "symbolic",
    "predicate",
    "bmc",
    "k-induction",
    "interval",
    "symbolic-dfs",
    "symbolic-bfs",
    "random",
];

/// Runs the analysis of this name; nothing if there is none.
pub fn verify(name: &str, task: Task<'_>, budget: &Budget) -> Option<Outcome> {
    let start = Instant::now();
    let outcome = match name {
        // Its members take the last look at their outcomes themselves.
        "default" => return Some(default_plan(task, task.threads, budget)),
        "bmc" => bmc(task, budget),
        "predicate" => predicate(task, budget),
        "k-induction" => k_induction(task, budget),
        "symbolic" => symbolic(task, Search::LeastVisited, budget),
        "symbolic-dfs" => symbolic(task, Search::DepthFirst, budget),
        "symbolic-bfs" => symbolic(task, Search::BreadthFirst, budget),
        "random" => random(task, u64::MAX, budget),
        "value" => value(task, budget),
        "interval" => interval(task, budget),
        _ => return None,
    };
    Some(finished(task, outcome, start.elapsed(), budget))
}

/// Runs in the default run: more are for whoever asks for `random` alone.
const MEMBER_RUNS: u64 = 400;

/// The outcome of an analysis that is a member of a cooperation.
pub fn verify_member(name: &str, task: Task<'_>, budget: &Budget) -> Outcome {
    match name {
        "random" => random(task, MEMBER_RUNS, budget),
        _ => verify(name, task, budget).unwrap_or_else(|| Outcome::new(name, None, None, Vec::new())),
    }
}

/// Whether the analysis of this name can give away a part of its paths while it works.
pub fn is_shareable(name: &str) -> bool {
    search_of(name).is_some()
}

fn search_of(name: &str) -> Option<Search> {
    match name {
        "symbolic" => Some(Search::LeastVisited),
        "symbolic-dfs" => Some(Search::DepthFirst),
        "symbolic-bfs" => Some(Search::BreadthFirst),
        _ => None,
    }
}

/// Runs the analysis of this name, which gives away a part of its paths to whoever wants it, if it can.
pub fn verify_shared<'a>(name: &str, task: Task<'a>, share: &'a dyn Share, budget: &Budget) -> Option<Outcome> {
    match search_of(name) {
        Some(search) => {
            let start = Instant::now();
            let outcome = symbolic_shared(task, search, Some(share), budget);
            Some(finished(task, outcome, start.elapsed(), budget))
        }
        None => verify(name, task, budget),
    }
}

/// The last look at an outcome that took so long: a proof is taken back if a run carries out an undefined operation, and gets what
/// others need to check it.
pub fn finished(task: Task<'_>, outcome: Outcome, took: Duration, budget: &Budget) -> Outcome {
    let mut outcome = sift(task, outcome, took, budget);
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
