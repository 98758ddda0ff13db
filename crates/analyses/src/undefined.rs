//! Undefined behaviour and proofs. An access outside every object ends the path, so a program can be "proved" because all its runs end
//! that way; what such a program does on a machine is another question. Where a run is found that leaves an object, nothing is
//! called proved.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tandem_artifact::{Caveat, Verdict};
use tandem_base::{Budget, Cancel};
use tandem_smt::{Answer, Solver, Terms};

use crate::bmc::bmc;
use crate::formula::Formulas;
use crate::store::Beyond;
use crate::{Outcome, Task};

/// How long is looked for such a run after a proof that did not look at it, in time of the processor: on a busy machine it takes
/// longer and sees no less.
const TIME: Duration = Duration::from_millis(1000);
/// With less than this before the budget ended, nobody has looked.
const LEAST: Duration = Duration::from_millis(400);
/// How often the watcher looks at the clock of the processor.
const BEAT: Duration = Duration::from_millis(20);

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
    let clock = Clock::of_this_thread();
    let (enough, done) = (Cancel::new(), Cancel::new());
    let looked = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.is_raised() {
                if budget.cancel.is_raised() || clock.elapsed() >= TIME {
                    enough.raise();
                }
                std::thread::park_timeout(BEAT);
            }
        });
        let looked = bmc(task, &Budget { cancel: enough.clone(), ..budget.clone() });
        done.raise();
        looked
    });
    let is_undefined = |caveat: &Caveat| matches!(caveat, Caveat::Undefined { .. });
    if let Some(caveat) = looked.caveats.into_iter().find(is_undefined) {
        return Some(caveat);
    }
    match budget.exhausted() {
        Some(reason) if clock.elapsed() < LEAST => {
            Some(Caveat::Bound(format!("{reason}, before anybody could look whether a run leaves an object")))
        }
        Some(_) | None => None,
    }
}

/// The time that a thread has had on a processor since this was made; where the system does not tell, the time on the wall.
struct Clock {
    started: Instant,
    file: Option<(PathBuf, Duration)>,
}

impl Clock {
    fn of_this_thread() -> Clock {
        let place = std::fs::read_link("/proc/thread-self").ok();
        let file = place.map(|place| PathBuf::from("/proc").join(place).join("schedstat"));
        let file = file.and_then(|file| processor_time(&file).map(|before| (file, before)));
        Clock { started: Instant::now(), file }
    }

    fn elapsed(&self) -> Duration {
        let now = self.file.as_ref().and_then(|(file, before)| Some(processor_time(file)?.saturating_sub(*before)));
        now.unwrap_or_else(|| self.started.elapsed())
    }
}

fn processor_time(file: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(file).ok()?;
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
