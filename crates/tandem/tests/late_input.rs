//! A read of memory that was never written, in a condition, hides no input that comes later from the witness.

mod common;

use common::tandem;

const PROGRAM: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int unset;
  int a = __VERIFIER_nondet_int();
  if (unset != 3) a++;
  int b = __VERIFIER_nondet_int();
  if (a == 77 && b == 1234) reach_error();
  return 0;
}
";

#[test]
fn inputs_behind_an_uninitialised_condition_are_in_the_witness() {
    let directory = std::env::temp_dir().join(format!("tandem-late-input-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let file = directory.join("late.c");
    std::fs::write(&file, PROGRAM).unwrap();
    let output = directory.join("output");
    let run = tandem(&["verify", &file.display().to_string(), "--output", &output.display().to_string()]);
    let witness = std::fs::read_to_string(output.join("witness.yml")).unwrap_or_default();
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    assert!(witness.contains("1234"), "{witness}");
}

/// What we write about a proof is understood and confirmed by ourselves.
#[test]
fn a_witness_with_a_choice_in_its_proof_is_confirmed() {
    let directory = common::Directory::new("own-witness");
    let program = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int ring[5];
  int at = 0;
  while (__VERIFIER_nondet_int()) {
    if (at == 4) at = 0;
    ring[at] = 0;
    at++;
  }
  if (at < 0 || at > 4) reach_error();
  return 0;
}
";
    let file = directory.file("ring.c", program);
    let output = directory.path().join("output").display().to_string();
    let run = tandem(&["verify", &file, "--analysis", "k-induction", "--output", &output, "--time-limit", "20s"]);
    assert_eq!(run.status, Some(0), "{}", run.stdout);
    let witness = format!("{output}/witness.yml");
    let run = tandem(&["witness", "validate", &witness, &file, "--time-limit", "30s"]);
    assert_eq!(run.status, Some(0), "{} {}", run.stdout, std::fs::read_to_string(witness).unwrap_or_default());
}
