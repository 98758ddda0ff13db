//! The example programs of the papers that this project follows: their automata branch as the papers draw them.
//!
//! The papers draw no declarations and no empty steps, so these are left out before the comparison. Nodes are numbered in
//! the order in which a walk that takes true branches first finds them.

use std::collections::HashMap;
use std::fmt::Write;

use tandem_base::SourceText;
use tandem_cfa::{NodeId, Op, Program, build, c_print};
use tandem_syntax::DataModel;

fn program(text: &str) -> Program {
    let built = build(SourceText::plain("figure.c", text.as_bytes().to_vec()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

/// The node itself, or where its empty steps lead.
fn behind_empty_steps(program: &Program, mut node: NodeId) -> NodeId {
    for _ in 0..program.nodes.len() {
        match program.edges.slice(program.out(node)) {
            [edge] if matches!(edge.op, Op::Skip | Op::Declare(_)) => node = edge.target,
            _ => break,
        }
    }
    node
}

/// The edges of a function, one a line.
fn shape(text: &str, function: &str) -> String {
    let program = program(text);
    let function = program.function_named(function).unwrap();
    let body = program.functions[function].body.as_ref().unwrap();
    let mut numbers = HashMap::new();
    let mut out = String::new();
    let mut open = vec![behind_empty_steps(&program, body.entry)];
    let mut order = Vec::new();
    while let Some(node) = open.pop() {
        if numbers.contains_key(&node) {
            continue;
        }
        numbers.insert(node, numbers.len() + 1);
        order.push(node);
        let targets = program.edges.slice(program.out(node)).iter().rev();
        open.extend(targets.map(|edge| behind_empty_steps(&program, edge.target)));
    }
    for node in order {
        for id in program.out(node).iter() {
            let target = numbers[&behind_empty_steps(&program, program.edges[id].target)];
            let _ = writeln!(out, "{} -{}-> {target}", numbers[&node], c_print::edge(&program, id));
        }
    }
    out
}

#[track_caller]
fn check(text: &str, function: &str, expected: &[&str]) {
    let found = shape(text, function);
    let found: Vec<&str> = found.lines().collect();
    assert_eq!(found, expected);
}

#[test]
fn exchange_automata_figure_3() {
    let text = "int input(void);
        int main(void) { int x; x = input(); if (x < 5) return 0; else { x++; if (x == 5) return 1; else return 2; } }";
    check(
        text,
        "main",
        &[
            "1 -x = input()-> 2",
            "2 -[x < 5]-> 3",
            "2 -[!(x < 5)]-> 5",
            "3 -return 0-> 4",
            "5 -x = x + 1-> 6",
            "6 -[x == 5]-> 7",
            "6 -[!(x == 5)]-> 8",
            "7 -return 1-> 4",
            "8 -return 2-> 4",
        ],
    );
}

#[test]
fn exchange_automata_figure_15() {
    let text = "void error(void);
        void main(void) { int x = 1; int y = 0; while (y < 1024) { x = 0; y++; } if (x == 0) {} else error(); }";
    check(
        text,
        "main",
        &[
            "1 -x = 1-> 2",
            "2 -y = 0-> 3",
            "3 -[y < 1024]-> 4",
            "3 -[!(y < 1024)]-> 6",
            "4 -x = 0-> 5",
            "5 -y = y + 1-> 3",
            "6 -[x == 0]-> 7",
            "6 -[!(x == 0)]-> 9",
            "7 -return-> 8",
            "9 -error()-> 7",
        ],
    );
}

#[test]
fn ranges_figure_1() {
    let text = "int input(void); void check(int);
        void main(void) { int x = input(); int a = 0; int b = 0;
            if (x >= 0) { while (a < x) { a++; b++; } } else { a = 10; b = 10; } check(a == b); }";
    check(
        text,
        "main",
        &[
            "1 -x = input()-> 2",
            "2 -a = 0-> 3",
            "3 -b = 0-> 4",
            "4 -[x >= 0]-> 5",
            "4 -[!(x >= 0)]-> 11",
            "5 -[a < x]-> 6",
            "5 -[!(a < x)]-> 8",
            "6 -a = a + 1-> 7",
            "7 -b = b + 1-> 5",
            "8 -check(a == b)-> 9",
            "9 -return-> 10",
            "11 -a = 10-> 12",
            "12 -b = 10-> 8",
        ],
    );
}

#[test]
fn multi_goal_figure_5() {
    let text = "void p(int x, _Bool f1, _Bool f2, _Bool s) {
            if (x > 10) f1 = 0; else f1 = 1; if (x == 100) f2 = 0; if (f1) s = f2; else s = f1; }";
    check(
        text,
        "p",
        &[
            "1 -[x > 10]-> 2",
            "1 -[!(x > 10)]-> 10",
            "2 -f1 = 0-> 3",
            "3 -[x == 100]-> 4",
            "3 -[!(x == 100)]-> 5",
            "4 -f2 = 0-> 5",
            "5 -[f1]-> 6",
            "5 -[!(f1)]-> 9",
            "6 -s = f2-> 7",
            "7 -return-> 8",
            "9 -s = f1-> 7",
            "10 -f1 = 1-> 3",
        ],
    );
}
