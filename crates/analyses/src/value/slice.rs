//! Why a path cannot be taken: the values that decide it, at every point of the path. Found by going back from the step
//! that fails through what it read, what wrote that, and so on.

use std::rc::Rc;

use tandem_cfa::Op;
use tandem_cpa::{Flow, Step, StepKind};

use super::Values;
use super::content::held;
use super::domain::{Explicit, Value};
use super::precision::Precision;
use crate::store::{Cell, Ended, Store, Touched, Trace};

/// What came out of a path that was followed with everything known.
pub enum Followed {
    /// It cannot be taken; whether the precision grew.
    Refuted { grew: bool },
    /// Known values do not speak against it.
    Open,
}

/// Follows the path with everything known. If it cannot be taken, adds the values that decide it to the precision.
pub fn explain(values: &mut Values<'_>, flow: &Flow<'_>, path: &[Step], precision: &mut Precision) -> Followed {
    let Ok(start) = values.executor.start(flow, ()) else { return Followed::Open };
    let mut before = vec![Rc::new(start)];
    for step in path {
        let mut next = (*before[before.len() - 1]).clone();
        match values.carry_out(flow, &mut next, step) {
            Ok(()) => before.push(Rc::new(next)),
            Err(Ended::Path) => {
                let grew = add_reasons(values, flow, path, &before, precision);
                return Followed::Refuted { grew };
            }
            Err(Ended::Unsupported(_)) => return Followed::Open,
        }
    }
    Followed::Open
}

fn traced(values: &mut Values<'_>, flow: &Flow<'_>, store: &Store<Explicit>, step: &Step) -> Trace {
    values.executor.trace = Some(Trace::default());
    let mut scratch = store.clone();
    let _ = values.carry_out(flow, &mut scratch, step);
    values.executor.trace.take().unwrap_or_default()
}

fn add_reasons(
    values: &mut Values<'_>,
    flow: &Flow<'_>,
    path: &[Step],
    before: &[Rc<Store<Explicit>>],
    precision: &mut Precision,
) -> bool {
    let last = before.len() - 1;
    let mut needed: Vec<Touched> = Vec::new();
    let reads = traced(values, flow, &before[last], &path[last]).reads;
    add_known(values, &mut needed, &before[last], &reads);
    let mut grew = false;
    for (step, store) in path[..last].iter().zip(before).rev() {
        if values.meets(step.to.node) {
            for touched in &needed {
                grew |= precision.add(&values.executor, *touched);
            }
        }
        let trace = traced(values, flow, store, step);
        let concerns = |write: &Touched| {
            needed.iter().any(|one| one.overlaps(*write) || one.object().is_some() && one.object() == write.object())
        };
        if !trace.writes.iter().any(concerns) {
            continue;
        }
        let reads = match step.kind {
            StepKind::Enter(_) => arguments_read(values, flow, store, step, &needed).unwrap_or(trace.reads),
            _ => trace.reads,
        };
        needed.retain(|one| !trace.writes.iter().any(|write| contains(*write, *one)));
        add_known(values, &mut needed, store, &reads);
    }
    grew
}

/// What is read for the parameters that are needed; nothing if that cannot be told apart.
fn arguments_read(
    values: &mut Values<'_>,
    flow: &Flow<'_>,
    store: &Store<Explicit>,
    step: &Step,
    needed: &[Touched],
) -> Option<Vec<Touched>> {
    let StepKind::Enter(function) = step.kind else { return None };
    let Op::Call { arguments, .. } = &flow.program.edges[step.edge].op else { return None };
    let body = flow.body(function)?;
    values.executor.trace = Some(Trace::default());
    let depth = store.frames.len() as u32 + 1;
    let mut complete = true;
    for (parameter, argument) in body.parameters.iter().zip(arguments) {
        let slot = Touched::Slot { depth, variable: *parameter };
        let in_memory = flow.program.variables[*parameter].in_memory;
        if in_memory || needed.contains(&slot) {
            complete &= values.executor.value(&mut store.clone(), *argument).is_ok();
        }
    }
    let trace = values.executor.trace.take()?;
    complete.then_some(trace.reads)
}

fn contains(outer: Touched, inner: Touched) -> bool {
    match (outer, inner) {
        (Touched::Object(base), Touched::Bytes { base: other, .. }) => base == other,
        (Touched::Bytes { base, offset, size }, Touched::Bytes { base: other, offset: start, size: length }) => {
            base == other && offset <= start && start + length <= offset + size
        }
        _ => outer == inner,
    }
}

fn add_known(values: &Values<'_>, needed: &mut Vec<Touched>, store: &Store<Explicit>, reads: &[Touched]) {
    for read in reads {
        if !needed.contains(read) && is_known(values, store, *read) {
            needed.push(*read);
        }
    }
}

fn is_known(values: &Values<'_>, store: &Store<Explicit>, touched: Touched) -> bool {
    let known = |cell: &Cell<Value>| matches!(held(cell), Value::Known(_));
    match touched {
        Touched::Slot { variable, depth } => values.slot(store, depth, variable).is_some_and(known),
        Touched::Bytes { base, offset, size } => store.objects.get(&base).is_some_and(|object| {
            !object.read_only
                && (object.cells.rest == Cell::Zero
                    || object
                        .cells
                        .runs
                        .iter()
                        .any(|(at, (length, cell))| *at < offset + size && offset < at + length && known(cell)))
        }),
        Touched::Object(_) => false,
        Touched::Returned => true,
    }
}
