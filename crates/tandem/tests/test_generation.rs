//! `tandem test`: what is decided, what is on disk, and what hostile programs do to it.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Directory, Run, tandem};

/// The first example of the paper on exchange automata (its Fig. 2), as a program of our own.
const FIRST: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 5) {
    return 0;
  } else {
    x++;
    if (x == 5) { return 1; } else { return 2; }
  }
}
";

/// The extended one (Fig. 18).
const SECOND: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 5) {
    x--;
    if (x == 0) { return 1; }
    return 0;
  } else {
    x++;
    if (x == 5) { return 0; }
    else {
      x++;
      if (x == 9) { return 3; } else { return 5; }
    }
  }
}
";

/// Covered, unreachable, open, goals, tests: the numbers of the last line.
fn numbers(run: &Run) -> [usize; 5] {
    let last = run.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("Coverage: "), "{run:?}");
    let numbers: Vec<usize> = last.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
    let numbers: [usize; 5] = numbers.try_into().unwrap_or_else(|_| panic!("{last}"));
    assert_eq!(numbers[0] + numbers[1] + numbers[2], numbers[3], "{last}");
    numbers
}

fn test(directory: &Directory, name: &str, text: &str, more: &[&str]) -> Run {
    let file = directory.file(name, text);
    let mut arguments = vec!["test", &file];
    arguments.extend(more);
    if !more.contains(&"--time-limit") {
        arguments.extend(["--time-limit", "10s"]);
    }
    tandem(&arguments)
}

fn tests_on_disk(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory.join("test-suite")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut tests: Vec<PathBuf> =
        paths.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("testcase-")).collect();
    tests.sort();
    tests
}

#[test]
fn the_examples_of_the_paper_are_decided() {
    let directory = Directory::new("paper");
    for (name, text, expected, most) in [("a1.c", FIRST, [3, 1, 0, 4], 2), ("a2.c", SECOND, [7, 1, 0, 8], 5)] {
        for threads in ["1", "2"] {
            let run = test(&directory, name, text, &["--cover", "branches", "--threads", threads]);
            let found = numbers(&run);
            assert_eq!(found[..4], expected, "{name}");
            assert!(found[4] <= most, "{name}: {found:?}");
            assert_eq!(run.status, Some(0));
        }
    }
}

#[test]
fn every_criterion_is_understood() {
    let directory = Directory::new("criteria");
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int f(int a) { return a; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = 0;
  if (x > 3 && f(x) < 10) { y = 1; }
  if (x == 77 && y == 1) { y = 3; }
  if (x == 12345) { reach_error(); }
  return y;
}
";
    for (criterion, expected) in [
        ("branches", [5, 1, 0, 6]),
        ("conditions", [9, 1, 0, 10]),
        ("error-call", [1, 0, 0, 1]),
        ("calls", [3, 0, 0, 3]),
    ] {
        let run = test(&directory, "criteria.c", text, &["--cover", criterion]);
        assert_eq!(numbers(&run)[..4], expected, "{criterion}: {run:?}");
    }
    let [covered, unreachable, open, ..] = numbers(&test(&directory, "criteria.c", text, &["--cover", "statements"]));
    assert!(covered >= 9 && unreachable == 1 && open == 0, "{covered} {unreachable} {open}");
    let run = test(&directory, "criteria.c", text, &["--cover", "everything"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("unknown criterion `everything`") && run.stderr.contains("branches"), "{run:?}");
}

#[test]
fn the_suite_covers_what_was_said() {
    let directory = Directory::new("suite");
    let output = directory.path().join("out");
    let shown = output.display().to_string();
    let run = test(&directory, "a2.c", SECOND, &["--cover", "branches", "--output", &shown]);
    let [covered, .., tests] = numbers(&run);
    assert_eq!(tests_on_disk(&output).len(), tests);
    let file = directory.path().join("a2.c").display().to_string();
    let suite = output.join("test-suite").display().to_string();
    let replayed = tandem(&["exec", &file, "--suite", &suite]);
    assert!(replayed.stdout.contains(&format!("{covered} of 8 branches")), "{replayed:?}");
    let info = std::fs::read_to_string(output.join("coverage.info")).unwrap();
    assert!(info.contains("BRF:8\nBRH:7\n") && info.contains("BRDA:10,0,0,-"), "{info}");
    let page = std::fs::read_to_string(output.join("coverage.html")).unwrap();
    assert!(page.contains("7 covered") && page.contains("1 unreachable (proved)"));
    let first = std::fs::read_to_string(&tests_on_disk(&output)[0]).unwrap();
    assert!(first.contains("covers: ") && first.contains("<input type=\"int\">"), "{first}");
    assert!(output.join("gia.yml").exists());
    compiled_tests_run(&output, &file, tests);
}

/// The tests as C functions, if there is a compiler.
fn compiled_tests_run(output: &Path, program: &str, tests: usize) {
    let build = |arguments: &[&str]| Command::new("gcc").args(arguments).current_dir(output).status();
    let Ok(status) = build(&["-w", "-Dmain=tandem_program_main", "-c", program, "-o", "program.o"]) else {
        eprintln!("skipped: there is no gcc");
        return;
    };
    assert!(status.success());
    assert!(build(&["-w", "tests.c", "program.o", "-o", "tests"]).unwrap().success());
    let text = std::fs::read_to_string(output.join("tests.c")).unwrap();
    let numbers: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("int test_")?.split('(').next()).collect();
    assert_eq!(numbers.len(), tests);
    for number in numbers {
        assert!(Command::new(output.join("tests")).arg(number).status().unwrap().success(), "test {number}");
    }
    assert_eq!(Command::new(output.join("tests")).stderr(Stdio::null()).status().unwrap().code(), Some(2));
}

