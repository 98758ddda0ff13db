//! Sums: equal summands are counted, constants collected, and common summands of an equation dropped.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;
use crate::value::BitVector;

/// How many operators of a sum are looked through; what is below counts as one summand.
const REACH: u32 = 16;

/// Sums of at most so many summands get one order, longer ones stay as they were built.
const ORDERED: usize = 4;

/// `constant + coefficient * term + ...`, with what it was made of.
struct Sum {
    constant: BitVector,
    parts: Vec<(Term, BitVector)>,
    /// Nodes that the sum was made of, summands counted as one node each.
    nodes: u32,
    /// Operators looked through.
    steps: u32,
    /// Whether summands met, or the constants of several places.
    merged: bool,
}

impl Sum {
    fn new(width: u32) -> Sum {
        Sum { constant: BitVector::zero(width), parts: Vec::new(), nodes: 0, steps: 0, merged: false }
    }

    fn collect(&mut self, terms: &Terms, term: Term, coefficient: &BitVector) {
        self.nodes += 1;
        let args = terms.args(term);
        if let Some(value) = terms.as_bv(term) {
            self.merged |= !self.constant.is_zero();
            self.constant = self.constant.add(&value.mul(coefficient));
            return;
        }
        let within = self.steps < REACH;
        self.steps += 1;
        match terms.op(term) {
            Op::BvAdd if within => {
                self.collect(terms, args[0], coefficient);
                self.collect(terms, args[1], coefficient);
            }
            Op::BvNeg if within => self.collect(terms, args[0], &coefficient.neg()),
            Op::BvNot if within => {
                self.constant = self.constant.sub(coefficient);
                self.collect(terms, args[0], &coefficient.neg());
            }
            Op::BvMul if within && terms.is_value(args[0]) => {
                let factor = terms.as_bv(args[0]).unwrap_or_else(|| BitVector::one(coefficient.width()));
                self.nodes += 1;
                self.collect(terms, args[1], &coefficient.mul(&factor));
            }
            _ => self.part(term, coefficient),
        }
    }

    fn part(&mut self, term: Term, coefficient: &BitVector) {
        match self.parts.iter_mut().find(|(part, _)| *part == term) {
            Some((_, sum)) => {
                *sum = sum.add(coefficient);
                self.merged = true;
            }
            None => self.parts.push((term, coefficient.clone())),
        }
    }

    /// Drops what vanished and brings the rest into one order.
    fn settle(&mut self) {
        self.parts.retain(|(_, coefficient)| !coefficient.is_zero());
        self.parts.sort_by_key(|(term, _)| *term);
    }

    /// Nodes of the sum written by [`Sum::build`].
    fn cost(&self) -> u32 {
        let summand = |coefficient: &BitVector| match () {
            () if coefficient.is_one() => 1,
            () if coefficient.is_ones() => 2,
            () => 3,
        };
        let parts: u32 = self.parts.iter().map(|(_, coefficient)| summand(coefficient)).sum();
        let constant = u32::from(!self.constant.is_zero() || self.parts.is_empty());
        parts + constant + (self.parts.len() as u32 + constant).saturating_sub(1)
    }

    fn build(&self, terms: &Terms) -> Term {
        let constant = terms.bv_value(&self.constant);
        let mut result = None;
        for (term, coefficient) in &self.parts {
            let sort = terms.sort(*term);
            let summand = match () {
                () if coefficient.is_one() => *term,
                () if coefficient.is_ones() => terms.intern(Op::BvNeg, sort, &[*term]),
                () => terms.intern(Op::BvMul, sort, &[terms.bv_value(coefficient), *term]),
            };
            result = Some(match result {
                None => summand,
                Some(sum) => terms.intern(Op::BvAdd, sort, &[summand.min(sum), summand.max(sum)]),
            });
        }
        match result {
            None => constant,
            Some(sum) if self.constant.is_zero() => sum,
            Some(sum) => terms.intern(Op::BvAdd, terms.sort(sum), &[sum, constant]),
        }
    }
}

impl Terms {
    /// The sum of `coefficient * term`, or `None` where the plain term is better.
    pub(super) fn sum(&self, width: u32, summands: &[(Term, bool)]) -> Option<Term> {
        let mut sum = Sum::new(width);
        // The operators that join and negate the summands.
        sum.nodes = summands.len() as u32 - 1;
        for &(term, negated) in summands {
            sum.nodes += u32::from(negated);
            let coefficient = if negated { BitVector::ones(width) } else { BitVector::one(width) };
            sum.collect(self, term, &coefficient);
        }
        sum.settle();
        let wanted = sum.merged || sum.parts.len() <= ORDERED;
        (wanted && sum.cost() <= sum.nodes).then(|| sum.build(self))
    }

