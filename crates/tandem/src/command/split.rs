//! `tandem split`: the bounds of the ranges that a splitter makes of a program.

use std::fmt::Write;
use std::time::Instant;

use serde_json::json;
use tandem_analyses::Task;
use tandem_artifact::convert::error_targets;
use tandem_artifact::format::{ranges_yaml, test_case_xml};
use tandem_artifact::gia::Mark;
use tandem_artifact::range::Bound;
use tandem_base::Budget;
use tandem_coop::ranges::{Splitter, range_gia, split};
use tandem_coop::reduce::reduce;

use crate::arguments::Split;
use crate::input::{self, Input};
use crate::message::{Exit, Failure};
use crate::output::{print_json, show, write_file};
use crate::watch::Watch;
use crate::{output, program};
use tandem_artifact::test_of_run;

pub fn run(arguments: &Split, watch: &Watch) -> Result<Exit, Failure> {
    let common = &arguments.common;
    let input = input::load(common)?;
    let property = input.property(common)?;
    let error = property.error_call();
    let program = program::build(&input)?;
    if let Some(directory) = &common.output {
        output::prepare(directory)?;
    }
    let task = Task::new(&program, error, 1);
    let start = Instant::now();
    let asked = arguments.ranges.map_or_else(|| default_ranges(&arguments.splitter), usize::from);
    let found = split(task, &arguments.splitter, asked, &watch.budget);
    let time = start.elapsed().as_secs_f64();
    let bounds: Vec<Bound> = found
        .cuts
        .iter()
        .map(|cut| {
            let test = cut.run.as_ref().filter(|_| cut.is_test()).map(|run| test_of_run(&program, run));
            Bound { test, ..cut.bound.clone() }
        })
        .collect();
    if let Some(directory) = &common.output {
        write_file(directory, "ranges.yml", &ranges_yaml::write(&input.subject(), &bounds))?;
        for (number, bound) in bounds.iter().enumerate() {
            if let Some(test) = &bound.test {
                write_file(directory, &format!("bound-{}.xml", number + 1), &test_case_xml::write(test))?;
            }
        }
        write_programs(arguments, task, &input, &found, &watch.budget)?;
    }
    let ranges = bounds.len() + 1;
    if common.json {
        let bound = |bound: &Bound| {
            json!({
                "decisions": bound.decisions.to_string(),
                "goes_on": bound.goes_on,
                "test": bound.test.as_ref().map(test_case_xml::write),
            })
        };
        let listed: Vec<_> = bounds.iter().map(bound).collect();
        let object = json!({ "ranges": ranges, "bounds": listed, "note": found.note, "time_s": time });
        print_json(&object)
            .map_err(|error| Failure::file("stdout", error.to_string(), "an output that can be written"))?;
        return Ok(Exit::Success);
    }
    show(&text(&bounds, found.note.as_deref()))?;
    Ok(Exit::Success)
}

fn default_ranges(splitter: &Splitter) -> usize {
    match splitter {
        Splitter::LoopBounds(bounds) => bounds.len() + 1,
        Splitter::Random { .. } | Splitter::Balanced => 2,
    }
}

fn text(bounds: &[Bound], note: Option<&str>) -> String {
    let mut text = String::new();
    for (number, bound) in bounds.iter().enumerate() {
        let _ = writeln!(text, "Bound {}: decisions {}", number + 1, bound.decisions);
        match &bound.test {
            Some(test) => text.push_str(&test_case_xml::write(test)),
            None => text.push_str("No test case says this path: it depends on more than inputs of functions.\n"),
        }
    }
    if let Some(note) = note {
        let _ = writeln!(text, "Note: {note}");
    }
    let _ = writeln!(text, "Ranges: {}", bounds.len() + 1);
    text
}

/// Each range as a C program.
fn write_programs(
    arguments: &Split,
    task: Task<'_>,
    input: &Input,
    found: &tandem_coop::ranges::Split,
    budget: &Budget,
) -> Result<(), Failure> {
    let Some(directory) = &arguments.common.output else { return Ok(()) };
    for (number, range) in found.ranges().iter().enumerate() {
        if budget.exhausted().is_some() {
            break;
        }
        let Some(mut flow) = task.flow() else { break };
        let targets = error_targets(task.program, task.error);
        let gia = range_gia(&mut flow, range, input.subject(), targets);
        // The automaton is made by rules that cannot be broken; if they were, the whole program would be the range.
        let Ok((gia, _)) = gia else { continue };
        let residual = reduce(task.program, &gia, Mark::Unreachable, &task.error.functions());
        let text = residual.c_text(input.source.file()).map_err(|problem| input.failure(problem))?;
        write_file(directory, &format!("range-{}.c", number + 1), &text)?;
    }
    Ok(())
}
