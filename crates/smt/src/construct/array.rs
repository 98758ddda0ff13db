//! Constructors of array terms.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

impl Terms {
    /// Index and element sort of an array term.
    pub fn array_sorts_of(&self, array: Term) -> Option<(Sort, Sort)> {
        match self.sort(array) {
            Sort::Array(id) => Some(self.array_sorts(id)),
            _ => None,
        }
    }

    pub fn select(&self, array: Term, index: Term) -> Term {
        let element = self.array_sorts_of(array).map_or(Sort::Bool, |(_, element)| element);
        self.intern(Op::Select, element, &[array, index])
    }

    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        self.intern(Op::Store, self.sort(array), &[array, index, value])
    }

    /// The array of this sort with one value everywhere.
    pub fn const_array(&self, array_sort: Sort, value: Term) -> Term {
        let Sort::Array(id) = array_sort else {
            debug_assert!(false, "the sort of a constant array is an array sort");
            return value;
        };
        self.intern(Op::ConstArray(id), array_sort, &[value])
    }
}
