//! Reads what stands inside of a function: nodes, loops, decisions, edges.

use tandem_base::{IdRange, Span};

use super::lex::{Kind, Read};
use super::read::Reader;
use super::words::{BUILTINS, DECISION_KINDS, thing};
use crate::model::*;

impl Reader<'_> {
    /// From behind the variables up to the closing brace.
    pub(super) fn body(&mut self, id: FunctionId) -> Read<()> {
        let mut body = None;
        if self.tokens.is("parameters") {
            body = Some(self.frame(id)?);
        }
        loop {
            let token = self.tokens.peek();
            match (token.kind, token.text) {
                (Kind::Symbol, "}") => break,
                (Kind::Name, "decision") => self.decision(id)?,
                (Kind::Name, "condition") => self.condition()?,
                (Kind::Name, "statement") => self.statement()?,
                (Kind::Name, _) if body.is_some() => self.edge()?,
                _ => return Err(self.tokens.expected("a decision, a condition, a statement, an edge or `}`")),
            }
        }
        self.functions[id].body = body;
        Ok(())
    }

    fn frame(&mut self, id: FunctionId) -> Read<Body> {
        self.tokens.expect("parameters")?;
        let parameters = self.variable_list("locals")?;
        let locals = self.variable_list("nodes")?;
        let at = self.tokens.peek().at;
        let nodes = IdRange::new(NodeId(self.tokens.id("n", "a node")?), self.end("n").map(NodeId)?);
        // Every node but two has an edge, and every edge several tokens: what claims more nodes is refused unread.
        if nodes.start > nodes.end || nodes.end.0 as usize > self.tokens.count() {
            return Err(self.tokens.error_at(at, "expected a run of nodes no longer than the text".into()));
        }
        for node in nodes.iter() {
            let out = IdRange::new(EdgeId(0), EdgeId(0));
            self.nodes.add(node.0, at, Node { function: id, out });
            if self.nodes.count() > self.tokens.count() {
                return Err(self.tokens.error_at(at, "expected each node in one function".into()));
            }
        }
        self.tokens.expect("entry")?;
        let entry = self.node()?;
        self.tokens.expect("exit")?;
        let exit = self.node()?;
        self.tokens.expect("edges")?;
        let edges = IdRange::new(EdgeId(self.tokens.id("e", "an edge")?), self.end("e").map(EdgeId)?);
        let loops = self.loops()?;
        let labels = self.labels()?.into();
        Ok(Body { entry, exit, nodes, edges, parameters, locals, labels, loops })
    }

    /// `to n12`
    fn end(&mut self, prefix: &str) -> Read<u32> {
        self.tokens.expect("to")?;
        self.tokens.id(prefix, &format!("`{prefix}` and a number"))
    }

    fn node(&mut self) -> Read<NodeId> {
        self.tokens.id("n", "a node").map(NodeId)
    }

    /// Variables between commas up to the word that follows.
    fn variable_list(&mut self, end: &str) -> Read<Box<[VariableId]>> {
        let mut list = Vec::new();
        // A variable may be called as the word that ends the list.
        while !self.tokens.is(end) || matches!(self.tokens.ahead(1).text, "," | "#") {
            list.push(self.variable_used()?);
            if !self.tokens.take(",") {
                break;
            }
        }
        self.tokens.expect(end)?;
        Ok(list.into())
    }

    fn loops(&mut self) -> Read<Box<[LoopStatement]>> {
        let mut loops = Vec::new();
        while self.tokens.take("loop") {
            let head = self.node()?;
            loops.push(LoopStatement { span: self.span()?, head });
        }
        Ok(loops.into())
    }

    fn labels(&mut self) -> Read<Vec<(Box<str>, NodeId)>> {
        let mut labels = Vec::new();
        while self.tokens.take("label") {
            let name = self.tokens.name("the name of a label")?;
            labels.push((name, self.node()?));
        }
        Ok(labels)
    }

    /// A number and a colon.
    fn numbered(&mut self) -> Read<(u32, u32)> {
        let at = self.tokens.next().at;
        let number = self.tokens.number("a number")?;
        self.tokens.expect(":")?;
        Ok((number, at))
    }

    fn decision(&mut self, function: FunctionId) -> Read<()> {
        let (number, at) = self.numbered()?;
        let Some(kind) = thing(&DECISION_KINDS, self.tokens.peek().text) else {
            return Err(self.tokens.expected("a kind of decision"));
        };
        self.tokens.next();
        self.tokens.expect("outcomes")?;
        let outcomes = self.tokens.number("a number of outcomes")?;
        let span = self.span()?;
        self.tokens.expect("statement")?;
        let statement = self.range()?;
        self.decisions.add(number, at, Decision { kind, span, statement, function, outcomes });
        Ok(())
    }

    fn condition(&mut self) -> Read<()> {
        let (number, at) = self.numbered()?;
        self.tokens.expect("decision")?;
        let decision = DecisionId(self.tokens.number("the number of a decision")?);
        let span = self.span()?;
        self.conditions.add(number, at, Condition { span, decision });
        Ok(())
    }

    fn statement(&mut self) -> Read<()> {
        let (number, at) = self.numbered()?;
        let node = self.node()?;
        let span = self.span()?;
        self.statements.add(number, at, StatementStart { span, node });
        Ok(())
    }

    fn edge(&mut self) -> Read<()> {
        let at = self.tokens.peek().at;
        let number = self.tokens.id("e", "a decision, a condition, a statement, an edge or `}`")?;
        self.tokens.expect(":")?;
        let source = self.node()?;
        self.tokens.expect("->")?;
        let target = self.node()?;
        let op = self.op()?;
        let span: Span = self.span()?;
        let mut condition = None;
        if self.tokens.is("condition") && self.tokens.ahead(2).text != ":" {
            self.tokens.next();
            condition = Some(ConditionId(self.tokens.number("the number of a condition")?));
        }
        let mut outcome = None;
        if self.tokens.is("decision") && self.tokens.ahead(2).text != ":" {
            self.tokens.next();
            let decision = DecisionId(self.tokens.number("the number of a decision")?);
            self.tokens.expect("=")?;
            outcome = Some((decision, self.tokens.number("the number of an outcome")?));
        }
        self.edges.add(number, at, Edge { source, target, op, span, condition, outcome });
        Ok(())
    }

    fn op(&mut self) -> Read<Op> {
        let token = self.tokens.peek();
        if token.kind == Kind::Name {
            match token.text {
                "skip" => {
                    self.tokens.next();
                    return Ok(Op::Skip);
                }
                "assume" => {
                    self.tokens.next();
                    let truth = !self.tokens.take("not");
                    return Ok(Op::Assume { condition: self.expr()?, truth });
                }
                "return" => {
                    self.tokens.next();
                    let value = if self.tokens.is("@") { None } else { Some(self.expr()?) };
                    return Ok(Op::Return { value });
                }
                "declare" => {
                    self.tokens.next();
                    return Ok(Op::Declare(self.variable_used()?));
                }
                "unsupported" => {
                    self.tokens.next();
                    return Ok(Op::Unsupported {
                        what: self.tokens.string("what is not supported, in double quotes")?.into(),
                    });
                }
                "call" => return self.call(None),
                _ => {}
            }
        }
        let place = self.place()?;
        self.tokens.expect("=")?;
        if self.tokens.is("call") {
            return self.call(Some(place));
        }
        Ok(Op::Assign { place, value: self.expr()? })
    }

    fn call(&mut self, result: Option<PlaceId>) -> Read<Op> {
        self.tokens.expect("call")?;
        let callee = if self.tokens.take("*") {
            self.tokens.expect("(")?;
            let pointer = self.expr()?;
            self.tokens.expect(")")?;
            Callee::Pointer(pointer)
        } else if self.tokens.take("builtin") {
            let Some(builtin) = thing(&BUILTINS, self.tokens.peek().text) else {
                return Err(self.tokens.expected("the name of a builtin"));
            };
            self.tokens.next();
            Callee::Builtin(builtin)
        } else {
            Callee::Direct(self.function_used()?)
        };
        self.tokens.expect("(")?;
        let mut arguments = Vec::new();
        while !self.tokens.is(")") {
            arguments.push(self.expr()?);
            if !self.tokens.take(",") {
                break;
            }
        }
        self.tokens.expect(")")?;
        Ok(Op::Call { callee, arguments: arguments.into(), result })
    }

    /// A variable by its name, with its number where the name is not enough.
    pub(super) fn variable_used(&mut self) -> Read<VariableId> {
        let start = self.tokens.at;
        let name = self.tokens.name("the name of a variable")?;
        let id = if self.tokens.take("#") {
            let id = VariableId(self.tokens.number("the number of a variable")?);
            self.variables.get(id).filter(|variable| variable.name == name).map(|_| id)
        } else {
            self.types.names.variable(&name, self.inside).flatten()
        };
        id.ok_or_else(|| self.tokens.expected_at(start, "a declared variable, `name#number` if the name is ambiguous"))
    }

    pub(super) fn function_used(&mut self) -> Read<FunctionId> {
        let start = self.tokens.at;
        let name = self.tokens.name("the name of a function")?;
        let id = if self.tokens.take("#") {
            let id = FunctionId(self.tokens.number("the number of a function")?);
            self.functions.get(id).filter(|function| function.name == name).map(|_| id)
        } else {
            self.types.names.function(&name).flatten()
        };
        id.ok_or_else(|| self.tokens.expected_at(start, "a declared function, `name#number` if the name is ambiguous"))
    }
}
