//! Tokens of a query. Knows no grammar.

use tandem_base::{Problem, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    /// A name or a keyword, as it is written.
    Word(&'t str),
    /// What follows an `@`: a word or a number.
    At(&'t str),
    Number(&'t str),
    /// `{...}`, without the braces.
    Predicate(&'t str),
    /// `'...'`, without the quotes.
    Name(&'t str),
    Symbol(&'static str),
    End,
}

/// Longer ones first.
const SYMBOLS: [&str; 17] = ["->", ">=", "==", "<=", "?:", "(", ")", ",", ".", "+", "*", "^", "$", "|", "&", "\"", ";"];

/// All tokens with their places, the end of the text last.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Span)>, Problem> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += blank(&text[at..]);
        let rest = &text[at..];
        let (token, length) = match rest.chars().next() {
            None => {
                tokens.push((Token::End, Span::new(at as u32, at as u32)));
                return Ok(tokens);
            }
            Some('{') => enclosed(rest, at, '}', "a predicate", Token::Predicate)?,
            Some('\'') => enclosed(rest, at, '\'', "a name in quotes", Token::Name)?,
            Some('@') => {
                let length = word(&rest[1..]);
                if length == 0 {
                    return Err(unknown(at, 1, "`@` without the name of a filter"));
                }
                (Token::At(&rest[1..=length]), length + 1)
            }
            Some(first) if first.is_ascii_digit() => {
                let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                (Token::Number(&rest[..length]), length)
            }
            Some(first) if first.is_ascii_alphabetic() || first == '_' => {
                let length = word(rest);
                (Token::Word(&rest[..length]), length)
            }
            Some(first) => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Token::Symbol(symbol), symbol.len()),
                None => {
                    let shown = first.escape_default();
                    return Err(unknown(at, first.len_utf8(), &format!("`{shown}` means nothing in a query")));
                }
            },
        };
        tokens.push((token, Span::new(at as u32, (at + length) as u32)));
        at += length;
    }
}

/// The length of white space and comments at the beginning.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if !text[at..].starts_with("//") {
            return at;
        }
        at += text[at..].find('\n').unwrap_or(text.len() - at);
    }
}

fn word(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// What stands between two characters, the first of which begins the text.
fn enclosed<'t>(
    text: &'t str,
    at: usize,
    close: char,
    what: &str,
    make: impl Fn(&'t str) -> Token<'t>,
) -> Result<(Token<'t>, usize), Problem> {
    match text[1..].find(close) {
        Some(length) => Ok((make(&text[1..=length]), length + 2)),
        None => {
            let span = Span::new(at as u32, (at + 1) as u32);
            Err(Problem::error(span, format!("{what} is not closed")).help(format!("`{close}` at its end")))
        }
    }
}

fn unknown(at: usize, length: usize, message: &str) -> Problem {
    let help = "a filter such as @BASICBLOCKENTRY, NODES, EDGES, PATHS, a predicate in braces, or an operator";
    Problem::error(Span::new(at as u32, (at + length) as u32), message).help(help)
}
