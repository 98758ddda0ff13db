//! Workers that share what they find: tests, goals that no run covers, predicates.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tandem_analyses::Task;
use tandem_analyses::concolic::Judge;
use tandem_artifact::Invariant;
use tandem_artifact::fql::Goals;
use tandem_base::{Budget, Pace};
use tandem_cfa::NodeId;
use tandem_smt::{Term, Terms};

use super::board::{GoalBoard, Proof};
use super::levels::{Levels, Next};
use super::probe::Probed;
use super::worker::{MANY, RUN, Worker, covered};
use crate::kernel::schedule;

/// What is done to be fast; each can be left out, to see what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Switches {
    /// Random inputs first.
    pub random: bool,
    /// Goals that begin alike are asked about together.
    pub batches: bool,
    /// What is infeasible makes infeasible what contains it.
    pub propagation: bool,
    /// Reachability graphs and abstractions serve the next automaton.
    pub graphs: bool,
    /// Predicates do.
    pub predicates: bool,
    /// A test counts for every goal that it covers, and not only for the one it was made for.
    pub replay: bool,
    pub minimisation: bool,
    /// Goals in the order of the program, and not the other way round.
    pub order: bool,
}

impl Switches {
    pub const NAMES: [&str; 8] =
        ["random", "batches", "propagation", "arg-reuse", "predicate-reuse", "replay", "minimisation", "order"];

    pub const ALL: Switches = Switches {
        random: true,
        batches: true,
        propagation: true,
        graphs: true,
        predicates: true,
        replay: true,
        minimisation: true,
        order: true,
    };

    /// Everything but what has one of these names.
    pub fn without(names: &[String]) -> Switches {
        let mut all = Switches::ALL;
        for name in names {
            match name.as_str() {
                "random" => all.random = false,
                "batches" => all.batches = false,
                "propagation" => all.propagation = false,
                "arg-reuse" => all.graphs = false,
                "predicate-reuse" => all.predicates = false,
                "replay" => all.replay = false,
                "minimisation" => all.minimisation = false,
                "order" => all.order = false,
                _ => {}
            }
        }
        all
    }
}

#[derive(Clone, Debug)]
pub struct MultiGoalOptions {
    pub switches: Switches,
    pub seed: u64,
}

/// What earlier runs knew.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Inputs of tests: they are replayed.
    pub tests: Vec<Vec<u128>>,
    /// Goals that no run covers.
    pub infeasible: Vec<Range<u64>>,
}

/// What the workers share.
pub struct Shared<'a, 'g> {
    pub task: Task<'a>,
    pub goals: &'g Goals<'a>,
    /// Set if the query has predicates: the program of the task is this one, the goals are about the one without them.
    pub probed: Option<&'g Probed>,
    /// Edges of one run.
    pub run: u64,
    pub options: &'g MultiGoalOptions,
    pub board: Mutex<GoalBoard>,
    pub levels: Mutex<Levels>,
    pub terms: Terms,
    pub tracked: Mutex<Vec<(NodeId, Term)>>,
    pub predicates: Mutex<Vec<Invariant>>,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared<'_, '_> {
    /// The next piece of work.
    pub fn next(&self) -> Next {
        let mut board = lock(&self.board);
        lock(&self.levels).next(self.goals, &mut board)
    }
}

/// How often the board is shown to whoever watches.
const GLANCE: Duration = Duration::from_millis(5);
/// Predicates that are given back at most.
const MOST_PREDICATES: usize = 200;

/// Decides the goals as far as the budget allows; also gives back the predicates that helped. `watch` is shown the board now and then.
pub fn solve<'a>(
    task: Task<'a>,
    goals: &Goals<'a>,
    options: &MultiGoalOptions,
    known: &Known,
    budget: &Budget,
    watch: &mut dyn FnMut(&GoalBoard),
) -> (GoalBoard, Vec<Invariant>) {
    if goals.predicates().is_empty() {
        return solve_probed(task, goals, None, options, known, budget, watch);
    }
    match Probed::new(task.program, task.error, goals.predicates()) {
        Ok(probed) => {
            let task = Task { program: &probed.program, ..task };
            solve_probed(task, goals, Some(&probed), options, known, budget, watch)
        }
        Err(reason) => {
            let mut board = GoalBoard::new(goals.count());
            board.doubt(0..goals.count(), &reason);
            watch(&board);
            (board, Vec::new())
        }
    }
}

