//! What names mean at a place: variables and functions of the program, and the typedef names and enumeration constants that its
//! source declares in a simple way. A name that may mean several things is refused.

use std::collections::HashMap;

use tandem_base::{Problem, Span};
use tandem_syntax::types::{Type, TypeId};

use super::{problem, type_name};
use crate::model::*;

/// The typedef names and enumeration constants of a program's source.
///
/// The automaton forgets them, so they are read from the tokens of the text. Declarations that are not understood make
/// the names they might declare unusable.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The words and stars of every declaration of the name; `None` for one that is not understood.
    typedefs: HashMap<Box<str>, Vec<Option<Vec<String>>>>,
    /// `None`: a value that is not understood, or several ones.
    constants: HashMap<Box<str>, Option<i128>>,
}

/// What a name means where an expression stands.
pub(super) enum Meaning {
    Variable(VariableId),
    Function(FunctionId),
    Constant(i128),
}

impl Names {
    pub fn of(program: &Program) -> Names {
        let mut names = Names::default();
        let text = String::from_utf8_lossy(program.source.text());
        let tokens = source_tokens(&text);
        for (at, token) in tokens.iter().enumerate() {
            match *token {
                "typedef" => names.add_typedef(&tokens[at + 1..]),
                "enum" => names.add_enumeration(&tokens[at + 1..]),
                _ => {}
            }
        }
        names
    }

    fn add_typedef(&mut self, rest: &[&str]) {
        let mut depth = 0usize;
        let mut words: Vec<&str> = Vec::new();
        for &token in rest {
            match token {
                "{" => depth += 1,
                "}" if depth == 0 => return,
                "}" => depth -= 1,
                ";" if depth == 0 => break,
                _ if depth > 0 => {}
                _ => words.push(token),
            }
        }
        let is_word = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_simple = words.iter().all(|word| is_word(word) || *word == "*");
        let Some((name, ty)) = words.split_last().filter(|_| is_simple) else {
            // Any of these may be the name.
            for pair in words.windows(2).filter(|pair| is_word(pair[0]) && matches!(pair[1], "," | "[" | "(" | ")")) {
                self.typedefs.entry(pair[0].into()).or_default().push(None);
            }
            if let Some(last) = words.last().filter(|last| is_word(last)) {
                self.typedefs.entry((*last).into()).or_default().push(None);
            }
            return;
        };
        let ty = ty.iter().map(|word| word.to_string()).collect();
        self.typedefs.entry((*name).into()).or_default().push(Some(ty));
    }

    fn add_enumeration(&mut self, rest: &[&str]) {
        let Some(open) = rest.iter().take(2).position(|token| *token == "{") else { return };
        let mut next = Some(0i128);
        let mut at = open + 1;
        while let Some(&name) = rest.get(at).filter(|token| **token != "}") {
            at += 1;
            let end = at + end_of_enumerator(&rest[at..]);
            match &rest[at..end] {
                [] => {}
                ["=", value @ ..] => next = self.value(value),
                _ => next = None,
            }
            let known = self.constants.entry(name.into()).or_insert(next);
            if *known != next {
                *known = None;
            }
            next = next.map(|value| value + 1);
            at = end + usize::from(rest.get(end) == Some(&","));
        }
    }

    /// A literal, perhaps negated, or another constant.
    fn value(&self, tokens: &[&str]) -> Option<i128> {
        match tokens {
            ["(", inner @ .., ")"] if !inner.contains(&"(") => self.value(inner),
            ["-", inner @ ..] => self.value(inner).map(|value| -value),
            [single] => match self.constants.get(*single) {
                Some(value) => *value,
                // The type does not matter: what does not fit an `int` is refused when it is used.
                None => match super::literal::number(single, tandem_syntax::DataModel::Lp64)? {
                    (bits, Type::Int(_)) => i128::try_from(bits).ok(),
                    _ => None,
                },
            },
            _ => None,
        }
    }

    /// Whether the name means a type there.
    pub(super) fn is_type(&self, program: &Program, function: FunctionId, at: u32, name: &str) -> bool {
        let is_known = self.typedefs.contains_key(name) || type_name::standard(name, program.model()).is_some();
        is_known && variable(program, function, at, name).is_none()
    }

    pub(super) fn typedef(&self, program: &mut Program, name: &str, span: Span) -> Result<TypeId, Problem> {
        self.typedef_within(program, name, span, 0)
    }

