//! Dominator trees by the algorithm of Lengauer and Tarjan with path compression.
//!
//! The simpler iteration over reverse postorder is quadratic where thousands of branches lead to one node, as the
//! `return` statements of generated programs do.

use super::adjacency::Adjacency;

const NONE: u32 = u32::MAX;

/// A tree on the numbers of a graph's nodes; nodes that the root does not reach are in no tree.
pub struct Tree {
    parents: Vec<u32>,
    /// When a walk through the tree enters and leaves each node: an ancestor's interval contains its descendants'.
    enter: Vec<u32>,
    leave: Vec<u32>,
}

impl Tree {
    pub fn parent(&self, node: u32) -> Option<u32> {
        Some(self.parents[node as usize]).filter(|parent| *parent != NONE)
    }

    /// Whether `a` is a proper ancestor of `b`.
    pub fn is_above(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        let both = self.enter[a] != NONE && self.enter[b] != NONE;
        both && self.enter[a] < self.enter[b] && self.leave[b] <= self.leave[a]
    }
}

/// The dominator tree of what `root` reaches.
pub(crate) fn tree(successors: &Adjacency, predecessors: &Adjacency, root: u32) -> Tree {
    let mut search = Search::new(successors, root);
    let count = search.order.len();
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); count];
    // Numbers from here on are those of the depth-first search.
    let mut dominator = vec![0u32; count];
    for node in (1..count as u32).rev() {
        for predecessor in predecessors.of(search.order[node as usize]) {
            let predecessor = search.number[*predecessor as usize];
            if predecessor != NONE {
                let best = search.best(predecessor);
                let semi = &search.semi;
                if semi[best as usize] < semi[node as usize] {
                    search.semi[node as usize] = semi[best as usize];
                }
            }
        }
        buckets[search.semi[node as usize] as usize].push(node);
        let parent = search.parent[node as usize];
        search.linked[node as usize] = true;
        for waiting in std::mem::take(&mut buckets[parent as usize]) {
            let best = search.best(waiting);
            let closer = search.semi[best as usize] < search.semi[waiting as usize];
            dominator[waiting as usize] = if closer { best } else { parent };
        }
    }
    let mut parents = vec![NONE; successors.len()];
    for node in 1..count {
        if dominator[node] != search.semi[node] {
            dominator[node] = dominator[dominator[node] as usize];
        }
        parents[search.order[node] as usize] = search.order[dominator[node] as usize];
    }
    numbered(parents, root)
}

struct Search {
    /// Nodes in the order of discovery, and back.
    order: Vec<u32>,
    number: Vec<u32>,
    /// In the tree of the search.
    parent: Vec<u32>,
    semi: Vec<u32>,
    /// The forest that grows from the last node to the first, with compressed paths.
    linked: Vec<bool>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
    path: Vec<u32>,
}

impl Search {
    fn new(graph: &Adjacency, root: u32) -> Search {
        let mut order = vec![root];
        let mut parent = vec![0];
        let mut number = vec![NONE; graph.len()];
        number[root as usize] = 0;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            let Some(&target) = graph.of(node).get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if number[target as usize] == NONE {
                number[target as usize] = order.len() as u32;
                parent.push(number[node as usize]);
                order.push(target);
                stack.push((target, 0));
            }
        }
        let all: Vec<u32> = (0..order.len() as u32).collect();
        let linked = vec![false; order.len()];
        let ancestor = parent.clone();
        Search { order, number, parent, semi: all.clone(), linked, ancestor, label: all, path: Vec::new() }
    }

    /// The node with the smallest semidominator on the way up to (not including) the root of the forest's tree.
    fn best(&mut self, node: u32) -> u32 {
        if !self.linked[node as usize] {
            return node;
        }
        let mut at = node;
        while self.linked[self.ancestor[at as usize] as usize] {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestor[below as usize];
            let (of_above, of_below) = (self.label[above as usize], self.label[below as usize]);
            if self.semi[of_above as usize] < self.semi[of_below as usize] {
                self.label[below as usize] = of_above;
            }
            self.ancestor[below as usize] = self.ancestor[above as usize];
        }
        self.label[node as usize]
    }
}

/// Adds the intervals.
fn numbered(parents: Vec<u32>, root: u32) -> Tree {
    let count = parents.len();
    let edges = parents.iter().enumerate().filter(|(_, parent)| **parent != NONE);
    let children = Adjacency::new(count, edges.map(|(node, parent)| (*parent, node as u32)));
    let mut tree = Tree { parents, enter: vec![NONE; count], leave: vec![NONE; count] };
    let mut clock = 0;
    let mut stack = vec![(root, 0)];
    tree.enter[root as usize] = clock;
    while let Some((node, next)) = stack.last_mut() {
        let node = *node;
        match children.of(node).get(*next) {
            Some(&child) => {
                *next += 1;
                clock += 1;
                tree.enter[child as usize] = clock;
                stack.push((child, 0));
            }
            None => {
                tree.leave[node as usize] = clock;
                stack.pop();
            }
        }
    }
    tree
}
