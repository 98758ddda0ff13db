//! Text to tokens. Knows no grammar.

use tandem_base::{Problem, Span};

use super::problem;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    /// Begins with a digit, or a point and a digit.
    Number,
    /// With its quotes and prefix.
    Character,
    Symbol,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub at: u32,
}

impl Token<'_> {
    pub fn span(&self) -> Span {
        Span::new(self.at, self.at + self.text.len() as u32)
    }
}

/// Longer ones first.
const SYMBOLS: [&str; 46] = [
    "<<=", ">>=", "...", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "(", ")", "[", "]", "{", "}", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!",
    "=", ",", ":", ";", ".", "?",
];

/// The tokens of a text, and one for its end.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Problem> {
    if u32::try_from(text.len()).is_err() {
        return Err(problem(Span::NONE, "an expression of four thousand million bytes is too long"));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(space) = rest.chars().next().filter(|c| c.is_whitespace()) {
            at += space.len_utf8();
            continue;
        }
        let Some((kind, length)) = next(rest) else {
            let wrong = rest.chars().next().unwrap_or(' ');
            let span = Span::new(at as u32, (at + wrong.len_utf8()) as u32);
            return Err(problem(span, format!("'{}' does not belong into a C expression", wrong.escape_default())));
        };
        tokens.push(Token { kind, text: &rest[..length], at: at as u32 });
        at += length;
    }
    tokens.push(Token { kind: Kind::End, text: "", at: text.len() as u32 });
    Ok(tokens)
}

fn next(rest: &str) -> Option<(Kind, usize)> {
    let bytes = rest.as_bytes();
    let first = *bytes.first()?;
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$';
    let word = bytes.iter().take_while(|b| is_word(b)).count();
    if let Some(length) = character(rest) {
        return Some((Kind::Character, length));
    }
    if first.is_ascii_digit() || first == b'.' && bytes.get(1).is_some_and(u8::is_ascii_digit) {
        return Some((Kind::Number, number(bytes)));
    }
    if word > 0 {
        return Some((Kind::Word, word));
    }
    if rest.starts_with("\\result") && !bytes.get(7).is_some_and(is_word) {
        return Some((Kind::Word, 7));
    }
    SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)).map(|symbol| (Kind::Symbol, symbol.len()))
}

/// A preprocessing number: letters, digits, points, and a sign behind an exponent's letter.
fn number(bytes: &[u8]) -> usize {
    let is_hexadecimal = bytes.len() > 1 && bytes[0] == b'0' && bytes[1] | 0x20 == b'x';
    let mut length = 1;
    while let Some(&byte) = bytes.get(length) {
        let before = bytes[length - 1] | 0x20;
        let exponent = before == b'p' || before == b'e' && !is_hexadecimal;
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || exponent && (byte == b'+' || byte == b'-')) {
            break;
        }
        length += 1;
    }
    length
}

fn character(rest: &str) -> Option<usize> {
    let prefix = usize::from(rest.starts_with(['L', 'u', 'U']));
    let body = rest[prefix..].strip_prefix('\'')?;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '\'' if !escaped => return Some(prefix + 1 + at + 1),
            '\n' => return None,
            _ => escaped = false,
        }
    }
    None
}
