//! The automaton of one function while it is built: nodes may be merged, so that jumps cost no edges.
//!
//! Knows nothing of C.

use crate::model::{Edge, NodeId, Op};
use crate::source_flow::FlowKind;
use tandem_base::Span;

/// A node while the graph is built; [`Graph::resolve`] says which node it has become part of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Raw(pub u32);

#[derive(Default)]
pub(super) struct Graph {
    /// The node that each was merged into, itself for one that stands.
    parents: Vec<u32>,
    /// Sources and targets are [`Raw`] numbers.
    pub edges: Vec<Edge>,
    /// The steps of the source that became no edges, because their ends were merged.
    pub silent: Vec<Silent>,
}

/// A step of the source that costs no edge.
pub(super) struct Silent {
    pub source: Raw,
    pub target: Raw,
    pub kind: FlowKind,
    pub span: Span,
}

/// What is left of a graph: nodes in the order they are to be numbered, edges by source.
pub(super) struct Finished {
    /// The number of every raw node, `u32::MAX` for those that were removed.
    pub numbers: Vec<u32>,
    pub count: usize,
    pub edges: Vec<Edge>,
    /// For every edge the raw nodes it was made between.
    pub ends: Vec<(Raw, Raw)>,
    pub silent: Vec<Silent>,
}

impl Graph {
    pub fn node(&mut self) -> Raw {
        let id = self.parents.len() as u32;
        self.parents.push(id);
        Raw(id)
    }

    pub fn resolve(&mut self, node: Raw) -> Raw {
        let mut at = node.0;
        while self.parents[at as usize] != at {
            let up = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = up;
            at = up;
        }
        Raw(at)
    }

    pub fn edge(&mut self, source: Raw, target: Raw, op: Op, span: Span) -> &mut Edge {
        let edge =
            Edge { source: NodeId(source.0), target: NodeId(target.0), op, span, condition: None, outcome: None };
        self.edges.push(edge);
        let last = self.edges.len() - 1;
        &mut self.edges[last]
    }

    /// Makes `from`, which no edge leaves, the same node as `to`. A node that would wait for itself gets a loop.
    pub fn merge(&mut self, from: Raw, to: Raw, kind: FlowKind, span: Span) {
        let silent = Silent { source: from, target: to, kind, span };
        let (from, to) = (self.resolve(from), self.resolve(to));
        if from == to {
            self.edge(silent.source, silent.target, Op::Skip, span);
        } else {
            self.parents[from.0 as usize] = to.0;
            self.silent.push(silent);
        }
    }

    /// Drops what cannot be reached from `entry` and numbers the rest in the order their first edges were made, which
    /// is that of the source; `exit` comes last.
    pub fn finish(mut self, entry: Raw, exit: Raw) -> Finished {
        let (entry, exit) = (self.resolve(entry), self.resolve(exit));
        let mut edges = std::mem::take(&mut self.edges);
        let ends: Vec<(Raw, Raw)> = edges.iter().map(|edge| (Raw(edge.source.0), Raw(edge.target.0))).collect();
        for edge in &mut edges {
            edge.source = NodeId(self.resolve(Raw(edge.source.0)).0);
            edge.target = NodeId(self.resolve(Raw(edge.target.0)).0);
        }
        let mut reached = self.reach(entry, &edges);
        reached[exit.0 as usize] = false;
        let mut numbers = vec![u32::MAX; self.parents.len()];
        let mut count = 0;
        let last = (0..self.parents.len()).map(|node| node as u32);
        let sources = edges.iter().map(|edge| edge.source.0);
        for node in std::iter::once(entry.0).chain(sources).chain(last) {
            if std::mem::replace(&mut reached[node as usize], false) {
                numbers[node as usize] = count;
                count += 1;
            }
        }
        numbers[exit.0 as usize] = count;
        for edge in &mut edges {
            edge.source = NodeId(numbers[edge.source.0 as usize]);
            edge.target = NodeId(numbers[edge.target.0 as usize]);
        }
        let mut ended: Vec<(Edge, (Raw, Raw))> = edges.into_iter().zip(ends).collect();
        ended.retain(|(edge, _)| edge.source.0 != u32::MAX);
        // Stable: the edges that leave one node keep their order, true before false.
        ended.sort_by_key(|(edge, _)| edge.source);
        let (edges, ends) = ended.into_iter().unzip();
        for index in 0..self.parents.len() {
            let standing = self.resolve(Raw(index as u32));
            numbers[index] = numbers[standing.0 as usize];
        }
        Finished { numbers, count: count as usize + 1, edges, ends, silent: self.silent }
    }

    /// Which nodes can be reached.
    fn reach(&self, entry: Raw, edges: &[Edge]) -> Vec<bool> {
        let mut starts = vec![0u32; self.parents.len() + 1];
        for edge in edges {
            starts[edge.source.0 as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut targets = vec![0u32; edges.len()];
        let mut next = starts.clone();
        for edge in edges {
            let slot = &mut next[edge.source.0 as usize];
            targets[*slot as usize] = edge.target.0;
            *slot += 1;
        }
        let mut reached = vec![false; self.parents.len()];
        reached[entry.0 as usize] = true;
        let mut stack = vec![entry.0];
        while let Some(node) = stack.pop() {
            let range = starts[node as usize] as usize..starts[node as usize + 1] as usize;
            for &target in &targets[range] {
                if !std::mem::replace(&mut reached[target as usize], true) {
                    stack.push(target);
                }
            }
        }
        reached
    }
}
