//! Witnesses: those that `verify` writes are confirmed, in both formats; what is changed in them is found out. Never is a witness
//! confirmed that says something wrong.

mod common;

use common::{Directory, Run, tandem};

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\n\
    extern double __VERIFIER_nondet_double(void);\nextern void reach_error(void);\n";

/// Lines from 5 on. The error needs inputs in an order and branches both ways.
const BUG: &str = "\
int check(int a, int b) {
  if (a > b) {
    reach_error();
  }
  return 0;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    unsigned char c = __VERIFIER_nondet_uchar();
    if (c > 200)
      sum += c;
  }
  if (x == 1234 && sum > 620)
    check(sum, x - 700);
  return 0;
}
";

/// Lines from 5 on; the loop is in line 8, column 3.
const LOOP: &str = "\
int main(void) {
  int n = __VERIFIER_nondet_int();
  int x = 0;
  while (n != 0) {
    if (x < 9)
      x++;
    n = __VERIFIER_nondet_int();
  }
  if (x > 9)
    reach_error();
  return 0;
}
";

struct Case {
    directory: Directory,
    file: String,
    yaml: String,
    graphml: String,
}

/// Verifies a program and keeps the witnesses.
fn verified(name: &str, program: &str, analysis: &str, status: i32) -> Case {
    let directory = Directory::new(&format!("witness-{name}"));
    let file = directory.file("a.c", format!("{DECLARATIONS}{program}"));
    let output = directory.path().join("out");
    let run = tandem(&["verify", &file, "--analysis", analysis, "--output", &output.display().to_string()]);
    assert_eq!(run.status, Some(status), "{run:?}");
    let read = |name: &str| std::fs::read_to_string(output.join(name)).unwrap();
    Case { yaml: read("witness.yml"), graphml: read("witness.graphml"), directory, file }
}

impl Case {
    fn validate(&self, witness: &str) -> Run {
        let path = self.directory.file("changed.witness", witness);
        tandem(&["witness", "validate", &path, &self.file, "--time-limit", "20s"])
    }

    fn assert_confirmed(&self, witness: &str) {
        let run = self.validate(witness);
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), "Witness: confirmed\n"), "{run:?}\n{witness}");
    }

    /// The reason.
    fn assert_rejected(&self, witness: &str) -> String {
        let run = self.validate(witness);
        assert_eq!(run.status, Some(1), "{run:?}\n{witness}");
        let reason = run.stdout.strip_prefix("Witness: rejected (").and_then(|rest| rest.strip_suffix(")\n"));
        reason.unwrap_or_else(|| panic!("{run:?}")).to_string()
    }

    fn assert_refused(&self, witness: &str, why: &str) {
        let run = self.validate(witness);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run:?}\n{witness}");
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

/// With one part replaced, which must be there.
fn with(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old} is not in\n{text}");
    text.replacen(old, new, 1)
}

#[test]
fn violations_are_confirmed() {
    for analysis in ["bmc", "default"] {
        let case = verified(&format!("violation-{analysis}"), BUG, analysis, 1);
        case.assert_confirmed(&case.yaml);
        case.assert_confirmed(&case.graphml);
        assert_eq!(case.yaml.matches("function_return").count(), 4, "{}", case.yaml);
    }
}

/// The witness of a run of millions of steps names the inputs, and is written soon.
#[test]
fn long_runs_have_witnesses() {
    let long = "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  int i = 0;\n  while (i < 700000)\n    i++;\n  \
                if (x != i)\n    reach_error();\n  return 0;\n}\n";
    let case = verified("long", long, "random", 1);
    assert!(case.yaml.contains("result == "), "{}", case.yaml);
    case.assert_confirmed(&case.yaml);
    case.assert_confirmed(&case.graphml);
}

