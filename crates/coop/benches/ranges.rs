//! How much faster two threads explore all paths of path-heavy programs than one. `cargo bench -p tandem-coop --bench ranges`.

use std::time::{Duration, Instant};

use tandem_analyses::Task;
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{DataModel, build};
use tandem_coop::ranges::{Plan, Splitter, split, verify_ranges};

const PROGRAMS: [(&str, &str); 2] =
    [("even", include_str!("programs/even.c")), ("skewed", include_str!("programs/skewed.c"))];
const ROUNDS: usize = 3;

fn main() {
    println!("{:<10} {:<14} {:>9} {:>9} {:>6}", "program", "analysis", "1 thread", "2 threads", "ratio");
    for (name, text) in PROGRAMS {
        for analysis in ["symbolic", "symbolic-dfs"] {
            let [one, two] = [1, 2].map(|threads| (0..ROUNDS).map(|_| measure(text, analysis, threads)).min());
            let (Some(one), Some(two)) = (one, two) else { continue };
            let ratio = two.as_secs_f64() / one.as_secs_f64();
            println!("{name:<10} {analysis:<14} {:>8.3}s {:>8.3}s {ratio:>6.2}", one.as_secs_f64(), two.as_secs_f64());
        }
    }
}

/// The time for all paths, the split included.
fn measure(text: &str, analysis: &str, threads: usize) -> Duration {
    let built = build(SourceText::plain("program.c", text.as_bytes()), DataModel::Lp64);
    let program = built.program.expect("the program is right");
    let task = Task::new(&program, &ErrorCall::Usual, threads);
    let start = Instant::now();
    let budget = Budget::unlimited();
    let ranges = split(task, &Splitter::Balanced, 2, &budget).ranges();
    let plan = Plan {
        analyses: vec![analysis],
        ranges,
        steal: true,
        threads,
        tracked: Vec::new(),
        undefined: None,
        nudge: None,
    };
    let result = verify_ranges(task, &plan, &budget);
    assert_eq!(result.outcome.verdict, Verdict::True);
    start.elapsed()
}
