//! How stores of intervals follow the steps of a program. Knows no order of points, and never decides when to widen.

use std::collections::HashMap;
use std::rc::Rc;

use tandem_base::{FastBuild, IdVec, Span};
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{Builtin, Callee, EdgeId, ExprId, ExprKind, Op, PlaceKind, Program, VariableId};
use tandem_cpa::{Analysis, Callees, Flow, StackId, Step, StepKind};

use super::values::{Intervals, joined, widened};
use super::{Interval, assume, thresholds};
use crate::store::{Cell, Domain, Executor, Home, ObjectKey, Result, Store};

/// The analysis.
pub struct Bounded<'a> {
    pub executor: Executor<'a, Intervals>,
    thresholds: Vec<i128>,
    /// What was met that is not modelled, and where.
    pub gaps: Vec<(String, Span)>,
    /// The numbers of allocations: by the calls that lead to them.
    allocations: HashMap<(StackId, EdgeId), u32, FastBuild>,
    /// Variables that some step writes.
    written: IdVec<VariableId, bool>,
    pub steps: u64,
}

/// Nothing, where the program cannot even begin.
pub type State = Option<Store<Intervals>>;

fn written(program: &Program) -> IdVec<VariableId, bool> {
    let mut written = IdVec::filled(false, program.variables.len());
    for edge in program.edges.iter() {
        let variable = match &edge.op {
            Op::Assign { place, .. } | Op::Call { result: Some(place), .. } => program.arena.root_variable(*place),
            Op::Declare(variable) => Some(*variable),
            Op::Call { result: None, .. }
            | Op::Skip
            | Op::Assume { .. }
            | Op::Return { .. }
            | Op::Unsupported { .. } => None,
        };
        if let Some(variable) = variable {
            written[variable] = true;
        }
    }
    written
}

impl<'a> Bounded<'a> {
    pub fn new(flow: &Flow<'a>) -> Bounded<'a> {
        Bounded {
            executor: Executor::new(flow, Intervals),
            thresholds: thresholds::thresholds(flow.program),
            gaps: Vec::new(),
            allocations: HashMap::default(),
            written: written(flow.program),
            steps: 0,
        }
    }

    /// A state for both, and whether it is another one than `old`.
    pub fn joined(&mut self, old: &Store<Intervals>, new: &Store<Intervals>) -> Option<(Store<Intervals>, bool)> {
        self.executor.join(old, new, &mut |scalar, a, b| joined(scalar, a, b))
    }

    /// The same; a chain of these ends.
    pub fn widened(&mut self, old: &Store<Intervals>, new: &Store<Intervals>) -> Option<(Store<Intervals>, bool)> {
        let thresholds = &self.thresholds;
        self.executor.join(old, new, &mut |scalar, a, b| widened(scalar, a, b, thresholds))
    }

    fn carry_out(&mut self, flow: &Flow<'_>, store: &Store<Intervals>, step: &Step) -> Result<Store<Intervals>> {
        let mut next = store.clone();
        let op = &flow.program.edges[step.edge].op;
        match (op, step.kind) {
            (Op::Assume { condition, truth }, StepKind::Inside) => {
                self.executor.step(flow, &mut next, step)?;
                assume::learn(&mut self.executor, &mut next, *condition, *truth)?;
            }
            (Op::Call { arguments, .. }, StepKind::Leave(_)) => {
                let kept = self.kept(flow, store, step, arguments);
                self.executor.step(flow, &mut next, step)?;
                for (argument, value) in kept {
                    assume::learn_value(&mut self.executor, &mut next, argument, &value)?;
                }
            }
            (Op::Call { callee: Callee::Builtin(Builtin::Alloca), .. }, StepKind::Inside) => {
                self.allocate(flow, store, &mut next, step)?;
            }
            (Op::Call { arguments, .. }, StepKind::Call(function)) => match self.executor.kinds[function] {
                Kind::Library(Primitive::Assume) => {
                    self.executor.step(flow, &mut next, step)?;
                    if let Some(condition) = arguments.first() {
                        assume::learn(&mut self.executor, &mut next, *condition, true)?;
                    }
                }
                Kind::Library(Primitive::Malloc | Primitive::Calloc) => {
                    self.allocate(flow, store, &mut next, step)?;
                }
                Kind::Library(Primitive::Realloc) => {
                    self.allocate(flow, store, &mut next, step)?;
                    self.keep_freed(store, &mut next);
                }
                Kind::Library(Primitive::Free) => {
                    self.executor.step(flow, &mut next, step)?;
                    self.keep_freed(store, &mut next);
                }
                _ => self.executor.step(flow, &mut next, step)?,
            },
            _ => self.executor.step(flow, &mut next, step)?,
        }
        Ok(next)
    }

    /// One object stands for the first allocation of a call; of later ones nothing is known, not even where they are.
    fn allocate(
        &mut self,
        flow: &Flow<'_>,
        store: &Store<Intervals>,
        next: &mut Store<Intervals>,
        step: &Step,
    ) -> Result<()> {
        let fresh = self.allocations.len() as u32 + 1;
        let number = *self.allocations.entry((step.from.stack, step.edge)).or_insert(fresh);
        next.allocations = number - 1;
        self.executor.step(flow, next, step)?;
        next.allocations = 0;
        let own = |executor: &Executor<'_, Intervals>, store: &Store<Intervals>| -> Vec<u64> {
            let same = store.objects.iter().filter(|(_, object)| object.site == Some(step.edge)).map(|(base, _)| *base);
            same.filter(|base| matches!(executor.addresses.key(*base), Some(ObjectKey::Heap(n, _)) if n == number))
                .collect()
        };
        let before = own(&self.executor, store);
        if before.is_empty() {
            return Ok(());
        }
        for base in own(&self.executor, next) {
            match store.objects.get(&base) {
                Some(object) => next.objects.insert(base, object.clone()),
                None => next.objects.remove(&base),
            };
        }
        if let Op::Call { result: Some(place), .. } = &flow.program.edges[step.edge].op {
            let width = self.executor.addresses.width();
            let any = self.executor.domain.any(width);
            self.executor.learn(next, *place, any)?;
        }
        Ok(())
    }

