//! The left-most path that takes every loop it comes to a given number of times.
//!
//! A decision that can leave a loop stays in it until the rounds are done, and leaves it then; every other decision takes the first edge,
//! but before the first loop, the first edge from which a loop can be reached. Where no inputs go on like this, the path ends:
//! it is the longest beginning of the wanted path that some inputs take.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tandem_analyses::paths::{Next, Paths, Way};
use tandem_base::{Id, IdVec};
use tandem_cfa::{Callee, NodeId, Op, Program};
use tandem_cpa::{Flow, StackId};

use super::split::{Cut, LONGEST, cut_at_run};

/// How long one path is followed.
const SOON: Duration = Duration::from_millis(300);

/// One cut for each bound.
pub fn cuts(paths: &mut Paths<'_>, bounds: &[u32]) -> Result<Vec<Cut>, String> {
    let looping = Looping::of(paths.flow.program, &paths.flow);
    let mut cuts = Vec::new();
    for bound in bounds {
        cuts.extend(cut(paths, &looping, *bound));
    }
    if cuts.is_empty() && !bounds.is_empty() {
        return Err("no path with a loop was found".into());
    }
    Ok(cuts)
}

fn cut(paths: &mut Paths<'_>, looping: &Looping, bound: u32) -> Option<Cut> {
    let mut rounds = Rounds { bound, by_loop: HashMap::new(), met: false };
    let mut spot = paths.start()?;
    let begin = Instant::now();
    loop {
        match paths.advance(spot) {
            Next::End(end) => {
                rounds.note(&paths.flow, &end.steps);
                spot = end;
                break;
            }
            Next::Ways(here, ways) => {
                rounds.note(&paths.flow, &here.steps);
                let way = rounds.choose(&paths.flow, looping, &ways);
                let goes_on = here.decisions.len() < LONGEST && begin.elapsed() < SOON;
                let next = way.filter(|_| goes_on).and_then(|way| paths.take(&here, way));
                spot = match next {
                    Some(next) => next,
                    None => {
                        spot = here;
                        break;
                    }
                };
            }
        }
    }
    rounds.met.then(|| cut_at_run(paths, &spot))
}

/// How often each loop was begun, since it was entered.
struct Rounds {
    bound: u32,
    by_loop: HashMap<(StackId, NodeId), u32>,
    /// Whether a loop was met at all.
    met: bool,
}

impl Rounds {
    fn note(&mut self, flow: &Flow<'_>, steps: &[tandem_cpa::Step]) {
        for step in steps {
            let to = step.to.node;
            if flow.is_head(to) && !is_own_loop_of_library(flow, to) {
                self.met = true;
                let again = step.from.stack == step.to.stack
                    && flow.order.place(step.from.node).heads.contains(&to)
                    && step.from.node != to;
                let count = self.by_loop.entry((step.to.stack, to)).or_insert(0);
                *count = if again || step.from.node == to { *count + 1 } else { 1 };
            }
        }
    }

    /// The way that the wanted path takes.
    fn choose<'w>(&self, flow: &Flow<'_>, looping: &Looping, ways: &'w [Way]) -> Option<&'w Way> {
        let first = ways.first()?;
        let from = first.step.from;
        let heads = &flow.order.place(from.node).heads;
        // The outermost loop whose rounds are done is to be left, and no loop before.
        let stays = |way: &&Way, head: &NodeId| {
            way.step.to.stack != from.stack || flow.order.place(way.step.to.node).heads.contains(head)
        };
        for head in heads.iter() {
            let count = self.by_loop.get(&(from.stack, *head)).copied().unwrap_or(1);
            let ends_round = || ways.iter().any(|way| stays(&way, head) && leads_straight_to(flow, way, *head));
            let is_done = count > self.bound || count == self.bound && from.node != *head && ends_round();
            if is_done && let Some(way) = ways.iter().find(|way| !stays(way, head)) {
                return Some(way);
            }
        }
        let staying = ways.iter().find(|way| heads.iter().all(|head| stays(way, head)));
        if staying.is_some() && !heads.is_empty() {
            return staying;
        }
        let to_loop = ways.iter().find(|way| !self.met && looping.reaches[way.step.to.node]);
        to_loop.or(Some(first))
    }
}

fn is_own_loop_of_library(flow: &Flow<'_>, node: NodeId) -> bool {
    flow.program.functions[flow.program.nodes[node].function].is_library
}

/// Whether the way leads back to the head without another decision.
fn leads_straight_to(flow: &Flow<'_>, way: &Way, head: NodeId) -> bool {
    let mut at = way.step.to.node;
    for _ in 0..flow.nodes() {
        if at == head {
            return true;
        }
        let edges = flow.program.out(at);
        if edges.len() != 1 {
            return false;
        }
        at = flow.program.edges[edges.start].target;
    }
    false
}

/// From which nodes a loop of the user's can be reached within the function or a function called there.
struct Looping {
    reaches: IdVec<NodeId, bool>,
}

impl Looping {
    fn of(program: &Program, flow: &Flow<'_>) -> Looping {
        let mut reaches = IdVec::filled(false, program.nodes.len());
        for node in program.nodes.ids() {
            reaches[node] = flow.is_head(node) && !is_own_loop_of_library(flow, node);
        }
        let mut changed = true;
        while changed {
            changed = false;
            // Most edges lead to later nodes: from the last to the first, few rounds are needed.
            for index in (0..program.edges.len()).rev() {
                let edge = &program.edges[tandem_cfa::EdgeId::from_index(index)];
                let called = match &edge.op {
                    Op::Call { callee: Callee::Direct(function), .. } => {
                        program.functions[*function].body.as_ref().is_some_and(|body| reaches[body.entry])
                    }
                    _ => false,
                };
                if !reaches[edge.source] && (called || reaches[edge.target]) {
                    reaches[edge.source] = true;
                    changed = true;
                }
            }
        }
        Looping { reaches }
    }
}
