//! What other programs take from us: `--sarif FILE` for a violation, a proof, something that is not modelled and a bad input; versions,
//! completions, manual pages.

mod common;

use common::{Directory, tandem};
use serde_json::{Value, json};

fn sarif_of(directory: &Directory, program: &str) -> (Option<i32>, Value) {
    let file = directory.file("p.c", program);
    let sarif = directory.path().join("out.sarif").display().to_string();
    let run = tandem(&["verify", &file, "--time-limit", "20s", "--sarif", &sarif]);
    let text = std::fs::read_to_string(&sarif).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    (run.status, serde_json::from_str::<Value>(&text).unwrap()["runs"][0].clone())
}

#[test]
fn a_violation_is_a_result_with_a_flow() {
    let directory = Directory::new("sarif-violation");
    let program = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                   int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 17)\n    reach_error();\n  return 0;\n}\n";
    let (status, run) = sarif_of(&directory, program);
    assert_eq!(status, Some(1));
    let result = &run["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 6);
    assert_eq!(result["locations"][0]["logicalLocations"][0]["name"], "main");
    let steps = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    let words: Vec<&str> = steps.iter().map(|step| step["location"]["message"]["text"].as_str().unwrap()).collect();
    assert!(words.contains(&"x = 17") && words.contains(&"x == 17: yes"), "{words:?}");
    let uri = run["artifacts"][0]["location"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///") && uri.ends_with("/p.c"), "{uri}");
}

#[test]
fn a_proof_has_no_result_and_a_gap_is_a_notification() {
    let directory = Directory::new("sarif-proof");
    let (status, run) = sarif_of(&directory, "int main(void) { return 0; }\n");
    assert_eq!((status, &run["results"], &run["properties"]["verdict"]), (Some(0), &json!([]), &json!("TRUE")));
    let notifications = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!((notifications.len(), &notifications[0]["level"]), (1, &json!("note")), "{run:#}");
    assert_eq!(notifications[0]["message"]["text"], "there is no assertion and no error call in this program");
    let assembler = "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  __asm__(\"incl %0\" : \"+r\"(x));\n\
                     if (x) reach_error();\n  return 0;\n}\n";
    let (status, run) = sarif_of(&directory, assembler);
    assert_eq!((status, &run["results"]), (Some(3), &json!([])));
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notification["descriptor"]["id"], "unsupported", "{run:#}");
    assert_eq!(notification["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
}

#[test]
fn a_bad_input_is_told_there_too() {
    let directory = Directory::new("sarif-bad");
    let (status, run) = sarif_of(&directory, "int main(void) {\n  return 1 +;\n}\n");
    assert_eq!((status, &run["invocations"][0]["executionSuccessful"]), (Some(2), &json!(false)));
    let notification = &run["invocations"][0]["toolConfigurationNotifications"][0];
    assert_eq!(notification["locations"][0]["physicalLocation"]["region"]["startLine"], 2, "{run:#}");
}

#[test]
fn a_plan_writes_it_too() {
    let directory = Directory::new("sarif-plan");
    let file = directory.file("p.c", "extern void reach_error(void);\nint main(void) { reach_error(); return 0; }\n");
    let sarif = directory.path().join("deep/out.sarif").display().to_string();
    let run = tandem(&["run", "cmc", &file, "--time-limit", "20s", "--sarif", &sarif]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(std::fs::read_to_string(&sarif).unwrap().contains("\"reach_error was called\""));
}

/// Every registered analysis is in the help with its sentence.
#[test]
fn the_help_describes_the_analyses() {
    let help = tandem(&["verify", "--help"]).stdout;
    for (name, about) in tandem_analyses::described_names() {
        let described = |line: &str| line.trim().strip_prefix(&format!("- {name}:")).map(str::trim) == Some(about);
        assert!(help.lines().any(described), "{name}: {about}\n{help}");
    }
}

#[test]
fn versions_completions_and_manual_pages() {
    let version = tandem(&["--version"]).stdout;
    let lines: Vec<&str> = version.lines().collect();
    assert_eq!(lines[0], concat!("tandem ", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("Z3 4.") && lines[2].starts_with("CaDiCaL "), "{version}");
    for shell in ["bash", "zsh", "fish"] {
        let run = tandem(&["completions", shell]);
        assert!(run.status == Some(0) && run.stdout.contains("sarif"), "{shell}");
    }
    let directory = Directory::new("man");
    let pages = directory.path().display().to_string();
    assert_eq!(tandem(&["man", "--output", &pages]).status, Some(0));
    let page = std::fs::read_to_string(directory.path().join("tandem-verify.1")).unwrap();
    assert!(page.contains(".TH tandem-verify 1") && page.contains("\\-\\-analysis"), "{page}");
    assert!(tandem(&["man"]).stdout.contains("tandem\\-bench(1)"));
}
