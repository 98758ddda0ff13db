//! What a verdict rests on: which of the assumptions that are made about every program matter for this one. A proof rests on what all
//! functions that can be reached do, a violation on what its run does. Looks at the program and at the outcome; changes neither, and
//! knows no words for people.

mod arithmetic;
mod calls;
mod features;
#[cfg(test)]
mod tests;

use tandem_artifact::{Assumption, AssumptionKind, ErrorCall, Verdict, VerdictBasis, VerdictNote, Violation};
use tandem_base::{IdVec, Span};
use tandem_cfa::exec::{EventKind, InputSource};
use tandem_cfa::library::Kind;
use tandem_cfa::points_to::PointsTo;
use tandem_cfa::{EdgeId, FunctionId, Program, VariableKind};

use crate::{LibraryValues, Outcome, Task};
use calls::Calls;
use features::Features;

/// What the verdict rests on; nothing if there is none.
pub fn basis(task: Task<'_>, outcome: &Outcome) -> VerdictBasis {
    match (&outcome.verdict, &outcome.violation) {
        (Verdict::True, _) => of_proof(task, outcome),
        (Verdict::False, Some(violation)) => of_violation(task, violation),
        (Verdict::False, None) | (Verdict::Unknown(_), _) => VerdictBasis::default(),
    }
}

/// What is known about undefined behaviour behind a proof.
enum UndefinedBehaviour<'a> {
    /// This analysis made sure that no run leaves an object.
    Excluded {
        by: &'a str,
    },
    NotExcluded,
}

/// The one place that asks the outcome.
fn undefined_behaviour(outcome: &Outcome) -> UndefinedBehaviour<'_> {
    match outcome.in_bounds {
        true => UndefinedBehaviour::Excluded { by: &outcome.analysis },
        false => UndefinedBehaviour::NotExcluded,
    }
}

/// A part of a program: what a proof or a run is about.
struct ProgramPart<'a> {
    program: &'a Program,
    kinds: IdVec<FunctionId, Kind>,
    points_to: PointsTo,
    edges: Vec<EdgeId>,
    library_values: LibraryValues,
}

