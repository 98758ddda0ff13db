//! The bounded paths of a filter, counted and numbered without listing them.
//!
//! A path begins at an initial node and stays in the graph as long as the bound lets it: for tiger no step is taken more often than
//! that, for FShell no instruction is visited more often. It is a path of the set if it cannot go on. Paths that have taken the same
//! steps in another order and are at the same place go on in the same ways, so the tree of paths is kept as a graph with few nodes.

use std::collections::HashMap;
use std::sync::Arc;

use tandem_base::{FastBuild, Id, Problem, Span};
use tandem_cfa::{Callee, Op};

use super::Semantics;
use super::filter::TargetGraph;
use super::steps::{PointId, StepId, StepKind, Steps};

/// A graph with more nodes is refused.
const MOST_NODES: usize = 300_000;

/// Steps and the node they lead to.
pub(super) type Moves = Vec<(Box<[StepId]>, u32)>;

/// A set of paths in a fixed order.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct PathSet {
    /// The steps to the next node, and its number. A node without any is the end of a path.
    pub next: Vec<Moves>,
    pub counts: Vec<u64>,
    pub starts: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    point: PointId,
    /// The steps back, of the calls the path is inside of.
    stack: Vec<StepId>,
    /// How often steps were taken, or points visited; sorted.
    used: Vec<(u32, u32)>,
    /// A path that has hit the bound.
    ended: bool,
}

impl PathSet {
    pub fn new(steps: &Steps<'_>, graph: &TargetGraph, bound: u32, span: Span) -> Result<PathSet, Problem> {
        let mut search =
            Search { steps, graph, bound, index: HashMap::default(), states: Vec::new(), next: Vec::new() };
        let mut starts = Vec::new();
        for point in graph.initial.iter().map(PointId::from_index) {
            let mut state = State { point, stack: Vec::new(), used: Vec::new(), ended: false };
            state.ended = !search.visit(&mut state, &[]);
            starts.push(search.number(state));
        }
        let mut at = 0;
        while at < search.states.len() {
            if search.states.len() > MOST_NODES {
                let message = format!("there are too many paths with the bound {bound} to keep track of");
                return Err(Problem::error(span, message).help("a smaller bound or a smaller part of the program"));
            }
            let state = search.states[at].clone();
            search.next[at] = search.moves(&state);
            at += 1;
        }
        let lengths: Vec<u64> =
            search.states.iter().map(|state| state.used.iter().map(|(_, times)| u64::from(*times)).sum()).collect();
        let next = search.next;
        let counts =
            count(&next, &lengths).ok_or_else(|| Problem::error(span, "there are more paths than can be counted"))?;
        Ok(PathSet { next, counts, starts })
    }

    pub fn count(&self) -> Option<u64> {
        self.starts.iter().try_fold(0u64, |sum, start| sum.checked_add(self.counts[*start as usize]))
    }

    /// The steps of a path.
    pub fn path(&self, mut index: u64) -> Option<Vec<StepId>> {
        let mut at = None;
        for start in &self.starts {
            let count = self.counts[*start as usize];
            if index < count {
                at = Some(*start as usize);
                break;
            }
            index -= count;
        }
        let mut at = at?;
        let mut path = Vec::new();
        while !self.next[at].is_empty() {
            for (steps, target) in &self.next[at] {
                let count = self.counts[*target as usize];
                if index < count {
                    path.extend(steps);
                    at = *target as usize;
                    break;
                }
                index -= count;
            }
        }
        Some(path)
    }

    /// The paths that a run follows to their end, from its first step on.
    pub fn followed(&self, run: &[StepId]) -> Vec<u64> {
        let mut found = Vec::new();
        let mut before = 0;
        for start in &self.starts {
            found.extend(self.follow(*start as usize, run).map(|index| before + index));
            before += self.counts[*start as usize];
        }
        found
    }

    fn follow(&self, mut at: usize, mut run: &[StepId]) -> Option<u64> {
        let mut index = 0;
        while !self.next[at].is_empty() {
            let mut passed = 0;
            let mut found = None;
            for (steps, target) in &self.next[at] {
                if run.starts_with(steps) {
                    found = Some((steps.len(), *target as usize));
                    break;
                }
                passed += self.counts[*target as usize];
            }
            let (length, target) = found?;
            index += passed;
            run = &run[length..];
            at = target;
        }
        Some(index)
    }
}

