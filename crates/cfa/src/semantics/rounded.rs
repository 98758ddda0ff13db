//! Float operations that round once, in a given direction. Knows the formats, and no library function by name.

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};
use tandem_syntax::Scalar;
use tandem_syntax::types::FloatKind;

use super::float::{Decoded, decode, default_nan, encode_in, is_nan, is_zero, quiet, sign_bit};
use super::intrinsic::exact_root;
use super::{convert, sign_extend};

/// An operation whose result depends on the rounding mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum RoundedOperation {
    Add,
    Subtract,
    Multiply,
    Divide,
    SquareRoot,
    /// The product of the first two operands plus the third, rounded once.
    MultiplyAdd,
    /// To an integer in the same format.
    ToIntegral,
    /// To another format, or from an integer.
    Convert,
}

impl RoundedOperation {
    pub const ALL: [RoundedOperation; 8] = [
        RoundedOperation::Add,
        RoundedOperation::Subtract,
        RoundedOperation::Multiply,
        RoundedOperation::Divide,
        RoundedOperation::SquareRoot,
        RoundedOperation::MultiplyAdd,
        RoundedOperation::ToIntegral,
        RoundedOperation::Convert,
    ];

    /// How many operands it has.
    pub fn operands(self) -> usize {
        match self {
            RoundedOperation::SquareRoot | RoundedOperation::ToIntegral | RoundedOperation::Convert => 1,
            RoundedOperation::Add
            | RoundedOperation::Subtract
            | RoundedOperation::Multiply
            | RoundedOperation::Divide => 2,
            RoundedOperation::MultiplyAdd => 3,
        }
    }
}

/// Where a result goes that the format does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum RoundingDirection {
    /// To the nearest value, and to the even one of two that are equally near.
    Nearest,
    Down,
    Up,
    TowardZero,
}

impl RoundingDirection {
    /// All that `fesetround` can set on x86, nearest first.
    pub const ALL: [RoundingDirection; 4] =
        [RoundingDirection::Nearest, RoundingDirection::Down, RoundingDirection::Up, RoundingDirection::TowardZero];

    /// The number that `fesetround` and `fegetround` have for it on x86.
    pub fn mode(self) -> u128 {
        match self {
            RoundingDirection::Nearest => 0,
            RoundingDirection::Down => 0x400,
            RoundingDirection::Up => 0x800,
            RoundingDirection::TowardZero => 0xc00,
        }
    }

    /// The direction with this number.
    pub fn of_mode(mode: u128) -> Option<RoundingDirection> {
        RoundingDirection::ALL.into_iter().find(|direction| direction.mode() == mode)
    }

    /// Whether a result that lies between two values gets the larger magnitude, wherever between them it lies; nothing if
    /// that depends on where it lies.
    pub(super) fn is_away_from_zero(self, negative: bool) -> Option<bool> {
        match self {
            RoundingDirection::Nearest => None,
            RoundingDirection::Down => Some(negative),
            RoundingDirection::Up => Some(!negative),
            RoundingDirection::TowardZero => Some(false),
        }
    }

    fn round(self) -> Round {
        match self {
            RoundingDirection::Nearest => Round::NearestTiesToEven,
            RoundingDirection::Down => Round::TowardNegative,
            RoundingDirection::Up => Round::TowardPositive,
            RoundingDirection::TowardZero => Round::TowardZero,
        }
    }
}

/// The bits of the result, of the scalar `to`. The operands are of the scalar `from`, which is the same float type unless the
/// operation is a conversion. Operands that the operation does not have are ignored.
pub fn rounded(
    operation: RoundedOperation,
    direction: RoundingDirection,
    from: Scalar,
    to: Scalar,
    operands: [u128; 3],
) -> u128 {
    match (operation, from, to) {
        (RoundedOperation::Convert, Scalar::Float(kind), Scalar::Float(target)) => {
            float_to_float(direction, kind, target, operands[0])
        }
        (RoundedOperation::Convert, Scalar::Bool | Scalar::Int { .. }, Scalar::Float(target)) => {
            integer_to_float(direction, from, target, operands[0])
        }
        (RoundedOperation::Convert, _, _) => convert(from, to, operands[0]).bits,
        (_, _, Scalar::Float(kind)) => on_floats(operation, direction, kind, operands),
        (_, _, Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. }) => operands[0],
    }
}

fn float_to_float(direction: RoundingDirection, from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    match decode(from, bits) {
        Some(value) if from != to && value.significand != 0 => {
            encode_in(direction, to, value.negative, value.significand, value.exponent, false)
        }
        Some(_) | None => convert(Scalar::Float(from), Scalar::Float(to), bits).bits,
    }
}

fn integer_to_float(direction: RoundingDirection, from: Scalar, to: FloatKind, bits: u128) -> u128 {
    let value = sign_extend(bits, from.bits());
    match (from.is_signed(), bits) {
        (_, 0) => 0,
        (true, _) => encode_in(direction, to, value < 0, value.unsigned_abs(), 0, false),
        (false, _) => encode_in(direction, to, false, bits, 0, false),
    }
}

/// By the rule for NaNs: the first operand that is one, else the computed value, else the default.
fn on_floats(operation: RoundedOperation, direction: RoundingDirection, kind: FloatKind, operands: [u128; 3]) -> u128 {
    if let Some(nan) = operands[..operation.operands()].iter().find(|bits| is_nan(kind, **bits)) {
        return quiet(kind, *nan);
    }
    let result = match (operation, kind) {
        (RoundedOperation::SquareRoot, _) => square_root(direction, kind, operands[0]),
        (_, FloatKind::Single) => software::<Single>(operation, direction, operands),
        (_, FloatKind::Double) => software::<Double>(operation, direction, operands),
        (_, FloatKind::Extended) => software::<X87DoubleExtended>(operation, direction, operands),
        (_, FloatKind::Quad) => software::<Quad>(operation, direction, operands),
    };
    if is_nan(kind, result) { default_nan(kind) } else { result }
}

fn software<F: Float>(operation: RoundedOperation, direction: RoundingDirection, operands: [u128; 3]) -> u128 {
    let [a, b, c] = operands.map(F::from_bits);
    let round = direction.round();
    let result = match operation {
        RoundedOperation::Add => a.add_r(b, round),
        RoundedOperation::Subtract => a.sub_r(b, round),
        RoundedOperation::Multiply => a.mul_r(b, round),
        RoundedOperation::Divide => a.div_r(b, round),
        RoundedOperation::MultiplyAdd => a.mul_add_r(b, c, round),
        RoundedOperation::ToIntegral => a.round_to_integral(round),
        RoundedOperation::SquareRoot | RoundedOperation::Convert => return operands[0],
    };
    result.value.to_bits()
}

/// Of a pattern that is not NaN.
fn square_root(direction: RoundingDirection, kind: FloatKind, a: u128) -> u128 {
    match decode(kind, a) {
        _ if is_zero(kind, a) => a,
        Some(Decoded { negative: false, significand, exponent }) => {
            let (root, exponent, rest) = exact_root(significand, exponent);
            encode_in(direction, kind, false, root, exponent, rest)
        }
        None if a & sign_bit(kind) == 0 => a,
        Some(_) | None => default_nan(kind),
    }
}
