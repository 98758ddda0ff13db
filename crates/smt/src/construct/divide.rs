//! Constructors of divisions and remainders.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::value::BitVector;

impl Terms {
    pub fn bv_udiv(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_udiv");
        let (sort, width) = (self.sort(left), self.width(left));
        if let Some(folded) = self.fold(Op::BvUdiv, sort, &[left, right]) {
            return folded;
        }
        let Some(divisor) = self.as_bv(right) else { return self.intern(Op::BvUdiv, sort, &[left, right]) };
        if divisor.is_zero() {
            return self.bv_value(&BitVector::ones(width));
        }
        if let Some(exponent) = divisor.power_of_two() {
            return self.bv_lshr(left, self.bv(width, u128::from(exponent)));
        }
        if let Op::ZeroExtend(by) = self.op(left) {
            if divisor.length() > width - by {
                return self.bv(width, 0);
            }
            let narrow = self.bv_value(&divisor.extract(width - by - 1, 0));
            return self.zero_extend(self.bv_udiv(self.args(left)[0], narrow), by);
        }
        self.intern(Op::BvUdiv, sort, &[left, right])
    }

    pub fn bv_urem(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_urem");
        let (sort, width) = (self.sort(left), self.width(left));
        if let Some(folded) = self.fold(Op::BvUrem, sort, &[left, right]) {
            return folded;
        }
        if left == right || self.is_zero(left) {
            return self.bv(width, 0);
        }
        if let Some(divisor) = self.as_bv(right) {
            if divisor.is_zero() {
                return left;
            }
            if divisor.power_of_two().is_some() {
                let mask = divisor.sub(&BitVector::one(width));
                return self.bv_and(left, self.bv_value(&mask));
            }
            if let Op::ZeroExtend(by) = self.op(left) {
                if divisor.length() > width - by {
                    return left;
                }
                let narrow = self.bv_value(&divisor.extract(width - by - 1, 0));
                return self.zero_extend(self.bv_urem(self.args(left)[0], narrow), by);
            }
        }
        if let (Op::ZeroExtend(a), Op::ZeroExtend(b)) = (self.op(left), self.op(right)) {
            let by = a.min(b);
            let narrow = |term: Term, own: u32| self.zero_extend(self.args(term)[0], own - by);
            return self.zero_extend(self.bv_urem(narrow(left, a), narrow(right, b)), by);
        }
        self.intern(Op::BvUrem, sort, &[left, right])
    }

    /// The signed operator where it is not the unsigned one in disguise.
    fn signed_division(&self, op: Op, left: Term, right: Term) -> Option<Term> {
        if let Some(folded) = self.fold(op, self.sort(left), &[left, right]) {
            return Some(folded);
        }
        let positive = |term: Term| match self.op(term) {
            Op::ZeroExtend(_) => true,
            _ => self.as_bv(term).is_some_and(|value| !value.is_negative()),
        };
        // Zero divides alike for a positive dividend.
        (positive(left) && positive(right))
            .then(|| if op == Op::BvSdiv { self.bv_udiv(left, right) } else { self.bv_urem(left, right) })
    }

    pub fn bv_sdiv(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_sdiv");
        if let Some(result) = self.signed_division(Op::BvSdiv, left, right) {
            return result;
        }
        match self.as_bv(right) {
            Some(divisor) if divisor.is_ones() => self.bv_neg(left),
            Some(divisor) if divisor.is_one() => left,
            _ => self.intern(Op::BvSdiv, self.sort(left), &[left, right]),
        }
    }

    pub fn bv_srem(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_srem");
        if let Some(result) = self.signed_division(Op::BvSrem, left, right) {
            return result;
        }
        match self.as_bv(right) {
            Some(divisor) if divisor.is_zero() => left,
            Some(divisor) if divisor.is_ones() || divisor.is_one() => self.bv(divisor.width(), 0),
            _ if left == right => self.bv(self.width(left), 0),
            _ => self.intern(Op::BvSrem, self.sort(left), &[left, right]),
        }
    }

    /// The remainder with the sign of the divisor.
    pub fn bv_smod(&self, left: Term, right: Term) -> Term {
        let zero = self.bv(self.width(left), 0);
        let remainder = self.bv_srem(left, right);
        let differ = self.xor(self.bv_slt(left, zero), self.bv_slt(right, zero));
        let adjust = self.and2(differ, self.not(self.eq(remainder, zero)));
        self.ite(adjust, self.bv_add(remainder, right), remainder)
    }
}
