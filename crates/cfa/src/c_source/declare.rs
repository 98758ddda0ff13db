//! The whole text: types, declarations of functions, objects, functions.

use std::collections::BTreeSet;
use std::fmt::Write;

use tandem_base::Problem;
use tandem_syntax::types::{RecordId, Type, TypeId};

use super::lines::Lines;
use super::names::{Names, VA_LIST_TAG};
use super::print::{Writer, linkage};
use super::used::Used;
use super::{Knot, Source, data, step, types};
use crate::model::*;

pub(super) fn write(program: &Program, source: &Source, file: &str) -> Result<String, Problem> {
    let used = Used::by(program, source);
    let names = Names::new(program, source, &used);
    let mut lines = Lines::new(&program.source, file);
    lines.raw(&records(program, &names, &used));
    lines.raw(&functions(program, &names, source, &used));
    if source
        .functions
        .iter()
        .any(|shape| shape.nodes.iter().any(|knot| matches!(knot, Knot::Dispatch(_)) || leaves(knot)))
    {
        lines.raw(&format!("static unsigned int {};\n", names.code));
    }
    lines.raw(&data::objects(program, &names, &used)?);
    let writer = Writer { program, names: &names };
    for (shape, local) in source.functions.iter().zip(&used.locals) {
        writer.function(shape, local, &mut lines)?;
    }
    Ok(lines.text)
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
fn functions(program: &Program, names: &Names, source: &Source, used: &Used) -> String {
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
    for (name, declaration) in library(program, source) {
        if !declared.contains(name) {
            text.push_str(declaration);
        }
    }
    text
}

/// What the text itself calls.
fn library(program: &Program, source: &Source) -> Vec<(&'static str, &'static str)> {
    let mut needed = Vec::new();
    let knots = || source.functions.iter().flat_map(|shape| &shape.nodes);
    let stops = |knot: &Knot| match knot {
        Knot::Stop => true,
        Knot::Steps(steps) => steps.len() != 2 && !matches!(steps[..], [ref only] if !is_assume(program, only.edge)),
        Knot::Test { .. } | Knot::Dispatch(_) | Knot::Exit => false,
    };
    if knots().any(stops) {
        needed.push(("exit", "extern void exit(int) __attribute__((noreturn));\n"));
        needed.push(("_Exit", "extern void _Exit(int) __attribute__((noreturn));\n"));
    }
    let edges = || knots().filter_map(|knot| if let Knot::Steps(steps) = knot { Some(steps) } else { None }).flatten();
    let copies = |edge: EdgeId| match program.edges[edge].op {
        Op::Assign { value, .. } => program.types.scalar(program.expr(value).ty).is_none(),
        Op::Declare(_) => true,
        _ => false,
    };
    if edges().any(|taken| copies(taken.edge)) {
        if step::library_name(program, "memcpy") == "memcpy" {
            needed.push(("memcpy", "extern void *memcpy(void *, const void *, __typeof__(sizeof 0));\n"));
        }
        if step::library_name(program, "memset") == "memset" {
            needed.push(("memset", "extern void *memset(void *, int, __typeof__(sizeof 0));\n"));
        }
    }
    needed
}

fn is_assume(program: &Program, edge: EdgeId) -> bool {
    matches!(program.edges[edge].op, Op::Assume { .. })
}
