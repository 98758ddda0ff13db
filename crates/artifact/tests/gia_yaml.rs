//! The file `gia.yml`: what is written is read back, and what is wrong is refused where it stands.

mod gia_paper;

use gia_paper::*;
use proptest::prelude::*;
use tandem_artifact::format::gia_yaml::{outline, read, write};
use tandem_artifact::gia::{EdgeSet, GiaBuilder, GuardId, Mark, StateId, Subject, same};
use tandem_cfa::{DataModel, EdgeId};

#[test]
fn the_papers_automata() {
    let program = program();
    for (name, gia) in
        [("figure-8.yml", figure_8()), ("figure-14-a1.yml", figure_14_a1()), ("figure-14-a2.yml", figure_14_a2())]
    {
        let text = write(&gia, &program);
        golden(name, &text);
        let back = read(&text, &program, &subject()).unwrap();
        assert!(same(&gia, &back), "{text}");
        assert_eq!(write(&back, &program), text);
    }
}

/// The automaton in a layout that people would choose.
const BY_HAND: &str = r#"# a comment
format_version: 1.0
program: {file: p.c, sha256: HASH, data_model: LP64}
states:
  - name: start
  - name: between
    invariant: x > 5
  - name: 'the end'
    mark: unreachable
transitions:
  - from: start
    edges:
      - "8:5 assign"
    assume: ["x > 5", '!(x == 7)']
    to: between
  - from: start
    all_but: ["8:5 assign"]
    to: start
  - { from: between, edges: ["9:9 branch true", "9:9 branch false"],
      to: the end }
"#;

fn by_hand() -> String {
    BY_HAND.replace("HASH", &hash())
}

#[test]
fn other_layouts_are_read() {
    let gia = read(&by_hand(), &program(), &subject()).unwrap();
    assert_eq!((gia.states().len(), gia.transitions().len(), gia.targets.len()), (3, 3, 0));
    assert_eq!(&*gia.states()[StateId(2)].name, "the end");
    assert_eq!(gia.mark(StateId(2)), Some(Mark::Unreachable));
    let step = gia.from(StateId(0)).iter().find(|step| step.target == StateId(1)).unwrap();
    assert_eq!(gia.guards().display(step.guard), "(x > 5) && !(x == 7)");
    assert_eq!(gia.from(StateId(1))[0].edges.named().len(), 2);
}

#[test]
fn the_example_of_the_manual() {
    let manual = include_str!("../../../docs/gia.md");
    let example = manual.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let gia = read(example, &program(), &subject()).unwrap();
    assert_eq!((gia.states().len(), gia.transitions().len()), (5, 5));
}

#[test]
fn an_outline_needs_no_program() {
    let text = by_hand();
    let outline = outline(&text).unwrap();
    assert_eq!((outline.states.len(), outline.transitions.len()), (3, 3));
    assert_eq!(outline.states[1].invariant[0].value, "x > 5");
}

