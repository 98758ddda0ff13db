//! Test generation as a whole: goals are those that the test executor counts, what is proved unreachable is never reached, and
//! every test covers what is said about it.

mod random;

use std::sync::Mutex;
use std::time::Duration;

use random::{Numbers, program, program_text, subject};
use tandem_analyses::Task;
use tandem_artifact::ErrorCall;
use tandem_artifact::gia::Mark;
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_cfa::exec::{Machine, Options as MachineOptions, Random, Values};
use tandem_coop::cooperation::{Approximation, Declaration};
use tandem_coop::outside::{Order, Report, Tool};
use tandem_coop::testing::{
    Board, Criterion, Goal, Options, Status, TestPlan, cycle, cycle_with, gia_of, given, goals, select,
};

fn branches(program: &Program) -> Vec<Goal> {
    goals(program, &Criterion::Branches)
}

/// Counted with TestCov 3.7.
#[test]
fn branches_are_those_of_the_test_executor() {
    let many = "extern int __VERIFIER_nondet_int(void);
int f(int x) { return x && x > 3; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 5) { return 0; }
  if (x < 5) { x = 1; } else { x = 2; }
  while (1) { x++; if (x > 7 && x < 20) { break; } }
  while (x < 40) { x++; }
  for (int i = 0; i < 3; i++) { x += i; }
  for (;;) { break; }
  do { x++; } while (x < 50);
  switch (x) { case 1: x = 2; break; case 2: case 3: x = 4; default: x = 5; }
  switch (x) { case 1: x = 2; break; case 2: x = 4; }
  x = x > 3 ? 5 : 6;
  if (x) { if (f(x)) { x = 1; } }
  return x;
}
";
    assert_eq!(branches(&program(many)).len(), 27);
    let constant = "extern int __VERIFIER_nondet_int(void);
int unused(int x) { if (x) { return 1; } return 2; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (0) { x = 1; }
  if (sizeof(int) == 4) { x = 2; } else { x = 3; }
  while (0) { x = 4; }
  do { x = 5; } while (0);
  switch (2) { case 1: x = 6; break; case 2: x = 7; break; default: x = 8; }
  while (1) {
    if (x) { return 0; }
    x++;
  }
  if (x == 3) { x = 4; }
  return x;
}
";
    assert_eq!(branches(&program(constant)).len(), 12);
    let chained = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y = 0;
  if (x == 1) { y = 1; } else if (x == 2) { y = 2; } else if (x == 3) { y = 3; } else { y = 4; }
  if (x == 5) y = 5; else
    if (x == 6) y = 6;
  if (x > 7) if (x > 8) y = 8; else if (x > 9) y = 9;
  if (x > 10) { y = 10; } else { if (x > 11) { y = 11; } }
  if (x > 12) { y = 12; } else while (x > 13) x--;
  return y;
}
";
    assert_eq!(branches(&program(chained)).len(), 20);
}

/// A case is also come to from the one before it, and the place behind a loop by `break`.
#[test]
fn goals_are_places_of_the_source() {
    let text = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  switch (x) {
    case 1: x = 2;
    case 7: x = 3; break;
    default: x = 4;
  }
  while (1) { if (x > 2) break; x++; }
  return x;
}
";
    let program = program(text);
    let goals = branches(&program);
    let covered = |input: u128| -> Vec<String> {
        let run =
            Machine::new(&program, MachineOptions::default()).run(&mut Values::new(vec![input]), &Budget::unlimited());
        let taken = goals.iter().filter(|goal| goal.edges.iter().any(|edge| run.coverage.contains(*edge)));
        taken.map(|goal| goal.name.clone()).collect()
    };
    let behind = ["9:10 inside", "9:10 behind", "9:19 true"];
    assert_eq!(covered(1), [&["5:5 case", "6:5 case"][..], &behind].concat());
    assert_eq!(covered(7), [&["6:5 case"][..], &behind].concat());
    assert_eq!(covered(5), [&["7:5 default"][..], &behind].concat());
}

