//! The bit-blasting solver on random queries: against evaluation, against all assignments, and against itself from scratch.

mod random;

use std::collections::BTreeMap;

use proptest::prelude::*;
use random::{Builder, Random, Shape};
use tandem_base::Budget;
use tandem_smt::{Answer, BitVector, BlastSolver, Model, Op, Solver, Sort, Term, Terms, Value};

fn built(seed: u64, shape: Shape, steps: usize) -> Builder {
    let mut builder = Builder::new(seed, shape);
    for _ in 0..steps {
        builder.step();
    }
    builder
}

/// The boolean terms, made node by node, so that constructors do not hide operators.
fn booleans(builder: &Builder) -> Vec<Term> {
    let plain = builder.pairs.iter().map(|&(_, plain)| plain);
    plain.filter(|&term| builder.terms.sort(term) == Sort::Bool).collect()
}

fn solve(terms: &Terms, query: &[Term]) -> Answer {
    let mut solver = BlastSolver::new(terms);
    query.iter().for_each(|&term| solver.assert(term));
    let answer = solver.check(&[], &Budget::unlimited());
    if answer == Answer::Sat {
        let model = solver.model();
        for &term in query {
            assert!(terms.holds(term, &model), "the model does not satisfy {term:?}");
        }
    }
    answer
}

/// Equations that leave only this model; `None` if functions or arrays keep it from being written down.
fn pins(terms: &Terms, model: &Model) -> Option<Vec<Term>> {
    let mut pins = Vec::new();
    for (&symbol, value) in &model.constants {
        let sort = terms.symbol(symbol).result;
        pins.push(terms.eq(terms.constant(symbol), terms.value_term(value, sort)?));
    }
    Some(pins)
}

/// Every boolean term has under the pinned model the value that evaluation gives, and no other.
fn agrees_with_evaluation(seed: u64, shape: Shape, steps: usize) {
    let mut builder = built(seed, shape, steps);
    let model = builder.model();
    let terms = &builder.terms;
    let Some(mut query) = pins(terms, &model) else { return };
    let roots = booleans(&builder);
    let expected: Vec<Term> =
        roots.iter().map(|&term| if terms.holds(term, &model) { term } else { terms.not(term) }).collect();
    let mut against = query.clone();
    against.push(terms.not(terms.and(&expected)));
    query.extend(expected);
    assert_eq!(solve(terms, &query), Answer::Sat, "seed {seed}");
    if model.functions.is_empty() {
        assert_eq!(solve(terms, &against), Answer::Unsat, "seed {seed}");
    }
}

/// All values of a small sort.
fn values(terms: &Terms, sort: Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::Bv(width) => (0..1 << width).map(|bits| Value::Bits(BitVector::new(width, bits))).collect(),
        Sort::Array(id) => {
            let (index, element) = terms.array_sorts(id);
            let elements = values(terms, element);
            let mut tables: Vec<BTreeMap<Value, Value>> = vec![BTreeMap::new()];
            for at in values(terms, index) {
                let mut longer = Vec::new();
                for table in &tables {
                    for element in &elements {
                        let mut table = table.clone();
                        table.insert(at.clone(), element.clone());
                        longer.push(table);
                    }
                }
                tables = longer;
            }
            let default = terms.default_value(element);
            tables.into_iter().map(|table| terms.array_value(index, default.clone(), table)).collect()
        }
        other => panic!("too many values of {other:?}"),
    }
}

fn any_assignment_holds(terms: &Terms, symbols: &[u32], query: &[Term]) -> bool {
    let domains: Vec<Vec<Value>> = symbols.iter().map(|&symbol| values(terms, terms.symbol(symbol).result)).collect();
    let total: usize = domains.iter().map(Vec::len).product();
    let query = terms.and(query);
    (0..total).any(|number| {
        let mut rest = number;
        let mut model = Model::default();
        for (&symbol, domain) in symbols.iter().zip(&domains) {
            model.constants.insert(symbol, domain[rest % domain.len()].clone());
            rest /= domain.len();
        }
        terms.holds(query, &model)
    })
}

fn agrees_with_enumeration(seed: u64, shape: Shape) {
    let builder = built(seed, shape, 40);
    let terms = &builder.terms;
    let mut random = Random::new(seed);
    let roots = booleans(&builder);
    for _ in 0..4 {
        let query: Vec<Term> = (0..1 + random.below(4))
            .map(|_| {
                let term = random.pick(&roots);
                if random.below(2) == 0 { term } else { terms.not(term) }
            })
            .collect();
        let symbols: Vec<u32> = terms.symbols(&query);
        let expected = if any_assignment_holds(terms, &symbols, &query) { Answer::Sat } else { Answer::Unsat };
        assert_eq!(solve(terms, &query), expected, "seed {seed}");
    }
}

