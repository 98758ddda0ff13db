//! Ranges: those of any split cover every path, neighbours share their bound and nothing else, what is explored in a range is exactly what
//! is in it, and no verdict depends on who has worked on what. On random programs and the runs of the interpreter.

mod random;

use std::collections::BTreeSet;
use std::time::Duration;

use random::*;
use tandem_analyses::paths::{Next, Paths};
use tandem_analyses::{ANALYSES, ContributionKind, Task, verify};
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::{Mark, is_path_step};
use tandem_artifact::range::{Bound, Bounds, Decisions, Range};
use tandem_artifact::{Caveat, ErrorCall, Verdict};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_cfa::exec::{End, Machine, Options, Random as RandomInputs, Run};
use tandem_coop::ranges::*;
use tandem_coop::reduce::reduce;
use tandem_cpa::Observer;

const SPLITTERS: [&str; 6] = ["lb1", "lb3", "lb1-2", "rdm", "rdm9", "balanced"];

fn budget() -> Budget {
    Budget::with_time(Duration::from_secs(10))
}

fn task(program: &Program) -> Task<'_> {
    Task::new(program, &ErrorCall::Usual, 1)
}

/// A program whose paths depend on inputs from the first decision on.
fn branching(numbers: &mut Numbers) -> String {
    let inputs = "int main(void) {\n  x = __VERIFIER_nondet_int();\n  y = __VERIFIER_nondet_int();\n  z = __VERIFIER_nondet_int();\n";
    program_text(numbers).replace("int main(void) {\n", inputs)
}

fn recorded(program: &Program, seed: u64) -> Run {
    let options = Options { path: Some(1 << 20), steps: 100_000, ..Options::default() };
    Machine::new(program, options).run(&mut RandomInputs::new(seed), &Budget::unlimited())
}

fn splits(program: &Program, numbers: &mut Numbers) -> Split {
    let splitter = Splitter::named(SPLITTERS[numbers.below(6) as usize]).unwrap();
    split(task(program), &splitter, 2 + numbers.below(4) as usize, &budget())
}

#[test]
fn ranges_cover_every_path_and_observers_follow_them() {
    let mut numbers = Numbers(71);
    let (mut cuts, mut shared) = (0, 0);
    for _ in 0..150 {
        let text = branching(&mut numbers);
        let program = program(&text);
        let split = splits(&program, &mut numbers);
        let ranges = split.ranges();
        cuts += split.cuts.len();
        for seed in 1..=20 {
            let run = recorded(&program, seed);
            let path = Decisions(run.decisions(&program).unwrap());
            let edges = run.edges(&program).unwrap();
            let inside: Vec<&Range> = ranges.iter().filter(|range| range.contains(&path)).collect();
            let is_bound = split.cuts.iter().any(|cut| cut.bound.decisions == path);
            assert_eq!(inside.len(), if is_bound { 2 } else { 1 }, "{path}\n{text}");
            shared += u32::from(is_bound);
            for range in &ranges {
                let observer = RangeObserver::new(range);
                let mut flow = Task { observer: Some(&observer as &dyn Observer), ..task(&program) }.flow().unwrap();
                let steps = flow.walk(&edges);
                let taken: Vec<_> =
                    steps.iter().filter(|step| !matches!(step.kind, tandem_cpa::StepKind::Leave(_))).collect();
                let passes = taken.len() == edges.len();
                let ends_inside = steps.last().is_some_and(|step| observer.is_inside(step.to.mode));
                // A path that follows the lower bound and ends before it passes, and is not inside.
                assert_eq!(passes && ends_inside, range.contains(&path), "{range:?}\n{path}\n{text}");
            }
        }
    }
    assert!(cuts > 100, "{cuts} cuts");
    assert!(shared > 0, "no run was a bound");
}