fn decided<'a>(program: &'a Program, goals: &'a [Goal], threads: usize, seconds: u64) -> Board<'a> {
    let task = Task::new(program, &ErrorCall::Usual, threads);
    cycle(task, goals, &Options::default(), &Budget::with_time(Duration::from_secs(seconds)), &mut |_| {})
}

#[test]
fn what_is_proved_unreachable_is_never_reached() {
    let mut numbers = Numbers(0x7e57_7e57);
    let (mut all, mut unreachable, mut open) = (0, 0, 0);
    for round in 0..25 {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let goals = branches(&program);
        let board = decided(&program, &goals, 1 + round % 2, 2);
        let mut machine = Machine::new(&program, MachineOptions { steps: 100_000, ..MachineOptions::default() });
        for seed in 0..400 {
            let run = machine.run(&mut Random::new(seed), &Budget::unlimited());
            for (goal, status) in goals.iter().zip(&board.status) {
                let is_covered = goal.edges.iter().any(|edge| run.coverage.contains(*edge));
                assert!(!is_covered || !matches!(status, Status::Unreachable(_)), "{} {status:?}\n{text}", goal.name);
            }
        }
        replay(&program, &board);
        all += goals.len();
        unreachable += board.counts().1;
        open += board.counts().2;
    }
    assert!(unreachable > 10 && open * 10 < all, "{all} goals, {unreachable} unreachable, {open} open");
}

/// The tests that are kept cover what is covered.
fn replay(program: &Program, board: &Board<'_>) {
    let kept = select(&board.tests, board.goals.len());
    let mut machine = Machine::new(program, MachineOptions { steps: 1_000_000, ..MachineOptions::default() });
    let mut covered = vec![false; board.goals.len()];
    for test in kept {
        let values = board.tests[test].inputs.iter().map(|input| input.bits).collect();
        let run = machine.run(&mut Values::new(values), &Budget::unlimited());
        for (goal, content) in board.goals.iter().enumerate() {
            covered[goal] |= content.edges.iter().any(|edge| run.coverage.contains(*edge));
        }
    }
    for (goal, status) in board.status.iter().enumerate() {
        assert!(*status != Status::Covered || covered[goal], "{}", board.goals[goal].name);
    }
}

/// A run that needs memory to hold something that nobody wrote: the test is given to whoever wants to try it, and covers nothing.
#[test]
fn what_depends_on_unwritten_memory_is_a_try() {
    let program = program(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int a[3]; int x = __VERIFIER_nondet_int(); if (x == 77 && a[1] == 7) reach_error(); return 0; }",
    );
    let goals = goals(&program, &Criterion::ErrorCall(ErrorCall::Usual));
    for threads in [1, 2] {
        let board = decided(&program, &goals, threads, 2);
        assert_eq!(board.counts(), (0, 0, 1));
        let test = board.tests.iter().find(|test| test.perhaps == [0]).expect("a try");
        let values: Vec<u128> = test.inputs.iter().map(|input| input.bits).collect();
        assert_eq!((values, test.goals.len()), (vec![77], 0));
    }
}

/// The same for an object of which it is not known which parts are written.
#[test]
fn elements_that_nobody_wrote_are_a_try() {
    let program = program(
        "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
int main(void) { int a[8]; unsigned i = __VERIFIER_nondet_uint() & 7, j = __VERIFIER_nondet_uint() & 7;
a[i] = 3; if (a[j] == 5) reach_error(); return 0; }",
    );
    let goals = goals(&program, &Criterion::ErrorCall(ErrorCall::Usual));
    for threads in [1, 2] {
        let board = decided(&program, &goals, threads, 2);
        assert_eq!(board.counts(), (0, 0, 1));
        assert!(board.tests.iter().any(|test| test.perhaps == [0]));
    }
}

