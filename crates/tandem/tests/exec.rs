//! `tandem exec` on small programs: how a run ends, where, what it covers, and the exit status.

mod common;

use common::{Directory, Run, tandem};

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void);\nextern double __VERIFIER_nondet_double(void);\n\
    extern void __VERIFIER_assume(int);\nextern void reach_error(void);\nextern void __assert_fail(const char *, const char *, unsigned, const char *);\n\
    extern void *malloc(unsigned long);\nextern void free(void *);\nextern int printf(const char *, ...);\nextern void exit(int);\nextern void abort(void);\n";

/// Runs the body of a `main` on inputs; the body begins in line 11.
fn exec(name: &str, body: &str, inputs: &[&str], options: &[&str]) -> (String, Run) {
    let directory = Directory::new(&format!("exec-{name}"));
    let file = directory.file("a.c", format!("{DECLARATIONS}{body}\n"));
    let values: String = inputs.iter().map(|value| format!("<input>{value}</input>")).collect();
    let test = directory.file("test.xml", format!("<testcase>{values}</testcase>"));
    let run = tandem(&[&["exec", &file, "--inputs", &test], options].concat());
    (file, run)
}

fn assert_ends(name: &str, body: &str, inputs: &[&str], status: i32, text: &str, place: &str) {
    let (file, run) = exec(name, body, inputs, &[]);
    assert_eq!(run.status, Some(status), "{name}: {run:?}");
    let place = if place.is_empty() { String::new() } else { format!(" at {file}:{place}") };
    let expected = format!("Ended: {text}{place}");
    assert_eq!(run.stdout.lines().next(), Some(expected.as_str()), "{name}");
    assert!(run.stdout.lines().last().unwrap().starts_with("Coverage: "), "{name}: {}", run.stdout);
}

#[test]
fn normal_ends() {
    assert_ends("return", "int main(void) { return 3 + __VERIFIER_nondet_int(); }", &["-1"], 0, "main returned 2", "");
    assert_ends("exit", "int main(void) { exit(4); }", &[], 0, "the program exited with status 4", "");
    assert_ends("zeros", "int main(void) { return __VERIFIER_nondet_int(); }", &[], 0, "main returned 0", "");
}

#[test]
fn inputs_have_the_type_that_is_asked_for() {
    let body = "int main(void) { int a = __VERIFIER_nondet_int(); double d = __VERIFIER_nondet_double(); \
                return a == -2 && d == 0.375 && __VERIFIER_nondet_double() == 5.0; }";
    assert_ends("types", body, &["0xfffffffe", "0x1.8p-2", "5"], 0, "main returned 1", "");
}

#[test]
fn errors() {
    let body = "int main(void) {\n  if (__VERIFIER_nondet_int() == 7)\n    reach_error();\n  return 0;\n}";
    assert_ends("error", body, &["7"], 1, "error: reach_error was called", "13:5");
    assert_ends("no-error", body, &["8"], 0, "main returned 0", "");
    let body = "int main(void) {\n  __assert_fail(\"x\", \"a.c\", 1, \"main\");\n}";
    assert_ends("assert", body, &[], 1, "error: an assertion failed", "12:3");
}

