//! Random programs against the enumeration of all their inputs by the C compiler: a few, with fixed seeds. Thousands are a command, see
//! docs/soundness-checks.md.

#[path = "../examples/random_programs/enumerate.rs"]
mod enumerate;
#[path = "../examples/random_programs/generate.rs"]
mod generate;

use std::path::Path;

use enumerate::{Truth, examine};

const SEEDS: u64 = 24;

/// The seeds take turns with the data models; half of them in each of two threads.
fn no_verdict_is_wrong(half: u64) {
    let (mut wrong, mut reached, mut not_reached, mut decided, mut asked) = (Vec::new(), 0, 0, 0, 0);
    for seed in (0..SEEDS).filter(|seed| seed / 2 % 2 == half) {
        let model = if seed % 2 == 0 { "ILP32" } else { "LP64" };
        let directory = std::env::temp_dir().join(format!("tandem-random-test-{}-{seed}", std::process::id()));
        let program = generate::generate(seed);
        let examined = examine(&program, model, Path::new(env!("CARGO_BIN_EXE_tandem")), "3s", &directory);
        let examined = examined.unwrap_or_else(|why| panic!("seed {seed} ({model}): {why}"));
        reached += u64::from(examined.truth == Truth::Reached);
        not_reached += u64::from(examined.truth == Truth::NotReached);
        decided += examined.decided;
        asked += examined.asked;
        for answer in &examined.wrong {
            let (analysis, verdict, truth) = (&answer.analysis, &answer.verdict, examined.truth);
            wrong.push(format!("seed {seed} ({model}): {analysis} says {verdict}, but {truth:?}"));
        }
        let _ = std::fs::remove_dir_all(&directory);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // The programs are of both kinds, else this would show little.
    assert!(reached > 0 && not_reached > 0, "{reached} reach the error, {not_reached} do not");
    assert!(3 * decided > asked, "only {decided} of {asked} verdicts are decided");
}

#[test]
fn no_verdict_is_wrong_first_half() {
    no_verdict_is_wrong(0);
}

#[test]
fn no_verdict_is_wrong_second_half() {
    no_verdict_is_wrong(1);
}
