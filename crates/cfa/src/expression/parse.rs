//! Tokens to a tree, by C's grammar of expressions. Knows no types; whether a name is that of a type it is told.

use tandem_base::{Problem, Span};

use super::lex::{Kind, Token};
use super::{problem, type_name};

pub(super) type NodeId = usize;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
    Deref,
    Address,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    Name(String),
    Number(String),
    Character(String),
    Unary(Unary, NodeId),
    Binary(Binary, NodeId, NodeId),
    /// At least two.
    All(Vec<NodeId>),
    Any(Vec<NodeId>),
    Conditional(NodeId, NodeId, NodeId),
    Member {
        base: NodeId,
        name: String,
        arrow: bool,
    },
    Index(NodeId, NodeId),
    Cast(Vec<String>, NodeId),
    SizeOfType(Vec<String>),
    SizeOf(NodeId),
}

pub(super) struct Tree {
    nodes: Vec<(Node, Span)>,
    pub root: NodeId,
}

impl Tree {
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id].0
    }

    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id].1
    }
}

/// Nodes inside each other that are accepted.
const DEEPEST: usize = 5_000;

pub(super) fn parse(text: &str, tokens: &[Token<'_>], is_type: &dyn Fn(&str) -> bool) -> Result<Tree, Problem> {
    let mut parser = Parser { tokens, is_type, at: 0, nodes: Vec::new(), depths: Vec::new(), open: 0 };
    if parser.peek().kind == Kind::End {
        return Err(problem(Span::new(0, text.len() as u32), "an expression is missing"));
    }
    let root = parser.conditional()?;
    match parser.peek() {
        Token { kind: Kind::End, .. } => Ok(Tree { nodes: parser.nodes, root }),
        token => Err(parser.wrong(token)),
    }
}

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    /// Whether a name means a type here.
    is_type: &'t dyn Fn(&str) -> bool,
    at: usize,
    nodes: Vec<(Node, Span)>,
    depths: Vec<usize>,
    open: usize,
}

type Parsed = Result<NodeId, Problem>;

impl<'t> Parser<'t> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn is(&self, symbol: &str) -> bool {
        let token = self.peek();
        token.kind == Kind::Symbol && token.text == symbol
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Problem> {
        if self.take(symbol) {
            return Ok(());
        }
        let token = self.peek();
        let found = if token.kind == Kind::End { "the end".to_string() } else { format!("'{}'", token.text) };
        Err(problem(token.span(), format!("'{symbol}' expected, found {found}")))
    }

