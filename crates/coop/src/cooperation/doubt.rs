//! What somebody says whose word is no fact: it is checked before anybody relies on it, and what cannot be checked is taken down to what is
//! safe to believe.

use std::time::{Duration, Instant};

use tandem_artifact::Caveat;
use tandem_artifact::gia::{Gia, Mark};
use tandem_base::Budget;

use super::actor::{Delivery, Setting};
use crate::check::{Checking, Judgement, check_reached, check_unreachable};

/// How long a claim is looked at, at most.
const TIME: Duration = Duration::from_secs(30);

/// The delivery without what could not be confirmed. Violations and tests need no check here: those who deliver them have replayed
/// them, and candidates and conditions worth tracking claim nothing.
pub fn checked(setting: Setting<'_>, mut delivery: Delivery, budget: &Budget) -> Delivery {
    // Facts from outside are no facts, but may be worth tracking.
    let claimed = std::mem::take(&mut delivery.invariants);
    delivery.precision.extend(claimed);
    let Some(gia) = delivery.gia.take() else { return delivery };
    let soon = Instant::now() + TIME;
    let budget = Budget { deadline: Some(budget.deadline.map_or(soon, |all| all.min(soon))), ..budget.clone() };
    let checking = Checking { error: setting.error, threads: setting.threads, budget: &budget };
    let mut doubt = |judgement: Judgement, what: &str| match judgement {
        Judgement::Correct => true,
        Judgement::Incorrect(why) => {
            delivery.caveats.push(Caveat::Imprecise(format!("{what} is wrong: {why}")));
            false
        }
        Judgement::Unknown(why) => {
            delivery.caveats.push(Caveat::Imprecise(format!("{what} could not be checked: {why}")));
            false
        }
    };
    let reached = doubt(check_reached(setting.program, &gia, checking), "what is called reached");
    let unreachable = doubt(check_unreachable(setting.program, &gia, checking), "what is called unreachable");
    delivery.gia = Some(believed(&gia, reached, unreachable));
    delivery
}

/// What is left of an automaton: a path that is not known to be reached may still be a candidate.
fn believed(gia: &Gia, reached: bool, unreachable: bool) -> Gia {
    gia.remarked(|mark| match mark {
        Mark::Reached => reached.then_some(Mark::Reached),
        Mark::Unreachable => unreachable.then_some(Mark::Unreachable),
        Mark::Candidate => Some(Mark::Candidate),
    })
}
