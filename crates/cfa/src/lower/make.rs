//! Small expressions, places and edges: constants, conversions, temporaries.
//!
//! Knows the automaton's typing rules; knows nothing of the tree.

use tandem_base::{Id, Span};
use tandem_syntax::Scalar;
use tandem_syntax::types::{Type, TypeId};

use super::Lowering;
use super::graph::Raw;
use crate::model::*;
use crate::source_flow::FlowKind;

impl Lowering<'_> {
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

    pub(super) fn is_void(&self, ty: TypeId) -> bool {
        ty == self.known.void
    }

    /// An integer constant, wrapped to the type.
    pub(super) fn constant(&mut self, value: i128, ty: TypeId) -> ExprId {
        self.bits(value as u128, ty)
    }

    pub(super) fn bits(&mut self, bits: u128, ty: TypeId) -> ExprId {
        let id = self.program.arena.add_constant(&self.program.types, bits, ty);
        self.note_expr(id);
        id
    }

    /// The bits of a constant.
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
        if matches!(scalar, Scalar::Float(_)) {
            return None;
        }
        let bits = self.bits_of(id)?;
        let shift = 128 - scalar.bits();
        Some(if scalar.is_signed() { (bits as i128) << shift >> shift } else { bits as i128 })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> ExprId {
        match self.rounded_binary(op, left, right, ty) {
            Some(value) => value,
            None => self.expr(ExprKind::Binary(op, left, right), ty),
        }
    }

    /// A comparison: `int`.
    pub(super) fn compare(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let right = self.convert(right, self.type_of(left));
        self.binary(op, left, right, self.known.int)
    }

    pub(super) fn read(&mut self, place: PlaceId) -> ExprId {
        let ty = self.program.arena.place(place).ty;
        self.expr(ExprKind::Read(place), ty)
    }

    /// The value as another scalar type.
    pub(super) fn convert(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let from = self.type_of(value);
        if from == ty {
            return value;
        }
        let (Some(source), Some(target)) = (self.scalar(from), self.scalar(ty)) else {
            return self.unsupported_value("conversion of a type that is not modelled", ty, Span::NONE);
        };
        if let (Some(constant), false) = (self.integer_of(value), matches!(target, Scalar::Float(_))) {
            return match target {
                Scalar::Bool => self.constant(i128::from(constant != 0), ty),
                _ => self.constant(constant, ty),
            };
        }
        if let (Scalar::Pointer { .. }, Scalar::Pointer { .. }) = (source, target) {
            if let ExprKind::Convert(inner) = self.program.arena.expr(value).kind {
                if self.is_pointer(self.type_of(inner)) {
                    return self.convert(inner, ty);
                }
            }
        }
        match self.rounded_conversion(value, ty) {
            Some(value) => value,
            None => self.expr(ExprKind::Convert(value), ty),
        }
    }

    pub(super) fn variable_place(&mut self, variable: VariableId) -> PlaceId {
        let ty = self.program.variables[variable].ty;
        self.add_place(PlaceKind::Variable(variable), ty)
    }

    /// A fresh temporary of this function.
    pub(super) fn temporary(&mut self, ty: TypeId, span: Span) -> PlaceId {
        let name = format!("$t{}", self.here.temporaries);
        self.here.temporaries += 1;
        let variable = self.add_local(name, ty, VariableKind::Temporary, span, Span::NONE, 0);
        self.variable_place(variable)
    }

    pub(super) fn add_local(
        &mut self,
        name: String,
        ty: TypeId,
        kind: VariableKind,
        span: Span,
        scope: Span,
        mask: u64,
    ) -> VariableId {
        let variable = Variable {
            name: name.into(),
            ty,
            kind,
            function: Some(self.here.function),
            span,
            scope,
            initializer: Box::default(),
            in_memory: self.scalar(ty).is_none(),
        };
        let id = self.add_variable(variable, mask);
        self.here.locals.push(id);
        id
    }

    pub(super) fn add_variable(&mut self, variable: Variable, mask: u64) -> VariableId {
        let id = self.program.variables.push(variable);
        debug_assert_eq!(id.index(), self.masks.variables.len());
        self.masks.variables.push(mask);
        id
    }

    /// The value, in a temporary of its own.
    pub(super) fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        let place = self.temporary(self.type_of(value), span);
        self.emit(Op::Assign { place, value }, span);
        self.read(place)
    }

    /// Adds an edge and goes on behind it.
    pub(super) fn emit(&mut self, op: Op, span: Span) {
        let target = self.here.graph.node();
        let source = self.here.cursor;
        self.here.graph.edge(source, target, op, span);
        self.here.cursor = target;
    }

    pub(super) fn assign(&mut self, place: PlaceId, value: ExprId, span: Span) {
        let ty = self.program.arena.place(place).ty;
        let value = if self.type_of(value) == ty { value } else { self.convert(value, ty) };
        self.emit(Op::Assign { place, value }, span);
    }

    pub(super) fn node(&mut self) -> Raw {
        self.here.graph.node()
    }

    /// Leads control to `target`; what follows is reached only by other ways.
    pub(super) fn jump(&mut self, target: Raw, span: Span) {
        self.lead(target, FlowKind::Jump, span);
    }

    fn lead(&mut self, target: Raw, kind: FlowKind, span: Span) {
        let cursor = self.here.cursor;
        self.here.graph.merge(cursor, target, kind, span);
        self.here.cursor = self.here.graph.node();
    }

    /// Control goes on at `node`, also from here.
    pub(super) fn arrive(&mut self, node: Raw, span: Span) {
        self.lead(node, FlowKind::Arrive, span);
        self.here.cursor = node;
    }

    /// The path ends here.
    pub(super) fn dead_end(&mut self) {
        self.here.cursor = self.here.graph.node();
    }

    pub(super) fn unsupported(&mut self, what: &str, span: Span) {
        self.emit(Op::Unsupported { what: what.into() }, span);
    }

    /// A step that is not modelled, and some value of the type it should have had.
    pub(super) fn unsupported_value(&mut self, what: &str, ty: TypeId, span: Span) -> ExprId {
        self.unsupported(what, span);
        if self.is_void(ty) {
            return self.constant(0, self.known.int);
        }
        let place = self.temporary(ty, span);
        self.read(place)
    }
}
