//! What every operation of C computes: the one definition, for the interpreter, the analyses, the encodings into
//! formulas and the printers. It knows bit patterns and [`Scalar`]s, and nothing of programs, memory or paths.
//!
//! A value is its bit pattern, zero-extended from the width of its scalar to 128 bits. The rules:
//!
//! - **Signed overflow** of `+ - *`, of unary minus and of `++`/`--` wraps around (two's complement) and sets
//!   [`Flags::OVERFLOW`]. Unsigned arithmetic wraps and sets nothing. Shifting ones into or out of the sign bit sets nothing.
//! - **Division and remainder** truncate towards zero. By zero: [`Undefined::DivisionByZero`]; the smallest signed value by
//!   -1, which the machine traps on too: [`Undefined::DivisionOverflow`]. Both end the path. Floats divide by IEEE rules.
//! - **Shift amounts** are taken modulo the width of the left operand, as the low bits of the right one, whatever its sign;
//!   [`Flags::SHIFT`] says that the amount was negative or not smaller than the width. The right shift of a signed value is
//!   arithmetic.
//! - **Floats** are IEEE in exactly the format of their type (also for ILP32: no excess precision), rounding to nearest, ties
//!   to even; subnormals are kept, no traps. A result that is not a number is the first operand that is one, made
//!   quiet, or else the machine's default: quiet, sign set, no payload. (The x87 unit and soft quads choose between two
//!   such operands differently; nothing may depend on the payload.)
//! - **Integer conversions** cut or extend, by the sign of the source type. Integer to float and float to float round to
//!   nearest, ties to even. To `_Bool`: whether it is unequal to zero (NaN is). Pointers extend by their
//!   upper bit to wider integers, as with gcc.
//! - **Float to integer** truncates towards zero. What does not fit sets [`Flags::RANGE`] and gives what gcc's code gives on
//!   x86-64 (see [`convert`]).
//! - **Comparisons** give 0 or 1; with a NaN only `!=` is true. Pointers compare as unsigned addresses.
//! - **Pointer arithmetic** scales by the stride and wraps at the pointer's width.

mod convert;
mod float;
mod integer;
mod intrinsic;
mod literal;
mod rounded;
#[cfg(test)]
mod tests;

use tandem_syntax::Scalar;

pub use convert::convert;
pub use float::{Decoded, decode, is_infinite, is_nan};
pub use intrinsic::{intrinsic, intrinsic_result};
pub use literal::parse_float;
pub use rounded::{RoundedOperation, RoundingDirection, rounded};

use crate::model::{BinaryOp, UnaryOp};

/// What happened beside the result; a set.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Hash)]
pub struct Flags(u8);

impl Flags {
    pub const NONE: Flags = Flags(0);
    /// A signed result did not fit and wrapped around.
    pub const OVERFLOW: Flags = Flags(1);
    /// A shift amount was negative or not smaller than the width.
    pub const SHIFT: Flags = Flags(2);
    /// A float did not fit the integer type it was converted to.
    pub const RANGE: Flags = Flags(4);

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    fn when(self, condition: bool) -> Flags {
        if condition { self } else { Flags::NONE }
    }
}

/// A result and its flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub bits: u128,
    pub flags: Flags,
}

impl Outcome {
    fn plain(bits: u128) -> Outcome {
        Outcome { bits, flags: Flags::NONE }
    }

    fn truth(value: bool) -> Outcome {
        Outcome::plain(u128::from(value))
    }
}

/// Operations without a result; they end the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Undefined {
    DivisionByZero,
    /// The smallest signed value divided by -1, or its remainder.
    DivisionOverflow,
}

/// The lowest `width` bits set.
#[inline]
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The value of a two's complement pattern of this width.
#[inline]
pub fn sign_extend(bits: u128, width: u32) -> i128 {
    let unused = 128 - width.clamp(1, 128);
    ((bits << unused) as i128) >> unused
}

/// The value of an integer or pointer pattern; of unsigned 128-bit integers only those below 2^127 come out right.
pub fn integer_value(scalar: Scalar, bits: u128) -> i128 {
    if scalar.is_signed() { sign_extend(bits, scalar.bits()) } else { (bits & mask(scalar.bits())) as i128 }
}

/// Whether a scalar compares unequal to zero.
pub fn is_true(scalar: Scalar, bits: u128) -> bool {
    match scalar {
        Scalar::Float(kind) => !float::is_zero(kind, bits),
        Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => bits & mask(scalar.bits()) != 0,
    }
}

/// A unary operator on an operand of this scalar. The result of `Not` is an `int`.
pub fn unary(op: UnaryOp, scalar: Scalar, bits: u128) -> Outcome {
    match (op, scalar) {
        (UnaryOp::Not, _) => Outcome::truth(!is_true(scalar, bits)),
        (UnaryOp::Neg, Scalar::Float(kind)) => Outcome::plain(float::negate(kind, bits)),
        (UnaryOp::Neg, _) => integer::subtract(scalar, 0, bits),
        (UnaryOp::Complement, _) => Outcome::plain(!bits & mask(scalar.bits())),
    }
}

/// A binary operator on operands of the scalars `left` and `right`, which differ only for shifts and for pointer plus or
/// minus integer. `stride` is the pointee's size, used by pointer arithmetic alone.
pub fn binary(op: BinaryOp, left: Scalar, right: Scalar, a: u128, b: u128, stride: u64) -> Result<Outcome, Undefined> {
    match op {
        BinaryOp::PointerAdd => Ok(integer::pointer_add(left, right, a, b, i128::from(stride))),
        BinaryOp::PointerSub => Ok(integer::pointer_add(left, right, a, b, -i128::from(stride))),
        BinaryOp::PointerDiff => integer::pointer_difference(left, a, b, stride),
        _ => match left {
            Scalar::Float(kind) => Ok(float::binary(op, kind, a, b)),
            Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => integer::binary(op, left, a, b),
        },
    }
}
