//! Conditions that can be tested anywhere without harm: they have a value in every state, and reading it changes nothing.

use tandem_cfa::expression::Formula;
use tandem_cfa::types::{Length, Type};
use tandem_cfa::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Program};

pub fn is_total(program: &Program, formula: &Formula) -> bool {
    formula.atoms().iter().all(|atom| is_total_expr(program, *atom))
}

fn is_total_expr(program: &Program, expr: ExprId) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match program.expr(expr).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
            ExprKind::Read(place) | ExprKind::AddressOf(place) => {
                if !is_total_place(program, place) {
                    return false;
                }
            }
            ExprKind::Unary(_, inner) | ExprKind::Convert(inner) => open.push(inner),
            ExprKind::Binary(op, left, right) => {
                if matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::PointerDiff) {
                    return false;
                }
                open.extend([left, right]);
            }
            ExprKind::Intrinsic(_, first, second) => {
                open.push(first);
                open.extend(second);
            }
        }
    }
    true
}

fn is_total_place(program: &Program, mut place: PlaceId) -> bool {
    loop {
        match program.place(place).kind {
            PlaceKind::Variable(_) => return true,
            PlaceKind::Deref(_) => return false,
            PlaceKind::Field(base, ..) => place = base,
            PlaceKind::Index(base, index) => {
                let length = match program.types.get(program.place(base).ty) {
                    Type::Array { length: Length::Fixed(length), .. } => *length,
                    _ => return false,
                };
                match program.expr(index).kind {
                    ExprKind::Bits(bits) if bits < length => place = base,
                    _ => return false,
                }
            }
        }
    }
}
