//! `tandem gia combine`: what several automata know, in one file. A contradiction is refused with a path that shows it.

use std::path::PathBuf;

use tandem_artifact::format::gia_yaml;
use tandem_artifact::gia::{Gia, combine};
use tandem_coop::check::{Checking, Judgement, consistent};

use super::files::{About, write};
use crate::arguments_gia::GiaCombine;
use crate::message::{Exit, Failure};
use crate::watch::Watch;

pub fn run(arguments: &GiaCombine, watch: &Watch) -> Result<Exit, Failure> {
    let common = arguments.reading.common(&arguments.program);
    let about = About::load(&common)?;
    let property = about.input.property(&common)?;
    let checking = Checking { error: property.error_call(), threads: 1, budget: &watch.budget };
    let mut automata: Vec<(&PathBuf, Gia)> = Vec::new();
    for path in &arguments.automata {
        automata.push((path, about.read(path)?));
    }
    for (index, (path, gia)) in automata.iter().enumerate() {
        for (before, other) in &automata[..index] {
            // What nobody can tell is no contradiction: automata that are correct do not contradict each other.
            if let Judgement::Incorrect(shown) = consistent(&about.program, gia, other, checking) {
                let message =
                    format!("contradicts {}: one calls a path unreachable, the other reached", before.display());
                return Err(Failure::file(&path.display().to_string(), message, format!("the path is {shown}")));
            }
        }
    }
    let all: Vec<&Gia> = automata.iter().map(|(_, gia)| gia).collect();
    let combined = combine(&all).map_err(|mismatch| {
        Failure::file(&arguments.program.display().to_string(), mismatch.to_string(), "automata about this program")
    })?;
    write(&arguments.output, &gia_yaml::write(&combined, &about.program))?;
    Ok(Exit::Success)
}
