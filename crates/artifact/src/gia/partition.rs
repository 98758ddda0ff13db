//! The coarsest stable partition of a labelled graph (bisimulation): nodes stay together as long as they have the same moves into
//! the same blocks. When a block is split, its largest part keeps the number, so that every node changes its number a logarithmic
//! number of times at most; nodes are looked at again only when a successor has changed its number.

use std::collections::HashMap;

use tandem_base::FastBuild;

/// A graph with labelled edges, by source.
pub(super) struct Labelled {
    first: Vec<u32>,
    /// Label and target.
    moves: Vec<(u32, u32)>,
}

impl Labelled {
    /// From edges: source, label, target.
    pub(super) fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Labelled {
        let mut first = vec![0u32; nodes + 1];
        for (source, _, _) in edges.clone() {
            first[source as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut at = first.clone();
        let mut moves = vec![(0, 0); first[nodes] as usize];
        for (source, label, target) in edges {
            moves[at[source as usize] as usize] = (label, target);
            at[source as usize] += 1;
        }
        Labelled { first, moves }
    }

    fn moves(&self, node: u32) -> &[(u32, u32)] {
        &self.moves[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

/// The block of each node. `blocks` is the partition to start with, numbered from 0 without gaps.
pub(super) fn coarsest(graph: &Labelled, reversed: &Labelled, blocks: Vec<u32>) -> Vec<u32> {
    let mut refinement = Refinement::new(blocks);
    while let Some(block) = refinement.queue.pop() {
        let looked = refinement.take_dirty(block);
        let groups = refinement.groups(graph, &looked);
        let moved = refinement.split(block, looked.len(), groups);
        refinement.mark(reversed, &moved);
    }
    refinement.blocks
}

struct Refinement {
    blocks: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Where a node is among the members of its block.
    position: Vec<u32>,
    /// Nodes to look at again, by block; a block with some is queued once.
    dirty: Vec<Vec<u32>>,
    is_dirty: Vec<bool>,
    queue: Vec<u32>,
}

/// Nodes by their moves.
type Groups = HashMap<Box<[(u32, u32)]>, Vec<u32>, FastBuild>;

impl Refinement {
    fn new(blocks: Vec<u32>) -> Refinement {
        let count = blocks.iter().max().map_or(0, |max| *max as usize + 1);
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        let mut position = Vec::with_capacity(blocks.len());
        for (node, block) in blocks.iter().enumerate() {
            let members = &mut members[*block as usize];
            position.push(members.len() as u32);
            members.push(node as u32);
        }
        let is_dirty = vec![true; blocks.len()];
        Refinement { blocks, dirty: members.clone(), members, position, is_dirty, queue: (0..count as u32).collect() }
    }

    fn take_dirty(&mut self, block: u32) -> Vec<u32> {
        let looked = std::mem::take(&mut self.dirty[block as usize]);
        for node in &looked {
            self.is_dirty[*node as usize] = false;
        }
        looked
    }

    /// The nodes, those with the same moves together.
    fn groups(&self, graph: &Labelled, looked: &[u32]) -> Vec<Vec<u32>> {
        let mut groups: Groups = HashMap::default();
        let mut signature: Vec<(u32, u32)> = Vec::new();
        for node in looked {
            signature.clear();
            let moves = graph.moves(*node).iter();
            signature.extend(moves.map(|(label, target)| (*label, self.blocks[*target as usize])));
            signature.sort_unstable();
            signature.dedup();
            match groups.get_mut(signature.as_slice()) {
                Some(group) => group.push(*node),
                None => drop(groups.insert(signature.as_slice().into(), vec![*node])),
            }
        }
        let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
        groups.sort_unstable_by_key(|group| group[0]);
        groups
    }

    /// Gives all groups but the largest a block of their own, and says which nodes changed theirs. What was not looked at is a group,
    /// too: who is looked at again has a move that those do not have.
    fn split(&mut self, block: u32, looked: usize, mut groups: Vec<Vec<u32>>) -> Vec<u32> {
        let rest = self.members[block as usize].len() - looked;
        let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
        if rest > 0 && rest < largest {
            let all = std::mem::take(&mut self.members[block as usize]);
            let mut among = vec![false; all.len()];
            groups.iter().flatten().for_each(|node| among[self.position[*node as usize] as usize] = true);
            let mut others = all.iter().zip(&among).filter(|(_, among)| !**among).map(|(node, _)| *node);
            groups.push(others.by_ref().collect());
            self.members[block as usize] = all;
        }
        if rest < largest
            && let Some(index) = (0..groups.len()).find(|index| groups[*index].len() == largest)
        {
            groups.remove(index);
        }
        for group in &groups {
            let fresh = self.members.len() as u32;
            for (index, node) in group.iter().enumerate() {
                self.remove(block, *node);
                self.blocks[*node as usize] = fresh;
                self.position[*node as usize] = index as u32;
            }
            self.members.push(group.clone());
            self.dirty.push(Vec::new());
        }
        groups.concat()
    }

    fn remove(&mut self, block: u32, node: u32) {
        let at = self.position[node as usize];
        let members = &mut self.members[block as usize];
        members.swap_remove(at as usize);
        if let Some(moved) = members.get(at as usize) {
            self.position[*moved as usize] = at;
        }
    }

    /// Whoever has a move to one of the nodes is to be looked at again.
    fn mark(&mut self, reversed: &Labelled, moved: &[u32]) {
        for node in moved {
            for (_, source) in reversed.moves(*node) {
                if std::mem::replace(&mut self.is_dirty[*source as usize], true) {
                    continue;
                }
                let block = self.blocks[*source as usize];
                if self.dirty[block as usize].is_empty() {
                    self.queue.push(block);
                }
                self.dirty[block as usize].push(*source);
            }
        }
    }
}
