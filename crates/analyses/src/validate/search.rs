//! Asking the analyses in turn, each for longer each time, until one decides.

use std::time::{Duration, Instant};

use tandem_artifact::Verdict;
use tandem_base::Budget;

use crate::catalog::{NAMES, verify};
use crate::{Outcome, Task};

/// How long the first turn of each analysis is.
const TURN: Duration = Duration::from_secs(2);

/// The first outcome that decides, or why there is none.
pub fn decide(task: Task<'_>, budget: &Budget) -> Result<Outcome, String> {
    let mut names: Vec<&str> = match NAMES.contains(&"default") {
        true => vec!["default"],
        false => NAMES.iter().copied().filter(|name| *name != "random").collect(),
    };
    let mut turn = TURN;
    let mut reason = String::new();
    while !names.is_empty() {
        let mut left = Vec::new();
        for name in names {
            if let Some(stopped) = budget.exhausted() {
                return Err(if reason.is_empty() { stopped.to_string() } else { reason });
            }
            let limited = part(budget, turn);
            let Some(outcome) = verify(name, task, &limited) else { continue };
            match &outcome.verdict {
                Verdict::True | Verdict::False => return Ok(outcome),
                Verdict::Unknown(why) => {
                    if limited.exhausted().is_some() {
                        left.push(name);
                    }
                    reason = why.clone();
                }
            }
        }
        names = left;
        turn *= 2;
    }
    Err(reason)
}

/// A budget that ends after this time, if not before.
pub fn part(budget: &Budget, time: Duration) -> Budget {
    let end = Instant::now() + time;
    Budget { deadline: Some(budget.deadline.map_or(end, |deadline| deadline.min(end))), ..budget.clone() }
}
