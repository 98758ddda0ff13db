//! Finds states that hold: one for each point, first growing until nothing changes, with bounds that run away
//! widened at the heads of loops, then taken back by a few rounds of what the steps really give.
//!
//! Points are visited in the order of the program's loops, so that inner loops come to rest before outer ones go on. Each
//! state of a round is made from states that hold of everything before it, so it holds whatever the order is.

use std::collections::{BTreeSet, HashMap};

use tandem_artifact::Caveat;
use tandem_base::{Budget, FastBuild, StopReason};
use tandem_cfa::{Callee, Op};
use tandem_cpa::{Analysis, Callees, Flow, Key, Point, Step, StepKind};

use super::analysis::{Bounded, State};
use super::values::Intervals;
use crate::store::Store;

/// How often a loop is entered before its state is widened.
pub(super) const PATIENCE: u32 = 3;
/// Rounds of taking back.
pub(super) const ROUNDS: u32 = 2;
/// How many calls of one function may be under way.
pub(super) const RECURSION: u32 = 6;
/// Steps between two looks at the clock.
const LOOK: u32 = 32;

/// The states that hold, by points; without those from where no error can be reached anyway.
#[derive(Default)]
pub struct Fixpoint {
    pub states: HashMap<Point, Store<Intervals>, FastBuild>,
    /// Whether recursion was cut: then states hold of shallower runs only.
    pub is_bounded: bool,
    /// Steps to an error that could not be excluded.
    pub alarms: Vec<Step>,
    start: Option<Store<Intervals>>,
    incoming: HashMap<Point, Vec<Step>, FastBuild>,
    entered: HashMap<Point, u32, FastBuild>,
    keys: HashMap<Point, Key, FastBuild>,
    count: u32,
}

impl Fixpoint {
    /// To the end; a start that is not modelled is left to [`Fixpoint::check`].
    pub fn run(&mut self, analysis: &mut Bounded<'_>, flow: &mut Flow<'_>, budget: &Budget) -> Result<(), StopReason> {
        self.start = analysis.start(flow);
        self.grow(analysis, flow, budget)?;
        if !self.is_bounded {
            for _ in 0..ROUNDS {
                self.take_back(analysis, flow, budget)?;
            }
        }
        Ok(())
    }

