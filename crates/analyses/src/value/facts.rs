//! What was seen at the heads of loops, as loop invariants in C: one of these combinations of values. Knows reached states and names;
//! how the combinations are put into words is in `cases`.

use std::collections::{BTreeMap, BTreeSet};

use tandem_artifact::Invariant;
use tandem_cfa::{FunctionId, LoopStatement, NodeId};
use tandem_cpa::{Flow, Point, Reached, StackId};

use super::cases::{Column, Row, say};
use super::content::held;
use super::domain::{Explicit, Value};
use super::{State, Values};
use crate::invariant::{Visible, is_everywhere, visible};
use crate::store::{ObjectKey, Store};

/// States at one loop; of more, nobody could read a summary.
const STATES: usize = 50_000;

/// Loop invariants from a complete exploration in which nothing was left open.
pub fn invariants(values: &mut Values<'_>, flow: &Flow<'_>, reached: &Reached<State>) -> Vec<Invariant> {
    let mut points: BTreeMap<NodeId, Vec<Point>> = BTreeMap::new();
    for point in reached.points().filter(|point| flow.is_head(point.node)) {
        points.entry(point.node).or_default().push(point);
    }
    let mut found = Vec::new();
    for (function, definition) in flow.program.functions.enumerate().filter(|(_, function)| !function.is_library) {
        let Some(body) = &definition.body else { continue };
        for statement in &body.loops {
            let here = points.get(&statement.head).map_or(&[][..], Vec::as_slice);
            if here.is_empty() || !sees_all(flow, statement.head, here) {
                continue;
            }
            if let Some(value) = at_loop(values, flow, reached, function, statement, here) {
                found.push(Invariant { function, at: statement.span, value });
            }
        }
    }
    found
}

/// Whether every visit of the loop was looked at, and not only those after which an error may come.
fn sees_all(flow: &Flow<'_>, node: NodeId, points: &[Point]) -> bool {
    let stacks: BTreeSet<StackId> = points.iter().map(|point| point.stack).collect();
    flow.is_relevant(Point { node, ..flow.start() }) || is_everywhere(flow.program, node, stacks.len())
}

fn at_loop(
    values: &mut Values<'_>,
    flow: &Flow<'_>,
    reached: &Reached<State>,
    function: FunctionId,
    statement: &LoopStatement,
    points: &[Point],
) -> Option<String> {
    let mut names = visible(flow.program, function, statement.span.lo);
    names.sort_by_key(|name| flow.program.variables[name.variable].function.is_none());
    let mut rows: BTreeSet<Row> = BTreeSet::new();
    let mut count = 0;
    for point in points {
        for id in reached.at(*point) {
            let State::At(store, true) = &reached.entries[*id].state else { return None };
            count += 1;
            if count > STATES {
                return None;
            }
            rows.insert(names.iter().map(|name| known(values, flow, store, *point, name)).collect());
        }
    }
    let columns = names.into_iter().map(|name| Column { text: name.text, scalar: name.scalar }).collect();
    say(columns, rows.into_iter().collect())
}

/// The value of a named integer in a state, if it is known.
fn known(
    values: &mut Values<'_>,
    flow: &Flow<'_>,
    store: &Store<Explicit>,
    point: Point,
    name: &Visible,
) -> Option<u128> {
    let depth = store.frames.len() as u32;
    let cell = match values.slot(store, depth, name.variable) {
        Some(cell) => cell,
        None => {
            let definition = &flow.program.variables[name.variable];
            let key = match definition.function.is_some() && !definition.kind.is_static() {
                true => ObjectKey::Local(name.variable, flow.stacks.instance(point.stack)),
                false => ObjectKey::Static(name.variable),
            };
            let base = values.executor.addresses.base(key, None)?;
            let object = store.objects.get(&base).filter(|object| object.alive)?;
            let (offset, size) = name.field.unwrap_or((0, u64::from(name.scalar.bits() / 8)));
            match object.cells.exact(offset, size) {
                Some(cell) => cell,
                None if object.cells.elements.is_none() && object.cells.is_untouched(offset, size) => {
                    &object.cells.rest
                }
                None => return None,
            }
        }
    };
    match held(cell) {
        Value::Known(bits) => Some(bits),
        Value::Foreign | Value::Near(_) | Value::Unknown => None,
    }
}
