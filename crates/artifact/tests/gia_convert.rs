//! Conversions between exchange automata and what others exchange: what is kept stays so, and no claim becomes a fact by itself.

mod gia_paper;

use gia_paper::*;
use proptest::prelude::*;
use tandem_artifact::convert::*;
use tandem_artifact::format::{condition_spc, witness_graphml, witness_yaml};
use tandem_artifact::gia::{Covered, EdgeNames, EdgeSet, Gia, Mark, Subject, Target, combine};
use tandem_artifact::{
    AutomatonKind, AutomatonMetadata, ErrorCall, Goals, Producer, Property, Witness, WitnessContent, WitnessInvariant,
    WitnessLocation, WitnessTask,
};
use tandem_base::Budget;
use tandem_cfa::exec::{Machine, Options, Run, Values};
use tandem_cfa::{DataModel, EdgeId, Program};

fn run(program: &Program, inputs: &[u128]) -> Run {
    let options = Options { path: Some(1 << 16), ..Options::default() };
    Machine::new(program, options).run(&mut Values::new(inputs.to_vec()), &Budget::unlimited())
}

fn about(text: &str) -> Subject {
    Subject::plain("p.c", text.as_bytes(), DataModel::Lp64)
}

fn branch_targets(program: &Program) -> Vec<Target> {
    targets_of(program, &Property::Cover(Goals::Branches)).unwrap()
}

fn error_targets(program: &Program) -> Vec<Target> {
    targets_of(program, &Property::Unreachable(ErrorCall::Usual)).unwrap()
}

/// How the paper's program's path with this input is covered. Conditions are equations about the input.
fn covered(gia: &Gia, x: i64) -> Covered {
    let program = program();
    let edges = run(&program, &[x as u128 & 0xffff_ffff]).edges(&program).unwrap();
    gia.covers(&edges, |step, atom| {
        let text = gia.guards().atom_text(atom);
        let value = if step < 2 { x } else { x + 1 };
        let subject = if text.starts_with('\\') { "\\result" } else { "x" };
        let rest = text.strip_prefix(subject).and_then(|rest| rest.strip_prefix(" == "));
        rest.unwrap_or_else(|| panic!("{text}")).parse::<i64>().unwrap() == value
    })
}

#[test]
fn the_targets_of_properties() {
    let program = program();
    let names = EdgeNames::of(&program);
    let found: Vec<EdgeId> = branch_targets(&program).into_iter().flat_map(|target| target.edges).collect();
    let mut expected: Vec<EdgeId> = targets(&names).into_iter().flat_map(|target| target.edges).collect();
    expected.sort();
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(sorted, expected);
    assert_eq!(targets_of(&program, &Property::Cover(Goals::Conditions)).unwrap().len(), 4);
    assert!(error_targets(&program).is_empty());
}

#[test]
fn a_run_is_a_reached_path() {
    let program = program();
    let targets = branch_targets(&program);
    let gia = reached_path(&program, subject(), &targets, &run(&program, &[7])).unwrap();
    assert!(covered(&gia, 7).reached.is_some());
    assert!(covered(&gia, 8).reached.is_none() && covered(&gia, 0).reached.is_none());
    // The path ends with its last target.
    assert_eq!(covered(&gia, 7).reached.unwrap().steps(), 4);
    let tests = tests_of(&gia, &program);
    assert_eq!(tests.value.len(), 1);
    assert_eq!(tests.value[0].case.inputs[0].value.to_string(), "7");
    assert_eq!(tests.value[0].targets.len(), 2);
}

#[test]
fn as_few_tests_as_cover_the_targets() {
    let program = program();
    let targets = branch_targets(&program);
    let paths: Vec<Gia> = [0u128, 3, 7, 9, 0xffff_fffe]
        .into_iter()
        .map(|x| reached_path(&program, subject(), &targets, &run(&program, &[x])).unwrap())
        .collect();
    let all = combine(&paths.iter().collect::<Vec<_>>()).unwrap();
    let tests = tests_of(&all, &program);
    assert_eq!((tests.value.len(), tests.lost.len()), (2, 0), "{tests:?}");
    let mut reached: Vec<usize> = tests.value.iter().flat_map(|test| test.targets.clone()).collect();
    reached.sort();
    assert_eq!(reached.len(), 3);
    let text = tandem_artifact::format::gia_yaml::write(&all, &program);
    assert!(text.contains("\\\\result == -2"), "{text}");
}

