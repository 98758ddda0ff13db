//! The files that a verification leaves in the output directory, each whole or not at all. Decides nothing.

use std::path::Path;

use tandem_analyses::export::all_unreachable;
use tandem_analyses::replay::{machine, reaches_error};
use tandem_analyses::witness::{About, witnesses};
use tandem_analyses::{Outcome, Task};
use tandem_artifact::convert::targets_of;
use tandem_artifact::format::{
    gia_yaml, harness, property_file, test_case_xml, test_metadata_xml, witness_graphml, witness_yaml,
};
use tandem_artifact::gia::{Gia, Mark};
use tandem_artifact::{Metadata, Property, Verdict, VerdictBasis, Violation};
use tandem_base::Budget;
use tandem_cfa::exec::Options;
use tandem_coop::actors::reached;

use crate::input::Input;
use crate::message::Failure;
use crate::output::write_file;
use crate::run_directory::{begin_suite, write_artifact};
use tandem_artifact::test_of_run;

/// What was found out, and about what.
pub struct Evidence<'a> {
    pub input: &'a Input,
    pub property: &'a Property,
    pub task: Task<'a>,
    pub outcome: &'a Outcome,
    /// What the verdict rests on.
    pub basis: &'a VerdictBasis,
}

/// Writes everything that the run produced.
pub fn write(directory: &Path, evidence: &Evidence<'_>, statistics: &str, budget: &Budget) -> Result<(), Failure> {
    write_artifact(directory, "statistics.json", statistics)?;
    if let Some(violation) = &evidence.outcome.violation {
        write_test_suite(&directory.join("test-suite"), evidence, violation, budget)?;
        let Task { program, error, .. } = evidence.task;
        write_artifact(directory, "harness.c", &harness::write(program, &violation.run.inputs, &error.functions()))?;
    }
    write_witnesses(directory, evidence)?;
    write_gia(directory, evidence)
}

fn write_gia(directory: &Path, evidence: &Evidence<'_>) -> Result<(), Failure> {
    let Some(gia) = gia(evidence) else { return Ok(()) };
    write_artifact(directory, "gia.yml", &gia_yaml::write(&gia, evidence.task.program))
}

/// Which paths are settled, as far as somebody can say.
pub fn gia(evidence: &Evidence<'_>) -> Option<Gia> {
    let Evidence { input, property, task, outcome, .. } = evidence;
    let targets = || targets_of(task.program, property);
    match (&outcome.verdict, &outcome.violation) {
        // Who knows more than the one path says more.
        (_, Some(_)) if outcome.gia.as_ref().is_some_and(|gia| gia.has(Mark::Reached)) => outcome.gia.clone(),
        (_, Some(violation)) => reached(task.program, &input.subject(), &targets()?, violation),
        (Verdict::True, None) => Some(all_unreachable(input.subject(), targets()?)),
        (Verdict::False | Verdict::Unknown(_), None) => outcome.gia.clone(),
    }
}

/// The witnesses of the verdict, if it has some.
fn write_witnesses(directory: &Path, evidence: &Evidence<'_>) -> Result<(), Failure> {
    let Evidence { input, property, task, outcome, basis } = evidence;
    let remarks = basis.lines();
    let description = remarks.join("; ");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let about = About {
        file: input.source.file(),
        text: &input.original,
        identity: &input.identity,
        specification: &property_file::write(property),
        producer: "tandem",
        version: env!("CARGO_PKG_VERSION"),
        description: (!remarks.is_empty()).then_some(description.as_str()),
        seconds: now.map_or(0, |since| since.as_secs()),
    };
    let Some((witness, automaton)) = witnesses(*task, outcome, &about) else { return Ok(()) };
    write_artifact(directory, "witness.yml", &witness_yaml::write(&[witness]))?;
    write_artifact(directory, "witness.graphml", &witness_graphml::write_with_remarks(&automaton, &remarks))
}

/// A suite of one test: the inputs that lead to the error.
fn write_test_suite(
    directory: &Path,
    evidence: &Evidence<'_>,
    violation: &Violation,
    budget: &Budget,
) -> Result<(), Failure> {
    let Evidence { input, property, task, .. } = evidence;
    let mut case = test_of_run(task.program, &violation.run);
    // An error that needs values of uninitialised memory is not reached by the test alone: only a replay can tell.
    let replayed = machine(*task, Options::default()).run(&mut tandem_artifact::TestInputs::new(&case), budget);
    case.covers_error = reaches_error(task.error, &replayed.end);
    let metadata = metadata(input, property_file::write(property));
    begin_suite(directory)?;
    write_file(directory, "metadata.xml", &test_metadata_xml::write(&metadata))?;
    write_file(directory, "testcase-1.xml", &test_case_xml::write(&case))
}

/// What is said of a suite of tests for the input.
pub fn metadata(input: &Input, specification: String) -> Metadata {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Metadata {
        source_code_language: "C".into(),
        producer: concat!("tandem ", env!("CARGO_PKG_VERSION")).into(),
        specification,
        program_file: input.source.file().to_string(),
        program_hash: tandem_artifact::sha256_hex(&input.original),
        entry_function: "main".into(),
        architecture: input.model,
        input_test_suite_files: Vec::new(),
        input_test_suite_hashes: Vec::new(),
        creation_time: tandem_artifact::iso_time(now.map_or(0, |since| since.as_secs())),
    }
}
