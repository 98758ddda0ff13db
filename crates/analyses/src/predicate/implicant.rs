//! One way through a formula: the atoms that make it true in a model, with every choice between values decided as the model decides it.
//! A path with one way through each of its blocks is easy to explain. Knows formulas only.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tandem_base::FastBuild;
use tandem_smt::{Evaluator, Model, Op, Sort, Term, TermMap, Terms};

/// Literals that imply the conditions and are true in the model, and the values as they are under these literals.
pub fn implicant(terms: &Terms, conditions: &[Term], values: &[Term], model: &Model) -> (Vec<Term>, Vec<Term>) {
    let mut way = Way {
        terms,
        evaluator: Evaluator::new(terms, model),
        literals: BTreeSet::new(),
        chosen: BTreeMap::new(),
        seen: HashSet::default(),
        open: Vec::new(),
    };
    way.open.extend(conditions.iter().chain(values).copied());
    way.walk();
    let mut map = TermMap::default();
    // Inner choices have smaller numbers: they are decided when an outer one needs them.
    for (choice, side) in &way.chosen {
        let side = terms.substitute(*side, &map);
        map.insert(*choice, side);
    }
    let literals: Vec<Term> = way.literals.into_iter().collect();
    (terms.substitute_all(&literals, &map), terms.substitute_all(values, &map))
}

struct Way<'a> {
    terms: &'a Terms,
    evaluator: Evaluator<'a>,
    /// Atoms or their negations, as they are true.
    literals: BTreeSet<Term>,
    /// Which side of each choice is taken.
    chosen: BTreeMap<Term, Term>,
    seen: HashSet<Term, FastBuild>,
    open: Vec<Term>,
}

impl Way<'_> {
    fn holds(&mut self, term: Term) -> bool {
        self.evaluator.value(term).as_bool() == Some(true)
    }

    fn walk(&mut self) {
        while let Some(term) = self.open.pop() {
            if self.seen.insert(term) {
                match self.terms.sort(term) {
                    Sort::Bool => self.truth(term),
                    _ => self.value(term),
                }
            }
        }
    }

    /// What makes the term true, or false, as it is.
    fn truth(&mut self, term: Term) {
        let terms = self.terms;
        let args = terms.args(term);
        let holds = self.holds(term);
        match terms.op(term) {
            Op::True | Op::False => {}
            Op::And | Op::Or => {
                // True conjunctions and false disjunctions need all their parts, the others need one.
                let all = (terms.op(term) == Op::And) == holds;
                let decisive = args.iter().copied().find(|arg| self.holds(*arg) == holds);
                match decisive.filter(|_| !all) {
                    Some(arg) => self.open.push(arg),
                    None => self.open.extend(args),
                }
            }
            Op::Ite => self.choice(args),
            Op::Not | Op::Xor => self.open.extend(args),
            Op::Eq if terms.sort(args[0]) == Sort::Bool => self.open.extend(args),
            _ => {
                self.literals.insert(if holds { term } else { terms.not(term) });
                self.open.extend(args);
            }
        }
    }

    fn value(&mut self, term: Term) {
        let args = self.terms.args(term);
        if self.terms.op(term) == Op::Ite {
            let side = self.choice_side(args);
            self.chosen.insert(term, side);
            self.choice(args);
        } else {
            self.open.extend(args);
        }
    }

    fn choice_side(&mut self, args: &[Term]) -> Term {
        if self.holds(args[0]) { args[1] } else { args[2] }
    }

    fn choice(&mut self, args: &[Term]) {
        let side = self.choice_side(args);
        self.open.extend([args[0], side]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_smt::Value;

    #[test]
    fn one_way_implies_the_formula_and_is_true_in_the_model() {
        let terms = Terms::new();
        let (x, y) = (terms.variable("x", Sort::Bv(8)), terms.variable("y", Sort::Bv(8)));
        let number = |bits: u128| terms.bv(8, bits);
        let choice = terms.ite(terms.bv_ult(x, number(5)), terms.bv_add(x, number(1)), y);
        let either = terms.or2(terms.eq(choice, number(3)), terms.bv_ult(y, x));
        let mut model = Model::default();
        for (term, bits) in [(x, 2u128), (y, 9)] {
            let Op::Variable(symbol) = terms.op(term) else { continue };
            if let Some(value) = terms.as_value(number(bits)) {
                model.constants.insert(symbol, value);
            }
        }
        let (literals, values) = implicant(&terms, &[either], &[choice], &model);
        let all = terms.and(&literals);
        assert!(terms.holds(all, &model));
        assert!(!terms.subterms(&literals).iter().any(|part| terms.op(*part) == Op::Ite));
        assert_eq!(values, vec![terms.bv_add(x, number(1))]);
        for a in 0..=255u128 {
            for b in (0..=255u128).step_by(15) {
                let mut other = Model::default();
                for (term, bits) in [(x, a), (y, b)] {
                    let Op::Variable(symbol) = terms.op(term) else { continue };
                    other.constants.insert(symbol, Value::Bits(terms.as_bv(number(bits)).expect("a constant")));
                }
                if terms.holds(all, &other) {
                    assert!(terms.holds(either, &other));
                    assert_eq!(terms.eval(values[0], &other), terms.eval(choice, &other));
                }
            }
        }
    }
}
