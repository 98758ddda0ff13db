//! The examples of the paper on exchange automata: Figures 8, 14, 15 and 16, and the walk of Section 7.3.

use std::time::Duration;

use tandem_artifact::ErrorCall;
use tandem_artifact::gia::*;
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, EdgeId, Program, build, c_print};
use tandem_coop::check::{Checking, Judgement, Status, check, consistent, status};
use tandem_coop::reduce::reduce;

/// The program of Figure 2.
const BRANCHES: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 5) {
    return 0;
  } else {
    x++;
    if (x == 5) {
      return 1;
    } else {
      return 2;
    }
  }
}
";

/// The program of Figure 15.
const LOOP: &str = "extern void reach_error(void);
int main(void) {
  int x = 1;
  int y = 0;
  while (y < 1024) {
    x = 0;
    y++;
  }
  if (x == 0) {
  } else {
    reach_error();
  }
}
";

fn program(text: &str) -> Program {
    let built = build(SourceText::plain("paper.c", text.as_bytes().to_vec()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

fn subject() -> Subject {
    Subject::plain("paper.c", b"", DataModel::Lp64)
}

/// The edge that does this.
fn edge(program: &Program, text: &str) -> EdgeId {
    let user = program.edges.ids().filter(|edge| is_path_step(program, *edge));
    let mut found = user.filter(|edge| c_print::edge(program, *edge) == text);
    let edge = found.next().unwrap_or_else(|| {
        let all: Vec<String> = program.edges.ids().map(|edge| c_print::edge(program, edge)).collect();
        panic!("no edge {text} among {all:?}")
    });
    assert!(found.next().is_none(), "{text} is not one edge");
    edge
}

/// Branch targets l3, l5, l7 and l9.
fn targets(program: &Program) -> Vec<Target> {
    let branches = [("l3", "[x < 5]"), ("l5", "[!(x < 5)]"), ("l7", "[x == 5]"), ("l9", "[!(x == 5)]")];
    branches.map(|(name, text)| Target { name: name.into(), edges: vec![edge(program, text)] }).into()
}

/// Adds a path: texts of edges with a condition, and the marks of states behind them.
fn add(builder: &mut GiaBuilder, program: &Program, path: &[(&str, &str, Option<Mark>)]) {
    let mut at = Gia::INITIAL;
    for (text, condition, mark) in path {
        let guard = builder.guards().text(condition);
        let next = builder.state(*mark);
        builder.transition(at, EdgeSet::One(edge(program, text)), guard, next);
        at = next;
    }
}

fn automaton(program: &Program, targets: Vec<Target>, paths: &[&[(&str, &str, Option<Mark>)]]) -> Gia {
    let mut builder = GiaBuilder::new(subject(), targets);
    builder.state(None);
    paths.iter().for_each(|path| add(&mut builder, program, path));
    builder.finish().expect("a well-formed automaton")
}

const UT: Option<Mark> = Some(Mark::Unreachable);
const RT: Option<Mark> = Some(Mark::Reached);
const CAND: Option<Mark> = Some(Mark::Candidate);
const OP: &str = "x = __VERIFIER_nondet_int()";

/// Figure 14a: a tester's.
fn a1(program: &Program) -> Gia {
    let open = [(OP, "", None), ("[!(x < 5)]", "", CAND)];
    let to = |branch| [(OP, "", None), ("[!(x < 5)]", "", None), ("x = x + 1", "", None), (branch, "", CAND)];
    automaton(
        program,
        targets(program),
        &[&[(OP, "x == 0", None), ("[x < 5]", "", RT)], &open, &to("[x == 5]"), &to("[!(x == 5)]")],
    )
}

/// Figure 14b: a verifier's.
fn a2(program: &Program) -> Gia {
    let start = [(OP, "x == 5", None), ("[!(x < 5)]", "", CAND)];
    let to = |branch, condition, mark| {
        [(OP, condition, None), ("[!(x < 5)]", "", None), ("x = x + 1", "", None), (branch, "", mark)]
    };
    automaton(program, targets(program), &[&start, &to("[!(x == 5)]", "x == 5", CAND), &to("[x == 5]", "", UT)])
}

/// How a path with this input is covered.
fn covered(program: &Program, gia: &Gia, input: i64, path: &[&str]) -> Covered {
    let edges: Vec<EdgeId> = path.iter().map(|text| edge(program, text)).collect();
    gia.covers(&edges, |step, atom| {
        let increments = path[..=step].iter().filter(|text| **text == "x = x + 1").count() as i64;
        let text = gia.guards().atom_text(atom);
        let value: i64 = text.strip_prefix("x == ").expect("a condition on x").parse().expect("a number");
        input + increments == value
    })
}

const LEFT: [&str; 2] = [OP, "[x < 5]"];
const TO_L5: [&str; 2] = [OP, "[!(x < 5)]"];
const TO_L7: [&str; 4] = [OP, "[!(x < 5)]", "x = x + 1", "[x == 5]"];
const TO_L9: [&str; 4] = [OP, "[!(x < 5)]", "x = x + 1", "[!(x == 5)]"];

#[test]
fn figure_8() {
    let program = program(BRANCHES);
    let to = |branch, condition, mark| {
        [(OP, condition, None), ("[!(x < 5)]", "", None), ("x = x + 1", "", None), (branch, "", mark)]
    };
    let gia = automaton(
        &program,
        targets(&program),
        &[
            &[(OP, "x == 0", None), ("[x < 5]", "", RT)],
            &[(OP, "x == 5", None), ("[!(x < 5)]", "", CAND)],
            &to("[!(x == 5)]", "x == 5", CAND),
            &to("[x == 5]", "", UT),
        ],
    );
    assert!(covered(&program, &gia, 0, &LEFT).reached.is_some());
    assert!(covered(&program, &gia, 1, &LEFT).reached.is_none());
    assert!(covered(&program, &gia, 9, &TO_L7).unreachable.is_some());
    assert!(covered(&program, &gia, 5, &TO_L9).is_open_candidate());
    assert!(!covered(&program, &gia, 6, &TO_L9).is_open_candidate());
    let expected = [("l3", Status::Reached), ("l5", Status::Open), ("l7", Status::Unreachable), ("l9", Status::Open)];
    assert_eq!(statuses(&program, &gia), expected.map(|(name, status)| (name.to_string(), status)));
}

fn statuses(program: &Program, gia: &Gia) -> Vec<(String, Status)> {
    status(program, gia, &["reach_error"]).into_iter().map(|(target, status)| (target.name, status)).collect()
}

#[test]
fn figure_14() {
    let program = program(BRANCHES);
    let a3 = combine(&[&a1(&program), &a2(&program)]).expect("one program");
    // Reached as in A1, unreachable as in A2.
    assert!(covered(&program, &a3, 0, &LEFT).reached.is_some());
    assert!(covered(&program, &a3, 3, &LEFT).reached.is_none());
    assert!(covered(&program, &a3, 5, &TO_L7).unreachable.is_some());
    assert!(covered(&program, &a3, 77, &TO_L7).unreachable.is_some());
    // The more precise condition is kept, and l7 is no candidate any more.
    for path in [&TO_L5[..], &TO_L9] {
        assert!(covered(&program, &a3, 5, path).is_open_candidate());
        assert!(!covered(&program, &a3, 6, path).is_open_candidate());
    }
    assert!(!covered(&program, &a3, 5, &TO_L7).is_open_candidate());
    let marked = |mark| a3.states().iter().filter(|state| state.mark == Some(mark)).count();
    assert_eq!((marked(Mark::Unreachable), marked(Mark::Reached)), (1, 1));
}

#[test]
fn the_walk_of_section_7_3() {
    let program = program(BRANCHES);
    let empty = Gia::empty(subject(), targets(&program));
    let budget = Budget::with_time(Duration::from_secs(20));
    let checking = Checking { error: &ErrorCall::Usual, threads: 1, budget: &budget };
    // The empty automaton takes nothing away.
    let all = reduce(&program, &empty, Mark::Unreachable, &[]);
    assert!(
        !all.reduced && all.edges().len() == program.edges.ids().filter(|edge| is_path_step(&program, *edge)).count()
    );
    // The tester reaches l3; the verifier shows that l7 is not reached and proposes x == 5.
    let first = combine(&[&empty, &a1(&program)]).expect("one program");
    assert_eq!(consistent(&program, &first, &a2(&program), checking), Judgement::Correct);
    let second = combine(&[&first, &a2(&program)]).expect("one program");
    // What is left is the else-branch.
    let rest = reduce(&program, &second, Mark::Unreachable, &[]);
    let left = rest.edges();
    assert!(!left.contains(&edge(&program, "[x < 5]")) && !left.contains(&edge(&program, "[x == 5]")));
    assert!(left.contains(&edge(&program, "[!(x < 5)]")) && left.contains(&edge(&program, "[!(x == 5)]")));
    // The tester confirms l5 and l9.
    let found = automaton(
        &program,
        targets(&program),
        &[&[(OP, "x == 5", None), ("[!(x < 5)]", "", None), ("x = x + 1", "", None), ("[!(x == 5)]", "", RT)]],
    );
    assert_eq!(check(&program, &found, checking), Judgement::Correct);
    let third = combine(&[&second, &found]).expect("one program");
    let expected =
        [("l3", Status::Reached), ("l5", Status::Reached), ("l7", Status::Unreachable), ("l9", Status::Reached)];
    assert_eq!(statuses(&program, &third), expected.map(|(name, status)| (name.to_string(), status)));
}

/// Reached under a condition that does not lead there, or where no target is: refused.
#[test]
fn wrong_claims_are_found() {
    let program = program(BRANCHES);
    let budget = Budget::with_time(Duration::from_secs(20));
    let checking = Checking { error: &ErrorCall::Usual, threads: 1, budget: &budget };
    for (condition, mark_at) in [("", "[x < 5]"), ("x == 7", "[x < 5]"), ("x == 4", "[!(x < 5)]")] {
        let gia = automaton(&program, targets(&program), &[&[(OP, condition, None), (mark_at, "", RT)]]);
        assert!(matches!(check(&program, &gia, checking), Judgement::Incorrect(_)), "{condition} {mark_at}");
    }
    let nowhere = automaton(&program, targets(&program), &[&[(OP, "x == 0", RT)]]);
    assert!(matches!(check(&program, &nowhere, checking), Judgement::Incorrect(_)));
    // One calls l3 reached with x == 0, the other unreachable for small x: a contradiction; for large x: none.
    let settled = |condition| automaton(&program, targets(&program), &[&[(OP, condition, None), ("[x < 5]", "", UT)]]);
    assert!(matches!(consistent(&program, &a1(&program), &settled("x < 3"), checking), Judgement::Incorrect(_)));
    assert_eq!(consistent(&program, &a1(&program), &settled("x > 3"), checking), Judgement::Correct);
}

/// Figure 16a: the first spurious path, without an iteration; 16c: the second, with one.
fn spurious(program: &Program, once: bool) -> Gia {
    let targets = vec![Target { name: "reach_error".into(), edges: vec![edge(program, "reach_error()")] }];
    let start = [("x = 1", "", None), ("y = 0", if once { "" } else { "y == 0" }, None)];
    let round = [("[y < 1024]", "", None), ("x = 0", "x == 0", None), ("y = y + 1", "", None)];
    let end = [("[!(y < 1024)]", "", None), ("[!(x == 0)]", "", None), ("reach_error()", "", UT)];
    let mut path: Vec<(&str, &str, Option<Mark>)> = start.to_vec();
    if once {
        path.extend(round);
    }
    path.extend(end);
    automaton(program, targets, &[&path])
}

#[test]
fn figures_15_and_16() {
    let program = program(LOOP);
    let (first, second) = (spurious(&program, false), spurious(&program, true));
    let both = combine(&[&first, &second]).expect("one program");
    let texts: Vec<&str> = both.guards().atoms().iter().map(|text| &**text).collect();
    assert!(texts.contains(&"y == 0") && texts.contains(&"x == 0"), "{texts:?}");
    // One ruled-out path does not make the error unreachable: the golden case against "there exists".
    assert_eq!(status(&program, &both, &["reach_error"])[0].1, Status::Open);
    let budget = Budget::with_time(Duration::from_secs(20));
    let checking = Checking { error: &ErrorCall::Usual, threads: 1, budget: &budget };
    assert_eq!(check(&program, &both, checking), Judgement::Correct);
}
