//! A directed graph on the numbers from zero on, in two vectors.

/// The successors of each node, in the order in which the edges were given.
#[derive(Clone, Debug)]
pub struct Adjacency {
    /// Where the successors of each node begin; one more for the end.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    pub fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32)>) -> Adjacency {
        let edges: Vec<(u32, u32)> = edges.collect();
        let mut starts = vec![0u32; nodes + 1];
        for (source, _) in &edges {
            starts[*source as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for (source, target) in edges {
            let at = &mut next[source as usize];
            targets[*at as usize] = target;
            *at += 1;
        }
        Adjacency { starts, targets }
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn of(&self, node: u32) -> &[u32] {
        &self.targets[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    pub fn edges(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.len() as u32).flat_map(|node| self.of(node).iter().map(move |target| (node, *target)))
    }

    pub fn reversed(&self) -> Adjacency {
        Adjacency::new(self.len(), self.edges().map(|(source, target)| (target, source)))
    }
}
