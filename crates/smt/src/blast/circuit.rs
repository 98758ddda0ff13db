//! Circuits for bit-vector operations over the graph. Words are slices of edges, the lowest bit first.

use super::graph::{Edge, Graph};

pub(super) type Word = Vec<Edge>;

pub(super) fn constant(width: usize, bit: impl Fn(u32) -> bool) -> Word {
    (0..width as u32).map(|index| bit(index).into()).collect()
}

fn is_constant(word: &[Edge]) -> bool {
    word.iter().all(|edge| edge.is_constant())
}

pub(super) fn not(word: &[Edge]) -> Word {
    word.iter().map(|&edge| !edge).collect()
}

impl Graph {
    pub fn word_and(&mut self, left: &[Edge], right: &[Edge]) -> Word {
        left.iter().zip(right).map(|(&a, &b)| self.and(a, b)).collect()
    }

    pub fn word_or(&mut self, left: &[Edge], right: &[Edge]) -> Word {
        left.iter().zip(right).map(|(&a, &b)| self.or(a, b)).collect()
    }

    pub fn word_xor(&mut self, left: &[Edge], right: &[Edge]) -> Word {
        left.iter().zip(right).map(|(&a, &b)| self.xor(a, b)).collect()
    }

    pub fn word_choice(&mut self, condition: Edge, then: &[Edge], otherwise: &[Edge]) -> Word {
        then.iter().zip(otherwise).map(|(&a, &b)| self.choice(condition, a, b)).collect()
    }

    /// The word if the edge holds, else zero.
    fn word_gated(&mut self, gate: Edge, word: &[Edge]) -> Word {
        word.iter().map(|&edge| self.and(gate, edge)).collect()
    }

    pub fn word_equal(&mut self, left: &[Edge], right: &[Edge]) -> Edge {
        let same: Word = left.iter().zip(right).map(|(&a, &b)| self.same(a, b)).collect();
        self.and_all(&same)
    }

    /// Sum modulo the width, and the carry out.
    pub fn word_add(&mut self, left: &[Edge], right: &[Edge], carry: Edge) -> (Word, Edge) {
        let mut carry = carry;
        let sum = left
            .iter()
            .zip(right)
            .map(|(&a, &b)| {
                let bit = self.sum(a, b, carry);
                carry = self.majority(a, b, carry);
                bit
            })
            .collect();
        (sum, carry)
    }

    pub fn word_negate(&mut self, word: &[Edge]) -> Word {
        let zero = vec![Edge::FALSE; word.len()];
        self.word_add(&zero, &not(word), Edge::TRUE).0
    }

    fn word_negate_if(&mut self, condition: Edge, word: &[Edge]) -> Word {
        let flipped: Word = word.iter().map(|&edge| self.xor(edge, condition)).collect();
        let zero = vec![Edge::FALSE; word.len()];
        self.word_add(&flipped, &zero, condition).0
    }

    /// Unsigned less; less or equal if `or_equal`.
    pub fn word_less(&mut self, left: &[Edge], right: &[Edge], or_equal: bool) -> Edge {
        let mut less = Edge::from(or_equal);
        for (&a, &b) in left.iter().zip(right) {
            less = self.majority(!a, b, less);
        }
        less
    }

    pub fn word_signed_less(&mut self, left: &[Edge], right: &[Edge], or_equal: bool) -> Edge {
        let (Some((&left_sign, left)), Some((&right_sign, right))) = (left.split_last(), right.split_last()) else {
            return Edge::from(or_equal);
        };
        let below = self.word_less(left, right, or_equal);
        self.majority(left_sign, !right_sign, below)
    }

    pub fn word_multiply(&mut self, left: &[Edge], right: &[Edge]) -> Word {
        let (left, right) = if is_constant(left) { (right, left) } else { (left, right) };
        if is_constant(right) {
            return self.multiply_by_constant(left, right);
        }
        // Shift and add, one row for each bit of the factor with fewer unknown bits: rows of constant zero are free.
        let unknown = |word: &[Edge]| word.iter().filter(|edge| !edge.is_constant()).count();
        let (left, right) = if unknown(left) < unknown(right) { (right, left) } else { (left, right) };
        let width = left.len();
        let mut total = self.word_gated(right[0], left);
        for shift in 1..width {
            if right[shift] == Edge::FALSE {
                continue;
            }
            let row = self.word_gated(right[shift], &left[..width - shift]);
            let (sum, _) = self.word_add(&total[shift..], &row, Edge::FALSE);
            total.truncate(shift);
            total.extend(sum);
        }
        total
    }

