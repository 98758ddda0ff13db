//! Statements as text.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use tandem_base::{FastBuild, Problem, Span};
use tandem_syntax::types::Type;

use super::condition;
use super::flow::flow;
use super::lifetime::{Start, starts};
use super::lines::Lines;
use super::names::{Names, Scope};
use super::step::Steps;
use super::structure::{Statement, Structured, structure};
use super::types;
use super::used::Local;
use super::{Shape, outside};
use crate::c_print::Printer;
use crate::model::*;

pub(super) struct Writer<'a> {
    pub program: &'a Program,
    pub names: &'a Names,
    /// The functions of the C library that the text itself calls.
    pub needed: RefCell<BTreeSet<&'static str>>,
}

impl Writer<'_> {
    /// The definition of a function.
    pub fn function(&self, shape: &Shape, local: &Local, lines: &mut Lines<'_>) -> Result<(), Problem> {
        let function = &self.program.functions[shape.original];
        let Some(body) = &function.body else {
            return Err(Problem::error(function.span, format!("'{}' has no body to write", function.name)));
        };
        let locals = self.names.locals(self.program, body, local);
        let scope = Scope { program: self.program, names: self.names, locals: &locals };
        let structured = structure(self.program, flow(self.program, shape), body);
        let starts = starts(self.program, shape, &structured.body);
        lines.open(&self.head(shape, body, &locals), function.span);
        for variable in self.at_the_top(body, local, &starts) {
            let variable = (self.program.variables[variable].ty, &locals[&variable]);
            lines.append_statement(&(types::declare(self.program, self.names, variable.0, variable.1) + ";"));
        }
        let printer = Printer::exact(self.program, &scope);
        let needed = &self.needed;
        let steps = Steps { program: self.program, names: self.names, scope: &scope, printer: &printer, body, needed };
        let mut inside =
            Inside { writer: self, function, structured: &structured, starts, steps, lines, needs_end: false };
        inside.statements(&structured.body)?;
        if inside.needs_end {
            lines.put("function_end: ;", Span::NONE);
        }
        lines.close();
        lines.raw("\n");
        Ok(())
    }

    /// Everything in front of the brace.
    fn head(&self, shape: &Shape, body: &Body, names: &HashMap<VariableId, String, FastBuild>) -> String {
        let function = &self.program.functions[shape.original];
        let Type::Function(ty) = self.program.types.get(function.ty) else { return String::new() };
        let linkage = linkage(self.program, function);
        let parameter =
            |id: &VariableId| types::parameter(self.program, self.names, self.program.variables[*id].ty, &names[id]);
        if ty.unprototyped && !body.parameters.is_empty() {
            let list: Vec<&str> = body.parameters.iter().map(|id| names[id].as_str()).collect();
            let declarator = format!("{}({})", shape.name, list.join(", "));
            let head = types::declare(self.program, self.names, ty.result, &declarator);
            let declared: Vec<String> = body.parameters.iter().map(|id| parameter(id) + ";").collect();
            return format!("{linkage}{head} {}", declared.join(" "));
        }
        let list = types::parameters(body.parameters.iter().map(parameter).collect(), ty.variadic, ty.unprototyped);
        let declarator = format!("{}({list})", shape.name);
        linkage + &types::declare(self.program, self.names, ty.result, &declarator)
    }

    fn at_the_top(
        &self,
        body: &Body,
        local: &Local,
        starts: &HashMap<VariableId, Start, FastBuild>,
    ) -> Vec<VariableId> {
        let is_here = |id: &VariableId| local.variables.contains(id) && starts.get(id) != Some(&Start::Here);
        body.locals.iter().copied().filter(is_here).collect()
    }
}

/// What stands in front of every declaration of a function.
pub(super) fn linkage(program: &Program, function: &Function) -> String {
    let is_static = function.body.is_some() && outside::is_static(program, function.span, &function.name);
    let never = if function.is_noreturn { "__attribute__((noreturn)) " } else { "" };
    format!("{}{never}", if is_static { "static " } else { "" })
}

struct Inside<'a, 'l, 's> {
    writer: &'a Writer<'a>,
    function: &'a Function,
    structured: &'a Structured<'a>,
    starts: HashMap<VariableId, Start, FastBuild>,
    steps: Steps<'a>,
    lines: &'l mut Lines<'s>,
    /// Whether something jumps to the end of a function that falls off without a value.
    needs_end: bool,
}

