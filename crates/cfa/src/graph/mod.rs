//! What follows from the shape of the automaton alone: orders, components, dominators, loops, the call graph.
//!
//! Everything is computed on demand from a program and owned by the caller; nothing here looks at what an edge does,
//! except for calls. The algorithms work on plain numbers ([`Adjacency`]) in linear or almost linear time and without
//! recursion, since a function may have a hundred thousand nodes.

mod adjacency;
mod calls;
pub(crate) mod dominators;
mod loops;
pub(crate) mod order;

use tandem_base::IdRange;

pub use adjacency::Adjacency;
pub use calls::CallGraph;
pub use dominators::Tree;
pub use loops::{Loop, LoopId, Loops};

use crate::model::*;

/// The nodes and edges of one function.
pub struct Graph {
    nodes: IdRange<NodeId>,
    entry: NodeId,
    exit: NodeId,
    successors: Adjacency,
    predecessors: Adjacency,
}

impl Graph {
    pub fn of(program: &Program, body: &Body) -> Graph {
        let local = |node: NodeId| node.0 - body.nodes.start.0;
        let edges = program.edges.slice(body.edges).iter().map(|edge| (local(edge.source), local(edge.target)));
        let successors = Adjacency::new(body.nodes.len(), edges);
        let predecessors = successors.reversed();
        Graph { nodes: body.nodes, entry: body.entry, exit: body.exit, successors, predecessors }
    }

    fn local(&self, node: NodeId) -> u32 {
        node.0 - self.nodes.start.0
    }

    fn global(&self, index: u32) -> NodeId {
        NodeId(self.nodes.start.0 + index)
    }

    /// The nodes that the entry reaches, each before its successors except along edges that close a cycle.
    pub fn reverse_postorder(&self) -> Vec<NodeId> {
        let mut order = order::postorder(&self.successors, self.local(self.entry));
        order.reverse();
        order.into_iter().map(|index| self.global(index)).collect()
    }

    /// The strongly connected components, each before those it has edges from.
    pub fn components(&self) -> Vec<Vec<NodeId>> {
        let components = order::components(&self.successors);
        components.into_iter().map(|nodes| nodes.into_iter().map(|index| self.global(index)).collect()).collect()
    }

    /// Dominators: every path from the entry goes through them.
    pub fn dominators(&self) -> Dominators {
        let tree = dominators::tree(&self.successors, &self.predecessors, self.local(self.entry));
        Dominators { first: self.nodes.start, count: self.nodes.len() as u32, tree }
    }

    /// Postdominators: every path to the end goes through them. A path ends in the exit or in a node without edges; a node
    /// from which no path ends has no postdominators.
    pub fn postdominators(&self) -> Dominators {
        let count = self.nodes.len() as u32;
        let ends = self.nodes.iter().filter(|node| self.is_end(*node)).map(|node| (self.local(node), count));
        let edges = self.successors.edges().chain(ends);
        let forwards = Adjacency::new(count as usize + 1, edges);
        let tree = dominators::tree(&forwards.reversed(), &forwards, count);
        Dominators { first: self.nodes.start, count: self.nodes.len() as u32, tree }
    }

    fn is_end(&self, node: NodeId) -> bool {
        node == self.exit || self.successors.of(self.local(node)).is_empty()
    }

    pub fn loops(&self) -> Loops {
        let forest = loops::forest(&self.successors, self.local(self.entry));
        Loops::new(self.nodes.start, forest)
    }
}

/// The dominators (or postdominators) of a function's nodes.
pub struct Dominators {
    first: NodeId,
    count: u32,
    tree: Tree,
}

impl Dominators {
    /// The closest dominator other than the node itself.
    pub fn immediate(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.tree.parent(node.0 - self.first.0)?;
        // The common end of all paths is no node.
        (parent < self.count).then(|| NodeId(self.first.0 + parent))
    }

    /// Whether `a` dominates `b`; every node dominates itself.
    pub fn dominates(&self, a: NodeId, b: NodeId) -> bool {
        a == b || self.tree.is_above(a.0 - self.first.0, b.0 - self.first.0)
    }
}

#[cfg(test)]
mod tests;
