//! Undefined behaviour and proofs. An access outside every object ends the path, so a program can be "proved" because all its runs end
//! that way; what such a program does on a machine is another question. Where a run is found that leaves an object, nothing is
//! called proved.

use std::time::{Duration, Instant};

use tandem_artifact::{Caveat, Verdict};
use tandem_base::Budget;
use tandem_smt::{Answer, Solver, Terms};

use crate::bmc::bmc;
use crate::formula::Formulas;
use crate::store::Beyond;
use crate::{Outcome, Task};

/// How long is looked for such a run after a proof that did not look at it: time of the processor, so that a busy machine does not
/// see less.
const TIME: Duration = Duration::from_millis(1500);

/// Takes back a proof if some run leaves an object.
pub fn sift(task: Task<'_>, mut outcome: Outcome, budget: &Budget) -> Outcome {
    if outcome.verdict != Verdict::True || outcome.in_bounds {
        return outcome;
    }
    if let Some(caveat) = look(task, budget) {
        outcome.verdict = Verdict::Unknown(caveat.to_string());
        outcome.caveats.push(caveat);
        outcome.invariants.clear();
        outcome.gia = None;
    }
    outcome
}

/// Why the proof is none: some run leaves an object, or nobody had the time to look for one.
fn look(task: Task<'_>, budget: &Budget) -> Option<Caveat> {
    let mut wall = TIME;
    loop {
        let (start, before) = (Instant::now(), processor_time());
        let soon = start + wall;
        let deadline = Some(budget.deadline.map_or(soon, |deadline| deadline.min(soon)));
        let looked = bmc(task, &Budget { deadline, ..budget.clone() });
        let is_undefined = |caveat: &Caveat| matches!(caveat, Caveat::Undefined { .. });
        if let Some(caveat) = looked.caveats.into_iter().find(is_undefined) {
            return Some(caveat);
        }
        if Instant::now() < soon && budget.exhausted().is_none() {
            return None;
        }
        let used = match (before, processor_time()) {
            (Some(before), Some(after)) => after.saturating_sub(before),
            (None, _) | (_, None) => start.elapsed(),
        };
        // Beside the other members of a plan it gets about half of the time.
        if used * 10 >= TIME * 4 {
            return None;
        }
        if let Some(reason) = budget.exhausted() {
            return Some(Caveat::Bound(format!("{reason}, before anybody could look whether a run leaves an object")));
        }
        // Others were at work: so much longer takes what is still to be done.
        let share = (start.elapsed().as_secs_f64() / used.as_secs_f64().max(0.05)).clamp(1.5, 30.0);
        wall = TIME.mul_f64(share * 1.2);
    }
}

/// The time that this thread has had on a processor, if the system tells.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// What is known about accesses beyond objects.
pub enum Bounds {
    /// No run makes one.
    Kept,
    /// This one is made by some run.
    Left(Caveat),
    /// The solver owes an answer.
    Unclear,
}

impl Bounds {
    pub fn caveat(self) -> Option<Caveat> {
        match self {
            Bounds::Left(caveat) => Some(caveat),
            Bounds::Kept | Bounds::Unclear => None,
        }
    }

    pub fn are_kept(&self) -> bool {
        matches!(self, Bounds::Kept)
    }
}

/// The first of these accesses that some run makes, under what else is known.
pub fn first_feasible(
    terms: &Terms,
    solver: &mut dyn Solver,
    known: &[tandem_smt::Term],
    beyond: &[Beyond<Formulas>],
    budget: &Budget,
) -> Bounds {
    let mut result = Bounds::Kept;
    let conditions: Vec<_> = beyond
        .iter()
        .map(|access| {
            let mut all = access.path.conditions();
            all.extend(access.when);
            terms.and(&all)
        })
        .collect();
    for (accesses, conditions) in beyond.chunks(64).zip(conditions.chunks(64)) {
        let mut question = known.to_vec();
        question.push(terms.or(conditions));
        match solver.check(&question, budget) {
            Answer::Unsat => {}
            Answer::Unknown(_) => result = Bounds::Unclear,
            Answer::Sat => {
                let model = solver.model();
                let at = conditions.iter().position(|condition| terms.holds(*condition, &model)).unwrap_or(0);
                let what = accesses[at].what.to_string();
                return Bounds::Left(Caveat::Undefined { what, at: accesses[at].at });
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::ErrorCall;
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    /// A proof that nobody had the time to look at is none.
    #[test]
    fn without_time_nothing_is_proved() {
        let text = "extern void reach_error(void);\n\
                    int main(void) { int a[64]; int i; for (i = 0; a[i] != 0; i++) {} if (i > 64) reach_error(); }";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let task = Task::new(&program, &ErrorCall::Usual, 1);
        let proof = || Outcome::new("test", None, None, Vec::new());
        assert_eq!(proof().verdict, Verdict::True);
        let sifted = sift(task, proof(), &Budget::with_time(Duration::ZERO));
        assert!(matches!(sifted.verdict, Verdict::Unknown(_)), "{sifted:?}");
        let sifted = sift(task, proof(), &Budget::with_time(Duration::from_secs(20)));
        assert!(sifted.caveats.iter().any(|caveat| matches!(caveat, Caveat::Undefined { .. })), "{sifted:?}");
    }
}
