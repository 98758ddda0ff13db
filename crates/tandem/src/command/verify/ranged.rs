//! `tandem verify --splitter` and `--bounds`: analyses on ranges of paths. Decides nothing about the program.

use tandem_analyses::{Outcome, Task, with_facts};
use tandem_artifact::Verdict;
use tandem_artifact::range::Range;
use tandem_base::Budget;
use tandem_coop::ranges::{Plan, RangedOutcome, joined_invariants, split, verify_ranges};

use crate::arguments::Verify;
use crate::input::Input;
use crate::message::Failure;
use crate::ranges_in_files::ranges_of_file;

/// What the analyses say about all ranges together.
pub fn run(arguments: &Verify, task: Task<'_>, input: &Input, budget: &Budget) -> Result<Outcome, Failure> {
    let plan = plan(arguments, task, input, budget)?;
    let result = verify_ranges(task, &plan, budget);
    Ok(finished(task, &plan, result, budget))
}

/// Who works on what.
pub fn plan<'a>(arguments: &'a Verify, task: Task<'_>, input: &Input, budget: &Budget) -> Result<Plan<'a>, Failure> {
    let analyses = arguments.analyses();
    let ranges = match (&arguments.bounds, &arguments.splitter) {
        (Some(path), _) => ranges_of_file(path, task, input, budget)?,
        (None, Some(splitter)) => {
            let asked = arguments.ranges.map_or(analyses.len().max(2), usize::from);
            let split = split(task, splitter, asked, budget);
            note(arguments, split.note.as_deref());
            split.ranges()
        }
        (None, None) => vec![Range::whole()],
    };
    Ok(Plan { analyses, ranges, steal: !arguments.no_steal, threads: task.threads, nudge: None })
}

/// The outcome of all ranges together, with what others need to check it.
pub fn finished(task: Task<'_>, plan: &Plan<'_>, result: RangedOutcome, budget: &Budget) -> Outcome {
    let count = plan.ranges.len() as u64;
    let mut outcome = result.outcome;
    outcome.statistics.insert("ranges", count);
    if outcome.verdict == Verdict::True && task.exchange.is_some() {
        outcome.invariants = joined_invariants(task, &result.proofs);
        outcome = with_facts(task, outcome, budget);
    }
    outcome
}

fn note(arguments: &Verify, note: Option<&str>) {
    if let Some(note) = note.filter(|_| !arguments.common.quiet) {
        eprintln!("tandem: note: {note}");
    }
}
