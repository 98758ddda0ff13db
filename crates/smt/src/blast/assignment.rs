//! The values that edges and terms have after a satisfiable answer.

use std::cell::RefCell;

use num_bigint::BigUint;
use tandem_base::FastBuild;

use super::cnf::Encoder;
use super::graph::{Edge, Gate, Graph};
use super::sat::Sat;
use crate::sort::{RoundingMode, Sort};
use crate::value::{BitVector, Value};

/// Reads values from the solver; nodes that it does not know are computed, inputs that it does not know are false.
pub(super) struct Assignment<'a> {
    pub graph: &'a Graph,
    pub encoder: &'a Encoder,
    pub sat: RefCell<&'a mut Sat>,
    computed: RefCell<hashbrown::HashMap<usize, bool, FastBuild>>,
}

impl<'a> Assignment<'a> {
    pub fn new(graph: &'a Graph, encoder: &'a Encoder, sat: &'a mut Sat) -> Assignment<'a> {
        Assignment { graph, encoder, sat: RefCell::new(sat), computed: RefCell::default() }
    }

    pub fn edge(&self, edge: Edge) -> bool {
        match self.settled(edge) {
            Some(value) => value,
            None => {
                self.compute(edge.node());
                self.settled(edge).unwrap_or(false)
            }
        }
    }

    fn settled(&self, edge: Edge) -> Option<bool> {
        if edge.is_constant() {
            return Some(edge == Edge::TRUE);
        }
        if let Some(literal) = self.encoder.known(edge) {
            return Some(self.sat.borrow_mut().value(literal));
        }
        self.computed.borrow().get(&edge.node()).map(|&value| value ^ edge.is_negated())
    }

    fn compute(&self, root: usize) {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            let gate = self.graph.gate(node);
            let (edges, count) = super::graph::arguments(gate);
            let before = stack.len();
            let mut values = [false; 3];
            for (value, &edge) in values.iter_mut().zip(&edges[..count]) {
                match self.settled(edge) {
                    Some(settled) => *value = settled,
                    None => stack.push(edge.node()),
                }
            }
            if stack.len() == before {
                stack.pop();
                self.computed.borrow_mut().insert(node, gate_value(gate, values));
            }
        }
    }

    /// The bits of a word, packed.
    pub fn word(&self, word: &[Edge]) -> Bits {
        let mut bits = vec![0u64; word.len().div_ceil(64)];
        for (index, &edge) in word.iter().enumerate() {
            bits[index / 64] |= u64::from(self.edge(edge)) << (index % 64);
        }
        bits.into_boxed_slice()
    }
}

/// Bits of a word, 64 at a time, lowest first.
pub(super) type Bits = Box<[u64]>;

fn gate_value(gate: Gate, [a, b, c]: [bool; 3]) -> bool {
    match gate {
        Gate::False | Gate::Input => false,
        Gate::And(..) => a && b,
        Gate::Xor(..) => a ^ b,
        Gate::Choice(..) => {
            if a {
                b
            } else {
                c
            }
        }
        Gate::Sum(..) => a ^ b ^ c,
        Gate::Majority(..) => u8::from(a) + u8::from(b) + u8::from(c) >= 2,
    }
}

/// The value of a sort that these bits stand for. Arrays have no bits: they give `None`.
pub(super) fn value_of(sort: Sort, bits: &[u64]) -> Option<Value> {
    let low = bits.first().copied().unwrap_or(0);
    Some(match sort {
        Sort::Bool => Value::Bool(low & 1 == 1),
        Sort::Bv(width) => Value::Bits(bit_vector(width, bits)),
        Sort::Float(format) => Value::Float(format, bit_vector(format.width(), bits)),
        Sort::RoundingMode => Value::Rounding(RoundingMode::ALL[(low as usize).min(RoundingMode::ALL.len() - 1)]),
        Sort::Uninterpreted(_) => Value::Element(sort, low as u32),
        Sort::Array(_) => return None,
    })
}

fn bit_vector(width: u32, bits: &[u64]) -> BitVector {
    if width <= 128 {
        let low = u128::from(bits.first().copied().unwrap_or(0));
        let high = u128::from(bits.get(1).copied().unwrap_or(0));
        return BitVector::new(width, high << 64 | low);
    }
    let digits: Vec<u32> = bits.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect();
    BitVector::from_big(width, &BigUint::new(digits))
}
