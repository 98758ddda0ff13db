//! Times of each back end on typical queries: what the choice in `AutoSolver` rests on.

use std::time::{Duration, Instant};

use tandem_base::Budget;
use tandem_smt::{AutoSolver, BlastSolver, FloatSort, RoundingMode, Solver, Sort, Term, Terms, Z3Mode, Z3Solver};

const LIMIT: Duration = Duration::from_secs(10);

/// A family of queries: each is asserted on its own level, checked and popped.
type Family = fn(&Terms) -> Vec<Vec<Term>>;

fn main() {
    let families: [(&str, Family); 4] = [
        ("float arithmetic", floats),
        ("multiplication of unknowns", products),
        ("arrays", arrays),
        ("path conditions", paths),
    ];
    println!("{:28}{:>16}{:>16}{:>16}{:>16}", "", "z3", "z3-fresh", "blast", "auto");
    for (name, family) in families {
        let terms = Terms::new();
        let queries = family(&terms);
        let mut row = format!("{name:28}");
        let solvers: [Box<dyn Solver>; 4] = [
            Box::new(Z3Solver::new(&terms, Z3Mode::Incremental)),
            Box::new(Z3Solver::new(&terms, Z3Mode::Fresh)),
            Box::new(BlastSolver::new(&terms)),
            Box::new(AutoSolver::new(&terms)),
        ];
        for mut solver in solvers {
            let (time, open) = run(&queries, &mut *solver);
            let open = if open == 0 { String::new() } else { format!(" ({open}?)") };
            row += &format!("{:>16}", format!("{time:.3?}{open}"));
        }
        println!("{row}");
    }
}

/// Time for all queries, and how many were not answered within the limit.
fn run(queries: &[Vec<Term>], solver: &mut dyn Solver) -> (Duration, usize) {
    let start = Instant::now();
    let mut open = 0;
    for query in queries {
        solver.push();
        query.iter().for_each(|&term| solver.assert(term));
        let answer = solver.check(&[], &Budget::with_time(LIMIT));
        open += usize::from(matches!(answer, tandem_smt::Answer::Unknown(_)));
        solver.pop(1);
    }
    (start.elapsed(), open)
}

fn floats(terms: &Terms) -> Vec<Vec<Term>> {
    let sort = FloatSort::SINGLE;
    let mode = terms.rounding(RoundingMode::NearestEven);
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Float(sort)));
    let number = |value: f32| terms.float_from_bits(sort, terms.bv(32, value.to_bits().into()));
    let within = |term| terms.and2(terms.float_le(number(1.0), term), terms.float_le(term, number(1000.0)));
    let sum = |a, b| terms.float_add(mode, a, b);
    let product = |a, b| terms.float_mul(mode, a, b);
    let differ = |a, b| terms.not(terms.float_eq(a, b));
    vec![
        vec![within(x), within(y), within(z), differ(sum(sum(x, y), z), sum(x, sum(y, z)))],
        vec![within(x), within(y), terms.float_lt(sum(x, y), x)],
        vec![within(x), within(y), terms.float_eq(product(x, y), number(1234.5)), terms.float_lt(number(30.0), x)],
        vec![within(x), terms.float_lt(product(x, x), x)],
        vec![within(x), within(y), differ(product(terms.float_div(mode, x, y), y), x)],
    ]
}

fn products(terms: &Terms) -> Vec<Vec<Term>> {
    let mut queries = Vec::new();
    for width in [16, 20, 24] {
        let [x, y] = ["x", "y"].map(|name| terms.variable(&format!("{name}{width}"), Sort::Bv(2 * width)));
        let bound = terms.bv(2 * width, 1 << width);
        let target = terms.bv(2 * width, ((1 << (width - 1)) - 19) * ((1 << (width - 2)) + 7));
        let one = terms.bv(2 * width, 1);
        let range = [terms.bv_ult(x, bound), terms.bv_ult(y, bound), terms.bv_ult(one, x), terms.bv_ult(one, y)];
        queries.push([&range[..], &[terms.eq(terms.bv_mul(x, y), target)]].concat());
        let back = terms.bv_add(terms.bv_mul(terms.bv_udiv(x, y), y), terms.bv_urem(x, y));
        queries.push(vec![terms.eq(back, target), terms.bv_ult(one, y), terms.bv_ult(y, terms.bv(2 * width, 1000))]);
    }
    queries
}

/// Swaps of elements at unknown places, as a sorting routine makes them.
fn arrays(terms: &Terms) -> Vec<Vec<Term>> {
    let sort = terms.array_sort(Sort::Bv(32), Sort::Bv(8));
    let start = terms.variable("memory", sort);
    let mut memory = start;
    let mut queries = Vec::new();
    let places: Vec<Term> = (0..12).map(|i| terms.variable(&format!("place{i}"), Sort::Bv(32))).collect();
    for (step, pair) in places.windows(2).enumerate() {
        let (a, b) = (terms.select(memory, pair[0]), terms.select(memory, pair[1]));
        memory = terms.store(terms.store(memory, pair[0], b), pair[1], a);
        let probe = places[step / 2];
        let changed = terms.not(terms.eq(terms.select(memory, probe), terms.select(start, probe)));
        queries.push(vec![changed, terms.eq(terms.select(memory, pair[1]), terms.bv(8, 7))]);
        let lost = terms.not(terms.eq(terms.select(memory, pair[1]), a));
        queries.push(vec![lost]);
    }
    queries
}

/// Growing paths of comparisons of bytes and of sums of a few, each prefix asked with one more condition.
fn paths(terms: &Terms) -> Vec<Vec<Term>> {
    let byte = |i| terms.zero_extend(terms.variable(&format!("input{i}"), Sort::Bv(8)), 24);
    let inputs: Vec<Term> = (0..40).map(byte).collect();
    let mut path = Vec::new();
    let mut queries = Vec::new();
    for (step, window) in (0u128..).zip(inputs.windows(3)) {
        let scaled = terms.bv_mul(window[0], terms.bv(32, 10));
        let sum = terms.bv_add(terms.bv_add(scaled, window[1]), terms.bv(32, step));
        let conditions = [
            terms.bv_slt(terms.bv(32, 47), window[2]),
            terms.bv_ult(window[2], terms.bv(32, 58 + step)),
            terms.not(terms.eq(terms.bv_xor(window[0], window[2]), terms.bv(32, step))),
            terms.bv_slt(sum, terms.bv(32, 700 + 10 * step)),
        ];
        for condition in conditions {
            let other_side = [path.as_slice(), &[terms.not(condition)]].concat();
            queries.push(other_side);
            path.push(condition);
            queries.push(path.clone());
        }
    }
    queries
}
