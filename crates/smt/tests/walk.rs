//! Walks over terms: evaluation, substitution, transfer, sizes, on terms too deep for recursion.

mod random;

use proptest::prelude::*;
use random::{ALL, Builder};
use tandem_smt::{BitVector, Evaluator, Model, Op, Sort, Term, TermMap, Terms, Value};

const DEEP: usize = 1_000_000;

fn deep(terms: &Terms) -> (Term, Term) {
    let x = terms.variable("x", Sort::Bv(32));
    let y = terms.variable("y", Sort::Bv(32));
    let mut term = x;
    for _ in 0..DEEP / 2 {
        term = terms.bv_xor(terms.bv_udiv(term, y), x);
    }
    (term, x)
}

#[test]
fn deep_terms() {
    let terms = Terms::new();
    let (term, x) = deep(&terms);
    assert_eq!(terms.eval(term, &Model::default()), Value::Bits(BitVector::ones(32)));
    assert_eq!(terms.dag_size(&[term]), DEEP + 2);
    assert_eq!(terms.free_variables(&[term]).len(), 2);
    let map: TermMap = [(x, terms.bv(32, 5))].into_iter().collect();
    let replaced = terms.substitute(term, &map);
    assert_eq!(terms.free_variables(&[replaced]).len(), 1);
    let other = Terms::new();
    assert_eq!(other.dag_size(&[other.import(&terms, term)]), DEEP + 2);
    assert!(terms.display(term).to_string().len() > DEEP);
}

#[test]
fn tree_sizes_saturate() {
    let terms = Terms::new();
    let mut term = terms.variable("x", Sort::Bv(8));
    for _ in 0..100 {
        term = terms.bv_urem(terms.bv_udiv(term, term), term);
    }
    assert_eq!(terms.tree_size(term), u64::MAX);
    assert_eq!(terms.dag_size(&[term]), 201);
}

#[test]
fn arrays_are_equal_as_functions() {
    let terms = Terms::new();
    let sort = terms.array_sort(Sort::Bv(1), Sort::Bv(8));
    let number = |value| terms.bv(8, value);
    let bit = |value| terms.bv(1, value);
    let one = terms.intern(Op::Store, sort, &[terms.const_array(sort, number(3)), bit(0), number(7)]);
    let other = terms.intern(Op::Store, sort, &[terms.const_array(sort, number(7)), bit(1), number(3)]);
    let same = terms.intern(Op::Eq, Sort::Bool, &[one, other]);
    assert!(terms.holds(same, &Model::default()));
}

#[test]
fn long_chains_of_stores() {
    let terms = Terms::new();
    let sort = terms.array_sort(Sort::Bv(32), Sort::Bv(32));
    let x = terms.variable("x", Sort::Bv(32));
    let mut array = terms.variable("a", sort);
    for number in 0..20_000u128 {
        let index = terms.bv_mul(x, terms.bv(32, 2 * number + 1));
        array = terms.store(array, index, terms.bv(32, number));
    }
    let mut model = Model::default();
    let symbol = terms.find_symbol("x").expect("x is declared");
    model.constants.insert(symbol, Value::Bits(BitVector::one(32)));
    let mut evaluator = Evaluator::new(&terms, &model);
    let at = |number| terms.select(array, terms.bv(32, number));
    assert_eq!(evaluator.value(at(7)), Value::Bits(BitVector::new(32, 3)));
    assert_eq!(evaluator.value(at(8)), Value::Bits(BitVector::zero(32)));
    let Value::Array(value) = evaluator.value(array) else { panic!("not an array") };
    assert_eq!(value.entries.len(), 19_999);
}

#[test]
fn taken_names() {
    let terms = Terms::new();
    let first = terms.variable("x", Sort::Bool);
    let second = terms.variable("x", Sort::Bv(3));
    assert_ne!(first, second);
    assert_eq!(second, terms.variable("x", Sort::Bv(3)));
    assert_eq!(terms.sort(second), Sort::Bv(3));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Putting a value in for a variable is evaluating with that value.
    #[test]
    fn substitution(seed: u64) {
        let mut builder = Builder::new(seed, ALL);
        for _ in 0..30 {
            builder.step();
        }
        let terms = builder.terms.clone();
        let model = builder.model();
        let mut map = TermMap::default();
        for (&symbol, value) in &model.constants {
            if let Some(term) = terms.value_term(value, terms.symbol(symbol).result) {
                map.insert(terms.constant(symbol), term);
            }
        }
        for &(simple, plain) in &builder.pairs {
            let replaced = terms.substitute_all(&[simple, plain], &map);
            let rest = Model { constants: Default::default(), ..model.clone() };
            let expected = terms.eval(plain, &model);
            for term in replaced {
                if terms.symbols(&[term]).iter().all(|symbol| !model.constants.contains_key(symbol)) {
                    prop_assert_eq!(terms.eval(term, &rest), expected.clone(), "{}", terms.display(plain));
                }
            }
        }
    }
}
