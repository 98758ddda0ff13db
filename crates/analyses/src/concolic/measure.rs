//! What a run says about the program, and what of it a test can count on: only what does not depend on memory that was never
//! written or on addresses, and only what happens before the test has no more inputs.

use tandem_cfa::exec::{Coverage, End, EventKind, Input, InputSource, Run};
use tandem_cfa::{EdgeId, Program};

/// A test: inputs in the order in which they are asked for, and what is covered for sure.
#[derive(Clone, Debug)]
pub struct Test {
    pub inputs: Vec<Input>,
    pub covered: Coverage,
    pub end: End,
    pub steps: u64,
}

/// Where each input of a function was taken: positions in the path.
fn taken_at(edges: &[EdgeId], inputs: &[Input]) -> Vec<usize> {
    let mut positions = Vec::with_capacity(inputs.len());
    let mut pending = inputs.iter();
    let mut next = pending.next();
    for (index, edge) in edges.iter().enumerate() {
        if next.is_some_and(|input| input.edge == *edge) {
            positions.push(index);
            next = pending.next();
        }
    }
    positions
}

/// The first edge from which on what happens may depend on addresses (or on memory never written, if asked).
pub fn first_doubt(edges: &[EdgeId], run: &Run, unwritten: bool) -> Option<usize> {
    let matters = |kind: &EventKind| match kind {
        EventKind::AddressObserved => true,
        EventKind::Uninitialised(_) => unwritten,
        EventKind::Overflow | EventKind::Shift | EventKind::FloatRange => false,
    };
    let doubtful = run.events.iter().filter(|event| matters(&event.kind));
    doubtful.filter_map(|event| edges.iter().position(|edge| *edge == event.edge)).min()
}

/// The test that a run makes, of whose edges the first `clean` count. A run that does not end by itself is cut after the last input that it needs for
/// what is wanted.
pub fn test_of(program: &Program, run: &Run, edges: &[EdgeId], clean: usize, wanted: &Coverage) -> Test {
    let inputs: Vec<Input> = run.inputs.iter().filter(|input| is_function(input)).copied().collect();
    let mut covered = Coverage::new(program.edges.len());
    let ends = matches!(run.end, End::Returned(_) | End::Exited(_) | End::ErrorReached { .. } | End::Aborted { .. })
        || matches!(run.end, End::AssertFailed { .. } | End::AssumeViolated { .. });
    if ends && clean == edges.len() {
        edges.iter().for_each(|edge| covered.insert(*edge));
        return Test { inputs, covered, end: run.end.clone(), steps: run.steps };
    }
    let mut last = 0;
    for (index, edge) in edges[..clean].iter().enumerate() {
        if wanted.contains(*edge) && !covered.contains(*edge) {
            last = index + 1;
        }
        covered.insert(*edge);
    }
    let positions = taken_at(edges, &inputs);
    let needed = positions.iter().filter(|position| **position < last).count();
    // Up to where the run asks for the next input.
    let until = positions.get(needed).map_or(clean, |position| (*position).min(clean));
    let mut covered = Coverage::new(program.edges.len());
    edges[..until.max(last)].iter().for_each(|edge| covered.insert(*edge));
    Test { inputs: inputs.into_iter().take(needed).collect(), covered, end: run.end.clone(), steps: run.steps }
}

fn is_function(input: &Input) -> bool {
    matches!(input.source, InputSource::Function(_))
}
