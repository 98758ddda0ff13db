//! Every algorithm against the definition of what it computes, on random graphs.

use super::adjacency::Adjacency;
use super::loops::{Loops, forest};
use super::{dominators, order};
use crate::model::NodeId;

/// A small generator of numbers, so that failures repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }
}

fn random_graph(seed: u64) -> Adjacency {
    let mut random = Random(seed);
    let nodes = 1 + random.below(12);
    let edges = random.below(nodes * 2 + 1);
    let edges: Vec<(u32, u32)> = (0..edges).map(|_| (random.below(nodes), random.below(nodes))).collect();
    Adjacency::new(nodes as usize, edges.into_iter())
}

/// What can be reached from a node without touching another one (`u32::MAX`: any).
fn reach(graph: &Adjacency, from: u32, without: u32) -> Vec<bool> {
    let mut seen = vec![false; graph.len()];
    let mut open = Vec::from_iter((from != without).then_some(from));
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            open.extend(graph.of(node).iter().filter(|target| **target != without));
        }
    }
    seen
}

fn dominates(graph: &Adjacency, a: u32, b: u32) -> bool {
    reach(graph, 0, u32::MAX)[b as usize] && !reach(graph, 0, a)[b as usize]
}

#[test]
fn dominators_are_on_every_path() {
    for seed in 0..3000 {
        let graph = random_graph(seed);
        let tree = dominators::tree(&graph, &graph.reversed(), 0);
        for a in 0..graph.len() as u32 {
            for b in 0..graph.len() as u32 {
                let expected = a != b && dominates(&graph, a, b);
                assert_eq!(tree.is_above(a, b), expected, "seed {seed}: does {a} dominate {b}");
            }
            let proper = (0..graph.len() as u32).filter(|d| *d != a && dominates(&graph, *d, a)).count();
            let mut chain = 0;
            let mut at = a;
            while let Some(parent) = tree.parent(at) {
                chain += 1;
                at = parent;
            }
            assert_eq!(chain, proper, "seed {seed}: dominators of {a}");
        }
    }
}

#[test]
fn components_are_mutually_reachable_and_ordered() {
    for seed in 0..2000 {
        let graph = random_graph(seed);
        let components = order::components(&graph);
        let mut place = vec![usize::MAX; graph.len()];
        for (index, component) in components.iter().enumerate() {
            component.iter().for_each(|node| place[*node as usize] = index);
        }
        for a in 0..graph.len() as u32 {
            for b in 0..graph.len() as u32 {
                let (there, back) = (reach(&graph, a, u32::MAX)[b as usize], reach(&graph, b, u32::MAX)[a as usize]);
                assert_eq!(place[a as usize] == place[b as usize], there && back, "seed {seed}: {a} and {b}");
                assert!(!there || place[b as usize] <= place[a as usize], "seed {seed}: order of {a} and {b}");
            }
        }
    }
}

#[test]
fn postorder_has_successors_first_unless_on_a_cycle() {
    for seed in 0..2000 {
        let graph = random_graph(seed);
        let order = order::postorder(&graph, 0);
        let reached = reach(&graph, 0, u32::MAX);
        assert_eq!(order.len(), reached.iter().filter(|r| **r).count());
        let place = |node: u32| order.iter().position(|n| *n == node);
        for (source, target) in graph.edges().filter(|(source, _)| reached[*source as usize]) {
            let closes_cycle = reach(&graph, target, u32::MAX)[source as usize];
            assert!(closes_cycle || place(target) < place(source), "seed {seed}: {source} -> {target}");
        }
    }
}

/// The natural loop of a head: what reaches a source of its back edges without going through it.
fn natural_loop(graph: &Adjacency, head: u32) -> Vec<bool> {
    let sources: Vec<u32> =
        graph.edges().filter(|(s, t)| *t == head && dominates(graph, head, *s)).map(|(s, _)| s).collect();
    let reached = reach(graph, 0, u32::MAX);
    (0..graph.len() as u32)
        .map(|node| {
            let to_source = reach(graph, node, head);
            !sources.is_empty()
                && reached[node as usize]
                && (node == head || sources.iter().any(|s| to_source[*s as usize]))
        })
        .collect()
}

#[test]
fn loops_are_natural_loops_and_cut_every_cycle() {
    let (mut reducible, mut irreducible) = (0, 0);
    for seed in 0..4000 {
        let graph = random_graph(seed);
        let loops = Loops::new(NodeId(0), forest(&graph, 0));
        let reached = reach(&graph, 0, u32::MAX);
        let live = |(s, t): &(u32, u32)| reached[*s as usize] && reached[*t as usize];
        let uncut = Adjacency::new(
            graph.len(),
            graph.edges().filter(live).filter(|(s, t)| !loops.is_head(NodeId(*s)) && !loops.is_head(NodeId(*t))),
        );
        let is_acyclic = |graph: &Adjacency| graph.edges().all(|(s, t)| !reach(graph, t, u32::MAX)[s as usize]);
        assert!(is_acyclic(&uncut), "seed {seed}: a cycle without a head");
        let forwards =
            Adjacency::new(graph.len(), graph.edges().filter(live).filter(|(s, t)| !dominates(&graph, *t, *s)));
        assert_eq!(loops.is_reducible(), is_acyclic(&forwards), "seed {seed}: reducible");
        if !loops.is_reducible() {
            irreducible += 1;
            continue;
        }
        reducible += 1;
        for node in 0..graph.len() as u32 {
            let expected = natural_loop(&graph, node);
            assert_eq!(loops.is_head(NodeId(node)), expected.contains(&true), "seed {seed}: head {node}");
            if let Some((id, _)) = loops.all().enumerate().find(|(_, l)| l.head == NodeId(node)) {
                let found: Vec<bool> = (0..graph.len() as u32).map(|n| loops.contains(id, NodeId(n))).collect();
                assert_eq!(found, expected, "seed {seed}: the loop of {node}");
            }
        }
    }
    assert!(reducible > 500 && irreducible > 100, "{reducible} reducible, {irreducible} irreducible");
}

#[test]
fn a_hundred_thousand_returns_take_no_time() {
    let count = 100_000u32;
    let edges = (0..count).flat_map(|node| [(node, node + 1), (node, count)]);
    let graph = Adjacency::new(count as usize + 1, edges);
    let start = std::time::Instant::now();
    let tree = dominators::tree(&graph, &graph.reversed(), 0);
    let ends = dominators::tree(&graph.reversed(), &graph, count);
    assert_eq!(tree.parent(count), Some(0));
    assert_eq!(ends.parent(0), Some(count));
    assert_eq!(order::components(&graph).len(), count as usize + 1);
    assert!(start.elapsed().as_secs() < 5);
}