impl<'a> ProgramPart<'a> {
    /// The edges of the functions that can be reached. A call of an error function is the error, so its body is never entered.
    fn reachable(task: Task<'a>) -> ProgramPart<'a> {
        let program = task.program;
        let kinds = Kind::of_all(program, &task.error.functions());
        let points_to = PointsTo::of(program);
        let is_entered = |function: FunctionId| points_to.is_reached(function) && kinds[function] != Kind::Error;
        let bodies = program.functions.enumerate().filter(|(function, _)| is_entered(*function));
        let edges = bodies.filter_map(|(_, function)| function.body.as_ref()).flat_map(|body| body.edges.iter());
        ProgramPart { program, edges: edges.collect(), kinds, points_to, library_values: task.library_values }
    }

    /// The edges that the run of the violation takes.
    fn taken(task: Task<'a>, violation: &Violation) -> ProgramPart<'a> {
        let edges = violation.run.coverage.iter().collect();
        ProgramPart { edges, ..ProgramPart::reachable(task) }
    }

    /// Whether the edge stands in the user's text, and not in that of a library model.
    fn is_own(&self, edge: EdgeId) -> bool {
        !self.program.functions[self.program.function_of(edge)].is_library
    }

    fn span(&self, edge: EdgeId) -> Span {
        if self.is_own(edge) { self.program.edges[edge].span } else { Span::NONE }
    }
}

/// Assumptions, in the order in which they are said.
#[derive(Default)]
struct AssumptionList(Vec<Assumption>);

impl AssumptionList {
    fn add(&mut self, kind: AssumptionKind, place: Span) {
        let places = if place.is_none() { Vec::new() } else { vec![place] };
        self.0.push(Assumption { kind, names: Vec::new(), places });
    }

    fn add_if(&mut self, kind: AssumptionKind, place: Option<Span>) {
        if let Some(place) = place {
            self.add(kind, place);
        }
    }

    fn add_named(&mut self, kind: AssumptionKind, named: Vec<(String, Span)>) {
        if !named.is_empty() {
            let (names, places) = named.into_iter().unzip();
            self.0.push(Assumption { kind, names, places });
        }
    }
}

fn of_proof(task: Task<'_>, outcome: &Outcome) -> VerdictBasis {
    let part = ProgramPart::reachable(task);
    let (calls, features) = (Calls::of(&part, task.error), Features::of(&part));
    let mut notes = Vec::new();
    if !calls.can_err {
        // Nothing can be wrong with a proof that there was nothing to prove, so nothing else is said about it.
        notes.push(nothing_to_violate(task, &part));
        return VerdictBasis { assumptions: Vec::new(), notes };
    }
    let mut found = AssumptionList::default();
    environment(&part, &calls, &features, &mut found);
    found.add_if(AssumptionKind::AddressNumbers, features.address_numbers);
    if features.accesses_memory || calls.access_memory {
        match undefined_behaviour(outcome) {
            UndefinedBehaviour::Excluded { by } => notes.push(VerdictNote::AccessesProved { by: by.to_string() }),
            UndefinedBehaviour::NotExcluded => found.add(AssumptionKind::DefinedBehaviour, Span::NONE),
        }
    }
    found.add_if(AssumptionKind::DivisionEndsRun, features.division);
    found.add_if(AssumptionKind::SignedOverflowWraps, features.overflow);
    found.add_if(AssumptionKind::ShiftAmounts, features.shift);
    found.add_if(AssumptionKind::FloatConversions, features.float_conversion);
    VerdictBasis { assumptions: found.0, notes }
}

/// What a proof and a run have in common.
fn environment(part: &ProgramPart<'_>, calls: &Calls, features: &Features, found: &mut AssumptionList) {
    for (kind, named) in &calls.without_body {
        found.add_named(*kind, named.clone());
    }
    let is_pointer = |name: &tandem_cfa::VariableId| {
        let ty = part.program.variables[*name].ty;
        part.program.types.pointee(ty).is_some()
    };
    let pointers = features.external.iter().any(|(variable, _)| is_pointer(variable));
    let named = features.external.iter().map(|(variable, span)| {
        let name = part.program.variables[*variable].name.to_string();
        (name, *span)
    });
    found.add_named(AssumptionKind::VariablesWithoutDefinition { pointers }, named.collect());
    found.add_if(AssumptionKind::AllocationSucceeds, calls.allocation);
    let entry = part.program.entry.map(|entry| &part.program.functions[entry]);
    let body = entry.and_then(|function| function.body.as_ref());
    if let (Some(function), Some(body)) = (entry, body)
        && !body.parameters.is_empty()
    {
        found.add(AssumptionKind::MainArguments, function.span);
    }
}

fn nothing_to_violate(task: Task<'_>, part: &ProgramPart<'_>) -> VerdictNote {
    match task.error {
        ErrorCall::Function(name) => VerdictNote::NeverCalled { function: name.to_string() },
        ErrorCall::Usual if calls::knows_error(part, task.error) => VerdictNote::ErrorCallsUnreachable,
        ErrorCall::Usual => VerdictNote::NothingToViolate,
    }
}

fn of_violation(task: Task<'_>, violation: &Violation) -> VerdictBasis {
    let part = ProgramPart::taken(task, violation);
    let (calls, features) = (Calls::of(&part, task.error), Features::of(&part));
    let mut found = AssumptionList::default();
    environment(&part, &calls, &features, &mut found);
    found.add_named(AssumptionKind::UninitialisedMemory, uninitialised(&part, violation));
    for event in &violation.run.events {
        let kind = match event.kind {
            EventKind::Overflow => AssumptionKind::SignedOverflowWraps,
            EventKind::Shift => AssumptionKind::ShiftAmounts,
            EventKind::FloatRange => AssumptionKind::FloatConversions,
            EventKind::AddressObserved => AssumptionKind::AddressNumbers,
            // These are inputs of the run, with their names.
            EventKind::Uninitialised(_) => continue,
        };
        found.add(kind, part.span(event.edge));
    }
    let is_defined = violation.run.events.is_empty();
    let can_be_undefined = features.can_be_undefined() || calls.access_memory;
    let notes = (is_defined && can_be_undefined).then_some(VerdictNote::DefinedRun).into_iter().collect();
    VerdictBasis { assumptions: found.0, notes }
}

/// What the run read without having written it, each once. What is declared and defined elsewhere is no such thing.
fn uninitialised(part: &ProgramPart<'_>, violation: &Violation) -> Vec<(String, Span)> {
    let mut named: Vec<(String, Span)> = Vec::new();
    for input in &violation.run.inputs {
        let name = match input.source {
            InputSource::Function(_) => continue,
            InputSource::Variable(variable) => match part.program.variables[variable].kind {
                VariableKind::External => continue,
                _ => part.program.variables[variable].name.to_string(),
            },
            InputSource::Memory => "allocated memory".to_string(),
            InputSource::NoResult => "the result of a function that returned nothing".to_string(),
        };
        if !named.iter().any(|(known, _)| *known == name) {
            named.push((name, part.span(input.edge)));
        }
    }
    named
}
