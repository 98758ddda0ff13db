//! Addresses, pointer arithmetic, and the sizes of variable-length arrays.
//!
//! Knows layouts through the types only.

use tandem_base::Span;
use tandem_syntax::types::{BitRange, Length, Type, TypeId};

use super::Lowering;
use crate::model::*;

impl Lowering<'_> {
    /// A pointer to the place, as `ty`.
    pub(super) fn address_of(&mut self, place: PlaceId, ty: TypeId) -> ExprId {
        let Place { kind, ty: of } = self.program.arena.place(place);
        if let PlaceKind::Deref(pointer) = kind {
            return self.convert(pointer, ty);
        }
        if let Some(variable) = self.program.arena.root_variable(place) {
            self.program.variables[variable].in_memory = true;
        }
        let to = self.program.types.pointee(ty);
        let natural =
            to == Some(of) || matches!(*self.program.types.get(of), Type::Array { element, .. } if to == Some(element));
        if natural {
            return self.expr(ExprKind::AddressOf(place), ty);
        }
        let own = self.program.types.pointer(of);
        let address = self.expr(ExprKind::AddressOf(place), own);
        self.convert(address, ty)
    }

    /// What the pointer points to, as `ty`.
    pub(super) fn deref(&mut self, pointer: ExprId, ty: TypeId) -> PlaceId {
        if let ExprKind::AddressOf(place) = self.program.arena.expr(pointer).kind {
            let of = self.program.arena.place(place).ty;
            if of == ty {
                return place;
            }
            if matches!(*self.program.types.get(of), Type::Array { element, .. } if element == ty) {
                return self.element(place, 0, ty);
            }
        }
        self.add_place(PlaceKind::Deref(pointer), ty)
    }

    pub(super) fn element(&mut self, array: PlaceId, index: u64, ty: TypeId) -> PlaceId {
        let index = self.constant(i128::from(index), self.known.difference);
        self.add_place(PlaceKind::Index(array, index), ty)
    }

    /// Whether the size of the type is known only when the program runs.
    pub(super) fn is_variable(&self, ty: TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Array { length: Length::Variable(_), .. } => true,
            Type::Array { element, .. } => self.is_variable(element),
            _ => false,
        }
    }

    /// Pointer plus or minus an integer.
    pub(super) fn pointer_add(&mut self, pointer: ExprId, index: ExprId, down: bool) -> ExprId {
        if self.bits_of(index) == Some(0) {
            return pointer;
        }
        let ty = self.type_of(pointer);
        let op = if down { BinaryOp::PointerSub } else { BinaryOp::PointerAdd };
        match self.program.types.pointee(ty) {
            Some(to) if self.is_variable(to) => {
                let size = self.size_of(to);
                let size = self.convert(size, self.known.difference);
                let index = self.convert(index, self.known.difference);
                let bytes = self.binary(BinaryOp::Mul, index, size, self.known.difference);
                let start = self.convert(pointer, self.known.char_pointer);
                let moved = self.binary(op, start, bytes, self.known.char_pointer);
                self.convert(moved, ty)
            }
            _ => self.binary(op, pointer, index, ty),
        }
    }

    pub(super) fn pointer_difference(&mut self, left: ExprId, right: ExprId, ty: TypeId) -> ExprId {
        let pointer = self.type_of(left);
        let right = self.convert(right, pointer);
        let difference = self.known.difference;
        let result = match self.program.types.pointee(pointer) {
            Some(to) if self.is_variable(to) => {
                let left = self.convert(left, self.known.char_pointer);
                let right = self.convert(right, self.known.char_pointer);
                let bytes = self.binary(BinaryOp::PointerDiff, left, right, difference);
                let size = self.size_of(to);
                let size = self.convert(size, difference);
                self.binary(BinaryOp::Div, bytes, size, difference)
            }
            _ => self.binary(BinaryOp::PointerDiff, left, right, difference),
        };
        self.convert(result, ty)
    }

    /// The size of a type in bytes, computed if it has to be.
    pub(super) fn size_of(&mut self, ty: TypeId) -> ExprId {
        let size = self.known.size;
        match *self.program.types.get(ty) {
            Type::Array { element, length } if self.is_variable(ty) => {
                let count = match length {
                    Length::Variable(id) => {
                        let count = self.unit.vla_size(id);
                        let count = self.value(count);
                        self.convert(count, size)
                    }
                    Length::Fixed(count) => self.constant(i128::from(count), size),
                    Length::Incomplete => self.constant(0, size),
                };
                let element = self.size_of(element);
                self.binary(BinaryOp::Mul, count, element, size)
            }
            _ => match self.program.types.size(ty) {
                Some(bytes) => self.constant(i128::from(bytes), size),
                None => self.unsupported_value("size of an incomplete type", size, Span::NONE),
            },
        }
    }

    /// The sizes of a variable-length array are fixed where its declaration is reached, and kept.
    pub(super) fn pin_sizes(&mut self, ty: TypeId) {
        match *self.program.types.get(ty) {
            Type::Array { element, length } => {
                if let Length::Variable(id) = length {
                    self.pin(id);
                }
                self.pin_sizes(element);
            }
            Type::Pointer(to) if matches!(self.program.types.get(to), Type::Array { .. } | Type::Pointer(_)) => {
                self.pin_sizes(to);
            }
            _ => {}
        }
    }

    fn pin(&mut self, id: tandem_syntax::types::VlaId) {
        let count = self.unit.vla_size(id);
        // Evaluated anew whenever the declaration is reached again.
        self.pinned.remove(&count);
        let span = self.unit.expression(count).span;
        let value = self.value(count);
        let value = if self.bits_of(value).is_some() { value } else { self.save(value, span) };
        self.pinned.insert(count, value);
    }

    /// The part of a place that lies `offset` bytes (and these bits) into it and has the type.
    pub(super) fn part(&mut self, place: PlaceId, offset: u64, bits: Option<BitRange>, ty: TypeId) -> Option<PlaceId> {
        let of = self.program.arena.place(place).ty;
        if offset == 0 && bits.is_none() && of == ty {
            return Some(place);
        }
        match *self.program.types.get(of) {
            Type::Array { element, length } => {
                let size = self.program.types.size(element).filter(|size| *size > 0)?;
                let index = offset / size;
                if matches!(length, Length::Fixed(count) if index >= count) {
                    return None;
                }
                let inner = self.element(place, index, element);
                self.part(inner, offset % size, bits, ty)
            }
            Type::Record(record) => {
                for number in 0..self.program.types.records[record].fields.len() {
                    let field = &self.program.types.records[record].fields[number];
                    let (start, inner) = (field.offset, field.ty);
                    if let (Some(wanted), Some(own)) = (bits, field.bits) {
                        let same = offset * 8 + u64::from(wanted.offset) == start * 8 + u64::from(own.offset);
                        if same && wanted.width == own.width && inner == ty {
                            return Some(self.add_place(PlaceKind::Field(place, record, number as u32), inner));
                        }
                    }
                    let end = self.program.types.size(inner).map_or(u64::MAX, |size| start.saturating_add(size));
                    if field.bits.is_none() && start <= offset && offset < end {
                        let member = self.add_place(PlaceKind::Field(place, record, number as u32), inner);
                        if let Some(found) = self.part(member, offset - start, bits, ty) {
                            return Some(found);
                        }
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// As [`Lowering::part`]; where no member fits, the bytes there seen as the type.
    pub(super) fn part_or_bytes(&mut self, place: PlaceId, offset: u64, ty: TypeId) -> PlaceId {
        match self.part(place, offset, None, ty) {
            Some(part) => part,
            None => {
                let start = self.address_of(place, self.known.char_pointer);
                let index = self.constant(i128::from(offset), self.known.difference);
                let moved = self.pointer_add(start, index, false);
                let pointer = self.program.types.pointer(ty);
                let pointer = self.convert(moved, pointer);
                self.deref(pointer, ty)
            }
        }
    }
}
