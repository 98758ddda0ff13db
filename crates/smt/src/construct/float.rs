//! Constructors of float terms: constants, bits, signs, comparisons, classes. Only identities that hold for NaN, both
//! zeros and the infinities are used.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::{BitVector, Value};

impl Terms {
    pub fn rounding(&self, mode: RoundingMode) -> Term {
        self.intern(Op::Rounding(mode), Sort::RoundingMode, &[])
    }

    /// The rounding mode that a term is a constant of.
    pub(super) fn as_rounding(&self, term: Term) -> Option<RoundingMode> {
        match self.op(term) {
            Op::Rounding(mode) => Some(mode),
            _ => None,
        }
    }

    /// The float with these IEEE bits; every NaN pattern is the one NaN.
    pub fn float_from_bits(&self, sort: FloatSort, bits: Term) -> Term {
        debug_assert_eq!(self.width(bits), sort.width(), "sort mismatch in a float");
        if self.op(bits) == Op::FloatToBits && self.float_sort(self.args(bits)[0]) == Some(sort) {
            return self.args(bits)[0];
        }
        let bits = match self.as_bv(bits) {
            Some(value) => self.bv_value(&softfloat::canonical(sort, &value)),
            None => bits,
        };
        self.intern(Op::FloatFromBits(sort), Sort::Float(sort), &[bits])
    }

    /// The float constant with these IEEE bits.
    pub fn float_value(&self, sort: FloatSort, bits: &BitVector) -> Term {
        self.float_from_bits(sort, self.bv_value(bits))
    }

    /// The format of a float term.
    pub fn float_sort(&self, term: Term) -> Option<FloatSort> {
        match self.sort(term) {
            Sort::Float(sort) => Some(sort),
            _ => None,
        }
    }

    /// The bits of a float constant.
    pub fn as_float(&self, term: Term) -> Option<(FloatSort, BitVector)> {
        match self.as_value(term) {
            Some(Value::Float(sort, bits)) => Some((sort, bits)),
            _ => None,
        }
    }

    /// The IEEE bits; of NaN the canonical pattern.
    pub fn float_to_bits(&self, term: Term) -> Term {
        debug_assert!(self.float_sort(term).is_some(), "sort mismatch in the bits of a float");
        let width = self.float_sort(term).map_or(1, FloatSort::width);
        self.fold_or_intern(Op::FloatToBits, Sort::Bv(width), &[term])
    }

    pub fn float_abs(&self, term: Term) -> Term {
        debug_assert!(self.float_sort(term).is_some(), "sort mismatch in float_abs");
        match self.op(term) {
            Op::FloatAbs => term,
            Op::FloatNeg => self.float_abs(self.args(term)[0]),
            _ => self.fold_or_intern(Op::FloatAbs, self.sort(term), &[term]),
        }
    }

    pub fn float_neg(&self, term: Term) -> Term {
        debug_assert!(self.float_sort(term).is_some(), "sort mismatch in float_neg");
        match self.op(term) {
            Op::FloatNeg => self.args(term)[0],
            _ => self.fold_or_intern(Op::FloatNeg, self.sort(term), &[term]),
        }
    }

    /// Of equal ones the second; NaN loses.
    pub fn float_min(&self, left: Term, right: Term) -> Term {
        self.float_extreme(Op::FloatMin, left, right)
    }

    /// Of equal ones the second; NaN loses.
    pub fn float_max(&self, left: Term, right: Term) -> Term {
        self.float_extreme(Op::FloatMax, left, right)
    }

    fn float_extreme(&self, op: Op, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in {op:?}");
        if left == right || self.is_nan_constant(left) {
            return right;
        }
        if self.is_nan_constant(right) {
            return left;
        }
        self.fold_or_intern(op, self.sort(left), &[left, right])
    }

    pub(super) fn is_nan_constant(&self, term: Term) -> bool {
        self.as_float(term).is_some_and(|(sort, bits)| softfloat::is_nan(sort, &bits))
    }

    fn is_zero_constant(&self, term: Term) -> bool {
        self.as_float(term).is_some_and(|(sort, bits)| softfloat::is_zero(sort, &bits))
    }

