//! `tandem cfa`: shows the control-flow automaton.

use crate::arguments::{Cfa, Format};
use crate::message::{Exit, Failure};
use crate::{input, output, program};

pub fn run(arguments: &Cfa) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let input = input::load(common)?;
    let program = program::build(&input)?;
    // One object is what --json promises, whatever the format.
    let format = if common.json { Format::Json } else { arguments.format };
    let (name, text) = match format {
        Format::Text => ("cfa.txt", tandem_cfa::text::write(&program)),
        Format::Dot => ("cfa.dot", tandem_cfa::dot::write(&program, Default::default())),
        Format::Json => ("cfa.json", tandem_cfa::json::write(&program) + "\n"),
    };
    match &common.output {
        Some(directory) => output::write_file(directory, name, &text)?,
        None => output::show(&text)?,
    }
    Ok(Exit::Success)
}
