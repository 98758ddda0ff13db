//! Types and records as C declares them.

use std::fmt::Write;

use tandem_syntax::types::{Field, Length, RecordId, Type, TypeId};

use super::layout::{Layout, first_bit, layout, width};
use super::names::{Names, VA_LIST_TAG};
use crate::model::*;

/// The type around a declarator, or alone.
pub(super) fn declare(program: &Program, names: &Names, id: TypeId, declarator: &str) -> String {
    let types = &program.types;
    match types.get(id) {
        Type::Pointer(to) => match types.get(*to) {
            Type::Array { .. } | Type::Function(_) if !is_va_list(program, *to) => {
                declare(program, names, *to, &format!("(*{declarator})"))
            }
            _ => declare(program, names, *to, &format!("*{declarator}")),
        },
        Type::Array { .. } if is_va_list(program, id) => join("__builtin_va_list", declarator),
        Type::Array { element, length } => {
            let count = match length {
                Length::Fixed(count) => count.to_string(),
                // Only behind a pointer, where nobody counts; an array of such arrays is no type.
                Length::Variable(_) if is_variable(program, *element) => {
                    return declare(program, names, *element, declarator);
                }
                Length::Incomplete | Length::Variable(_) => String::new(),
            };
            declare(program, names, *element, &format!("{declarator}[{count}]"))
        }
        Type::Function(function) => {
            let declared: &[TypeId] = if function.unprototyped { &[] } else { &function.parameters };
            let list = declared.iter().map(|ty| parameter(program, names, *ty, "")).collect();
            let list = parameters(list, function.variadic, function.unprototyped);
            declare(program, names, function.result, &format!("{declarator}({list})"))
        }
        Type::Void => join("void", declarator),
        Type::Bool => join("_Bool", declarator),
        Type::Int(kind) => join(kind.name(), declarator),
        Type::Float(kind) => join(kind.name(), declarator),
        Type::Record(record) => join(&record_name(program, names, *record), declarator),
        Type::Unsupported(name) => join(name, declarator),
    }
}

fn join(base: &str, declarator: &str) -> String {
    if declarator.is_empty() { base.to_string() } else { format!("{base} {declarator}") }
}

/// A parameter: a list of arguments comes as a pointer to what only the compiler can name.
pub(super) fn parameter(program: &Program, names: &Names, ty: TypeId, name: &str) -> String {
    let is_list = program.types.pointee(ty).is_some_and(|to| is_va_list_tag(program, to));
    if is_list { join("__builtin_va_list", name) } else { declare(program, names, ty, name) }
}

pub(super) fn parameters(mut list: Vec<String>, variadic: bool, unprototyped: bool) -> String {
    if variadic {
        list.push("...".to_string());
    }
    if list.is_empty() && !unprototyped {
        list.push("void".to_string());
    }
    list.join(", ")
}

fn is_variable(program: &Program, ty: TypeId) -> bool {
    match *program.types.get(ty) {
        Type::Array { length: Length::Variable(_), .. } => true,
        Type::Array { element, .. } => is_variable(program, element),
        _ => false,
    }
}

pub(super) fn is_va_list_tag(program: &Program, ty: TypeId) -> bool {
    matches!(*program.types.get(ty), Type::Record(record) if program.types.records[record].name.as_deref() == Some(VA_LIST_TAG))
}

fn is_va_list(program: &Program, ty: TypeId) -> bool {
    match *program.types.get(ty) {
        Type::Array { element, length: Length::Fixed(1) } => is_va_list_tag(program, element),
        _ => false,
    }
}

pub(super) fn record_name(program: &Program, names: &Names, id: RecordId) -> String {
    let record = &program.types.records[id];
    if record.name.as_deref() == Some(VA_LIST_TAG) {
        return "__typeof__((*(__builtin_va_list *)0)[0])".to_string();
    }
    let keyword = if record.is_union { "union" } else { "struct" };
    match names.records.get(&id) {
        Some(name) => format!("{keyword} {name}"),
        None => program.types.record_name(id),
    }
}

/// The name of a member; those of anonymous members get one, so that everything can be named.
pub(super) fn member(program: &Program, record: RecordId, field: u32) -> String {
    let fields = &program.types.records[record].fields;
    match fields.get(field as usize).and_then(|field| field.name.as_ref()) {
        Some(name) => name.to_string(),
        None => {
            let mut name = format!("anonymous_{field}");
            while fields.iter().any(|field| field.name.as_deref() == Some(&name)) {
                name.push('_');
            }
            name
        }
    }
}

/// The definition of a record.
pub(super) fn definition(program: &Program, names: &Names, id: RecordId) -> String {
    let record = &program.types.records[id];
    let layout = layout(&program.types, record);
    let attributes = match layout {
        Layout::Natural => String::new(),
        Layout::Aligned(align) => format!(" __attribute__((aligned({align})))"),
        Layout::Packed(align) => format!(" __attribute__((packed, aligned({align})))"),
    };
    let mut text = format!("{} {{\n", record_name(program, names, id));
    let mut filler = Filler { packed: matches!(layout, Layout::Packed(_)), end: 0, count: 0 };
    for (number, field) in record.fields.iter().enumerate() {
        if filler.packed && field.name.is_none() && field.bits.is_some() {
            continue;
        }
        if filler.packed && !record.is_union {
            filler.fill(first_bit(field), &mut text);
        }
        let is_last = number + 1 == record.fields.len() && number > 0 && !record.is_union;
        let line = field_line(program, names, (id, number as u32), field, is_last);
        let _ = writeln!(text, "  {line};");
        filler.end = filler.end.max(first_bit(field) + width(&program.types, field));
    }
    if filler.packed {
        if record.is_union {
            filler.end = if filler.end == record.size * 8 { filler.end } else { 0 };
        }
        filler.fill(record.size * 8, &mut text);
    }
    let _ = writeln!(text, "}}{attributes};");
    text
}

fn field_line(program: &Program, names: &Names, (id, number): (RecordId, u32), field: &Field, is_last: bool) -> String {
    match field.bits {
        Some(bits) => {
            let name = field.name.as_deref().unwrap_or("");
            format!("{} : {}", declare(program, names, field.ty, name).trim_end(), bits.width)
        }
        None => {
            let name = member(program, id, number);
            match *program.types.get(field.ty) {
                // Where C does not allow an array without a size, a compiler allows one of size zero.
                Type::Array { element, length: Length::Incomplete } if !is_last => {
                    declare(program, names, element, &format!("{name}[0]"))
                }
                _ => declare(program, names, field.ty, &name),
            }
        }
    }
}

/// Fills the gaps between the members of a packed record.
struct Filler {
    packed: bool,
    /// The first bit behind the last member.
    end: u64,
    count: u32,
}

impl Filler {
    fn fill(&mut self, to: u64, text: &mut String) {
        while self.end < to {
            let gap = to - self.end;
            if self.end.is_multiple_of(8) && gap >= 8 {
                let _ = writeln!(text, "  unsigned char padding_{}[{}];", self.count, gap / 8);
                self.count += 1;
                self.end += gap / 8 * 8;
            } else {
                let bits = gap.min(8 - self.end % 8);
                let _ = writeln!(text, "  unsigned char : {bits};");
                self.end += bits;
            }
        }
    }
}
