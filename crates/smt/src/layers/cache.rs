//! A cache of results: a query is answered without the inner solver if it has been asked before, if a recent model happens to
//! satisfy it, or if a set of constraints known to be contradictory is part of it.
//!
//! What is kept is bounded; an unknown answer is never kept.

use std::collections::VecDeque;
use std::sync::Arc;

use tandem_base::Budget;

use super::generations::Generations;
use super::stack::Stack;
use crate::eval::{Evaluator, Memo};
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver};
use crate::value::{Model, Value};

const KEPT_RESULTS: usize = 8192;
/// Models that are tried on a new query.
const KEPT_MODELS: usize = 24;
/// Contradictory sets; twice as many at the most.
const KEPT_CORES: usize = 4096;
/// Values of terms kept with a model.
const KEPT_VALUES: usize = 1 << 17;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheCounters {
    pub checks: u64,
    /// Answered because the same query was asked before.
    pub repeated: u64,
    /// Answered by a model of another query.
    pub by_model: u64,
    /// Answered by a contradictory part.
    pub by_core: u64,
    pub asked: u64,
}

pub struct Cache<S> {
    inner: S,
    stack: Stack,
    results: Generations<Box<[Term]>, Known>,
    models: VecDeque<Tried>,
    /// Contradictory sets by their youngest term, which is the one that the fewest queries have.
    cores: Generations<Term, Vec<Arc<[Term]>>>,
    counters: CacheCounters,
    last: Last,
}

#[derive(Clone)]
enum Known {
    Sat(Arc<Model>),
    /// The contradictory part, sorted.
    Unsat(Arc<[Term]>),
}

/// A model with what it makes of the constraints that it was tried on, and of their subterms.
struct Tried {
    model: Arc<Model>,
    values: Memo,
}

enum Last {
    Nothing,
    Sat(Arc<Model>),
    Unsat(Vec<Term>),
}

impl<S: Solver> Cache<S> {
    /// The inner solver must have no assertions.
    pub fn new(inner: S) -> Cache<S> {
        Cache {
            inner,
            stack: Stack::new(),
            results: Generations::new(KEPT_RESULTS),
            models: VecDeque::new(),
            cores: Generations::new(KEPT_CORES),
            counters: CacheCounters::default(),
            last: Last::Nothing,
        }
    }

    pub fn counters(&self) -> CacheCounters {
        self.counters
    }

    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn look_up(&mut self, key: &[Term], assumptions: &[Term]) -> Option<Known> {
        if let Some(known) = self.results.get(key) {
            self.counters.repeated += 1;
            return Some(known);
        }
        if let Some(core) = self.contained_core(key) {
            self.counters.by_core += 1;
            return Some(Known::Unsat(core));
        }
        let model = self.satisfying_model(assumptions)?;
        self.counters.by_model += 1;
        Some(Known::Sat(model))
    }

    fn contained_core(&mut self, key: &[Term]) -> Option<Arc<[Term]>> {
        for &youngest in key.iter().rev() {
            let Some(cores) = self.cores.get(&youngest) else { continue };
            if let Some(core) = cores.iter().find(|core| is_subset(core, key)) {
                return Some(Arc::clone(core));
            }
        }
        None
    }

    fn satisfying_model(&mut self, assumptions: &[Term]) -> Option<Arc<Model>> {
        let terms = self.inner.terms();
        // Assumptions first: they are what is new, and what a model of the assertions most likely fails on.
        let found = self.models.iter_mut().position(|tried| {
            assumptions.iter().chain(self.stack.terms().iter().rev()).all(|&term| tried.satisfies(terms, term))
        })?;
        let tried = self.models.remove(found)?;
        let model = Arc::clone(&tried.model);
        self.models.push_front(tried);
        Some(model)
    }

    fn ask(&mut self, key: Box<[Term]>, assumptions: &[Term], budget: &Budget) -> Answer {
        self.counters.asked += 1;
        let answer = self.inner.check(assumptions, budget);
        match answer {
            Answer::Sat => {
                let model = Arc::new(self.inner.model());
                self.models.truncate(KEPT_MODELS - 1);
                self.models.push_front(Tried { model: Arc::clone(&model), values: Memo::default() });
                self.results.insert(key, Known::Sat(Arc::clone(&model)));
                self.last = Last::Sat(model);
            }
            Answer::Unsat => {
                let core = self.inner.core();
                let part: Arc<[Term]> = sorted(self.stack.query(&core)).into();
                self.results.insert(key, Known::Unsat(Arc::clone(&part)));
                if let Some(&youngest) = part.last() {
                    let mut cores = self.cores.get(&youngest).unwrap_or_default();
                    cores.push(part);
                    self.cores.insert(youngest, cores);
                }
                self.last = Last::Unsat(core);
            }
            Answer::Unknown(_) => {}
        }
        answer
    }
}

impl Tried {
    fn satisfies(&mut self, terms: &Terms, term: Term) -> bool {
        if let Some(value) = self.values.get(&term) {
            return *value == Value::Bool(true);
        }
        if self.values.len() >= KEPT_VALUES {
            self.values.clear();
        }
        let mut evaluator = Evaluator::resume(terms, &self.model, std::mem::take(&mut self.values));
        let truth = evaluator.value(term) == Value::Bool(true);
        self.values = evaluator.into_memo();
        truth
    }
}

impl<S: Solver> Solver for Cache<S> {
    fn terms(&self) -> &Terms {
        self.inner.terms()
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn push(&mut self) {
        self.stack.push();
        self.inner.push();
    }

    fn pop(&mut self, levels: usize) {
        self.stack.pop(levels);
        self.inner.pop(levels);
    }

    fn assert(&mut self, term: Term) {
        self.stack.assert(term);
        self.inner.assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.last = Last::Nothing;
        self.counters.checks += 1;
        let key = sorted(self.stack.query(assumptions)).into_boxed_slice();
        match self.look_up(&key, assumptions) {
            Some(Known::Sat(model)) => {
                self.last = Last::Sat(model);
                Answer::Sat
            }
            Some(Known::Unsat(part)) => {
                // The assertions among them hold anyway.
                let core = assumptions.iter().copied().filter(|term| part.binary_search(term).is_ok()).collect();
                self.last = Last::Unsat(core);
                Answer::Unsat
            }
            None => self.ask(key, assumptions, budget),
        }
    }

    fn model(&mut self) -> Model {
        match &self.last {
            Last::Sat(model) => (**model).clone(),
            Last::Nothing | Last::Unsat(_) => Model::default(),
        }
    }

    fn core(&mut self) -> Vec<Term> {
        match &self.last {
            Last::Unsat(core) => core.clone(),
            Last::Nothing | Last::Sat(_) => Vec::new(),
        }
    }
}

fn sorted(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// Both sorted.
fn is_subset(part: &[Term], whole: &[Term]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|term| rest.by_ref().find(|other| *other >= term) == Some(term))
}
