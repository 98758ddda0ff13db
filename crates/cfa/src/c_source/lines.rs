//! Text in which every statement knows its line: `#line` directives stand where counting alone goes wrong.

use std::fmt::Write;
use std::sync::Arc;

use tandem_base::{SourceText, Span};

/// So many empty lines are better than a directive.
const EMPTY_LINES: u32 = 3;

/// Deeper statements are not moved further to the right: the text must not grow with the square of its depth.
const DEEPEST_INDENT: usize = 20;

pub(super) struct Lines<'a> {
    pub text: String,
    source: &'a SourceText,
    /// The name of the program's own file.
    file: &'a str,
    /// What the reader takes the line that is being written for; `None`: not known to be any of the source.
    at: Option<(Arc<str>, u32)>,
    indent: usize,
    /// The line on which each open brace stands.
    braces: Vec<Option<u32>>,
}

impl<'a> Lines<'a> {
    pub fn new(source: &'a SourceText, file: &'a str) -> Lines<'a> {
        Lines { text: String::new(), source, file, at: None, indent: 0, braces: Vec::new() }
    }

    /// A text that comes from nowhere in the source.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
        self.at = None;
    }

    /// A statement, on its line.
    pub fn put(&mut self, text: &str, span: Span) {
        self.go_to(span);
        self.text.push_str(text);
    }

    /// Ends with an open brace.
    pub fn open(&mut self, text: &str, span: Span) {
        self.put(text, span);
        self.text.push_str(" {");
        self.braces.push(self.at.as_ref().map(|(_, line)| *line));
        self.indent += 1;
    }

    pub fn close(&mut self) {
        self.indent = self.indent.saturating_sub(1);
        let opened = self.braces.pop().flatten();
        if opened.is_some() && opened == self.at.as_ref().map(|(_, line)| *line) {
            self.text.push_str(" }");
        } else {
            self.next_line();
            self.text.push('}');
        }
    }

    /// A short statement that belongs to what was written last.
    pub fn append_statement(&mut self, text: &str) {
        if self.text.ends_with('\n') {
            self.next_line();
        } else {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    /// The same with an open brace.
    pub fn append_open(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str(" {");
        self.braces.push(self.at.as_ref().map(|(_, line)| *line));
        self.indent += 1;
    }

    /// Right behind what was written last.
    pub fn append(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn next_line(&mut self) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
            if let Some((_, line)) = &mut self.at {
                *line += 1;
            }
        }
        for _ in 0..self.indent.min(DEEPEST_INDENT) {
            self.text.push_str("  ");
        }
    }

    fn go_to(&mut self, span: Span) {
        if span.is_none() || self.source.is_appendix(span.lo) {
            return self.next_line();
        }
        let position = self.source.position(span.lo);
        match &self.at {
            Some((file, line)) if *file == position.file && *line == position.line => {
                if self.text.ends_with('\n') {
                    self.next_line()
                } else {
                    self.text.push(' ')
                }
            }
            Some((file, line))
                if *file == position.file && *line < position.line && position.line - *line <= EMPTY_LINES =>
            {
                for _ in *line..position.line {
                    self.text.push('\n');
                }
                self.at = Some((position.file, position.line));
                self.next_line();
            }
            Some(_) | None => {
                if !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
                let name: &str = if *position.file == *self.source.file() { self.file } else { &position.file };
                let name = name.replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(self.text, "#line {} \"{name}\"", position.line);
                self.at = Some((position.file, position.line));
                self.next_line();
            }
        }
    }
}
