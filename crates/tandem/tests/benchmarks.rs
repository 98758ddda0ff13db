//! The automaton of a sample of benchmark tasks, if there are any beside the repository (or where `TANDEM_BENCHMARKS` says).

mod common;

use std::path::{Path, PathBuf};

use common::tandem;

fn collect(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.is_dir() {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

fn benchmarks() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks");
    std::env::var_os("TANDEM_BENCHMARKS").map_or(beside, PathBuf::from)
}

#[test]
fn every_tenth_task_has_an_automaton() {
    let directory = benchmarks();
    if !directory.is_dir() {
        eprintln!("skipped: there are no benchmarks in {}", directory.display());
        return;
    }
    let (mut tasks, mut programs) = (Vec::new(), Vec::new());
    collect(&directory, "yml", &mut tasks);
    collect(&directory.join("fql"), "c", &mut programs);
    tasks.sort();
    let sample: Vec<PathBuf> = tasks.into_iter().step_by(10).chain(programs).collect();
    assert!(!sample.is_empty());
    let mut failures = Vec::new();
    for task in &sample {
        let run = tandem(&["cfa", &task.display().to_string(), "--time-limit", "60s"]);
        if run.status != Some(0) || !run.stdout.starts_with("tandem cfa ") {
            failures.push(format!("{}: {:?} {}", task.display(), run.status, run.stderr));
        }
    }
    assert!(failures.len() * 100 <= sample.len(), "{} of {}:\n{}", failures.len(), sample.len(), failures.join("\n"));
}
