//! From tokens to the tree: queries and patterns. One grammar reads both dialects; what a part may be (filter, coverage
//! pattern, path pattern) is checked where it is used, so that messages can say what was found instead.

use tandem_base::{Problem, Span};

use super::lex::{Token, tokens};
use super::tree::*;

/// Reads a query. Spans of problems are in `text`.
pub fn parse(text: &str) -> Result<Query, Problem> {
    if u32::try_from(text.len()).is_err() {
        return Err(Problem::error(Span::NONE, "the query is too long"));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, mode: Mode::Coverage };
    parser.query()
}

/// Deeper nesting is refused: nobody writes it, and every pass over a tree recurses.
const DEEPEST: u32 = 100;

/// Where repetition may stand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Mode {
    Coverage,
    Path,
}

pub(super) struct Parser<'t> {
    tokens: &'t [(Token<'t>, Span)],
    at: usize,
    depth: u32,
    mode: Mode,
}

impl<'t> Parser<'t> {
    fn query(&mut self) -> Result<Query, Problem> {
        let scope = match self.take_word("in") {
            true => {
                let pattern = self.joined()?;
                Some(self.filter_of(pattern)?)
            }
            false => None,
        };
        if !self.take_word("cover") {
            let accepted = if scope.is_some() { "`cover`" } else { "`cover` or `in`" };
            return Err(self.unexpected("a query begins with `cover`", accepted));
        }
        let cover = self.anchored(Mode::Coverage)?;
        let passing = match self.take_word("passing") {
            true => Some(self.anchored(Mode::Path)?),
            false => None,
        };
        self.take(";");
        if self.peek() != Token::End {
            let accepted =
                if passing.is_some() { "an operator or the end" } else { "an operator, `passing` or the end" };
            return Err(self.unexpected("the query goes on behind its end", accepted));
        }
        Ok(Query { scope, cover, passing })
    }

    fn anchored(&mut self, mode: Mode) -> Result<Anchored, Problem> {
        self.mode = mode;
        let from_start = self.take("^");
        let pattern = self.alternatives()?;
        let to_end = self.take("$");
        Ok(Anchored { from_start, to_end, pattern })
    }

    pub(super) fn alternatives(&mut self) -> Result<Pattern, Problem> {
        self.deeper(|parser| {
            let first = parser.sequence()?;
            if !parser.is("+") {
                return Ok(first);
            }
            let mut span = first.span;
            let mut parts = vec![first];
            while parser.take("+") {
                let part = parser.sequence()?;
                span = span.to(part.span);
                parts.push(part);
            }
            Ok(Pattern { kind: PatternKind::Alternatives(parts), span })
        })
    }

    fn sequence(&mut self) -> Result<Pattern, Problem> {
        let first = self.repeated()?;
        let mut rest = Vec::new();
        loop {
            let joint = match self.peek() {
                Token::Symbol(".") => Joint::Next,
                Token::Symbol("->") => Joint::Later,
                _ => break,
            };
            self.at += 1;
            rest.push((joint, self.repeated()?));
        }
        let Some((_, last)) = rest.last() else { return Ok(first) };
        let span = first.span.to(last.span);
        Ok(Pattern { kind: PatternKind::Sequence(Box::new(first), rest), span })
    }

