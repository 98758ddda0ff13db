//! Splits a C text into rough tokens, fast and without failing: words, literals and single punctuation bytes.
//!
//! Comments and white space are skipped, a preprocessor line is one token. Knows nothing of what the tokens mean.

use tandem_base::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'a> {
    /// An identifier, a keyword or a number.
    Word(&'a [u8]),
    /// A string or character literal.
    Literal,
    /// One byte of punctuation: `->` is two.
    Punctuation(u8),
    /// A preprocessor line, from behind its `#` to its end.
    Directive(&'a [u8]),
    /// A byte that no C text has outside of literals and comments.
    Stray(u8),
    End,
}

pub(crate) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether only white space and comments stand before this byte in its line.
    line_start: bool,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a [u8]) -> Scanner<'a> {
        Scanner { text, at: 0, line_start: true }
    }

    pub fn next(&mut self) -> (Token<'a>, Span) {
        loop {
            let start = self.at;
            let Some(&byte) = self.text.get(start) else { return (Token::End, self.span_from(start)) };
            let token = match byte {
                b'\n' => {
                    self.at += 1;
                    self.line_start = true;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'\\' if self.splice() > 0 => {
                    self.at += self.splice();
                    continue;
                }
                b'/' if self.starts_with(b"/*") => {
                    self.skip_block_comment();
                    continue;
                }
                b'/' if self.starts_with(b"//") => {
                    self.skip_line();
                    continue;
                }
                b'#' if self.line_start => {
                    self.skip_line();
                    Token::Directive(&self.text[start + 1..self.at])
                }
                b'%' if self.line_start && self.starts_with(b"%:") => {
                    self.skip_line();
                    Token::Directive(&self.text[start + 2..self.at])
                }
                b'"' | b'\'' => {
                    self.skip_literal(byte);
                    Token::Literal
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | 0x80.. => self.word(),
                0..=0x1f | 0x7f => {
                    self.at += 1;
                    Token::Stray(byte)
                }
                _ => {
                    self.at += 1;
                    Token::Punctuation(byte)
                }
            };
            self.line_start = false;
            return (token, self.span_from(start));
        }
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.at as u32)
    }

    fn starts_with(&self, prefix: &[u8]) -> bool {
        self.text[self.at..].starts_with(prefix)
    }

    /// The length of a backslash with the end of line after it, or zero.
    fn splice(&self) -> usize {
        match &self.text[self.at..] {
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        }
    }

    fn word(&mut self) -> Token<'a> {
        let start = self.at;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        self.at += self.text[start..].iter().take_while(|byte| is_part(byte)).count();
        Token::Word(&self.text[start..self.at])
    }

    fn skip_block_comment(&mut self) {
        self.at += 2;
        match self.text[self.at..].windows(2).position(|pair| pair == b"*/") {
            Some(end) => self.at += end + 2,
            None => self.at = self.text.len(),
        }
    }

    /// To the end of the logical line. A block comment that starts in it may end in a later one.
    fn skip_line(&mut self) {
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            self.at = (self.at + self.splice().max(1)).min(self.text.len());
        }
    }

    /// A literal ends at its quote or, when it is broken, at the end of the line.
    fn skip_literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.at = (self.at + self.splice().max(2)).min(self.text.len()),
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }
}
