//! Ranged runs: analyses on the ranges of a split, side by side, and who takes over what when one is done.
//!
//! Violated if any range has a violation that was replayed: the others stop at once. Proved if every range is proved without a caveat,
//! and the ranges cover all paths, which those of a split do. Else unknown.
//!
//! A worker that has nothing left to begin takes over, unless stealing is off: the range of another with its own analysis, if that has not
//! tried it (both go on until one is done); else a part of the range of a busy one of the same kind. Only searches that can drop
//! paths are cut in mid-run; the range of any other is halved, and the halves are worked on besides it.

use std::time::{Duration, Instant};

use crate::hints::with_hints;
use tandem_analyses::paths::Paths;
use tandem_analyses::registry;
use tandem_analyses::{ContributionKind, Outcome, Task, is_shareable, sift, verify_shared};
use tandem_artifact::range::Range;
use tandem_artifact::{Caveat, Invariant, Verdict};
use tandem_base::{Budget, Pace};

use super::balanced;
use super::pieces::{AttemptId, Board, Part, PieceId};
use super::share::{Giver, Shared, Watcher};
use crate::kernel::{ranked, schedule};

/// Who works on what.
#[derive(Clone, Debug)]
pub struct Plan<'p> {
    /// The first works on the first range, the second on the second, ...; they take turns.
    pub analyses: Vec<&'p str>,
    /// They cover all paths.
    pub ranges: Vec<Range>,
    pub steal: bool,
    pub threads: usize,
    /// What others have tracked before.
    pub tracked: Vec<Invariant>,
    /// A run whose behaviour C does not define, if somebody has found one before.
    pub undefined: Option<Caveat>,
    /// For tests: parts are asked for at moments that follow from this number, whether or not somebody needs them.
    pub nudge: Option<u64>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct RangedOutcome {
    pub outcome: Outcome,
    /// With a verdict of true, for each range (those of the split, or their halves): the proofs of its parts.
    pub proofs: Vec<(Range, Vec<Outcome>)>,
}

/// Between two looks at the board.
const PAUSE: Duration = Duration::from_millis(5);
/// How long an analysis works on a range alone before the range is halved.
const ALONE: Duration = Duration::from_millis(300);
/// A part that was done sooner was hardly worth its handing over; whoever got one waits before asking for the next, at first and at most.
const SHORT: Duration = Duration::from_millis(40);
const PATIENCE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(200));
/// An attempt that had so often nothing to give is left alone for a while.
const REFUSALS: u32 = 200;

/// Lets the analyses work on the ranges.
pub fn verify_ranges(task: Task<'_>, plan: &Plan<'_>, budget: &Budget) -> RangedOutcome {
    let (plan, assigned) = &distinct(plan);
    let ranges = plan.ranges.iter().cloned().zip(assigned.iter().copied()).collect();
    let mut board = Board::new(ranges, plan.analyses.len());
    board.tracked.clone_from(&plan.tracked);
    board.undefined.clone_from(&plan.undefined);
    let shared = Shared::new(board);
    let start = Instant::now();
    let whole = Task { exchange: None, ..task };
    let task = Task { threads: 1, ..whole };
    schedule(plan.threads, Pace::Clock, budget, |session| {
        for number in 0..plan.threads.max(1) {
            let mine = number % plan.analyses.len().max(1);
            let shared = &shared;
            session.begin(&format!("range {number}"), 1, Duration::ZERO, move |budget| {
                Worker { task, plan, shared, budget, mine, patience: Duration::ZERO }.work();
            });
        }
        supervise(&shared, plan, budget);
    });
    conclude(shared.into_board(), whole, plan, start.elapsed(), budget)
}

/// The plan with each analysis once, and for each range the number of the analysis that begins with it.
pub(super) fn distinct<'p>(plan: &Plan<'p>) -> (Plan<'p>, Vec<usize>) {
    let mut analyses: Vec<&str> = Vec::new();
    let mut numbers = Vec::new();
    for name in &plan.analyses {
        let known = analyses.iter().position(|other| other == name);
        numbers.push(known.unwrap_or(analyses.len()));
        if known.is_none() {
            analyses.push(name);
        }
    }
    let assigned = (0..plan.ranges.len()).map(|range| numbers.get(range % numbers.len().max(1)).copied().unwrap_or(0));
    let assigned = assigned.collect();
    (Plan { analyses, ..plan.clone() }, assigned)
}