    fn repeated(&mut self) -> Result<Pattern, Problem> {
        let mut pattern = self.joined()?;
        let depth = self.depth;
        loop {
            let start = self.span();
            let repetition = match self.peek() {
                Token::Symbol("*") => Repetition::Any,
                Token::Symbol(">=") => Repetition::AtLeast(0),
                Token::Symbol("==") => Repetition::Exactly(0),
                Token::Symbol("<=") => Repetition::AtMost(0),
                _ => break,
            };
            if self.mode == Mode::Coverage {
                let message = "a coverage pattern cannot be repeated: it would have no end of goals";
                return Err(Problem::error(start, message).help("repetition inside quotes: \"...*\" is one goal"));
            }
            self.at += 1;
            let repetition = match repetition {
                Repetition::Any => Repetition::Any,
                Repetition::AtLeast(_) => Repetition::AtLeast(self.number("how many times")?),
                Repetition::Exactly(_) => Repetition::Exactly(self.number("how many times")?),
                Repetition::AtMost(_) => Repetition::AtMost(self.number("how many times")?),
            };
            self.depth += 1;
            self.check_depth()?;
            let span = pattern.span.to(self.last_span());
            pattern = Pattern { kind: PatternKind::Repeat(Box::new(pattern), repetition), span };
        }
        self.depth = depth;
        Ok(pattern)
    }

    /// Filters joined by `|` and `&`, or another atom.
    fn joined(&mut self) -> Result<Pattern, Problem> {
        let first = self.intersection()?;
        if !self.is("|") {
            return Ok(first);
        }
        let mut parts = vec![self.filter_of(first)?];
        while self.take("|") {
            let part = self.intersection()?;
            parts.push(self.filter_of(part)?);
        }
        Ok(of_filters(parts, FilterKind::Union))
    }

    fn intersection(&mut self) -> Result<Pattern, Problem> {
        let first = self.atom()?;
        if !self.is("&") {
            return Ok(first);
        }
        let mut parts = vec![self.filter_of(first)?];
        while self.take("&") {
            let part = self.atom()?;
            parts.push(self.filter_of(part)?);
        }
        Ok(of_filters(parts, FilterKind::Intersection))
    }

