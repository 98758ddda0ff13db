//! The abstract reachability graph: a tree of abstract states at cut points, which of them cover which, and which are still to be
//! expanded. Knows no predicates and no solver.

use std::collections::{BTreeSet, HashMap};

use tandem_base::FastBuild;
use tandem_cpa::Point;
use tandem_smt::Term;

use super::segments::{Exit, Hop};

pub type NodeNumber = usize;

pub struct Node {
    pub point: Point,
    /// The block from here.
    pub segment: usize,
    /// What holds here, over start symbols.
    pub state: Term,
    /// From where, and by which end of the block there.
    pub parent: Option<(NodeNumber, usize)>,
    pub depth: usize,
    children: Vec<(usize, NodeNumber)>,
    pub covered_by: Vec<NodeNumber>,
    pub expanded: bool,
    pub removed: bool,
    /// Exits that were given up: they are caveats already.
    pub given_up: BTreeSet<usize>,
    /// Whether it covers nothing, since not all errors behind it are refuted.
    leaks: bool,
}

#[derive(Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    at: HashMap<Point, Vec<NodeNumber>, FastBuild>,
    waiting: BTreeSet<(usize, NodeNumber)>,
    /// Nodes that may be covered by this one.
    covers: HashMap<NodeNumber, Vec<NodeNumber>, FastBuild>,
}

impl Graph {
    pub fn add(
        &mut self,
        point: Point,
        segment: usize,
        state: Term,
        parent: Option<(NodeNumber, usize)>,
    ) -> NodeNumber {
        let number = self.nodes.len();
        let depth = parent.map_or(0, |(parent, _)| self.nodes[parent].depth + 1);
        if let Some((parent, end)) = parent {
            self.nodes[parent].children.push((end, number));
        }
        self.nodes.push(Node {
            point,
            segment,
            state,
            parent,
            depth,
            children: Vec::new(),
            covered_by: Vec::new(),
            expanded: false,
            removed: false,
            given_up: BTreeSet::new(),
            leaks: false,
        });
        self.at.entry(point).or_default().push(number);
        self.waiting.insert((depth, number));
        number
    }

    /// The next node to be expanded: the one nearest to the start.
    pub fn next(&mut self) -> Option<NodeNumber> {
        self.waiting.pop_first().map(|(_, number)| number)
    }

    pub fn wait(&mut self, number: NodeNumber) {
        let node = &self.nodes[number];
        if !node.removed {
            self.waiting.insert((node.depth, number));
        }
    }

    pub fn has_child(&self, number: NodeNumber, end: usize) -> bool {
        self.nodes[number].children.iter().any(|(other, _)| *other == end)
    }

