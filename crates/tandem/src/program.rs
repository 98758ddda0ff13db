//! From an input to a program: runs the front end and turns its first error into a message.

use tandem_base::{Problem, Severity};
use tandem_cfa::Program;
use tandem_cfa::build as build_program;

use crate::input::Input;
use crate::message::Failure;

/// The automaton of the input. A program without `main` is refused: nothing could be asked about it.
pub fn build(input: &Input) -> Result<Program, Failure> {
    let built = build_program(input.source.clone(), input.model);
    let error = built.problems.into_iter().find(|problem| problem.severity == Severity::Error);
    let Some(program) = built.program.filter(|_| error.is_none()) else {
        let failure = error.map(|problem| explain(input, problem));
        return Err(failure.unwrap_or_else(|| Failure::file(input.source.file(), "this is no C program", ACCEPTED)));
    };
    let has_body = |id| program.functions.get(id).is_some_and(|function| function.body.is_some());
    if !program.entry.is_some_and(has_body) {
        return Err(Failure::file(input.source.file(), "no main function", "a program with `int main(void) { ... }`"));
    }
    Ok(program)
}

/// What the front end accepts, for problems that do not say it themselves.
const ACCEPTED: &str = "accepted is a C11 program with GNU extensions, as gcc compiles it";

fn explain(input: &Input, problem: Problem) -> Failure {
    let mut failure = input.failure(problem);
    failure.help = Some(match failure.help {
        Some(help) => format!("{help}; {ACCEPTED}"),
        None => ACCEPTED.to_string(),
    });
    failure
}
