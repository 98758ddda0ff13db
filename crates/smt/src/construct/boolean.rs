//! Constructors of boolean connectives: flattened, sorted, without duplicates and complementary literals.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// Nested junctions of more arguments stay nested: a long one that grows term by term would be copied each time.
const FLATTENED: usize = 16;

impl Terms {
    pub fn bool(&self, value: bool) -> Term {
        self.intern(if value { Op::True } else { Op::False }, Sort::Bool, &[])
    }

    /// Negations of comparisons are comparisons.
    pub fn not(&self, term: Term) -> Term {
        debug_assert_eq!(self.sort(term), Sort::Bool, "sort mismatch in not");
        let args = self.args(term);
        match self.op(term) {
            Op::True => self.bool(false),
            Op::False => self.bool(true),
            Op::Not => args[0],
            Op::BvUlt => self.bv_ule(args[1], args[0]),
            Op::BvUle => self.bv_ult(args[1], args[0]),
            Op::BvSlt => self.bv_sle(args[1], args[0]),
            Op::BvSle => self.bv_slt(args[1], args[0]),
            Op::Xor => self.intern(Op::Eq, Sort::Bool, args),
            Op::Eq if self.sort(args[0]) == Sort::Bool => self.intern(Op::Xor, Sort::Bool, args),
            _ => self.intern(Op::Not, Sort::Bool, &[term]),
        }
    }

    /// True of no arguments.
    pub fn and(&self, args: &[Term]) -> Term {
        self.junction(Op::And, Op::True, Op::False, args)
    }

    /// False of no arguments.
    pub fn or(&self, args: &[Term]) -> Term {
        self.junction(Op::Or, Op::False, Op::True, args)
    }

    fn junction(&self, op: Op, neutral: Op, absorbing: Op, args: &[Term]) -> Term {
        let mut list: Vec<Term> = Vec::with_capacity(args.len());
        for &arg in args {
            debug_assert_eq!(self.sort(arg), Sort::Bool, "sort mismatch in {op:?}");
            let node = self.node(arg);
            if node.op == op && node.args.len() <= FLATTENED {
                list.extend_from_slice(&node.args);
            } else if node.op == absorbing {
                return arg;
            } else if node.op != neutral {
                list.push(arg);
            }
        }
        list.sort_unstable();
        list.dedup();
        if self.has_complements(&list) {
            return self.intern(absorbing, Sort::Bool, &[]);
        }
        match list[..] {
            [] => self.intern(neutral, Sort::Bool, &[]),
            [one] => one,
            [left, right] => self.absorbed(op, left, right),
            _ => self.intern(op, Sort::Bool, &list),
        }
    }

    /// `a and (a or b)` is `a`, and the other way round.
    fn absorbed(&self, op: Op, left: Term, right: Term) -> Term {
        let dual = if op == Op::And { Op::Or } else { Op::And };
        for (one, other) in [(left, right), (right, left)] {
            if self.op(other) == dual && self.args(other).binary_search(&one).is_ok() {
                return one;
            }
        }
        self.intern(op, Sort::Bool, &[left, right])
    }

    /// Whether a sorted list has a literal and its negation.
    fn has_complements(&self, list: &[Term]) -> bool {
        let has = |term: Option<Term>| term.is_some_and(|term| list.binary_search(&term).is_ok());
        let swapped = |op, args: &[Term]| self.find(op, Sort::Bool, &[args[1], args[0]]);
        list.iter().any(|&term| {
            let args = self.args(term);
            match self.op(term) {
                Op::Not => has(Some(args[0])),
                Op::BvUlt => has(swapped(Op::BvUle, args)),
                Op::BvSlt => has(swapped(Op::BvSle, args)),
                Op::Xor => has(self.find(Op::Eq, Sort::Bool, args)),
                _ => false,
            }
        })
    }

    pub fn and2(&self, left: Term, right: Term) -> Term {
        self.and(&[left, right])
    }

    pub fn or2(&self, left: Term, right: Term) -> Term {
        self.or(&[left, right])
    }

    pub fn xor(&self, left: Term, right: Term) -> Term {
        debug_assert!(self.sort(left) == Sort::Bool && self.sort(right) == Sort::Bool, "sort mismatch in xor");
        self.parity(true, left, right)
    }

    /// `left xor right` or its negation, without negations inside.
    pub(super) fn parity(&self, mut odd: bool, left: Term, right: Term) -> Term {
        let mut args = [left, right];
        for arg in &mut args {
            if self.op(*arg) == Op::Not {
                *arg = self.args(*arg)[0];
                odd = !odd;
            }
        }
        let [left, right] = args;
        if left == right {
            return self.bool(!odd);
        }
        for (one, other) in [(left, right), (right, left)] {
            match self.op(one) {
                Op::True => return if odd { self.not(other) } else { other },
                Op::False => return if odd { other } else { self.not(other) },
                _ => {}
            }
        }
        if self.has_complements(&[left.min(right), left.max(right)]) {
            return self.bool(odd);
        }
        self.intern(if odd { Op::Xor } else { Op::Eq }, Sort::Bool, &[left.min(right), left.max(right)])
    }

    pub fn implies(&self, premise: Term, conclusion: Term) -> Term {
        self.or2(self.not(premise), conclusion)
    }

    /// No two of them are equal.
    pub fn distinct(&self, args: &[Term]) -> Term {
        let mut parts = Vec::new();
        for (index, &left) in args.iter().enumerate() {
            for &right in &args[index + 1..] {
                parts.push(self.not(self.eq(left, right)));
            }
        }
        self.and(&parts)
    }
}
