//! A cache of results: a query is answered without the inner solver if it has been asked before, if a recent model happens to
//! satisfy it, or if a set of constraints known to be contradictory is part of it.
//!
//! Components of the query are looked up apart, since they come back more often than whole queries: what a program does with one
//! input does not depend on the path it took through another. What is not known is asked as a whole, so that an incremental
//! solver keeps its stack. What is kept is bounded; an unknown answer is never kept.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use tandem_base::{Budget, FastBuild};

use super::components::{Component, Splitter, merge};
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
const KEPT_CORES_OF_A_TERM: usize = 8;
/// Values of terms kept with a model.
const KEPT_VALUES: usize = 1 << 17;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CacheCounters {
    pub checks: u64,
    /// Components that had been asked before.
    pub repeated: u64,
    /// Components that a model of another query satisfied.
    pub by_model: u64,
    /// Components with a part that was known to be contradictory.
    pub by_core: u64,
    /// Checks that the inner solver had to answer.
    pub asked: u64,
}

pub struct Cache<S> {
    inner: S,
    stack: Stack,
    splitter: Splitter,
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

/// A model of a component.
struct Part {
    model: Arc<Model>,
    query: Vec<Term>,
}

enum Last {
    Nothing,
    Sat(Vec<Part>),
    Unsat(Vec<Term>),
}

impl<S: Solver> Cache<S> {
    /// The inner solver must have no assertions.
    pub fn new(inner: S) -> Cache<S> {
        Cache {
            inner,
            stack: Stack::new(),
            splitter: Splitter::new(),
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

    fn look_up(&mut self, component: &Component) -> Option<Known> {
        let key = sorted(component.query());
        if let Some(known) = self.results.get(key.as_slice()) {
            self.counters.repeated += 1;
            return Some(known);
        }
        if let Some(core) = self.contained_core(&key) {
            self.counters.by_core += 1;
            return Some(Known::Unsat(core));
        }
        let model = self.satisfying_model(component)?;
        self.counters.by_model += 1;
        self.results.insert(key.into(), Known::Sat(Arc::clone(&model)));
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

    fn satisfying_model(&mut self, component: &Component) -> Option<Arc<Model>> {
        let terms = self.inner.terms();
        // Assumptions first: they are what is new, and what a model of the assertions most likely fails on.
        let found = self.models.iter_mut().position(|tried| {
            let newest_first = component.assumptions.iter().chain(component.assertions.iter().rev());
            newest_first.into_iter().all(|&term| tried.satisfies(terms, term))
        })?;
        let tried = self.models.remove(found)?;
        let model = Arc::clone(&tried.model);
        self.models.push_front(tried);
        Some(model)
    }

    /// Asks about the whole query, in which only these components are open.
    fn ask(&mut self, open: Vec<Component>, mut parts: Vec<Part>, assumptions: &[Term], budget: &Budget) -> Answer {
        self.counters.asked += 1;
        let answer = self.inner.check(assumptions, budget);
        match answer {
            Answer::Sat => {
                let model = Arc::new(self.inner.model());
                self.models.truncate(KEPT_MODELS - 1);
                self.models.push_front(Tried { model: Arc::clone(&model), values: Memo::default() });
                for component in open {
                    let query = component.query();
                    self.results.insert(sorted(query.clone()).into(), Known::Sat(Arc::clone(&model)));
                    parts.push(Part { model: Arc::clone(&model), query });
                }
                self.last = Last::Sat(parts);
            }
            Answer::Unsat => {
                let core = self.inner.core();
                self.remember_core(&open, &core);
                self.last = Last::Unsat(core);
            }
            Answer::Unknown(_) => {}
        }
        answer
    }

    /// The open components contradict themselves, since the others have models.
    fn remember_core(&mut self, open: &[Component], core: &[Term]) {
        let used: HashSet<Term, FastBuild> = core.iter().copied().collect();
        let assertions = open.iter().flat_map(|component| component.assertions.iter().copied());
        let assumptions = open.iter().flat_map(|component| component.assumptions.iter().copied());
        let part: Arc<[Term]> =
            sorted(assertions.chain(assumptions.filter(|term| used.contains(term))).collect()).into();
        if let [component] = open {
            self.results.insert(sorted(component.query()).into(), Known::Unsat(Arc::clone(&part)));
        }
        if let Some(&youngest) = part.last() {
            let mut cores = self.cores.get(&youngest).unwrap_or_default();
            cores.truncate(KEPT_CORES_OF_A_TERM - 1);
            cores.insert(0, part);
            self.cores.insert(youngest, cores);
        }
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
        let components = self.splitter.split(self.inner.terms(), self.stack.terms(), assumptions);
        let (mut parts, mut open) = (Vec::new(), Vec::new());
        for component in components {
            match self.look_up(&component) {
                Some(Known::Sat(model)) => parts.push(Part { model, query: component.query() }),
                Some(Known::Unsat(part)) => {
                    // The assertions among them hold anyway.
                    let core = assumptions.iter().copied().filter(|term| part.binary_search(term).is_ok()).collect();
                    self.last = Last::Unsat(core);
                    return Answer::Unsat;
                }
                None => open.push(component),
            }
        }
        if open.is_empty() {
            self.last = Last::Sat(parts);
            return Answer::Sat;
        }
        self.ask(open, parts, assumptions, budget)
    }

    fn model(&mut self) -> Model {
        let mut merged = Model::default();
        if let Last::Sat(parts) = &self.last {
            for part in parts {
                merge(&mut merged, &self.splitter.restricted(self.inner.terms(), &part.model, &part.query));
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
