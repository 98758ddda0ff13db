//! Choices between the edges that leave a node.

use tandem_syntax::Scalar;

use super::super::code::*;
use super::{Compiler, Label};
use crate::model::{BinaryOp, EdgeId, ExprId, ExprKind, NodeId, Op as Step, UnaryOp};

impl Compiler<'_> {
    /// Emits the tests of a node that any number but one of edges leave. Returns the edge whose code must follow.
    pub(super) fn choose(&mut self, node: NodeId) -> Option<EdgeId> {
        let out = self.program.out(node);
        let condition = |edge: EdgeId| match self.program.edges[edge].op {
            Step::Assume { condition, truth } => Some((condition, truth)),
            _ => None,
        };
        let edges: Vec<(EdgeId, Option<(ExprId, bool)>)> = out.iter().map(|edge| (edge, condition(edge))).collect();
        if let [(first, Some((one, true))), (second, Some((other, false)))]
        | [(second, Some((one, false))), (first, Some((other, true)))] = edges[..]
        {
            if one == other {
                self.note.edge = first;
                let saved = self.next;
                self.branch(one, false, Label::Edge(second));
                self.next = saved;
                return Some(first);
            }
        }
        for (edge, condition) in edges {
            self.note.edge = edge;
            let saved = self.next;
            match condition {
                Some((condition, truth)) => self.branch(condition, truth, Label::Edge(edge)),
                None => self.unsupported("a choice without a condition"),
            }
            self.next = saved;
        }
        self.emit(Op::Stuck);
        None
    }

    /// Jumps to the label if the condition's truth is `sense`.
    pub(super) fn branch(&mut self, condition: ExprId, sense: bool, label: Label) {
        let expr = self.program.expr(condition);
        let Some(scalar) = self.program.types.scalar(expr.ty) else {
            return self.unsupported("a condition that is no scalar");
        };
        if let Some(constant) = self.constant(condition) {
            if crate::semantics::is_true(scalar, constant) == sense {
                self.jump(label);
            }
            return;
        }
        match expr.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => return self.branch(operand, !sense, label),
            ExprKind::Convert(operand) if self.keeps_truth(operand, scalar) => {
                return self.branch(operand, sense, label);
            }
            ExprKind::Binary(op, left, right) => {
                if let Some(compare) = comparison(op) {
                    if self.compare_branch(compare, left, right, sense, label) {
                        return;
                    }
                }
            }
            _ => {}
        }
        let value = self.value(condition, None);
        if matches!(scalar, Scalar::Float(_)) || scalar.bits() > 64 {
            let to = self.take(1);
            self.pure(Pure::Unary { op: UnaryOp::Not, scalar, to, a: value });
            let op = if sense { Op::JumpIfNot { a: to, target: 0 } } else { Op::JumpIf { a: to, target: 0 } };
            return self.emit_jump(op, label);
        }
        let op = if sense { Op::JumpIf { a: value, target: 0 } } else { Op::JumpIfNot { a: value, target: 0 } };
        self.emit_jump(op, label);
    }

    /// Whether a conversion to an integer this wide neither loses nor makes zeros.
    fn keeps_truth(&self, operand: ExprId, to: Scalar) -> bool {
        let from = self.program.types.scalar(self.program.expr(operand).ty);
        matches!(to, Scalar::Int { .. } | Scalar::Bool)
            && from.is_some_and(|from| {
                matches!(from, Scalar::Int { .. } | Scalar::Bool) && (from.bits() <= to.bits() || to == Scalar::Bool)
            })
    }

    /// A comparison of integers or pointers and a jump in one.
    fn compare_branch(&mut self, op: Compare, left: ExprId, right: ExprId, sense: bool, label: Label) -> bool {
        let Some(scalar) = self.program.types.scalar(self.program.expr(left).ty) else { return false };
        let Some(width) = Width::of(scalar) else { return false };
        if width == Width::Other && !matches!(op, Compare::Eq | Compare::Ne) {
            return false;
        }
        let op = if sense { op } else { op.inverted() };
        let (op, left, right) =
            if self.constant(left).is_some() { (op.mirrored(), right, left) } else { (op, left, right) };
        let a = self.value(left, None);
        if let Some(constant) = self.constant(right) {
            let jump = with_constant(op, width, a, constant as u64);
            self.emit_jump(jump, label);
            return true;
        }
        let b = self.value(right, None);
        if matches!(scalar, Scalar::Pointer { .. }) && !matches!(op, Compare::Eq | Compare::Ne) {
            self.emit(Op::Together { a, b });
        }
        self.emit_jump(with_registers(op, width, a, b), label);
        true
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

pub(super) fn comparison(op: BinaryOp) -> Option<Compare> {
    Some(match op {
        BinaryOp::Eq => Compare::Eq,
        BinaryOp::Ne => Compare::Ne,
        BinaryOp::Lt => Compare::Lt,
        BinaryOp::Le => Compare::Le,
        BinaryOp::Gt => Compare::Gt,
        BinaryOp::Ge => Compare::Ge,
        _ => return None,
    })
}

impl Compare {
    fn inverted(self) -> Compare {
        match self {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::Lt => Compare::Ge,
            Compare::Ge => Compare::Lt,
            Compare::Gt => Compare::Le,
            Compare::Le => Compare::Gt,
        }
    }

    fn mirrored(self) -> Compare {
        match self {
            Compare::Eq | Compare::Ne => self,
            Compare::Lt => Compare::Gt,
            Compare::Gt => Compare::Lt,
            Compare::Le => Compare::Ge,
            Compare::Ge => Compare::Le,
        }
    }
}

/// How a scalar of up to 64 bits orders in a register.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Width {
    Signed32,
    Signed64,
    Unsigned,
    /// Signed and narrower than a register operation.
    Other,
}

