//! What a verdict rests on is said wherever the verdict is: text, JSON, SARIF, witnesses, the page; in `verify`, plans and ranges.

mod common;

use std::process::Command;

use common::{Directory, Run, tandem};
use serde_json::Value;

/// A proof that needs a function without a body, memory and signed arithmetic.
const PROOF: &str = "extern void reach_error(void);\nextern void *malloc(unsigned long);\nextern int sensor(void);\n\
    int main(void) {\n  int *p = malloc(sizeof(int));\n  *p = sensor();\n  int x = *p + 1;\n  if (*p == 3 && x != 4)\n    \
    reach_error();\n  return 0;\n}\n";
const BUG: &str = "extern void reach_error(void);\nextern int sensor(void);\nextern int other(void);\n\
    int main(void) {\n  int x = sensor();\n  if (x == 3)\n    reach_error();\n  return other();\n}\n";
const FUNCTION: &str = "functions without a body return any value and change no memory: sensor";
const ALLOCATION: &str = "allocation never fails";
const OVERFLOW: &str = "signed overflow wraps around";

fn file(directory: &Directory, text: &str) -> String {
    directory.file("a.c", text)
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

/// The lines that say something about the verdict, which is the last one.
fn assumed(run: &Run) -> Vec<&str> {
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines.last().is_some_and(|last| last.starts_with("Verdict: ")), "{run:?}");
    lines.iter().filter_map(|line| line.strip_prefix("Assuming: ")).collect()
}

fn notes(run: &Run) -> Vec<&str> {
    run.stdout.lines().filter_map(|line| line.strip_prefix("Note: ")).collect()
}

fn kinds(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|one| one["kind"].as_str()).collect()
}

#[test]
fn text_says_what_a_proof_rests_on() {
    let directory = Directory::new("assumptions-text");
    let run = tandem(&["verify", &file(&directory, PROOF), "--analysis", "bmc"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(assumed(&run), [FUNCTION, ALLOCATION, OVERFLOW]);
    assert_eq!(notes(&run), ["no run reads or writes outside of an object (proved by bmc)"]);
}

#[test]
fn text_says_what_a_violation_rests_on() {
    let directory = Directory::new("assumptions-violation");
    let run = tandem(&["verify", &file(&directory, BUG)]);
    assert_eq!(run.status, Some(1), "{run:?}");
    // The other function is called by no step of the run.
    assert_eq!(assumed(&run), [FUNCTION]);
}

#[test]
fn plans_and_ranges_say_it_too() {
    let directory = Directory::new("assumptions-plans");
    let file = file(&directory, PROOF);
    for arguments in [
        &["verify", &file, "--plan", "cc-gia"][..],
        &["run", "parallel", &file],
        &["verify", &file, "--analysis", "symbolic,bmc", "--splitter", "lb3"],
    ] {
        let run = tandem(arguments);
        assert_eq!(run.status, Some(0), "{arguments:?}: {run:?}");
        let said = assumed(&run);
        assert!(said.starts_with(&[FUNCTION, ALLOCATION]) && said.contains(&OVERFLOW), "{arguments:?}: {run:?}");
    }
}

#[test]
fn json_has_the_names_and_places() {
    let directory = Directory::new("assumptions-json");
    let file = file(&directory, PROOF);
    let value = json(&tandem(&["verify", &file, "--analysis", "bmc", "--json"]));
    assert_eq!(kinds(&value["assumptions"]), ["functions-without-body", "allocation", "signed-overflow"]);
    let functions = &value["assumptions"][0];
    assert_eq!((&functions["text"], &functions["names"]), (&FUNCTION.into(), &serde_json::json!(["sensor"])));
    assert_eq!(functions["places"][0]["line"], 6);
    assert_eq!(value["assumptions"][1]["places"][0]["line"], 5);
    assert_eq!(kinds(&value["notes"]), ["undefined-behaviour-excluded"]);
}

#[test]
fn without_a_verdict_nothing_is_assumed() {
    let directory = Directory::new("assumptions-unknown");
    let endless = "extern void reach_error(void);\nextern int sensor(void);\nint main(void) {\n  \
                   while (sensor() != 12345678) ;\n  reach_error();\n  for (;;) ;\n}\n";
    let file = file(&directory, endless);
    let arguments = ["verify", &file, "--analysis", "interval", "--time-limit", "2s"];
    let run = tandem(&arguments);
    assert_eq!((run.status, assumed(&run)), (Some(3), Vec::new()), "{run:?}");
    let value = json(&tandem(&[&arguments[..], &["--json"]].concat()));
    assert_eq!((&value["verdict"], &value["assumptions"]), (&"UNKNOWN".into(), &serde_json::json!([])));
}

#[test]
fn a_program_in_which_nothing_can_be_violated() {
    let directory = Directory::new("assumptions-nothing");
    let file = directory.file("a.c", "extern int sensor(void);\nint main(void) {\n  return sensor();\n}\n");
    let run = tandem(&["verify", &file]);
    let expected = "Note: there is no assertion and no error call in this program\nVerdict: TRUE\n";
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), expected), "{run:?}");
    let value = json(&tandem(&["verify", &file, "--json"]));
    assert_eq!(kinds(&value["notes"]), ["nothing-to-violate"]);
    let asserted = "#include <assert.h>\nint main(void) {\n  int x = 3;\n  assert(x == 3);\n  return 0;\n}\n";
    let run = tandem(&["verify", &directory.file("b.c", asserted)]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "Verdict: TRUE\n"), "{run:?}");
}

