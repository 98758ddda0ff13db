//! The assertions that a layer has been given, by level.

use std::collections::HashSet;

use tandem_base::FastBuild;

use crate::pool::Term;
use crate::solver::Solver;

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
    /// Makes the solver's assertions some that contain the needed ones and are contained in the allowed ones.
    pub fn go_to<S: Solver>(&mut self, solver: &mut S, needed: &[Term], allowed: &[Term]) {
        let allowed: HashSet<Term, FastBuild> = allowed.iter().copied().collect();
        let kept = self.terms.iter().take_while(|term| allowed.contains(*term)).count();
        if self.terms.len() > kept {
            solver.pop(self.terms.len() - kept);
            self.terms.truncate(kept);
        }
        let present: HashSet<Term, FastBuild> = self.terms.iter().copied().collect();
        for &term in needed.iter().filter(|term| !present.contains(*term)) {
            solver.push();
            solver.assert(term);
            self.terms.push(term);
        }
    }
}