impl Width {
    pub(super) fn of(scalar: Scalar) -> Option<Width> {
        match scalar {
            Scalar::Float(_) => None,
            Scalar::Int { bits: 32, signed: true } => Some(Width::Signed32),
            Scalar::Int { bits: 64, signed: true } => Some(Width::Signed64),
            Scalar::Int { bits, signed: false } | Scalar::Pointer { bits } if bits <= 64 => Some(Width::Unsigned),
            Scalar::Bool => Some(Width::Unsigned),
            Scalar::Int { bits: 8 | 16, signed: true } => Some(Width::Other),
            Scalar::Int { .. } | Scalar::Pointer { .. } => None,
        }
    }
}

fn with_registers(op: Compare, width: Width, a: Reg, b: Reg) -> Op {
    let target = 0;
    let (op, a, b) = match op {
        Compare::Gt => (Compare::Lt, b, a),
        Compare::Ge => (Compare::Le, b, a),
        Compare::Eq | Compare::Ne | Compare::Lt | Compare::Le => (op, a, b),
    };
    match (op, width) {
        (Compare::Eq, _) => Op::JumpEq { a, b, target },
        (Compare::Ne, _) => Op::JumpNe { a, b, target },
        (Compare::Lt, Width::Signed32) => Op::JumpLtS32 { a, b, target },
        (Compare::Lt, Width::Signed64) => Op::JumpLtS64 { a, b, target },
        (Compare::Lt, Width::Unsigned | Width::Other) => Op::JumpLtU { a, b, target },
        (Compare::Le | Compare::Gt | Compare::Ge, Width::Signed32) => Op::JumpLeS32 { a, b, target },
        (Compare::Le | Compare::Gt | Compare::Ge, Width::Signed64) => Op::JumpLeS64 { a, b, target },
        (Compare::Le | Compare::Gt | Compare::Ge, Width::Unsigned | Width::Other) => Op::JumpLeU { a, b, target },
    }
}

fn with_constant(op: Compare, width: Width, a: Reg, value: u64) -> Op {
    let target = 0;
    match (op, width) {
        (Compare::Eq, _) => Op::JumpEqI { a, value, target },
        (Compare::Ne, _) => Op::JumpNeI { a, value, target },
        (Compare::Lt, Width::Signed32) => Op::JumpLtS32I { a, value, target },
        (Compare::Lt, Width::Signed64) => Op::JumpLtS64I { a, value, target },
        (Compare::Lt, Width::Unsigned | Width::Other) => Op::JumpLtUI { a, value, target },
        (Compare::Le, Width::Signed32) => Op::JumpLeS32I { a, value, target },
        (Compare::Le, Width::Signed64) => Op::JumpLeS64I { a, value, target },
        (Compare::Le, Width::Unsigned | Width::Other) => Op::JumpLeUI { a, value, target },
        (Compare::Gt, Width::Signed32) => Op::JumpGtS32I { a, value, target },
        (Compare::Gt, Width::Signed64) => Op::JumpGtS64I { a, value, target },
        (Compare::Gt, Width::Unsigned | Width::Other) => Op::JumpGtUI { a, value, target },
        (Compare::Ge, Width::Signed32) => Op::JumpGeS32I { a, value, target },
        (Compare::Ge, Width::Signed64) => Op::JumpGeS64I { a, value, target },
        (Compare::Ge, Width::Unsigned | Width::Other) => Op::JumpGeUI { a, value, target },
    }
}
