//! The and-inverter graph, with gates for exclusive or, choice and full adders beside the conjunction.
//!
//! Nodes are hashed structurally, constants are propagated, and conjunctions are simplified over two levels. The graph
//! never knows terms or clauses.

use std::hash::BuildHasher;
use std::ops::Not;

use hashbrown::HashTable;
use tandem_base::FastBuild;

/// A node of the graph or its negation: twice the number of the node, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Edge(u32);

impl Edge {
    pub const FALSE: Edge = Edge(0);
    pub const TRUE: Edge = Edge(1);

    pub fn new(node: usize, negated: bool) -> Edge {
        Edge((node as u32) << 1 | u32::from(negated))
    }

    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_constant(self) -> bool {
        self.0 <= 1
    }

    /// Negated if `flip`.
    pub fn flip_if(self, flip: bool) -> Edge {
        Edge(self.0 ^ u32::from(flip))
    }
}

impl Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

impl From<bool> for Edge {
    fn from(value: bool) -> Edge {
        Edge(u32::from(value))
    }
}

/// What a node computes. Arguments are in normal form: see the constructors of [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Gate {
    /// Node 0.
    False,
    Input,
    And(Edge, Edge),
    /// No argument is negated.
    Xor(Edge, Edge),
    /// Condition, then, otherwise; neither of the first two is negated.
    Choice(Edge, Edge, Edge),
    /// The sum bit of a full adder; no argument is negated.
    Sum(Edge, Edge, Edge),
    /// The carry bit of a full adder; the first argument is not negated.
    Majority(Edge, Edge, Edge),
}

pub(super) struct Graph {
    gates: Vec<Gate>,
    /// Whether more than one gate uses the node (saturating count: 0, 1, 2).
    uses: Vec<u8>,
    table: HashTable<u32>,
    hasher: FastBuild,
}

impl Graph {
    pub fn new() -> Graph {
        Graph { gates: vec![Gate::False], uses: vec![0], table: HashTable::new(), hasher: FastBuild::default() }
    }

