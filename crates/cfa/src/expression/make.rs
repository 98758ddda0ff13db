//! Typed expressions and places: conversions and operators as lowering makes them.
//!
//! The rules here are those of `lower/make.rs`, `pointer.rs`, `operator.rs` and `value.rs`, without edges: tests compare the two.

use tandem_syntax::Scalar;
use tandem_syntax::types::{FloatKind, IntKind, Length, Type, TypeId};

use super::value::{Typing, Value};
use crate::model::*;

impl Typing<'_> {
    pub(super) fn type_of(&self, id: ExprId) -> TypeId {
        self.program.arena.expr(id).ty
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.program.types.scalar(ty)
    }

    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Int(_) | Type::Bool)
    }

    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Pointer(_))
    }

    pub(super) fn int(&mut self) -> TypeId {
        self.program.types.int(IntKind::Int)
    }

    pub(super) fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.arena.add_expr(kind, ty)
    }

    pub(super) fn constant(&mut self, bits: u128, ty: TypeId) -> ExprId {
        self.program.arena.add_constant(&self.program.types, bits, ty)
    }

    pub(super) fn bits_of(&self, id: ExprId) -> Option<u128> {
        match self.program.arena.expr(id).kind {
            ExprKind::Bits(bits) => Some(u128::from(bits)),
            ExprKind::Wide(wide) => Some(self.program.arena.wide(wide)),
            _ => None,
        }
    }

    /// The value of an integer or pointer constant.
    pub(super) fn integer_of(&self, id: ExprId) -> Option<i128> {
        let scalar = self.scalar(self.type_of(id))?;
        match scalar {
            Scalar::Float(_) => None,
            Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => {
                Some(crate::semantics::integer_value(scalar, self.bits_of(id)?))
            }
        }
    }

    /// The value as another scalar type. Both types must be scalar.
    pub(super) fn convert(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let from = self.type_of(value);
        if from == ty {
            return value;
        }
        let target = self.scalar(ty);
        if let (Some(constant), false) = (self.integer_of(value), matches!(target, Some(Scalar::Float(_)))) {
            return match target {
                Some(Scalar::Bool) => self.constant(u128::from(constant != 0), ty),
                _ => self.constant(constant as u128, ty),
            };
        }
        if self.is_pointer(from) && self.is_pointer(ty) {
            if let ExprKind::Convert(inner) = self.program.arena.expr(value).kind {
                if self.is_pointer(self.type_of(inner)) {
                    return self.convert(inner, ty);
                }
            }
        }
        self.expr(ExprKind::Convert(value), ty)
    }

    /// The type of an integer operand after promotion; `None` if it is not modelled.
    fn promoted(&mut self, value: Value) -> Option<TypeId> {
        let ty = self.type_of(value.expr);
        let narrow = match *self.program.types.get(ty) {
            Type::Bool => true,
            Type::Int(kind) => match value.bit_field {
                // gcc computes with wider bit-fields in exactly their width.
                Some(width) if width > 32 => return None,
                Some(width) => width < 32 || kind.is_signed(),
                None => kind < IntKind::Int,
            },
            _ => false,
        };
        Some(if narrow {
            self.int()
        } else if value.bit_field.is_some() {
            self.full_width(ty)
        } else {
            ty
        })
    }

    /// The type of a bit-field of 32 bits.
    fn full_width(&mut self, ty: TypeId) -> TypeId {
        match self.program.types.get(ty) {
            Type::Int(_) => self.program.types.int(IntKind::UnsignedInt),
            _ => ty,
        }
    }

    pub(super) fn promote(&mut self, value: Value) -> Option<ExprId> {
        let ty = self.promoted(value)?;
        Some(self.convert(value.expr, ty))
    }

    /// The common type of two arithmetic operands.
    pub(super) fn common(&mut self, left: Value, right: Value) -> Option<TypeId> {
        let kind = |typing: &Self, value: Value| match *typing.program.types.get(typing.type_of(value.expr)) {
            Type::Float(kind) => Some(kind),
            _ => None,
        };
        let float: Option<FloatKind> = kind(self, left).max(kind(self, right));
        if let Some(float) = float {
            return Some(self.program.types.intern(Type::Float(float)));
        }
        let (left, right) = (self.promoted(left)?, self.promoted(right)?);
        let types = &mut self.program.types;
        let (Type::Int(a), Type::Int(b)) = (types.get(left).clone(), types.get(right).clone()) else { return None };
        let model = types.model();
        let (low, high) = if rank(a) <= rank(b) { (a, b) } else { (b, a) };
        let common = if low.is_signed() == high.is_signed() || !high.is_signed() {
            high
        } else if rank(low) == rank(high) {
            low
        } else if high.bits(model) > low.bits(model) {
            high
        } else {
            unsigned(high)
        };
        Some(types.int(common))
    }

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
        let element = matches!(*self.program.types.get(of), Type::Array { element, .. } if to == Some(element));
        if to == Some(of) || element {
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
                return self.first_element(place, ty);
            }
        }
        self.program.arena.add_place(PlaceKind::Deref(pointer), ty)
    }

    pub(super) fn first_element(&mut self, array: PlaceId, ty: TypeId) -> PlaceId {
        let difference = self.program.types.difference_type();
        let index = self.constant(0, difference);
        self.program.arena.add_place(PlaceKind::Index(array, index), ty)
    }

    /// Pointer plus or minus an integer; `None` if the pointee has no fixed size.
    pub(super) fn pointer_add(&mut self, pointer: ExprId, index: ExprId, down: bool) -> Option<ExprId> {
        let ty = self.type_of(pointer);
        self.program.types.size(self.program.types.pointee(ty)?)?;
        if self.bits_of(index) == Some(0) {
            return Some(pointer);
        }
        let op = if down { BinaryOp::PointerSub } else { BinaryOp::PointerAdd };
        Some(self.expr(ExprKind::Binary(op, pointer, index), ty))
    }

    pub(super) fn is_variable_array(&self, ty: TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Array { length: Length::Variable(_), .. } => true,
            Type::Array { element, .. } => self.is_variable_array(element),
            _ => false,
        }
    }

    /// Whether evaluating the expression never ends a path: it divides by nothing unknown and follows no pointer or index.
    pub(super) fn is_total(&self, id: ExprId) -> bool {
        let arena = &self.program.arena;
        let mut exprs = vec![id];
        let mut places = Vec::new();
        loop {
            if let Some(place) = places.pop() {
                match arena.place(place).kind {
                    PlaceKind::Variable(_) => {}
                    PlaceKind::Field(base, ..) => places.push(base),
                    PlaceKind::Deref(_) | PlaceKind::Index(..) => return false,
                }
                continue;
            }
            let Some(id) = exprs.pop() else { return true };
            match arena.expr(id).kind {
                ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
                ExprKind::Read(place) | ExprKind::AddressOf(place) => places.push(place),
                ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => exprs.push(operand),
                ExprKind::Intrinsic(_, left, right) => exprs.extend([Some(left), right].into_iter().flatten()),
                ExprKind::Binary(op, left, right) => {
                    let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::PointerDiff);
                    let is_float = matches!(self.scalar(self.type_of(left)), Some(Scalar::Float(_)));
                    let is_safe = self.integer_of(right).is_some_and(|divisor| divisor != 0 && divisor != -1);
                    if divides && !is_float && !is_safe {
                        return false;
                    }
                    exprs.extend([left, right]);
                }
            }
        }
    }
}

/// C's rank of a promoted type; a signed type and its unsigned one have the same.
fn rank(kind: IntKind) -> u8 {
    match kind {
        IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar => 0,
        IntKind::Short | IntKind::UnsignedShort => 1,
        IntKind::Int | IntKind::UnsignedInt => 2,
        IntKind::Long | IntKind::UnsignedLong => 3,
        IntKind::LongLong | IntKind::UnsignedLongLong => 4,
        IntKind::Int128 | IntKind::UnsignedInt128 => 5,
    }
}

fn unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar => IntKind::UnsignedChar,
        IntKind::Short | IntKind::UnsignedShort => IntKind::UnsignedShort,
        IntKind::Int | IntKind::UnsignedInt => IntKind::UnsignedInt,
        IntKind::Long | IntKind::UnsignedLong => IntKind::UnsignedLong,
        IntKind::LongLong | IntKind::UnsignedLongLong => IntKind::UnsignedLongLong,
        IntKind::Int128 | IntKind::UnsignedInt128 => IntKind::UnsignedInt128,
    }
}
