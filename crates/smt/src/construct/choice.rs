//! The constructor of if-then-else.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

impl Terms {
    pub fn ite(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        debug_assert_eq!(self.sort(condition), Sort::Bool, "sort mismatch in ite");
        debug_assert_eq!(self.sort(then), self.sort(otherwise), "sort mismatch in ite");
        match self.op(condition) {
            Op::True => return then,
            Op::False => return otherwise,
            Op::Not => return self.ite(self.args(condition)[0], otherwise, then),
            Op::Eq if self.chooses_equals(condition, then, otherwise) => return otherwise,
            _ if then == otherwise => return then,
            _ => {}
        }
        if self.sort(then) == Sort::Bool
            && let Some(term) = self.boolean_choice(condition, then, otherwise)
        {
            return term;
        }
        self.nested_choice(condition, then, otherwise)
            .unwrap_or_else(|| self.intern(Op::Ite, self.sort(then), &[condition, then, otherwise]))
    }

    /// `x == y ? x : y`, which is `y`.
    fn chooses_equals(&self, condition: Term, then: Term, otherwise: Term) -> bool {
        let args = self.args(condition);
        (args[0] == then && args[1] == otherwise) || (args[1] == then && args[0] == otherwise)
    }

    fn boolean_choice(&self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        match (self.op(then), self.op(otherwise)) {
            (Op::True, _) => return Some(self.or2(condition, otherwise)),
            (Op::False, _) => return Some(self.and2(self.not(condition), otherwise)),
            (_, Op::True) => return Some(self.or2(self.not(condition), then)),
            (_, Op::False) => return Some(self.and2(condition, then)),
            _ => {}
        }
        if then == condition {
            return Some(self.or2(condition, otherwise));
        }
        if otherwise == condition {
            return Some(self.and2(condition, then));
        }
        let negated = |one: Term, other: Term| self.op(one) == Op::Not && self.args(one)[0] == other;
        if negated(otherwise, then) || negated(then, otherwise) {
            return Some(self.eq(condition, then));
        }
        None
    }

    /// Branches that are choices themselves: by the same condition, or with a branch in common.
    fn nested_choice(&self, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
        if let (Op::Ite, &[inner, yes, no]) = (self.op(then), self.args(then)) {
            if inner == condition {
                return Some(self.ite(condition, yes, otherwise));
            }
            if no == otherwise {
                return Some(self.ite(self.and2(condition, inner), yes, otherwise));
            }
            if yes == otherwise {
                return Some(self.ite(self.and2(condition, self.not(inner)), no, otherwise));
            }
        }
        if let (Op::Ite, &[inner, yes, no]) = (self.op(otherwise), self.args(otherwise)) {
            if inner == condition {
                return Some(self.ite(condition, then, no));
            }
            if yes == then {
                return Some(self.ite(self.or2(condition, inner), then, no));
            }
            if no == then {
                return Some(self.ite(self.or2(condition, self.not(inner)), then, yes));
            }
        }
        None
    }
}
