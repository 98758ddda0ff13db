//! Explicit values: states are stores of known numbers, and what is not known is simply not known. Fast, exact where a program
//! computes without inputs, and, with few values kept where paths meet, able to ignore what does not matter.
//!
//! Never asks a solver itself: [`search`] does, about alarms.

mod cases;
mod content;
mod domain;
mod facts;
mod live;
mod precision;
mod refine;
mod search;
mod slice;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use tandem_base::{IdVec, Span};
use tandem_cfa::{EdgeId, NodeId, Op, VariableId};
use tandem_cpa::{Analysis, Callees, Flow, Point, Step, StepKind};

use crate::store::{Cell, Executor, Frame, Home, Result, Store};
use content::Numbers;
pub use domain::{Explicit, Value};
use live::{Live, place_effect};
use precision::Precision;

pub use search::{ENTRY, value};

/// A state of the analysis.
#[derive(Clone)]
pub enum State {
    /// A store, and whether it is compared with others.
    At(Rc<Store<Explicit>>, bool),
    /// Expanded, and never looked at again.
    Spent,
    /// A step that is not modelled was taken.
    Gap { what: Rc<str>, at: Span },
}

/// The analysis.
pub struct Values<'a> {
    pub executor: Executor<'a, Explicit>,
    live: Live,
    /// Where paths meet: more than one edge leads there.
    meeting: IdVec<NodeId, bool>,
    /// The values that are kept where paths meet; all, if there is none.
    precision: Option<Precision>,
    /// Steps taken.
    pub steps: u64,
}

impl<'a> Values<'a> {
    pub fn new(flow: &Flow<'a>) -> Values<'a> {
        let executor = Executor::new(flow, Explicit);
        let live = Live::of(flow.program, &executor.layout);
        let mut entered: IdVec<NodeId, u32> = IdVec::filled(0, flow.program.nodes.len());
        for edge in flow.program.edges.iter() {
            entered[edge.target] += 1;
        }
        let meets = |(node, count): (NodeId, &u32)| *count > 1 || flow.is_head(node);
        let meeting = entered.enumerate().map(meets).collect();
        let mut values = Values { executor, live, meeting, precision: None, steps: 0 };
        // Recursion goes through entries.
        for body in flow.program.functions.iter().filter_map(|function| function.body.as_ref()) {
            values.meeting[body.entry] = true;
        }
        values
    }

    /// The same, but where paths meet only addresses are kept.
    pub fn forgetful(flow: &Flow<'a>) -> Values<'a> {
        Values { precision: Some(Precision::default()), ..Values::new(flow) }
    }

    fn meets(&self, node: NodeId) -> bool {
        self.meeting[node]
    }

    /// The cell of a variable that is not in memory.
    fn slot<'s>(&self, store: &'s Store<Explicit>, depth: u32, variable: VariableId) -> Option<&'s Cell<Value>> {
        match self.executor.layout.homes[variable] {
            Home::StaticSlot(slot) => store.statics.get(slot as usize),
            Home::FrameSlot(slot) => store.frames.get(depth.checked_sub(1)? as usize)?.slots.get(slot as usize),
            Home::StaticObject | Home::LocalObject => None,
        }
    }

    /// Carries out a step, and learns from what is assumed.
    fn carry_out(&mut self, flow: &Flow<'_>, store: &mut Store<Explicit>, step: &Step) -> Result<()> {
        if let StepKind::Enter(_) = step.kind {
            let depth = store.frames.len();
            self.executor.step(flow, store, step)?;
            self.forget_dead_caller(flow, store, depth - 1, step);
            return Ok(());
        }
        self.executor.step(flow, store, step)?;
        match (&flow.program.edges[step.edge].op, step.kind) {
            (Op::Assume { condition, truth }, StepKind::Inside) => {
                refine::learn_truth(&mut self.executor, store, *condition, *truth)
            }
            (Op::Call { arguments, .. }, StepKind::Call(function)) if self.assumes(function) => arguments
                .first()
                .map_or(Ok(()), |condition| refine::learn_truth(&mut self.executor, store, *condition, true)),
            _ => Ok(()),
        }
    }

    fn assumes(&self, function: tandem_cfa::FunctionId) -> bool {
        use tandem_cfa::library::{Kind, Primitive};
        matches!(self.executor.kinds[function], Kind::Library(Primitive::Assume))
    }

