//! Ranged runs whose analyses work elsewhere: jobs go into a queue, answers come out. The board and the rule for the verdict are those of
//! [`verify_ranges`](super::verify_ranges).
//!
//! A violation that somebody reports is replayed here before it is one. A proof is believed: who may put answers into the queue is trusted.
//!
//! When workers have nothing to do, they get the range of another with an analysis that has not tried it; and a range that takes long is halved,
//! and its halves are worked on besides it, until one or the other is settled.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use tandem_analyses::paths::Paths;
use tandem_analyses::replay::replay;
use tandem_analyses::{Outcome, Task, verify};
use tandem_artifact::job::{
    Answer, Checked, Found, How, Job, RangeWork, Said, SaidCaveat, SaidInvariant, Work, values,
};
use tandem_artifact::range::Range;
use tandem_artifact::{Caveat, Verdict};
use tandem_base::{Budget, StopReason};
use tandem_cfa::exec::{Inputs, Request};

use super::balanced;
use super::observer::RangeObserver;
use super::pieces::{AttemptId, Board, Part, PieceId};
use super::run::{Plan, RangedOutcome, conclude, distinct, has_work, next_untried};
use crate::queue::{JobId, Load, Queue, Trouble};

/// Between two looks at the board.
const PAUSE: Duration = Duration::from_millis(50);
/// Between two looks at how busy everybody is.
const LOOK: Duration = Duration::from_millis(500);
/// How long a range is worked on before it is halved.
const ALONE: Duration = Duration::from_secs(2);
/// How long is looked for the middle of a range.
const HALVING: Duration = Duration::from_secs(2);
/// How long a run that somebody reports may take.
const REPLAY: Duration = Duration::from_secs(60);

/// What a worker does with a range.
pub fn verify_range(task: Task<'_>, range: &Range, analysis: &str, budget: &Budget) -> Option<Outcome> {
    // The whole program needs no observer: whatever an analysis does for whole programs, it may do.
    if *range == Range::whole() {
        return verify(analysis, task, budget);
    }
    let observer = RangeObserver::new(range);
    verify(analysis, Task { observer: Some(&observer), ..task }, budget)
}

/// An outcome, to be sent.
pub fn checked(outcome: &Outcome, reason: Option<String>, is_late: bool) -> Checked {
    let found = match (&outcome.verdict, &outcome.violation) {
        (_, Some(violation)) => Found::violation(violation.run.inputs.iter().map(|input| input.bits)),
        (Verdict::True, None) => Found::Proof,
        (Verdict::False | Verdict::Unknown(_), None) => Found::Unknown,
    };
    let is_proof = found == Found::Proof;
    Checked {
        found,
        reason,
        analysis: outcome.analysis.clone(),
        caveats: outcome.caveats.iter().filter(|_| !is_proof).take(50).map(SaidCaveat::new).collect(),
        invariants: outcome.invariants.iter().map(SaidInvariant::new).collect(),
        in_bounds: outcome.in_bounds,
        is_late,
    }
}

/// What somebody sent as an outcome. A violation is one if the run is seen here, too.
pub fn believed(checked: &Checked, task: Task<'_>, budget: &Budget) -> Outcome {
    let length = u32::try_from(task.program.source.text().len()).unwrap_or(u32::MAX);
    let caveats: Vec<Caveat> = checked.caveats.iter().map(|caveat| caveat.caveat(length)).collect();
    let functions = task.program.functions.len();
    match &checked.found {
        Found::Proof => {
            let invariants = checked.invariants.iter().filter_map(|one| one.invariant(functions, length)).collect();
            let outcome = Outcome::new(&checked.analysis, None, None, Vec::new());
            Outcome { invariants, in_bounds: checked.in_bounds, ..outcome }
        }
        Found::Violation(inputs) => {
            let soon = Instant::now() + REPLAY;
            let deadline =
                Some(budget.deadline.map_or(soon, |deadline| deadline.max(Instant::now() + PAUSE).min(soon)));
            let task = Task { observer: None, ..task };
            match replay(task, &mut Sent(values(inputs).into_iter()), &Budget { deadline, ..budget.clone() }) {
                Ok(violation) => Outcome::new(&checked.analysis, Some(violation), None, Vec::new()),
                Err(_) => Outcome::new(&checked.analysis, None, None, vec![Caveat::NotReplayed("of a worker".into())]),
            }
        }
        Found::Unknown => {
            let stopped = checked.is_late.then_some(StopReason::Time);
            let mut outcome = Outcome::new(&checked.analysis, None, stopped, caveats);
            if outcome.verdict == Verdict::True {
                let reason = checked.reason.clone().unwrap_or_else(|| "not decided".into());
                outcome = Outcome::new(&checked.analysis, None, None, vec![Caveat::Imprecise(reason)]);
            }
            outcome
        }
    }
}

