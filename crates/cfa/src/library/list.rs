//! The functions that the C library declares and the builtins of the compiler, by name: what the table has to classify.
//! The lists are made by `scripts/library-list.sh`. Knows nothing of what the functions do.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Name, number of parameters, kind of result; the first line names the version.
pub(super) const LIBC: &str = include_str!("libc.txt");
/// One name in a line; the first line names the version.
pub(super) const BUILTINS: &str = include_str!("builtins.txt");

/// What the header says of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub parameters: usize,
    /// Whether more arguments may follow.
    pub variadic: bool,
    pub result: ResultKind,
}

/// What kind of value a function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ResultKind {
    Nothing,
    Integer,
    Pointer,
    Real,
    /// A record, a complex number, or a type that the list does not resolve.
    Other,
}

/// What the headers of the C library say of a function, if they declare it.
pub(super) fn header(name: &str) -> Option<Header> {
    static HEADERS: OnceLock<HashMap<&'static str, Header>> = OnceLock::new();
    HEADERS.get_or_init(|| LIBC.lines().filter_map(entry).collect()).get(name).copied()
}

fn entry(line: &'static str) -> Option<(&'static str, Header)> {
    let mut words = line.split(' ');
    let (name, parameters, result) = (words.next()?, words.next()?, words.next()?);
    let result = match result {
        "v" => ResultKind::Nothing,
        "i" => ResultKind::Integer,
        "p" => ResultKind::Pointer,
        "f" => ResultKind::Real,
        "s" => ResultKind::Other,
        _ => return None,
    };
    let count = parameters.trim_end_matches('+').parse().ok()?;
    Some((name, Header { parameters: count, variadic: parameters.ends_with('+'), result }))
}

/// Whether the compiler knows a builtin of this name.
pub(super) fn is_builtin(name: &str) -> bool {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| BUILTINS.lines().skip(1).collect()).contains(name)
}
