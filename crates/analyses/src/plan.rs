//! The default plan: several analyses side by side, the quick ones first, until one has an answer.
//!
//! The answer that is given first is what counts. Answers that are there when all members have stopped are compared with it: two that
//! contradict each other are a bug, and then there is no verdict. No member is given time for that.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use tandem_artifact::gia::{Gia, combine};
use tandem_artifact::{Caveat, SolverGap, Verdict};
use tandem_base::{Budget, Cancel, StopReason};

use crate::catalog::DEFAULT_RUN;
use crate::compare::{contradict, contradiction, guarded};
use crate::random::DEFAULT_RUN_RUNS;
use crate::registry::AnalysisEntry;
use crate::undefined::UndefinedFinding;
use crate::{Outcome, Task};

/// The members, and how many milliseconds after the start each begins if nobody has an answer by then. (A member also begins
/// when another has given up.) With less time than [`USUAL`] they begin earlier, in proportion: all are to have a try.
const MEMBERS: &[(AnalysisEntry, u64)] = &[
    (crate::random::ENTRY, 0),
    (crate::induction::ENTRY, 0),
    (crate::bmc::ENTRY, 0),
    (crate::value::ENTRY, 1500),
    (crate::predicate::ENTRY, 3000),
    (crate::symbolic::ENTRY, 5000),
];

/// The time for which the delays are made.
const USUAL: Duration = Duration::from_secs(20);

/// How deep the stacks of the members may get.
const STACK: usize = 1 << 29;

pub fn default_plan(task: Task<'_>, threads: usize, budget: &Budget) -> Outcome {
    let finding = UndefinedFinding::default();
    let finding = Some(task.finding.unwrap_or(&finding));
    let task = Task { finding, run_limit: Some(DEFAULT_RUN_RUNS), ..task };
    let cancel = Cancel::new();
    let inner = Budget { cancel: cancel.clone(), ..budget.clone() };
    let (sender, receiver) = channel();
    let (answer, mut others) = std::thread::scope(|scope| {
        let members = MEMBERS.iter().copied().filter(|(member, _)| Some(member.name) != task.without).collect();
        let hurry = budget.deadline.map_or(1.0, |deadline| {
            (deadline.saturating_duration_since(Instant::now()).as_secs_f64() / USUAL.as_secs_f64()).min(1.0)
        });
        let mut plan = Plan { members, hurry, started: 0, running: 0, threads: threads.max(1), outcomes: Vec::new() };
        let begin = |plan: &mut Plan, sender: &Sender<Outcome>| {
            let member = plan.members[plan.started].0;
            plan.started += 1;
            let (sender, budget) = (sender.clone(), inner.clone());
            let work = move || {
                let _ = sender.send(guarded(member.name, || Some(member.verify(task, None, &budget))));
            };
            let builder = std::thread::Builder::new().name(member.name.to_string()).stack_size(STACK);
            plan.running += usize::from(builder.spawn_scoped(scope, work).is_ok());
        };
        let start = Instant::now();
        let answer = loop {
            while plan.may_begin(start) {
                begin(&mut plan, &sender);
            }
            match plan.wait(&receiver) {
                Some(outcome) if matches!(outcome.verdict, Verdict::True | Verdict::False) => break Some(outcome),
                Some(outcome) => plan.outcomes.push(outcome),
                None => {}
            }
            if budget.exhausted().is_some() || plan.is_over() {
                break None;
            }
        };
        cancel.raise();
        (answer, plan.outcomes)
    });
    drop(sender);
    // The others have stopped by now; what they had found until then still counts.
    let mut decided: Vec<Outcome> = answer.into_iter().collect();
    for outcome in receiver.try_iter() {
        match outcome.verdict {
            Verdict::True | Verdict::False => decided.push(outcome),
            Verdict::Unknown(_) => others.push(outcome),
        }
    }
    compared(decided).unwrap_or_else(|| undecided(others, budget))
}

/// The first of the answers, if none of the others contradicts it.
fn compared(answers: Vec<Outcome>) -> Option<Outcome> {
    let mut answers = answers.into_iter();
    let first = answers.next()?;
    let other = answers.find(|other| contradict(&first.verdict, &other.verdict));
    Some(match (other, &first.verdict) {
        (None, _) => first,
        (Some(other), Verdict::True) => contradiction(DEFAULT_RUN, &first.analysis, &other.analysis),
        (Some(other), Verdict::False | Verdict::Unknown(_)) => {
            contradiction(DEFAULT_RUN, &other.analysis, &first.analysis)
        }
    })
}