#[test]
fn bounds_have_tests_that_take_them() {
    let mut numbers = Numbers(5);
    let mut tests = 0;
    for _ in 0..100 {
        let text = branching(&mut numbers);
        let program = program(&text);
        for cut in splits(&program, &mut numbers).cuts {
            let Some(run) = cut.run.as_ref().filter(|_| cut.is_test()) else { continue };
            let values: Vec<u128> = run.inputs.iter().map(|input| input.bits).collect();
            let found = induced(task(&program), &|number, _| values.get(number).copied(), &budget());
            assert_eq!(found.note, None);
            assert!(found.bound.decisions.begins_with(&cut.bound.decisions), "{text}");
            // With a value less than the path depends on, the bound is the least path that is allowed.
            if !values.is_empty() {
                let less = induced(
                    task(&program),
                    &|number, _| values.get(number).copied().filter(|_| number + 1 < values.len()),
                    &budget(),
                );
                assert!(less.note.is_some());
                assert!(less.bound.decisions <= found.bound.decisions, "{text}");
                let above = Range { lower: Some(less.bound), upper: None };
                assert!(above.contains(&found.bound.decisions));
            }
            tests += 1;
        }
    }
    assert!(tests > 30, "{tests}");
}

/// What is easy needs no ranges; what cannot be split is raced to the end; the rest is split.
#[test]
fn a_race_before_the_ranges() {
    let find = |budget: &Budget, program: &Program| split(task(program), &Splitter::Balanced, 2, budget).ranges();
    let race = |text: &str, analyses: &[&str]| {
        let program = program(text);
        let task = Task { threads: 2, ..task(&program) };
        let budget = Budget::with_time(Duration::from_secs(60));
        sprint(task, analyses, &budget, |budget| find(budget, &program), |sprint| sprint)
    };
    let branching = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n\
        int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\nif (x > 3) y = x;\nif (y < x) x = y;\n\
        if (x > y) reach_error();\nreturn 0; }\n";
    let easy = race(branching, &["interval", "predicate"]);
    assert_eq!(easy.decided.map(|outcome| outcome.verdict), Some(Verdict::True));
    let hard = race(branching, &["interval"]);
    assert!(hard.decided.is_none() && hard.ranges.len() == 2, "{:?}", hard.ranges);
    let straight = "extern void reach_error(void);\nint main(void) {\nunsigned s = 0;\n\
        for (unsigned i = 0; i < 60000; i++) s += i;\nif (s == 7) reach_error();\nreturn 0; }\n";
    let alone = race(straight, &["symbolic"]);
    assert_eq!(alone.decided.map(|outcome| outcome.verdict), Some(Verdict::True));
}

/// What somebody has met before the ranges counts for them, too.
#[test]
fn nothing_is_proved_behind_what_c_does_not_define() {
    let program = program("extern void reach_error(void);\nint main(void) { return 0; }\n");
    let met = Caveat::Undefined { what: "access beyond an object".into(), at: tandem_base::Span::NONE };
    for (undefined, verdict) in [(None, true), (Some(met), false)] {
        let plan = Plan { undefined, ..plan(&["symbolic"], vec![Range::whole()], None) };
        let result = verify_ranges(task(&program), &plan, &budget());
        assert_eq!(result.outcome.verdict == Verdict::True, verdict);
    }
}

/// Section 3.3 of the paper: a test case that says too little stands for the least path of those it allows.
#[test]
fn the_least_path_of_a_test_case_that_says_too_little() {
    let program = program(
        "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z;
  __VERIFIER_assume(y < 7);
  if (y > 9) { x = 1; }
  if (x > 3) { x = 2; }
  if (y == x + 1) { x = 3; }
  if (z > 5) { x = 4; }
  return x;
}
",
    );
    let path = |values: &[u128]| {
        let found = induced(task(&program), &|number, _| values.get(number).copied(), &budget());
        assert!(found.note.is_some() && !found.bound.goes_on, "{found:?}");
        found.bound.decisions.0
    };
    // Of x and y nothing, x, or both are known; z is never written.
    assert_eq!(path(&[]), [1, 0, 0, 0]);
    assert_eq!(path(&[3]), [1, 1, 0, 0]);
    assert_eq!(path(&[20]), [1, 0, 0, 0]);
    assert_eq!(path(&[20, 4]), [1, 0, 1, 0]);
}

