//! What came of one task, and whether it is right. Runs nothing and prints nothing.

use std::time::Duration;

use serde_json::{Value, json};
use tandem_syntax::DataModel;

use super::tasks::BenchTask;

/// What the process that verified a task said.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Nothing if it gave no verdict.
    pub verdict: Option<bool>,
    /// Why there is no verdict.
    pub reason: String,
    /// The analysis that decided.
    pub analysis: String,
    pub time: Duration,
    /// Exit status; nothing if a signal ended it.
    pub status: Option<i32>,
}

/// How an answer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    SolvedTrue,
    SolvedFalse,
    /// The worst that can happen.
    Wrong,
    TimeLimit,
    Unsupported,
    /// Other reasons not to know, and verdicts that nothing can be compared with.
    Other,
}

impl Mark {
    pub fn word(self) -> &'static str {
        match self {
            Mark::SolvedTrue => "proved",
            Mark::SolvedFalse => "refuted",
            Mark::Wrong => "WRONG",
            Mark::TimeLimit => "time limit",
            Mark::Unsupported => "unsupported",
            Mark::Other => "other",
        }
    }

    pub fn is_solved(self) -> bool {
        matches!(self, Mark::SolvedTrue | Mark::SolvedFalse)
    }
}

impl Answer {
    /// The answer that [`Answer::json`] wrote.
    pub fn read(value: &Value) -> Option<Answer> {
        let text = |key: &str| Some(value[key].as_str()?.to_string());
        Some(Answer {
            verdict: verdict(value["verdict"].as_str()?),
            reason: text("reason")?,
            analysis: text("analysis")?,
            time: Duration::try_from_secs_f64(value["time_s"].as_f64()?).ok()?,
            status: value["status"].as_i64().and_then(|status| i32::try_from(status).ok()),
        })
    }

    pub fn mark(&self, expected: Option<bool>) -> Mark {
        match (self.verdict, expected) {
            (Some(true), Some(true)) => Mark::SolvedTrue,
            (Some(false), Some(false)) => Mark::SolvedFalse,
            (Some(true), Some(false)) | (Some(false), Some(true)) => Mark::Wrong,
            (Some(_), None) => Mark::Other,
            (None, _) if self.reason.starts_with("time limit") => Mark::TimeLimit,
            (None, _) if self.reason.starts_with("unsupported") => Mark::Unsupported,
            (None, _) => Mark::Other,
        }
    }

    /// One line for people.
    pub fn line(&self, task: &BenchTask) -> String {
        let seconds = self.time.as_secs_f64();
        let (name, verdict) = (&task.name, word(self.verdict));
        match self.mark(task.facts.expected) {
            Mark::Wrong => {
                let expected = word(task.facts.expected);
                format!("WRONG   {seconds:8.2}s {name} *** says {verdict}, expected is {expected} ***")
            }
            Mark::SolvedTrue | Mark::SolvedFalse => format!("{verdict:7} {seconds:8.2}s {name}"),
            Mark::TimeLimit | Mark::Unsupported | Mark::Other if self.verdict.is_none() => {
                format!("{verdict:7} {seconds:8.2}s {name} ({})", shortened(&self.reason))
            }
            Mark::TimeLimit | Mark::Unsupported | Mark::Other => {
                format!("{verdict:7} {seconds:8.2}s {name} (not checked: the task has no expected verdict)")
            }
        }
    }

    pub fn json(&self, task: &BenchTask, output: bool) -> Value {
        json!({
            "set": task.set,
            "task": task.file.display().to_string(),
            "name": task.name,
            "program": task.facts.program.as_ref().map(|program| program.display().to_string()),
            "data_model": task.facts.model.map(|model| match model {
                DataModel::Ilp32 => "ILP32",
                DataModel::Lp64 => "LP64",
            }),
            "expected": task.facts.expected.map(|expected| word(Some(expected))),
            "verdict": word(self.verdict),
            "reason": self.reason,
            "wrong": self.mark(task.facts.expected) == Mark::Wrong,
            "analysis": self.analysis,
            "time_s": self.time.as_secs_f64(),
            "status": self.status,
            // Relative to the file that this ends up in.
            "output": output.then_some(&task.name),
        })
    }
}

/// The verdict that [`word`] is the word of.
pub fn verdict(word: &str) -> Option<bool> {
    match word {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    }
}

pub fn word(verdict: Option<bool>) -> &'static str {
    match verdict {
        Some(true) => "TRUE",
        Some(false) => "FALSE",
        None => "UNKNOWN",
    }
}

fn shortened(reason: &str) -> String {
    const LONGEST: usize = 90;
    if reason.chars().count() <= LONGEST {
        return reason.to_string();
    }
    reason.chars().take(LONGEST).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks() {
        let mark = |verdict, reason: &str, expected| {
            let (reason, analysis) = (reason.to_string(), String::new());
            Answer { verdict, reason, analysis, time: Duration::ZERO, status: None }.mark(expected)
        };
        assert_eq!(mark(Some(true), "", Some(true)), Mark::SolvedTrue);
        assert_eq!(mark(Some(false), "", Some(false)), Mark::SolvedFalse);
        assert_eq!(mark(Some(true), "", Some(false)), Mark::Wrong);
        assert_eq!(mark(Some(false), "", Some(true)), Mark::Wrong);
        assert_eq!(mark(Some(true), "", None), Mark::Other);
        assert_eq!(mark(None, "time limit (killed)", Some(true)), Mark::TimeLimit);
        assert_eq!(mark(None, "unsupported: setjmp", None), Mark::Unsupported);
        assert_eq!(mark(None, "memory limit", Some(true)), Mark::Other);
    }

    #[test]
    fn long_reasons_are_cut() {
        assert_eq!(shortened("why"), "why");
        assert_eq!(shortened(&"\u{e4}".repeat(200)).chars().count(), 93);
    }
}