    pub fn bv_add(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in a sum");
        if self.is_zero(left) {
            return right;
        }
        if self.is_zero(right) {
            return left;
        }
        let sort = self.sort(left);
        if let Some(sum) = self.sum(self.width(left), &[(left, false), (right, false)]) {
            return sum;
        }
        // The constant goes outside, where the next one meets it.
        for (one, other) in [(left, right), (right, left)] {
            if self.op(one) == Op::BvAdd && self.is_value(self.args(one)[1]) && !self.is_value(other) {
                let &[rest, constant] = self.args(one) else { continue };
                return self.intern(Op::BvAdd, sort, &[self.plain_add(rest, other), constant]);
            }
        }
        self.plain_add(left, right)
    }

    fn plain_add(&self, left: Term, right: Term) -> Term {
        let (first, second) = if self.is_value(left) { (right, left) } else { (left, right) };
        let ordered = if self.is_value(second) { [first, second] } else { [first.min(second), first.max(second)] };
        self.intern(Op::BvAdd, self.sort(left), &ordered)
    }

    pub fn bv_neg(&self, term: Term) -> Term {
        debug_assert!(self.width(term) > 0, "sort mismatch in a negation");
        if self.width(term) == 1 {
            return term;
        }
        match self.op(term) {
            Op::BvNeg => self.args(term)[0],
            _ => self
                .sum(self.width(term), &[(term, true)])
                .unwrap_or_else(|| self.intern(Op::BvNeg, self.sort(term), &[term])),
        }
    }

    pub fn bv_sub(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in a difference");
        if left == right {
            return self.bv(self.width(left), 0);
        }
        self.bv_add(left, self.bv_neg(right))
    }

    /// An equation between sums without what stands on both sides, or `None` if there is nothing to drop.
    pub(super) fn eq_sums(&self, left: Term, right: Term) -> Option<Term> {
        if self.op(left) != Op::BvAdd && self.op(right) != Op::BvAdd {
            return None;
        }
        let width = self.width(left);
        let mut sides = [left, right].map(|term| {
            let mut sum = Sum::new(width);
            sum.collect(self, term, &BitVector::one(width));
            sum.settle();
            sum
        });
        let nodes = sides[0].nodes + sides[1].nodes;
        let [a, b] = &mut sides;
        let constants = !a.constant.is_zero() && !b.constant.is_zero();
        let before = a.parts.len();
        a.parts.retain(|part| match b.parts.iter().position(|other| other == part) {
            Some(found) => {
                b.parts.remove(found);
                false
            }
            None => true,
        });
        if a.parts.len() == before && !constants {
            return None;
        }
        move_constant(a, b);
        (a.cost() + b.cost() <= nodes).then(|| self.eq(a.build(self), b.build(self)))
    }

    pub fn bv_mul(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in a product");
        let sort = self.sort(left);
        if let Some(folded) = self.fold(Op::BvMul, sort, &[left, right]) {
            return folded;
        }
        if let Some((term, factor)) = self.constant_last(&[left, right]) {
            return self.multiple(term, &factor);
        }
        match (self.op(left), self.op(right)) {
            (Op::BvNeg, Op::BvNeg) => self.bv_mul(self.args(left)[0], self.args(right)[0]),
            (Op::BvNeg, _) => self.bv_neg(self.bv_mul(self.args(left)[0], right)),
            (_, Op::BvNeg) => self.bv_neg(self.bv_mul(left, self.args(right)[0])),
            _ => self.intern(Op::BvMul, sort, &[left.min(right), left.max(right)]),
        }
    }

    fn multiple(&self, term: Term, factor: &BitVector) -> Term {
        let width = factor.width();
        if factor.is_zero() {
            return self.bv(width, 0);
        }
        if factor.is_one() {
            return term;
        }
        if factor.is_ones() {
            return self.bv_neg(term);
        }
        let args = self.args(term);
        match self.op(term) {
            Op::BvNeg => self.multiple(args[0], &factor.neg()),
            Op::BvMul if self.is_value(args[0]) => {
                let inner = self.as_bv(args[0]).unwrap_or_else(|| BitVector::one(width));
                self.multiple(args[1], &inner.mul(factor))
            }
            Op::BvAdd if self.is_value(args[1]) => {
                let offset = self.as_bv(args[1]).unwrap_or_else(|| BitVector::zero(width));
                self.bv_add(self.multiple(args[0], factor), self.bv_value(&offset.mul(factor)))
            }
            _ => self.intern(Op::BvMul, Sort::Bv(width), &[self.bv_value(factor), term]),
        }
    }
}

/// Both constants to one side: to the one that has summands left to stand with, the right one first.
fn move_constant(a: &mut Sum, b: &mut Sum) {
    let zero = BitVector::zero(a.constant.width());
    let difference = b.constant.sub(&a.constant);
    if a.parts.is_empty() && !b.parts.is_empty() {
        a.constant = difference.neg();
        b.constant = zero;
    } else {
        a.constant = zero;
        b.constant = difference;
    }
}