impl Inside<'_, '_, '_> {
    fn statements(&mut self, statements: &[Statement<'_>]) -> Result<(), Problem> {
        statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement<'_>) -> Result<(), Problem> {
        match statement {
            Statement::Step(taken) => self.step(taken)?,
            Statement::If { condition, yes, no, span } => {
                let mut part = (condition, yes, no, *span);
                self.lines.open(&format!("if ({})", self.condition(part.0)), part.3);
                loop {
                    self.statements(part.1)?;
                    self.lines.close();
                    match &part.2[..] {
                        [] => break,
                        [Statement::If { condition, yes, no, span }] => {
                            part = (condition, yes, no, *span);
                            self.lines.append(" else");
                            self.lines.open(&format!("if ({})", self.condition(part.0)), part.3);
                        }
                        other => {
                            self.lines.append_open(" else");
                            self.statements(other)?;
                            self.lines.close();
                            break;
                        }
                    }
                }
            }
            Statement::Loop(body) => self.block("while (1)", body, self.first_span(body))?,
            Statement::While { condition, body, span } => {
                let head = format!("while ({})", self.condition(condition));
                self.block(&head, body, *span)?;
            }
            Statement::DoWhile { condition, body, span } => {
                self.block("do", body, self.first_span(body))?;
                self.lines.put(&format!("while ({});", self.condition(condition)), *span);
            }
            Statement::Break => self.lines.append_statement("break;"),
            Statement::Continue => self.lines.append_statement("continue;"),
            Statement::Goto(block) => self.lines.append_statement(&format!("goto block_{block};")),
            Statement::Label(block) if self.structured.labels.contains(block) => {
                self.lines.append_statement(&format!("block_{block}: ;"));
            }
            Statement::Label(_) => {}
            Statement::Stop => self.lines.append_statement(&self.steps.stop()),
            Statement::Leave => self.leave(),
        }
        Ok(())
    }

    fn block(&mut self, head: &str, body: &[Statement<'_>], span: Span) -> Result<(), Problem> {
        self.lines.open(head, span);
        self.statements(body)?;
        self.lines.close();
        Ok(())
    }

    /// Where statements begin.
    fn first_span(&self, mut statements: &[Statement<'_>]) -> Span {
        loop {
            let is_label = |statement: &&Statement<'_>| matches!(statement, Statement::Label(_));
            match statements.iter().find(|statement| !is_label(statement)) {
                Some(Statement::Step(taken)) => return self.writer.program.edges[taken.edge].span,
                Some(Statement::If { span, .. } | Statement::While { span, .. }) => return *span,
                Some(Statement::Loop(body) | Statement::DoWhile { body, .. }) => statements = body,
                Some(_) | None => return Span::NONE,
            }
        }
    }

    fn condition(&self, condition: &condition::Condition<'_>) -> String {
        condition::text(self.writer.program, self.steps.printer, &self.writer.names.code, condition)
    }

    fn leave(&mut self) {
        let program = self.writer.program;
        let is_void = match program.types.get(self.function.ty) {
            Type::Function(ty) => *program.types.get(ty.result) == Type::Void,
            _ => false,
        };
        self.needs_end |= !is_void;
        self.lines.append_statement(if is_void { "return;" } else { "goto function_end;" });
    }

    fn step(&mut self, taken: &super::Taken) -> Result<(), Problem> {
        let edge = &self.writer.program.edges[taken.edge];
        match edge.op {
            Op::Declare(variable) => match self.starts.get(&variable) {
                Some(Start::Here) => self.lines.put(&self.steps.declaration(variable), edge.span),
                Some(Start::Undefined) => self.lines.put(&self.steps.undefined(variable), edge.span),
                Some(Start::Nothing) | None => {}
            },
            Op::Return { value: None } => {
                if let Some(code) = taken.leave {
                    self.lines.put(&format!("{} = {code}u;", self.writer.names.code), edge.span);
                }
                self.leave();
            }
            _ => {
                let text = self.steps.text(taken)?;
                self.lines.put(&text, edge.span);
            }
        }
        Ok(())
    }
}
