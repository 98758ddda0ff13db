//! Constructors: one method of [`Terms`] per operator, and those that SMT-LIB has beyond the operators.
//!
//! Each computes the sort of its result and simplifies. The rule: the term that comes back never has more nodes than
//! the term that was asked for, both written out as trees. (As a graph it can only have more where a node that the
//! rewrite takes apart is used elsewhere too, and then by as many nodes as the rewrite looks through, which is bounded.)
//! What comes back is in normal form: built again from its own operator and arguments it is the same term. Arguments
//! of wrong sorts are mistakes of the caller and only checked in debug builds.

mod array;
mod bits;
mod bitwise;
mod boolean;
mod choice;
mod compare;
mod divide;
mod equality;
mod float;
mod fold;
mod linear;
mod rebuild;
mod rounded;
mod slice;

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

impl Terms {
    /// The constant symbol of this name and sort, declared if it is new.
    ///
    /// A name that is taken by a symbol of another type gets a suffix, always the same one for the same sort.
    pub fn variable(&self, name: &str, sort: Sort) -> Term {
        self.intern(Op::Variable(self.function(name, &[], sort)), sort, &[])
    }

    /// The function symbol of this name and type, declared if it is new; see [`Terms::variable`] for taken names.
    pub fn function(&self, name: &str, parameters: &[Sort], result: Sort) -> u32 {
        let numbered = (1u32..).map(|number| format!("{name}!{number}"));
        let found = self.declare(name, parameters, result);
        found.or_else(|| numbered.into_iter().find_map(|name| self.declare(&name, parameters, result))).unwrap_or(0)
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
