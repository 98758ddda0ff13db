//! Text to tokens, and the cursor over them that every part of the reader uses. Knows nothing of programs.

use std::fmt;

use super::words::{is_name_byte, is_name_start};

/// Why a text is no program, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Counted from one.
    pub line: u32,
    /// In bytes, counted from one.
    pub column: u32,
    /// What was expected there, and what was found.
    pub message: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ReadError {}

pub(super) type Read<T> = Result<T, ReadError>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A word.
    Name,
    /// A name in single quotes.
    Quoted,
    /// Bytes in double quotes.
    Bytes,
    /// Begins with a digit.
    Number,
    Symbol,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    /// As it stands in the text, quotes included.
    pub text: &'a str,
    pub at: u32,
}

const SYMBOLS: [&str; 30] = [
    "...", "->", "<<", ">>", "<=", ">=", "==", "!=", "(", ")", "[", "]", "{", "}", "<", ">", "+", "-", "*", "/", "%",
    "&", "|", "^", "~", "!", "=", ",", ":", ";",
];
const MORE_SYMBOLS: [&str; 4] = [".", "#", "@", "?"];

/// The tokens of a text and a place among them.
pub(super) struct Tokens<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    pub at: usize,
}

impl<'a> Tokens<'a> {
    pub fn of(text: &'a str) -> Read<Tokens<'a>> {
        let mut tokens = Tokens { text, tokens: Vec::new(), at: 0 };
        if u32::try_from(text.len()).is_err() {
            return Err(tokens.error_at(0, "expected a text of less than four thousand million bytes".into()));
        }
        let mut at = 0;
        while let Some(&byte) = text.as_bytes().get(at) {
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            let (kind, length) = tokens.next_token(at, byte)?;
            tokens.tokens.push(Token { kind, text: &text[at..at + length], at: at as u32 });
            at += length;
        }
        tokens.tokens.push(Token { kind: Kind::End, text: "", at: at as u32 });
        Ok(tokens)
    }

    fn next_token(&self, at: usize, byte: u8) -> Read<(Kind, usize)> {
        let rest = &self.text.as_bytes()[at..];
        if is_name_start(byte) {
            return Ok((Kind::Name, rest.iter().take_while(|b| is_name_byte(**b)).count()));
        }
        if byte.is_ascii_digit() {
            return Ok((Kind::Number, number_length(rest)));
        }
        if byte == b'"' || byte == b'\'' {
            let kind = if byte == b'"' { Kind::Bytes } else { Kind::Quoted };
            return match quoted_length(rest) {
                Some(length) => Ok((kind, length)),
                None => Err(self.error_at(at as u32, "expected a closing quote on this line".into())),
            };
        }
        let symbol = SYMBOLS.iter().chain(&MORE_SYMBOLS).find(|symbol| rest.starts_with(symbol.as_bytes()));
        match symbol {
            Some(symbol) => Ok((Kind::Symbol, symbol.len())),
            None => {
                let found = self.text[at..].chars().next().unwrap_or('?');
                Err(self.error_at(at as u32, format!("expected a word, a number or a symbol, found {found:?}")))
            }
        }
    }

    pub fn count(&self) -> usize {
        self.tokens.len()
    }

    pub fn peek(&self) -> Token<'a> {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> Token<'a> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + by).min(last)]
    }

    pub fn next(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn is(&self, text: &str) -> bool {
        let token = self.peek();
        token.text == text && matches!(token.kind, Kind::Name | Kind::Symbol)
    }

    /// Whether the token at hand and the next one touch.
    pub fn touches_next(&self) -> bool {
        let token = self.peek();
        token.at as usize + token.text.len() == self.ahead(1).at as usize
    }

    /// Takes the word or symbol if it is the next one.
    pub fn take(&mut self, text: &str) -> bool {
        let is = self.is(text);
        if is {
            self.next();
        }
        is
    }

    pub fn expect(&mut self, text: &str) -> Read<()> {
        if self.take(text) { Ok(()) } else { Err(self.expected(&format!("`{text}`"))) }
    }

    /// An error at the next token.
    pub fn expected(&self, what: &str) -> ReadError {
        self.expected_at(self.at, what)
    }

    /// An error at the token with this number. Counts lines: to be made only when it is needed.
    pub fn expected_at(&self, index: usize, what: &str) -> ReadError {
        let token = self.tokens[index.min(self.tokens.len() - 1)];
        let found = match token.kind {
            Kind::End => "the end of the text".to_string(),
            _ => format!("`{}`", token.text.chars().take(40).collect::<String>()),
        };
        self.error_at(token.at, format!("expected {what}, found {found}"))
    }

    pub fn error_at(&self, at: u32, message: String) -> ReadError {
        let before = &self.text.as_bytes()[..(at as usize).min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        ReadError { line, column: (before.len() - start) as u32 + 1, message }
    }

    /// An unsigned number in decimal notation.
    pub fn number<T: std::str::FromStr>(&mut self, what: &str) -> Read<T> {
        let token = self.peek();
        match token.text.parse() {
            Ok(number) if token.kind == Kind::Number => {
                self.next();
                Ok(number)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A name, in quotes or not.
    pub fn name(&mut self, what: &str) -> Read<Box<str>> {
        let token = self.peek();
        let name = match token.kind {
            Kind::Name => Some(token.text.to_string()),
            Kind::Quoted => String::from_utf8(unquoted(token.text)).ok(),
            Kind::Bytes | Kind::Number | Kind::Symbol | Kind::End => None,
        };
        match name {
            Some(name) => {
                self.next();
                Ok(name.into())
            }
            None => Err(self.expected(what)),
        }
    }

    /// Bytes in double quotes.
    pub fn bytes(&mut self, what: &str) -> Read<Vec<u8>> {
        if self.peek().kind != Kind::Bytes {
            return Err(self.expected(what));
        }
        Ok(unquoted(self.next().text))
    }

    pub fn string(&mut self, what: &str) -> Read<String> {
        let start = self.at;
        String::from_utf8(self.bytes(what)?).map_err(|_| self.expected_at(start, what))
    }

    /// `prefix` followed by a number, as one word: `n12`.
    pub fn id(&mut self, prefix: &str, what: &str) -> Read<u32> {
        let token = self.peek();
        let number = token.text.strip_prefix(prefix).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        match number.and_then(|digits| digits.parse().ok()) {
            Some(number) if token.kind == Kind::Name => {
                self.next();
                Ok(number)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Goes behind the brace that closes the one at hand, and returns where that was.
    pub fn skip_braces(&mut self) -> Read<usize> {
        let start = self.at;
        let opening = self.peek().at;
        let mut depth = 0usize;
        loop {
            match self.peek() {
                token if token.kind == Kind::End => {
                    return Err(self.error_at(opening, "expected a `}` for this `{`".into()));
                }
                Token { kind: Kind::Symbol, text: "{", .. } => depth += 1,
                Token { kind: Kind::Symbol, text: "}", .. } => depth -= 1,
                _ => {}
            }
            self.next();
            if depth == 0 {
                return Ok(start);
            }
        }
    }
}

/// Digits, letters and dots; a sign only after the `e` of a decimal number.
fn number_length(bytes: &[u8]) -> usize {
    let is_hex = bytes.starts_with(b"0x");
    let mut length = 1;
    while let Some(&byte) = bytes.get(length) {
        let sign = matches!(byte, b'+' | b'-') && !is_hex && bytes[length - 1] == b'e';
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || sign) {
            break;
        }
        length += 1;
    }
    length
}

fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let quote = bytes[0];
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            b'\n' => return None,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn unquoted(text: &str) -> Vec<u8> {
    let inside = &text.as_bytes()[1..text.len() - 1];
    let mut bytes = Vec::with_capacity(inside.len());
    let mut at = 0;
    while let Some(&byte) = inside.get(at) {
        at += 1;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = inside.get(at).copied().unwrap_or(b'\\');
        at += 1;
        let hex = inside.get(at..at + 2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (escaped, hex.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'x', Some(value)) => {
                bytes.push(value);
                at += 2;
            }
            (b'n', _) => bytes.push(b'\n'),
            (other, _) => bytes.push(other),
        }
    }
    bytes
}
