//! Every registered analysis together with observers, and the one of docs/first-analysis.md: goals are found where they can be reached, nothing is said of
//! error calls where goals are looked for, and what an observer keeps out is not looked at. An analysis that is registered is tested here without a
//! further line; those that are known to decide a program are listed.

use std::time::Duration;

use tandem_analyses::{ANALYSES, AnalysisEntry, Approximation, ContributionKind, Outcome, Task};
use tandem_analyses::{blocks, bmc, export, registry};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, EdgeId, Program, build, c_print};
use tandem_cpa::{AnyOf, Mode, Observer, Step, StepKind};

#[path = "../examples/first_analysis/location.rs"]
mod location;

/// Those that decide every goal here.
const DECIDING: &[&str] = &["symbolic", "symbolic-dfs", "symbolic-bfs", "bmc", "predicate", "k-induction"];
/// Those that prove what needs no relation between variables.
const PROVING: &[&str] =
    &["value", "symbolic", "symbolic-dfs", "symbolic-bfs", "bmc", "predicate", "k-induction", "interval"];

/// The registered analyses that read this, and the one that is added to them.
fn reading(kind: ContributionKind) -> impl Iterator<Item = AnalysisEntry> {
    ANALYSES.iter().copied().chain([location::ENTRY]).filter(move |entry| entry.reads(kind))
}

fn has_name(names: &[&str], entry: &AnalysisEntry) -> bool {
    names.contains(&entry.name)
}

fn program(body: &str) -> Program {
    let text = format!("extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n{body}");
    let built = build(SourceText::plain("goals.c", text.into_bytes()), DataModel::Lp64);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

fn edge(program: &Program, text: &str) -> EdgeId {
    let found = program.edges.ids().find(|edge| c_print::edge(program, *edge) == text);
    found.unwrap_or_else(|| {
        let all: Vec<String> = program.edges.ids().map(|edge| c_print::edge(program, edge)).collect();
        panic!("no edge {text} among {all:?}")
    })
}

fn budget() -> Budget {
    Budget::with_time(Duration::from_secs(20))
}

fn ask(entry: &AnalysisEntry, program: &Program, observer: &dyn Observer) -> Verdict {
    let error = ErrorCall::Usual;
    let task = Task { observer: Some(observer), run_limit: Some(200), ..Task::new(program, &error, 2) };
    let outcome = entry.verify(task, None, &budget());
    assert!(outcome.violation.is_none() || entry.approximation != Approximation::Over, "{entry:?}: a violation");
    outcome.verdict
}

/// Whether the verdict about goals that can be reached, or cannot, is right or open.
fn may_be(verdict: &Verdict, reachable: bool) -> bool {
    match verdict {
        Verdict::True => !reachable,
        Verdict::False => reachable,
        Verdict::Unknown(_) => true,
    }
}

const LOOPS: &str = "int twice(int n) { return 2 * n; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = 0;
  if (x < 0 || x > 6) return 0;
  while (y < 3) {
    y = y + 1;
  }
  if (twice(x) == 7) { y = 100; }
  if (twice(x) == 8) { y = 200; }
  if (y == 200) { reach_error(); }
  y = 300;
  return 0;
}";

const GOALS: [(&str, bool); 4] = [("y = 100", false), ("y = 200", true), ("y = 300", true), ("y = y + 1", true)];

#[test]
fn goals_are_found_and_refuted() {
    let program = program(LOOPS);
    for entry in reading(ContributionKind::Goals) {
        for (goal, reachable) in GOALS {
            let verdict = ask(&entry, &program, &AnyOf::new(&program, [edge(&program, goal)]));
            let is_decided = !matches!(verdict, Verdict::Unknown(_));
            assert!(may_be(&verdict, reachable), "{entry:?}: {goal}: {verdict:?}");
            assert!(is_decided || !has_name(DECIDING, &entry), "{entry:?}: {goal}: {verdict:?}");
        }
        let verdict = ask(&entry, &program, &AnyOf::new(&program, []));
        assert!(may_be(&verdict, false), "{entry:?}: nothing is looked for: {verdict:?}");
        assert!(
            verdict == Verdict::True || !has_name(PROVING, &entry),
            "{entry:?}: nothing is looked for: {verdict:?}"
        );
    }
}

