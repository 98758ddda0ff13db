//! Messages for people: one per failure, with the file, the line and the column, the line itself, what is wrong and what
//! would be accepted.
//!
//! Own code and not a crate, because a line may be megabytes long and need not be UTF-8. Knows no command.

use std::fmt::Write;

use tandem_base::{Position, Problem, SourceText};

/// What the process tells its caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Proved, or what was asked for is done.
    Success = 0,
    /// The property is violated.
    Violated = 1,
    /// Bad input or usage.
    BadInput = 2,
    Unknown = 3,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> std::process::ExitCode {
        std::process::ExitCode::from(exit as u8)
    }
}

/// Why a command could not do its work.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    pub exit: Exit,
    /// The file, as the user named it.
    pub file: String,
    /// Line and column, counted from one.
    pub place: Option<(u32, u32)>,
    /// The bytes of that line.
    pub line: Vec<u8>,
    pub message: String,
    pub help: Option<String>,
}

impl Failure {
    /// Something is wrong with a file as a whole.
    pub fn file(file: &str, message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure {
            exit: Exit::BadInput,
            file: file.to_string(),
            place: None,
            line: Vec::new(),
            message: message.into(),
            help: Some(help.into()),
        }
    }

    /// Something is wrong at a place of a file whose text was given to a reader as it is.
    pub fn in_text(file: &str, text: &[u8], problem: Problem) -> Failure {
        Failure::in_source(&SourceText::plain(file, text), problem)
    }

    /// Something is wrong at a place of a source text.
    pub fn in_source(source: &SourceText, problem: Problem) -> Failure {
        let mut failure = Failure::file(source.file(), problem.message, "");
        failure.help = problem.help;
        if !problem.span.is_none() {
            failure.place_at(&source.position(problem.span.lo), source.line_text(problem.span.lo));
        }
        failure
    }

    pub fn place_at(&mut self, position: &Position, line: &[u8]) {
        self.file = position.file.to_string();
        self.place = Some((position.line, position.column));
        self.line = line.to_vec();
    }

    /// The message as it is printed, with a line end.
    pub fn render(&self) -> String {
        self.labelled("error: ")
    }

    /// The same for what is nobody's error.
    pub fn render_note(&self) -> String {
        self.labelled("")
    }

    fn labelled(&self, label: &str) -> String {
        let mut text = match self.place {
            Some((line, column)) => format!("{}:{line}:{column}: {label}{}\n", self.file, self.message),
            None => format!("{}: {label}{}\n", self.file, self.message),
        };
        if let Some((line, column)) = self.place {
            let number = line.to_string();
            let (excerpt, caret) = excerpt(&self.line, column);
            let _ = writeln!(text, " {number} | {excerpt}");
            let _ = writeln!(text, " {:width$} | {:caret$}^", "", "", width = number.len());
        }
        if let Some(help) = self.help.as_ref().filter(|help| !help.is_empty()) {
            let _ = writeln!(text, "help: {help}");
        }
        text
    }

    /// The same for programs.
    pub fn to_json(&self) -> serde_json::Value {
        let (line, column) = self.place.unzip();
        let verdict = if self.exit == Exit::Unknown { "UNKNOWN" } else { "ERROR" };
        serde_json::json!({
            "verdict": verdict, "reason": self.message, "file": self.file, "line": line, "column": column, "help": self.help,
        })
    }
}

/// The longest part of a line that is shown.
const WIDTH: usize = 100;

/// The part of the line around the column, fit for a terminal, and how many characters precede the column in it.
fn excerpt(line: &[u8], column: u32) -> (String, usize) {
    let at = (column as usize).saturating_sub(1).min(line.len());
    let start = if line.len() <= WIDTH { 0 } else { at.saturating_sub(WIDTH / 2) };
    let end = line.len().min(start + WIDTH);
    let start = if line.len() <= WIDTH { 0 } else { end.saturating_sub(WIDTH).min(start) };
    let before = visible(&line[start..at]);
    let after = visible(&line[at..end]);
    let left = if start > 0 { "..." } else { "" };
    let right = if end < line.len() { "..." } else { "" };
    (format!("{left}{before}{after}{right}"), left.len() + before.chars().count())
}

/// One character per character of the text, nothing that could move the cursor.
fn visible(bytes: &[u8]) -> String {
    let show = |c: char| match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    String::from_utf8_lossy(bytes).chars().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::Span;

    fn rendered(text: &[u8], at: u32) -> String {
        Failure::in_text("a.c", text, Problem::error(Span::new(at, at + 1), "wrong").help("right")).render()
    }

    #[test]
    fn the_caret_stands_under_the_column() {
        assert_eq!(rendered(b"int a;\n\tx y;\n", 10), "a.c:2:4: error: wrong\n 2 |  x y;\n   |    ^\nhelp: right\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let mut line = vec![b'('; 1_000_000];
        line[500_000] = b'X';
        let text = rendered(&line, 500_000);
        assert!(text.len() < 400, "{}", text.len());
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("a.c:1:500001: error"));
        assert_eq!(lines[1].find('X'), lines[2].find('^'));
        assert!(rendered(&line, 999_999).lines().nth(1).unwrap().ends_with("(("));
    }

    #[test]
    fn bytes_that_are_no_text_do_not_reach_the_terminal() {
        let text = rendered(b"\x1b[2J\xff\xfe\0 int", 8);
        assert!(!text.contains('\x1b') && !text.contains('\0'), "{text:?}");
        assert!(text.starts_with("a.c:1:9: error"));
    }
}
