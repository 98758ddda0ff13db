//! `tandem witness join`: several correctness witnesses, each about a part of the runs of a program, as one about all of them.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tandem_analyses::validate::{Claim as Said, mismatch};
use tandem_artifact::convert::{automaton_of, content_of, join_invariants, loop_invariants};
use tandem_artifact::format::{property_file, witness_graphml, witness_yaml};
use tandem_artifact::{
    AutomatonKind, AutomatonMetadata, Producer, Witness, WitnessContent, WitnessInvariant, WitnessTask,
};

use super::read;
use crate::arguments::Join;
use crate::command::gia::write;
use crate::input::load;
use crate::message::{Exit, Failure};
use crate::program;

pub fn run(arguments: &Join) -> Result<Exit, Failure> {
    let Some((file, witnesses)) = arguments.files.split_last() else {
        return Err(Failure::file("tandem", "no files", "accepted are witnesses and, at last, the program"));
    };
    let common = arguments.reading.common(file);
    let input = load(&common)?;
    let property = input.property(&common)?;
    let program = program::build(&input)?;
    let subject = input.subject();
    let mut said = Vec::new();
    for path in witnesses {
        let claim = read(path)?;
        if let Some(why) = mismatch(&claim, &subject, &property) {
            let help = format!("a witness about {} and the property asked about", input.source.file());
            return Err(Failure::file(&path.display().to_string(), why, help));
        }
        said.push(invariants(path, claim)?);
    }
    let joined = join_invariants(&program, &said);
    for lost in &joined.lost {
        eprintln!("tandem: note: left out: {lost}");
    }
    let (name, specification) = (input.source.file(), property_file::write(&property));
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let version = env!("CARGO_PKG_VERSION");
    let is_graphml = arguments.output.extension().is_some_and(|extension| extension == "graphml" || extension == "xml");
    let text = if is_graphml {
        let producer = format!("tandem {version}");
        let kind = AutomatonKind::Correctness;
        let about = (name, input.original.as_slice());
        let metadata = AutomatonMetadata::new(kind, &producer, about, &specification, input.model, seconds);
        let metadata = metadata.with_identity(&input.identity);
        witness_graphml::write(&automaton_of(&joined.value, &program, metadata))
    } else {
        let description = Some(input.identity.in_words());
        let producer = Producer { name: "tandem".into(), version: version.into(), description, ..Producer::default() };
        let task = WitnessTask::new(&[(name, &input.original)], &specification, input.model);
        let content = content_of(&joined.value, &program, name);
        witness_yaml::write(&[Witness::new(producer, task, seconds, content)])
    };
    write(&arguments.output, &text)?;
    Ok(Exit::Success)
}

/// What a witness claims; a violation cannot be joined.
fn invariants(path: &Path, claim: Said) -> Result<Vec<WitnessInvariant>, Failure> {
    let name = path.display().to_string();
    let violation = || Failure::file(&name, "this is a violation witness", "accepted are correctness witnesses");
    match claim {
        Said::Automaton(automaton) if automaton.metadata.kind == AutomatonKind::Violation => Err(violation()),
        Said::Automaton(automaton) => {
            let found = loop_invariants(&automaton);
            found.lost.iter().for_each(|lost| eprintln!("tandem: note: {name}: left out: {lost}"));
            Ok(found.value)
        }
        Said::Entries(entries) => {
            let mut all = Vec::new();
            for entry in entries {
                match entry.content {
                    WitnessContent::Correctness(invariants) => all.extend(invariants),
                    WitnessContent::Violation(_) => return Err(violation()),
                }
            }
            Ok(all)
        }
    }
}
