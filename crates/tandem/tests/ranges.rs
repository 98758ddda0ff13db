//! Ranges on the command line: splits are printed and written, analyses work on them, bad bounds are refused or said, joined witnesses are
//! confirmed.

mod common;

use common::{Directory, Run, tandem};

const EXAMPLE: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int a = 0;
  int b = 0;
  if (x >= 0) {
    while (a < x) {
      a++;
      b++;
    }
  } else {
    a = 10;
    b = 10;
  }
  if (a != b) {
    reach_error();
  }
  return 0;
}
";

fn assert_verdict(run: &Run, verdict: &str, status: i32) {
    assert_eq!(run.status, Some(status), "{run:?}");
    assert_eq!(run.stdout.lines().last(), Some(verdict), "{run:?}");
}

#[test]
fn a_split_is_printed_and_written() {
    let directory = Directory::new("ranges-split");
    let file = directory.file("a.c", EXAMPLE);
    let out = directory.path().join("out").display().to_string();
    let run = tandem(&["split", &file, "--splitter", "lb3", "--output", &out]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("decisions 0*4 1*2") && run.stdout.contains(">3</input>"), "{}", run.stdout);
    assert_eq!(run.stdout.lines().last(), Some("Ranges: 2"));
    let read = |name: &str| std::fs::read_to_string(directory.path().join("out").join(name)).unwrap();
    assert!(read("bound-1.xml").contains(">3</input>"));
    let json: serde_json::Value =
        serde_json::from_str(&tandem(&["split", &file, "--splitter", "lb3", "--json"]).stdout).unwrap();
    assert_eq!(json["ranges"], 2);
    assert_eq!(json["bounds"][0]["decisions"], "0*4 1*2");
    // Each range is a program that others can verify.
    for name in ["range-1.c", "range-2.c"] {
        let range = format!("{out}/{name}");
        assert_verdict(
            &tandem(&["verify", &range, "--analysis", "k-induction", "--time-limit", "20s"]),
            "Verdict: TRUE",
            0,
        );
    }
    for bounds in ["ranges.yml", "bound-1.xml"] {
        let bounds = format!("{out}/{bounds}");
        let run = tandem(&["verify", &file, "--analysis", "k-induction,predicate", "--bounds", &bounds]);
        assert_verdict(&run, "Verdict: TRUE", 0);
    }
}

#[test]
fn an_error_in_one_range_is_found() {
    let directory = Directory::new("ranges-error");
    let file = directory.file("a.c", EXAMPLE.replace("a = 10", "a = 11"));
    for splitter in ["lb3", "balanced", "rdm", "rdm9", "lb1-3-10"] {
        for analyses in
            ["symbolic,predicate", "symbolic,symbolic", "predicate,bmc", "value", "k-induction,symbolic-dfs"]
        {
            let run = tandem(&["verify", &file, "--analysis", analyses, "--splitter", splitter, "--time-limit", "30s"]);
            assert_verdict(&run, "Verdict: FALSE", 1);
        }
    }
}

#[test]
fn without_stealing_each_range_has_its_analysis_only() {
    let directory = Directory::new("ranges-no-steal");
    let file = directory.file("a.c", EXAMPLE);
    let arguments = ["verify", &file, "--analysis", "symbolic,predicate", "--splitter", "lb3", "--time-limit", "3s"];
    assert_verdict(&tandem(&arguments), "Verdict: TRUE", 0);
    // Symbolic execution alone does not get to the end of the first range.
    let run = tandem(&[&arguments[..], &["--no-steal"]].concat());
    assert_verdict(&run, "Verdict: UNKNOWN (time limit)", 3);
}

#[test]
fn bad_bounds_are_refused_or_said() {
    let directory = Directory::new("ranges-bad");
    let file = directory.file("a.c", EXAMPLE);
    let other = directory.file("b.c", EXAMPLE.replace("10", "12"));
    let out = directory.path().join("out").display().to_string();
    assert_eq!(tandem(&["split", &other, "--output", &out]).status, Some(0));
    let verify = |bounds: &str| tandem(&["verify", &file, "--analysis", "k-induction", "--bounds", bounds]);
    let run = verify(&format!("{out}/ranges.yml"));
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("another program"), "{}", run.stderr);
    let run = verify(&directory.file("c.yml", "bounds: [\n"));
    assert_eq!(run.status, Some(2), "{run:?}");
    // A bound that no path meets, and the same bound twice.
    let text = std::fs::read_to_string(format!("{out}/ranges.yml")).unwrap();
    let hash = |file: &str| {
        let json = tandem(&["split", file, "--output", &out]);
        assert_eq!(json.status, Some(0));
        let text = std::fs::read_to_string(format!("{out}/ranges.yml")).unwrap();
        text.lines().find(|line| line.contains("sha256")).unwrap().to_string()
    };
    let text = text
        .lines()
        .filter(|line| !line.contains("identity"))
        .map(|line| if line.contains("sha256") { hash(&file) } else { line.to_string() });
    let text = text.filter(|line| !line.contains("inputs")).collect::<Vec<_>>().join("\n");
    let text = text.replace("0*4 1*2", "5 5") + "\n  - decisions: \"5 5\"\n";
    let run = verify(&directory.file("d.yml", text));
    assert!(run.stderr.contains("no path takes decision 1"), "{run:?}");
    assert_verdict(&run, "Verdict: TRUE", 0);
    // A test case that says nothing.
    let run = verify(&directory.file("e.xml", "<testcase></testcase>"));
    assert!(run.stderr.contains("does not say all values"), "{run:?}");
    assert_verdict(&run, "Verdict: TRUE", 0);
    let run = tandem(&["verify", &file, "--analysis", "symbolic,predicate"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("--splitter"), "{}", run.stderr);
    let run = tandem(&["verify", &file, "--splitter", "lb0"]);
    assert_eq!(run.status, Some(2), "{run:?}");
    let run = tandem(&["split", &file, "--splitter", "balanced", "--ranges", "0"]);
    assert_eq!(run.status, Some(2), "{run:?}");
}