/// The maximal paths that can be taken; nothing if there are too many.
fn all_paths(task: Task<'_>, is_inside: impl Fn(u32) -> bool) -> Option<BTreeSet<Decisions>> {
    let budget = budget();
    let mut paths = Paths::new(task, &budget)?;
    let mut found = BTreeSet::new();
    let mut open = vec![paths.start()?];
    let mut count = 0;
    while let Some(spot) = open.pop() {
        count += 1;
        if count > 600 {
            return None;
        }
        match paths.advance(spot) {
            Next::End(spot) => {
                // At a decision only a range ends a path: at its upper bound, which the path goes beyond.
                let is_cut = paths.flow.program.out(spot.point.node).len() > 1;
                if is_inside(spot.point.mode) && !is_cut {
                    found.insert(Decisions(spot.decisions));
                }
            }
            Next::Ways(spot, ways) => open.extend(ways.iter().filter_map(|way| paths.take(&spot, way))),
        }
    }
    Some(found)
}

#[test]
fn exactly_the_paths_of_a_range_are_explored() {
    let mut numbers = Numbers(99);
    let (mut programs, mut seen) = (0, 0);
    for _ in 0..200 {
        let text = branching(&mut numbers);
        let program = program(&text);
        let Some(all) = all_paths(task(&program), |_| true) else { continue };
        let split = splits(&program, &mut numbers);
        if split.cuts.is_empty() {
            continue;
        }
        programs += 1;
        for range in split.ranges() {
            let observer = RangeObserver::new(&range);
            let ranged = Task { observer: Some(&observer as &dyn Observer), ..task(&program) };
            let found = all_paths(ranged, |mode| observer.is_inside(mode)).expect("not more than all");
            let expected: BTreeSet<Decisions> = all.iter().filter(|path| range.contains(path)).cloned().collect();
            assert_eq!(found, expected, "{range:?}\n{text}");
            seen += found.len();
        }
    }
    assert!(programs > 30 && seen > 200, "{programs} programs, {seen} paths");
}

fn plan<'p>(analyses: &[&'p str], ranges: Vec<Range>, nudge: Option<u64>) -> Plan<'p> {
    Plan { analyses: analyses.to_vec(), ranges, steal: true, threads: 2, tracked: Vec::new(), undefined: None, nudge }
}

#[test]
fn parts_are_given_away_at_any_moment_and_the_verdict_stays() {
    let mut numbers = Numbers(1234);
    let (mut proved, mut refuted, mut cuts) = (0, 0, 0);
    for case in 0..60 {
        let text = branching(&mut numbers);
        let program = program(&text);
        let whole = verify("symbolic", task(&program), &Budget::with_time(Duration::from_millis(500))).unwrap();
        if matches!(whole.verdict, Verdict::Unknown(_)) {
            continue;
        }
        let analyses: &[&str] = if numbers.chance(50) { &["symbolic"] } else { &["symbolic-dfs", "symbolic"] };
        let ranges = splits(&program, &mut numbers).ranges();
        let result = verify_ranges(task(&program), &plan(analyses, ranges, Some(case + 1)), &budget());
        assert_eq!(result.outcome.verdict, whole.verdict, "{text}");
        cuts += result.outcome.statistics["cuts"];
        proved += u32::from(whole.verdict == Verdict::True);
        refuted += u32::from(whole.verdict == Verdict::False);
    }
    assert!(proved > 5 && refuted > 2, "{proved} proved, {refuted} refuted, {cuts} cuts");
}

