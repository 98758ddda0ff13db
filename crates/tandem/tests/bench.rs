//! `tandem bench` on small task sets: what is run, what is counted, what is written.

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Directory, tandem};
use serde_json::Value;

const BUG: &str = "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";
const ENDLESS: &str = "int main(void) { for (;;) ; }\n";

/// A directory with the tasks `bug`, `wrong` (a bug that is said not to be there), `endless` and `unjudged`.
fn tasks(name: &str) -> Directory {
    let directory = Directory::new(name);
    directory.file("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    directory.file("cover.prp", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n");
    directory.file("bug.c", BUG);
    directory.file("endless.c", ENDLESS);
    let task = |name: &str, program: &str, expected: &str| {
        let other = "  - property_file: cover.prp\n    expected_verdict: true\n";
        let text = format!(
            "format_version: '2.0'\ninput_files: {program}\nproperties:\n{other}  - property_file: p.prp\n{expected}\
             options:\n  language: C\n  data_model: ILP32\n"
        );
        directory.file(&format!("{name}.yml"), text);
    };
    task("bug", "bug.c", "    expected_verdict: false\n");
    task("wrong", "bug.c", "    expected_verdict: true\n");
    task("endless", "endless.c", "    expected_verdict: true\n");
    task("unjudged", "bug.c", "");
    directory
}

const OPTIONS: [&str; 4] = ["--analysis", "random", "--time-limit", "300ms"];

#[test]
fn verdicts_are_counted() {
    let directory = tasks("bench-count");
    let set = directory.file("Small.set", "# comment\nbug.yml\n\nendless.yml\nunjudged.yml\n");
    let output = directory.path().join("out");
    let out = output.display().to_string();
    let run = tandem(&[&["bench", &set, "--jobs", "2", "--output", &out], &OPTIONS[..]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("[1/3] FALSE ") && lines[0].ends_with("/bug"), "{}", run.stdout);
    assert!(lines[1].starts_with("[2/3] UNKNOWN ") && lines[1].ends_with("/endless (time limit)"), "{}", run.stdout);
    assert!(lines[2].contains("not checked"), "{}", run.stdout);
    let row = lines.iter().find(|line| line.starts_with("| Small ")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..10], ["Small", "3", "1", "0", "1", "1", "0", "1", "0"], "{row}");
    let table = std::fs::read_to_string(output.join("table.md")).unwrap();
    assert!(run.stdout.ends_with(&table) && table.contains(row), "{table}");
    let results: Value = serde_json::from_str(&std::fs::read_to_string(output.join("results.json")).unwrap()).unwrap();
    let bug = &results["tasks"][0];
    assert_eq!(
        (&bug["verdict"], &bug["expected"], &bug["data_model"]),
        (&"FALSE".into(), &"FALSE".into(), &"ILP32".into())
    );
    assert!(output.join(bug["output"].as_str().unwrap()).join("test-suite/testcase-1.xml").is_file());
    assert_eq!(results["tasks"].as_array().unwrap().len(), 3);
}

#[test]
fn a_wrong_verdict_is_loud() {
    let directory = tasks("bench-wrong");
    let task = directory.path().join("wrong.yml").display().to_string();
    let run = tandem(&[&["bench", &task], &OPTIONS[..]].concat());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert_eq!(run.stdout.matches("*** says FALSE, expected is TRUE ***").count(), 2, "{}", run.stdout);
    let run = tandem(&[&["bench", &task, "--json"], &OPTIONS[..]].concat());
    let results: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &results["sets"][0]["wrong"]), (Some(1), &1.into()));
}

#[test]
fn every_second_line_begins_with_the_first() {
    let directory = tasks("bench-every");
    let set = directory.file("s.set", "bug.yml\nendless.yml\n# no line\nwrong.yml\nendless.yml\nbug.yml\n");
    let run = tandem(&[&["bench", &set, "--every", "2"], &OPTIONS[..]].concat());
    let names: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(names.len(), 3, "{}", run.stdout);
    assert!(names[0].ends_with("/bug") && names[1].contains("/wrong") && names[2].ends_with("/bug-2"), "{names:?}");
}

#[test]
fn options_are_passed_on() {
    let directory = tasks("bench-options");
    let task = directory.path().join("bug.yml").display().to_string();
    let run = tandem(&[&["bench", &task], &OPTIONS[..], &["--", "--property", "coverage-branches"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("UNKNOWN") && run.stdout.contains("(bad input: this property asks"), "{}", run.stdout);
}

#[test]
fn bad_sets() {
    let directory = tasks("bench-bad");
    let set = directory.file("s.set", "bug.yml\n  none.yml\n");
    let run = tandem(&["bench", &set]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    assert!(run.stderr.starts_with(&format!("{set}:2:3: error: there is no file `none.yml`")), "{}", run.stderr);
    for arguments in [&["bench"] as &[&str], &["bench", &set, "--every", "0"], &["bench", &set, "--jobs", "0"]] {
        assert_eq!(tandem(arguments).status, Some(2), "{arguments:?}");
    }
}

#[test]
fn a_signal_keeps_what_is_done() {
    let directory = tasks("bench-signal");
    let set = directory.file("s.set", "bug.yml\nendless.yml\n");
    let output = directory.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(["bench", &set, "--analysis", "random", "--time-limit", "100s", "--output"]).arg(&output);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    while !output.join("results.json").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let start = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let stdout = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(3), "{stdout}");
    assert!(stdout.contains("Stopped after 1 of 2 tasks."), "{stdout}");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let results: Value = serde_json::from_str(&std::fs::read_to_string(output.join("results.json")).unwrap()).unwrap();
    assert_eq!(results["tasks"].as_array().unwrap().len(), 1);
}
