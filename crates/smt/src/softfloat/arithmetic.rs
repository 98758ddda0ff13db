//! The arithmetic operations: exact results handed to the one rounding function.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

use super::{Finite, Number, compare, host, is_nan, overflow, round, shift_rounded, unpack};
use crate::bitvector::BitVector;
use crate::sort::{FloatSort, RoundingMode};

pub fn add(sort: FloatSort, mode: RoundingMode, left: &BitVector, right: &BitVector) -> BitVector {
    if let Some(bits) = host::binary(sort, mode, left, right, |a, b| a + b, |a, b| a + b) {
        return bits;
    }
    add_exactly(sort, mode, left, right)
}

pub(super) fn add_exactly(sort: FloatSort, mode: RoundingMode, left: &BitVector, right: &BitVector) -> BitVector {
    add_numbers(sort, mode, unpack(sort, left), unpack(sort, right))
}

pub fn sub(sort: FloatSort, mode: RoundingMode, left: &BitVector, right: &BitVector) -> BitVector {
    if is_nan(sort, right) {
        return sort.nan();
    }
    add(sort, mode, left, &super::neg(sort, right))
}

/// The zero that a sum of opposite numbers is.
fn cancelled(mode: RoundingMode) -> bool {
    mode == RoundingMode::TowardNegative
}

fn add_numbers(sort: FloatSort, mode: RoundingMode, left: Number, right: Number) -> BitVector {
    match (left, right) {
        (Number::Nan, _) | (_, Number::Nan) => sort.nan(),
        (Number::Infinite(a), Number::Infinite(b)) => {
            if a == b {
                sort.infinity(a)
            } else {
                sort.nan()
            }
        }
        (Number::Infinite(negative), _) | (_, Number::Infinite(negative)) => sort.infinity(negative),
        (Number::Zero(a), Number::Zero(b)) => sort.zero(if a == b { a } else { cancelled(mode) }),
        (Number::Zero(_), Number::Finite(finite)) | (Number::Finite(finite), Number::Zero(_)) => {
            round(sort, mode, &finite, false)
        }
        (Number::Finite(a), Number::Finite(b)) => match exact_sum(sort, a, b) {
            Some(sum) => round(sort, mode, &sum, false),
            None => sort.zero(cancelled(mode)),
        },
    }
}

fn signed(finite: &Finite, shift: i64) -> BigInt {
    let magnitude = &finite.significand << shift as u64;
    BigInt::from_biguint(if finite.negative { Sign::Minus } else { Sign::Plus }, magnitude)
}

/// `None` for zero. A summand far below the other only leaves its trace in the lowest bit.
fn exact_sum(sort: FloatSort, a: Finite, b: Finite) -> Option<Finite> {
    let (high, mut low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let room = i64::from(sort.significand) + 4;
    if low.exponent + low.significand.bits() as i64 <= high.exponent - room {
        low.exponent = high.exponent - room - 1;
        low.significand = BigUint::from(1u8);
    }
    let sum = signed(&high, high.exponent - low.exponent) + signed(&low, 0);
    let (sign, significand) = sum.into_parts();
    (sign != Sign::NoSign).then_some(Finite { negative: sign == Sign::Minus, significand, exponent: low.exponent })
}

fn product(left: Number, right: Number) -> Number {
    match (left, right) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(_), Number::Zero(_)) | (Number::Zero(_), Number::Infinite(_)) => Number::Nan,
        (Number::Infinite(a), Number::Infinite(b)) => Number::Infinite(a != b),
        (Number::Infinite(a), Number::Finite(b)) | (Number::Finite(b), Number::Infinite(a)) => {
            Number::Infinite(a != b.negative)
        }
        (Number::Zero(a), Number::Zero(b)) => Number::Zero(a != b),
        (Number::Zero(a), Number::Finite(b)) | (Number::Finite(b), Number::Zero(a)) => Number::Zero(a != b.negative),
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(Finite {
            negative: a.negative != b.negative,
            significand: a.significand * b.significand,
            exponent: a.exponent + b.exponent,
        }),
    }
}

pub fn mul(sort: FloatSort, mode: RoundingMode, left: &BitVector, right: &BitVector) -> BitVector {
    if let Some(bits) = host::binary(sort, mode, left, right, |a, b| a * b, |a, b| a * b) {
        return bits;
    }
    match product(unpack(sort, left), unpack(sort, right)) {
        Number::Nan => sort.nan(),
        Number::Infinite(negative) => sort.infinity(negative),
        Number::Zero(negative) => sort.zero(negative),
        Number::Finite(finite) => round(sort, mode, &finite, false),
    }
}

/// `left * right + addend` with one rounding.
pub fn fma(sort: FloatSort, mode: RoundingMode, left: &BitVector, right: &BitVector, addend: &BitVector) -> BitVector {
    if let Some(bits) = host::fma(sort, mode, left, right, addend) {
        return bits;
    }
    add_numbers(sort, mode, product(unpack(sort, left), unpack(sort, right)), unpack(sort, addend))
}

pub fn div(sort: FloatSort, mode: RoundingMode, left: &BitVector, right: &BitVector) -> BitVector {
    if let Some(bits) = host::binary(sort, mode, left, right, |a, b| a / b, |a, b| a / b) {
        return bits;
    }
    match (unpack(sort, left), unpack(sort, right)) {
        (Number::Nan, _) | (_, Number::Nan) => sort.nan(),
        (Number::Infinite(_), Number::Infinite(_)) | (Number::Zero(_), Number::Zero(_)) => sort.nan(),
        (Number::Infinite(a), Number::Zero(b)) => sort.infinity(a != b),
        (Number::Infinite(a), Number::Finite(b)) => sort.infinity(a != b.negative),
        (Number::Zero(a), Number::Infinite(b)) => sort.zero(a != b),
        (Number::Zero(a), Number::Finite(b)) => sort.zero(a != b.negative),
        (Number::Finite(a), Number::Infinite(b)) => sort.zero(a.negative != b),
        (Number::Finite(a), Number::Zero(b)) => sort.infinity(a.negative != b),
        (Number::Finite(a), Number::Finite(b)) => round_quotient(sort, mode, &a, &b),
    }
}

