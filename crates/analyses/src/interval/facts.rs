//! What the states say to others: bounds of variables at cut points, and loop invariants in C.

use std::collections::BTreeMap;

use tandem_artifact::Invariant;
use tandem_base::{Budget, Span};
use tandem_cfa::{FunctionId, NodeId, Program, Scalar, VariableId};
use tandem_cpa::{Flow, Point};

use super::analysis::Bounded;
use super::domain::{Shape, limits, shape};
use super::values::{Intervals, seen_as};
use super::{Fixpoint, Interval};
use crate::blocks::is_cut;
use crate::store::{Cell, Home, StartKey, Store};

/// The value of a variable or cell lies between these, in every run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    pub key: StartKey,
    pub low: i128,
    pub high: i128,
    /// Whether the bits are to be taken as a signed number.
    pub signed: bool,
}

/// Bounds of variables that are not in memory, at cut points. Points are those of this flow. Of a point that is missing nothing is
/// known: runs may get there that lead to no error. Nothing at all if the analysis does not come to an end, or meets
/// something that it does not model.
pub fn bounds(flow: &mut Flow<'_>, budget: &Budget) -> Option<BTreeMap<Point, Vec<Bound>>> {
    let mut analysis = Bounded::new(flow);
    let mut fixpoint = Fixpoint::default();
    fixpoint.run(&mut analysis, flow, budget).ok()?;
    let gaps = fixpoint.check(&mut analysis, flow, budget).ok()?;
    if !gaps.is_empty() || fixpoint.is_bounded {
        return None;
    }
    let cuts = fixpoint.states.iter().filter(|(point, _)| is_cut(flow, **point));
    Some(cuts.map(|(point, store)| (*point, slot_bounds(&analysis, store))).collect())
}

fn slot_bounds(analysis: &Bounded<'_>, store: &Store<Intervals>) -> Vec<Bound> {
    let layout = &analysis.executor.layout;
    let mut found = Vec::new();
    let mut add = |depth: u32, variable: VariableId, cell: &Cell<Interval>| {
        let scalar = analysis.executor.program.types.scalar(analysis.executor.program.variables[variable].ty);
        if let Some((low, high, scalar)) = scalar.and_then(|scalar| known(scalar, cell)) {
            let key = StartKey::Slot { depth, variable };
            found.push(Bound { key, low, high, signed: scalar.is_signed() });
        }
    };
    for (variable, cell) in layout.static_slots.iter().zip(store.statics.iter()) {
        add(0, *variable, cell);
    }
    for (depth, frame) in store.frames.iter().enumerate() {
        for (variable, cell) in layout.frame_slots[frame.function].iter().zip(&frame.slots) {
            add(depth as u32 + 1, *variable, cell);
        }
    }
    found
}

/// The bounds of an integer, if they say more than its type.
fn known(scalar: Scalar, cell: &Cell<Interval>) -> Option<(i128, i128, Scalar)> {
    match scalar {
        Scalar::Bool | Scalar::Int { .. } if shape(scalar) == Shape::Range => {}
        Scalar::Bool | Scalar::Int { .. } | Scalar::Float(_) | Scalar::Pointer { .. } => return None,
    }
    let (low, high) = match cell {
        Cell::Zero => (0, 0),
        Cell::Value(value) => seen_as(scalar, value).bounds()?,
        Cell::Undefined | Cell::Start | Cell::Unknown => return None,
    };
    let whole = limits(scalar);
    (whole.low < low || high < whole.high).then_some((low, high, scalar))
}

/// At each loop of the source that can be reached, the bounds of the variables that are in scope there.
pub fn invariants(analysis: &Bounded<'_>, flow: &Flow<'_>, fixpoint: &Fixpoint) -> Vec<Invariant> {
    let program = flow.program;
    let mut found = Vec::new();
    for (function, definition) in program.functions.enumerate().filter(|(_, function)| !function.is_library) {
        let Some(body) = &definition.body else { continue };
        for statement in &body.loops {
            let text = at_loop(analysis, fixpoint, program, function, statement.head, statement.span);
            if let Some(value) = text {
                found.push(Invariant { function, at: statement.span, value });
            }
        }
    }
    found
}

