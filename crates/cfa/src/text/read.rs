//! Reads the text form: declarations first, then everything that refers to them.
//!
//! Whatever the text is, the reader ends with a well-formed program or with an error that names the place and what was
//! expected there. Its recursion and its memory are bounded by the text.

use tandem_base::{Id, IdVec, SourceText, Span};
use tandem_syntax::types::{RecordId, Type};
use tandem_syntax::{DataModel, Types};

use super::lex::{Kind, Read, ReadError, Tokens};
use super::names::Names;
use super::positions::Positions;
use super::read_types::{TypeReader, bit_range};
use super::words::{VARIABLE_KINDS, thing};
use crate::check::check;
use crate::library::LibraryUse;
use crate::model::*;

/// The program that a text describes. Its source has the right file name, lines and columns, but is blank.
pub fn read(text: &str) -> Result<Program, ReadError> {
    let mut reader = Reader::new(Tokens::of(text)?);
    let (file, entry_at) = reader.header()?;
    reader.declarations()?;
    reader.settle_declarations()?;
    let entry = reader.entry(entry_at)?;
    reader.initial_values()?;
    reader.bodies()?;
    let source = reader.positions.source(&file, text.len());
    let mut program = reader.program(source, entry)?;
    let has_body = |name: &str| program.function_named(name).is_some_and(|id| program.functions[id].body.is_some());
    program.library_use = LibraryUse::of(text.as_bytes(), has_body);
    match check(&program).first() {
        None => Ok(program),
        Some(violation) => {
            Err(ReadError { line: 1, column: 1, message: format!("expected a well-formed program, but {violation}") })
        }
    }
}

/// Things with an explicit number each, in any order, until all are there.
pub(super) struct Numbered<T> {
    items: Vec<(u32, u32, T)>,
}

impl<T> Numbered<T> {
    fn new() -> Self {
        Numbered { items: Vec::new() }
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }

    pub fn add(&mut self, number: u32, at: u32, item: T) {
        self.items.push((number, at, item));
    }

    /// All items, by number; each number from zero on must be there once.
    fn dense<I: Id>(mut self, tokens: &Tokens<'_>, what: &str) -> Read<IdVec<I, T>> {
        self.items.sort_by_key(|(number, ..)| *number);
        let mut dense = IdVec::new();
        for (wanted, (number, at, item)) in self.items.into_iter().enumerate() {
            if number as usize != wanted {
                return Err(tokens.error_at(at, format!("expected {what} {wanted} before {number}, each number once")));
            }
            dense.push(item);
        }
        Ok(dense)
    }
}

/// Where the rest of a declaration stands: a token's number.
struct Later<I> {
    at: usize,
    of: I,
}

pub(super) struct Reader<'a> {
    pub tokens: Tokens<'a>,
    pub types: TypeReader,
    pub arena: Arena,
    pub variables: IdVec<VariableId, Variable>,
    pub functions: IdVec<FunctionId, Function>,
    /// The function whose body is being read.
    pub inside: Option<FunctionId>,
    pub nodes: Numbered<Node>,
    pub edges: Numbered<Edge>,
    pub decisions: Numbered<Decision>,
    pub conditions: Numbered<Condition>,
    pub statements: Numbered<StatementStart>,
    positions: Positions,
    declared_variables: Numbered<Variable>,
    declared_functions: Numbered<Function>,
    values: Vec<Later<u32>>,
    later_bodies: Vec<Later<FunctionId>>,
}