#[test]
fn a_long_search_is_cut_again_and_again() {
    for (error, verdict) in [("sum > 36", Verdict::True), ("sum == 21 && last == 77", Verdict::False)] {
        let text = format!(
            "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\nint main(void) {{\n\
            unsigned sum = 0, last = 0;\nfor (int i = 0; i < 9; i++) {{ last = __VERIFIER_nondet_uint();\n\
            if (last > 1000u + i) sum += 3; }}\nif ({error}) reach_error();\nreturn 0; }}\n"
        );
        let program = program(&text);
        let ranges = split(task(&program), &Splitter::Balanced, 2, &budget()).ranges();
        for analysis in ANALYSES.iter().filter(|entry| entry.hands_over_paths).map(|entry| entry.name) {
            for seed in 1..=4 {
                let plan = plan(&[analysis], ranges.clone(), Some(seed));
                let result = verify_ranges(task(&program), &plan, &Budget::with_time(Duration::from_secs(60)));
                assert_eq!(result.outcome.verdict, verdict, "{analysis}");
                assert!(verdict == Verdict::False || result.outcome.statistics["cuts"] > 0, "{analysis}");
            }
        }
    }
}

#[test]
fn no_analysis_is_wrong_on_ranges() {
    let mut numbers = Numbers(4321);
    // Those that keep to an observer: the others look at the whole program.
    let working = ANALYSES.iter().filter(|entry| entry.reads(ContributionKind::SettledPaths));
    let names: Vec<&str> = working.map(|entry| entry.name).collect();
    let mut decided = 0;
    for _ in 0..40 {
        let text = branching(&mut numbers);
        let program = program(&text);
        let errs = (1..=30).any(|seed| matches!(recorded(&program, seed).end, End::ErrorReached { .. }));
        let mut any = || names[numbers.below(names.len() as u64) as usize];
        let pair = [any(), any()];
        let ranges = splits(&program, &mut numbers).ranges();
        let time = Budget::with_time(Duration::from_millis(700));
        let result = verify_ranges(task(&program), &plan(&pair, ranges, None), &time);
        match result.outcome.verdict {
            Verdict::True => assert!(!errs, "{pair:?}\n{text}"),
            Verdict::False => assert!(result.outcome.violation.is_some()),
            Verdict::Unknown(_) => continue,
        }
        decided += 1;
    }
    assert!(decided > 20, "{decided}");
}

