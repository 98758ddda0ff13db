//! One function: its frame while it is lowered, its prologue and its end, and what becomes of its graph.

use tandem_base::{Id, IdRange, Span};
use tandem_syntax::ast as tree;
use tandem_syntax::types::{Type, TypeId};
use tree::{Declaration, LabelId, StmtId};

use super::graph::{Finished, Graph, Raw, Silent};
use super::mask::{MEMORY, local_bit};
use super::object::Object;
use super::{Lowering, Map};
use crate::library::{ARGUMENTS, RUN_EXIT_HANDLERS};
use crate::model::*;
use crate::source_flow::{FlowKind, FlowStep};

/// The function that is being lowered.
pub(super) struct Frame {
    pub function: FunctionId,
    pub graph: Graph,
    /// Where the next edge begins; no edge leaves it yet.
    pub cursor: Raw,
    pub exit: Raw,
    pub temporaries: u32,
    pub locals: Vec<VariableId>,
    pub scopes: Vec<Scope>,
    pub breaks: Vec<Jump>,
    pub continues: Vec<Jump>,
    pub labels: Map<LabelId, Raw>,
    /// The nodes of `case` and `default` by the statement behind them.
    pub cases: Map<StmtId, Raw>,
    /// Where computed jumps go: the node that tells the labels apart, and the place of the target.
    pub dispatch: Option<(Raw, PlaceId)>,
    /// Whether control can come back to an earlier statement of the outermost block.
    pub repeats: bool,
    /// The span of the assignment whose value is being delivered.
    pub sink_span: Option<Span>,
    pub statements: Vec<(Span, Raw)>,
    pub loops: Vec<(Span, Raw)>,
}

/// A block: its span, and the cleanups that are due at its end.
pub(super) struct Scope {
    pub span: Span,
    pub cleanups: Vec<(FunctionId, PlaceId)>,
}

/// A target of `break` or `continue`, and how many scopes are open there.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    pub node: Raw,
    pub scopes: usize,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            function: FunctionId(u32::MAX),
            graph: Graph::default(),
            cursor: Raw(0),
            exit: Raw(0),
            temporaries: 0,
            locals: Vec::new(),
            scopes: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            labels: Map::default(),
            cases: Map::default(),
            dispatch: None,
            repeats: false,
            sink_span: None,
            statements: Vec::new(),
            loops: Vec::new(),
        }
    }
}

impl Frame {
    pub fn is_open(&self) -> bool {
        self.function != FunctionId(u32::MAX)
    }

    /// From a declaration to the end of the innermost block.
    pub fn scope_from(&self, declaration: Span) -> Span {
        match self.scopes.last() {
            Some(scope) if !scope.span.is_none() && !declaration.is_none() => Span::new(declaration.lo, scope.span.hi),
            _ => Span::NONE,
        }
    }
}

