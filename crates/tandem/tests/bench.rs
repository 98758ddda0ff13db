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

#[test]
fn a_run_is_gone_on_with() {
    let directory = tasks("bench-resume");
    let set = directory.file("s.set", "bug.yml\nendless.yml\n");
    let output = directory.path().join("out");
    let out = output.display().to_string();
    let run = |more: &[&str]| tandem(&[&["bench", &set, "--output", &out, "--resume"], &OPTIONS[..], more].concat());
    assert_eq!(run(&[]).status, Some(0));
    // As if it had been cut off after the first task, whose time nobody would measure twice.
    let path = output.join("results.json");
    let mut results: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    results["tasks"].as_array_mut().unwrap().truncate(1);
    results["tasks"][0]["time_s"] = 77.5.into();
    std::fs::write(&path, results.to_string()).unwrap();
    let again = run(&[]);
    assert_eq!(again.status, Some(0), "{again:?}");
    assert!(again.stdout.contains("77.50s") && again.stdout.contains("[2/2] UNKNOWN"), "{}", again.stdout);
    let results: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((results["tasks"].as_array().unwrap().len(), &results["tasks"][0]["time_s"]), (2, &77.5.into()));
    // Other settings would be another run.
    let other = run(&["--jobs", "2"]);
    assert_eq!(other.status, Some(2), "{other:?}");
    assert!(other.stderr.contains("jobs was 1, and is 2"), "{}", other.stderr);
}

#[test]
fn pages_tables_and_patterns() {
    let directory = tasks("bench-page");
    let pattern = directory.path().join("[bw]*.yml").display().to_string();
    let out = directory.path().join("out").display().to_string();
    let run = tandem(&[&["bench", &pattern, "--output", &out], &OPTIONS[..]].concat());
    assert_eq!(run.status, Some(1), "{run:?}");
    let read = |name: &str| std::fs::read_to_string(directory.path().join("out").join(name)).unwrap();
    let page = read("report.html");
    assert!(page.contains("<b>WRONG</b>") && page.contains("1 of 2 solved, 1 wrong") && page.contains("Quantile plot"));
    // What is wrong stands above everything else.
    assert!(page.find("<b>WRONG</b>").unwrap() < page.find("<section>").unwrap());
    let csv = read("results.csv");
    assert_eq!(csv.lines().next().unwrap(), "set,task,expected,verdict,status,time_s,analysis,reason");
    assert!(csv.lines().nth(2).unwrap().contains(",TRUE,FALSE,WRONG,"), "{csv}");
    let none = directory.path().join("x*.yml").display().to_string();
    assert_eq!(tandem(&["bench", &none]).status, Some(2));
}

#[test]
fn runs_are_compared() {
    let directory = tasks("bench-compare");
    let set = directory.file("s.set", "bug.yml\nendless.yml\n");
    let [one, two] = ["one", "two"].map(|name| directory.path().join(name).display().to_string());
    assert_eq!(tandem(&[&["bench", &set, "--output", &one], &OPTIONS[..]].concat()).status, Some(0));
    let second = tandem(&["bench", &set, "--output", &two, "--analysis", "bmc", "--time-limit", "10s"]);
    assert_eq!(second.status, Some(0), "{second:?}");
    let pages = directory.path().join("pages").display().to_string();
    let compared = tandem(&["bench", "compare", &one, &two, "--output", &pages, "--json"]);
    let object: Value = serde_json::from_str(&compared.stdout).unwrap();
    assert_eq!((compared.status, &object["tasks"], &object["both"]), (Some(0), &2.into(), &1.into()), "{object:#}");
    let page = std::fs::read_to_string(directory.path().join("pages/compare.html")).unwrap();
    assert!(page.contains("Scatter plot") && page.contains("<circle"));
    let text = tandem(&["bench", "compare", &one, &two]).stdout;
    assert!(text.contains("| 2 | 1 |"), "{text}");
    let reasons = tandem(&["bench", "reasons", &one]).stdout;
    assert!(reasons.contains("| 1 | time limit | s 1 |"), "{reasons}");
    assert_eq!(tandem(&["bench", "compare", &one, &set]).status, Some(2));
    let table = std::fs::read_to_string(directory.path().join("one/table.md")).unwrap();
    assert_eq!(tandem(&["bench", "table", &one]).stdout, table);
    let matrix = tandem(&["bench", "table", &one, &two]).stdout;
    assert!(matrix.contains("| set | tasks | one | two |") && matrix.contains("| s | 2 | 1 |"), "{matrix}");
    assert!(matrix.contains("| proofs / alarms / wrong | 2 | 0 / 1 / 0 |"), "{matrix}");
}