    /// Forgets the locals of the innermost call that are not needed from a node on.
    fn forget_dead(&self, store: &mut Store<Explicit>, node: NodeId) {
        let Some(frame) = store.frames.last_mut() else { return };
        let dead: Vec<usize> = self.live.dead(node, frame.slots.len()).collect();
        forget_slots(frame, dead);
    }

    /// Forgets the locals of the caller that are not needed when the call is over. What says where the result goes is needed
    /// then.
    fn forget_dead_caller(&self, flow: &Flow<'_>, store: &mut Store<Explicit>, frame: usize, step: &Step) {
        let Some(frame) = store.frames.get_mut(frame) else { return };
        let edge = &flow.program.edges[step.edge];
        let mut dead: Vec<usize> = self.live.dead(edge.target, frame.slots.len()).collect();
        if let Op::Call { result: Some(place), .. } = edge.op {
            let (read, written) = place_effect(flow.program, &self.executor.layout, place);
            dead.extend(written);
            dead.retain(|slot| !read.contains(slot));
        }
        forget_slots(frame, dead);
    }
}

/// Nothing is known of these slots any more.
fn forget_slots(frame: &mut Rc<Frame<Value>>, mut slots: Vec<usize>) {
    slots.retain(|slot| frame.slots[*slot] != Cell::Unknown);
    if !slots.is_empty() {
        let frame = Rc::make_mut(frame);
        for slot in slots {
            frame.slots[slot] = Cell::Unknown;
        }
    }
}

impl Analysis for Values<'_> {
    type State = State;

    fn start(&mut self, flow: &Flow<'_>) -> State {
        match self.executor.start(flow, ()) {
            Ok(store) => State::At(Rc::new(store), true),
            Err(end) => self.gap(end.start_gap()),
        }
    }

    fn step(&mut self, flow: &Flow<'_>, state: &State, step: &Step, out: &mut Vec<State>) {
        self.last_step(flow, state.clone(), step, out);
    }

    fn last_step(&mut self, flow: &Flow<'_>, state: State, step: &Step, out: &mut Vec<State>) {
        let State::At(store, _) = state else { return };
        self.steps += 1;
        let mut next = Rc::unwrap_or_clone(store);
        match self.carry_out(flow, &mut next, step) {
            Ok(()) => out.push(State::At(Rc::new(next), false)),
            Err(end) => out.extend(end.gap().map(|what| self.gap(what))),
        }
    }

    fn adjust(&mut self, _: &Flow<'_>, state: State, at: Point) -> Option<State> {
        let State::At(mut store, _) = state else { return Some(state) };
        let meets = self.meets(at.node);
        if meets {
            let changed = Rc::make_mut(&mut store);
            self.forget_dead(changed, at.node);
            if let Some(precision) = &self.precision {
                precision.forget(&self.executor, changed, at.node);
            }
        }
        Some(State::At(store, meets))
    }

    fn covers(&mut self, old: &State, new: &State) -> bool {
        match (old, new) {
            (State::At(old, _), State::At(new, _)) => Rc::ptr_eq(old, new) || old.covers(new, &Numbers),
            (State::Gap { what, .. }, State::Gap { what: other, .. }) => what == other,
            _ => false,
        }
    }

    fn may_cover(&self, _: &Flow<'_>, at: Point) -> bool {
        self.meets(at.node)
    }

    fn fingerprint(&mut self, state: &State) -> Option<u64> {
        Some(match state {
            State::At(store, _) => store.fingerprint(&Numbers),
            State::Gap { .. } | State::Spent => 0,
        })
    }

    fn expanded(&mut self, state: &mut State) {
        if matches!(state, State::At(_, false)) {
            *state = State::Spent;
        }
    }

    fn is_target(&self, state: &State) -> bool {
        matches!(state, State::Gap { .. })
    }

    fn callees(&mut self, _: &Flow<'_>, state: &State, edge: EdgeId) -> Callees {
        match state {
            State::At(store, _) => self.executor.callees(store, edge),
            State::Gap { .. } | State::Spent => Callees::These(Vec::new()),
        }
    }
}

impl Values<'_> {
    fn gap(&self, what: String) -> State {
        State::Gap { what: what.into(), at: self.executor.place() }
    }
}
