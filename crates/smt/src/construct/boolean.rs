//! Constructors of boolean terms, equality and if-then-else.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

impl Terms {
    pub fn bool(&self, value: bool) -> Term {
        self.intern(if value { Op::True } else { Op::False }, Sort::Bool, &[])
    }

    pub fn not(&self, term: Term) -> Term {
        debug_assert_eq!(self.sort(term), Sort::Bool);
        match self.op(term) {
            Op::True => self.bool(false),
            Op::False => self.bool(true),
            Op::Not => self.args(term)[0],
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
        let mut list: Vec<Term> = args.iter().copied().filter(|&arg| self.op(arg) != neutral).collect();
        list.sort_unstable();
        list.dedup();
        if list.iter().any(|&arg| self.op(arg) == absorbing) {
            return self.intern(absorbing, Sort::Bool, &[]);
        }
        match list[..] {
            [] => self.intern(neutral, Sort::Bool, &[]),
            [one] => one,
            _ => self.intern(op, Sort::Bool, &list),
        }
    }

    pub fn and2(&self, left: Term, right: Term) -> Term {
        self.and(&[left, right])
    }

    pub fn or2(&self, left: Term, right: Term) -> Term {
        self.or(&[left, right])
    }

    pub fn xor(&self, left: Term, right: Term) -> Term {
        self.intern(Op::Xor, Sort::Bool, &[left.min(right), left.max(right)])
    }

    pub fn implies(&self, premise: Term, conclusion: Term) -> Term {
        self.or2(self.not(premise), conclusion)
    }

    pub fn eq(&self, left: Term, right: Term) -> Term {
        debug_assert_eq!(self.sort(left), self.sort(right));
        if left == right {
            return self.bool(true);
        }
        self.intern(Op::Eq, Sort::Bool, &[left.min(right), left.max(right)])
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

    pub fn ite(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        debug_assert_eq!(self.sort(condition), Sort::Bool);
        debug_assert_eq!(self.sort(then), self.sort(otherwise));
        match self.op(condition) {
            Op::True => then,
            Op::False => otherwise,
            _ if then == otherwise => then,
            _ => self.intern(Op::Ite, self.sort(then), &[condition, then, otherwise]),
        }
    }
}
