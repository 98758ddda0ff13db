//! The checks that look for wrong verdicts, themselves: they find what is wrong, and say nothing about what is right.

mod common;

use common::{Directory, tandem};
use serde_json::Value;

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";
/// The loop is in line 6, column 3.
const LOOP: &str = "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  int x = 0;\n  while (n != 0) {\n    if (x < 9)\n      \
    x++;\n    n = __VERIFIER_nondet_int();\n  }\n  if (x > 9)\n    reach_error();\n  return 0;\n}\n";
const BUG: &str =
    "int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n == 123456)\n    reach_error();\n  return 0;\n}\n";
const UNDEFINED: &str = "int main(void) {\n  int a[4] = {0}, n = __VERIFIER_nondet_int();\n  if (n >= 0 && n <= 4)\n    a[n] = 1;\n  \
    if (a[0] > 1)\n    reach_error();\n  return 0;\n}\n";

fn program(directory: &Directory, text: &str) -> String {
    directory.file("a.c", format!("{DECLARATIONS}{text}"))
}

#[test]
fn all_analyses_are_asked_and_their_answers_shown() {
    let directory = Directory::new("soundness-all");
    let file = program(&directory, BUG);
    let run = tandem(&["verify", &file, "--all", "--time-limit", "20s", "--quiet"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("Answers:\n") && run.stdout.ends_with("Verdict: FALSE\n"), "{run:?}");
    let run = tandem(&["verify", &file, "--all", "--time-limit", "20s", "--quiet", "--json"]);
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    let answers = told["answers"].as_array().unwrap();
    let verdict =
        |name: &str| answers.iter().find(|answer| answer["analysis"] == name).map(|answer| &answer["verdict"]);
    assert_eq!(told["verdict"], "FALSE");
    assert_eq!(verdict("bmc").unwrap(), "FALSE");
    assert_eq!(verdict("interval").unwrap(), "UNKNOWN");
    assert_eq!(verdict("default"), None);
    assert_eq!(tandem(&["verify", &file, "--all", "--analysis", "bmc"]).status, Some(2));
}

#[test]
fn an_attack_finds_the_error_and_tells_undefined_behaviour_apart() {
    let directory = Directory::new("soundness-attack");
    let attack = |text: &str, model: &str| {
        let file = program(&directory, text);
        tandem(&["attack", &file, "--seconds", "1s", "--data-model", model])
    };
    for model in ["LP64", "ILP32"] {
        let run = attack(BUG, model);
        assert_eq!(run.status, Some(1), "{run:?}");
        assert!(run.stdout.contains("__VERIFIER_nondet_int() = 0x0001e240"), "{run:?}");
    }
    let run = attack(LOOP, "LP64");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("Attack: not reached ("), "{run:?}");
    let run = attack(UNDEFINED, "LP64");
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("Sanitizer: index 4 out of bounds"), "{run:?}");
    let run = attack("int main(void) { __asm__(\"no such instruction\"); return 0; }\n", "LP64");
    assert_eq!(run.status, Some(3), "{run:?}");
}

#[test]
fn witnesses_are_refuted_by_runs_and_never_confirmed() {
    let directory = Directory::new("soundness-refute");
    let file = program(&directory, LOOP);
    let output = directory.path().join("out").display().to_string();
    let run = tandem(&["verify", &file, "--analysis", "k-induction", "--output", &output]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let witness = std::fs::read_to_string(format!("{output}/witness.yml")).unwrap();
    let refute = |text: &str| {
        let path = directory.file("witness.yml", text);
        tandem(&["witness", "validate", &path, &file, "--refute", "--time-limit", "4s"])
    };
    let run = refute(&witness);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stdout.starts_with("Witness: not refuted (1 invariants in "), "{run:?}");
    let changed = |line: &str| match line.split_once("value:") {
        Some((before, _)) => format!("{before}value: \"x <= 3\"\n"),
        None => format!("{line}\n"),
    };
    let run = refute(&witness.lines().map(changed).collect::<String>());
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("Witness: refuted (the invariant `x <= 3` of line 6 does not hold"), "{run:?}");
}