    fn look(&mut self, budget: &Budget) -> Result<(), StopReason> {
        self.count += 1;
        match self.count.is_multiple_of(LOOK).then(|| budget.exhausted()).flatten() {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    fn key(&mut self, flow: &Flow<'_>, point: Point) -> Key {
        self.keys.entry(point).or_insert_with(|| Key::start_under(flow, point)).clone()
    }

    fn grow(&mut self, analysis: &mut Bounded<'_>, flow: &mut Flow<'_>, budget: &Budget) -> Result<(), StopReason> {
        let Some(start) = self.start.clone() else { return Ok(()) };
        let mut waiting = BTreeSet::new();
        let point = flow.start();
        self.states.insert(point, start);
        waiting.insert((self.key(flow, point), point));
        let (mut steps, mut next) = (Vec::new(), Vec::new());
        while let Some((_, point)) = waiting.pop_first() {
            self.look(budget)?;
            let Some(state) = self.states.get(&point).cloned().map(Some) else { continue };
            leaving(analysis, flow, &state, point, &mut steps);
            for step in steps.drain(..) {
                match step.kind {
                    StepKind::Unsupported | StepKind::Elsewhere | StepKind::Error(_) => continue,
                    _ if flow.is_found(&step) => continue,
                    // Nothing that happens from there on matters.
                    _ if !flow.is_relevant(step.to) => continue,
                    StepKind::Enter(_) if flow.stacks.instance(step.to.stack) >= RECURSION => {
                        self.is_bounded = true;
                        return Ok(());
                    }
                    StepKind::Enter(_) | StepKind::Leave(_) | StepKind::Inside | StepKind::Call(_) => {}
                }
                let known = self.incoming.entry(step.to).or_default();
                if !known.contains(&step) {
                    known.push(step);
                }
                analysis.step(flow, &state, &step, &mut next);
                for store in next.drain(..).flatten() {
                    if self.add(analysis, flow, step.to, store) {
                        waiting.insert((self.key(flow, step.to), step.to));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a state at a point; whether that changes anything.
    fn add(&mut self, analysis: &mut Bounded<'_>, flow: &Flow<'_>, point: Point, new: Store<Intervals>) -> bool {
        let Some(old) = self.states.get(&point) else {
            self.states.insert(point, new);
            return true;
        };
        let entered = self.entered.entry(point).or_default();
        let widen = flow.is_head(point.node) && *entered >= PATIENCE;
        let joined = if widen { analysis.widened(old, &new) } else { analysis.joined(old, &new) };
        match joined {
            Some((store, true)) => {
                *entered += 1;
                self.states.insert(point, store);
                true
            }
            Some((_, false)) => false,
            None => {
                let what = "states that cannot be joined".to_string();
                analysis.gaps.push((what, analysis.executor.place()));
                // Never a proof.
                self.is_bounded = true;
                false
            }
        }
    }

    /// Makes each state anew from those before it.
    fn take_back(&mut self, analysis: &mut Bounded<'_>, flow: &Flow<'_>, budget: &Budget) -> Result<(), StopReason> {
        let mut next = Vec::new();
        for point in self.ordered(flow) {
            self.look(budget)?;
            let mut whole: Option<Store<Intervals>> = self.start.clone().filter(|_| point == flow.start());
            for step in self.incoming.get(&point).cloned().unwrap_or_default() {
                let Some(before) = self.states.get(&step.from).cloned().map(Some) else { continue };
                analysis.step(flow, &before, &step, &mut next);
                for store in next.drain(..).flatten() {
                    whole = match &whole {
                        Some(old) => match analysis.joined(old, &store) {
                            Some((joined, _)) => Some(joined),
                            None => {
                                self.is_bounded = true;
                                return Ok(());
                            }
                        },
                        None => Some(store),
                    };
                }
            }
            match whole {
                Some(store) => self.states.insert(point, store),
                None => self.states.remove(&point),
            };
        }
        Ok(())
    }

    fn ordered(&mut self, flow: &Flow<'_>) -> Vec<Point> {
        let points: Vec<Point> = self.states.keys().copied().collect();
        let mut keyed: Vec<(Key, Point)> = points.into_iter().map(|point| (self.key(flow, point), point)).collect();
        keyed.sort();
        keyed.into_iter().map(|(_, point)| point).collect()
    }

    /// Takes every step once more: what is not modelled, and which errors cannot be excluded.
    pub fn check(
        &mut self,
        analysis: &mut Bounded<'_>,
        flow: &mut Flow<'_>,
        budget: &Budget,
    ) -> Result<Vec<Caveat>, StopReason> {
        // What the start said stays.
        if self.start.is_some() {
            analysis.gaps.clear();
        }
        let (mut steps, mut next) = (Vec::new(), Vec::new());
        for point in self.ordered(flow) {
            self.look(budget)?;
            let Some(state) = self.states.get(&point).cloned().map(Some) else { continue };
            leaving(analysis, flow, &state, point, &mut steps);
            for step in steps.drain(..) {
                if step.kind == StepKind::Unsupported {
                    analysis.gaps.push((unmodelled(flow, &step), flow.program.edges[step.edge].span));
                    continue;
                }
                next.clear();
                analysis.step(flow, &state, &step, &mut next);
                if flow.is_found(&step) && !next.is_empty() {
                    self.alarms.push(step);
                }
            }
        }
        let mut caveats: Vec<Caveat> = Vec::new();
        for (what, at) in analysis.gaps.drain(..) {
            let caveat = Caveat::Unsupported { what, at };
            if !caveats.contains(&caveat) {
                caveats.push(caveat);
            }
        }
        Ok(caveats)
    }
}

/// The steps that leave a point in a state.
fn leaving(analysis: &mut Bounded<'_>, flow: &mut Flow<'_>, state: &State, point: Point, steps: &mut Vec<Step>) {
    let mut callees = Callees::Unknown;
    for edge in flow.program.out(point.node).iter() {
        if let Op::Call { callee: Callee::Pointer(_), .. } = &flow.program.edges[edge].op {
            callees = analysis.callees(flow, state, edge);
        }
    }
    steps.clear();
    flow.steps(point, |_| callees.clone(), steps);
}

fn unmodelled(flow: &Flow<'_>, step: &Step) -> String {
    match &flow.program.edges[step.edge].op {
        Op::Unsupported { what } => what.to_string(),
        Op::Call { callee: Callee::Direct(function), .. } => {
            format!("call of {}", flow.program.functions[*function].name)
        }
        _ => "a call through a pointer whose target is not known".to_string(),
    }
}
