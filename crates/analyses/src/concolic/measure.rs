//! What a run says about the program, and what of it a test can count on: only what does not depend on memory that was never
//! written or on addresses, and only what happens before the test has no more inputs.

use tandem_cfa::exec::{Coverage, End, EventKind, Input, Run};
use tandem_cfa::{EdgeId, Program};

/// A test: inputs in the order in which they are asked for, and what is covered for sure.
#[derive(Clone, Debug)]
pub struct Test {
    pub inputs: Vec<Input>,
    pub covered: Coverage,
    /// What is covered if memory that was never written is zero, and addresses are those of the interpreter.
    pub perhaps: Coverage,
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
    // What is not in the recorded part happens behind it.
    doubtful.map(|event| edges.iter().position(|edge| *edge == event.edge).unwrap_or(edges.len())).min()
}

/// The test that a run makes, of whose edges the first `clean` count. A run that does not end by itself is cut after the last input that it
/// needs for what is wanted.
pub fn test_of(program: &Program, run: &Run, edges: &[EdgeId], clean: usize, wanted: &Coverage) -> Test {
    let mut inputs: Vec<Input> = run.inputs.iter().filter(|input| input.is_of_function()).copied().collect();
    let mut until = edges.len();
    if ends_by_itself(&run.end) {
        if first_doubt(edges, run, true).is_none() {
            let (covered, perhaps) = (run.coverage.clone(), run.coverage.clone());
            return Test { inputs, covered, perhaps, end: run.end.clone(), steps: run.steps };
        }
    } else {
        let last = last_new(program, edges, wanted);
        let positions = taken_at(edges, &inputs);
        let needed = positions.iter().filter(|position| **position < last).count();
        // Up to where the run asks for the next input.
        until = positions.get(needed).copied().unwrap_or(until).max(last);
        inputs.truncate(needed);
    }
    let (mut covered, mut perhaps) = (Coverage::new(program.edges.len()), Coverage::new(program.edges.len()));
    edges[..until.min(clean)].iter().for_each(|edge| covered.insert(*edge));
    edges[..until].iter().for_each(|edge| perhaps.insert(*edge));
    Test { inputs, covered, perhaps, end: run.end.clone(), steps: run.steps }
}

/// Whether a run came to its own end.
pub fn ends_by_itself(end: &End) -> bool {
    match end {
        End::Returned(_)
        | End::Exited(_)
        | End::ErrorReached { .. }
        | End::AssertFailed { .. }
        | End::Aborted { .. }
        | End::AssumeViolated { .. } => true,
        End::Undefined { .. }
        | End::Unsupported { .. }
        | End::Stopped(_)
        | End::StackOverflow { .. }
        | End::OutOfMemory { .. }
        | End::NoEntry => false,
    }
}

/// Up to where a run takes something wanted for the first time.
fn last_new(program: &Program, edges: &[EdgeId], wanted: &Coverage) -> usize {
    let mut seen = Coverage::new(program.edges.len());
    let mut last = 0;
    for (index, edge) in edges.iter().enumerate() {
        if wanted.contains(*edge) && !seen.contains(*edge) {
            last = index + 1;
            seen.insert(*edge);
        }
    }
    last
}
