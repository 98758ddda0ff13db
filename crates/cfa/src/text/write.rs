//! Writes the text form. Must not fail: whatever a program holds has a notation.

use std::fmt::Write;

use tandem_base::{SourceText, Span};
use tandem_syntax::types::{Field, Record, RecordId, Type, TypeId};

use super::names::{Names, quoted, spelled};
use super::words::{BUILTINS, DECISION_KINDS, VARIABLE_KINDS, word};
use super::write_terms::{Terms, type_definition, type_name};
use crate::model::*;

/// The text form of a program.
pub fn write(program: &Program) -> String {
    let mut names = Names::of_records(&program.types.records);
    names.add_variables(&program.variables);
    names.add_functions(&program.functions);
    let mut writer = Writer { program, names: &names, out: String::new() };
    writer.header();
    writer.types();
    for (id, variable) in program.variables.enumerate() {
        if variable.function.is_none() {
            writer.variable(id, "");
        }
    }
    let owned = Owned::of(program);
    for id in program.functions.ids() {
        writer.function(id, &owned);
    }
    writer.out
}

/// What is listed inside of each function.
struct Owned {
    variables: Vec<Vec<VariableId>>,
    decisions: Vec<Vec<DecisionId>>,
    conditions: Vec<Vec<ConditionId>>,
    statements: Vec<Vec<usize>>,
}

impl Owned {
    fn of(program: &Program) -> Owned {
        let count = program.functions.len();
        let mut owned = Owned {
            variables: vec![Vec::new(); count],
            decisions: vec![Vec::new(); count],
            conditions: vec![Vec::new(); count],
            statements: vec![Vec::new(); count],
        };
        for (id, variable) in program.variables.enumerate() {
            if let Some(function) = variable.function {
                owned.variables[function.0 as usize].push(id);
            }
        }
        for (id, decision) in program.decisions.enumerate() {
            owned.decisions[decision.function.0 as usize].push(id);
        }
        for (id, condition) in program.conditions.enumerate() {
            owned.conditions[program.decisions[condition.decision].function.0 as usize].push(id);
        }
        for (index, statement) in program.statements.iter().enumerate() {
            owned.statements[program.nodes[statement.node].function.0 as usize].push(index);
        }
        owned
    }
}

struct Writer<'a> {
    program: &'a Program,
    names: &'a Names,
    out: String,
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($writer:expr, $($format:tt)*) => { let _ = write!($writer.out, $($format)*); };
}

