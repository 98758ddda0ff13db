//! A small part of YAML as a tree with places: mappings, sequences and one-line scalars, in block and in flow style.
//!
//! For files of our own that may be large: a fixed part of the language is enough, and it is read fast. Anchors, tags, aliases,
//! multi-line scalars and several documents are refused, never misread. Knows no artifact.

use std::borrow::Cow;

use tandem_base::{Problem, Span};

/// A value of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Node<'a> {
    pub value: Value<'a>,
    /// Of a scalar: without its quotes.
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    Scalar(Cow<'a, str>),
    Sequence(Vec<Node<'a>>),
    Mapping(Vec<Entry<'a>>),
    /// Nothing stands there.
    Null,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Entry<'a> {
    pub key: Cow<'a, str>,
    pub key_span: Span,
    pub node: Node<'a>,
}

/// Deeper than any file of ours.
const DEPTH: usize = 32;

/// Reads a document.
pub fn read(text: &str) -> Result<Node<'_>, Problem> {
    let mut reader = Reader { text, at: 0, line: 0, depth: 0 };
    reader.blank();
    if reader.rest().starts_with("---") {
        reader.at += 3;
        reader.blank();
    }
    let node = reader.block(None)?;
    reader.blank();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.problem("this does not belong to what precedes it; is it indented as it should be?")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Where the line begins.
    line: usize,
    depth: usize,
}

/// Where a plain scalar ends.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Block,
    Flow,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn column(&self) -> usize {
        self.at - self.line
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        let end = self.rest().chars().next().map_or(0, char::len_utf8);
        Problem::error(Span::new(self.at as u32, (self.at + end) as u32), message)
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Passes over blanks, line ends and comments.
    fn blank(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.line = self.at;
                }
                Some(b'#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    /// Whether only blanks and a comment are left in the line.
    fn at_line_end(&mut self) -> bool {
        self.spaces();
        matches!(self.peek(), None | Some(b'\n' | b'\r' | b'#'))
    }

    fn is_blank(byte: Option<u8>) -> bool {
        matches!(byte, None | Some(b' ' | b'\t' | b'\n' | b'\r'))
    }

    fn null(&self) -> Node<'a> {
        Node { value: Value::Null, span: Span::new(self.at as u32, self.at as u32) }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth == DEPTH {
            return Err(self.problem("this is nested too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A value that is indented by more than its parent.
    fn block(&mut self, parent: Option<usize>) -> Result<Node<'a>, Problem> {
        self.blank();
        let column = self.column();
        if self.peek().is_none() || parent.is_some_and(|parent| column <= parent) {
            return Ok(self.null());
        }
        if self.text[self.line..self.at].contains('\t') {
            return Err(self.problem("a tab cannot indent a line"));
        }
        if self.peek() == Some(b'-') && Self::is_blank(self.byte(1)) {
            return self.deeper(|reader| reader.sequence(column));
        }
        let start = (self.at, self.line);
        let first = self.inline(Within::Block)?;
        let is_key = self.is_colon();
        if !is_key {
            return self.ended(first);
        }
        (self.at, self.line) = start;
        self.deeper(|reader| reader.mapping(column))
    }

    fn ended(&mut self, node: Node<'a>) -> Result<Node<'a>, Problem> {
        match self.at_line_end() {
            true => Ok(node),
            false => Err(self.problem("nothing may follow here in this line")),
        }
    }

    fn is_colon(&mut self) -> bool {
        let here = self.at;
        self.spaces();
        let is_colon = self.peek() == Some(b':') && Self::is_blank(self.byte(1));
        if !is_colon {
            self.at = here;
        }
        is_colon
    }

    fn sequence(&mut self, column: usize) -> Result<Node<'a>, Problem> {
        let start = self.at;
        let mut items = Vec::new();
        loop {
            self.at += 1;
            items.push(self.block(Some(column))?);
            let end = self.at;
            self.blank();
            let goes_on = self.column() == column && self.peek() == Some(b'-') && Self::is_blank(self.byte(1));
            if !goes_on {
                return Ok(Node { value: Value::Sequence(items), span: Span::new(start as u32, end as u32) });
            }
        }
    }

    fn mapping(&mut self, column: usize) -> Result<Node<'a>, Problem> {
        let start = self.at;
        let mut entries: Vec<Entry<'a>> = Vec::new();
        loop {
            let key = self.key(&entries, Within::Block)?;
            if !self.is_colon() {
                return Err(self.problem("a key is followed by `: `"));
            }
            self.at += 1;
            let node = match self.at_line_end() {
                false => {
                    let node = self.inline(Within::Block)?;
                    self.ended(node)?
                }
                true => {
                    self.blank();
                    let is_item = self.peek() == Some(b'-') && Self::is_blank(self.byte(1));
                    match is_item && self.column() == column {
                        true => self.deeper(|reader| reader.sequence(column))?,
                        false => self.block(Some(column))?,
                    }
                }
            };
            entries.push(Entry { key: key.0, key_span: key.1, node });
            let end = self.at;
            self.blank();
            if self.column() != column || self.peek().is_none() {
                return Ok(Node { value: Value::Mapping(entries), span: Span::new(start as u32, end as u32) });
            }
        }
    }

    fn key(&mut self, known: &[Entry<'a>], within: Within) -> Result<(Cow<'a, str>, Span), Problem> {
        let node = self.inline(within)?;
        match node.value {
            Value::Scalar(key) if known.iter().any(|entry| entry.key == key) => {
                Err(Problem::error(node.span, format!("the key `{key}` is there twice")))
            }
            Value::Scalar(key) => Ok((key, node.span)),
            Value::Sequence(_) | Value::Mapping(_) | Value::Null => {
                Err(Problem::error(node.span, "a key is a word or a string"))
            }
        }
    }

    /// A scalar, or something in flow style.
    fn inline(&mut self, within: Within) -> Result<Node<'a>, Problem> {
        match self.peek() {
            Some(b'{') => self.deeper(Self::flow_mapping),
            Some(b'[') => self.deeper(Self::flow_sequence),
            Some(b'"') => self.double_quoted(),
            Some(b'\'') => self.single_quoted(),
            Some(b'|' | b'>' | b'&' | b'*' | b'!' | b'%' | b'@' | b'`' | b']' | b'}' | b',') => {
                Err(self.problem("this sign cannot begin a value here; a text that begins with it is put in quotes"))
            }
            Some(_) => Ok(self.plain(within)),
            None => Ok(self.null()),
        }
    }

    fn plain(&mut self, within: Within) -> Node<'a> {
        let start = self.at;
        while let Some(byte) = self.peek() {
            let ends = match byte {
                b'\n' | b'\r' => true,
                b',' | b'[' | b']' | b'{' | b'}' => within == Within::Flow,
                b':' => {
                    Self::is_blank(self.byte(1))
                        || within == Within::Flow && matches!(self.byte(1), Some(b',' | b'}' | b']'))
                }
                b'#' => self.at > start && matches!(self.text.as_bytes()[self.at - 1], b' ' | b'\t'),
                _ => false,
            };
            if ends {
                break;
            }
            self.at += 1;
        }
        let text = self.text[start..self.at].trim_end();
        self.at = start + text.len();
        let value = if text.is_empty() { Value::Null } else { Value::Scalar(Cow::Borrowed(text)) };
        Node { value, span: Span::new(start as u32, self.at as u32) }
    }

    fn flow_sequence(&mut self) -> Result<Node<'a>, Problem> {
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.closed(b']')? {
                break;
            }
            items.push(self.inline(Within::Flow)?);
            self.separator(b']')?;
        }
        Ok(Node { value: Value::Sequence(items), span: Span::new(start as u32, self.at as u32) })
    }

    fn flow_mapping(&mut self) -> Result<Node<'a>, Problem> {
        let start = self.at;
        self.at += 1;
        let mut entries = Vec::with_capacity(4);
        loop {
            self.blank();
            if self.closed(b'}')? {
                break;
            }
            let (key, key_span) = self.key(&entries, Within::Flow)?;
            self.blank();
            if self.peek() != Some(b':') {
                return Err(self.problem("a key is followed by `: `"));
            }
            self.at += 1;
            self.blank();
            let node = match self.peek() {
                Some(b',' | b'}') => self.null(),
                _ => self.inline(Within::Flow)?,
            };
            entries.push(Entry { key, key_span, node });
            self.separator(b'}')?;
        }
        Ok(Node { value: Value::Mapping(entries), span: Span::new(start as u32, self.at as u32) })
    }

    fn closed(&mut self, close: u8) -> Result<bool, Problem> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Ok(false),
            None => Err(self.problem(format!("`{}` is missing", char::from(close)))),
        }
    }

    fn separator(&mut self, close: u8) -> Result<(), Problem> {
        self.blank();
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == close => {}
            _ => return Err(self.problem(format!("`,` or `{}` is missing", char::from(close)))),
        }
        Ok(())
    }

    fn single_quoted(&mut self) -> Result<Node<'a>, Problem> {
        let start = self.at + 1;
        let mut end = start;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(end) {
                Some(b'\'') if bytes.get(end + 1) == Some(&b'\'') => end += 2,
                Some(b'\'') => break,
                Some(b'\n') | None => return Err(self.problem("the string does not end in its line")),
                Some(_) => end += 1,
            }
        }
        let raw = &self.text[start..end];
        let value = if raw.contains('\'') { Cow::Owned(raw.replace("''", "'")) } else { Cow::Borrowed(raw) };
        self.at = end + 1;
        Ok(Node { value: Value::Scalar(value), span: Span::new(start as u32, end as u32) })
    }

    fn double_quoted(&mut self) -> Result<Node<'a>, Problem> {
        let start = self.at + 1;
        let rest = &self.text[start..];
        let simple = rest.find(['"', '\\', '\n']).unwrap_or(rest.len());
        if rest.as_bytes().get(simple) == Some(&b'"') {
            self.at = start + simple + 1;
            let span = Span::new(start as u32, (start + simple) as u32);
            return Ok(Node { value: Value::Scalar(Cow::Borrowed(&rest[..simple])), span });
        }
        let mut value = String::new();
        let mut characters = rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + at + 1;
                    let span = Span::new(start as u32, (start + at) as u32);
                    return Ok(Node { value: Value::Scalar(Cow::Owned(value)), span });
                }
                '\n' => break,
                '\\' => value.push(escape(&mut characters).ok_or_else(|| {
                    let place = Span::new((start + at) as u32, (start + at + 2) as u32);
                    Problem::error(place, "unknown escape in a string")
                        .help("known are \\\\, \\\", \\/, \\n, \\t, \\r, \\0, \\e, \\xHH and \\uHHHH")
                })?),
                character => value.push(character),
            }
        }
        Err(self.problem("the string does not end in its line"))
    }
}