fn count(next: &[Moves], lengths: &[u64]) -> Option<Vec<u64>> {
    let mut order: Vec<usize> = (0..next.len()).collect();
    // Every move makes a path longer, or leads to an end.
    order.sort_by_key(|node| (!next[*node].is_empty(), u64::MAX - lengths[*node]));
    let mut counts = vec![0u64; next.len()];
    for node in order {
        counts[node] = match next[node].is_empty() {
            true => 1,
            false => next[node].iter().try_fold(0u64, |sum, (_, target)| sum.checked_add(counts[*target as usize]))?,
        };
    }
    Some(counts)
}

struct Search<'s, 'p> {
    steps: &'s Steps<'p>,
    graph: &'s TargetGraph,
    bound: u32,
    index: HashMap<Arc<State>, u32, FastBuild>,
    states: Vec<Arc<State>>,
    next: Vec<Moves>,
}

impl Search<'_, '_> {
    fn number(&mut self, state: State) -> u32 {
        if let Some(known) = self.index.get(&state) {
            return *known;
        }
        let number = self.states.len() as u32;
        let state = Arc::new(state);
        self.states.push(state.clone());
        self.next.push(Vec::new());
        self.index.insert(state, number);
        number
    }

    fn moves(&mut self, state: &State) -> Moves {
        if state.ended {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (steps, point, stack) in self.ways(state) {
            let mut next = State { point, stack, used: state.used.clone(), ended: false };
            let within = self.visit(&mut next, &steps);
            match (within, self.steps.semantics) {
                (true, _) => {}
                // The path takes the step and ends where it may not be.
                (false, Semantics::FShell) => next.ended = true,
                (false, Semantics::Tiger) => continue,
            }
            found.push((steps.into(), self.number(next)));
        }
        found
    }

    /// Counts what is used by the steps; whether that is within the bound.
    fn visit(&self, state: &mut State, steps: &[StepId]) -> bool {
        let mut within = true;
        let mut use_one = |number: u32, bound: u32| {
            let at = match state.used.binary_search_by_key(&number, |(used, _)| *used) {
                Ok(at) => at,
                Err(at) => {
                    state.used.insert(at, (number, 0));
                    at
                }
            };
            state.used[at].1 += 1;
            within &= state.used[at].1 <= bound;
        };
        match self.steps.semantics {
            Semantics::Tiger => steps.iter().for_each(|step| use_one(step.0, self.bound)),
            Semantics::FShell => {
                // Points that are no instructions are bounded loosely, so that no path is endless.
                let counted = self.steps.out(state.point).iter().any(|step| self.steps.is_counted(*step));
                use_one(state.point.0, if counted { self.bound } else { self.bound.saturating_add(1) });
            }
        }
        within
    }

    fn ways(&self, state: &State) -> Vec<(Vec<StepId>, PointId, Vec<StepId>)> {
        let steps = self.steps;
        let mut ways = Vec::new();
        for step in steps.out(state.point).iter().filter(|step| self.graph.has(**step)) {
            let target = steps.get(*step).target;
            if !steps.is_call(*step) {
                ways.push((vec![*step], target, state.stack.clone()));
                continue;
            }
            let back = steps.out(target)[0];
            match self.entered(*step) {
                Some(enter) => {
                    let stack = state.stack.iter().copied().chain([back]).collect();
                    ways.push((vec![*step], steps.get(enter).source, stack));
                }
                None => ways.push((vec![*step, back], steps.get(back).target, state.stack.clone())),
            }
        }
        self.ways_back(state, &mut ways);
        ways
    }

    /// From the end of a function: back to the call, or to all calls if the path began inside.
    fn ways_back(&self, state: &State, ways: &mut Vec<(Vec<StepId>, PointId, Vec<StepId>)>) {
        let steps = self.steps;
        if let Some((back, outer)) = state.stack.split_last() {
            if steps.out(state.point).is_empty() {
                ways.push((vec![*back], steps.get(*back).target, outer.to_vec()));
            }
            return;
        }
        let ended = steps.functions.iter().find(|(_, function)| function.exit == state.point);
        let Some((function, _)) = ended else { return };
        for back in steps.ids() {
            let StepKind::Back(call) = steps.get(back).kind else { continue };
            let Op::Call { callee: Callee::Direct(callee), .. } = &steps.program.edges[call].op else { continue };
            if callee == function && self.graph.has(back) {
                ways.push((vec![back], steps.get(back).target, Vec::new()));
            }
        }
    }

    /// The beginning of the called function, if the path may go there.
    fn entered(&self, call: StepId) -> Option<StepId> {
        let StepKind::Edge(edge) = self.steps.get(call).kind else { return None };
        let Op::Call { callee: Callee::Direct(callee), .. } = &self.steps.program.edges[edge].op else { return None };
        let enter = self.steps.functions.get(callee)?.enter;
        self.graph.has(enter).then_some(enter)
    }
}
