//! The over-approximating side: proves that no run reaches a goal. Many goals are asked about at once; what cannot be decided together is
//! decided in parts, with more and more time. A goal that turns out to be reachable gives a test.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tandem_analyses::concolic::{Tester, Told};
use tandem_analyses::interval::{self, unreached};
use tandem_analyses::{DEFAULT_RUN, Task, verify};
use tandem_artifact::Verdict;
use tandem_base::{Budget, Cancel};
use tandem_cfa::EdgeId;
use tandem_cpa::AnyOf;

use super::board::{Board, Status};
use super::tester::lock;
use crate::check::error_edges;

/// Who is asked, one after the other.
const ANALYSES: &[&str] = &["k-induction", "bmc", "predicate"];
/// Who is asked about calls of the error, at first: that is what it is made for.
const ERRORS: &[&str] = &[DEFAULT_RUN];
/// How long each may think about a question, at first.
const FIRST: Duration = Duration::from_millis(700);

/// A question: whether no run reaches any of these goals.
struct Question {
    goals: Vec<usize>,
    time: Duration,
}

/// A question under way, and what stops it.
pub type Current = Mutex<Option<(Vec<usize>, Cancel)>>;

pub struct Verifier<'a, 'b> {
    task: Task<'a>,
    questions: VecDeque<Question>,
    /// The question under way, and what stops it.
    current: &'b Current,
    has_ranges: bool,
    /// Whether it was asked about the calls of the error.
    asked_for_errors: bool,
    errors: HashSet<EdgeId>,
}

impl<'a, 'b> Verifier<'a, 'b> {
    pub fn new(task: Task<'a>, current: &'b Current) -> Verifier<'a, 'b> {
        let errors = error_edges(task.program, task.error).into_iter().collect();
        Verifier { task, questions: VecDeque::new(), current, has_ranges: false, asked_for_errors: false, errors }
    }

    /// Works on one question; false if nothing is left to ask.
    pub fn round(&mut self, board: &Mutex<Board<'a>>, tester: &mut Tester<'a>, budget: &Budget) -> bool {
        if !std::mem::replace(&mut self.has_ranges, true) {
            self.ranges(board, budget);
            return true;
        }
        let open = lock(board).open();
        if open.is_empty() {
            return false;
        }
        let Some(mut question) = self.questions.pop_front() else {
            self.questions.push_back(Question { goals: open, time: FIRST });
            return true;
        };
        question.goals.retain(|goal| open.contains(goal));
        if !question.goals.is_empty() {
            self.ask(question, board, tester, budget);
        }
        true
    }

    /// One fixpoint over ranges shows at once what the ranges exclude.
    fn ranges(&mut self, board: &Mutex<Board<'a>>, budget: &Budget) {
        let wanted = lock(board).wanted().clone();
        let Some(edges) = unreached(self.task, &wanted, &budget.within(Duration::from_secs(5))) else { return };
        let mut board = lock(board);
        let none_taken = |goal: &usize| board.goals[*goal].edges.iter().all(|edge| edges.contains(edge));
        let proved: Vec<usize> = board.open().into_iter().filter(none_taken).collect();
        board.prove(&proved, interval::ENTRY.name);
    }

    fn ask(&mut self, question: Question, board: &Mutex<Board<'a>>, tester: &mut Tester<'a>, budget: &Budget) {
        let edges: Vec<EdgeId> = {
            let board = lock(board);
            question.goals.iter().flat_map(|goal| board.goals[*goal].edges.iter().copied()).collect()
        };
        let about_errors = edges.iter().copied().collect::<HashSet<EdgeId>>() == self.errors
            && !std::mem::replace(&mut self.asked_for_errors, true);
        let observer = AnyOf::new(self.task.program, edges);
        for name in if about_errors { ERRORS } else { ANALYSES } {
            if budget.exhausted().is_some()
                || question.goals.iter().any(|goal| lock(board).status[*goal] != Status::Open)
            {
                break;
            }
            let cancel = budget.cancel.of_part();
            *lock_current(self.current) = Some((question.goals.clone(), cancel.clone()));
            let task = Task { exchange: None, threads: 1, ..self.task };
            let (task, time) = match about_errors {
                true => (Task { threads: self.task.threads, ..task }, budget.clone()),
                false => (Task { observer: Some(&observer), ..task }, budget.within(question.time)),
            };
            let inner = Budget { cancel, ..time };
            let Some(outcome) = verify(name, task, &inner) else { continue };
            match (&outcome.verdict, &outcome.violation) {
                (Verdict::True, _) => {
                    lock(board).prove(&question.goals, name);
                    return;
                }
                (_, Some(violation)) => {
                    let wanted = lock(board).wanted().clone();
                    let from_functions = violation.run.inputs.iter().filter(|input| input.is_of_function());
                    let values: Vec<u128> = from_functions.map(|input| input.bits).collect();
                    let test = tester.learn(&wanted, &Told::seen(values, violation.run.steps), budget);
                    let is_news = test.is_some_and(|test| lock(board).accept(test, name));
                    if is_news {
                        self.questions.push_front(question);
                        return;
                    }
                    // It depends on what no test says: worth a try, and not more.
                    if let Some(test) = tester.doubtful(&violation.run) {
                        lock(board).accept(test, name);
                    }
                }
                (Verdict::False | Verdict::Unknown(_), _) => {}
            }
        }
        self.divide(question);
    }

    fn divide(&mut self, question: Question) {
        let Question { mut goals, time } = question;
        if goals.len() > 1 {
            let rest = goals.split_off(goals.len() / 2);
            self.questions.push_back(Question { goals, time });
            self.questions.push_back(Question { goals: rest, time });
        } else {
            self.questions.push_back(Question { goals, time: time * 3 });
        }
    }
}

/// Stops the question under way if its goals are no longer all open, or if everything is to stop.
pub fn stop_if_pointless(current: &Current, board: &Board<'_>, is_over: bool) {
    let current = lock_current(current);
    if let Some((goals, cancel)) = &*current {
        if is_over || goals.iter().any(|goal| board.status[*goal] != Status::Open) {
            cancel.raise();
        }
    }
}

fn lock_current(current: &Current) -> MutexGuard<'_, Option<(Vec<usize>, Cancel)>> {
    current.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_analyses::{ContributionKind, registry};

    /// Every analysis that the verifier asks is registered, and its entry says that it reads goals.
    #[test]
    fn those_who_are_asked_look_for_goals() {
        for name in ANALYSES {
            let entry = registry::entry(name).unwrap_or_else(|| panic!("there is no analysis `{name}`"));
            assert!(entry.reads(ContributionKind::Goals) && entry.gives(ContributionKind::Goals), "{entry:?}");
        }
    }
}
