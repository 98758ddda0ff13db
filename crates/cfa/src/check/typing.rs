//! Invariants 12 to 16, and 17 inside of expressions: the types of expressions and places. Looks at each once, and at
//! its direct parts only.

use tandem_syntax::types::{IntKind, Length, Record, Type, TypeId};
use tandem_syntax::{Scalar, Types};

use super::{Found, Spot};
use crate::model::*;

pub(super) fn check(program: &Program, found: &mut Found) {
    let typing = Typing { program, types: &program.types };
    for (id, expr) in program.arena.exprs().enumerate() {
        if let Err((invariant, text)) = typing.expr(*expr) {
            let ty = program.types.declare(expr.ty, "");
            found.add(invariant, Spot::Expr(id), format!("{text} (its type: {ty})"));
        }
    }
    for (id, place) in program.arena.places().enumerate() {
        if let Err((invariant, text)) = typing.place(*place) {
            let ty = program.types.declare(place.ty, "");
            found.add(invariant, Spot::Place(id), format!("{text} (its type: {ty})"));
        }
    }
}

type Verdict = Result<(), (u8, &'static str)>;

fn require(holds: bool, invariant: u8, text: &'static str) -> Verdict {
    if holds { Ok(()) } else { Err((invariant, text)) }
}

struct Typing<'a> {
    program: &'a Program,
    types: &'a Types,
}

