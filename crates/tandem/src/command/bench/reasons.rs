//! `tandem bench reasons`: why there was no verdict, counted. The table of docs/limits.md is made by it.

use std::collections::BTreeMap;

use super::answer::Mark;
use super::saved::Saved;
use crate::arguments_bench::Reasons;
use crate::message::{Exit, Failure};
use crate::output;

pub fn run(arguments: &Reasons) -> Result<Exit, Failure> {
    output::show(&table(&Saved::load(&arguments.run)?))?;
    Ok(Exit::Success)
}

/// One row per reason, the most frequent first, with the sets it occurs in.
pub fn table(run: &Saved) -> String {
    let mut reasons: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let unknown = |mark: Mark| matches!(mark, Mark::TimeLimit | Mark::Unsupported | Mark::Other);
    let mut count = 0;
    for record in run.records.iter().filter(|record| unknown(record.mark()) && record.answer.verdict.is_none()) {
        count += 1;
        *reasons.entry(&record.answer.reason).or_default().entry(&record.set).or_default() += 1;
    }
    let mut rows: Vec<(usize, &str, String)> = reasons
        .into_iter()
        .map(|(reason, sets)| {
            let total = sets.values().sum();
            let sets: Vec<String> = sets.iter().map(|(set, count)| format!("{set} {count}")).collect();
            (total, reason, sets.join(", "))
        })
        .collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let mut text = format!(
        "| tasks | reason | where |\n|---:|---|---|\n| {count} | **no verdict** | of {} tasks |\n",
        run.records.len()
    );
    for (total, reason, sets) in rows {
        text += &format!("| {total} | {} | {sets} |\n", reason.replace('|', "\\|"));
    }
    text
}
