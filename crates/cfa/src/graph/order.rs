//! Depth-first orders and strongly connected components.

use super::adjacency::Adjacency;

const NONE: u32 = u32::MAX;

/// The nodes that `root` reaches, each after everything that was found through it.
pub(crate) fn postorder(graph: &Adjacency, root: u32) -> Vec<u32> {
    let mut seen = vec![false; graph.len()];
    let mut order = Vec::with_capacity(graph.len());
    let mut stack = vec![(root, 0)];
    seen[root as usize] = true;
    while let Some((node, next)) = stack.last_mut() {
        match graph.of(*node).get(*next) {
            Some(&target) => {
                *next += 1;
                if !std::mem::replace(&mut seen[target as usize], true) {
                    stack.push((target, 0));
                }
            }
            None => {
                order.push(*node);
                stack.pop();
            }
        }
    }
    order
}

/// The strongly connected components of all nodes, each before those it has edges from (Tarjan).
pub(crate) fn components(graph: &Adjacency) -> Vec<Vec<u32>> {
    let count = graph.len();
    let mut search = Search { number: vec![NONE; count], low: vec![NONE; count], open: Vec::new(), found: Vec::new() };
    for root in 0..count as u32 {
        if search.number[root as usize] == NONE {
            search.from(graph, root);
        }
    }
    search.found
}

struct Search {
    /// The order of discovery; `NONE` if not discovered.
    number: Vec<u32>,
    /// The smallest number known to be reachable among the open nodes; `NONE` once the component is complete.
    low: Vec<u32>,
    open: Vec<u32>,
    found: Vec<Vec<u32>>,
}

impl Search {
    fn from(&mut self, graph: &Adjacency, root: u32) {
        // Nodes of earlier searches are all closed, so that their numbers do not matter any more.
        let mut counter = 0;
        let mut stack = Vec::new();
        self.discover(root, &mut counter, &mut stack);
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            match graph.of(node).get(*next) {
                Some(&target) => {
                    *next += 1;
                    if self.number[target as usize] == NONE {
                        self.discover(target, &mut counter, &mut stack);
                    } else if self.low[target as usize] != NONE {
                        self.low[node as usize] = self.low[node as usize].min(self.number[target as usize]);
                    }
                }
                None => {
                    stack.pop();
                    if let Some((parent, _)) = stack.last() {
                        let parent = *parent as usize;
                        self.low[parent] = self.low[parent].min(self.low[node as usize]);
                    }
                    self.close(node);
                }
            }
        }
    }

    fn discover(&mut self, node: u32, counter: &mut u32, stack: &mut Vec<(u32, usize)>) {
        self.number[node as usize] = *counter;
        self.low[node as usize] = *counter;
        *counter += 1;
        self.open.push(node);
        stack.push((node, 0));
    }

    /// Takes the component off the open nodes if `node` was the first of it.
    fn close(&mut self, node: u32) {
        if self.low[node as usize] != self.number[node as usize] {
            return;
        }
        let mut component = Vec::new();
        while let Some(member) = self.open.pop() {
            self.low[member as usize] = NONE;
            component.push(member);
            if member == node {
                break;
            }
        }
        self.found.push(component);
    }
}
