//! Simplified and unsimplified terms evaluate alike, and simplification never grows a term.

mod random;

use proptest::prelude::*;
use random::{ALL, Builder, Shape};
use tandem_smt::{Evaluator, Op};

fn alike(seed: u64, shape: Shape, steps: usize) -> Result<(), TestCaseError> {
    let mut builder = Builder::new(seed, shape);
    for _ in 0..steps {
        let (op, sort, args, built) = builder.step();
        let terms = &builder.terms;
        let asked = terms.tree_size(terms.intern(op, sort, &args));
        let size = terms.tree_size(built);
        prop_assert!(size <= asked, "{op:?} grew from {asked} to {size}: {}", terms.display(built));
    }
    for _ in 0..6 {
        let model = builder.model();
        let terms = builder.terms.clone();
        let mut evaluator = Evaluator::new(&terms, &model);
        for &(simple, plain) in &builder.pairs {
            prop_assert_eq!(terms.sort(simple), terms.sort(plain));
            let (actual, expected) = (evaluator.value(simple), evaluator.value(plain));
            prop_assert_eq!(actual, expected, "{} became {}", terms.display(plain), terms.display(simple));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn all_sorts(seed: u64) {
        alike(seed, ALL, 40)?;
    }

    /// Few widths and no other sorts: the bit-vector rules meet each other.
    #[test]
    fn narrow(seed: u64) {
        alike(seed, Shape { floats: false, arrays: false, functions: false, widths: &[1, 2, 3, 4] }, 40)?;
    }
}