#[test]
fn what_is_wrong_is_refused_where_it_stands() {
    for (from, to, at, message) in [
        ("format_version: 1.0", "format_version: 2.0", "2.0", "version is `2.0`"),
        ("LP64", "ILP32", "ILP32", "data model ILP32"),
        ("LP64", "LP65", "LP65", "not a data model"),
        ("\"8:5 assign\"]", "\"8:6 assign\"]", "8:6 assign", "no edge `8:6 assign`"),
        ("from: between", "from: betwen", "betwen,", "no state named `betwen`"),
        ("to: start", "to: stop", "stop", "no state named `stop`"),
        ("'!(x == 7)'", "'!(y == 7)'", "y == 7", "'y' is not declared"),
        ("x > 5\n", "x > z5\n", "z5\n", "'z5' is not declared"),
        ("[\"x > 5\"", "[\"x >\"", "\", '!", ""),
        ("mark: unreachable", "mark: unreached", "unreached", "unknown mark"),
        ("mark: unreachable", "mark: candidate", "the end'\n", "rule 3 is broken"),
        (
            "mark: unreachable\n",
            "mark: unreachable\n  - name: between\n",
            "between\ntrans",
            "two states are named `between`",
        ),
        ("- name: between", "- nome: between", "nome", "unknown key `nome`"),
        ("    to: start\n", "", "from: start\n    all_but", "has no `to`"),
        ("- name: start\n", "- name: start\n    invariant: x > 1\n", "x > 1", "initial state"),
        ("states:", "stats:", "stats", "unknown key"),
        ("- name: between\n", "- name: between\n    mark: reached\n", "{ from: between", "rule 2 is broken"),
        ("- name: between\n", "- name: between\n    mark: unreachable\n", "", ""),
    ] {
        let text = by_hand().replacen(from, to, 1);
        assert_ne!(text, by_hand(), "{from}");
        let result = read(&text, &program(), &subject());
        if at.is_empty() {
            assert!(result.is_ok(), "{from} -> {to}: {:?}", result.err());
            continue;
        }
        let problem = result.unwrap_err();
        assert!(problem.message.contains(message), "{to}: {problem:?}");
        assert!(problem.help.is_some() || message.is_empty() || message.contains("not declared"), "{problem:?}");
        assert_eq!(problem.span.lo as usize, text.find(at).unwrap(), "{to}: {problem:?}");
    }
    let problem = read(&by_hand(), &program(), &Subject::plain("p.c", b"int x;", DataModel::Lp64)).unwrap_err();
    assert!(problem.message.contains("another program"), "{problem:?}");
    assert_eq!(problem.span.lo as usize, by_hand().find(&hash()).unwrap());
}

#[test]
fn leaving_what_is_unreachable_is_refused() {
    let text = write(&figure_8(), &program());
    let text = text.replace("states:", "states: # none") + "- {from: q7, edges: \"*\", to: q9}\n";
    let problem = read(&text, &program(), &subject()).unwrap_err();
    assert!(problem.message.contains("rule 1 is broken"), "{problem:?}");
    assert_eq!(problem.span.lo as usize, text.rfind("{from: q7").unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(gia in random()) {
        let program = program();
        let text = write(&gia, &program);
        let back = read(&text, &program, &subject()).map_err(|problem| TestCaseError::fail(format!("{problem:?}\n{text}")))?;
        prop_assert!(same(&gia, &back), "{}", text);
        prop_assert_eq!(write(&back, &program), text);
    }

    #[test]
    fn no_text_makes_the_reader_fail(at in 0..2000usize, with in "[-{}\\[\\]:,\"'# \n*a0]{0,3}") {
        let mut text = write(&figure_8(), &program());
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &with);
        let _ = read(&text, &program(), &subject());
    }
}

/// Run with `--release -- --ignored --nocapture`: a hundred thousand transitions in less than a second.
#[test]
#[ignore = "a measurement"]
fn a_large_automaton() {
    let program = program();
    let mut builder = GiaBuilder::new(subject(), Vec::new());
    let states: Vec<StateId> = (0..50_000).map(|_| builder.state(None)).collect();
    let guards: Vec<GuardId> = (0..20_000).map(|number| builder.guards().text(&format!("x == {number}"))).collect();
    for index in 0..100_000usize {
        let (source, target) = (states[index / 2], states[(index * 7 + 1) % states.len()]);
        builder.transition(source, EdgeSet::One(EdgeId(index as u32 % 9)), guards[index % guards.len()], target);
    }
    let gia = builder.finish().unwrap();
    let start = std::time::Instant::now();
    let text = write(&gia, &program);
    let written = start.elapsed();
    let back = read(&text, &program, &subject()).unwrap();
    let all = start.elapsed();
    outline(&text).unwrap();
    println!("outline alone: {:?}", start.elapsed() - all);
    println!(
        "{} transitions, {} bytes: written in {written:?}, read in {:?}",
        gia.transitions().len(),
        text.len(),
        all - written
    );
    assert!(same(&gia, &back));
    assert!(cfg!(debug_assertions) || all.as_secs_f64() < 1.0, "{all:?}");
}
