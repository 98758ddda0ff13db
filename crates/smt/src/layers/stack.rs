//! The assertions that a layer has been given, by level.

use crate::pool::Term;

pub struct Stack {
    terms: Vec<Term>,
    /// How many terms there were at each push.
    levels: Vec<usize>,
}

impl Stack {
    pub fn new() -> Stack {
        Stack { terms: Vec::new(), levels: Vec::new() }
    }

    pub fn push(&mut self) {
        self.levels.push(self.terms.len());
    }

    /// At most down to the base.
    pub fn pop(&mut self, levels: usize) {
        let rest = self.levels.len().saturating_sub(levels);
        if let Some(&length) = self.levels.get(rest) {
            self.terms.truncate(length);
            self.levels.truncate(rest);
        }
    }

    pub fn assert(&mut self, term: Term) {
        self.terms.push(term);
    }

    /// In the order of their assertion.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Assertions and assumptions.
    pub fn query(&self, assumptions: &[Term]) -> Vec<Term> {
        [&self.terms, assumptions].concat()
    }
}

/// The stack of an inner solver with one term on each level, moved from query to query with as few steps as it takes.
#[derive(Default)]
pub struct Follower {
    terms: Vec<Term>,
}

impl Follower {
    pub fn go_to<S: crate::solver::Solver>(&mut self, solver: &mut S, wanted: &[Term]) {
        let same = self.terms.iter().zip(wanted).take_while(|(have, want)| have == want).count();
        if self.terms.len() > same {
            solver.pop(self.terms.len() - same);
            self.terms.truncate(same);
        }
        for &term in &wanted[same..] {
            solver.push();
            solver.assert(term);
            self.terms.push(term);
        }
    }
}
