//! `tandem verify` on small programs: the verdict line, the exit status, what is written, limits and signals, bad inputs.

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Directory, Run, tandem};
use serde_json::Value;

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern double __VERIFIER_nondet_double(void);\n\
    extern void reach_error(void);\nextern void *malloc(unsigned long);\n";

/// A bug that a few random runs find.
const BUG: &str =
    "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x < 0)\n    reach_error();\n  return 0;\n}\n";
/// Nothing to find, and no end.
const ENDLESS: &str = "int main(void) {\n  for (;;) ;\n}\n";

/// Runs `verify` on a program, with the analysis that runs it on random inputs; the program begins in line 5.
fn verify(name: &str, program: &str, options: &[&str]) -> (Directory, String, Run) {
    let directory = Directory::new(&format!("verify-{name}"));
    let file = directory.file("a.c", format!("{DECLARATIONS}{program}"));
    let run = tandem(&[&["verify", &file, "--analysis", "random"], options].concat());
    (directory, file, run)
}

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or_default()
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
}

#[test]
fn a_violation_is_explained() {
    let (_directory, file, run) = verify("false", BUG, &[]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], format!("Error: reach_error was called at {file}:8:5"));
    assert!(lines.contains(&"Inputs:"), "{}", run.stdout);
    let input = lines.iter().find(|line| line.starts_with("  __VERIFIER_nondet_int() = -")).unwrap();
    assert!(input.ends_with(&format!(" at {file}:6:11")), "{input}");
    assert_eq!(last_line(&run), "Verdict: FALSE");
    assert_eq!(run.stderr, "");
}

/// By bounded model checking, which needs no loop to be unrolled here.
#[test]
fn a_proof_and_what_is_not_modelled() {
    let directory = Directory::new("verify-bmc");
    let program =
        "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x * 0 != 0)\n    reach_error();\n  return 0;\n}\n";
    let file = directory.file("true.c", format!("{DECLARATIONS}{program}"));
    let run = tandem(&["verify", &file, "--analysis", "bmc"]);
    let verdict = "Assuming: signed overflow wraps around\nVerdict: TRUE\n";
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), verdict), "{run:?}");
    let file = directory
        .file("jump.c", "extern int setjmp(void *);\nint main(void) {\n  long b[9];\n  return setjmp(b);\n}\n");
    let run = tandem(&["verify", &file, "--analysis", "bmc"]);
    let verdict = "Verdict: UNKNOWN (unsupported: call of setjmp)\n";
    assert_eq!((run.status, run.stdout.as_str()), (Some(3), verdict), "{run:?}");
    let shown = format!("{file}:4:10: unsupported: call of setjmp\n 4 |   return setjmp(b);\n   |          ^\n");
    assert_eq!(run.stderr, shown);
    let place = &json(&tandem(&["verify", &file, "--analysis", "bmc", "--json"]))["caveats"][0]["place"];
    assert_eq!((&place["line"], &place["column"]), (&4.into(), &10.into()));
}

