//! Boolean abstraction: the strongest combination of predicates that holds behind a block, found from models. Where there are too many
//! combinations, the strongest conjunction of predicates. Knows formulas only.

use std::collections::HashMap;

use tandem_base::{Budget, FastBuild};
use tandem_smt::{Answer, AutoSolver, Model, Op, Solver, Sort, Term, Terms};

/// Combinations that are told apart.
const COMBINATIONS: usize = 256;

pub struct Abstractor {
    terms: Terms,
    solver: AutoSolver,
    flags: Vec<Term>,
    entailed: HashMap<(Term, Term), bool, FastBuild>,
    pub checks: u64,
}

/// A predicate, and what it says at the end of a block.
#[derive(Clone, Copy)]
pub struct Predicate {
    pub term: Term,
    pub there: Term,
}

impl Abstractor {
    pub fn new(terms: &Terms) -> Abstractor {
        Abstractor {
            terms: terms.clone(),
            solver: AutoSolver::new(terms),
            flags: Vec::new(),
            entailed: HashMap::default(),
            checks: 0,
        }
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.checks += 1;
        self.solver.check(assumptions, budget)
    }

    fn flag(&mut self, index: usize) -> Term {
        while self.flags.len() <= index {
            let name = format!("holds!{}", self.flags.len());
            self.flags.push(self.terms.variable(&name, Sort::Bool));
        }
        self.flags[index]
    }

    /// A combination of the predicates that follows from the conditions; false if these are contradictory.
    pub fn combination(&mut self, conditions: &[Term], predicates: &[Predicate], budget: &Budget) -> Term {
        let terms = self.terms.clone();
        let (mut fixed, mut open) = (Vec::new(), Vec::new());
        for predicate in predicates {
            match terms.op(predicate.there) {
                Op::True => fixed.push(predicate.term),
                Op::False => fixed.push(terms.not(predicate.term)),
                _ => open.push(*predicate),
            }
        }
        self.solver.push();
        for condition in conditions {
            self.solver.assert(*condition);
        }
        for (index, predicate) in open.iter().enumerate() {
            let flag = self.flag(index);
            self.solver.assert(terms.eq(flag, predicate.there));
        }
        let state = self.enumerate(&open, budget);
        self.solver.pop(1);
        fixed.push(state);
        terms.and(&fixed)
    }

    fn enumerate(&mut self, open: &[Predicate], budget: &Budget) -> Term {
        let terms = self.terms.clone();
        let mut rows: Vec<Vec<bool>> = Vec::new();
        while rows.len() < COMBINATIONS {
            match self.check(&[], budget) {
                Answer::Unsat => {
                    let list: Vec<Term> = open.iter().map(|predicate| predicate.term).collect();
                    return decision(&terms, &list, &mut rows, 0);
                }
                Answer::Unknown(_) => return self.unanimous(open, &rows, budget),
                Answer::Sat => {
                    let row = self.row(open.len());
                    let differs: Vec<Term> = (0..row.len()).map(|index| self.flipped(index, row[index])).collect();
                    self.solver.assert(terms.or(&differs));
                    rows.push(row);
                }
            }
            if open.is_empty() {
                return terms.bool(true);
            }
        }
        self.unanimous(open, &rows, budget)
    }

    fn flipped(&mut self, index: usize, value: bool) -> Term {
        let flag = self.flag(index);
        if value { self.terms.not(flag) } else { flag }
    }

    /// The values of the flags in the last model.
    fn row(&mut self, count: usize) -> Vec<bool> {
        let model: Model = self.solver.model();
        (0..count).map(|index| self.terms.holds(self.flags[index], &model)).collect()
    }

    /// The predicates that all rows agree on, and everything else too.
    fn unanimous(&mut self, open: &[Predicate], rows: &[Vec<bool>], budget: &Budget) -> Term {
        let terms = self.terms.clone();
        let Some(first) = rows.first() else { return terms.bool(true) };
        let agreed = |index: &usize| rows.iter().all(|row| row[*index] == first[*index]);
        let mut candidates: Vec<usize> = (0..open.len()).filter(agreed).collect();
        while !candidates.is_empty() {
            let flips: Vec<Term> = candidates.iter().map(|index| self.flipped(*index, first[*index])).collect();
            let flips = terms.or(&flips);
            match self.check(&[flips], budget) {
                Answer::Unsat => break,
                Answer::Unknown(_) => return terms.bool(true),
                Answer::Sat => {
                    let row = self.row(open.len());
                    candidates.retain(|index| row[*index] == first[*index]);
                }
            }
        }
        let literal = |index: usize| if first[index] { open[index].term } else { terms.not(open[index].term) };
        terms.and(&candidates.into_iter().map(literal).collect::<Vec<_>>())
    }

