//! Which conversions C makes by itself, so that they need not be written.

use tandem_syntax::types::{FloatKind, IntKind, Type, TypeId};

use super::{Level, Piece, Printer};
use crate::model::*;

/// The types of C's arithmetic after promotion.
#[derive(Clone, Copy, PartialEq)]
enum Arithmetic {
    Int(IntKind),
    Float(FloatKind),
}

impl Printer<'_> {
    /// The operand of a conversion that C makes by itself in an assignment, or the expression itself.
    pub(super) fn without_implicit(&self, id: ExprId) -> ExprId {
        let ExprKind::Convert(operand) = self.program.expr(id).kind else { return id };
        let (from, to) = (self.program.expr(operand).ty, self.program.expr(id).ty);
        let is_void_pointer =
            |ty: TypeId| self.program.types.pointee(ty).is_some_and(|to| *self.program.types.get(to) == Type::Void);
        let are_pointers = self.program.types.pointee(from).is_some() && self.program.types.pointee(to).is_some();
        let is_implicit = match are_pointers {
            true => is_void_pointer(from) || is_void_pointer(to),
            false => self.is_arithmetic(from) && self.is_arithmetic(to),
        };
        if is_implicit { self.without_widening(operand) } else { id }
    }

    /// Without integer conversions that keep every value, where only the value matters.
    pub(super) fn without_widening(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Convert(operand) = self.program.expr(id).kind {
            if !self.keeps_values(self.program.expr(operand).ty, self.program.expr(id).ty) {
                break;
            }
            id = operand;
        }
        id
    }

    fn keeps_values(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.program.types;
        match (types.get(from), types.get(to)) {
            (Type::Bool, Type::Int(_)) => true,
            (Type::Int(a), Type::Int(b)) => {
                let (from, to) = (a.bits(types.model()), b.bits(types.model()));
                if a.is_signed() == b.is_signed() { from <= to } else { !a.is_signed() && from < to }
            }
            _ => false,
        }
    }

    fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Bool | Type::Int(_) | Type::Float(_))
    }

    /// The operand of a unary operator: C promotes it.
    pub(super) fn promoted(&self, id: ExprId, least: Level) -> Piece {
        let Some(wanted) = self.own(self.program.expr(id).ty) else { return Piece::Expr(id, least) };
        for candidate in self.candidates(id) {
            if self.seen(candidate) == Some(wanted) {
                return Piece::Expr(candidate, least);
            }
        }
        self.forced(id, wanted, least)
    }

    /// The operands of a binary operator, with as few conversions as give them the type they have.
    pub(super) fn operands(&self, op: BinaryOp, left: ExprId, right: ExprId, own: Level) -> (Piece, Piece) {
        match op {
            BinaryOp::PointerAdd | BinaryOp::PointerSub => {
                (Piece::Expr(left, own), Piece::Expr(self.without_widening(right), own + 1))
            }
            BinaryOp::PointerDiff => (Piece::Expr(left, own), Piece::Expr(right, own + 1)),
            BinaryOp::Shl | BinaryOp::Shr => {
                (self.promoted(left, own), Piece::Expr(self.without_widening(right), own + 1))
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => self.balanced(left, right, own),
        }
    }

    /// Both are brought to one type by C's usual arithmetic conversions.
    fn balanced(&self, left: ExprId, right: ExprId, own: Level) -> (Piece, Piece) {
        if self.is_null(right) && !self.is_null(left) {
            return (Piece::Expr(left, own), Piece::Text("0"));
        }
        let Some(wanted) = self.own(self.program.expr(left).ty) else {
            return (Piece::Expr(left, own), Piece::Expr(right, own + 1));
        };
        for b in self.candidates(right) {
            for a in self.candidates(left) {
                if let (Some(of_a), Some(of_b)) = (self.seen(a), self.seen(b))
                    && self.usual(of_a, of_b) == wanted
                {
                    return (Piece::Expr(a, own), Piece::Expr(b, own + 1));
                }
            }
        }
        (self.forced(left, wanted, own), self.forced(right, wanted, own + 1))
    }

    /// The expression without its outermost conversion, then with it.
    fn candidates(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        let stripped = match self.program.expr(id).kind {
            ExprKind::Convert(operand) if self.is_arithmetic(self.program.expr(operand).ty) => {
                Some(self.without_promotion(operand))
            }
            _ => None,
        };
        stripped.into_iter().chain([id])
    }

    /// Without the promotion that C makes to any operand anyway.
    fn without_promotion(&self, id: ExprId) -> ExprId {
        match self.program.expr(id).kind {
            ExprKind::Convert(operand) if self.seen(operand).is_some_and(|seen| self.own_is(id, seen)) => operand,
            _ => id,
        }
    }

    fn own_is(&self, id: ExprId, seen: Arithmetic) -> bool {
        match (self.program.types.get(self.program.expr(id).ty), seen) {
            (Type::Int(kind), Arithmetic::Int(other)) => *kind == other,
            (Type::Float(kind), Arithmetic::Float(other)) => *kind == other,
            _ => false,
        }
    }

    /// With a cast, unless what is written has the type already.
    fn forced(&self, id: ExprId, wanted: Arithmetic, least: Level) -> Piece {
        match self.seen(id) {
            Some(seen) if seen != wanted => Piece::Cast(self.program.expr(id).ty, id, least),
            _ => Piece::Expr(id, least),
        }
    }

    /// The arithmetic type, promoted.
    fn own(&self, ty: TypeId) -> Option<Arithmetic> {
        match self.program.types.get(ty) {
            Type::Bool => Some(Arithmetic::Int(IntKind::Int)),
            Type::Int(kind) if *kind < IntKind::Int => Some(Arithmetic::Int(IntKind::Int)),
            Type::Int(kind) => Some(Arithmetic::Int(*kind)),
            Type::Float(kind) => Some(Arithmetic::Float(*kind)),
            Type::Void | Type::Pointer(_) | Type::Array { .. } | Type::Record(_) | Type::Function(_) => None,
            Type::Unsupported(_) => None,
        }
    }

    /// The promoted type that C sees in what is printed: a narrow bit-field is an `int`.
    fn seen(&self, id: ExprId) -> Option<Arithmetic> {
        let expr = self.program.expr(id);
        if let ExprKind::Read(place) = expr.kind
            && let PlaceKind::Field(_, record, field) = self.program.place(place).kind
            && let Some(bits) = self.program.types.records[record].fields.get(field as usize).and_then(|f| f.bits)
        {
            let signed = self.program.types.scalar(expr.ty).is_some_and(|scalar| scalar.is_signed());
            if !self.is_wide_bit_field(place) && (bits.width < 32 || (bits.width == 32 && signed)) {
                return Some(Arithmetic::Int(IntKind::Int));
            }
        }
        self.own(expr.ty)
    }

    /// C's usual arithmetic conversions of promoted types.
    fn usual(&self, a: Arithmetic, b: Arithmetic) -> Arithmetic {
        match (a, b) {
            (Arithmetic::Float(a), Arithmetic::Float(b)) => Arithmetic::Float(a.max(b)),
            (Arithmetic::Float(_), Arithmetic::Int(_)) => a,
            (Arithmetic::Int(_), Arithmetic::Float(_)) => b,
            (Arithmetic::Int(a), Arithmetic::Int(b)) => Arithmetic::Int(self.usual_int(a, b)),
        }
    }

    fn usual_int(&self, a: IntKind, b: IntKind) -> IntKind {
        let (low, high) = (a.min(b), a.max(b));
        if low.is_signed() == high.is_signed() || !high.is_signed() {
            // The kinds are ordered by rank, the unsigned one after the signed one of the same rank.
            return high;
        }
        let model = self.program.model();
        if high.bits(model) > low.bits(model) {
            return high;
        }
        match high {
            IntKind::Long => IntKind::UnsignedLong,
            IntKind::LongLong => IntKind::UnsignedLongLong,
            IntKind::Int128 => IntKind::UnsignedInt128,
            other => other,
        }
    }
}
