//! What all analyses said, as a table for people and as JSON. Decides nothing.

use std::fmt::Write;

use serde_json::{Value, json};
use tandem_analyses::compare::{Answer, Comparison};
use tandem_artifact::Verdict;

/// The answers in both forms.
pub struct Answers {
    pub text: String,
    pub json: Value,
}

pub fn answers(compared: &Comparison) -> Answers {
    let mut text = String::from("Answers:\n");
    for answer in &compared.answers {
        let verdict = answer.outcome.verdict.to_string();
        let verdict = verdict.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "  {:<12} {:>7.2} s  {verdict}", answer.analysis, answer.time.as_secs_f64());
    }
    Answers { text, json: compared.answers.iter().map(self::answer).collect() }
}

/// One answer as JSON.
pub fn answer(answer: &Answer) -> Value {
    let (verdict, reason) = match &answer.outcome.verdict {
        Verdict::True => ("TRUE", None),
        Verdict::False => ("FALSE", None),
        Verdict::Unknown(reason) => ("UNKNOWN", Some(reason)),
    };
    json!({ "analysis": answer.analysis, "verdict": verdict, "reason": reason, "time_s": answer.time.as_secs_f64() })
}
