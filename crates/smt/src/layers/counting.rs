//! Counts what is asked and answered, and how long it took.

use std::time::{Duration, Instant};

use tandem_base::Budget;

use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver};
use crate::value::Model;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SolverCounters {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub assertions: u64,
    pub pushes: u64,
    pub models: u64,
    pub cores: u64,
    /// Time in checks.
    pub time: Duration,
    pub longest: Duration,
}

impl SolverCounters {
    pub fn checks(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

pub struct Counting<S> {
    inner: S,
    counters: SolverCounters,
}

impl<S: Solver> Counting<S> {
    pub fn new(inner: S) -> Counting<S> {
        Counting { inner, counters: SolverCounters::default() }
    }

    pub fn counters(&self) -> SolverCounters {
        self.counters
    }

    pub fn inner(&self) -> &S {
        &self.inner
    }
}

impl<S: Solver> Solver for Counting<S> {
    fn terms(&self) -> &Terms {
        self.inner.terms()
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn push(&mut self) {
        self.counters.pushes += 1;
        self.inner.push();
    }

    fn pop(&mut self, levels: usize) {
        self.inner.pop(levels);
    }

    fn assert(&mut self, term: Term) {
        self.counters.assertions += 1;
        self.inner.assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        let start = Instant::now();
        let answer = self.inner.check(assumptions, budget);
        let took = start.elapsed();
        self.counters.time += took;
        self.counters.longest = self.counters.longest.max(took);
        match &answer {
            Answer::Sat => self.counters.sat += 1,
            Answer::Unsat => self.counters.unsat += 1,
            Answer::Unknown(_) => self.counters.unknown += 1,
        }
        answer
    }

    fn model(&mut self) -> Model {
        self.counters.models += 1;
        self.inner.model()
    }

    fn core(&mut self) -> Vec<Term> {
        self.counters.cores += 1;
        self.inner.core()
    }
}
