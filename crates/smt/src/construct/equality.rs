//! The constructor of equality.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::Sort;
use crate::value::{BitVector, Value};

impl Terms {
    pub fn eq(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right), "sort mismatch in an equality");
        if left == right {
            return self.bool(true);
        }
        let (left, right) = (left.min(right), left.max(right));
        if self.sort(left) == Sort::Bool {
            return self.parity(false, left, right);
        }
        match (self.is_value(left), self.is_value(right)) {
            // Constants have one term each.
            (true, true) => return self.bool(false),
            (true, false) => return self.eq_value(right, left),
            (false, true) => return self.eq_value(left, right),
            (false, false) => {}
        }
        let simpler = match self.sort(left) {
            Sort::Bv(_) => self.eq_bits(left, right),
            Sort::Float(_) => self.eq_floats(left, right),
            Sort::Array(_) => self.eq_arrays(left, right),
            Sort::Bool | Sort::RoundingMode | Sort::Uninterpreted(_) => None,
        };
        simpler.or_else(|| self.eq_choices(left, right)).unwrap_or_else(|| self.plain_eq(left, right))
    }

    pub(super) fn plain_eq(&self, left: Term, right: Term) -> Term {
        self.intern(Op::Eq, Sort::Bool, &[left.min(right), left.max(right)])
    }

    /// A term and a constant.
    fn eq_value(&self, term: Term, value: Term) -> Term {
        if self.op(term) == Op::Ite
            && let Some(result) = self.eq_choice_value(term, value)
        {
            return result;
        }
        let simpler = match self.as_value(value) {
            Some(Value::Bits(bits)) => self.eq_bits_value(term, &bits),
            Some(Value::Float(sort, bits)) => match self.op(term) {
                _ if softfloat::is_nan(sort, &bits) => Some(self.float_is_nan(term)),
                Op::FloatNeg => Some(self.eq(self.args(term)[0], self.float_neg(value))),
                _ => None,
            },
            _ => None,
        };
        simpler.unwrap_or_else(|| self.plain_eq(term, value))
    }

    /// A choice with a constant branch decides itself there.
    fn eq_choice_value(&self, term: Term, value: Term) -> Option<Term> {
        let &[condition, then, otherwise] = self.args(term) else { return None };
        if self.is_value(then) {
            let rest = self.eq(otherwise, value);
            return Some(if then == value { self.or2(condition, rest) } else { self.and2(self.not(condition), rest) });
        }
        if self.is_value(otherwise) {
            let rest = self.eq(then, value);
            return Some(if otherwise == value {
                self.or2(self.not(condition), rest)
            } else {
                self.and2(condition, rest)
            });
        }
        None
    }

    /// Two choices by the same condition.
    fn eq_choices(&self, left: Term, right: Term) -> Option<Term> {
        let (Op::Ite, Op::Ite) = (self.op(left), self.op(right)) else { return None };
        let (&[condition, a, b], &[other, c, d]) = (self.args(left), self.args(right)) else { return None };
        (condition == other).then(|| self.ite(condition, self.eq(a, c), self.eq(b, d)))
    }

    /// What is invertible moves to the constant; extensions and constant parts are compared on their own.
    fn eq_bits_value(&self, term: Term, value: &BitVector) -> Option<Term> {
        let args = self.args(term);
        let width = value.width();
        let equals = |term, value: BitVector| Some(self.eq(term, self.bv_value(&value)));
        match self.op(term) {
            Op::BvNot => equals(args[0], value.not()),
            Op::BvNeg => equals(args[0], value.neg()),
            Op::BvAdd => {
                let (rest, constant) = self.constant_last(args)?;
                equals(rest, value.sub(&constant))
            }
            Op::BvXor => {
                let (rest, constant) = self.constant_last(args)?;
                equals(rest, value.xor(&constant))
            }
            Op::ZeroExtend(by) => {
                let inner = width - by;
                let fits = value.extract(width - 1, inner).is_zero();
                if fits { equals(args[0], value.extract(inner - 1, 0)) } else { Some(self.bool(false)) }
            }
            Op::SignExtend(by) => {
                let inner = value.extract(width - by - 1, 0);
                if inner.sign_extend(by) == *value { equals(args[0], inner) } else { Some(self.bool(false)) }
            }
            Op::Concat => {
                let split = self.width(args[1]);
                let (high, low) = (value.extract(width - 1, split), value.extract(split - 1, 0));
                if let Some(constant) = self.as_bv(args[0]) {
                    return if constant == high { equals(args[1], low) } else { Some(self.bool(false)) };
                }
                let constant = self.as_bv(args[1])?;
                if constant == low { equals(args[0], high) } else { Some(self.bool(false)) }
            }
            Op::Extract { high, low } if high == low && high + 1 == self.width(args[0]) => {
                let zero = self.bv(high + 1, 0);
                Some(if value.is_zero() { self.bv_sle(zero, args[0]) } else { self.bv_slt(args[0], zero) })
            }
            Op::FloatToBits => {
                let Sort::Float(sort) = self.sort(args[0]) else { return None };
                let canonical = softfloat::canonical(sort, value) == *value;
                Some(if canonical { self.eq(args[0], self.float_value(sort, value)) } else { self.bool(false) })
            }
            _ => None,
        }
    }

    /// The other argument and the constant of a commutative operator.
    pub(super) fn constant_last(&self, args: &[Term]) -> Option<(Term, BitVector)> {
        let &[left, right] = args else { return None };
        self.as_bv(right).map(|value| (left, value)).or_else(|| self.as_bv(left).map(|value| (right, value)))
    }

    fn eq_bits(&self, left: Term, right: Term) -> Option<Term> {
        let (a, b) = (self.args(left), self.args(right));
        match (self.op(left), self.op(right)) {
            (Op::BvNot, Op::BvNot) | (Op::BvNeg, Op::BvNeg) | (Op::FloatToBits, Op::FloatToBits)
                if self.sort(a[0]) == self.sort(b[0]) =>
            {
                Some(self.eq(a[0], b[0]))
            }
            (Op::ZeroExtend(x), Op::ZeroExtend(y)) => {
                let by = x.min(y);
                Some(self.eq(self.zero_extend(a[0], x - by), self.zero_extend(b[0], y - by)))
            }
            (Op::SignExtend(x), Op::SignExtend(y)) => {
                let by = x.min(y);
                Some(self.eq(self.sign_extend(a[0], x - by), self.sign_extend(b[0], y - by)))
            }
            (Op::Concat, Op::Concat) if self.sort(a[0]) == self.sort(b[0]) => {
                Some(self.and2(self.eq(a[0], b[0]), self.eq(a[1], b[1])))
            }
            _ => self.eq_sums(left, right),
        }
    }

    fn eq_floats(&self, left: Term, right: Term) -> Option<Term> {
        match (self.op(left), self.op(right)) {
            (Op::FloatNeg, Op::FloatNeg) => Some(self.eq(self.args(left)[0], self.args(right)[0])),
            _ => None,
        }
    }

    /// `store(a, i, v) == a` says what stands at `i`.
    fn eq_arrays(&self, left: Term, right: Term) -> Option<Term> {
        for (one, other) in [(left, right), (right, left)] {
            if self.op(one) == Op::Store && self.args(one)[0] == other {
                return Some(self.eq(self.select(other, self.args(one)[1]), self.args(one)[2]));
            }
        }
        None
    }
}
