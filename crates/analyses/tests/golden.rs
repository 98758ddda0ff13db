//! Small programs with the verdicts that analyses must give. The first lines of each say which: `// value: TRUE`. An analysis
//! that is registered and not named there must not contradict what is. A line `// model: ILP32` chooses the data model; without it a program is
//! run under both.

use std::path::Path;
use std::time::Duration;

use tandem_analyses::compare::verify_by_all;
use tandem_analyses::{NAMES, Task, verify};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, build};

/// Time for one program and one analysis.
const LIMIT: Duration = Duration::from_secs(10);

/// The first lines of the form `// key: value`.
fn header(text: &str) -> Vec<(&str, &str)> {
    text.lines().map_while(|line| line.strip_prefix("// ")?.split_once(": ")).collect()
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::True => "TRUE",
        Verdict::False => "FALSE",
        Verdict::Unknown(_) => "UNKNOWN",
    }
}

/// What is wrong with the verdicts for a program.
fn check(name: &str, text: &str, model: DataModel, failures: &mut Vec<String>) -> usize {
    let built = build(SourceText::plain(name, text.as_bytes().to_vec()), model);
    let Some(program) = built.program else {
        failures.push(format!("{name} ({model:?}): {:?}", built.problems));
        return 0;
    };
    let task = Task::new(&program, &ErrorCall::Usual, 2);
    let mut checked = 0;
    for (analysis, expected) in header(text) {
        if analysis == "model" {
            continue;
        }
        assert!(NAMES.contains(&analysis), "{name}: there is no analysis {analysis}");
        let start = std::time::Instant::now();
        let Some(outcome) = verify(analysis, task, &Budget::with_time(LIMIT)) else { continue };
        println!("{name} ({model:?}), {analysis}: {} in {:.1} s", outcome.verdict, start.elapsed().as_secs_f64());
        checked += 1;
        if word(&outcome.verdict) != expected {
            failures.push(format!("{name} ({model:?}), {analysis}: {}, not {expected}", outcome.verdict));
        }
    }
    checked
}

#[test]
fn verdicts_are_as_written() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut failures, mut checked) = (Vec::new(), 0);
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "c")) {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!header(&text).is_empty(), "{name} says no verdict");
        let models: &[DataModel] = match header(&text).iter().find(|(key, _)| *key == "model") {
            Some((_, "ILP32")) => &[DataModel::Ilp32],
            Some((_, "LP64")) => &[DataModel::Lp64],
            Some((_, other)) => panic!("{name}: there is no data model {other}"),
            None => &[DataModel::Ilp32, DataModel::Lp64],
        };
        for model in models {
            checked += check(&name, &text, *model, &mut failures);
        }
    }
    assert!(checked > 0);
    assert!(failures.is_empty(), "{} of {checked}:\n{}", failures.len(), failures.join("\n"));
}

/// The programs, by name.
fn programs() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// Every analysis, on every fourth program and for a short time; on all programs and for longer if `TANDEM_GOLDEN_ALL` is set.
#[test]
fn no_two_analyses_contradict_each_other() {
    let everything = std::env::var_os("TANDEM_GOLDEN_ALL").is_some();
    let (step, limit) = if everything { (1, Duration::from_secs(60)) } else { (4, Duration::from_secs(3)) };
    let (mut failures, mut solved) = (Vec::new(), 0);
    for (name, text) in programs().into_iter().step_by(step) {
        let model = match header(&text).iter().find(|(key, _)| *key == "model") {
            Some((_, "ILP32")) => DataModel::Ilp32,
            Some(_) | None => DataModel::Lp64,
        };
        let program = build(SourceText::plain(&name, text.as_bytes().to_vec()), model).program.unwrap();
        let task = Task::new(&program, &ErrorCall::Usual, 2);
        let comparison = verify_by_all(task, &Budget::with_time(limit));
        solved += usize::from(comparison.outcome.violation.is_some() || comparison.outcome.verdict == Verdict::True);
        println!("{name}: {}", comparison.outcome.verdict);
        if comparison.contradiction.is_some() {
            failures.push(format!("{name}: {}", comparison.outcome.verdict));
        }
        // What is written for some holds for every analysis that is registered, also for one that is not named in the file.
        let decided =
            header(&text).into_iter().map(|(_, verdict)| verdict).find(|verdict| ["TRUE", "FALSE"].contains(verdict));
        for answer in &comparison.answers {
            let said = word(&answer.outcome.verdict);
            if decided.is_some_and(|decided| said != "UNKNOWN" && said != decided) {
                failures.push(format!("{name}, {}: {said}, and the file says {decided:?}", answer.analysis));
            }
        }
    }
    assert!(solved > 0);
    assert!(failures.is_empty(), "{failures:#?}");
}
