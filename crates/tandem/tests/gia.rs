//! `tandem gia`: automata drawn, checked, combined and converted, and one clear message for what is wrong.

mod common;

use common::{Directory, Run, tandem};

const PROGRAM: &str = "extern int input(void);

int main(void) {
  int x = input();
  if (x < 5) {
    return 0;
  } else {
    x++;
    if (x == 5) {
      return 1;
    }
  }
  return 2;
}
";

const BUG: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    sum += __VERIFIER_nondet_int();
  if (sum == 42)
    reach_error();
  return 0;
}
";

fn hash(text: &str) -> String {
    tandem_artifact::sha256_hex(text.as_bytes())
}

fn automaton(states: &str, transitions: &str) -> String {
    let targets = "- {name: l3, edges: [\"5:7 branch true\"]}\n- {name: l7, edges: [\"9:9 branch true\"]}\n";
    format!(
        "format_version: \"1.0\"\nprogram: {{file: p.c, sha256: {}, data_model: LP64}}\ntargets:\n{targets}states:\n{states}transitions:\n{transitions}",
        hash(PROGRAM)
    )
}

fn tester() -> String {
    automaton(
        "- {name: q1}\n- {name: q2}\n- {name: q3, mark: reached}\n",
        "- {from: q1, edges: [\"4:11 call\"], assume: [\"x == 0\"], to: q2}\n- {from: q2, edges: [\"5:7 branch true\"], to: q3}\n",
    )
}

fn verifier(state: &str) -> String {
    automaton(
        "- {name: s1}\n- {name: s2}\n- {name: s5}\n- {name: s6}\n- {name: s7, mark: unreachable}\n",
        &format!(
            "- {{from: s1, edges: [\"4:11 call\"], to: s2}}\n- {{from: s2, edges: [\"5:7 branch {state}\"], to: {}}}\n\
             - {{from: s5, edges: [\"8:5 assign\"], to: s6}}\n- {{from: s6, edges: [\"9:9 branch true\"], to: s7}}\n",
            if state == "true" { "s7" } else { "s5" }
        ),
    )
}

fn check(run: &Run, status: i32, words: &[&str]) {
    assert_eq!(run.status, Some(status), "{run:?}");
    for word in words {
        assert!(run.stdout.contains(word) || run.stderr.contains(word), "{word}: {run:?}");
    }
}

#[test]
fn shown_in_every_format() {
    let directory = Directory::new("gia-show");
    let (program, gia) = (directory.file("p.c", PROGRAM), directory.file("gia.yml", tester()));
    check(&tandem(&["gia", "show", &gia]), 0, &["4:11 call {x == 0} -> q2", "state q3 [reached]"]);
    check(&tandem(&["gia", "show", &gia, &program]), 0, &["4:11 x = input() {x == 0} -> q2"]);
    check(&tandem(&["gia", "show", &gia, &program, "--format", "dot"]), 0, &["digraph gia", "#90caf9"]);
    check(&tandem(&["gia", "show", &gia, &program, "--format", "svg"]), 0, &["<svg", "x = input() {x == 0}"]);
    check(&tandem(&["gia", "show", &gia, &program, "--format", "html"]), 0, &["<!DOCTYPE html>", "reached"]);
}

