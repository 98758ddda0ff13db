//! The output side of `tandem gia convert`: an exchange automaton as a file of another kind.

use std::path::Path;
use std::time::SystemTime;

use tandem_analyses::Task;
use tandem_artifact::convert::{Claim, automaton_of, claim_of, condition_of, content_of, tests_of};
use tandem_artifact::format::{
    condition_spc, gia_yaml, property_file, ranges_yaml, test_case_xml, test_metadata_xml, witness_graphml,
    witness_yaml,
};
use tandem_artifact::gia::Gia;
use tandem_artifact::range::{Bound, Range};
use tandem_artifact::{AutomatonKind, AutomatonMetadata, Producer, Property, Witness, WitnessTask};
use tandem_coop::ranges::range_of_gia;

use super::convert::covers_error;
use super::files::{About, write as write_file};
use crate::arguments_gia::Kind;
use crate::message::Failure;
use crate::watch::Watch;
use crate::{artifacts, output, run_directory};

const PRODUCER: &str = concat!("tandem ", env!("CARGO_PKG_VERSION"));

/// Writes the automaton as a file of this kind; what is lost by that.
pub fn write(
    about: &About,
    property: &Property,
    gia: &Gia,
    to: Kind,
    path: &Path,
    watch: &Watch,
) -> Result<Vec<String>, Failure> {
    let program = &about.program;
    let (file, text) = (about.input.source.file(), about.input.original.as_slice());
    let specification = property_file::write(property);
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    match to {
        Kind::Gia => {
            write_file(path, &gia_yaml::write(gia, program))?;
            Ok(Vec::new())
        }
        Kind::Witness => {
            let claim = claim_of(gia, program);
            let version = env!("CARGO_PKG_VERSION").to_string();
            let description = Some(about.input.identity.in_words());
            let producer = Producer { name: "tandem".to_string(), version, description, ..Producer::default() };
            let task = WitnessTask::new(&[(file, text)], &specification, about.input.model);
            let witness = Witness::new(producer, task, seconds, content_of(&claim.value, program, file));
            write_file(path, &witness_yaml::write(&[witness]))?;
            Ok(claim.lost)
        }
        Kind::WitnessGraphml => {
            let claim = claim_of(gia, program);
            let kind = match claim.value {
                Claim::Violation { .. } => AutomatonKind::Violation,
                Claim::Correctness(_) => AutomatonKind::Correctness,
            };
            let metadata =
                AutomatonMetadata::new(kind, PRODUCER, (file, text), &specification, about.input.model, seconds)
                    .with_identity(&about.input.identity);
            write_file(path, &witness_graphml::write(&automaton_of(&claim.value, program, metadata)))?;
            Ok(claim.lost)
        }
        Kind::Condition => {
            let condition = condition_of(gia, program);
            write_file(path, &condition_spc::write(&condition.value))?;
            Ok(condition.lost)
        }
        Kind::TestSuite => write_tests(about, property, gia, path, watch),
        Kind::Ranges => write_ranges(about, property, gia, path),
    }
}

/// The least range with everything that may be open.
fn write_ranges(about: &About, property: &Property, gia: &Gia, path: &Path) -> Result<Vec<String>, Failure> {
    let task = Task::new(&about.program, property.error_call(), 1);
    let Some(Range { lower, upper }) = range_of_gia(task, gia) else {
        let help = "an automaton that leaves a path open, or has candidates that are not settled";
        return Err(Failure::file(&path.display().to_string(), "no path of the automaton is open", help));
    };
    let number = 1 + usize::from(lower.is_some());
    let bounds: Vec<Bound> = lower.into_iter().chain(upper).collect();
    let ranges = bounds.len() + 1;
    write_file(path, &ranges_yaml::write(&about.subject(), &bounds))?;
    eprintln!("open: range {number} of the {ranges} that the bounds make");
    Ok(vec!["everything but the first and the last path that may be open; conditions".to_string()])
}

fn write_tests(
    about: &About,
    property: &Property,
    gia: &Gia,
    directory: &Path,
    watch: &Watch,
) -> Result<Vec<String>, Failure> {
    let tests = tests_of(gia, &about.program);
    if tests.value.is_empty() {
        let help = "a test comes from a path to a state that is marked reached, with one edge for each step";
        return Err(Failure::file(&directory.display().to_string(), "no path of the automaton gives a test", help));
    }
    let metadata = artifacts::metadata(&about.input, property_file::write(property));
    run_directory::begin_suite(directory)?;
    output::write_file(directory, "metadata.xml", &test_metadata_xml::write(&metadata))?;
    for (index, test) in tests.value.into_iter().enumerate() {
        let mut case = test.case;
        case.covers_error = covers_error(about, property, &case, watch);
        output::write_file(directory, &format!("testcase-{}.xml", index + 1), &test_case_xml::write(&case))?;
    }
    let mut lost = tests.lost;
    lost.push("everything but the inputs of reached paths".to_string());
    Ok(lost)
}
