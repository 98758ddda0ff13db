//! The journal of a run: who got what, produced what, and how long it took. Data, written down by others.

use std::time::Duration;

use tandem_artifact::gia::{Gia, Mark};

/// One piece of work.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub actor: String,
    /// Since the start of the plan.
    pub began: Duration,
    pub took: Duration,
    /// The automaton it was given.
    pub got: Size,
    /// The automaton it gave; nothing if it gave none.
    pub gave: Option<Size>,
    pub violation: bool,
    pub tests: usize,
    pub invariants: usize,
    pub predicates: usize,
    /// What it said besides.
    pub note: String,
    pub caveats: Vec<String>,
    /// Whether it kept to what it was declared as; if not, what it gave was refused, for this reason.
    pub refused: Option<String>,
    /// Whether there was something new in it.
    pub new: bool,
}

/// How large an automaton is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    pub states: usize,
    pub transitions: usize,
    pub unreachable: usize,
    pub reached: usize,
    pub candidates: usize,
}

impl Size {
    pub fn of(gia: &Gia) -> Size {
        let count = |mark| gia.states().iter().filter(|state| state.mark == Some(mark)).count();
        Size {
            states: gia.states().len(),
            transitions: gia.transitions().len(),
            unreachable: count(Mark::Unreachable),
            reached: count(Mark::Reached),
            candidates: count(Mark::Candidate),
        }
    }
}
