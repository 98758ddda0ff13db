//! Constructors of bit-wise operators and shifts.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::value::BitVector;

impl Terms {
    pub(super) fn is_zero(&self, term: Term) -> bool {
        match self.op(term) {
            Op::Bits(bits) => bits == 0,
            Op::WideBits(id) => self.wide_bits(id).is_zero(),
            _ => false,
        }
    }

    pub fn bv_not(&self, term: Term) -> Term {
        debug_assert!(self.width(term) > 0, "sort mismatch in a complement");
        match self.op(term) {
            Op::BvNot => self.args(term)[0],
            _ => self.fold_or_intern(Op::BvNot, self.sort(term), &[term]),
        }
    }

    /// Whether one is the complement of the other.
    fn complements(&self, left: Term, right: Term) -> bool {
        let complement = |one: Term, other: Term| self.op(one) == Op::BvNot && self.args(one)[0] == other;
        complement(left, right) || complement(right, left)
    }

    pub fn bv_and(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_and");
        if self.complements(left, right) {
            return self.bv(self.width(left), 0);
        }
        if let Some((term, mask)) = self.constant_last(&[left, right])
            && let Some(result) = self.masked(term, &mask)
        {
            return result;
        }
        self.lattice(Op::BvAnd, Op::BvOr, left, right)
    }

    fn masked(&self, term: Term, mask: &BitVector) -> Option<Term> {
        if mask.is_zero() {
            return Some(self.bv_value(mask));
        }
        if mask.is_ones() {
            return Some(term);
        }
        let width = mask.width();
        if mask.add(&BitVector::one(width)).power_of_two().is_some() && !self.is_value(term) {
            let kept = mask.length();
            return Some(self.zero_extend(self.extract(term, kept - 1, 0), width - kept));
        }
        if let Op::ZeroExtend(by) = self.op(term) {
            let inner = mask.extract(width - by - 1, 0);
            return Some(self.zero_extend(self.bv_and(self.args(term)[0], self.bv_value(&inner)), by));
        }
        None
    }

    pub fn bv_or(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_or");
        let width = self.width(left);
        if self.complements(left, right) {
            return self.bv_value(&BitVector::ones(width));
        }
        if let Some((term, value)) = self.constant_last(&[left, right]) {
            if value.is_zero() {
                return term;
            }
            if value.is_ones() {
                return self.bv_value(&value);
            }
        }
        self.lattice(Op::BvOr, Op::BvAnd, left, right)
    }

    /// What and and or have in common: order, idempotence, absorption, constants of nested ones.
    fn lattice(&self, op: Op, dual: Op, left: Term, right: Term) -> Term {
        let sort = self.sort(left);
        if left == right {
            return left;
        }
        if let Some(folded) = self.fold(op, sort, &[left, right]) {
            return folded;
        }
        for (one, other) in [(left, right), (right, left)] {
            let args = self.args(other);
            if self.op(other) == dual && args.contains(&one) {
                return one;
            }
            if self.op(other) == op && args.contains(&one) {
                return other;
            }
            if self.op(other) == op
                && self.is_value(one)
                && let Some((rest, _)) = self.constant_last(args)
            {
                let constant = if args[0] == rest { args[1] } else { args[0] };
                let constant = self.lattice(op, dual, one, constant);
                return if op == Op::BvAnd { self.bv_and(rest, constant) } else { self.bv_or(rest, constant) };
            }
        }
        self.intern(op, sort, &[left.min(right), left.max(right)])
    }

    pub fn bv_xor(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_xor");
        let sort = self.sort(left);
        if left == right {
            return self.bv(self.width(left), 0);
        }
        if let Some(folded) = self.fold(Op::BvXor, sort, &[left, right]) {
            return folded;
        }
        match (self.op(left), self.op(right)) {
            (Op::BvNot, Op::BvNot) => return self.bv_xor(self.args(left)[0], self.args(right)[0]),
            (Op::BvNot, _) => return self.bv_not(self.bv_xor(self.args(left)[0], right)),
            (_, Op::BvNot) => return self.bv_not(self.bv_xor(left, self.args(right)[0])),
            _ => {}
        }
        if let Some((term, value)) = self.constant_last(&[left, right]) {
            if value.is_zero() {
                return term;
            }
            if value.is_ones() {
                return self.bv_not(term);
            }
            if self.op(term) == Op::BvXor
                && let Some((rest, inner)) = self.constant_last(self.args(term))
            {
                return self.bv_xor(rest, self.bv_value(&inner.xor(&value)));
            }
        }
        for (one, other) in [(left, right), (right, left)] {
            if let (Op::BvXor, &[a, b]) = (self.op(other), self.args(other))
                && (a == one || b == one)
            {
                return if a == one { b } else { a };
            }
        }
        self.intern(Op::BvXor, sort, &[left.min(right), left.max(right)])
    }

    pub fn bv_shl(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_shl");
        let (sort, width) = (self.sort(left), self.width(left));
        if let Some(folded) = self.fold(Op::BvShl, sort, &[left, right]) {
            return folded;
        }
        if self.is_zero(left) {
            return left;
        }
        let Some(amount) = self.as_bv(right) else { return self.intern(Op::BvShl, sort, &[left, right]) };
        let by = amount.as_u32().unwrap_or(width).min(width);
        if by == 0 {
            return left;
        }
        if by == width {
            return self.bv(width, 0);
        }
        if let (Op::BvShl, &[inner, first]) = (self.op(left), self.args(left))
            && let Some(first) = self.as_bv(first).and_then(|first| first.as_u32())
        {
            let total = BitVector::from_big(width, &(num_bigint::BigUint::from(first) + by).min(width.into()));
            let fits = total.as_u32() == Some(first.saturating_add(by));
            return if fits { self.bv_shl(inner, self.bv_value(&total)) } else { self.bv(width, 0) };
        }
        self.intern(Op::BvShl, sort, &[left, right])
    }

    /// By a constant: the upper bits, extended.
    pub fn bv_lshr(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_lshr");
        let width = self.width(left);
        if self.is_zero(left) {
            return left;
        }
        match self.as_bv(right).map(|amount| amount.as_u32().unwrap_or(width)) {
            Some(by) if by >= width => self.bv(width, 0),
            Some(0) => left,
            Some(by) => self.zero_extend(self.extract(left, width - 1, by), by),
            None => self.intern(Op::BvLshr, self.sort(left), &[left, right]),
        }
    }

    /// By a constant: the upper bits, extended.
    pub fn bv_ashr(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in bv_ashr");
        let width = self.width(left);
        if self.is_zero(left) {
            return left;
        }
        match self.as_bv(right).map(|amount| amount.as_u32().unwrap_or(width).min(width - 1)) {
            Some(0) => left,
            Some(by) => self.sign_extend(self.extract(left, width - 1, by), by),
            None => self.intern(Op::BvAshr, self.sort(left), &[left, right]),
        }
    }
}
