//! `tandem gia check`: whether an automaton is well-formed and correct for a program.

use serde_json::json;
use tandem_coop::check::{Checking, Judgement, check};

use super::files::About;
use crate::arguments_gia::GiaCheck;
use crate::message::{Exit, Failure};
use crate::output;
use crate::watch::Watch;

pub fn run(arguments: &GiaCheck, watch: &Watch) -> Result<Exit, Failure> {
    let about = About::load(&arguments.common)?;
    // Reading checks the rules of well-formedness, the edges and the conditions.
    let gia = about.read(&arguments.gia)?;
    let property = about.input.property(&arguments.common)?;
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.common.threads.map_or(available, usize::from);
    let checking = Checking { error: property.error_call(), threads, budget: &watch.budget };
    let (word, reason, exit) = match check(&about.program, &gia, checking) {
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
