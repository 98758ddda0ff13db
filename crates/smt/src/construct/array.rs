//! Constructors of array terms.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;
use crate::value::BitVector;

/// How many stores a select looks through.
const REACH: usize = 1000;

impl Terms {
    /// Index and element sort of an array term.
    pub fn array_sorts_of(&self, array: Term) -> Option<(Sort, Sort)> {
        match self.sort(array) {
            Sort::Array(id) => Some(self.array_sorts(id)),
            _ => None,
        }
    }

    pub fn select(&self, array: Term, index: Term) -> Term {
        debug_assert_eq!(
            self.array_sorts_of(array).map(|(index, _)| index),
            Some(self.sort(index)),
            "sort mismatch in select"
        );
        let element = self.array_sorts_of(array).map_or(Sort::Bool, |(_, element)| element);
        let mut array = array;
        for _ in 0..REACH {
            match (self.op(array), self.args(array)) {
                (Op::Store, &[_, at, value]) if at == index => return value,
                (Op::Store, &[rest, at, _]) if self.differ(at, index) => array = rest,
                (Op::ConstArray(_), &[value]) => return value,
                _ => break,
            }
        }
        self.intern(Op::Select, element, &[array, index])
    }

    /// Whether two terms have different values in every model, by a glance: constants, or different distances from
    /// one term.
    pub(super) fn differ(&self, left: Term, right: Term) -> bool {
        if self.is_value(left) && self.is_value(right) {
            return left != right;
        }
        let (a, b) = (self.distance(left), self.distance(right));
        matches!((a, b), (Some((base, x)), Some((other, y))) if base == other && x != y)
    }

    fn distance(&self, term: Term) -> Option<(Term, BitVector)> {
        let Sort::Bv(width) = self.sort(term) else { return None };
        if self.op(term) == Op::BvAdd
            && let Some(offset) = self.as_bv(self.args(term)[1])
        {
            return Some((self.args(term)[0], offset));
        }
        Some((term, BitVector::zero(width)))
    }

    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        debug_assert_eq!(
            self.array_sorts_of(array),
            Some((self.sort(index), self.sort(value))),
            "sort mismatch in store"
        );
        if let (Op::Select, &[source, at]) = (self.op(value), self.args(value))
            && source == array
            && at == index
        {
            return array;
        }
        match (self.op(array), self.args(array)) {
            (Op::Store, &[rest, at, _]) if at == index => self.store(rest, index, value),
            (Op::ConstArray(_), &[element]) if element == value => array,
            _ => self.intern(Op::Store, self.sort(array), &[array, index, value]),
        }
    }

    /// The array of this sort with one value everywhere.
    pub fn const_array(&self, array_sort: Sort, value: Term) -> Term {
        let Sort::Array(id) = array_sort else {
            debug_assert!(false, "the sort of a constant array is an array sort");
            return value;
        };
        debug_assert_eq!(self.array_sorts(id).1, self.sort(value), "sort mismatch in a constant array");
        self.intern(Op::ConstArray(id), array_sort, &[value])
    }
}
