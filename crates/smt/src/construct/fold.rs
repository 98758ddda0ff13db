//! Constant folding: every operator on constants is evaluated.

use crate::eval;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;
use crate::value::Value;

impl Terms {
    /// Whether the term is a constant that [`Terms::as_value`] reads.
    pub fn is_value(&self, term: Term) -> bool {
        match self.op(term) {
            Op::True | Op::False | Op::Bits(_) | Op::WideBits(_) | Op::Rounding(_) => true,
            Op::FloatFromBits(_) => self.is_value(self.args(term)[0]),
            _ => false,
        }
    }

    /// The folded term if all arguments are constants.
    pub(super) fn fold(&self, op: Op, sort: Sort, args: &[Term]) -> Option<Term> {
        if !args.iter().all(|&arg| self.is_value(arg)) {
            return None;
        }
        let values: Option<Vec<Value>> = args.iter().map(|&arg| self.as_value(arg)).collect();
        self.value_term(&eval::apply(op, sort, &values?)?, sort)
    }

    /// The folded term, or the node itself.
    pub(super) fn fold_or_intern(&self, op: Op, sort: Sort, args: &[Term]) -> Term {
        self.fold(op, sort, args).unwrap_or_else(|| self.intern(op, sort, args))
    }

    /// Condition and the two constants of an if-then-else between constants.
    pub(super) fn choice_of_values(&self, term: Term) -> Option<(Term, Term, Term)> {
        match (self.op(term), self.args(term)) {
            (Op::Ite, &[condition, then, otherwise]) if self.is_value(then) && self.is_value(otherwise) => {
                Some((condition, then, otherwise))
            }
            _ => None,
        }
    }
}
