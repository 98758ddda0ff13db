//! Texts that are meant to break a front end: each must give problems (or be accepted), soon and without a crash.

use std::ops::Add;
use std::time::{Duration, Instant};

use tandem_base::{Problem, Severity, SourceText};
use tandem_syntax::{DataModel, parse};

const LIMIT: Duration = Duration::from_secs(30);

fn problems(text: impl Into<Vec<u8>>) -> Vec<Problem> {
    let source = SourceText::plain("hostile.c", text.into());
    let start = Instant::now();
    let parsed = parse(&source, DataModel::Lp64);
    assert!(start.elapsed() < LIMIT, "took {:?}", start.elapsed());
    let errors: Vec<_> = parsed.problems.into_iter().filter(|p| p.severity == Severity::Error).collect();
    assert!(errors.len() <= 20, "{} errors", errors.len());
    errors
}

#[track_caller]
fn refused(text: impl Into<Vec<u8>>, part: &str) {
    let found = problems(text);
    assert!(found.iter().any(|problem| problem.message.contains(part)), "{found:?}");
}

#[track_caller]
fn accepted(text: impl Into<Vec<u8>>) {
    assert_eq!(problems(text), []);
}

fn function(body: &str) -> String {
    format!("int g(int); int f(int a) {{ {body} return a; }}")
}

#[test]
fn deep_nesting_is_refused() {
    let many = 100_000;
    let wrap = |open: &str, close: &str| format!("a = {}a{};", open.repeat(many), close.repeat(many));
    let chain = |part: &str| format!("a = {}a;", part.repeat(many));
    for body in [wrap("(", ")"), wrap("g(", ")"), wrap("({", ";})"), wrap("_Generic(0,int:", ")")] {
        refused(function(&body), "nested too deeply");
    }
    for part in ["!", "- ", "*", "*&", "(int)", "a+", "a,", "a=", "a?1:", "a?:", "a&&", "sizeof ", "__extension__ "] {
        refused(function(&chain(part)), "nested too deeply");
    }
    for part in ["if (a) ", "while (a) ", "if (a) ; else ", "for (;;) ", "do ", "{", "switch (a) "] {
        refused(function(&part.repeat(many)), "nested too deeply");
    }
    for text in ["int x = {{", "struct {", "int (*", "int *", "int x[1]"] {
        let (first, rest) = text.split_at(text.len() - if text.ends_with("[1]") { 3 } else { 1 });
        refused(format!("{first}{}", rest.repeat(many)), "nested too deeply");
    }
    refused("struct {".repeat(many), "nested too deeply");
    refused("typedef int (*".repeat(many), "nested too deeply");
}

#[test]
fn many_labels_are_refused() {
    let cases: String = (0..131_072).map(|index| format!("case {index}:\n")).collect();
    refused(function(&format!("switch (a) {{ {cases} a = 1; }}")), "nested too deeply");
    let cases: String = (0..131_072).map(|index| format!("case {index}: a = 1; break;\n")).collect();
    refused(function(&format!("switch (a) {{ {cases} }}")), "cases");
    let labels: String = (0..100_000).map(|index| format!("label{index}:\n")).collect();
    refused(function(&format!("{labels};")), "nested too deeply");
}

#[test]
fn the_bound_on_brackets_is_told_once() {
    let text = function(&format!("a = {}a{};", "(".repeat(300), ")".repeat(300)));
    let found = problems(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.starts_with("nested too deeply"), "{found:?}");
}

#[test]
fn large_programs_are_accepted() {
    accepted(function(&format!("a = {}a{};", "(".repeat(200), ")".repeat(200))));
    accepted(function(&(0..9_000).map(|i| format!("if (a == {i}) a = 1; else ")).collect::<String>().add(";")));
    accepted(function(&(0..9_000).map(|i| format!("if (a == {i}) {{ a = 1; }} else ")).collect::<String>().add(";")));
    accepted(function(&format!("a = a{};", " + a".repeat(9_000))));
    accepted(function(&format!("a = {};", "!".repeat(9_000) + "a")));
    let cases: String = (0..9_000).map(|index| format!("case {index}:\n")).collect();
    accepted(function(&format!("switch (a) {{ {cases} a = 1; }}")));
    accepted(format!("int x[] = {{ {} }};", "1,".repeat(300_000)));
    accepted(function(&"a = a + 1;".repeat(100_000)));
    accepted(function(&"{ int b[] = { 1, 2 }; a = b[1]; }".repeat(20_000)));
    accepted(function(&"if (a) { a = 1; } else { a = 2; }".repeat(20_000)));
}

#[test]
fn long_tokens_and_lines() {
    let ten = 10_000_000;
    accepted(format!("/*{}*/ int x;", "1".repeat(ten)));
    accepted(format!("int {};", "a".repeat(ten)));
    accepted(format!("char *x = \"{}\";", "1".repeat(ten)));
    refused(format!("int x = {};", "1".repeat(ten)), "too large");
    accepted(format!("double x = 1.{};", "1".repeat(ten)));
    accepted(function(&"a=a+1;".repeat(ten / 10)));
}

#[test]
fn what_is_no_program() {
    accepted("");
    accepted("\\\n".repeat(100_000));
    refused([0; 1000], "0x00");
    refused("int f(void) { return 1;", "expected");
    refused("int x = ", "expected");
    refused("/* int x;", "comment");
    refused("char *s = \"abc", "missing terminating");
    refused("int x; double x;", "x");
    refused("int f(int a) { return b; }", "undeclared");
    refused("int f(void) { goto l; }", "l");
    refused("struct S x;", "x");
    refused("#include <stdio.h>\n", "stdio.h");
    refused("}".repeat(1_000_000), "expected");
    refused(")".repeat(1_000_000), "expected");
    refused("\"\n".repeat(10_000), "missing terminating");
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let junk: Vec<u8> = (0..3_000_000).map(|_| next()).collect();
    assert!(!problems(junk).is_empty());
    let printable: Vec<u8> = (0..1_000_000).map(|_| 32 + next() % 95).collect();
    assert!(!problems(printable).is_empty());
}

/// The lexer once looked for the rest of such a line for ever.
#[test]
fn a_comment_that_ends_in_a_splice() {
    accepted("int x; // a \\");
    accepted("int x; // a \\\n");
    refused("int x; /* \\", "comment");
    refused("int x; /* \\\r\n", "comment");
}