impl Lowering<'_> {
    pub(super) fn define_function(&mut self, function: FunctionId, declaration: &Declaration) {
        let Some(body) = declaration.body else { return };
        let span = self.unit.statement(body).span;
        self.here = Frame { function, ..Frame::default() };
        let entry = self.node();
        self.here.cursor = entry;
        self.here.exit = self.node();
        let first = (self.program.decisions.len(), self.program.conditions.len());
        self.here.scopes.push(Scope { span, cleanups: Vec::new() });
        let parameters = self.parameters(&declaration.parameters, span);
        if &*self.program.functions[function].name == "main" && !self.outside_main.is_empty() {
            self.unsupported("constructor or destructor function", declaration.span);
        }
        if &*self.program.functions[function].name == "main" {
            if self.unmodelled_escapes {
                self.unsupported("pointer to an object with an initialiser that is not modelled", declaration.span);
            }
            self.arguments_of_main(&parameters);
        }
        self.block(body);
        self.fall_off(function, span);
        self.here.scopes.clear();
        self.dispatch();
        let frame = std::mem::take(&mut self.here);
        self.finish(frame, entry, parameters, first);
    }

    fn parameters(&mut self, list: &[tree::DeclId], body: Span) -> Box<[VariableId]> {
        let mut variables = Vec::with_capacity(list.len());
        for (number, &id) in list.iter().enumerate() {
            let declaration = self.unit.declaration(id);
            let hidden = self.scan.address_taken(id);
            let mask = if hidden { MEMORY } else { local_bit(id) };
            let (name, scope) = match declaration.name {
                Some(name) => (name, body),
                None => (format!("$parameter{number}"), Span::NONE),
            };
            let variable = self.add_local(name, declaration.ty, VariableKind::Parameter, declaration.span, scope, mask);
            self.here.locals.pop();
            self.objects.insert(id, Object::Variable(variable));
            variables.push(variable);
        }
        for &id in list {
            let ty = self.unit.declaration(id).ty;
            self.pin_sizes(ty);
        }
        variables.into()
    }

    /// `argv = __tandem_arguments(argc, argv)`, if that model is part of the program.
    fn arguments_of_main(&mut self, parameters: &[VariableId]) {
        let Some(&model) = self.function_names.get(ARGUMENTS) else { return };
        let [count, list, ..] = *parameters else { return };
        if !self.defined.contains(&model) {
            return;
        }
        let (count, place) = (self.variable_place(count), self.variable_place(list));
        let arguments = Box::new([self.read(count), self.read(place)]);
        self.emit(Op::Call { callee: Callee::Direct(model), arguments, result: Some(place) }, Span::NONE);
    }

    pub(super) fn result_type(&self, function: FunctionId) -> TypeId {
        match self.program.types.get(self.program.functions[function].ty) {
            Type::Function(signature) => signature.result,
            _ => self.known.void,
        }
    }

    /// The end of the body is a return without a value; that of `main` returns 0.
    fn fall_off(&mut self, function: FunctionId, body: Span) {
        let end = if body.is_none() { body } else { Span::new(body.hi.saturating_sub(1).max(body.lo), body.hi) };
        let result = self.result_type(function);
        let zero = &*self.program.functions[function].name == "main" && self.is_integer(result);
        let value = zero.then(|| self.constant(0, result));
        self.emit_return(value, end);
    }

    pub(super) fn emit_return(&mut self, value: Option<ExprId>, span: Span) {
        let value = self.run_exit_handlers(value, span);
        let (source, exit) = (self.here.cursor, self.here.exit);
        self.here.graph.edge(source, exit, Op::Return { value }, span);
        self.dead_end();
    }

    /// Where `main` returns in a program that calls `atexit`, the registered functions run behind the computation of its value.
    fn run_exit_handlers(&mut self, value: Option<ExprId>, span: Span) -> Option<ExprId> {
        let is_main = &*self.program.functions[self.here.function].name == "main";
        let handlers = self.function_names.get(RUN_EXIT_HANDLERS).copied();
        let Some(handlers) = handlers.filter(|_| is_main && self.program.library_use.registers_handlers) else {
            return value;
        };
        let is_called = |id: &tree::DeclId| self.functions.get(id) == Some(&self.here.function);
        if self.scan.uses.iter().any(is_called) {
            self.unsupported("exit handlers of a program that calls main", span);
            return value;
        }
        let value = value.map(|value| if self.bits_of(value).is_some() { value } else { self.save(value, span) });
        let callee = Callee::Direct(handlers);
        self.emit(Op::Call { callee, arguments: Box::default(), result: None }, Span::NONE);
        value
    }

    fn finish(&mut self, frame: Frame, entry: Raw, parameters: Box<[VariableId]>, first: (usize, usize)) {
        let (raw_entry, raw_exit) = (entry, frame.exit);
        let Finished { numbers, count, mut edges, ends, silent } = frame.graph.finish(entry, frame.exit);
        let nodes = self.add_nodes(frame.function, count);
        let base = nodes.start.0;
        let number = |node: Raw| match numbers[node.0 as usize] {
            u32::MAX => None,
            number => Some(NodeId(base + number)),
        };
        self.keep_used_conditions(&mut edges, first);
        let start = self.program.edges.next_id();
        self.flow.add(frame.function, (raw_entry.0, raw_exit.0), steps(&ends, start, silent));
        for mut edge in edges {
            edge.source.0 += base;
            edge.target.0 += base;
            self.program.edges.push(edge);
        }
        let statements = frame.statements.iter();
        self.program
            .statements
            .extend(statements.filter_map(|(span, node)| Some(StatementStart { span: *span, node: number(*node)? })));
        let loops =
            frame.loops.iter().filter_map(|(span, node)| Some(LoopStatement { span: *span, head: number(*node)? }));
        let loops = loops.collect();
        let mut labels: Vec<(LabelId, NodeId)> =
            frame.labels.iter().filter_map(|(label, node)| Some((*label, number(*node)?))).collect();
        labels.sort();
        let labels = labels.into_iter().map(|(label, node)| (self.unit.label(label).name.into(), node)).collect();
        let (Some(entry), Some(exit)) = (number(entry), number(frame.exit)) else { return };
        self.program.functions[frame.function].body = Some(Body {
            entry,
            exit,
            nodes,
            edges: IdRange::new(start, self.program.edges.next_id()),
            parameters,
            locals: frame.locals.into(),
            labels,
            loops,
        });
    }

    /// Decisions and conditions of which no edge is left go, and the rest move up.
    fn keep_used_conditions(&mut self, edges: &mut [Edge], (decisions, conditions): (usize, usize)) {
        let mut used_decisions = vec![false; self.program.decisions.len() - decisions];
        let mut used_conditions = vec![false; self.program.conditions.len() - conditions];
        for edge in edges.iter() {
            if let Some((decision, _)) = edge.outcome {
                used_decisions[decision.index() - decisions] = true;
            }
            if let Some(condition) = edge.condition {
                used_conditions[condition.index() - conditions] = true;
                used_decisions[self.program.conditions[condition].decision.index() - decisions] = true;
            }
        }
        let kept: Vec<Decision> = used(&used_decisions)
            .map(|index| self.program.decisions[DecisionId::from_index(decisions + index)].clone())
            .collect();
        let decision_ids = numbered(&used_decisions, decisions);
        self.program.decisions.truncate(decisions);
        for decision in kept {
            self.program.decisions.push(decision);
        }
        let new_decision = |old: DecisionId| DecisionId::from_index(decision_ids[old.index() - decisions]);
        let kept: Vec<Condition> = used(&used_conditions)
            .map(|index| self.program.conditions[ConditionId::from_index(conditions + index)].clone())
            .collect();
        let condition_ids = numbered(&used_conditions, conditions);
        self.program.conditions.truncate(conditions);
        for condition in kept {
            let decision = new_decision(condition.decision);
            self.program.conditions.push(Condition { decision, ..condition });
        }
        for edge in edges {
            edge.outcome = edge.outcome.map(|(decision, outcome)| (new_decision(decision), outcome));
            edge.condition = edge.condition.map(|old| ConditionId::from_index(condition_ids[old.index() - conditions]));
        }
    }
}

/// All steps of the source: edges and what became none. Ends are raw nodes.
fn steps(ends: &[(Raw, Raw)], start: EdgeId, silent: Vec<Silent>) -> Vec<FlowStep> {
    let edges = ends.iter().enumerate().map(|(index, (source, target))| FlowStep {
        source: source.0,
        target: target.0,
        kind: FlowKind::Edge(EdgeId::from_index(start.index() + index)),
        span: Span::NONE,
    });
    let silent = silent.into_iter().map(|silent| FlowStep {
        source: silent.source.0,
        target: silent.target.0,
        kind: silent.kind,
        span: silent.span,
    });
    edges.chain(silent).collect()
}

fn used(flags: &[bool]) -> impl Iterator<Item = usize> {
    flags.iter().enumerate().filter(|(_, used)| **used).map(|(index, _)| index)
}

/// The new index of every old one, counting only the used.
fn numbered(flags: &[bool], from: usize) -> Vec<usize> {
    let next = flags.iter().scan(from, |next, used| {
        let here = *next;
        *next += usize::from(*used);
        Some(here)
    });
    next.collect()
}
