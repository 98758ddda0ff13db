//! The syntax tree of a query. Both dialects have the same trees; what the short forms stand for is said by
//! [`patterns`](super::patterns), not here.

use tandem_base::Span;

/// `in FILTER cover COVERAGE passing PATH`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    pub scope: Option<Filter>,
    pub cover: Anchored,
    pub passing: Option<Anchored>,
}

/// A pattern with `^` (from the very start) and `$` (to the very end).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Anchored {
    pub from_start: bool,
    pub to_end: bool,
    pub pattern: Pattern,
}

/// A coverage pattern or a path pattern: the parser sees to it that each has only what it may have.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    /// In the query text.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PatternKind {
    /// `a + b`: two or more.
    Alternatives(Vec<Pattern>),
    /// `a . b -> c`: the first, and the others with the way they are joined to what precedes them.
    Sequence(Box<Pattern>, Vec<(Joint, Pattern)>),
    /// `"path"`: one goal. In coverage patterns only.
    Quote(Box<Pattern>),
    /// In path patterns only.
    Repeat(Box<Pattern>, Repetition),
    Nodes(Filter),
    Edges(Filter),
    Paths(Filter, u32),
    /// A filter alone: its edges.
    Filter(Filter),
    /// `{C expression}`, without the braces.
    Predicate(Box<str>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joint {
    /// `.`
    Next,
    /// `->`
    Later,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// `*`
    Any,
    AtLeast(u32),
    Exactly(u32),
    AtMost(u32),
}

/// A filter: a part of the program's graph.
#[derive(Clone, Debug)]
pub struct Filter {
    pub kind: FilterKind,
    /// In the query text.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FilterKind {
    Identity,
    File(Box<str>),
    Line(u32),
    Column(u32),
    Function(Box<str>),
    Label(Box<str>),
    Call(Box<str>),
    Calls,
    Entry(Box<str>),
    Exit(Box<str>),
    BasicBlockEntry,
    ConditionEdge,
    DecisionEdge,
    ConditionGraph,
    Definition(Box<str>),
    Use(Box<str>),
    StatementType(Vec<StatementType>),
    Not(Box<Filter>),
    /// Two or more.
    Union(Vec<Filter>),
    /// Two or more.
    Intersection(Vec<Filter>),
    Minus(Box<Filter>, Box<Filter>),
    Compose(Box<Filter>, Box<Filter>),
    /// `PRED(f, {p})`: every node twice, with `p` and without.
    Split(Box<Filter>, Box<str>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatementType {
    If,
    For,
    While,
    Switch,
    Conditional,
    Assert,
}

/// Where a part stood does not matter.
impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Pattern {}

impl PartialEq for Filter {
    fn eq(&self, other: &Filter) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Filter {}

impl StatementType {
    pub const ALL: [StatementType; 6] = [
        StatementType::If,
        StatementType::For,
        StatementType::While,
        StatementType::Switch,
        StatementType::Conditional,
        StatementType::Assert,
    ];

    pub fn name(self) -> &'static str {
        match self {
            StatementType::If => "if",
            StatementType::For => "for",
            StatementType::While => "while",
            StatementType::Switch => "switch",
            StatementType::Conditional => "?:",
            StatementType::Assert => "assert",
        }
    }
}
