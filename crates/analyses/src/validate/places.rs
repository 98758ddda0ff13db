//! Where the places that a witness names are in the automaton. Knows positions, statements, loops, decisions and calls; knows no
//! format.

use tandem_artifact::{Branch, ErrorCall, WitnessLocation};
use tandem_base::{IdVec, Span};
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{
    Callee, Decision, DecisionId, DecisionKind, EdgeId, ExprKind, FunctionId, LoopStatement, NodeId, Op, Program,
};

/// A line, and perhaps a column or an offset, of the user's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub line: u32,
    pub column: Option<u32>,
    /// Of the first byte, counted from zero.
    pub offset: Option<u32>,
}

impl From<&WitnessLocation> for Position {
    fn from(location: &WitnessLocation) -> Position {
        Position { line: location.line, column: location.column, offset: None }
    }
}

/// A point of the automaton: whoever comes to the node by an edge from outside of these spans is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    pub node: NodeId,
    pub except: Vec<Span>,
    pub function: FunctionId,
    /// The byte whose scope counts.
    pub scope: u32,
    /// Whether the automaton visits the node on other occasions that cannot be told apart.
    pub ambiguous: bool,
}

pub struct Places<'a> {
    program: &'a Program,
    kinds: IdVec<FunctionId, Kind>,
    asserts: bool,
}

