//! Integer and pointer arithmetic on bit patterns. Knows no floats.

use tandem_syntax::Scalar;

use super::{Flags, Outcome, Undefined, integer_value, mask, sign_extend};
use crate::model::BinaryOp;

/// Every operator but pointer arithmetic. For shifts, `b` may come from a wider type: only its value counts.
pub(super) fn binary(op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> Result<Outcome, Undefined> {
    let outcome = match op {
        BinaryOp::Add => add(scalar, a, b),
        BinaryOp::Sub => subtract(scalar, a, b),
        BinaryOp::Mul => multiply(scalar, a, b),
        BinaryOp::Div => return divide(scalar, a, b).map(|(quotient, _)| Outcome::plain(quotient)),
        BinaryOp::Rem => return divide(scalar, a, b).map(|(_, remainder)| Outcome::plain(remainder)),
        BinaryOp::Shl | BinaryOp::Shr => shift(op, scalar, a, b),
        BinaryOp::And => Outcome::plain(a & b),
        BinaryOp::Or => Outcome::plain(a | b),
        BinaryOp::Xor => Outcome::plain(a ^ b),
        BinaryOp::Eq => Outcome::truth(a == b),
        BinaryOp::Ne => Outcome::truth(a != b),
        BinaryOp::Lt => Outcome::truth(less(scalar, a, b)),
        BinaryOp::Le => Outcome::truth(!less(scalar, b, a)),
        BinaryOp::Gt => Outcome::truth(less(scalar, b, a)),
        BinaryOp::Ge => Outcome::truth(!less(scalar, a, b)),
        BinaryOp::PointerAdd => pointer_add(scalar, scalar, a, b, 1),
        BinaryOp::PointerSub => pointer_add(scalar, scalar, a, b, -1),
        BinaryOp::PointerDiff => return pointer_difference(scalar, a, b, 1),
    };
    Ok(outcome)
}

fn add(scalar: Scalar, a: u128, b: u128) -> Outcome {
    let width = scalar.bits();
    let (x, y) = (sign_extend(a, width), sign_extend(b, width));
    wrapped(scalar, x.wrapping_add(y), x.checked_add(y))
}

pub(super) fn subtract(scalar: Scalar, a: u128, b: u128) -> Outcome {
    let width = scalar.bits();
    let (x, y) = (sign_extend(a, width), sign_extend(b, width));
    wrapped(scalar, x.wrapping_sub(y), x.checked_sub(y))
}

fn multiply(scalar: Scalar, a: u128, b: u128) -> Outcome {
    let width = scalar.bits();
    let (x, y) = (sign_extend(a, width), sign_extend(b, width));
    wrapped(scalar, x.wrapping_mul(y), x.checked_mul(y))
}

/// The pattern of a result, flagged if the exact one (when 128 bits held it) does not fit a signed type.
fn wrapped(scalar: Scalar, result: i128, exact: Option<i128>) -> Outcome {
    let width = scalar.bits();
    let bits = result as u128 & mask(width);
    let overflow = scalar.is_signed() && exact != Some(sign_extend(bits, width));
    Outcome { bits, flags: Flags::OVERFLOW.when(overflow) }
}

fn divide(scalar: Scalar, a: u128, b: u128) -> Result<(u128, u128), Undefined> {
    let width = scalar.bits();
    if b & mask(width) == 0 {
        return Err(Undefined::DivisionByZero);
    }
    if !scalar.is_signed() {
        return Ok((a / b, a % b));
    }
    let (x, y) = (sign_extend(a, width), sign_extend(b, width));
    if y == -1 && a == 1 << (width - 1) {
        return Err(Undefined::DivisionOverflow);
    }
    Ok(((x / y) as u128 & mask(width), (x % y) as u128 & mask(width)))
}

fn shift(op: BinaryOp, scalar: Scalar, a: u128, b: u128) -> Outcome {
    let width = scalar.bits();
    let amount = (b & u128::from(width - 1)) as u32;
    let bits = if op == BinaryOp::Shl {
        (a << amount) & mask(width)
    } else if scalar.is_signed() {
        (sign_extend(a, width) >> amount) as u128 & mask(width)
    } else {
        a >> amount
    };
    Outcome { bits, flags: Flags::SHIFT.when(b >= u128::from(width)) }
}

fn less(scalar: Scalar, a: u128, b: u128) -> bool {
    if scalar.is_signed() { sign_extend(a, scalar.bits()) < sign_extend(b, scalar.bits()) } else { a < b }
}

pub(super) fn pointer_add(pointer: Scalar, index: Scalar, a: u128, b: u128, stride: i128) -> Outcome {
    let offset = (integer_value(index, b) as u128).wrapping_mul(stride as u128);
    Outcome::plain(a.wrapping_add(offset) & mask(pointer.bits()))
}

/// Without a stride (GNU's empty records) the difference is a division by zero.
pub(super) fn pointer_difference(pointer: Scalar, a: u128, b: u128, stride: u64) -> Result<Outcome, Undefined> {
    if stride == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let width = pointer.bits();
    let distance = sign_extend(a.wrapping_sub(b) & mask(width), width);
    Ok(Outcome::plain((distance / i128::from(stride)) as u128 & mask(width)))
}
