//! Sets of edges on transitions.

use tandem_cfa::EdgeId;

/// A set of edges of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeSet {
    One(EdgeId),
    /// Not one; sorted, without duplicates.
    These(Box<[EdgeId]>),
    /// All edges but these; sorted, without duplicates.
    AllBut(Box<[EdgeId]>),
}

impl EdgeSet {
    /// Every edge: `*`.
    pub fn all() -> EdgeSet {
        EdgeSet::AllBut(Box::new([]))
    }

    pub fn these(edges: impl IntoIterator<Item = EdgeId>) -> EdgeSet {
        let edges = sorted(edges);
        match &edges[..] {
            [edge] => EdgeSet::One(*edge),
            _ => EdgeSet::These(edges),
        }
    }

    pub fn all_but(edges: impl IntoIterator<Item = EdgeId>) -> EdgeSet {
        EdgeSet::AllBut(sorted(edges))
    }

    pub fn contains(&self, edge: EdgeId) -> bool {
        match self {
            EdgeSet::One(one) => *one == edge,
            EdgeSet::These(edges) => edges.binary_search(&edge).is_ok(),
            EdgeSet::AllBut(edges) => edges.binary_search(&edge).is_err(),
        }
    }

    pub fn is_all(&self) -> bool {
        matches!(self, EdgeSet::AllBut(edges) if edges.is_empty())
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, EdgeSet::These(edges) if edges.is_empty())
    }

    pub fn intersect(&self, other: &EdgeSet) -> EdgeSet {
        match (self, other) {
            (EdgeSet::One(edge), set) | (set, EdgeSet::One(edge)) => match set.contains(*edge) {
                true => EdgeSet::One(*edge),
                false => EdgeSet::These(Box::new([])),
            },
            (EdgeSet::These(edges), set) | (set, EdgeSet::These(edges)) => {
                EdgeSet::these(edges.iter().copied().filter(|edge| set.contains(*edge)))
            }
            (EdgeSet::AllBut(one), EdgeSet::AllBut(other)) => EdgeSet::all_but(one.iter().chain(other).copied()),
        }
    }

    /// Its edges but these.
    pub fn without(&self, edges: &[EdgeId]) -> EdgeSet {
        match self {
            EdgeSet::AllBut(named) => EdgeSet::all_but(named.iter().chain(edges).copied()),
            EdgeSet::One(_) | EdgeSet::These(_) => {
                EdgeSet::these(self.named().iter().copied().filter(|edge| !edges.contains(edge)))
            }
        }
    }

    /// The edges that are named: the members, or those that are not members.
    pub fn named(&self) -> &[EdgeId] {
        match self {
            EdgeSet::One(edge) => std::slice::from_ref(edge),
            EdgeSet::These(edges) | EdgeSet::AllBut(edges) => edges,
        }
    }

    /// Whether it holds all edges but the named ones.
    pub fn is_rest(&self) -> bool {
        matches!(self, EdgeSet::AllBut(_))
    }
}

fn sorted(edges: impl IntoIterator<Item = EdgeId>) -> Box<[EdgeId]> {
    let mut edges: Vec<EdgeId> = edges.into_iter().collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_boxed_slice()
}
