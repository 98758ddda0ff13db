//! Test cases from files: one, or a directory of them. Knows no program.

use std::path::Path;

use tandem_artifact::TestCase;
use tandem_artifact::format::{test_case_xml, test_metadata_xml};

use crate::input::{in_file, read_text};
use crate::message::Failure;

/// Reads one test case.
pub fn read_test(path: &Path) -> Result<TestCase, Failure> {
    let text = read_text(path, "a test case: an XML file with <testcase>")?;
    test_case_xml::read(&text).map_err(|problem| in_file(path, &text, problem))
}

/// Reads the test cases of a directory, by file name. The metadata must be well-formed if it is there.
pub fn read_suite(directory: &Path) -> Result<Vec<(String, TestCase)>, Failure> {
    let complain = |message: String| {
        let help = "accepted is a directory with one XML file per test case and a metadata.xml";
        Failure::file(&directory.display().to_string(), message, help)
    };
    let entries = std::fs::read_dir(directory).map_err(|error| complain(format!("not a test suite: {error}")))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "xml"));
    paths.sort();
    let mut tests = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "metadata.xml" {
            let text = read_text(&path, "the metadata of a test suite")?;
            test_metadata_xml::read(&text).map_err(|problem| in_file(&path, &text, problem))?;
        } else {
            tests.push((name, read_test(&path)?));
        }
    }
    if tests.is_empty() { Err(complain("there is no test case in it".into())) } else { Ok(tests) }
}
