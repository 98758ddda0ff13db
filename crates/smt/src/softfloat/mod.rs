//! IEEE 754 binary arithmetic for every format and rounding mode: exact integer arithmetic, then one rounding.
//!
//! Floats are their interchange bits; NaN comes out as the canonical quiet positive pattern only. Knows no terms.

mod arithmetic;
mod convert;
mod host;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use num_bigint::BigUint;

use crate::bitvector::BitVector;
use crate::sort::{FloatSort, RoundingMode};

pub use arithmetic::{add, div, fma, max, min, mul, rem, round_to_integral, sqrt, sub};
pub use convert::{from_rational, from_signed, from_unsigned, to_float, to_signed, to_unsigned};

/// The widest exponent that arithmetic can count in.
pub const MAXIMAL_EXPONENT_BITS: u32 = 60;

/// A float taken apart.
#[derive(Clone, Debug)]
enum Number {
    Nan,
    /// Negative?
    Infinite(bool),
    Zero(bool),
    Finite(Finite),
}

/// `significand * 2^exponent`, not zero.
#[derive(Clone, Debug)]
struct Finite {
    negative: bool,
    significand: BigUint,
    exponent: i64,
}

impl FloatSort {
    fn bias(self) -> i64 {
        (1i64 << (self.exponent - 1)) - 1
    }

    /// Bits of the fraction: the significand without the hidden bit.
    pub(crate) fn fraction(self) -> u32 {
        self.significand - 1
    }

    /// Exponent of the lowest bit of the subnormal numbers.
    fn lowest(self) -> i64 {
        1 - self.bias() - i64::from(self.fraction())
    }

    fn assemble(self, negative: bool, exponent: i64, fraction: &BigUint) -> BitVector {
        let sign = BitVector::from_bool(negative);
        let exponent = BitVector::new(self.exponent, exponent as u128);
        sign.concat(&exponent).concat(&BitVector::from_big(self.fraction(), fraction))
    }

    pub fn zero(self, negative: bool) -> BitVector {
        self.assemble(negative, 0, &BigUint::ZERO)
    }

    pub fn infinity(self, negative: bool) -> BitVector {
        self.assemble(negative, (1i64 << self.exponent) - 1, &BigUint::ZERO)
    }

    /// The one NaN: quiet and positive.
    pub fn nan(self) -> BitVector {
        self.assemble(false, (1i64 << self.exponent) - 1, &(BigUint::from(1u8) << (self.fraction() - 1)))
    }

    /// The finite number of the greatest magnitude.
    pub fn largest(self, negative: bool) -> BitVector {
        let fraction = (BigUint::from(1u8) << self.fraction()) - 1u8;
        self.assemble(negative, (1i64 << self.exponent) - 2, &fraction)
    }
}

fn exponent_bits(sort: FloatSort, bits: &BitVector) -> BitVector {
    bits.extract(sort.width() - 2, sort.fraction())
}

fn fraction_bits(sort: FloatSort, bits: &BitVector) -> BitVector {
    bits.extract(sort.fraction() - 1, 0)
}

fn unpack(sort: FloatSort, bits: &BitVector) -> Number {
    let negative = bits.is_negative();
    let exponent = exponent_bits(sort, bits);
    let fraction = fraction_bits(sort, bits);
    if exponent.is_ones() {
        return if fraction.is_zero() { Number::Infinite(negative) } else { Number::Nan };
    }
    if exponent.is_zero() {
        if fraction.is_zero() {
            return Number::Zero(negative);
        }
        return Number::Finite(Finite { negative, significand: fraction.to_big(), exponent: sort.lowest() });
    }
    let biased = exponent.small().unwrap_or(0) as i64;
    let significand = fraction.to_big() | (BigUint::from(1u8) << sort.fraction());
    Number::Finite(Finite { negative, significand, exponent: sort.lowest() + biased - 1 })
}

/// What is cut off below the last place: nothing, less than half, half, more than half a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rest {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

fn away(mode: RoundingMode, negative: bool, odd: bool, rest: Rest) -> bool {
    match mode {
        RoundingMode::NearestEven => rest == Rest::AboveHalf || (rest == Rest::Half && odd),
        RoundingMode::NearestAway => matches!(rest, Rest::Half | Rest::AboveHalf),
        RoundingMode::TowardPositive => rest != Rest::Nothing && !negative,
        RoundingMode::TowardNegative => rest != Rest::Nothing && negative,
        RoundingMode::TowardZero => false,
    }
}

