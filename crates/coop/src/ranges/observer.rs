//! A range as an observer.

use tandem_analyses::paths::decisions_of;
use tandem_artifact::range::{Chain, Range, Standing};
use tandem_cfa::Program;
use tandem_cpa::{Mode, Observer, Step, StepKind};

/// Lets those paths pass that may still come to be in the range. Knows nothing about what paths compute.
#[derive(Clone, Debug)]
pub struct RangeObserver {
    chain: Chain,
}

impl RangeObserver {
    pub fn new(range: &Range) -> RangeObserver {
        RangeObserver { chain: Chain::new(range) }
    }

    /// Whether a path that ends in the mode is in the range.
    pub fn is_inside(&self, mode: Mode) -> bool {
        self.chain.numbered(mode).is_some_and(|standing| self.chain.is_inside(standing))
    }
}

impl Observer for RangeObserver {
    fn after(&self, program: &Program, step: &Step) -> Option<Mode> {
        let standing = self.chain.numbered(step.from.mode)?;
        if standing == Standing::Inside || matches!(step.kind, StepKind::Leave(_)) {
            return Some(step.from.mode);
        }
        // A decision that nobody knows may be any: whatever comes after it may be inside.
        let Some(decisions) = decisions_of(program, step) else { return Some(self.chain.number(Standing::Inside)) };
        let after = decisions.iter().try_fold(standing, |standing, rank| self.chain.after(standing, *rank))?;
        Some(self.chain.number(after))
    }
}
