//! Parses C files and walks everything in their trees: `survey [--all] DIRECTORY-or-FILE...`
//!
//! Reports what was rejected and why, the speed and the peak memory. The data model of a file is read from a `.yml` beside it
//! (or is that of `--ilp32`, `--lp64`); a file that needs the preprocessor goes through `cc -E` first.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tandem_base::{Severity, SourceText};
use tandem_syntax::ast::*;
use tandem_syntax::{DataModel, Unit, needs_preprocessor, on_large_stack, parse};

fn main() {
    let mut files = Vec::new();
    let mut model = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--ilp32" => model = Some(DataModel::Ilp32),
            "--lp64" => model = Some(DataModel::Lp64),
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    let models = if model.is_none() { models_of(&files) } else { HashMap::new() };
    let mut survey = Survey::default();
    for file in &files {
        let models = match model {
            Some(model) => vec![model],
            None => models.get(file).cloned().unwrap_or_else(|| vec![DataModel::Ilp32]),
        };
        for model in models {
            survey.file(file, model);
        }
    }
    survey.report();
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            files.push(path);
        }
    }
}

/// Which data models the task definitions in the files' folders want for each input file.
fn models_of(files: &[PathBuf]) -> HashMap<PathBuf, Vec<DataModel>> {
    let mut models: HashMap<PathBuf, Vec<DataModel>> = HashMap::new();
    let mut folders: Vec<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    folders.dedup();
    for folder in folders {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().extension().is_none_or(|extension| extension != "yml") {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let model = if text.contains("data_model: LP64") { DataModel::Lp64 } else { DataModel::Ilp32 };
            let inputs = text.lines().filter_map(|line| line.trim().strip_prefix("input_files:"));
            for input in inputs.flat_map(|list| list.split([',', '[', ']'])) {
                let input = folder.join(input.trim().trim_matches(['\'', '"']));
                let known = models.entry(input).or_default();
                if !known.contains(&model) {
                    known.push(model);
                }
            }
        }
    }
    models
}

#[derive(Default)]
struct Survey {
    accepted: usize,
    rejected: Vec<(PathBuf, String)>,
    bytes: u64,
    nodes: u64,
    parsing: Duration,
    walking: Duration,
    slowest: Option<(Duration, PathBuf)>,
    unsupported: HashMap<String, usize>,
}

impl Survey {
    fn file(&mut self, file: &Path, model: DataModel) {
        let Ok(text) = std::fs::read(file) else {
            self.rejected.push((file.to_path_buf(), "cannot be read".to_string()));
            return;
        };
        let name = file.display().to_string();
        let source = if needs_preprocessor(&text) {
            SourceText::preprocessed(&name, preprocess(file, model))
        } else {
            SourceText::plain(&name, text)
        };
        self.bytes += source.text().len() as u64;
        let result = on_large_stack(|| {
            let start = Instant::now();
            let parsed = parse(&source, model);
            let parsing = start.elapsed();
            let errors: Vec<_> = parsed.problems.iter().filter(|p| p.severity == Severity::Error).collect();
            if let Some(first) = errors.first() {
                let place = source.position(first.span.lo);
                return Err(format!("{place}: {} ({} errors)", first.message, errors.len()));
            }
            let start = Instant::now();
            let mut walk = Walk { unit: &parsed.unit, nodes: 0, unsupported: HashMap::new() };
            walk.everything();
            Ok((parsing, start.elapsed(), walk.nodes, walk.unsupported))
        });
        match result.expect("a thread") {
            Ok((parsing, walking, nodes, unsupported)) => {
                self.accepted += 1;
                self.nodes += nodes;
                self.parsing += parsing;
                self.walking += walking;
                for name in unsupported.into_keys() {
                    *self.unsupported.entry(name).or_default() += 1;
                }
                if self.slowest.as_ref().is_none_or(|(time, _)| *time < parsing) {
                    self.slowest = Some((parsing, file.to_path_buf()));
                }
            }
            Err(reason) => self.rejected.push((file.to_path_buf(), reason)),
        }
    }

    fn report(&self) {
        for (file, reason) in &self.rejected {
            println!("rejected {}: {reason}", file.display());
        }
        let mut unsupported: Vec<_> = self.unsupported.iter().collect();
        unsupported.sort();
        for (name, files) in unsupported {
            println!("unsupported in {files} files: {name}");
        }
        let time = self.parsing + self.walking;
        let speed = self.bytes as f64 / 1e6 / time.as_secs_f64();
        println!("accepted {}, rejected {}, {} bytes", self.accepted, self.rejected.len(), self.bytes);
        println!("{} nodes, parsing {:?}, walking {:?}, {speed:.1} MB/s", self.nodes, self.parsing, self.walking);
        if let Some((time, file)) = &self.slowest {
            println!("slowest {time:?} {}", file.display());
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        for line in status.lines().filter(|line| line.starts_with("VmHWM")) {
            println!("peak memory {}", line.trim_start_matches("VmHWM:").trim());
        }
    }
}

fn preprocess(file: &Path, model: DataModel) -> Vec<u8> {
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    Command::new("gcc").args(["-E", width]).arg(file).output().map(|output| output.stdout).unwrap_or_default()
}

/// Visits every declaration, statement and expression that can be reached.
struct Walk<'a> {
    unit: &'a Unit,
    nodes: u64,
    unsupported: HashMap<String, usize>,
}

