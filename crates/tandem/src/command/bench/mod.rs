//! `tandem bench`: verifies many tasks, each in a process of its own, and compares the verdicts with the expected ones.

mod answer;
pub mod child;
mod compare;
mod csv;
mod elsewhere;
mod matrix;
mod page;
mod reasons;
mod saved;
mod session;
mod table;
mod tasks;

use serde_json::{Value, json};

use crate::arguments_bench::{Bench, BenchAction};
use crate::message::{Exit, Failure};
use crate::output;
use crate::watch::Watch;
use answer::{Answer, Mark};
use saved::Saved;
use session::Session;
use tasks::BenchTask;

/// Tasks with their answers, in the order of the tasks.
type Results<'a> = Vec<(&'a BenchTask, Answer)>;

pub fn run(arguments: &Bench, watch: &Watch) -> Result<Exit, Failure> {
    match &arguments.action {
        Some(BenchAction::Compare(action)) => return compare::run(action),
        Some(BenchAction::Reasons(action)) => return reasons::run(action),
        Some(BenchAction::Table(action)) => return matrix::run(action),
        None => {}
    }
    let tasks = tasks::collect(&arguments.sets, arguments.every)?;
    if let Some(directory) = &arguments.output {
        output::prepare(directory)?;
    }
    let session = Session::new(arguments, &tasks, &watch.budget.cancel)?;
    let results = session.run_all()?;
    let rows = table::rows_of(&results);
    let text = session.table(&results);
    let report = report(arguments, tasks.len(), &results);
    if let Some(directory) = &arguments.output {
        output::write_file(directory, "results.json", &format!("{report:#}\n"))?;
        output::write_file(directory, "table.md", &text)?;
        if let Some(saved) = Saved::of(report.clone()) {
            output::write_file(directory, "results.csv", &csv::write(&saved))?;
            output::write_file(directory, "report.html", &page::write(&saved))?;
        }
    }
    output::show(&if arguments.json { format!("{report:#}\n") } else { format!("\n{text}") })?;
    let wrong = rows.iter().any(|row| row.count(Mark::Wrong) > 0);
    Ok(match (wrong, results.len() < tasks.len() || watch.budget.cancel.is_raised()) {
        (true, _) => Exit::Violated,
        (false, true) => Exit::Unknown,
        (false, false) => Exit::Success,
    })
}

/// What makes the answers of two runs comparable.
fn settings(arguments: &Bench) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "analysis": arguments.analysis,
        "plan": arguments.plan,
        "time_limit_s": arguments.time_limit.as_secs_f64(),
        "memory_limit": arguments.memory_limit,
        "jobs": arguments.jobs,
        "threads": arguments.threads,
        "every": arguments.every,
        "passed_on": arguments.passed_on,
    })
}

/// The content of `results.json`.
fn report(arguments: &Bench, planned: usize, results: &Results<'_>) -> Value {
    // Workers elsewhere leave their files nowhere.
    let with_output = arguments.output.is_some() && arguments.server.nats.is_none();
    let mut report = settings(arguments);
    report["planned"] = json!(planned);
    report["sets"] = table::rows_of(results).iter().map(table::Row::json).collect();
    report["tasks"] = results.iter().map(|(task, answer)| answer.json(task, with_output)).collect();
    report
}
