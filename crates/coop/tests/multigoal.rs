//! Goals of queries as a whole: counts that can be found by hand, the same answers whatever is left out, and never a goal called infeasible
//! that some run covers.

mod random;

use std::time::Duration;

use random::{Numbers, program, program_text};
use tandem_analyses::Task;
use tandem_analyses::concolic::Judge;
use tandem_artifact::fql::{Goals, Semantics, parse};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_coop::multigoal::{GoalBoard, GoalStatus, Known, MultiGoalOptions, Switches, solve};
use tandem_coop::testing::ending_errors;

const PAIRS: &str = "cover @BASICBLOCKENTRY -> @BASICBLOCKENTRY";

/// A lock that is taken and given back in an endless loop.
const LOCK: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int wanted, held, go;
  while (1) {
    go = __VERIFIER_nondet_int();
    if (go == 0) { goto out; } else {}
    held = 0;
    wanted = __VERIFIER_nondet_int();
    if (wanted != 0) { held = 1; } else {}
    if (wanted != 0) { if (held != 1) goto bad; held = 0; } else {}
  }
out: return 0;
bad: return 0;
}
";

/// Two conditions on one input, and a flag that depends on both.
const FLAGS: &str = "extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), big, hundred = 0, s;
  if (x > 10) { big = 1; } else { big = 0; }
  if (x == 100) { hundred = 1; } else { }
  if (big) { s = hundred; } else { s = big; }
  return s;
}
";

/// A state machine in which some orders are impossible, and only a fact about the loop says so.
const MACHINE: &str = "extern int __VERIFIER_nondet_int(void);
int state;
void open_it(void) { if (state == 0) { state = 1; } else { state = 3; } }
void close_it(void) { if (state == 1) { state = 2; } else { state = 3; } }
int main(void) {
  int opened = 0;
  while (__VERIFIER_nondet_int()) {
    if (opened == 0) { open_it(); opened = 1; } else { if (opened == 1) { close_it(); opened = 2; } else { opened = 2; } }
  }
  return state;
}
";

fn decide(program: &Program, query: &str, switches: Switches, threads: usize, known: &Known) -> GoalBoard {
    let goals = Goals::new(program, &parse(query).unwrap(), Semantics::Tiger).unwrap();
    let errors = ending_errors(program);
    let task = Task::new(program, &errors, threads);
    let budget = Budget::with_time(Duration::from_secs(120));
    let options = MultiGoalOptions { switches, seed: 1 };
    let (board, _) = solve(task, &goals, &options, known, &budget, &mut |_| ());
    assert!(board.contradictions.is_empty(), "called infeasible and covered: {:?}", board.contradictions);
    board
}

fn counts(text: &str, query: &str) -> (u64, u64, u64) {
    decide(&program(text), query, Switches::ALL, 1, &Known::default()).counts()
}

#[test]
fn bounded_paths_of_a_loop() {
    // Of 3 + 4 f(n - 1) paths, one for each sequence of rounds with and without the lock can be taken.
    for (bound, goals, feasible) in [(1, 7, 3), (2, 31, 7), (3, 127, 15), (5, 2047, 63)] {
        assert_eq!(counts(LOCK, &format!("cover PATHS(ID, {bound})")), (feasible, goals - feasible, 0));
    }
}

#[test]
fn chains_of_blocks() {
    let (covered, infeasible, open) = counts(LOCK, PAIRS);
    let (_, singles, none) = counts(LOCK, "cover @BASICBLOCKENTRY");
    // The block behind the failed check is the one that no run comes to.
    assert_eq!((singles, none, open), (1, 0, 0));
    assert_eq!(covered + infeasible, 10 * 10);
    // Seven blocks in the loop, one before it and one behind: the first comes first and the last comes last, everything else in any order.
    let inside = 7;
    assert_eq!(covered, (inside + 1) * (inside + 1));
    let (covered, _, open) = counts(LOCK, "cover @BASICBLOCKENTRY -> @BASICBLOCKENTRY -> @BASICBLOCKENTRY");
    assert_eq!((covered, open), (inside * (inside + 1) * (inside + 1), 0));
}

