//! From an input to a program: runs the front end and turns its first problem into a message.

use tandem_base::Severity;

use crate::input::Input;
use crate::message::Failure;

pub fn build(input: &Input) -> Result<tandem_syntax::Unit, Failure> {
    let parsed = tandem_syntax::parse(&input.source, input.model);
    match parsed.problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        Some(problem) => Err(input.failure(problem)),
        None => Ok(parsed.unit),
    }
}