impl<'a> Places<'a> {
    pub fn new(program: &'a Program, error: &ErrorCall) -> Places<'a> {
        Places { program, kinds: Kind::of_all(program, &error.functions()), asserts: error.includes_assert() }
    }

    /// Whether a byte of the program stands there. Without a column, anywhere in the line.
    fn is_at(&self, offset: u32, wanted: Position) -> bool {
        if offset == Span::NONE.lo || self.program.source.is_appendix(offset) {
            return false;
        }
        if let Some(exact) = wanted.offset.filter(|_| !self.program.source.is_preprocessed()) {
            return offset == exact;
        }
        let position = self.program.source.position(offset);
        *position.file == *self.program.source.file()
            && position.line == wanted.line
            && wanted.column.is_none_or(|column| column == position.column)
    }

    /// Of several things in a line the left-most one, all that begin there.
    fn left_most<T: Copy>(&self, found: Vec<(u32, T)>, wanted: Position) -> Vec<T> {
        let least = found.iter().map(|(offset, _)| *offset).min();
        let here = |offset: u32| wanted.column.is_some() || Some(offset) == least;
        found.into_iter().filter(|(offset, _)| here(*offset)).map(|(_, thing)| thing).collect()
    }

    fn loops(&self) -> impl Iterator<Item = (FunctionId, &'a LoopStatement)> + use<'a> {
        let bodies = self.program.functions.enumerate();
        let bodies = bodies.filter_map(|(id, function)| function.body.as_ref().map(|body| (id, body)));
        bodies.flat_map(|(id, body)| body.loops.iter().map(move |statement| (id, statement)))
    }

    /// The loop whose keyword stands there.
    pub fn loop_at(&self, wanted: Position) -> Option<Spot> {
        let found = self.loops().filter(|(_, statement)| self.is_at(statement.span.lo, wanted));
        let (function, statement) = found.min_by_key(|(_, statement)| statement.span.lo)?;
        let inner = |other: &LoopStatement| {
            other.head == statement.head && other.span != statement.span && statement.span.contains(other.span)
        };
        let except = self.loops().filter(|(_, other)| inner(other)).map(|(_, other)| other.span).collect();
        let decisions = self.program.decisions.iter();
        let control = decisions.filter(|decision| is_loop(decision.kind)).find(|d| d.statement == statement.span);
        let scope = control.map_or(statement.span.lo, |decision| decision.span.lo);
        Some(Spot { node: statement.head, except, function, scope, ambiguous: false })
    }

    /// Whether the keyword of a loop stands there that no run can reach, so that there is no such loop in the automaton.
    pub fn is_dead_loop(&self, wanted: Position) -> bool {
        let text = self.program.source.text();
        let starts = |at: usize| {
            [&b"for"[..], b"while", b"do"].iter().any(|word| {
                text[at..].starts_with(word)
                    && text.get(at + word.len()).is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_')
                    && (at == 0 || !(text[at - 1].is_ascii_alphanumeric() || text[at - 1] == b'_'))
            })
        };
        let is_exact = wanted.column.is_some() || wanted.offset.is_some();
        is_exact && (0..text.len()).any(|at| starts(at) && self.is_at(at as u32, wanted))
    }

    /// The statement or declaration that begins there.
    pub fn statement_at(&self, wanted: Position) -> Option<Spot> {
        let (span, node) = self.statement_span(wanted)?;
        let looped = self.loops().find(|(_, statement)| statement.span.lo == span.lo);
        let except = looped.map(|(_, statement)| statement.span).into_iter().collect();
        // A statement that does nothing may have been merged with the head of the loop around it.
        let around = |statement: &LoopStatement| statement.head == node && statement.span.lo < span.lo;
        let ambiguous = self.loops().any(|(_, statement)| around(statement) && statement.span.contains(span));
        Some(Spot { node, except, function: self.program.nodes[node].function, scope: span.lo, ambiguous })
    }

    /// The largest statement that begins there, and its node.
    pub fn statement_span(&self, wanted: Position) -> Option<(Span, NodeId)> {
        let statements = self.program.statements.iter().filter(|statement| self.is_at(statement.span.lo, wanted));
        let first = statements.clone().map(|statement| statement.span.lo).min()?;
        let here = statements.filter(|statement| statement.span.lo == first);
        here.max_by_key(|statement| statement.span.hi).map(|statement| (statement.span, statement.node))
    }

    /// The calls whose closing parenthesis stands there.
    pub fn calls_at(&self, wanted: Position) -> Vec<EdgeId> {
        let calls = self.calls().map(|edge| (self.program.edges[edge].span.hi - 1, edge));
        self.left_most(calls.filter(|(offset, _)| self.is_at(*offset, wanted)).collect(), wanted)
    }

    /// All calls of functions that stand in the user's text.
    pub fn calls(&self) -> impl Iterator<Item = EdgeId> + use<'a> {
        let program = self.program;
        program.edges.enumerate().filter(move |(_, edge)| is_call(program, &edge.op, edge.span)).map(|(id, _)| id)
    }

    /// The calls of this function whose text begins in the line or at the offset.
    pub fn calls_of(&self, function: &str, wanted: Position) -> Vec<EdgeId> {
        let is_called = |edge: &EdgeId| match &self.program.edges[*edge].op {
            Op::Call { callee: Callee::Direct(id), .. } => *self.program.functions[*id].name == *function,
            _ => false,
        };
        let here = |edge: &EdgeId| self.is_at(self.program.edges[*edge].span.lo, wanted);
        self.calls().filter(|edge| is_called(edge) && here(edge)).collect()
    }

    /// The edges on which the branching statement that begins there goes this way; nothing if there is no such statement.
    pub fn branches_at(&self, wanted: Position, branch: Branch) -> Option<Vec<EdgeId>> {
        let decisions = self.program.decisions.enumerate();
        let found: Vec<(u32, DecisionId)> = decisions
            .filter_map(|(id, decision)| Some((self.keyword(decision)?, id)))
            .filter(|(offset, _)| self.is_at(*offset, wanted))
            .collect();
        let decision = self.left_most(found, wanted).into_iter().next()?;
        Some(self.outcomes(decision, branch))
    }

    /// Where a decision is to be found: at the keyword, or at the `?`.
    fn keyword(&self, decision: &Decision) -> Option<u32> {
        match decision.kind {
            DecisionKind::If
            | DecisionKind::While
            | DecisionKind::DoWhile
            | DecisionKind::For
            | DecisionKind::Switch => Some(decision.statement.lo),
            DecisionKind::Conditional => {
                let rest = self.program.source.slice(Span::new(decision.span.hi, decision.statement.hi));
                rest.iter().position(|byte| *byte == b'?').map(|at| decision.span.hi + at as u32)
            }
            DecisionKind::Logical | DecisionKind::Computed => None,
        }
    }

    fn outcomes(&self, wanted: DecisionId, branch: Branch) -> Vec<EdgeId> {
        let count = self.program.decisions[wanted].outcomes;
        let is_switch = self.program.decisions[wanted].kind == DecisionKind::Switch;
        let fits = |edge: EdgeId, outcome: u32| match branch {
            Branch::Condition(truth) => !is_switch && outcome == u32::from(truth),
            Branch::Default => is_switch && outcome + 1 == count,
            Branch::Case(value) => is_switch && self.case_value(edge) == Some(value),
        };
        let edges = self.program.edges.enumerate();
        edges
            .filter_map(|(id, edge)| edge.outcome.map(|(decision, outcome)| (id, decision, outcome)))
            .filter(|(id, decision, outcome)| *decision == wanted && fits(*id, *outcome))
            .map(|(id, ..)| id)
            .collect()
    }

    /// The constant that the edge of a `switch` compares with.
    fn case_value(&self, edge: EdgeId) -> Option<i128> {
        let Op::Assume { condition, truth: true } = self.program.edges[edge].op else { return None };
        let ExprKind::Binary(tandem_cfa::BinaryOp::Eq, _, right) = self.program.expr(condition).kind else {
            return None;
        };
        let expr = self.program.expr(right);
        let ExprKind::Bits(bits) = expr.kind else { return None };
        let scalar = self.program.types.scalar(expr.ty)?;
        Some(tandem_cfa::semantics::integer_value(scalar, u128::from(bits)))
    }

    /// The edges on which a controlling expression in the line (or an atom of one that begins at the offset) comes out so.
    pub fn controls_at(&self, wanted: Position, truth: bool) -> Vec<EdgeId> {
        let program = self.program;
        let decided: Vec<EdgeId> = program
            .edges
            .enumerate()
            .filter(|(_, edge)| {
                edge.outcome.is_some_and(|(decision, outcome)| {
                    let decision = &program.decisions[decision];
                    let is_plain = !matches!(decision.kind, DecisionKind::Switch | DecisionKind::Computed);
                    is_plain && outcome == u32::from(truth) && self.is_at(decision.span.lo, wanted)
                })
            })
            .map(|(id, _)| id)
            .collect();
        if !decided.is_empty() {
            return decided;
        }
        let tests = |edge: &tandem_cfa::Edge| match edge.op {
            Op::Assume { truth: here, .. } => here == truth,
            _ => false,
        };
        let atoms = program.edges.enumerate().filter(|(_, edge)| {
            let condition = edge.condition.map(|condition| program.conditions[condition].span.lo);
            tests(edge) && condition.is_some_and(|offset| self.is_at(offset, wanted))
        });
        atoms.map(|(id, _)| id).collect()
    }

    /// Edges whose text begins there.
    pub fn edges_at(&self, wanted: Position) -> Vec<EdgeId> {
        let edges = self.program.edges.enumerate();
        edges.filter(|(_, edge)| self.is_at(edge.span.lo, wanted)).map(|(id, _)| id).collect()
    }

    /// Whether anything of the program stands in the line.
    pub fn is_line_of_program(&self, line: u32) -> bool {
        let wanted = Position { line, column: None, offset: None };
        let source = &self.program.source;
        let ends = |span: Span| !span.is_none() && self.is_at(span.hi.saturating_sub(1), wanted);
        self.program.edges.iter().any(|edge| self.is_at(edge.span.lo, wanted) || ends(edge.span))
            || self.program.statements.iter().any(|statement| self.is_at(statement.span.lo, wanted))
            || self.program.functions.iter().any(|function| self.is_at(function.span.lo, wanted))
            || self.program.variables.iter().any(|variable| self.is_at(variable.span.lo, wanted))
            || !source.is_preprocessed() && source.text().split(|byte| *byte == b'\n').count() as u32 >= line
    }

    pub fn is_error(&self, edge: EdgeId) -> bool {
        match &self.program.edges[edge].op {
            Op::Call { callee: Callee::Direct(function), .. } => self.is_error_function(*function),
            _ => false,
        }
    }

    fn is_error_function(&self, function: FunctionId) -> bool {
        match self.kinds[function] {
            Kind::Error => true,
            Kind::Library(Primitive::AssertFail) => self.asserts,
            _ => false,
        }
    }

    /// Calls that are errors.
    pub fn errors(&self) -> Vec<EdgeId> {
        self.program.edges.ids().filter(|edge| self.is_error(*edge)).collect()
    }

    /// Whether the error may be reached by a call through a pointer, whose place nobody can check.
    pub fn has_hidden_errors(&self) -> bool {
        let is_taken = |kind: ExprKind| matches!(kind, ExprKind::Function(id) if self.is_error_function(id));
        let calls = |op: &Op| matches!(op, Op::Call { callee: Callee::Pointer(_), .. });
        self.program.arena.exprs().iter().any(|expr| is_taken(expr.kind))
            && self.program.edges.iter().any(|edge| calls(&edge.op))
    }

    /// The function that a call enters and that is no function of the user, if it is one that may end in an error.
    pub fn library_error(&self, edge: EdgeId) -> bool {
        let Op::Call { callee: Callee::Direct(function), .. } = &self.program.edges[edge].op else { return false };
        let entered = match self.kinds[*function] {
            Kind::Model(model) => model,
            _ => *function,
        };
        let function = &self.program.functions[entered];
        let Some(body) = function.body.as_ref().filter(|_| function.is_library) else { return false };
        body.edges.iter().any(|edge| self.is_error(edge))
    }
}

fn is_loop(kind: DecisionKind) -> bool {
    matches!(kind, DecisionKind::While | DecisionKind::DoWhile | DecisionKind::For)
}

/// Whether the operation calls a function, and the call stands in the user's text as one.
pub fn is_call(program: &Program, op: &Op, span: Span) -> bool {
    let is_call = matches!(op, Op::Call { callee: Callee::Direct(_) | Callee::Pointer(_), .. });
    is_call
        && !span.is_none()
        && span.hi > span.lo
        && !program.source.is_appendix(span.lo)
        && program.source.text().get(span.hi as usize - 1) == Some(&b')')
}
