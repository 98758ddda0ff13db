//! Binary operators.

use tandem_base::Span;
use tandem_syntax::Scalar;
use tandem_syntax::ast as tree;
use tandem_syntax::types::TypeId;
use tree::{BinaryOperator, ExpressionKind};

use super::Lowering;
use crate::model::*;

impl Lowering<'_> {
    pub(super) fn binary_value(
        &mut self,
        operator: BinaryOperator,
        left: tree::ExprId,
        right: tree::ExprId,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let mut first = self.value(left);
        if self.reads(first) != 0 && !(is_commutative(operator) && self.is_plain_variable(left)) {
            let writes = self.writes(right);
            first = self.protect(first, writes, span);
        }
        let second = self.value(right);
        self.operation(operator, first, second, ty, span)
    }

    /// The compiler turns such operands round, so that the variable is read last.
    fn is_plain_variable(&self, mut id: tree::ExprId) -> bool {
        loop {
            match self.unit.expression(id).kind {
                ExpressionKind::Convert(operand) => id = operand,
                ExpressionKind::Load(place) => {
                    return matches!(self.unit.expression(place).kind, ExpressionKind::Declaration(_));
                }
                _ => return false,
            }
        }
    }

    /// An operation on two values, of the result type `ty`.
    pub(super) fn operation(
        &mut self,
        operator: BinaryOperator,
        left: ExprId,
        right: ExprId,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let scalars = (self.scalar(self.type_of(left)), self.scalar(self.type_of(right)));
        let (Some(first), Some(second)) = scalars else {
            return self.unsupported_value("operator on a type that is not modelled", ty, span);
        };
        if let Some(op) = comparison(operator) {
            let result = self.compare(op, left, right);
            return self.convert(result, ty);
        }
        let pointers = (matches!(first, Scalar::Pointer { .. }), matches!(second, Scalar::Pointer { .. }));
        match (operator, pointers) {
            (BinaryOperator::Sub, (true, true)) => self.pointer_difference(left, right, ty),
            (BinaryOperator::Add, (true, false)) => {
                let moved = self.pointer_add(left, right, false);
                self.convert(moved, ty)
            }
            (BinaryOperator::Add, (false, true)) => {
                let moved = self.pointer_add(right, left, false);
                self.convert(moved, ty)
            }
            (BinaryOperator::Sub, (true, false)) => {
                let moved = self.pointer_add(left, right, true);
                self.convert(moved, ty)
            }
            (_, (true, _)) | (_, (_, true)) => self.unsupported_value("operator on pointers", ty, span),
            _ => self.arithmetic(operator, left, right, ty, span),
        }
    }

    fn arithmetic(&mut self, operator: BinaryOperator, left: ExprId, right: ExprId, ty: TypeId, span: Span) -> ExprId {
        let op = match operator {
            BinaryOperator::Mul => BinaryOp::Mul,
            BinaryOperator::Div => BinaryOp::Div,
            BinaryOperator::Rem => BinaryOp::Rem,
            BinaryOperator::Add => BinaryOp::Add,
            BinaryOperator::Sub => BinaryOp::Sub,
            BinaryOperator::And => BinaryOp::And,
            BinaryOperator::Xor => BinaryOp::Xor,
            BinaryOperator::Or => BinaryOp::Or,
            BinaryOperator::Shl | BinaryOperator::Shr => {
                let op = if operator == BinaryOperator::Shl { BinaryOp::Shl } else { BinaryOp::Shr };
                let left = self.convert(left, ty);
                return self.binary(op, left, right, ty);
            }
            BinaryOperator::Lt
            | BinaryOperator::Gt
            | BinaryOperator::Le
            | BinaryOperator::Ge
            | BinaryOperator::Eq
            | BinaryOperator::Ne
            | BinaryOperator::LogicalAnd
            | BinaryOperator::LogicalOr => {
                return self.unsupported_value("operator where no operator stands", ty, span);
            }
        };
        let left = self.convert(left, ty);
        let right = self.convert(right, ty);
        self.binary(op, left, right, ty)
    }
}

fn is_commutative(operator: BinaryOperator) -> bool {
    use BinaryOperator::*;
    matches!(operator, Mul | Add | And | Xor | Or | Lt | Gt | Le | Ge | Eq | Ne)
}

fn comparison(operator: BinaryOperator) -> Option<BinaryOp> {
    match operator {
        BinaryOperator::Lt => Some(BinaryOp::Lt),
        BinaryOperator::Gt => Some(BinaryOp::Gt),
        BinaryOperator::Le => Some(BinaryOp::Le),
        BinaryOperator::Ge => Some(BinaryOp::Ge),
        BinaryOperator::Eq => Some(BinaryOp::Eq),
        BinaryOperator::Ne => Some(BinaryOp::Ne),
        _ => None,
    }
}