/// The inputs of a run as they were sent.
struct Sent(std::vec::IntoIter<u128>);

impl Inputs for Sent {
    fn nondet(&mut self, _: Request<'_>) -> u128 {
        self.0.next().unwrap_or(0)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        self.nondet(request)
    }
}

/// Lets workers verify the ranges. `template` is a job of which everything but the work and the time is right. `watch` is told how many ranges of
/// the split are proved, and of how many.
pub fn verify_elsewhere(
    task: Task<'_>,
    plan: &Plan<'_>,
    template: &Job,
    queue: &dyn Queue<Job, Answer>,
    budget: &Budget,
    watch: &mut dyn FnMut(usize, usize),
) -> Result<RangedOutcome, Trouble> {
    let start = Instant::now();
    let (plan, assigned) = &distinct(plan);
    let ranges = plan.ranges.iter().cloned().zip(assigned.iter().copied()).collect();
    let mut run = Elsewhere {
        task: Task { exchange: None, ..task },
        plan,
        template,
        queue,
        budget,
        board: Board::new(ranges, plan.analyses.len()),
        jobs: HashMap::new(),
        began: HashMap::new(),
        early: HashMap::new(),
        cancelled: HashSet::new(),
        troubles: Vec::new(),
        looked: Instant::now(),
    };
    let worked = run.work(watch);
    let finished = queue.finish();
    // With a verdict nobody minds that it could not be tidied up.
    if !run.board.is_over() {
        worked?;
        finished?;
    }
    let mut result = conclude(run.board, task, plan, start.elapsed(), budget);
    if let (Verdict::Unknown(_), Some(trouble)) = (&result.outcome.verdict, run.troubles.first()) {
        result.outcome.verdict = Verdict::Unknown(trouble.clone());
    }
    Ok(result)
}

struct Elsewhere<'a> {
    task: Task<'a>,
    plan: &'a Plan<'a>,
    template: &'a Job,
    queue: &'a dyn Queue<Job, Answer>,
    budget: &'a Budget,
    board: Board,
    jobs: HashMap<JobId, AttemptId>,
    began: HashMap<PieceId, Instant>,
    /// Answers to jobs that we have not asked for yet: we may have, in an earlier life.
    early: HashMap<JobId, Answer>,
    cancelled: HashSet<AttemptId>,
    /// What went wrong with jobs, in words for people.
    troubles: Vec<String>,
    looked: Instant,
}