    /// By signed digits: a run of ones costs one addition and one subtraction.
    fn multiply_by_constant(&mut self, left: &[Edge], factor: &[Edge]) -> Word {
        let width = left.len();
        let mut total = vec![Edge::FALSE; width];
        for (shift, digit) in signed_digits(factor).into_iter().enumerate() {
            if digit == 0 {
                continue;
            }
            let part = &left[..width - shift];
            let (sum, _) = if digit > 0 {
                self.word_add(&total[shift..], part, Edge::FALSE)
            } else {
                self.word_add(&total[shift..], &not(part), Edge::TRUE)
            };
            total.truncate(shift);
            total.extend(sum);
        }
        total
    }

    /// Quotient and remainder, unsigned, by restoring division. Division by zero: all ones and the dividend.
    pub fn word_divide(&mut self, left: &[Edge], right: &[Edge]) -> (Word, Word) {
        let width = left.len();
        if let Some(shift) = power_of_two(right) {
            let mut quotient: Word = left[shift..].to_vec();
            quotient.resize(width, Edge::FALSE);
            let mut remainder: Word = left[..shift].to_vec();
            remainder.resize(width, Edge::FALSE);
            return (quotient, remainder);
        }
        let mut quotient = vec![Edge::FALSE; width];
        let mut remainder: Word = Vec::new();
        // After n steps the remainder has at most n bits, so the divisor only fits if its higher bits are zero.
        for index in (0..width).rev() {
            remainder.insert(0, left[index]);
            let bits = remainder.len();
            let high = self.or_all(&right[bits..]);
            let (difference, no_borrow) = self.word_add(&remainder, &not(&right[..bits]), Edge::TRUE);
            let fits = self.and(no_borrow, !high);
            quotient[index] = fits;
            remainder = self.word_choice(fits, &difference, &remainder);
        }
        (quotient, remainder)
    }

    /// Quotient (sign of the product) and remainder (sign of the dividend), with unsigned division of the magnitudes.
    pub fn word_signed_divide(&mut self, left: &[Edge], right: &[Edge], part: Part) -> Word {
        let (left_sign, right_sign) = (left[left.len() - 1], right[right.len() - 1]);
        let left = self.word_negate_if(left_sign, left);
        let right = self.word_negate_if(right_sign, right);
        let (quotient, remainder) = self.word_divide(&left, &right);
        match part {
            Part::Quotient => {
                let sign = self.xor(left_sign, right_sign);
                self.word_negate_if(sign, &quotient)
            }
            Part::Remainder => self.word_negate_if(left_sign, &remainder),
        }
    }

    /// Shifts towards the high end (`Left`) or the low end, filling with `fill`.
    pub fn word_shift(&mut self, word: &[Edge], by: &[Edge], direction: Direction, fill: Edge) -> Word {
        let width = word.len();
        let stages = usize::BITS as usize - (width - 1).leading_zeros() as usize;
        let mut result = word.to_vec();
        for (stage, &bit) in by.iter().enumerate().take(stages) {
            let distance = 1usize << stage;
            let shifted: Word = (0..width)
                .map(|index| match direction {
                    Direction::Left => index.checked_sub(distance).map_or(fill, |from| result[from]),
                    Direction::Right => result.get(index + distance).copied().unwrap_or(fill),
                })
                .collect();
            result = self.word_choice(bit, &shifted, &result);
        }
        if by.len() <= stages {
            return result;
        }
        let far = self.or_all(&by[stages..]);
        result.iter().map(|&edge| self.choice(far, fill, edge)).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Quotient,
    Remainder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Left,
    Right,
}

/// The constant as digits -1, 0, 1 without two neighbours that are not zero, modulo the width.
fn signed_digits(factor: &[Edge]) -> Vec<i8> {
    let bit = |index: usize| factor.get(index).is_some_and(|&edge| edge == Edge::TRUE);
    let mut carry = false;
    (0..factor.len())
        .map(|index| {
            let (ones, next) = (u8::from(bit(index)) + u8::from(carry), bit(index + 1));
            match (ones, next) {
                (1, true) => {
                    carry = true;
                    -1
                }
                (1, false) => {
                    carry = false;
                    1
                }
                (ones, _) => {
                    carry = ones == 2;
                    0
                }
            }
        })
        .collect()
}

fn power_of_two(word: &[Edge]) -> Option<usize> {
    let one = word.iter().position(|&edge| edge == Edge::TRUE)?;
    let only = word.iter().enumerate().all(|(index, &edge)| index == one || edge == Edge::FALSE);
    only.then_some(one)
}
