//! Which names are unambiguous, for the writer and the reader alike.

use std::collections::HashMap;

use tandem_base::IdVec;
use tandem_syntax::types::{Record, RecordId};

use super::words::is_identifier;
use crate::model::*;

/// What a plain name means: one thing, or several.
pub(super) type Meaning<I> = Option<I>;

/// The meaning of plain names. A function's own variables hide those outside; where a name has several meanings,
/// only `name#id` will do.
#[derive(Default)]
pub(super) struct Names {
    variables: HashMap<Box<str>, HashMap<Option<FunctionId>, Meaning<VariableId>>>,
    functions: HashMap<Box<str>, Meaning<FunctionId>>,
    records: HashMap<(bool, Box<str>), Meaning<RecordId>>,
}

impl Names {
    pub fn of_records(records: &IdVec<RecordId, Record>) -> Names {
        let mut names = Names::default();
        for (id, record) in records.enumerate() {
            if let Some(name) = &record.name {
                add(&mut names.records, (record.is_union, name.clone()), id);
            }
        }
        names
    }

    pub fn add_variables(&mut self, variables: &IdVec<VariableId, Variable>) {
        for (id, variable) in variables.enumerate() {
            add(self.variables.entry(variable.name.clone()).or_default(), variable.function, id);
        }
    }

    pub fn add_functions(&mut self, functions: &IdVec<FunctionId, Function>) {
        for (id, function) in functions.enumerate() {
            add(&mut self.functions, function.name.clone(), id);
        }
    }

    /// `None`: nothing of that name; `Some(None)`: several.
    pub fn variable(&self, name: &str, inside: Option<FunctionId>) -> Option<Meaning<VariableId>> {
        let scopes = self.variables.get(name)?;
        scopes.get(&inside).or_else(|| scopes.get(&None)).copied()
    }

    pub fn function(&self, name: &str) -> Option<Meaning<FunctionId>> {
        self.functions.get(name).copied()
    }

    pub fn record(&self, is_union: bool, name: &str) -> Option<Meaning<RecordId>> {
        self.records.get(&(is_union, Box::from(name))).copied()
    }
}

fn add<K: std::hash::Hash + Eq, I: Copy>(table: &mut HashMap<K, Meaning<I>>, key: K, id: I) {
    table.entry(key).and_modify(|meaning| *meaning = None).or_insert(Some(id));
}

/// The number of the one member with this name.
pub(super) fn member(record: &Record, name: &str) -> Option<u32> {
    let mut found = record.fields.iter().enumerate().filter(|(_, field)| field.name.as_deref() == Some(name));
    match (found.next(), found.next()) {
        (Some((index, _)), None) => Some(index as u32),
        _ => None,
    }
}

/// The name as it stands in the text.
pub(super) fn spelled(name: &str) -> String {
    if is_identifier(name) { name.to_string() } else { quoted(name.as_bytes(), '\'') }
}

/// A byte string between quotes; what is not printable is written in hexadecimal.
pub(super) fn quoted(bytes: &[u8], quote: char) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push(quote);
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            _ if byte == quote as u8 => {
                text.push('\\');
                text.push(quote);
            }
            b' '..=b'~' => text.push(byte as char),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push(quote);
    text
}
