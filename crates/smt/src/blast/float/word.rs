//! Word operations that float circuits share, as terms.

use std::ops::Deref;

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// The pool, with the shapes that float circuits are made of.
pub(super) struct Words {
    terms: Terms,
}

impl Deref for Words {
    type Target = Terms;
    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl Words {
    pub fn new(terms: &Terms) -> Words {
        Words { terms: terms.clone() }
    }

    /// Equality that stays among the bits: the pool's own one would make an equality of floats of the bits of two atoms,
    /// and that is what is being lowered.
    pub fn eq(&self, left: Term, right: Term) -> Term {
        let is_atom = |term: Term| self.op(term) == Op::FloatToBits;
        if left != right && (is_atom(left) || is_atom(right)) {
            return self.intern(Op::Eq, Sort::Bool, &[left.min(right), left.max(right)]);
        }
        self.terms.eq(left, right)
    }

    /// A constant read as signed; the width is at most 64.
    pub fn signed(&self, width: u32, value: i64) -> Term {
        self.bv(width, i128::from(value) as u128)
    }

    pub fn zeros(&self, width: u32) -> Term {
        self.bv(width, 0)
    }

    pub fn ones(&self, width: u32) -> Term {
        self.bv_not(self.zeros(width))
    }

    pub fn is_zero(&self, word: Term) -> Term {
        self.eq(word, self.zeros(self.width(word)))
    }

    pub fn is_nonzero(&self, word: Term) -> Term {
        self.not(self.is_zero(word))
    }

    pub fn bit(&self, word: Term, index: u32) -> Term {
        self.eq(self.extract(word, index, index), self.bv(1, 1))
    }

    pub fn top_bit(&self, word: Term) -> Term {
        self.bit(word, self.width(word) - 1)
    }

    /// A boolean as a word of this width.
    pub fn bool_word(&self, width: u32, value: Term) -> Term {
        self.ite(value, self.bv(width, 1), self.zeros(width))
    }

    /// The boolean in every bit.
    pub fn replicate(&self, width: u32, value: Term) -> Term {
        self.ite(value, self.ones(width), self.zeros(width))
    }

    /// The word with `count` zeros below it.
    pub fn pad_low(&self, word: Term, count: u32) -> Term {
        if count == 0 { word } else { self.concat(word, self.zeros(count)) }
    }

    /// To this width, which is not smaller, by sign extension.
    pub fn widen_signed(&self, word: Term, width: u32) -> Term {
        self.sign_extend(word, width - self.width(word))
    }

    pub fn widen(&self, word: Term, width: u32) -> Term {
        self.zero_extend(word, width - self.width(word))
    }

    /// The low bits of this width.
    pub fn narrow(&self, word: Term, width: u32) -> Term {
        if self.width(word) == width { word } else { self.extract(word, width - 1, 0) }
    }

    /// `left + right + carry` with one adder: the carry comes out of an extra lowest bit.
    pub fn add_carry(&self, left: Term, right: Term, carry: Term) -> Term {
        let left = self.concat(left, self.bv(1, 1));
        let right = self.concat(right, self.bool_word(1, carry));
        let sum = self.bv_add(left, right);
        self.extract(sum, self.width(sum) - 1, 1)
    }

    /// Shifted left until the highest bit is one, and by how much. Zero stays zero, with an unspecified amount.
    pub fn normalize(&self, word: Term) -> (Term, Term) {
        let width = self.width(word);
        let mut word = word;
        let mut count: Option<Term> = None;
        let stages = bits_for(u64::from(width - 1));
        for stage in (0..stages).rev() {
            let distance = 1 << stage;
            let empty = self.is_zero(self.extract(word, width - 1, width - distance));
            let shifted = self.pad_low(self.extract(word, width - 1 - distance, 0), distance);
            word = self.ite(empty, shifted, word);
            let bit = self.bool_word(1, empty);
            count = Some(count.map_or(bit, |count| self.concat(count, bit)));
        }
        (word, count.unwrap_or_else(|| self.zeros(1)))
    }

    /// Shifted right by an unsigned amount; the second is whether a one was lost.
    pub fn shift_right_sticky(&self, word: Term, amount: Term) -> (Term, Term) {
        let (width, amount_width) = (self.width(word), self.width(amount));
        let stages = bits_for(u64::from(width)).min(amount_width);
        let mut word = word;
        let mut lost = self.bool(false);
        for stage in 0..stages {
            let selected = self.bit(amount, stage);
            let distance = (1u32 << stage).min(width);
            let dropped = self.is_nonzero(self.extract(word, distance - 1, 0));
            let shifted = if distance == width {
                self.zeros(width)
            } else {
                self.widen(self.extract(word, width - 1, distance), width)
            };
            lost = self.or2(lost, self.and2(selected, dropped));
            word = self.ite(selected, shifted, word);
        }
        if stages < amount_width {
            let far = self.is_nonzero(self.extract(amount, amount_width - 1, stages));
            lost = self.or2(lost, self.and2(far, self.is_nonzero(word)));
            word = self.ite(far, self.zeros(width), word);
        }
        (word, lost)
    }
}

/// Bits that the number needs as an unsigned one, at least one unless it is zero.
pub(super) fn bits_for(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Bits that both numbers need as signed ones.
pub(super) fn signed_bits_for(low: i64, high: i64) -> u32 {
    let bits = |number: i64| bits_for(if number < 0 { !number as u64 } else { number as u64 }) + 1;
    bits(low).max(bits(high))
}