#[test]
fn json_has_what_was_promised() {
    let (_directory, file, run) = verify("json", BUG, &["--json"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let value = json(&run);
    assert_eq!((&value["verdict"], &value["analysis"]), (&"FALSE".into(), &"random".into()));
    assert!(value["reason"].is_null() && value["time_s"].as_f64().unwrap() > 0.0);
    assert!(value["statistics"]["runs"].as_u64().unwrap() > 0);
    assert_eq!(value["error"]["place"]["line"], 8);
    let input = &value["inputs"][0];
    assert!(input["value"].as_str().unwrap().starts_with('-'), "{input}");
    assert_eq!((&input["name"], &input["place"]["file"]), (&"__VERIFIER_nondet_int()".into(), &file.into()));

    let (_directory, _, run) = verify("json-unknown", ENDLESS, &["--json", "--time-limit", "300ms"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    let value = json(&run);
    assert_eq!((&value["verdict"], &value["reason"]), (&"UNKNOWN".into(), &"time limit".into()));
    assert_eq!(value["caveats"][0]["kind"], "bound");
}

#[test]
fn a_violation_leaves_a_test_that_reaches_the_error() {
    let directory = Directory::new("verify-output");
    let program = "int main(void) {\n  double d = __VERIFIER_nondet_double();\n  int x = __VERIFIER_nondet_int();\n  \
                   if (d < 0.0 && x > 5)\n    reach_error();\n  return 0;\n}\n";
    let output = directory.path().join("deep/er");
    let (_own, file, run) = verify("output-program", program, &["--output", &output.display().to_string()]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let statistics: Value =
        serde_json::from_str(&std::fs::read_to_string(output.join("statistics.json")).unwrap()).unwrap();
    assert_eq!(statistics["verdict"], "FALSE");
    let test = output.join("test-suite/testcase-1.xml");
    let text = std::fs::read_to_string(&test).unwrap();
    assert!(text.contains("coversError=\"true\"") && text.contains("type=\"double\""), "{text}");
    let replayed = tandem(&["exec", &file, "--inputs", &test.display().to_string()]);
    assert_eq!(replayed.status, Some(1), "{replayed:?}");
    let suite = output.join("test-suite").display().to_string();
    assert_eq!(tandem(&["exec", &file, "--suite", &suite]).status, Some(1));
    let left: Vec<_> = std::fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn a_test_that_needs_uninitialised_memory_does_not_claim_the_error() {
    let directory = Directory::new("verify-uninitialised");
    let program = "int main(void) {\n  int x;\n  if (x == 3)\n    reach_error();\n  return 0;\n}\n";
    let output = directory.path().join("out");
    let (_own, file, run) = verify("uninitialised-program", program, &["--output", &output.display().to_string()]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.contains("  uninitialised x = 3 at "), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("Note: read of uninitialised `x` at {file}:7:")), "{}", run.stdout);
    let test = std::fs::read_to_string(output.join("test-suite/testcase-1.xml")).unwrap();
    assert!(!test.contains("coversError"), "{test}");
}

#[test]
fn the_property_names_the_error() {
    let directory = Directory::new("verify-property");
    let property = directory.file("bad.prp", "CHECK( init(main()), LTL(G ! call(bad())) )");
    let program = "void bad(void) {}\nint main(void) {\n  bad();\n  reach_error();\n}\n";
    let (_own, _, run) = verify("property-program", program, &["--property", &property]);
    assert!(run.stdout.starts_with("Error: bad was called at "), "{run:?}");
    directory.file("a.c", program);
    directory.file("cover.prp", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )");
    let entry = |name: &str| format!("  - property_file: {name}\n");
    let task = |properties: String| format!("format_version: '2.0'\ninput_files: a.c\nproperties:\n{properties}");
    // The property about errors counts, wherever it stands.
    let both = directory.file("both.yml", task(entry("cover.prp") + &entry("bad.prp")));
    let run = tandem(&["verify", &both, "--analysis", "random"]);
    assert_eq!((run.status, last_line(&run)), (Some(1), "Verdict: FALSE"), "{run:?}");
    let cover = directory.file("cover.yml", task(entry("cover.prp")));
    assert_refused(&["verify", &cover], &cover, "tests that cover something");
}

/// One message about a file on standard error, and nothing else.
fn assert_refused(arguments: &[&str], file: &str, message: &str) {
    let run = tandem(arguments);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:?}");
    assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
    assert!(run.stderr.starts_with(file), "{}", run.stderr);
    assert!(run.stderr.contains(message), "{message}: {}", run.stderr);
}

#[test]
fn bad_inputs() {
    let directory = Directory::new("verify-bad");
    let file = directory.file("a.c", ENDLESS);
    let none = directory.path().join("none.c").display().to_string();
    assert_refused(&["verify", &none], &none, "there is no such file");
    let broken = directory.file("broken.prp", "CHECK( init(main()), LTL(G ! call(reach_error()) )");
    assert_refused(&["verify", &file, "--property", &broken], &format!("{broken}:1:"), "help: accepted are `CHECK(");
    for name in ["coverage-branches", "coverage-error-call"] {
        assert_refused(&["verify", &file, "--property", name], name, "tests that cover something");
    }
    assert_refused(&["verify", &file, "--property", "termination"], "termination", "unreach-call");
    assert_refused(&["verify", &file, "--output", &file], &file, "cannot write");
    let no_main = directory.file("no-main.c", "int f(void) { return 0; }\n");
    assert_refused(&["verify", &no_main], &no_main, "no main function");
}

#[test]
fn bad_usage_names_what_is_accepted() {
    let directory = Directory::new("verify-usage");
    let file = directory.file("a.c", ENDLESS);
    assert_refused(&["verify", &file, "--analysis", "magic"], "error: invalid value 'magic'", "random");
    let twice = ["verify", &file, "--analysis", "random", "--analysis", "random"];
    assert_refused(&twice, "tandem: error: ", "several analyses, but the paths are not split");
    assert_refused(&["verify", &file, "--time-limit", "1 fortnight"], "error: ", "accepted are ms, s, min and h");
    let run = tandem(&["verify", &directory.path().join("none.c").display().to_string(), "--json"]);
    assert_eq!((run.status, &json(&run)["verdict"]), (Some(2), &"ERROR".into()), "{run:?}");
}

/// The limit, and the time over it that the contract allows.
fn assert_in_time(time: Duration, limit: Duration) {
    assert!(time >= limit && time < limit + Duration::from_secs(1), "{time:?} for {limit:?}");
}

#[test]
fn the_time_limit_is_obeyed() {
    let (_directory, _, run) = verify("time", ENDLESS, &["--time-limit", "700ms"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(3), "Verdict: UNKNOWN (time limit)\n"), "{run:?}");
    assert_in_time(run.time, Duration::from_millis(700));
}

/// The front end looks at no clock: the process has to be ended.
#[test]
fn the_time_limit_is_obeyed_by_those_who_do_not_listen() {
    let text = format!("int main(void) {{ int x = 0; {}return x; }}", "x = x * 3 + 1;\n".repeat(1_000_000));
    for (name, json) in [("deaf", false), ("deaf-json", true)] {
        let options: &[&str] = if json { &["--time-limit", "500ms", "--json"] } else { &["--time-limit", "500ms"] };
        let (_directory, _, run) = verify(name, &text, options);
        assert_eq!(run.status, Some(3), "{run:?}");
        if json {
            let value = self::json(&run);
            assert_eq!((&value["verdict"], &value["reason"]), (&"UNKNOWN".into(), &"time limit".into()));
            assert_eq!(value["analysis"], "random");
        } else {
            assert_eq!(run.stdout, "Verdict: UNKNOWN (time limit)\n");
        }
        assert_in_time(run.time, Duration::from_millis(500));
    }
}

#[test]
fn signals_stop_the_work_at_once() {
    let directory = Directory::new("verify-signals");
    let file = directory.file("a.c", ENDLESS);
    let large =
        directory.file("large.c", format!("int main(void) {{ int x = 0;\n{}}}", "x = x * 3 + 1;\n".repeat(1_000_000)));
    for (signal, file) in [("-INT", &file), ("-TERM", &file), ("-INT", &large)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.args(["verify", file, "--analysis", "random"]).stdout(Stdio::piped());
        let child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{signal} {file}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Verdict: UNKNOWN (cancelled)\n", "{signal} {file}");
        assert!(start.elapsed() < Duration::from_secs(1), "{signal} {file}: {:?}", start.elapsed());
    }
}

/// The interpreter holds what the program allocates, so that a program can fill the memory.
#[test]
fn the_memory_limit_is_obeyed() {
    let directory = Directory::new("verify-memory");
    let program = "extern void *memset(void *, int, unsigned long);\nextern void *malloc(unsigned long);\n\
                   int main(void) {\n  for (;;)\n    memset(malloc(1000000), 1, 1000000);\n}\n";
    let file = directory.file("a.c", program);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.args(["verify", &file, "--analysis", "random", "--memory-limit", "400MB", "--time-limit", "60s"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut largest = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        largest = peak.map_or(0, |peak| peak.trim().parse::<u64>().unwrap() * 1024).max(largest);
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Verdict: UNKNOWN (memory limit)\n");
    assert_eq!(output.status.code(), Some(3));
    assert!((400_000_000..440_000_000).contains(&largest), "{largest}");
}

#[test]
fn nothing_but_the_verdict_when_nobody_watches() {
    let (_directory, _, run) = verify("quiet", ENDLESS, &["--time-limit", "300ms", "--quiet"]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("Verdict: UNKNOWN (time limit)\n", ""));
}
