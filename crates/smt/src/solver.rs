//! What every solver and every layer around one can do.

use std::fmt;

use tandem_base::{Budget, StopReason};

use crate::pool::{Term, Terms};
use crate::value::Model;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown(UnknownReason),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// The budget ended.
    Stopped(StopReason),
    /// The solver cannot do this, by its own words.
    Incomplete(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Stopped(reason) => write!(f, "{reason}"),
            UnknownReason::Incomplete(text) => f.write_str(text),
        }
    }
}

/// An incremental solver: a stack of assertions, checks under assumptions.
///
/// Obligations of an implementation: a `Sat` comes with a model that evaluates every assertion and assumption to true; an
/// `Unsat` comes with a core whose assumptions suffice together with the assertions; `check` returns within 200 ms of the
/// budget's end or of a cancel, and the solver stays usable; nothing is kept from one `check` to the next that
/// changes an answer.
pub trait Solver {
    /// The pool its terms come from.
    fn terms(&self) -> &Terms;

    fn name(&self) -> &str;

    fn push(&mut self);

    /// Undoes the last `levels` pushes with everything asserted since.
    fn pop(&mut self, levels: usize);

    /// Asserts a boolean term on the current level.
    fn assert(&mut self, term: Term);

    /// Are the assertions satisfiable together with these boolean terms?
    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer;

    /// After `Sat`: values for all symbols of the assertions and assumptions.
    fn model(&mut self) -> Model;

    /// After `Unsat`: assumptions that are contradictory with the assertions, not necessarily the fewest.
    fn core(&mut self) -> Vec<Term>;
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn terms(&self) -> &Terms {
        (**self).terms()
    }

    fn name(&self) -> &str {
        (**self).name()
    }

    fn push(&mut self) {
        (**self).push();
    }

    fn pop(&mut self, levels: usize) {
        (**self).pop(levels);
    }

    fn assert(&mut self, term: Term) {
        (**self).assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        (**self).check(assumptions, budget)
    }

    fn model(&mut self) -> Model {
        (**self).model()
    }

    fn core(&mut self) -> Vec<Term> {
        (**self).core()
    }
}
