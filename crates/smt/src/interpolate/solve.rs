//! Solving an equation for a symbol: operators that can be turned round.

use std::collections::HashSet;

use super::symbols::{Symbols, fresh};
use crate::op::Op;
use crate::pool::{Term, Terms};

/// What an equation says about a symbol: the symbol is `value`, and the conditions hold besides.
/// `∃ symbol: equation and rest` is the same as `conditions and rest[symbol := value]`.
pub struct Solution {
    pub value: Term,
    pub conditions: Vec<Term>,
}

/// Solves a conjunct for a symbol (a constant, not a function), if that is possible without losing solutions.
pub fn solve(symbols: &Symbols, conjunct: Term, symbol: u32) -> Option<Solution> {
    let terms = symbols.terms;
    let variable = terms.constant(symbol);
    if conjunct == variable {
        return Some(plain(terms.bool(true)));
    }
    match terms.op(conjunct) {
        Op::Not if terms.args(conjunct)[0] == variable => Some(plain(terms.bool(false))),
        Op::Eq => {
            let args = terms.args(conjunct);
            let sides = [(args[0], args[1]), (args[1], args[0])];
            sides.into_iter().find_map(|(side, other)| {
                let free = !symbols.has(other, symbol);
                if free { turn(symbols, side, other, symbol) } else { None }
            })
        }
        _ => None,
    }
}

fn plain(value: Term) -> Solution {
    Solution { value, conditions: Vec::new() }
}

/// Solves `side = other` where the symbol does not occur in `other`, going down through invertible operators.
fn turn(symbols: &Symbols, mut side: Term, mut other: Term, symbol: u32) -> Option<Solution> {
    let terms = symbols.terms;
    let variable = terms.constant(symbol);
    let mut conditions = Vec::new();
    loop {
        if side == variable {
            return Some(Solution { value: other, conditions });
        }
        let args = terms.args(side).to_vec();
        let holders: Vec<usize> = (0..args.len()).filter(|&i| symbols.has(args[i], symbol)).collect();
        let [at] = holders[..] else { return None };
        match terms.op(side) {
            Op::Not => other = terms.not(other),
            Op::BvNot => other = terms.bv_not(other),
            Op::BvNeg => other = terms.bv_neg(other),
            Op::FloatNeg => other = terms.float_neg(other),
            Op::Xor => other = terms.xor(other, args[1 - at]),
            Op::Eq if terms.sort(args[0]) == crate::Sort::Bool => other = terms.eq(other, args[1 - at]),
            Op::BvXor => other = terms.bv_xor(other, args[1 - at]),
            Op::BvAdd => {
                for (index, arg) in args.iter().enumerate() {
                    if index != at {
                        other = terms.bv_sub(other, *arg);
                    }
                }
            }
            Op::BvMul => {
                let factor = terms.as_bv(args[1 - at])?;
                let inverse = odd_inverse(factor.width(), factor.small()?)?;
                other = terms.bv_mul(other, terms.bv(factor.width(), inverse));
            }
            Op::Concat => {
                let low = terms.width(args[1]);
                let width = terms.width(side);
                let (high_part, low_part) = (terms.extract(other, width - 1, low), terms.extract(other, low - 1, 0));
                let (mine, their) = if at == 0 { (high_part, low_part) } else { (low_part, high_part) };
                conditions.push(terms.eq(args[1 - at], their));
                other = mine;
            }
            Op::ZeroExtend(by) => {
                let width = terms.width(side);
                conditions.push(terms.eq(terms.extract(other, width - 1, width - by), terms.bv(by, 0)));
                other = terms.extract(other, width - by - 1, 0);
            }
            Op::SignExtend(by) => {
                let width = terms.width(side);
                let cut = terms.extract(other, width - by - 1, 0);
                conditions.push(terms.eq(terms.sign_extend(cut, by), other));
                other = cut;
            }
            Op::Store if at == 0 && args[0] == variable => {
                return Some(turn_store(terms, &args, other, conditions));
            }
            _ => return None,
        }
        side = args[at];
    }
}

/// `store(a, i, v) = b` says: `b[i] = v`, and `a` is `b` but for an old value at `i`.
fn turn_store(terms: &Terms, args: &[Term], other: Term, mut conditions: Vec<Term>) -> Solution {
    let (index, value) = (args[1], args[2]);
    conditions.push(terms.eq(terms.select(other, index), value));
    let old = fresh(terms, "old", terms.sort(value));
    Solution { value: terms.store(other, index, old), conditions }
}

/// The inverse of an odd number modulo a power of two.
fn odd_inverse(width: u32, factor: u128) -> Option<u128> {
    if factor & 1 == 0 || width > 128 {
        return None;
    }
    // Newton's iteration doubles the number of right bits each time.
    let mut inverse = 1u128;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(factor.wrapping_mul(inverse)));
    }
    Some(inverse)
}

/// A term that can take every value of its sort (or a documented part) as the symbol runs through its own: all occurrences of
/// the symbol in the conjuncts are inside this one term.
pub struct Onto {
    pub term: Term,
    /// What the values of the term have in common, as a condition on the new symbol.
    pub range: Option<fn(&Terms, Term, u32) -> Term>,
    pub by: u32,
}

/// The largest invertible term around the symbol such that the symbol occurs nowhere else in the conjuncts.
pub fn only_inside(symbols: &Symbols, conjuncts: &[Term], symbol: u32) -> Option<Onto> {
    let terms = symbols.terms;
    let variable = terms.constant(symbol);
    let mut onto = Onto { term: variable, range: None, by: 0 };
    while let Some(parent) = only_parent(terms, conjuncts, onto.term) {
        let args = terms.args(parent);
        let once = args.iter().filter(|arg| symbols.has(**arg, symbol)).count() == 1;
        onto = match terms.op(parent) {
            Op::BvAdd | Op::BvXor | Op::BvNot | Op::BvNeg | Op::FloatNeg | Op::Xor if once && onto.range.is_none() => {
                Onto { term: parent, range: None, by: 0 }
            }
            Op::ZeroExtend(by) if onto.range.is_none() => Onto { term: parent, range: Some(zero_extended), by },
            Op::SignExtend(by) if onto.range.is_none() => Onto { term: parent, range: Some(sign_extended), by },
            _ => break,
        };
    }
    (onto.term != variable).then_some(onto)
}

fn zero_extended(terms: &Terms, term: Term, by: u32) -> Term {
    let width = terms.width(term);
    terms.bv_ule(term, terms.zero_extend(terms.bv_not(terms.bv(width - by, 0)), by))
}

fn sign_extended(terms: &Terms, term: Term, by: u32) -> Term {
    let width = terms.width(term);
    let least = terms.bv_shl(terms.bv(width - by, 1), terms.bv(width - by, u128::from(width - by - 1)));
    let (least, greatest) = (terms.sign_extend(least, by), terms.sign_extend(terms.bv_not(least), by));
    terms.and2(terms.bv_sle(least, term), terms.bv_sle(term, greatest))
}

/// The one term that has `child` as an argument in all conjuncts, if there is just one and it is no conjunct's root alone.
fn only_parent(terms: &Terms, conjuncts: &[Term], child: Term) -> Option<Term> {
    let mut seen = HashSet::new();
    let mut open: Vec<Term> = conjuncts.to_vec();
    let mut parent = None;
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        for &arg in terms.args(term) {
            if arg == child {
                if parent.is_some_and(|known| known != term) {
                    return None;
                }
                parent = Some(term);
            }
            open.push(arg);
        }
    }
    parent
}
