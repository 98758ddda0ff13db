//! Independence slicing: constraints that share no symbol, directly or through others, are asked apart.
//!
//! The query falls into components. Those with an assumption are asked; another one is asked only once, and its model is
//! kept for as long as the component is on the stack or recently was. So along a path with new branch conditions, only what
//! is connected to the condition is asked. Nothing is taken for granted: a component is satisfiable because a
//! model of it is known, never because the caller is supposed to have checked it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tandem_base::{Budget, FastBuild};

use super::generations::Generations;
use super::stack::{Follower, Stack};
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver};
use crate::value::Model;

/// Models of components that are kept; twice as many at the most.
const KEPT_MODELS: usize = 2048;
/// Terms whose symbols are kept; twice as many at the most.
const KEPT_SYMBOLS: usize = 1 << 16;

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
    symbols: Generations<Term, Arc<[u32]>>,
    models: Generations<Box<[Term]>, Arc<Model>>,
    counters: SlicingCounters,
    last: Last,
}

enum Last {
    Nothing,
    Sat(Vec<Arc<Model>>),
    Unsat(Vec<Term>),
}

/// Constraints that hang together.
#[derive(Default)]
struct Component {
    assertions: Vec<Term>,
    assumptions: Vec<Term>,
}

impl<S: Solver> Slicing<S> {
    /// The inner solver must have no assertions.
    pub fn new(inner: S) -> Slicing<S> {
        Slicing {
            inner,
            stack: Stack::new(),
            follower: Follower::default(),
            symbols: Generations::new(KEPT_SYMBOLS),
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

    /// The components of the query, those with assumptions first.
    fn components(&mut self, assumptions: &[Term]) -> Vec<Component> {
        let query = self.stack.query(assumptions);
        let asserted = self.stack.terms().len();
        let mut groups = Groups::new(query.len());
        let mut owner: HashMap<u32, usize, FastBuild> = HashMap::default();
        for (position, &term) in query.iter().enumerate() {
            for &symbol in self.symbols_of(term).iter() {
                let first = *owner.entry(symbol).or_insert(position);
                groups.join(first, position);
            }
        }
        let mut components: HashMap<usize, Component, FastBuild> = HashMap::default();
        let mut order = Vec::new();
        for (position, &term) in query.iter().enumerate() {
            let group = groups.find(position);
            let component = components.entry(group).or_insert_with(|| {
                order.push(group);
                Component::default()
            });
            match position < asserted {
                true => component.assertions.push(term),
                false => component.assumptions.push(term),
            }
        }
        let mut sorted: Vec<Component> = order.iter().filter_map(|group| components.remove(group)).collect();
        sorted.sort_by_key(|component| component.assumptions.is_empty());
        sorted
    }

    fn symbols_of(&mut self, term: Term) -> Arc<[u32]> {
        if let Some(found) = self.symbols.get(&term) {
            return found;
        }
        let found: Arc<[u32]> = self.inner.terms().symbols(&[term]).into();
        self.symbols.insert(term, Arc::clone(&found));
        found
    }

    fn check_component(&mut self, component: &Component, budget: &Budget) -> Result<Arc<Model>, Answer> {
        let key: Box<[Term]> = component.assertions.iter().chain(&component.assumptions).copied().collect();
        if let Some(model) = self.models.get(&key) {
            self.counters.known += 1;
            return Ok(model);
        }
        self.counters.asked += 1;
        self.counters.constraints_asked += key.len() as u64;
        self.follower.go_to(&mut self.inner, &component.assertions);
        let answer = self.inner.check(&component.assumptions, budget);
        if answer != Answer::Sat {
            return Err(answer);
        }
        let model = self.inner.model();
        let model = Arc::new(self.restricted(model, &key));
        self.models.insert(key, Arc::clone(&model));
        Ok(model)
    }

    /// Only the symbols of these terms: the inner solver may still know others, which are not its business here.
    fn restricted(&mut self, mut model: Model, query: &[Term]) -> Model {
        let mut symbols: HashSet<u32, FastBuild> = HashSet::default();
        for &term in query {
            symbols.extend(self.symbols_of(term).iter().copied());
        }
        model.constants.retain(|symbol, _| symbols.contains(symbol));
        model.functions.retain(|symbol, _| symbols.contains(symbol));
        model
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
        for component in self.components(assumptions) {
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
                merged.constants.extend(model.constants.iter().map(|(symbol, value)| (*symbol, value.clone())));
                merged.functions.extend(model.functions.iter().map(|(symbol, value)| (*symbol, value.clone())));
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

/// Disjoint sets of positions.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Groups {
        Groups((0..count).collect())
    }

    fn find(&mut self, mut position: usize) -> usize {
        while self.0[position] != position {
            self.0[position] = self.0[self.0[position]];
            position = self.0[position];
        }
        position
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
