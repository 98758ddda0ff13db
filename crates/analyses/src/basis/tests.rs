//! Which assumptions a program rests on: small programs, each with what is to be said about its proof or its violation.

use tandem_artifact::{AssumptionKind, ErrorCall, Verdict, VerdictBasis};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, build};

use super::basis;
use crate::{Outcome, Task, verify};

const HEADER: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);\n\
    extern void *malloc(unsigned long); extern void free(void *); extern void __assert_fail(const char *, const char *, unsigned, const char *);\n";

/// What a proof of the program would rest on, whether it is one or not.
fn proof(text: &str) -> VerdictBasis {
    proof_for(text, &ErrorCall::Usual, false)
}

fn proof_for(text: &str, error: &ErrorCall, in_bounds: bool) -> VerdictBasis {
    let text = format!("{HEADER}{text}");
    let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
    let outcome = Outcome { in_bounds, ..Outcome::new("test", None, None, Vec::new()) };
    assert_eq!(outcome.verdict, Verdict::True);
    basis(Task::new(&program, error, 1), &outcome)
}

fn violation(text: &str) -> VerdictBasis {
    let text = format!("{HEADER}{text}");
    let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
    let task = Task::new(&program, &ErrorCall::Usual, 1);
    let outcome = verify("bmc", task, &Budget::unlimited()).unwrap();
    assert_eq!(outcome.verdict, Verdict::False, "{outcome:?}");
    basis(task, &outcome)
}

fn words(basis: &VerdictBasis) -> Vec<&'static str> {
    let notes = basis.notes.iter().map(|note| note.word());
    notes.chain(basis.assumptions.iter().map(|assumption| assumption.kind.word())).collect()
}

#[test]
fn a_program_that_asks_for_nothing_rests_on_nothing() {
    let basis = proof("int main(void) { int x = __VERIFIER_nondet_int(); if (x != x) reach_error(); }");
    assert_eq!(words(&basis), [] as [&str; 0]);
}

#[test]
fn functions_without_a_body_that_can_be_called() {
    let text = "int a(void); int b(void); int *p(void); int unused(void); int (*f)(void) = b;\n\
                int other(void) { return unused(); }\n\
                int main(void) { if (a() != 0 && a() == 0 && f() == 3) reach_error(); }";
    let basis = proof(text);
    assert_eq!(words(&basis), ["functions-without-body"]);
    assert_eq!(basis.assumptions[0].names, ["a", "b"]);
    assert_eq!(basis.assumptions[0].places.len(), 2);
    let basis = proof("int *p(void); int main(void) { int *q = p(); if (!q) reach_error(); }");
    assert_eq!(basis.assumptions[0].kind, AssumptionKind::FunctionsWithoutBody { pointers: true });
}

#[test]
fn a_violation_rests_on_what_its_run_does() {
    let text =
        "int a(void); int b(void); int main(int argc, char **argv) { if (a() == 7) reach_error(); return b() / a(); }";
    let basis = violation(text);
    assert_eq!(words(&basis), ["functions-without-body", "main-arguments"]);
    assert_eq!(basis.assumptions[0].names, ["a"]);
}

#[test]
fn a_run_that_takes_unwritten_memory_rests_on_it() {
    let basis = violation("int main(void) { int x; if (x == 3) reach_error(); }");
    assert_eq!(words(&basis), ["uninitialised-memory"]);
    assert_eq!(basis.assumptions[0].names, ["x"]);
    let basis = violation("int main(void) { int *p = malloc(4); if (*p == 3) reach_error(); }");
    assert_eq!(words(&basis), ["allocation", "uninitialised-memory"]);
}

#[test]
fn a_run_says_whether_it_is_defined() {
    let sum = "int main(void) { int x = __VERIFIER_nondet_int(); if (x + 1 == y) reach_error(); }";
    assert_eq!(words(&violation(&sum.replace('y', "5"))), ["defined-run"]);
    assert_eq!(words(&violation(&sum.replace('y', "-2147483647 - 1"))), ["signed-overflow"]);
}

#[test]
fn variables_that_are_defined_elsewhere() {
    let basis = violation(
        "extern int level; extern int other; int main(void) { if (level == 3) reach_error(); return other; }",
    );
    assert_eq!(words(&basis), ["variables-without-definition"]);
    assert_eq!(basis.assumptions[0].names, ["level"]);
    let basis = proof("extern int level; int main(void) { if (level == 3) reach_error(); }");
    assert_eq!(words(&basis), ["variables-without-definition"]);
}