    /// Whether the premise implies the conclusion, for sure.
    pub fn entails(&mut self, premise: Term, conclusion: Term, budget: &Budget) -> bool {
        let terms = self.terms.clone();
        if premise == conclusion || terms.op(conclusion) == Op::True || terms.op(premise) == Op::False {
            return true;
        }
        if let Some(known) = self.entailed.get(&(premise, conclusion)) {
            return *known;
        }
        let holds = self.has_conjuncts(premise, conclusion)
            || self.check(&[premise, terms.not(conclusion)], budget) == Answer::Unsat;
        self.entailed.insert((premise, conclusion), holds);
        holds
    }

    /// Whether all conjuncts of the conclusion are conjuncts of the premise.
    fn has_conjuncts(&self, premise: Term, conclusion: Term) -> bool {
        let conjuncts = |term: Term| match self.terms.op(term) {
            Op::And => self.terms.args(term).to_vec(),
            _ => vec![term],
        };
        let have = conjuncts(premise);
        conjuncts(conclusion).iter().all(|conjunct| have.contains(conjunct))
    }
}

/// The rows as a tree of decisions, in the order of the predicates; equal branches are one.
fn decision(terms: &Terms, predicates: &[Term], rows: &mut [Vec<bool>], depth: usize) -> Term {
    let left = predicates.len() - depth;
    if rows.is_empty() {
        return terms.bool(false);
    }
    if left < 32 && rows.len() == 1 << left {
        return terms.bool(true);
    }
    rows.sort_by_key(|row| row[depth]);
    let at = rows.partition_point(|row| !row[depth]);
    let (without, with) = rows.split_at_mut(at);
    let otherwise = decision(terms, predicates, without, depth + 1);
    let then = decision(terms, predicates, with, depth + 1);
    terms.ite(predicates[depth], then, otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting() -> (Terms, Term, Term, Vec<Term>) {
        let terms = Terms::new();
        let (x, y) = (terms.variable("x", Sort::Bv(8)), terms.variable("y", Sort::Bv(8)));
        let number = |bits: u128| terms.bv(8, bits);
        let predicates = vec![
            terms.bv_ult(x, number(10)),
            terms.eq(x, y),
            terms.eq(y, number(0)),
            terms.bv_ule(number(200), y),
            terms.bv_ult(x, y),
        ];
        (terms, x, y, predicates)
    }

    fn plain(predicates: &[Term]) -> Vec<Predicate> {
        predicates.iter().map(|term| Predicate { term: *term, there: *term }).collect()
    }

    #[test]
    fn the_combination_follows_from_the_conditions_and_is_the_strongest() {
        let (terms, x, y, predicates) = setting();
        let budget = Budget::unlimited();
        let mut abstractor = Abstractor::new(&terms);
        let condition = terms.or2(
            terms.and2(terms.eq(x, terms.bv(8, 3)), terms.eq(y, terms.bv(8, 0))),
            terms.and2(terms.eq(x, y), terms.bv_ult(terms.bv(8, 220), y)),
        );
        let state = abstractor.combination(&[condition], &plain(&predicates), &budget);
        assert!(abstractor.entails(condition, state, &budget));
        let strongest = terms.or2(
            terms.and(&[predicates[0], terms.not(predicates[1]), predicates[2], terms.not(predicates[4])]),
            terms.and(&[terms.not(predicates[0]), predicates[1], predicates[3]]),
        );
        assert!(abstractor.entails(state, strongest, &budget));
    }

    #[test]
    fn contradictory_conditions_have_no_state_behind_them() {
        let (terms, x, y, predicates) = setting();
        let mut abstractor = Abstractor::new(&terms);
        let conditions = [terms.bv_ult(x, y), terms.bv_ult(y, x)];
        let state = abstractor.combination(&conditions, &plain(&predicates), &Budget::unlimited());
        assert_eq!(state, terms.bool(false));
    }

    #[test]
    fn too_many_combinations_leave_what_all_agree_on() {
        let terms = Terms::new();
        let x = terms.variable("x", Sort::Bv(16));
        let bit = |at: u32| terms.eq(terms.extract(x, at, at), terms.bv(1, 1));
        let predicates: Vec<Term> = (0..16).map(bit).collect();
        let (first, budget) = (predicates[0], Budget::unlimited());
        let mut abstractor = Abstractor::new(&terms);
        let state = abstractor.combination(&[first], &plain(&predicates), &budget);
        assert!(abstractor.entails(state, first, &budget));
        assert!(abstractor.entails(first, state, &budget));
    }

    #[test]
    fn covering_is_reflexive_and_transitive() {
        let (terms, _, _, predicates) = setting();
        let budget = Budget::unlimited();
        let mut abstractor = Abstractor::new(&terms);
        let mut states = predicates.clone();
        for pair in predicates.windows(2) {
            states.extend([terms.and2(pair[0], pair[1]), terms.or2(pair[0], pair[1])]);
        }
        for &a in &states {
            assert!(abstractor.entails(a, a, &budget));
            for &b in &states {
                for &c in &states {
                    if abstractor.entails(a, b, &budget) && abstractor.entails(b, c, &budget) {
                        assert!(abstractor.entails(a, c, &budget));
                    }
                }
            }
        }
    }
}
