//! The operations of edges.

use super::super::code::*;
use super::super::trace::{Probe, Value};
use super::{Compiler, Home};
use crate::model::{EdgeId, ExprId, ExprKind, Op as Step, PlaceId};

/// What comes after an edge.
pub(super) enum Flow {
    /// The next edge.
    On,
    /// The next edge, but another function may have run in between.
    Entered,
    /// Nothing.
    Gone,
}

impl Compiler<'_> {
    pub(super) fn step(&mut self, edge: EdgeId) -> Flow {
        self.note.edge = edge;
        let saved = self.next;
        let program = self.program;
        let flow = match &program.edges[edge].op {
            Step::Skip => Flow::On,
            Step::Assume { condition, truth } => {
                // A lone assume: the path ends if it does not pass.
                let at = self.code.ops.len();
                self.lone_assume(*condition, *truth);
                debug_assert!(self.code.ops.len() > at);
                Flow::On
            }
            Step::Assign { place, value } => {
                self.assign(*place, *value);
                Flow::On
            }
            Step::Call { callee, arguments, result } => self.call(callee, arguments, *result),
            Step::Return { value } => {
                self.give_back(*value);
                Flow::Gone
            }
            Step::Declare(variable) => {
                if let Some(Home::Memory(at)) = self.homes.get(variable).copied() {
                    self.emit(Op::Forget { at });
                }
                Flow::On
            }
            Step::Unsupported { what } => {
                self.unsupported(what);
                Flow::Gone
            }
        };
        self.next = saved;
        flow
    }

    fn lone_assume(&mut self, condition: ExprId, truth: bool) {
        let value = self.value(condition, None);
        let scalar = self.scalar(self.program.expr(condition).ty).unwrap_or(tandem_syntax::Scalar::Bool);
        let to = self.take(1);
        self.pure(Pure::Convert { from: scalar, into: tandem_syntax::Scalar::Bool, to, a: value });
        let target = self.code.ops.len() as Pc + 2;
        self.emit(if truth { Op::JumpIf { a: to, target } } else { Op::JumpIfNot { a: to, target } });
        self.emit(Op::Stuck);
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        let ty = self.program.place(place).ty;
        let edge = self.note.edge;
        if let Some(register) = self.register(place) {
            self.value(value, Some(register));
            if let Some(scalar) = self.scalar(ty) {
                self.probe(Probe::Assigned(edge, Value { register, bits: scalar.bits() }));
            }
            return;
        }
        match self.scalar(ty) {
            Some(scalar) => {
                let address = self.address(place);
                let from = self.value(value, None);
                self.store(scalar, address, from);
                self.probe(Probe::Assigned(edge, Value { register: from, bits: scalar.bits() }));
            }
            None => self.assign_block(place, value),
        }
    }

    /// Of a record or array.
    fn assign_block(&mut self, place: PlaceId, value: ExprId) {
        let Some(size) = self.program.types.size(self.program.place(place).ty) else {
            return self.unsupported("the assignment of something of unknown size");
        };
        match self.program.expr(value).kind {
            ExprKind::Zero => {
                let address = self.address(place);
                self.zero(address, size);
            }
            ExprKind::Read(from) => {
                let to = self.address(place);
                let from = self.address(from);
                self.copy(to, from, size);
            }
            _ => self.unsupported("the assignment of a value that is no scalar"),
        }
    }

    fn give_back(&mut self, value: Option<ExprId>) {
        let edge = self.note.edge;
        let Some(value) = value else {
            self.probe(Probe::Returned(edge, None));
            return self.emit(Op::ReturnNothing);
        };
        let expr = self.program.expr(value);
        match (self.scalar(expr.ty), expr.kind) {
            (Some(scalar), _) => {
                let a = self.value(value, None);
                self.probe(Probe::Returned(edge, Some(Value { register: a, bits: scalar.bits() })));
                self.emit(if scalar.bits() > 64 { Op::ReturnWide { a } } else { Op::Return { a } });
            }
            (None, ExprKind::Read(place)) => {
                let size = self.program.types.size(expr.ty).and_then(|size| u32::try_from(size).ok());
                let Some(size) = size else { return self.unsupported("the return of something of unknown size") };
                let address = self.address(place);
                let a = self.address_register(address, None);
                self.probe(Probe::Returned(edge, None));
                self.emit(Op::ReturnRecord { a, size });
            }
            (None, _) => self.unsupported("the return of a value that is no scalar"),
        }
    }
}
