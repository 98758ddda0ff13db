//! Assignments, compound assignments, `++` and `--`.

use tandem_base::Span;
use tandem_syntax::Scalar;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{Type, TypeId};
use tree::{BinaryOperator, ExpressionKind};

use super::Lowering;
use crate::model::*;

impl Lowering<'_> {
    /// An assignment of any kind; the value afterwards if it is wanted, else anything.
    pub(super) fn assignment(&mut self, id: tree::ExprId, wanted: bool) -> ExprId {
        let expression = self.unit.expression(id);
        let span = expression.span;
        let ExpressionKind::Assign { operator, computation, place, value } = expression.kind else {
            return self.unsupported_value("assignment", expression.ty, span);
        };
        match operator {
            None => self.plain_assignment(place, value, wanted, span),
            Some(operator) => self.compound_assignment(operator, computation, place, value, wanted, span),
        }
    }

    fn plain_assignment(&mut self, place: tree::ExprId, value: tree::ExprId, wanted: bool, span: Span) -> ExprId {
        let writes = self.writes(value);
        let place = self.place(place);
        let place = self.protect_place(place, writes, span);
        if wanted && !self.is_stable(place) {
            let value = self.value(value);
            return self.assign_saved(place, value, span);
        }
        self.store(value, place, span);
        if wanted { self.stored_value(place) } else { self.constant(0, self.known.int) }
    }

    /// The value of an assignment: what the place holds now; a constant if that is what was just stored.
    fn stored_value(&mut self, place: PlaceId) -> ExprId {
        if let Some(Edge { op: Op::Assign { place: last, value }, target, .. }) = self.here.graph.edges.last() {
            let behind = self.here.cursor.0 == target.0;
            let (last, value) = (*last, *value);
            if behind && last == place && self.bits_of(value).is_some() {
                let kind = self.program.arena.place(place).kind;
                if !self.is_bit_field(kind) {
                    return value;
                }
            }
        }
        self.read(place)
    }

    /// Stores where the store itself may change which place is meant, and returns the value stored.
    fn assign_saved(&mut self, place: PlaceId, value: ExprId, span: Span) -> ExprId {
        let target = self.program.arena.place(place);
        let value = if self.type_of(value) == target.ty { value } else { self.convert(value, target.ty) };
        let value = if self.bits_of(value).is_some() { value } else { self.save(value, span) };
        if !self.is_bit_field(target.kind) {
            self.assign(place, value, span);
            return value;
        }
        let pointless = u64::MAX;
        let place = self.protect_place(place, pointless, span);
        self.assign(place, value, span);
        self.read(place)
    }

    fn compound_assignment(
        &mut self,
        operator: BinaryOperator,
        computation: TypeId,
        place: tree::ExprId,
        value: tree::ExprId,
        wanted: bool,
        span: Span,
    ) -> ExprId {
        let (computation, value) = self.bit_field_computation(operator, computation, place, value);
        let mut right = self.value(value);
        let writes = self.writes(place);
        right = self.protect(right, writes, span);
        let place = self.place(place);
        let new = self.operate(operator, computation, place, right, span);
        if wanted && !self.is_stable(place) {
            return self.assign_saved(place, new, span);
        }
        self.assign(place, new, span);
        if wanted { self.read(place) } else { new }
    }

    /// A narrow unsigned bit-field is promoted to `int`, which division by a negative number shows. The tree has
    /// the field's declared type here and converts the operand to it.
    fn bit_field_computation(
        &self,
        operator: BinaryOperator,
        computation: TypeId,
        place: tree::ExprId,
        value: tree::ExprId,
    ) -> (TypeId, tree::ExprId) {
        let same = (computation, value);
        if !matches!(operator, BinaryOperator::Div | BinaryOperator::Rem) || self.promoted(computation) != computation {
            return same;
        }
        let expression = self.unit.expression(value);
        let operand = match expression.kind {
            // A cast that was written is longer than its operand.
            ExpressionKind::Convert(inner) if self.unit.expression(inner).span == expression.span => inner,
            _ => value,
        };
        if self.promotes_to_int(place) && self.promotes_to_int(operand) { (self.known.int, operand) } else { same }
    }

    /// Whether the integer promotions make an `int` of it: by its type, or as a narrow bit-field.
    fn promotes_to_int(&self, id: tree::ExprId) -> bool {
        let expression = self.unit.expression(id);
        if self.promoted(expression.ty) == self.known.int {
            return true;
        }
        let place = match expression.kind {
            ExpressionKind::Load(place) => place,
            _ => id,
        };
        let ExpressionKind::Member { base, field } = self.unit.expression(place).kind else { return false };
        let Type::Record(record) = *self.program.types.get(self.unit.type_of(base)) else { return false };
        let int = self.scalar(self.known.int).map_or(32, Scalar::bits);
        let bits = self.program.types.records[record].fields.get(field as usize).and_then(|field| field.bits);
        bits.is_some_and(|bits| bits.width < int)
    }

    /// `place operator right`, carried out in `computation` and converted back.
    fn operate(
        &mut self,
        operator: BinaryOperator,
        computation: TypeId,
        place: PlaceId,
        right: ExprId,
        span: Span,
    ) -> ExprId {
        let ty = self.program.arena.place(place).ty;
        let old = self.read(place);
        if self.scalar(ty).is_none() || self.scalar(computation).is_none() {
            return self.unsupported_value("operator on a type that is not modelled", ty, span);
        }
        let left = self.convert(old, computation);
        let new = self.operation(operator, left, right, computation, span);
        self.convert(new, ty)
    }

    /// `place + 1` or `place - 1`, in the type of the place.
    fn stepped(&mut self, place: PlaceId, down: bool, span: Span) -> ExprId {
        let ty = self.program.arena.place(place).ty;
        let operator = if down { BinaryOperator::Sub } else { BinaryOperator::Add };
        let computation = self.promoted(ty);
        let one = match self.scalar(computation) {
            Some(Scalar::Pointer { .. }) => self.constant(1, self.known.difference),
            Some(Scalar::Float(_)) => {
                let one = self.constant(1, self.known.int);
                self.convert(one, computation)
            }
            Some(_) => self.constant(1, computation),
            None => return self.unsupported_value("operator on a type that is not modelled", ty, span),
        };
        self.operate(operator, computation, place, one, span)
    }

    /// The type after the integer promotions.
    fn promoted(&self, ty: TypeId) -> TypeId {
        let int = self.scalar(self.known.int).map_or(32, Scalar::bits);
        match self.scalar(ty) {
            Some(Scalar::Bool) => self.known.int,
            Some(Scalar::Int { bits, .. }) if bits < int => self.known.int,
            _ => ty,
        }
    }

    /// `++` or `--` whose value nobody wants.
    pub(super) fn step(&mut self, place: tree::ExprId, down: bool, span: Span) {
        let place = self.place(place);
        let new = self.stepped(place, down, span);
        self.assign(place, new, span);
    }

    pub(super) fn step_value(
        &mut self,
        place: tree::ExprId,
        down: bool,
        prefix: bool,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let place = self.place(place);
        let stable = self.is_stable(place);
        let result = if prefix {
            let new = self.stepped(place, down, span);
            if stable {
                self.assign(place, new, span);
                self.read(place)
            } else {
                self.assign_saved(place, new, span)
            }
        } else {
            let old = self.read(place);
            let old = self.save(old, span);
            let new = self.stepped(place, down, span);
            self.assign(place, new, span);
            old
        };
        if self.type_of(result) == ty { result } else { self.convert(result, ty) }
    }
}
