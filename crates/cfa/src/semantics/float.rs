//! Float arithmetic on bit patterns, in exactly the format of the type. `float` and `double` are computed by the
//! machine, the wider formats in software. Knows no integers.

use std::cmp::Ordering;

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Quad, X87DoubleExtended};
use tandem_syntax::types::FloatKind;

use super::{Outcome, RoundingDirection, mask};
use crate::model::BinaryOp;

/// How a format lays out its bits: the fraction (with the leading one, if it is explicit), then the exponent, then the sign.
struct Layout {
    fraction: u32,
    exponent: u32,
    /// Whether the leading one of the significand is written.
    explicit: bool,
}

fn layout(kind: FloatKind) -> Layout {
    let (fraction, exponent, explicit) = match kind {
        FloatKind::Single => (23, 8, false),
        FloatKind::Double => (52, 11, false),
        FloatKind::Extended => (64, 15, true),
        FloatKind::Quad => (112, 15, false),
    };
    Layout { fraction, exponent, explicit }
}

pub(super) fn sign_bit(kind: FloatKind) -> u128 {
    1 << (kind.bits() - 1)
}

/// A finite value: `significand * 2^exponent`, negated if `negative`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decoded {
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
}

/// The value of a finite pattern; `None` for infinities and what is not a number.
pub fn decode(kind: FloatKind, bits: u128) -> Option<Decoded> {
    let layout = layout(kind);
    let fraction = bits & mask(layout.fraction);
    let exponent = ((bits >> layout.fraction) & mask(layout.exponent)) as i32;
    let top = mask(layout.exponent) as i32;
    if exponent == top {
        return None;
    }
    let bias = top / 2;
    let point = if layout.explicit { layout.fraction - 1 } else { layout.fraction } as i32;
    let leading = if layout.explicit || exponent == 0 { 0 } else { 1u128 << layout.fraction };
    Some(Decoded {
        negative: bits & sign_bit(kind) != 0,
        significand: fraction | leading,
        exponent: exponent.max(1) - bias - point,
    })
}

pub fn is_nan(kind: FloatKind, bits: u128) -> bool {
    let layout = layout(kind);
    let top = (bits >> layout.fraction) & mask(layout.exponent) == mask(layout.exponent);
    let payload = if layout.explicit { layout.fraction - 1 } else { layout.fraction };
    top && bits & mask(payload) != 0
}

pub fn is_infinite(kind: FloatKind, bits: u128) -> bool {
    decode(kind, bits).is_none() && !is_nan(kind, bits)
}

pub(super) fn is_zero(kind: FloatKind, bits: u128) -> bool {
    bits & mask(kind.bits() - 1) == 0
}

/// Neither zero nor subnormal nor infinite nor NaN.
pub(super) fn is_normal(kind: FloatKind, bits: u128) -> bool {
    let layout = layout(kind);
    let exponent = (bits >> layout.fraction) & mask(layout.exponent);
    exponent != 0 && exponent != mask(layout.exponent)
}

pub(super) fn negate(kind: FloatKind, bits: u128) -> u128 {
    bits ^ sign_bit(kind)
}

/// What the machine gives for an invalid operation on numbers.
pub(super) fn default_nan(kind: FloatKind) -> u128 {
    let layout = layout(kind);
    let quiet = layout.fraction - if layout.explicit { 2 } else { 1 };
    // Sign, exponent, the leading one if it is written, and the quiet bit.
    mask(kind.bits()) & !mask(quiet)
}

pub(super) fn quiet(kind: FloatKind, bits: u128) -> u128 {
    let layout = layout(kind);
    bits | 1 << (layout.fraction - if layout.explicit { 2 } else { 1 })
}

/// The result by the rule for NaNs: the first operand that is one, else the computed value, else the default.
pub(super) fn settle(kind: FloatKind, a: u128, b: u128, compute: impl FnOnce() -> u128) -> u128 {
    if is_nan(kind, a) {
        return quiet(kind, a);
    }
    if is_nan(kind, b) {
        return quiet(kind, b);
    }
    let result = compute();
    if is_nan(kind, result) { default_nan(kind) } else { result }
}

