//! Constructors: one method of [`Terms`] per operator, and those that SMT-LIB has beyond the operators.
//!
//! Each computes the sort of its result and simplifies. The rule: the term that comes back never has more nodes than
//! the term that was asked for, both written out as trees; see the modules for the rewrites. Arguments of wrong sorts
//! are mistakes of the caller and only checked in debug builds.

mod array;
mod bits;
mod boolean;
mod float;

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

impl Terms {
    /// The constant symbol of this name and sort, declared if it is new.
    ///
    /// A name that is taken by a symbol of another type gets a suffix, always the same one for the same sort.
    pub fn variable(&self, name: &str, sort: Sort) -> Term {
        if let Some(symbol) = self.declare(name, &[], sort) {
            return self.intern(Op::Variable(symbol), sort, &[]);
        }
        let mut number = 1u32;
        loop {
            if let Some(symbol) = self.declare(&format!("{name}!{number}"), &[], sort) {
                return self.intern(Op::Variable(symbol), sort, &[]);
            }
            number += 1;
        }
    }

    /// The term of a declared constant symbol.
    pub fn constant(&self, symbol: u32) -> Term {
        debug_assert!(self.symbol(symbol).parameters.is_empty(), "a function needs arguments");
        self.intern(Op::Variable(symbol), self.symbol(symbol).result, &[])
    }

    /// The application of a declared function; of a constant when there are no arguments.
    pub fn apply(&self, symbol: u32, args: &[Term]) -> Term {
        if args.is_empty() {
            return self.constant(symbol);
        }
        let declared = self.symbol(symbol);
        debug_assert!(
            declared.parameters.iter().copied().eq(args.iter().map(|&arg| self.sort(arg))),
            "sort mismatch in an application of {}",
            declared.name
        );
        self.intern(Op::Apply(symbol), declared.result, args)
    }
}
