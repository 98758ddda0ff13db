//! From the graph to clauses: each node in use gets a variable and the clauses that define it, once.
//!
//! Conjunctions whose inner nodes nobody else uses become one gate with many inputs; an assertion that is a conjunction
//! or disjunction becomes units or one clause without variables for the inner nodes.

use super::graph::{Edge, Gate, Graph, arguments};
use super::sat::{Literal, Sat};

/// Which literal stands for which node.
pub(super) struct Encoder {
    /// Zero: not yet encoded.
    literals: Vec<Literal>,
}

impl Encoder {
    pub fn new() -> Encoder {
        Encoder { literals: Vec::new() }
    }

    /// The literal of a node that has one.
    pub fn known(&self, edge: Edge) -> Option<Literal> {
        match self.literals.get(edge.node()) {
            Some(&literal) if literal != 0 => Some(if edge.is_negated() { -literal } else { literal }),
            _ => None,
        }
    }

    /// The literal of an edge; clauses for all that it depends on are added.
    pub fn literal(&mut self, graph: &Graph, sat: &mut Sat, edge: Edge) -> Literal {
        if self.known(edge).is_none() {
            self.encode(graph, sat, edge.node());
        }
        self.known(edge).unwrap_or(1)
    }

    fn encode(&mut self, graph: &Graph, sat: &mut Sat, root: usize) {
        if self.literals.len() < graph.len() {
            self.literals.resize(graph.len(), 0);
        }
        let mut stack = vec![root];
        let mut leaves = Vec::new();
        while let Some(&node) = stack.last() {
            if self.literals[node] != 0 {
                stack.pop();
                continue;
            }
            self.inputs_of(graph, node, &mut leaves);
            let before = stack.len();
            stack.extend(leaves.iter().map(|edge| edge.node()).filter(|&leaf| self.literals[leaf] == 0));
            if stack.len() == before {
                stack.pop();
                self.define(graph, sat, node, &leaves);
            }
        }
    }

    /// What the clauses of the node are about: the arguments, or for a conjunction all that it is the conjunction of.
    fn inputs_of(&self, graph: &Graph, node: usize, leaves: &mut Vec<Edge>) {
        leaves.clear();
        let gate = graph.gate(node);
        if !matches!(gate, Gate::And(..)) {
            let (edges, count) = arguments(gate);
            leaves.extend_from_slice(&edges[..count]);
            return;
        }
        let mut open = vec![Edge::new(node, false)];
        while let Some(edge) = open.pop() {
            match graph.gate(edge.node()) {
                Gate::And(left, right) if edge.node() == node || self.is_inner(graph, edge) => {
                    open.push(right);
                    open.push(left);
                }
                _ => leaves.push(edge),
            }
        }
    }

    fn is_inner(&self, graph: &Graph, edge: Edge) -> bool {
        !edge.is_negated() && self.literals[edge.node()] == 0 && !graph.is_shared(edge.node())
    }

    fn define(&mut self, graph: &Graph, sat: &mut Sat, node: usize, inputs: &[Edge]) {
        let this = sat.new_literal();
        let literal = |edge: Edge| self.known(edge).unwrap_or(1);
        let inputs: Vec<Literal> = inputs.iter().map(|&edge| literal(edge)).collect();
        match (graph.gate(node), inputs.as_slice()) {
            (Gate::False, _) => sat.add_clause(&[-this]),
            (Gate::And(..), inputs) => {
                for &input in inputs {
                    sat.add_clause(&[-this, input]);
                }
                let long: Vec<Literal> = inputs.iter().map(|&input| -input).chain([this]).collect();
                sat.add_clause(&long);
            }
            (Gate::Xor(..), &[a, b]) => {
                for (a, b, this) in [(a, b, -this), (-a, -b, -this), (-a, b, this), (a, -b, this)] {
                    sat.add_clause(&[a, b, this]);
                }
            }
            (Gate::Choice(..), &[condition, then, otherwise]) => define_choice(sat, this, condition, then, otherwise),
            (Gate::Sum(..), &[a, b, c]) => define_sum(sat, this, a, b, c),
            (Gate::Majority(..), &[a, b, c]) => {
                for (a, b) in [(a, b), (a, c), (b, c)] {
                    sat.add_clause(&[-a, -b, this]);
                    sat.add_clause(&[a, b, -this]);
                }
            }
            (Gate::Input | Gate::Xor(..) | Gate::Choice(..) | Gate::Sum(..) | Gate::Majority(..), _) => {}
        }
        self.literals[node] = this;
    }

    /// Adds clauses that make the edge true whenever none of `unless` is.
    pub fn assert(&mut self, graph: &Graph, sat: &mut Sat, edge: Edge, unless: &[Literal]) {
        let mut open = vec![edge];
        while let Some(edge) = open.pop() {
            match graph.gate(edge.node()) {
                _ if edge == Edge::TRUE => {}
                Gate::And(left, right) if !edge.is_negated() => open.extend([left, right]),
                _ => {
                    let mut clause = unless.to_vec();
                    self.disjuncts(graph, sat, edge, &mut clause);
                    // An empty clause: a contradiction that CaDiCaL only takes as two units.
                    if clause.is_empty() {
                        let literal = sat.new_literal();
                        sat.add_clause(&[literal]);
                        clause.push(-literal);
                    }
                    sat.add_clause(&clause);
                }
            }
        }
    }

    /// The literals whose disjunction the edge is.
    fn disjuncts(&mut self, graph: &Graph, sat: &mut Sat, edge: Edge, clause: &mut Vec<Literal>) {
        let mut open = vec![edge];
        while let Some(edge) = open.pop() {
            match graph.gate(edge.node()) {
                _ if edge == Edge::FALSE => {}
                Gate::And(left, right) if edge.is_negated() && self.known(edge).is_none() => {
                    open.extend([!right, !left])
                }
                _ => clause.push(self.literal(graph, sat, edge)),
            }
        }
    }
}

fn define_choice(sat: &mut Sat, this: Literal, condition: Literal, then: Literal, otherwise: Literal) {
    sat.add_clause(&[-condition, -then, this]);
    sat.add_clause(&[-condition, then, -this]);
    sat.add_clause(&[condition, -otherwise, this]);
    sat.add_clause(&[condition, otherwise, -this]);
    // Redundant, but lets equal branches decide without the condition.
    sat.add_clause(&[-then, -otherwise, this]);
    sat.add_clause(&[then, otherwise, -this]);
}

fn define_sum(sat: &mut Sat, this: Literal, a: Literal, b: Literal, c: Literal) {
    for signs in 0..8u8 {
        let sign = |literal: Literal, bit: u8| if signs >> bit & 1 == 1 { -literal } else { literal };
        // `signs` says which arguments are true; then the sum is their parity.
        let parity = if signs.count_ones() % 2 == 1 { this } else { -this };
        sat.add_clause(&[sign(a, 0), sign(b, 1), sign(c, 2), parity]);
    }
}