/// Watches the clock until everything is over; asks for parts, if tests want it.
fn supervise(shared: &Shared, plan: &Plan<'_>, budget: &Budget) {
    let mut numbers = plan.nudge.map(|seed| seed | 1);
    loop {
        let mut board = shared.lock();
        let is_idle = !board.attempts.iter().any(|attempt| attempt.is_running) && !has_work(&board, plan);
        if budget.stop_reason().is_some() || is_idle {
            board.is_stopped = true;
        }
        if board.is_over() {
            board.cancel_useless();
            shared.notify();
            return;
        }
        if let Some(number) = &mut numbers {
            *number ^= *number << 13;
            *number ^= *number >> 7;
            *number ^= *number << 17;
            let running: Vec<AttemptId> =
                (0..board.attempts.len()).filter(|attempt| board.attempts[*attempt].is_running).collect();
            if let Some(attempt) = running.get(*number as usize % running.len().max(1)) {
                board.attempts[*attempt].is_wanted = true;
            }
        }
        let pause = if numbers.is_some() { Duration::from_micros(300) } else { PAUSE };
        shared.wait(board, pause);
    }
}

/// Whether some piece waits for an analysis that has not tried it.
pub(super) fn has_work(board: &Board, plan: &Plan<'_>) -> bool {
    (0..board.pieces.len()).any(|piece| board.is_open(piece) && next_untried(board, plan, piece, None).is_some())
}

/// The analysis that is to begin with a piece nobody works on: the assigned one; when that has failed, another, `mine` first.
pub(super) fn next_untried(board: &Board, plan: &Plan<'_>, piece: PieceId, mine: Option<usize>) -> Option<usize> {
    let content = &board.pieces[piece];
    if content.tried.is_empty() {
        return Some(content.assigned);
    }
    if !plan.steal || board.running(piece).next().is_some() {
        return None;
    }
    mine.into_iter().chain(0..plan.analyses.len()).find(|analysis| !content.tried.contains(analysis))
}

enum Job {
    Attempt(AttemptId),
    /// To be cut into halves: the piece and the analysis for them.
    Halve(PieceId, usize),
    Wait,
    Over,
}

struct Worker<'a> {
    task: Task<'a>,
    plan: &'a Plan<'a>,
    shared: &'a Shared,
    budget: &'a Budget,
    /// The analysis that it has worked with last.
    mine: usize,
    /// How long it waits before it asks for a part.
    patience: Duration,
}

impl Worker<'_> {
    fn work(mut self) {
        let mut idle_since = None;
        loop {
            let mut board = self.shared.lock();
            match self.next(&mut board, &mut idle_since) {
                Job::Over => return,
                Job::Wait => self.shared.wait(board, PAUSE),
                Job::Attempt(attempt) => {
                    idle_since = None;
                    let is_part = matches!(board.pieces[board.attempts[attempt].piece].part, Part::Begins(_));
                    drop(board);
                    let start = Instant::now();
                    self.attempt(attempt);
                    self.patience = match is_part && start.elapsed() < SHORT {
                        true => (self.patience * 2).clamp(PATIENCE.0, PATIENCE.1),
                        false => Duration::ZERO,
                    };
                }
                Job::Halve(piece, analysis) => {
                    let part = board.pieces[piece].part.clone();
                    drop(board);
                    self.halve(piece, &part, analysis);
                }
            }
        }
    }

    fn next(&mut self, board: &mut Board, idle_since: &mut Option<Instant>) -> Job {
        if board.is_over() {
            return Job::Over;
        }
        let open: Vec<PieceId> = (0..board.pieces.len()).filter(|piece| board.is_open(*piece)).collect();
        for piece in &open {
            if let Some(analysis) = next_untried(board, self.plan, *piece, Some(self.mine)) {
                return self.begin(board, *piece, analysis);
            }
        }
        if !self.plan.steal {
            return Job::Wait;
        }
        let idle = idle_since.get_or_insert_with(Instant::now).elapsed();
        // The range of another, with an analysis that has not tried it: the own first.
        let analyses = std::iter::once(self.mine).chain(0..self.plan.analyses.len());
        for analysis in analyses {
            let untried = open.iter().find(|piece| !board.pieces[**piece].tried.contains(&analysis));
            if let Some(piece) = untried {
                board.takeovers += 1;
                return self.begin(board, *piece, analysis);
            }
        }
        self.part(board, &open, idle)
    }

    fn begin(&mut self, board: &mut Board, piece: PieceId, analysis: usize) -> Job {
        self.mine = analysis;
        Job::Attempt(board.begin(piece, analysis))
    }

    /// A part of the range of a busy one.
    fn part(&self, board: &mut Board, open: &[PieceId], idle: Duration) -> Job {
        for piece in open {
            let running: Vec<AttemptId> = board.running(*piece).collect();
            for id in running {
                let attempt = &mut board.attempts[id];
                let analysis = attempt.analysis;
                if is_shareable(self.plan.analyses[analysis]) {
                    let asks = attempt.refused < REFUSALS || idle > ALONE;
                    attempt.is_wanted |= asks && idle >= self.patience;
                } else if idle > ALONE && !board.has_halves(*piece) {
                    return Job::Halve(*piece, analysis);
                }
            }
        }
        Job::Wait
    }

    fn halve(&self, piece: PieceId, part: &Part, analysis: usize) {
        let halves = match part {
            Part::Range(range) => Paths::new(self.task, self.budget)
                .and_then(|mut paths| balanced::cuts(&mut paths, range, 1, self.budget).ok())
                .and_then(|cuts| range.cut(&cuts.into_iter().next()?.bound)),
            Part::Begins(_) => None,
        };
        let mut board = self.shared.lock();
        match halves {
            Some(halves) => board.halve(piece, halves, analysis),
            // Halves that are the whole are never begun: the analysis has tried it.
            None => board.cannot_halve(piece),
        }
        drop(board);
        self.shared.notify();
    }

    fn attempt(&self, attempt: AttemptId) {
        let (part, analysis, cancel, conditions) = {
            let board = self.shared.lock();
            let content = &board.attempts[attempt];
            let part = board.pieces[content.piece].part.clone();
            (part, self.plan.analyses[content.analysis], content.cancel.clone(), board.conditions())
        };
        let reads_precision = registry::reads(analysis, ContributionKind::Precision);
        let hinted = if reads_precision { with_hints(self.task.program, &conditions) } else { None };
        let budget = Budget { cancel, ..self.budget.clone() };
        let watcher = Watcher::of(&part);
        let giver = Giver::new(self.shared, attempt, &watcher, self.plan.nudge.is_some());
        // The whole program needs no observer: whatever an analysis does for whole programs, it may do.
        let is_whole = part == Part::Range(Range::whole());
        let mut task = Task { observer: (!is_whole).then(|| watcher.observer()), ..self.task };
        if let Some((program, hints)) = &hinted {
            task = Task { program, hints, ..task };
        }
        let work = || verify_shared(analysis, task, &giver, &budget);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok().flatten();
        let outcome = outcome
            .unwrap_or_else(|| Outcome::new(analysis, None, None, vec![Caveat::Imprecise("internal error".into())]));
        self.shared.lock().finish(attempt, outcome);
        self.shared.notify();
    }
}

