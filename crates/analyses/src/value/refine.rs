//! What an assumption says about the values of places: `x == 5` makes `x` known. Knows expressions, and leaves storing to the
//! executor.

use tandem_cfa::{BinaryOp, ExprId, ExprKind, Scalar, UnaryOp, semantics};

use super::domain::{Explicit, Value};
use crate::store::{Executor, PathEnd, Result, Store};

type Numbers = Store<Explicit>;

/// Learns from a condition of which it is not known whether it holds, that it does (or does not).
pub fn learn_truth(executor: &mut Executor<'_, Explicit>, store: &mut Numbers, id: ExprId, truth: bool) -> Result<()> {
    let expr = executor.program.expr(id);
    match expr.kind {
        ExprKind::Unary(UnaryOp::Not, operand) => learn_truth(executor, store, operand, !truth),
        ExprKind::Binary(op, left, right) if op.is_comparison() => {
            learn_comparison(executor, store, (op, left, right), truth)
        }
        ExprKind::Convert(operand) if keeps_zero(executor, operand, id) => learn_truth(executor, store, operand, truth),
        _ if !truth => learn_value(executor, store, id, 0),
        _ => Ok(()),
    }
}

/// Whether the result of a conversion is zero exactly if the operand is.
fn keeps_zero(executor: &Executor<'_, Explicit>, from: ExprId, to: ExprId) -> bool {
    let (Ok(from), Ok(to)) = (executor.scalar_of(from), executor.scalar_of(to)) else { return false };
    to == Scalar::Bool || is_integral(from) && is_integral(to) && from.bits() <= to.bits()
}

fn is_integral(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => true,
        Scalar::Float(_) => false,
    }
}

/// The value of an expression, for looking at.
fn look(executor: &mut Executor<'_, Explicit>, store: &mut Numbers, id: ExprId) -> Result<Option<u128>> {
    Ok(executor.value(store, id)?.bits())
}

fn learn_equal(executor: &mut Executor<'_, Explicit>, store: &mut Numbers, left: ExprId, right: ExprId) -> Result<()> {
    match (look(executor, store, left)?, look(executor, store, right)?) {
        (Some(value), None) => learn_value(executor, store, right, value),
        (None, Some(value)) => learn_value(executor, store, left, value),
        (Some(_), Some(_)) | (None, None) => Ok(()),
    }
}

/// Only what has two values loses one of them to leave one.
fn learn_different(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    left: ExprId,
    right: ExprId,
) -> Result<()> {
    let (unknown, known) = match (look(executor, store, left)?, look(executor, store, right)?) {
        (Some(value), None) => (right, value),
        (None, Some(value)) => (left, value),
        (Some(_), Some(_)) | (None, None) => return Ok(()),
    };
    match known {
        0 if is_integral(executor.scalar_of(unknown)?) => learn_truth(executor, store, unknown, true),
        1 if is_truth(executor, unknown) => learn_truth(executor, store, unknown, false),
        _ => Ok(()),
    }
}

/// Whether an expression is zero or one.
fn is_truth(executor: &Executor<'_, Explicit>, id: ExprId) -> bool {
    match executor.program.expr(id).kind {
        ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(op, ..) => op.is_comparison(),
        ExprKind::Convert(operand) => {
            let from_bool = executor.scalar_of(operand).is_ok_and(|scalar| scalar == Scalar::Bool);
            let keeps = executor.scalar_of(id).is_ok_and(is_integral);
            keeps && (from_bool || is_truth(executor, operand))
        }
        _ => false,
    }
}

