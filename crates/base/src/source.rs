//! Source text, spans in it, and the positions people see.
//!
//! A [`Span`] is a pair of byte offsets into the one text that was parsed. [`SourceText`] turns it into a
//! [`Position`]: the physical line and column of the file the user gave. When the text came out of the C
//! preprocessor, the line markers that the preprocessor wrote lead back to that file.

use std::fmt;
use std::sync::Arc;

/// A run of bytes of the parsed text: `lo` included, `hi` not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    /// The span of something that stands nowhere in the text.
    pub const NONE: Span = Span { lo: u32::MAX, hi: u32::MAX };

    pub const fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    pub fn is_none(self) -> bool {
        self == Span::NONE
    }

    pub fn contains(self, other: Span) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The smallest span around both.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() {
            return self;
        }
        Span { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("-") } else { write!(f, "{}..{}", self.lo, self.hi) }
    }
}

/// A place in a file, lines and columns counted from one; a tab is one column, columns are bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// From this byte on, the text stands at `line` of `file` (a preprocessor's line marker).
#[derive(Clone, PartialEq, Eq, Debug)]
struct Marker {
    at: u32,
    file: Arc<str>,
    line: u32,
}

/// The token that begins at byte `at` of a preprocessed text stands here in the user's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TokenPlace {
    pub at: u32,
    pub line: u32,
    pub column: u32,
}

/// The text that was parsed, with what is needed to say where a byte of it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceText {
    file: Arc<str>,
    text: Arc<[u8]>,
    /// Byte offset of the first byte of every line.
    lines: Vec<u32>,
    /// Empty when the text is the user's file itself.
    markers: Vec<Marker>,
    /// Where tokens of the user's file stood before the preprocessor, by `at`; empty when it did not say.
    places: Vec<TokenPlace>,
    /// From this byte on, the text is ours and not the user's.
    appendix: u32,
}

impl SourceText {
    /// The user's file as it is: positions are its own lines and columns, markers in it are ignored.
    pub fn plain(file: &str, text: impl Into<Arc<[u8]>>) -> SourceText {
        let text = text.into();
        let lines = line_starts(&text);
        let appendix = text.len() as u32;
        SourceText { file: file.into(), text, lines, markers: Vec::new(), places: Vec::new(), appendix }
    }

    /// What `cc -E` made of the user's file: positions follow the line markers it wrote.
    pub fn preprocessed(file: &str, text: impl Into<Arc<[u8]>>) -> SourceText {
        let mut source = SourceText::plain(file, text);
        for (index, &start) in source.lines.iter().enumerate() {
            let end = source.lines.get(index + 1).map_or(source.text.len(), |&next| next as usize);
            if let Some((line, name)) = parse_marker(&source.text[start as usize..end]) {
                let file = if name == &*source.file { source.file.clone() } else { name.into() };
                source.markers.push(Marker { at: end as u32, file, line });
            }
        }
        source
    }

    /// The same, when the preprocessor also said where each token of the user's file stood (sorted by `at`).
    pub fn with_places(mut self, places: Vec<TokenPlace>) -> SourceText {
        self.places = places;
        self
    }

    /// The same text with more behind it that is not the user's: C models of library functions.
    pub fn with_appendix(&self, appendix: &str) -> SourceText {
        let mut text = self.text[..self.appendix as usize].to_vec();
        text.push(b'\n');
        text.extend_from_slice(appendix.as_bytes());
        let text: Arc<[u8]> = text.into();
        SourceText { lines: line_starts(&text), text, ..self.clone() }
    }

    /// Whether the byte stands behind the user's text.
    pub fn is_appendix(&self, offset: u32) -> bool {
        offset != Span::NONE.lo && offset > self.appendix
    }

