//! Constructors of float operators that round.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::BitVector;

impl Terms {
    fn check_rounded(&self, op: Op, mode: Term, left: Term, right: Term) {
        debug_assert_eq!(self.sort(mode), Sort::RoundingMode, "sort mismatch in {op:?}");
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in {op:?}");
    }

    pub fn float_add(&self, mode: Term, left: Term, right: Term) -> Term {
        self.check_rounded(Op::FloatAdd, mode, left, right);
        if let Some(folded) = self.fold(Op::FloatAdd, self.sort(left), &[mode, left, right]) {
            return folded;
        }
        for (one, other) in [(left, right), (right, left)] {
            if self.is_neutral_summand(mode, other) {
                return one;
            }
        }
        if self.op(right) == Op::FloatNeg {
            return self.float_sub(mode, left, self.args(right)[0]);
        }
        if self.op(left) == Op::FloatNeg {
            return self.float_sub(mode, right, self.args(left)[0]);
        }
        self.intern(Op::FloatAdd, self.sort(left), &[mode, left.min(right), left.max(right)])
    }

    /// The zero that changes nothing, not even the other zero: minus zero unless sums of opposite zeros are negative.
    fn is_neutral_summand(&self, mode: Term, term: Term) -> bool {
        let Some(mode) = self.as_rounding(mode) else { return false };
        let negative = mode != RoundingMode::TowardNegative;
        self.as_float(term).is_some_and(|(sort, bits)| bits == sort.zero(negative))
    }

    pub fn float_sub(&self, mode: Term, left: Term, right: Term) -> Term {
        self.check_rounded(Op::FloatSub, mode, left, right);
        if self.op(right) == Op::FloatNeg {
            return self.float_add(mode, left, self.args(right)[0]);
        }
        if self.is_value(right) {
            // One form for sums with constants.
            return self.float_add(mode, left, self.float_neg(right));
        }
        self.fold_or_intern(Op::FloatSub, self.sort(left), &[mode, left, right])
    }

    /// One or minus one: negative?
    fn as_unit(&self, term: Term) -> Option<bool> {
        let (sort, bits) = self.as_float(term)?;
        let one = softfloat::from_unsigned(sort, RoundingMode::NearestEven, &BitVector::one(1));
        if bits == one {
            return Some(false);
        }
        (bits == softfloat::neg(sort, &one)).then_some(true)
    }

    pub fn float_mul(&self, mode: Term, left: Term, right: Term) -> Term {
        self.check_rounded(Op::FloatMul, mode, left, right);
        let sort = self.sort(left);
        if let Some(folded) = self.fold(Op::FloatMul, sort, &[mode, left, right]) {
            return folded;
        }
        for (one, other) in [(left, right), (right, left)] {
            if let Some(negative) = self.as_unit(other) {
                return if negative { self.float_neg(one) } else { one };
            }
        }
        if let (Op::FloatNeg, Op::FloatNeg) = (self.op(left), self.op(right)) {
            return self.float_mul(mode, self.args(left)[0], self.args(right)[0]);
        }
        self.intern(Op::FloatMul, sort, &[mode, left.min(right), left.max(right)])
    }

    pub fn float_div(&self, mode: Term, left: Term, right: Term) -> Term {
        self.check_rounded(Op::FloatDiv, mode, left, right);
        if let (Op::FloatNeg, Op::FloatNeg) = (self.op(left), self.op(right)) {
            return self.float_div(mode, self.args(left)[0], self.args(right)[0]);
        }
        match self.as_unit(right) {
            Some(true) => self.float_neg(left),
            Some(false) => left,
            None => self.fold_or_intern(Op::FloatDiv, self.sort(left), &[mode, left, right]),
        }
    }

    /// `left * right + addend` with one rounding.
    pub fn float_fma(&self, mode: Term, left: Term, right: Term, addend: Term) -> Term {
        self.check_rounded(Op::FloatFma, mode, left, right);
        debug_assert_eq!(self.sort(left), self.sort(addend), "sort mismatch in float_fma");
        if let (Op::FloatNeg, Op::FloatNeg) = (self.op(left), self.op(right)) {
            return self.float_fma(mode, self.args(left)[0], self.args(right)[0], addend);
        }
        let args = [mode, left.min(right), left.max(right), addend];
        self.fold_or_intern(Op::FloatFma, self.sort(left), &args)
    }

