//! Pure operations that C has no operator for. Knows no library function by name.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round as Rounding};
use tandem_syntax::Scalar;
use tandem_syntax::types::FloatKind;

use super::float::{
    Decoded, compare, decode, default_nan, double, encode, is_infinite, is_nan, is_normal, quiet, settle, sign_bit,
    single,
};
use super::{mask, sign_extend};
use crate::model::{BinaryOp, Intrinsic};

const INT: Scalar = Scalar::Int { bits: 32, signed: true };

/// The scalar that an intrinsic on this operand gives.
pub fn intrinsic_result(intrinsic: Intrinsic, operand: Scalar) -> Scalar {
    use Intrinsic::*;
    match intrinsic {
        LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits | IsNan | IsInfinite
        | IsFinite | IsNormal | SignBit => INT,
        ByteSwap | FloatAbs | CopySign | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven | FloatMin
        | FloatMax | FloatMod | FloatRemainder => operand,
    }
}

/// The bits of an intrinsic's result, of the scalar [`intrinsic_result`] names; `b` is ignored by the unary ones.
pub fn intrinsic(intrinsic: Intrinsic, scalar: Scalar, a: u128, b: u128) -> u128 {
    match scalar {
        Scalar::Float(kind) => on_float(intrinsic, kind, a, b),
        Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => on_integer(intrinsic, scalar.bits(), a),
    }
}

fn on_integer(intrinsic: Intrinsic, width: u32, a: u128) -> u128 {
    use Intrinsic::*;
    match intrinsic {
        ByteSwap => a.swap_bytes() >> (128 - width),
        LeadingZeros => u128::from(a.leading_zeros() - (128 - width)),
        TrailingZeros => u128::from(a.trailing_zeros().min(width)),
        PopCount => u128::from(a.count_ones()),
        Parity => u128::from(a.count_ones() & 1),
        FindFirstSet => u128::from(if a == 0 { 0 } else { a.trailing_zeros() + 1 }),
        RedundantSignBits => {
            let value = sign_extend(a, width);
            let folded = if value < 0 { !value } else { value } as u128;
            u128::from(folded.leading_zeros() - (128 - width) - 1)
        }
        IsFinite | IsNormal => 1,
        IsNan | IsInfinite | SignBit => 0,
        FloatAbs | CopySign | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven | FloatMin | FloatMax
        | FloatMod | FloatRemainder => a & mask(width),
    }
}

fn on_float(intrinsic: Intrinsic, kind: FloatKind, a: u128, b: u128) -> u128 {
    use Intrinsic::*;
    let sign = sign_bit(kind);
    match intrinsic {
        IsNan => u128::from(is_nan(kind, a)),
        IsInfinite => u128::from(is_infinite(kind, a)),
        IsFinite => u128::from(decode(kind, a).is_some()),
        IsNormal => u128::from(is_normal(kind, a)),
        SignBit => u128::from(a & sign != 0),
        FloatAbs => a & !sign,
        CopySign => a & !sign | b & sign,
        SquareRoot => settle(kind, a, 0, || square_root(kind, a)),
        Floor | Ceil | Trunc | Round | RoundEven => settle(kind, a, 0, || to_integral(intrinsic, kind, a)),
        FloatMin => smaller_or_larger(kind, a, b, Ordering::Greater),
        FloatMax => smaller_or_larger(kind, a, b, Ordering::Less),
        FloatMod => super::float::binary(BinaryOp::Rem, kind, a, b).bits,
        FloatRemainder => settle(kind, a, b, || remainder(kind, a, b)),
        ByteSwap | LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits => {
            on_integer(intrinsic, kind.bits(), a)
        }
    }
}

/// The first operand unless it compares to the second as `loses`; a NaN always loses.
fn smaller_or_larger(kind: FloatKind, a: u128, b: u128, loses: Ordering) -> u128 {
    match (is_nan(kind, a), is_nan(kind, b)) {
        (true, true) => quiet(kind, a),
        (true, false) => b,
        (false, true) => a,
        (false, false) if compare(kind, a, b) == Some(loses) => b,
        (false, false) => a,
    }
}

