//! Exploration: the algorithm of configurable program analysis.

use tandem_base::{Budget, StopReason};

use crate::analysis::Analysis;
use crate::flow::{Flow, Step, StepKind};
use crate::reached::{Reached, Search, StateId};
use crate::schedule::Key;

/// What the exploration came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Nothing waits any more.
    Everything,
    /// This state was looked for: behind an error step, or a target of the analysis.
    Target(StateId),
    /// This state is about to take a step that is not modelled.
    Unsupported(StateId, Step),
    Stopped(StopReason),
}

/// How many steps are taken between two looks at the clock.
const LOOK: u32 = 64;

/// A reached set that holds nothing but this state.
pub fn begin_at<S>(flow: &Flow<'_>, search: Search, state: S, point: crate::Point) -> Reached<S> {
    let mut reached = Reached::new(search);
    reached.add(state, point, Key::start_under(flow, point), Vec::new());
    reached
}

/// A reached set that holds nothing but the start.
pub fn begin<A: Analysis>(analysis: &mut A, flow: &Flow<'_>, search: Search) -> Reached<A::State> {
    let mut reached = Reached::new(search);
    let start = analysis.start(flow);
    let point = flow.start();
    reached.add(start, point, Key::start(flow, point.node), Vec::new());
    reached
}

/// Expands waiting states until there are none, a target turns up, or the budget ends. Can be called again to go on.
pub fn explore<A: Analysis>(
    analysis: &mut A,
    flow: &mut Flow<'_>,
    reached: &mut Reached<A::State>,
    budget: &Budget,
) -> Found {
    explore_until(analysis, flow, reached, |_, _, _| false, budget)
}

/// The same, but states in later rounds of a loop than `rounds`, or in deeper recursion, are deferred.
pub fn explore_within<A: Analysis>(
    analysis: &mut A,
    flow: &mut Flow<'_>,
    reached: &mut Reached<A::State>,
    rounds: u32,
    budget: &Budget,
) -> Found {
    let is_beyond = |flow: &Flow<'_>, reached: &Reached<A::State>, id: StateId| {
        let entry = &reached.entries[id];
        is_beyond(flow, entry.point, &entry.key, rounds)
    };
    explore_until(analysis, flow, reached, is_beyond, budget)
}

