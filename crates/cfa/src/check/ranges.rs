//! Invariants 1 and 2: ids in range, types and records well-founded. Must not follow an id before it has been looked at.

use tandem_base::{Id, IdRange};
use tandem_syntax::types::{Length, RecordId, Type, TypeId};

use super::{Found, Spot};
use crate::model::*;

pub(super) fn check(program: &Program, found: &mut Found) {
    let mut ranges = Ranges { program, found };
    ranges.types();
    ranges.arena();
    ranges.variables();
    ranges.functions();
    ranges.nodes();
    ranges.edges();
    ranges.decisions();
    let sound = ranges.found.violations.is_empty();
    if sound {
        records_are_finite(program, found);
    }
}

struct Ranges<'a> {
    program: &'a Program,
    found: &'a mut Found,
}

impl Ranges<'_> {
    fn below<I: Id>(&mut self, id: I, count: usize, spot: Spot) {
        self.found.require(id.index() < count, 1, spot, || format!("{id:?} is out of range"));
    }

    fn run<I: Id>(&mut self, run: IdRange<I>, count: usize, spot: Spot) {
        let holds = run.start <= run.end && run.end.index() <= count;
        self.found.require(holds, 1, spot, || format!("the run {:?}..{:?} is out of range", run.start, run.end));
    }

    fn ty(&mut self, id: TypeId, spot: Spot) {
        self.below(id, self.program.types.len(), spot);
    }

    fn variable(&mut self, id: VariableId, spot: Spot) {
        self.below(id, self.program.variables.len(), spot);
    }

    fn function(&mut self, id: FunctionId, spot: Spot) {
        self.below(id, self.program.functions.len(), spot);
    }

    fn node(&mut self, id: NodeId, spot: Spot) {
        self.below(id, self.program.nodes.len(), spot);
    }

    fn expr(&mut self, id: ExprId, spot: Spot) {
        self.below(id, self.program.arena.exprs().len(), spot);
    }

    fn place(&mut self, id: PlaceId, spot: Spot) {
        self.below(id, self.program.arena.places().len(), spot);
    }

    fn types(&mut self) {
        for (id, ty) in self.program.types.iter() {
            let mut part = |part: TypeId| {
                self.found.require(part < id, 2, Spot::Type(id), || format!("its part {part} has no smaller id"));
            };
            match ty {
                Type::Pointer(to) => part(*to),
                Type::Array { element, .. } => part(*element),
                Type::Function(function) => {
                    part(function.result);
                    function.parameters.iter().for_each(|p| part(*p));
                }
                Type::Record(record) => self.below(*record, self.program.types.records.len(), Spot::Type(id)),
                Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Unsupported(_) => {}
            }
        }
        for (id, record) in self.program.types.records.enumerate() {
            for field in &record.fields {
                self.ty(field.ty, Spot::Record(id));
            }
        }
    }

    fn arena(&mut self) {
        let arena = &self.program.arena;
        for (id, expr) in arena.exprs().enumerate() {
            let spot = Spot::Expr(id);
            self.ty(expr.ty, spot);
            match expr.kind {
                ExprKind::Bits(_) | ExprKind::Zero => {}
                ExprKind::Wide(wide) => self.below(wide, arena.wides().len(), spot),
                ExprKind::Read(place) | ExprKind::AddressOf(place) => self.place(place, spot),
                ExprKind::Function(function) => self.function(function, spot),
                ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.expr(operand, spot),
                ExprKind::Binary(_, left, right) => {
                    self.expr(left, spot);
                    self.expr(right, spot);
                }
                ExprKind::Intrinsic(_, first, second) => {
                    self.expr(first, spot);
                    second.into_iter().for_each(|second| self.expr(second, spot));
                }
            }
        }
        for (id, place) in arena.places().enumerate() {
            let spot = Spot::Place(id);
            self.ty(place.ty, spot);
            match place.kind {
                PlaceKind::Variable(variable) => self.variable(variable, spot),
                PlaceKind::Deref(pointer) => self.expr(pointer, spot),
                PlaceKind::Field(base, record, _) => {
                    self.place(base, spot);
                    self.below(record, self.program.types.records.len(), spot);
                }
                PlaceKind::Index(base, index) => {
                    self.place(base, spot);
                    self.expr(index, spot);
                }
            }
        }
    }

    fn variables(&mut self) {
        for (id, variable) in self.program.variables.enumerate() {
            let spot = Spot::Variable(id);
            self.ty(variable.ty, spot);
            variable.function.into_iter().for_each(|function| self.function(function, spot));
            for initial in &variable.initializer {
                match initial.value {
                    InitialData::Scalar(value) => self.expr(value, spot),
                    InitialData::Bytes(_) => {}
                }
            }
        }
    }

    fn functions(&mut self) {
        self.program.entry.into_iter().for_each(|entry| self.function(entry, Spot::Program));
        for (id, function) in self.program.functions.enumerate() {
            let spot = Spot::Function(id);
            self.ty(function.ty, spot);
            let Some(body) = &function.body else { continue };
            self.run(body.nodes, self.program.nodes.len(), spot);
            self.run(body.edges, self.program.edges.len(), spot);
            self.node(body.entry, spot);
            self.node(body.exit, spot);
            body.parameters.iter().chain(&body.locals).for_each(|variable| self.variable(*variable, spot));
            body.labels.iter().for_each(|(_, node)| self.node(*node, spot));
            body.loops.iter().for_each(|statement| self.node(statement.head, spot));
        }
    }

    fn nodes(&mut self) {
        for (id, node) in self.program.nodes.enumerate() {
            self.function(node.function, Spot::Node(id));
            self.run(node.out, self.program.edges.len(), Spot::Node(id));
        }
        for (index, statement) in self.program.statements.iter().enumerate() {
            self.node(statement.node, Spot::Statement(index));
        }
    }

    fn edges(&mut self) {
        for (id, edge) in self.program.edges.enumerate() {
            let spot = Spot::Edge(id);
            self.node(edge.source, spot);
            self.node(edge.target, spot);
            edge.condition.into_iter().for_each(|c| self.below(c, self.program.conditions.len(), spot));
            edge.outcome.into_iter().for_each(|(d, _)| self.below(d, self.program.decisions.len(), spot));
            self.op(&edge.op, spot);
        }
    }

    fn op(&mut self, op: &Op, spot: Spot) {
        match op {
            Op::Skip | Op::Unsupported { .. } => {}
            Op::Assume { condition, .. } => self.expr(*condition, spot),
            Op::Assign { place, value } => {
                self.place(*place, spot);
                self.expr(*value, spot);
            }
            Op::Call { callee, arguments, result } => {
                match callee {
                    Callee::Direct(function) => self.function(*function, spot),
                    Callee::Pointer(pointer) => self.expr(*pointer, spot),
                    Callee::Builtin(_) => {}
                }
                arguments.iter().for_each(|argument| self.expr(*argument, spot));
                result.iter().for_each(|place| self.place(*place, spot));
            }
            Op::Return { value } => value.iter().for_each(|value| self.expr(*value, spot)),
            Op::Declare(variable) => self.variable(*variable, spot),
        }
    }

    fn decisions(&mut self) {
        for (id, decision) in self.program.decisions.enumerate() {
            self.function(decision.function, Spot::Decision(id));
        }
        for (id, condition) in self.program.conditions.enumerate() {
            self.below(condition.decision, self.program.decisions.len(), Spot::Condition(id));
        }
    }
}