pub(super) fn round_quotient(sort: FloatSort, mode: RoundingMode, a: &Finite, b: &Finite) -> BitVector {
    let wanted = u64::from(sort.significand) + 3 + b.significand.bits();
    let shift = wanted.saturating_sub(a.significand.bits());
    let dividend = &a.significand << shift;
    let significand = &dividend / &b.significand;
    let sticky = &significand * &b.significand != dividend;
    let exponent = a.exponent - b.exponent - shift as i64;
    round(sort, mode, &Finite { negative: a.negative != b.negative, significand, exponent }, sticky)
}

pub fn sqrt(sort: FloatSort, mode: RoundingMode, operand: &BitVector) -> BitVector {
    if let Some(bits) = host::unary(sort, mode, operand, f32::sqrt, f64::sqrt) {
        return bits;
    }
    sqrt_exactly(sort, mode, operand)
}

pub(super) fn sqrt_exactly(sort: FloatSort, mode: RoundingMode, operand: &BitVector) -> BitVector {
    match unpack(sort, operand) {
        Number::Nan | Number::Infinite(true) => sort.nan(),
        Number::Infinite(false) => sort.infinity(false),
        Number::Zero(negative) => sort.zero(negative),
        Number::Finite(finite) if finite.negative => sort.nan(),
        Number::Finite(finite) => {
            let mut shift = (2 * (u64::from(sort.significand) + 3)).saturating_sub(finite.significand.bits());
            if (finite.exponent - shift as i64) % 2 != 0 {
                shift += 1;
            }
            let square = &finite.significand << shift;
            let root = square.sqrt();
            let sticky = &root * &root != square;
            let exponent = (finite.exponent - shift as i64) / 2;
            round(sort, mode, &Finite { negative: false, significand: root, exponent }, sticky)
        }
    }
}

/// `left - n * right` where `n` is the integer nearest to the quotient, the even one of two.
pub fn rem(sort: FloatSort, left: &BitVector, right: &BitVector) -> BitVector {
    match (unpack(sort, left), unpack(sort, right)) {
        (Number::Nan, _) | (_, Number::Nan) | (Number::Infinite(_), _) | (_, Number::Zero(_)) => sort.nan(),
        (Number::Zero(negative), _) => sort.zero(negative),
        (Number::Finite(_), Number::Infinite(_)) => left.clone(),
        (Number::Finite(a), Number::Finite(b)) => {
            if b.exponent - a.exponent > a.significand.bits() as i64 + 2 {
                return left.clone();
            }
            match remainder(&a, &b) {
                Some(finite) => round(sort, RoundingMode::NearestEven, &finite, false),
                None => sort.zero(a.negative),
            }
        }
    }
}

fn remainder(a: &Finite, b: &Finite) -> Option<Finite> {
    let exponent = a.exponent.min(b.exponent);
    let divisor = &b.significand << (b.exponent - exponent) as u64;
    // Modulo twice the divisor, so that the parity of the quotient is known.
    let double = &divisor << 1u8;
    let power = BigUint::from(2u8).modpow(&BigUint::from((a.exponent - exponent) as u64), &double);
    let mut rest = &a.significand * power % &double;
    let odd = rest >= divisor;
    if odd {
        rest -= &divisor;
    }
    let up = match (&rest << 1u8).cmp(&divisor) {
        Ordering::Greater => true,
        Ordering::Equal => odd,
        Ordering::Less => false,
    };
    let (negative, significand) = if up { (!a.negative, divisor - rest) } else { (a.negative, rest) };
    (significand.bits() > 0).then_some(Finite { negative, significand, exponent })
}

pub fn round_to_integral(sort: FloatSort, mode: RoundingMode, operand: &BitVector) -> BitVector {
    match unpack(sort, operand) {
        Number::Nan => sort.nan(),
        Number::Infinite(_) | Number::Zero(_) => operand.clone(),
        Number::Finite(finite) if finite.exponent >= 0 => operand.clone(),
        Number::Finite(finite) => {
            let shift = finite.exponent.unsigned_abs();
            let significand = shift_rounded(mode, finite.negative, &finite.significand, shift, false);
            if significand.bits() == 0 {
                return sort.zero(finite.negative);
            }
            if significand.bits() as i64 - 1 > sort.bias() {
                // Only formats with more fraction bits than exponents for them.
                return overflow(sort, mode, finite.negative);
            }
            round(sort, mode, &Finite { negative: finite.negative, significand, exponent: 0 }, false)
        }
    }
}

/// NaN loses; of equal ones the second.
pub fn min(sort: FloatSort, left: &BitVector, right: &BitVector) -> BitVector {
    if is_nan(sort, right) || compare(sort, left, right) == Some(Ordering::Less) { left.clone() } else { right.clone() }
}

/// NaN loses; of equal ones the second.
pub fn max(sort: FloatSort, left: &BitVector, right: &BitVector) -> BitVector {
    if is_nan(sort, right) || compare(sort, left, right) == Some(Ordering::Greater) {
        left.clone()
    } else {
        right.clone()
    }
}
