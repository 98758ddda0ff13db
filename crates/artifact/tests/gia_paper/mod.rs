//! The running example of the exchange automata's paper: a program with four branch targets, and automata about it.
#![allow(dead_code)]

use proptest::prelude::*;
use tandem_artifact::gia::{EdgeNames, EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId, Subject, Target};
use tandem_artifact::sha256_hex;
use tandem_base::SourceText;
use tandem_cfa::{DataModel, EdgeId, Program};

pub const TEXT: &str = "extern int input(void);

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

pub fn program_of(text: &str) -> Program {
    let built = tandem_cfa::build(SourceText::plain("p.c", text.as_bytes()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

pub fn program() -> Program {
    program_of(TEXT)
}

pub fn hash() -> String {
    sha256_hex(TEXT.as_bytes())
}

pub fn subject() -> Subject {
    Subject::plain("p.c", TEXT.as_bytes(), DataModel::Lp64)
}

/// The edges of the program by the paper's words.
pub const OP: &str = "4:11 call";
pub const SMALL: &str = "5:7 branch true";
pub const LARGE: &str = "5:7 branch false";
pub const INCREMENT: &str = "8:5 assign";
pub const FIVE: &str = "9:9 branch true";
pub const NOT_FIVE: &str = "9:9 branch false";

pub fn targets(names: &EdgeNames) -> Vec<Target> {
    let targets = [("l3", SMALL), ("l5", LARGE), ("l7", FIVE), ("l9", NOT_FIVE)];
    let targets = targets.map(|(name, edge)| Target { name: name.into(), edges: vec![names.edge(edge).unwrap()] });
    targets.into()
}

/// A transition: source, edge, condition, target.
type Step = (&'static str, &'static str, &'static str, &'static str);

/// An automaton of states (the first is the initial one) and transitions.
pub fn automaton(states: &[(&str, Option<Mark>)], steps: &[Step]) -> Gia {
    let names = EdgeNames::of(&program());
    let mut builder = GiaBuilder::new(subject(), targets(&names));
    for (name, mark) in states {
        builder.named(name, GuardId::TRUE, *mark);
    }
    let number = |name: &str| StateId(states.iter().position(|(other, _)| *other == name).unwrap() as u32);
    for (source, edge, condition, target) in steps {
        let guard = builder.guards().text(condition);
        builder.transition(number(source), EdgeSet::One(names.edge(edge).unwrap()), guard, number(target));
    }
    builder.finish().unwrap()
}

const RT: Option<Mark> = Some(Mark::Reached);
const UT: Option<Mark> = Some(Mark::Unreachable);
const CAND: Option<Mark> = Some(Mark::Candidate);

/// l3 is reached with x == 0, l7 is unreachable, l5 and l9 are candidates with x == 5.
pub fn figure_8() -> Gia {
    let states = [
        ("q1", None),
        ("q2", None),
        ("q3", RT),
        ("q4", None),
        ("q5", CAND),
        ("q6", None),
        ("q9", CAND),
        ("q4'", None),
        ("q5'", None),
        ("q6'", None),
        ("q7", UT),
    ];
    automaton(
        &states,
        &[
            ("q1", OP, "x == 0", "q2"),
            ("q2", SMALL, "", "q3"),
            ("q1", OP, "x == 5", "q4"),
            ("q4", LARGE, "", "q5"),
            ("q5", INCREMENT, "", "q6"),
            ("q6", NOT_FIVE, "", "q9"),
            ("q1", OP, "", "q4'"),
            ("q4'", LARGE, "", "q5'"),
            ("q5'", INCREMENT, "", "q6'"),
            ("q6'", FIVE, "", "q7"),
        ],
    )
}

/// A tester's automaton.
pub fn figure_14_a1() -> Gia {
    let states = [
        ("q1", None),
        ("q2", None),
        ("q3", RT),
        ("q2'", None),
        ("q5'", CAND),
        ("q6'", None),
        ("q7'", CAND),
        ("q9'", CAND),
    ];
    automaton(
        &states,
        &[
            ("q1", OP, "x == 0", "q2"),
            ("q2", SMALL, "", "q3"),
            ("q1", OP, "", "q2'"),
            ("q2'", LARGE, "", "q5'"),
            ("q5'", INCREMENT, "", "q6'"),
            ("q6'", FIVE, "", "q7'"),
            ("q6'", NOT_FIVE, "", "q9'"),
        ],
    )
}

/// A verifier's automaton.
pub fn figure_14_a2() -> Gia {
    let states = [
        ("s1", None),
        ("s2", None),
        ("s5", CAND),
        ("s6", None),
        ("s9", CAND),
        ("s2'", None),
        ("s5'", None),
        ("s6'", None),
        ("s7", UT),
    ];
    automaton(
        &states,
        &[
            ("s1", OP, "x == 5", "s2"),
            ("s2", LARGE, "", "s5"),
            ("s5", INCREMENT, "", "s6"),
            ("s6", NOT_FIVE, "", "s9"),
            ("s1", OP, "", "s2'"),
            ("s2'", LARGE, "", "s5'"),
            ("s5'", INCREMENT, "", "s6'"),
            ("s6'", FIVE, "", "s7"),
        ],
    )
}

/// Compares with a file of `tests/gia`; with `BLESS` set, writes it.
pub fn golden(name: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gia").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} differs; set BLESS to write it");
}

/// A random automaton about the paper's program; conditions mean something behind every edge.
pub fn random() -> impl Strategy<Value = Gia> {
    let conditions = vec!["x == 0", "!(x < 7)", "x > 3 && x < 9", "x * 2 == 4 || !x", "x % 2 == 1", "(x & 1) != 0"];
    let guard = proptest::collection::vec(proptest::sample::select(conditions), 0..3);
    let edges = (0..4u8, proptest::collection::vec(0..9u32, 0..4));
    let step = (0..6usize, edges, guard.clone(), 0..6usize);
    let mark = 0..4u8;
    let state = (mark, guard);
    (proptest::collection::vec(state, 1..6), proptest::collection::vec(step, 0..12)).prop_map(|(states, steps)| {
        let mut builder = GiaBuilder::new(subject(), Vec::new());
        let mut marks = Vec::new();
        for (number, (mark, invariant)) in states.iter().enumerate() {
            let mark = [None, Some(Mark::Unreachable), Some(Mark::Reached), Some(Mark::Candidate)][*mark as usize];
            let literals = invariant.iter().map(|text| builder.guards().literal(text)).collect();
            let invariant = if number == 0 { GuardId::TRUE } else { builder.guards().of(literals) };
            builder.named(&format!("state {number}"), invariant, mark);
            marks.push(mark);
        }
        for (source, (kind, edges), guard, target) in steps {
            let (source, target) = (source % marks.len(), target % marks.len());
            let leaves = marks[source].is_some_and(Mark::is_settled) && marks[source] != marks[target];
            if leaves {
                continue;
            }
            let literals = guard.iter().map(|text| builder.guards().literal(text)).collect();
            let guard = builder.guards().of(literals);
            let edges = edges.into_iter().map(EdgeId);
            let edges = if kind == 0 { EdgeSet::all_but(edges) } else { EdgeSet::these(edges) };
            builder.transition(StateId(source as u32), edges, guard, StateId(target as u32));
        }
        builder.finish().unwrap()
    })
}