#[test]
fn the_property_says_what_is_an_error() {
    let directory = Directory::new("exec-property");
    let property = directory.file("p.prp", "CHECK( init(main()), LTL(G ! call(bad())) )");
    let body =
        "void bad(void) {}\nint main(void) {\n  if (__VERIFIER_nondet_int()) bad();\n  reach_error();\n  return 0;\n}";
    let (_, run) = exec("bad", body, &["1"], &["--property", &property]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.starts_with("Ended: error: bad was called"), "{}", run.stdout);
    let (_, run) = exec("not-bad", body, &["0"], &["--property", &property]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let (_, run) = exec("named", body, &["0"], &["--property", "unreach-call"]);
    assert_eq!(run.status, Some(1), "{run:?}");
}

#[test]
fn other_ends_are_unknown() {
    let body = "int main(void) {\n  __VERIFIER_assume(__VERIFIER_nondet_int());\n  return 0;\n}";
    assert_ends("assume", body, &["0"], 3, "the inputs violate an assumption", "12:3");
    assert_ends("abort", "int main(void) {\n  abort();\n}", &[], 3, "the program aborted", "12:3");
}

#[test]
fn undefined_behaviour_is_named() {
    for (name, statement, text) in [
        ("null", "int *p = 0; return *p;", "null pointer"),
        ("bounds", "int a[3] = {0}; return a[__VERIFIER_nondet_int()];", "access out of bounds"),
        ("division", "return 1 / (__VERIFIER_nondet_int() - 3);", "division by zero"),
        ("freed", "int *p = malloc(4); free(p); return *p;", "use after free"),
        ("double-free", "int *p = malloc(4); free(p); free(p); return 0;", "double free"),
    ] {
        let (file, run) = exec(name, &format!("int main(void) {{ {statement} }}"), &["3"], &[]);
        assert_eq!(run.status, Some(3), "{name}: {run:?}");
        let expected = format!("Ended: undefined behaviour: {text} at {file}:11:");
        assert!(run.stdout.starts_with(&expected), "{name}: {}", run.stdout);
    }
}

#[test]
fn overflow_and_uninitialised_reads_are_noted() {
    let body = "int main(void) {\n  int x;\n  int y = 2147483647;\n  y = y + 1;\n  return x;\n}";
    let (file, run) = exec("notes", body, &[], &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains(&format!("Note: signed overflow, wrapped around at {file}:14:")), "{}", run.stdout);
    assert!(run.stdout.contains(&format!("Note: read of uninitialised `x` at {file}:15:")), "{}", run.stdout);
}

#[test]
fn output_of_the_program_only_on_request() {
    let body = "int main(void) { printf(\"%s %d\", \"forty\", 2); return 0; }";
    let (_, run) = exec("silent", body, &[], &[]);
    assert!(!run.stdout.contains("forty"), "{}", run.stdout);
    let (_, run) = exec("print", body, &[], &["--print"]);
    assert!(run.stdout.starts_with("forty 2\nEnded: main returned 0\n"), "{}", run.stdout);
    let (_, run) = exec("print-json", body, &[], &["--print", "--json"]);
    assert!(run.stdout.starts_with('{') && run.stdout.contains("\"output\": \"forty 2\""), "{}", run.stdout);
}

#[test]
fn coverage_of_user_functions() {
    let body = "int unused(void) { return 1; }\nint main(void) {\n  if (__VERIFIER_nondet_int() > 0)\n    return 1;\n  return 0;\n}";
    let (_, run) = exec("coverage", body, &["1"], &[]);
    assert!(run.stdout.contains("1 of 2 branches, 1 of 2 functions"), "{}", run.stdout);
}

#[test]
fn a_suite_adds_up() {
    let directory = Directory::new("exec-suite");
    let body = "int main(void) {\n  if (__VERIFIER_nondet_int() > 0)\n    reach_error();\n  return 0;\n}";
    let file = directory.file("a.c", format!("{DECLARATIONS}{body}\n"));
    let suite = Directory::new("exec-suite-tests");
    suite.file("t1.xml", "<testcase><input>-1</input></testcase>");
    let path = suite.path().display().to_string();
    let run = tandem(&["exec", &file, "--suite", &path]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.contains("t1.xml: main returned 0\nTests: 1\n"), "{}", run.stdout);
    assert!(run.stdout.contains("1 of 2 branches"), "{}", run.stdout);
    suite.file("t2.xml", "<testcase><input>1</input></testcase>");
    let run = tandem(&["exec", &file, "--suite", &path, "--json"]);
    assert_eq!(run.status, Some(1), "{run:?}");
    assert!(run.stdout.contains("\"verdict\": \"FALSE\""), "{}", run.stdout);
    let run = tandem(&["exec", &file, "--suite", &path]);
    assert!(run.stdout.contains("2 of 2 branches"), "{}", run.stdout);
    suite.file("t3.xml", "<testcase>\n<input>one</input></testcase>");
    let run = tandem(&["exec", &file, "--suite", &path]);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.contains("t3.xml:2:8: error: not an input value: `one`"), "{}", run.stderr);
}

#[test]
fn limits_and_signals_stop_a_run() {
    let body = "int main(void) {\n  for (;;) ;\n}";
    let (_, run) = exec("time", body, &[], &["--time-limit", "300ms"]);
    assert_eq!(run.status, Some(3), "{run:?}");
    assert!(run.stdout.starts_with("Ended: stopped: time limit\n"), "{}", run.stdout);
    assert!(run.time < std::time::Duration::from_secs(20));

    let directory = Directory::new("exec-signal");
    let file = directory.file("a.c", body);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tandem"));
    let child = command.args(["exec", &file]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{stdout}");
    assert!(stdout.starts_with("Ended: stopped: cancelled\n") && stdout.contains("Coverage: "), "{stdout}");
}

#[test]
fn data_models_differ() {
    let body = "int main(void) { return sizeof(long); }";
    let (_, run) = exec("lp64", body, &[], &[]);
    assert!(run.stdout.starts_with("Ended: main returned 8\n"), "{}", run.stdout);
    let (_, run) = exec("ilp32", body, &[], &["--data-model", "ILP32"]);
    assert!(run.stdout.starts_with("Ended: main returned 4\n"), "{}", run.stdout);
}

/// Each of these once ran on as if nothing had happened.
#[test]
fn what_is_not_modelled_ends_the_run_where_it_stands() {
    let nested = "int main(void) {\n  int f(int x) { return x + 1; }\n  return f(1);\n}";
    assert_ends("nested", nested, &[], 3, "unsupported: nested function", "12:7");
    let jump = "extern int setjmp(void *);\nint main(void) {\n  long b[9];\n  return setjmp(b);\n}";
    assert_ends("setjmp", jump, &[], 3, "unsupported: call of setjmp", "14:10");
    let complex = "int main(void) {\n  _Complex double z = 1.0;\n  return 0;\n}";
    let what = "unsupported: conversion of a value whose type is not modelled";
    assert_ends("complex", complex, &[], 3, what, "12:23");
}
