//! A set of paths that is given by how they begin: what a search gives away of its work.

use std::collections::BTreeMap;

use super::Decisions;

/// A tree of decisions. Every path that begins as one of its branches is in the set.
#[derive(Clone, PartialEq, Debug)]
pub struct Beginnings {
    /// By number; the first is the root. A node without children is the end of a branch.
    nodes: Vec<BTreeMap<u32, u32>>,
}

impl Beginnings {
    /// The root, where no decision is taken.
    pub const ROOT: u32 = 0;

    /// None of them begins as another does, or else the longer one is in the shorter one.
    pub fn new(mut all: Vec<Decisions>) -> Beginnings {
        all.sort();
        let mut kept: Vec<Decisions> = Vec::new();
        for decisions in all {
            if !kept.last().is_some_and(|last| decisions.begins_with(last)) {
                kept.push(decisions);
            }
        }
        let mut tree = Beginnings { nodes: vec![BTreeMap::new()] };
        for decisions in kept {
            let mut at = Beginnings::ROOT;
            for rank in decisions.0 {
                let next = tree.nodes.len() as u32;
                let child = *tree.nodes[at as usize].entry(rank).or_insert(next);
                if child == next {
                    tree.nodes.push(BTreeMap::new());
                }
                at = child;
            }
        }
        tree
    }

    /// The node after one more decision: itself at the end of a branch, nothing outside of the tree.
    pub fn after(&self, node: u32, rank: u32) -> Option<u32> {
        let children = self.nodes.get(node as usize)?;
        if children.is_empty() { Some(node) } else { children.get(&rank).copied() }
    }

    /// Whether everything behind the node is in the set.
    pub fn is_end(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(BTreeMap::is_empty)
    }

    pub fn contains(&self, path: &Decisions) -> bool {
        let end = path.0.iter().try_fold(Beginnings::ROOT, |node, rank| self.after(node, *rank));
        end.is_some_and(|node| self.is_end(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_begin_so() {
        let of = |ranks: &[u32]| Decisions(ranks.to_vec());
        let tree = Beginnings::new(vec![of(&[0, 1]), of(&[2]), of(&[2, 5]), of(&[0, 0, 1])]);
        for inside in [&[0, 1][..], &[0, 1, 7], &[2], &[2, 5], &[2, 1], &[0, 0, 1]] {
            assert!(tree.contains(&of(inside)), "{inside:?}");
        }
        for outside in [&[][..], &[0], &[0, 0], &[0, 0, 0], &[1], &[3, 2]] {
            assert!(!tree.contains(&of(outside)), "{outside:?}");
        }
        assert!(Beginnings::new(vec![of(&[])]).contains(&of(&[4])));
    }
}