const INPUTS: &str = "extern int __VERIFIER_nondet_int(void);
extern float __VERIFIER_nondet_float(void);
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
  int a = __VERIFIER_nondet_int();
  int unset;
  int other = unset;
  for (int i = 0; i < 2; i++)
    a += __VERIFIER_nondet_int();
  if (__VERIFIER_nondet_float() < 0.5f && other == 0)
    if (a == 6) {
      reach_error();
    }
  if (a == 7) {
    int *p = malloc(4);
    if (*p == 0)
      reach_error();
  }
  if (a == 8) {
    unset = unset + 1;
    reach_error();
  }
  return 0;
}
";

#[test]
fn inputs_become_conditions_where_they_are_taken() {
    let program = program_of(INPUTS);
    let targets = error_targets(&program);
    let path = |inputs: &[u128]| reached_path(&program, about(INPUTS), &targets, &run(&program, inputs));
    let gia = path(&[1, 2, 3, 0]).unwrap();
    let guards: Vec<String> = gia.transitions().iter().map(|step| gia.guards().display(step.guard)).collect();
    let asked: Vec<&str> = guards.iter().map(String::as_str).filter(|text| *text != "1").collect();
    assert_eq!(
        asked,
        ["\\result == 1", "unset == 0", "\\result == 2", "\\result == 3", "(\\result == 0.0) && (1.0 / \\result > 0)"]
    );
    // Everything that is written means something.
    let text = tandem_artifact::format::gia_yaml::write(&gia, &program);
    tandem_artifact::format::gia_yaml::read(&text, &program, &about(INPUTS))
        .unwrap_or_else(|problem| panic!("{problem:?}\n{text}"));
    let tests = tests_of(&gia, &program).value;
    let values: Vec<String> = tests[0].case.inputs.iter().map(|input| input.value.to_string()).collect();
    assert_eq!(values, ["1", "2", "3", "0.0"]);
    let guards = |gia: &Gia| gia.transitions().iter().map(|step| gia.guards().display(step.guard)).collect::<Vec<_>>();
    assert!(guards(&path(&[2, 2, 3, 0]).unwrap()).contains(&"*p == 0".to_string()));
    assert_eq!(path(&[0]), Err(NoPath::NoTarget));
}

#[test]
fn an_overwritten_input_has_no_name() {
    let text =
        "extern void reach_error(void);\nint main(void) { int u; u = u + 1; if (u == 1) reach_error(); return 0; }\n";
    let program = program_of(text);
    let result = reached_path(&program, about(text), &error_targets(&program), &run(&program, &[]));
    assert!(matches!(result, Err(NoPath::Unnamed(_))), "{result:?}");
}

#[test]
fn elements_and_members_have_names() {
    let text = "extern void reach_error(void);\nstruct pair { int left, right; };\nint main(void) {\n  int a[3];\n  struct pair p;\n  int i = 1;\n  int sum = a[i];\n  if (p.right > a[2])\n    sum++;\n  if (p.left == 0)\n    reach_error();\n  return sum;\n}\n";
    let program = program_of(text);
    let gia = reached_path(&program, about(text), &error_targets(&program), &run(&program, &[])).unwrap();
    let guards: Vec<String> = gia.transitions().iter().map(|step| gia.guards().display(step.guard)).collect();
    let asked: Vec<&str> = guards.iter().map(String::as_str).filter(|text| *text != "1").collect();
    assert_eq!(asked, ["a[i] == 0", "(p.right == 0) && (a[2] == 0)", "p.left == 0"]);
    // Which of two elements was read for the first time, nobody can tell.
    let text = "extern void reach_error(void);\nint main(void) { int a[3]; int x = a[0] + a[1]; if (x == 0) reach_error(); return 0; }\n";
    let program = program_of(text);
    let result = reached_path(&program, about(text), &error_targets(&program), &run(&program, &[]));
    assert!(matches!(result, Err(NoPath::Unnamed(_))), "{result:?}");
}