/// The character that an escape stands for, behind its backslash.
fn escape(characters: &mut std::str::CharIndices<'_>) -> Option<char> {
    let digits = match characters.next()?.1 {
        character @ ('\\' | '"' | '/') => return Some(character),
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        '0' => return Some('\0'),
        'e' => return Some('\u{1b}'),
        'x' => 2,
        'u' => 4,
        _ => return None,
    };
    let mut number = 0;
    for _ in 0..digits {
        number = number * 16 + characters.next()?.1.to_digit(16)?;
    }
    char::from_u32(number)
}

/// A text in double quotes, in one line.
pub fn quote(text: &str, out: &mut String) {
    use std::fmt::Write;
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            character if character.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            // Some readers take these for line ends.
            '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in one line.
    fn shown(node: &Node<'_>) -> String {
        match &node.value {
            Value::Null => "~".to_string(),
            Value::Scalar(text) => format!("{text:?}"),
            Value::Sequence(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
            Value::Mapping(entries) => {
                let entries = entries.iter().map(|entry| format!("{}: {}", entry.key, shown(&entry.node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn block_and_flow_mean_the_same() {
        let flow = "---\na: {b: [1, 'x y', \"q\\\"\\n\"], c: }\nd: [{e: f}, g h]\n";
        let block = "a:\n  b:\n  - 1\n  - x y # comment\n  - \"q\\\"\\n\"\n  c:\nd:\n  - e: f\n  -   g h\n";
        let expected = r#"{a: {b: ["1", "x y", "q\"\n"], c: ~}, d: [{e: "f"}, "g h"]}"#;
        assert_eq!(shown(&read(flow).unwrap()), expected);
        assert_eq!(shown(&read(block).unwrap()), expected);
        let spread = "a: {b: [1,\n   'x y' ,\n \"q\\\"\\n\", ], # more\n c: }\nd:\n- {e: f}\n- g h";
        assert_eq!(shown(&read(spread).unwrap()), expected);
    }

    #[test]
    fn items_may_be_mappings_over_several_lines() {
        let text = "- from: a\n  edges: ['*']\n\n- from: b\n  to:\n    c\n- \n";
        assert_eq!(shown(&read(text).unwrap()), r#"[{from: "a", edges: ["*"]}, {from: "b", to: "c"}, ~]"#);
        assert_eq!(shown(&read("a: it's 5:3 \"x\" #no\nb: x#y").unwrap()), r#"{a: "it's 5:3 \"x\"", b: "x#y"}"#);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, at) in [
            ("a: *b", 3),
            ("a: |\n  x", 3),
            ("a: !t x", 3),
            ("a: b: c", 4),
            ("a: [b", 5),
            ("a: {b c}", 7),
            ("a: \"b\nc\"", 3),
            ("a: \"\\q\"", 4),
            ("a: 1\na: 2", 5),
            ("a: 1\n  b: 2", 7),
            ("a:\n  b: 1\n c: 2", 11),
            ("a: [b] c", 7),
            ("a:\n\t- b", 4),
        ] {
            let problem = read(text).unwrap_err();
            assert_eq!(problem.span.lo, at, "{text:?}: {}", problem.message);
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn quoted_texts_come_back() {
        for text in ["", "a \"b\" \\ c", "\n\t\r\u{1}\u{7f}\u{85}\u{2028}ü", "# - {"] {
            let mut out = String::new();
            quote(text, &mut out);
            assert_eq!(read(&out).unwrap().value, Value::Scalar(text.into()), "{out}");
        }
    }
}