impl<'a> Reader<'a> {
    fn new(tokens: Tokens<'a>) -> Reader<'a> {
        Reader {
            tokens,
            types: TypeReader::new(Types::new(DataModel::Lp64)),
            arena: Arena::default(),
            variables: IdVec::new(),
            functions: IdVec::new(),
            inside: None,
            nodes: Numbered::new(),
            edges: Numbered::new(),
            decisions: Numbered::new(),
            conditions: Numbered::new(),
            statements: Numbered::new(),
            positions: Positions::default(),
            declared_variables: Numbered::new(),
            declared_functions: Numbered::new(),
            values: Vec::new(),
            later_bodies: Vec::new(),
        }
    }

    fn header(&mut self) -> Read<(String, usize)> {
        self.tokens.expect("tandem")?;
        self.tokens.expect("cfa")?;
        if self.tokens.peek().text != "1" {
            return Err(self.tokens.expected("version 1 of the format"));
        }
        self.tokens.next();
        self.tokens.expect("file")?;
        let file = self.tokens.string("the name of the file in double quotes")?;
        self.tokens.expect("model")?;
        let Some(model) = DataModel::from_name(self.tokens.peek().text) else {
            return Err(self.tokens.expected("`ILP32` or `LP64`"));
        };
        self.tokens.next();
        self.types = TypeReader::new(Types::new(model));
        self.tokens.expect("entry")?;
        let entry_at = self.tokens.at;
        self.tokens.name("the name of the function a run starts in, or `none`")?;
        if self.tokens.take("#") {
            self.tokens.number::<u32>("the number of a function")?;
        }
        Ok((file, entry_at))
    }

    fn declarations(&mut self) -> Read<()> {
        let mut records = Vec::new();
        while self.tokens.take("record") {
            let of = self.types.types.records.next_id();
            records.push(Later { at: self.types.record(&mut self.tokens)?, of });
        }
        self.types.names = Names::of_records(&self.types.types.records);
        while self.tokens.take("type") {
            self.types.listed(&mut self.tokens)?;
        }
        self.members(records)?;
        loop {
            let token = self.tokens.peek();
            match thing(&VARIABLE_KINDS, token.text) {
                Some(kind) if token.kind == Kind::Name => self.variable(kind, None)?,
                _ if self.tokens.take("function") => self.function()?,
                _ if token.kind == Kind::End => return Ok(()),
                _ => return Err(self.tokens.expected("a record, a type, a variable or a function")),
            }
        }
    }

    fn members(&mut self, records: Vec<Later<RecordId>>) -> Read<()> {
        let back = self.tokens.at;
        for record in records {
            self.tokens.at = record.at;
            self.types.members(&mut self.tokens, record.of)?;
        }
        self.tokens.at = back;
        Ok(())
    }

    /// `local x#3: int @ ...`, but for the initial values.
    fn variable(&mut self, kind: VariableKind, function: Option<FunctionId>) -> Read<()> {
        self.tokens.next();
        let at = self.tokens.peek().at;
        let name = self.tokens.name("the name of a variable")?;
        self.tokens.expect("#")?;
        let number = self.tokens.number("the number of a variable")?;
        self.tokens.expect(":")?;
        let ty = self.types.ty(&mut self.tokens)?;
        let span = self.span()?;
        let scope = if self.tokens.take("scope") { self.range()? } else { Span::NONE };
        let in_memory = self.tokens.take("memory");
        if self.tokens.take("=") {
            if !self.tokens.is("{") {
                return Err(self.tokens.expected("`{`"));
            }
            let at = self.tokens.skip_braces()?;
            self.values.push(Later { at, of: number });
        }
        let initializer = Box::new([]);
        let variable = Variable { name, ty, kind, function, span, scope, initializer, in_memory };
        self.declared_variables.add(number, at, variable);
        Ok(())
    }

    /// `function f#0: int(void) @ ... {`, its variables, and where the rest stands.
    fn function(&mut self) -> Read<()> {
        let at = self.tokens.peek().at;
        let name = self.tokens.name("the name of a function")?;
        self.tokens.expect("#")?;
        let id = FunctionId(self.tokens.number("the number of a function")?);
        self.tokens.expect(":")?;
        let type_at = self.tokens.peek().at;
        let ty = self.types.ty(&mut self.tokens)?;
        if !matches!(self.types.types.get(ty), Type::Function(_)) {
            return Err(self.tokens.error_at(type_at, "expected a function type".into()));
        }
        let span = self.span()?;
        let is_noreturn = self.tokens.take("noreturn");
        let is_library = self.tokens.take("library");
        if !self.tokens.is("{") {
            return Err(self.tokens.expected("`noreturn`, `library` or `{`"));
        }
        let start = self.tokens.at;
        self.tokens.next();
        while let Some(kind) = thing(&VARIABLE_KINDS, self.tokens.peek().text) {
            self.variable(kind, Some(id))?;
        }
        let rest = self.tokens.at;
        self.tokens.at = start;
        self.tokens.skip_braces()?;
        self.later_bodies.push(Later { at: rest, of: id });
        self.declared_functions.add(id.0, at, Function { name, ty, span, body: None, is_noreturn, is_library });
        Ok(())
    }

    fn settle_declarations(&mut self) -> Read<()> {
        let variables = std::mem::replace(&mut self.declared_variables, Numbered::new());
        self.variables = variables.dense(&self.tokens, "variable")?;
        let functions = std::mem::replace(&mut self.declared_functions, Numbered::new());
        self.functions = functions.dense(&self.tokens, "function")?;
        self.types.names.add_variables(&self.variables);
        self.types.names.add_functions(&self.functions);
        Ok(())
    }

    fn entry(&mut self, at: usize) -> Read<Option<FunctionId>> {
        self.tokens.at = at;
        // A function may be called `none`.
        if self.tokens.is("none") && self.types.names.function("none").is_none() {
            return Ok(None);
        }
        self.function_used().map(Some)
    }

    fn initial_values(&mut self) -> Read<()> {
        for later in std::mem::take(&mut self.values) {
            self.tokens.at = later.at;
            let id = VariableId(later.of);
            self.inside = self.variables[id].function;
            self.tokens.expect("{")?;
            let mut values = Vec::new();
            while !self.tokens.take("}") {
                let offset = self.tokens.number("an offset in bytes or `}`")?;
                let bits = bit_range(&mut self.tokens)?;
                self.tokens.expect(":")?;
                let value = if self.tokens.is("bytes") && self.tokens.ahead(1).kind == Kind::Bytes {
                    self.tokens.next();
                    InitialData::Bytes(self.tokens.bytes("bytes")?.into())
                } else {
                    InitialData::Scalar(self.expr()?)
                };
                self.tokens.expect(";")?;
                values.push(InitialValue { offset, bits, value });
            }
            self.variables[id].initializer = values.into();
        }
        Ok(())
    }

    fn bodies(&mut self) -> Read<()> {
        for later in std::mem::take(&mut self.later_bodies) {
            self.tokens.at = later.at;
            self.inside = Some(later.of);
            self.body(later.of)?;
        }
        Ok(())
    }

    fn program(self, source: SourceText, entry: Option<FunctionId>) -> Read<Program> {
        let tokens = &self.tokens;
        let mut program = Program {
            source,
            types: self.types.types,
            variables: self.variables,
            functions: self.functions,
            nodes: self.nodes.dense(tokens, "node")?,
            edges: self.edges.dense(tokens, "edge")?,
            decisions: self.decisions.dense(tokens, "decision")?,
            conditions: self.conditions.dense(tokens, "condition")?,
            statements: self.statements.dense::<StatementIndex>(tokens, "statement")?.into_inner(),
            arena: self.arena,
            entry,
            library_use: LibraryUse::default(),
        };
        set_out_runs(&mut program);
        Ok(program)
    }

    /// `@ 4:7 [30-41]`, or with the name of another file than the user's before the line.
    pub(super) fn span(&mut self) -> Read<Span> {
        self.tokens.expect("@")?;
        let elsewhere = self.tokens.peek().kind == Kind::Bytes;
        if elsewhere {
            self.tokens.next();
            self.tokens.expect(":")?;
        }
        let mut position = None;
        if self.tokens.peek().kind == Kind::Number {
            let line = self.tokens.number("a line")?;
            self.tokens.expect(":")?;
            position = Some((line, self.tokens.number("a column")?));
        }
        let span = self.range()?;
        if let (Some((line, column)), false, false) = (position, elsewhere, span.is_none()) {
            self.positions.add(span, line, column);
        }
        Ok(span)
    }

    /// `[30-41]` or `none`
    pub(super) fn range(&mut self) -> Read<Span> {
        if self.tokens.take("none") {
            return Ok(Span::NONE);
        }
        if !self.tokens.take("[") {
            return Err(self.tokens.expected("`[` and a range of bytes, or `none`"));
        }
        let lo = self.tokens.number("a byte offset")?;
        self.tokens.expect("-")?;
        let hi = self.tokens.number("a byte offset")?;
        self.tokens.expect("]")?;
        Ok(Span::new(lo, hi))
    }
}

tandem_base::define_id!(
    /// The place of a statement in its list.
    StatementIndex, "statement"
);

/// The edges stand in the order of their sources, or the check will say that they do not.
fn set_out_runs(program: &mut Program) {
    let mut at = 0;
    for id in program.nodes.ids() {
        let start = EdgeId::from_index(at);
        while program.edges.get(EdgeId::from_index(at)).is_some_and(|edge| edge.source == id) {
            at += 1;
        }
        program.nodes[id].out = tandem_base::IdRange::new(start, EdgeId::from_index(at));
    }
}
