//! Interpolants for a contradictory sequence of formulas, word by word.
//!
//! Given `F1 .. Fn` that are contradictory together, [`sequence`] finds `I1 .. I(n-1)` such that `F1` implies `I1`, each `Ii`
//! with `F(i+1)` implies `I(i+1)`, `I(n-1)` contradicts `Fn`, and `Ii` speaks only of symbols that occur on both
//! sides of its cut. No proof of a solver is looked at: the formulas are relaxed to an unsatisfiable core, then the cut is moved
//! forward one formula at a time. What is known at a cut is what was known before it and the formula, with the symbols that are
//! dead from here on eliminated (`eliminate`), and only the conjuncts that the rest of the sequence needs are kept.
//! Where a dead symbol cannot be eliminated, the weakest precondition of the rest is tried, and at last the cut is learned
//! from single states (`learn`).
//!
//! The atoms are those of the formulas, rearranged: `x <= y + 4`, not equations between bits.

mod bounds;
mod eliminate;
mod learn;
mod solve;
mod symbols;

use std::collections::HashSet;

use tandem_base::Budget;

use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver, UnknownReason};
use crate::value::Model;
use symbols::Symbols;

/// Why there is no sequence of interpolants.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The formulas have a model: there is nothing to interpolate.
    Satisfiable(Box<Model>),
    /// The solver did not answer.
    Unknown(UnknownReason),
    /// No formula over the shared symbols was found for this cut (behind formula number `cut`, counted from zero).
    Inexpressible { cut: usize },
}

/// Interpolants for `formulas`, one for each cut between two of them. The solver's own assertions are background that every
/// formula may use; its stack is as before afterwards.
pub fn sequence(solver: &mut dyn Solver, formulas: &[Vec<Term>], budget: &Budget) -> Result<Vec<Term>, Failure> {
    let terms = solver.terms().clone();
    let relaxed = relax(solver, &terms, formulas, budget)?;
    let symbols = Symbols::new(&terms);
    let after = symbols_after(&symbols, &relaxed);
    for later in relaxed.iter().skip(1).rev() {
        solver.push();
        assert_all(solver, later);
    }
    let run = Run { terms: &terms, symbols: &symbols, formulas: &relaxed, budget };
    let mut known: Vec<Term> = Vec::new();
    let mut interpolants = Vec::new();
    let mut result = Ok(());
    for (cut, shared_later) in after.iter().enumerate() {
        // Here exactly the formulas behind the cut are asserted.
        match run.cross(solver, &known, cut, shared_later) {
            Ok(next) => known = next,
            Err(failure) => {
                solver.pop(relaxed.len() - 1 - cut);
                result = Err(failure);
                break;
            }
        }
        interpolants.push(terms.and(&known));
        solver.pop(1);
    }
    result?;
    debug_assert_eq!(first_flaw(solver, formulas, &interpolants, budget), None);
    Ok(interpolants)
}

/// What is wrong with a sequence of interpolants, if anything: the number of the implication that fails, or the cut whose
/// interpolant has a symbol that is not shared. A check that runs out of budget is no flaw.
pub fn first_flaw(
    solver: &mut dyn Solver,
    formulas: &[Vec<Term>],
    interpolants: &[Term],
    budget: &Budget,
) -> Option<String> {
    let terms = solver.terms().clone();
    let symbols = Symbols::new(&terms);
    if interpolants.len() + 1 != formulas.len().max(1) {
        return Some(format!("{} interpolants for {} formulas", interpolants.len(), formulas.len()));
    }
    for (cut, interpolant) in interpolants.iter().enumerate() {
        let before = symbols.of_all(formulas[..=cut].iter().flatten());
        let behind = symbols.of_all(formulas[cut + 1..].iter().flatten());
        if let Some(alien) = symbols.of(*interpolant).iter().find(|s| !before.contains(s) || !behind.contains(s)) {
            return Some(format!("interpolant {cut} mentions {}, which is not shared", terms.symbol(*alien).name));
        }
    }
    for (step, formula) in formulas.iter().enumerate() {
        let mut query = formula.clone();
        query.extend(step.checked_sub(1).map(|i| interpolants[i]));
        query.extend(interpolants.get(step).map(|i| terms.not(*i)));
        if solver.check(&query, budget) == Answer::Sat {
            return Some(format!("step {step} does not imply its interpolant"));
        }
    }
    None
}

struct Run<'a> {
    terms: &'a Terms,
    symbols: &'a Symbols<'a>,
    formulas: &'a [Vec<Term>],
    budget: &'a Budget,
}