#[test]
fn conditions_exclude_pairs() {
    // Both sides of three conditions: 6 goals, and of the 36 pairs those that stand in order and do not contradict each other.
    assert_eq!(counts(FLAGS, "cover @CONDITIONEDGE"), (6, 0, 0));
    let (covered, infeasible, open) = counts(FLAGS, "cover @CONDITIONEDGE -> @CONDITIONEDGE");
    assert_eq!((covered + infeasible, open), (36, 0));
    // Behind x > 10: 100 or not, then big. Behind x <= 10: not 100, not big. Behind 100: big; behind not 100: either.
    assert_eq!(covered, 3 + 2 + 1 + 2);
}

#[test]
fn orders_that_a_loop_excludes() {
    let board = decide(&program(MACHINE), PAIRS, Switches::ALL, 1, &Known::default());
    let (covered, infeasible, open) = board.counts();
    assert_eq!(open, 0, "{:?}", board.reasons);
    assert!(covered > 0 && infeasible > 0);
}

#[test]
fn every_switch_gives_the_same_answers() {
    for text in [LOCK, FLAGS, MACHINE] {
        let program = program(text);
        for query in [PAIRS, "cover PATHS(ID, 2)", "cover @CONDITIONEDGE.\"NOT(@EXIT(main))*\".@CONDITIONEDGE"] {
            let expected = decide(&program, query, Switches::ALL, 1, &Known::default());
            for left_out in Switches::NAMES {
                let switches = Switches::without(&[left_out.to_string()]);
                let board = decide(&program, query, switches, 1, &Known::default());
                for goal in 0..board.goals() {
                    let (one, other) = (board.status(goal), expected.status(goal));
                    assert_eq!(kind(one), kind(other), "goal {goal} of {query} without {left_out}");
                }
            }
            let parallel = decide(&program, query, Switches::ALL, 2, &Known::default());
            assert_eq!(parallel.counts(), expected.counts(), "{query} on two threads");
        }
    }
}

fn kind(status: GoalStatus) -> u8 {
    match status {
        GoalStatus::Open(_) => 0,
        GoalStatus::Covered(_) => 1,
        GoalStatus::Infeasible(_) => 2,
    }
}

#[test]
fn nothing_infeasible_is_ever_covered() {
    let mut numbers = Numbers(11);
    for round in 0..6 {
        let text = program_text(&mut numbers);
        let program = program(&text);
        for query in [PAIRS, "cover @CONDITIONEDGE -> @CONDITIONEDGE", "cover PATHS(@FUNC(main), 1)"] {
            let goals = Goals::new(&program, &parse(query).unwrap(), Semantics::Tiger);
            let Ok(goals) = goals else { continue };
            if goals.count() > 3_000 {
                continue;
            }
            let errors = ending_errors(&program);
            let task = Task::new(&program, &errors, 1);
            let budget = Budget::with_time(Duration::from_millis(1500));
            // Without random runs first, so that the proofs are not spared.
            let switches = Switches { random: false, ..Switches::ALL };
            let options = MultiGoalOptions { switches, seed: 1 };
            let (board, _) = solve(task, &goals, &options, &Known::default(), &budget, &mut |_| ());
            assert!(board.contradictions.is_empty(), "{text}");
            let mut judge = Judge::new(task, 7 + round, 6_000);
            let budget = Budget::with_time(Duration::from_secs(20));
            for _ in 0..60 {
                let ran = judge.random(&budget).unwrap();
                for goal in goals.covered_by(&ran.path(&program, ran.len()), ran.ended(), |_, _| None) {
                    let status = board.status(goal);
                    assert!(!matches!(status, GoalStatus::Infeasible(_)), "goal {goal} of {query}: {status:?}\n{text}");
                }
            }
        }
    }
}

#[test]
fn what_was_known_is_taken_over() {
    let program = program(LOCK);
    let first = decide(&program, PAIRS, Switches::ALL, 1, &Known::default());
    let tests = first.tests.iter().map(|test| test.inputs.iter().map(|input| input.bits).collect());
    let infeasible = (0..first.goals()).filter(|goal| kind(first.status(*goal)) == 2).map(|goal| goal..goal + 1);
    let known = Known { tests: tests.collect(), infeasible: infeasible.collect() };
    let second = decide(&program, PAIRS, Switches::ALL, 1, &known);
    assert_eq!(second.counts(), first.counts());
    assert_eq!((second.statistics.automata, second.statistics.runs), (0, 0));
}

