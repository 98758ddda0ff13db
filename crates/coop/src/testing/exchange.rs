//! What is settled as an exchange automaton, and back.

use std::collections::HashSet;

use tandem_analyses::Task;
use tandem_analyses::concolic::Told;
use tandem_analyses::replay::machine;
use tandem_artifact::convert::{reached_path, tests_of};
use tandem_artifact::gia::{Gia, Mark, Subject, combine};
use tandem_artifact::{RunInputs, TestInputs};
use tandem_base::Budget;
use tandem_cfa::EdgeId;
use tandem_cfa::exec::{Inputs, Machine, Options};

use super::board::{Board, Status};
use super::goals::{Goal, targets};
use crate::check;

/// Choices on the paths of all tests that are written down as paths.
const PATHS: usize = 200_000;
/// Steps after which a test that does not end is cut off.
const STEPS: u64 = 10_000_000;
/// Inputs that a test may ask for when it has no more.
const SPARE: usize = 2000;

/// What others have settled before.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Goals that no run reaches, by number.
    pub unreachable: Vec<usize>,
    /// Inputs of functions, which lead to something.
    pub inputs: Vec<Told>,
}

/// What is settled: goals that no run reaches, open ones as candidates, and the paths of these tests as reached, as far as a path of reasonable
/// length can be told by conditions of C.
pub fn gia_of(board: &Board<'_>, subject: Subject, task: Task<'_>, kept: &[usize], budget: &Budget) -> Gia {
    let by_edges = by_edges(board, subject.clone());
    let all = targets(board.goals);
    let (mut left, mut paths) = (PATHS, Vec::new());
    for test in kept.iter().map(|index| &board.tests[*index]) {
        if test.goals.is_empty() || left == 0 || budget.exhausted().is_some() {
            continue;
        }
        let options = Options { path: Some(left), steps: STEPS, ..Options::default() };
        let run = machine(task, options).run(&mut RunInputs::new(&test.inputs), budget);
        let Ok(path) = reached_path(board.program, subject.clone(), &all, &run) else { continue };
        left = left.saturating_sub(path.states().len());
        paths.push(path);
    }
    if paths.is_empty() {
        return by_edges;
    }
    let parts: Vec<&Gia> = paths.iter().chain([&by_edges]).collect();
    combine(&parts).unwrap_or(by_edges)
}

/// The goals by their edges: a path over an edge of an unreachable goal is not to be followed, one over an edge of an open goal is a
/// candidate.
pub(super) fn by_edges(board: &Board<'_>, subject: Subject) -> Gia {
    let edges = |wanted: fn(&Status) -> bool| -> Vec<EdgeId> {
        let goals = board.goals.iter().zip(&board.status).filter(|(_, status)| wanted(status));
        let mut edges: Vec<EdgeId> = goals.flat_map(|(goal, _)| goal.edges.iter().copied()).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    };
    let open = edges(|status| matches!(status, Status::Open));
    let mut unreachable = edges(|status| matches!(status, Status::Unreachable(_)));
    unreachable.retain(|edge| open.binary_search(edge).is_err());
    tandem_artifact::gia::by_edges(
        subject,
        targets(board.goals),
        &[(Mark::Unreachable, unreachable), (Mark::Candidate, open)],
    )
}

/// What an automaton says about these goals. It speaks of its own targets only: a goal is unreachable if all its edges belong to targets of the
/// automaton, and what is left of the program without the unreachable paths has none of them. The inputs of reached paths are worth a try.
pub fn given(task: Task<'_>, goals: &[Goal], gia: &Gia, budget: &Budget) -> Given {
    let known: HashSet<EdgeId> = gia.targets.iter().flat_map(|target| target.edges.iter().copied()).collect();
    let asked: Vec<usize> =
        (0..goals.len()).filter(|goal| goals[*goal].edges.iter().all(|edge| known.contains(edge))).collect();
    let mut about = gia.clone();
    about.targets = asked.iter().flat_map(|goal| targets(&goals[*goal..=*goal])).collect();
    let says = check::status(task.program, &about, &task.error.functions());
    let unreachable = asked.into_iter().zip(says).filter(|(_, (_, status))| *status == check::Status::Unreachable);
    let mut asker = Asker::new(task);
    let inputs = tests_of(gia, task.program)
        .value
        .into_iter()
        .map(|test| asker.values(&mut TestInputs::new(&test.case), test.case.inputs.len(), budget).into());
    Given { unreachable: unreachable.map(|(goal, _)| goal).collect(), inputs: inputs.collect() }
}

/// Finds out which values of functions runs ask for.
pub(super) struct Asker<'a> {
    machine: Machine<'a>,
}

impl<'a> Asker<'a> {
    pub fn new(task: Task<'a>) -> Asker<'a> {
        Asker { machine: machine(task, Options { steps: STEPS, ..Options::default() }) }
    }

    /// The values that a run on so many inputs, or fewer, asks for. When they are over, it goes on for a while.
    pub fn values(&mut self, inputs: &mut dyn Inputs, count: usize, budget: &Budget) -> Vec<u128> {
        self.machine.limit_inputs(count + SPARE);
        let run = self.machine.run(inputs, budget);
        let asked = run.inputs.iter().filter(|input| input.is_of_function());
        asked.map(|input| input.bits).collect()
    }
}
