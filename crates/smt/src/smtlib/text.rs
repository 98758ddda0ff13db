//! SMT-LIB text to nested lists, without recursion, and the errors that reading gives. Knows no terms.

use std::fmt;

use tandem_base::{Position, SourceText};

use super::symbol::is_symbol_byte;

/// Where reading stopped and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    pub position: Position,
    pub found: String,
    pub expected: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: found {}, expected {}", self.position, self.found, self.expected)
    }
}

impl std::error::Error for ReadError {}

/// What was found and what was expected, before the place is known.
pub(super) type Mismatch = (String, String);

/// An atom or a list, by its number in [`Nodes`].
pub(super) type NodeId = u32;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Atom {
    Symbol(String),
    Keyword(String),
    Numeral(String),
    Decimal(String),
    Hexadecimal(String),
    Binary(String),
    Text(String),
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Symbol(text) | Atom::Numeral(text) | Atom::Decimal(text) => write!(f, "`{text}`"),
            Atom::Keyword(text) => write!(f, "`:{text}`"),
            Atom::Hexadecimal(text) => write!(f, "`#x{text}`"),
            Atom::Binary(text) => write!(f, "`#b{text}`"),
            Atom::Text(text) => write!(f, "the text {text:?}"),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Atom(Atom),
    List(Box<[NodeId]>),
}

#[derive(Clone, Debug)]
pub(super) struct SyntaxNode {
    pub content: Content,
    /// First byte, and the byte behind the last.
    pub start: u32,
    pub end: u32,
}

/// All nodes of a script.
pub(super) struct Nodes {
    nodes: Vec<SyntaxNode>,
    pub source: SourceText,
}

impl Nodes {
    pub fn node(&self, id: NodeId) -> &SyntaxNode {
        &self.nodes[id as usize]
    }

    pub fn list(&self, id: NodeId) -> Option<&[NodeId]> {
        match &self.node(id).content {
            Content::List(items) => Some(items),
            Content::Atom(_) => None,
        }
    }

    pub fn symbol(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).content {
            Content::Atom(Atom::Symbol(name)) => Some(name),
            _ => None,
        }
    }

    pub fn text(&self, id: NodeId) -> String {
        let node = self.node(id);
        let bytes = self.source.text().get(node.start as usize..node.end as usize).unwrap_or(&[]);
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// How an error names a node.
    fn describe(&self, id: NodeId) -> String {
        match &self.node(id).content {
            Content::Atom(atom) => atom.to_string(),
            Content::List(items) => match items.first().map(|&first| &self.node(first).content) {
                None => "`()`".to_owned(),
                Some(Content::Atom(atom)) => format!("a list that starts with {atom}"),
                Some(Content::List(_)) => "a list that starts with a list".to_owned(),
            },
        }
    }

    pub fn error(&self, at: NodeId, (found, expected): Mismatch) -> ReadError {
        ReadError { position: self.source.position(self.node(at).start), found, expected }
    }

    /// The node itself is what was not expected.
    pub fn unexpected(&self, at: NodeId, expected: &str) -> ReadError {
        self.error(at, (self.describe(at), expected.to_owned()))
    }

    /// A list is too short: the error stands at its end.
    pub fn missing(&self, list: NodeId, expected: &str) -> ReadError {
        let position = self.source.position(self.node(list).end.saturating_sub(1));
        ReadError { position, found: "`)`".to_owned(), expected: expected.to_owned() }
    }

    fn push(&mut self, content: Content, start: usize, end: usize) -> NodeId {
        self.nodes.push(SyntaxNode { content, start: start as u32, end: end as u32 });
        self.nodes.len() as NodeId - 1
    }
}

/// Reads the text as lists; the lists of the outermost level and all nodes. Stops at the first error with what came
/// before it.
pub(super) fn parse(file: &str, text: &[u8]) -> (Nodes, Vec<NodeId>, Option<ReadError>) {
    let source = SourceText::plain(file, text);
    let mut parser = Parser { text, at: 0, nodes: Nodes { nodes: Vec::new(), source } };
    let mut top = Vec::new();
    let error = parser.run(&mut top).err();
    (parser.nodes, top, error)
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    nodes: Nodes,
}

