//! The symbols of terms, each term looked at once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tandem_base::FastBuild;

use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// Remembers which symbols a term has.
pub struct Symbols<'a> {
    pub terms: &'a Terms,
    known: RefCell<HashMap<Term, Rc<[u32]>, FastBuild>>,
}

impl<'a> Symbols<'a> {
    pub fn new(terms: &'a Terms) -> Symbols<'a> {
        Symbols { terms, known: RefCell::default() }
    }

    /// The symbols of a term, sorted.
    pub fn of(&self, term: Term) -> Rc<[u32]> {
        let known = &mut *self.known.borrow_mut();
        known.entry(term).or_insert_with(|| self.terms.symbols(&[term]).into()).clone()
    }

    pub fn of_all<'t>(&self, terms: impl IntoIterator<Item = &'t Term>) -> HashSet<u32> {
        terms.into_iter().flat_map(|term| self.of(*term).to_vec()).collect()
    }

    pub fn has(&self, term: Term, symbol: u32) -> bool {
        self.of(term).binary_search(&symbol).is_ok()
    }
}

/// A constant symbol that nobody has used before.
pub fn fresh(terms: &Terms, prefix: &str, sort: Sort) -> Term {
    let names = (terms.len()..).map(|number| format!("{prefix}${number}"));
    let name = names.into_iter().find(|name| terms.find_symbol(name).is_none());
    terms.variable(&name.unwrap_or_default(), sort)
}
