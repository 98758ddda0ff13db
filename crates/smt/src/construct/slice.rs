//! Constructors that cut and join bit-vectors: extract, concat, extensions.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// A longer upper part is not taken apart to be joined from the right.
const JOINED: usize = 8;

impl Terms {
    pub fn concat(&self, high: Term, low: Term) -> Term {
        debug_assert!(self.width(high) > 0 && self.width(low) > 0, "sort mismatch in concat");
        let sort = Sort::Bv(self.width(high) + self.width(low));
        if let Some(folded) = self.fold(Op::Concat, sort, &[high, low]) {
            return folded;
        }
        if self.is_zero(high) {
            return self.zero_extend(low, self.width(high));
        }
        if let Some(joined) = self.join(high, low) {
            return joined;
        }
        let args = self.args(high);
        match self.op(high) {
            Op::ZeroExtend(by) => return self.zero_extend(self.concat(args[0], low), by),
            Op::Concat if self.joined_parts(high) <= JOINED => {
                return self.concat(args[0], self.concat(args[1], low));
            }
            _ => {}
        }
        if let (Op::Concat, &[next, rest]) = (self.op(low), self.args(low))
            && let Some(joined) = self.join(high, next)
        {
            return self.concat(joined, rest);
        }
        self.intern(Op::Concat, sort, &[high, low])
    }

    fn joined_parts(&self, mut term: Term) -> usize {
        let mut count = 1;
        while self.op(term) == Op::Concat && count <= JOINED {
            term = self.args(term)[1];
            count += 1;
        }
        count
    }

    /// Neighbours that are one: constants, and adjacent bits of one term.
    fn join(&self, high: Term, low: Term) -> Option<Term> {
        if let (Some(upper), Some(lower)) = (self.as_bv(high), self.as_bv(low)) {
            return Some(self.bv_value(&upper.concat(&lower)));
        }
        let (Op::Extract { high: top, low: middle }, Op::Extract { high: below, low: bottom }) =
            (self.op(high), self.op(low))
        else {
            return None;
        };
        let source = self.args(high)[0];
        (source == self.args(low)[0] && middle == below + 1).then(|| self.extract(source, top, bottom))
    }

    /// Bits `high` to `low`, both included.
    pub fn extract(&self, term: Term, high: u32, low: u32) -> Term {
        let width = self.width(term);
        debug_assert!(low <= high && high < width, "extract of bits that are not there");
        if low == 0 && high + 1 == width {
            return term;
        }
        let (op, sort) = (Op::Extract { high, low }, Sort::Bv(high - low + 1));
        if let Some(folded) = self.fold(op, sort, &[term]) {
            return folded;
        }
        self.extract_through(term, high, low).unwrap_or_else(|| self.intern(op, sort, &[term]))
    }

    fn extract_through(&self, term: Term, high: u32, low: u32) -> Option<Term> {
        let args = self.args(term);
        match self.op(term) {
            Op::Extract { low: inner, .. } => Some(self.extract(args[0], high + inner, low + inner)),
            Op::Concat => {
                let split = self.width(args[1]);
                if high < split {
                    return Some(self.extract(args[1], high, low));
                }
                if low >= split {
                    return Some(self.extract(args[0], high - split, low - split));
                }
                // Across the border only if one part stays whole: two cuts are more than one.
                let whole = low == 0 || high + 1 == self.width(term);
                whole
                    .then(|| self.concat(self.extract(args[0], high - split, 0), self.extract(args[1], split - 1, low)))
            }
            Op::ZeroExtend(_) => Some(self.extract_extended(args[0], high, low, false)),
            Op::SignExtend(_) => Some(self.extract_extended(args[0], high, low, true)),
            Op::Ite => {
                let (condition, then, otherwise) = self.choice_of_values(term)?;
                Some(self.ite(condition, self.extract(then, high, low), self.extract(otherwise, high, low)))
            }
            Op::BvNot => Some(self.bv_not(self.extract(args[0], high, low))),
            Op::BvAnd | Op::BvOr | Op::BvXor if self.cuts(args, high, low) <= 1 => {
                let cut: Vec<Term> = args.iter().map(|&arg| self.extract(arg, high, low)).collect();
                Some(self.rebuild(self.op(term), Sort::Bv(high - low + 1), &cut))
            }
            Op::BvNeg | Op::BvAdd | Op::BvMul if low == 0 && self.cuts(args, high, low) <= 1 => {
                let cut: Vec<Term> = args.iter().map(|&arg| self.extract(arg, high, low)).collect();
                Some(self.rebuild(self.op(term), Sort::Bv(high + 1), &cut))
            }
            _ => None,
        }
    }

    /// How many of the terms would get an extract around what they are now.
    fn cuts(&self, args: &[Term], high: u32, low: u32) -> usize {
        let free = |term: Term| match self.op(term) {
            Op::Extract { .. } => true,
            Op::ZeroExtend(by) => low == 0 || high < self.width(term) - by || low >= self.width(term) - by,
            Op::SignExtend(by) => low == 0 || high < self.width(term) - by,
            _ => self.is_value(term),
        };
        args.iter().filter(|&&arg| !free(arg)).count()
    }

    fn extract_extended(&self, inner: Term, high: u32, low: u32, signed: bool) -> Term {
        let width = self.width(inner);
        if high < width {
            return self.extract(inner, high, low);
        }
        let extend = |term, by| if signed { self.sign_extend(term, by) } else { self.zero_extend(term, by) };
        if low < width {
            return extend(self.extract(inner, width - 1, low), high + 1 - width);
        }
        if signed {
            return self.sign_extend(self.extract(inner, width - 1, width - 1), high - low);
        }
        self.bv(high - low + 1, 0)
    }

    /// By this many more bits.
    pub fn zero_extend(&self, term: Term, by: u32) -> Term {
        self.extend(Op::ZeroExtend(by), term, by)
    }

    /// By this many more bits.
    pub fn sign_extend(&self, term: Term, by: u32) -> Term {
        self.extend(Op::SignExtend(by), term, by)
    }

    fn extend(&self, op: Op, term: Term, by: u32) -> Term {
        debug_assert!(self.width(term) > 0, "sort mismatch in an extension");
        if by == 0 {
            return term;
        }
        let sort = Sort::Bv(self.width(term) + by);
        if let Some(folded) = self.fold(op, sort, &[term]) {
            return folded;
        }
        if let Some((condition, then, otherwise)) = self.choice_of_values(term) {
            return self.ite(condition, self.extend(op, then, by), self.extend(op, otherwise, by));
        }
        match (op, self.op(term)) {
            // An extension with zeros is not negative.
            (_, Op::ZeroExtend(inner)) => self.zero_extend(self.args(term)[0], inner + by),
            (Op::SignExtend(_), Op::SignExtend(inner)) => self.sign_extend(self.args(term)[0], inner + by),
            _ => self.intern(op, sort, &[term]),
        }
    }
}
