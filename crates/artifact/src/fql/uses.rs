//! Which edges write and read a variable, by its name in the source.

use tandem_cfa::{Callee, EdgeId, ExprId, ExprKind, Op, PlaceId, PlaceKind, Program};

use super::Semantics;

/// Whether the edge assigns to (a part of) the variable, or to what it points to.
pub(super) fn defines(program: &Program, edge: EdgeId, name: &str) -> bool {
    match &program.edges[edge].op {
        Op::Assign { place, .. } => base_is(program, *place, name),
        Op::Call { result: Some(place), .. } => base_is(program, *place, name),
        Op::Call { result: None, .. }
        | Op::Skip
        | Op::Assume { .. }
        | Op::Return { .. }
        | Op::Declare(_)
        | Op::Unsupported { .. } => false,
    }
}

/// The name that a place begins with: `a` of `a[i].x`, also if `a` is a pointer.
fn base_is(program: &Program, place: PlaceId, name: &str) -> bool {
    let mut place = place;
    loop {
        match program.place(place).kind {
            PlaceKind::Variable(variable) => return &*program.variables[variable].name == name,
            PlaceKind::Field(base, ..) | PlaceKind::Index(base, _) => place = base,
            PlaceKind::Deref(pointer) => match pointer_base(program, pointer) {
                Some(base) => place = base,
                None => return false,
            },
        }
    }
}

fn pointer_base(program: &Program, mut pointer: ExprId) -> Option<PlaceId> {
    loop {
        match program.expr(pointer).kind {
            ExprKind::Read(place) | ExprKind::AddressOf(place) => return Some(place),
            ExprKind::Binary(_, left, _) => pointer = left,
            ExprKind::Convert(inner) | ExprKind::Unary(_, inner) => pointer = inner,
            ExprKind::Bits(_)
            | ExprKind::Wide(_)
            | ExprKind::Zero
            | ExprKind::Function(_)
            | ExprKind::Intrinsic(..) => {
                return None;
            }
        }
    }
}

/// Whether the edge reads the variable. For FShell only right sides of assignments count.
pub(super) fn uses(program: &Program, edge: EdgeId, name: &str, semantics: Semantics) -> bool {
    let reads = |expr: ExprId| mentions(program, vec![expr], Vec::new(), name);
    let tiger = semantics == Semantics::Tiger;
    match &program.edges[edge].op {
        Op::Assign { place, value } => reads(*value) || (tiger && reads_for_place(program, *place, name)),
        Op::Call { callee, arguments, result } if tiger => {
            let pointer = matches!(callee, Callee::Pointer(pointer) if reads(*pointer));
            let place = result.is_some_and(|place| reads_for_place(program, place, name));
            pointer || place || arguments.iter().any(|argument| reads(*argument))
        }
        Op::Assume { condition, .. } => tiger && reads(*condition),
        Op::Return { value: Some(value) } => tiger && reads(*value),
        Op::Call { .. } | Op::Return { value: None } | Op::Skip | Op::Declare(_) | Op::Unsupported { .. } => false,
    }
}

/// Whether finding out where a place is reads the variable: indices and pointers.
fn reads_for_place(program: &Program, place: PlaceId, name: &str) -> bool {
    let mut place = place;
    let mut read = Vec::new();
    loop {
        match program.place(place).kind {
            PlaceKind::Variable(_) => break,
            PlaceKind::Field(base, ..) => place = base,
            PlaceKind::Index(base, index) => {
                read.push(index);
                place = base;
            }
            PlaceKind::Deref(pointer) => {
                read.push(pointer);
                break;
            }
        }
    }
    mentions(program, read, Vec::new(), name)
}

fn mentions(program: &Program, mut exprs: Vec<ExprId>, mut places: Vec<PlaceId>, name: &str) -> bool {
    loop {
        if let Some(expr) = exprs.pop() {
            match program.expr(expr).kind {
                ExprKind::Read(place) | ExprKind::AddressOf(place) => places.push(place),
                ExprKind::Unary(_, inner) | ExprKind::Convert(inner) => exprs.push(inner),
                ExprKind::Binary(_, left, right) => exprs.extend([left, right]),
                ExprKind::Intrinsic(_, one, other) => exprs.extend(std::iter::once(one).chain(other)),
                ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
            }
        } else if let Some(place) = places.pop() {
            match program.place(place).kind {
                PlaceKind::Variable(variable) if &*program.variables[variable].name == name => return true,
                PlaceKind::Variable(_) => {}
                PlaceKind::Field(base, ..) => places.push(base),
                PlaceKind::Index(base, index) => {
                    places.push(base);
                    exprs.push(index);
                }
                PlaceKind::Deref(pointer) => exprs.push(pointer),
            }
        } else {
            return false;
        }
    }
}
