//! `--sarif FILE`: when it is written. What is in it is said in `artifact`.

use std::path::Path;

use tandem_artifact::format::sarif::{Alarm, Report, failure, write as render};
use tandem_artifact::{Trace, Verdict};

use crate::artifacts::Evidence;
use crate::describe::ending;
use crate::message::{Exit, Failure};
use crate::output::write_path;

/// Writes what was found.
pub fn write(
    path: &Path,
    evidence: &Evidence<'_>,
    trace: Option<&Trace>,
    verdict: &Verdict,
    exit: Exit,
) -> Result<(), Failure> {
    let Evidence { input, property, task, outcome, basis } = evidence;
    let end = outcome.violation.as_ref().map(|violation| ending(task.program, property, &violation.run.end));
    let violation = end.as_ref().zip(trace).map(|(end, trace)| Alarm {
        text: end.text.strip_prefix("error: ").unwrap_or(&end.text),
        edge: end.edge,
        trace,
    });
    let text = render(&Report {
        program: task.program,
        text: &input.original,
        version: env!("CARGO_PKG_VERSION"),
        verdict,
        caveats: &outcome.caveats,
        basis,
        violation,
        exit_status: exit as i32,
    });
    write_path(path, &text)
}

/// A bad input is told in the file too: whoever uploads it must not find that of an earlier run.
pub fn told(path: Option<&Path>, outcome: Result<Exit, Failure>) -> Result<Exit, Failure> {
    if let (Some(path), Err(problem)) = (path, &outcome) {
        let text = failure(env!("CARGO_PKG_VERSION"), &problem.message, &problem.file, problem.place);
        if let Err(second) = write_path(path, &text) {
            eprint!("{}", second.render());
        }
    }
    outcome
}