/// The default run looks for goals, too.
#[test]
fn the_default_run_finds_goals() {
    let (program, error) = (program(LOOPS), ErrorCall::Usual);
    for (goal, reachable) in GOALS {
        let observer = AnyOf::new(&program, [edge(&program, goal)]);
        let task = Task { observer: Some(&observer), ..Task::new(&program, &error, 2) };
        let outcome = tandem_analyses::verify(tandem_analyses::DEFAULT_RUN, task, &budget()).expect("a plan");
        assert_eq!(outcome.verdict, if reachable { Verdict::False } else { Verdict::True }, "{goal}");
    }
}

/// A program without an error call has goals all the same: who looks at the calls only would call everything proved.
#[test]
fn goals_need_no_error_call() {
    let text =
        "int main(void) { int y = 0; if (__VERIFIER_nondet_int() > 3) { y = 1; } while (y == 1) { y = 2; } return y; }";
    let program = program(text);
    for entry in reading(ContributionKind::Goals) {
        let verdict = ask(&entry, &program, &AnyOf::new(&program, [edge(&program, "y = 2")]));
        assert!(may_be(&verdict, true), "{entry:?}: {verdict:?}");
        assert!(verdict == Verdict::False || !has_name(DECIDING, &entry), "{entry:?}: {verdict:?}");
    }
}

/// The error call ends the path: what comes behind it is not reached by it.
#[test]
fn errors_end_paths() {
    let program = program("int main(void) { int z = 1; if (z) { reach_error(); } z = 2; return 0; }");
    let observer = AnyOf::new(&program, [edge(&program, "z = 2")]);
    for entry in reading(ContributionKind::Goals) {
        let verdict = ask(&entry, &program, &observer);
        assert!(may_be(&verdict, false), "{entry:?}: {verdict:?}");
        assert!(verdict == Verdict::True || !has_name(PROVING, &entry), "{entry:?}: {verdict:?}");
    }
}

/// Follows paths only that do not take the edge.
struct Without(EdgeId);

impl Observer for Without {
    fn after(&self, _: &Program, step: &Step) -> Option<Mode> {
        (step.edge != self.0).then_some(step.from.mode)
    }
}

/// Counts how often the edge was taken, up to three, and follows paths with exactly one such step before the loop ends.
struct Once(EdgeId);

impl Observer for Once {
    fn after(&self, _: &Program, step: &Step) -> Option<Mode> {
        match step.edge == self.0 && !matches!(step.kind, StepKind::Leave(_)) {
            true => (step.from.mode == 0).then_some(1),
            false => Some(step.from.mode),
        }
    }
}

#[test]
fn what_is_out_is_not_looked_at() {
    let text = "int main(void) {
      int i = 0; int n = __VERIFIER_nondet_int();
      while (i < n) { i = i + 2; }
      if (i == 4) { reach_error(); }
      return 0;
    }";
    let program = program(text);
    let step = edge(&program, "i = i + 2");
    for entry in reading(ContributionKind::SettledPaths) {
        let error = ErrorCall::Usual;
        let plain = entry.verify(Task::new(&program, &error, 2), None, &budget()).verdict;
        assert_ne!(plain, Verdict::True, "{entry:?}");
        for (observer, rounds) in [(&Without(step) as &dyn Observer, "no round"), (&Once(step), "one round")] {
            let verdict = ask(&entry, &program, observer);
            assert!(may_be(&verdict, false), "{entry:?}: {rounds}: {verdict:?}");
            assert!(verdict == Verdict::True || !has_name(PROVING, &entry), "{entry:?}: {rounds}: {verdict:?}");
        }
    }
}

/// What keeps out every way to the error leaves a proof, for everybody that keeps to it and knows no more than the graph.
#[test]
fn a_proof_of_the_rest_needs_no_values() {
    let program =
        program("int main(void) { int z = __VERIFIER_nondet_int(); if (z) { z = 7; reach_error(); } return 0; }");
    let observer = Without(edge(&program, "z = 7"));
    for entry in reading(ContributionKind::SettledPaths) {
        assert_eq!(ask(&entry, &program, &observer), Verdict::True, "{entry:?}");
    }
}

/// The lists name analyses that there are.
#[test]
fn those_that_are_listed_are_registered() {
    for name in DECIDING.iter().chain(PROVING) {
        assert!(registry::entry(name).is_some(), "{name}");
    }
}
