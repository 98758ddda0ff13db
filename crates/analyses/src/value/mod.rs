//! Explicit values: states are stores of known numbers, and what is not known is simply not known. Fast, exact where a program
//! computes without inputs, and, with few values kept where paths meet, able to ignore what does not matter.
//!
//! Never asks a solver itself: [`search`] does, about alarms.

mod content;
mod domain;
mod live;
mod precision;
mod refine;
mod search;
mod slice;

use std::rc::Rc;

use tandem_base::{IdVec, Span};
use tandem_cfa::{EdgeId, NodeId, Op, PlaceKind, VariableId};
use tandem_cpa::{Analysis, Callees, Flow, Point, Step, StepKind};

use crate::store::{Cell, Ended, Executor, Home, Result, Store};
use content::Numbers;
use domain::{Explicit, Value};
use live::Live;
use precision::Precision;

pub use search::value;

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
            self.forget_dead(store, depth - 1, flow.program.edges[step.edge].target, result_slot(self, flow, step));
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

    /// Forgets the locals of a frame that are not needed from a node on.
    fn forget_dead(&self, store: &mut Store<Explicit>, frame: usize, node: NodeId, also: Option<usize>) {
        let Some(frame) = store.frames.get_mut(frame) else { return };
        let known = |slot: &usize| frame.slots[*slot] != Cell::Undefined;
        let dead: Vec<usize> = self.live.dead(node, frame.slots.len()).chain(also).filter(known).collect();
        if !dead.is_empty() {
            let frame = Rc::make_mut(frame);
            for slot in dead {
                frame.slots[slot] = Cell::Undefined;
            }
        }
    }
}

/// The slot that the result of a call will be written to.
fn result_slot(values: &Values<'_>, flow: &Flow<'_>, step: &Step) -> Option<usize> {
    let Op::Call { result: Some(place), .. } = flow.program.edges[step.edge].op else { return None };
    let PlaceKind::Variable(variable) = flow.program.place(place).kind else { return None };
    match values.executor.layout.homes[variable] {
        Home::FrameSlot(slot) => Some(slot as usize),
        Home::StaticSlot(_) | Home::StaticObject | Home::LocalObject => None,
    }
}

impl Analysis for Values<'_> {
    type State = State;

    fn start(&mut self, flow: &Flow<'_>) -> State {
        match self.executor.start(flow, ()) {
            Ok(store) => State::At(Rc::new(store), true),
            Err(ended) => self.gap(ended),
        }
    }

    fn step(&mut self, flow: &Flow<'_>, state: &State, step: &Step, out: &mut Vec<State>) {
        let State::At(store, _) = state else { return };
        self.steps += 1;
        let mut next = (**store).clone();
        match self.carry_out(flow, &mut next, step) {
            Ok(()) => out.push(State::At(Rc::new(next), false)),
            Err(Ended::Path) => {}
            Err(ended) => out.push(self.gap(ended)),
        }
    }

    fn adjust(&mut self, _: &Flow<'_>, state: State, at: Point) -> Option<State> {
        let State::At(mut store, _) = state else { return Some(state) };
        let meets = self.meets(at.node);
        if meets {
            let changed = Rc::make_mut(&mut store);
            if let Some(innermost) = changed.frames.len().checked_sub(1) {
                self.forget_dead(changed, innermost, at.node, None);
            }
            if let Some(precision) = &self.precision {
                precision.forget(&self.executor, changed);
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
    fn gap(&self, ended: Ended) -> State {
        let what = match ended {
            Ended::Unsupported(what) => what.into(),
            Ended::Path => "a start that cannot be".into(),
        };
        State::Gap { what, at: self.executor.place() }
    }
}
