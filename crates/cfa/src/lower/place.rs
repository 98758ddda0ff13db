//! Lvalues: which place an expression of the tree means.

use tandem_syntax::ast as tree;
use tandem_syntax::types::{Type, TypeId};
use tree::ExpressionKind;

use super::Lowering;
use super::object::Object;
use super::sink::Sink;
use crate::model::*;

impl Lowering<'_> {
    /// The place of an lvalue, or a temporary that holds the value of anything else.
    pub(super) fn place(&mut self, id: tree::ExprId) -> PlaceId {
        let expression = self.unit.expression(id);
        let (ty, span) = (expression.ty, expression.span);
        match expression.kind {
            ExpressionKind::Declaration(declaration) => {
                let object = self.object(declaration);
                self.object_place(object)
            }
            ExpressionKind::String(string) => {
                let variable = self.string(string, ty, span);
                self.variable_place(variable)
            }
            ExpressionKind::Member { base, field } => self.member(base, field),
            ExpressionKind::Subscript { pointer, index } => self.subscript(pointer, index, ty),
            ExpressionKind::Deref(pointer) => match self.array_of(pointer) {
                Some(array) => {
                    let array = self.place(array);
                    self.element(array, 0, ty)
                }
                None => {
                    let pointer = self.value(pointer);
                    self.pointee(pointer, ty, span)
                }
            },
            ExpressionKind::CompoundLiteral(declaration) => self.compound_literal(declaration),
            // A record that is only loaded to have a member taken out.
            ExpressionKind::Load(place) => self.place(place),
            ExpressionKind::Comma { left, right } => {
                self.effect(left);
                self.place(right)
            }
            _ => {
                let place = self.temporary(ty, span);
                let outer = self.here.sink_span.take();
                self.deliver(id, Sink::Place(place), &[]);
                self.here.sink_span = outer;
                place
            }
        }
    }

    fn pointee(&mut self, pointer: ExprId, ty: TypeId, span: tandem_base::Span) -> PlaceId {
        if self.is_pointer(self.type_of(pointer)) {
            return self.deref(pointer, ty);
        }
        self.unsupported("dereference of something that is no pointer", span);
        self.temporary(ty, span)
    }

    fn member(&mut self, base: tree::ExprId, field: u32) -> PlaceId {
        let whole = self.place(base);
        let of = self.program.arena.place(whole).ty;
        if let Type::Record(record) = *self.program.types.get(of) {
            if let Some(inner) = self.program.types.records[record].fields.get(field as usize) {
                let ty = inner.ty;
                return self.add_place(PlaceKind::Field(whole, record, field), ty);
            }
        }
        let expression = self.unit.expression(base);
        self.unsupported("member of a type that is not modelled", expression.span);
        self.temporary(self.known.int, expression.span)
    }

    /// The array below a decay, if it lies in memory as one place.
    fn array_of(&self, pointer: tree::ExprId) -> Option<tree::ExprId> {
        match self.unit.expression(pointer).kind {
            ExpressionKind::Decay(array) if !self.is_variable(self.unit.type_of(array)) => Some(array),
            _ => None,
        }
    }

    fn subscript(&mut self, pointer: tree::ExprId, index: tree::ExprId, ty: TypeId) -> PlaceId {
        let span = self.unit.expression(pointer).span;
        if let Some(array) = self.array_of(pointer) {
            let array = self.place(array);
            let writes = self.writes(index);
            let array = self.protect_place(array, writes, span);
            let index = self.value(index);
            return self.add_place(PlaceKind::Index(array, index), ty);
        }
        let mut pointer = self.value(pointer);
        if self.reads(pointer) != 0 {
            let writes = self.writes(index);
            pointer = self.protect(pointer, writes, span);
        }
        let mut index = self.value(index);
        if !self.is_pointer(self.type_of(pointer)) {
            std::mem::swap(&mut pointer, &mut index);
        }
        if !self.is_pointer(self.type_of(pointer)) || !self.is_integer(self.type_of(index)) {
            self.unsupported("subscript of something that is no pointer", span);
            return self.temporary(ty, span);
        }
        let moved = self.pointer_add(pointer, index, false);
        self.deref(moved, ty)
    }

    /// An array as a pointer to its first element.
    pub(super) fn decay(&mut self, array: tree::ExprId, ty: TypeId) -> ExprId {
        let expression = self.unit.expression(array);
        if self.is_variable(expression.ty) {
            return self.variable_array(array, ty);
        }
        let place = self.place(array);
        self.address_of(place, ty)
    }

    /// `&place`
    pub(super) fn address(&mut self, place: tree::ExprId, ty: TypeId) -> ExprId {
        let expression = self.unit.expression(place);
        if matches!(self.program.types.get(expression.ty), Type::Function(_)) {
            return self.function_value(place, ty);
        }
        if self.is_variable(expression.ty) {
            return self.variable_array(place, ty);
        }
        let place = self.place(place);
        if self.is_bit_field(self.program.arena.place(place).kind) {
            return self.unsupported_value("address of a bit-field", ty, expression.span);
        }
        self.address_of(place, ty)
    }

    /// The address of an lvalue whose type is a variable-length array: such a thing is never a place.
    fn variable_array(&mut self, array: tree::ExprId, ty: TypeId) -> ExprId {
        let expression = self.unit.expression(array);
        let address = match expression.kind {
            ExpressionKind::Declaration(declaration) => match self.object(declaration) {
                Object::Behind(variable) => {
                    let place = self.variable_place(variable);
                    self.read(place)
                }
                object => {
                    let place = self.object_place(object);
                    self.address_of(place, ty)
                }
            },
            ExpressionKind::Deref(pointer) => self.value(pointer),
            ExpressionKind::Subscript { pointer, index } => {
                let mut start = self.value(pointer);
                let writes = self.writes(index);
                start = self.protect(start, writes, expression.span);
                let index = self.value(index);
                self.pointer_add(start, index, false)
            }
            ExpressionKind::Comma { left, right } => {
                self.effect(left);
                return self.variable_array(right, ty);
            }
            _ => self.unsupported_value("variable-length array", ty, expression.span),
        };
        self.convert(address, ty)
    }

    /// A function designator as a pointer.
    pub(super) fn function_value(&mut self, id: tree::ExprId, ty: TypeId) -> ExprId {
        let expression = self.unit.expression(id);
        match expression.kind {
            ExpressionKind::Declaration(declaration) => {
                let function = self.function(declaration);
                let pointer = self.program.types.pointer(self.program.functions[function].ty);
                let value = self.expr(ExprKind::Function(function), pointer);
                self.convert(value, ty)
            }
            ExpressionKind::Deref(pointer) => {
                let value = self.value(pointer);
                self.convert(value, ty)
            }
            ExpressionKind::FunctionDecay(inner) => self.function_value(inner, ty),
            ExpressionKind::Comma { left, right } => {
                self.effect(left);
                self.function_value(right, ty)
            }
            _ => {
                let value = self.value(id);
                self.convert(value, ty)
            }
        }
    }
}
