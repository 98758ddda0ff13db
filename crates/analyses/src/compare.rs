//! All analyses on one program, each to its end or to the end of its time, and their answers compared. Two answers that contradict each other
//! are a bug of ours: then there is no verdict, and the message names both analyses.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tandem_artifact::{Caveat, Verdict};
use tandem_base::Budget;

use crate::random::COMPARISON_RUNS;
use crate::registry::ANALYSES;
use crate::{Outcome, Task};

/// How deep the stacks of the analyses may get.
const STACK: usize = 1 << 29;
/// The time of one analysis when nothing limits it: some never end by themselves.
const USUAL: Duration = Duration::from_secs(20);

/// What one analysis said, and how long it took.
pub struct Answer {
    pub analysis: &'static str,
    pub outcome: Outcome,
    pub time: Duration,
}

/// What all analyses said.
pub struct Comparison {
    /// In the order of the registry.
    pub answers: Vec<Answer>,
    /// What follows from all of them.
    pub outcome: Outcome,
    /// The answers that contradict each other: the one that says TRUE, and the one that says FALSE.
    pub contradiction: Option<(usize, usize)>,
}

/// The analyses that are compared: all of them.
pub fn compared_names() -> impl Iterator<Item = &'static str> {
    ANALYSES.iter().map(|entry| entry.name)
}

/// Lets every analysis work; as many at once as there are threads.
pub fn verify_by_all(task: Task<'_>, budget: &Budget) -> Comparison {
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = task.threads.clamp(1, ANALYSES.len());
    let task = Task { threads: 1, run_limit: Some(COMPARISON_RUNS), ..task };
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = ANALYSES.get(index) else { break };
            let start = Instant::now();
            let budget = share(budget, ANALYSES.len() - index, threads);
            let outcome = guarded(entry.name, || Some(entry.verify(task, None, &budget)));
            let answer = Answer { analysis: entry.name, outcome, time: start.elapsed() };
            answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(answer);
        }
    };
    std::thread::scope(|scope| {
        for number in 0..threads {
            let builder = std::thread::Builder::new().name(format!("analysis {number}")).stack_size(STACK);
            // A thread that cannot be started leaves its work to the others.
            let _ = builder.spawn_scoped(scope, work);
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    answers.sort_by_key(|answer| ANALYSES.iter().position(|entry| entry.name == answer.analysis));
    summarise(answers, budget)
}

/// The part of the time that is left for each of the analyses that are left.
fn share(budget: &Budget, left: usize, threads: usize) -> Budget {
    match budget.left() {
        Some(time) => budget.within(time.mul_f64((threads as f64 / left as f64).min(1.0))),
        None => budget.within(USUAL),
    }
}

/// The outcome of an analysis; one that panics has none.
pub(crate) fn guarded(name: &str, work: impl FnOnce() -> Option<Outcome>) -> Outcome {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    outcome.ok().flatten().unwrap_or_else(|| internal_error(name, ""))
}

/// An outcome that says nothing but that there is a bug.
pub fn internal_error(name: &str, what: &str) -> Outcome {
    let text = if what.is_empty() { "internal error".to_string() } else { format!("internal error: {what}") };
    let mut outcome = Outcome::new(name, None, None, vec![Caveat::Imprecise(text.clone())]);
    outcome.verdict = Verdict::Unknown(text);
    outcome
}

/// The one place that says what a contradiction is.
pub fn contradict(one: &Verdict, other: &Verdict) -> bool {
    matches!((one, other), (Verdict::True, Verdict::False) | (Verdict::False, Verdict::True))
}

/// What is said when two analyses contradict each other.
pub fn contradiction(name: &str, says_true: &str, says_false: &str) -> Outcome {
    internal_error(name, &format!("`{says_true}` says TRUE and `{says_false}` says FALSE"))
}

fn summarise(answers: Vec<Answer>, budget: &Budget) -> Comparison {
    let position = |verdict: &Verdict| answers.iter().position(|answer| answer.outcome.verdict == *verdict);
    let (holds, fails) = (position(&Verdict::True), position(&Verdict::False));
    let (outcome, contradiction) = match (holds, fails) {
        (Some(holds), Some(fails)) => {
            let outcome = contradiction("all", answers[holds].analysis, answers[fails].analysis);
            (outcome, Some((holds, fails)))
        }
        (Some(index), None) | (None, Some(index)) => (answers[index].outcome.clone(), None),
        (None, None) => {
            let outcomes = answers.iter().map(|answer| answer.outcome.clone()).collect();
            (Outcome { analysis: "all".into(), ..crate::plan::undecided(outcomes, budget) }, None)
        }
    };
    Comparison { answers, outcome, contradiction }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::ErrorCall;
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    fn answer(analysis: &'static str, verdict: Verdict) -> Answer {
        let outcome = Outcome { verdict, ..Outcome::new(analysis, None, None, Vec::new()) };
        Answer { analysis, outcome, time: Duration::ZERO }
    }

    #[test]
    fn a_contradiction_is_no_verdict_and_names_both() {
        let unknown = Verdict::Unknown("time limit".into());
        let answers = vec![answer("value", unknown), answer("bmc", Verdict::False), answer("predicate", Verdict::True)];
        let comparison = summarise(answers, &Budget::unlimited());
        assert_eq!(comparison.contradiction, Some((2, 1)));
        let words = "internal error: `predicate` says TRUE and `bmc` says FALSE";
        assert_eq!(comparison.outcome.verdict, Verdict::Unknown(words.into()));
    }

    #[test]
    fn one_answer_is_the_common_one() {
        let unknown = || Verdict::Unknown("time limit".into());
        let answers = vec![answer("value", unknown()), answer("bmc", Verdict::True), answer("interval", unknown())];
        let comparison = summarise(answers, &Budget::unlimited());
        assert_eq!((comparison.outcome.verdict, comparison.contradiction), (Verdict::True, None));
        assert_eq!(comparison.outcome.analysis, "bmc");
    }

    #[test]
    fn all_take_part_and_none_takes_all_the_time() {
        let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
                    int main(void) { unsigned i = 0; while (__VERIFIER_nondet_int()) i++; if (i == 70000) reach_error(); }";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let start = Instant::now();
        let limit = Duration::from_secs(3);
        let comparison = verify_by_all(Task::new(&program, &ErrorCall::Usual, 2), &Budget::with_time(limit));
        let names: Vec<&str> = comparison.answers.iter().map(|answer| answer.analysis).collect();
        assert_eq!(names, compared_names().collect::<Vec<_>>());
        assert!(start.elapsed() < 4 * limit, "{:?}", start.elapsed());
        assert!(comparison.answers.iter().all(|answer| answer.time < 2 * limit));
    }
}
