//! What a source needs besides its functions: variables, functions that are called or pointed to, records.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tandem_base::{FastBuild, Problem, Span};
use tandem_syntax::DataModel;
use tandem_syntax::types::{IntKind, RecordId, Type, TypeId};

use super::outside;
use super::{Knot, Shape, Source};
use crate::model::*;

type Set<T> = HashSet<T, FastBuild>;

/// What one function mentions.
#[derive(Default)]
pub(super) struct Local {
    pub variables: Set<VariableId>,
    pub functions: Set<FunctionId>,
    /// Other names that stand in its text.
    pub names: HashSet<String>,
}

/// What the whole text mentions.
pub(super) struct Used {
    pub locals: Vec<Local>,
    /// Objects that live outside every function.
    pub variables: BTreeSet<VariableId>,
    pub functions: BTreeSet<FunctionId>,
    /// Whether the text needs the members, not just the tag.
    pub records: BTreeMap<RecordId, bool>,
    /// A type that has no form in C, and where it is first needed.
    pub problem: Option<Problem>,
}

impl Used {
    pub fn by(program: &Program, source: &Source) -> Used {
        let mut used = Used {
            locals: Vec::new(),
            variables: BTreeSet::new(),
            functions: BTreeSet::new(),
            records: BTreeMap::new(),
            problem: None,
        };
        let mut types = Types::new(program, &mut used.records);
        for shape in &source.functions {
            let local = shape_uses(program, shape, &mut types);
            let outside = |id: &&VariableId| program.variables[**id].kind.is_static();
            used.variables.extend(local.variables.iter().filter(outside));
            used.functions.extend(local.functions.iter());
            used.locals.push(local);
        }
        let mut open: Vec<VariableId> = used.variables.iter().copied().collect();
        while let Some(id) = open.pop() {
            let mut walk = Walk::new(program, &mut types);
            initial_uses(program, id, &mut walk);
            let found = walk.local;
            used.functions.extend(found.functions);
            open.extend(found.variables.into_iter().filter(|id| used.variables.insert(*id)));
        }
        for id in &used.functions {
            types.need(program.functions[*id].ty, false);
        }
        for id in &used.variables {
            types.need(program.variables[*id].ty, program.variables[*id].kind != VariableKind::External);
            types.blame(program.variables[*id].span);
        }
        used.problem = types.problem;
        used
    }
}

/// The variables and functions in a variable's initialiser.
pub(super) fn initial_references(program: &Program, id: VariableId) -> BTreeSet<VariableId> {
    let mut records = BTreeMap::new();
    let mut types = Types::new(program, &mut records);
    let mut walk = Walk::new(program, &mut types);
    initial_uses(program, id, &mut walk);
    walk.local.variables.into_iter().collect()
}

fn initial_uses(program: &Program, id: VariableId, walk: &mut Walk<'_, '_>) {
    for value in &program.variables[id].initializer {
        if let InitialData::Scalar(expr) = value.value {
            walk.expr(expr);
        }
    }
}

fn shape_uses<'a>(program: &'a Program, shape: &Shape, types: &mut Types<'a>) -> Local {
    types.need(program.functions[shape.original].ty, true);
    let mut walk = Walk::new(program, types);
    if let Some(body) = &program.functions[shape.original].body {
        for id in &body.parameters {
            walk.types.need(program.variables[*id].ty, true);
        }
    }
    for knot in &shape.nodes {
        match knot {
            Knot::Steps(steps) => {
                for taken in steps {
                    walk.edge(taken.edge);
                    walk.types.blame(program.edges[taken.edge].span);
                    walk.local.names.extend(taken.callee.clone());
                }
            }
            Knot::Test { condition, .. } => condition.atoms().into_iter().for_each(|atom| walk.expr(atom)),
            Knot::Stop | Knot::Dispatch(_) | Knot::Exit => {}
        }
    }
    let local = walk.local;
    for id in &local.variables {
        types.need(program.variables[*id].ty, program.variables[*id].kind != VariableKind::External);
    }
    local
}

struct Walk<'a, 'b> {
    program: &'a Program,
    types: &'b mut Types<'a>,
    local: Local,
    exprs: Set<ExprId>,
    places: Set<PlaceId>,
}

impl<'a, 'b> Walk<'a, 'b> {
    fn new(program: &'a Program, types: &'b mut Types<'a>) -> Walk<'a, 'b> {
        Walk { program, types, local: Local::default(), exprs: Set::default(), places: Set::default() }
    }

    fn edge(&mut self, id: EdgeId) {
        match &self.program.edges[id].op {
            Op::Skip => {}
            Op::Call { callee: Callee::Direct(model), .. } if outside::is_of_main(self.program, *model) => {}
            Op::Assume { condition, .. } => self.expr(*condition),
            Op::Assign { place, value } => {
                self.place(*place);
                self.expr(*value);
            }
            Op::Call { callee, arguments, result } => {
                match callee {
                    Callee::Direct(function) if outside::rounded(self.program, *function).is_some() => {}
                    Callee::Direct(function) => {
                        let function = outside::written(self.program, *function, self.program.edges[id].span);
                        self.function(function, true);
                    }
                    Callee::Pointer(pointer) => self.expr(*pointer),
                    Callee::Builtin(_) => {}
                }
                arguments.iter().for_each(|argument| self.expr(*argument));
                result.iter().for_each(|place| self.place(*place));
            }
            Op::Return { value } => value.iter().for_each(|value| self.expr(*value)),
            Op::Declare(variable) => drop(self.local.variables.insert(*variable)),
            Op::Unsupported { .. } => {
                for id in outside::variables_in(self.program, id) {
                    self.local.variables.insert(id);
                }
            }
        }
    }