impl Parser<'_> {
    fn run(&mut self, top: &mut Vec<NodeId>) -> Result<(), ReadError> {
        let mut open: Vec<(usize, Vec<NodeId>)> = Vec::new();
        loop {
            self.skip();
            let start = self.at;
            let Some(&byte) = self.text.get(start) else { break };
            let done = match byte {
                b'(' => {
                    self.at += 1;
                    open.push((start, Vec::new()));
                    continue;
                }
                b')' => {
                    self.at += 1;
                    let Some((begin, items)) = open.pop() else {
                        return Err(self.error(start, "`)`", "a command or the end of the file"));
                    };
                    self.nodes.push(Content::List(items.into()), begin, self.at)
                }
                _ => {
                    let atom = self.atom(byte)?;
                    self.nodes.push(Content::Atom(atom), start, self.at)
                }
            };
            match open.last_mut() {
                Some((_, items)) => items.push(done),
                None => top.push(done),
            }
        }
        match open.last() {
            Some((begin, _)) => {
                let opened = self.nodes.source.position(*begin as u32);
                let expected = format!("`)` for the `(` at {}:{}", opened.line, opened.column);
                Err(self.error(self.text.len(), "the end of the file", &expected))
            }
            None => Ok(()),
        }
    }

    fn error(&self, at: usize, found: &str, expected: &str) -> ReadError {
        let position = self.nodes.source.position(at as u32);
        ReadError { position, found: found.to_owned(), expected: expected.to_owned() }
    }

    fn skip(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b';' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    fn take(&mut self, accept: impl Fn(u8) -> bool) -> String {
        let start = self.at;
        while self.text.get(self.at).is_some_and(|&byte| accept(byte)) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    fn atom(&mut self, first: u8) -> Result<Atom, ReadError> {
        let start = self.at;
        match first {
            b'"' => self.text_literal(),
            b'|' => self.quoted(),
            b':' => {
                self.at += 1;
                Ok(Atom::Keyword(self.take(is_symbol_byte)))
            }
            b'#' => {
                self.at += 2;
                let (digits, atom): (String, fn(String) -> Atom) = match self.text.get(start + 1) {
                    Some(b'x') => (self.take(|byte| byte.is_ascii_hexdigit()), Atom::Hexadecimal),
                    Some(b'b') => (self.take(|byte| matches!(byte, b'0' | b'1')), Atom::Binary),
                    _ => return Err(self.error(start, "`#`", "`#x` or `#b` and digits")),
                };
                if digits.is_empty() {
                    return Err(self.error(self.at, "no digit", "a digit of the bit-vector"));
                }
                Ok(atom(digits))
            }
            b'0'..=b'9' => {
                let digits = self.take(|byte| byte.is_ascii_digit());
                if self.text.get(self.at) != Some(&b'.') {
                    return Ok(Atom::Numeral(digits));
                }
                self.at += 1;
                let fraction = self.take(|byte| byte.is_ascii_digit());
                Ok(Atom::Decimal(format!("{digits}.{fraction}")))
            }
            _ if is_symbol_byte(first) => Ok(Atom::Symbol(self.take(is_symbol_byte))),
            _ => {
                let found = format!("the character {:?}", char::from(first));
                Err(self.error(start, &found, "a symbol, a number, `(` or `)`"))
            }
        }
    }

    fn text_literal(&mut self) -> Result<Atom, ReadError> {
        let start = self.at;
        let mut content = String::new();
        loop {
            self.at += 1;
            content.push_str(&self.take(|byte| byte != b'"'));
            if self.text.get(self.at).is_none() {
                return Err(self.error(start, "the end of the file", "`\"` at the end of the text"));
            }
            self.at += 1;
            // Two quotes stand for one.
            if self.text.get(self.at) != Some(&b'"') {
                return Ok(Atom::Text(content));
            }
            content.push('"');
        }
    }

    fn quoted(&mut self) -> Result<Atom, ReadError> {
        let start = self.at;
        self.at += 1;
        let name = self.take(|byte| byte != b'|' && byte != b'\\');
        if self.text.get(self.at) != Some(&b'|') {
            return Err(self.error(start, "an open quote", "`|` at the end of the symbol"));
        }
        self.at += 1;
        Ok(Atom::Symbol(name))
    }
}
