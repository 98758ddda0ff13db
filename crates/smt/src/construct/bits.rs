//! Constructors of bit-vector terms.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;
use crate::value::BitVector;

impl Terms {
    /// Width of a bit-vector term; zero of any other.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::Bv(width) => width,
            _ => 0,
        }
    }

    /// The low `width` bits of `bits` as a constant.
    pub fn bv(&self, width: u32, bits: u128) -> Term {
        self.bv_value(&BitVector::new(width, bits))
    }

    pub fn bv_value(&self, value: &BitVector) -> Term {
        let sort = Sort::Bv(value.width());
        match value.small() {
            Some(bits) if value.width() <= 64 => self.intern(Op::Bits(bits as u64), sort, &[]),
            _ => self.intern(Op::WideBits(self.intern_wide(value.clone())), sort, &[]),
        }
    }

    /// The value of a bit-vector constant.
    pub fn as_bv(&self, term: Term) -> Option<BitVector> {
        match self.op(term) {
            Op::Bits(bits) => Some(BitVector::new(self.width(term), u128::from(bits))),
            Op::WideBits(id) => Some(self.wide_bits(id).clone()),
            _ => None,
        }
    }

    pub fn bv_not(&self, term: Term) -> Term {
        self.intern(Op::BvNot, self.sort(term), &[term])
    }

    pub fn bv_neg(&self, term: Term) -> Term {
        self.intern(Op::BvNeg, self.sort(term), &[term])
    }

    fn bv_binary(&self, op: Op, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in {op:?}");
        self.intern(op, self.sort(left), &[left, right])
    }

    fn bv_compare(&self, op: Op, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in {op:?}");
        self.intern(op, Sort::Bool, &[left, right])
    }

    pub fn bv_and(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvAnd, left, right)
    }

    pub fn bv_or(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvOr, left, right)
    }

    pub fn bv_xor(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvXor, left, right)
    }

    pub fn bv_add(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvAdd, left, right)
    }

    pub fn bv_mul(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvMul, left, right)
    }

    pub fn bv_udiv(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvUdiv, left, right)
    }

    pub fn bv_urem(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvUrem, left, right)
    }

    pub fn bv_sdiv(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvSdiv, left, right)
    }

    pub fn bv_srem(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvSrem, left, right)
    }

    pub fn bv_shl(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvShl, left, right)
    }

    pub fn bv_lshr(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvLshr, left, right)
    }

    pub fn bv_ashr(&self, left: Term, right: Term) -> Term {
        self.bv_binary(Op::BvAshr, left, right)
    }

    pub fn bv_sub(&self, left: Term, right: Term) -> Term {
        self.bv_add(left, self.bv_neg(right))
    }

    /// The remainder with the sign of the divisor.
    pub fn bv_smod(&self, left: Term, right: Term) -> Term {
        let width = self.width(left);
        let zero = self.bv(width, 0);
        let remainder = self.bv_srem(left, right);
        let differ = self.xor(self.bv_slt(left, zero), self.bv_slt(right, zero));
        let adjust = self.and2(differ, self.not(self.eq(remainder, zero)));
        self.ite(adjust, self.bv_add(remainder, right), remainder)
    }

    pub fn bv_ult(&self, left: Term, right: Term) -> Term {
        self.bv_compare(Op::BvUlt, left, right)
    }

    pub fn bv_ule(&self, left: Term, right: Term) -> Term {
        self.bv_compare(Op::BvUle, left, right)
    }

    pub fn bv_slt(&self, left: Term, right: Term) -> Term {
        self.bv_compare(Op::BvSlt, left, right)
    }

    pub fn bv_sle(&self, left: Term, right: Term) -> Term {
        self.bv_compare(Op::BvSle, left, right)
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

    pub fn concat(&self, high: Term, low: Term) -> Term {
        self.intern(Op::Concat, Sort::Bv(self.width(high) + self.width(low)), &[high, low])
    }

    /// Bits `high` to `low`, both included.
    pub fn extract(&self, term: Term, high: u32, low: u32) -> Term {
        debug_assert!(low <= high && high < self.width(term), "extract of bits that are not there");
        if low == 0 && high + 1 == self.width(term) {
            return term;
        }
        self.intern(Op::Extract { high, low }, Sort::Bv(high - low + 1), &[term])
    }

    /// By this many more bits.
    pub fn zero_extend(&self, term: Term, by: u32) -> Term {
        if by == 0 {
            return term;
        }
        self.intern(Op::ZeroExtend(by), Sort::Bv(self.width(term) + by), &[term])
    }

    /// By this many more bits.
    pub fn sign_extend(&self, term: Term, by: u32) -> Term {
        if by == 0 {
            return term;
        }
        self.intern(Op::SignExtend(by), Sort::Bv(self.width(term) + by), &[term])
    }
}
