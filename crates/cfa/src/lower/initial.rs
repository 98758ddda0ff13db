//! Initialisers of objects that exist before the program runs: constants at offsets.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{Length, Type, TypeId};
use tree::{AddressBase, ExpressionKind, InitEntry};

use super::Lowering;
use super::object::Object;
use crate::model::*;

impl Lowering<'_> {
    /// The values of a static initialiser; `None` if one is not constant.
    pub(super) fn initial_values(&mut self, entries: &[InitEntry], ty: TypeId) -> Option<Vec<InitialValue>> {
        let mut values = Vec::with_capacity(entries.len());
        for entry in entries {
            self.initial_value(entry, ty, &mut values)?;
        }
        Some(values)
    }

    fn initial_value(&mut self, entry: &InitEntry, ty: TypeId, values: &mut Vec<InitialValue>) -> Option<()> {
        let (offset, bits) = (entry.offset, entry.bits);
        let expression = self.unit.expression(entry.value);
        match expression.kind {
            ExpressionKind::String(id) => {
                let bytes = self.string_bytes(id, expression.ty, ty, offset);
                values.push(InitialValue { offset, bits: None, value: InitialData::Bytes(bytes.into()) });
            }
            ExpressionKind::Load(inner) if self.scalar(expression.ty).is_none() => {
                let ExpressionKind::CompoundLiteral(id) = self.unit.expression(inner).kind else { return None };
                for inner in self.unit.declaration(id).initializer? {
                    let moved = InitEntry { offset: offset + inner.offset, ..inner };
                    self.initial_value(&moved, ty, values)?;
                }
            }
            kind => {
                let value = self.constant_value(entry.value, kind, expression.ty)?;
                values.push(InitialValue { offset, bits, value: InitialData::Scalar(value) });
            }
        }
        Some(())
    }

    /// The characters of a literal, as many as the array it initialises has room for.
    fn string_bytes(&mut self, id: tree::StringId, own: TypeId, ty: TypeId, offset: u64) -> Vec<u8> {
        let mut bytes = self.unit.string(id);
        let room = match self.array_at(ty, offset, own) {
            Some(room) => room,
            None => self.program.types.size(ty).map_or(u64::MAX, |size| size.saturating_sub(offset)),
        };
        bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        bytes
    }

    /// The size of the array of the same elements that begins at the offset.
    fn array_at(&self, ty: TypeId, offset: u64, own: TypeId) -> Option<u64> {
        let Type::Array { element: wanted, .. } = *self.program.types.get(own) else { return None };
        let size_of = |ty| self.program.types.size(ty);
        match *self.program.types.get(ty) {
            Type::Array { element, .. }
                if offset == 0 && size_of(element) == size_of(wanted) && self.scalar(element).is_some() =>
            {
                size_of(ty)
            }
            Type::Array { element, length } => {
                let size = size_of(element).filter(|size| *size > 0)?;
                match length {
                    Length::Fixed(count) if offset / size >= count => None,
                    _ => self.array_at(element, offset % size, own),
                }
            }
            Type::Record(record) => {
                let fields = self.program.types.records[record].fields.iter();
                let mut around = fields.filter(|field| {
                    let end = size_of(field.ty).map_or(u64::MAX, |size| field.offset.saturating_add(size));
                    field.bits.is_none() && field.offset <= offset && offset < end
                });
                around.find_map(|field| self.array_at(field.ty, offset - field.offset, own))
            }
            _ => None,
        }
    }

    /// A scalar constant, or `None`.
    pub(super) fn constant_value(&mut self, id: tree::ExprId, kind: ExpressionKind, ty: TypeId) -> Option<ExprId> {
        self.scalar(ty)?;
        let kind = match kind {
            ExpressionKind::Integer(_) | ExpressionKind::Float(_) => kind,
            _ => self.unit.constant_expression(id)?,
        };
        if let ExpressionKind::Address { base: AddressBase::Declaration(declaration), .. } = kind {
            if !self.is_static(declaration) {
                return None;
            }
        }
        Some(self.constant_kind(kind, ty, Span::NONE))
    }

    fn is_static(&mut self, id: tree::DeclId) -> bool {
        let declaration = self.unit.declaration(id);
        if declaration.is_function {
            return true;
        }
        if declaration.storage == tree::Storage::Automatic {
            return false;
        }
        match self.object(id) {
            Object::Variable(variable) | Object::Extended(variable, _) | Object::Behind(variable) => {
                self.program.variables[variable].kind.is_static()
            }
        }
    }
}