impl Writer<'_> {
    fn header(&mut self) {
        put!(self, "tandem cfa 1\nfile {}\n", quoted(self.program.source.file().as_bytes(), '"'));
        put!(self, "model {}\n", self.program.model());
        let entry = match self.program.entry {
            Some(function) => self.terms(None).function(function),
            None => "none".to_string(),
        };
        put!(self, "entry {entry}\n");
    }

    fn terms(&self, inside: Option<FunctionId>) -> Terms<'_> {
        Terms::new(self.program, self.names, inside)
    }

    fn ty(&self, ty: TypeId) -> String {
        type_name(&self.program.types, self.names, ty)
    }

    fn types(&mut self) {
        let types = &self.program.types;
        for (id, record) in types.records.enumerate() {
            self.record(id, record);
        }
        for (id, _) in types.iter() {
            put!(self, "type#{} = {}\n", id.0, type_definition(types, self.names, id));
        }
    }

    fn record(&mut self, id: RecordId, record: &Record) {
        let keyword = if record.is_union { "union" } else { "struct" };
        let name = record.name.as_ref().map_or(String::new(), |name| spelled(name));
        put!(self, "record {keyword} {name}#{} size {} align {}", id.0, record.size, record.align);
        self.out.push_str(if record.complete { "" } else { " incomplete" });
        self.out.push_str(if record.variable { " variable" } else { "" });
        self.out.push_str(" {");
        for field in &record.fields {
            self.field(field);
        }
        self.out.push_str(if record.fields.is_empty() { "}\n" } else { "\n}\n" });
    }

    fn field(&mut self, field: &Field) {
        let name = field.name.as_ref().map_or("unnamed".to_string(), |name| spelled(name));
        put!(self, "\n  {name}: {} at {}", self.ty(field.ty), field.offset);
        if let Some(bits) = field.bits {
            put!(self, " bits {} width {}", bits.offset, bits.width);
        }
        self.out.push(';');
    }

    fn variable(&mut self, id: VariableId, indent: &str) {
        let variable = &self.program.variables[id];
        let kind = word(&VARIABLE_KINDS, variable.kind);
        put!(self, "{indent}{kind} {}#{}: {}", spelled(&variable.name), id.0, self.ty(variable.ty));
        self.at(variable.span);
        if !variable.scope.is_none() {
            put!(self, " scope {}", range(variable.scope));
        }
        self.out.push_str(if variable.in_memory { " memory" } else { "" });
        if !variable.initializer.is_empty() {
            self.out.push_str(" = {");
            for initial in &variable.initializer {
                self.initial(initial, variable.function);
            }
            self.out.push_str(" }");
        }
        self.out.push('\n');
    }

    fn initial(&mut self, initial: &InitialValue, inside: Option<FunctionId>) {
        put!(self, " {}", initial.offset);
        if let Some(bits) = initial.bits {
            put!(self, " bits {} width {}", bits.offset, bits.width);
        }
        let value = match &initial.value {
            InitialData::Scalar(value) => self.terms(inside).expr(*value),
            InitialData::Bytes(bytes) => format!("bytes {}", quoted(bytes, '"')),
        };
        put!(self, ": {value};");
    }

    fn function(&mut self, id: FunctionId, owned: &Owned) {
        let function = &self.program.functions[id];
        let index = id.0 as usize;
        let ty = match self.program.types.get(function.ty) {
            Type::Function(_) => type_definition(&self.program.types, self.names, function.ty),
            _ => self.ty(function.ty),
        };
        put!(self, "function {}#{}: {ty}", spelled(&function.name), id.0);
        self.at(function.span);
        self.out.push_str(if function.is_noreturn { " noreturn" } else { "" });
        self.out.push_str(if function.is_library { " library" } else { "" });
        self.out.push_str(" {\n");
        for variable in &owned.variables[index] {
            self.variable(*variable, "  ");
        }
        if let Some(body) = &function.body {
            self.body(id, body);
        }
        for decision in &owned.decisions[index] {
            self.decision(*decision);
        }
        for condition in &owned.conditions[index] {
            let Condition { span, decision } = self.program.conditions[*condition];
            put!(self, "  condition {}: decision {}", condition.0, decision.0);
            self.line(span);
        }
        for statement in &owned.statements[index] {
            let StatementStart { span, node } = self.program.statements[*statement];
            put!(self, "  statement {statement}: {node}");
            self.line(span);
        }
        if let Some(body) = &function.body {
            for edge in body.edges.iter() {
                self.edge(edge, id);
            }
        }
        self.out.push_str("}\n");
    }

    fn body(&mut self, id: FunctionId, body: &Body) {
        let terms = self.terms(Some(id));
        let list = |variables: &[VariableId]| {
            let names: Vec<String> = variables.iter().map(|v| format!(" {}", terms.variable(*v))).collect();
            names.join(",")
        };
        let (parameters, locals) = (list(&body.parameters), list(&body.locals));
        put!(self, "  parameters{parameters}\n  locals{locals}\n");
        put!(self, "  nodes {} to {} entry {} exit {}\n", body.nodes.start, body.nodes.end, body.entry, body.exit);
        put!(self, "  edges {} to {}\n", body.edges.start, body.edges.end);
        for statement in &body.loops {
            put!(self, "  loop {}", statement.head);
            self.line(statement.span);
        }
        for (name, node) in &body.labels {
            put!(self, "  label {} {node}\n", spelled(name));
        }
    }

    fn decision(&mut self, id: DecisionId) {
        let decision = &self.program.decisions[id];
        let kind = word(&DECISION_KINDS, decision.kind);
        put!(self, "  decision {}: {kind} outcomes {}", id.0, decision.outcomes);
        self.at(decision.span);
        put!(self, " statement {}\n", range(decision.statement));
    }

    fn edge(&mut self, id: EdgeId, inside: FunctionId) {
        let edge = &self.program.edges[id];
        let terms = self.terms(Some(inside));
        let op = match &edge.op {
            Op::Skip => "skip".to_string(),
            Op::Assume { condition, truth: true } => format!("assume {}", terms.expr(*condition)),
            Op::Assume { condition, truth: false } => format!("assume not {}", terms.expr(*condition)),
            Op::Assign { place, value } => format!("{} = {}", terms.place(*place), terms.expr(*value)),
            Op::Call { callee, arguments, result } => call(&terms, callee, arguments, *result),
            Op::Return { value: Some(value) } => format!("return {}", terms.expr(*value)),
            Op::Return { value: None } => "return".to_string(),
            Op::Declare(variable) => format!("declare {}", terms.variable(*variable)),
            Op::Unsupported { what } => format!("unsupported {}", quoted(what.as_bytes(), '"')),
        };
        put!(self, "  {id}: {} -> {}  {op} ", edge.source, edge.target);
        self.at(edge.span);
        if let Some(condition) = edge.condition {
            put!(self, " condition {}", condition.0);
        }
        if let Some((decision, outcome)) = edge.outcome {
            put!(self, " decision {} = {outcome}", decision.0);
        }
        self.out.push('\n');
    }

    fn at(&mut self, span: Span) {
        let people = for_people(&self.program.source, span);
        put!(self, " @ {people}{}", range(span));
    }

    fn line(&mut self, span: Span) {
        self.at(span);
        self.out.push('\n');
    }
}

fn call(terms: &Terms<'_>, callee: &Callee, arguments: &[ExprId], result: Option<PlaceId>) -> String {
    let result = result.map_or(String::new(), |place| format!("{} = ", terms.place(place)));
    let callee = match callee {
        Callee::Direct(function) => terms.function(*function),
        Callee::Pointer(pointer) => format!("*({})", terms.expr(*pointer)),
        Callee::Builtin(builtin) => format!("builtin {}", word(&BUILTINS, *builtin)),
    };
    let arguments: Vec<String> = arguments.iter().map(|argument| terms.expr(*argument)).collect();
    format!("{result}call {callee}({})", arguments.join(", "))
}

/// The bytes of a span: what the reader looks at.
fn range(span: Span) -> String {
    if span.is_none() { "none".to_string() } else { format!("[{}-{}]", span.lo, span.hi) }
}

/// File, line and column, as far as they are known and help.
fn for_people(source: &SourceText, span: Span) -> String {
    if span.is_none() || span.lo as usize > source.text().len() || source.text().is_empty() {
        return String::new();
    }
    let position = source.position(span.lo);
    let file = match &*position.file == source.file() {
        true => String::new(),
        false => format!("{}:", quoted(position.file.as_bytes(), '"')),
    };
    format!("{file}{}:{} ", position.line, position.column)
}
