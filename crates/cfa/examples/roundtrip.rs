//! Builds, checks, writes and reads back the C programs given: `roundtrip [--model ILP32|LP64] FILE_OR_DIRECTORY...`
//!
//! For each program it says what is wrong with it (invariants that do not hold, texts that do not come back as the same
//! program); at the end it counts. Files are taken as they are, without a preprocessor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tandem_base::SourceText;
use tandem_cfa::check::check;
use tandem_cfa::{build, text};
use tandem_syntax::DataModel;

fn main() -> ExitCode {
    let mut model = None;
    let mut files = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--model" {
            model = arguments.next().and_then(|name| DataModel::from_name(&name));
        } else {
            collect(Path::new(&argument), &mut files);
        }
    }
    files.sort();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in &files {
        let model = model.unwrap_or_else(|| model_of_task(file));
        let (outcome, text) = round_trip(file, model);
        if outcome != "same" && outcome != "rejected" {
            println!("{}: {text}", file.display());
        }
        *counts.entry(outcome).or_default() += 1;
    }
    for (outcome, count) in &counts {
        println!("{count:7} {outcome}");
    }
    if counts.keys().all(|outcome| outcome == "same" || outcome == "rejected") {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        entries.flatten().for_each(|entry| collect(&entry.path(), files));
    } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
        files.push(path.to_path_buf());
    }
}

/// The data model that the task definition beside the file names; LP64 without one.
fn model_of_task(file: &Path) -> DataModel {
    let task = std::fs::read_to_string(file.with_extension("yml")).unwrap_or_default();
    if task.contains("ILP32") { DataModel::Ilp32 } else { DataModel::Lp64 }
}

/// What became of a program, as a word for the statistics and a text for people.
fn round_trip(file: &Path, model: DataModel) -> (String, String) {
    let Ok(bytes) = std::fs::read(file) else { return ("rejected".into(), String::new()) };
    let built = build(SourceText::plain(&file.to_string_lossy(), bytes), model);
    let Some(program) = built.program else { return ("rejected".into(), String::new()) };
    let violations = check(&program);
    if let Some(first) = violations.first() {
        let text = format!("{} violations, the first: {first}", violations.len());
        return (format!("invariant {}", first.invariant), text);
    }
    let written = text::write(&program);
    match text::read(&written) {
        Err(error) => {
            let line = written.lines().nth(error.line as usize - 1).unwrap_or("");
            ("not read".into(), format!("not read: {error}: {line}"))
        }
        Ok(again) if !text::same_program(&program, &again) => ("different".into(), "read as another program".into()),
        Ok(again) if text::write(&again).is_empty() => ("different".into(), "written as nothing".into()),
        Ok(_) => ("same".into(), String::new()),
    }
}
