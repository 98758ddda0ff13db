//! Prints the typed tree of a C file, one line per node: `tree [--lp64] FILE`

use tandem_base::SourceText;
use tandem_syntax::ast::*;
use tandem_syntax::{DataModel, Unit, parse};

fn main() {
    let mut model = DataModel::Ilp32;
    for argument in std::env::args().skip(1) {
        if argument == "--lp64" {
            model = DataModel::Lp64;
            continue;
        }
        let text = std::fs::read(&argument).expect("a file that can be read");
        let source = SourceText::plain(&argument, text);
        let parsed = parse(&source, model);
        for problem in &parsed.problems {
            println!("{}: {:?}: {}", source.position(problem.span.lo), problem.severity, problem.message);
        }
        let printer = Printer { unit: &parsed.unit };
        for id in parsed.unit.top_level() {
            printer.declaration(id, 0);
        }
    }
}

struct Printer<'a> {
    unit: &'a Unit,
}

impl Printer<'_> {
    fn line(&self, depth: usize, text: &str) {
        println!("{:indent$}{text}", "", indent = depth * 2);
    }

    fn declaration(&self, id: DeclId, depth: usize) {
        let declaration = self.unit.declaration(id);
        let name = declaration.name.as_deref().unwrap_or("-");
        let shape = self.unit.types().declare(declaration.ty, name);
        let brief = Declaration { initializer: None, body: None, ..declaration.clone() };
        self.line(depth, &format!("{id} {shape} {brief:?}"));
        for entry in declaration.initializer.into_iter().flatten() {
            let constant = self.unit.constant_expression(entry.value);
            self.line(depth + 1, &format!("at {} {:?} constant {constant:?}", entry.offset, entry.bits));
            self.expression(entry.value, depth + 2);
        }
        if let Some(body) = declaration.body {
            self.statement(body, depth + 1);
        }
    }

    fn statement(&self, id: StmtId, depth: usize) {
        let statement = self.unit.statement(id);
        self.line(depth, &format!("{id} {:?}", statement.kind));
        match statement.kind {
            StatementKind::Expression(value) | StatementKind::ComputedGoto(value) => self.expression(value, depth + 1),
            StatementKind::Block(list) => list.into_iter().for_each(|id| self.statement(id, depth + 1)),
            StatementKind::Declarations(list) => list.into_iter().for_each(|id| self.declaration(id, depth + 1)),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition, depth + 1);
                [then].into_iter().chain(otherwise).for_each(|id| self.statement(id, depth + 1));
            }
            StatementKind::While { condition: value, body }
            | StatementKind::DoWhile { body, condition: value }
            | StatementKind::Switch { value, body, .. } => {
                self.expression(value, depth + 1);
                self.statement(body, depth + 1);
            }
            StatementKind::For { init, condition, step, body } => {
                condition.into_iter().chain(step).for_each(|value| self.expression(value, depth + 1));
                init.into_iter().chain([body]).for_each(|id| self.statement(id, depth + 1));
            }
            StatementKind::Case { body } | StatementKind::Default { body } | StatementKind::Label { body, .. } => {
                self.statement(body, depth + 1);
            }
            StatementKind::Return(value) => value.into_iter().for_each(|value| self.expression(value, depth + 1)),
            StatementKind::Asm(asm) => {
                asm.outputs.into_iter().chain(asm.inputs).for_each(|value| self.expression(value, depth + 1));
            }
            StatementKind::Empty
            | StatementKind::Goto(_)
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Unsupported(_) => {}
        }
    }

    fn expression(&self, id: ExprId, depth: usize) {
        let expression = self.unit.expression(id);
        let ty = self.unit.types().declare(expression.ty, "");
        self.line(depth, &format!("{id} {:?} : {}", expression.kind, ty.trim_end()));
        let below: Vec<ExprId> = match expression.kind {
            ExpressionKind::Member { base: value, .. }
            | ExpressionKind::Deref(value)
            | ExpressionKind::AddressOf(value)
            | ExpressionKind::Unary { operand: value, .. }
            | ExpressionKind::Step { place: value, .. }
            | ExpressionKind::Load(value)
            | ExpressionKind::Decay(value)
            | ExpressionKind::FunctionDecay(value)
            | ExpressionKind::Convert(value)
            | ExpressionKind::VaStart { list: value }
            | ExpressionKind::VaArg { list: value }
            | ExpressionKind::VaEnd { list: value } => vec![value],
            ExpressionKind::Subscript { pointer: left, index: right }
            | ExpressionKind::Binary { left, right, .. }
            | ExpressionKind::Assign { place: left, value: right, .. }
            | ExpressionKind::Comma { left, right }
            | ExpressionKind::VaCopy { to: left, from: right } => vec![left, right],
            ExpressionKind::Call { callee, arguments } => [callee].into_iter().chain(arguments).collect(),
            ExpressionKind::Conditional { condition, then, otherwise } => {
                [condition].into_iter().chain(then).chain([otherwise]).collect()
            }
            ExpressionKind::Builtin { arguments, .. } => arguments,
            ExpressionKind::CompoundLiteral(id) => return self.declaration(id, depth + 1),
            ExpressionKind::StatementExpression(body) => return self.statement(body, depth + 1),
            ExpressionKind::String(id) => {
                return self.line(depth + 1, &format!("{:?}", String::from_utf8_lossy(&self.unit.string(id))));
            }
            ExpressionKind::Integer(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Address { .. }
            | ExpressionKind::LabelDifference { .. }
            | ExpressionKind::Declaration(_)
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::Unsupported(_) => Vec::new(),
        };
        below.into_iter().for_each(|value| self.expression(value, depth + 1));
    }
}