    pub fn gate(&self, node: usize) -> Gate {
        self.gates[node]
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether several gates use the node.
    pub fn is_shared(&self, node: usize) -> bool {
        self.uses[node] > 1
    }

    pub fn input(&mut self) -> Edge {
        self.gates.push(Gate::Input);
        self.uses.push(0);
        Edge::new(self.gates.len() - 1, false)
    }

    fn intern(&mut self, gate: Gate) -> Edge {
        let hash = self.hasher.hash_one(gate);
        let gates = &self.gates;
        if let Some(&found) = self.table.find(hash, |&node| gates[node as usize] == gate) {
            return Edge::new(found as usize, false);
        }
        let node = self.gates.len();
        let hasher = &self.hasher;
        self.table.insert_unique(hash, node as u32, |&node| hasher.hash_one(gates[node as usize]));
        self.gates.push(gate);
        self.uses.push(0);
        let (arguments, count) = arguments(gate);
        for edge in &arguments[..count] {
            let uses = &mut self.uses[edge.node()];
            *uses = (*uses + 1).min(2);
        }
        Edge::new(node, false)
    }

    fn as_and(&self, edge: Edge) -> Option<(Edge, Edge)> {
        match self.gates[edge.node()] {
            Gate::And(left, right) => Some((left, right)),
            _ => None,
        }
    }

    pub fn and(&mut self, left: Edge, right: Edge) -> Edge {
        if left == Edge::FALSE || right == Edge::FALSE || left == !right {
            return Edge::FALSE;
        }
        if left == Edge::TRUE || left == right {
            return right;
        }
        if right == Edge::TRUE {
            return left;
        }
        if let Some(simpler) = self.and_one_sided(left, right).or_else(|| self.and_one_sided(right, left)) {
            return simpler;
        }
        if let Some(simpler) = self.and_two_sided(left, right) {
            return simpler;
        }
        self.intern(Gate::And(left.min(right), left.max(right)))
    }

    /// Simplifications by what `outer` is made of.
    fn and_one_sided(&mut self, outer: Edge, other: Edge) -> Option<Edge> {
        let (x, y) = self.as_and(outer)?;
        if !outer.is_negated() {
            // (x & y) & x = x & y; (x & y) & !x = false
            return match other {
                _ if other == x || other == y => Some(outer),
                _ if other == !x || other == !y => Some(Edge::FALSE),
                _ => None,
            };
        }
        // !(x & y) & x = x & !y; !(x & y) & !x = !x
        match other {
            _ if other == x => Some(self.and(other, !y)),
            _ if other == y => Some(self.and(other, !x)),
            _ if other == !x || other == !y => Some(other),
            _ => None,
        }
    }

    fn and_two_sided(&mut self, left: Edge, right: Edge) -> Option<Edge> {
        let ((x, y), (u, v)) = (self.as_and(left)?, self.as_and(right)?);
        match (left.is_negated(), right.is_negated()) {
            (false, false) => {
                if x == !u || x == !v || y == !u || y == !v {
                    return Some(Edge::FALSE);
                }
                // (x & y) & (x & v) = (x & y) & v
                if x == u || y == u {
                    return Some(self.and(left, v));
                }
                (x == v || y == v).then(|| self.and(left, u))
            }
            (false, true) => self.and_mixed(left, (x, y), (u, v)),
            (true, false) => self.and_mixed(right, (u, v), (x, y)),
            // !(x & y) & !(x & !y) = !x
            (true, true) if (x == u && y == !v) || (x == v && y == !u) => Some(!x),
            (true, true) if (y == u && x == !v) || (y == v && x == !u) => Some(!y),
            (true, true) => None,
        }
    }

    /// `positive`, which is x & y, and not (u & v).
    fn and_mixed(&mut self, positive: Edge, (x, y): (Edge, Edge), (u, v): (Edge, Edge)) -> Option<Edge> {
        if x == !u || x == !v || y == !u || y == !v {
            return Some(positive);
        }
        if x == u || y == u {
            return Some(self.and(positive, !v));
        }
        (x == v || y == v).then(|| self.and(positive, !u))
    }

    pub fn or(&mut self, left: Edge, right: Edge) -> Edge {
        !self.and(!left, !right)
    }

    pub fn xor(&mut self, left: Edge, right: Edge) -> Edge {
        let flip = left.is_negated() ^ right.is_negated();
        let (left, right) = (left.flip_if(left.is_negated()), right.flip_if(right.is_negated()));
        let result = match () {
            () if left == right => Edge::FALSE,
            () if left.is_constant() => right,
            () if right.is_constant() => left,
            () => self.intern(Gate::Xor(left.min(right), left.max(right))),
        };
        result.flip_if(flip)
    }

    pub fn same(&mut self, left: Edge, right: Edge) -> Edge {
        !self.xor(left, right)
    }

    pub fn choice(&mut self, condition: Edge, then: Edge, otherwise: Edge) -> Edge {
        if condition.is_negated() {
            return self.choice(!condition, otherwise, then);
        }
        if condition == Edge::FALSE || then == otherwise {
            return otherwise;
        }
        if then == !otherwise {
            return self.xor(condition, otherwise);
        }
        if then == Edge::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Edge::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Edge::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        if otherwise == Edge::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        let flip = then.is_negated();
        self.intern(Gate::Choice(condition, then.flip_if(flip), otherwise.flip_if(flip))).flip_if(flip)
    }

    /// The exclusive or of three.
    pub fn sum(&mut self, a: Edge, b: Edge, c: Edge) -> Edge {
        let flip = a.is_negated() ^ b.is_negated() ^ c.is_negated();
        let mut sorted = [a, b, c].map(|edge| edge.flip_if(edge.is_negated()));
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        let result = match () {
            () if a == b => c,
            () if b == c => a,
            () if a.is_constant() => self.xor(b, c),
            () => self.intern(Gate::Sum(a, b, c)),
        };
        result.flip_if(flip)
    }

    /// Whether at least two of three hold.
    pub fn majority(&mut self, a: Edge, b: Edge, c: Edge) -> Edge {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        // Equal or opposite arguments are neighbours after sorting.
        if a.node() == b.node() {
            return if a == b { a } else { c };
        }
        if b.node() == c.node() {
            return if b == c { b } else { a };
        }
        match a {
            Edge::FALSE => self.and(b, c),
            Edge::TRUE => self.or(b, c),
            _ => {
                let flip = a.is_negated();
                self.intern(Gate::Majority(a.flip_if(flip), b.flip_if(flip), c.flip_if(flip))).flip_if(flip)
            }
        }
    }

    pub fn and_all(&mut self, edges: &[Edge]) -> Edge {
        // Balanced: two-level rules see more, and the depth stays logarithmic.
        match edges {
            [] => Edge::TRUE,
            [edge] => *edge,
            _ => {
                let (left, right) = edges.split_at(edges.len() / 2);
                let (left, right) = (self.and_all(left), self.and_all(right));
                self.and(left, right)
            }
        }
    }

    pub fn or_all(&mut self, edges: &[Edge]) -> Edge {
        let negated: Vec<Edge> = edges.iter().map(|&edge| !edge).collect();
        !self.and_all(&negated)
    }
}

/// The arguments of a gate, and how many there are.
pub(super) fn arguments(gate: Gate) -> ([Edge; 3], usize) {
    match gate {
        Gate::False | Gate::Input => ([Edge::FALSE; 3], 0),
        Gate::And(a, b) | Gate::Xor(a, b) => ([a, b, Edge::FALSE], 2),
        Gate::Choice(a, b, c) | Gate::Sum(a, b, c) | Gate::Majority(a, b, c) => ([a, b, c], 3),
    }
}