impl Run<'_> {
    /// The conjuncts of the interpolant behind formula `cut`, from those before it. The formulas behind the cut are asserted.
    fn cross(
        &self,
        solver: &mut dyn Solver,
        known: &[Term],
        cut: usize,
        shared_later: &HashSet<u32>,
    ) -> Result<Vec<Term>, Failure> {
        let mut state = known.to_vec();
        state.extend(&self.formulas[cut]);
        let post = eliminate::eliminate(self.symbols, &state, shared_later);
        match solver.check(&post.clean, self.budget) {
            Answer::Unsat => Ok(self.needed(solver, &post.clean)),
            Answer::Sat if post.is_exact() => Err(Failure::Inexpressible { cut }),
            Answer::Sat => self.cross_backwards(solver, &state, cut),
            Answer::Unknown(reason) => Err(Failure::Unknown(reason)),
        }
    }

    /// By the weakest precondition of what is behind the cut: not possible to go on.
    fn cross_backwards(&self, solver: &mut dyn Solver, state: &[Term], cut: usize) -> Result<Vec<Term>, Failure> {
        let before = self.symbols.of_all(state);
        let rest: Vec<Term> = self.formulas[cut + 1..].iter().flatten().copied().collect();
        let rest = eliminate::eliminate(self.symbols, &rest, &before);
        let levels = self.formulas.len() - 1 - cut;
        solver.pop(levels);
        solver.push();
        assert_all(solver, state);
        let answer = solver.check(&rest.clean, self.budget);
        let result = match answer {
            Answer::Unsat => {
                let core = solver.core();
                Ok(vec![self.terms.not(self.terms.and(&core))])
            }
            Answer::Sat => Err(Failure::Inexpressible { cut }),
            Answer::Unknown(reason) => Err(Failure::Unknown(reason)),
        };
        solver.pop(1);
        for later in self.formulas[cut + 1..].iter().rev() {
            solver.push();
            assert_all(solver, later);
        }
        match result {
            Err(Failure::Inexpressible { .. }) => {
                learn::learn(solver, self.symbols, state, self.formulas, cut, self.budget)
            }
            other => other,
        }
    }

    /// The conjuncts of the last unsatisfiable check that it needs: its core, then without each in turn.
    fn needed(&self, solver: &mut dyn Solver, clean: &[Term]) -> Vec<Term> {
        let core: HashSet<Term> = solver.core().into_iter().collect();
        let core: Vec<Term> = clean.iter().copied().filter(|conjunct| core.contains(conjunct)).collect();
        shrink(solver, core, self.budget)
    }
}

/// Drops conjuncts that a contradiction does not need, later ones first, within a bounded number of checks.
fn shrink(solver: &mut dyn Solver, mut conjuncts: Vec<Term>, budget: &Budget) -> Vec<Term> {
    const CHECKS: usize = 24;
    let mut at = conjuncts.len();
    for _ in 0..CHECKS {
        let Some(index) = at.checked_sub(1) else { break };
        let dropped = conjuncts.remove(index);
        if solver.check(&conjuncts, budget) == Answer::Unsat {
            let core: HashSet<Term> = solver.core().into_iter().collect();
            conjuncts.retain(|conjunct| core.contains(conjunct));
            at = index.min(conjuncts.len());
        } else {
            conjuncts.insert(index, dropped);
            at = index;
        }
    }
    conjuncts
}

/// The formulas, each cut down to its conjuncts in an unsatisfiable core of all.
fn relax(
    solver: &mut dyn Solver,
    terms: &Terms,
    formulas: &[Vec<Term>],
    budget: &Budget,
) -> Result<Vec<Vec<Term>>, Failure> {
    let conjuncts: Vec<Vec<Term>> = formulas.iter().map(|formula| split(terms, formula)).collect();
    let all: Vec<Term> = conjuncts.iter().flatten().copied().collect();
    match solver.check(&all, budget) {
        Answer::Unsat => {}
        Answer::Sat => return Err(Failure::Satisfiable(Box::new(solver.model()))),
        Answer::Unknown(reason) => return Err(Failure::Unknown(reason)),
    }
    let core = solver.core();
    let core: HashSet<Term> = shrink(solver, core, budget).into_iter().collect();
    // A conjunct that stands in several formulas is kept only where it comes first: one is enough, and early is where
    // the later ones can use it.
    let mut left = core;
    Ok(conjuncts.into_iter().map(|formula| formula.into_iter().filter(|c| left.remove(c)).collect()).collect())
}

/// The conjuncts of a list of formulas.
fn split(terms: &Terms, formulas: &[Term]) -> Vec<Term> {
    let mut conjuncts = Vec::new();
    let mut open: Vec<Term> = formulas.iter().rev().copied().collect();
    while let Some(term) = open.pop() {
        match terms.op(term) {
            crate::Op::And => open.extend(terms.args(term).iter().rev()),
            crate::Op::True => {}
            _ => conjuncts.push(term),
        }
    }
    conjuncts
}

/// For each cut, the symbols that occur behind it.
fn symbols_after(symbols: &Symbols, formulas: &[Vec<Term>]) -> Vec<HashSet<u32>> {
    let mut after = Vec::new();
    let mut seen = HashSet::new();
    for formula in formulas.iter().skip(1).rev() {
        seen.extend(symbols.of_all(formula));
        after.push(seen.clone());
    }
    after.reverse();
    after
}

fn assert_all(solver: &mut dyn Solver, formula: &[Term]) {
    for term in formula {
        solver.assert(*term);
    }
}
