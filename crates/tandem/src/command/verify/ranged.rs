//! `tandem verify --splitter` and `--bounds`: analyses on ranges of paths. Decides nothing about the program.

use std::path::Path;

use tandem_analyses::{Outcome, Task, with_facts};
use tandem_artifact::format::{ranges_yaml, test_case_xml};
use tandem_artifact::range::{Bound, Bounds, Range};
use tandem_artifact::{TestCase, Verdict, bits, sha256_hex};
use tandem_base::Budget;
use tandem_coop::ranges::{Plan, RangedOutcome, induced, joined_invariants, split, stray, verify_ranges};

use crate::arguments::Verify;
use crate::input::{Input, in_file, read_text};
use crate::message::Failure;

const ACCEPTED: &str = "bounds (ranges.yml) or a test case (.xml)";

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

fn ranges_of_file(path: &Path, task: Task<'_>, input: &Input, budget: &Budget) -> Result<Vec<Range>, Failure> {
    let text = read_text(path, ACCEPTED)?;
    let from_test = |test: &TestCase| {
        let value = |number: usize, request: tandem_cfa::exec::Request<'_>| {
            test.inputs.get(number).map(|input| bits(&input.value, request.scalar))
        };
        let found = induced(task, &value, budget);
        if let Some(why) = found.note {
            eprintln!("tandem: note: {}: {why}; the ranges on both sides of the bound overlap", path.display());
        }
        found.bound
    };
    let bounds: Vec<Bound> = if text.trim_start().starts_with('<') {
        let test = test_case_xml::read(&text).map_err(|problem| in_file(path, &text, problem))?;
        vec![from_test(&test)]
    } else {
        let hash = sha256_hex(&input.original);
        let written = ranges_yaml::read(&text, &hash, input.model).map_err(|problem| in_file(path, &text, problem))?;
        let bound = |written: &ranges_yaml::Written| match written {
            ranges_yaml::Written::Decisions(bound) => bound.clone(),
            ranges_yaml::Written::Test(test) => from_test(test),
        };
        written.iter().map(bound).collect()
    };
    for bound in &bounds {
        if let Some(at) = stray(task, &bound.decisions) {
            let number = at + 1;
            eprintln!(
                "tandem: note: {}: no path takes decision {number} of a bound; it only orders paths",
                path.display()
            );
        }
    }
    Ok(Bounds::new(bounds).ranges())
}
