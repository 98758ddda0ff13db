//! Eliminating dead symbols from a conjunction, exactly where possible.

use std::collections::{BTreeSet, HashSet};

use super::symbols::{Symbols, fresh};
use super::{bounds, solve, split};
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::walk::TermMap;

/// What is left of a conjunction: `clean` has only symbols that may stay; `rest` still has dead ones. The conjunction implies
/// `clean`, and with an empty `rest` the two say the same about the symbols that stay.
pub struct Eliminated {
    pub clean: Vec<Term>,
    pub rest: Vec<Term>,
}

impl Eliminated {
    pub fn is_exact(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Eliminates every constant symbol that is not in `keep`. Function symbols stay where they are: a conjunct with one that is not in
/// `keep` goes to `rest`.
pub fn eliminate(symbols: &Symbols, conjuncts: &[Term], keep: &HashSet<u32>) -> Eliminated {
    let terms = symbols.terms;
    let mut state = State { terms, symbols, conjuncts: split(terms, conjuncts) };
    let mut stuck: BTreeSet<u32> = BTreeSet::new();
    // Later symbols first: in a trace they are the ones defined by equations over earlier ones.
    while let Some(symbol) = state.next_dead(keep, &stuck) {
        if state.by_equation(symbol) || state.by_bounds(symbol) || state.by_wider_term(symbol) {
            stuck.clear();
        } else {
            stuck.insert(symbol);
        }
        if state.conjuncts.iter().any(|c| terms.op(*c) == Op::False) {
            return Eliminated { clean: vec![terms.bool(false)], rest: Vec::new() };
        }
    }
    let mut seen = HashSet::new();
    state.conjuncts.retain(|conjunct| seen.insert(*conjunct));
    let is_clean = |conjunct: &Term| symbols.of(*conjunct).iter().all(|symbol| keep.contains(symbol));
    let (clean, rest) = state.conjuncts.into_iter().partition(is_clean);
    Eliminated { clean, rest }
}

struct State<'a> {
    terms: &'a Terms,
    symbols: &'a Symbols<'a>,
    conjuncts: Vec<Term>,
}

impl State<'_> {
    fn next_dead(&self, keep: &HashSet<u32>, stuck: &BTreeSet<u32>) -> Option<u32> {
        let symbols = self.symbols.of_all(&self.conjuncts).into_iter();
        let is_constant = |symbol: &u32| self.terms.symbol(*symbol).parameters.is_empty();
        symbols.filter(|s| !keep.contains(s) && !stuck.contains(s) && is_constant(s)).max()
    }

    /// Some conjunct is an equation that can be solved for the symbol.
    fn by_equation(&mut self, symbol: u32) -> bool {
        let found = self.conjuncts.iter().enumerate().find_map(|(index, conjunct)| {
            solve::solve(self.symbols, *conjunct, symbol).map(|solution| (index, solution))
        });
        let Some((index, solution)) = found else { return false };
        self.conjuncts.remove(index);
        self.conjuncts.extend(solution.conditions);
        self.substitute(self.terms.constant(symbol), solution.value);
        true
    }

    /// The symbol only stands alone on a side of comparisons.
    fn by_bounds(&mut self, symbol: u32) -> bool {
        let (with, without): (Vec<Term>, Vec<Term>) =
            self.conjuncts.iter().partition(|conjunct| self.symbols.has(**conjunct, symbol));
        let Some(left) = bounds::eliminate_by_bounds(self.symbols, &with, symbol) else { return false };
        self.conjuncts = without;
        self.conjuncts.extend(split(self.terms, &left));
        true
    }

    /// All occurrences are inside one term that can take any value: a new symbol stands for the term.
    fn by_wider_term(&mut self, symbol: u32) -> bool {
        let Some(onto) = solve::only_inside(self.symbols, &self.conjuncts, symbol) else { return false };
        let fresh = fresh(self.terms, "any", self.terms.sort(onto.term));
        self.substitute(onto.term, fresh);
        if let Some(range) = onto.range {
            let range = range(self.terms, fresh, onto.by);
            self.conjuncts.extend(split(self.terms, &[range]));
        }
        true
    }

    fn substitute(&mut self, from: Term, to: Term) {
        let map = TermMap::from_iter([(from, to)]);
        let replaced = self.terms.substitute_all(&self.conjuncts, &map);
        self.conjuncts = split(self.terms, &replaced);
    }
}
