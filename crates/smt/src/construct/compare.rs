//! Constructors of comparisons. Those that only mean true, false or one number become that; extensions are compared
//! at the width they come from.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;
use crate::value::BitVector;

impl Terms {
    pub fn bv_ult(&self, left: Term, right: Term) -> Term {
        self.compare(Op::BvUlt, left, right)
    }

    pub fn bv_ule(&self, left: Term, right: Term) -> Term {
        self.compare(Op::BvUle, left, right)
    }

    pub fn bv_slt(&self, left: Term, right: Term) -> Term {
        self.compare(Op::BvSlt, left, right)
    }

    pub fn bv_sle(&self, left: Term, right: Term) -> Term {
        self.compare(Op::BvSle, left, right)
    }

    pub fn bv_ugt(&self, left: Term, right: Term) -> Term {
        self.bv_ult(right, left)
    }

    pub fn bv_uge(&self, left: Term, right: Term) -> Term {
        self.bv_ule(right, left)
    }

    pub fn bv_sgt(&self, left: Term, right: Term) -> Term {
        self.bv_slt(right, left)
    }

    pub fn bv_sge(&self, left: Term, right: Term) -> Term {
        self.bv_sle(right, left)
    }

    fn compare(&self, op: Op, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in {op:?}");
        if left == right {
            return self.bool(matches!(op, Op::BvUle | Op::BvSle));
        }
        if let Some(folded) = self.fold(op, Sort::Bool, &[left, right]) {
            return folded;
        }
        let simpler = match (self.as_bv(left), self.as_bv(right)) {
            (None, Some(value)) => self.compare_value(op, left, right, &value, false),
            (Some(value), None) => self.compare_value(op, right, left, &value, true),
            _ => self.compare_extended(op, left, right),
        };
        simpler.unwrap_or_else(|| self.intern(op, Sort::Bool, &[left, right]))
    }

    /// A term and a constant; `swapped` if the constant is on the left.
    fn compare_value(&self, op: Op, term: Term, constant: Term, value: &BitVector, swapped: bool) -> Option<Term> {
        if let Some(result) = self.compare_limits(op, term, value, swapped) {
            return Some(result);
        }
        let ordered = |op, term, constant| {
            if swapped { self.compare(op, constant, term) } else { self.compare(op, term, constant) }
        };
        if let Some((condition, then, otherwise)) = self.choice_of_values(term) {
            return Some(self.ite(condition, ordered(op, then, constant), ordered(op, otherwise, constant)));
        }
        let signed = matches!(op, Op::BvSlt | Op::BvSle);
        let width = value.width();
        match self.op(term) {
            Op::ZeroExtend(by) => {
                if signed && value.is_negative() {
                    return Some(self.bool(swapped));
                }
                if value.length() > width - by {
                    return Some(self.bool(!swapped));
                }
                let narrow = self.bv_value(&value.extract(width - by - 1, 0));
                let op = if matches!(op, Op::BvSlt | Op::BvUlt) { Op::BvUlt } else { Op::BvUle };
                Some(ordered(op, self.args(term)[0], narrow))
            }
            Op::SignExtend(by) if signed => {
                let narrow = value.extract(width - by - 1, 0);
                if narrow.sign_extend(by) != *value {
                    return Some(self.bool(value.is_negative() == swapped));
                }
                Some(ordered(op, self.args(term)[0], self.bv_value(&narrow)))
            }
            _ => None,
        }
    }

    /// Comparisons with the ends of the range.
    fn compare_limits(&self, op: Op, term: Term, value: &BitVector, swapped: bool) -> Option<Term> {
        let width = value.width();
        let (least, greatest) = match op {
            Op::BvUlt | Op::BvUle => (BitVector::zero(width), BitVector::ones(width)),
            _ => (BitVector::sign_bit(width), BitVector::sign_bit(width).not()),
        };
        let strict = matches!(op, Op::BvUlt | Op::BvSlt);
        // Seen from the term: the end that it is pressed against, the one that it is free of, and one step inside.
        let one = BitVector::one(width);
        let (near, far, inside) =
            if swapped { (&greatest, &least, greatest.sub(&one)) } else { (&least, &greatest, least.add(&one)) };
        let equals = |end: &BitVector| Some(self.eq(term, self.bv_value(end)));
        match strict {
            true if value == near => Some(self.bool(false)),
            true if *value == inside => equals(near),
            false if value == far => Some(self.bool(true)),
            false if value == near => equals(near),
            _ => None,
        }
    }

    fn compare_extended(&self, op: Op, left: Term, right: Term) -> Option<Term> {
        let (a, b) = (self.args(left), self.args(right));
        match (self.op(left), self.op(right)) {
            (Op::ZeroExtend(x), Op::ZeroExtend(y)) => {
                let by = x.min(y);
                let op = if matches!(op, Op::BvSlt | Op::BvUlt) { Op::BvUlt } else { Op::BvUle };
                Some(self.compare(op, self.zero_extend(a[0], x - by), self.zero_extend(b[0], y - by)))
            }
            (Op::SignExtend(x), Op::SignExtend(y)) => {
                let by = x.min(y);
                Some(self.compare(op, self.sign_extend(a[0], x - by), self.sign_extend(b[0], y - by)))
            }
            _ => None,
        }
    }
}
