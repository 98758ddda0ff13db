//! `tandem bench table`: the results of runs as a table for a document, without running anything. Of one run all columns, of several how many
//! tasks each solves, side by side.

use super::answer::Mark;
use super::saved::Saved;
use super::table::{self, Row};
use crate::arguments_bench::Tables;
use crate::message::{Exit, Failure};
use crate::output;

pub fn run(arguments: &Tables) -> Result<Exit, Failure> {
    let runs = arguments.runs.iter().map(|path| Saved::load(path)).collect::<Result<Vec<Saved>, Failure>>()?;
    let text = match &runs[..] {
        [run] => table::render(&rows(run)),
        runs => matrix(runs),
    };
    output::show(&text)?;
    Ok(Exit::Success)
}

pub fn rows(run: &Saved) -> Vec<Row> {
    table::rows(run.records.iter().map(|record| (record.set.as_str(), record.mark(), record.seconds())))
}

/// A row for each set, a column for each run; at the end the sums, and what they are made of.
fn matrix(runs: &[Saved]) -> String {
    let columns: Vec<Vec<Row>> = runs.iter().map(rows).collect();
    let mut sets: Vec<&str> = Vec::new();
    for row in columns.iter().flatten().filter(|row| !row.is_sum()) {
        if !sets.contains(&row.name()) {
            sets.push(row.name());
        }
    }
    let names: Vec<&str> = runs.iter().map(|run| run.name.rsplit('/').next().unwrap_or(&run.name)).collect();
    let mut text = format!("| set | tasks | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(runs.len() + 1));
    let mut line = |name: &str, cell: &dyn Fn(&Row) -> String, of: &dyn Fn(&Row) -> bool| {
        let found: Vec<Option<&Row>> = columns.iter().map(|rows| rows.iter().find(|row| of(row))).collect();
        let tasks = found.iter().flatten().map(|row| row.tasks()).max().unwrap_or(0);
        let cells: Vec<String> = found.iter().map(|row| row.map_or("-".into(), cell)).collect();
        text += &format!("| {name} | {tasks} | {} |\n", cells.join(" | "));
    };
    for set in sets {
        line(set, &|row| row.solved().to_string(), &|row| row.name() == set && !row.is_sum());
    }
    line("**all**", &|row| format!("**{}**", row.solved()), &Row::is_sum);
    let parts = |row: &Row| [Mark::SolvedTrue, Mark::SolvedFalse, Mark::Wrong].map(|mark| row.count(mark).to_string());
    line("proofs / alarms / wrong", &|row| parts(row).join(" / "), &Row::is_sum);
    text
}
