//! A trace as text: one line of the source per line, with what happened there behind it.

use tandem_cfa::Program;

use super::Trace;
use super::rows::{Row, rows};

/// Lines of a trace that are shown by default.
pub const LINES: usize = 60;

/// Columns that the source gets.
const SOURCE: usize = 48;
/// Columns that notes get.
const NOTES: usize = 120;

impl Trace {
    /// The trace in at most [`LINES`] lines.
    pub fn render(&self, program: &Program) -> String {
        self.render_within(program, LINES)
    }

    /// The trace in at most so many lines: of a longer one the first and the last.
    pub fn render_within(&self, program: &Program, limit: usize) -> String {
        let rows = rows(program, &self.steps);
        let number = |row: &Row| match row {
            Row::Line { number, .. } => *number,
            Row::Rounds { .. } | Row::Steps { .. } => 0,
        };
        let digits = rows.iter().map(number).max().unwrap_or(0).to_string().len();
        let width = rows.iter().map(|row| source(program, row).chars().count()).max().unwrap_or(0);
        let lines: Vec<String> = rows.iter().map(|row| line(program, row, digits, width)).collect();
        let limit = limit.max(3);
        if lines.len() <= limit {
            return lines.iter().map(|line| format!("{line}\n")).collect();
        }
        let first = (limit - 1) / 2;
        let last = limit - 1 - first;
        let between = format!("... {} more lines ...", lines.len() - first - last);
        let shown = lines[..first].iter().chain([&between]).chain(&lines[lines.len() - last..]);
        shown.map(|line| format!("{line}\n")).collect()
    }
}

/// The text of the source line, moved in by the depth of calls; the file, if it is not the program's own.
fn source(program: &Program, row: &Row) -> String {
    let Row::Line { depth, file, text, .. } = row else { return String::new() };
    let indent = "  ".repeat(depth.saturating_sub(1).min(8) as usize);
    let file = if file == program.source.file() { String::new() } else { format!("[{file}] ") };
    let text = text.replace(['\t', '\r'], " ");
    shortened(&format!("{indent}{file}{text}"), SOURCE)
}

fn line(program: &Program, row: &Row, digits: usize, width: usize) -> String {
    match row {
        Row::Rounds { count, depth } => {
            let indent = "  ".repeat(depth.saturating_sub(1).min(8) as usize);
            let rounds = if *count == 1 { "round" } else { "rounds" };
            format!("{:digits$}  {indent}... {count} more {rounds} ...", "")
        }
        Row::Steps { count } => format!("{:digits$}  ... {count} more steps ...", ""),
        Row::Line { number, notes, .. } => {
            let source = source(program, row);
            let padding = " ".repeat(width - source.chars().count().min(width));
            let notes = shortened(&notes.join("; "), NOTES);
            format!("{number:digits$}: {source}{padding} | {notes}").trim_end().to_string()
        }
    }
}

fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_string();
    }
    let start: String = text.chars().take(limit - 3).collect();
    format!("{start}...")
}