    pub fn children(&self, number: NodeNumber) -> impl Iterator<Item = NodeNumber> + '_ {
        self.nodes[number].children.iter().map(|(_, child)| *child)
    }

    /// The node is not to be looked at.
    pub fn done(&mut self, number: NodeNumber) {
        self.waiting.remove(&(self.nodes[number].depth, number));
    }

    /// The nodes at a point that are in the graph.
    pub fn live_at(&self, point: Point) -> Vec<NodeNumber> {
        self.at.get(&point).cloned().unwrap_or_default()
    }

    /// The nodes at the same point that are expanded: those that may cover this one.
    pub fn coverers(&self, number: NodeNumber) -> Vec<NodeNumber> {
        let here = self.at.get(&self.nodes[number].point).into_iter().flatten().rev();
        // The start may lie at a cut point too, but its block begins in one store and not in any: it covers nothing.
        let may = |other: &NodeNumber| {
            let node = &self.nodes[*other];
            *other != number && node.expanded && node.parent.is_some() && !node.leaks
        };
        here.copied().filter(may).collect()
    }

    pub fn cover(&mut self, number: NodeNumber, by: Vec<NodeNumber>) {
        for other in &by {
            self.covers.entry(*other).or_default().push(number);
        }
        self.nodes[number].covered_by = by;
    }

    /// What the node covers is to be looked at again.
    pub fn uncover(&mut self, by: NodeNumber) {
        for number in self.covers.remove(&by).unwrap_or_default() {
            if !self.nodes[number].removed && self.nodes[number].covered_by.contains(&by) {
                self.nodes[number].covered_by.clear();
                self.wait(number);
            }
        }
    }

    /// The node covers nothing from now on. Whether something that it covered is to be looked at again.
    pub fn leak(&mut self, number: NodeNumber) -> bool {
        let before = self.waiting.len();
        self.nodes[number].leaks = true;
        self.uncover(number);
        self.waiting.len() > before
    }

    /// Takes out a node and everything behind it; its parent is to be expanded again.
    pub fn remove(&mut self, root: NodeNumber) {
        if let Some((parent, _)) = self.nodes[root].parent {
            self.nodes[parent].children.retain(|(_, child)| *child != root);
            self.wait(parent);
        }
        let mut open = vec![root];
        let mut gone = Vec::new();
        while let Some(number) = open.pop() {
            let node = &mut self.nodes[number];
            node.removed = true;
            node.covered_by.clear();
            open.extend(node.children.drain(..).map(|(_, child)| child));
            self.waiting.remove(&(node.depth, number));
            if let Some(here) = self.at.get_mut(&node.point) {
                here.retain(|other| *other != number);
            }
            gone.push(number);
        }
        for number in gone {
            self.uncover(number);
        }
    }

    /// The nodes from the start to this one.
    pub fn path(&self, number: NodeNumber) -> Vec<NodeNumber> {
        let parent = |at: &NodeNumber| self.nodes[*at].parent.map(|(parent, _)| parent);
        let mut path: Vec<NodeNumber> = std::iter::successors(Some(number), parent).collect();
        path.reverse();
        path
    }

    /// The blocks from the start to this node, and out of it by this exit.
    pub fn hops(&self, number: NodeNumber, exit: Exit) -> Vec<Hop> {
        let path = self.path(number);
        let mut hops: Vec<Hop> = Vec::new();
        for node in &path[1..] {
            if let Some((parent, end)) = self.nodes[*node].parent {
                hops.push(Hop { segment: self.nodes[parent].segment, exit: Exit::End(end) });
            }
        }
        hops.push(Hop { segment: self.nodes[number].segment, exit });
        hops
    }

    pub fn live(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| !node.removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_cfa::NodeId;
    use tandem_cpa::StackId;
    use tandem_smt::Terms;

    #[test]
    fn the_start_covers_nothing() {
        let point = Point { node: NodeId(0), stack: StackId(0), mode: 0 };
        let state = Terms::new().bool(true);
        let mut graph = Graph::default();
        let start = graph.add(point, 0, state, None);
        graph.nodes[start].expanded = true;
        let head = graph.add(point, 1, state, Some((start, 0)));
        assert_eq!(graph.coverers(head), Vec::<NodeNumber>::new());
        graph.nodes[head].expanded = true;
        let again = graph.add(point, 1, state, Some((head, 0)));
        assert_eq!(graph.coverers(again), vec![head]);
    }

    #[test]
    fn what_a_removed_node_covered_waits_again() {
        let point = Point { node: NodeId(0), stack: StackId(0), mode: 0 };
        let state = Terms::new().bool(true);
        let mut graph = Graph::default();
        let start = graph.add(point, 0, state, None);
        let first = graph.add(point, 1, state, Some((start, 0)));
        let second = graph.add(point, 1, state, Some((start, 1)));
        while graph.next().is_some() {}
        graph.cover(second, vec![first]);
        graph.remove(first);
        assert!(graph.nodes[second].covered_by.is_empty());
        let waiting: Vec<NodeNumber> = std::iter::from_fn(|| graph.next()).collect();
        assert_eq!(waiting, vec![start, second]);
    }
}
