//! Which symbols, reads, writes, applications and array equalities the live assertions have, level by level.
//!
//! Popped levels take theirs with them, so that a check only looks at what is asserted now.

use tandem_base::FastBuild;

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// Terms of interest, in the order they were met.
#[derive(Default)]
pub(super) struct Scope {
    seen: hashbrown::HashSet<Term, FastBuild>,
    /// `seen` as a list, to undo it.
    trail: Vec<Term>,
    pub variables: Vec<Term>,
    pub selects: Vec<Term>,
    /// Array terms that are not variables: stores, constant arrays, choices.
    pub arrays: Vec<Term>,
    pub array_equalities: Vec<Term>,
    pub applications: Vec<Term>,
}

/// How much of a scope there was.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    lengths: [usize; 6],
}

impl Scope {
    pub fn mark(&self) -> Mark {
        let Scope { trail, variables, selects, arrays, array_equalities, applications, .. } = self;
        Mark {
            lengths: [
                trail.len(),
                variables.len(),
                selects.len(),
                arrays.len(),
                array_equalities.len(),
                applications.len(),
            ],
        }
    }

    pub fn undo(&mut self, mark: Mark) {
        let [trail, variables, selects, arrays, array_equalities, applications] = mark.lengths;
        for term in self.trail.drain(trail..) {
            self.seen.remove(&term);
        }
        self.variables.truncate(variables);
        self.selects.truncate(selects);
        self.arrays.truncate(arrays);
        self.array_equalities.truncate(array_equalities);
        self.applications.truncate(applications);
    }

    /// Whether there is anything but bits to reason about.
    pub fn has_theory(&self) -> bool {
        !self.selects.is_empty() || !self.array_equalities.is_empty() || !self.applications.is_empty()
    }

    pub fn add(&mut self, terms: &Terms, root: Term) {
        let mut open = vec![root];
        while let Some(term) = open.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            self.trail.push(term);
            let args = terms.args(term);
            match terms.op(term) {
                Op::Variable(_) => self.variables.push(term),
                Op::Select => self.selects.push(term),
                Op::Apply(_) => self.applications.push(term),
                Op::Store | Op::ConstArray(_) => self.arrays.push(term),
                Op::Ite if matches!(terms.sort(term), Sort::Array(_)) => self.arrays.push(term),
                Op::Eq if matches!(terms.sort(args[0]), Sort::Array(_)) => self.array_equalities.push(term),
                _ => {}
            }
            open.extend_from_slice(args);
        }
    }
}
