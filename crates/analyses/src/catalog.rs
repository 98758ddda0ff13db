//! The names of the analyses, and what each name means.

use tandem_base::Budget;

use crate::bmc::bmc;
use crate::induction::k_induction;
use crate::random::random;
use crate::{Outcome, Task};

/// Every analysis that can be asked for by name.
pub const NAMES: &[&str] = &["bmc", "k-induction", "random"];

/// Runs the analysis of this name; nothing if there is none.
pub fn verify(name: &str, task: Task<'_>, budget: &Budget) -> Option<Outcome> {
    Some(match name {
        "bmc" => bmc(task, budget),
        "k-induction" => k_induction(task, budget),
        "random" => random(task, u64::MAX, budget),
        _ => return None,
    })
}
