//! What a run was, in words for people and as JSON.

use serde_json::{Value, json};
use tandem_artifact::Property;
use tandem_base::Span;
use tandem_cfa::exec::{Coverage, End, EventKind, InputSource, Run};
use tandem_cfa::{EdgeId, Program};
use tandem_coop::testing::{Criterion, Goal, goals};

use crate::message::Exit;

/// How a run ended.
pub struct Ending {
    pub exit: Exit,
    /// One word, for programs.
    pub kind: &'static str,
    pub text: String,
    pub edge: Option<EdgeId>,
}

pub fn ending(program: &Program, property: &Property, end: &End) -> Ending {
    let (exit, kind, text, edge) = match end {
        End::Returned(value) => (Exit::Success, "returned", format!("main returned {value}"), None),
        End::Exited(status) => (Exit::Success, "exited", format!("the program exited with status {status}"), None),
        End::ErrorReached { function, edge } => {
            let text = format!("error: {} was called", program.functions[*function].name);
            (Exit::Violated, "error", text, Some(*edge))
        }
        End::AssertFailed { edge } if property.error_call().includes_assert() => {
            (Exit::Violated, "error", "error: an assertion failed".into(), Some(*edge))
        }
        End::AssertFailed { edge } => {
            let text = "an assertion failed, which the property does not ask about".into();
            (Exit::Unknown, "assertion", text, Some(*edge))
        }
        End::Aborted { edge } => (Exit::Unknown, "aborted", "the program aborted".into(), Some(*edge)),
        End::AssumeViolated { edge } => {
            (Exit::Unknown, "assumption", "the inputs violate an assumption".into(), Some(*edge))
        }
        End::Undefined { kind, edge } => {
            (Exit::Unknown, "undefined", format!("undefined behaviour: {kind}"), Some(*edge))
        }
        End::Unsupported { what, edge } => (Exit::Unknown, "unsupported", format!("unsupported: {what}"), Some(*edge)),
        End::Stopped(reason) => (Exit::Unknown, "stopped", format!("stopped: {reason}"), None),
        End::StackOverflow { edge } => (Exit::Unknown, "stack", "calls nested too deeply".into(), Some(*edge)),
        End::OutOfMemory { edge } => {
            (Exit::Unknown, "memory", "the program asked for too much memory".into(), Some(*edge))
        }
        End::NoEntry => (Exit::Unknown, "unsupported", "unsupported: no main function".into(), None),
    };
    Ending { exit, kind, text, edge }
}

/// ` at file:line:column`, or nothing.
pub fn at(program: &Program, edge: Option<EdgeId>) -> String {
    at_span(program, span_of(program, edge))
}

pub fn at_span(program: &Program, span: Span) -> String {
    if span.is_none() { String::new() } else { format!(" at {}", program.source.position(span.lo)) }
}

/// A run that ends before its first step has no edge.
fn span_of(program: &Program, edge: Option<EdgeId>) -> Span {
    edge.and_then(|edge| program.edges.get(edge)).map_or(Span::NONE, |edge| edge.span)
}

pub fn place_json(program: &Program, edge: Option<EdgeId>) -> Value {
    span_json(program, span_of(program, edge))
}

pub fn span_json(program: &Program, span: Span) -> Value {
    if span.is_none() {
        return Value::Null;
    }
    let position = program.source.position(span.lo);
    json!({ "file": &*position.file, "line": position.line, "column": position.column })
}

/// What was noted on the way: a kind, and the words for it.
pub fn notes(program: &Program, run: &Run) -> Vec<(&'static str, String, EdgeId)> {
    let describe = |kind: &EventKind| match kind {
        EventKind::Overflow => ("overflow", "signed overflow, wrapped around".to_string()),
        EventKind::Shift => ("shift", "shift by a negative or too large amount".to_string()),
        EventKind::FloatRange => ("float-range", "a float does not fit the integer type".to_string()),
        EventKind::AddressObserved => ("address", "the outcome may depend on addresses".to_string()),
        EventKind::Uninitialised(source) => ("uninitialised", uninitialised(program, source)),
    };
    let events = run.events.iter().map(|event| (describe(&event.kind), event.edge));
    events.map(|((kind, text), edge)| (kind, text, edge)).collect()
}

fn uninitialised(program: &Program, source: &InputSource) -> String {
    match source {
        InputSource::Variable(variable) => format!("read of uninitialised `{}`", program.variables[*variable].name),
        InputSource::Memory => "read of uninitialised memory".into(),
        InputSource::NoResult => "use of the result of a function that returned nothing".into(),
        InputSource::Function(function) => format!("a value from `{}`", program.functions[*function].name),
    }
}

/// Covered and total, of the user's functions.
pub struct Shares {
    pub edges: (usize, usize),
    pub branches: (usize, usize),
    pub functions: (usize, usize),
}

pub fn shares(program: &Program, coverage: &Coverage) -> Shares {
    let mut shares = Shares { edges: (0, 0), branches: (0, 0), functions: (0, 0) };
    let users = program.functions.iter().filter(|function| !function.is_library);
    for body in users.filter_map(|function| function.body.as_ref()) {
        let covered = body.edges.iter().filter(|edge| coverage.contains(*edge)).count();
        shares.edges.0 += covered;
        shares.edges.1 += body.edges.len();
        shares.functions.0 += usize::from(covered > 0);
        shares.functions.1 += 1;
    }
    // The same branches as those that tests are made for.
    let branches = goals(program, &Criterion::Branches);
    let is_covered = |goal: &&Goal| goal.edges.iter().any(|edge| coverage.contains(*edge));
    shares.branches = (branches.iter().filter(is_covered).count(), branches.len());
    shares
}

impl Shares {
    pub fn text(&self) -> String {
        let ((edges, all_edges), (branches, all_branches), (functions, all_functions)) =
            (self.edges, self.branches, self.functions);
        format!(
            "Coverage: {edges} of {all_edges} edges, {branches} of {all_branches} branches, {functions} of {all_functions} functions\n"
        )
    }

    pub fn json(&self) -> Value {
        let share = |(covered, total): (usize, usize)| json!({ "covered": covered, "total": total });
        json!({ "edges": share(self.edges), "branches": share(self.branches), "functions": share(self.functions) })
    }
}
