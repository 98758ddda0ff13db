//! From tokens to the tree: primitive filters and the operations that are written as functions.

use tandem_base::{Problem, Span};

use super::lex::Token;
use super::parse::{Parser, predicate_text};
use super::tree::*;

const FILTERS: &str = "@FILE('f'), @LINE(n), @COLUMN(n), @FUNC(f), @LABEL(l), @CALL(f), @CALLS, @ENTRY(f), @EXIT(f), \
    @BASICBLOCKENTRY, @CONDITIONEDGE, @DECISIONEDGE, @CONDITIONGRAPH, @DEF(v), @USE(v), @STMTTYPE(t, ...), or @n for a line";

impl Parser<'_> {
    /// `@...`
    pub(super) fn primitive(&mut self) -> Result<Filter, Problem> {
        let start = self.span();
        let Token::At(name) = self.peek() else { return Err(self.unexpected("a filter is missing here", FILTERS)) };
        self.advance();
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            let line = name.parse();
            let line = line.map_err(|_| Problem::error(start, "there is no such line").help("a smaller number"))?;
            return Ok(Filter { kind: FilterKind::Line(line), span: start });
        }
        let kind = match &*name.to_ascii_uppercase() {
            "BASICBLOCKENTRY" => FilterKind::BasicBlockEntry,
            "CONDITIONEDGE" => FilterKind::ConditionEdge,
            "DECISIONEDGE" => FilterKind::DecisionEdge,
            "CONDITIONGRAPH" => FilterKind::ConditionGraph,
            "CALLS" => FilterKind::Calls,
            "FILE" => FilterKind::File(self.argument(start, "a file name in single quotes")?),
            "LINE" => FilterKind::Line(self.numeric(start, "a line")?),
            "COLUMN" => FilterKind::Column(self.numeric(start, "a column")?),
            "FUNC" => FilterKind::Function(self.argument(start, "the name of a function")?),
            "LABEL" => FilterKind::Label(self.argument(start, "the name of a label")?),
            "CALL" => FilterKind::Call(self.argument(start, "the name of a function")?),
            "ENTRY" => FilterKind::Entry(self.argument(start, "the name of a function")?),
            "EXIT" => FilterKind::Exit(self.argument(start, "the name of a function")?),
            "DEF" => FilterKind::Definition(self.argument(start, "the name of a variable")?),
            "USE" => FilterKind::Use(self.argument(start, "the name of a variable")?),
            "STMTTYPE" => FilterKind::StatementType(self.statement_types(start)?),
            "EXPR" | "REGEXP" => {
                let message = "no published tool gives this filter a meaning, and none is given here";
                return Err(Problem::error(start, message).help(FILTERS));
            }
            _ => return Err(Problem::error(start, format!("there is no filter `@{name}`")).help(FILTERS)),
        };
        Ok(Filter { kind, span: start.to(self.last_span()) })
    }

    /// `ID` and the functions on filters.
    pub(super) fn operation(&mut self, word: &str) -> Result<Filter, Problem> {
        let start = self.span();
        let name = word.to_ascii_uppercase();
        let known = ["ID", "NOT", "COMPLEMENT", "UNION", "INTERSECT", "SETMINUS", "COMPOSE", "PRED"];
        if !known.contains(&&*name) {
            return Err(self.no_operation(word, start));
        }
        self.advance();
        if name == "ID" {
            return Ok(Filter { kind: FilterKind::Identity, span: start });
        }
        self.open()?;
        let first = self.filter()?;
        let kind = match &*name {
            "NOT" | "COMPLEMENT" => FilterKind::Not(Box::new(first)),
            "PRED" => {
                self.comma()?;
                FilterKind::Split(Box::new(first), self.predicate()?)
            }
            _ => {
                self.comma()?;
                let second = self.filter()?;
                match &*name {
                    "UNION" => FilterKind::Union(vec![first, second]),
                    "INTERSECT" => FilterKind::Intersection(vec![first, second]),
                    "SETMINUS" => FilterKind::Minus(Box::new(first), Box::new(second)),
                    _ => FilterKind::Compose(Box::new(first), Box::new(second)),
                }
            }
        };
        self.close(start)?;
        Ok(Filter { kind, span: start.to(self.last_span()) })
    }

    fn no_operation(&self, word: &str, start: Span) -> Problem {
        let help = "ID, NOT, COMPLEMENT, UNION, INTERSECT, SETMINUS, COMPOSE, PRED, NODES, EDGES, PATHS";
        let message = match &*word.to_ascii_uppercase() {
            "ENCLOSING_SCOPES" | "DEPS" => {
                "no published tool gives this operation a meaning, and none is given here".into()
            }
            _ => format!("`{word}` means nothing here"),
        };
        Problem::error(start, message).help(help)
    }

    fn predicate(&mut self) -> Result<Box<str>, Problem> {
        let span = self.span();
        let Token::Predicate(text) = self.peek() else {
            return Err(self.unexpected("a predicate is missing here", "a C expression in braces"));
        };
        predicate_text(text, span)?;
        self.advance();
        Ok(text.trim().into())
    }

    fn argument(&mut self, start: Span, what: &str) -> Result<Box<str>, Problem> {
        self.open()?;
        let name = match self.peek() {
            Token::Word(name) | Token::Name(name) => name.into(),
            _ => return Err(self.unexpected("the argument of the filter does not fit", what)),
        };
        self.advance();
        self.close(start)?;
        Ok(name)
    }

    fn numeric(&mut self, start: Span, what: &str) -> Result<u32, Problem> {
        self.open()?;
        let number = self.number(what)?;
        self.close(start)?;
        Ok(number)
    }

    fn statement_types(&mut self, start: Span) -> Result<Vec<StatementType>, Problem> {
        self.open()?;
        let mut types = Vec::new();
        loop {
            let word = match self.peek() {
                Token::Word(word) | Token::Symbol(word) => word,
                _ => "",
            };
            let found = StatementType::ALL.into_iter().find(|ty| ty.name().eq_ignore_ascii_case(word));
            let Some(found) = found else {
                return Err(self.unexpected("the kind of statement is missing", "if, for, while, switch, ?:, assert"));
            };
            types.push(found);
            self.advance();
            if !self.take(",") {
                break;
            }
        }
        self.close(start)?;
        Ok(types)
    }
}
