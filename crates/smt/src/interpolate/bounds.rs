//! Eliminating a symbol that only stands alone on one side of comparisons: its bounds must leave room.

use super::symbols::Symbols;
use crate::op::Op;
use crate::pool::{Term, Terms};

/// `bound <= symbol` or `symbol <= bound`, strict or not.
struct Bound {
    term: Term,
    strict: bool,
}

/// The comparisons of one symbol, all of one signedness.
#[derive(Default)]
struct Bounds {
    signed: Option<bool>,
    lower: Vec<Bound>,
    upper: Vec<Bound>,
}

/// `∃ symbol` over conjuncts that all mention it, when each is a comparison with the bare symbol on one side: the conjuncts
/// that say the same without it.
pub fn eliminate_by_bounds(symbols: &Symbols, conjuncts: &[Term], symbol: u32) -> Option<Vec<Term>> {
    let terms = symbols.terms;
    let variable = terms.constant(symbol);
    let mut bounds = Bounds::default();
    let mut unequal = 0u32;
    for &conjunct in conjuncts {
        if is_disequality(symbols, conjunct, variable, symbol) {
            unequal += 1;
        } else {
            bounds.add(symbols, conjunct, variable, symbol)?;
        }
    }
    if unequal > 0 {
        // Only disequalities: there are more values than there are forbidden ones.
        let width = match terms.sort(variable) {
            crate::Sort::Bv(width) => width,
            _ => return None,
        };
        let enough = width >= 32 || (1u64 << width) > u64::from(unequal);
        return (bounds.lower.is_empty() && bounds.upper.is_empty() && enough).then(Vec::new);
    }
    Some(bounds.leave_room(terms, terms.width(variable)))
}

fn is_disequality(symbols: &Symbols, conjunct: Term, variable: Term, symbol: u32) -> bool {
    let terms = symbols.terms;
    let Op::Not = terms.op(conjunct) else { return false };
    let equation = terms.args(conjunct)[0];
    let Op::Eq = terms.op(equation) else { return false };
    let args = terms.args(equation);
    let other = if args[0] == variable { args[1] } else { args[0] };
    args.contains(&variable) && other != variable && !symbols.has(other, symbol)
}

impl Bounds {
    fn add(&mut self, symbols: &Symbols, conjunct: Term, variable: Term, symbol: u32) -> Option<()> {
        let terms = symbols.terms;
        let (comparison, positive) = match terms.op(conjunct) {
            Op::Not => (terms.args(conjunct)[0], false),
            _ => (conjunct, true),
        };
        let (signed, strict) = match terms.op(comparison) {
            Op::BvUlt => (false, true),
            Op::BvUle => (false, false),
            Op::BvSlt => (true, true),
            Op::BvSle => (true, false),
            _ => return None,
        };
        if *self.signed.get_or_insert(signed) != signed {
            return None;
        }
        let args = terms.args(comparison);
        // not (a < b) is b <= a.
        let (left, right, strict) = if positive { (args[0], args[1], strict) } else { (args[1], args[0], !strict) };
        let (bounds, term) = if left == variable { (&mut self.upper, right) } else { (&mut self.lower, left) };
        let bare = (left == variable) != (right == variable);
        if !bare || symbols.has(term, symbol) {
            return None;
        }
        bounds.push(Bound { term, strict });
        Some(())
    }

    fn leave_room(&self, terms: &Terms, width: u32) -> Vec<Term> {
        let signed = self.signed == Some(true);
        let less = |a, b| if signed { terms.bv_slt(a, b) } else { terms.bv_ult(a, b) };
        let less_equal = |a, b| if signed { terms.bv_sle(a, b) } else { terms.bv_ule(a, b) };
        let least = if signed { 1u128 << (width - 1).min(127) } else { 0 };
        let greatest = if signed { (1u128 << (width - 1).min(127)) - 1 } else { u128::MAX };
        let mut left = Vec::new();
        // A strict bound alone must not be at the end of the range.
        for bound in self.upper.iter().filter(|bound| bound.strict) {
            left.push(terms.not(terms.eq(bound.term, terms.bv(width, least))));
        }
        for bound in self.lower.iter().filter(|bound| bound.strict) {
            left.push(terms.not(terms.eq(bound.term, terms.bv(width, greatest))));
        }
        for lower in &self.lower {
            for upper in &self.upper {
                match (lower.strict, upper.strict) {
                    (false, false) => left.push(less_equal(lower.term, upper.term)),
                    (true, true) => {
                        let next = terms.bv_add(lower.term, terms.bv(width, 1));
                        left.push(less(lower.term, upper.term));
                        left.push(less(next, upper.term));
                    }
                    _ => left.push(less(lower.term, upper.term)),
                }
            }
        }
        left
    }
}