#[test]
fn changed_violations_are_not_confirmed() {
    let case = verified("violation-changed", BUG, "bmc", 1);
    // Another value, another place, another order.
    case.assert_rejected(&with(&case.yaml, "\\\\result == 1234", "\\\\result == 1235"));
    let reason = case.assert_rejected(&with(&case.yaml, "column: 33", "column: 34"));
    assert_eq!(reason, "line 12, column 34: no call ends there");
    let reason = case.assert_rejected(&with(&case.yaml, "line: 7\n", "line: 5\n"));
    assert!(reason.starts_with("line 5, column 5: no statement begins there"), "{reason}");
    let reason =
        case.assert_rejected(&with(&case.yaml, "line: 7\n              column: 5", "line: 9\n              column: 3"));
    assert_eq!(reason, "line 9, column 3: the statement there has no error");
    let segments: Vec<&str> = case.yaml.split("    - segment:\n").collect();
    assert_eq!(segments.len(), 6);
    let moved = [segments[0], segments[2], segments[1], segments[3], segments[4], segments[5]];
    case.assert_rejected(&moved.join("    - segment:\n"));
    // What is not said is searched for.
    let fewer = [segments[0], segments[2], segments[5]];
    case.assert_confirmed(&fewer.join("    - segment:\n"));
    case.assert_rejected(&with(&case.yaml, "\\\\result == 1234", "\\\\result == nobody"));
    // The automaton.
    case.assert_rejected(&with(&case.graphml, "\\result == 1234", "\\result == 1235"));
    case.assert_rejected(&with(&case.graphml, "condition-true", "condition-false"));
    let line = "<data key=\"startline\">12</data>";
    case.assert_rejected(&with(&case.graphml, line, "<data key=\"startline\">1200</data>"));
}

#[test]
fn waypoints_of_all_kinds() {
    let case = verified("waypoints", BUG, "bmc", 1);
    let (head, _) = case.yaml.split_once("  content:\n").unwrap();
    let point = |kind: &str, action: &str, constraint: &str, line: u32, column: u32| {
        format!(
            "- waypoint: {{type: {kind}, action: {action}, {constraint}location: {{file_name: a.c, line: {line}, \
             column: {column}}}}}\n"
        )
    };
    let witness = |segments: &[&[String]]| {
        let segment = |points: &&[String]| {
            let lines: String = points.iter().map(|point| format!("        {point}")).collect();
            format!("    - segment:\n{lines}")
        };
        format!("{head}  content:\n{}", segments.iter().map(segment).collect::<String>())
    };
    let target = point("target", "follow", "", 7, 5);
    let assume = |text: &str, line, column| {
        point(
            "assumption",
            "follow",
            &format!("constraint: {{value: \"{text}\", format: c_expression}}, "),
            line,
            column,
        )
    };
    let branch = |action: &str, value: &str, line, column| {
        point("branching", action, &format!("constraint: {{value: {value}}}, "), line, column)
    };
    let enter = point("function_enter", "follow", "", 20, 23);
    let last = std::slice::from_ref(&target);
    let confirmed = [
        witness(&[last]),
        witness(&[&[assume("sum == 0 && x == 1234", 14, 3)], last]),
        witness(&[&[assume("sum > 700", 19, 3)], std::slice::from_ref(&enter), last]),
        witness(&[&[branch("avoid", "false", 16, 5), branch("follow", "false", 14, 3)], last]),
        witness(&[&[branch("follow", "true", 19, 3)], &[branch("follow", "true", 6, 3)], last]),
    ];
    confirmed.iter().for_each(|witness| case.assert_confirmed(witness));
    let rejected = [
        witness(&[&[assume("x == 1233", 14, 3)], last]),
        witness(&[&[assume("sum > 765", 19, 3)], last]),
        // The branches of three rounds are needed.
        witness(&[&[branch("avoid", "true", 16, 5), branch("follow", "false", 14, 3)], last]),
        witness(&[&[branch("follow", "false", 19, 3)], last]),
        // The other way round.
        witness(&[&[branch("follow", "true", 6, 3)], &[enter], last]),
        witness(&[&[assume("unheard_of == 1", 14, 3)], last]),
        witness(&[&[branch("follow", "true", 12, 3)], last]),
    ];
    for witness in &rejected {
        case.assert_rejected(witness);
    }
}

#[test]
fn proofs_are_confirmed() {
    for analysis in ["k-induction", "default"] {
        let case = verified(&format!("proof-{analysis}"), LOOP, analysis, 0);
        case.assert_confirmed(&case.yaml);
        case.assert_confirmed(&case.graphml);
    }
}