/// The record that lies inside an object of this type, if any, below its arrays.
fn record_inside(program: &Program, mut ty: TypeId) -> Option<RecordId> {
    loop {
        match program.types.get(ty) {
            // An array of unknown size has no elements of its own: a flexible member ends the containment.
            Type::Array { length: Length::Incomplete, .. } => return None,
            Type::Array { element, .. } => ty = *element,
            Type::Record(record) => return Some(*record),
            _ => return None,
        }
    }
}

fn records_are_finite(program: &Program, found: &mut Found) {
    let records = &program.types.records;
    let mut state = vec![State::New; records.len()];
    let mut stack: Vec<(RecordId, usize)> = Vec::new();
    for root in records.ids() {
        if state[root.index()] != State::New {
            continue;
        }
        state[root.index()] = State::Open;
        stack.push((root, 0));
        while let Some((record, next)) = stack.pop() {
            let Some(field) = records[record].fields.get(next) else {
                state[record.index()] = State::Done;
                continue;
            };
            stack.push((record, next + 1));
            let Some(inner) = record_inside(program, field.ty) else { continue };
            match state[inner.index()] {
                State::New => {
                    state[inner.index()] = State::Open;
                    stack.push((inner, 0));
                }
                State::Open => found.add(2, Spot::Record(inner), "it contains itself"),
                State::Done => {}
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Open,
    Done,
}