#[test]
fn checked() {
    let directory = Directory::new("gia-check");
    let program = directory.file("p.c", PROGRAM);
    let empty = directory.file("empty.yml", automaton("- {name: q0}\n", ""));
    check(&tandem(&["gia", "check", &empty, &program]), 0, &["GIA: correct\n"]);
    let gia = directory.file("gia.yml", tester());
    let run = tandem(&["gia", "check", &gia, &program]);
    assert!(matches!(run.status, Some(0 | 3)), "{run:?}");
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let directory = Directory::new("gia-wrong");
    let program = directory.file("p.c", PROGRAM);
    for (from, to, place, message) in [
        ("4:11 call", "4:12 call", "gia.yml:11:23", "no edge `4:12 call`"),
        ("x == 0", "y == 0", "gia.yml:11:46", "'y' is not declared"),
        ("to: q2", "to: q7", "gia.yml:11:60", "no state named `q7`"),
        ("mark: reached", "mark: candidate", "gia.yml:9:10", "rule 3 is broken"),
        ("mark: reached", "mark: rich", "gia.yml:9:20", "unknown mark `rich`"),
        ("format_version", "version", "gia.yml:1:1", "unknown key `version`"),
        (": \"1.0\"", ": \"1.0", "gia.yml:1:17", "does not end"),
        (&hash(PROGRAM), "abc", "gia.yml:2:30", "about another program"),
    ] {
        let gia = directory.file("gia.yml", tester().replacen(from, to, 1));
        let run = tandem(&["gia", "check", &gia, &program]);
        check(&run, 2, &[place, message]);
        assert_eq!(run.stderr.matches("error:").count(), 1, "{run:?}");
    }
    check(&tandem(&["gia", "check", "/nowhere/gia.yml", &program]), 2, &["no such file"]);
    let latin = directory.file("latin.yml", b"name: \xff");
    check(&tandem(&["gia", "show", &latin]), 2, &["UTF-8"]);
}

#[test]
fn combined() {
    let directory = Directory::new("gia-combine");
    let program = directory.file("p.c", PROGRAM);
    let one = directory.file("one.yml", tester());
    let other = directory.file("other.yml", verifier("false"));
    let out = directory.path().join("all.yml").display().to_string();
    check(&tandem(&["gia", "combine", &one, &other, "--program", &program, "--output", &out]), 0, &[]);
    check(&tandem(&["gia", "show", &out, &program]), 0, &["[reached]", "[unreachable]", "{x == 0}"]);
    // What the tester reaches for x == 0 is called unreachable: only a solver knows that x can be 0 there.
    let free = directory.file("free.yml", tester().replace(", assume: [\"x == 0\"]", ""));
    let wrong = directory.file("wrong.yml", verifier("true"));
    let run = tandem(&["gia", "combine", &free, &wrong, "--program", &program, "--output", "/nowhere/out.yml"]);
    check(&run, 2, &["wrong.yml: error: contradicts", "the path is 4:11 x = input(); 5:7 [x < 5]"]);
    let alien = directory.file("alien.yml", tester().replace(&hash(PROGRAM), &hash(BUG)));
    let run = tandem(&["gia", "combine", &one, &alien, "--program", &program, "--output", &out]);
    check(&run, 2, &["alien.yml:2:", "about another program"]);
}

#[test]
fn converted_there_and_back() {
    let directory = Directory::new("gia-convert");
    let program = directory.file("bug.c", BUG);
    let at = |name: &str| directory.path().join(name).display().to_string();
    let case = "<testcase><input>40</input><input>-1</input><input>3</input></testcase>";
    std::fs::create_dir(at("suite")).unwrap();
    std::fs::write(at("suite/one.xml"), case).unwrap();
    std::fs::write(at("suite/two.xml"), "<testcase><input>40</input></testcase>").unwrap();
    let convert = |from: &str, to: &str| tandem(&["gia", "convert", &at(from), &at(to), "--program", &program]);
    // From tests: what a replay reaches is reached.
    check(&convert("suite", "gia.yml"), 0, &["two.xml: the run reaches no target"]);
    check(&tandem(&["gia", "show", &at("gia.yml"), &program]), 0, &["[reached]", "\\result == -1", "reach_error()"]);
    check(&convert("gia.yml", "tests"), 0, &[]);
    let test = std::fs::read_to_string(at("tests/testcase-1.xml")).unwrap();
    assert!(test.contains("coversError=\"true\"") && test.contains(">-1</input>"), "{test}");
    // As a witness it can be validated; from a witness it is a candidate only.
    for witness in ["witness.yml", "witness.graphml"] {
        check(&convert("gia.yml", witness), 0, &["lost: "]);
        check(&tandem(&["witness", "validate", &at(witness), &program]), 0, &["confirmed"]);
        check(&convert(witness, "back.yml"), 0, &[]);
        let shown = tandem(&["gia", "show", &at("back.yml"), &program]);
        check(&shown, 0, &["[candidate]", "\\result == -1"]);
        assert!(!shown.stdout.contains("[reached]"), "{shown:?}");
    }
    check(&convert("gia.yml", "gia.spc"), 0, &["lost: what is reached"]);
    check(&convert("back.yml", "nothing"), 2, &["no path of the automaton gives a test"]);
    check(&convert("gia.yml", "gia.png"), 2, &["gia.png: error: the name does not tell"]);
    check(&convert("none.yml", "gia.yml"), 2, &["no such file"]);
}

