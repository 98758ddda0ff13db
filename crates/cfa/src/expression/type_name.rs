//! The names of types in casts and `sizeof`: base types, `struct` and `union` tags, typedef names, and pointers to them.

use tandem_base::{Problem, Span};
use tandem_syntax::DataModel;
use tandem_syntax::types::{FloatKind, IntKind, Type, TypeId};

use super::lex::Token;
use super::names::Names;
use super::problem;
use crate::model::Program;

const WORDS: [&str; 26] = [
    "void",
    "_Bool",
    "bool",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "struct",
    "union",
    "enum",
    "const",
    "volatile",
    "restrict",
    "__int128",
    "__float128",
    "_Float128",
    "__signed__",
    "__const",
    "__volatile__",
    "__const__",
    "__extension__",
    "_Complex",
];

/// Whether the word is a keyword that begins a type.
pub(super) fn is_type_word(word: &str) -> bool {
    WORDS.contains(&word)
}

/// Whether words and stars in parentheses name a type.
pub(super) fn begins_type(words: &[Token<'_>], is_type: &dyn Fn(&str) -> bool) -> bool {
    words.first().is_some_and(|first| is_type_word(first.text) || is_type(first.text))
}

/// The type of words and stars.
pub(super) fn resolve(program: &mut Program, names: &Names, words: &[String], span: Span) -> Result<TypeId, Problem> {
    let stars = words.iter().position(|word| word == "*").unwrap_or(words.len());
    let (base, rest) = words.split_at(stars);
    let mut ty = base_type(program, names, base, span)?;
    for word in rest {
        match word.as_str() {
            "*" => ty = program.types.pointer(ty),
            word if is_qualifier(word) => {}
            _ => return Err(problem(span, format!("'{}' is no type that is accepted here", words.join(" ")))),
        }
    }
    Ok(ty)
}

fn is_qualifier(word: &str) -> bool {
    let qualifiers = ["const", "volatile", "restrict", "__const", "__const__", "__volatile__", "__extension__"];
    qualifiers.contains(&word)
}

fn base_type(program: &mut Program, names: &Names, words: &[String], span: Span) -> Result<TypeId, Problem> {
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_qualifier(word)).collect();
    let unknown = || problem(span, format!("'{}' is no type that is accepted here", words.join(" ")));
    match words[..] {
        [keyword @ ("struct" | "union"), tag] => record(program, keyword == "union", tag).ok_or_else(|| {
            problem(span, format!("'{keyword} {tag}' is not known to the program, or means several things in it"))
        }),
        ["enum", ..] => Err(problem(span, "casts to enumerations are not supported; cast to an integer type")),
        [name] if !is_type_word(name) => names.typedef(program, name, span),
        _ => base(&words).map(|ty| program.types.intern(ty)).ok_or_else(unknown),
    }
}

fn base(words: &[&str]) -> Option<Type> {
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    let (longs, unsigned) = (count("long"), count("unsigned"));
    let signed = count("signed") + count("__signed__");
    let others: Vec<&str> =
        words.iter().copied().filter(|w| !matches!(*w, "long" | "unsigned" | "signed" | "__signed__")).collect();
    if unsigned + signed > 1 || longs > 2 || words.is_empty() {
        return None;
    }
    let is_unsigned = unsigned == 1;
    let plain = unsigned + signed + longs == 0;
    let pick = |a: IntKind, b: IntKind| Some(Type::Int(if is_unsigned { b } else { a }));
    use IntKind::*;
    match (&others[..], longs) {
        (["void"], _) if plain => Some(Type::Void),
        (["_Bool" | "bool"], _) if plain => Some(Type::Bool),
        (["float"], _) if plain => Some(Type::Float(FloatKind::Single)),
        (["double"], _) if plain => Some(Type::Float(FloatKind::Double)),
        (["double"], 1) if unsigned + signed == 0 => Some(Type::Float(FloatKind::Extended)),
        (["__float128" | "_Float128"], _) if plain => Some(Type::Float(FloatKind::Quad)),
        (["char"], 0) if plain => Some(Type::Int(Char)),
        (["char"], 0) => pick(SignedChar, UnsignedChar),
        (["short"] | ["short", "int"] | ["int", "short"], 0) => pick(Short, UnsignedShort),
        (["int"] | [], 0) => pick(Int, UnsignedInt),
        (["int"] | [], 1) => pick(Long, UnsignedLong),
        (["int"] | [], 2) => pick(LongLong, UnsignedLongLong),
        (["__int128"], 0) => pick(Int128, UnsignedInt128),
        _ => None,
    }
}

/// The one record with this tag.
fn record(program: &mut Program, is_union: bool, tag: &str) -> Option<TypeId> {
    let records = program.types.records.enumerate();
    let found: Vec<_> = records.filter(|(_, record)| record.name.as_deref() == Some(tag)).collect();
    match found[..] {
        [(id, record)] if record.is_union == is_union => Some(program.types.intern(Type::Record(id))),
        _ => None,
    }
}

/// The typedef names of the standard headers that have only one meaning, for programs that do not declare them.
pub(super) fn standard(name: &str, model: DataModel) -> Option<IntKind> {
    use IntKind::*;
    let narrow = model == DataModel::Ilp32;
    Some(match name {
        "int8_t" => SignedChar,
        "uint8_t" => UnsignedChar,
        "int16_t" => Short,
        "uint16_t" => UnsignedShort,
        "int32_t" => Int,
        "uint32_t" => UnsignedInt,
        "int64_t" | "intmax_t" if narrow => LongLong,
        "uint64_t" | "uintmax_t" if narrow => UnsignedLongLong,
        "int64_t" | "intmax_t" => Long,
        "uint64_t" | "uintmax_t" => UnsignedLong,
        "size_t" | "uintptr_t" if narrow => UnsignedInt,
        "ssize_t" | "ptrdiff_t" | "intptr_t" if narrow => Int,
        "size_t" | "uintptr_t" => UnsignedLong,
        "ssize_t" | "ptrdiff_t" | "intptr_t" => Long,
        _ => return None,
    })
}