    fn wrong(&self, token: Token<'_>) -> Problem {
        let message = match token.text {
            "++" | "--" | "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "<<=" | ">>=" | "&=" | "^=" | "|=" => {
                format!("'{}' has a side effect: only expressions without side effects are accepted", token.text)
            }
            "," => "the comma operator is not accepted here".to_string(),
            "" => "the expression ends too early".to_string(),
            _ => format!("'{}' is not expected here", token.text),
        };
        problem(token.span(), message)
    }

    /// Adds a node that reaches from `start` to the last token taken.
    fn add(&mut self, node: Node, start: u32, children: &[NodeId]) -> Parsed {
        let end = self.tokens[self.at.saturating_sub(1)].span().hi;
        let span = Span::new(start, end);
        let depth = 1 + children.iter().map(|child| self.depths[*child]).max().unwrap_or(0);
        if depth > DEEPEST {
            return Err(problem(span, "the expression is nested too deeply"));
        }
        self.depths.push(depth);
        self.nodes.push((node, span));
        Ok(self.nodes.len() - 1)
    }

    fn conditional(&mut self) -> Parsed {
        self.open += 1;
        if self.open > DEEPEST {
            return Err(problem(self.peek().span(), "the expression is nested too deeply"));
        }
        let start = self.peek().at;
        let mut result = self.any()?;
        if self.take("?") {
            let then = self.conditional()?;
            self.expect(":")?;
            let otherwise = self.conditional()?;
            result = self.add(Node::Conditional(result, then, otherwise), start, &[result, then, otherwise])?;
        }
        self.open -= 1;
        Ok(result)
    }

    fn any(&mut self) -> Parsed {
        let start = self.peek().at;
        let mut parts = vec![self.all()?];
        while self.take("||") {
            parts.push(self.all()?);
        }
        self.joined(parts, Node::Any, start)
    }

    fn all(&mut self) -> Parsed {
        let start = self.peek().at;
        let mut parts = vec![self.binary(0)?];
        while self.take("&&") {
            parts.push(self.binary(0)?);
        }
        self.joined(parts, Node::All, start)
    }

    fn joined(&mut self, parts: Vec<NodeId>, node: fn(Vec<NodeId>) -> Node, start: u32) -> Parsed {
        match parts[..] {
            [single] => Ok(single),
            _ => self.add(node(parts.clone()), start, &parts),
        }
    }

    fn binary(&mut self, least: u8) -> Parsed {
        let start = self.peek().at;
        let mut left = self.unary()?;
        loop {
            let token = self.peek();
            let Some((operator, level)) = binary(token).filter(|(_, level)| *level >= least) else { return Ok(left) };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = self.add(Node::Binary(operator, left, right), start, &[left, right])?;
        }
    }

    fn unary(&mut self) -> Parsed {
        let token = self.peek();
        let operator = match (token.kind, token.text) {
            (Kind::Symbol, "+") => Unary::Plus,
            (Kind::Symbol, "-") => Unary::Minus,
            (Kind::Symbol, "~") => Unary::Complement,
            (Kind::Symbol, "!") => Unary::Not,
            (Kind::Symbol, "*") => Unary::Deref,
            (Kind::Symbol, "&") => Unary::Address,
            (Kind::Word, "sizeof") => return self.size_of(),
            (Kind::Symbol, "(") => return self.parenthesis(),
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = self.nested(Self::unary)?;
        self.add(Node::Unary(operator, operand), token.at, &[operand])
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Parsed) -> Parsed {
        self.open += 1;
        if self.open > DEEPEST {
            return Err(problem(self.peek().span(), "the expression is nested too deeply"));
        }
        let result = inner(self)?;
        self.open -= 1;
        Ok(result)
    }

    fn size_of(&mut self) -> Parsed {
        let start = self.peek().at;
        self.at += 1;
        if let Some(words) = self.type_in_parentheses() {
            return self.add(Node::SizeOfType(words), start, &[]);
        }
        let operand = self.nested(Self::unary)?;
        self.add(Node::SizeOf(operand), start, &[operand])
    }

    /// A cast, or an expression in parentheses.
    fn parenthesis(&mut self) -> Parsed {
        let start = self.peek().at;
        if let Some(words) = self.type_in_parentheses() {
            let operand = self.nested(Self::unary)?;
            return self.add(Node::Cast(words, operand), start, &[operand]);
        }
        self.postfix()
    }

    /// `( type )`, if that is what stands here: words and stars alone.
    fn type_in_parentheses(&mut self) -> Option<Vec<String>> {
        let rest = &self.tokens[self.at..];
        if !matches!(rest.first(), Some(Token { text: "(", kind: Kind::Symbol, .. })) {
            return None;
        }
        let length = rest[1..].iter().take_while(|t| t.kind == Kind::Word || t.text == "*").count();
        let (words, behind) = rest[1..].split_at(length);
        if behind.first().is_none_or(|token| token.text != ")") || !type_name::begins_type(words, self.is_type) {
            return None;
        }
        self.at += length + 2;
        Some(words.iter().map(|token| token.text.to_string()).collect())
    }

    fn postfix(&mut self) -> Parsed {
        let start = self.peek().at;
        let mut base = self.primary()?;
        loop {
            if self.take("[") {
                let index = self.conditional()?;
                self.expect("]")?;
                base = self.add(Node::Index(base, index), start, &[base, index])?;
            } else if self.is(".") || self.is("->") {
                let arrow = self.is("->");
                self.at += 1;
                let token = self.peek();
                if token.kind != Kind::Word {
                    return Err(problem(token.span(), "the name of a member is expected"));
                }
                self.at += 1;
                base = self.add(Node::Member { base, name: token.text.to_string(), arrow }, start, &[base])?;
            } else if self.is("(") {
                return Err(problem(
                    self.peek().span(),
                    "calls are not accepted in an expression without side effects",
                ));
            } else {
                return Ok(base);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let token = self.peek();
        let node = match token.kind {
            Kind::Word if type_name::is_type_word(token.text) => {
                return Err(problem(token.span(), format!("the type '{}' is not expected here", token.text)));
            }
            Kind::Word => Node::Name(token.text.to_string()),
            Kind::Number => Node::Number(token.text.to_string()),
            Kind::Character => Node::Character(token.text.to_string()),
            Kind::Symbol if token.text == "(" => {
                self.at += 1;
                let inner = self.conditional()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Kind::Symbol | Kind::End => return Err(self.wrong(token)),
        };
        self.at += 1;
        self.add(node, token.at, &[])
    }
}

/// A binary operator and how tightly it binds.
fn binary(token: Token<'_>) -> Option<(Binary, u8)> {
    if token.kind != Kind::Symbol {
        return None;
    }
    Some(match token.text {
        "|" => (Binary::Or, 0),
        "^" => (Binary::Xor, 1),
        "&" => (Binary::And, 2),
        "==" => (Binary::Eq, 3),
        "!=" => (Binary::Ne, 3),
        "<" => (Binary::Lt, 4),
        ">" => (Binary::Gt, 4),
        "<=" => (Binary::Le, 4),
        ">=" => (Binary::Ge, 4),
        "<<" => (Binary::Shl, 5),
        ">>" => (Binary::Shr, 5),
        "+" => (Binary::Add, 6),
        "-" => (Binary::Sub, 6),
        "*" => (Binary::Mul, 7),
        "/" => (Binary::Div, 7),
        "%" => (Binary::Rem, 7),
        _ => return None,
    })
}
