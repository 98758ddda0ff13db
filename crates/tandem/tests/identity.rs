//! What artifacts, stores and output directories are about: nothing about another program is used, nothing of another run is left.

mod common;

use std::path::Path;

use common::{Directory, Run, tandem};

/// Whether the second branch can be taken depends on LIMIT.
const LIMITED: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 0 || x > 9) return 0;
  if (x > LIMIT) reach_error();
  return x;
}
";

const BLOCKS: &str = "cover @BASICBLOCKENTRY";

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

fn assert_refused(run: &Run, part: &str) {
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains(part), "{run:?}");
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_store_keeps_programs_apart_that_differ_in_a_macro_or_a_header() {
    let directory = Directory::new("identity-store");
    let file = directory.file("d.c", LIMITED);
    let at = |name: &str| directory.path().join(name).display().to_string();
    let ask = |more: &[&str], file: &str, store: &str| {
        tandem(&[&["test", file, "--cover", BLOCKS, "--store", store, "--quiet"], more].concat())
    };
    let narrow = ask(&["-DLIMIT=50"], &file, &at("s"));
    let wide = ask(&["-DLIMIT=5"], &file, &at("s"));
    assert!(last_line(&narrow).contains(" 1 unreachable"), "{narrow:?}");
    assert!(last_line(&wide).contains(" 0 unreachable, 0 open"), "{wide:?}");
    assert_eq!(last_line(&ask(&["-DLIMIT=50"], &file, &at("s"))), last_line(&narrow));
    // The same with a header.
    let file = directory.file("h.c", format!("#include \"limit.h\"\n{LIMITED}"));
    directory.file("limit.h", "#define LIMIT 50\n");
    assert!(last_line(&ask(&[], &file, &at("t"))).contains(" 1 unreachable"));
    directory.file("limit.h", "#define LIMIT 5\n");
    assert!(last_line(&ask(&[], &file, &at("t"))).contains(" 0 unreachable, 0 open"));
}

#[test]
fn artifacts_about_another_macro_or_data_model_are_refused_and_nothing_is_overwritten() {
    let directory = Directory::new("identity-artifacts");
    let file = directory.file("d.c", LIMITED);
    let at = |name: &str| directory.path().join(name).display().to_string();
    let proved = tandem(&["verify", &file, "-DLIMIT=50", "--output", &at("out"), "--quiet"]);
    assert_eq!(proved.status, Some(0), "{proved:?}");
    let tested = tandem(&["test", &file, "-DLIMIT=50", "--output", &at("tests"), "--quiet"]);
    assert_eq!(tested.status, Some(0), "{tested:?}");
    assert_eq!(tandem(&["split", &file, "-DLIMIT=50", "--output", &at("split")]).status, Some(0));
    let before = ["out", "tests"].map(|name| names(&directory.path().join(name)));
    let (gia, witness, bounds) = (at("out/gia.yml"), at("out/witness.yml"), at("split/ranges.yml"));
    for other in [&["-DLIMIT=5"][..], &["-DLIMIT=50", "--data-model", "ILP32"]] {
        let part = if other.len() > 1 { "data model" } else { "another program" };
        let refused = |arguments: &[&str]| assert_refused(&tandem(&[arguments, other].concat()), part);
        refused(&["run", "value", &file, "--given", &gia, "--output", &at("out")]);
        refused(&["test", &file, "--gia", &at("tests/gia.yml"), "--output", &at("tests")]);
        refused(&["witness", "validate", &witness, &file]);
        refused(&["witness", "validate", &at("out/witness.graphml"), &file]);
        refused(&["verify", &file, "--bounds", &bounds, "--analysis", "bmc,value", "--output", &at("out")]);
        refused(&["gia", "check", &gia, &file]);
        refused(&["gia", "convert", &witness, &at("w.yml"), "--program", &file]);
    }
    assert_eq!(["out", "tests"].map(|name| names(&directory.path().join(name))), before);
    assert!(!directory.path().join("w.yml").exists());
    // The program that they are about takes them, whatever the path to it.
    let same = tandem(&["witness", "validate", &witness, &at("../").replace("../", "./d.c"), "-DLIMIT=50", "--quiet"]);
    assert_eq!(same.status, Some(0), "{same:?}");
    assert_eq!(tandem(&["gia", "check", &gia, &file, "-DLIMIT=50"]).status, Some(0));
}

#[test]
fn processes_that_share_a_store_lose_nothing() {
    let directory = Directory::new("identity-shared-store");
    let file = directory.file("d.c", LIMITED);
    let store = directory.path().join("store").display().to_string();
    let limits: Vec<String> = (1..=6).map(|number| format!("-DLIMIT={}", 8 * number)).collect();
    let ask = |limit: &String| {
        tandem(&["test", &file, "--cover", BLOCKS, "--store", &store, "--quiet", "--json", "--threads", "1", limit])
    };
    std::thread::scope(|scope| {
        let runs: Vec<_> = limits.iter().map(|limit| scope.spawn(move || ask(limit))).collect();
        for run in runs {
            let run = run.join().unwrap();
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run:?}");
        }
    });
    for limit in &limits {
        let again: serde_json::Value = serde_json::from_str(&ask(limit).stdout).unwrap();
        assert_eq!(again["statistics"]["automata"], 0, "{limit}: {again:#}");
    }
}

