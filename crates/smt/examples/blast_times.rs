//! Times of the bit-blasting solver on typical queries: `cargo run --release --example blast_times`.

use std::time::{Duration, Instant};

use tandem_base::Budget;
use tandem_smt::{BitVector, BlastSolver, FloatSort, RoundingMode, Solver, Sort, Term, Terms};

fn run(name: &str, terms: &Terms, query: &[Term]) {
    let start = Instant::now();
    let mut solver = BlastSolver::new(terms);
    query.iter().for_each(|&term| solver.assert(term));
    let answer = solver.check(&[], &Budget::with_time(Duration::from_secs(60)));
    println!("{name:40} {:9.3} s  {answer:?}  {:?}", start.elapsed().as_secs_f64(), solver.statistics());
}

fn float_queries(label: &str, sort: FloatSort) {
    let terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Float(sort)));
    let mode = terms.rounding(RoundingMode::NearestEven);
    let constant =
        |value: u128| tandem_smt::softfloat::from_unsigned(sort, RoundingMode::NearestEven, &BitVector::new(32, value));
    let number = |value: u128| terms.float_value(sort, &constant(value));
    let within = |term: Term| terms.and2(terms.float_le(number(1), term), terms.float_le(term, number(1000)));
    let left = terms.float_add(mode, terms.float_add(mode, x, y), z);
    let right = terms.float_add(mode, x, terms.float_add(mode, y, z));
    let ranges = [within(x), within(y), within(z)];
    let differ = terms.not(terms.float_eq(left, right));
    run(&format!("{label}: add not associative"), &terms, &[&ranges[..], &[differ]].concat());
    let commutes = terms.eq(terms.float_add(mode, x, y), terms.float_add(mode, y, x));
    run(&format!("{label}: add commutative"), &terms, &[terms.not(commutes)]);
    let monotone = terms.and(&[
        terms.float_le(x, y),
        within(x),
        within(y),
        within(z),
        terms.float_lt(terms.float_add(mode, y, z), terms.float_add(mode, x, z)),
    ]);
    run(&format!("{label}: add monotone"), &terms, &[monotone]);
    let square = terms.float_mul(mode, x, x);
    run(&format!("{label}: x*x == 2 (rounded)"), &terms, &[terms.float_eq(square, number(2))]);
    run(&format!("{label}: x*x < 0"), &terms, &[terms.float_lt(square, number(0))]);
    let product = terms.float_mul(mode, x, y);
    run(
        &format!("{label}: x*y == 12345678, x,y > 1000"),
        &terms,
        &[terms.float_eq(product, number(12345678)), terms.float_lt(number(1000), x), terms.float_lt(number(1000), y)],
    );
    let divided = terms.float_div(mode, x, y);
    run(
        &format!("{label}: (x/y)*y != x"),
        &terms,
        &[within(x), within(y), terms.not(terms.float_eq(terms.float_mul(mode, divided, y), x))],
    );
    run(
        &format!("{label}: x/x != 1"),
        &terms,
        &[within(x), terms.not(terms.float_eq(terms.float_div(mode, x, x), number(1)))],
    );
    let root = terms.float_sqrt(mode, x);
    run(
        &format!("{label}: sqrt(x)^2 != x"),
        &terms,
        &[within(x), terms.not(terms.float_eq(terms.float_mul(mode, root, root), x))],
    );
    run(&format!("{label}: sqrt(x) > x, x >= 1"), &terms, &[within(x), terms.float_lt(x, root)]);
    let back =
        terms.float_from_signed(sort, mode, terms.float_to_signed(32, terms.rounding(RoundingMode::TowardZero), x));
    run(&format!("{label}: (float)(int)x > x >= 1"), &terms, &[within(x), terms.float_lt(x, back)]);
    run(
        &format!("{label}: rem(x, y) > y/2"),
        &terms,
        &[within(x), within(y), terms.float_lt(terms.float_div(mode, y, number(2)), terms.float_rem(x, y))],
    );
}

