//! A cheap look at the bytes of a text before it is parsed: refuses what would overflow a stack, take for ever, or is no
//! C at all.
//!
//! The front end and everyone who walks its tree recurse. Brackets are only one way to nest: `!!!!x`, `a+a+a`,
//! `case 1: case 2:`, `else if` nest as well. The scan adds up, over the open brackets, the tokens that can still be part of
//! one nested construct: an upper bound of the depth of the tree, up to the conversions that the front end inserts
//! (at most two for each token). It knows no grammar, so its bounds are wide: far above what programs have.

use tandem_base::{Problem, Span};

use crate::scan::{Scanner, Token};

/// Tokens on a path from the root of the tree to a leaf.
///
/// The tree of an accepted text has no path of more than three times as many nodes. With the stack of
/// [`crate::on_large_stack`], a walk may use 10 KB for each node.
pub const DEEPEST: u32 = 30_000;

/// The front end compares each `case` of a `switch` with every other.
const MOST_CASES: u32 = 40_000;

/// The front end looks through all type names at each `typedef`.
const MOST_TYPE_NAMES: u32 = 20_000;

/// The front end looks through all members at each access.
const MOST_MEMBERS: u32 = 5_000;

/// The front end walks a type of arrays of arrays for each dimension.
const MOST_DIMENSIONS: u32 = 500;

/// Looks through a text; a problem means that it must not be parsed.
pub(crate) fn check(text: &[u8]) -> Option<Problem> {
    let mut survey = Survey::new();
    let mut scanner = Scanner::new(text);
    loop {
        let (token, span) = scanner.next();
        match token {
            Token::End => return None,
            Token::Directive(_) => {}
            Token::Stray(byte) => {
                let message = format!("byte 0x{byte:02x} is not allowed here, so this is not C text");
                return Some(Problem::error(span, message));
            }
            token => {
                if let Some(excess) = survey.token(token) {
                    return Some(excess.problem(span));
                }
            }
        }
    }
}

/// Which bound a text is beyond.
enum Excess {
    Depth,
    Cases,
    TypeNames,
    Members,
    Dimensions,
}

impl Excess {
    fn problem(self, span: Span) -> Problem {
        let (message, help) = match self {
            Excess::Depth => {
                (format!("nested too deeply: more than {DEEPEST} levels"), "split the expression or statement here")
            }
            Excess::Cases => {
                (format!("nested too deeply: more than {MOST_CASES} cases in one function"), "split the switch")
            }
            Excess::TypeNames => {
                (format!("more than {MOST_TYPE_NAMES} type names"), "remove the type names that nothing uses")
            }
            Excess::Members => (format!("more than {MOST_MEMBERS} members in one record"), "use an array"),
            Excess::Dimensions => {
                (format!("nested too deeply: more than {MOST_DIMENSIONS} dimensions"), "use fewer dimensions")
            }
        };
        Problem::error(span, message).help(help)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Outside every bracket.
    File,
    /// The body of a function or a block: statements.
    Block,
    /// Members, enumerators, an initialiser: what stands side by side is not nested.
    List,
    /// `(...)`, with what stood before it.
    Round(Before),
    /// `[...]`
    Square,
}

/// What an opening bracket follows; tells `if (...) {` from `(T) {`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Word,
    /// `return`, `sizeof` and the like, behind which an expression stands.
    Operator,
    Punctuation(u8),
    Nothing,
}

/// An open bracket and what has been seen at its level.
struct Frame {
    kind: Kind,
    /// The bound of the depth at which the bracket stands.
    outer: u32,
    /// Tokens since the last one that ended a construct.
    tokens: u32,
    /// Statements without a bracket around them that are still open.
    statements: u32,
    /// A statement has ended, unless `else` comes next.
    ended: bool,
    members: u32,
}

impl Frame {
    fn new(kind: Kind, outer: u32) -> Frame {
        Frame { kind, outer, tokens: 0, statements: 0, ended: false, members: 0 }
    }

    fn depth(&self) -> u32 {
        self.outer + self.statements + self.tokens
    }
}

struct Survey {
    frames: Vec<Frame>,
    before: Before,
    /// What stood before the round bracket that was closed last.
    before_round: Before,
    cases: u32,
    type_names: u32,
    dimensions: u32,
}

