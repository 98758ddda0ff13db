//! Asking the analyses about a program that checks were woven into.

use std::time::{Duration, Instant};

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

/// A budget that ends after this time, if not before.
pub fn part(budget: &Budget, time: Duration) -> Budget {
    let end = Instant::now() + time;
    Budget { deadline: Some(budget.deadline.map_or(end, |deadline| deadline.min(end))), ..budget.clone() }
}

/// A budget with so many percent of the time that is left.
pub fn share(budget: &Budget, percent: u32) -> Budget {
    let now = Instant::now();
    let deadline = budget.deadline.map(|deadline| now + deadline.saturating_duration_since(now) * percent / 100);
    Budget { deadline, ..budget.clone() }
}
