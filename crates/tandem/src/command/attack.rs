//! `tandem attack`: compiles a program, runs it natively on many inputs, and says whether a run reached the error.

use serde_json::{Value, json};
use tandem_artifact::TestCase;

use crate::arguments::Attack;
use crate::command::verify::error_call;
use crate::message::{Exit, Failure};
use crate::native::attack::{AttackReport, TakenInput, Target, attack};
use crate::tests_in_files::read_suite;
use crate::watch::Watch;
use crate::{input, output, program};

pub fn run(arguments: &Attack, watch: &Watch) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let input = input::load(common)?;
    let property = input.property(common)?;
    let error = error_call(common, &property)?;
    let tests = match &arguments.suite {
        Some(directory) => read_suite(directory)?.into_iter().map(|(_, test)| test).collect(),
        None => Vec::<TestCase>::new(),
    };
    let program = program::build(&input)?;
    let target = Target {
        text: input.source.text(),
        model: input.model,
        program: &program,
        errors: &error.functions(),
        includes_assert: error.includes_assert(),
        tests: &tests,
    };
    let (word, exit, report) = match attack(&target, arguments.seconds, &watch.budget) {
        Ok(report) if report.refutes() => ("reached".to_string(), Exit::Violated, report),
        Ok(report) => ("not reached".to_string(), Exit::Success, report),
        Err(why) => (format!("not tried ({})", one_line(&why)), Exit::Unknown, AttackReport::default()),
    };
    let words = if common.json { format!("{:#}\n", told(&word, &report)) } else { text(&word, &report) };
    output::show(&words).map(|()| exit)
}

fn text(word: &str, report: &AttackReport) -> String {
    let mut text = String::new();
    if let Some(finding) = &report.finding {
        text.push_str(&format!("Sanitizer: {}\n", one_line(finding)));
    }
    if let Some(why) = &report.not_sanitized {
        text.push_str(&format!("Sanitizer: not tried ({})\n", one_line(why)));
    }
    if report.reached.is_some() {
        let behind = if report.is_behind_undefined_behaviour { " behind undefined behaviour" } else { "" };
        text.push_str(&format!("Error reached{behind} with {}\n", report.inputs_in_words()));
    }
    text + &format!("Attack: {word} ({} runs, {} with sanitizers)\n", report.runs, report.sanitized_runs)
}

fn told(word: &str, report: &AttackReport) -> Value {
    let input = |input: &TakenInput| json!({ "function": input.function, "bits": format!("{:#0width$x}", input.bits, width = 2 + 2 * input.size) });
    json!({
        "attack": word,
        "runs": report.runs,
        "sanitized_runs": report.sanitized_runs,
        "inputs": report.reached.as_ref().map(|inputs| inputs.iter().map(input).collect::<Vec<_>>()),
        "behind_undefined_behaviour": report.is_behind_undefined_behaviour,
        "sanitizer": report.finding,
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