#[test]
fn allocation_and_accesses() {
    let text = "int main(void) { int *p = malloc(8); *p = 1; if (*p != 1) reach_error(); }";
    let basis = proof(text);
    assert_eq!(words(&basis), ["allocation", "undefined-behaviour"]);
    assert_eq!(basis.assumptions[0].places.len(), 1);
    let basis = proof_for(text, &ErrorCall::Usual, true);
    assert_eq!(words(&basis), ["undefined-behaviour-excluded", "allocation"]);
    assert!(basis.notes[0].to_string().ends_with("(proved by test)"), "{basis:?}");
    // A fixed element is no reason to speak of it.
    let basis = proof("int main(void) { int a[3]; a[1] = 1; if (a[1] != 1) reach_error(); }");
    assert_eq!(words(&basis), [] as [&str; 0]);
}

#[test]
fn numbers_of_addresses() {
    let cast = "int a; int main(void) { if ((unsigned long)&a == 3) reach_error(); }";
    assert_eq!(words(&proof(cast)), ["addresses"]);
    let order = "int a, b; int main(void) { if (&a < &b) reach_error(); }";
    assert_eq!(words(&proof(order)), ["addresses"]);
    let inside = "int a[9]; int main(void) { int *p = a; p = p + 1; if (p < a) reach_error(); }";
    assert!(!words(&proof(inside)).contains(&"addresses"), "{:?}", proof(inside));
    let offset =
        "struct s { int a, b; }; int main(void) { if ((unsigned long)&((struct s *)0)->b != 4) reach_error(); }";
    assert!(!words(&proof(offset)).contains(&"addresses"), "{:?}", proof(offset));
    let null = "int main(void) { void *p = malloc(3); if (!p) reach_error(); }";
    assert_eq!(words(&proof(null)), ["allocation"]);
}

#[test]
fn arithmetic_that_is_not_defined_for_all_values() {
    let of = |expression: &str| {
        let text = format!(
            "int main(void) {{ int x = __VERIFIER_nondet_int(); unsigned u = x; char c = __VERIFIER_nondet_char();\n\
             double d = x; if ({expression}) reach_error(); }}"
        );
        words(&proof(&text)).join(" ")
    };
    assert_eq!(of("x + 1 == 3"), "signed-overflow");
    assert_eq!(of("-x == 3"), "signed-overflow");
    assert_eq!(of("u + 1 == 3"), "");
    assert_eq!(of("c * c + 1 == 3"), "");
    assert_eq!(of("(x & 255) * (x % 100) == 3"), "");
    assert_eq!(of("x / 2 == 3"), "");
    assert_eq!(of("x / -1 == 3"), "division");
    assert_eq!(of("x % c == 3"), "division");
    assert_eq!(of("(u << 3) == 3"), "");
    assert_eq!(of("(u >> (c & 31)) == 3"), "");
    assert_eq!(of("(u << c) == 3"), "shift-amounts");
    assert_eq!(of("(int)d == 3"), "float-conversions");
}

#[test]
fn nothing_to_violate_is_said() {
    let text = |basis: VerdictBasis| basis.lines().join("\n");
    let none = "int main(void) { int *p = malloc(4); *p = __VERIFIER_nondet_int() + 1; free(p); return 0; }";
    assert_eq!(
        text(proof(none)),
        "Note: no assertion and no error call can be reached, by the graph of the program alone"
    );
    // The call is in the text, and leaves no edge.
    let constant = "int main(void) { if (0) reach_error(); return 0; }";
    assert_eq!(text(proof(constant)), text(proof(none)));
    let elsewhere = "void unused(void) { reach_error(); } int main(void) { return 0; }";
    assert!(text(proof(elsewhere)).contains("by the graph of the program alone"), "{:?}", proof(elsewhere));
    let pointer = "void (*f)(void) = reach_error; int main(void) { if (__VERIFIER_nondet_int() == 3) f(); }";
    assert!(proof(pointer).notes.is_empty(), "{:?}", proof(pointer));
    let asserted = "int main(void) { if (__VERIFIER_nondet_int() == 3) __assert_fail(\"\", \"\", 1, \"\"); }";
    assert!(proof(asserted).notes.is_empty(), "{:?}", proof(asserted));
    // Where the property names a function, an assertion does not count.
    let error = ErrorCall::Function("bad".into());
    let basis = proof_for(asserted, &error, false);
    assert_eq!(text(basis), "Note: no call of `bad` can be reached, by the graph of the program alone");
}

#[test]
fn without_a_verdict_there_is_nothing_to_rest_on() {
    let program =
        build(SourceText::plain("test.c", b"int f(void); int main(void) { return f(); }".to_vec()), DataModel::Lp64);
    let program = program.program.unwrap();
    let mut outcome = Outcome::new("test", None, None, Vec::new());
    outcome.verdict = Verdict::Unknown("time limit".into());
    assert_eq!(basis(Task::new(&program, &ErrorCall::Usual, 1), &outcome), VerdictBasis::default());
}
