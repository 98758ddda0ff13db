//! The output directory of a run. What an earlier run left there goes before the next one begins, so that a directory never shows two runs;
//! what Tandem did not write stays. Knows no artifact by name: a list in the directory says which files were written.

use std::io::ErrorKind;
use std::path::Path;

use tandem_artifact::format::test_metadata_xml;

use crate::message::Failure;
use crate::output::{prepare, write_file};

/// The names of the files that were written, one in each line.
const LIST: &str = "tandem-files.txt";
const SUITE: &str = "test-suite";
const METADATA: &str = "metadata.xml";

/// Makes the directory, and takes away what an earlier run left. To be called when nothing is wrong with the input any more.
pub fn begin(directory: &Path) -> Result<(), Failure> {
    prepare(directory)?;
    let suite = directory.join(SUITE);
    let names = listed(directory);
    refuse_tests_of_others(&suite)?;
    for name in names {
        remove(&directory.join(name))?;
    }
    remove(&directory.join(LIST))?;
    clear_suite(&suite)
}

/// Makes a directory for test cases, and takes away those of an earlier run. One with tests that Tandem did not write is refused.
pub fn begin_suite(directory: &Path) -> Result<(), Failure> {
    refuse_tests_of_others(directory)?;
    clear_suite(directory)?;
    prepare(directory)
}

/// Writes a file of the output directory, which the next run takes away.
pub fn write_artifact(directory: &Path, name: &str, content: &str) -> Result<(), Failure> {
    let mut names = listed(directory);
    if !names.iter().any(|listed| listed == name) {
        names.push(name.to_string());
        names.sort();
        write_file(directory, LIST, &format!("{}\n", names.join("\n")))?;
    }
    write_file(directory, name, content)
}

/// The files that an earlier run, or this one, has written. A line that is no plain name of a file was not written by us.
fn listed(directory: &Path) -> Vec<String> {
    let list = std::fs::read_to_string(directory.join(LIST)).unwrap_or_default();
    let is_plain = |name: &&str| !name.is_empty() && !name.contains('/') && *name != "." && *name != "..";
    list.lines().filter(is_plain).map(str::to_string).collect()
}

fn is_test(name: &str) -> bool {
    name.starts_with("testcase-") && name.ends_with(".xml")
}

/// The names in a directory; none if there is no such directory.
fn entries(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The metadata of a suite says who made it.
fn refuse_tests_of_others(suite: &Path) -> Result<(), Failure> {
    let has_tests = entries(suite).iter().any(|name| name.ends_with(".xml"));
    let metadata = std::fs::read_to_string(suite.join(METADATA)).unwrap_or_default();
    let is_ours = || test_metadata_xml::read(&metadata).is_ok_and(|metadata| metadata.producer.starts_with("tandem"));
    if !has_tests || is_ours() {
        return Ok(());
    }
    let help = "another directory for the output, or the tests moved elsewhere; nothing was changed";
    Err(Failure::file(&suite.display().to_string(), "there are test cases in it that Tandem did not write", help))
}

/// Takes away the tests and their metadata; the directory goes, too, if nothing else is in it.
fn clear_suite(suite: &Path) -> Result<(), Failure> {
    for name in entries(suite).into_iter().filter(|name| is_test(name) || name == METADATA) {
        remove(&suite.join(name))?;
    }
    // With files of others in it, it stays.
    let _ = std::fs::remove_dir(suite);
    Ok(())
}

fn remove(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            let message = format!("this file of an earlier run cannot be removed: {error}");
            let help = "--output takes a directory in which files can be written and removed";
            Err(Failure::file(&path.display().to_string(), message, help))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