impl Elsewhere<'_> {
    fn work(&mut self, watch: &mut dyn FnMut(usize, usize)) -> Result<(), Trouble> {
        // What is answered already need not be asked.
        self.early = self.queue.earlier()?.into_iter().collect();
        loop {
            let is_running = self.board.attempts.iter().any(|attempt| attempt.is_running);
            if self.budget.exhausted().is_some() || !is_running && !has_work(&self.board, self.plan) {
                self.board.is_stopped = true;
            }
            watch(self.board.roots().filter(|piece| self.board.is_proved(*piece)).count(), self.board.roots().len());
            if self.board.is_over() {
                return Ok(());
            }
            self.begin_open()?;
            self.cancel_useless()?;
            for (id, answer) in self.queue.collect(PAUSE)? {
                match self.jobs.remove(&id) {
                    Some(attempt) => self.take(attempt, &answer),
                    None => drop(self.early.insert(id, answer)),
                }
            }
            if self.plan.steal && self.looked.elapsed() > LOOK {
                self.looked = Instant::now();
                let load = self.queue.load()?;
                self.share_out(load)?;
            }
        }
    }

    /// Asks for whatever nobody works on.
    fn begin_open(&mut self) -> Result<(), Trouble> {
        let pieces: Vec<PieceId> = (0..self.board.pieces.len()).filter(|piece| self.board.is_open(*piece)).collect();
        let mut jobs = Vec::new();
        for piece in pieces {
            if let Some(analysis) = next_untried(&self.board, self.plan, piece, None) {
                self.begin(piece, analysis, &mut jobs);
            }
        }
        if jobs.is_empty() { Ok(()) } else { self.queue.publish(jobs) }
    }

    fn begin(&mut self, piece: PieceId, analysis: usize, jobs: &mut Vec<(JobId, Job)>) {
        let attempt = self.board.begin(piece, analysis);
        self.began.entry(piece).or_insert_with(Instant::now);
        let Part::Range(range) = &self.board.pieces[piece].part else { return };
        let how = match &self.template.work {
            Work::Verify(RangeWork { how: How::Plan(name), .. }) => How::Plan(name.clone()),
            Work::Verify(_) | Work::Test(_) | Work::Nothing => How::Analysis(self.plan.analyses[analysis].to_string()),
        };
        let mut job = self.template.clone();
        job.name = format!("{}, {} on range {}", job.name, self.plan.analyses[analysis], piece + 1);
        let facts = matches!(&job.work, Work::Verify(work) if work.facts);
        job.work = Work::Verify(RangeWork::new(how, range, facts));
        let left = self.budget.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        job.limits.time_ms = left.map(|left| left.as_millis() as u64);
        let id = job.id();
        match self.early.remove(&id) {
            Some(answer) => self.take(attempt, &answer),
            None => {
                self.jobs.insert(id.clone(), attempt);
                jobs.push((id, job));
            }
        }
    }

    fn take(&mut self, attempt: AttemptId, answer: &Answer) {
        let piece = self.board.attempts[attempt].piece;
        let analysis = self.plan.analyses[self.board.attempts[attempt].analysis];
        let name = format!("{analysis} on range {}", piece + 1);
        let outcome = match &answer.said {
            Said::Checked(checked) => believed(checked, self.task, self.budget),
            Said::Poison(times) => {
                self.lost(analysis, format!("the job `{name}` is poison: {times} workers were lost with it"))
            }
            Said::Failed(why) => self.lost(analysis, format!("the job `{name}` failed: {why}")),
            Said::Tested(_) | Said::Testing(_) | Said::Nothing => {
                self.lost(analysis, format!("the job `{name}` failed: the answer is one to another question"))
            }
        };
        self.board.finish(attempt, outcome);
    }

    fn lost(&mut self, analysis: &str, why: String) -> Outcome {
        let outcome = Outcome::new(analysis, None, None, vec![Caveat::Imprecise(why.clone())]);
        self.troubles.push(why);
        outcome
    }

    /// Takes back what was settled another way.
    fn cancel_useless(&mut self) -> Result<(), Trouble> {
        let useless: Vec<AttemptId> = (0..self.board.attempts.len())
            .filter(|id| self.board.attempts[*id].is_running && self.board.attempts[*id].cancel.is_raised())
            .filter(|id| self.cancelled.insert(*id))
            .collect();
        if useless.is_empty() {
            return Ok(());
        }
        for attempt in &useless {
            self.board.attempts[*attempt].is_running = false;
        }
        let ids: Vec<JobId> =
            self.jobs.iter().filter(|(_, attempt)| useless.contains(attempt)).map(|(id, _)| id.clone()).collect();
        for id in &ids {
            self.jobs.remove(id);
        }
        self.queue.cancel(&ids)
    }

    /// Work for those who have none.
    fn share_out(&mut self, load: Load) -> Result<(), Trouble> {
        let mut idle = if load.waiting == 0 { load.idle } else { 0 };
        let open: Vec<PieceId> = (0..self.board.pieces.len()).filter(|piece| self.board.is_open(*piece)).collect();
        let mut jobs = Vec::new();
        for piece in open {
            if idle == 0 || self.budget.exhausted().is_some() {
                break;
            }
            let is_old = self.began.get(&piece).is_some_and(|began| began.elapsed() > ALONE);
            if !is_old || self.board.running(piece).next().is_none() {
                continue;
            }
            let untried = (0..self.plan.analyses.len()).find(|one| !self.board.pieces[piece].tried.contains(one));
            if let Some(analysis) = untried {
                self.board.takeovers += 1;
                self.begin(piece, analysis, &mut jobs);
                idle -= 1;
            } else if !self.board.has_halves(piece) {
                self.halve(piece);
                idle = idle.saturating_sub(2);
            }
        }
        if jobs.is_empty() { Ok(()) } else { self.queue.publish(jobs) }
    }

    fn halve(&mut self, piece: PieceId) {
        let Part::Range(range) = &self.board.pieces[piece].part else { return };
        let budget = self.budget.within(HALVING);
        let halves = Paths::new(Task { threads: 1, ..self.task }, &budget)
            .and_then(|mut paths| balanced::cuts(&mut paths, range, 1, &budget).ok())
            .and_then(|cuts| range.cut(&cuts.into_iter().next()?.bound));
        let analysis = self.board.pieces[piece].assigned;
        match halves {
            Some(halves) => {
                self.board.cuts += 1;
                self.board.halve(piece, halves, analysis);
            }
            None => self.board.cannot_halve(piece),
        }
    }
}