impl Typing<'_> {
    fn expr(&self, expr: Expr) -> Verdict {
        let ty = expr.ty;
        match expr.kind {
            ExprKind::Bits(bits) => self.constant(u128::from(bits), ty, false),
            ExprKind::Wide(wide) => self.constant(self.program.wide(wide), ty, true),
            ExprKind::Zero => require(is_aggregate(self.types, ty), 13, "a zero value that is no array or record"),
            ExprKind::Read(place) => {
                require(self.program.place(place).ty == ty, 13, "a read of another type than its place")?;
                let is_object = self.types.scalar(ty).is_some() || is_aggregate(self.types, ty);
                require(is_object, 13, "a read of something that is no object")
            }
            ExprKind::AddressOf(place) => self.address(place, ty),
            ExprKind::Function(function) => {
                let holds = self.types.pointee(ty) == Some(self.program.functions[function].ty);
                require(holds, 14, "the address of a function of another type")
            }
            ExprKind::Unary(op, operand) => self.unary(op, self.ty(operand), ty),
            ExprKind::Binary(op, left, right) => self.binary(op, self.ty(left), self.ty(right), ty),
            ExprKind::Convert(operand) => {
                require(
                    self.types.scalar(self.ty(operand)).is_some(),
                    15,
                    "a conversion of something that is no scalar",
                )?;
                require(self.types.scalar(ty).is_some(), 15, "a conversion to something that is no scalar")
            }
            ExprKind::Intrinsic(intrinsic, first, second) => {
                require(intrinsic.is_binary() == second.is_some(), 15, "a wrong number of operands")?;
                self.intrinsic(intrinsic, self.ty(first), second.map(|second| self.ty(second)), ty)
            }
        }
    }

    fn ty(&self, expr: ExprId) -> TypeId {
        self.program.expr(expr).ty
    }

    fn constant(&self, value: u128, ty: TypeId, wide: bool) -> Verdict {
        let Some(scalar) = self.types.scalar(ty) else {
            return Err((12, "a constant that is no scalar"));
        };
        let bits = scalar.bits();
        require((bits > 64) == wide, 12, "a constant in the wrong kind for its width")?;
        require(bits >= 128 || value >> bits == 0, 12, "a constant wider than its type")?;
        require(scalar != Scalar::Bool || value <= 1, 12, "a truth value that is neither 0 nor 1")
    }

    fn address(&self, place: PlaceId, ty: TypeId) -> Verdict {
        let target = self.program.place(place);
        if let PlaceKind::Field(_, record, field) = target.kind {
            let is_bits = self.types.records[record].fields.get(field as usize).is_some_and(|f| f.bits.is_some());
            require(!is_bits, 14, "the address of a bit-field")?;
        }
        let element = match self.types.get(target.ty) {
            Type::Array { element, .. } => Some(*element),
            _ => None,
        };
        let to = self.types.pointee(ty);
        let holds = to.is_some() && (to == Some(target.ty) || to == element);
        require(holds, 14, "an address of another type than pointer to its place")
    }

    fn unary(&self, op: UnaryOp, operand: TypeId, ty: TypeId) -> Verdict {
        match op {
            UnaryOp::Neg => require(
                operand == ty && is_arithmetic(self.types, ty),
                15,
                "a negation of another type than its operand",
            ),
            UnaryOp::Complement => {
                require(operand == ty && is_int(self.types, ty), 15, "a complement of another type than its operand")
            }
            UnaryOp::Not => {
                require(self.types.scalar(operand).is_some(), 15, "the negation of something that is no scalar")?;
                require(self.is_plain_int(ty), 15, "a logical negation that is no int")
            }
        }
    }

    fn binary(&self, op: BinaryOp, left: TypeId, right: TypeId, ty: TypeId) -> Verdict {
        let types = self.types;
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                let holds = left == ty && right == ty && is_arithmetic(types, ty);
                require(holds, 15, "arithmetic on operands of another type than the result")
            }
            BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let holds = left == ty && right == ty && is_int(types, ty);
                require(holds, 15, "an integer operation on operands of another type than the result")
            }
            BinaryOp::Shl | BinaryOp::Shr => {
                let holds = left == ty && is_int(types, ty) && is_integer(types, right);
                require(holds, 15, "a shift of wrong operands")
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let holds = left == right && types.scalar(left).is_some();
                require(holds, 15, "a comparison of operands of different types")?;
                require(self.is_plain_int(ty), 15, "a comparison that is no int")
            }
            BinaryOp::PointerAdd | BinaryOp::PointerSub => {
                let holds = left == ty && is_integer(types, right);
                require(holds, 15, "pointer arithmetic on wrong operands")?;
                require(self.points_to_sized(ty), 15, "pointer arithmetic over elements without a size")
            }
            BinaryOp::PointerDiff => {
                let holds = left == right && is_int(types, ty);
                require(holds, 15, "a pointer difference of wrong operands")?;
                require(self.points_to_sized(left), 15, "a pointer difference over elements without a size")
            }
        }
    }

    fn intrinsic(&self, intrinsic: Intrinsic, first: TypeId, second: Option<TypeId>, ty: TypeId) -> Verdict {
        use Intrinsic::*;
        let types = self.types;
        let holds = match intrinsic {
            ByteSwap => is_int(types, first) && first == ty,
            LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits => {
                is_int(types, first) && is_int(types, ty)
            }
            IsNan | IsInfinite | IsFinite | IsNormal | SignBit => is_float(types, first) && is_int(types, ty),
            FloatAbs | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven => is_float(types, first) && first == ty,
            CopySign | FloatMin | FloatMax | FloatMod | FloatRemainder => {
                is_float(types, first) && second == Some(first) && first == ty
            }
        };
        require(holds, 15, "an intrinsic on wrong operands")
    }

    fn place(&self, place: Place) -> Verdict {
        match place.kind {
            PlaceKind::Variable(variable) => require(
                self.program.variables[variable].ty == place.ty,
                16,
                "a place of another type than its variable",
            ),
            PlaceKind::Deref(pointer) => {
                let to = self.types.pointee(self.ty(pointer));
                require(to == Some(place.ty), 16, "a place of another type than its pointer points to")
            }
            PlaceKind::Field(base, record, field) => {
                let holds = *self.types.get(self.program.place(base).ty) == Type::Record(record);
                require(holds, 16, "a member of something that is not its record")?;
                let field = self.types.records[record].fields.get(field as usize);
                require(field.map(|field| field.ty) == Some(place.ty), 16, "a member that the record does not have")
            }
            PlaceKind::Index(base, index) => {
                require(is_integer(self.types, self.ty(index)), 16, "an index that is no integer")?;
                let holds = match self.types.get(self.program.place(base).ty) {
                    Type::Array { element, .. } => *element == place.ty,
                    _ => false,
                };
                require(holds, 16, "an element of something that is no such array")
            }
        }
    }

    fn is_plain_int(&self, ty: TypeId) -> bool {
        *self.types.get(ty) == Type::Int(IntKind::Int)
    }

    fn points_to_sized(&self, pointer: TypeId) -> bool {
        self.types.pointee(pointer).is_some_and(|to| self.types.size(to).is_some())
    }
}

/// An array or record that can be a value.
pub(super) fn is_aggregate(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array { .. } => true,
        Type::Record(record) => types.records[*record].complete,
        _ => false,
    }
}

/// `_Bool` is none: C computes with promoted operands.
fn is_int(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Int(_))
}

pub(super) fn is_integer(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Int(_) | Type::Bool)
}

fn is_float(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Float(_))
}

fn is_arithmetic(types: &Types, ty: TypeId) -> bool {
    is_int(types, ty) || is_float(types, ty)
}

/// Whether the last member has no size of its own, so that an initialiser may go beyond the record.
pub(super) fn ends_flexibly(types: &Types, record: &Record) -> bool {
    record.fields.last().is_some_and(|field| {
        matches!(types.get(field.ty), Type::Array { length: Length::Incomplete | Length::Fixed(0), .. })
    })
}
