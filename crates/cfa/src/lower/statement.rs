//! Statements: control flow that is written down.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tree::{ExprId, StatementKind, StmtId};

use super::Lowering;
use super::condition::Target;
use super::function::{Jump, Scope};
use super::graph::Raw;
use super::sink::Sink;
use crate::model::*;

/// A `for` statement.
struct For {
    init: Option<StmtId>,
    condition: Option<ExprId>,
    step: Option<ExprId>,
    body: StmtId,
}

impl Lowering<'_> {
    /// A block without a scope of its own: the body of a function.
    pub(super) fn block(&mut self, id: StmtId) {
        match self.unit.statement(id).kind {
            StatementKind::Block(list) => list.into_iter().for_each(|statement| self.statement(statement)),
            _ => self.statement(id),
        }
        self.run_cleanups(self.here.scopes.len() - 1, Span::NONE);
    }

    /// Labels and `else if` chains go round the loop, so that long ones do not recurse.
    pub(super) fn statement(&mut self, id: StmtId) {
        let mut next = Some(id);
        let mut join: Option<Raw> = None;
        let mut span = Span::NONE;
        while let Some(id) = next.take() {
            let statement = self.unit.statement(id);
            span = statement.span;
            if !matches!(statement.kind, StatementKind::Block(_)) {
                self.here.statements.push((span, self.here.cursor));
            }
            match statement.kind {
                StatementKind::Case { body } | StatementKind::Default { body } => {
                    if let Some(&node) = self.here.cases.get(&body) {
                        self.arrive(node, span);
                    }
                    next = Some(body);
                }
                StatementKind::Label { label, body } => {
                    self.here.repeats = true;
                    let node = self.label_node(label);
                    self.arrive(node, span);
                    next = Some(body);
                }
                StatementKind::If { condition, then, otherwise } => {
                    let join = *join.get_or_insert_with(|| self.here.graph.node());
                    next = self.if_statement(condition, then, otherwise, join, span);
                }
                kind => self.plain_statement(kind, span),
            }
        }
        if let Some(join) = join {
            self.arrive(join, span);
        }
    }

    /// Returns the `else` part, which is still to be lowered, from the cursor to the join.
    fn if_statement(
        &mut self,
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
        join: Raw,
        span: Span,
    ) -> Option<StmtId> {
        let yes = self.node();
        let no = if otherwise.is_some() { self.node() } else { join };
        self.decide(DecisionKind::If, condition, span, yes, no);
        self.here.cursor = yes;
        self.statement(then);
        if otherwise.is_some() {
            self.jump(join, span);
            self.here.cursor = no;
        }
        otherwise
    }

    /// A controlling expression with two outcomes.
    pub(super) fn decide(&mut self, kind: DecisionKind, condition: ExprId, statement: Span, yes: Raw, no: Raw) {
        let span = self.unit.expression(condition).span;
        let decision = self.decision(kind, span, statement, 2);
        let yes = Target { node: yes, outcome: Some(1) };
        let no = Target { node: no, outcome: Some(0) };
        self.branch(condition, decision, yes, no);
    }

    fn plain_statement(&mut self, kind: StatementKind, span: Span) {
        match kind {
            StatementKind::Empty => {}
            StatementKind::Expression(value) => self.effect(value),
            StatementKind::Block(list) => {
                self.open_scope(span);
                list.into_iter().for_each(|statement| self.statement(statement));
                self.close_scope(span);
            }
            StatementKind::Declarations(list) => list.into_iter().for_each(|id| self.declare(id)),
            StatementKind::While { condition, body } => self.while_statement(condition, body, span),
            StatementKind::DoWhile { body, condition } => self.do_statement(body, condition, span),
            StatementKind::For { init, condition, step, body } => {
                self.for_statement(For { init, condition, step, body }, span);
            }
            StatementKind::Switch { value, body, cases, default } => self.switch(value, body, &cases, default, span),
            StatementKind::Goto(label) => self.goto(label, span),
            StatementKind::ComputedGoto(target) => self.computed_goto(target, span),
            StatementKind::Asm(asm) => self.assembler(&asm, span),
            StatementKind::Break => self.leave(self.here.breaks.last().copied(), span),
            StatementKind::Continue => self.leave(self.here.continues.last().copied(), span),
            StatementKind::Return(value) => self.return_statement(value, span),
            StatementKind::Unsupported(what) => self.unsupported(&what, span),
            // Handled where labels and `else if` chains are unrolled.
            StatementKind::If { .. }
            | StatementKind::Case { .. }
            | StatementKind::Default { .. }
            | StatementKind::Label { .. } => {}
        }
    }

    pub(super) fn open_scope(&mut self, span: Span) {
        self.here.scopes.push(Scope { span, cleanups: Vec::new() });
    }

    pub(super) fn close_scope(&mut self, span: Span) {
        self.run_cleanups(self.here.scopes.len() - 1, span);
        self.here.scopes.pop();
    }

    fn leave(&mut self, jump: Option<Jump>, span: Span) {
        match jump {
            Some(jump) => {
                self.run_cleanups(jump.scopes, span);
                self.jump(jump.node, span);
            }
            None => self.unsupported("a jump out of nothing", span),
        }
    }

    /// Lowers the body of a loop with these targets for `break` and `continue`.
    fn loop_body(&mut self, body: StmtId, broken: Raw, continued: Raw) {
        let scopes = self.here.scopes.len();
        self.here.breaks.push(Jump { node: broken, scopes });
        self.here.continues.push(Jump { node: continued, scopes });
        let outer = std::mem::replace(&mut self.here.repeats, true);
        self.statement(body);
        // A label inside the loop does not make the statements behind it repeat, but one jump back from there would.
        self.here.repeats = outer || !self.here.labels.is_empty();
        self.here.breaks.pop();
        self.here.continues.pop();
    }

    fn while_statement(&mut self, condition: ExprId, body: StmtId, span: Span) {
        let (head, inside, behind) = (self.node(), self.node(), self.node());
        self.arrive(head, span);
        self.here.loops.push((span, head));
        self.decide(DecisionKind::While, condition, span, inside, behind);
        self.here.cursor = inside;
        self.loop_body(body, behind, head);
        self.jump(head, span);
        self.here.cursor = behind;
    }

    fn do_statement(&mut self, body: StmtId, condition: ExprId, span: Span) {
        let (start, head, behind) = (self.node(), self.node(), self.node());
        self.arrive(start, span);
        self.loop_body(body, behind, head);
        self.arrive(head, span);
        self.here.loops.push((span, head));
        self.decide(DecisionKind::DoWhile, condition, span, start, behind);
        self.here.cursor = behind;
    }

    fn for_statement(&mut self, parts: For, span: Span) {
        self.open_scope(span);
        if let Some(init) = parts.init {
            self.statement(init);
        }
        let (head, behind) = (self.node(), self.node());
        self.arrive(head, span);
        self.here.loops.push((span, head));
        if let Some(condition) = parts.condition {
            let inside = self.node();
            self.decide(DecisionKind::For, condition, span, inside, behind);
            self.here.cursor = inside;
        }
        match parts.step {
            Some(step) => {
                let continued = self.node();
                self.loop_body(parts.body, behind, continued);
                self.arrive(continued, span);
                self.effect(step);
            }
            None => self.loop_body(parts.body, behind, head),
        }
        self.jump(head, span);
        self.here.cursor = behind;
        self.close_scope(span);
    }

    fn return_statement(&mut self, value: Option<ExprId>, span: Span) {
        let result = self.result_type(self.here.function);
        let Some(value) = value else {
            self.run_cleanups(0, span);
            return self.emit_return(None, span);
        };
        if self.is_void(self.unit.type_of(value)) || self.is_void(result) {
            self.effect(value);
            self.run_cleanups(0, span);
            return self.emit_return(None, span);
        }
        if self.here.scopes.iter().all(|scope| scope.cleanups.is_empty()) {
            return self.deliver(value, Sink::Return(span), &[]);
        }
        let value = self.value(value);
        let value = if self.bits_of(value).is_some() { value } else { self.save(value, span) };
        self.run_cleanups(0, span);
        self.emit_return(Some(value), span);
    }

    fn assembler(&mut self, asm: &tree::Asm, span: Span) {
        if !asm.is_empty || asm.jumps || !asm.outputs.is_empty() {
            self.unsupported("inline assembler", span);
        } else {
            asm.inputs.iter().for_each(|input| self.effect(*input));
        }
    }
}
