//! Why a path cannot be taken: the values that decide it, at every point of the path. Found by going back from the step
//! that fails through what it read, what wrote that, and so on.

use std::rc::Rc;

use tandem_cfa::Op;
use tandem_cpa::{Flow, Reached, StateId, Step, StepKind};

use super::content::held;
use super::domain::{Explicit, Value};
use super::precision::Precision;
use super::{State, Values};
use crate::store::{Cell, Store, Touched, Trace};

/// What came out of a path that was followed with everything known.
pub enum Followed {
    /// It cannot be taken.
    Refuted(Reasons),
    /// Known values do not speak against it.
    Open,
}

/// What speaks against a path.
#[derive(Default)]
pub struct Reasons {
    /// Whether the precision did not keep all of it.
    pub grew: bool,
    /// The first step behind which the state that was explored lacks some of it, and the same among the states that are older
    /// than the precision.
    pub lacking: Option<usize>,
    pub lacking_old: Option<usize>,
}

/// A path that was explored.
pub struct Explored<'r> {
    pub reached: &'r Reached<State>,
    /// The steps, with the state each begins in.
    pub path: &'r [(StateId, Step)],
    /// States from here on were made with the precision as it is.
    pub fresh: StateId,
}

impl Explored<'_> {
    /// What is known behind a step, and whether that is older than the precision; nothing where states are not kept.
    fn behind(&self, step: usize) -> Option<(&Store<Explicit>, bool)> {
        let (id, _) = self.path.get(step + 1)?;
        match &self.reached.entries[*id].state {
            State::At(store, true) => Some((store, *id < self.fresh)),
            State::At(_, false) | State::Spent | State::Gap { .. } => None,
        }
    }
}

/// Follows the path with everything known. If it cannot be taken, adds the values that decide it to the precision.
pub fn explain(
    values: &mut Values<'_>,
    flow: &Flow<'_>,
    explored: &Explored<'_>,
    precision: &mut Precision,
) -> Followed {
    let Ok(start) = values.executor.start(flow, ()) else { return Followed::Open };
    let mut before = vec![Rc::new(start)];
    for (_, step) in explored.path {
        let mut next = (*before[before.len() - 1]).clone();
        match values.carry_out(flow, &mut next, step) {
            Ok(()) => before.push(Rc::new(next)),
            Err(end) => match end.gap() {
                None => return Followed::Refuted(add_reasons(values, flow, explored, &before, precision)),
                Some(_) => return Followed::Open,
            },
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
    explored: &Explored<'_>,
    before: &[Rc<Store<Explicit>>],
    precision: &mut Precision,
) -> Reasons {
    let last = before.len() - 1;
    let mut needed: Vec<Touched> = Vec::new();
    let reads = traced(values, flow, &before[last], &explored.path[last].1).reads;
    add_known(values, &mut needed, &before[last], &reads);
    let mut reasons = Reasons::default();
    for (index, ((_, step), store)) in explored.path[..last].iter().zip(before).enumerate().rev() {
        if values.meets(step.to.node) {
            for touched in &needed {
                reasons.grew |= precision.add(&values.executor, step.to.node, *touched);
            }
            if let Some((state, old)) = explored.behind(index) {
                if !needed.iter().all(|one| is_known(values, state, *one)) {
                    reasons.lacking = Some(index);
                    reasons.lacking_old = if old { Some(index) } else { reasons.lacking_old };
                }
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
    reasons
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