/// Each of these ends a test, and not the run.
#[test]
fn hostile_programs_are_survived() {
    let directory = Directory::new("hostile");
    let text = "extern int __VERIFIER_nondet_int(void); void *malloc(unsigned long);
int main(void) {
  int kind = __VERIFIER_nondet_int();
  if (kind == 1) { int *nowhere = 0; *nowhere = 1; }
  if (kind == 2) { while (1) { kind = 2; } }
  if (kind == 3) { while (1) { char *more = malloc(1 << 20); more[0] = 1; } }
  if (kind == 4) { int zero = 0; kind = 1 / zero; }
  if (kind == 5) { int a[2]; a[kind] = 1; }
  if (kind == 60) { return 1; }
  return 0;
}
";
    let run = test(&directory, "hostile.c", text, &["--cover", "branches", "--memory-limit", "4GB"]);
    let [covered, _, _, goals, _] = numbers(&run);
    // Both sides of every `if`, and the insides of the loops; nothing comes behind the endless ones.
    assert!(covered >= 12 && goals >= covered, "{run:?}");
    assert!(run.time < Duration::from_secs(14), "{:?}", run.time);
}

/// What depends on memory that was never written is not covered by any test.
#[test]
fn uninitialised_memory_covers_nothing() {
    let directory = Directory::new("uninitialised");
    let text = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x;
  int copy = x;
  int y = __VERIFIER_nondet_int();
  if (y > 7) { y = 1; } else { y = 2; }
  if (x == 5) { y = 3; } else { y = 4; }
  return copy - copy + y;
}
";
    let run = test(&directory, "memory.c", text, &["--cover", "branches", "--time-limit", "3s"]);
    let [covered, unreachable, open, goals, _] = numbers(&run);
    // The first decision does not depend on it, the second does.
    assert_eq!((covered, unreachable, open, goals), (2, 0, 2, 4), "{run:?}");
    assert_eq!(run.status, Some(3));
}

#[test]
fn json_is_one_object() {
    let directory = Directory::new("json");
    let run = test(&directory, "a1.c", FIRST, &["--json"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["verdict"], "DONE");
    assert_eq!((&value["covered"], &value["unreachable"], &value["goals"]), (&3.into(), &1.into(), &4.into()));
    assert_eq!(value["details"].as_array().map(Vec::len), Some(4));
}

/// Killed at any moment, the suite on disk is one that can be read, and has what was found up to a second before.
#[test]
fn a_killed_run_leaves_a_suite() {
    let directory = Directory::new("killed");
    // Something is found again and again, and the end is far away.
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int s = 0;\n");
    for number in 0..300 {
        text += &format!("  if (__VERIFIER_nondet_int() == {}) {{ s += {number}; }}\n", number * 7919 + 13);
    }
    text += "  for (int i = 0; i < 1000000; i++) { if (s * s == 1234567 + i) { s = 0; } }\n  return s;\n}\n";
    let file = directory.file("long.c", text);
    for milliseconds in [150, 700, 1900] {
        let output = directory.path().join(format!("out{milliseconds}"));
        let mut child = Command::new(env!("CARGO_BIN_EXE_tandem"))
            .args(["test", &file, "--cover", "branches", "--time-limit", "60s", "--output"])
            .arg(&output)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !output.join("test-suite/metadata.xml").exists() && start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let suite = output.join("test-suite").display().to_string();
        let tests = tests_on_disk(&output);
        if milliseconds > 1000 {
            assert!(!tests.is_empty(), "nothing was written in {milliseconds} ms");
        }
        if !tests.is_empty() {
            let replayed = tandem(&["exec", &file, "--suite", &suite, "--time-limit", "30s"]);
            assert!(replayed.stdout.contains("Coverage: "), "{replayed:?}");
            assert_eq!(replayed.stdout.lines().filter(|line| line.starts_with("testcase-")).count(), tests.len());
        }
    }
}

/// The lock programs of the competition, loops left in: everything is decided, with few tests.
#[test]
fn the_lock_programs_are_decided() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks");
    let benchmarks = std::env::var_os("TANDEM_BENCHMARKS").map_or(beside, PathBuf::from);
    let Ok(entries) = std::fs::read_dir(benchmarks.join("locks")) else {
        eprintln!("skipped: there are no benchmarks in {}", benchmarks.display());
        return;
    };
    let mut programs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    programs.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    assert_eq!(programs.len(), 13);
    for path in programs {
        let run = tandem(&["test", &path.display().to_string(), "--cover", "branches", "--time-limit", "20s"]);
        let [covered, unreachable, open, goals, tests] = numbers(&run);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let locks: usize = name.split('_').nth(2).and_then(|word| word.parse().ok()).unwrap();
        // Six sides for each lock, two for the condition of the loop, one for its inside.
        assert_eq!((covered, unreachable, open, goals), (5 * locks + 3, locks, 0, 6 * locks + 3), "{name}");
        assert!(tests <= 7, "{name}: {tests} tests");
    }
}
