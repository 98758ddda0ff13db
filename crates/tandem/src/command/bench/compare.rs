//! `tandem bench compare`: two runs, task by task. Counts and prints; decides nothing about a task.

use std::collections::BTreeMap;

use serde_json::json;

use super::answer::Mark;
use super::page;
use super::saved::{Record, Saved};
use crate::arguments_bench::Compare;
use crate::message::{Exit, Failure};
use crate::output;

/// A task that both runs have.
pub struct Pair<'a> {
    pub first: &'a Record,
    pub second: &'a Record,
}

impl Pair<'_> {
    /// Whether one says TRUE and the other FALSE: then one of them is wrong, whatever is expected.
    pub fn contradicts(&self) -> bool {
        matches!((self.first.answer.verdict, self.second.answer.verdict), (Some(one), Some(other)) if one != other)
    }

    pub fn difference(&self) -> &'static str {
        match (self.first.mark().is_solved(), self.second.mark().is_solved()) {
            (true, true) => "both",
            (true, false) => "only first",
            (false, true) => "only second",
            (false, false) => "neither",
        }
    }

    /// How many times as long the second takes.
    pub fn ratio(&self) -> f64 {
        self.second.seconds() / self.first.seconds().max(0.001)
    }
}

pub fn run(arguments: &Compare) -> Result<Exit, Failure> {
    let (first, second) = (Saved::load(&arguments.first)?, Saved::load(&arguments.second)?);
    let pairs = pairs(&first, &second);
    if pairs.is_empty() {
        let help = "two runs that have tasks in common";
        return Err(Failure::file(&arguments.second.display().to_string(), "the runs have no task in common", help));
    }
    if let Some(directory) = &arguments.output {
        output::write_file(directory, "compare.html", &page::compare(&first, &second, &pairs))?;
    }
    let count = Count::of(&pairs);
    if arguments.json {
        let only = |word: &str| {
            pairs.iter().filter(|pair| pair.difference() == word).map(|pair| &pair.first.name).collect::<Vec<_>>()
        };
        let object = json!({
            "first": first.name, "second": second.name, "tasks": pairs.len(),
            "both": count.both, "only_first": only("only first"), "only_second": only("only second"), "neither": count.neither,
            "wrong_first": count.wrong.0, "wrong_second": count.wrong.1, "contradictions": count.contradictions,
            "median_ratio": count.ratio,
        });
        output::show(&format!("{object:#}\n"))?;
    } else {
        output::show(&text(&first, &second, &pairs, &count))?;
    }
    let is_fine = count.wrong == (0, 0) && count.contradictions == 0;
    Ok(if is_fine { Exit::Success } else { Exit::Violated })
}

/// The tasks that both have, in the order of the first.
fn pairs<'a>(first: &'a Saved, second: &'a Saved) -> Vec<Pair<'a>> {
    let others: BTreeMap<&str, &Record> = second.records.iter().map(|record| (record.name.as_str(), record)).collect();
    let pair = |record: &'a Record| others.get(record.name.as_str()).map(|other| Pair { first: record, second: other });
    first.records.iter().filter_map(pair).collect()
}

struct Count {
    both: usize,
    only_first: usize,
    only_second: usize,
    neither: usize,
    wrong: (usize, usize),
    contradictions: usize,
    /// The median of the ratios of the times, of what both solve.
    ratio: Option<f64>,
}

impl Count {
    fn of(pairs: &[Pair<'_>]) -> Count {
        let with = |word: &str| pairs.iter().filter(|pair| pair.difference() == word).count();
        let wrong = |of: fn(&Pair<'_>) -> Mark| pairs.iter().filter(|pair| of(pair) == Mark::Wrong).count();
        let mut ratios: Vec<f64> = pairs.iter().filter(|pair| pair.difference() == "both").map(Pair::ratio).collect();
        ratios.sort_by(f64::total_cmp);
        Count {
            both: with("both"),
            only_first: with("only first"),
            only_second: with("only second"),
            neither: with("neither"),
            wrong: (wrong(|pair| pair.first.mark()), wrong(|pair| pair.second.mark())),
            contradictions: pairs.iter().filter(|pair| pair.contradicts()).count(),
            ratio: ratios.get(ratios.len() / 2).copied(),
        }
    }
}

fn text(first: &Saved, second: &Saved, pairs: &[Pair<'_>], count: &Count) -> String {
    let mut text =
        format!("first:  {} ({})\nsecond: {} ({})\n\n", first.name, first.setting(), second.name, second.setting());
    for pair in
        pairs.iter().filter(|pair| matches!(pair.difference(), "only first" | "only second") || pair.contradicts())
    {
        let loud = if pair.contradicts() { " *** they contradict each other ***" } else { "" };
        let words =
            [pair.first, pair.second].map(|record| format!("{} {:.2}s", record.mark().word(), record.seconds()));
        text += &format!("{:12} {} ({}, {}){loud}\n", pair.difference(), pair.first.name, words[0], words[1]);
    }
    text += &format!(
        "\n| tasks | both | only first | only second | neither | wrong first | wrong second | median ratio of times |\n|---|---|---|---|---|---|---|---|\n\
         | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        pairs.len(),
        count.both,
        count.only_first,
        count.only_second,
        count.neither,
        count.wrong.0,
        count.wrong.1,
        count.ratio.map_or("-".into(), |ratio| format!("{ratio:.2}"))
    );
    text
}
