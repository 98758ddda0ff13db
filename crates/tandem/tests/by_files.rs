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
