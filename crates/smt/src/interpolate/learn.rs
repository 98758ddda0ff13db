//! The last resort for a cut: learning the interpolant from single states.
//!
//! While some state satisfies both what was learned and the formulas behind the cut, it cannot be reached by what is before
//! the cut; the reason (bounds on some shared symbols, as wide as a few checks can make them) is excluded. Everything learned
//! follows from what is before the cut, and in the end contradicts what is behind it.

use tandem_base::Budget;

use super::symbols::Symbols;
use super::{Failure, assert_all};
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver};
use crate::sort::Sort;
use crate::value::{Model, Value};

/// States that are looked at before giving up.
const STATES: usize = 200;

/// What a state says about one shared symbol.
#[derive(Clone, Copy)]
enum Literal {
    Bool(Term),
    /// At least this much, unsigned.
    AtLeast(Term, u128),
    AtMost(Term, u128),
}

impl Literal {
    fn term(self, terms: &Terms) -> Term {
        match self {
            Literal::Bool(term) => term,
            Literal::AtLeast(term, bound) => terms.bv_ule(terms.bv(terms.width(term), bound), term),
            Literal::AtMost(term, bound) => terms.bv_ule(term, terms.bv(terms.width(term), bound)),
        }
    }

    /// The same with the bound moved outwards by a step, unless that leaves the range.
    fn moved(self, terms: &Terms, step: u128) -> Option<Literal> {
        match self {
            Literal::Bool(_) => None,
            Literal::AtLeast(term, bound) => Some(Literal::AtLeast(term, bound.checked_sub(step)?)),
            Literal::AtMost(term, bound) => {
                let width = terms.width(term);
                let bound = bound.checked_add(step)?;
                (width == 128 || bound >> width == 0).then_some(Literal::AtMost(term, bound))
            }
        }
    }
}

/// The conjuncts of an interpolant between `state` and the formulas behind `cut`, which are asserted.
pub fn learn(
    solver: &mut dyn Solver,
    symbols: &Symbols,
    state: &[Term],
    formulas: &[Vec<Term>],
    cut: usize,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    let terms = symbols.terms;
    let before = symbols.of_all(state);
    let behind = symbols.of_all(formulas[cut + 1..].iter().flatten());
    let mut shared: Vec<Term> = before.intersection(&behind).map(|symbol| terms.constant(*symbol)).collect();
    shared.sort_unstable();
    let plain = |term: &Term| matches!(terms.sort(*term), Sort::Bool | Sort::Bv(..=128));
    if !shared.iter().all(plain) || before.iter().any(|s| !terms.symbol(*s).parameters.is_empty() && behind.contains(s))
    {
        return Err(Failure::Inexpressible { cut });
    }
    let levels = formulas.len() - 1 - cut;
    let mut learned: Vec<Term> = Vec::new();
    for _ in 0..STATES {
        match solver.check(&learned, budget) {
            Answer::Unsat => return Ok(learned),
            Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
            Answer::Sat => {}
        }
        let literals = state_of(terms, &shared, &solver.model());
        solver.pop(levels);
        solver.push();
        assert_all(solver, state);
        let reason = exclude(solver, terms, &literals, budget);
        solver.pop(1);
        for later in formulas[cut + 1..].iter().rev() {
            solver.push();
            assert_all(solver, later);
        }
        learned.push(reason?);
    }
    Err(Failure::Inexpressible { cut })
}

/// The literals that say: the shared symbols have the values of the model.
fn state_of(terms: &Terms, shared: &[Term], model: &Model) -> Vec<Literal> {
    let mut literals = Vec::new();
    for &term in shared {
        let crate::Op::Variable(symbol) = terms.op(term) else { continue };
        match model.constants.get(&symbol) {
            Some(Value::Bool(true)) => literals.push(Literal::Bool(term)),
            Some(Value::Bits(bits)) => {
                let bits = bits.small().unwrap_or(0);
                literals.extend([Literal::AtLeast(term, bits), Literal::AtMost(term, bits)]);
            }
            _ if terms.sort(term) == Sort::Bool => literals.push(Literal::Bool(terms.not(term))),
            _ => literals.extend([Literal::AtLeast(term, 0), Literal::AtMost(term, 0)]),
        }
    }
    literals
}

/// A clause that excludes the state of the literals and follows from what is asserted.
fn exclude(solver: &mut dyn Solver, terms: &Terms, literals: &[Literal], budget: &Budget) -> Result<Term, Failure> {
    let all: Vec<Term> = literals.iter().map(|literal| literal.term(terms)).collect();
    match solver.check(&all, budget) {
        Answer::Unsat => {}
        Answer::Sat => return Err(Failure::Satisfiable(Box::new(solver.model()))),
        Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
    }
    let core = solver.core();
    let core = super::shrink(solver, core, budget);
    let needed = literals.iter().copied().filter(|literal| core.contains(&literal.term(terms))).collect();
    let wider: Vec<Term> = widen(solver, terms, needed, budget).iter().map(|l| l.term(terms)).collect();
    Ok(terms.not(terms.and(&wider)))
}

/// Moves the bounds outwards, by doubling steps, while the contradiction stays.
fn widen(solver: &mut dyn Solver, terms: &Terms, mut literals: Vec<Literal>, budget: &Budget) -> Vec<Literal> {
    for index in 0..literals.len() {
        let mut step = 1u128;
        while let Some(wider) = literals[index].moved(terms, step) {
            let kept = std::mem::replace(&mut literals[index], wider);
            let query: Vec<Term> = literals.iter().map(|literal| literal.term(terms)).collect();
            if solver.check(&query, budget) != Answer::Unsat {
                literals[index] = kept;
                break;
            }
            step = step.saturating_mul(2);
        }
    }
    literals
}
