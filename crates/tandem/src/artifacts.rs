//! The files that a verification leaves in the output directory, each whole or not at all. Decides nothing.

use std::path::Path;

use sha2::{Digest, Sha256};
use tandem_analyses::export::all_unreachable;
use tandem_analyses::replay::{machine, reaches_error};
use tandem_analyses::witness::{About, witnesses};
use tandem_analyses::{Outcome, Task};
use tandem_artifact::convert::{reached_path, targets_of};
use tandem_artifact::format::{
    gia_yaml, harness, property_file, test_case_xml, test_metadata_xml, witness_graphml, witness_yaml,
};
use tandem_artifact::gia::{Gia, Subject};
use tandem_artifact::{Metadata, Property, Verdict, Violation};
use tandem_base::Budget;
use tandem_cfa::exec::Options;

use crate::input::Input;
use crate::message::Failure;
use crate::output::write_file;
use crate::test_of_run::test_of_run;

/// What was found out, and about what.
pub struct Evidence<'a> {
    pub input: &'a Input,
    pub property: &'a Property,
    pub task: Task<'a>,
    pub outcome: &'a Outcome,
}

/// Writes everything that the run produced.
pub fn write(directory: &Path, evidence: &Evidence<'_>, statistics: &str, budget: &Budget) -> Result<(), Failure> {
    write_file(directory, "statistics.json", statistics)?;
    if let Some(violation) = &evidence.outcome.violation {
        write_test_suite(&directory.join("test-suite"), evidence, violation, budget)?;
        let Task { program, error, .. } = evidence.task;
        write_file(directory, "harness.c", &harness::write(program, &violation.run.inputs, &error.functions()))?;
    }
    write_gia(directory, evidence)?;
    write_witnesses(directory, evidence)
}

/// What automata about the input say that they are about.
pub fn subject(input: &Input) -> Subject {
    let file = input.source.file().to_string();
    Subject { file, hash: tandem_artifact::sha256_hex(&input.original), data_model: input.model }
}

/// Which paths are settled, as far as somebody can say.
fn write_gia(directory: &Path, evidence: &Evidence<'_>) -> Result<(), Failure> {
    let Some(gia) = gia(evidence) else { return Ok(()) };
    write_file(directory, "gia.yml", &gia_yaml::write(&gia, evidence.task.program))
}

fn gia(evidence: &Evidence<'_>) -> Option<Gia> {
    let Evidence { input, property, task, outcome } = evidence;
    let targets = || targets_of(task.program, property);
    match (&outcome.verdict, &outcome.violation) {
        (_, Some(violation)) => reached_path(task.program, subject(input), &targets()?, &violation.run).ok(),
        (Verdict::True, None) => Some(all_unreachable(subject(input), targets()?)),
        (Verdict::False | Verdict::Unknown(_), None) => outcome.gia.clone(),
    }
}

/// The witnesses of the verdict, if it has some.
fn write_witnesses(directory: &Path, evidence: &Evidence<'_>) -> Result<(), Failure> {
    let Evidence { input, property, task, outcome } = evidence;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let about = About {
        file: input.source.file(),
        text: &input.original,
        specification: &property_file::write(property),
        producer: "tandem",
        version: env!("CARGO_PKG_VERSION"),
        seconds: now.map_or(0, |since| since.as_secs()),
    };
    let Some((witness, automaton)) = witnesses(*task, outcome, &about) else { return Ok(()) };
    write_file(directory, "witness.yml", &witness_yaml::write(&[witness]))?;
    write_file(directory, "witness.graphml", &witness_graphml::write(&automaton))
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
    let metadata = Metadata {
        source_code_language: "C".into(),
        producer: concat!("tandem ", env!("CARGO_PKG_VERSION")).into(),
        specification: property_file::write(property),
        program_file: input.source.file().to_string(),
        program_hash: sha256(&input.original),
        entry_function: "main".into(),
        architecture: input.model,
        input_test_suite_files: Vec::new(),
        input_test_suite_hashes: Vec::new(),
        creation_time: iso_8601(std::time::SystemTime::now()),
    };
    write_file(directory, "metadata.xml", &test_metadata_xml::write(&metadata))?;
    write_file(directory, "testcase-1.xml", &test_case_xml::write(&case))
}

/// In hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A moment in UTC, such as `2024-02-29T10:00:00Z`.
pub fn iso_8601(time: std::time::SystemTime) -> String {
    let seconds = time.duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since the first day of 1970. Years are counted from March, so that the leap day is
/// the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn moments() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_827_696, "2000-02-29T12:34:56Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(iso_8601(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn hashes() {
        assert!(sha256(b"").starts_with("e3b0c44298fc1c14") && sha256(b"").len() == 64);
    }
}