#[test]
fn files_say_it_and_can_be_read_back() {
    let directory = Directory::new("assumptions-files");
    for (name, text, status) in [("proof", PROOF, 0), ("bug", BUG, 1)] {
        let file = directory.file(&format!("{name}.c"), text);
        let output = directory.path().join(name);
        let sarif = directory.path().join(format!("{name}.sarif")).display().to_string();
        let run = tandem(&["verify", &file, "--output", &output.display().to_string(), "--sarif", &sarif]);
        assert_eq!(run.status, Some(status), "{run:?}");
        let written = |file: &str| std::fs::read_to_string(output.join(file)).unwrap();
        let line = format!("Assuming: {FUNCTION}");
        for file in ["witness.yml", "witness.graphml"] {
            assert!(written(file).contains(&line), "{file}: {}", written(file));
        }
        let page = written("report.html");
        assert!(page.contains("functions without a body return any value") && page.contains(">sensor</a>"), "{name}");
        let statistics: Value = serde_json::from_str(&written("statistics.json")).unwrap();
        assert!(kinds(&statistics["assumptions"]).contains(&"functions-without-body"));

        let sarif: Value = serde_json::from_str(&std::fs::read_to_string(&sarif).unwrap()).unwrap();
        let invocation = &sarif["runs"][0]["invocations"][0];
        let notifications = invocation["toolExecutionNotifications"].as_array().unwrap();
        let about = notifications.iter().find(|one| one["properties"]["kind"] == "functions-without-body").unwrap();
        assert_eq!((&about["level"], &about["descriptor"]["id"]), (&"note".into(), &"assumption".into()));
        assert_eq!(about["properties"]["names"][0], "sensor");
        assert!(about["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), "{about}");

        for witness in ["witness.yml", "witness.graphml"] {
            let witness = output.join(witness).display().to_string();
            let run = tandem(&["witness", "validate", &witness, &file]);
            assert!(run.stdout.ends_with("Witness: confirmed\n"), "{witness}: {run:?}");
        }
    }
}

/// The script that compares verdicts with a list of those that are allowed.
#[test]
fn a_script_says_which_verdicts_are_not_allowed() {
    let directory = Directory::new("assumptions-script");
    directory.file("proof.c", PROOF);
    directory.file("bug.c", BUG);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/honest-cases.sh");
    let run = |list: &str| {
        directory.file("expected.tsv", list);
        let mut command = Command::new("bash");
        command.arg(script).arg(directory.path()).env("TANDEM", env!("CARGO_BIN_EXE_tandem"));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let met = run("file\tallowed verdicts\nproof.c\tTRUE\nbug.c\tUNKNOWN FALSE\n");
    assert_eq!(met, (Some(0), "2 of 2 met\n".to_string()));
    // Without a heading and a line break at the end, a program that is not there, and a verdict that is not allowed.
    let missed = run("proof.c\tTRUE\nbug.c\tTRUE UNKNOWN\nabsent.c\tTRUE");
    let expected = "bug.c: FALSE, allowed: TRUE UNKNOWN\nabsent.c: not there\n1 of 3 met\n";
    assert_eq!(missed, (Some(1), expected.to_string()));
    assert_eq!(run("").0, Some(1), "an empty list shows nothing");
}
