//! `tandem smt`: runs an SMT-LIB script and prints its responses.

use serde_json::json;
use tandem_smt::layers::Counting;
use tandem_smt::smtlib::{ReadError, read_script};
use tandem_smt::{Answer, AutoSolver, Terms, run_script};

use crate::arguments::Smt;
use crate::input::read_bytes;
use crate::message::{Exit, Failure};
use crate::output;
use crate::watch::Watch;

pub fn run(arguments: &Smt, watch: &Watch) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let name = common.file.display().to_string();
    let text = read_bytes(&common.file, "an SMT-LIB 2 script (.smt2)")?;
    let terms = Terms::new();
    let script = read_script(&terms, &name, &text).map_err(|error| in_script(&name, &text, &error))?;
    let mut solver = Counting::new(AutoSolver::new(&terms));
    let mut responses = Vec::new();
    let mut failure = None;
    let run = run_script(&script, &mut solver, &watch.budget, &mut |response| {
        if common.json {
            responses.push(response.to_owned());
        } else if failure.is_none() {
            failure = output::show(&format!("{response}\n")).err();
        }
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    if common.json {
        let counters = solver.counters();
        let report = json!({
            "responses": responses,
            "sat": counters.sat, "unsat": counters.unsat, "unknown": counters.unknown,
            "unexpected": run.surprises,
            "seconds": counters.time.as_secs_f64(),
        });
        output::show(&format!("{report:#}\n"))?;
    }
    let unknown = run.answers.iter().any(|answer| matches!(answer, Answer::Unknown(_)));
    Ok(if unknown { Exit::Unknown } else { Exit::Success })
}

fn in_script(file: &str, text: &[u8], error: &ReadError) -> Failure {
    let mut failure = Failure::file(file, format!("found {}", error.found), format!("expected {}", error.expected));
    let line = text.split(|byte| *byte == b'\n').nth(error.position.line.saturating_sub(1) as usize);
    failure.place_at(&error.position, line.unwrap_or_default());
    failure
}
