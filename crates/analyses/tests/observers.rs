//! Analyses together with observers: goals are found where they can be reached, by every analysis, and what an observer
//! keeps out is not looked at.

use std::time::Duration;

use tandem_analyses::{Task, verify};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, EdgeId, Program, build, c_print};
use tandem_cpa::{AnyOf, Mode, Observer, Step, StepKind};

const ALL: &[&str] = &["value", "symbolic", "symbolic-dfs", "bmc", "predicate", "k-induction", "interval", "default"];

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

fn ask(name: &str, program: &Program, observer: &dyn Observer) -> Verdict {
    let task = Task { observer: Some(observer), ..Task::new(program, &ErrorCall::Usual, 2) };
    verify(name, task, &Budget::with_time(Duration::from_secs(20))).expect("an analysis").verdict
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

#[test]
fn goals_are_found_and_refuted() {
    let program = program(LOOPS);
    for name in ALL {
        for (goal, reachable) in [("y = 100", false), ("y = 200", true), ("y = 300", true), ("y = y + 1", true)] {
            let observer = AnyOf::new(&program, [edge(&program, goal)]);
            let verdict = ask(name, &program, &observer);
            match (reachable, &verdict) {
                (true, Verdict::False) | (false, Verdict::True) => {}
                // Ranges know nothing of odd and even, and find no inputs.
                (_, Verdict::Unknown(_)) if *name == "interval" => {}
                // A value that nobody knows stays unknown.
                (_, Verdict::Unknown(_)) if *name == "value" => {}
                _ => panic!("{name}: {goal}: {verdict:?}"),
            }
        }
        let none = AnyOf::new(&program, []);
        assert_eq!(ask(name, &program, &none), Verdict::True, "{name}: nothing is looked for");
    }
}

/// The error call ends the path: what comes behind it is not reached by it.
#[test]
fn errors_end_paths() {
    let program = program("int main(void) { int z = 1; if (z) { reach_error(); } z = 2; return 0; }");
    let observer = AnyOf::new(&program, [edge(&program, "z = 2")]);
    for name in ALL {
        assert_eq!(ask(name, &program, &observer), Verdict::True, "{name}");
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
    // The default plan also runs the program on random inputs, wherever that leads.
    for name in ALL.iter().filter(|name| **name != "default") {
        let all = Task::new(&program, &ErrorCall::Usual, 2);
        let plain = verify(name, all, &Budget::with_time(Duration::from_secs(20))).expect("an analysis").verdict;
        assert_ne!(plain, Verdict::True, "{name}");
        assert_eq!(ask(name, &program, &Without(step)), Verdict::True, "{name}: no round");
        assert_eq!(ask(name, &program, &Once(step)), Verdict::True, "{name}: one round");
    }
}