    /// Objects that were freed stay, dead: their addresses are not given out again.
    fn keep_freed(&mut self, store: &Store<Intervals>, next: &mut Store<Intervals>) {
        for (base, object) in store.objects.iter() {
            let is_heap = matches!(self.executor.addresses.key(*base), Some(ObjectKey::Heap(..)));
            if is_heap && !next.objects.contains_key(base) {
                let mut dead = object.clone();
                Rc::make_mut(&mut dead).alive = false;
                next.objects.insert(*base, dead);
            }
        }
    }

    /// What is known of the arguments of a call when it is left: its parameters that were never written, where the argument
    /// has nothing in it that the call could have changed.
    fn kept(
        &self,
        flow: &Flow<'_>,
        store: &Store<Intervals>,
        step: &Step,
        arguments: &[ExprId],
    ) -> Vec<(ExprId, Interval)> {
        let function = flow.function(step.from.stack);
        let (Some(body), Some(frame)) = (flow.body(function), store.frame()) else { return Vec::new() };
        let result = match &flow.program.edges[step.edge].op {
            Op::Call { result: Some(place), .. } => flow.program.arena.root_variable(*place),
            _ => None,
        };
        let mut kept = Vec::new();
        for (parameter, argument) in body.parameters.iter().zip(arguments) {
            let Home::FrameSlot(slot) = self.executor.layout.homes[*parameter] else { continue };
            if self.written[*parameter] || !self.is_own(*argument, result) {
                continue;
            }
            let same = self.executor.scalar_of(*argument).ok().map(|scalar| scalar.bits())
                == self.executor.slot_width(*parameter).ok();
            if let (true, Some(Cell::Value(value))) = (same, frame.slots.get(slot as usize)) {
                kept.push((*argument, *value));
            }
        }
        kept
    }

    /// Whether an expression reads nothing but variables of its own call, and not this one.
    fn is_own(&self, id: ExprId, but: Option<VariableId>) -> bool {
        let program = self.executor.program;
        match program.expr(id).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => true,
            ExprKind::Read(place) => match program.place(place).kind {
                PlaceKind::Variable(variable) => {
                    matches!(self.executor.layout.homes[variable], Home::FrameSlot(_)) && Some(variable) != but
                }
                PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
            },
            ExprKind::AddressOf(_) => false,
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.is_own(operand, but),
            ExprKind::Binary(_, left, right) => self.is_own(left, but) && self.is_own(right, but),
            ExprKind::Intrinsic(_, first, second) => {
                self.is_own(first, but) && second.is_none_or(|second| self.is_own(second, but))
            }
        }
    }
}

impl Analysis for Bounded<'_> {
    type State = State;

    fn start(&mut self, flow: &Flow<'_>) -> State {
        match self.executor.start(flow, ()) {
            Ok(store) => Some(store),
            Err(end) => {
                self.gaps.push((end.start_gap(), self.executor.place()));
                None
            }
        }
    }

    fn step(&mut self, flow: &Flow<'_>, state: &State, step: &Step, out: &mut Vec<State>) {
        let Some(store) = state else { return };
        self.steps += 1;
        match self.carry_out(flow, store, step) {
            Ok(next) => out.push(Some(next)),
            Err(end) => self.gaps.extend(end.gap().map(|what| (what, self.executor.place()))),
        }
    }

    fn covers(&mut self, old: &State, new: &State) -> bool {
        match (old, new) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(old), Some(new)) => self.joined(old, new).is_some_and(|(_, grown)| !grown),
        }
    }

    fn may_merge(&self) -> bool {
        true
    }

    fn merge(&mut self, old: &State, new: &State) -> Option<State> {
        match (old, new) {
            (Some(old), Some(new)) => self.joined(old, new).map(|(store, _)| Some(store)),
            (state, None) | (None, state) => Some(state.clone()),
        }
    }

    fn callees(&mut self, _: &Flow<'_>, state: &State, edge: EdgeId) -> Callees {
        match state {
            Some(store) => self.executor.callees(store, edge),
            None => Callees::These(Vec::new()),
        }
    }
}
