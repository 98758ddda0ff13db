//! The results of a run as `results.json` has them: read to go on with the run, to compare it, and to draw it. Runs nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::answer::{Answer, Mark, verdict};
use crate::input::read_text;
use crate::message::Failure;

const ACCEPTED: &str = "an output directory of `tandem bench`, or its results.json";

/// A run.
pub struct Saved {
    /// What it is called in comparisons.
    pub name: String,
    /// The whole file, for what is said in it about the run.
    pub report: Value,
    pub records: Vec<Record>,
}

/// A task and what came of it.
pub struct Record {
    pub set: String,
    /// Where its definition is.
    pub task: String,
    pub name: String,
    pub expected: Option<bool>,
    pub answer: Answer,
}

impl Record {
    pub fn mark(&self) -> Mark {
        self.answer.mark(self.expected)
    }

    pub fn seconds(&self) -> f64 {
        self.answer.time.as_secs_f64()
    }

    fn read(value: &Value) -> Option<Record> {
        let text = |key: &str| Some(value[key].as_str()?.to_string());
        Some(Record {
            set: text("set")?,
            task: text("task")?,
            name: text("name")?,
            expected: value["expected"].as_str().and_then(verdict),
            answer: Answer::read(value)?,
        })
    }
}

impl Saved {
    /// From a directory, or from a file.
    pub fn load(path: &Path) -> Result<Saved, Failure> {
        let file = if path.is_dir() { path.join("results.json") } else { path.to_path_buf() };
        let text = read_text(&file, ACCEPTED)?;
        let complain = |message: String| Failure::file(&file.display().to_string(), message, ACCEPTED);
        let report = serde_json::from_str(&text).map_err(|error| complain(format!("this is no JSON: {error}")))?;
        let mut saved = Saved::of(report).ok_or_else(|| complain("these are no results of a run".into()))?;
        saved.name = path_name(path);
        Ok(saved)
    }

    pub fn of(report: Value) -> Option<Saved> {
        let records = report["tasks"].as_array()?.iter().map(Record::read).collect::<Option<Vec<Record>>>()?;
        Some(Saved { name: String::new(), report, records })
    }

    /// Who was asked, and how, in one line.
    pub fn setting(&self) -> String {
        let report = &self.report;
        let who = [&report["plan"], &report["analysis"]].iter().find_map(|value| value.as_str().map(str::to_string));
        let more: Vec<&str> = report["passed_on"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let threads = report["threads"].as_u64().map_or(String::new(), |count| format!(", {count} threads"));
        let limit = report["time_limit_s"].as_f64().unwrap_or_default();
        format!("{} {}, {limit} s{threads}", who.unwrap_or(tandem_analyses::DEFAULT_RUN.into()), more.join(" "))
            .replace(" ,", ",")
    }

    pub fn wrong(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| record.mark() == Mark::Wrong)
    }
}

/// The last two parts of a path: enough to tell runs apart.
fn path_name(path: &Path) -> String {
    let path = if path.ends_with("results.json") { path.parent().unwrap_or(path) } else { path };
    let parts: Vec<_> = path.components().rev().take(2).collect();
    parts.into_iter().rev().collect::<PathBuf>().display().to_string()
}