/// What one side has settled reaches another through an automaton.
#[test]
fn settled_goals_are_exchanged() {
    let program = program(
        "extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x < 5) { return 0; } x++; if (x == 5) { return 1; } return 2; }
",
    );
    let goals = branches(&program);
    let board = decided(&program, &goals, 2, 10);
    assert_eq!(board.counts(), (3, 1, 0));
    let task = Task::new(&program, &ErrorCall::Usual, 1);
    let kept = select(&board.tests, goals.len());
    let gia = gia_of(&board, subject(), task, &kept, &Budget::unlimited());
    assert!(gia.has(Mark::Reached) && gia.has(Mark::Unreachable) && !gia.has_candidates());
    let known = given(task, &goals, &gia, &Budget::unlimited());
    assert_eq!((known.unreachable.len(), known.inputs.len()), (1, kept.len()));
    // With all of it, the tester has nothing to look for: the tests given cover the rest.
    let options = Options { given: known, plan: TestPlan::Concolic, ..Options::default() };
    let other = cycle(task, &goals, &options, &Budget::with_time(Duration::from_secs(20)), &mut |_| {});
    assert_eq!(other.counts(), (3, 1, 0));
    assert!(other.tests.iter().all(|test| test.by == "given"));
    // An automaton about open goals alone settles nothing, nor does one about other targets.
    let nothing = gia_of(&Board::new(&program, &goals), subject(), task, &[], &Budget::unlimited());
    assert!(given(task, &goals, &nothing, &Budget::unlimited()).unreachable.is_empty());
    let mut others = gia.clone();
    others.targets.clear();
    assert!(given(task, &goals, &others, &Budget::unlimited()).unreachable.is_empty());
}

/// A tester from outside that knows a few numbers, and what it was asked.
struct Guess {
    values: Vec<i32>,
    problem: Option<&'static str>,
    seen: Mutex<Vec<(String, Vec<Vec<u8>>)>>,
}

impl Tool for Guess {
    fn declaration(&self) -> Declaration {
        Declaration {
            name: "guess".into(),
            about: "guesses".into(),
            needs: Vec::new(),
            gives: Vec::new(),
            approximates: Approximation::Under,
            trusted: true,
        }
    }

    fn work(&self, order: &Order<'_>, _: &Budget) -> Report {
        self.seen.lock().unwrap().push((order.text.to_string(), order.seeds.to_vec()));
        let streams = self.values.iter().map(|value| value.to_le_bytes().to_vec()).collect();
        Report { streams, problem: self.problem.map(str::to_string), ..Report::default() }
    }
}

/// A tester from outside gets what is open, and what it finds counts by its replay; what goes wrong is said, and takes nothing away.
#[test]
fn testers_from_outside() {
    let program = program(
        "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 77) { int y = 4711; x = y; } else { int y = 815; x = y; }
  if (x == 3) { return 1; }
  return 2;
}
",
    );
    let goals = branches(&program);
    let task = Task::new(&program, &ErrorCall::Usual, 2);
    let guess = |values: &[i32], problem| Guess { values: values.to_vec(), problem, seen: Mutex::default() };
    let budget = || Budget::with_time(Duration::from_secs(60));
    let alone = Options { plan: TestPlan::Outside, ..Options::default() };
    let one = guess(&[77, 3], None);
    let board = cycle_with(&[&one], task, &goals, &alone, &budget(), &mut |_| {});
    assert_eq!((board.counts(), board.troubles.len()), ((3, 0, 1), 0));
    replay(&program, &board);
    // It is given nothing that leads to no open goal, and the tests that are known.
    let known = Options {
        given: given(task, &goals, &gia_of(&board, subject(), task, &[0], &Budget::unlimited()), &Budget::unlimited()),
        ..alone.clone()
    };
    assert_eq!(known.given.inputs.len(), 1);
    let broken = guess(&[], Some("out of order"));
    let board = cycle_with(&[&broken], task, &goals, &alone, &budget(), &mut |_| {});
    assert_eq!((board.counts(), board.troubles.clone()), ((0, 0, 4), vec!["guess: out of order".to_string()]));
    // With a verifier besides, everything is decided, whatever becomes of the tool.
    let board = cycle_with(&[&broken], task, &goals, &Options::default(), &budget(), &mut |_| {});
    assert_eq!(board.counts(), (3, 1, 0));
    let texts = one.seen.lock().unwrap();
    assert!(texts.len() == 1 && texts[0].0.contains("4711") && texts[0].0.contains("815"), "{texts:?}");
}