/// The same, but states for which `defer` says so are deferred when their turn comes.
pub fn explore_until<A: Analysis>(
    analysis: &mut A,
    flow: &mut Flow<'_>,
    reached: &mut Reached<A::State>,
    defer: impl Fn(&Flow<'_>, &Reached<A::State>, StateId) -> bool,
    budget: &Budget,
) -> Found {
    let (mut steps, mut states) = (Vec::new(), Vec::new());
    let mut count = 0;
    loop {
        count += 1;
        // At the first step, too: whoever explores again and again must be stopped as well.
        if count % LOOK == 1 || budget.cancel.is_raised() {
            if let Some(reason) = budget.exhausted() {
                return Found::Stopped(reason);
            }
        }
        if let Some(found) = reached.next_found() {
            return found;
        }
        let Some(id) = reached.next_waiting() else { return Found::Everything };
        if defer(flow, reached, id) {
            reached.deferred.push(id);
            continue;
        }
        let entry = &reached.entries[id];
        let (state, point, key) = (entry.state.clone(), entry.point, entry.key.clone());
        reached.entries[id].expanded = true;
        analysis.expanded(&mut reached.entries[id].state);
        let program_flow: &Flow<'_> = flow;
        let callees = pointer_callees(analysis, program_flow, &state, point);
        steps.clear();
        flow.steps(point, |_| callees.clone(), &mut steps);
        let mut state = Some(state);
        for (index, step) in steps.iter().enumerate() {
            if step.kind == StepKind::Unsupported {
                reached.found.push(Found::Unsupported(id, *step));
                continue;
            }
            // What can lead to no error need not be followed. What a call of something unknown leads to is not known.
            let is_known = step.kind != StepKind::Elsewhere;
            if is_known && !flow.is_found(step) && !flow.is_relevant(step.to) {
                continue;
            }
            states.clear();
            match &state {
                Some(state) if index + 1 < steps.len() => analysis.step(flow, state, step, &mut states),
                _ => state.take().into_iter().for_each(|state| analysis.last_step(flow, state, step, &mut states)),
            }
            for next in states.drain(..) {
                let Some(next) = analysis.adjust(flow, next, step.to) else { continue };
                if flow.is_found(step) || analysis.is_target(&next) {
                    // Never merged with others at the same point: these may not have come by the error.
                    let key = if reached.keyed { key.after(flow, step) } else { key.clone() };
                    let target = reached.add_apart(next, step.to, key, vec![(id, *step)]);
                    reached.found.push(Found::Target(target));
                } else {
                    add(analysis, flow, reached, next, id, step, &key);
                }
            }
        }
    }
}

fn is_beyond(flow: &Flow<'_>, point: crate::Point, key: &Key, rounds: u32) -> bool {
    let looped = flow.is_head(point.node) && key.round().is_some_and(|round| round >= rounds);
    let entry = || flow.body(flow.function(point.stack)).is_some_and(|body| body.entry == point.node);
    looped || flow.stacks.instance(point.stack) >= rounds.saturating_add(1) && entry()
}

fn pointer_callees<A: Analysis>(
    analysis: &mut A,
    flow: &Flow<'_>,
    state: &A::State,
    point: crate::Point,
) -> crate::Callees {
    use tandem_cfa::{Callee, Op};
    for edge in flow.program.out(point.node).iter() {
        if let Op::Call { callee: Callee::Pointer(_), .. } = &flow.program.edges[edge].op {
            return analysis.callees(flow, state, edge);
        }
    }
    crate::Callees::Unknown
}

/// How many states of other fingerprints are compared.
const NEIGHBOURS: usize = 3;

/// A state at the point that covers this one.
fn find_coverer<A: Analysis>(
    analysis: &mut A,
    reached: &Reached<A::State>,
    state: &A::State,
    at: crate::Point,
    fingerprint: Option<u64>,
) -> Option<StateId> {
    let mut covers = |other: &StateId| {
        let entry = &reached.entries[*other];
        entry.covered_by.is_none() && analysis.covers(&entry.state, state)
    };
    if let Some(same) = fingerprint.and_then(|fingerprint| reached.with_fingerprint(at, fingerprint)) {
        if covers(&same) {
            return Some(same);
        }
    }
    let limit = if fingerprint.is_some() { NEIGHBOURS } else { usize::MAX };
    reached.at(at).iter().rev().copied().take(limit).find(covers)
}

/// Adds a successor: merged with a state that waits at the same place, or covered by a state at the same point, or new.
fn add<A: Analysis>(
    analysis: &mut A,
    flow: &Flow<'_>,
    reached: &mut Reached<A::State>,
    state: A::State,
    parent: StateId,
    step: &Step,
    key: &Key,
) {
    let key = if reached.keyed { key.after(flow, step) } else { key.clone() };
    let mut state = state;
    let partners: Vec<StateId> = match reached.search() {
        _ if !analysis.may_merge() => Vec::new(),
        Search::Unrolled => reached.waiting_with(&key).filter(|id| reached.entries[*id].point == step.to).collect(),
        Search::DepthFirst | Search::BreadthFirst | Search::LeastVisited => {
            reached.at(step.to).iter().rev().copied().collect()
        }
    };
    for other in partners {
        if let Some(merged) = analysis.merge(&reached.entries[other].state, &state) {
            if reached.is_waiting(other) {
                reached.entries[other].state = merged;
                reached.entries[other].parents.push((parent, *step));
                return;
            }
            state = merged;
        }
    }
    let (mut coverer, mut fingerprint) = (None, None);
    if analysis.may_cover(flow, step.to) {
        fingerprint = analysis.fingerprint(&state);
        coverer = find_coverer(analysis, reached, &state, step.to, fingerprint);
    }
    let id = reached.add(state, step.to, key, vec![(parent, *step)]);
    if let (Some(fingerprint), None) = (fingerprint, coverer) {
        reached.set_fingerprint(id, fingerprint);
    }
    if coverer.is_some() {
        reached.entries[id].covered_by = coverer;
        reached.stop_waiting(id);
    }
}
