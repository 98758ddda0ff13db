//! `tandem gia check`: whether an automaton is well-formed and correct for a program.

use serde_json::json;
use tandem_artifact::gia::{Gia, Mark};
use tandem_cfa::Program;

use super::files::About;
use crate::arguments_gia::GiaCheck;
use crate::message::{Exit, Failure};
use crate::output;

/// What is known about an automaton's claims.
#[allow(dead_code, reason = "whoever proves or refutes claims says so here")]
enum Judgement {
    Correct,
    Incorrect(String),
    Unknown(String),
}

pub fn run(arguments: &GiaCheck) -> Result<Exit, Failure> {
    let about = About::load(&arguments.common)?;
    // Reading checks the rules of well-formedness, the edges and the conditions.
    let gia = about.read(&arguments.gia)?;
    let (word, reason, exit) = match judge(&gia, &about.program) {
        Judgement::Correct => ("correct", None, Exit::Success),
        Judgement::Incorrect(reason) => ("incorrect", Some(reason), Exit::Violated),
        Judgement::Unknown(reason) => ("unknown", Some(reason), Exit::Unknown),
    };
    if arguments.common.json {
        let counts = json!({ "states": gia.states().len(), "transitions": gia.transitions().len() });
        let object = json!({ "gia": word, "reason": reason, "size": counts });
        output::show(&format!("{object:#}\n"))?;
    } else {
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        output::show(&format!("GIA: {word}{reason}\n"))?;
    }
    Ok(exit)
}

/// Whether the claims are so (Definition 4). An automaton that claims nothing is correct.
fn judge(gia: &Gia, _program: &Program) -> Judgement {
    match gia.has(Mark::Unreachable) || gia.has(Mark::Reached) {
        false => Judgement::Correct,
        true => Judgement::Unknown("well-formed; what it claims was not checked".into()),
    }
}
