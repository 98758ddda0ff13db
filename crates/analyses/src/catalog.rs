//! The names of the analyses, and what each name means.

use tandem_base::Budget;
use tandem_cpa::Search;

use crate::bmc::bmc;
use crate::induction::k_induction;
use crate::interval::interval;
use crate::plan::default_plan;
use crate::predicate::predicate;
use crate::random::random;
use crate::symbolic::symbolic;
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
    let outcome = match name {
        "default" => default_plan(task, task.threads, budget),
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
    Some(sift(task, outcome, budget))
}
