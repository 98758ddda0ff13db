//! Conversions between scalars. Knows no operators.

use tandem_syntax::Scalar;
use tandem_syntax::types::FloatKind;

use super::float::{Decoded, decode, default_nan, double, encode, is_nan, quiet, sign_bit, single};
use super::{Flags, Outcome, is_true, mask, sign_extend};

/// The value of type `from` as a value of type `to`.
///
/// A float that does not fit an integer type sets [`Flags::RANGE`] and gives what gcc's code computes on x86-64 (the
/// same for ILP32, where gcc's own results differ):
///
/// | from | to | result |
/// |---|---|---|
/// | `float`, `double` | signed up to 32 bits, unsigned up to 16 | truncated to 32 bits signed, or the smallest 32-bit value; then cut |
/// | `long double` | `char`s, `short` | truncated to 16 bits signed, or the smallest 16-bit value; then cut |
/// | `long double` | `unsigned short`, `int` | as above with 32 bits |
/// | these three | `unsigned int`, signed 64 bits | truncated to 64 bits signed, or the smallest 64-bit value; then cut |
/// | these three | unsigned 64 bits | from 2^63 on: minus 2^63, the line above, then bit 63 flipped; else the line above |
/// | these three | 128 bits | the magnitude modulo 2^128 (0 from 2^128 on), negated; NaN: bits 127 and 63 |
/// | `__float128` | any | the nearest value of the next type of 32, 64 or 128 bits of that sign, then cut; NaN: by its sign |
pub fn convert(from: Scalar, to: Scalar, bits: u128) -> Outcome {
    match (from, to) {
        (_, Scalar::Bool) => Outcome::truth(is_true(from, bits)),
        (Scalar::Float(kind), Scalar::Float(target)) => Outcome::plain(float_to_float(kind, target, bits)),
        (Scalar::Float(kind), Scalar::Int { .. } | Scalar::Pointer { .. }) => float_to_integer(kind, to, bits),
        (_, Scalar::Float(kind)) => Outcome::plain(integer_to_float(from, kind, bits)),
        (_, Scalar::Int { .. } | Scalar::Pointer { .. }) => {
            let by_sign = from.is_signed() || matches!(from, Scalar::Pointer { .. });
            let extended = if by_sign { sign_extend(bits, from.bits()) as u128 } else { bits };
            Outcome::plain(extended & mask(to.bits()))
        }
    }
}

fn float_to_float(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    if from == to {
        return bits;
    }
    let sign = if bits & sign_bit(from) != 0 { sign_bit(to) } else { 0 };
    if is_nan(from, bits) {
        return quiet(to, sign | moved_payload(from, to, bits));
    }
    match (from, to) {
        (FloatKind::Single, FloatKind::Double) => u128::from(f64::from(single(bits)).to_bits()),
        (FloatKind::Double, FloatKind::Single) => u128::from((double(bits) as f32).to_bits()),
        _ => match decode(from, bits) {
            None => sign | infinity(to),
            Some(Decoded { significand: 0, .. }) => sign,
            Some(value) => encode(to, value.negative, value.significand, value.exponent, false),
        },
    }
}

fn infinity(kind: FloatKind) -> u128 {
    encode(kind, false, 1, 1 << 20, false)
}

/// The exponent and payload of a NaN in another format: its upper bits are kept.
fn moved_payload(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    let places = |kind| match kind {
        FloatKind::Single => 23,
        FloatKind::Double => 52,
        FloatKind::Extended => 63,
        FloatKind::Quad => 112,
    };
    let (old, new) = (places(from), places(to));
    let payload = bits & mask(old);
    let payload = if new >= old { payload << (new - old) } else { payload >> (old - new) };
    default_nan(to) & !sign_bit(to) | payload
}

fn integer_to_float(from: Scalar, to: FloatKind, bits: u128) -> u128 {
    let signed = from.is_signed();
    let value = sign_extend(bits, from.bits());
    match (to, signed) {
        (FloatKind::Single, true) => u128::from((value as f32).to_bits()),
        (FloatKind::Single, false) => u128::from((bits as f32).to_bits()),
        (FloatKind::Double, true) => u128::from((value as f64).to_bits()),
        (FloatKind::Double, false) => u128::from((bits as f64).to_bits()),
        (FloatKind::Extended | FloatKind::Quad, _) if bits == 0 => 0,
        (FloatKind::Extended | FloatKind::Quad, true) => encode(to, value < 0, value.unsigned_abs(), 0, false),
        (FloatKind::Extended | FloatKind::Quad, false) => encode(to, false, bits, 0, false),
    }
}

