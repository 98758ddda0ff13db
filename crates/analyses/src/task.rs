//! What goes into an analysis and what comes out.

use std::collections::BTreeMap;

use tandem_artifact::gia::{Gia, Subject};
use tandem_artifact::{Caveat, ErrorCall, Invariant, Verdict, Violation};
use tandem_base::StopReason;
use tandem_cfa::exec::Run;
use tandem_cfa::expression::Formula;
use tandem_cfa::{EdgeId, NodeId, Program};
use tandem_cpa::{Flow, Observer};

use crate::arg::Arg;
use crate::exchange::Membership;
use crate::undefined::UndefinedFinding;

/// A program and the calls that it must never make.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub program: &'a Program,
    pub error: &'a ErrorCall,
    /// How many analyses may work at once.
    pub threads: usize,
    /// If set, the analyses also say which paths they have settled, in an exchange automaton about this.
    pub exchange: Option<&'a Subject>,
    /// If set, what it lets pass is what is looked at, and its goals, if it has any, are looked for instead of the calls.
    pub observer: Option<&'a dyn Observer>,
    /// Conditions that may be worth tracking. Whether they hold is another question.
    pub hints: &'a [Hint],
    /// An analysis that the default plan leaves out: who checks a proof should not ask the one who made it.
    pub without: Option<&'a str>,
    /// How many runs an analysis makes at most that only tries inputs: it has no end of its own. Without a limit its budget ends it.
    pub run_limit: Option<u64>,
    /// Whether everything is looked at, and not only what can lead to an error: needed to find undefined behaviour anywhere.
    pub whole: bool,
    /// If set, where several analyses of the program tell each other that a run carries out an undefined operation.
    pub finding: Option<&'a UndefinedFinding>,
    /// What is taken for a value that a library function with a contract returns on the way to an error.
    pub library_values: LibraryValues,
    /// If set, asked about errors that rest on such values.
    pub native: Option<&'a dyn NativeConfirmation>,
    /// If set, the analysis is a member of a cooperation, and exchanges what it knows with the others.
    pub member: Option<Membership<'a>>,
}

/// When a run to the error that uses values of library functions of which only a contract is known is a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LibraryValues {
    /// Always: the rule of the competitions, by which a function without a body returns any value. By the same rule a pointer in memory
    /// that was never written points outside of the program.
    Any,
    /// Only if a run with the real library reaches the error.
    Contract,
}

/// Runs the program with the real library.
pub trait NativeConfirmation: Sync {
    /// Whether the program reaches the error when only the inputs that are not of the library are given to it.
    fn reaches_error(&self, run: &Run) -> bool;
}

impl<'a> Task<'a> {
    pub fn new(program: &'a Program, error: &'a ErrorCall, threads: usize) -> Task<'a> {
        Task {
            program,
            error,
            threads,
            exchange: None,
            observer: None,
            hints: &[],
            without: None,
            run_limit: None,
            whole: false,
            finding: None,
            library_values: LibraryValues::Contract,
            native: None,
            member: None,
        }
    }

    /// The flow of the program; nothing if it has no entry.
    pub fn flow(self) -> Option<Flow<'a>> {
        let flow = Flow::new(self.program, &self.error.functions(), self.error.includes_assert())?;
        let mut flow = if self.whole { flow.whole() } else { flow };
        flow.unwritten_pointers_are_outside = self.library_values == LibraryValues::Any;
        Some(match self.observer {
            Some(observer) => flow.observed(observer),
            None => flow,
        })
    }

    /// Whether goals of the observer are looked for.
    pub fn has_goals(self) -> bool {
        self.observer.is_some_and(|observer| observer.goal_edges().is_some())
    }
}

/// A condition of the program that may help at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    pub node: NodeId,
    /// Over expressions of the task's program.
    pub formula: Formula,
}

/// What an analysis found out.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub verdict: Verdict,
    /// The analysis that decided.
    pub analysis: String,
    /// With a verdict of false, the replayed run.
    pub violation: Option<Violation>,
    /// With a verdict of true: facts that support the proof.
    pub invariants: Vec<Invariant>,
    /// With neither: what was tracked at loops when the search was stopped. No facts, but of use for whoever begins anew.
    pub precision: Vec<Invariant>,
    /// Why the search was no proof, if it was none.
    pub caveats: Vec<Caveat>,
    /// With a verdict of true: whether it was made sure that no run carries out an undefined operation (`undefined.rs`).
    pub in_bounds: bool,
    /// Which paths are settled, if it was asked for and the analysis can say.
    pub gia: Option<Gia>,
    /// Paths to errors that the search could not rule out, and that no run was found for; some of them, by their edges.
    pub alarms: Vec<Vec<EdgeId>>,
    /// The states of the search, if somebody is to see them and there are not too many.
    pub arg: Option<Arg>,
    /// Counters, by name.
    pub statistics: BTreeMap<&'static str, u64>,
}

impl Outcome {
    /// The outcome of a search, by the one rule for verdicts.
    pub fn new(
        analysis: &str,
        violation: Option<Violation>,
        stopped: Option<StopReason>,
        caveats: Vec<Caveat>,
    ) -> Outcome {
        Outcome {
            verdict: Verdict::of(violation.as_ref(), stopped, &caveats),
            analysis: analysis.to_string(),
            violation,
            invariants: Vec::new(),
            precision: Vec::new(),
            caveats,
            in_bounds: false,
            gia: None,
            alarms: Vec::new(),
            arg: None,
            statistics: BTreeMap::new(),
        }
    }
}