#[test]
fn a_path_ends_when_nothing_new_comes() {
    let text = "int main(void) { int i = 0; while (i < 1000) { i++; if (i % 2) i++; } return 0; }\n";
    let program = program_of(text);
    let gia = reached_path(&program, about(text), &branch_targets(&program), &run(&program, &[])).unwrap();
    assert!(gia.states().len() > 1000, "the last target is behind the loop");
    let text = text.replace("return 0;", "for (;;) i++;");
    let program = program_of(&text);
    let options = Options { path: Some(1 << 16), steps: 10_000, ..Options::default() };
    let run = Machine::new(&program, options).run(&mut Values::new(vec![]), &Budget::unlimited());
    let endless = reached_path(&program, about(&text), &branch_targets(&program), &run).unwrap();
    assert_eq!(endless.states().len(), gia.states().len());
}

fn metadata(text: &str, kind: AutomatonKind) -> AutomatonMetadata {
    AutomatonMetadata::new(kind, "test", ("p.c", text.as_bytes()), "", DataModel::Lp64, 0)
}

fn witness(text: &str, content: WitnessContent) -> Witness {
    Witness::new(Producer::default(), WitnessTask::new(&[("p.c", text.as_bytes())], "", DataModel::Lp64), 0, content)
}

#[test]
fn a_violation_is_only_a_candidate() {
    let program = program_of(INPUTS);
    let targets = error_targets(&program);
    let error = run(&program, &[1, 2, 3, 0]);
    let gia = reached_path(&program, about(INPUTS), &targets, &error).unwrap();
    let claim = claim_of(&gia, &program).value;
    let content = content_of(&claim, &program, "p.c");
    let WitnessContent::Violation(segments) = &content else { panic!("{content:?}") };
    assert_eq!(segments.len(), 4 + 3 + 2 + 1, "inputs, the loop, two ifs, the target: {content:?}");
    let entries = witness_yaml::read(&witness_yaml::write(&[witness(INPUTS, content)])).unwrap();
    let WitnessContent::Violation(segments) = &entries[0].content else { panic!() };
    let back = gia_of_violation(&program, about(INPUTS), targets.clone(), segments);
    check_candidate(&back.value, &program, &error);
    let automaton = automaton_of(&claim, &program, metadata(INPUTS, AutomatonKind::Violation));
    let automaton = witness_graphml::read(&witness_graphml::write(&automaton)).unwrap();
    let back = gia_of_automaton(&program, about(INPUTS), targets, &automaton);
    check_candidate(&back.value, &program, &error);
}

/// The run is a candidate if it meets all conditions, and none without them; nothing is settled.
fn check_candidate(gia: &Gia, program: &Program, error: &Run) {
    let edges = error.edges(program).unwrap();
    let covered = gia.covers(&edges, |_, _| true);
    assert!(covered.is_open_candidate(), "{gia:?}");
    assert_eq!(covered.candidate.unwrap().steps(), edges.len());
    assert!(gia.covers(&edges, |_, _| false).candidate.is_none());
    assert!(!gia.has(Mark::Reached) && !gia.has(Mark::Unreachable));
    let other = run(program, &[1, 2, 4, 0]).edges(program).unwrap();
    assert!(gia.covers(&other, |_, _| true).candidate.is_none());
}

#[test]
fn assumptions_may_be_about_the_step_before() {
    use tandem_artifact::{Branch, Segment, Waypoint};
    let text = "extern int input(void);\nextern void reach_error(void);\nint main(void) {\n  int x = input();\n  if (x > 1) {\n    x = x + 1;\n    reach_error();\n  }\n  return 0;\n}\n";
    let program = program_of(text);
    let at = |line, column| WitnessLocation::new("p.c", line, column);
    let segments = [
        Segment::follow(Waypoint::branching(at(5, 3), Branch::Condition(true))),
        Segment::follow(Waypoint::assumption(at(6, 5), "x == 2")),
        Segment::follow(Waypoint::target(at(7, 5))),
    ];
    let gia = gia_of_violation(&program, about(text), error_targets(&program), &segments);
    assert!(gia.lost.is_empty(), "{:?}", gia.lost);
    let edges = run(&program, &[2]).edges(&program).unwrap();
    assert!(gia.value.covers(&edges, |_, _| true).candidate.is_some());
    assert!(gia.value.covers(&edges, |step, _| step != 1).candidate.is_none());
    // A waypoint that is nowhere says nothing.
    let segments = [Segment::follow(Waypoint::branching(at(1, 1), Branch::Condition(true))), segments[2].clone()];
    let gia = gia_of_violation(&program, about(text), error_targets(&program), &segments);
    assert_eq!(gia.lost.len(), 1);
    assert!(gia.value.covers(&edges, |_, _| true).candidate.is_some());
}