    /// The name of the file the user gave.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text that was parsed.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    pub fn is_preprocessed(&self) -> bool {
        !self.markers.is_empty()
    }

    /// Where the tokens stood before the preprocessor, each with the line of this text that it is in, counted from zero.
    pub fn places_by_line(&self) -> impl Iterator<Item = (usize, TokenPlace)> {
        self.places.iter().map(|place| (self.line_index(place.at), *place))
    }

    /// The bytes of a span (empty for [`Span::NONE`]).
    pub fn slice(&self, span: Span) -> &[u8] {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or(&[])
    }

    /// Where a byte of the text stands.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(self.text.len() as u32);
        let line = self.line_index(offset);
        let column = offset - self.lines[line] + 1;
        if self.is_appendix(offset) {
            let line = (line - self.line_index(self.appendix)) as u32;
            return Position { file: "<library>".into(), line, column };
        }
        let marker = self.markers.partition_point(|marker| marker.at <= offset);
        match marker.checked_sub(1).map(|m| &self.markers[m]) {
            None => Position { file: self.file.clone(), line: line as u32 + 1, column },
            Some(marker) => {
                if let Some(position) = self.place(offset, line).filter(|_| marker.file == self.file) {
                    return position;
                }
                let from = self.line_index(marker.at);
                let line = marker.line + (line - from) as u32;
                Position { file: marker.file.clone(), line, column }
            }
        }
    }

    /// Where a byte stood before the preprocessor, by the token it belongs to.
    fn place(&self, offset: u32, line: usize) -> Option<Position> {
        let index = self.places.partition_point(|place| place.at <= offset).checked_sub(1)?;
        let place = self.places[index];
        let column = place.column + (offset - place.at);
        (place.at >= self.lines[line]).then(|| Position { file: self.file.clone(), line: place.line, column })
    }

    /// The text of the line that a byte stands in, without its end.
    pub fn line_text(&self, offset: u32) -> &[u8] {
        let line = self.line_index(offset.min(self.text.len() as u32));
        let start = self.lines[line] as usize;
        let end = self.lines.get(line + 1).map_or(self.text.len(), |&next| next as usize);
        let bytes = &self.text[start..end];
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    fn line_index(&self, offset: u32) -> usize {
        self.lines.partition_point(|&start| start <= offset) - 1
    }
}

fn line_starts(text: &[u8]) -> Vec<u32> {
    let mut starts = vec![0];
    starts.extend(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i as u32 + 1));
    starts
}

/// `# 12 "file.c" 2` or `#line 12 "file.c"`: the line after it is line 12 of file.c.
fn parse_marker(line: &[u8]) -> Option<(u32, &str)> {
    let line = std::str::from_utf8(line).ok()?;
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"')?;
    Some((number, &name[..name.find('"')?]))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// Something wrong with an input, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub severity: Severity,
    pub span: Span,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What would be accepted, or what to do about it.
    pub help: Option<String>,
}

impl Problem {
    pub fn error(span: Span, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, span, message: message.into(), help: None }
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, span, message: message.into(), help: None }
    }

    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_positions_are_physical() {
        let source = SourceText::plain("a.c", b"int x;\n# 7 \"b.c\"\n\tint y;".to_vec());
        assert_eq!(source.position(4).to_string(), "a.c:1:5");
        assert_eq!(source.position(17).to_string(), "a.c:3:1");
        assert_eq!(source.line_text(19), b"\tint y;");
    }

    #[test]
    fn preprocessed_positions_follow_markers() {
        let text = b"# 1 \"a.c\"\n# 1 \"h.h\" 1\nint h;\n# 2 \"a.c\" 2\nint x;\n\nint y;\n".to_vec();
        let at = |needle: &str| String::from_utf8_lossy(&text).find(needle).unwrap() as u32;
        let source = SourceText::preprocessed("a.c", text.clone());
        assert_eq!(source.position(at("int h")).to_string(), "h.h:1:1");
        assert_eq!(source.position(at("x;")).to_string(), "a.c:2:5");
        assert_eq!(source.position(at("y;")).to_string(), "a.c:4:5");
        let place = TokenPlace { at: at("x;"), line: 2, column: 9 };
        let source = source.with_places(vec![place]);
        assert_eq!(source.position(at("x;") + 1).to_string(), "a.c:2:10");
        assert_eq!(source.position(at("y;")).to_string(), "a.c:4:5");
    }
}