struct Plan {
    members: Vec<(AnalysisEntry, u64)>,
    /// What the delays are multiplied with.
    hurry: f64,
    started: usize,
    running: usize,
    threads: usize,
    outcomes: Vec<Outcome>,
}

impl Plan {
    fn may_begin(&self, start: Instant) -> bool {
        match self.members.get(self.started) {
            Some((_, after)) => {
                let delay = Duration::from_millis(*after).mul_f64(self.hurry);
                self.running < self.threads || start.elapsed() >= delay && *after > 0
            }
            None => false,
        }
    }

    fn wait(&mut self, receiver: &Receiver<Outcome>) -> Option<Outcome> {
        match receiver.recv_timeout(Duration::from_millis(20)) {
            Ok(outcome) => {
                self.running -= 1;
                Some(outcome)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    fn is_over(&self) -> bool {
        self.running == 0 && self.started == self.members.len()
    }
}

/// Nobody knows: the caveats of all, without those that only say that an analysis is what it is.
pub(crate) fn undecided(outcomes: Vec<Outcome>, budget: &Budget) -> Outcome {
    let mut caveats: Vec<Caveat> = Vec::new();
    let automata: Vec<&Gia> = outcomes.iter().filter_map(|outcome| outcome.gia.as_ref()).collect();
    let gia = if automata.is_empty() { None } else { combine(&automata).ok() };
    for caveat in outcomes.into_iter().flat_map(|outcome| outcome.caveats) {
        if !caveats.contains(&caveat) {
            caveats.push(caveat);
        }
    }
    let rank = |caveat: &Caveat| match caveat {
        Caveat::Undefined { .. } => 0,
        Caveat::Unsupported { .. } => 0,
        Caveat::NotReplayed(_) => 1,
        Caveat::Solver(_) => 2,
        Caveat::Imprecise(_) => 3,
        Caveat::Bound(_) => 4,
    };
    caveats.sort_by_key(rank);
    let stopped = budget.exhausted();
    // A solver that was stopped says no more than the clock.
    if let Some(reason) = stopped {
        let same = [SolverGap::Stopped(reason), SolverGap::Stopped(StopReason::Cancelled)];
        caveats.retain(|caveat| !matches!(caveat, Caveat::Solver(gap) if same.contains(gap)));
    }
    if stopped.is_none() && caveats.is_empty() {
        caveats.push(Caveat::Imprecise("no analysis came to an end".into()));
    }
    Outcome { gia, ..Outcome::new(DEFAULT_RUN, None, stopped, caveats) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(analysis: &str, verdict: Verdict) -> Outcome {
        Outcome { verdict, ..Outcome::new(analysis, None, None, Vec::new()) }
    }

    /// The members of the default run are exactly the analyses whose entries have a share.
    #[test]
    fn members_are_those_with_a_share() {
        let mut members: Vec<&str> = MEMBERS.iter().map(|(member, _)| member.name).collect();
        let with_share = crate::registry::ANALYSES.iter().filter(|entry| entry.default_share > 0);
        let mut with_share: Vec<&str> = with_share.map(|entry| entry.name).collect();
        members.sort();
        with_share.sort();
        assert_eq!(members, with_share);
    }

    /// A solver that was stopped together with the run adds no reason; one that was stopped for another reason does.
    #[test]
    fn a_solver_that_was_stopped_says_no_more_than_the_clock() {
        let gap = |reason| Caveat::Solver(SolverGap::Stopped(reason));
        let words = Caveat::Solver(SolverGap::Incomplete("cancelled".into()));
        let caveats = vec![gap(StopReason::Cancelled), gap(StopReason::Steps), words.clone()];
        let budget = Budget::unlimited();
        let said = || vec![Outcome::new("bmc", None, None, caveats.clone())];
        assert_eq!(undecided(said(), &budget).caveats, caveats);
        budget.cancel.raise();
        assert_eq!(undecided(said(), &budget).caveats, [gap(StopReason::Steps), words]);
    }

    #[test]
    fn answers_that_contradict_each_other_are_no_answer() {
        let both = compared(vec![outcome("bmc", Verdict::False), outcome("value", Verdict::True)]).unwrap();
        let words = "internal error: `value` says TRUE and `bmc` says FALSE";
        assert_eq!((both.verdict, both.analysis), (Verdict::Unknown(words.into()), DEFAULT_RUN.to_string()));
        let same = compared(vec![outcome("bmc", Verdict::True), outcome("value", Verdict::True)]).unwrap();
        assert_eq!((same.verdict, same.analysis), (Verdict::True, "bmc".to_string()));
        assert_eq!(compared(Vec::new()), None);
    }
}