    fn is_infinity_constant(&self, term: Term, negative: bool) -> bool {
        self.as_float(term).is_some_and(|(sort, bits)| bits == sort.infinity(negative))
    }

    /// IEEE equality: NaN equals nothing, the zeros are equal.
    pub fn float_eq(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in float_eq");
        if left == right {
            return self.not(self.float_is_nan(left));
        }
        if self.is_nan_constant(left) || self.is_nan_constant(right) {
            return self.bool(false);
        }
        if let Some(folded) = self.fold(Op::FloatEq, Sort::Bool, &[left, right]) {
            return folded;
        }
        if self.is_zero_constant(left) {
            return self.float_is_zero(right);
        }
        if self.is_zero_constant(right) {
            return self.float_is_zero(left);
        }
        if let (Op::FloatNeg, Op::FloatNeg) = (self.op(left), self.op(right)) {
            return self.float_eq(self.args(left)[0], self.args(right)[0]);
        }
        self.intern(Op::FloatEq, Sort::Bool, &[left.min(right), left.max(right)])
    }

    pub fn float_lt(&self, left: Term, right: Term) -> Term {
        if left == right || self.is_infinity_constant(left, false) || self.is_infinity_constant(right, true) {
            return self.bool(false);
        }
        self.float_order(Op::FloatLt, left, right)
    }

    pub fn float_le(&self, left: Term, right: Term) -> Term {
        if left == right {
            return self.not(self.float_is_nan(left));
        }
        self.float_order(Op::FloatLe, left, right)
    }

    fn float_order(&self, op: Op, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in {op:?}");
        if self.is_nan_constant(left) || self.is_nan_constant(right) {
            return self.bool(false);
        }
        if let (Op::FloatNeg, Op::FloatNeg) = (self.op(left), self.op(right)) {
            return self.float_order(op, self.args(right)[0], self.args(left)[0]);
        }
        self.fold_or_intern(op, Sort::Bool, &[left, right])
    }

    pub fn float_gt(&self, left: Term, right: Term) -> Term {
        self.float_lt(right, left)
    }

    pub fn float_ge(&self, left: Term, right: Term) -> Term {
        self.float_le(right, left)
    }

    pub fn float_is_normal(&self, term: Term) -> Term {
        self.float_class(Op::FloatIsNormal, term)
    }

    pub fn float_is_subnormal(&self, term: Term) -> Term {
        self.float_class(Op::FloatIsSubnormal, term)
    }

    pub fn float_is_zero(&self, term: Term) -> Term {
        self.float_class(Op::FloatIsZero, term)
    }

    pub fn float_is_infinite(&self, term: Term) -> Term {
        self.float_class(Op::FloatIsInfinite, term)
    }

    pub fn float_is_nan(&self, term: Term) -> Term {
        self.float_class(Op::FloatIsNan, term)
    }

    /// A class that does not depend on the sign.
    fn float_class(&self, op: Op, term: Term) -> Term {
        debug_assert!(self.float_sort(term).is_some(), "sort mismatch in {op:?}");
        match self.op(term) {
            Op::FloatNeg | Op::FloatAbs => self.float_class(op, self.args(term)[0]),
            Op::FloatFromSigned(_) | Op::FloatFromUnsigned(_) if op == Op::FloatIsNan => self.bool(false),
            _ => self.fold_or_intern(op, Sort::Bool, &[term]),
        }
    }

    pub fn float_is_negative(&self, term: Term) -> Term {
        match self.op(term) {
            Op::FloatNeg => self.float_is_positive(self.args(term)[0]),
            Op::FloatAbs => self.bool(false),
            _ => self.fold_or_intern(Op::FloatIsNegative, Sort::Bool, &[term]),
        }
    }

    pub fn float_is_positive(&self, term: Term) -> Term {
        match self.op(term) {
            Op::FloatNeg => self.float_is_negative(self.args(term)[0]),
            Op::FloatAbs => self.not(self.float_is_nan(self.args(term)[0])),
            _ => self.fold_or_intern(Op::FloatIsPositive, Sort::Bool, &[term]),
        }
    }
}
