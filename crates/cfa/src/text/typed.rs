//! The type an expression or a place has when none is written: it follows from the parts.

use tandem_syntax::types::{IntKind, Type, TypeId};
use tandem_syntax::{DataModel, Types};

use crate::model::*;

/// A type that may not be interned yet.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Implied {
    /// None follows: the type is always written.
    None,
    Is(TypeId),
    Int,
    /// `ptrdiff_t`
    Difference,
    PointerTo(TypeId),
}

impl Implied {
    /// Whether this is the type `ty`.
    pub fn means(self, types: &Types, ty: TypeId) -> bool {
        match self {
            Implied::None => false,
            Implied::Is(is) => is == ty,
            Implied::Int => *types.get(ty) == Type::Int(IntKind::Int),
            Implied::Difference => *types.get(ty) == Type::Int(difference(types.model())),
            Implied::PointerTo(to) => types.pointee(ty) == Some(to),
        }
    }

    pub fn intern(self, types: &mut Types) -> Option<TypeId> {
        match self {
            Implied::None => None,
            Implied::Is(is) => Some(is),
            Implied::Int => Some(types.int(IntKind::Int)),
            Implied::Difference => Some(types.difference_type()),
            Implied::PointerTo(to) => Some(types.pointer(to)),
        }
    }
}

fn difference(model: DataModel) -> IntKind {
    match model {
        DataModel::Ilp32 => IntKind::Int,
        DataModel::Lp64 => IntKind::Long,
    }
}

/// Of anything but a constant, whose notation decides.
pub(super) fn of_expr(arena: &Arena, function_type: impl Fn(FunctionId) -> TypeId, kind: ExprKind) -> Implied {
    let of = |id: ExprId| Implied::Is(arena.expr(id).ty);
    match kind {
        ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Convert(_) => Implied::None,
        ExprKind::Read(place) => Implied::Is(arena.place(place).ty),
        ExprKind::AddressOf(place) => Implied::PointerTo(arena.place(place).ty),
        ExprKind::Function(function) => Implied::PointerTo(function_type(function)),
        ExprKind::Unary(op, operand) => match op {
            UnaryOp::Neg | UnaryOp::Complement => of(operand),
            UnaryOp::Not => Implied::Int,
        },
        ExprKind::Binary(op, left, _) => match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => Implied::Int,
            BinaryOp::PointerDiff => Implied::Difference,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::PointerAdd
            | BinaryOp::PointerSub => of(left),
        },
        ExprKind::Intrinsic(intrinsic, operand, _) => of_intrinsic(intrinsic, arena.expr(operand).ty),
    }
}

fn of_intrinsic(intrinsic: Intrinsic, operand: TypeId) -> Implied {
    use Intrinsic::*;
    match intrinsic {
        ByteSwap | FloatAbs | CopySign | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven | FloatMin
        | FloatMax | FloatMod | FloatRemainder => Implied::Is(operand),
        LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits | IsNan | IsInfinite
        | IsFinite | IsNormal | SignBit => Implied::Int,
    }
}

pub(super) fn of_place(
    types: &Types,
    arena: &Arena,
    variable_type: impl Fn(VariableId) -> TypeId,
    kind: PlaceKind,
) -> Implied {
    let ty = match kind {
        PlaceKind::Variable(variable) => Some(variable_type(variable)),
        PlaceKind::Deref(pointer) => types.pointee(arena.expr(pointer).ty),
        PlaceKind::Field(_, record, field) => types.records[record].fields.get(field as usize).map(|field| field.ty),
        PlaceKind::Index(base, _) => match types.get(arena.place(base).ty) {
            Type::Array { element, .. } => Some(*element),
            _ => None,
        },
    };
    ty.map_or(Implied::None, Implied::Is)
}