/// The magnitude without its lowest `shift` bits, rounded. `sticky`: there is something more below all bits.
fn shift_rounded(mode: RoundingMode, negative: bool, magnitude: &BigUint, shift: u64, sticky: bool) -> BigUint {
    if shift == 0 {
        let up = away(mode, negative, magnitude.bit(0), if sticky { Rest::BelowHalf } else { Rest::Nothing });
        return magnitude + u8::from(up);
    }
    if shift > magnitude.bits() + 1 {
        return BigUint::from(u8::from(away(mode, negative, false, Rest::BelowHalf)));
    }
    let kept = magnitude >> shift;
    let half = magnitude.bit(shift - 1);
    let below = sticky || magnitude.trailing_zeros().is_some_and(|zeros| zeros < shift - 1);
    let rest = match (half, below) {
        (false, false) => Rest::Nothing,
        (false, true) => Rest::BelowHalf,
        (true, false) => Rest::Half,
        (true, true) => Rest::AboveHalf,
    };
    let up = away(mode, negative, kept.bit(0), rest);
    kept + u8::from(up)
}

fn overflow(sort: FloatSort, mode: RoundingMode, negative: bool) -> BitVector {
    let infinite = match mode {
        RoundingMode::NearestEven | RoundingMode::NearestAway => true,
        RoundingMode::TowardPositive => !negative,
        RoundingMode::TowardNegative => negative,
        RoundingMode::TowardZero => false,
    };
    if infinite { sort.infinity(negative) } else { sort.largest(negative) }
}

/// The one place where a number becomes a float. `sticky`: the number is a little more than `finite`, by less than
/// one unit of its last place; there must then be at least two bits more than the format has.
fn round(sort: FloatSort, mode: RoundingMode, finite: &Finite, sticky: bool) -> BitVector {
    let negative = finite.negative;
    let length = finite.significand.bits() as i64;
    let mut last = (finite.exponent + length - i64::from(sort.significand)).max(sort.lowest());
    let mut significand = if last >= finite.exponent {
        shift_rounded(mode, negative, &finite.significand, (last - finite.exponent) as u64, sticky)
    } else {
        debug_assert!(!sticky);
        &finite.significand << (finite.exponent - last) as u64
    };
    if significand.bits() > u64::from(sort.significand) {
        significand >>= 1u8;
        last += 1;
    }
    if significand.bits() < u64::from(sort.significand) {
        // Zero or subnormal: only at the lowest exponent is there no leading bit.
        return sort.assemble(negative, 0, &significand);
    }
    let biased = last - sort.lowest() + 1;
    if biased >= (1i64 << sort.exponent) - 1 {
        return overflow(sort, mode, negative);
    }
    sort.assemble(negative, biased, &significand)
}

/// A NaN pattern becomes the canonical one.
pub fn canonical(sort: FloatSort, bits: &BitVector) -> BitVector {
    if is_nan(sort, bits) { sort.nan() } else { bits.clone() }
}

pub fn is_nan(sort: FloatSort, bits: &BitVector) -> bool {
    exponent_bits(sort, bits).is_ones() && !fraction_bits(sort, bits).is_zero()
}

pub fn is_infinite(sort: FloatSort, bits: &BitVector) -> bool {
    exponent_bits(sort, bits).is_ones() && fraction_bits(sort, bits).is_zero()
}

pub fn is_zero(sort: FloatSort, bits: &BitVector) -> bool {
    bits.extract(sort.width() - 2, 0).is_zero()
}

pub fn is_subnormal(sort: FloatSort, bits: &BitVector) -> bool {
    exponent_bits(sort, bits).is_zero() && !fraction_bits(sort, bits).is_zero()
}

pub fn is_normal(sort: FloatSort, bits: &BitVector) -> bool {
    let exponent = exponent_bits(sort, bits);
    !exponent.is_zero() && !exponent.is_ones()
}

/// Has the sign bit and is not NaN.
pub fn is_negative(sort: FloatSort, bits: &BitVector) -> bool {
    bits.is_negative() && !is_nan(sort, bits)
}

/// Has no sign bit and is not NaN.
pub fn is_positive(sort: FloatSort, bits: &BitVector) -> bool {
    !bits.is_negative() && !is_nan(sort, bits)
}

pub fn abs(sort: FloatSort, bits: &BitVector) -> BitVector {
    BitVector::zero(1).concat(&canonical(sort, bits).extract(sort.width() - 2, 0))
}

pub fn neg(sort: FloatSort, bits: &BitVector) -> BitVector {
    if is_nan(sort, bits) { sort.nan() } else { bits.xor(&BitVector::sign_bit(sort.width())) }
}

/// `None` if one is NaN; the zeros are equal.
pub fn compare(sort: FloatSort, left: &BitVector, right: &BitVector) -> Option<Ordering> {
    if is_nan(sort, left) || is_nan(sort, right) {
        return None;
    }
    if is_zero(sort, left) && is_zero(sort, right) {
        return Some(Ordering::Equal);
    }
    Some(match (left.is_negative(), right.is_negative()) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => left.unsigned_cmp(right),
        (true, true) => right.unsigned_cmp(left),
    })
}
