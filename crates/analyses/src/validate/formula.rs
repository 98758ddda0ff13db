//! Expressions of witnesses: whether they can be evaluated everywhere, and which value they ask for. Knows no place.

use tandem_cfa::expression::Formula;
use tandem_cfa::semantics::{convert, integer_value};
use tandem_cfa::types::{Length, Type};
use tandem_cfa::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Program, Scalar};

/// Whether the formula has a value in every state: no division, no pointer and no index can go wrong.
pub fn is_total(program: &Program, formula: &Formula) -> bool {
    formula.atoms().into_iter().all(|atom| is_total_expression(program, atom))
}

fn is_total_expression(program: &Program, root: ExprId) -> bool {
    let mut open = vec![root];
    let mut places: Vec<PlaceId> = Vec::new();
    loop {
        while let Some(place) = places.pop() {
            match program.place(place).kind {
                PlaceKind::Variable(_) => {}
                PlaceKind::Deref(_) => return false,
                PlaceKind::Field(of, ..) => places.push(of),
                PlaceKind::Index(of, index) => {
                    if !is_inside(program, of, index) {
                        return false;
                    }
                    places.push(of);
                }
            }
        }
        let Some(id) = open.pop() else { return true };
        match program.expr(id).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
            ExprKind::Read(place) | ExprKind::AddressOf(place) => places.push(place),
            ExprKind::Unary(_, inner) | ExprKind::Convert(inner) => open.push(inner),
            ExprKind::Binary(op, left, right) => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) && !is_safe_divisor(program, right) {
                    return false;
                }
                open.extend([left, right]);
            }
            ExprKind::Intrinsic(_, first, second) => open.extend(std::iter::once(first).chain(second)),
        }
    }
}

fn is_inside(program: &Program, array: PlaceId, index: ExprId) -> bool {
    let length = match program.types.get(program.place(array).ty) {
        Type::Array { length: Length::Fixed(length), .. } => *length,
        _ => return false,
    };
    number(program, index).is_some_and(|index| (0..i128::from(length)).contains(&index))
}

fn is_safe_divisor(program: &Program, divisor: ExprId) -> bool {
    let is_float = matches!(program.types.scalar(program.expr(divisor).ty), Some(Scalar::Float(_)));
    is_float || number(program, divisor).is_some_and(|value| value != 0 && value != -1)
}

/// The value of an integer constant.
fn number(program: &Program, id: ExprId) -> Option<i128> {
    let (scalar, bits) = constant(program, id)?;
    (!matches!(scalar, Scalar::Float(_))).then(|| integer_value(scalar, bits))
}

fn constant(program: &Program, id: ExprId) -> Option<(Scalar, u128)> {
    let expr = program.expr(id);
    let scalar = program.types.scalar(expr.ty)?;
    match expr.kind {
        ExprKind::Bits(bits) => Some((scalar, u128::from(bits))),
        ExprKind::Wide(wide) => Some((scalar, program.wide(wide))),
        ExprKind::Convert(inner) => {
            let (from, bits) = constant(program, inner)?;
            Some((scalar, convert(from, scalar, bits).bits))
        }
        ExprKind::Unary(op, inner) => {
            let (from, bits) = constant(program, inner)?;
            Some((scalar, tandem_cfa::semantics::unary(op, from, bits).bits))
        }
        _ => None,
    }
}

/// The value that an equation gives to a scalar: a good guess, to be checked by a run.
pub fn asked_value(program: &Program, formula: &Formula, of: Scalar) -> Option<u128> {
    let Formula::Atom(atom) = formula else { return None };
    let ExprKind::Binary(BinaryOp::Eq, left, right) = program.expr(*atom).kind else { return None };
    let (from, bits) = constant(program, right).or_else(|| constant(program, left))?;
    Some(convert(from, of, bits).bits)
}
