//! From a C text to a sealed program: parsing, the C models of library functions, lowering.
//!
//! Does no IO. What is wrong with the text comes back as problems.

use std::collections::HashSet;

use tandem_base::{Problem, Severity, SourceText, Span};
use tandem_syntax::ast::DeclId;
use tandem_syntax::types::{IntKind, Type};
use tandem_syntax::{DataModel, Unit, on_large_stack, parse, parse_after};

use crate::library::{self, ARGUMENTS, LibraryUse, Model};
use crate::lower::{Scan, lower};
use crate::model::Program;

/// What became of a text.
pub struct Built {
    /// `None` if the text has errors.
    pub program: Option<Program>,
    pub problems: Vec<Problem>,
}

/// Builds the automaton of a preprocessed C text, on a stack that deep nesting does not exhaust.
pub fn build(source: SourceText, model: DataModel) -> Built {
    match on_large_stack(|| build_here(source, model)) {
        Ok(built) => built,
        Err(error) => {
            let problem = Problem::error(Span::NONE, format!("cannot start a thread to build on: {error}"));
            Built { program: None, problems: vec![problem] }
        }
    }
}

fn build_here(source: SourceText, model: DataModel) -> Built {
    let mut source = source;
    let mut parsed = parse(&source, model);
    if has_errors(&parsed.problems) {
        return Built { program: None, problems: parsed.problems };
    }
    let mut scan = Scan::new(&parsed.unit);
    let prelude = undeclared_builtins(&parsed.unit, &scan);
    let mut declared = "";
    if !prelude.is_empty() {
        let again = parse_after(&prelude, &source, model);
        // The program may declare one of them itself, in another way.
        if !has_errors(&again.problems) {
            scan = Scan::new(&again.unit);
            (parsed, declared) = (again, &prelude);
        }
    }
    let appendix = models(&parsed.unit, &scan);
    if !appendix.is_empty() {
        let extended = source.with_appendix(&appendix);
        let again = parse_after(declared, &extended, model);
        if has_errors(&again.problems) {
            // The program declares a name of ours in a way that does not fit: it goes without the models.
            let message = "the C models of library functions do not fit this program and are left out";
            parsed.problems.push(Problem::warning(Span::NONE, message));
        } else {
            scan = Scan::new(&again.unit);
            (source, parsed) = (extended, again);
        }
    }
    let (program, warnings) = lower(parsed.unit, source, scan);
    let mut problems = parsed.problems;
    problems.extend(warnings);
    Built { program: Some(program), problems }
}

fn has_errors(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}

/// Declarations of the functions that the program calls without declaring them and that the compiler knows as builtins: they
/// have the type of the builtin, and do not return `int`.
fn undeclared_builtins(unit: &Unit, scan: &Scan) -> String {
    let mut text = String::new();
    for id in &scan.uses {
        let declaration = unit.declaration(*id);
        let Type::Function(function) = unit.types().get(declaration.ty) else { continue };
        let is_default = function.unprototyped
            && matches!(unit.types().get(function.result), Type::Int(IntKind::Int))
            && declaration.is_function
            && !declaration.is_defined;
        let Some(name) = declaration.name.as_deref().filter(|_| is_default) else { continue };
        if library::is_builtin_function(name) {
            text.push_str(&format!("extern __typeof__(__builtin_{name}) {name};\n"));
        }
    }
    text
}

/// The C texts of all model functions that the unit needs, each once.
fn models(unit: &Unit, scan: &Scan) -> String {
    let mut wanted: Vec<&'static str> = Vec::new();
    let mut seen: HashSet<&'static str> = HashSet::new();
    for id in &scan.uses {
        let declaration = unit.declaration(*id);
        if !declaration.is_function || declaration.is_defined {
            continue;
        }
        let Some(name) = &declaration.name else { continue };
        // A program that looks at `errno` is told when it may have changed.
        let change = (&**name == "__errno_location").then_some("__tandem_change_errno");
        let model = match library::lookup_declared(unit.types(), name, declaration.ty, LibraryUse::default()) {
            Some(Model::Source(model)) => Some(model),
            Some(Model::Primitive(_) | Model::Intrinsic(_)) | None => None,
        };
        wanted.extend(model.into_iter().chain(change).filter(|model| seen.insert(model)));
    }
    if reads_arguments(unit, scan) && seen.insert(ARGUMENTS) {
        wanted.push(ARGUMENTS);
    }
    let mut text = String::new();
    let mut texts: HashSet<&'static str> = HashSet::new();
    while let Some(name) = wanted.pop() {
        let Some(source) = library::source_of(name) else { continue };
        if texts.insert(source) {
            text.push_str(source);
            text.push('\n');
        }
        for used in model_names(source) {
            if seen.insert(used) {
                wanted.push(used);
            }
        }
    }
    text
}

/// Whether `main` reads its first two parameters, which have their usual types, and is called by the environment only.
fn reads_arguments(unit: &Unit, scan: &Scan) -> bool {
    let is_main = |id: &DeclId| {
        let declaration = unit.declaration(*id);
        declaration.is_function && declaration.body.is_some() && declaration.name.as_deref() == Some("main")
    };
    let Some(main) = unit.top_level().into_iter().find(is_main) else { return false };
    let parameters = unit.declaration(main).parameters;
    let [count, list, ..] = parameters.as_slice() else { return false };
    let types = unit.types();
    let count_fits = *types.get(unit.declaration(*count).ty) == Type::Int(IntKind::Int);
    let text = types.pointee(unit.declaration(*list).ty).and_then(|text| types.pointee(text));
    let list_fits = text.is_some_and(|character| *types.get(character) == Type::Int(IntKind::Char));
    let is_read = scan.uses.contains(count) || scan.uses.contains(list);
    count_fits && list_fits && is_read && !scan.uses.contains(&main)
}

/// The names of model functions in a text.
fn model_names(text: &'static str) -> impl Iterator<Item = &'static str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c: char| !is_word(c)).filter(|word| word.starts_with("__tandem_"))
}
