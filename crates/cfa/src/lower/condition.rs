//! Controlling expressions: short-circuit operators become branching, atoms become pairs of assume edges.

use tandem_syntax::Scalar;
use tandem_syntax::ast as tree;
use tree::{BinaryOperator, ExpressionKind, UnaryOperator};

use super::Lowering;
use super::graph::Raw;
use super::mask::ANY;
use crate::model::*;

/// Where a branch leads, and the outcome of the decision if that settles it.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub node: Raw,
    pub outcome: Option<u32>,
}

impl Lowering<'_> {
    /// Evaluates the condition and leads control to one of the two. The cursor is to be set anew behind it.
    pub(super) fn branch(&mut self, id: tree::ExprId, decision: DecisionId, yes: Target, no: Target) {
        let (mut id, mut yes, mut no) = (id, yes, no);
        loop {
            let (atom, negated) = self.strip(id);
            if negated {
                std::mem::swap(&mut yes, &mut no);
            }
            let expression = self.unit.expression(atom);
            match expression.kind {
                ExpressionKind::Binary { operator: BinaryOperator::LogicalAnd, left, right } => {
                    let middle = Target { node: self.node(), outcome: None };
                    self.branch(left, decision, middle, no);
                    self.here.cursor = middle.node;
                    id = right;
                }
                ExpressionKind::Binary { operator: BinaryOperator::LogicalOr, left, right } => {
                    let middle = Target { node: self.node(), outcome: None };
                    self.branch(left, decision, yes, middle);
                    self.here.cursor = middle.node;
                    id = right;
                }
                ExpressionKind::Comma { left, right } => {
                    self.effect(left);
                    id = right;
                }
                _ => return self.atom(atom, decision, yes, no),
            }
        }
    }

    fn atom(&mut self, id: tree::ExprId, decision: DecisionId, yes: Target, no: Target) {
        let span = self.unit.expression(id).span;
        let value = self.value(id);
        let value = self.without_truth_conversion(value);
        let condition = Some(self.condition(span, decision));
        let source = self.here.cursor;
        let settled = |target: Target| target.outcome.map(|outcome| (decision, outcome));
        let constant = if self.reads(value) & ANY == 0 { self.unit.constant(id) } else { None };
        if let Some(constant) = constant {
            let target = if constant != 0 { yes } else { no };
            let edge = self.here.graph.edge(source, target.node, Op::Skip, span);
            (edge.condition, edge.outcome) = (condition, settled(target));
            return;
        }
        if self.scalar(self.type_of(value)).is_none() {
            self.unsupported("condition of a type that is not modelled", span);
            return self.dead_end();
        }
        for (target, truth) in [(yes, true), (no, false)] {
            let edge = self.here.graph.edge(source, target.node, Op::Assume { condition: value, truth }, span);
            (edge.condition, edge.outcome) = (condition, settled(target));
        }
    }

    /// A conversion to `_Bool` that lowering made changes nothing either.
    pub(super) fn without_truth_conversion(&self, value: ExprId) -> ExprId {
        match self.program.arena.expr(value).kind {
            ExprKind::Convert(inner) if self.scalar(self.type_of(value)) == Some(Scalar::Bool) => inner,
            _ => value,
        }
    }

    /// Looks through what does not change the truth of a condition; the flag says whether it was negated.
    fn strip(&mut self, mut id: tree::ExprId) -> (tree::ExprId, bool) {
        let mut negated = false;
        loop {
            let expression = self.unit.expression(id);
            match expression.kind {
                ExpressionKind::Unary { operator: UnaryOperator::Not, operand } => {
                    negated = !negated;
                    id = operand;
                }
                ExpressionKind::Convert(operand) if self.keeps_truth(operand, expression.ty) => id = operand,
                ExpressionKind::Builtin { builtin: tree::Builtin::Expect, arguments }
                    if arguments.get(1).is_some_and(|hint| self.writes(*hint) == 0) =>
                {
                    id = arguments[0];
                }
                ExpressionKind::Binary { operator, left, right }
                    if matches!(operator, BinaryOperator::Eq | BinaryOperator::Ne)
                        && self.is_zero(right)
                        && self.is_truth_value(left) =>
                {
                    negated ^= operator == BinaryOperator::Eq;
                    id = left;
                }
                _ => return (id, negated),
            }
        }
    }

    /// Whether the converted value is zero exactly if the value is.
    fn keeps_truth(&self, operand: tree::ExprId, to: tandem_syntax::types::TypeId) -> bool {
        let from = self.unit.type_of(operand);
        match (self.scalar(from), self.scalar(to)) {
            (Some(_), Some(Scalar::Bool)) => true,
            (Some(Scalar::Int { bits: from, .. }), Some(Scalar::Int { bits: to, .. })) => {
                from <= to || self.is_truth_value(operand)
            }
            (Some(Scalar::Bool), Some(Scalar::Int { .. })) => true,
            _ => false,
        }
    }

    fn is_zero(&self, mut id: tree::ExprId) -> bool {
        loop {
            match self.unit.expression(id).kind {
                ExpressionKind::Integer(value) => return value == 0,
                ExpressionKind::Convert(operand) => id = operand,
                _ => return false,
            }
        }
    }

    /// Whether the value is 0 or 1 by the way it is computed.
    pub(super) fn is_truth_value(&self, mut id: tree::ExprId) -> bool {
        loop {
            match self.unit.expression(id).kind {
                ExpressionKind::Unary { operator: UnaryOperator::Not, .. } => return true,
                ExpressionKind::Binary { operator, .. } => {
                    use BinaryOperator::*;
                    return matches!(operator, Lt | Gt | Le | Ge | Eq | Ne | LogicalAnd | LogicalOr);
                }
                ExpressionKind::Builtin { builtin: tree::Builtin::Expect, arguments } => match arguments.first() {
                    Some(first) => id = *first,
                    None => return false,
                },
                ExpressionKind::Convert(operand) if self.is_integer(self.unit.type_of(operand)) => id = operand,
                _ => return false,
            }
        }
    }

    /// Whether the value is that of `&&` or `||`, perhaps negated.
    pub(super) fn is_logical(&self, mut id: tree::ExprId) -> bool {
        loop {
            match self.unit.expression(id).kind {
                ExpressionKind::Unary { operator: UnaryOperator::Not, operand } => id = operand,
                ExpressionKind::Binary { operator, .. } => {
                    return matches!(operator, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr);
                }
                ExpressionKind::Convert(operand) if self.is_integer(self.unit.type_of(operand)) => id = operand,
                _ => return false,
            }
        }
    }
}
