//! Where basic blocks begin, as the two tools have it.

use std::collections::{HashMap, HashSet};

use tandem_base::{FastBuild, Id};
use tandem_cfa::{Callee, ExprKind, FunctionId, NodeId, Op};

use super::Semantics;
use super::steps::{PointId, StepId, StepKind, Steps};

/// The first steps of all basic blocks.
pub(super) fn entries(steps: &Steps<'_>) -> Vec<StepId> {
    match steps.semantics {
        Semantics::Tiger => chains(steps),
        Semantics::FShell => instructions(steps),
    }
}

/// A chain is a maximal sequence of steps without another way in or out, cut behind calls. Its block begins with the first step that
/// tests no condition; there is none if that step is a call whose body is entered, or if the chain has only tests.
fn chains(steps: &Steps<'_>) -> Vec<StepId> {
    let reached = reachable(steps);
    let mut found = Vec::new();
    for first in steps.ids().filter(|step| reached.contains(&steps.get(*step).function)) {
        if is_link(steps, steps.get(first).source) || is_border(steps, first) {
            continue;
        }
        let mut at = first;
        let entry = loop {
            if !steps.is_assume(at) {
                break Some(at);
            }
            let target = steps.get(at).target;
            match steps.out(target) {
                [next] if is_link(steps, target) => at = *next,
                _ => break None,
            }
        };
        found.extend(entry.filter(|entry| !steps.is_call(*entry)));
    }
    found.sort();
    found.dedup();
    found
}

/// Whether the step only leads into or out of a function.
fn is_border(steps: &Steps<'_>, step: StepId) -> bool {
    matches!(steps.get(step).kind, StepKind::Enter | StepKind::Back(_))
}

/// Whether the point is inside a chain: one way in, one way out, and not behind a call.
fn is_link(steps: &Steps<'_>, point: PointId) -> bool {
    match (steps.into(point), steps.out(point)) {
        ([before], [_]) => !is_border(steps, *before) && !steps.is_call(*before),
        _ => false,
    }
}

/// The functions that `main` can call, and those whose address somebody takes.
pub(super) fn reachable(steps: &Steps<'_>) -> HashSet<FunctionId, FastBuild> {
    let program = steps.program;
    let addresses = program.arena.exprs().iter().filter_map(|expr| match expr.kind {
        ExprKind::Function(function) => Some(function),
        _ => None,
    });
    let mut open: Vec<FunctionId> = program.entry.into_iter().chain(addresses).collect();
    let mut reached: HashSet<FunctionId, FastBuild> = HashSet::default();
    while let Some(function) = open.pop() {
        let Some(body) = program.functions[function].body.as_ref().filter(|_| reached.insert(function)) else {
            continue;
        };
        open.extend(body.edges.iter().filter_map(|edge| match &program.edges[edge].op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
            _ => None,
        }));
    }
    reached
}

/// All steps of an instruction that is the first of its function, or has several successors or several predecessors. A `return` is a
/// predecessor of the instruction that is written behind it: FShell counts them so.
fn instructions(steps: &Steps<'_>) -> Vec<StepId> {
    let mut found = Vec::new();
    let behind = behind_returns(steps);
    for function in steps.functions.values() {
        found.extend(first_counted(steps, steps.get(function.start).target));
    }
    for point in (0..steps.points()).map(PointId::from_index) {
        let counted: Vec<StepId> = steps.out(point).iter().copied().filter(|step| steps.is_counted(*step)).collect();
        let more = |step: &StepId| match steps.get(*step).kind {
            StepKind::Edge(edge) => behind.get(&steps.program.edges[edge].source).copied(),
            _ => None,
        };
        let more = counted.iter().find_map(more).unwrap_or(0);
        if counted.len() > 1 || (counted.len() == 1 && ways_in(steps, point) + more > 1) {
            found.extend(counted);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// How many `return` statements are written just before the statement that begins at a node.
fn behind_returns(steps: &Steps<'_>) -> HashMap<NodeId, usize, FastBuild> {
    let program = steps.program;
    let mut begins: HashMap<FunctionId, Vec<(u32, NodeId)>, FastBuild> = HashMap::default();
    for statement in program.statements.iter().filter(|statement| !statement.span.is_none()) {
        begins.entry(program.nodes[statement.node].function).or_default().push((statement.span.lo, statement.node));
    }
    begins.values_mut().for_each(|list| list.sort());
    let mut counts: HashMap<NodeId, usize, FastBuild> = HashMap::default();
    for (id, edge) in program.edges.enumerate() {
        let Some(begins) = begins.get(&program.function_of(id)) else { continue };
        if matches!(edge.op, Op::Return { .. }) && !edge.span.is_none() {
            let next = begins.partition_point(|(lo, _)| *lo < edge.span.hi);
            if let Some((_, node)) = begins.get(next) {
                *counts.entry(*node).or_default() += 1;
            }
        }
    }
    counts
}

/// The steps of the first instruction from a point on.
pub(super) fn first_counted(steps: &Steps<'_>, mut point: PointId) -> Vec<StepId> {
    for _ in 0..steps.points() {
        match steps.out(point) {
            [only] if !steps.is_counted(*only) => point = steps.get(*only).target,
            several => return several.iter().copied().filter(|step| steps.is_counted(*step)).collect(),
        }
    }
    Vec::new()
}

/// How many instructions lead to a point, directly or by steps that are no instructions.
fn ways_in(steps: &Steps<'_>, point: PointId) -> usize {
    let mut seen: HashSet<PointId, FastBuild> = HashSet::default();
    let mut open = vec![point];
    let mut ways = 0;
    while let Some(point) = open.pop() {
        if !seen.insert(point) {
            continue;
        }
        for step in steps.into(point) {
            match steps.is_counted(*step) {
                true => ways += 1,
                // The beginning of a function is a way in as well.
                false if steps.get(*step).kind == StepKind::Start => ways += 1,
                false => open.push(steps.get(*step).source),
            }
        }
    }
    ways
}