/// The one rule for the verdict of ranges that took so long. Undefined behaviour is looked for in the whole program: a proof of a part
/// says nothing of it.
pub(super) fn conclude(
    board: Board,
    task: Task<'_>,
    plan: &Plan<'_>,
    took: Duration,
    budget: &Budget,
) -> RangedOutcome {
    let name = plan.analyses.join(",");
    let mut proofs = Vec::new();
    let mut outcome = if let Some(violation) = board.violation.clone() {
        Outcome { analysis: name, ..violation }
    } else if board.undefined.is_none() && board.roots().all(|piece| board.is_proved(piece)) {
        board.roots().for_each(|piece| board.proofs(piece, &mut proofs));
        let in_bounds = proofs.iter().flat_map(|(_, parts)| parts).all(|part| part.in_bounds);
        let outcome = Outcome { in_bounds, ..Outcome::new(&name, None, None, Vec::new()) };
        let is_one_proof = matches!(&proofs[..], [(range, parts)] if *range == Range::whole() && parts.len() == 1);
        match is_one_proof {
            // It was looked for already.
            true => outcome,
            false => sift(Task { observer: None, ..task }, outcome, took, budget),
        }
    } else {
        undecided(&board, &name, budget)
    };
    let statistics = [
        ("ranges", board.roots().len() as u64),
        ("parts", board.pieces.len() as u64),
        ("attempts", board.attempts.len() as u64),
        ("takeovers", board.takeovers),
        ("cuts", board.cuts),
    ];
    outcome.statistics.extend(statistics);
    RangedOutcome { outcome, proofs }
}

fn undecided(board: &Board, name: &str, budget: &Budget) -> Outcome {
    let stopped = budget.exhausted();
    let failed = board.pieces.iter().flat_map(|piece| &piece.failed).flat_map(|outcome| &outcome.caveats);
    let mut caveats = ranked(board.undefined.iter().chain(failed).cloned());
    if stopped.is_none() && caveats.is_empty() {
        caveats.push(Caveat::Imprecise("a range was not decided".into()));
    }
    let outcome = Outcome::new(name, None, stopped, caveats);
    debug_assert!(matches!(outcome.verdict, Verdict::Unknown(_)));
    outcome
}
