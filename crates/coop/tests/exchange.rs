//! What analyses that are cut off early say about paths is so, and nothing of it gets lost on the way through reducer and combiner
//! (Definition 5 and Theorem 3), on random programs.

mod random;

use std::time::Duration;

use random::*;
use tandem_analyses::{ANALYSES, AnalysisEntry, ContributionKind, Task};
use tandem_artifact::ErrorCall;
use tandem_artifact::convert::{error_targets, reached_path};
use tandem_artifact::gia::*;
use tandem_base::Budget;
use tandem_cfa::exec::{End, Machine, Options, Random as RandomInputs};
use tandem_coop::reduce::reduce;

/// How many programs; `TANDEM_CASES` may ask for more.
fn programs() -> u64 {
    std::env::var("TANDEM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_000)
}
const RUNS: u64 = 12;

#[test]
fn settled_paths_stay_settled() {
    let mut numbers = Numbers(23);
    let subject = subject();
    let settling = ANALYSES.iter().filter(|entry| entry.gives(ContributionKind::SettledPaths));
    let settling: Vec<&AnalysisEntry> = settling.collect();
    let (mut unreachable, mut errors, mut found) = (0, 0, 0);
    for case in 0..programs() {
        let text = program_text(&mut numbers);
        let program = program(&text);
        let targets = error_targets(&program, &ErrorCall::Usual);
        let analysis = settling[numbers.below(settling.len() as u64) as usize];
        let time = Duration::from_micros(200 << numbers.below(6));
        let task = Task { exchange: Some(&subject), ..Task::new(&program, &ErrorCall::Usual, 1) };
        let outcome = analysis.verify(task, None, &Budget::with_time(time));
        let verified = outcome.gia.unwrap_or_else(|| Gia::empty(subject.clone(), targets.clone()));
        let runs: Vec<Taken> = (1..=RUNS).map(|seed| run(&program, seed)).collect();
        let rest = reduce(&program, &verified, Mark::Unreachable, &["reach_error"]);
        let rest = random::program(&rest.c_text("random.c").expect("can be written"));
        let mut all = verified.clone();
        for (seed, before) in (1..).zip(&runs) {
            let is_error = matches!(before.end, End::ErrorReached { .. });
            let is_unreachable = before.covered(&verified).unreachable.is_some();
            // An over-approximating analysis is sound: what it calls unreachable is no error.
            assert!(!(is_error && is_unreachable), "case {case}, {analysis:?}\n{text}\n{}", shown(&verified));
            unreachable += usize::from(is_unreachable);
            errors += usize::from(is_error);
            // A tester on the residual finds what is there, and what it finds is one of the program's own paths.
            let after = run(&rest, seed);
            assert_eq!(is_error, matches!(after.end, End::ErrorReached { .. }), "case {case}\n{text}");
            if !is_error {
                continue;
            }
            let options = Options { path: Some(1 << 20), ..Options::default() };
            let replayed = Machine::new(&program, options).run(&mut RandomInputs::new(seed), &Budget::unlimited());
            let Ok(reached) = reached_path(&program, subject.clone(), &targets, &replayed) else { continue };
            assert!(!contradiction(&all, &reached).has_candidates(), "case {case}\n{text}");
            all = combine(&[&all, &reached]).expect("one program");
            found += 1;
        }
        for taken in &runs {
            let (old, new) = (covers(taken, &verified), covers(taken, &all));
            assert_eq!(old.0, new.0, "case {case}: the tester changed what is unreachable\n{text}");
            assert!(new.1 || !old.1, "case {case}: a reached path got lost\n{text}");
            let is_error = matches!(taken.end, End::ErrorReached { .. });
            assert!(is_error || !new.1, "case {case}: reached, but no error\n{text}");
        }
    }
    assert!(
        unreachable > 200 && errors > 100 && found > 50,
        "{unreachable} unreachable, {errors} errors, {found} found"
    );
}

/// Whether the run is covered as unreachable, and as reached. Conditions on results of calls are looked up in the run.
fn covers(taken: &Taken, gia: &Gia) -> (bool, bool) {
    let covered = gia.covers(&taken.edges, |step, atom| taken.meets(step, gia.guards().atom_text(atom)));
    (covered.unreachable.is_some(), covered.reached.is_some())
}
