//! `goto`, computed `goto`, and what happens when a scope is left.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::TypeId;
use tree::LabelId;

use super::Lowering;
use super::graph::Raw;
use crate::model::*;

impl Lowering<'_> {
    pub(super) fn label_node(&mut self, label: LabelId) -> Raw {
        let graph = &mut self.here.graph;
        *self.here.labels.entry(label).or_insert_with(|| graph.node())
    }

    pub(super) fn goto(&mut self, label: LabelId, span: Span) {
        if self.has_cleanups() {
            // Which scopes are left depends on where the label stands.
            self.unsupported("goto in the scope of a cleanup", span);
        }
        let node = self.label_node(label);
        self.jump(node, span);
    }

    /// The address of a label: a number of its own, never zero.
    pub(super) fn label_address(&mut self, label: LabelId, ty: TypeId) -> ExprId {
        self.constant(label_number(label), ty)
    }

    pub(super) fn computed_goto(&mut self, target: tree::ExprId, span: Span) {
        self.here.repeats = true;
        if self.has_cleanups() {
            self.unsupported("goto in the scope of a cleanup", span);
        }
        let value = self.value(target);
        let ty = self.type_of(value);
        let (node, place) = match self.here.dispatch {
            Some(known) => known,
            None => {
                let known = (self.node(), self.temporary(ty, span));
                self.here.dispatch = Some(known);
                known
            }
        };
        self.assign(place, value, span);
        self.jump(node, span);
    }

    /// All computed jumps of a function share one chain that tells the labels apart.
    pub(super) fn dispatch(&mut self) {
        let Some((node, place)) = self.here.dispatch else { return };
        self.here.cursor = node;
        let target = self.read(place);
        let ty = self.type_of(target);
        let all: Vec<LabelId> =
            self.scan.labels.iter().filter(|label| self.here.labels.contains_key(label)).copied().collect();
        let decision = self.decision(DecisionKind::Computed, Span::NONE, Span::NONE, all.len() as u32 + 1);
        for (number, label) in all.iter().enumerate() {
            let address = self.label_address(*label, ty);
            let test = self.compare(BinaryOp::Eq, target, address);
            let (yes, no) = (self.label_node(*label), self.node());
            let outcome = Some((decision, number as u32));
            let source = self.here.cursor;
            self.here.graph.edge(source, yes, Op::Assume { condition: test, truth: true }, Span::NONE).outcome =
                outcome;
            let edge = self.here.graph.edge(source, no, Op::Assume { condition: test, truth: false }, Span::NONE);
            if number + 1 == all.len() {
                edge.outcome = Some((decision, all.len() as u32));
            }
            self.here.cursor = no;
        }
        self.builtin_step(Builtin::Unreachable, Box::default(), None, Span::NONE);
    }

    pub(super) fn builtin_step(
        &mut self,
        builtin: Builtin,
        arguments: Box<[ExprId]>,
        result: Option<PlaceId>,
        span: Span,
    ) {
        self.emit(Op::Call { callee: Callee::Builtin(builtin), arguments, result }, span);
    }

    pub(super) fn has_cleanups(&self) -> bool {
        self.here.scopes.iter().any(|scope| !scope.cleanups.is_empty())
    }

    /// Calls what is due when all scopes from `depth` on are left; the scopes stay open for other ways out.
    pub(super) fn run_cleanups(&mut self, depth: usize, span: Span) {
        let due: Vec<(FunctionId, PlaceId)> =
            self.here.scopes[depth..].iter().rev().flat_map(|scope| scope.cleanups.iter().rev().copied()).collect();
        for (function, place) in due {
            let ty = self.program.arena.place(place).ty;
            let pointer = self.program.types.pointer(ty);
            let mut argument = self.address_of(place, pointer);
            if let Some(parameter) = self.parameter_type(function, 0) {
                argument = self.convert(argument, parameter);
            }
            let callee = Callee::Direct(function);
            self.emit(Op::Call { callee, arguments: Box::new([argument]), result: None }, span);
        }
    }
}

pub(super) fn label_number(label: LabelId) -> i128 {
    i128::from(label.0) + 1
}