/// Random pushes, pops, assertions and checks give what a fresh solver gives, and cores are contradictory.
fn agrees_with_fresh_solvers(seed: u64, shape: Shape) {
    let builder = built(seed, shape, 60);
    let terms = &builder.terms;
    let mut random = Random::new(seed ^ 1);
    let roots = booleans(&builder);
    let mut solver = BlastSolver::new(terms);
    let mut levels: Vec<Vec<Term>> = vec![Vec::new()];
    for _ in 0..30 {
        let root = random.pick(&roots);
        let root = if random.below(2) == 0 { root } else { terms.not(root) };
        match random.below(6) {
            0 => {
                solver.push();
                levels.push(Vec::new());
            }
            1 => {
                let count = random.below(levels.len());
                solver.pop(count);
                levels.truncate(levels.len() - count);
            }
            // Not on the lowest level: it would soon be contradictory for good.
            2 if levels.len() > 1 => {
                solver.assert(root);
                levels.last_mut().unwrap().push(root);
            }
            _ => {
                let assumptions: Vec<Term> = (0..random.below(5)).map(|_| random.pick(&roots)).collect();
                let assertions = levels.concat();
                let expected = solve(terms, &[assertions.clone(), assumptions.clone()].concat());
                assert_eq!(solver.check(&assumptions, &Budget::unlimited()), expected, "seed {seed}");
                match expected {
                    Answer::Sat => {
                        let model = solver.model();
                        for &term in assertions.iter().chain(&assumptions) {
                            assert!(terms.holds(term, &model), "seed {seed}: {term:?}");
                        }
                    }
                    Answer::Unsat => {
                        let core = solver.core();
                        assert!(core.iter().all(|term| assumptions.contains(term)));
                        assert_eq!(solve(terms, &[assertions, core].concat()), Answer::Unsat, "seed {seed}");
                    }
                    Answer::Unknown(reason) => panic!("{reason}"),
                }
            }
        }
    }
}

const BITS: Shape = Shape { floats: false, arrays: false, functions: false, widths: &[1, 2, 3, 5, 8, 16] };
const TINY: Shape = Shape { floats: false, arrays: false, functions: false, widths: &[1, 2, 3] };
const TINY_ARRAYS: Shape = Shape { floats: false, arrays: true, functions: false, widths: &[1] };
const ARRAYS: Shape = Shape { floats: false, arrays: true, functions: true, widths: &[1, 2, 4] };
const FLOATS: Shape = Shape { floats: true, arrays: false, functions: false, widths: &[3, 8] };
const ALL: Shape = Shape { floats: true, arrays: true, functions: true, widths: &[2, 5] };

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bit_vectors_agree_with_evaluation(seed: u64) {
        agrees_with_evaluation(seed, BITS, 60);
    }

    #[test]
    fn arrays_agree_with_evaluation(seed: u64) {
        agrees_with_evaluation(seed, ARRAYS, 60);
    }

    #[test]
    fn bit_vectors_agree_with_enumeration(seed: u64) {
        agrees_with_enumeration(seed, TINY);
    }

    #[test]
    fn arrays_agree_with_enumeration(seed: u64) {
        agrees_with_enumeration(seed, TINY_ARRAYS);
    }

    #[test]
    fn bit_vectors_agree_with_fresh_solvers(seed: u64) {
        agrees_with_fresh_solvers(seed, BITS);
    }

    #[test]
    fn arrays_and_functions_agree_with_fresh_solvers(seed: u64) {
        agrees_with_fresh_solvers(seed, ARRAYS);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn floats_agree_with_evaluation(seed: u64) {
        agrees_with_evaluation(seed, FLOATS, 40);
    }

    #[test]
    fn everything_agrees_with_evaluation(seed: u64) {
        agrees_with_evaluation(seed, ALL, 50);
    }
}

#[test]
fn a_deep_term_does_not_need_a_deep_stack() {
    let terms = Terms::new();
    let x = terms.variable("x", Sort::Bv(8));
    let mut term = x;
    for step in 0..50_000u32 {
        let sort = Sort::Bv(8);
        let op = if step % 2 == 0 { Op::BvAdd } else { Op::BvXor };
        term = terms.intern(op, sort, &[term, x]);
    }
    let query = terms.intern(Op::Eq, Sort::Bool, &[term, x]);
    assert_ne!(solve(&terms, &[query]), Answer::Unsat);
}
