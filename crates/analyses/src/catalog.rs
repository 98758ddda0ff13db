//! The names of the analyses, and what each name means.

use tandem_base::Budget;

use crate::random::random;
use crate::{Outcome, Task};

/// Every analysis that can be asked for by name.
pub const NAMES: &[&str] = &["random"];

/// Runs the analysis of this name; nothing if there is none.
pub fn verify(name: &str, task: Task<'_>, budget: &Budget) -> Option<Outcome> {
    Some(match name {
        "random" => random(task, u64::MAX, budget),
        _ => return None,
    })
}