fn to_integral(intrinsic: Intrinsic, kind: FloatKind, a: u128) -> u128 {
    let round = match intrinsic {
        Intrinsic::Floor => Rounding::TowardNegative,
        Intrinsic::Ceil => Rounding::TowardPositive,
        Intrinsic::Round => Rounding::NearestTiesToAway,
        Intrinsic::RoundEven => Rounding::NearestTiesToEven,
        _ => Rounding::TowardZero,
    };
    match kind {
        FloatKind::Single => u128::from(match round {
            Rounding::TowardNegative => single(a).floor().to_bits(),
            Rounding::TowardPositive => single(a).ceil().to_bits(),
            Rounding::NearestTiesToAway => single(a).round().to_bits(),
            Rounding::NearestTiesToEven => single(a).round_ties_even().to_bits(),
            Rounding::TowardZero => single(a).trunc().to_bits(),
        }),
        FloatKind::Double => u128::from(match round {
            Rounding::TowardNegative => double(a).floor().to_bits(),
            Rounding::TowardPositive => double(a).ceil().to_bits(),
            Rounding::NearestTiesToAway => double(a).round().to_bits(),
            Rounding::NearestTiesToEven => double(a).round_ties_even().to_bits(),
            Rounding::TowardZero => double(a).trunc().to_bits(),
        }),
        FloatKind::Extended => X87DoubleExtended::from_bits(a).round_to_integral(round).value.to_bits(),
        FloatKind::Quad => Quad::from_bits(a).round_to_integral(round).value.to_bits(),
    }
}

fn remainder(kind: FloatKind, a: u128, b: u128) -> u128 {
    fn ieee<F: Float>(a: u128, b: u128) -> u128 {
        F::from_bits(a).ieee_rem(F::from_bits(b)).value.to_bits()
    }
    match kind {
        FloatKind::Single => ieee::<Single>(a, b),
        FloatKind::Double => ieee::<Double>(a, b),
        FloatKind::Extended => ieee::<X87DoubleExtended>(a, b),
        FloatKind::Quad => ieee::<Quad>(a, b),
    }
}

/// Of a pattern that is not NaN.
fn square_root(kind: FloatKind, a: u128) -> u128 {
    match kind {
        FloatKind::Single => return u128::from(single(a).sqrt().to_bits()),
        FloatKind::Double => return u128::from(double(a).sqrt().to_bits()),
        FloatKind::Extended | FloatKind::Quad => {}
    }
    match decode(kind, a) {
        Some(Decoded { significand: 0, .. }) => a,
        Some(Decoded { negative: false, significand, exponent }) => {
            let (root, exponent, inexact) = exact_root(significand, exponent);
            encode(kind, false, root, exponent, inexact)
        }
        None if a & sign_bit(kind) == 0 => a,
        Some(_) | None => default_nan(kind),
    }
}

/// The square root of `significand * 2^exponent` to 120 bits, as such a pair, and whether something is left over.
/// Digit by digit: two bits of the radicand come down for each bit of the root, so the remainder stays below 2^122.
pub(super) fn exact_root(significand: u128, exponent: i32) -> (u128, i32, bool) {
    const DIGITS: u32 = 120;
    let mut shift = significand.leading_zeros();
    if (exponent - shift as i32) % 2 != 0 {
        shift -= 1;
    }
    let mut radicand = significand << shift;
    let exponent = exponent - shift as i32;
    let (mut root, mut rest) = (0u128, 0u128);
    for _ in 0..DIGITS {
        rest = rest << 2 | radicand >> 126;
        radicand <<= 2;
        let trial = root << 2 | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    // The radicand had 64 pairs of bits; the root has gone DIGITS - 64 places behind its point.
    (root, exponent / 2 - (DIGITS as i32 - 64), rest != 0 || radicand != 0)
}
