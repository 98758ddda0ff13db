//! Simplified and unsimplified terms evaluate alike, and simplification never grows a term.

mod random;

use proptest::prelude::*;
use random::{ALL, Builder, Shape};
use tandem_smt::Evaluator;

fn alike(seed: u64, shape: Shape, steps: usize) -> Result<(), TestCaseError> {
    let mut builder = Builder::new(seed, shape);
    for _ in 0..steps {
        let (op, sort, args, built) = builder.step();
        let terms = &builder.terms;
        let asked = terms.tree_size(terms.intern(op, sort, &args));
        let size = terms.tree_size(built);
        let node = terms.node(built);
        let again = terms.rebuild(node.op, node.sort, &node.args);
        prop_assert_eq!(again, built, "{} became {}", terms.display(built), terms.display(again));
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

/// More with `TANDEM_CASES`, for a long look.
fn cases() -> u32 {
    std::env::var("TANDEM_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

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
