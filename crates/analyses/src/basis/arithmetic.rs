//! Which operations on integers are defined whatever the values of variables are: a bound on the number of bits that a value needs,
//! from the types and constants of an expression alone.

use tandem_cfa::types::TypeId;
use tandem_cfa::{BinaryOp, ExprId, ExprKind, Program, Scalar, UnaryOp};

/// How deep expressions are looked into.
const DEPTH: u32 = 12;

/// Whether the result of the signed operation may not fit its type.
pub(super) fn may_overflow(program: &Program, expr: ExprId) -> bool {
    let Some(Scalar::Int { bits, signed: true }) = program.types.scalar(program.expr(expr).ty) else { return false };
    needed(program, expr, DEPTH) > bits
}

/// Whether the divisor may be zero, or minus one under the smallest value.
pub(super) fn may_be_zero(program: &Program, divisor: ExprId) -> bool {
    constant(program, divisor).is_none_or(|value| value == 0 || value == -1)
}

/// Whether the amount of a shift is surely less than the width of the type.
pub(super) fn amount_fits(program: &Program, ty: TypeId, amount: ExprId) -> bool {
    let width = i128::from(program.types.scalar(ty).map_or(0, Scalar::bits));
    match program.expr(amount).kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            let is_mask = |operand| constant(program, operand).is_some_and(|mask| (0..width).contains(&mask));
            is_mask(left) || is_mask(right)
        }
        _ => constant(program, amount).is_some_and(|value| (0..width).contains(&value)),
    }
}

/// The value of a constant of integer type.
fn constant(program: &Program, expr: ExprId) -> Option<i128> {
    let expr = program.expr(expr);
    match (expr.kind, program.types.scalar(expr.ty)?) {
        (ExprKind::Bits(value), Scalar::Int { bits, signed: true }) if bits <= 64 => {
            let unused = 64 - bits;
            Some(i128::from((value << unused) as i64 >> unused))
        }
        (ExprKind::Bits(value), Scalar::Int { signed: false, .. } | Scalar::Bool) => Some(i128::from(value)),
        _ => None,
    }
}

/// Bits that hold every value of the expression in two's complement, before the result is cut to its type if it is an operation.
fn needed(program: &Program, id: ExprId, depth: u32) -> u32 {
    if let Some(value) = constant(program, id) {
        let magnitude = if value < 0 { !value } else { value };
        return 129 - magnitude.leading_zeros();
    }
    let expr = program.expr(id);
    let own = match program.types.scalar(expr.ty) {
        Some(Scalar::Bool) => 2,
        Some(Scalar::Int { bits, signed }) => bits + u32::from(!signed),
        Some(Scalar::Pointer { .. } | Scalar::Float(_)) | None => return u32::MAX,
    };
    if depth == 0 {
        // An operation that is not looked into may need more than its type has.
        return own.saturating_add(1);
    }
    // A part that does not fit its own type wraps around and fits then.
    let part = |operand: ExprId| {
        let bits = program.types.scalar(program.expr(operand).ty).map_or(u32::MAX, |scalar| scalar.bits() + 1);
        needed(program, operand, depth - 1).min(bits)
    };
    match expr.kind {
        ExprKind::Convert(operand) => part(operand).min(own),
        ExprKind::Unary(UnaryOp::Not, _) => 2,
        ExprKind::Unary(UnaryOp::Neg, operand) => part(operand).saturating_add(1),
        ExprKind::Binary(op, ..) if op.is_comparison() => 2,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => part(left).max(part(right)).saturating_add(1),
        ExprKind::Binary(BinaryOp::Mul, left, right) => part(left).saturating_add(part(right)),
        ExprKind::Binary(BinaryOp::And, left, right) => {
            // A constant that is not negative leaves no more bits than it has.
            let mask = |operand| match constant(program, operand) {
                Some(value) if value >= 0 => needed(program, operand, depth - 1),
                _ => u32::MAX,
            };
            mask(left).min(mask(right)).min(own)
        }
        ExprKind::Binary(BinaryOp::Rem, _, divisor) if constant(program, divisor).is_some() => part(divisor).min(own),
        _ => own,
    }
}