impl Survey {
    fn new() -> Survey {
        Survey {
            frames: vec![Frame::new(Kind::File, 0)],
            before: Before::Nothing,
            before_round: Before::Nothing,
            cases: 0,
            type_names: 0,
            dimensions: 0,
        }
    }

    fn top(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(Kind::File, 0));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn token(&mut self, token: Token<'_>) -> Option<Excess> {
        let top = self.top();
        if std::mem::take(&mut top.ended) && token != Token::Word(b"else") {
            top.statements = 0;
        }
        top.tokens += 1;
        let excess = match token {
            Token::Word(word) => self.word(word),
            Token::Punctuation(byte) => self.punctuation(byte),
            Token::Literal => {
                self.before = Before::Word;
                None
            }
            Token::Directive(_) | Token::Stray(_) | Token::End => None,
        };
        excess.or_else(|| (self.top().depth() > DEEPEST).then_some(Excess::Depth))
    }

    fn word(&mut self, word: &[u8]) -> Option<Excess> {
        self.before = Before::Word;
        match word {
            b"if" | b"while" | b"for" | b"do" | b"switch" => self.top().statements += 1,
            b"return" | b"sizeof" | b"case" | b"goto" | b"_Alignof" | b"__alignof__" | b"__alignof"
            | b"__extension__" | b"__real__" | b"__imag__" => self.before = Before::Operator,
            b"typedef" => self.type_names += 1,
            _ => {}
        }
        if word == b"case" {
            self.cases += 1;
        }
        if self.cases > MOST_CASES {
            return Some(Excess::Cases);
        }
        (self.type_names > MOST_TYPE_NAMES).then_some(Excess::TypeNames)
    }

    fn punctuation(&mut self, byte: u8) -> Option<Excess> {
        match byte {
            b'(' => self.open(Kind::Round(self.before)),
            b'[' => {
                let again = self.before == Before::Punctuation(b']');
                self.dimensions = if again { self.dimensions + 1 } else { 0 };
                self.open(Kind::Square);
            }
            b'{' => {
                let kind = self.brace_kind();
                self.open(kind);
            }
            b')' | b']' | b'}' => self.close(),
            b';' => {
                let top = self.top();
                top.tokens = 0;
                top.ended = true;
                top.members += u32::from(top.kind == Kind::List);
            }
            b':' => {
                // A label, a `case` or the end of a conditional's second operand: what came before is complete.
                let top = self.top();
                if top.kind == Kind::Block {
                    top.statements += 1;
                    top.tokens = 0;
                }
            }
            b',' if matches!(self.top().kind, Kind::File | Kind::List) => self.top().tokens = 0,
            _ => {}
        }
        self.before = Before::Punctuation(byte);
        if self.dimensions > MOST_DIMENSIONS {
            return Some(Excess::Dimensions);
        }
        (self.top().members > MOST_MEMBERS).then_some(Excess::Members)
    }

    fn open(&mut self, kind: Kind) {
        let outer = self.top().depth() + 1;
        self.frames.push(Frame::new(kind, outer));
    }

    /// Whether statements or a list stand behind this `{`.
    fn brace_kind(&mut self) -> Kind {
        let top = self.top();
        let (parent, statements) = (top.kind, top.statements);
        match self.before {
            Before::Punctuation(b')') if parent == Kind::File => Kind::Block,
            Before::Punctuation(b')') if self.before_round == Before::Word => Kind::Block,
            Before::Punctuation(b'(') => Kind::Block,
            Before::Punctuation(b'{' | b'}' | b';' | b':') if parent != Kind::List => Kind::Block,
            // `do {` and `else {`: the statement count tells them from `struct S {` well enough, as a record in
            // front of which a statement is open is rare and the bounds of a block are the stricter ones.
            Before::Word if parent == Kind::Block && statements > 0 => Kind::Block,
            _ => Kind::List,
        }
    }

    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if let Kind::Round(before) = frame.kind {
            self.before_round = before;
        }
        let top = self.top();
        top.tokens += 1;
        if frame.kind == Kind::Block && matches!(top.kind, Kind::Block | Kind::File) {
            top.tokens = 0;
            top.ended = true;
            if top.kind == Kind::File {
                self.cases = 0;
            }
        }
    }
}
