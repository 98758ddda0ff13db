//! Asking the analyses about a program that checks were woven into.

use tandem_artifact::Verdict;
use tandem_base::Budget;

use crate::catalog::{DEFAULT_RUN, verify};
use crate::{Outcome, Task};

/// An outcome that decides, or why there is none.
pub fn decide(task: Task<'_>, budget: &Budget) -> Result<Outcome, String> {
    let Some(outcome) = verify(DEFAULT_RUN, task, budget) else {
        return Err(format!("there is no plan `{DEFAULT_RUN}`"));
    };
    match &outcome.verdict {
        Verdict::True | Verdict::False => Ok(outcome),
        Verdict::Unknown(reason) => Err(reason.clone()),
    }
}

/// A budget with so many percent of the time that is left.
pub fn share(budget: &Budget, percent: u32) -> Budget {
    budget.left().map_or_else(|| budget.clone(), |left| budget.within(left * percent / 100))
}
