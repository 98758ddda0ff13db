//! What is settled so far: which goals are covered and by which tests, which no run reaches, which are open.
//!
//! A goal is covered by what a replay has covered, and unreachable by a proof; a goal that is both is a bug of some analysis, and then it
//! is covered: the run has been seen.

use tandem_analyses::concolic::{Counters, Test, Told};
use tandem_cfa::Program;
use tandem_cfa::exec::{Coverage, Input};

use super::goals::Goal;

/// What is known about a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Open,
    Covered,
    /// By the analysis of this name.
    Unreachable(&'static str),
}

/// A test that counts.
#[derive(Clone, Debug)]
pub struct Accepted {
    pub inputs: Vec<Input>,
    /// The goals it covers, by number.
    pub goals: Vec<usize>,
    /// Those that no test before it covered.
    pub first: Vec<usize>,
    /// Open goals that it covers if memory that was never written is zero and the like: these do not count.
    pub perhaps: Vec<usize>,
    pub covered: Coverage,
    /// How many edges its run takes.
    pub steps: u64,
    /// Who found it.
    pub by: &'static str,
}

impl Accepted {
    /// As a start for more.
    pub fn told(&self) -> Told {
        let inputs = self.inputs.iter().filter(|input| input.is_of_function());
        Told::seen(inputs.map(|input| input.bits).collect(), self.steps)
    }
}

pub struct Board<'a> {
    pub program: &'a Program,
    pub goals: &'a [Goal],
    pub status: Vec<Status>,
    pub tests: Vec<Accepted>,
    /// The edges of open goals.
    wanted: Coverage,
    /// Grows with every change.
    pub version: u64,
    /// What the tester has done.
    pub counters: Counters,
    /// What went wrong with programs from outside.
    pub troubles: Vec<String>,
}

impl<'a> Board<'a> {
    pub fn new(program: &'a Program, goals: &'a [Goal]) -> Board<'a> {
        let status = goals.iter().map(|goal| match goal.edges.is_empty() {
            true => Status::Unreachable("graph"),
            false => Status::Open,
        });
        let wanted = Coverage::new(program.edges.len());
        let mut board = Board {
            program,
            goals,
            status: status.collect(),
            tests: Vec::new(),
            wanted,
            version: 0,
            counters: Counters::default(),
            troubles: Vec::new(),
        };
        board.changed();
        board
    }

    pub fn wanted(&self) -> &Coverage {
        &self.wanted
    }

    pub fn open(&self) -> Vec<usize> {
        (0..self.goals.len()).filter(|goal| self.status[*goal] == Status::Open).collect()
    }

    pub fn is_decided(&self) -> bool {
        !self.status.contains(&Status::Open)
    }

    /// Covered, unreachable and open goals.
    pub fn counts(&self) -> (usize, usize, usize) {
        let of = |wanted: fn(&Status) -> bool| self.status.iter().filter(|status| wanted(status)).count();
        (
            of(|status| matches!(status, Status::Covered)),
            of(|status| matches!(status, Status::Unreachable(_))),
            of(|status| matches!(status, Status::Open)),
        )
    }

    /// Takes a test if it covers a goal that is not yet covered, or might cover one that no test so far might.
    pub fn accept(&mut self, test: Test, by: &'static str) -> bool {
        let covers = |goal: &Goal| goal.edges.iter().any(|edge| test.covered.contains(*edge));
        let goals: Vec<usize> = (0..self.goals.len()).filter(|goal| covers(&self.goals[*goal])).collect();
        let first: Vec<usize> = goals.iter().copied().filter(|goal| self.status[*goal] != Status::Covered).collect();
        let might = |goal: &usize| self.goals[*goal].edges.iter().any(|edge| test.perhaps.contains(*edge));
        let perhaps: Vec<usize> = self.open().into_iter().filter(|goal| !first.contains(goal) && might(goal)).collect();
        let is_known = |goal: &usize| self.tests.iter().any(|test| test.perhaps.contains(goal));
        if first.is_empty() && perhaps.iter().all(is_known) {
            return false;
        }
        let counts = !first.is_empty();
        first.iter().for_each(|goal| self.status[*goal] = Status::Covered);
        let Test { inputs, covered, steps, .. } = test;
        self.tests.push(Accepted { inputs, goals, first, perhaps, covered, steps, by });
        self.changed();
        counts
    }

    /// Notes that no run reaches these goals.
    pub fn prove(&mut self, goals: &[usize], by: &'static str) {
        for goal in goals {
            if self.status[*goal] == Status::Open {
                self.status[*goal] = Status::Unreachable(by);
            }
        }
        self.changed();
    }

    fn changed(&mut self) {
        self.version += 1;
        self.wanted = Coverage::new(self.program.edges.len());
        for goal in self.open() {
            self.goals[goal].edges.iter().for_each(|edge| self.wanted.insert(*edge));
        }
    }
}
