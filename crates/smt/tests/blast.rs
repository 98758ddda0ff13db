//! The bit-blasting solver against known answers.

use std::time::{Duration, Instant};

use tandem_base::{Budget, StopReason};
use tandem_smt::{Answer, BlastSolver, Solver, Sort, Term, Terms, UnknownReason, Value};

fn solver() -> (Terms, BlastSolver) {
    let terms = Terms::new();
    let solver = BlastSolver::new(&terms);
    (terms, solver)
}

fn is_valid(terms: &Terms, solver: &mut BlastSolver, claim: Term) -> bool {
    match solver.check(&[terms.not(claim)], &Budget::unlimited()) {
        Answer::Unsat => true,
        Answer::Sat => false,
        Answer::Unknown(reason) => panic!("unknown: {reason}"),
    }
}

#[test]
fn laws_of_arithmetic_hold() {
    let (terms, mut solver) = solver();
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Bv(8)));
    let zero = terms.bv(8, 0);
    let claims = [
        terms.eq(terms.bv_add(x, y), terms.bv_add(y, x)),
        terms.eq(terms.bv_mul(x, terms.bv(8, 7)), terms.bv_sub(terms.bv_shl(x, terms.bv(8, 3)), x)),
        terms.eq(terms.bv_add(terms.bv_mul(terms.bv_udiv(x, y), y), terms.bv_urem(x, y)), x),
        terms.eq(terms.bv_add(terms.bv_mul(terms.bv_sdiv(x, y), y), terms.bv_srem(x, y)), x),
        terms.or2(terms.eq(y, zero), terms.bv_ult(terms.bv_urem(x, y), y)),
        terms.implies(terms.eq(y, zero), terms.eq(terms.bv_udiv(x, y), terms.bv(8, 255))),
        terms.eq(terms.bv_ashr(x, y), terms.bv_not(terms.bv_ashr(terms.bv_not(x), y))),
    ];
    for (index, claim) in claims.into_iter().enumerate() {
        assert!(is_valid(&terms, &mut solver, claim), "claim {index}");
    }
    assert!(!is_valid(&terms, &mut solver, terms.implies(terms.bv_slt(x, y), terms.bv_ult(x, y))));
}

#[test]
fn a_model_factors() {
    let (terms, mut solver) = solver();
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Bv(32)));
    let limit = terms.bv(32, 0x1_0000);
    let one = terms.bv(32, 1);
    solver.assert(terms.eq(terms.bv_mul(x, y), terms.bv(32, 62_615_533)));
    for factor in [x, y] {
        solver.assert(terms.bv_ult(factor, limit));
        solver.assert(terms.bv_ugt(factor, one));
    }
    assert_eq!(solver.check(&[], &Budget::unlimited()), Answer::Sat);
    let model = solver.model();
    let product: u128 = ["x", "y"]
        .iter()
        .map(|name| match &model.constants[&terms.find_symbol(name).unwrap()] {
            Value::Bits(bits) => bits.small().unwrap(),
            other => panic!("{other:?}"),
        })
        .product();
    assert_eq!(product, 62_615_533);
}

#[test]
fn arrays_read_what_was_written() {
    let (terms, mut solver) = solver();
    let array_sort = terms.array_sort(Sort::Bv(32), Sort::Bv(8));
    let [a, b] = ["a", "b"].map(|name| terms.variable(name, array_sort));
    let [i, j] = ["i", "j"].map(|name| terms.variable(name, Sort::Bv(32)));
    let [v, w] = ["v", "w"].map(|name| terms.variable(name, Sort::Bv(8)));
    let swapped = terms.eq(terms.store(terms.store(a, i, v), j, w), terms.store(terms.store(a, j, w), i, v));
    assert!(!is_valid(&terms, &mut solver, swapped));
    assert!(is_valid(&terms, &mut solver, terms.implies(terms.not(terms.eq(i, j)), swapped)));
    let same_rest = terms.eq(terms.store(a, i, v), terms.store(b, i, v));
    let read_same = terms.eq(terms.select(a, j), terms.select(b, j));
    assert!(is_valid(&terms, &mut solver, terms.implies(terms.and2(same_rest, terms.not(terms.eq(i, j))), read_same)));
    assert!(!is_valid(&terms, &mut solver, terms.implies(same_rest, read_same)));
    let constant = |value| terms.const_array(array_sort, terms.bv(8, value));
    assert!(is_valid(&terms, &mut solver, terms.not(terms.eq(terms.store(constant(1), i, v), constant(2)))));
    assert!(is_valid(
        &terms,
        &mut solver,
        terms.implies(terms.eq(a, constant(3)), terms.eq(terms.select(a, i), terms.bv(8, 3)))
    ));
}

