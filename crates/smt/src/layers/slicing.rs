//! Independence slicing: only the constraints that are connected to the assumptions by shared symbols are asked.
//!
//! A component without assumptions is asked only once, and its model is kept for as long as the component is on the stack
//! or recently was. Nothing is taken for granted: a component is satisfiable because a model of it is known, never
//! because the caller is supposed to have checked it.
//!
//! The inner solver keeps constraints of other components that it has from earlier checks, as long as they are still part
//! of the query: taking them back would cost more than they do, and they change no answer.

use std::sync::Arc;

use tandem_base::Budget;

use super::components::{Component, Splitter, merge};
use super::generations::Generations;
use super::stack::{Follower, Stack};
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver};
use crate::value::Model;

/// Models of components that are kept; twice as many at the most.
const KEPT_MODELS: usize = 2048;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SlicingCounters {
    pub checks: u64,
    /// Components that the inner solver was asked about.
    pub asked: u64,
    /// Components whose model was still known.
    pub known: u64,
    /// Constraints in all queries, and those in the components asked.
    pub constraints: u64,
    pub constraints_asked: u64,
}

pub struct Slicing<S> {
    inner: S,
    stack: Stack,
    follower: Follower,
    splitter: Splitter,
    models: Generations<Box<[Term]>, Arc<Model>>,
    counters: SlicingCounters,
    last: Last,
}

enum Last {
    Nothing,
    Sat(Vec<Arc<Model>>),
    Unsat(Vec<Term>),
}

impl<S: Solver> Slicing<S> {
    /// The inner solver must have no assertions.
    pub fn new(inner: S) -> Slicing<S> {
        Slicing {
            inner,
            stack: Stack::new(),
            follower: Follower::default(),
            splitter: Splitter::new(),
            models: Generations::new(KEPT_MODELS),
            counters: SlicingCounters::default(),
            last: Last::Nothing,
        }
    }

    pub fn counters(&self) -> SlicingCounters {
        self.counters
    }

    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn check_component(&mut self, component: &Component, budget: &Budget) -> Result<Arc<Model>, Answer> {
        let key = component.query().into_boxed_slice();
        if let Some(model) = self.models.get(&key) {
            self.counters.known += 1;
            return Ok(model);
        }
        self.counters.asked += 1;
        self.counters.constraints_asked += key.len() as u64;
        self.follower.go_to(&mut self.inner, &component.assertions, self.stack.terms());
        let answer = self.inner.check(&component.assumptions, budget);
        if answer != Answer::Sat {
            return Err(answer);
        }
        // The inner solver may know more symbols, which are not its business here.
        let model = self.inner.model();
        let model = Arc::new(self.splitter.restricted(self.inner.terms(), &model, &key));
        self.models.insert(key, Arc::clone(&model));
        Ok(model)
    }
}

impl<S: Solver> Solver for Slicing<S> {
    fn terms(&self) -> &Terms {
        self.inner.terms()
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn push(&mut self) {
        self.stack.push();
    }

    fn pop(&mut self, levels: usize) {
        self.stack.pop(levels);
    }

    fn assert(&mut self, term: Term) {
        self.stack.assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.last = Last::Nothing;
        self.counters.checks += 1;
        self.counters.constraints += (self.stack.terms().len() + assumptions.len()) as u64;
        let (mut models, mut unknown) = (Vec::new(), None);
        let components = self.splitter.split(self.inner.terms(), self.stack.terms(), assumptions);
        for component in components {
            match self.check_component(&component, budget) {
                Ok(model) => models.push(model),
                Err(Answer::Unsat) => {
                    let core = if component.assumptions.is_empty() { Vec::new() } else { self.inner.core() };
                    self.last = Last::Unsat(core);
                    return Answer::Unsat;
                }
                // Another component may still refute the query.
                Err(answer) => unknown = unknown.or(Some(answer)),
            }
        }
        if let Some(answer) = unknown {
            return answer;
        }
        self.last = Last::Sat(models);
        Answer::Sat
    }

    fn model(&mut self) -> Model {
        let mut merged = Model::default();
        if let Last::Sat(models) = &self.last {
            for model in models {
                merge(&mut merged, model);
            }
        }
        merged
    }

    fn core(&mut self) -> Vec<Term> {
        match &self.last {
            Last::Unsat(core) => core.clone(),
            Last::Nothing | Last::Sat(_) => Vec::new(),
        }
    }
}
