//! The default run as a cooperation: what crosses the board, and that nothing but that depends on it.

use std::time::{Duration, Instant};

use tandem_analyses::{ContributionKind, Task};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, Program, build};
use tandem_coop::kernel::{Exchange, Portfolio, PortfolioOutcome, verify_by_portfolio};

const LIMIT: Duration = Duration::from_secs(30);

fn program(text: &str) -> Program {
    build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.expect("a program")
}

fn run(program: &Program, exchange: Exchange, threads: usize) -> PortfolioOutcome {
    let task = Task::new(program, &ErrorCall::Usual, threads);
    verify_by_portfolio(&Portfolio::usual(program, exchange), task, &Budget::with_time(LIMIT), |found| found)
}

/// Two loops: runs never end early, the error is far away, and the invariant is easy.
const LOOPS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
    int main(void) { unsigned x = 0, y = 0, n = __VERIFIER_nondet_int();
        while (x < n) { x++; y++; }
        while (__VERIFIER_nondet_int()) { if (x != y) reach_error(); }
        return 0; }";

/// The error needs 30 rounds: bounded model checking says meanwhile that there is none within fewer.
const DEEP: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
    int main(void) { int x = 0, seed = 1;
        while (1) { if (__VERIFIER_nondet_int() == seed) { seed = seed * 7 + 3; x++; } else x = 0, seed = 1;
            if (x == 30) reach_error(); } }";

#[test]
fn facts_and_bounds_cross_with_exchange_and_nothing_without() {
    let program = program(DEEP);
    let with = run(&program, Exchange::On, 2);
    assert!(matches!(with.outcome.verdict, Verdict::False | Verdict::Unknown(_)), "{:?}", with.outcome.verdict);
    let bounds = with.crossings.iter().filter(|crossing| crossing.kind == ContributionKind::Bounds);
    assert!(bounds.count() > 0, "{:?}", with.crossings);
    for crossing in &with.crossings {
        assert!(crossing.grounds.iter().all(|ground| *ground < crossing.number), "{crossing:?}");
        assert!(crossing.used_by.iter().all(|(reader, _)| *reader != crossing.author), "{crossing:?}");
    }
    let without = run(&program, Exchange::Off, 2);
    assert!(without.crossings.is_empty());
}

#[test]
fn no_more_members_compute_at_once_than_there_are_threads() {
    let program = program(LOOPS);
    for threads in [1, 2, 3] {
        let found = run(&program, Exchange::On, threads);
        assert_eq!(found.outcome.verdict, Verdict::True, "{threads} threads");
        assert!(found.most_at_work <= threads, "{} at work with {threads} threads", found.most_at_work);
    }
}

#[test]
fn on_one_thread_no_member_starves() {
    // Random runs of this program take very long: with one thread the others must have their turns all the same.
    let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int main(void) { unsigned long i = 0; int input = __VERIFIER_nondet_int();
            while (i < 4000000000000UL) i++; if (input != input) reach_error(); return 0; }";
    let program = program(text);
    let start = Instant::now();
    let found = run(&program, Exchange::On, 1);
    assert_eq!(found.outcome.verdict, Verdict::True);
    assert!(start.elapsed() < LIMIT / 2, "{:?}", start.elapsed());
}