#[test]
fn more_ranges_than_paths_are_said() {
    let directory = Directory::new("ranges-many");
    let file = directory.file(
        "a.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
        int main(void) { if (__VERIFIER_nondet_int()) return 1; return 0; }\n",
    );
    let run = tandem(&["split", &file, "--splitter", "balanced", "--ranges", "9"]);
    assert!(run.stdout.contains("Note: only 2 different ranges") && run.stdout.ends_with("Ranges: 2\n"), "{run:?}");
    let run = tandem(&["split", &file, "--splitter", "lb3"]);
    assert!(run.stdout.contains("Note: ") && run.stdout.ends_with("Ranges: 1\n"), "{run:?}");
    let run = tandem(&["verify", &file, "--splitter", "lb3", "--analysis", "bmc,symbolic"]);
    assert_verdict(&run, "Verdict: TRUE", 0);
}

#[test]
fn witnesses_of_ranges_are_confirmed() {
    let directory = Directory::new("ranges-witness");
    let file = directory.file("a.c", EXAMPLE);
    let out = directory.path().join("out").display().to_string();
    let run = tandem(&["verify", &file, "--analysis", "k-induction,predicate", "--splitter", "lb3", "--output", &out]);
    assert_verdict(&run, "Verdict: TRUE", 0);
    for name in ["witness.yml", "witness.graphml"] {
        let run = tandem(&["witness", "validate", &format!("{out}/{name}"), &file, "--time-limit", "20s"]);
        assert_eq!(run.status, Some(0), "{name} {run:?}");
    }
}

#[test]
fn joined_witnesses_are_confirmed() {
    let directory = Directory::new("ranges-join");
    let file = directory.file("a.c", EXAMPLE);
    let mut written = Vec::new();
    for analysis in ["k-induction", "predicate"] {
        let out = directory.path().join(analysis).display().to_string();
        let run = tandem(&["verify", &file, "--analysis", analysis, "--output", &out, "--time-limit", "20s"]);
        assert_verdict(&run, "Verdict: TRUE", 0);
        written.push(out);
    }
    for (one, other, name) in [
        ("witness.yml", "witness.yml", "joined.yml"),
        ("witness.graphml", "witness.graphml", "joined.graphml"),
        ("witness.yml", "witness.graphml", "mixed.yml"),
    ] {
        let joined = directory.path().join(name).display().to_string();
        let (one, other) = (format!("{}/{one}", written[0]), format!("{}/{other}", written[1]));
        let run = tandem(&["witness", "join", &one, &other, &file, "--output", &joined]);
        assert_eq!(run.status, Some(0), "{run:?}");
        let run = tandem(&["witness", "validate", &joined, &file, "--time-limit", "20s"]);
        assert_eq!(run.status, Some(0), "{name} {run:?} {}", std::fs::read_to_string(&joined).unwrap());
    }
    // What is about another program, or is no correctness witness, cannot be joined.
    let wrong = directory.file("b.c", EXAMPLE.replace("a = 10", "a = 11"));
    let yaml = format!("{}/witness.yml", written[0]);
    let joined = directory.path().join("none.yml").display().to_string();
    let run = tandem(&["witness", "join", &yaml, &yaml, &wrong, "--output", &joined]);
    assert_eq!(run.status, Some(2), "{run:?}");
    let out = directory.path().join("violation").display().to_string();
    assert_eq!(tandem(&["verify", &wrong, "--analysis", "bmc", "--output", &out]).status, Some(1));
    let run = tandem(&["witness", "join", &format!("{out}/witness.yml"), &wrong, "--output", &joined]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("violation witness"), "{}", run.stderr);
    assert!(!std::path::Path::new(&joined).exists());
}