/// Variables that an invariant speaks about.
const PARTS: usize = 10;

fn at_loop(
    analysis: &Bounded<'_>,
    fixpoint: &Fixpoint,
    program: &Program,
    function: FunctionId,
    head: NodeId,
    at: Span,
) -> Option<String> {
    let stores: Vec<&Store<Intervals>> =
        fixpoint.states.iter().filter(|(point, _)| point.node == head).map(|(_, store)| store).collect();
    if stores.is_empty() {
        return None;
    }
    // Those of the function come first, and more than a few nobody reads.
    let mut parts = Vec::new();
    let (own, others): (Vec<_>, Vec<_>) =
        program.variables.enumerate().partition(|(_, other)| other.function.is_some());
    for (id, variable) in own.into_iter().chain(others) {
        if parts.len() >= PARTS {
            break;
        }
        let Some(scalar) = program.types.scalar(variable.ty).filter(|scalar| scalar.bits() <= 64) else { continue };
        if variable.function.is_some_and(|owner| owner != function) || !is_meant(program, function, at, id) {
            continue;
        }
        let cells = stores.iter().map(|store| cell(analysis, store, id).and_then(|cell| known(scalar, cell)));
        let Some(all) = cells.collect::<Option<Vec<_>>>() else { continue };
        let low = all.iter().map(|(low, ..)| *low).min()?;
        let high = all.iter().map(|(_, high, _)| *high).max()?;
        parts.extend(comparison(&variable.name, scalar, low, high));
    }
    (!parts.is_empty()).then(|| parts.join(" && "))
}

fn cell<'s>(analysis: &Bounded<'_>, store: &'s Store<Intervals>, variable: VariableId) -> Option<&'s Cell<Interval>> {
    match analysis.executor.layout.homes[variable] {
        Home::StaticSlot(slot) => store.statics.get(slot as usize),
        Home::FrameSlot(slot) => store.frame()?.slots.get(slot as usize),
        Home::StaticObject | Home::LocalObject => None,
    }
}

/// Whether the variable's name means it at this place: no inner one hides it, and none like it is in scope.
fn is_meant(program: &Program, function: FunctionId, at: Span, id: VariableId) -> bool {
    let here = Span::new(at.lo, at.lo);
    let own = &program.variables[id];
    let in_scope = |scope: Span| !scope.is_none() && scope.contains(here);
    let length = |scope: Span| scope.hi - scope.lo;
    in_scope(own.scope)
        && program.variables.enumerate().all(|(other, variable)| {
            other == id
                || variable.name != own.name
                || variable.function.is_some_and(|owner| owner != function)
                || !in_scope(variable.scope)
                || length(variable.scope) > length(own.scope)
        })
}

/// In C; nothing where it would only repeat the type.
fn comparison(name: &str, scalar: Scalar, low: i128, high: i128) -> Option<String> {
    let whole = Interval::top(scalar).bounds()?;
    let (lower, upper) = (literal(scalar, low), literal(scalar, high));
    match (low > whole.0, high < whole.1) {
        _ if low == high => Some(format!("{name} == {lower}")),
        (true, true) => Some(format!("{lower} <= {name} && {name} <= {upper}")),
        (true, false) => Some(format!("{lower} <= {name}")),
        (false, true) => Some(format!("{name} <= {upper}")),
        (false, false) => None,
    }
}

/// A constant that C takes for a number of the type (or of `int`, for narrower ones).
pub fn literal(scalar: Scalar, value: i128) -> String {
    let suffix = match (scalar.bits() > 32, scalar.is_signed()) {
        (true, true) => "LL",
        (true, false) => "ULL",
        (false, false) if scalar.bits() == 32 => "U",
        (false, _) => "",
    };
    let least = limits(scalar).low;
    match value == least && scalar.is_signed() && scalar.bits() >= 32 {
        // There are no negative literals, and the magnitude of this one is too large.
        true => format!("(-{}{suffix} - 1)", -(least + 1)),
        false => format!("{value}{suffix}"),
    }
}