#[test]
fn ranges_there_and_back() {
    let directory = Directory::new("gia-ranges");
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                int y = __VERIFIER_nondet_int();\n  if (x > 0)\n    y++;\n  if (y > 0)\n    x++;\n  if (x > y)\n    reach_error();\n  return 0;\n}\n";
    let program = directory.file("p.c", text);
    let at = |name: &str| directory.path().join(name).display().to_string();
    check(&tandem(&["split", &program, "--splitter", "balanced", "--output", &at("out")]), 0, &["Ranges: 2"]);
    let bound = |name: &str| {
        let text = std::fs::read_to_string(at(name)).unwrap();
        text.lines().filter(|line| line.contains("decisions")).map(str::to_string).collect::<Vec<_>>()
    };
    let before = bound("out/ranges.yml");
    assert_eq!(before.len(), 1);
    for (range, open) in [("1", "open: range 1 of the 2"), ("2", "open: range 2 of the 2")] {
        let convert = |from: &str, to: &str| {
            tandem(&["gia", "convert", &at(from), &at(to), "--program", &program, "--range", range])
        };
        check(&convert("out/ranges.yml", "gia.yml"), 0, &[]);
        check(&tandem(&["gia", "show", &at("gia.yml"), &program]), 0, &["[candidate]"]);
        check(&tandem(&["gia", "check", &at("gia.yml"), &program]), 0, &["GIA: correct"]);
        check(&convert("gia.yml", "ranges.yml"), 0, &[open]);
        assert_eq!(bound("ranges.yml"), before, "range {range}");
    }
    let run = tandem(&["gia", "convert", &at("out/ranges.yml"), &at("gia.yml"), "--program", &program, "--range", "3"]);
    check(&run, 2, &["there is no range 3: the bounds make 2"]);
}

#[test]
fn a_condition_is_believed_if_it_was_checked_or_is_trusted() {
    let directory = Directory::new("gia-condition");
    let program = directory.file("p.c", PROGRAM);
    let at = |name: &str| directory.path().join(name).display().to_string();
    std::fs::write(at("gia.yml"), verifier("false")).unwrap();
    let convert = |from: &str, to: &str, more: &[&str]| {
        let arguments =
            [&["gia", "convert", &at(from), &at(to), "--program", &program, "--property", "coverage-branches"], more];
        tandem(&arguments.concat())
    };
    check(&convert("gia.yml", "ours.spc", &[]), 0, &[]);
    check(&convert("ours.spc", "back.yml", &[]), 0, &[]);
    check(&tandem(&["gia", "show", &at("back.yml"), &program]), 0, &["[unreachable]", "9:9 [x == 5] -> __TRUE"]);
    let text = std::fs::read_to_string(at("ours.spc")).unwrap();
    // The first line carries the right hash, but what is claimed is wrong: that proves nothing.
    let wrong = text.replace("GOTO ARG1;", "GOTO __TRUE;");
    assert_ne!(wrong, text, "{text}");
    std::fs::write(at("theirs.spc"), &wrong).unwrap();
    check(&convert("theirs.spc", "back.yml", &[]), 0, &["lost: what is called verified, for it is wrong"]);
    let shown = tandem(&["gia", "show", &at("back.yml"), &program]);
    assert!(shown.stdout.contains("[candidate]") && !shown.stdout.contains("[unreachable]"), "{shown:?}");
    check(&convert("theirs.spc", "back.yml", &["--trust"]), 0, &[]);
    check(&tandem(&["gia", "show", &at("back.yml"), &program]), 0, &["[unreachable]"]);
}