    fn function(&mut self, id: FunctionId, is_called: bool) {
        self.local.functions.insert(id);
        self.types.need(self.program.functions[id].ty, is_called);
    }

    fn expr(&mut self, id: ExprId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if !self.exprs.insert(id) {
                continue;
            }
            let Expr { kind, ty } = self.program.expr(id);
            self.types.need(ty, true);
            match kind {
                ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero => {}
                ExprKind::Read(place) | ExprKind::AddressOf(place) => self.place_from(place, &mut open),
                ExprKind::Function(function) => self.function(function, false),
                ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => open.push(operand),
                ExprKind::Binary(op, left, right) => {
                    let moves = match op {
                        BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDiff => true,
                        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => false,
                        BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
                        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => false,
                        BinaryOp::Gt | BinaryOp::Ge => false,
                    };
                    if moves && let Some(to) = self.program.types.pointee(self.program.expr(left).ty) {
                        self.types.need(to, true);
                    }
                    open.extend([left, right]);
                }
                ExprKind::Intrinsic(_, first, second) => open.extend(second.into_iter().chain([first])),
            }
        }
    }

    fn place(&mut self, id: PlaceId) {
        let mut open = Vec::new();
        self.place_from(id, &mut open);
        open.into_iter().for_each(|expr| self.expr(expr));
    }

    /// Walks the place, and leaves the expressions in it to the caller.
    fn place_from(&mut self, mut id: PlaceId, open: &mut Vec<ExprId>) {
        while self.places.insert(id) {
            let Place { kind, ty } = self.program.place(id);
            self.types.need(ty, true);
            match kind {
                PlaceKind::Variable(variable) => {
                    self.local.variables.insert(variable);
                    return;
                }
                PlaceKind::Deref(pointer) => return open.push(pointer),
                PlaceKind::Field(base, ..) => id = base,
                PlaceKind::Index(base, index) => {
                    open.push(index);
                    id = base;
                }
            }
        }
    }
}

/// Collects the records of types.
struct Types<'a> {
    program: &'a Program,
    records: &'a mut BTreeMap<RecordId, bool>,
    seen: Set<(TypeId, bool)>,
    /// The last type that no text can name.
    unwritable: Option<TypeId>,
    problem: Option<Problem>,
}

impl<'a> Types<'a> {
    fn new(program: &'a Program, records: &'a mut BTreeMap<RecordId, bool>) -> Types<'a> {
        Types { program, records, seen: Set::default(), unwritable: None, problem: None }
    }

    /// Says where the last type was needed.
    fn blame(&mut self, span: Span) {
        if let Some(ty) = self.unwritable.take() {
            let message = format!("cannot be written as C: the type {}", self.program.types.declare(ty, "").trim_end());
            self.problem.get_or_insert(Problem::error(span, message));
        }
    }

    /// With `whole`, the members of a record that lies in the type itself are needed.
    fn need(&mut self, ty: TypeId, whole: bool) {
        let mut open = vec![(ty, whole)];
        while let Some((ty, whole)) = open.pop() {
            if !self.seen.insert((ty, whole)) {
                continue;
            }
            match self.program.types.get(ty) {
                // Compilers have no such integers where pointers have 32 bits.
                Type::Int(IntKind::Int128 | IntKind::UnsignedInt128) if self.program.model() == DataModel::Ilp32 => {
                    self.unwritable = Some(ty);
                }
                Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) => {}
                Type::Unsupported(_) => self.unwritable = if whole { Some(ty) } else { self.unwritable },
                Type::Pointer(to) => open.push((*to, false)),
                // An array of something without a size is no type.
                Type::Array { element, .. } => open.push((*element, true)),
                Type::Function(function) => {
                    open.push((function.result, whole));
                    open.extend(function.parameters.iter().map(|ty| (*ty, whole)));
                }
                Type::Record(id) => {
                    let record = &self.program.types.records[*id];
                    let known = self.records.entry(*id).or_default();
                    if whole && record.complete && !*known {
                        *known = true;
                        open.extend(record.fields.iter().map(|field| (field.ty, true)));
                    }
                }
            }
        }
    }
}

/// The variables that an edge names.
pub(super) fn edge_variables(program: &Program, edge: EdgeId) -> Set<VariableId> {
    let mut records = BTreeMap::new();
    let mut types = Types::new(program, &mut records);
    let mut walk = Walk::new(program, &mut types);
    walk.edge(edge);
    walk.local.variables
}

/// The variables that expressions name.
pub(super) fn expression_variables(program: &Program, exprs: impl Iterator<Item = ExprId>) -> Set<VariableId> {
    let mut records = BTreeMap::new();
    let mut types = Types::new(program, &mut records);
    let mut walk = Walk::new(program, &mut types);
    exprs.for_each(|expr| walk.expr(expr));
    walk.local.variables
}
