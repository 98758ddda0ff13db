//! Where the places that witnesses name are in the program. Knows no format.

use std::collections::HashMap;

use tandem_base::Span;
use tandem_cfa::{
    BinaryOp, Callee, DecisionId, DecisionKind, EdgeId, ExprKind, FunctionId, LoopStatement, NodeId, Op, Program,
};

use crate::gia::is_path_step;
use crate::{Branch, WitnessLocation};

/// A node of the program, and the place whose names are meant there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    pub node: NodeId,
    pub function: FunctionId,
    pub at: u32,
}

pub struct Places<'a> {
    program: &'a Program,
    into: HashMap<NodeId, Vec<EdgeId>>,
    has_pointer_calls: bool,
}

impl<'a> Places<'a> {
    pub fn new(program: &'a Program) -> Places<'a> {
        let mut into: HashMap<NodeId, Vec<EdgeId>> = HashMap::new();
        let mut has_pointer_calls = false;
        for (edge, content) in program.edges.enumerate().filter(|(edge, _)| is_path_step(program, *edge)) {
            into.entry(content.target).or_default().push(edge);
            has_pointer_calls |= matches!(content.op, Op::Call { callee: Callee::Pointer(_), .. });
        }
        Places { program, into, has_pointer_calls }
    }

    /// Whether a byte of the user's file stands there; without a column, anywhere in the line.
    pub fn is_at(&self, offset: u32, line: u32, column: Option<u32>) -> bool {
        let source = &self.program.source;
        if offset == Span::NONE.lo || source.is_appendix(offset) {
            return false;
        }
        let position = source.position(offset);
        *position.file == *source.file() && position.line == line && column.is_none_or(|here| here == position.column)
    }

    fn here(&self, offset: u32, location: &WitnessLocation) -> bool {
        self.is_at(offset, location.line, location.column)
    }

    /// The loop whose keyword stands there.
    pub fn loop_at(&self, line: u32, column: Option<u32>) -> Option<Spot> {
        let bodies = self.program.functions.enumerate();
        let bodies = bodies.filter_map(|(id, function)| function.body.as_ref().map(|body| (id, body)));
        let loops = bodies.flat_map(|(id, body)| body.loops.iter().map(move |statement| (id, statement)));
        let found = loops.filter(|(_, statement)| self.is_at(statement.span.lo, line, column));
        let (function, LoopStatement { span, head }) = found.min_by_key(|(_, statement)| statement.span.lo)?;
        let control = self.program.decisions.iter().find(|decision| decision.statement == *span);
        Some(Spot { node: *head, function, at: control.map_or(span.lo, |decision| decision.span.lo) })
    }

    /// The largest statement that begins there.
    pub fn statement_at(&self, location: &WitnessLocation) -> Option<(Spot, Span)> {
        let all = self.program.statements.iter().filter(|statement| self.here(statement.span.lo, location));
        let found = all.min_by_key(|statement| (statement.span.lo, u32::MAX - statement.span.hi))?;
        let function = self.program.nodes[found.node].function;
        Some((Spot { node: found.node, function, at: found.span.lo }, found.span))
    }

    /// Loops are named by their keyword, other nodes by the statement that begins there.
    pub fn name_of(&self, node: NodeId) -> Option<(Span, bool)> {
        let function = self.program.nodes[node].function;
        let body = self.program.functions[function].body.as_ref()?;
        if let Some(found) = body.loops.iter().find(|statement| statement.head == node) {
            return Some((found.span, true));
        }
        let found = self.program.statements.iter().filter(|statement| statement.node == node);
        found.max_by_key(|statement| statement.span.hi - statement.span.lo).map(|statement| (statement.span, false))
    }

    /// The calls whose closing parenthesis stands there.
    pub fn calls_at(&self, location: &WitnessLocation) -> Vec<EdgeId> {
        let calls = self.program.edges.enumerate().filter(|(edge, content)| {
            matches!(content.op, Op::Call { callee: Callee::Direct(_) | Callee::Pointer(_), .. })
                && is_path_step(self.program, *edge)
                && content.span.hi > content.span.lo
                && self.here(content.span.hi - 1, location)
        });
        let found: Vec<(u32, EdgeId)> = calls.map(|(edge, content)| (content.span.hi, edge)).collect();
        left_most(found, location)
    }

    /// The edges on which the branching statement that begins there goes this way.
    pub fn branches_at(&self, location: &WitnessLocation, branch: Branch) -> Vec<EdgeId> {
        let decisions = self.program.decisions.enumerate().filter(|(_, decision)| {
            let has_keyword = match decision.kind {
                DecisionKind::If
                | DecisionKind::While
                | DecisionKind::DoWhile
                | DecisionKind::For
                | DecisionKind::Switch => true,
                DecisionKind::Conditional | DecisionKind::Logical | DecisionKind::Computed => false,
            };
            has_keyword && self.here(decision.statement.lo, location)
        });
        let found: Vec<(u32, DecisionId)> = decisions.map(|(id, decision)| (decision.statement.lo, id)).collect();
        let Some(decision) = left_most(found, location).first().copied() else { return Vec::new() };
        self.outcomes(decision, branch)
    }

    fn outcomes(&self, decision: DecisionId, branch: Branch) -> Vec<EdgeId> {
        let content = &self.program.decisions[decision];
        let is_switch = content.kind == DecisionKind::Switch;
        let fits = |edge: EdgeId, outcome: u32| match branch {
            Branch::Condition(truth) => !is_switch && outcome == u32::from(truth),
            Branch::Default => is_switch && outcome + 1 == content.outcomes,
            Branch::Case(value) => is_switch && self.case_value(edge) == Some(value),
        };
        let settled = self.program.edges.enumerate().filter_map(|(id, edge)| edge.outcome.map(|outcome| (id, outcome)));
        settled.filter(|(id, (of, outcome))| *of == decision && fits(*id, *outcome)).map(|(id, _)| id).collect()
    }

    /// The constant that the edge of a `switch` compares with.
    fn case_value(&self, edge: EdgeId) -> Option<i128> {
        let Op::Assume { condition, truth: true } = self.program.edges[edge].op else { return None };
        let ExprKind::Binary(BinaryOp::Eq, _, right) = self.program.expr(condition).kind else { return None };
        let expr = self.program.expr(right);
        let ExprKind::Bits(bits) = expr.kind else { return None };
        let scalar = self.program.types.scalar(expr.ty)?;
        Some(tandem_cfa::semantics::integer_value(scalar, u128::from(bits)))
    }

    /// All edges that lead to a node, so that a condition behind them is one at the node. Nothing if there is another way to it:
    /// the start of the program, a return from a function, a call through a pointer.
    pub fn edges_into(&self, node: NodeId) -> Option<Vec<EdgeId>> {
        let program = self.program;
        let mut edges = self.into.get(&node).cloned().unwrap_or_default();
        let returns = |edge: &EdgeId| match &program.edges[*edge].op {
            Op::Call { callee: Callee::Direct(function), .. } => program.functions[*function].body.is_some(),
            Op::Call { callee: Callee::Pointer(_), .. } => true,
            _ => false,
        };
        if edges.iter().any(returns) {
            return None;
        }
        let function = program.nodes[node].function;
        let is_entry = program.functions[function].body.as_ref().is_some_and(|body| body.entry == node);
        if is_entry {
            if program.entry == Some(function) || self.has_pointer_calls {
                return None;
            }
            let calls = program.edges.enumerate().filter(
                |(_, edge)| matches!(edge.op, Op::Call { callee: Callee::Direct(callee), .. } if callee == function),
            );
            edges.extend(calls.map(|(edge, _)| edge));
        }
        (!edges.is_empty()).then_some(edges)
    }
}

/// Without a column, of several things in a line the left-most.
fn left_most<T>(found: Vec<(u32, T)>, location: &WitnessLocation) -> Vec<T> {
    let least = found.iter().map(|(offset, _)| *offset).min();
    let here = |offset: u32| location.column.is_some() || Some(offset) == least;
    found.into_iter().filter(|(offset, _)| here(*offset)).map(|(_, thing)| thing).collect()
}
