//! `tandem witness validate --refute`: tries to refute a correctness witness by runs, and says what came of it.

use std::time::Duration;

use serde_json::json;
use tandem_analyses::validate::Claim;
use tandem_artifact::{AutomatonKind, ErrorCall, WitnessContent, WitnessInvariant};

use crate::arguments::Validate;
use crate::farewell::Farewell;
use crate::input::Input;
use crate::message::{Exit, Failure};
use crate::native::refute::{Question, Refutation, refute};
use crate::watch::Watch;

/// The time for runs when nothing limits it.
const USUAL: Duration = Duration::from_secs(10);
/// What stays for compiling and for the last words.
const RESERVE: f64 = 0.7;

pub fn run(
    arguments: &Validate,
    claim: &Claim,
    input: &Input,
    error: &ErrorCall,
    watch: &Watch,
    farewell: &Farewell,
) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let (invariants, not_placed) = invariants(claim).map_err(|message| {
        let help =
            "`--refute` is about correctness witnesses; a violation witness is confirmed or rejected by a replay";
        Failure::file(&arguments.witness.display().to_string(), message, help)
    })?;
    let time = common.time_limit.map_or(USUAL, |limit| limit.mul_f64(RESERVE));
    let question = Question { input, error, invariants: &invariants };
    let (word, reason, exit) = match refute(&question, time, &watch.budget) {
        Ok(Refutation { refuted: Some((what, inputs)), .. }) => {
            let inputs = if inputs.is_empty() { "without inputs".into() } else { format!("with the inputs {inputs}") };
            ("refuted", format!("{what} {inputs}"), Exit::Violated)
        }
        Ok(refutation) => ("not refuted", in_words(&refutation, not_placed), Exit::Unknown),
        Err(why) => ("not refuted", format!("nothing was run: {why}"), Exit::Unknown),
    };
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = match common.json {
        true => {
            let time = farewell.start.elapsed().as_secs_f64();
            format!("{:#}\n", json!({ "witness": word, "reason": reason, "kind": "correctness", "time_s": time }))
        }
        false => format!("Witness: {word} ({reason})\n"),
    };
    farewell.settle(words, exit);
    farewell.attach(None);
    farewell.say()
}

/// The invariants, and how many more there are whose place in the text is not known.
fn invariants(claim: &Claim) -> Result<(Vec<WitnessInvariant>, usize), &'static str> {
    let refusal = "this is a violation witness";
    match claim {
        Claim::Entries(entries) => {
            let mut all = Vec::new();
            for entry in entries {
                match &entry.content {
                    WitnessContent::Correctness(list) => all.extend(list.iter().cloned()),
                    WitnessContent::Violation(_) => return Err(refusal),
                }
            }
            Ok((all, 0))
        }
        Claim::Automaton(automaton) => match automaton.metadata.kind {
            AutomatonKind::Violation => Err(refusal),
            // The states of an automaton are no places of the text: only the program itself is run.
            AutomatonKind::Correctness => Ok((Vec::new(), 1)),
        },
    }
}

fn in_words(refutation: &Refutation, not_placed: usize) -> String {
    let Refutation { checked, left_out, native_runs, interpreted_runs, not_native, .. } = refutation;
    let mut words = format!("{checked} invariants in {native_runs} native and {interpreted_runs} interpreted runs");
    if *left_out > 0 {
        words.push_str(&format!("; {left_out} invariants could not be checked"));
    }
    if not_placed > 0 {
        words.push_str("; the invariants of an automaton (format 1.0) are not checked");
    }
    if let Some(why) = not_native {
        words.push_str(&format!("; no native runs: {why}"));
    }
    words
}