const LOOP: &str = "extern int input(void);
int main(void) {
  int x = 0;
  while (input()) {
    x++;
    if (x > 9) {
      int x = 3;
      x = 0;
    }
    x = x % 10;
  }
  do {
    int x = -1;
    x++;
  } while (input());
  return x;
}
";

#[test]
fn invariants_stay_invariants() {
    let program = program_of(LOOP);
    let at = |line, column| WitnessLocation::new("p.c", line, column);
    let invariants = [
        WitnessInvariant::of_loop(at(4, 3), "x >= 0 && x < 10"),
        WitnessInvariant::before_statement(at(10, 5), "x <= 10"),
        WitnessInvariant::of_loop(at(12, 3), "x >= 0"),
        WitnessInvariant::of_loop(at(4, 3), "y >= 0"),
        WitnessInvariant::of_loop(at(5, 3), "x >= 0"),
    ];
    let gia = gia_of_correctness(&program, about(LOOP), Vec::new(), &invariants);
    assert!(gia.value.states().iter().all(|state| state.mark.is_none()));
    // Behind the inner block `x` is another variable; `y` is none; no loop begins in line 5.
    assert_eq!(gia.lost.len(), 3, "{:?}", gia.lost);
    let shown: Vec<String> =
        gia.value.states().iter().map(|state| gia.value.guards().display(state.invariant)).collect();
    assert_eq!(shown, ["1", "x >= 0 && x < 10", "x >= 0"]);
    let claim = claim_of(&gia.value, &program).value;
    let WitnessContent::Correctness(back) = content_of(&claim, &program, "p.c") else { panic!() };
    // Where `do` decides, its own `x` is gone.
    let of_loop = |line, text: &str| WitnessInvariant::of_loop(at(line, 3).in_function("main"), text);
    assert_eq!(back, [of_loop(4, "x >= 0 && x < 10"), of_loop(12, "x >= 0")]);
    let automaton = automaton_of(&claim, &program, metadata(LOOP, AutomatonKind::Correctness));
    let automaton = witness_graphml::read(&witness_graphml::write(&automaton)).unwrap();
    let again = invariants_of(&automaton);
    assert_eq!(again.value.len(), 2);
    let again = gia_of_correctness(&program, about(LOOP), Vec::new(), &again.value);
    assert!(tandem_artifact::gia::same(&again.value, &gia.value));
}

#[test]
fn what_is_unreachable_as_a_condition_and_back() {
    let program = program();
    let gia = figure_14_a2();
    let condition = condition_of(&gia, &program);
    let text = condition_spc::write(&condition.value);
    golden("figure-14-a2.spc", &text);
    let automaton = condition_spc::read(&text).unwrap();
    let back = gia_of_condition(&program, subject(), gia.targets.clone(), &automaton, Trust::Everybody).value;
    check_unreachable(&gia, &back);
    // With one transition for each edge, everything is kept.
    let gia = automaton_without_conditions();
    let condition = condition_of(&gia, &program);
    assert!(condition.lost.is_empty(), "{:?}", condition.lost);
    let automaton = condition_spc::read(&condition_spc::write(&condition.value)).unwrap();
    let back = gia_of_condition(&program, subject(), gia.targets.clone(), &automaton, Trust::Everybody).value;
    check_unreachable(&gia, &back);
    assert!(!back.has(Mark::Candidate) && !back.has(Mark::Reached));
}

/// The same paths are unreachable, whatever conditions hold.
fn check_unreachable(one: &Gia, other: &Gia) {
    let mut some = false;
    for path in paths(&program()) {
        for holds in [true, false] {
            let [left, right] = [one, other].map(|gia| gia.covers(&path, |_, _| holds).unreachable.is_some());
            assert_eq!(left, right);
            some |= left;
        }
    }
    assert!(some);
}

/// Small inputs are verified, and so is the branch for five.
fn automaton_without_conditions() -> Gia {
    automaton(
        &[("a", None), ("b", None), ("c", None), ("d", None), ("end", Some(Mark::Unreachable))],
        &[
            ("a", OP, "", "b"),
            ("b", SMALL, "", "end"),
            ("b", LARGE, "", "c"),
            ("c", INCREMENT, "", "d"),
            ("d", FIVE, "", "end"),
        ],
    )
}

