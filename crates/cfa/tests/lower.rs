//! Shapes of lowered programs: the steps of one function, in the text form, without their spans.

use tandem_base::SourceText;
use tandem_cfa::{Program, build, check, text};
use tandem_syntax::DataModel;

fn program(source: &str) -> Program {
    let built = build(SourceText::plain("test.c", source.as_bytes().to_vec()), DataModel::Lp64);
    let program = built.program.unwrap_or_else(|| panic!("{:?}", built.problems));
    assert_eq!(check::check(&program), []);
    program
}

/// The edges of `function`, nodes counted from its first.
fn steps(source: &str, function: &str) -> String {
    let program = program(source);
    let written = text::write(&program);
    let start = written.find(&format!("function {function}#")).expect("the function");
    let body = &written[start..start + written[start..].find("\n}").expect("its end")];
    let id = program.function_named(function).expect("the function");
    let base = program.functions[id].body.as_ref().expect("a body").nodes.start.0;
    let number = |node: &str| node.trim_start_matches('n').parse::<u32>().expect("a node") - base;
    let mut lines = Vec::new();
    for line in body.lines().filter(|line| line.starts_with("  e") && line.contains("->")) {
        let (_, rest) = line.split_once(": ").expect("an edge");
        let (source, rest) = rest.split_once(" -> ").expect("an edge");
        let (target, rest) = rest.split_once("  ").expect("an edge");
        let (step, _) = rest.split_once("  @").expect("an edge");
        lines.push(format!("{} {} {step}", number(source), number(target)));
    }
    lines.join("\n")
}

fn check_steps(body: &str, expected: &[&str]) {
    let source = format!("int g; int input(void); int f(int x, int y) {{ {body} }}");
    assert_eq!(steps(&source, "f"), expected.join("\n"), "of {body}");
}

#[test]
fn one_edge_per_statement_and_two_per_condition() {
    let source = "int input(void); int main() { int x; x = input(); if (x < 5) return 0; \
                  else { x++; if (x == 5) return 1; else return 2; } }";
    let expected = [
        "0 1 x = call input()",
        "1 2 assume x < 5",
        "1 3 assume not x < 5",
        "2 7 return 0",
        "3 4 x = x + 1",
        "4 5 assume x == 5",
        "4 6 assume not x == 5",
        "5 7 return 1",
        "6 7 return 2",
    ];
    assert_eq!(steps(source, "main"), expected.join("\n"));
}

#[test]
fn jumps_and_blocks_cost_nothing() {
    check_steps("again: ; { if (x) { goto again; } } return y;", &["0 0 assume x", "0 1 assume not x", "1 2 return y"]);
    check_steps("for (;;) ;", &["0 0 skip"]);
    check_steps("l: goto l;", &["0 0 skip"]);
}

#[test]
fn constant_conditions_leave_one_edge() {
    check_steps("while (1) x++; return 0;", &["0 1 skip", "1 0 x = x + 1"]);
    check_steps("if (0 && x) return 1; return y;", &["0 1 skip", "1 2 return y"]);
}

#[test]
fn conditions_are_tested_as_they_are_written() {
    check_steps(
        "if (!(x < 5 && y)) return 1; return __builtin_expect(!!(x == y), 1);",
        &[
            "0 1 assume x < 5",
            "0 2 assume not x < 5",
            "1 3 assume y",
            "1 2 assume not y",
            "2 4 return 1",
            "3 4 return (int)(long)!!(x == y)",
        ],
    );
    let program = program("int f(int a, int b) { if (a && !b) return 1; return 2; }");
    let outcomes: Vec<_> = program.edges.iter().filter_map(|edge| edge.outcome).map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [0, 0, 1]);
    assert_eq!(program.conditions.len(), 2);
    assert_eq!(program.decisions.len(), 1);
}

#[test]
fn values_are_saved_only_from_what_may_change_them() {
    check_steps("return x - input();", &["0 1 $t0 = call input()", "1 2 return x - $t0"]);
    check_steps("return g - input();", &["0 1 $t0 = g", "1 2 $t1 = call input()", "2 3 return $t0 - $t1"]);
    check_steps(
        "while ((x = input()) != 0) y += x; return y;",
        &["0 1 x = call input()", "1 2 assume x != 0", "1 3 assume not x != 0", "2 0 y = y + x", "3 4 return y"],
    );
}

#[test]
fn branches_deliver_their_values() {
    check_steps("return x ? y : g;", &["0 1 assume x", "0 2 assume not x", "1 3 return y", "2 3 return g"]);
    check_steps(
        "long l = x || y; return 0;",
        &[
            "0 2 assume x",
            "0 1 assume not x",
            "1 2 assume y",
            "1 3 assume not y",
            "2 4 l = 1l",
            "3 4 l = 0l",
            "4 5 return 0",
        ],
    );
}

#[test]
fn a_switch_is_a_chain_of_tests() {
    check_steps(
        "switch (x) { case 1: y = 1; case 5 ... 7: return y; default: break; } return 0;",
        &[
            "0 2 assume x == 1",
            "0 1 assume not x == 1",
            "1 3 assume ((unsigned int)x - 5u) <= 2u",
            "1 4 assume not ((unsigned int)x - 5u) <= 2u",
            "2 3 y = 1",
            "3 5 return y",
            "4 5 return 0",
        ],
    );
}

#[test]
fn locals_are_declared_where_their_lifetime_may_begin_again() {
    check_steps(
        "int a; while (x) { int b; b = x; x = b - 1; } return 0;",
        &["0 1 assume x", "0 4 assume not x", "1 2 declare b", "2 3 b = x", "3 0 x = b - 1", "4 5 return 0"],
    );
}

#[test]
fn what_is_not_modelled_is_marked() {
    check_steps(
        "__asm__(\"nop\"); __asm__(\"\" ::: \"memory\"); return 0;",
        &["0 1 unsupported \"inline assembler\"", "1 2 return 0"],
    );
}

#[test]
fn library_models_come_along() {
    let program = program("unsigned long strlen(const char *); int main() { return strlen(\"abc\"); }");
    let model = program.functions.iter().find(|function| function.is_library).expect("a model");
    assert!(model.name.starts_with("__tandem_"));
    assert!(model.body.is_some());
}