/// Of `small < large` (strict) or `small <= large`, or of the opposite: an unknown side that has only one value left.
fn learn_order(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    (small, large): (ExprId, ExprId),
    truth: bool,
    strict: bool,
) -> Result<()> {
    // The opposite of `a < b` is `b <= a`.
    let (small, large, strict) = if truth { (small, large, strict) } else { (large, small, !strict) };
    let scalar = executor.scalar_of(small)?;
    if !is_integral(scalar) || scalar.bits() > 64 {
        return Ok(());
    }
    let width = scalar.bits();
    let (lowest, highest) = match scalar.is_signed() {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    let step = i128::from(strict);
    match (look(executor, store, small)?, look(executor, store, large)?) {
        (None, Some(bits)) => {
            let most = semantics::integer_value(scalar, bits) - step;
            learn_bound(executor, store, small, most, lowest, width)
        }
        (Some(bits), None) => {
            let least = semantics::integer_value(scalar, bits) + step;
            learn_bound(executor, store, large, least, highest, width)
        }
        (Some(_), Some(_)) | (None, None) => Ok(()),
    }
}

/// An expression is between the two, of which `end` is the end of its type.
fn learn_bound(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    id: ExprId,
    bound: i128,
    end: i128,
    width: u32,
) -> Result<()> {
    if bound == end {
        return learn_value(executor, store, id, bound as u128 & semantics::mask(width));
    }
    let beyond = if end > 0 { bound > end } else { bound < end };
    if beyond { Err(PathEnd::Infeasible) } else { Ok(()) }
}

/// An expression has this value: so has the place it reads, or the one operand that is not known.
fn learn_value(executor: &mut Executor<'_, Explicit>, store: &mut Numbers, id: ExprId, bits: u128) -> Result<()> {
    let scalar = executor.scalar_of(id)?;
    let expr = executor.program.expr(id);
    match expr.kind {
        _ if !is_integral(scalar) => learn_float(executor, store, id, bits, scalar),
        ExprKind::Read(place) => executor.learn(store, place, Value::Known(bits)),
        ExprKind::Unary(op, operand) => match op {
            UnaryOp::Not if bits > 1 => Err(PathEnd::Infeasible),
            UnaryOp::Not => learn_truth(executor, store, operand, bits == 0),
            UnaryOp::Neg | UnaryOp::Complement => {
                learn_value(executor, store, operand, semantics::unary(op, scalar, bits).bits)
            }
        },
        ExprKind::Convert(operand) => learn_converted(executor, store, operand, scalar, bits),
        ExprKind::Binary(op, left, right) => learn_operand(executor, store, (op, left, right), scalar, bits),
        ExprKind::Bits(_)
        | ExprKind::Wide(_)
        | ExprKind::Zero
        | ExprKind::AddressOf(_)
        | ExprKind::Function(_)
        | ExprKind::Intrinsic(..) => Ok(()),
    }
}

/// Floats that compare equal have equal bits, unless they are zeros.
fn learn_float(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    id: ExprId,
    bits: u128,
    scalar: Scalar,
) -> Result<()> {
    match executor.program.expr(id).kind {
        ExprKind::Read(place) if semantics::is_true(scalar, bits) && scalar.bits() <= 64 => {
            executor.learn(store, place, Value::Known(bits))
        }
        _ => Ok(()),
    }
}

/// The operand of a conversion that gave this value, if only one can have given it.
fn learn_converted(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    operand: ExprId,
    to: Scalar,
    bits: u128,
) -> Result<()> {
    let from = executor.scalar_of(operand)?;
    if to == Scalar::Bool && is_integral(from) {
        return match bits {
            0 => learn_truth(executor, store, operand, false),
            1 => learn_truth(executor, store, operand, true),
            _ => Err(PathEnd::Infeasible),
        };
    }
    if !is_integral(from) || from.bits() > to.bits() {
        return Ok(());
    }
    let before = bits & semantics::mask(from.bits());
    if semantics::convert(from, to, before).bits != bits || from == Scalar::Bool && before > 1 {
        return Err(PathEnd::Infeasible);
    }
    learn_value(executor, store, operand, before)
}

/// The unknown operand of an operation that can be undone.
fn learn_operand(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    (op, left, right): (BinaryOp, ExprId, ExprId),
    scalar: Scalar,
    bits: u128,
) -> Result<()> {
    use BinaryOp::*;
    match op {
        Eq | Ne | Lt | Le | Gt | Ge => {
            return match bits {
                0 => learn_comparison(executor, store, (op, left, right), false),
                1 => learn_comparison(executor, store, (op, left, right), true),
                _ => Err(PathEnd::Infeasible),
            };
        }
        Add | Sub | Xor => {}
        Mul | Div | Rem | Shl | Shr | And | Or | PointerAdd | PointerSub | PointerDiff => return Ok(()),
    }
    let mask = semantics::mask(scalar.bits());
    match (op, look(executor, store, left)?, look(executor, store, right)?) {
        (Add, Some(known), None) => learn_value(executor, store, right, bits.wrapping_sub(known) & mask),
        (Add, None, Some(known)) => learn_value(executor, store, left, bits.wrapping_sub(known) & mask),
        (Sub, Some(known), None) => learn_value(executor, store, right, known.wrapping_sub(bits) & mask),
        (Sub, None, Some(known)) => learn_value(executor, store, left, bits.wrapping_add(known) & mask),
        (Xor, Some(known), None) => learn_value(executor, store, right, bits ^ known),
        (Xor, None, Some(known)) => learn_value(executor, store, left, bits ^ known),
        _ => Ok(()),
    }
}

/// Learns from the outcome of a comparison.
fn learn_comparison(
    executor: &mut Executor<'_, Explicit>,
    store: &mut Numbers,
    (op, left, right): (BinaryOp, ExprId, ExprId),
    truth: bool,
) -> Result<()> {
    match (op, truth) {
        (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => learn_equal(executor, store, left, right),
        (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => learn_different(executor, store, left, right),
        (BinaryOp::Lt, _) => learn_order(executor, store, (left, right), truth, true),
        (BinaryOp::Gt, _) => learn_order(executor, store, (right, left), truth, true),
        (BinaryOp::Le, _) => learn_order(executor, store, (left, right), truth, false),
        (BinaryOp::Ge, _) => learn_order(executor, store, (right, left), truth, false),
        _ => Ok(()),
    }
}
