//! The whole text: types, declarations of functions, objects, functions.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;

use tandem_base::Problem;
use tandem_syntax::types::{RecordId, Type, TypeId};

use super::lines::Lines;
use super::names::{Names, VA_LIST_TAG};
use super::print::{Writer, linkage};
use super::used::Used;
use super::{Knot, Source, data, types};
use crate::model::*;

pub(super) fn write(program: &Program, source: &Source, file: &str) -> Result<String, Problem> {
    let mut used = Used::by(program, source);
    if let Some(problem) = used.problem.take() {
        return Err(problem);
    }
    let names = Names::new(program, source, &used);
    let writer = Writer { program, names: &names, needed: RefCell::default() };
    let mut lines = Lines::new(&program.source, file);
    for (shape, local) in source.functions.iter().zip(&used.locals) {
        writer.function(shape, local, &mut lines)?;
    }
    let needed = writer.needed.into_inner();
    let mut text = records(program, &names, &used);
    text.push_str(&functions(program, &names, source, &used, &needed));
    let uses_code = |knot: &Knot| matches!(knot, Knot::Dispatch(_)) || leaves(knot);
    if source.functions.iter().any(|shape| shape.nodes.iter().any(uses_code)) {
        let _ = writeln!(text, "static unsigned int {};", names.code);
    }
    text.push_str(&data::objects(program, &names, &used)?);
    Ok(text + &lines.text)
}

fn leaves(knot: &Knot) -> bool {
    matches!(knot, Knot::Steps(steps) if steps.iter().any(|taken| taken.leave.is_some()))
}

/// Tags first, then definitions, each behind those of its members.
fn records(program: &Program, names: &Names, used: &Used) -> String {
    let is_own = |id: &RecordId| program.types.records[*id].name.as_deref() != Some(VA_LIST_TAG);
    let mut text = String::new();
    for id in used.records.keys().filter(|id| is_own(id)) {
        let _ = writeln!(text, "{};", types::record_name(program, names, *id));
    }
    let mut done = BTreeSet::new();
    for (&id, _) in used.records.iter().filter(|(id, whole)| **whole && is_own(id)) {
        define(program, names, id, &mut done, &mut text);
    }
    text
}

/// Recursion is as deep as records lie in records.
fn define(program: &Program, names: &Names, id: RecordId, done: &mut BTreeSet<RecordId>, text: &mut String) {
    let record = &program.types.records[id];
    if !record.complete || record.name.as_deref() == Some(VA_LIST_TAG) || !done.insert(id) {
        return;
    }
    for field in &record.fields {
        if let Some(inner) = record_in(program, field.ty) {
            define(program, names, inner, done, text);
        }
    }
    text.push_str(&types::definition(program, names, id));
}

/// The record that an object of the type is made of.
fn record_in(program: &Program, mut ty: TypeId) -> Option<RecordId> {
    loop {
        match *program.types.get(ty) {
            Type::Record(record) => return Some(record),
            Type::Array { element, .. } => ty = element,
            _ => return None,
        }
    }
}

/// Declarations of everything that is called, pointed to or defined.
fn functions(
    program: &Program,
    names: &Names,
    source: &Source,
    used: &Used,
    needed: &BTreeSet<&'static str>,
) -> String {
    let mut text = String::new();
    let mut declared = BTreeSet::new();
    for shape in &source.functions {
        let function = &program.functions[shape.original];
        if shape.name != "main" {
            let declaration = types::declare(program, names, function.ty, &shape.name);
            let _ = writeln!(text, "{}{declaration};", linkage(program, function));
        }
        declared.insert(shape.name.clone());
    }
    for &id in &used.functions {
        let function = &program.functions[id];
        if function.name.starts_with("__builtin_") || !declared.insert(function.name.to_string()) {
            continue;
        }
        let never = if function.is_noreturn { "__attribute__((noreturn)) " } else { "" };
        let _ = writeln!(text, "extern {never}{};", types::declare(program, names, function.ty, &function.name));
    }
    for name in needed.iter().filter(|name| !declared.contains(**name)) {
        text.push_str(match *name {
            "exit" => "extern void exit(int) __attribute__((noreturn));\n",
            "_Exit" => "extern void _Exit(int) __attribute__((noreturn));\n",
            "memcpy" => "extern void *memcpy(void *, const void *, __typeof__(sizeof 0));\n",
            _ => "extern void *memset(void *, int, __typeof__(sizeof 0));\n",
        });
    }
    text
}
