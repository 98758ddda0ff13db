//! What somebody says whose word is no fact: it is checked before anybody relies on it, and what cannot be checked is taken down to what is
//! safe to believe.

use std::time::Duration;

use tandem_analyses::Task;
use tandem_artifact::Caveat;
use tandem_artifact::gia::{Gia, Mark};
use tandem_base::Budget;

use super::actor::{Delivery, Setting};
use crate::check::{Checking, Judgement, check_reached, check_unreachable};

/// How long a claim is looked at, at most.
const TIME: Duration = Duration::from_secs(30);
/// A file is looked at for at most one of so many parts of the time that is left.
const PART: u32 = 4;

/// The delivery without what could not be confirmed. Violations and tests need no check here: those who deliver them have replayed
/// them, and candidates and conditions worth tracking claim nothing.
pub fn checked(setting: Setting<'_>, mut delivery: Delivery, budget: &Budget) -> Delivery {
    // Facts from outside are no facts, but may be worth tracking.
    let claimed = std::mem::take(&mut delivery.invariants);
    delivery.precision.extend(claimed);
    let Some(gia) = delivery.gia.take() else { return delivery };
    let budget = budget.within(TIME);
    let checking = Checking { error: setting.error, threads: setting.threads, budget: &budget };
    let mut doubt = |judgement: Judgement, what: &str| match confirmed(judgement, what) {
        Ok(()) => true,
        Err(why) => {
            delivery.caveats.push(Caveat::Imprecise(why));
            false
        }
    };
    let reached = doubt(check_reached(setting.program, &gia, checking), "what is called reached");
    let unreachable = doubt(check_unreachable(setting.program, &gia, checking), "what is called unreachable");
    delivery.gia = Some(believed(&gia, reached, unreachable));
    delivery
}

/// Nothing if a claim is right; else why it is no fact.
fn confirmed(judgement: Judgement, what: &str) -> Result<(), String> {
    match judgement {
        Judgement::Correct => Ok(()),
        Judgement::Incorrect(why) => Err(format!("{what} is wrong: {why}")),
        Judgement::Unknown(why) => Err(format!("{what} could not be checked: {why}")),
    }
}

/// An automaton from a file, without the claims of these kinds that could not be confirmed within a part of the time, and why they could not.
pub fn checked_gia(task: Task<'_>, gia: &Gia, kinds: &[Mark], budget: &Budget) -> (Gia, Vec<String>) {
    let budget = budget.within(budget.left().map_or(TIME, |left| TIME.min(left / PART)));
    let checking = Checking { error: task.error, threads: task.threads, budget: &budget };
    let mut doubts = Vec::new();
    let mut doubtful = Vec::new();
    for kind in kinds {
        let judged = match kind {
            Mark::Unreachable => {
                confirmed(check_unreachable(task.program, gia, checking), "what is called unreachable")
            }
            Mark::Reached => confirmed(check_reached(task.program, gia, checking), "what is called reached"),
            Mark::Candidate => Ok(()),
        };
        if let Err(why) = judged {
            doubts.push(why);
            doubtful.push(*kind);
        }
    }
    (gia.remarked(|mark| (!doubtful.contains(&mark)).then_some(mark)), doubts)
}

/// What is left of an automaton: a path that is not known to be reached may still be a candidate.
fn believed(gia: &Gia, reached: bool, unreachable: bool) -> Gia {
    gia.remarked(|mark| match mark {
        Mark::Reached => reached.then_some(Mark::Reached),
        Mark::Unreachable => unreachable.then_some(Mark::Unreachable),
        Mark::Candidate => Some(Mark::Candidate),
    })
}