/// The four operations, C's `fmod`, and comparisons. The integer operators are not defined on floats.
pub(super) fn binary(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> Outcome {
    let order = || compare(kind, a, b);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
            Outcome::plain(settle(kind, a, b, || arithmetic(op, kind, a, b)))
        }
        BinaryOp::Eq => Outcome::truth(order() == Some(Ordering::Equal)),
        BinaryOp::Ne => Outcome::truth(order() != Some(Ordering::Equal)),
        BinaryOp::Lt => Outcome::truth(order() == Some(Ordering::Less)),
        BinaryOp::Le => Outcome::truth(matches!(order(), Some(Ordering::Less | Ordering::Equal))),
        BinaryOp::Gt => Outcome::truth(order() == Some(Ordering::Greater)),
        BinaryOp::Ge => Outcome::truth(matches!(order(), Some(Ordering::Greater | Ordering::Equal))),
        BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::PointerAdd
        | BinaryOp::PointerSub
        | BinaryOp::PointerDiff => Outcome::plain(default_nan(kind)),
    }
}

pub(super) fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

pub(super) fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn arithmetic(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    match kind {
        FloatKind::Single => u128::from(machine(op, single(a), single(b)).to_bits()),
        FloatKind::Double => u128::from(machine(op, double(a), double(b)).to_bits()),
        FloatKind::Extended => software::<X87DoubleExtended>(op, a, b),
        FloatKind::Quad => software::<Quad>(op, a, b),
    }
}

fn machine<F>(op: BinaryOp, a: F, b: F) -> F
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>,
{
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => a % b,
    }
}

fn software<F: Float>(op: BinaryOp, a: u128, b: u128) -> u128 {
    let (a, b) = (F::from_bits(a), F::from_bits(b));
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => a.c_fmod(b),
    };
    result.value.to_bits()
}

pub(super) fn compare(kind: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    match kind {
        FloatKind::Single => single(a).partial_cmp(&single(b)),
        FloatKind::Double => double(a).partial_cmp(&double(b)),
        FloatKind::Extended => X87DoubleExtended::from_bits(a).partial_cmp(&X87DoubleExtended::from_bits(b)),
        FloatKind::Quad => Quad::from_bits(a).partial_cmp(&Quad::from_bits(b)),
    }
}

/// Builds the pattern of the value nearest to `significand * 2^exponent` (ties to even), `sticky` saying that the exact value
/// is a little larger. The significand must not be zero.
pub(super) fn encode(kind: FloatKind, negative: bool, significand: u128, exponent: i32, sticky: bool) -> u128 {
    encode_in(RoundingDirection::Nearest, kind, negative, significand, exponent, sticky)
}

/// The same, rounded in a direction.
pub(super) fn encode_in(
    direction: RoundingDirection,
    kind: FloatKind,
    negative: bool,
    significand: u128,
    exponent: i32,
    sticky: bool,
) -> u128 {
    let away = direction.is_away_from_zero(negative);
    let layout = layout(kind);
    let precision = if layout.explicit { layout.fraction } else { layout.fraction + 1 };
    let bias = (mask(layout.exponent) as i32) / 2;
    let length = 128 - significand.leading_zeros();
    // The exponent of the last place kept: by precision, but never below that of subnormals.
    let smallest = 1 - bias - (precision as i32 - 1);
    let last = (exponent + length as i32 - precision as i32).max(smallest);
    let rounded = round_at(significand, last - exponent, sticky, away);
    let (significand, last) = if rounded >> precision != 0 { (rounded >> 1, last + 1) } else { (rounded, last) };
    let sign = if negative { sign_bit(kind) } else { 0 };
    let is_normal = significand >> (precision - 1) != 0;
    let biased = if is_normal { last - smallest + 1 } else { 0 };
    if biased >= mask(layout.exponent) as i32 {
        if away == Some(false) {
            return sign | (mask(layout.exponent) - 1) << layout.fraction | mask(layout.fraction);
        }
        let leading = if layout.explicit { 1 << (layout.fraction - 1) } else { 0 };
        return sign | mask(layout.exponent) << layout.fraction | leading;
    }
    sign | (biased as u128) << layout.fraction | significand & mask(layout.fraction)
}

/// `value / 2^places` as an integer, `sticky` standing for a little more below: to nearest, ties to even, if `away` is nothing; else the
/// larger of the two neighbours if it holds and the smaller one if not.
fn round_at(value: u128, places: i32, sticky: bool, away: Option<bool>) -> u128 {
    let (kept, exact, half_or_more) = match places {
        ..=0 => (value << -places, !sticky, false),
        1..=128 => {
            let kept = if places == 128 { 0 } else { value >> places };
            let half = 1u128 << (places - 1);
            let below = value & mask(places as u32);
            let up = below > half || below == half && (sticky || kept & 1 == 1);
            (kept, below == 0 && !sticky, up)
        }
        _ => (0, value == 0 && !sticky, false),
    };
    kept + u128::from(away.map_or(half_or_more, |away| away && !exact))
}
