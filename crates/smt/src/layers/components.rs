//! Queries fall into components: constraints that share no symbol, directly or through others, say nothing about each other.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tandem_base::FastBuild;

use super::generations::Generations;
use crate::pool::{Term, Terms};
use crate::value::Model;

/// Terms whose symbols are kept; twice as many at the most.
const KEPT_SYMBOLS: usize = 1 << 16;

/// Constraints that hang together, in the order of the query.
#[derive(Clone, Default, Debug)]
pub struct Component {
    pub assertions: Vec<Term>,
    pub assumptions: Vec<Term>,
}

impl Component {
    pub fn query(&self) -> Vec<Term> {
        [self.assertions.as_slice(), &self.assumptions].concat()
    }
}

/// Splits queries; remembers the symbols of terms.
pub struct Splitter {
    symbols: Generations<Term, Arc<[u32]>>,
}

impl Splitter {
    pub fn new() -> Splitter {
        Splitter { symbols: Generations::new(KEPT_SYMBOLS) }
    }

    /// The components of a query, those with assumptions first.
    pub fn split(&mut self, terms: &Terms, assertions: &[Term], assumptions: &[Term]) -> Vec<Component> {
        let count = assertions.len() + assumptions.len();
        let mut groups = Groups::new(count);
        let mut owner: HashMap<u32, usize, FastBuild> = HashMap::default();
        for (position, &term) in assertions.iter().chain(assumptions).enumerate() {
            for &symbol in self.symbols(terms, term).iter() {
                let first = *owner.entry(symbol).or_insert(position);
                groups.join(first, position);
            }
        }
        let mut places = vec![usize::MAX; count];
        let mut components: Vec<Component> = Vec::new();
        for (position, &term) in assertions.iter().chain(assumptions).enumerate() {
            let group = groups.find(position);
            if places[group] == usize::MAX {
                places[group] = components.len();
                components.push(Component::default());
            }
            let component = &mut components[places[group]];
            match position < assertions.len() {
                true => component.assertions.push(term),
                false => component.assumptions.push(term),
            }
        }
        components.sort_by_key(|component| component.assumptions.is_empty());
        components
    }

    /// The part of a model that is about these terms.
    pub fn restricted(&mut self, terms: &Terms, model: &Model, query: &[Term]) -> Model {
        let mut symbols: HashSet<u32, FastBuild> = HashSet::default();
        for &term in query {
            symbols.extend(self.symbols(terms, term).iter().copied());
        }
        let mut part = Model::default();
        for symbol in symbols {
            if let Some(value) = model.constants.get(&symbol) {
                part.constants.insert(symbol, value.clone());
            } else if let Some(value) = model.functions.get(&symbol) {
                part.functions.insert(symbol, value.clone());
            }
        }
        part
    }

    fn symbols(&mut self, terms: &Terms, term: Term) -> Arc<[u32]> {
        if let Some(found) = self.symbols.get(&term) {
            return found;
        }
        let found: Arc<[u32]> = terms.symbols(&[term]).into();
        self.symbols.insert(term, Arc::clone(&found));
        found
    }
}

/// One model of two that are about different symbols.
pub fn merge(into: &mut Model, part: &Model) {
    into.constants.extend(part.constants.iter().map(|(symbol, value)| (*symbol, value.clone())));
    into.functions.extend(part.functions.iter().map(|(symbol, value)| (*symbol, value.clone())));
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
