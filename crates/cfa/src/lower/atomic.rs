//! Atomic builtins, carried out as if there were one thread.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::TypeId;
use tree::{AtomicBuiltin, AtomicOperation};

use super::Lowering;
use crate::model::*;

impl Lowering<'_> {
    pub(super) fn atomic(
        &mut self,
        operation: AtomicBuiltin,
        arguments: &[tree::ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        if operation == AtomicBuiltin::Fence {
            return self.constant(0, self.known.int);
        }
        let Some(mut values) = self.scalars(arguments) else {
            return self.unsupported_value("atomic operation on a type that is not modelled", ty, span);
        };
        // The operands are used more than once, and between stores.
        for value in &mut values {
            if self.reads(*value) != 0 {
                *value = self.save(*value, span);
            }
        }
        let Some(of) = self.atomic_type(operation, &values) else {
            return self.unsupported_value("atomic operation on a type that is not modelled", ty, span);
        };
        let place = self.deref(values[0], of);
        let result = match (operation, &values[1..]) {
            (AtomicBuiltin::Load, _) => {
                let value = self.read(place);
                Some(self.save(value, span))
            }
            (AtomicBuiltin::LoadInto, [into]) => self.atomic_move(*into, place, of, span),
            (AtomicBuiltin::Store, [value]) => self.atomic_store(place, *value, span),
            (AtomicBuiltin::Exchange, [value]) => {
                let old = self.read(place);
                let old = self.save(old, span);
                self.atomic_store(place, *value, span).and(Some(old))
            }
            (AtomicBuiltin::ExchangeInto, [value, into]) => {
                let old = self.read(place);
                let old = self.save(old, span);
                self.atomic_store(place, *value, span);
                let into = self.deref(*into, of);
                self.assign(into, old, span);
                Some(old)
            }
            (AtomicBuiltin::TestAndSet, _) => self.test_and_set(place, of, span),
            (AtomicBuiltin::SwapBool | AtomicBuiltin::SwapValue, [expected, new]) => {
                self.swap(operation, place, (*expected, *new), span)
            }
            (AtomicBuiltin::CompareExchange, [expected, new, ..]) => {
                self.compare_exchange(place, (*expected, *new), of, span)
            }
            (AtomicBuiltin::Fetch(operation), [value]) => self.modify(operation, place, *value, false, span),
            (AtomicBuiltin::Update(operation), [value]) => self.modify(operation, place, *value, true, span),
            _ => None,
        };
        match result {
            Some(_) if self.is_void(ty) => self.constant(0, self.known.int),
            Some(value) if self.scalar(ty).is_some() => self.convert(value, ty),
            _ => self.unsupported_value("atomic operation that is not modelled", ty, span),
        }
    }

    fn atomic_move(&mut self, into: ExprId, place: PlaceId, of: TypeId, span: Span) -> Option<ExprId> {
        let value = self.read(place);
        let into = self.deref(into, of);
        self.assign(into, value, span);
        Some(value)
    }

    /// The type of the object that is accessed: that of the value that is stored, which is a byte for `__atomic_clear` and
    /// `__atomic_test_and_set` whatever the pointer points to, else what the pointer points to. `None` if the
    /// operation is not modelled for it.
    fn atomic_type(&self, operation: AtomicBuiltin, values: &[ExprId]) -> Option<TypeId> {
        let pointee = self.program.types.pointee(self.type_of(values[0]))?;
        let of = match (operation, values) {
            (AtomicBuiltin::Store | AtomicBuiltin::TestAndSet, [_, value]) => self.type_of(*value),
            _ => pointee,
        };
        self.scalar(of)?;
        // The bytes of floats are compared, which tells zeros apart and finds a NaN equal to itself.
        let compares =
            matches!(operation, AtomicBuiltin::CompareExchange | AtomicBuiltin::SwapBool | AtomicBuiltin::SwapValue);
        if compares && self.is_float(of) { None } else { Some(of) }
    }

    /// The front end has loaded the value where the generic forms take a pointer to it.
    fn atomic_store(&mut self, place: PlaceId, value: ExprId, span: Span) -> Option<ExprId> {
        let of = self.program.arena.place(place).ty;
        let value = self.convert(value, of);
        self.assign(place, value, span);
        Some(value)
    }

    fn test_and_set(&mut self, place: PlaceId, of: TypeId, span: Span) -> Option<ExprId> {
        let old = self.read(place);
        let zero = self.constant(0, of);
        let was_set = self.compare(BinaryOp::Ne, old, zero);
        let was_set = self.save(was_set, span);
        let one = self.constant(1, of);
        self.assign(place, one, span);
        Some(was_set)
    }

    fn swap(
        &mut self,
        operation: AtomicBuiltin,
        place: PlaceId,
        (expected, new): (ExprId, ExprId),
        span: Span,
    ) -> Option<ExprId> {
        let of = self.program.arena.place(place).ty;
        let old = self.read(place);
        let old = self.save(old, span);
        let expected = self.convert(expected, of);
        let same = self.compare(BinaryOp::Eq, old, expected);
        let new = self.convert(new, of);
        self.select(same, place, new, old, span);
        Some(if operation == AtomicBuiltin::SwapBool { same } else { old })
    }

    fn compare_exchange(
        &mut self,
        place: PlaceId,
        (expected, new): (ExprId, ExprId),
        of: TypeId,
        span: Span,
    ) -> Option<ExprId> {
        let expected = self.deref(expected, of);
        let (old, wanted) = (self.read(place), self.read(expected));
        let same = self.compare(BinaryOp::Eq, old, wanted);
        let same = self.save(same, span);
        let new = self.convert(new, of);
        let join = self.node();
        let [yes, no] = self.computed_branch(same, span);
        self.here.cursor = yes;
        self.assign(place, new, span);
        self.jump(join, span);
        self.here.cursor = no;
        self.assign(expected, old, span);
        self.arrive(join, span);
        Some(same)
    }

    fn modify(
        &mut self,
        operation: AtomicOperation,
        place: PlaceId,
        value: ExprId,
        wants_new: bool,
        span: Span,
    ) -> Option<ExprId> {
        let of = self.program.arena.place(place).ty;
        let old = self.read(place);
        let old = self.save(old, span);
        let new = self.modified(operation, old, value, of)?;
        self.assign(place, new, span);
        Some(if wants_new { new } else { old })
    }

    fn modified(&mut self, operation: AtomicOperation, old: ExprId, value: ExprId, of: TypeId) -> Option<ExprId> {
        let op = match operation {
            AtomicOperation::Add => BinaryOp::Add,
            AtomicOperation::Sub => BinaryOp::Sub,
            AtomicOperation::And | AtomicOperation::Nand => BinaryOp::And,
            AtomicOperation::Or => BinaryOp::Or,
            AtomicOperation::Xor => BinaryOp::Xor,
        };
        if self.is_pointer(of) {
            // The builtins count bytes where C counts elements.
            let start = self.convert(old, self.known.char_pointer);
            let index = self.convert(value, self.known.difference);
            let down = match op {
                BinaryOp::Add => false,
                BinaryOp::Sub => true,
                _ => return None,
            };
            let moved = self.pointer_add(start, index, down);
            return Some(self.convert(moved, of));
        }
        // Atomic arithmetic wraps round, so it is done unsigned.
        let unsigned = self.unsigned(of);
        let (left, right) = (self.convert(old, unsigned), self.convert(value, unsigned));
        let mut result = self.binary(op, left, right, unsigned);
        if operation == AtomicOperation::Nand {
            result = self.expr(ExprKind::Unary(UnaryOp::Complement, result), unsigned);
        }
        Some(self.convert(result, of))
    }
}