/// A float without its fraction.
enum Whole {
    NotANumber {
        negative: bool,
    },
    /// Infinite, or 2^128 or more in magnitude.
    Huge {
        negative: bool,
    },
    Number {
        negative: bool,
        magnitude: u128,
    },
}

fn truncate(kind: FloatKind, bits: u128) -> Whole {
    let negative = bits & sign_bit(kind) != 0;
    if is_nan(kind, bits) {
        return Whole::NotANumber { negative };
    }
    let Some(value) = decode(kind, bits) else { return Whole::Huge { negative } };
    let magnitude = match value.exponent {
        ..=-128 => 0,
        -127..=-1 => value.significand >> -value.exponent,
        0.. => match u32::try_from(value.exponent) {
            Ok(up) if up <= value.significand.leading_zeros() && up < 128 => value.significand << up,
            _ if value.significand == 0 => 0,
            _ => return Whole::Huge { negative },
        },
    };
    Whole::Number { negative, magnitude }
}

fn float_to_integer(kind: FloatKind, to: Scalar, bits: u128) -> Outcome {
    let whole = truncate(kind, bits);
    let fits = fits(&whole, to);
    let result = match (kind, to.bits(), to.is_signed()) {
        (FloatKind::Quad, width, signed) => saturated(&whole, width.max(32), signed),
        (_, 128, _) => wrapped(&whole),
        (_, 64, false) => unsigned_quadword(&whole),
        (_, 64, true) | (_, 32, false) => register(&whole, 64),
        (FloatKind::Extended, 8, _) | (FloatKind::Extended, 16, true) => register(&whole, 16),
        _ => register(&whole, 32),
    };
    Outcome { bits: result & mask(to.bits()), flags: Flags::RANGE.when(!fits) }
}

fn fits(whole: &Whole, to: Scalar) -> bool {
    let Whole::Number { negative, magnitude } = *whole else { return false };
    let width = to.bits();
    match (negative, to.is_signed()) {
        (false, true) => magnitude <= mask(width - 1),
        (true, true) => magnitude <= 1 << (width - 1),
        (false, false) => magnitude <= mask(width),
        (true, false) => magnitude == 0,
    }
}

fn negated_if(negative: bool, magnitude: u128) -> u128 {
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

/// The machine's conversion to a signed register: the smallest value stands for everything that does not fit.
fn register(whole: &Whole, width: u32) -> u128 {
    match *whole {
        Whole::Number { negative, magnitude } if fits(whole, Scalar::Int { bits: width, signed: true }) => {
            negated_if(negative, magnitude)
        }
        Whole::Number { .. } | Whole::Huge { .. } | Whole::NotANumber { .. } => 1 << (width - 1),
    }
}

fn unsigned_quadword(whole: &Whole) -> u128 {
    const TOP: u128 = 1 << 63;
    match *whole {
        Whole::Number { negative: false, magnitude } if magnitude >= TOP => {
            register(&Whole::Number { negative: false, magnitude: magnitude - TOP }, 64) ^ TOP
        }
        Whole::Huge { negative: false } => 0,
        Whole::Number { .. } | Whole::Huge { .. } | Whole::NotANumber { .. } => register(whole, 64),
    }
}

fn wrapped(whole: &Whole) -> u128 {
    match *whole {
        Whole::Number { negative, magnitude } => negated_if(negative, magnitude),
        Whole::Huge { .. } => 0,
        Whole::NotANumber { .. } => 1 << 127 | 1 << 63,
    }
}

fn saturated(whole: &Whole, width: u32, signed: bool) -> u128 {
    if fits(whole, Scalar::Int { bits: width, signed }) {
        return wrapped(whole);
    }
    let negative = match *whole {
        Whole::Number { negative, .. } | Whole::Huge { negative } | Whole::NotANumber { negative } => negative,
    };
    match (negative, signed) {
        (true, true) => 1 << (width - 1),
        (true, false) => 0,
        (false, true) => mask(width - 1),
        (false, false) => mask(width),
    }
}