fn bit_queries() {
    let terms = Terms::new();
    for width in [8, 10, 12, 16, 32] {
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(&format!("{name}{width}"), Sort::Bv(width)));
        let commuted = terms.intern(tandem_smt::Op::BvMul, Sort::Bv(width), &[y, x]);
        let product = terms.intern(tandem_smt::Op::BvMul, Sort::Bv(width), &[x, y]);
        if width <= 10 {
            run(
                &format!("bv{width}: mul commutative"),
                &terms,
                &[terms.intern(
                    tandem_smt::Op::Not,
                    Sort::Bool,
                    &[terms.intern(tandem_smt::Op::Eq, Sort::Bool, &[product, commuted])],
                )],
            );
        }
        let recovered = terms.bv_add(terms.bv_mul(terms.bv_udiv(x, y), y), terms.bv_urem(x, y));
        if width <= 12 {
            run(&format!("bv{width}: x/y*y + x%y == x"), &terms, &[terms.not(terms.eq(recovered, x))]);
        }
        run(
            &format!("bv{width}: x*y == z, x/z == 3"),
            &terms,
            &[
                terms.eq(terms.bv_mul(x, y), z),
                terms.eq(terms.bv_udiv(x, z), terms.bv(width, 3)),
                terms.bv_ugt(z, terms.bv(width, 7)),
            ],
        );
    }
    let [x, y] = ["x", "y"].map(|name| terms.variable(name, Sort::Bv(64)));
    let limit = terms.bv(64, 1 << 24);
    run(
        "bv64: factor 24 x 24 bits",
        &terms,
        &[
            terms.eq(terms.bv_mul(x, y), terms.bv(64, 11863279 * 13466917)),
            terms.bv_ult(x, limit),
            terms.bv_ult(y, limit),
            terms.bv_ule(x, y),
        ],
    );
}

fn incremental(count: u32) {
    let terms = Terms::new();
    let mut solver = BlastSolver::new(&terms);
    let budget = Budget::unlimited();
    let x = terms.variable("x", Sort::Bv(32));
    let y = terms.variable("y", Sort::Bv(32));
    let (start, mut sat, mut slowest) = (Instant::now(), 0, Duration::ZERO);
    for step in 0..count {
        let begin = Instant::now();
        solver.push();
        let moved = terms.bv_add(terms.bv_add(x, y), terms.bv(32, u128::from(step)));
        solver.assert(terms.bv_ult(moved, terms.bv(32, u128::from(step * 7 + 100))));
        let assumption = terms.bv_slt(terms.bv(32, u128::from(step)), terms.bv_xor(x, moved));
        sat += u32::from(solver.check(&[assumption], &budget) == tandem_smt::Answer::Sat);
        sat += u32::from(solver.check(&[terms.not(assumption)], &budget) == tandem_smt::Answer::Sat);
        if step % 10 != 0 {
            solver.pop(1);
        } else if step % 100 == 0 {
            solver.pop(5.min(step as usize / 10));
        }
        slowest = slowest.max(begin.elapsed());
    }
    let micros = start.elapsed().as_micros() / u128::from(2 * count);
    println!(
        "{count} steps of two checks: {micros} us each, {sat} sat, slowest step {slowest:?}; {:?}",
        solver.statistics()
    );
}

fn fresh(count: u32) {
    let terms = Terms::new();
    let x = terms.variable("x", Sort::Bv(32));
    let start = Instant::now();
    for step in 0..count {
        let mut solver = BlastSolver::new(&terms);
        solver.assert(terms.bv_ult(x, terms.bv(32, u128::from(step))));
        solver.check(&[], &Budget::unlimited());
    }
    println!("fresh solver and one check: {} us", start.elapsed().as_micros() / u128::from(count));
}

fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    if only.is_empty() || only == "inc" {
        incremental(200);
        incremental(2000);
        fresh(1000);
    }
    if only.is_empty() || only == "bits" {
        bit_queries();
    }
    if only.is_empty() || only == "float" {
        float_queries("single", FloatSort::SINGLE);
        float_queries("double", FloatSort::DOUBLE);
    }
}