#[test]
fn functions_are_functions() {
    let (terms, mut solver) = solver();
    let sort = terms.declare_sort("S");
    let f = terms.declare("f", &[sort], sort).unwrap();
    let x = terms.variable("x", sort);
    let apply = |times: usize| (0..times).fold(x, |term, _| terms.apply(f, &[term]));
    let premise = terms.and2(terms.eq(apply(3), x), terms.eq(apply(5), x));
    assert!(is_valid(&terms, &mut solver, terms.implies(premise, terms.eq(apply(1), x))));
    assert!(!is_valid(&terms, &mut solver, terms.implies(terms.eq(apply(4), x), terms.eq(apply(2), x))));
}

/// Associativity of multiplication at 32 bits: hours of work.
fn hard_query(terms: &Terms) -> Term {
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Bv(32)));
    let left = terms.bv_mul(terms.bv_mul(x, y), z);
    let right = terms.bv_mul(x, terms.bv_mul(y, z));
    terms.not(terms.eq(left, right))
}

#[test]
fn a_deadline_stops_a_hard_query() {
    let (terms, mut solver) = solver();
    let hard = hard_query(&terms);
    for _ in 0..3 {
        let start = Instant::now();
        let answer = solver.check(&[hard], &Budget::with_time(Duration::from_millis(300)));
        assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Time)));
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    }
    let x = terms.variable("x", Sort::Bv(32));
    assert_eq!(solver.check(&[terms.bv_ult(x, terms.bv(32, 5))], &Budget::unlimited()), Answer::Sat);
}

#[test]
fn a_cancel_stops_a_hard_query() {
    let (terms, mut solver) = solver();
    solver.push();
    solver.assert(hard_query(&terms));
    let budget = Budget::unlimited();
    let cancel = budget.cancel.clone();
    let raised = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        cancel.raise();
        Instant::now()
    });
    let answer = solver.check(&[], &budget);
    let end = Instant::now();
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Cancelled)));
    assert!(end.duration_since(raised.join().unwrap()) < Duration::from_millis(200));
    solver.pop(1);
    let x = terms.variable("x", Sort::Bv(32));
    assert_eq!(solver.check(&[terms.eq(x, terms.bv(32, 5))], &Budget::unlimited()), Answer::Sat);
}

#[test]
fn a_memory_limit_stops_a_hard_query() {
    let (terms, mut solver) = solver();
    let budget = Budget { memory: Some(1), ..Budget::with_time(Duration::from_secs(20)) };
    let answer = solver.check(&[hard_query(&terms)], &budget);
    assert_eq!(answer, Answer::Unknown(UnknownReason::Stopped(StopReason::Memory)));
}

#[test]
fn a_core_names_what_is_contradictory() {
    let (terms, mut solver) = solver();
    let x = terms.variable("x", Sort::Bv(16));
    let y = terms.variable("y", Sort::Bv(16));
    let assumptions = [
        terms.bv_ult(y, terms.bv(16, 9)),
        terms.bv_ult(x, terms.bv(16, 9)),
        terms.bv_ugt(y, terms.bv(16, 2)),
        terms.bv_ugt(x, terms.bv(16, 100)),
    ];
    assert_eq!(solver.check(&assumptions, &Budget::unlimited()), Answer::Unsat);
    assert_eq!(solver.core(), vec![assumptions[1], assumptions[3]]);
    assert_eq!(solver.check(&assumptions[..3], &Budget::unlimited()), Answer::Sat);
}
