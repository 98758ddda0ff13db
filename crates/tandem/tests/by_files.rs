//! Component-based CEGAR as separate processes with nothing but exchange automata in files between them: the verdicts are those of one process.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Directory, tandem};

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// The program of Figure 15 of the paper on exchange automata, and small ones with branches, calls and loops.
const PROGRAMS: [(&str, &str, i32); 6] = [
    (
        "figure-15",
        "int main(void) {\n  int x = 1;\n  int y = 0;\n  while (y < 1024) {\n    x = 0;\n    y++;\n  }\n  if (x == 0) {\n  } \
         else {\n    reach_error();\n  }\n}\n",
        0,
    ),
    (
        "branches",
        "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  int y = x;\n  if (x > 5) {\n    if (y < 3)\n      reach_error();\n  }\n  \
         if (x == 2 && y != 2)\n    reach_error();\n  return 0;\n}\n",
        0,
    ),
    (
        "lock",
        "int locked = 0;\nvoid lock(void) {\n  if (locked)\n    reach_error();\n  locked = 1;\n}\nvoid unlock(void) {\n  if (!locked)\n    \
         reach_error();\n  locked = 0;\n}\nint main(void) {\n  while (__VERIFIER_nondet_int()) {\n    lock();\n    unlock();\n  }\n  \
         return 0;\n}\n",
        0,
    ),
    (
        "third-round",
        "int main(void) {\n  int n = 0;\n  while (__VERIFIER_nondet_int()) {\n    n++;\n    if (n == 3)\n      reach_error();\n  }\n  return 0;\n}\n",
        1,
    ),
    (
        "one-of-two",
        "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x > 0 && x < 0)\n    reach_error();\n  if (x == 77)\n    reach_error();\n  \
         return 0;\n}\n",
        1,
    ),
    (
        "equal",
        "int main(void) {\n  int i = 0, j = 0;\n  while (__VERIFIER_nondet_int()) {\n    i++;\n    j++;\n  }\n  if (i != j)\n    reach_error();\n  \
         return 0;\n}\n",
        0,
    ),
];

#[test]
fn the_verdicts_are_the_same() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/cc-gia-by-files.sh");
    for (name, program, expected) in PROGRAMS {
        let directory = Directory::new(&format!("by-files-{name}"));
        let file = directory.file("a.c", format!("{DECLARATIONS}{program}"));
        let whole = tandem(&["run", "cc-gia", &file, "--time-limit", "20s"]);
        let parts = Command::new(&script).arg(&file).env("TANDEM", env!("CARGO_BIN_EXE_tandem")).output().unwrap();
        let said = String::from_utf8_lossy(&parts.stdout);
        let said = said.lines().last().unwrap_or_default();
        assert_eq!(whole.status, Some(expected), "{name}: {whole:?}");
        assert_eq!(parts.status.code(), Some(expected), "{name}: {said} {}", String::from_utf8_lossy(&parts.stderr));
        assert_eq!(whole.stdout.lines().last().unwrap_or_default(), said, "{name}");
    }
}

/// A plan that is killed leaves behind what was settled by then, in files that can be read.
#[test]
fn a_killed_plan_leaves_what_was_settled() {
    let directory = Directory::new("killed-plan");
    let program = format!(
        "{DECLARATIONS}int main(void) {{\n  int sure = 1;\n  if (sure == 2)\n    reach_error();\n  while (__VERIFIER_nondet_int()) {{\n    \
         unsigned x = __VERIFIER_nondet_int();\n    if (x * x == 3)\n      reach_error();\n  }}\n  return 0;\n}}\n"
    );
    let file = directory.file("long.c", program);
    let plan = directory
        .file("plan.yml", "plan: long\nabout: The second works for ever.\nsteps:\n  - run: value\n  - run: bmc\n");
    let output = directory.path().join("out");
    let arguments = ["run", &plan, &file, "--time-limit", "60s", "--quiet", "--output"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(arguments)
        .arg(&output)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    while !output.join("journal.json").exists() && start.elapsed() < std::time::Duration::from_secs(30) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let journal = std::fs::read_to_string(output.join("journal.json")).unwrap();
    let journal: serde_json::Value = serde_json::from_str(&journal).unwrap();
    assert_eq!(journal[0]["actor"], "value");
    assert_eq!(journal[1], serde_json::Value::Null);
    // Who goes on with the automaton has only the rest to look at, and finds nothing else in it.
    let gia = output.join("gia.yml").display().to_string();
    assert!(std::fs::read_to_string(&gia).unwrap().contains("unreachable"));
    let run = tandem(&["run", "value", &file, "--given", &gia, "--trust", "gia", "--time-limit", "20s", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["journal"][0]["note"], "on what is not settled", "{run:?}");
}