/// The witness with these invariants instead of its own: type, line, column, expression.
fn invariants(yaml: &str, list: &[(&str, u32, u32, &str)]) -> String {
    let (head, _) = yaml.split_once("  content:").unwrap();
    let entry = |(kind, line, column, value): &(&str, u32, u32, &str)| {
        format!(
            "    - invariant: {{type: {kind}, value: \"{value}\", format: c_expression, location: \
             {{file_name: a.c, line: {line}, column: {column}}}}}\n"
        )
    };
    format!("{head}  content:\n{}", list.iter().map(entry).collect::<String>())
}

#[test]
fn every_invariant_is_checked() {
    let case = verified("invariants", LOOP, "k-induction", 0);
    case.assert_rejected(&with(&case.yaml, "x <= 9", "x <= 8"));
    case.assert_rejected(&with(&case.graphml, "x &lt;= 9", "x &lt;= 8"));
    let own = |list: &[(&str, u32, u32, &str)]| invariants(&case.yaml, list);
    case.assert_confirmed(&own(&[]));
    case.assert_confirmed(&own(&[("loop_invariant", 8, 3, "x <= 9")]));
    case.assert_confirmed(&own(&[("loop_invariant", 8, 3, "x >= 0 && (x <= 5 || x <= 9)")]));
    case.assert_confirmed(&own(&[
        ("location_invariant", 10, 7, "x < 9 && n != 0"),
        ("loop_invariant", 8, 3, "x <= 9"),
    ]));
    // Where the loop begins, not each time around it.
    case.assert_confirmed(&own(&[("location_invariant", 8, 3, "x == 0")]));
    let reason = case.assert_rejected(&own(&[("loop_invariant", 8, 3, "x == 0")]));
    assert_eq!(reason, "line 8, column 3: the invariant does not hold: x == 0");
    case.assert_rejected(&own(&[("loop_invariant", 8, 3, "x <= 9"), ("loop_invariant", 8, 3, "x <= 8")]));
    case.assert_rejected(&own(&[("location_invariant", 10, 7, "x < 8")]));
    let reason = case.assert_rejected(&own(&[("loop_invariant", 9, 5, "x <= 9")]));
    assert_eq!(reason, "line 9, column 5: no loop begins there");
    case.assert_rejected(&own(&[("location_invariant", 10, 8, "x <= 9")]));
    case.assert_rejected(&own(&[("loop_invariant", 8, 3, "y <= 9")]));
    case.assert_rejected(&own(&[("loop_invariant", 8, 3, "x <= ")]));
    case.assert_rejected(&own(&[("loop_invariant", 8, 3, "x++ <= 9")]));
    // What may be undefined would hide what comes behind it.
    let run = case.validate(&own(&[("loop_invariant", 8, 3, "1 / (x - x) == 0")]));
    assert_eq!(run.status, Some(3), "{run:?}");
    let more = |invariant: &str| with(&case.graphml, "</graph>", &format!("{}</graph>", graphml_loop(invariant)));
    case.assert_confirmed(&more("x <= 9"));
    case.assert_rejected(&more("x <= 8"));
}

/// A node for the loop of `LOOP`.
fn graphml_loop(invariant: &str) -> String {
    let invariant = invariant.replace('<', "&lt;");
    format!(
        "<node id=\"extra\"><data key=\"invariant\">{invariant}</data><data key=\"invariant.scope\">main</data></node>\
         <edge source=\"q0\" target=\"extra\"><data key=\"startline\">8</data><data key=\"enterLoopHead\">true</data></edge>"
    )
}

/// A correctness witness for a program that violates the property.
#[test]
fn a_proof_of_something_wrong_is_rejected() {
    let case = verified("wrong-proof", LOOP, "k-induction", 0);
    let changed = format!("{DECLARATIONS}{}", LOOP.replace("x < 9", "x < 10"));
    std::fs::write(&case.file, &changed).unwrap();
    case.assert_refused(&case.yaml, "another program");
    let forged = with(&case.yaml, &hash(&case.yaml), &tandem_artifact::sha256_hex(changed.as_bytes()));
    case.assert_refused(&forged, "another program");
    // As another tool would write it: without the identity of the program.
    let is_identity = |line: &&str| !line.contains("program identity");
    let forged = forged.lines().filter(is_identity).collect::<Vec<_>>().join("\n") + "\n";
    case.assert_rejected(&forged);
    assert_eq!(case.assert_rejected(&invariants(&forged, &[])), "the program reaches the error");
}

