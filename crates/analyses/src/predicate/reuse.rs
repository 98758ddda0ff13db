//! What is known about one automaton, used for the next: similarity of automata modulo transitions, and the reachability graph of one turned into
//! that of the other.
//!
//! A part of a graph is taken over where both automata do the same: along a block, the condition under which the new one goes from state to
//! state must be that under which the old one did. What was covered by a state that is not taken over is looked at again. A state inside a block is no
//! start point: only states between blocks are.

use std::collections::{BTreeSet, HashMap};

use tandem_artifact::fql::{Goal, GoalTransition};
use tandem_artifact::gia::EdgeSet;
use tandem_base::{Budget, FastBuild, StopReason};
use tandem_cpa::{Flow, Point};
use tandem_smt::Term;

use super::graph::{Graph, NodeNumber};
use super::segments::{Exit, Hop, Segments};

/// That one automaton simulates another modulo transitions of the other.
pub struct Similarity {
    /// Pairs of a state of the other and a state of the one.
    pub pairs: BTreeSet<(u32, u32)>,
    /// The transitions of the other that are left out, by number.
    pub excluded: BTreeSet<usize>,
}

/// Pairs after which no more are looked for: then what is open is left out.
const MOST_PAIRS: usize = 4_096;

/// A relation modulo which `old` simulates `new`, from the initial states on: every pair that is possible is in it.
pub fn similarity(old: &Goal, new: &Goal) -> Similarity {
    let mut found = Similarity { pairs: BTreeSet::new(), excluded: BTreeSet::new() };
    let starts = new.initial.iter().flat_map(|(p, _)| old.initial.iter().map(move |(q, _)| (*p, *q)));
    let mut open: Vec<(u32, u32)> = starts.collect();
    found.pairs.extend(open.iter().copied());
    while let Some((p, q)) = open.pop() {
        let first = new.transitions.partition_point(|transition| transition.source < p);
        for (number, transition) in new.from(p).iter().enumerate().map(|(at, one)| (first + at, one)) {
            let targets: Vec<u32> =
                old.from(q).iter().filter(|other| is_matched(transition, other)).map(|other| other.target).collect();
            if targets.is_empty() || found.pairs.len() > MOST_PAIRS {
                found.excluded.insert(number);
            }
            for pair in targets.into_iter().map(|target| (transition.target, target)) {
                if found.pairs.len() <= MOST_PAIRS && found.pairs.insert(pair) {
                    open.push(pair);
                }
            }
        }
    }
    found
}

/// Whether whatever takes the transition may take the other.
fn is_matched(transition: &GoalTransition, other: &GoalTransition) -> bool {
    let weaker = other.guard.iter().all(|test| transition.guard.contains(test));
    weaker && is_within(&transition.letters, &other.letters)
}

fn is_within(inner: &EdgeSet, outer: &EdgeSet) -> bool {
    match (inner, outer) {
        (EdgeSet::One(_) | EdgeSet::These(_), _) => inner.named().iter().all(|letter| outer.contains(*letter)),
        (EdgeSet::AllBut(_), EdgeSet::AllBut(left_out)) => left_out.iter().all(|letter| !inner.contains(*letter)),
        (EdgeSet::AllBut(_), EdgeSet::One(_) | EdgeSet::These(_)) => false,
    }
}

/// A graph, and for each of its nodes how it was come to: the end of a block of the program alone, and what else was assumed.
pub struct Kept {
    graph: Graph,
    ways: Vec<Option<(usize, Hop, Term)>>,
}

impl Kept {
    /// To be made before the blocks of the automaton are gone.
    pub fn new(graph: Graph, segments: &Segments<'_>) -> Kept {
        let way = |number: NodeNumber| {
            let (parent, end) = graph.nodes[number].parent?;
            let hop = Hop { segment: graph.nodes[parent].segment, exit: Exit::End(end) };
            let (root, also) = segments.root(hop);
            also.map(|also| (parent, root, also))
        };
        let ways = (0..graph.nodes.len()).map(way).collect();
        Kept { graph, ways }
    }

    pub fn len(&self) -> usize {
        self.graph.live().count()
    }
}

