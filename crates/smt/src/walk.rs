//! Walks over terms: subterms, symbols, sizes, substitution, transfer from pool to pool. All without recursion.

use std::collections::{HashMap, HashSet};

use tandem_base::FastBuild;

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// A map from terms to terms.
pub type TermMap = HashMap<Term, Term, FastBuild>;

impl Terms {
    /// The terms and all their subterms, each once, arguments before the terms made of them.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        self.subterms_until(roots, |_| false)
    }

    /// The same, but what stands below a term that stops is not visited from there.
    fn subterms_until(&self, roots: &[Term], stops: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut seen: HashSet<Term, FastBuild> = HashSet::default();
        let mut found: Vec<Term> = Vec::new();
        let mut stack: Vec<Term> = roots.to_vec();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            found.push(term);
            if !stops(term) {
                stack.extend(self.args(term).iter().filter(|arg| !seen.contains(*arg)));
            }
        }
        // Arguments have smaller numbers than what is made of them.
        found.sort_unstable();
        found
    }

    /// The declared symbols that occur, constants and functions, by number, in order.
    pub fn symbols(&self, roots: &[Term]) -> Vec<u32> {
        let terms = self.subterms(roots);
        let mut symbols: Vec<u32> = terms
            .into_iter()
            .filter_map(|term| match self.op(term) {
                Op::Variable(symbol) | Op::Apply(symbol) => Some(symbol),
                _ => None,
            })
            .collect();
        symbols.sort_unstable();
        symbols.dedup();
        symbols
    }

    /// The constant symbols that occur, as terms, in the order of the pool.
    pub fn free_variables(&self, roots: &[Term]) -> Vec<Term> {
        let mut terms = self.subterms(roots);
        terms.retain(|&term| matches!(self.op(term), Op::Variable(_)));
        terms
    }

    /// Number of different subterms.
    pub fn dag_size(&self, roots: &[Term]) -> usize {
        self.subterms(roots).len()
    }

    /// Number of nodes of the term written out as a tree.
    pub fn tree_size(&self, term: Term) -> u64 {
        let mut sizes: HashMap<Term, u64, FastBuild> = HashMap::default();
        let mut last = 0;
        for subterm in self.subterms(&[term]) {
            last = self.args(subterm).iter().fold(1u64, |sum, arg| sum.saturating_add(sizes[arg]));
            sizes.insert(subterm, last);
        }
        last
    }

    /// The term with all occurrences of the keys replaced, simplified again. Replacements are not searched for keys.
    pub fn substitute(&self, term: Term, map: &TermMap) -> Term {
        self.substitute_all(&[term], map)[0]
    }

    /// The same for several terms at once.
    pub fn substitute_all(&self, roots: &[Term], map: &TermMap) -> Vec<Term> {
        let mut results: TermMap = HashMap::default();
        let mut args = Vec::new();
        for term in self.subterms_until(roots, |term| map.contains_key(&term)) {
            let result = match map.get(&term) {
                Some(&replacement) => replacement,
                None => {
                    let node = self.node(term);
                    args.clear();
                    args.extend(node.args.iter().map(|arg| results[arg]));
                    if *args == *node.args { term } else { self.rebuild(node.op, node.sort, &args) }
                }
            };
            results.insert(term, result);
        }
        roots.iter().map(|root| results[root]).collect()
    }

    /// The same term in this pool. Symbols and sorts are found by name; see [`Terms::variable`] for names that are
    /// taken by another type here.
    pub fn import(&self, from: &Terms, term: Term) -> Term {
        Importer::new(from, self).import(term)
    }
}

/// Carries terms from one pool to another and remembers what it carried.
pub struct Importer<'a> {
    from: &'a Terms,
    to: &'a Terms,
    done: TermMap,
}

impl<'a> Importer<'a> {
    pub fn new(from: &'a Terms, to: &'a Terms) -> Importer<'a> {
        Importer { from, to, done: HashMap::default() }
    }

    pub fn import(&mut self, term: Term) -> Term {
        if self.from.same_pool(self.to) {
            return term;
        }
        let mut args = Vec::new();
        for subterm in self.from.subterms_until(&[term], |term| self.done.contains_key(&term)) {
            if self.done.contains_key(&subterm) {
                continue;
            }
            let node = self.from.node(subterm);
            args.clear();
            args.extend(node.args.iter().map(|arg| self.done[arg]));
            let sort = self.sort(node.sort);
            let result = match node.op {
                Op::Variable(symbol) => self.to.variable(&self.from.symbol(symbol).name, sort),
                Op::Apply(symbol) => self.to.apply(self.function(symbol), &args),
                Op::WideBits(id) => self.to.bv_value(self.from.wide_bits(id)),
                Op::ConstArray(_) => self.to.const_array(sort, args[0]),
                op => self.to.rebuild(op, sort, &args),
            };
            self.done.insert(subterm, result);
        }
        self.done[&term]
    }

    pub fn sort(&self, sort: Sort) -> Sort {
        match sort {
            Sort::Bool | Sort::Bv(_) | Sort::Float(_) | Sort::RoundingMode => sort,
            Sort::Array(id) => {
                let (index, element) = self.from.array_sorts(id);
                self.to.array_sort(self.sort(index), self.sort(element))
            }
            Sort::Uninterpreted(id) => self.to.declare_sort(self.from.sort_name(id)),
        }
    }

    fn function(&self, symbol: u32) -> u32 {
        let symbol = self.from.symbol(symbol);
        let parameters: Vec<Sort> = symbol.parameters.iter().map(|&sort| self.sort(sort)).collect();
        self.to.function(&symbol.name, &parameters, self.sort(symbol.result))
    }
}