/// The hash of the program that a witness is about.
fn hash(yaml: &str) -> String {
    let at = yaml.find("a.c\": \"").unwrap() + 7;
    yaml[at..at + 64].to_string()
}

#[test]
fn bad_witnesses_are_refused() {
    for case in [verified("bad-violation", BUG, "bmc", 1), verified("bad-proof", LOOP, "k-induction", 0)] {
        let other_hash = "0".repeat(64);
        case.assert_refused(&with(&case.yaml, &hash(&case.yaml), &other_hash), "another program");
        case.assert_refused(&with(&case.graphml, &hash(&case.yaml), &other_hash), "another program");
        case.assert_refused(&with(&case.yaml, "LP64", "ILP32"), "data model");
        case.assert_refused(&with(&case.graphml, "64bit", "32bit"), "data model");
        case.assert_refused(&with(&case.yaml, "call(reach_error())", "call(other())"), "another property");
        case.assert_refused(&with(&case.graphml, "call(reach_error())", "call(other())"), "another property");
        case.assert_refused(
            &with(&case.yaml, "LTL(G ! call(reach_error()))", "LTL(G valid-deref)"),
            "another property",
        );
        case.assert_refused(&case.yaml[..case.yaml.len() / 2], "");
        case.assert_refused(&case.graphml[..case.graphml.len() / 2], "");
        case.assert_refused("", "");
        case.assert_refused("int main(void) { return 0; }", "");
        let missing = tandem(&["witness", "validate", "/nowhere.yml", &case.file]);
        assert_eq!(missing.status, Some(2), "{missing:?}");
    }
}

#[test]
fn json_and_limits() {
    let case = verified("json", BUG, "bmc", 1);
    let path = case.directory.file("w.yml", &case.yaml);
    let run = tandem(&["witness", "validate", &path, &case.file, "--json"]);
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &value["witness"], &value["kind"]), (Some(0), &"confirmed".into(), &"violation".into()));
    assert!(value["reason"].is_null() && value["time_s"].is_f64());
}

/// Errors in the library's own code, results that nobody uses, floats, extreme values, calls in a macro.
#[test]
fn corners_of_violations_are_confirmed() {
    let programs = [
        "#include <assert.h>\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  assert(x != -2147483647 - 1);\n  return 0;\n}\n",
        "extern void assert(int);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  assert(1);\n  assert(x != 5);\n  return 0;\n}\n",
        "int main(void) {\n  __VERIFIER_nondet_int();\n  double d = __VERIFIER_nondet_double();\n  \
         if (d > 0.1 && d * 10.0 < 1.5 && __VERIFIER_nondet_uchar() == 255)\n    reach_error();\n  return 0;\n}\n",
        "int a[3];\nint main(void) {\n  int i = __VERIFIER_nondet_uchar() % 3;\n  a[i] = __VERIFIER_nondet_int();\n  \
         if (a[2] == 7)\n    { reach_error(); }\n  return 0;\n}\n",
        "#define INPUT() __VERIFIER_nondet_int()\nint main(void) {\n  int x = INPUT();\n  int y = INPUT();\n  \
         if (x == 3 && y == 4)\n    reach_error();\n  return 0;\n}\n",
        "int main(void) {\n  int x;\n  if (x == 3)\n    reach_error();\n  return 0;\n}\n",
        "int main(void) {\n  int s = 0;\n  do s += __VERIFIER_nondet_uchar(); while (s < 300 && s != 17);\n  switch (s) {\n  \
         case 17: reach_error();\n  default: return 0;\n  }\n}\n",
    ];
    for (number, program) in programs.iter().enumerate() {
        let case = verified(&format!("corner-{number}"), program, "bmc", 1);
        case.assert_confirmed(&case.yaml);
        case.assert_confirmed(&case.graphml);
    }
}
