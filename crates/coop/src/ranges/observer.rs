//! Ranges, and what was given away of them, as observers.

use tandem_analyses::paths::decisions_of;
use tandem_artifact::range::{Beginnings, Chain, Range, Standing};
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

    /// Whether every path that comes into the mode is in the range, however it goes on.
    pub fn is_settled(&self, mode: Mode) -> bool {
        self.chain.numbered(mode) == Some(Standing::Inside)
    }
}

/// Lets those paths pass that begin in one of several ways.
#[derive(Clone, Debug)]
pub struct BeginningsObserver {
    tree: Beginnings,
}

impl BeginningsObserver {
    pub fn new(tree: Beginnings) -> BeginningsObserver {
        BeginningsObserver { tree }
    }

    /// Whether every path that comes into the mode is one of them.
    pub fn is_settled(&self, mode: Mode) -> bool {
        mode == ANYWHERE || self.tree.is_end(mode)
    }
}

/// Behind a decision of which nobody knows the outcome.
const ANYWHERE: Mode = Mode::MAX;

impl Observer for BeginningsObserver {
    fn after(&self, program: &Program, step: &Step) -> Option<Mode> {
        let mode = step.from.mode;
        if self.is_settled(mode) || matches!(step.kind, StepKind::Leave(_)) {
            return Some(mode);
        }
        let Some(decisions) = decisions_of(program, step) else { return Some(ANYWHERE) };
        decisions.iter().try_fold(mode, |node, rank| self.tree.after(node, *rank))
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