    pub fn float_sqrt(&self, mode: Term, term: Term) -> Term {
        self.check_rounded(Op::FloatSqrt, mode, term, term);
        self.fold_or_intern(Op::FloatSqrt, self.sort(term), &[mode, term])
    }

    pub fn float_rem(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in float_rem");
        match self.op(right) {
            // The sign of the divisor does not matter.
            Op::FloatNeg | Op::FloatAbs => self.float_rem(left, self.args(right)[0]),
            _ => self.fold_or_intern(Op::FloatRem, self.sort(left), &[left, right]),
        }
    }

    pub fn float_round_to_integral(&self, mode: Term, term: Term) -> Term {
        self.check_rounded(Op::FloatRoundToIntegral, mode, term, term);
        let integral = match self.op(term) {
            Op::FloatRoundToIntegral | Op::FloatFromSigned(_) | Op::FloatFromUnsigned(_) => {
                self.float_sort(term).is_some_and(has_integers)
            }
            _ => false,
        };
        if integral { term } else { self.fold_or_intern(Op::FloatRoundToIntegral, self.sort(term), &[mode, term]) }
    }

    pub fn float_to_float(&self, sort: FloatSort, mode: Term, term: Term) -> Term {
        debug_assert_eq!(self.sort(mode), Sort::RoundingMode, "sort mismatch in float_to_float");
        let own = self.float_sort(term);
        if own == Some(sort) {
            return term;
        }
        if let (Op::FloatToFloat(middle), &[_, inner]) = (self.op(term), self.args(term))
            && let Some(first) = self.float_sort(inner)
            && includes(middle, first)
        {
            // The first step was exact.
            return self.float_to_float(sort, mode, inner);
        }
        self.fold_or_intern(Op::FloatToFloat(sort), Sort::Float(sort), &[mode, term])
    }

    pub fn float_from_signed(&self, sort: FloatSort, mode: Term, bits: Term) -> Term {
        debug_assert!(self.sort(mode) == Sort::RoundingMode && self.width(bits) > 0, "sort mismatch");
        self.fold_or_intern(Op::FloatFromSigned(sort), Sort::Float(sort), &[mode, bits])
    }

    pub fn float_from_unsigned(&self, sort: FloatSort, mode: Term, bits: Term) -> Term {
        debug_assert!(self.sort(mode) == Sort::RoundingMode && self.width(bits) > 0, "sort mismatch");
        self.fold_or_intern(Op::FloatFromUnsigned(sort), Sort::Float(sort), &[mode, bits])
    }

    /// Out of range: zero.
    pub fn float_to_signed(&self, width: u32, mode: Term, term: Term) -> Term {
        if let (Op::FloatFromSigned(sort), &[_, bits]) = (self.op(term), self.args(term))
            && self.width(bits) == width
            && holds_integers(sort, width)
        {
            return bits;
        }
        self.fold_or_intern(Op::FloatToSigned(width), Sort::Bv(width), &[mode, term])
    }

    /// Out of range: zero.
    pub fn float_to_unsigned(&self, width: u32, mode: Term, term: Term) -> Term {
        if let (Op::FloatFromUnsigned(sort), &[_, bits]) = (self.op(term), self.args(term))
            && self.width(bits) == width
            && holds_integers(sort, width)
        {
            return bits;
        }
        self.fold_or_intern(Op::FloatToUnsigned(width), Sort::Bv(width), &[mode, term])
    }
}

/// Whether rounding to an integer never leaves the range of the format.
fn has_integers(sort: FloatSort) -> bool {
    sort.exponent >= 20 || 1u64 << (sort.exponent - 1) > u64::from(sort.significand)
}

/// Whether every integer of this width is a number of the format.
fn holds_integers(sort: FloatSort, width: u32) -> bool {
    sort.significand >= width && (sort.exponent >= 30 || 1u64 << (sort.exponent - 1) > u64::from(width))
}

/// Whether every number of the narrow format is one of the wide format.
fn includes(wide: FloatSort, narrow: FloatSort) -> bool {
    wide.exponent >= narrow.exponent && wide.significand >= narrow.significand
}
