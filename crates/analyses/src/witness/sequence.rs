//! The content of witnesses of format 2.0.

use tandem_artifact::{Invariant, Segment, Waypoint, WitnessContent, WitnessInvariant, WitnessLocation};
use tandem_cfa::{FunctionId, Program};

use super::path::{Passed, PathOfRun};

/// One segment for each input, then the error.
pub fn violation(program: &Program, path: &PathOfRun, file: &str) -> WitnessContent {
    let mut segments = Vec::new();
    for step in &path.steps {
        if let Passed::Input { edge, value } = step {
            let function = program.function_of(*edge);
            // The closing parenthesis of the call.
            let at = location(program, program.edges[*edge].span.hi - 1, function, file);
            segments.push(Segment::follow(Waypoint::function_return(at, format!("\\result == {value}"))));
        }
    }
    let (statement, function) = path.target;
    segments.push(Segment::follow(Waypoint::target(location(program, statement.lo, function, file))));
    WitnessContent::Violation(segments)
}

pub fn correctness(program: &Program, invariants: &[Invariant], file: &str) -> WitnessContent {
    let placed = invariants.iter().filter(|invariant| super::path::is_place(program, invariant.at));
    let written = placed.map(|invariant| {
        let at = location(program, invariant.at.lo, invariant.function, file);
        WitnessInvariant::of_loop(at, invariant.value.clone())
    });
    WitnessContent::Correctness(written.collect())
}

fn location(program: &Program, offset: u32, function: FunctionId, file: &str) -> WitnessLocation {
    let position = program.source.position(offset);
    WitnessLocation::new(file, position.line, position.column).in_function(&program.functions[function].name)
}
