//! Conversions between formats, from and to integers, and from rational numbers.

use num_bigint::{BigInt, BigUint, Sign};

use super::arithmetic::round_quotient;
use super::{Finite, Number, host, round, shift_rounded, unpack};
use crate::bitvector::BitVector;
use crate::sort::{FloatSort, RoundingMode};

pub fn to_float(from: FloatSort, to: FloatSort, mode: RoundingMode, bits: &BitVector) -> BitVector {
    if let Some(bits) = host::to_float(from, to, mode, bits) {
        return bits;
    }
    match unpack(from, bits) {
        Number::Nan => to.nan(),
        Number::Infinite(negative) => to.infinity(negative),
        Number::Zero(negative) => to.zero(negative),
        Number::Finite(finite) => round(to, mode, &finite, false),
    }
}

fn from_integer(sort: FloatSort, mode: RoundingMode, negative: bool, significand: BigUint) -> BitVector {
    if significand.bits() == 0 {
        return sort.zero(false);
    }
    round(sort, mode, &Finite { negative, significand, exponent: 0 }, false)
}

pub fn from_unsigned(sort: FloatSort, mode: RoundingMode, bits: &BitVector) -> BitVector {
    from_integer(sort, mode, false, bits.to_big())
}

pub fn from_signed(sort: FloatSort, mode: RoundingMode, bits: &BitVector) -> BitVector {
    let (sign, magnitude) = bits.to_signed().into_parts();
    from_integer(sort, mode, sign == Sign::Minus, magnitude)
}

/// `numerator / denominator`, the latter not zero.
pub fn from_rational(sort: FloatSort, mode: RoundingMode, numerator: &BigInt, denominator: &BigUint) -> BitVector {
    if numerator.sign() == Sign::NoSign {
        return sort.zero(false);
    }
    let negative = numerator.sign() == Sign::Minus;
    let a = Finite { negative, significand: numerator.magnitude().clone(), exponent: 0 };
    let b = Finite { negative: false, significand: denominator.clone(), exponent: 0 };
    round_quotient(sort, mode, &a, &b)
}

/// The integer that the float rounds to; `None` for NaN, infinities and what has more than `limit` bits.
fn to_integer(sort: FloatSort, mode: RoundingMode, bits: &BitVector, limit: u32) -> Option<BigInt> {
    match unpack(sort, bits) {
        Number::Nan | Number::Infinite(_) => None,
        Number::Zero(_) => Some(BigInt::ZERO),
        Number::Finite(finite) => {
            if finite.exponent + finite.significand.bits() as i64 > i64::from(limit) + 1 {
                return None;
            }
            let magnitude = if finite.exponent >= 0 {
                finite.significand << finite.exponent as u64
            } else {
                let shift = finite.exponent.unsigned_abs();
                shift_rounded(mode, finite.negative, &finite.significand, shift, false)
            };
            Some(BigInt::from_biguint(if finite.negative { Sign::Minus } else { Sign::Plus }, magnitude))
        }
    }
}

/// `None` out of range.
pub fn to_unsigned(sort: FloatSort, width: u32, mode: RoundingMode, bits: &BitVector) -> Option<BitVector> {
    let number = to_integer(sort, mode, bits, width)?;
    (number.sign() != Sign::Minus && number.bits() <= u64::from(width))
        .then(|| BitVector::from_big(width, number.magnitude()))
}

/// `None` out of range.
pub fn to_signed(sort: FloatSort, width: u32, mode: RoundingMode, bits: &BitVector) -> Option<BitVector> {
    let number = to_integer(sort, mode, bits, width)?;
    let result = BitVector::from_signed(width, &number);
    (result.to_signed() == number).then_some(result)
}