#[test]
fn ranges_as_programs_have_the_runs_of_the_range() {
    let mut numbers = Numbers(77);
    let mut checked = 0;
    for _ in 0..40 {
        let text = branching(&mut numbers);
        let program = program(&text);
        for range in splits(&program, &mut numbers).ranges() {
            let mut flow = task(&program).flow().unwrap();
            let targets = error_targets(&program, &ErrorCall::Usual);
            let (gia, _) = range_gia(&mut flow, &range, subject(), targets).expect("a well-formed automaton");
            let residual = reduce(&program, &gia, Mark::Unreachable, &["reach_error"]);
            let rest = random::program(&residual.c_text("random.c").expect("can be written"));
            for seed in 1..=10 {
                let before = recorded(&program, seed);
                let path = Decisions(before.decisions(&program).unwrap());
                if range.contains(&path) && !matches!(before.end, End::Stopped(_)) {
                    let after = recorded(&rest, seed);
                    let is_error = |end: &End| matches!(end, End::ErrorReached { .. });
                    assert_eq!(is_error(&before.end), is_error(&after.end), "{range:?}\n{text}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The candidates of a range are its paths, and the range of such an automaton is no smaller than the range.
#[test]
fn ranges_as_candidates_and_back() {
    let mut numbers = Numbers(79);
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..60 {
        let text = branching(&mut numbers);
        let program = program(&text);
        let targets = error_targets(&program, &ErrorCall::Usual);
        for range in splits(&program, &mut numbers).ranges() {
            let mut flow = task(&program).flow().unwrap();
            let (gia, exact) = range_candidates(&mut flow, &range, subject(), targets.clone()).expect("well-formed");
            let back = range_of_gia(task(&program), &gia);
            for seed in 1..=10 {
                let run = recorded(&program, seed);
                if matches!(run.end, End::Stopped(_)) {
                    continue;
                }
                let path = Decisions(run.decisions(&program).unwrap());
                let mut edges = run.edges(&program).unwrap();
                edges.retain(|edge| is_path_step(&program, *edge));
                let covered = gia.covers(&edges, |_, _| unreachable!("there are no conditions")).candidate.is_some();
                let is_inside = range.contains(&path);
                if is_inside || exact {
                    assert_eq!(covered, is_inside, "{range:?}\n{path}\n{text}");
                }
                assert!(
                    !is_inside || back.as_ref().is_some_and(|back| back.contains(&path)),
                    "{range:?} {back:?}\n{text}"
                );
                if is_inside { inside += 1 } else { outside += 1 }
            }
        }
    }
    assert!(inside > 200 && outside > 200, "{inside} {outside}");
}

#[test]
fn who_finds_undefined_behaviour_keeps_others_from_a_proof() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint a[4];\n\
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 9) { x = 9; } else if (x < 0) { x = 0; }\n\
        a[x] = 1; if (x > 9) reach_error(); return 0; }\n";
    let program = program(text);
    let ranges = split(task(&program), &Splitter::Balanced, 2, &budget()).ranges();
    assert_eq!(ranges.len(), 2);
    for analyses in [["bmc", "symbolic"], ["predicate", "bmc"], ["k-induction", "predicate"]] {
        let result = verify_ranges(task(&program), &plan(&analyses, ranges.clone(), None), &budget());
        assert!(matches!(result.outcome.verdict, Verdict::Unknown(_)), "{analyses:?} {:?}", result.outcome.verdict);
    }
}

const EXAMPLE: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
    int main(void) {\n  int x = __VERIFIER_nondet_int();\n  int a = 0;\n  int b = 0;\n  if (x >= 0) {\n    while (a < x) {\n\
    \x20     a++;\n      b++;\n    }\n  } else {\n    a = 10;\n    b = 10;\n  }\n  if (a != b) { reach_error(); }\n  return 0;\n}\n";

#[test]
fn the_running_example_is_split_at_three() {
    let program = program(EXAMPLE);
    for (name, value, decisions) in [("lb3", 3, "0*4 1*2"), ("lb10", 10, "0*11 1*2"), ("lb1", 1, "0*2 1*2")] {
        let split = split(task(&program), &Splitter::named(name).unwrap(), 2, &budget());
        let [cut] = &split.cuts[..] else { panic!("{name}: {split:?}") };
        assert_eq!(cut.run.as_ref().unwrap().inputs[0].bits, value);
        assert_eq!(cut.bound.decisions.to_string(), decisions);
        assert!(cut.is_test());
    }
    let several = split(task(&program), &Splitter::named("lb1-3-10").unwrap(), 4, &budget());
    assert_eq!(several.ranges().len(), 4);
}

#[test]
fn the_running_example_is_proved_by_any_two_that_can() {
    let program = program(EXAMPLE);
    let ranges = split(task(&program), &Splitter::named("lb3").unwrap(), 2, &budget()).ranges();
    let names = ["value", "symbolic", "bmc", "predicate", "k-induction", "interval"];
    for first in names {
        for second in names {
            let can = |name| matches!(name, "predicate" | "k-induction");
            let time = Duration::from_secs(if can(first) || can(second) { 20 } else { 1 });
            let result =
                verify_ranges(task(&program), &plan(&[first, second], ranges.clone(), None), &Budget::with_time(time));
            match result.outcome.verdict {
                Verdict::True => {}
                Verdict::False => panic!("{first}, {second}"),
                Verdict::Unknown(why) => assert!(!can(first) && !can(second), "{first}, {second}: {why}"),
            }
        }
    }
}

#[test]
fn a_loop_free_program_is_split_by_balance_only() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3) x = 0; if (x == 7) reach_error(); return 0; }\n";
    let program = program(text);
    let by = |name: &str, ranges| split(task(&program), &Splitter::named(name).unwrap(), ranges, &budget());
    assert!(by("lb3", 2).cuts.is_empty() && by("lb3", 2).note.is_some());
    assert_eq!(by("balanced", 2).ranges().len(), 2);
    // Two paths: no more ranges than that, and it is said.
    let many = by("balanced", 50);
    assert!(many.ranges().len() <= 3 && many.note.is_some(), "{many:?}");
    let result = verify_ranges(task(&program), &plan(&["symbolic"], many.ranges(), None), &budget());
    assert_eq!(result.outcome.verdict, Verdict::True);
}

