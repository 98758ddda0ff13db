//! Lvalues of the tree: which place they mean.

use tandem_base::Problem;
use tandem_syntax::types::{RecordId, Type, TypeId};

use super::Context;
use super::names::Meaning;
use super::parse::{Node, NodeId, Unary};
use super::problem;
use super::value::{Typing, Value};
use crate::model::*;

/// What is dereferenced or indexed.
enum Operand {
    /// An array, and the type of its elements.
    Array(PlaceId, TypeId),
    Value(ExprId),
}

impl Typing<'_> {
    /// The place of an lvalue; `None` for anything else.
    pub(super) fn place(&mut self, id: NodeId) -> Result<Option<PlaceId>, Problem> {
        let tree = self.tree;
        match tree.node(id) {
            Node::Name(name) => self.named(id, name),
            Node::Unary(Unary::Deref, pointer) => self.pointee(id, *pointer).map(Some),
            Node::Index(base, index) => self.element(id, *base, *index).map(Some),
            Node::Member { base, name, arrow } => {
                let whole = if *arrow { Some(self.pointee(id, *base)?) } else { self.place(*base)? };
                let whole =
                    whole.ok_or_else(|| problem(tree.span(*base), "a member of something that is no object"))?;
                self.member(whole, name, id).map(Some)
            }
            Node::Number(_)
            | Node::Character(_)
            | Node::Unary(..)
            | Node::Binary(..)
            | Node::All(_)
            | Node::Any(_)
            | Node::Conditional(..)
            | Node::Cast(..)
            | Node::SizeOfType(_)
            | Node::SizeOf(_) => Ok(None),
        }
    }

    fn named(&mut self, id: NodeId, name: &str) -> Result<Option<PlaceId>, Problem> {
        let span = self.tree.span(id);
        if name == "\\result" {
            let refused = || problem(span, "'\\result' means nothing here: no value is returned at this place");
            return self.context.result.map(Some).ok_or_else(refused);
        }
        if self.is_truth_word(name) {
            return Ok(None);
        }
        let context = self.context;
        match context.names.meaning(self.program, context.function, context.at, name, span)? {
            Meaning::Variable(variable) => {
                let ty = self.program.variables[variable].ty;
                if self.is_extended(ty) {
                    let message = format!("'{name}' has an initialised flexible array member: not supported here");
                    return Err(problem(span, message));
                }
                Ok(Some(self.program.arena.add_place(PlaceKind::Variable(variable), ty)))
            }
            Meaning::Function(_) | Meaning::Constant(_) => Ok(None),
        }
    }

    /// `true` or `false`, unless the program has a variable of that name.
    pub(super) fn is_truth_word(&self, name: &str) -> bool {
        let Context { function, at, .. } = self.context;
        matches!(name, "true" | "false") && super::names::variable(self.program, function, at, name).is_none()
    }

    /// The shape of a record that lowering makes for an object that is larger than its type.
    fn is_extended(&self, ty: TypeId) -> bool {
        let Type::Record(record) = *self.program.types.get(ty) else { return false };
        let record = &self.program.types.records[record];
        let names: Vec<Option<&str>> = record.fields.iter().map(|field| field.name.as_deref()).collect();
        record.name.is_none() && names == [Some("object"), Some("rest")]
    }

    fn pointee(&mut self, id: NodeId, pointer: NodeId) -> Result<PlaceId, Problem> {
        let span = self.tree.span(id);
        let value = match self.array_or_value(pointer)? {
            Operand::Array(array, element) => return Ok(self.first_element(array, element)),
            Operand::Value(value) => value,
        };
        let ty = self.program.types.pointee(self.type_of(value));
        let ty = ty.ok_or_else(|| problem(span, "what is dereferenced here is no pointer"))?;
        match self.program.types.get(ty) {
            Type::Void | Type::Function(_) => Err(problem(span, "a pointer to no object is dereferenced")),
            _ if self.is_variable_array(ty) => Err(problem(span, "variable-length arrays are not supported here")),
            _ => Ok(self.deref(value, ty)),
        }
    }

    /// Every operand is looked at once: twice would be twice for every level below it, too.
    fn array_or_value(&mut self, id: NodeId) -> Result<Operand, Problem> {
        let Some(place) = self.place(id)? else { return Ok(Operand::Value(self.computed(id)?.expr)) };
        match *self.program.types.get(self.program.arena.place(place).ty) {
            Type::Array { element, .. } => Ok(Operand::Array(place, element)),
            _ => Ok(Operand::Value(self.load(place, id)?.expr)),
        }
    }

    fn element(&mut self, id: NodeId, base: NodeId, index: NodeId) -> Result<PlaceId, Problem> {
        let span = self.tree.span(id);
        let mut pointer = match self.array_or_value(base)? {
            Operand::Array(array, element) => {
                let index = self.value(index)?.expr;
                if !self.is_integer(self.type_of(index)) {
                    return Err(problem(span, "the index of an array is no integer"));
                }
                return Ok(self.program.arena.add_place(PlaceKind::Index(array, index), element));
            }
            Operand::Value(pointer) => pointer,
        };
        let mut offset = self.value(index)?.expr;
        if self.is_integer(self.type_of(pointer)) {
            std::mem::swap(&mut pointer, &mut offset);
        }
        let to = self.program.types.pointee(self.type_of(pointer));
        let (Some(to), true) = (to, self.is_integer(self.type_of(offset))) else {
            return Err(problem(span, "what is indexed here is no array or pointer, or the index no integer"));
        };
        if matches!(self.program.types.get(to), Type::Void | Type::Function(_)) {
            return Err(problem(span, "a pointer to no object is indexed"));
        }
        let moved = self.pointer_add(pointer, offset, false);
        let moved = moved.ok_or_else(|| problem(span, "elements without a fixed size are not supported here"))?;
        Ok(self.deref(moved, to))
    }

    fn member(&mut self, whole: PlaceId, name: &str, id: NodeId) -> Result<PlaceId, Problem> {
        let span = self.tree.span(id);
        let ty = self.program.arena.place(whole).ty;
        let Type::Record(record) = *self.program.types.get(ty) else {
            return Err(problem(span, format!("'{name}' is taken out of something that is no struct or union")));
        };
        let path = self.path_to(record, name, 0);
        let path = path.ok_or_else(|| {
            problem(span, format!("'{}' has no member '{name}'", self.program.types.record_name(record)))
        })?;
        let mut place = whole;
        for (record, field, ty) in path.into_iter().rev() {
            place = self.program.arena.add_place(PlaceKind::Field(place, record, field), ty);
        }
        Ok(place)
    }

    /// The members that lead to a name, through those without one; the last comes first.
    fn path_to(&self, record: RecordId, name: &str, depth: u32) -> Option<Vec<(RecordId, u32, TypeId)>> {
        let fields = &self.program.types.records[record].fields;
        if let Some(number) = fields.iter().position(|field| field.name.as_deref() == Some(name)) {
            return Some(vec![(record, number as u32, fields[number].ty)]);
        }
        let unnamed = fields.iter().enumerate().filter(|(_, field)| field.name.is_none() && field.bits.is_none());
        for (number, field) in unnamed {
            if let (Type::Record(inner), true) = (self.program.types.get(field.ty), depth < 64) {
                if let Some(mut path) = self.path_to(*inner, name, depth + 1) {
                    path.push((record, number as u32, field.ty));
                    return Some(path);
                }
            }
        }
        None
    }

    /// The width of the bit-field that a place is.
    pub(super) fn bit_field(&self, place: PlaceId) -> Option<u32> {
        match self.program.arena.place(place).kind {
            PlaceKind::Field(_, record, field) => {
                self.program.types.records[record].fields[field as usize].bits.map(|bits| bits.width)
            }
            PlaceKind::Variable(_) | PlaceKind::Deref(_) | PlaceKind::Index(..) => None,
        }
    }

    /// The value of a place: what it holds, or for an array a pointer to its first element.
    pub(super) fn load(&mut self, place: PlaceId, id: NodeId) -> Result<Value, Problem> {
        let span = self.tree.span(id);
        let ty = self.program.arena.place(place).ty;
        if let Type::Array { element, .. } = *self.program.types.get(ty) {
            if self.is_variable_array(ty) {
                return Err(problem(span, "variable-length arrays are not supported here"));
            }
            let pointer = self.program.types.pointer(element);
            return Ok(Value::plain(self.address_of(place, pointer)));
        }
        if self.scalar(ty).is_none() {
            return Err(problem(
                span,
                format!("a value of type '{}' is not a number", crate::c_print::ty(self.program, ty)),
            ));
        }
        let bit_field = self.bit_field(place);
        Ok(Value { expr: self.expr(ExprKind::Read(place), ty), bit_field })
    }
}
