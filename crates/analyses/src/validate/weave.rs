//! Weaving checks into a program: what a witness says becomes nodes and edges of the program, so that every analysis and the
//! interpreter can judge it. The result is a well-formed program, as lowering would have made it.
//!
//! Knows no witness.

use std::collections::HashMap;

use tandem_artifact::ErrorCall;
use tandem_base::{Id, IdRange, IdVec, Span};
use tandem_cfa::expression::Formula;
use tandem_cfa::types::{FunctionType, IntKind, Type, TypeId};
use tandem_cfa::{
    BinaryOp, Builtin, Callee, Edge, EdgeId, ExprId, ExprKind, Function, FunctionId, Node, NodeId, Op, PlaceId,
    PlaceKind, Program, Variable, VariableKind,
};

/// A program that is being changed. Ids of nodes and edges are those of the original until [`Weaver::finish`].
pub struct Weaver {
    pub program: Program,
    owners: Vec<FunctionId>,
    edges: Vec<Edge>,
    int: TypeId,
    /// Calls of this are errors; nobody else calls it.
    error: FunctionId,
}

impl Weaver {
    pub fn new(program: &Program, error: &ErrorCall) -> Weaver {
        let mut program = program.clone();
        let int = program.types.int(IntKind::Int);
        let void = program.types.intern(Type::Void);
        let signature = FunctionType { result: void, parameters: Box::new([]), variadic: false, unprototyped: false };
        let ty = program.types.intern(Type::Function(signature));
        let name = error.functions().first().copied().unwrap_or("reach_error").into();
        let error = Function { name, ty, span: Span::NONE, body: None, is_noreturn: true, is_library: false };
        let error = program.functions.push(error);
        let owners = program.nodes.iter().map(|node| node.function).collect();
        let edges = std::mem::take(&mut program.edges).into_inner();
        Weaver { program, owners, edges, int, error }
    }

    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.index()]
    }

    /// A variable of the whole program that is zero at the start.
    pub fn counter(&mut self, name: &str) -> PlaceId {
        let variable = self.program.variables.push(Variable {
            name: name.into(),
            ty: self.int,
            kind: VariableKind::Static,
            function: None,
            span: Span::NONE,
            scope: Span::NONE,
            initializer: Box::new([]),
            in_memory: false,
        });
        self.program.arena.add_place(PlaceKind::Variable(variable), self.int)
    }

    /// The place that holds the result of a call right behind it; a new one where the program has no use for the result, or
    /// keeps it somewhere that other values may decide.
    pub fn result_of(&mut self, call: EdgeId) -> Option<PlaceId> {
        let Op::Call { callee, result, .. } = &self.edges[call.index()].op else { return None };
        let plain = |place: PlaceId| matches!(self.program.place(place).kind, PlaceKind::Variable(_));
        if let Some(place) = result.filter(|place| plain(*place)) {
            return Some(place);
        }
        let result = *result;
        let ty = match callee {
            Callee::Direct(function) => Some(self.program.functions[*function].ty),
            Callee::Pointer(pointer) => self.program.types.pointee(self.program.expr(*pointer).ty),
            Callee::Builtin(_) => None,
        };
        let Type::Function(signature) = self.program.types.get(ty?) else { return None };
        let ty = signature.result;
        self.program.types.scalar(ty)?;
        let temporary = self.temporary(call, ty);
        if let Op::Call { result, .. } = &mut self.edges[call.index()].op {
            *result = Some(temporary);
        }
        if let Some(place) = result {
            let (from, to) = self.after_edge(call);
            let value = self.program.arena.add_expr(ExprKind::Read(temporary), ty);
            self.push(from, to, Op::Assign { place, value });
        }
        Some(temporary)
    }

    fn temporary(&mut self, call: EdgeId, ty: TypeId) -> PlaceId {
        let edge = &self.edges[call.index()];
        let (function, span) = (self.owners[edge.source.index()], edge.span);
        let name = format!("result${}", self.program.variables.len());
        let variable = self.program.variables.push(Variable {
            name: name.into(),
            ty,
            kind: VariableKind::Temporary,
            function: Some(function),
            span,
            scope: Span::NONE,
            initializer: Box::new([]),
            in_memory: false,
        });
        if let Some(body) = &mut self.program.functions[function].body {
            let mut locals = std::mem::take(&mut body.locals).into_vec();
            locals.push(variable);
            body.locals = locals.into();
        }
        self.program.arena.add_place(PlaceKind::Variable(variable), ty)
    }

    pub fn number(&mut self, value: usize) -> ExprId {
        self.program.arena.add_constant(&self.program.types, value as u128, self.int)
    }

    pub fn compare(&mut self, op: BinaryOp, place: PlaceId, value: usize) -> ExprId {
        let read = self.program.arena.add_expr(ExprKind::Read(place), self.int);
        let number = self.number(value);
        self.program.arena.add_expr(ExprKind::Binary(op, read, number), self.int)
    }

    pub fn function_of(&self, node: NodeId) -> FunctionId {
        self.owners[node.index()]
    }

    /// A new node in the function of another one.
    pub fn node_like(&mut self, other: NodeId) -> NodeId {
        let node = NodeId::from_index(self.owners.len());
        self.owners.push(self.owners[other.index()]);
        node
    }

    /// A new node before this one: whoever comes by an edge from outside of these spans comes there first.
    pub fn before_node(&mut self, node: NodeId, except: &[Span]) -> NodeId {
        let new = self.node_like(node);
        for edge in self.edges.iter_mut().filter(|edge| edge.target == node) {
            if !except.iter().any(|span| span.contains(edge.span)) {
                edge.target = new;
            }
        }
        let function = self.owners[node.index()];
        if let Some(body) = self.program.functions[function].body.as_mut().filter(|body| body.entry == node) {
            body.entry = new;
        }
        new
    }

    /// A new node in which the function begins, and the one in which it began.
    pub fn before_entry(&mut self, function: FunctionId) -> Option<(NodeId, NodeId)> {
        let entry = self.program.functions[function].body.as_ref()?.entry;
        let new = self.node_like(entry);
        self.program.functions[function].body.as_mut()?.entry = new;
        Some((new, entry))
    }

    /// A new node that the edge leads to, and the one it led to.
    pub fn after_edge(&mut self, edge: EdgeId) -> (NodeId, NodeId) {
        let target = self.edges[edge.index()].target;
        let new = self.node_like(target);
        self.edges[edge.index()].target = new;
        (new, target)
    }

    /// The node that the edge left, and a new one that it leaves now.
    pub fn before_edge(&mut self, edge: EdgeId) -> (NodeId, NodeId) {
        let source = self.edges[edge.index()].source;
        let new = self.node_like(source);
        self.edges[edge.index()].source = new;
        (source, new)
    }

    /// New edges stand nowhere in the text: nobody takes them for a part of a loop ([`Weaver::before_node`]).
    fn push(&mut self, source: NodeId, target: NodeId, op: Op) -> EdgeId {
        let edge = EdgeId::from_index(self.edges.len());
        self.edges.push(Edge { source, target, op, span: Span::NONE, condition: None, outcome: None });
        edge
    }

    pub fn skip(&mut self, from: NodeId, to: NodeId) -> EdgeId {
        self.push(from, to, Op::Skip)
    }

    pub fn assign(&mut self, from: NodeId, to: NodeId, place: PlaceId, value: usize) {
        let value = self.number(value);
        self.push(from, to, Op::Assign { place, value });
    }

    pub fn test(&mut self, from: NodeId, condition: ExprId, yes: NodeId, no: NodeId) {
        self.push(from, yes, Op::Assume { condition, truth: true });
        self.push(from, no, Op::Assume { condition, truth: false });
    }

    /// Leads to one node or the other, as the formula says.
    pub fn decide(&mut self, from: NodeId, formula: &Formula, yes: NodeId, no: NodeId) {
        match formula {
            Formula::Atom(condition) => self.test(from, *condition, yes, no),
            Formula::Not(inner) => self.decide(from, inner, no, yes),
            Formula::And(parts) | Formula::Or(parts) => {
                let Some((last, others)) = parts.split_last() else {
                    let to = if matches!(formula, Formula::And(_)) { yes } else { no };
                    self.skip(from, to);
                    return;
                };
                let mut at = from;
                for part in others {
                    let next = self.node_like(from);
                    match formula {
                        Formula::And(_) => self.decide(at, part, next, no),
                        _ => self.decide(at, part, yes, next),
                    }
                    at = next;
                }
                self.decide(at, last, yes, no);
            }
        }
    }

    /// The path ends there.
    pub fn stop(&mut self, from: NodeId) {
        let end = self.node_like(from);
        let callee = Callee::Builtin(Builtin::Trap);
        self.push(from, end, Op::Call { callee, arguments: Box::new([]), result: None });
    }

    /// An error; the edge that is one.
    pub fn fail(&mut self, from: NodeId, span: Span) -> EdgeId {
        let end = self.node_like(from);
        let callee = Callee::Direct(self.error);
        let edge = self.push(from, end, Op::Call { callee, arguments: Box::new([]), result: None });
        self.edges[edge.index()].span = span;
        edge
    }

    /// The program, and what has become of each edge.
    pub fn finish(self) -> (Program, HashMap<EdgeId, EdgeId>) {
        let Weaver { mut program, owners, mut edges, .. } = self;
        let mut order: Vec<usize> = (0..owners.len()).collect();
        // The nodes of one function are neighbours; functions keep their order.
        let first = |node: usize| {
            let body = program.functions[owners[node]].body.as_ref();
            body.map_or(u32::MAX, |body| body.nodes.start.0)
        };
        order.sort_by_key(|node| (first(*node), *node));
        let mut numbers = vec![NodeId(0); owners.len()];
        for (new, old) in order.iter().enumerate() {
            numbers[*old] = NodeId::from_index(new);
        }
        let renumber = |node: NodeId| numbers[node.index()];
        for edge in &mut edges {
            (edge.source, edge.target) = (renumber(edge.source), renumber(edge.target));
        }
        let mut by_source: Vec<usize> = (0..edges.len()).collect();
        by_source.sort_by_key(|edge| edges[*edge].source);
        let moved = by_source.iter().enumerate();
        let map = moved.map(|(new, old)| (EdgeId::from_index(*old), EdgeId::from_index(new))).collect();
        program.edges = by_source.iter().map(|old| edges[*old].clone()).collect::<Vec<_>>().into();
        let none = IdRange::new(EdgeId(0), EdgeId(0));
        let nodes = order.iter().map(|old| Node { function: owners[*old], out: none });
        program.nodes = nodes.collect::<Vec<_>>().into();
        program.seal();
        for statement in &mut program.statements {
            statement.node = renumber(statement.node);
        }
        renumber_bodies(&mut program, &owners, &order, renumber);
        (program, map)
    }
}

fn renumber_bodies(program: &mut Program, owners: &[FunctionId], order: &[usize], renumber: impl Fn(NodeId) -> NodeId) {
    let mut ranges: IdVec<FunctionId, Option<(usize, usize)>> = IdVec::filled(None, program.functions.len());
    for (new, old) in order.iter().enumerate() {
        let range = &mut ranges[owners[*old]];
        *range = Some(range.map_or((new, new + 1), |(start, _)| (start, new + 1)));
    }
    let ids: Vec<FunctionId> = program.functions.ids().collect();
    for id in ids {
        let Some((start, end)) = ranges[id] else { continue };
        let nodes = IdRange::new(NodeId::from_index(start), NodeId::from_index(end));
        let first = program.out(nodes.start).start;
        let last = program.out(NodeId::from_index(end - 1)).end;
        let Some(body) = &mut program.functions[id].body else { continue };
        body.nodes = nodes;
        body.edges = IdRange::new(first, last);
        (body.entry, body.exit) = (renumber(body.entry), renumber(body.exit));
        body.labels.iter_mut().for_each(|(_, node)| *node = renumber(*node));
        body.loops.iter_mut().for_each(|statement| statement.head = renumber(statement.head));
    }
}