    fn atom(&mut self) -> Result<Pattern, Problem> {
        let start = self.span();
        match self.peek() {
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.alternatives()?;
                self.close(start)?;
                Ok(inner)
            }
            Token::Symbol("\"") if self.mode == Mode::Coverage => {
                self.at += 1;
                self.mode = Mode::Path;
                let inner = self.alternatives()?;
                self.mode = Mode::Coverage;
                if !self.take("\"") {
                    return Err(Problem::error(start, "the quote is not closed").help("`\"` at its end"));
                }
                let span = start.to(self.last_span());
                Ok(Pattern { kind: PatternKind::Quote(Box::new(inner)), span })
            }
            Token::Symbol("\"") => Err(self.unexpected("a quote inside a path pattern", "the path without quotes")),
            Token::Predicate(text) => {
                self.at += 1;
                predicate_text(text, start)?;
                Ok(Pattern { kind: PatternKind::Predicate(text.trim().into()), span: start })
            }
            Token::Word(word) => self.word(word, start),
            Token::At(_) => {
                let filter = self.primitive()?;
                Ok(Pattern { span: filter.span, kind: PatternKind::Filter(filter) })
            }
            Token::Number(_) | Token::Name(_) | Token::Symbol(_) | Token::End => {
                Err(self.unexpected("a pattern is missing here", ATOMS))
            }
        }
    }

    fn word(&mut self, word: &str, start: Span) -> Result<Pattern, Problem> {
        let make: fn(Filter) -> PatternKind = match &*word.to_ascii_uppercase() {
            "NODES" => PatternKind::Nodes,
            "EDGES" => PatternKind::Edges,
            "PATHS" => {
                self.at += 1;
                self.open()?;
                let filter = self.filter()?;
                self.comma()?;
                let bound = self.number("how often an edge may be repeated")?;
                self.close(start)?;
                return Ok(Pattern { kind: PatternKind::Paths(filter, bound), span: start.to(self.last_span()) });
            }
            _ => {
                let filter = self.operation(word)?;
                return Ok(Pattern { span: filter.span, kind: PatternKind::Filter(filter) });
            }
        };
        self.at += 1;
        self.open()?;
        let filter = self.filter()?;
        self.close(start)?;
        Ok(Pattern { kind: make(filter), span: start.to(self.last_span()) })
    }

    /// A filter where nothing else may stand.
    pub(super) fn filter(&mut self) -> Result<Filter, Problem> {
        self.deeper(|parser| {
            let pattern = parser.joined()?;
            parser.filter_of(pattern)
        })
    }

    fn filter_of(&self, pattern: Pattern) -> Result<Filter, Problem> {
        match pattern.kind {
            PatternKind::Filter(filter) => Ok(Filter { span: pattern.span, ..filter }),
            _ => {
                let message = "this is a pattern, and a filter is needed here";
                Err(Problem::error(pattern.span, message)
                    .help("ID, @FUNC(f), NOT(...), filters joined by | and &, ..."))
            }
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Problem>) -> Result<T, Problem> {
        self.depth += 1;
        self.check_depth()?;
        let parsed = parse(self)?;
        self.depth -= 1;
        Ok(parsed)
    }

    fn check_depth(&self) -> Result<(), Problem> {
        if self.depth <= DEEPEST {
            return Ok(());
        }
        let message = format!("the query is nested more than {DEEPEST} levels deep");
        Err(Problem::error(self.span(), message).help("fewer parentheses and repetitions inside each other"))
    }

    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    /// Of the next token.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// Of the token before.
    pub(super) fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(found) if found == symbol)
    }

    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(found) if found.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    pub(super) fn open(&mut self) -> Result<(), Problem> {
        if self.take("(") { Ok(()) } else { Err(self.unexpected("an argument is missing here", "`(`")) }
    }

    pub(super) fn comma(&mut self) -> Result<(), Problem> {
        if self.take(",") { Ok(()) } else { Err(self.unexpected("a second argument is missing here", "`,`")) }
    }

    pub(super) fn close(&mut self, opened: Span) -> Result<(), Problem> {
        if self.take(")") {
            return Ok(());
        }
        match self.peek() {
            Token::End => Err(Problem::error(opened, "what begins here is not closed").help("`)` at its end")),
            _ => Err(self.unexpected("this does not fit here", "`)` or an operator")),
        }
    }

    pub(super) fn number(&mut self, what: &str) -> Result<u32, Problem> {
        let Token::Number(digits) = self.peek() else {
            return Err(self.unexpected(&format!("a number is missing here: {what}"), "a natural number"));
        };
        let number: Option<u32> = digits.parse().ok();
        let number = number.ok_or_else(|| {
            Problem::error(self.span(), "this number is too large").help(format!("a number up to {}", u32::MAX))
        })?;
        self.at += 1;
        Ok(number)
    }

    pub(super) fn unexpected(&self, message: &str, accepted: &str) -> Problem {
        let found = match self.peek() {
            Token::End => "the end of the query".to_string(),
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::At(text) => format!("`@{text}`"),
            Token::Predicate(_) => "a predicate".to_string(),
            Token::Name(_) => "a name in quotes".to_string(),
            Token::Symbol(symbol) => format!("`{symbol}`"),
        };
        Problem::error(self.span(), format!("{message}, found {found}")).help(accepted)
    }
}

const ATOMS: &str =
    "NODES(...), EDGES(...), PATHS(..., n), a filter, a predicate in braces, or a pattern in parentheses";

pub(super) fn predicate_text(text: &str, span: Span) -> Result<(), Problem> {
    if text.trim().is_empty() {
        return Err(Problem::error(span, "the predicate is empty").help("a C expression in braces, such as {x > 0}"));
    }
    if text.contains('{') {
        return Err(Problem::error(span, "a brace inside a predicate").help("a C expression without braces"));
    }
    Ok(())
}

fn of_filters(parts: Vec<Filter>, make: fn(Vec<Filter>) -> FilterKind) -> Pattern {
    let span = parts.iter().skip(1).fold(parts[0].span, |span, part| span.to(part.span));
    Pattern { kind: PatternKind::Filter(Filter { kind: make(parts), span }), span }
}
