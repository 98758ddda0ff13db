//! Loops and how they nest, for reducible and irreducible graphs.
//!
//! One depth-first search that hands each node the head of its innermost loop (Wei, Mao, Zou, Chen: A new algorithm for
//! identifying loops in decompilation, 2007). A head is the target of an edge that closes a cycle in the search, so
//! that every cycle goes through a head. A loop that can be entered elsewhere is not natural; its other entries are
//! listed.

use tandem_base::{IdVec, define_id};

use super::adjacency::Adjacency;
use crate::model::NodeId;

const NONE: u32 = u32::MAX;

define_id!(
    /// A loop of one function; outer loops come before the loops inside of them.
    LoopId, "loop"
);

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub head: NodeId,
    /// The smallest loop around it.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// Other nodes through which the loop can be entered. Empty: a natural loop, whose head dominates all of it.
    pub entries: Vec<NodeId>,
}

/// The loops of a function.
pub struct Loops {
    first: NodeId,
    loops: IdVec<LoopId, Loop>,
    /// The innermost loop of each node; a head is in its own loop.
    innermost: Vec<Option<LoopId>>,
}

impl Loops {
    pub(super) fn new(first: NodeId, forest: Forest) -> Loops {
        let global = |index: u32| NodeId(first.0 + index);
        let mut loops: IdVec<LoopId, Loop> = IdVec::new();
        let mut own = vec![None; forest.header.len()];
        // In the order of discovery: the head of an outer loop is found before those inside.
        for head in forest.order.iter().copied().filter(|node| forest.is_head[*node as usize]) {
            let parent = own.get(forest.header[head as usize] as usize).copied().flatten();
            let depth = parent.map_or(1, |parent: LoopId| loops[parent].depth + 1);
            own[head as usize] = Some(loops.push(Loop { head: global(head), parent, depth, entries: Vec::new() }));
        }
        for (head, entry) in forest.entries {
            if let Some(id) = own[head as usize] {
                loops[id].entries.push(global(entry));
            }
        }
        for found in loops.iter_mut() {
            found.entries.sort_unstable();
            found.entries.dedup();
        }
        let of = |node: usize| own[node].or_else(|| own.get(forest.header[node] as usize).copied().flatten());
        let innermost = (0..forest.header.len()).map(of).collect();
        Loops { first, loops, innermost }
    }

    pub fn all(&self) -> &IdVec<LoopId, Loop> {
        &self.loops
    }

    pub fn heads(&self) -> impl Iterator<Item = NodeId> {
        self.loops.iter().map(|l| l.head)
    }

    pub fn is_head(&self, node: NodeId) -> bool {
        self.innermost(node).is_some_and(|id| self.loops[id].head == node)
    }

    /// The smallest loop a node is in.
    pub fn innermost(&self, node: NodeId) -> Option<LoopId> {
        self.innermost[(node.0 - self.first.0) as usize]
    }

    /// How many loops a node is in.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.innermost(node).map_or(0, |id| self.loops[id].depth)
    }

    /// Whether the node is in the loop.
    pub fn contains(&self, id: LoopId, node: NodeId) -> bool {
        let mut at = self.innermost(node);
        while let Some(inner) = at {
            if inner == id {
                return true;
            }
            at = self.loops[inner].parent;
        }
        false
    }

    /// Whether every loop has one entry.
    pub fn is_reducible(&self) -> bool {
        self.loops.iter().all(|l| l.entries.is_empty())
    }
}

/// What the search leaves.
pub(super) struct Forest {
    /// The head of the innermost loop around a node, itself excluded.
    header: Vec<u32>,
    is_head: Vec<bool>,
    /// Head of an irreducible loop, and a node at which it is entered otherwise.
    entries: Vec<(u32, u32)>,
    order: Vec<u32>,
}

pub(super) fn forest(graph: &Adjacency, root: u32) -> Forest {
    let count = graph.len();
    let forest =
        Forest { header: vec![NONE; count], is_head: vec![false; count], entries: Vec::new(), order: vec![root] };
    let mut search = Search { forest, position: vec![0; count], seen: vec![false; count] };
    search.seen[root as usize] = true;
    search.position[root as usize] = 1;
    let mut stack = vec![(root, 0)];
    while let Some((node, next)) = stack.last_mut() {
        let node = *node;
        let Some(&target) = graph.of(node).get(*next) else {
            stack.pop();
            search.position[node as usize] = 0;
            if let Some((parent, _)) = stack.last() {
                search.put_in(*parent, search.forest.header[node as usize]);
            }
            continue;
        };
        *next += 1;
        if search.seen[target as usize] {
            search.known(node, target);
        } else {
            search.seen[target as usize] = true;
            search.forest.order.push(target);
            stack.push((target, 0));
            search.position[target as usize] = stack.len() as u32;
        }
    }
    search.forest
}

struct Search {
    forest: Forest,
    /// The place of a node on the current path, counted from one; 0 if it is not on it.
    position: Vec<u32>,
    seen: Vec<bool>,
}

impl Search {
    /// An edge to a node that the search has found before.
    fn known(&mut self, node: u32, target: u32) {
        if self.position[target as usize] > 0 {
            self.forest.is_head[target as usize] = true;
            return self.put_in(node, target);
        }
        let mut head = self.forest.header[target as usize];
        // Loops around the target that are left already are entered here by another door than their head.
        while head != NONE && self.position[head as usize] == 0 {
            self.forest.entries.push((head, target));
            head = self.forest.header[head as usize];
        }
        self.put_in(node, head);
    }

    /// The node is in the loop of `head`: weaves both chains of heads together, the inner ones first.
    fn put_in(&mut self, node: u32, head: u32) {
        if node == head || head == NONE {
            return;
        }
        let (mut inner, mut outer) = (node, head);
        loop {
            let next = self.forest.header[inner as usize];
            if next == outer {
                return;
            }
            if next == NONE {
                self.forest.header[inner as usize] = outer;
                return;
            }
            if self.position[next as usize] < self.position[outer as usize] {
                self.forest.header[inner as usize] = outer;
                inner = outer;
                outer = next;
            } else {
                inner = next;
            }
        }
    }
}