#[test]
fn a_late_difference_is_found() {
    let text = "extern int __VERIFIER_nondet_int(void);\n\
        int main(void) { int i = 0; while (i < 900) i++; if (__VERIFIER_nondet_int()) return 1; return 0; }\n";
    let program = program(text);
    assert_eq!(split(task(&program), &Splitter::Balanced, 2, &budget()).ranges().len(), 2);
}

#[test]
fn pointers_and_switches_are_decisions_with_many_outcomes() {
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
        int one(void) { return 1; }\nint two(void) { return 2; }\nint three(void) { return 3; }\n\
        int (*table[3])(void) = { one, two, three };\n\
        int main(void) {\n  unsigned x = __VERIFIER_nondet_int();\n  int sum = table[x % 3]();\n\
        \x20 switch (__VERIFIER_nondet_int()) { case 1: sum++; break; case 5: sum += 2; break; case 9: sum += 3; break; default: break; }\n\
        \x20 if (sum > 6) reach_error();\n  return 0;\n}\n";
    let program = program(text);
    let all = all_paths(task(&program), |_| true).unwrap();
    assert!(all.len() >= 12, "{all:?}");
    // Every pair of neighbours among all paths is a place to cut.
    for bound in &all {
        let ranges = Bounds::new(vec![Bound::path(bound.clone())]).ranges();
        for range in &ranges {
            let observer = RangeObserver::new(range);
            let ranged = Task { observer: Some(&observer as &dyn Observer), ..task(&program) };
            let found = all_paths(ranged, |mode| observer.is_inside(mode)).unwrap();
            let expected: BTreeSet<Decisions> = all.iter().filter(|path| range.contains(path)).cloned().collect();
            assert_eq!(found, expected);
        }
        let result = verify_ranges(task(&program), &plan(&["symbolic", "bmc"], ranges, None), &budget());
        assert_eq!(result.outcome.verdict, Verdict::True);
    }
    for seed in 1..40 {
        let run = recorded(&program, seed);
        assert!(all.contains(&Decisions(run.decisions(&program).unwrap())), "a run that no path is");
    }
}

#[test]
fn an_empty_range_and_a_bound_that_no_path_meets() {
    let program = program(EXAMPLE);
    let bound = Bound::path(Decisions(vec![7, 7]));
    assert_eq!(stray(task(&program), &bound.decisions), Some(0));
    assert_eq!(stray(task(&program), &Decisions(vec![0, 0, 1])), None);
    // Everything is below it, and nothing above.
    let ranges = Bounds::new(vec![bound]).ranges();
    let result = verify_ranges(task(&program), &plan(&["k-induction"], ranges, None), &budget());
    assert_eq!(result.outcome.verdict, Verdict::True);
    let empty = Range { lower: Some(Bound::path(Decisions(vec![1]))), upper: Some(Bound::path(Decisions(vec![0]))) };
    let observer = RangeObserver::new(&empty);
    let ranged = Task { observer: Some(&observer as &dyn Observer), ..task(&program) };
    assert!(all_paths(ranged, |mode| observer.is_inside(mode)).unwrap().is_empty());
}
