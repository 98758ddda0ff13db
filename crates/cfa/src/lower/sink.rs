//! Where a value goes: values with control flow in them are delivered at the end of each branch, without a detour
//! through a temporary.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::TypeId;
use tree::ExpressionKind;

use super::Lowering;
use super::call::Wanted;
use crate::model::*;

/// What takes a value.
#[derive(Clone, Copy)]
pub(super) enum Sink {
    Place(PlaceId),
    /// A `return` statement with this span.
    Return(Span),
}

impl Lowering<'_> {
    /// Evaluates the expression into the sink, through `conversions`, the last one first.
    pub(super) fn deliver(&mut self, id: tree::ExprId, sink: Sink, conversions: &[TypeId]) {
        let expression = self.unit.expression(id);
        let span = expression.span;
        match expression.kind {
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.deliver_conditional((condition, then, otherwise), sink, conversions, span);
            }
            ExpressionKind::Comma { left, right } => {
                self.effect(left);
                self.deliver(right, sink, conversions);
            }
            ExpressionKind::Convert(operand) if self.is_branching(operand) && self.is_scalar_tree(id, operand) => {
                let mut all = conversions.to_vec();
                all.push(expression.ty);
                self.deliver(operand, sink, &all);
            }
            ExpressionKind::Call { callee, arguments } if self.accepts(sink, expression.ty, conversions) => {
                let Sink::Place(place) = sink else { return };
                if let Some(value) = self.call(id, callee, &arguments, Wanted::Into(place)) {
                    self.sink(value, sink, conversions, span);
                }
            }
            ExpressionKind::VaArg { list } if self.accepts(sink, expression.ty, conversions) => {
                let Sink::Place(place) = sink else { return };
                self.va_arg(list, place, span);
            }
            _ if self.is_logical(id) => self.deliver_logical(id, expression.ty, sink, conversions, span),
            _ => {
                let value = self.value(id);
                self.sink(value, sink, conversions, span);
            }
        }
    }

    /// Whether the value of a call can be stored where it is to go.
    fn accepts(&self, sink: Sink, ty: TypeId, conversions: &[TypeId]) -> bool {
        match sink {
            Sink::Place(place) => {
                let to = self.program.arena.place(place);
                conversions.is_empty() && to.ty == ty && !self.is_bit_field(to.kind)
            }
            Sink::Return(_) => false,
        }
    }

    pub(super) fn is_bit_field(&self, kind: PlaceKind) -> bool {
        match kind {
            PlaceKind::Field(_, record, field) => {
                self.program.types.records[record].fields[field as usize].bits.is_some()
            }
            _ => false,
        }
    }

    fn is_branching(&self, id: tree::ExprId) -> bool {
        match self.unit.expression(id).kind {
            ExpressionKind::Conditional { .. } | ExpressionKind::Comma { .. } => true,
            ExpressionKind::Convert(operand) => self.is_branching(operand),
            _ => self.is_logical(id),
        }
    }

    fn is_scalar_tree(&self, left: tree::ExprId, right: tree::ExprId) -> bool {
        self.scalar(self.unit.type_of(left)).is_some() && self.scalar(self.unit.type_of(right)).is_some()
    }

    /// Hands the value over.
    pub(super) fn sink(&mut self, value: ExprId, sink: Sink, conversions: &[TypeId], span: Span) {
        let value = conversions.iter().rev().fold(value, |value, ty| self.convert(value, *ty));
        match sink {
            Sink::Place(place) => self.assign(place, value, self.here.sink_span.unwrap_or(span)),
            Sink::Return(span) => {
                let result = self.result_type(self.here.function);
                let value = if self.type_of(value) == result { value } else { self.convert(value, result) };
                self.emit_return(Some(value), span);
            }
        }
    }

    fn deliver_conditional(
        &mut self,
        (condition, then, otherwise): (tree::ExprId, Option<tree::ExprId>, tree::ExprId),
        sink: Sink,
        conversions: &[TypeId],
        span: Span,
    ) {
        let (yes, no, join) = (self.node(), self.node(), self.node());
        match then {
            Some(then) => {
                self.decide(DecisionKind::Conditional, condition, span, yes, no);
                self.here.cursor = yes;
                self.deliver(then, sink, conversions);
            }
            None => {
                let value = self.short_conditional(condition, otherwise, span, yes, no);
                self.here.cursor = yes;
                self.sink(value, sink, conversions, span);
            }
        }
        self.jump(join, span);
        self.here.cursor = no;
        self.deliver(otherwise, sink, conversions);
        self.arrive(join, span);
    }

    /// GNU's `a ?: b`: the condition is evaluated once; returns its value, in the type of the whole.
    fn short_conditional(
        &mut self,
        condition: tree::ExprId,
        otherwise: tree::ExprId,
        span: Span,
        yes: super::graph::Raw,
        no: super::graph::Raw,
    ) -> ExprId {
        let of = self.unit.expression(condition).span;
        let decision = self.decision(DecisionKind::Conditional, of, span, 2);
        let atom = self.condition(of, decision);
        let value = self.value(condition);
        let source = self.here.cursor;
        for (target, truth) in [(yes, true), (no, false)] {
            let edge = self.here.graph.edge(source, target, Op::Assume { condition: value, truth }, of);
            edge.condition = Some(atom);
            edge.outcome = Some((decision, u32::from(truth)));
        }
        self.here.cursor = yes;
        let ty = self.unit.type_of(otherwise);
        if self.type_of(value) == ty || self.is_void(ty) { value } else { self.convert(value, ty) }
    }

    fn deliver_logical(&mut self, id: tree::ExprId, ty: TypeId, sink: Sink, conversions: &[TypeId], span: Span) {
        let (yes, no, join) = (self.node(), self.node(), self.node());
        self.decide(DecisionKind::Logical, id, span, yes, no);
        for (node, truth) in [(yes, 1), (no, 0)] {
            self.here.cursor = node;
            let value = self.constant(truth, ty);
            self.sink(value, sink, conversions, span);
            self.jump(join, span);
        }
        self.here.cursor = join;
    }

    /// The value of an expression with control flow in it: through a temporary.
    pub(super) fn delivered(&mut self, id: tree::ExprId, ty: TypeId, span: Span) -> ExprId {
        let place = self.temporary(ty, span);
        let outer = self.here.sink_span.take();
        self.deliver(id, Sink::Place(place), &[]);
        self.here.sink_span = outer;
        self.read(place)
    }

    /// Evaluates into a place; the assignment carries the span of the whole.
    pub(super) fn store(&mut self, id: tree::ExprId, place: PlaceId, span: Span) {
        let outer = self.here.sink_span.replace(span);
        self.deliver(id, Sink::Place(place), &[]);
        self.here.sink_span = outer;
    }
}
