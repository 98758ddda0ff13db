//! What the actors of a plan did, as a timeline and as a table. Made from the journal as it is written to `journal.json`.

use serde_json::{Value, json};

use crate::page::table::{Column, Table};
use crate::page::timeline::{self, Bar};

pub fn show(journal: &Value) -> String {
    let entries: &[Value] = journal.as_array().map_or(&[], Vec::as_slice);
    let bars: Vec<Bar> = entries.iter().map(bar).collect();
    let mut table = Table::new(&[
        ("began s", Column::Number(3), 12),
        ("took s", Column::Number(3), 12),
        ("actor", Column::Choice, 18),
        ("new", Column::Choice, 8),
        ("gave", Column::Text, 44),
        ("remarks", Column::Text, 60),
    ]);
    for entry in entries {
        table.row(
            "",
            vec![
                entry["began_s"].clone(),
                entry["took_s"].clone(),
                entry["actor"].clone(),
                json!(if entry["new"] == json!(true) { "yes" } else { "no" }),
                json!(gave(entry)),
                json!(remarks(entry)),
            ],
        );
    }
    timeline::draw(&bars) + "<p class=\"faint\">Pale: nothing new came of it.</p>" + &table.sorted(0, false).render()
}

fn bar(entry: &Value) -> Bar {
    let (from, took) = (number(&entry["began_s"]), number(&entry["took_s"]));
    let who = entry["actor"].as_str().unwrap_or_default().to_string();
    let title = format!("{who}, {from:.2} s to {:.2} s: {} {}", from + took, gave(entry), remarks(entry));
    Bar { who, from, to: from + took, title, fruitful: entry["new"] == json!(true) }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

/// What came of a piece of work.
fn gave(entry: &Value) -> String {
    let mut parts = Vec::new();
    if entry["violation"] == json!(true) {
        parts.push("a violation".to_string());
    }
    for key in ["tests", "invariants", "predicates"] {
        if let Some(count) = entry[key].as_u64().filter(|count| *count > 0) {
            parts.push(format!("{count} {key}"));
        }
    }
    if let Some(gave) = entry["gave"].as_object() {
        let counts = ["unreachable", "reached", "candidates"].map(|key| (key, gave.get(key).and_then(Value::as_u64)));
        let marks = counts
            .iter()
            .filter_map(|(key, count)| count.filter(|count| *count > 0).map(|count| format!("{count} {key}")));
        let states = gave.get("states").and_then(Value::as_u64).unwrap_or(0);
        parts.push(
            format!("an automaton of {states} states ({})", marks.collect::<Vec<_>>().join(", ")).replace(" ()", ""),
        );
    }
    if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
}

fn remarks(entry: &Value) -> String {
    let texts = |key: &str| -> Vec<String> {
        match &entry[key] {
            Value::String(text) if !text.is_empty() => vec![text.clone()],
            Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(str::to_string).collect(),
            _ => Vec::new(),
        }
    };
    let refused = texts("refused").into_iter().map(|why| format!("refused: {why}"));
    refused.chain(texts("note")).chain(texts("caveats")).collect::<Vec<_>>().join("; ")
}
