//! Initialisers of static objects: values at offsets, put into the braces of their type.

use std::fmt::Write;

use tandem_base::Problem;
use tandem_syntax::types::{IntKind, Length, RecordId, Type, TypeId};

use super::layout::{first_bit, width};
use super::names::Names;
use super::types;
use crate::c_print::{self, Printer};
use crate::model::*;

/// A value and the bits it covers, counted from the start of the object.
#[derive(Clone)]
struct Value {
    from: u64,
    width: u64,
    data: Data,
}

#[derive(Clone)]
enum Data {
    Scalar(ExprId),
    Bytes(Vec<u8>),
}

/// The values in their order, the later of two for one place. `None` if they overlap otherwise.
fn values(program: &Program, variable: &Variable) -> Option<Vec<Value>> {
    let mut values: Vec<Value> = Vec::with_capacity(variable.initializer.len());
    for initial in &variable.initializer {
        let from = initial.offset * 8 + initial.bits.map_or(0, |bits| u64::from(bits.offset));
        let (width, data) = match &initial.value {
            InitialData::Scalar(expr) => {
                let own = program.types.size(program.expr(*expr).ty).unwrap_or(0) * 8;
                (initial.bits.map_or(own, |bits| u64::from(bits.width)), Data::Scalar(*expr))
            }
            InitialData::Bytes(bytes) => (bytes.len() as u64 * 8, Data::Bytes(bytes.to_vec())),
        };
        if width > 0 {
            values.push(Value { from, width, data });
        }
    }
    values.sort_by_key(|value| value.from);
    let mut kept: Vec<Value> = Vec::with_capacity(values.len());
    for value in values {
        match kept.last_mut() {
            Some(last) if last.from == value.from && last.width == value.width => *last = value,
            Some(last) if last.from + last.width > value.from => return None,
            _ => kept.push(value),
        }
    }
    Some(kept)
}

/// Whether the braces of the variable's type can hold its values.
pub(super) fn fits(program: &Program, variable: &Variable) -> bool {
    let Some(values) = values(program, variable) else { return true };
    values.is_empty() || Braces { program, printer: None }.text(variable.ty, 0, &values).is_some()
}

pub(super) fn text(program: &Program, printer: &Printer<'_>, variable: &Variable) -> Option<String> {
    let values = values(program, variable)?;
    if values.is_empty() {
        return Some("{}".to_string());
    }
    Braces { program, printer: Some(printer) }.text(variable.ty, 0, &values)
}

/// A union of the object and of a record that has its values in the right places: the type and the definition.
pub(super) fn wrapped(
    program: &Program,
    names: &Names,
    printer: &Printer<'_>,
    id: VariableId,
) -> Result<(String, String), Problem> {
    let variable = &program.variables[id];
    let name = &names.variables[&id];
    let fail = || Problem::error(variable.span, format!("the initialiser of '{}' has no form in C", variable.name));
    let values = values(program, variable).ok_or_else(fail)?;
    let (mut members, mut data, mut end) = (String::new(), Vec::new(), 0);
    for (number, value) in values.iter().enumerate() {
        if value.from % 8 != 0 || end % 8 != 0 || value.width % 8 != 0 {
            return Err(fail());
        }
        if value.from > end {
            let _ = write!(members, " char gap_{number}[{}];", (value.from - end) / 8);
        }
        let (declared, text) = match &value.data {
            Data::Scalar(expr) => {
                let member = types::declare(program, names, program.expr(*expr).ty, &format!("value_{number}"));
                (member, printer.expression(*expr))
            }
            Data::Bytes(bytes) => (format!("char value_{number}[{}]", bytes.len()), c_print::string(bytes)),
        };
        let _ = write!(members, " {declared};");
        data.push(format!(".value_{number} = {text}"));
        end = value.from + value.width;
    }
    let object = types::declare(program, names, variable.ty, "object");
    let linkage = super::data::linkage(program, variable);
    let record = format!("struct {{{members} }} __attribute__((packed)) values;");
    Ok((
        format!("union {name}_wrapped {{ {object}; {record} }};\n"),
        format!("{linkage}union {name}_wrapped {name} = {{ .values = {{ {} }} }}", data.join(", ")),
    ))
}

/// Without a printer it only says whether the values fit.
struct Braces<'a> {
    program: &'a Program,
    printer: Option<&'a Printer<'a>>,
}

