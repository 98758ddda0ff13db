//! `tandem verify --splitter` and `--bounds`: analyses on ranges of paths. Decides nothing about the program.

use tandem_analyses::{Outcome, Task, is_shareable, with_facts};
use tandem_artifact::Verdict;
use tandem_artifact::range::Range;
use tandem_base::Budget;
use tandem_coop::ranges::{Plan, RangedOutcome, Sprint, joined_invariants, split, sprint, verify_ranges};

use crate::arguments::Verify;
use crate::input::Input;
use crate::message::Failure;
use crate::ranges_in_files::ranges_of_file;

/// What the analyses say about all ranges together, as soon as they have said it: those that are not needed any more may still be at work.
pub fn run<R>(
    arguments: &Verify,
    task: Task<'_>,
    input: &Input,
    budget: &Budget,
    then: impl FnOnce(Outcome) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let bounds = bounds(arguments, task, input, budget)?;
    let analyses = arguments.analyses();
    // Whoever wants no takeovers wants each analysis on its own range, and nothing else.
    if arguments.no_steal {
        let ranges = bounds.unwrap_or_else(|| ranges(arguments, task, budget));
        return then(on_ranges(arguments, task, Sprint { ranges, ..Sprint::default() }, budget));
    }
    // Searches that can hand over paths in mid-run begin with all of them at once, and split them as they go.
    if bounds.is_none() && analyses.iter().all(|name| is_shareable(name)) {
        return then(on_ranges(arguments, task, Sprint::default(), budget));
    }
    let find = |budget: &Budget| bounds.unwrap_or_else(|| ranges(arguments, task, budget));
    sprint(task, &analyses, budget, find, |race| {
        then(match (race.decided, race.ranged) {
            (Some(outcome), _) => {
                let proofs = vec![(Range::whole(), vec![outcome.clone()])];
                finished(task, 1, RangedOutcome { outcome, proofs }, budget)
            }
            (None, Some(result)) => finished(task, race.ranges.len(), result, budget),
            (None, None) => on_ranges(arguments, task, Sprint { decided: None, ranged: None, ..race }, budget),
        })
    })
}

/// What they say after a race that nobody has won.
fn on_ranges(arguments: &Verify, task: Task<'_>, race: Sprint, budget: &Budget) -> Outcome {
    let (analyses, steal, threads) = (arguments.analyses(), !arguments.no_steal, task.threads);
    // The time was over before the paths were split, or nobody has split them.
    let ranges = if race.ranges.is_empty() { vec![Range::whole()] } else { race.ranges };
    let Sprint { tracked, undefined, .. } = race;
    let plan = Plan { analyses, ranges, steal, threads, tracked, undefined, nudge: None };
    let result = verify_ranges(task, &plan, budget);
    finished(task, plan.ranges.len(), result, budget)
}

/// Who works on what.
pub fn plan<'a>(arguments: &'a Verify, task: Task<'_>, input: &Input, budget: &Budget) -> Result<Plan<'a>, Failure> {
    let bounds = bounds(arguments, task, input, budget)?;
    let ranges = bounds.unwrap_or_else(|| ranges(arguments, task, budget));
    let steal = !arguments.no_steal;
    let (analyses, threads) = (arguments.analyses(), task.threads);
    Ok(Plan { analyses, ranges, steal, threads, tracked: Vec::new(), undefined: None, nudge: None })
}

/// The ranges that a file says, if one is given.
fn bounds(arguments: &Verify, task: Task<'_>, input: &Input, budget: &Budget) -> Result<Option<Vec<Range>>, Failure> {
    arguments.bounds.as_ref().map(|path| ranges_of_file(path, task, input, budget)).transpose()
}

/// The ranges that a splitter finds.
fn ranges(arguments: &Verify, task: Task<'_>, budget: &Budget) -> Vec<Range> {
    let Some(splitter) = &arguments.splitter else { return vec![Range::whole()] };
    let asked = arguments.ranges.map_or(arguments.analyses().len().max(2), usize::from);
    let split = split(task, splitter, asked, budget);
    note(arguments, split.note.as_deref());
    split.ranges()
}

/// The outcome of all ranges together, with what others need to check it.
pub fn finished(task: Task<'_>, ranges: usize, result: RangedOutcome, budget: &Budget) -> Outcome {
    let mut outcome = result.outcome;
    outcome.statistics.insert("ranges", ranges as u64);
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
