//! The graph of inclusions: nodes are sets of targets, an edge says that one set is part of another. Cycles are found now
//! and then and become one node. Knows nothing of C, objects or what a target is.

use std::collections::HashSet;

use tandem_base::FastBuild;

use super::set::Set;
use crate::graph::Adjacency;
use crate::graph::order::components;

/// A set of targets, by number. Nodes that were united have several numbers.
pub(super) type Node = u32;

/// `Use` is what else is to be done with every target that a node gets.
pub(super) struct Nodes<Use> {
    parent: Vec<Node>,
    known: Vec<Set>,
    /// The part of `known` that was not passed on yet.
    fresh: Vec<Set>,
    copies: Vec<Vec<Node>>,
    uses: Vec<Vec<Use>>,
    edges: HashSet<u64, FastBuild>,
    /// Nodes with something fresh.
    queue: Vec<Node>,
    queued: Vec<bool>,
    /// A position for each node, most of them before those they have edges to.
    rank: Vec<u32>,
    /// Edges passed since cycles were looked for; `None` before the first time.
    visits: Option<usize>,
}

impl<Use: Copy> Nodes<Use> {
    pub fn new() -> Self {
        Nodes {
            parent: Vec::new(),
            known: Vec::new(),
            fresh: Vec::new(),
            copies: Vec::new(),
            uses: Vec::new(),
            edges: HashSet::default(),
            queue: Vec::new(),
            queued: Vec::new(),
            rank: Vec::new(),
            visits: None,
        }
    }

    pub fn add(&mut self) -> Node {
        let node = self.parent.len() as Node;
        self.parent.push(node);
        self.known.push(Set::default());
        self.fresh.push(Set::default());
        self.copies.push(Vec::new());
        self.uses.push(Vec::new());
        self.queued.push(false);
        self.rank.push(u32::MAX);
        node
    }

    pub fn find(&mut self, node: Node) -> Node {
        let mut at = node;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at
    }

    fn enqueue(&mut self, node: Node) {
        if !std::mem::replace(&mut self.queued[node as usize], true) {
            self.queue.push(node);
        }
    }

    pub fn insert(&mut self, node: Node, target: u32) {
        let node = self.find(node);
        if self.known[node as usize].insert(target) {
            self.fresh[node as usize].insert(target);
            self.enqueue(node);
        }
    }

    fn receive(&mut self, node: Node, targets: &Set) {
        let news = targets.without(&self.known[node as usize]);
        if !news.is_empty() {
            self.known[node as usize].unite(&news);
            self.fresh[node as usize].unite(&news);
            self.enqueue(node);
        }
    }

    /// From now on `to` has everything that `from` has.
    pub fn add_copy(&mut self, from: Node, to: Node) {
        let (from, to) = (self.find(from), self.find(to));
        if from != to && self.edges.insert(u64::from(from) << 32 | u64::from(to)) {
            self.copies[from as usize].push(to);
            let known = std::mem::take(&mut self.known[from as usize]);
            self.receive(to, &known);
            self.known[from as usize] = known;
        }
    }

    /// From now on `action` is due for every target of the node. Returns the targets it was not told of and never will be.
    pub fn add_use(&mut self, node: Node, action: Use) -> Set {
        let node = self.find(node) as usize;
        self.uses[node].push(action);
        self.known[node].without(&self.fresh[node])
    }

    /// Makes two nodes one. What only one of them had is news to the other's edges and uses.
    pub fn unite(&mut self, a: Node, b: Node) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (keep, drop) = if self.copies[a as usize].len() >= self.copies[b as usize].len() { (a, b) } else { (b, a) };
        let (to, from) = (keep as usize, drop as usize);
        self.parent[from] = keep;
        let known = std::mem::take(&mut self.known[from]);
        let mut fresh = std::mem::take(&mut self.fresh[from]);
        fresh.unite(&known.without(&self.known[to]));
        fresh.unite(&self.known[to].without(&known));
        self.known[to].unite(&known);
        self.fresh[to].unite(&fresh);
        let copies = std::mem::take(&mut self.copies[from]);
        self.copies[to].extend(copies);
        let uses = std::mem::take(&mut self.uses[from]);
        self.uses[to].extend(uses);
        if !self.fresh[to].is_empty() {
            self.enqueue(keep);
        }
    }

    /// The nodes to look at next, sources first.
    pub fn take_queue(&mut self) -> Vec<Node> {
        if self.visits.is_none_or(|visits| visits > 4 * (self.parent.len() + self.edges.len())) {
            self.collapse();
        }
        let mut queue = std::mem::take(&mut self.queue);
        for node in &queue {
            self.queued[*node as usize] = false;
        }
        queue.sort_unstable_by_key(|node| self.rank[*node as usize]);
        queue
    }

    /// Passes on what is fresh in a node. Returns it, for the node's uses.
    pub fn pass_on(&mut self, node: Node) -> Set {
        let node = self.find(node);
        let fresh = std::mem::take(&mut self.fresh[node as usize]);
        if fresh.is_empty() {
            return fresh;
        }
        let copies = std::mem::take(&mut self.copies[node as usize]);
        self.visits = self.visits.map(|visits| visits + copies.len() + 1);
        for to in &copies {
            let to = self.find(*to);
            if to != node {
                self.receive(to, &fresh);
            }
        }
        self.copies[node as usize] = copies;
        fresh
    }

    /// Takes the uses of a node for as long as they are carried out; new ones may come meanwhile.
    pub fn take_uses(&mut self, node: Node) -> Vec<Use> {
        let node = self.find(node);
        std::mem::take(&mut self.uses[node as usize])
    }

    pub fn put_uses_back(&mut self, node: Node, mut uses: Vec<Use>) {
        let node = self.find(node) as usize;
        uses.append(&mut self.uses[node]);
        self.uses[node] = uses;
    }

    /// The sets of all nodes; of those that were united, at the number that `find` says.
    pub fn into_sets(self) -> Vec<Set> {
        self.known
    }

    /// Makes every cycle of edges one node and finds a good order.
    fn collapse(&mut self) {
        self.visits = Some(0);
        let count = self.parent.len();
        let mut pairs = Vec::with_capacity(self.edges.len());
        for node in 0..count as Node {
            let mut copies = std::mem::take(&mut self.copies[node as usize]);
            copies.iter_mut().for_each(|to| *to = self.find(*to));
            copies.sort_unstable();
            copies.dedup();
            pairs.extend(copies.iter().filter(|to| **to != node).map(|to| (node, *to)));
            self.copies[node as usize] = copies;
        }
        let found = components(&Adjacency::new(count, pairs.into_iter()));
        let last = found.len() as u32;
        for (number, component) in found.iter().enumerate() {
            for node in component {
                self.unite(component[0], *node);
            }
            let node = self.find(component[0]);
            self.rank[node as usize] = last - number as u32;
        }
    }
}