    fn typedef_within(&self, program: &mut Program, name: &str, span: Span, depth: u32) -> Result<TypeId, Problem> {
        let refused =
            || problem(span, format!("the type '{name}' is not known, or declared in a way that is not followed"));
        let Some(declarations) = self.typedefs.get(name) else {
            let kind = type_name::standard(name, program.model()).ok_or_else(refused)?;
            return Ok(program.types.int(kind));
        };
        let mut found = None;
        for declaration in declarations {
            let words = declaration.as_ref().filter(|_| depth < 64).ok_or_else(refused)?;
            let ty = match words.iter().position(|word| self.typedefs.contains_key(word.as_str())) {
                Some(0) => {
                    let mut ty = self.typedef_within(program, &words[0], span, depth + 1)?;
                    for word in &words[1..] {
                        match word.as_str() {
                            "*" => ty = program.types.pointer(ty),
                            "const" | "volatile" => {}
                            _ => return Err(refused()),
                        }
                    }
                    ty
                }
                // A tag may be spelled like a typedef name; anything else is not followed.
                Some(1) if matches!(words[0].as_str(), "struct" | "union") => {
                    type_name::resolve(program, self, words, span)?
                }
                Some(_) => return Err(refused()),
                None => type_name::resolve(program, self, words, span)?,
            };
            if found.is_some_and(|found| found != ty) {
                return Err(refused());
            }
            found = Some(ty);
        }
        found.ok_or_else(refused)
    }

    /// What the name of a value means there.
    pub(super) fn meaning(
        &self,
        program: &Program,
        function: FunctionId,
        at: u32,
        name: &str,
        span: Span,
    ) -> Result<Meaning, Problem> {
        let unknown = || problem(span, format!("'{name}' is not declared where this expression stands"));
        let hidden = format!("$vla_{name}");
        let is_array = |v: &Variable| v.function == Some(function) && *v.name == *hidden;
        if program.variables.iter().any(is_array) {
            return Err(problem(span, format!("'{name}' may be a variable-length array, which is not supported here")));
        }
        let variable = variable(program, function, at, name);
        match (variable, self.constants.get(name)) {
            (Some(_), Some(_)) => {
                Err(problem(span, format!("'{name}' is the name of a variable and of an enumeration constant")))
            }
            (Some(variable), None) => Ok(Meaning::Variable(variable)),
            (None, Some(Some(value))) if i32::try_from(*value).is_ok() => Ok(Meaning::Constant(*value)),
            (None, Some(_)) => {
                Err(problem(span, format!("the value of the enumeration constant '{name}' is not known")))
            }
            (None, None) => {
                let function = program.function_named(name).filter(|id| !program.functions[*id].is_library);
                function.map(Meaning::Function).ok_or_else(unknown)
            }
        }
    }
}

/// Tokens up to the comma or brace behind an enumerator.
fn end_of_enumerator(tokens: &[&str]) -> usize {
    let mut depth = 0i32;
    let end = tokens.iter().position(|token| {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth <= 0 && matches!(*token, "," | "}")
    });
    end.unwrap_or(tokens.len())
}

/// The variable that the name means: the innermost one in scope, or else one of the whole program that is declared further down (nobody who
/// writes witnesses or automata looks where that is).
pub(super) fn variable(program: &Program, function: FunctionId, at: u32, name: &str) -> Option<VariableId> {
    let here = Span::new(at, at);
    let named = || program.variables.enumerate().filter(|(_, it)| *it.name == *name && !it.scope.is_none());
    let visible = named().filter(|(_, variable)| {
        variable.function.is_none_or(|owner| owner == function) && variable.scope.contains(here)
    });
    let innermost = visible.min_by_key(|(_, variable)| variable.scope.hi - variable.scope.lo);
    let later = || named().find(|(_, variable)| variable.function.is_none() && at < variable.scope.lo);
    innermost.or_else(later).map(|(id, _)| id)
}

/// The words, numbers and signs of a C source; strings, characters, comments and directives are left out.
fn source_tokens(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b >= 128;
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = match rest[0] {
            b'/' if rest.starts_with(b"//") => until(rest, b"\n", 2),
            b'/' if rest.starts_with(b"/*") => until(rest, b"*/", 2),
            b'#' => until(rest, b"\n", 1),
            quote @ (b'"' | b'\'') => quoted(rest, quote),
            byte if is_word(byte) => {
                let length = rest.iter().take_while(|b| is_word(**b)).count();
                tokens.push(&text[at..at + length]);
                length
            }
            byte if byte.is_ascii_whitespace() => 1,
            _ => {
                tokens.push(&text[at..at + 1]);
                1
            }
        };
        at += length;
    }
    tokens
}

fn until(rest: &[u8], end: &[u8], from: usize) -> usize {
    let found = rest[from..].windows(end.len()).position(|window| window == end);
    found.map_or(rest.len(), |found| from + found + end.len())
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = rest.get(at) {
        at += match byte {
            b'\\' => 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => 1,
        };
    }
    rest.len()
}