/// All paths of the paper's program, feasible or not.
fn paths(program: &Program) -> Vec<Vec<EdgeId>> {
    let names = EdgeNames::of(program);
    let path = |edges: &[&str]| edges.iter().map(|edge| names.edge(edge).unwrap()).collect();
    vec![
        path(&[OP, SMALL, "6:5 return"]),
        path(&[OP, LARGE, INCREMENT, FIVE, "10:7 return"]),
        path(&[OP, LARGE, INCREMENT, NOT_FIVE, "13:3 return"]),
    ]
}

const FOREIGN: &str = "OBSERVER AUTOMATON AssumptionAutomaton
INITIAL STATE ARG0;
STATE __TRUE :
    TRUE -> GOTO __TRUE;
STATE __FALSE :
    TRUE -> ASSUME {false} GOTO __FALSE;
STATE USEFIRST ARG0 :
    MATCH \"int x = input();\" -> GOTO ARG1;
    TRUE -> GOTO __TRUE;
STATE USEFIRST ARG1 :
    MATCH \"[!(x < 5)]\" -> GOTO __FALSE;
    TRUE -> GOTO __TRUE;
END AUTOMATON
";

#[test]
fn conditions_of_others_are_not_believed() {
    let program = program();
    let automaton = condition_spc::read(FOREIGN).unwrap();
    let convert = |automaton: &condition_spc::ConditionAutomaton, trust| {
        gia_of_condition(&program, subject(), Vec::new(), automaton, trust).value
    };
    let doubted = convert(&automaton, Trust::Nobody);
    assert!(!doubted.has(Mark::Unreachable));
    assert!(covered(&doubted, 7).candidate.is_some() && covered(&doubted, 3).candidate.is_none());
    let trusted = convert(&automaton, Trust::Everybody);
    assert!(covered(&trusted, 3).unreachable.is_some() && covered(&trusted, 7).unreachable.is_none());
    // With a text that matches nothing, nobody can say what the rest is.
    let unknown = condition_spc::read(&FOREIGN.replace("[!(x < 5)]", "[!(5 > x)]")).unwrap();
    let trusted = convert(&unknown, Trust::Everybody);
    assert!(covered(&trusted, 3).unreachable.is_none() && covered(&trusted, 7).unreachable.is_none());
    // A hash in the file says which program it is about, and not that it is right.
    let mut other = automaton.clone();
    other.program = Some(subject().identity.hash());
    assert!(!convert(&other, Trust::Nobody).has(Mark::Unreachable));
    assert!(convert(&other, Trust::Everybody).has(Mark::Unreachable));
}

#[test]
fn steps_without_an_edge_of_their_own_give_no_test() {
    let program = program();
    let names = EdgeNames::of(&program);
    let mut builder = tandem_artifact::gia::GiaBuilder::new(subject(), targets(&names));
    let start = builder.state(None);
    let end = builder.state(Some(Mark::Reached));
    builder.transition(start, EdgeSet::all(), tandem_artifact::gia::GuardId::TRUE, end);
    let tests = tests_of(&builder.finish().unwrap(), &program);
    assert!(tests.value.is_empty() && tests.lost.len() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever a condition loses on its way out and back: nothing is called unreachable that was not.
    #[test]
    fn conditions_never_claim_more(gia in random(), seed in any::<u64>()) {
        let program = program();
        let text = condition_spc::write(&condition_of(&gia, &program).value);
        let automaton = condition_spc::read(&text).map_err(|problem| TestCaseError::fail(format!("{problem:?}\n{text}")))?;
        let back = gia_of_condition(&program, subject(), Vec::new(), &automaton, Trust::Everybody).value;
        // A condition holds or not after each step, by its text alone.
        let holds = |gia: &Gia, step: usize, atom| {
            let text = gia.guards().atom_text(atom);
            let sum = text.bytes().fold(seed ^ step as u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
            sum >> 7 & 1 == 1
        };
        for path in paths(&program) {
            let [was, is] = [&gia, &back].map(|gia| gia.covers(&path, |step, atom| holds(gia, step, atom)));
            prop_assert!(was.unreachable.is_some() || is.unreachable.is_none(), "{}", text);
            prop_assert!(is.candidate.is_none() && is.reached.is_none());
        }
    }
}
