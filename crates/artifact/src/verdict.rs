//! Verdicts: what is said about a program and a property, and what supports it.
//!
//! There is one function that makes verdicts, [`Verdict::of`]. Whoever could not look at everything hands in caveats, and with
//! a caveat nothing is ever called proved.

use std::fmt;

use tandem_base::{Span, StopReason};
use tandem_cfa::FunctionId;
use tandem_cfa::exec::Run;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The property holds.
    True,
    /// A run violates it, and was replayed.
    False,
    Unknown(String),
}

/// Why a search that found nothing is no proof.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Caveat {
    /// A step that nobody models, and where.
    Unsupported { what: String, at: Span },
    /// A run was found whose behaviour C does not define, and where.
    Undefined { what: String, at: Span },
    /// The solver gave no answer, and why.
    Solver(SolverGap),
    /// A bound was hit.
    Bound(String),
    /// An alarm was found that the interpreter could not follow.
    NotReplayed(String),
    /// The analysis is not precise enough to decide.
    Imprecise(String),
}

/// Why a solver gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum SolverGap {
    /// The budget of the question ended.
    Stopped(StopReason),
    /// The solver cannot answer the question, or the answer is of no use; in words for people.
    Incomplete(String),
}

impl SolverGap {
    /// Whether the solver was stopped by the clock or by a cancellation: then the gap says nothing about the program.
    pub fn is_interruption(&self) -> bool {
        matches!(self, SolverGap::Stopped(StopReason::Time | StopReason::Cancelled))
    }
}

impl fmt::Display for SolverGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverGap::Stopped(reason) => write!(f, "{reason}"),
            SolverGap::Incomplete(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caveat::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Caveat::Undefined { what, .. } => write!(f, "undefined behaviour: {what}"),
            Caveat::Solver(gap) => write!(f, "solver: {gap}"),
            Caveat::Bound(text) => write!(f, "bound: {text}"),
            Caveat::NotReplayed(text) => write!(f, "alarm not replayed: {text}"),
            Caveat::Imprecise(text) => write!(f, "not precise enough: {text}"),
        }
    }
}

/// A violation that the interpreter has followed to the error.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    /// The replayed run, with all its inputs in order and the path.
    pub run: Run,
}

/// A fact that holds whenever control is at a place: part of a proof.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Invariant {
    pub function: FunctionId,
    /// The loop statement (from its keyword on) at whose head it holds, each time before the controlling expression is evaluated.
    pub at: Span,
    /// A C expression over variables in scope there.
    pub value: String,
}

impl Verdict {
    /// The verdict of a search: violated if a violation was replayed; proved only if the search came to its end and
    /// nobody had a caveat.
    pub fn of(violation: Option<&Violation>, stopped: Option<StopReason>, caveats: &[Caveat]) -> Verdict {
        match (violation, stopped, caveats.first()) {
            (Some(_), _, _) => Verdict::False,
            (None, None, None) => Verdict::True,
            (None, Some(reason), None) => Verdict::Unknown(reason.to_string()),
            (None, _, Some(caveat)) => Verdict::Unknown(caveat.to_string()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::True => f.write_str("TRUE"),
            Verdict::False => f.write_str("FALSE"),
            Verdict::Unknown(reason) => write!(f, "UNKNOWN ({reason})"),
        }
    }
}
