//! Values: what terms evaluate to, and what models are made of.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigUint;

use crate::sort::{FloatSort, RoundingMode, Sort};

/// A bit-vector of any width. Bits above the width are zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BitVector {
    width: u32,
    bits: Bits,
}

/// At most 128 bits inline; `Large` only above that.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Bits {
    Small(u128),
    Large(BigUint),
}

impl BitVector {
    /// The low `width` bits of `bits`.
    pub fn new(width: u32, bits: u128) -> BitVector {
        assert!(width > 0, "a bit-vector has at least one bit");
        if width > 128 {
            return BitVector { width, bits: Bits::Large(BigUint::from(bits)) };
        }
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        BitVector { width, bits: Bits::Small(bits & mask) }
    }

    pub fn from_big(width: u32, bits: &BigUint) -> BitVector {
        let cut = bits & ((BigUint::from(1u8) << width) - 1u8);
        if width <= 128 {
            let mut digits = cut.iter_u64_digits();
            let low = digits.next().unwrap_or(0);
            let high = digits.next().unwrap_or(0);
            return BitVector::new(width, u128::from(high) << 64 | u128::from(low));
        }
        BitVector { width, bits: Bits::Large(cut) }
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits, if there are at most 128.
    pub fn small(&self) -> Option<u128> {
        match self.bits {
            Bits::Small(bits) => Some(bits),
            Bits::Large(_) => None,
        }
    }

    pub fn to_big(&self) -> BigUint {
        match &self.bits {
            Bits::Small(bits) => BigUint::from(*bits),
            Bits::Large(bits) => bits.clone(),
        }
    }

    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Small(bits) => index < 128 && bits >> index & 1 == 1,
            Bits::Large(bits) => bits.bit(u64::from(index)),
        }
    }
}

/// What a term evaluates to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Bits(BitVector),
    /// A float by its IEEE bits; NaN has only its canonical pattern.
    Float(FloatSort, BitVector),
    Rounding(RoundingMode),
    Array(Arc<ArrayValue>),
    /// An element of a declared sort, by a number.
    Element(Sort, u32),
}

/// An array: `entries` where they are given, `default` everywhere else. No entry equals the default.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayValue {
    pub default: Value,
    /// Sorted by index; see `eval`.
    pub entries: Vec<(Value, Value)>,
}

/// An assignment of values to symbols. Symbols that are missing may have any value; evaluation takes zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Constants by symbol number.
    pub constants: HashMap<u32, Value>,
    /// Functions by symbol number.
    pub functions: HashMap<u32, FunctionValue>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    pub default: Value,
    pub entries: HashMap<Vec<Value>, Value>,
}
