//! Exchange automata that run along with the program, and plans, on random programs: what is kept out is covered, what is covered without
//! conditions is kept out, and no plan gives a wrong verdict.

mod random;

use std::time::Duration;

use random::*;
use tandem_analyses::LibraryValues;
use tandem_artifact::gia::*;
use tandem_artifact::plan::Plan;
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::Budget;
use tandem_cfa::exec::End;
use tandem_coop::actors::Company;
use tandem_coop::cooperation::{Setting, check, perform};
use tandem_coop::plans;
use tandem_coop::settled::Settled;
use tandem_cpa::Flow;

#[test]
fn what_is_settled_is_kept_out() {
    let mut numbers = Numbers(41);
    let (mut kept_out, mut candidates) = (0, 0);
    for case in 0..400 {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let runs: Vec<Taken> = (1..=8).map(|seed| run(&program, seed)).collect();
        let gia = automaton(&mut numbers, &runs, true);
        let bare = gia.transitions().iter().all(|one| one.guard == GuardId::TRUE)
            && gia.states().iter().all(|state| state.invariant == GuardId::TRUE);
        for (number, taken) in runs.iter().enumerate() {
            let covered = taken.covered(&gia);
            let passes = |focus: bool| {
                let observer = Settled::new(&gia, focus);
                let mut flow = Flow::new(&program, &["reach_error"], true).expect("main").observed(&observer);
                let steps = flow.walk(&taken.edges);
                steps.iter().filter(|step| !matches!(step.kind, tandem_cpa::StepKind::Leave(_))).count()
                    == taken.edges.len()
            };
            let place = || format!("case {case}, run {number}\n{text}\n{}", shown(&gia));
            let is_unreachable = covered.unreachable.is_some();
            assert!(passes(false) || is_unreachable, "{}", place());
            assert!(!(bare && passes(false) && is_unreachable), "{}", place());
            if covered.candidate.is_some() && !is_unreachable {
                assert!(passes(true), "{}", place());
                candidates += 1;
            }
            kept_out += usize::from(!passes(false));
        }
    }
    assert!(kept_out > 50 && candidates > 50, "{kept_out} kept out, {candidates} candidates");
}

#[test]
fn no_plan_is_wrong() {
    let mut numbers = Numbers(43);
    let subject = subject();
    let company = Company;
    let (mut proofs, mut violations) = (0, 0);
    for case in 0..120 {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let errs = (1..=40).any(|seed| matches!(run(&program, seed).end, End::ErrorReached { .. }));
        for name in plans::NAMES {
            let plan = plans::named(name).expect("a plan").plan;
            check(&plan, &[&company], None).expect("a plan that makes sense");
            let setting = Setting {
                program: &program,
                error: &ErrorCall::Usual,
                subject: &subject,
                threads: 1,
                hints: &[],
                library_values: LibraryValues::Contract,
            };
            let budget = Budget::with_time(Duration::from_millis(if case % 3 == 0 { 20 } else { 2000 }));
            let performance = perform(&plan, &[&company], setting, &[], None, &budget, &|_, _| {});
            assert!(performance.journal.iter().all(|entry| entry.refused.is_none()), "{name}\n{text}");
            match performance.verdict {
                Verdict::True => {
                    assert!(!errs, "case {case}, {name}\n{text}");
                    proofs += 1;
                }
                Verdict::False => {
                    assert!(performance.known.violation.is_some());
                    violations += 1;
                }
                Verdict::Unknown(_) => {}
            }
        }
    }
    assert!(proofs > 50 && violations > 50, "{proofs} proofs, {violations} violations");
}

/// What a few rounds of component-based CEGAR call unreachable covers no run that reaches the error.
#[test]
fn reasons_are_right() {
    let mut numbers = Numbers(47);
    let subject = subject();
    let company = Company;
    let (mut claims, mut errors) = (0, 0);
    for case in 0..300 {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let parts = ["explorer", "refiner"].map(Plan::run).to_vec();
        let plan = Plan::Repeat { rounds: 1 + case % 5, body: Box::new(Plan::Sequence(parts)) };
        let setting = Setting {
            program: &program,
            error: &ErrorCall::Usual,
            subject: &subject,
            threads: 1,
            hints: &[],
            library_values: LibraryValues::Contract,
        };
        let budget = Budget::with_time(Duration::from_secs(10));
        let known = perform(&plan, &[&company], setting, &[], None, &budget, &|_, _| {}).known;
        let gia = known.whole();
        claims += usize::from(gia.has(Mark::Unreachable));
        for seed in 1..=40 {
            let taken = run(&program, seed);
            if matches!(taken.end, End::ErrorReached { .. }) {
                errors += 1;
                // Whatever holds on the way: no run takes such a path.
                let is_unreachable = gia.covers(&taken.edges, |_, _| true).unreachable.is_some();
                assert!(!is_unreachable, "case {case}, run {seed}\n{text}\n{}", shown(&gia));
            }
        }
    }
    assert!(claims > 50 && errors > 100, "{claims} claims, {errors} errors");
}
