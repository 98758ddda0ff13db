//! Array values: their one normal form, and select and store during evaluation.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Evaluator;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{RoundingMode, Sort};
use crate::value::{ArrayValue, BitVector, Value};

impl ArrayValue {
    pub fn select(&self, index: &Value) -> &Value {
        match self.entries.binary_search_by(|(at, _)| at.cmp(index)) {
            Ok(found) => &self.entries[found].1,
            Err(_) => &self.default,
        }
    }
}

impl Terms {
    /// The array with these entries in its normal form, so that equal arrays are equal values.
    pub fn array_value(&self, index: Sort, default: Value, entries: BTreeMap<Value, Value>) -> Value {
        let entries: Vec<(Value, Value)> = entries.into_iter().filter(|(_, value)| *value != default).collect();
        // Where the default holds for more than half of the indices there is no other way to write the array.
        let array = match self.indices(index, 2 * entries.len()) {
            Some(indices) => by_majority(&ArrayValue { default, entries }, indices),
            None => ArrayValue { default, entries },
        };
        Value::Array(Arc::new(array))
    }

    /// All values of the sort, if there are at most so many.
    fn indices(&self, sort: Sort, limit: usize) -> Option<Vec<Value>> {
        let all = match sort {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::RoundingMode => RoundingMode::ALL.map(Value::Rounding).to_vec(),
            Sort::Bv(width) if width < 40 && 1u64 << width <= limit as u64 => {
                (0..1u128 << width).map(|bits| Value::Bits(BitVector::new(width, bits))).collect()
            }
            Sort::Float(float) if float.width() < 40 && 1u64 << (float.width() - 1) <= limit as u64 => {
                let patterns = (0..1u128 << float.width()).map(|bits| BitVector::new(float.width(), bits));
                let canonical = patterns.filter(|bits| softfloat::canonical(float, bits) == *bits);
                canonical.map(|bits| Value::Float(float, bits)).collect()
            }
            _ => return None,
        };
        (all.len() <= limit).then_some(all)
    }
}

/// Written with the most frequent value, the smallest of several, as the default.
fn by_majority(array: &ArrayValue, indices: Vec<Value>) -> ArrayValue {
    let mut counts: HashMap<&Value, usize> = HashMap::new();
    for index in &indices {
        *counts.entry(array.select(index)).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let winner = counts.iter().filter(|(_, count)| **count == most).map(|(value, _)| *value).min();
    let default = winner.unwrap_or(&array.default).clone();
    let mut entries: Vec<(Value, Value)> =
        indices.into_iter().map(|index| (index.clone(), array.select(&index).clone())).collect();
    entries.retain(|(_, value)| *value != default);
    entries.sort();
    ArrayValue { default, entries }
}

impl Evaluator<'_> {
    /// Goes down the stores to the one that is hit.
    pub(super) fn select(&mut self, array: Term, index: Term) -> Option<Value> {
        let index = self.need(index)?.clone();
        let terms = self.terms;
        let mut at = array;
        loop {
            let node = terms.node(at);
            match node.op {
                Op::Store => {
                    if !self.memo.contains_key(&node.args[1]) {
                        self.need_indices(at);
                        return None;
                    }
                    if self.memo[&node.args[1]] == index {
                        return self.need(node.args[2]).cloned();
                    }
                    at = node.args[0];
                }
                Op::Ite => {
                    let condition = self.need(node.args[0])?.as_bool().unwrap_or(false);
                    at = node.args[if condition { 1 } else { 2 }];
                }
                Op::ConstArray(_) => return self.need(node.args[0]).cloned(),
                _ => {
                    return match self.need(at)? {
                        Value::Array(array) => Some(array.select(&index).clone()),
                        other => Some(other.clone()),
                    };
                }
            }
        }
    }

    /// Asks for the indices of all stores of a chain at once, so that it is not walked again for each.
    fn need_indices(&mut self, mut array: Term) {
        let terms = self.terms;
        while terms.op(array) == Op::Store {
            let args = terms.args(array);
            if !self.memo.contains_key(&args[1]) {
                self.stack.push(args[1]);
            }
            array = args[0];
        }
    }

    /// A chain of stores in one go: its inner arrays are not made.
    pub(super) fn store(&mut self, term: Term) -> Option<Value> {
        let terms = self.terms;
        let height = self.stack.len();
        let mut chain = Vec::new();
        let mut base = term;
        while terms.op(base) == Op::Store && (base == term || !self.memo.contains_key(&base)) {
            let args = terms.args(base);
            chain.push((args[1], args[2]));
            base = args[0];
        }
        let needed = chain.iter().flat_map(|&(index, value)| [index, value]).chain([base]);
        let missing: Vec<Term> = needed.filter(|needed| !self.memo.contains_key(needed)).collect();
        self.stack.extend(missing);
        if self.stack.len() > height {
            return None;
        }
        let Value::Array(array) = &self.memo[&base] else { return Some(terms.default_value(terms.sort(term))) };
        let mut entries: BTreeMap<Value, Value> = array.entries.iter().cloned().collect();
        for (index, value) in chain.iter().rev() {
            entries.insert(self.memo[index].clone(), self.memo[value].clone());
        }
        let index = terms.array_sorts_of(term).map_or(Sort::Bool, |(index, _)| index);
        Some(terms.array_value(index, array.default.clone(), entries))
    }
}