impl Braces<'_> {
    /// The values inside of an object of the type that begins at this bit.
    fn text(&self, ty: TypeId, start: u64, values: &[Value]) -> Option<String> {
        match *self.program.types.get(ty) {
            Type::Array { element, length } => self.array(element, length, start, values),
            Type::Record(record) if self.program.types.records[record].is_union => self.union(record, start, values),
            Type::Record(record) => self.record(record, start, values),
            _ => self.scalar(ty, start, values),
        }
    }

    fn scalar(&self, ty: TypeId, start: u64, values: &[Value]) -> Option<String> {
        let [Value { from, data, .. }] = values else { return None };
        match data {
            _ if *from != start => None,
            Data::Scalar(expr) => {
                let own = self.program.expr(*expr).ty;
                (own == ty).then(|| self.printer.map_or(String::new(), |printer| printer.assigned(*expr)))
            }
            Data::Bytes(bytes) => self.number(ty, bytes),
        }
    }

    /// The integer that these bytes are.
    fn number(&self, ty: TypeId, bytes: &[u8]) -> Option<String> {
        let Type::Int(kind) = *self.program.types.get(ty) else { return None };
        let bits = kind.bits(self.program.model());
        if bytes.len() as u32 * 8 != bits || bits > 64 {
            return None;
        }
        let number = bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let name = kind.name();
        Some(if bits <= 16 { format!("({name}){number}") } else { format!("({name}){number}ull") })
    }

    fn array(&self, element: TypeId, length: Length, start: u64, values: &[Value]) -> Option<String> {
        let size = self.program.types.size(element).filter(|size| *size > 0)? * 8;
        if let [Value { from, data: Data::Bytes(bytes), .. }] = values
            && *from == start
            && matches!(
                *self.program.types.get(element),
                Type::Int(IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar)
            )
        {
            let fits = !matches!(length, Length::Fixed(count) if (bytes.len() as u64) > count);
            return fits.then(|| c_print::string(bytes));
        }
        let split = self.split(element, size, start, values);
        let values = split.as_deref().unwrap_or(values);
        let mut text = String::from("{ ");
        let (mut at, mut next) = (0, 0);
        while at < values.len() {
            let index = values[at].from.checked_sub(start)? / size;
            if matches!(length, Length::Fixed(count) if index >= count) {
                return None;
            }
            let end = start + (index + 1) * size;
            let count = values[at..].iter().take_while(|value| value.from < end).count();
            if values[at..at + count].iter().any(|value| value.from + value.width > end) {
                return None;
            }
            let inner = self.text(element, start + index * size, &values[at..at + count])?;
            if index != next {
                let _ = write!(text, "[{index}] = ");
            }
            let _ = write!(text, "{inner}, ");
            (at, next) = (at + count, index + 1);
        }
        Some(text + "}")
    }

    /// Bytes that fill several elements, one by one.
    fn split(&self, element: TypeId, size: u64, start: u64, values: &[Value]) -> Option<Vec<Value>> {
        self.program.types.scalar(element)?;
        let mut split = Vec::new();
        for value in values {
            match &value.data {
                Data::Bytes(bytes) if (value.from - start).is_multiple_of(size) => {
                    for (number, part) in bytes.chunks((size / 8) as usize).enumerate() {
                        let mut part = part.to_vec();
                        part.resize((size / 8) as usize, 0);
                        let from = value.from + number as u64 * size;
                        split.push(Value { from, width: size, data: Data::Bytes(part) });
                    }
                }
                Data::Bytes(_) | Data::Scalar(_) => split.push(value.clone()),
            }
        }
        Some(split)
    }

    fn record(&self, record: RecordId, start: u64, values: &[Value]) -> Option<String> {
        let fields = &self.program.types.records[record].fields;
        let mut text = String::from("{ ");
        let mut at = 0;
        for (number, field) in fields.iter().enumerate() {
            let from = start + first_bit(field);
            let open_end = matches!(self.program.types.get(field.ty), Type::Array { length: Length::Incomplete, .. });
            let end = if open_end { u64::MAX } else { from + width(&self.program.types, field) };
            let inside = |value: &&Value| value.from >= from && value.from < end && value.from + value.width <= end;
            let count = values[at..].iter().take_while(inside).count();
            if count == 0 || (field.name.is_none() && field.bits.is_some()) {
                continue;
            }
            let inner = self.text(field.ty, from, &values[at..at + count])?;
            let _ = write!(text, ".{} = {inner}, ", types::member(self.program, record, number as u32));
            at += count;
        }
        (at == values.len()).then(|| text + "}")
    }

    fn union(&self, record: RecordId, start: u64, values: &[Value]) -> Option<String> {
        let fields = &self.program.types.records[record].fields;
        let end = values.last().map_or(start, |value| value.from + value.width);
        fields.iter().enumerate().find_map(|(number, field)| {
            if start + width(&self.program.types, field) < end {
                return None;
            }
            let inner = self.text(field.ty, start, values)?;
            Some(format!("{{ .{} = {inner} }}", types::member(self.program, record, number as u32)))
        })
    }
}