impl Walk<'_> {
    fn everything(&mut self) {
        for id in self.unit.top_level() {
            self.declaration(id);
        }
    }

    fn declaration(&mut self, id: DeclId) {
        self.nodes += 1;
        let declaration = self.unit.declaration(id);
        for entry in declaration.initializer.into_iter().flatten() {
            self.expression(entry.value);
            if declaration.storage != Storage::Automatic && self.unit.constant_expression(entry.value).is_none() {
                let kind = self.unit.expression(entry.value).kind;
                if !matches!(kind, ExpressionKind::String(_)) {
                    let kind = format!("{kind:?}");
                    let kind = kind.split([' ', '(']).next().unwrap_or_default();
                    *self.unsupported.entry(format!("(initialiser not constant: {kind})")).or_default() += 1;
                }
            }
        }
        if let Some(body) = declaration.body {
            self.statement(body);
        }
    }

    fn statement(&mut self, id: StmtId) {
        self.nodes += 1;
        match self.unit.statement(id).kind {
            StatementKind::Empty | StatementKind::Break | StatementKind::Continue | StatementKind::Goto(_) => {}
            StatementKind::Expression(value) | StatementKind::ComputedGoto(value) => self.expression(value),
            StatementKind::Block(list) => list.into_iter().for_each(|statement| self.statement(statement)),
            StatementKind::Declarations(list) => list.into_iter().for_each(|id| self.declaration(id)),
            StatementKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.statement(then);
                otherwise.into_iter().for_each(|statement| self.statement(statement));
            }
            StatementKind::While { condition, body } | StatementKind::DoWhile { body, condition } => {
                self.expression(condition);
                self.statement(body);
            }
            StatementKind::For { init, condition, step, body } => {
                init.into_iter().for_each(|statement| self.statement(statement));
                condition.into_iter().chain(step).for_each(|value| self.expression(value));
                self.statement(body);
            }
            StatementKind::Switch { value, body, .. } => {
                self.expression(value);
                self.statement(body);
            }
            StatementKind::Case { body } | StatementKind::Default { body } | StatementKind::Label { body, .. } => {
                self.statement(body);
            }
            StatementKind::Asm(asm) => {
                asm.outputs.into_iter().chain(asm.inputs).for_each(|value| self.expression(value))
            }
            StatementKind::Return(value) => value.into_iter().for_each(|value| self.expression(value)),
            StatementKind::Unsupported(name) => *self.unsupported.entry(name).or_default() += 1,
        }
    }

    fn expression(&mut self, id: ExprId) {
        self.nodes += 1;
        match self.unit.expression(id).kind {
            ExpressionKind::Integer(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Address { .. }
            | ExpressionKind::LabelDifference { .. }
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::Declaration(_) => {}
            ExpressionKind::String(id) => self.nodes += self.unit.string(id).len() as u64 & 1,
            ExpressionKind::Member { base, .. } => self.expression(base),
            ExpressionKind::Subscript { pointer: left, index: right }
            | ExpressionKind::Binary { left, right, .. }
            | ExpressionKind::Assign { place: left, value: right, .. }
            | ExpressionKind::VaCopy { to: left, from: right }
            | ExpressionKind::Comma { left, right } => {
                self.expression(left);
                self.expression(right);
            }
            ExpressionKind::Deref(operand)
            | ExpressionKind::AddressOf(operand)
            | ExpressionKind::Unary { operand, .. }
            | ExpressionKind::Step { place: operand, .. }
            | ExpressionKind::Load(operand)
            | ExpressionKind::Decay(operand)
            | ExpressionKind::FunctionDecay(operand)
            | ExpressionKind::VaStart { list: operand }
            | ExpressionKind::VaArg { list: operand }
            | ExpressionKind::VaEnd { list: operand }
            | ExpressionKind::Convert(operand) => self.expression(operand),
            ExpressionKind::Call { callee, arguments } => {
                self.expression(callee);
                arguments.into_iter().for_each(|argument| self.expression(argument));
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.expression(condition);
                then.into_iter().chain([otherwise]).for_each(|value| self.expression(value));
            }
            ExpressionKind::CompoundLiteral(id) => self.declaration(id),
            ExpressionKind::StatementExpression(body) => self.statement(body),
            ExpressionKind::Builtin { arguments, .. } => {
                arguments.into_iter().for_each(|argument| self.expression(argument));
            }
            ExpressionKind::Unsupported(name) => *self.unsupported.entry(name).or_default() += 1,
        }
    }
}