/// The part of a graph that holds for the automaton which the blocks are of now. `first` is the number of its first block.
pub fn transformed<'a>(
    kept: &Kept,
    similarity: &Similarity,
    segments: &mut Segments<'a>,
    flow: &mut Flow<'a>,
    first: usize,
    budget: &Budget,
) -> Result<Graph, StopReason> {
    let mut graph = Graph::default();
    let old = &kept.graph;
    let Some(root) = old.nodes.first() else { return Ok(graph) };
    let start = graph.add(root.point, first, root.state, None);
    // For each node of the old graph what became of it, by the state of the new automaton.
    let mut copies: HashMap<(NodeNumber, u32), NodeNumber, FastBuild> = HashMap::default();
    let mut open: Vec<(NodeNumber, NodeNumber)> = vec![(0, start)];
    let mut at = 0;
    while at < open.len() {
        let (from, to) = open[at];
        at += 1;
        graph.nodes[to].expanded = old.nodes[from].expanded && old.nodes[from].covered_by.is_empty();
        for child in old.children(from) {
            let Some((_, root, also)) = kept.ways[child] else { continue };
            for (end, point) in same_ends(segments, graph.nodes[to].segment, root, also) {
                let is_similar = similarity.pairs.contains(&(point.mode, old.nodes[child].point.mode));
                if is_similar && !graph.has_child(to, end) {
                    let segment = segments.from(flow, point, budget)?;
                    let copy = graph.add(point, segment, old.nodes[child].state, Some((to, end)));
                    copies.insert((child, point.mode), copy);
                    open.push((child, copy));
                }
            }
        }
    }
    for (from, to) in open {
        let mode = graph.nodes[to].point.mode;
        let by = old.nodes[from].covered_by.iter().map(|coverer| copies.get(&(*coverer, mode)).copied());
        let by: Option<Vec<NodeNumber>> = by.collect();
        // Without all of those that covered it, it is open again.
        if let Some(by) = by.filter(|by| !by.is_empty() && by.iter().all(|one| graph.nodes[*one].expanded)) {
            graph.cover(to, by);
            graph.done(to);
        }
    }
    Ok(graph)
}

/// The ends of a block of the product that are the same end of the same block of the program, under the same condition.
fn same_ends(segments: &Segments<'_>, segment: usize, root: Hop, also: Term) -> Vec<(usize, Point)> {
    let ends = segments.block(segment).ends.iter().enumerate();
    let is_same = |end: &usize| segments.root(Hop { segment, exit: Exit::End(*end) }) == (root, Some(also));
    ends.map(|(end, (point, _))| (end, *point)).filter(|(end, _)| is_same(end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::fql::Guard;
    use tandem_cfa::EdgeId;

    fn goal(states: usize, transitions: &[(u32, u32, u32)]) -> Goal {
        let transition = |(source, letter, target): &(u32, u32, u32)| GoalTransition {
            source: *source,
            letters: EdgeSet::One(EdgeId(*letter)),
            guard: Guard::default(),
            target: *target,
        };
        let mut transitions: Vec<GoalTransition> = transitions.iter().map(transition).collect();
        transitions.sort();
        let accepting = (0..states).map(|state| state + 1 == states).collect();
        Goal { initial: vec![(0, Guard::default())], accepting, transitions }
    }

    /// The example of the definition: a, b, then c leads on in the one and round in the other.
    #[test]
    fn a_transition_that_has_no_partner_is_left_out() {
        let (a, b, c) = (1, 2, 3);
        let old = goal(3, &[(0, a, 1), (1, b, 2)]);
        let new = goal(3, &[(0, a, 1), (1, b, 2), (1, c, 2)]);
        let found = similarity(&old, &new);
        assert_eq!(found.pairs, BTreeSet::from([(0, 0), (1, 1), (2, 2)]));
        let left_out: Vec<&GoalTransition> = found.excluded.iter().map(|number| &new.transitions[*number]).collect();
        assert_eq!(left_out.len(), 1);
        assert_eq!(left_out[0].letters, EdgeSet::One(EdgeId(c)));
        assert!(similarity(&new, &old).excluded.is_empty());
    }

    #[test]
    fn a_wider_set_of_letters_is_a_partner() {
        let (a, b) = (EdgeId(1), EdgeId(2));
        assert!(is_within(&EdgeSet::One(a), &EdgeSet::all()));
        assert!(is_within(&EdgeSet::these([a, b]), &EdgeSet::all_but([EdgeId(3)])));
        assert!(!is_within(&EdgeSet::these([a, b]), &EdgeSet::all_but([b])));
        assert!(is_within(&EdgeSet::all_but([a, b]), &EdgeSet::all_but([a])));
        assert!(!is_within(&EdgeSet::all_but([a]), &EdgeSet::all_but([a, b])));
        assert!(!is_within(&EdgeSet::all(), &EdgeSet::One(a)));
    }
}
