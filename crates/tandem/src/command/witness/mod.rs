//! `tandem witness`: joins witnesses; asks whether the program does what a witness says, and says what was answered.

mod join;
mod refute;

use std::path::Path;

use serde_json::json;
use tandem_analyses::Task;
use tandem_analyses::validate::{Claim, Judgement, mismatch, validate};
use tandem_artifact::format::{witness_graphml, witness_yaml};
use tandem_artifact::{AutomatonKind, WitnessContent};

use crate::arguments::{Validate, Witness, WitnessAction};
use crate::command::verify::error_call;
use crate::farewell::Farewell;
use crate::input::{in_file, load, read_text};
use crate::message::{Exit, Failure};
use crate::watch::Watch;
use crate::{program, progress};

const ACCEPTED: &str = "a witness of format 2.x (YAML) or 1.0 (GraphML)";

pub fn run(arguments: &Witness, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    match &arguments.action {
        WitnessAction::Validate(arguments) => run_validate(arguments, watch, farewell),
        WitnessAction::Join(arguments) => join::run(arguments),
    }
}

fn run_validate(arguments: &Validate, watch: &Watch, farewell: &Farewell) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let input = load(common)?;
    let property = input.property(common)?;
    let error = error_call(common, &property)?;
    let claim = read(&arguments.witness)?;
    if let Some(why) = mismatch(&claim, &input.subject(), &property) {
        let help = format!("a witness about {} and the property asked about", input.source.file());
        return Err(Failure::file(&arguments.witness.display().to_string(), why, help));
    }
    if arguments.refute {
        farewell.attach(progress::line("refutation", common.quiet));
        return refute::run(arguments, &claim, &input, error, watch, farewell);
    }
    let program = program::build(&input)?;
    farewell.attach(progress::line("validation", common.quiet));
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = common.threads.map_or(available, usize::from);
    let task = Task {
        without: arguments.without.as_deref(),
        library_values: input.library_values(),
        ..Task::new(&program, error, threads)
    };
    let judgement = validate(task, &claim, &watch.budget);
    let (word, reason, exit) = match &judgement {
        Judgement::Confirmed => ("confirmed", None, Exit::Success),
        Judgement::Rejected(reason) => ("rejected", Some(reason), Exit::Violated),
        Judgement::Unknown(reason) => ("unknown", Some(reason), Exit::Unknown),
    };
    // A reason may quote the witness: it must stay on one line.
    let reason = reason.map(|reason| reason.split_whitespace().collect::<Vec<_>>().join(" "));
    let words = match (common.json, &reason) {
        (true, _) => {
            let time = farewell.start.elapsed().as_secs_f64();
            let object = json!({ "witness": word, "reason": reason, "kind": kind(&claim), "time_s": time });
            format!("{object:#}\n")
        }
        (false, Some(reason)) => format!("Witness: {word} ({reason})\n"),
        (false, None) => format!("Witness: {word}\n"),
    };
    farewell.settle(words, exit);
    farewell.attach(None);
    farewell.say()
}

fn kind(claim: &Claim) -> &'static str {
    let is_violation = match claim {
        Claim::Entries(entries) => entries.iter().any(|entry| matches!(entry.content, WitnessContent::Violation(_))),
        Claim::Automaton(automaton) => automaton.metadata.kind == AutomatonKind::Violation,
    };
    if is_violation { "violation" } else { "correctness" }
}

/// What the file is, its content tells.
fn read(path: &Path) -> Result<Claim, Failure> {
    let text = read_text(path, ACCEPTED)?;
    let claim = match text.trim_start().starts_with('<') {
        true => witness_graphml::read(&text).map(Claim::Automaton),
        false => witness_yaml::read(&text).map(Claim::Entries),
    };
    claim.map_err(|problem| {
        let problem = if problem.help.is_none() { problem.help(format!("accepted is {ACCEPTED}")) } else { problem };
        in_file(path, &text, problem)
    })
}
