//! Bit-vector constants.

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
}