#[test]
fn a_later_run_leaves_nothing_of_an_earlier_one_and_keeps_files_of_others() {
    let directory = Directory::new("identity-output");
    let file = directory.file("d.c", LIMITED);
    let output = directory.path().join("out");
    let name = output.display().to_string();
    let violated = tandem(&["verify", &file, "-DLIMIT=5", "--output", &name, "--quiet"]);
    assert_eq!(violated.status, Some(1), "{violated:?}");
    for artifact in ["witness.yml", "witness.graphml", "gia.yml", "harness.c", "test-suite"] {
        assert!(output.join(artifact).exists(), "{artifact}");
    }
    std::fs::write(output.join("notes.txt"), "mine").unwrap();
    std::fs::write(output.join("CMakeLists.txt"), "mine, too").unwrap();
    let hard = "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\nint main(void) {\n  \
                unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();\n  while (x > 1 && y > 1) {\n    \
                if (x * y == 4294967291u && x < y) reach_error();\n    x = x * x + y; y = __VERIFIER_nondet_uint();\n  }\n  return 0;\n}\n";
    let hard = directory.file("hard.c", hard);
    let unknown = tandem(&["verify", &hard, "--analysis", "interval", "--output", &name, "--quiet"]);
    assert_eq!(unknown.status, Some(3), "{unknown:?}");
    for artifact in ["witness.yml", "witness.graphml", "harness.c", "test-suite"] {
        assert!(!output.join(artifact).exists(), "{artifact}");
    }
    assert_eq!(std::fs::read_to_string(output.join("notes.txt")).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(output.join("CMakeLists.txt")).unwrap(), "mine, too");
    // A test suite that Tandem did not write is left as it is.
    std::fs::create_dir_all(output.join("test-suite")).unwrap();
    std::fs::write(output.join("test-suite/testcase-1.xml"), "<testcase/>").unwrap();
    for command in [&["verify"][..], &["test"]] {
        let run = tandem(&[command, &[&file, "-DLIMIT=5", "--output", &name, "--quiet"]].concat());
        assert_refused(&run, "test cases in it that Tandem did not write");
    }
    assert_eq!(std::fs::read_to_string(output.join("test-suite/testcase-1.xml")).unwrap(), "<testcase/>");
}

/// An automaton that says of everything that it is unreachable.
fn everything_is_unreachable(gia: &str) -> String {
    let states = gia.find("\nstates:").unwrap();
    format!("{}\nstates:\n- {{name: q0, mark: unreachable}}\ntransitions: []\n", &gia[..states])
}

#[test]
fn a_forged_automaton_is_checked_before_it_counts() {
    let directory = Directory::new("identity-forged");
    let file = directory.file("d.c", LIMITED);
    let at = |name: &str| directory.path().join(name).display().to_string();
    let violated = tandem(&["verify", &file, "-DLIMIT=5", "--output", &at("out"), "--quiet"]);
    assert_eq!(violated.status, Some(1), "{violated:?}");
    let text = std::fs::read_to_string(at("out/gia.yml")).unwrap();
    let forged = directory.file("forged.yml", everything_is_unreachable(&text));
    let run = |more: &[&str]| tandem(&[&["run", "bmc", &file, "-DLIMIT=5", "--given", &forged], more].concat());
    let doubted = run(&[]);
    assert_eq!(doubted.status, Some(1), "{doubted:?}");
    assert!(doubted.stderr.contains("forged.yml: what is called unreachable is wrong"), "{doubted:?}");
    let trusted = run(&["--trust", "gia"]);
    assert!(!trusted.stderr.contains("forged.yml"), "{trusted:?}");
    // The same for tests.
    let tested = tandem(&["test", &file, "-DLIMIT=5", "--output", &at("tests"), "--quiet"]);
    assert!(last_line(&tested).contains("0 unreachable, 0 open"), "{tested:?}");
    let text = std::fs::read_to_string(at("tests/gia.yml")).unwrap();
    let forged = directory.file("forged-branches.yml", everything_is_unreachable(&text));
    let again = tandem(&["test", &file, "-DLIMIT=5", "--gia", &forged, "--quiet"]);
    assert_eq!(last_line(&again).split(',').nth(1), Some(" 0 unreachable"), "{again:?}");
    assert!(again.stderr.contains("what is called unreachable is wrong"), "{again:?}");
    let trusted = tandem(&["test", &file, "-DLIMIT=5", "--gia", &forged, "--trust", "gia", "--quiet"]);
    assert!(!last_line(&trusted).contains(" 0 unreachable"), "{trusted:?}");
}

#[test]
fn what_verify_and_test_leave_can_be_combined() {
    let directory = Directory::new("identity-combined");
    let file = directory.file("d.c", LIMITED);
    let at = |name: &str| directory.path().join(name).display().to_string();
    assert_eq!(tandem(&["verify", &file, "-DLIMIT=50", "--output", &at("v"), "--quiet"]).status, Some(0));
    assert_eq!(tandem(&["test", &file, "-DLIMIT=50", "--output", &at("t"), "--quiet"]).status, Some(0));
    let (verified, tested, combined) = (at("v/gia.yml"), at("t/gia.yml"), at("both.yml"));
    let run = tandem(&["gia", "combine", &verified, &tested, "--program", &file, "-DLIMIT=50", "--output", &combined]);
    assert_eq!(run.status, Some(0), "{run:?}");
    // The proof is about the error: it says nothing about branches.
    let alone = tandem(&["test", &file, "-DLIMIT=50", "--quiet"]);
    let with = tandem(&["test", &file, "-DLIMIT=50", "--gia", &combined, "--trust", "gia", "--quiet"]);
    let counts = |run: &Run| last_line(run).split(", ").take(3).map(str::to_string).collect::<Vec<_>>();
    assert_eq!(counts(&with), counts(&alone), "{with:?}");
    assert_eq!(tandem(&["gia", "check", &combined, &file, "-DLIMIT=50"]).status, Some(0));
}