/// A level that is a number from 0 to 5, and a variable that is at least 3 at the end.
const LEVEL: &str = "extern int __VERIFIER_nondet_int(void);
int level;
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 0) { return 0; } else {}
  if (x > 5) { return 0; } else {}
  level = x;
  while (x < 3) { x = x + 1; }
  return level;
}
";

#[test]
fn predicates_are_tested() {
    // There are three returns; the level is not zero at the last of them alone.
    for (query, covered) in [
        ("cover {level == 4}.@EXIT(main)", 1),
        ("cover {level == 7}.@EXIT(main)", 0),
        ("cover {level == 0}.@EXIT(main)", 3),
        ("cover {x == 2}.@EXIT(main)", 0),
        ("cover {x == 3 && level == 1}.@EXIT(main)", 1),
        ("cover {x == 3 && level == 5}.@EXIT(main)", 0),
        ("cover {x > 5 || x < 0}.@EXIT(main)", 2),
    ] {
        assert_eq!(counts(LEVEL, query), (covered, 3 - covered, 0), "{query}");
    }
    // What every run has to be like may be about predicates, too.
    let (covered, infeasible, open) =
        counts(LEVEL, "cover @EXIT(main) passing ^(@LINE(7).{level == 1} + NOT(@LINE(7)))*$");
    assert_eq!((covered, infeasible, open), (3, 0, 0));
    let (covered, infeasible, open) =
        counts(LEVEL, "cover @EXIT(main) passing ^(@LINE(7).{level == 9} + NOT(@LINE(7)))*$");
    assert_eq!((covered, infeasible, open), (2, 1, 0));
    // In a function that is called, and behind the call.
    assert_eq!(counts(MACHINE, "cover @ENTRY(close_it).{state == 1}"), (1, 0, 0));
    assert_eq!(counts(MACHINE, "cover @ENTRY(close_it).{state == 2}"), (0, 1, 0));
    assert_eq!(counts(MACHINE, "cover @CALL(close_it).{state == 1}"), (1, 0, 0));
    assert_eq!(counts(MACHINE, "cover @EXIT(close_it).{opened == 1 && state == 2}"), (1, 0, 0));
    assert_eq!(counts(MACHINE, "cover @EXIT(close_it).{opened == 1 && state == 3}"), (0, 1, 0));
}

#[test]
fn predicates_split_nodes() {
    let (covered, infeasible, _) = counts(FLAGS, "cover NODES(PRED(@FUNC(main), {x > 0}))");
    assert!(covered > 0 && infeasible > 0, "{covered} {infeasible}");
}

/// The search excludes nothing that a run covers: the same answers with random runs first and without them.
#[test]
fn predicates_excluded_are_never_met() {
    for (text, query) in
        [(MACHINE, "cover @BASICBLOCKENTRY.{state == 2}"), (LEVEL, "cover @BASICBLOCKENTRY.{level > 2}")]
    {
        let program = program(text);
        let one = decide(&program, query, Switches::ALL, 2, &Known::default());
        let other = decide(&program, query, Switches::without(&["random".to_string()]), 1, &Known::default());
        assert_eq!((one.counts(), one.counts().2), (other.counts(), 0), "{query}");
    }
}

/// A predicate over what may not have been written yet is neither met nor excluded, and one that means nothing is said to.
#[test]
fn predicates_without_a_value_leave_goals_open() {
    let text = "extern int __VERIFIER_nondet_int(void);
int main(void) { int x; if (__VERIFIER_nondet_int()) { x = 1; } else {} return 0; }
";
    assert_eq!(counts(text, "cover {x > 3}.@EXIT(main)"), (0, 0, 1));
    let board = decide(&program(FLAGS), "cover {nobody > 0}.@EXIT(main)", Switches::ALL, 1, &Known::default());
    assert_eq!(board.counts(), (0, 0, 1));
    assert!(
        matches!(board.status(0), GoalStatus::Open(Some(reason)) if board.reasons[reason as usize].contains("nobody"))
    );
}
