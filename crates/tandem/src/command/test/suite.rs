//! The suite on disk: whole at any moment, and never more than a moment behind. Each file is written beside its place and moved there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tandem_analyses::Task;
use tandem_artifact::format::{
    coverage_html, gia_yaml, lcov, property_file, test_case_xml, test_metadata_xml, tests_c,
};
use tandem_artifact::{ErrorCall, TestCase};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_coop::testing::{Accepted, Board, Criterion, gia_of};

use super::report;
use crate::artifacts::metadata;
use crate::input::Input;
use crate::message::Failure;
use crate::output::write_file;
use crate::run_directory::{self, write_artifact};
use crate::run_page::{Moment, Tested, tested};
use tandem_artifact::input_of;

/// How long the paths of tests are looked for.
const PATHS: Duration = Duration::from_millis(300);

pub struct Suite<'a> {
    directory: PathBuf,
    input: &'a Input,
    program: &'a Program,
    criterion: &'a Criterion,
    errors: &'a ErrorCall,
    /// Tests that are on disk.
    written: usize,
}

impl<'a> Suite<'a> {
    /// Makes the directory, with a suite without tests in it. What an earlier run left goes: it would be taken for ours.
    pub fn begin(
        directory: &Path,
        input: &'a Input,
        program: &'a Program,
        criterion: &'a Criterion,
        errors: &'a ErrorCall,
    ) -> Result<Suite<'a>, Failure> {
        run_directory::begin(directory)?;
        let tests = directory.join("test-suite");
        run_directory::begin_suite(&tests)?;
        let metadata = metadata(input, property_file::write(&criterion.property()));
        write_file(&tests, "metadata.xml", &test_metadata_xml::write(&metadata))?;
        Ok(Suite { directory: directory.to_path_buf(), input, program, criterion, errors, written: 0 })
    }

    /// Writes the tests that are new.
    pub fn grow(&mut self, board: &Board<'_>) -> Result<(), Failure> {
        let tests = self.directory.join("test-suite");
        for (index, test) in board.tests.iter().enumerate().skip(self.written) {
            let remarks = remarks(board, test);
            write_file(&tests, &file_name(index), &test_case_xml::write_with(&self.case(test), &remarks))?;
            self.written = index + 1;
        }
        Ok(())
    }

    fn case(&self, test: &Accepted) -> TestCase {
        let inputs = test.inputs.iter().map(|input| input_of(self.program, input)).collect();
        TestCase { inputs, covers_error: self.covers_error(test) }
    }

    /// Whether a test of the suite is there because it reaches the error.
    fn covers_error(&self, test: &Accepted) -> bool {
        matches!(self.criterion, Criterion::ErrorCall(_)) && !test.goals.is_empty()
    }

    /// Leaves the tests that are worth keeping, and writes everything else.
    pub fn finish(&mut self, board: &Board<'_>, kept: &[usize], moments: &[Moment]) -> Result<(), Failure> {
        self.grow(board)?;
        let tests = self.directory.join("test-suite");
        for index in (0..board.tests.len()).filter(|index| !kept.contains(index)) {
            // A test too many does no harm.
            let _ = std::fs::remove_file(tests.join(file_name(index)));
        }
        let remarks: Vec<Vec<String>> = kept.iter().map(|index| goal_names(board, &board.tests[*index])).collect();
        let functions: Vec<tests_c::TestFunction<'_>> = kept
            .iter()
            .zip(&remarks)
            .map(|(index, goals)| tests_c::TestFunction {
                number: index + 1,
                inputs: &board.tests[*index].inputs,
                goals,
                covers_error: self.covers_error(&board.tests[*index]),
            })
            .collect();
        let directory = &self.directory;
        write_artifact(directory, "tests.c", &tests_c::write(self.program, &functions, &self.errors.functions()))?;
        let cmake = tests_c::write_cmake(self.program, &absolute(self.input.source.file()), &functions);
        write_artifact(directory, "CMakeLists.txt", &cmake)?;
        let report = report::report(self.program, self.input, board, kept);
        write_artifact(directory, "coverage.info", &lcov::write(&report))?;
        write_artifact(directory, "coverage.html", &coverage_html::write(&report))?;
        let task = Task::new(self.program, self.errors, 1);
        let gia = gia_of(board, self.input.subject(), task, kept, &Budget::with_time(PATHS));
        write_artifact(directory, "gia.yml", &gia_yaml::write(&gia, self.program))?;
        let run = Tested { input: self.input, report: &report, board, kept, moments, gia: &gia };
        write_artifact(directory, "report.html", &tested(&run))
    }
}

/// The build directory is elsewhere: a relative name would mean another file there.
fn absolute(file: &str) -> String {
    std::fs::canonicalize(file).map_or_else(|_| file.to_string(), |path| path.display().to_string())
}

fn file_name(index: usize) -> String {
    format!("testcase-{}.xml", index + 1)
}

fn goal_names(board: &Board<'_>, test: &Accepted) -> Vec<String> {
    test.goals.iter().map(|goal| board.goals[*goal].name.clone()).collect()
}

fn remarks(board: &Board<'_>, test: &Accepted) -> Vec<String> {
    let names =
        |goals: &[usize]| goals.iter().map(|goal| board.goals[*goal].name.as_str()).collect::<Vec<_>>().join(", ");
    let mut remarks = vec![format!("covers: {}", names(&test.goals))];
    if !test.first.is_empty() {
        remarks.insert(0, format!("found by {}, made for: {}", test.by, names(&test.first)));
    }
    if !test.perhaps.is_empty() {
        let why = "not counted: depends on memory that was never written, or on addresses";
        remarks.push(format!("may cover ({why}): {}", names(&test.perhaps)));
    }
    remarks
}
