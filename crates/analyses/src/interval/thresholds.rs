//! Where widening stops: the constants that a program compares with, and their neighbours. Knows no states.

use tandem_cfa::{ExprKind, Program, Scalar, semantics};

/// With more constants than this, only those in comparisons count.
const MANY: usize = 60;

/// Sorted.
pub fn thresholds(program: &Program) -> Vec<i128> {
    let constant = |id| {
        let expr = program.expr(id);
        let (ExprKind::Bits(bits), Some(scalar)) = (expr.kind, program.types.scalar(expr.ty)) else { return None };
        match scalar {
            Scalar::Bool | Scalar::Int { .. } => Some(semantics::integer_value(scalar, u128::from(bits))),
            Scalar::Pointer { .. } | Scalar::Float(_) => None,
        }
    };
    let mut compared = Vec::new();
    for (_, expr) in program.arena.exprs().enumerate() {
        if let ExprKind::Binary(op, left, right) = expr.kind {
            use tandem_cfa::BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
            if matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
                compared.extend([left, right].into_iter().map(|id| peeled(program, id)).filter_map(constant));
            }
        }
    }
    let mut all: Vec<i128> = program.arena.exprs().ids().filter_map(constant).collect();
    all.sort_unstable();
    all.dedup();
    let chosen = if all.len() > MANY { compared } else { all };
    let mut limits: Vec<i128> = chosen.into_iter().flat_map(|value| [value - 1, value, value + 1]).collect();
    limits.extend([-1, 0, 1, i128::from(i32::MAX), i128::from(u32::MAX), i128::from(i64::MAX)]);
    limits.sort_unstable();
    limits.dedup();
    limits
}

/// Without conversions around it.
fn peeled(program: &Program, mut id: tandem_cfa::ExprId) -> tandem_cfa::ExprId {
    while let ExprKind::Convert(operand) = program.expr(id).kind {
        id = operand;
    }
    id
}
