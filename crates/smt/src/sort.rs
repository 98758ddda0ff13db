//! Sorts of terms.

use std::fmt;

/// The sort of a term. Compound sorts are ids into the [`Terms`](crate::Terms) pool that made them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    Bool,
    /// Bit-vectors of this width, at least 1.
    Bv(u32),
    Float(FloatSort),
    RoundingMode,
    /// See [`Terms::array_sort`](crate::Terms::array_sort).
    Array(u32),
    /// A declared sort that is only compared for equality. See [`Terms::declare_sort`](crate::Terms::declare_sort).
    Uninterpreted(u32),
}

/// An IEEE 754 binary format: bits of the exponent, and bits of the significand with the hidden one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FloatSort {
    pub exponent: u32,
    pub significand: u32,
}

impl FloatSort {
    pub const HALF: FloatSort = FloatSort { exponent: 5, significand: 11 };
    pub const SINGLE: FloatSort = FloatSort { exponent: 8, significand: 24 };
    pub const DOUBLE: FloatSort = FloatSort { exponent: 11, significand: 53 };
    /// x87 extended precision, without the explicit integer bit: 79 bits.
    pub const EXTENDED: FloatSort = FloatSort { exponent: 15, significand: 64 };
    pub const QUAD: FloatSort = FloatSort { exponent: 15, significand: 113 };

    /// Bits of the IEEE interchange encoding.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RoundingMode {
    NearestEven,
    NearestAway,
    TowardPositive,
    TowardNegative,
    TowardZero,
}

impl RoundingMode {
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// As SMT-LIB writes it.
    pub fn name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "RNE",
            RoundingMode::NearestAway => "RNA",
            RoundingMode::TowardPositive => "RTP",
            RoundingMode::TowardNegative => "RTN",
            RoundingMode::TowardZero => "RTZ",
        }
    }
}

impl fmt::Display for RoundingMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
