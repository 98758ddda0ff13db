//! What is taken from the text of the original program: linkage, the names of library functions behind their models, and
//! steps that are not modelled.

use tandem_base::Span;

use tandem_syntax::types::{FloatKind, Type};

use crate::library::{self, Model, Primitive};
use crate::model::*;
use crate::semantics::RoundedOperation;

/// The function that the source calls where the automaton calls `callee`: behind a model stands the library function.
pub(super) fn written(program: &Program, callee: FunctionId, call: Span) -> FunctionId {
    let function = &program.functions[callee];
    if !function.is_library {
        return callee;
    }
    let is_modelled = |(id, candidate): &(FunctionId, &Function)| {
        candidate.body.is_none()
            && matches!(library::model(program, *id), Some(Model::Source(model)) if *model == *function.name)
    };
    let candidates: Vec<(FunctionId, &Function)> = program.functions.enumerate().filter(is_modelled).collect();
    let text = program.source.slice(call);
    let named = |(_, candidate): &&(FunctionId, &Function)| words(text).any(|word| word == candidate.name.as_bytes());
    candidates.iter().find(named).or(candidates.first()).map_or(callee, |(id, _)| *id)
}

/// Whether a function is a model that lowering calls where `main` begins or returns, and no text.
pub(super) fn is_of_main(program: &Program, callee: FunctionId) -> bool {
    let function = &program.functions[callee];
    function.is_library && [library::ARGUMENTS, library::RUN_EXIT_HANDLERS].contains(&&*function.name)
}

/// The operation that a function carries out in the rounding mode of the program: the text has an operator or a builtin for it.
pub(super) fn rounded(program: &Program, callee: FunctionId) -> Option<RoundedOperation> {
    let is_wide = match program.types.get(program.functions[callee].ty) {
        Type::Function(signature) => *program.types.get(signature.result) == Type::Float(FloatKind::Quad),
        _ => true,
    };
    match library::model(program, callee)? {
        Model::Primitive(Primitive::Rounded(operation)) if !(is_wide && has_builtin(operation)) => Some(operation),
        Model::Primitive(_) | Model::Source(_) | Model::Intrinsic(_) => None,
    }
}

/// Whether it is written as a builtin, of which there is none for `__float128`.
fn has_builtin(operation: RoundedOperation) -> bool {
    match operation {
        RoundedOperation::SquareRoot | RoundedOperation::MultiplyAdd | RoundedOperation::ToIntegral => true,
        RoundedOperation::Add
        | RoundedOperation::Subtract
        | RoundedOperation::Multiply
        | RoundedOperation::Divide
        | RoundedOperation::Convert => false,
    }
}

/// Whether the declaration says `static`.
pub(super) fn is_static(program: &Program, span: Span, name: &str) -> bool {
    if span.is_none() {
        return false;
    }
    let text = program.source.text();
    let before = &text[..(span.lo as usize).min(text.len())];
    let start = before.iter().rposition(|byte| matches!(byte, b';' | b'}' | b'{' | b'#')).map_or(0, |at| at + 1);
    let end = (span.hi as usize).min(text.len());
    let declaration = text.get(start..end).unwrap_or(&[]);
    words(declaration).take_while(|word| *word != name.as_bytes()).any(|word| word == b"static")
}

/// The text of a step that is not modelled, if it is one that a compiler understands as it stands.
pub(super) fn assembler(program: &Program, edge: EdgeId) -> Option<&str> {
    let text = std::str::from_utf8(program.source.slice(program.edges[edge].span)).ok()?.trim();
    let first = words(text.as_bytes()).next()?;
    let is_assembler = matches!(first, b"asm" | b"__asm" | b"__asm__") && text.as_bytes().starts_with(first);
    (is_assembler && text.trim_end_matches(';').ends_with(')') && !text.contains('#'))
        .then_some(text.trim_end_matches(';'))
}

/// The words of a text that are not members, strings or operand names in brackets.
pub(super) fn names_in(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut names, mut at) = (Vec::new(), 0);
    let mut previous = b' ';
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
        } else if is_letter(byte) {
            let end = bytes[at..].iter().position(|byte| !is_letter(*byte)).map_or(bytes.len(), |length| at + length);
            let is_member = previous == b'.' || (previous == b'>' && text[..at].trim_end().ends_with("->"));
            if !byte.is_ascii_digit() && !is_member && previous != b'[' {
                names.push(&text[at..end]);
            }
            at = end;
            previous = b'a';
            continue;
        } else {
            at += 1;
        }
        if !byte.is_ascii_whitespace() {
            previous = byte;
        }
    }
    names
}

/// The variables that the text of such a step means.
pub(super) fn variables_in(program: &Program, edge: EdgeId) -> Vec<VariableId> {
    let Some(text) = assembler(program, edge) else { return Vec::new() };
    let names = names_in(text);
    names.into_iter().filter_map(|name| meant(program, edge, name)).collect()
}

/// The variable that a name means at an edge: the one with the innermost scope.
pub(super) fn meant(program: &Program, edge: EdgeId, name: &str) -> Option<VariableId> {
    let (function, at) = (program.function_of(edge), program.edges[edge].span);
    let fits = |(_, variable): &(VariableId, &Variable)| {
        let here = variable.function.is_none_or(|own| own == function);
        &*variable.name == name && here && !variable.scope.is_none() && variable.scope.contains(at)
    };
    program.variables.enumerate().filter(fits).min_by_key(|(_, v)| v.scope.hi - v.scope.lo).map(|(id, _)| id)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_letter(*byte)).filter(|word| !word.is_empty())
}
