//! Constructors of float terms.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::BitVector;

impl Terms {
    pub fn rounding(&self, mode: RoundingMode) -> Term {
        self.intern(Op::Rounding(mode), Sort::RoundingMode, &[])
    }

    /// The float with these IEEE bits; every NaN pattern is the one NaN.
    pub fn float_from_bits(&self, sort: FloatSort, bits: Term) -> Term {
        debug_assert_eq!(self.width(bits), sort.width());
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

    /// The IEEE bits; of NaN the canonical pattern.
    pub fn float_to_bits(&self, term: Term) -> Term {
        let width = self.float_sort(term).map_or(1, FloatSort::width);
        self.intern(Op::FloatToBits, Sort::Bv(width), &[term])
    }

    pub fn float_abs(&self, term: Term) -> Term {
        self.intern(Op::FloatAbs, self.sort(term), &[term])
    }

    pub fn float_neg(&self, term: Term) -> Term {
        self.intern(Op::FloatNeg, self.sort(term), &[term])
    }

    pub fn float_add(&self, mode: Term, left: Term, right: Term) -> Term {
        self.intern(Op::FloatAdd, self.sort(left), &[mode, left, right])
    }

    pub fn float_sub(&self, mode: Term, left: Term, right: Term) -> Term {
        self.intern(Op::FloatSub, self.sort(left), &[mode, left, right])
    }

    pub fn float_mul(&self, mode: Term, left: Term, right: Term) -> Term {
        self.intern(Op::FloatMul, self.sort(left), &[mode, left, right])
    }

    pub fn float_div(&self, mode: Term, left: Term, right: Term) -> Term {
        self.intern(Op::FloatDiv, self.sort(left), &[mode, left, right])
    }

    pub fn float_fma(&self, mode: Term, left: Term, right: Term, addend: Term) -> Term {
        self.intern(Op::FloatFma, self.sort(left), &[mode, left, right, addend])
    }

    pub fn float_sqrt(&self, mode: Term, term: Term) -> Term {
        self.intern(Op::FloatSqrt, self.sort(term), &[mode, term])
    }

    pub fn float_round_to_integral(&self, mode: Term, term: Term) -> Term {
        self.intern(Op::FloatRoundToIntegral, self.sort(term), &[mode, term])
    }

    pub fn float_rem(&self, left: Term, right: Term) -> Term {
        self.intern(Op::FloatRem, self.sort(left), &[left, right])
    }

    pub fn float_min(&self, left: Term, right: Term) -> Term {
        self.intern(Op::FloatMin, self.sort(left), &[left, right])
    }

    pub fn float_max(&self, left: Term, right: Term) -> Term {
        self.intern(Op::FloatMax, self.sort(left), &[left, right])
    }

    pub fn float_eq(&self, left: Term, right: Term) -> Term {
        self.intern(Op::FloatEq, Sort::Bool, &[left, right])
    }

    pub fn float_lt(&self, left: Term, right: Term) -> Term {
        self.intern(Op::FloatLt, Sort::Bool, &[left, right])
    }

    pub fn float_le(&self, left: Term, right: Term) -> Term {
        self.intern(Op::FloatLe, Sort::Bool, &[left, right])
    }

    pub fn float_gt(&self, left: Term, right: Term) -> Term {
        self.float_lt(right, left)
    }

    pub fn float_ge(&self, left: Term, right: Term) -> Term {
        self.float_le(right, left)
    }

    pub fn float_is_normal(&self, term: Term) -> Term {
        self.intern(Op::FloatIsNormal, Sort::Bool, &[term])
    }

    pub fn float_is_subnormal(&self, term: Term) -> Term {
        self.intern(Op::FloatIsSubnormal, Sort::Bool, &[term])
    }

    pub fn float_is_zero(&self, term: Term) -> Term {
        self.intern(Op::FloatIsZero, Sort::Bool, &[term])
    }

    pub fn float_is_infinite(&self, term: Term) -> Term {
        self.intern(Op::FloatIsInfinite, Sort::Bool, &[term])
    }

    pub fn float_is_nan(&self, term: Term) -> Term {
        self.intern(Op::FloatIsNan, Sort::Bool, &[term])
    }

    pub fn float_is_negative(&self, term: Term) -> Term {
        self.intern(Op::FloatIsNegative, Sort::Bool, &[term])
    }

    pub fn float_is_positive(&self, term: Term) -> Term {
        self.intern(Op::FloatIsPositive, Sort::Bool, &[term])
    }

    pub fn float_to_float(&self, sort: FloatSort, mode: Term, term: Term) -> Term {
        self.intern(Op::FloatToFloat(sort), Sort::Float(sort), &[mode, term])
    }

    pub fn float_from_signed(&self, sort: FloatSort, mode: Term, bits: Term) -> Term {
        self.intern(Op::FloatFromSigned(sort), Sort::Float(sort), &[mode, bits])
    }

    pub fn float_from_unsigned(&self, sort: FloatSort, mode: Term, bits: Term) -> Term {
        self.intern(Op::FloatFromUnsigned(sort), Sort::Float(sort), &[mode, bits])
    }

    /// Out of range: zero.
    pub fn float_to_signed(&self, width: u32, mode: Term, term: Term) -> Term {
        self.intern(Op::FloatToSigned(width), Sort::Bv(width), &[mode, term])
    }

    /// Out of range: zero.
    pub fn float_to_unsigned(&self, width: u32, mode: Term, term: Term) -> Term {
        self.intern(Op::FloatToUnsigned(width), Sort::Bv(width), &[mode, term])
    }
}
