//! Ranges from files: bounds, or a test case whose path is one. Decides nothing about the program.

use std::path::Path;

use tandem_analyses::Task;
use tandem_artifact::format::{ranges_yaml, test_case_xml};
use tandem_artifact::range::{Bound, Bounds, Range};
use tandem_artifact::{TestCase, bits};
use tandem_base::Budget;
use tandem_coop::ranges::{induced, stray};

use crate::input::{Input, in_file, read_text};
use crate::message::Failure;

const ACCEPTED: &str = "bounds (ranges.yml) or a test case (.xml)";

/// Whether the file can be read and is about this program.
pub fn check(path: &Path, input: &Input) -> Result<(), Failure> {
    let text = read_text(path, ACCEPTED)?;
    let problem = match text.trim_start().starts_with('<') {
        true => test_case_xml::read(&text).err(),
        false => ranges_yaml::read(&text, &input.subject()).err(),
    };
    problem.map_or(Ok(()), |problem| Err(in_file(path, &text, problem)))
}

/// The ranges between the bounds of a file.
pub fn ranges_of_file(path: &Path, task: Task<'_>, input: &Input, budget: &Budget) -> Result<Vec<Range>, Failure> {
    let text = read_text(path, ACCEPTED)?;
    let from_test = |test: &TestCase| {
        let value = |number: usize, request: tandem_cfa::exec::Request<'_>| {
            test.inputs.get(number).map(|input| bits(&input.value, request.scalar))
        };
        let found = induced(task, &value, budget);
        if let Some(why) = found.note {
            let overlap = if found.bound.goes_on { "; the ranges on both sides of the bound overlap" } else { "" };
            eprintln!("tandem: note: {}: {why}{overlap}", path.display());
        }
        found.bound
    };
    let bounds: Vec<Bound> = if text.trim_start().starts_with('<') {
        let test = test_case_xml::read(&text).map_err(|problem| in_file(path, &text, problem))?;
        vec![from_test(&test)]
    } else {
        let written = ranges_yaml::read(&text, &input.subject()).map_err(|problem| in_file(path, &text, problem))?;
        let bound = |written: &ranges_yaml::Written| match written {
            ranges_yaml::Written::Decisions(bound) => bound.clone(),
            ranges_yaml::Written::Test(test) => from_test(test),
        };
        written.iter().map(bound).collect()
    };
    for bound in &bounds {
        if let Some(at) = stray(task, &bound.decisions) {
            let number = at + 1;
            eprintln!(
                "tandem: note: {}: no path takes decision {number} of a bound; it only orders paths",
                path.display()
            );
        }
    }
    Ok(Bounds::new(bounds).ranges())
}
