//! `switch`: a chain of tests on the value, one per case, in the order of the source.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{IntKind, Type, TypeId};
use tree::{Case, StmtId};

use super::Lowering;
use super::function::Jump;
use super::graph::Raw;
use super::mask::ANY;
use crate::model::*;

impl Lowering<'_> {
    pub(super) fn switch(
        &mut self,
        value: tree::ExprId,
        body: StmtId,
        cases: &[Case],
        default: Option<StmtId>,
        span: Span,
    ) {
        let of = self.unit.expression(value).span;
        let selected = self.switch_value(value, of);
        let decision = self.decision(DecisionKind::Switch, of, span, cases.len() as u32 + 1);
        let condition = self.condition(of, decision);
        let behind = self.node();
        let nodes: Vec<Raw> = cases.iter().map(|case| self.case_node(case.body)).collect();
        let otherwise = match default {
            Some(default) => self.case_node(default),
            None => behind,
        };
        let constant = if self.reads(selected) & ANY == 0 { self.unit.constant(value) } else { None };
        match constant {
            Some(constant) => {
                let hit = cases.iter().position(|case| case.low <= constant && constant <= case.high);
                let node = hit.map_or(otherwise, |number| nodes[number]);
                let source = self.here.cursor;
                let edge = self.here.graph.edge(source, node, Op::Skip, of);
                edge.condition = Some(condition);
                edge.outcome = Some((decision, hit.unwrap_or(cases.len()) as u32));
            }
            None => {
                let tests: Vec<ExprId> = cases.iter().map(|case| self.case_test(selected, case)).collect();
                self.chain(&tests, &nodes, otherwise, (decision, condition), of);
            }
        }
        self.dead_end();
        self.here.breaks.push(Jump { node: behind, scopes: self.here.scopes.len() });
        self.statement(body);
        self.here.breaks.pop();
        self.arrive(behind, span);
    }

    /// A plain variable or a constant needs no temporary: nothing is written between the tests.
    fn switch_value(&mut self, value: tree::ExprId, span: Span) -> ExprId {
        let selected = self.value(value);
        let mut inner = selected;
        while let ExprKind::Convert(operand) = self.program.arena.expr(inner).kind {
            inner = operand;
        }
        let plain = match self.program.arena.expr(inner).kind {
            ExprKind::Read(place) => matches!(self.program.arena.place(place).kind, PlaceKind::Variable(_)),
            ExprKind::Bits(_) | ExprKind::Wide(_) => true,
            _ => false,
        };
        if plain || self.reads(selected) & ANY == 0 { selected } else { self.save(selected, span) }
    }

    fn case_node(&mut self, body: StmtId) -> Raw {
        let graph = &mut self.here.graph;
        *self.here.cases.entry(body).or_insert_with(|| graph.node())
    }

    fn case_test(&mut self, selected: ExprId, case: &Case) -> ExprId {
        let ty = self.type_of(selected);
        if case.low == case.high {
            let low = self.constant(case.low, ty);
            return self.compare(BinaryOp::Eq, selected, low);
        }
        // One comparison for a range: what lies below wraps round to something large.
        let unsigned = self.unsigned(ty);
        let selected = self.convert(selected, unsigned);
        let low = self.constant(case.low, unsigned);
        let distance = self.binary(BinaryOp::Sub, selected, low, unsigned);
        let width = self.constant(case.high - case.low, unsigned);
        self.compare(BinaryOp::Le, distance, width)
    }

    /// The unsigned type of the same width.
    pub(super) fn unsigned(&mut self, ty: TypeId) -> TypeId {
        let kind = match *self.program.types.get(ty) {
            Type::Int(IntKind::Char | IntKind::SignedChar) => IntKind::UnsignedChar,
            Type::Int(IntKind::Short) => IntKind::UnsignedShort,
            Type::Int(IntKind::Int) => IntKind::UnsignedInt,
            Type::Int(IntKind::Long) => IntKind::UnsignedLong,
            Type::Int(IntKind::LongLong) => IntKind::UnsignedLongLong,
            Type::Int(IntKind::Int128) => IntKind::UnsignedInt128,
            _ => return ty,
        };
        self.program.types.int(kind)
    }

    fn chain(
        &mut self,
        tests: &[ExprId],
        nodes: &[Raw],
        otherwise: Raw,
        (decision, condition): (DecisionId, ConditionId),
        span: Span,
    ) {
        let mut source = self.here.cursor;
        for (number, (test, node)) in tests.iter().zip(nodes).enumerate() {
            let last = number + 1 == tests.len();
            let no = if last { otherwise } else { self.node() };
            let edge = self.here.graph.edge(source, *node, Op::Assume { condition: *test, truth: true }, span);
            edge.condition = Some(condition);
            edge.outcome = Some((decision, number as u32));
            let edge = self.here.graph.edge(source, no, Op::Assume { condition: *test, truth: false }, span);
            edge.condition = Some(condition);
            edge.outcome = last.then_some((decision, tests.len() as u32));
            source = no;
        }
        if tests.is_empty() {
            let edge = self.here.graph.edge(source, otherwise, Op::Skip, span);
            edge.condition = Some(condition);
            edge.outcome = Some((decision, 0));
        }
    }
}
