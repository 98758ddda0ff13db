//! What the layers cost and what they save, on the checks of a symbolic execution.
//!
//! 1. The same 2,000 path-feasibility checks (push a branch condition, check, go on or pop and flip) through [`Z3Solver`]
//!    and by hand against Z3's C interface. The layer may take 1.3 times as long.
//! 2. A log of an exploration, replayed with the cache and without. The cache has to save half of the time.
//!
//! Times are the best of several alternating rounds. The program ends with an error if a bound is missed.

mod by_hand;
mod program;

use std::time::{Duration, Instant};

use program::{Backend, Program, explore};
use tandem_base::Budget;
use tandem_smt::layers::{Cache, Slicing};
use tandem_smt::{Answer, AutoSolver, BlastSolver, Solver, Sort, Term, Terms, Z3Mode, Z3Solver};

const CHECKS: usize = 2_000;
const LOGGED_CHECKS: usize = 6_000;
const ROUNDS: usize = 5;

fn main() {
    let program = Program::number_reader(12);
    let mut layer = Duration::MAX;
    let mut hand = Duration::MAX;
    for _ in 0..ROUNDS {
        let (time, by_layer) = timed(|| explore(&program, &mut Layer::new(z3()), CHECKS));
        layer = layer.min(time);
        let (time, by_hand) = timed(|| explore(&program, &mut by_hand::Hand::new(), CHECKS));
        hand = hand.min(time);
        assert_eq!(by_layer, by_hand, "both ways give the same answers");
    }
    let mut failed = report("path checks, layer over C interface", layer, hand, 1.3);

    let program = Program::number_reader(16);
    let mut recorder = Layer::new(BlastSolver::new(&Terms::new()));
    explore(&program, &mut recorder, LOGGED_CHECKS);
    let (terms, log) = (recorder.terms, recorder.log);
    let z3 = || warm(Z3Solver::new(&terms, Z3Mode::Incremental));
    let mut without = Duration::MAX;
    let mut with = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut plain = z3();
        let (time, expected) = timed(|| replay(&log, &mut plain));
        without = without.min(time);
        let mut cache = Cache::new(Slicing::new(z3()));
        let (time, answers) = timed(|| replay(&log, &mut cache));
        with = with.min(time);
        assert_eq!(answers, expected, "the cache changes no answer");
    }
    failed |= report("exploration log, cache over no cache", with, without, 0.5);

    let (blast, _) = timed(|| replay(&log, &mut BlastSolver::new(&terms)));
    let (auto, _) = timed(|| replay(&log, &mut AutoSolver::new(&terms)));
    let (both, _) = timed(|| replay(&log, &mut Cache::new(AutoSolver::new(&terms))));
    println!("the same log: bit-blaster {blast:.1?}, choice of back ends {auto:.1?}, with cache {both:.1?}");
    if failed {
        std::process::exit(1);
    }
}

fn z3() -> Z3Solver {
    Z3Solver::new(&Terms::new(), Z3Mode::Incremental)
}

/// Made and asked once: starting Z3 takes as long as a hundred checks.
fn warm<S: Solver>(mut solver: S) -> S {
    let truth = solver.terms().bool(true);
    solver.check(&[truth], &Budget::unlimited());
    solver
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

/// Prints a ratio; whether it is above its bound.
fn report(what: &str, time: Duration, base: Duration, bound: f64) -> bool {
    let ratio = time.as_secs_f64() / base.as_secs_f64();
    let missed = ratio > bound;
    let verdict = if missed { "MISSED" } else { "ok" };
    println!("{what}: {time:.1?} / {base:.1?} = {ratio:.2} (at most {bound}: {verdict})");
    missed
}

/// What an exploration asks of a solver.
enum Step {
    Push,
    Pop,
    Assert(Term),
    Check(Term),
}

fn replay(log: &[Step], solver: &mut impl Solver) -> Vec<bool> {
    let budget = Budget::unlimited();
    let mut answers = Vec::new();
    for step in log {
        match *step {
            Step::Push => solver.push(),
            Step::Pop => solver.pop(1),
            Step::Assert(term) => solver.assert(term),
            Step::Check(term) => answers.push(solver.check(&[term], &budget) == Answer::Sat),
        }
    }
    answers
}

/// Terms and a solver of this crate; notes what is asked.
struct Layer<S> {
    terms: Terms,
    solver: S,
    budget: Budget,
    log: Vec<Step>,
}

impl<S: Solver> Layer<S> {
    fn new(solver: S) -> Layer<S> {
        Layer { terms: solver.terms().clone(), solver, budget: Budget::unlimited(), log: Vec::new() }
    }
}

impl<S: Solver> Backend for Layer<S> {
    type Term = Term;

    fn input(&mut self, number: usize) -> Term {
        let byte = self.terms.variable(&format!("input{number}"), Sort::Bv(8));
        self.terms.zero_extend(byte, 24)
    }

    fn number(&mut self, value: u32) -> Term {
        self.terms.bv(32, value.into())
    }

    fn operation(&mut self, operation: program::Operation, left: Term, right: Term) -> Term {
        use program::Operation::*;
        match operation {
            Add => self.terms.bv_add(left, right),
            Sub => self.terms.bv_sub(left, right),
            Mul => self.terms.bv_mul(left, right),
            And => self.terms.bv_and(left, right),
            Xor => self.terms.bv_xor(left, right),
        }
    }

    fn comparison(&mut self, comparison: program::Comparison, left: Term, right: Term) -> Term {
        use program::Comparison::*;
        match comparison {
            Equal => self.terms.eq(left, right),
            Less => self.terms.bv_slt(left, right),
            Below => self.terms.bv_ult(left, right),
        }
    }

    fn not(&mut self, condition: Term) -> Term {
        self.terms.not(condition)
    }

    fn check(&mut self, condition: Term) -> bool {
        self.log.push(Step::Check(condition));
        self.solver.check(&[condition], &self.budget) == Answer::Sat
    }

    fn enter(&mut self, condition: Term) {
        self.log.extend([Step::Push, Step::Assert(condition)]);
        self.solver.push();
        self.solver.assert(condition);
    }

    fn leave(&mut self) {
        self.log.push(Step::Pop);
        self.solver.pop(1);
    }
}
