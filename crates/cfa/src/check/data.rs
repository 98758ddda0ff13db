//! Invariants 23 to 25: parameters, locals, initial values, and which variables live in memory.

use tandem_base::{Id, IdVec};
use tandem_syntax::types::{Type, TypeId};

use super::order::ArenaFacts;
use super::typing::ends_flexibly;
use super::{Found, Spot};
use crate::model::*;

pub(super) fn check(program: &Program, facts: &ArenaFacts, found: &mut Found) {
    lists(program, found);
    for (id, function) in program.functions.enumerate() {
        if let Some(body) = &function.body {
            parameters(program, id, function, body, found);
        }
    }
    for id in program.variables.ids() {
        initial_values(program, facts, id, found);
    }
    memory(program, found);
}

/// Every parameter, local and temporary is in the list of its function, once.
fn lists(program: &Program, found: &mut Found) {
    let mut listed = IdVec::filled(0u8, program.variables.len());
    for (function, definition) in program.functions.enumerate() {
        let Some(body) = &definition.body else { continue };
        let parameters = body.parameters.iter().map(|id| (*id, true));
        for (id, is_parameter) in parameters.chain(body.locals.iter().map(|id| (*id, false))) {
            let variable: &Variable = &program.variables[id];
            listed[id] = listed[id].saturating_add(1);
            let right_kind = match variable.kind {
                VariableKind::Parameter => is_parameter,
                VariableKind::Local | VariableKind::Temporary => !is_parameter,
                VariableKind::Global | VariableKind::External | VariableKind::Static | VariableKind::StringLiteral => {
                    false
                }
            };
            let holds = variable.function == Some(function) && right_kind;
            found.require(holds, 23, Spot::Variable(id), || format!("it stands in a list of {function} by mistake"));
        }
    }
    for (id, variable) in program.variables.enumerate() {
        let wanted = u8::from(!variable.kind.is_static());
        let count = listed[id];
        found.require(count == wanted, 23, Spot::Variable(id), || format!("it is listed {count} times, not {wanted}"));
    }
}

fn parameters(program: &Program, id: FunctionId, function: &Function, body: &Body, found: &mut Found) {
    let Type::Function(ty) = program.types.get(function.ty) else { return };
    if ty.unprototyped {
        return;
    }
    let given = body.parameters.iter().map(|id| program.variables[*id].ty);
    let holds = given.eq(ty.parameters.iter().copied());
    found.require(holds, 23, Spot::Function(id), || "its parameters are not those of its type".into());
}

fn initial_values(program: &Program, facts: &ArenaFacts, id: VariableId, found: &mut Found) {
    let variable = &program.variables[id];
    if variable.initializer.is_empty() {
        return;
    }
    let spot = Spot::Variable(id);
    let holds = variable.kind.is_static() && variable.kind != VariableKind::External;
    found.require(holds, 24, spot, || "it has initial values and is not static".into());
    let end = object_end(program, variable.ty);
    for initial in &variable.initializer {
        let size = match &initial.value {
            InitialData::Scalar(value) => {
                let expr = program.expr(*value);
                let holds = facts.exprs[*value].constant && program.types.scalar(expr.ty).is_some();
                found.require(holds, 24, spot, || "an initial value is no scalar constant".into());
                match initial.bits {
                    Some(bits) => (u64::from(bits.offset) + u64::from(bits.width)).div_ceil(8),
                    None => program.types.size(expr.ty).unwrap_or(0),
                }
            }
            InitialData::Bytes(bytes) => bytes.len() as u64,
        };
        let holds = initial.offset.checked_add(size).is_some_and(|last| last <= end);
        found.require(holds, 24, spot, || format!("the initial value at {} lies outside", initial.offset));
    }
}

/// Where the object must have ended; none for a record whose last member has no size of its own.
fn object_end(program: &Program, ty: TypeId) -> u64 {
    match program.types.get(ty) {
        Type::Record(record) if ends_flexibly(&program.types, &program.types.records[*record]) => u64::MAX,
        _ => program.types.size(ty).unwrap_or(0),
    }
}

fn memory(program: &Program, found: &mut Found) {
    for (id, variable) in program.variables.enumerate() {
        let holds = variable.in_memory || program.types.scalar(variable.ty).is_some();
        found.require(holds, 25, Spot::Variable(id), || "it is no scalar and not in memory".into());
    }
    let roots = Roots::of(&program.arena);
    for expr in program.arena.exprs().iter() {
        if let ExprKind::AddressOf(place) = expr.kind
            && let Some(variable) = roots.variable(place)
        {
            let holds = program.variables[variable].in_memory;
            found
                .require(holds, 25, Spot::Variable(variable), || "its address is taken and it is not in memory".into());
        }
    }
}

/// The variable each place is part of. A table, since following the bases of every place anew would be quadratic.
struct Roots(IdVec<PlaceId, Option<VariableId>>);

impl Roots {
    fn of(arena: &Arena) -> Roots {
        let mut roots = Roots(IdVec::filled(None, arena.places().len()));
        let mut known = IdVec::<PlaceId, bool>::filled(false, arena.places().len());
        let mut chain = Vec::new();
        for id in arena.places().ids() {
            let mut at = id;
            let root = loop {
                if known[at] {
                    break roots.0[at];
                }
                chain.push(at);
                match arena.place(at).kind {
                    PlaceKind::Variable(variable) => break Some(variable),
                    PlaceKind::Deref(_) => break None,
                    PlaceKind::Field(base, ..) | PlaceKind::Index(base, _) => at = base,
                }
            };
            for place in chain.drain(..) {
                known[place] = true;
                roots.0[place] = root;
            }
        }
        roots
    }

    fn variable(&self, place: PlaceId) -> Option<VariableId> {
        self.0.as_slice()[place.index()]
    }
}