/// How much longer runs are that also say which predicates hold.
const PROBED: u64 = 5;

fn solve_probed<'a>(
    task: Task<'a>,
    goals: &Goals<'a>,
    probed: Option<&Probed>,
    options: &MultiGoalOptions,
    known: &Known,
    budget: &Budget,
    watch: &mut dyn FnMut(&GoalBoard),
) -> (GoalBoard, Vec<Invariant>) {
    let workers = task.threads.max(1);
    let shared = Shared {
        task,
        goals,
        probed,
        run: if probed.is_some() { RUN * PROBED } else { RUN },
        options,
        board: Mutex::new(GoalBoard::new(goals.count())),
        levels: Mutex::new(Levels::new(goals, options.switches, workers)),
        terms: Terms::new(),
        tracked: Mutex::new(Vec::new()),
        predicates: Mutex::new(Vec::new()),
    };
    recall(&shared, known, budget);
    schedule(workers, Pace::Clock, budget, |session| {
        for number in 0..workers {
            let shared = &shared;
            session.begin(&format!("goals {number}"), 1, Duration::ZERO, move |budget| {
                Worker::new(shared, number).work(budget);
            });
        }
        while session.running() > 0 && budget.stop_reason().is_none() {
            watch(&lock(&shared.board));
            session.next_within(GLANCE);
        }
    });
    let board = shared.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut predicates = shared.predicates.into_inner().unwrap_or_else(PoisonError::into_inner);
    predicates.sort_by(|a, b| (a.at.lo, &a.value).cmp(&(b.at.lo, &b.value)));
    predicates.dedup();
    predicates.truncate(MOST_PREDICATES);
    watch(&board);
    (board, predicates)
}

/// Takes over what earlier runs knew: proofs as they are, tests after a replay.
fn recall(shared: &Shared<'_, '_>, known: &Known, budget: &Budget) {
    let mut judge = Judge::new(shared.task, shared.options.seed, shared.run);
    for values in &known.tests {
        if let Some(ran) = judge.replay(values, budget) {
            let (goals, ..) = covered(shared, &mut judge, &ran, budget);
            lock(&shared.board).accept(ran.inputs(), goals, "store");
        }
    }
    let mut board = lock(&shared.board);
    for range in &known.infeasible {
        let end = range.end.min(shared.goals.count());
        board.exclude(range.start.min(end)..end, Proof::Stored);
    }
}

/// Looks for a mistake: runs the program on random inputs, and notes goals that were called infeasible and are covered by one of them.
pub fn recheck<'a>(
    task: Task<'a>,
    goals: &Goals<'a>,
    board: &mut GoalBoard,
    runs: u64,
    seed: u64,
    budget: &Budget,
) -> u64 {
    let mut judge = Judge::new(task, seed.wrapping_add(0x5eed), RUN);
    let mut done = 0;
    if !goals.predicates().is_empty() || !goals.is_quick() && goals.count() > MANY {
        return done;
    }
    while done < runs && budget.exhausted().is_none() {
        let Some(ran) = judge.random(budget) else { break };
        done += 1;
        let path = ran.path(task.program, ran.len());
        // Also what does not count for a test: a run is a run.
        let covered = goals.covered_by(&path, ran.ended(), |_, _| None);
        if covered.iter().any(|goal| !board.is_open(*goal) && !board.is_covered(*goal)) {
            board.accept(ran.inputs(), covered, "recheck");
        } else if done % 8 == 0 {
            judge.remember(&ran);
        }
    }
    done
}
