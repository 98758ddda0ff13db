//! A query that would run for hours is stopped soon after its deadline or a cancel, and the solver stays usable.

use std::time::{Duration, Instant};

use tandem_base::{Budget, Cancel, StopReason};
use tandem_smt::{Answer, AutoSolver, Solver, Sort, Term, Terms, UnknownReason, Z3Mode, Z3Solver};

/// How long after its end a check may go on.
const ALLOWED: Duration = Duration::from_millis(200);

/// Proper factors of the product of two primes, of 61 and 59 bits.
fn factoring(terms: &Terms) -> Term {
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Bv(128)));
    let product = terms.eq(terms.bv_mul(x, y), terms.bv(128, ((1 << 61) - 1) * ((1 << 59) - 55)));
    let (one, bound) = (terms.bv(128, 1), terms.bv(128, 1 << 62));
    let proper = [terms.bv_ult(x, bound), terms.bv_ult(y, bound), terms.bv_ult(one, x), terms.bv_ult(one, y)];
    terms.and(&[&[product], proper.as_slice()].concat())
}

fn stops(mut solver: Box<dyn Solver>) {
    let terms = solver.terms().clone();
    let hard = factoring(&terms);
    let z = terms.variable("z", Sort::Bv(64));
    let easy = terms.eq(z, terms.bv(64, 7));
    solver.assert(terms.bv_ult(z, terms.bv(64, 1000)));

    let deadline = Instant::now() + Duration::from_millis(300);
    let budget = Budget { deadline: Some(deadline), ..Budget::default() };
    let answer = solver.check(&[hard], &budget);
    assert!(deadline.elapsed() < ALLOWED, "{:?} too late", deadline.elapsed());
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Time)));
    assert_eq!(solver.check(&[easy], &Budget::unlimited()), Answer::Sat);

    let cancel = Cancel::new();
    let raised = {
        let cancel = cancel.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.raise();
            Instant::now()
        })
    };
    solver.push();
    solver.assert(hard);
    let answer = solver.check(&[], &Budget { cancel, ..Budget::default() });
    let late = raised.join().expect("the thread that cancels").elapsed();
    assert!(late < ALLOWED, "{late:?} too late");
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Cancelled)));
    solver.pop(1);
    assert_eq!(solver.check(&[easy], &Budget::unlimited()), Answer::Sat);
    let ten = terms.eq(z, terms.bv(64, 10_000));
    assert_eq!(solver.check(&[ten], &Budget::unlimited()), Answer::Unsat);
}

#[test]
fn z3_stops() {
    stops(Box::new(Z3Solver::new(&Terms::new(), Z3Mode::Incremental)));
}

#[test]
fn fresh_z3_stops() {
    stops(Box::new(Z3Solver::new(&Terms::new(), Z3Mode::Fresh)));
}

#[test]
fn chosen_back_ends_stop() {
    stops(Box::new(AutoSolver::new(&Terms::new())));
}

/// Enough multiplications that even the translation to bits takes long.
#[test]
fn z3_stops_on_heavy_queries() {
    let terms = Terms::new();
    let mut term = terms.variable("x", Sort::Bv(512));
    for i in 0..60 {
        term = terms.bv_mul(term, terms.bv_add(term, terms.bv(512, 2 * i + 1)));
        term = terms.bv_urem(term, terms.variable(&format!("y{i}"), Sort::Bv(512)));
    }
    let hard = terms.eq(term, terms.bv(512, 12345));
    for mode in [Z3Mode::Incremental, Z3Mode::Fresh] {
        let mut solver = Z3Solver::new(&terms, mode);
        let deadline = Instant::now() + Duration::from_millis(500);
        let answer = solver.check(&[hard], &Budget { deadline: Some(deadline), ..Budget::default() });
        assert!(deadline.elapsed() < ALLOWED, "{:?} too late", deadline.elapsed());
        assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Time)));
        assert_eq!(solver.check(&[terms.bool(true)], &Budget::unlimited()), Answer::Sat);
    }
}

#[test]
fn z3_stops_at_its_memory_limit() {
    let terms = Terms::new();
    let mut solver = Z3Solver::new(&terms, Z3Mode::Incremental);
    let hard = factoring(&terms);
    let budget = Budget { memory: Some(1 << 20), ..Budget::with_time(Duration::from_secs(30)) };
    let answer = solver.check(&[hard], &budget);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Memory)));
    assert_eq!(solver.check(&[terms.bool(true)], &Budget::unlimited()), Answer::Sat);
}
