//! Properties of the back ends and of the layers around them, on random queries.

mod random;

use std::time::Duration;

use proptest::prelude::*;
use random::{Builder, Random, Shape};
use tandem_base::Budget;
use tandem_smt::layers::{Cache, Counting, CrossCheck, Slicing};
use tandem_smt::{Answer, AutoSolver, BlastSolver, Op, Solver, Sort, Term, Terms, Z3Mode, Z3Solver};

const BITS: Shape = Shape { floats: false, arrays: false, functions: false, widths: &[1, 3, 8, 13, 70] };
const EVERYTHING: Shape = Shape { floats: true, arrays: true, functions: true, widths: &[1, 3, 5, 8] };

fn budget() -> Budget {
    Budget::with_time(Duration::from_millis(150))
}

/// More with `TANDEM_CASES`, for a long look.
fn cases() -> u32 {
    std::env::var("TANDEM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// Pairs of boolean terms, simplified and not.
fn conditions(builder: &mut Builder, steps: usize) -> Vec<(Term, Term)> {
    for _ in 0..steps {
        builder.step();
    }
    let terms = &builder.terms;
    let mut found: Vec<(Term, Term)> =
        builder.pairs.iter().copied().filter(|(term, _)| terms.sort(*term) == Sort::Bool).collect();
    found.reverse();
    found.truncate(10);
    found
}

fn satisfied(solver: &mut dyn Solver, query: &[Term]) -> Result<(), TestCaseError> {
    let model = solver.model();
    for &term in query {
        let terms = solver.terms();
        prop_assert!(terms.holds(term, &model), "{} by {}: {model:?}", terms.display(term), solver.name());
    }
    Ok(())
}

/// Both known and different.
fn contradict(a: &Answer, b: &Answer) -> bool {
    matches!((a, b), (Answer::Sat, Answer::Unsat) | (Answer::Unsat, Answer::Sat))
}

fn term_and_simplification(seed: u64, shape: Shape) -> Result<(), TestCaseError> {
    let mut builder = Builder::new(seed, shape);
    let pairs = conditions(&mut builder, 25);
    let terms = builder.terms.clone();
    let mut solver = Z3Solver::new(&terms, if seed.is_multiple_of(2) { Z3Mode::Incremental } else { Z3Mode::Fresh });
    for (simple, plain) in pairs.into_iter().take(4) {
        let differ = terms.intern(Op::Xor, Sort::Bool, &[simple, plain]);
        let answer = solver.check(&[differ], &budget());
        prop_assert_ne!(answer, Answer::Sat, "{} became {}", terms.display(plain), terms.display(simple));
        let (first, second) = (solver.check(&[simple], &budget()), solver.check(&[plain], &budget()));
        prop_assert!(!contradict(&first, &second), "{} became {}", terms.display(plain), terms.display(simple));
        if second == Answer::Sat {
            satisfied(&mut solver, &[plain, simple])?;
        }
    }
    Ok(())
}

fn cores(seed: u64, shape: Shape) -> Result<(), TestCaseError> {
    let mut builder = Builder::new(seed, shape);
    let query: Vec<Term> = conditions(&mut builder, 30).into_iter().map(|(term, _)| term).collect();
    let terms = builder.terms.clone();
    for mode in [Z3Mode::Incremental, Z3Mode::Fresh] {
        let mut solver = Z3Solver::new(&terms, mode);
        match solver.check(&query, &budget()) {
            Answer::Sat => satisfied(&mut solver, &query)?,
            Answer::Unsat => {
                let core = solver.core();
                prop_assert!(core.iter().all(|term| query.contains(term)));
                let again = Z3Solver::new(&terms, Z3Mode::Incremental).check(&core, &budget());
                prop_assert_ne!(again, Answer::Sat, "the core is satisfiable");
            }
            Answer::Unknown(_) => {}
        }
    }
    Ok(())
}

/// A walk over pushes, assertions, checks and pops, as an exploration makes it.
struct Walk {
    random: Random,
    conditions: Vec<(Term, Term)>,
    stack: Vec<Vec<Term>>,
}

impl Walk {
    fn step(&mut self, solvers: &mut [Box<dyn Solver>]) -> Result<(), TestCaseError> {
        let (simple, plain) = self.random.pick(&self.conditions);
        let condition = self.random.pick(&[simple, plain]);
        match self.random.below(6) {
            0 => {
                self.stack.push(Vec::new());
                solvers.iter_mut().for_each(|solver| solver.push());
            }
            1 if self.stack.len() > 1 => {
                let levels = 1 + self.random.below(self.stack.len() - 1);
                self.stack.truncate(self.stack.len() - levels);
                solvers.iter_mut().for_each(|solver| solver.pop(levels));
            }
            2 | 3 => {
                if let Some(level) = self.stack.last_mut() {
                    level.push(condition);
                }
                solvers.iter_mut().for_each(|solver| solver.assert(condition));
            }
            _ => {
                let count = self.random.below(4);
                let assumptions: Vec<Term> = (0..count).map(|_| self.random.pick(&self.conditions).0).collect();
                self.check(solvers, &assumptions)?;
            }
        }
        Ok(())
    }

    /// All give the answer of a solver that is new, with models and cores that are true.
    fn check(&self, solvers: &mut [Box<dyn Solver>], assumptions: &[Term]) -> Result<(), TestCaseError> {
        let asserted: Vec<Term> = self.stack.iter().flatten().copied().collect();
        let query = [asserted.as_slice(), assumptions].concat();
        let fresh = |query: &[Term]| {
            let mut solver = Z3Solver::new(solvers[0].terms(), Z3Mode::Incremental);
            query.iter().for_each(|&term| solver.assert(term));
            solver.check(&[], &budget())
        };
        let expected = fresh(&query);
        let mut unsatisfiable = Vec::new();
        for solver in solvers.iter_mut() {
            let answer = solver.check(assumptions, &budget());
            prop_assert!(!contradict(&answer, &expected), "{} says {answer:?} for {expected:?}", solver.name());
            match answer {
                Answer::Sat => satisfied(solver, &query)?,
                Answer::Unsat => {
                    let core = solver.core();
                    prop_assert!(core.iter().all(|term| assumptions.contains(term)));
                    unsatisfiable.push([asserted.clone(), core].concat());
                }
                Answer::Unknown(reason) => prop_assert!(!reason.to_string().contains("disagree"), "{reason}"),
            }
        }
        unsatisfiable.dedup();
        for query in unsatisfiable {
            let mut solver = Z3Solver::new(solvers[0].terms(), Z3Mode::Incremental);
            query.iter().for_each(|&term| solver.assert(term));
            prop_assert_ne!(solver.check(&[], &budget()), Answer::Sat, "core and assertions are satisfiable");
        }
        Ok(())
    }
}

fn incremental_as_fresh(
    seed: u64,
    shape: Shape,
    solvers: fn(&Terms) -> Vec<Box<dyn Solver>>,
) -> Result<(), TestCaseError> {
    let mut builder = Builder::new(seed, shape);
    let conditions = conditions(&mut builder, 30);
    let mut solvers = solvers(&builder.terms);
    let mut walk = Walk { random: Random::new(seed ^ 1), conditions, stack: vec![Vec::new()] };
    for _ in 0..16 {
        walk.step(&mut solvers)?;
    }
    Ok(())
}

fn z3(terms: &Terms) -> Z3Solver {
    Z3Solver::new(terms, Z3Mode::Incremental)
}

fn layers(terms: &Terms) -> Vec<Box<dyn Solver>> {
    vec![
        Box::new(z3(terms)),
        Box::new(Slicing::new(z3(terms))),
        Box::new(Cache::new(z3(terms))),
        Box::new(Counting::new(Cache::new(Slicing::new(Z3Solver::new(terms, Z3Mode::Fresh))))),
    ]
}

fn back_ends(terms: &Terms) -> Vec<Box<dyn Solver>> {
    vec![Box::new(CrossCheck::new(z3(terms), BlastSolver::new(terms))), Box::new(AutoSolver::new(terms))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn simplification_of_bits(seed: u64) {
        term_and_simplification(seed, BITS)?;
    }

    #[test]
    fn simplification_of_everything(seed: u64) {
        term_and_simplification(seed, EVERYTHING)?;
    }

    #[test]
    fn cores_are_unsatisfiable(seed: u64) {
        cores(seed, if seed.is_multiple_of(3) { EVERYTHING } else { BITS })?;
    }

    #[test]
    fn layers_change_no_answer(seed: u64) {
        incremental_as_fresh(seed, Shape { floats: false, ..EVERYTHING }, layers)?;
    }

    #[test]
    fn back_ends_agree(seed: u64) {
        incremental_as_fresh(seed, if seed.is_multiple_of(3) { EVERYTHING } else { BITS }, back_ends)?;
    }
}

/// Two arrays that differ almost everywhere, and that Z3 4.8 calls equal.
#[test]
fn constant_arrays_are_not_equal() {
    incremental_as_fresh(11_078_691_551_756_512_708, Shape { floats: false, ..EVERYTHING }, layers).unwrap();
}
