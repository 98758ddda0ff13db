//! Expressions: their value in a register.
//!
//! `want` names the register the value must end up in; only the last operation writes it, so that it may be the home of
//! a variable that the expression reads.

use tandem_syntax::Scalar;
use tandem_syntax::types::{FloatKind, TypeId};

use super::super::code::*;
use super::super::memory::Memory;
use super::Compiler;
use super::branch::{Compare, Width, comparison};
use super::place::Address;
use crate::model::{BinaryOp, ExprId, ExprKind, Intrinsic, PlaceKind, UnaryOp};
use crate::semantics;

/// Left and right operand: their expressions.
type Operands = (ExprId, ExprId);

impl Compiler<'_> {
    /// The value, if it is known now. Operations that raise a flag or end the path are left to the run.
    pub(super) fn constant(&self, expr: ExprId) -> Option<u128> {
        let expr = self.program.expr(expr);
        match expr.kind {
            ExprKind::Bits(bits) => Some(u128::from(bits)),
            ExprKind::Wide(wide) => Some(self.program.wide(wide)),
            ExprKind::Function(function) => Some(u128::from(Memory::function_address(function))),
            ExprKind::AddressOf(place) => match self.program.place(place).kind {
                PlaceKind::Variable(variable) if !self.homes.contains_key(&variable) => {
                    Some(u128::from(self.statics[variable]))
                }
                _ => None,
            },
            ExprKind::Convert(operand) => {
                let from = self.scalar(self.program.expr(operand).ty)?;
                let to = self.scalar(expr.ty)?;
                let observed = matches!(from, Scalar::Pointer { .. }) && matches!(to, Scalar::Int { .. });
                let value = self.constant(operand)?;
                let outcome = semantics::convert(from, to, value);
                (outcome.flags.is_empty() && (!observed || value == 0)).then_some(outcome.bits)
            }
            ExprKind::Unary(op, operand) => {
                let scalar = self.scalar(self.program.expr(operand).ty)?;
                let outcome = semantics::unary(op, scalar, self.constant(operand)?);
                outcome.flags.is_empty().then_some(outcome.bits)
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.constant(left)?, self.constant(right)?);
                let (left, right) = (self.program.expr(left).ty, self.program.expr(right).ty);
                let stride = self.stride(left);
                let pointers = matches!(self.scalar(left)?, Scalar::Pointer { .. });
                if pointers && !matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::PointerAdd | BinaryOp::PointerSub)
                {
                    return None;
                }
                let outcome = semantics::binary(op, self.scalar(left)?, self.scalar(right)?, a, b, stride?).ok()?;
                outcome.flags.is_empty().then_some(outcome.bits)
            }
            ExprKind::Zero | ExprKind::Read(_) | ExprKind::Intrinsic(..) => None,
        }
    }

    pub(super) fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        self.program.types.scalar(ty)
    }

    /// What a pointer of this type steps over; one for everything else.
    fn stride(&self, ty: TypeId) -> Option<u64> {
        match self.program.types.pointee(ty) {
            Some(to) => self.program.types.size(to),
            None => Some(1),
        }
    }

    pub(super) fn constant_register(&mut self, value: u128, bits: u32, want: Option<Reg>) -> Reg {
        let to = want.unwrap_or_else(|| self.take(if bits > 64 { 2 } else { 1 }));
        if bits > 64 {
            self.pure(Pure::Wide { to, value });
        } else {
            self.emit(Op::Const { to, value: value as u64 });
        }
        to
    }

    /// The register itself, or a copy where it is wanted.
    pub(super) fn moved(&mut self, from: Reg, want: Option<Reg>) -> Reg {
        match want {
            Some(to) if to != from => {
                self.emit(Op::Move { to, from });
                to
            }
            Some(_) | None => from,
        }
    }

    fn moved_scalar(&mut self, scalar: Scalar, from: Reg, want: Option<Reg>) -> Reg {
        if scalar.bits() > 64 {
            if let Some(to) = want.filter(|to| *to != from) {
                self.emit(Op::Move { to: to + 1, from: from + 1 });
            }
        }
        self.moved(from, want)
    }

    fn target(&mut self, scalar: Scalar, want: Option<Reg>) -> Reg {
        want.unwrap_or_else(|| self.take(if scalar.bits() > 64 { 2 } else { 1 }))
    }

    pub(super) fn value(&mut self, id: ExprId, want: Option<Reg>) -> Reg {
        let expr = self.program.expr(id);
        let Some(scalar) = self.scalar(expr.ty) else {
            self.unsupported("a value that is no scalar");
            return want.unwrap_or_else(|| self.take(2));
        };
        if let Some(constant) = self.constant(id) {
            return self.constant_register(constant, scalar.bits(), want);
        }
        match expr.kind {
            ExprKind::Read(place) => match self.register(place) {
                Some(register) => self.moved_scalar(scalar, register, want),
                None => {
                    let address = self.address(place);
                    self.load(scalar, address, expr.ty, want)
                }
            },
            ExprKind::AddressOf(place) => {
                let address = self.address(place);
                self.address_register(address, want)
            }
            ExprKind::Convert(operand) => {
                let Some(from) = self.scalar(self.program.expr(operand).ty) else {
                    self.unsupported("the conversion of something that is no scalar");
                    return self.target(scalar, want);
                };
                let value = self.value(operand, None);
                self.converted(from, scalar, value, want)
            }
            ExprKind::Unary(op, operand) => self.unary(op, operand, want),
            ExprKind::Binary(op, left, right) => self.binary(op, (left, right), scalar, want),
            ExprKind::Intrinsic(intrinsic, first, second) => self.intrinsic(intrinsic, first, second, scalar, want),
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Function(_) | ExprKind::Zero => {
                self.unsupported("a constant without a value");
                self.target(scalar, want)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, want: Option<Reg>) -> Reg {
        let scalar = self.scalar(self.program.expr(operand).ty).unwrap_or(Scalar::Bool);
        let a = self.value(operand, None);
        let to = match op {
            UnaryOp::Not => want.unwrap_or_else(|| self.take(1)),
            UnaryOp::Neg | UnaryOp::Complement => self.target(scalar, want),
        };
        let integer = !matches!(scalar, Scalar::Float(_)) && scalar.bits() <= 64;
        match op {
            UnaryOp::Not if integer => self.emit(Op::EqI { to, a, value: 0 }),
            UnaryOp::Complement if integer => {
                self.emit(Op::XorI { to, a, value: semantics::mask(scalar.bits()) as u64 });
            }
            UnaryOp::Not | UnaryOp::Neg | UnaryOp::Complement => self.pure(Pure::Unary { op, scalar, to, a }),
        }
        to
    }

    fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        first: ExprId,
        second: Option<ExprId>,
        into: Scalar,
        want: Option<Reg>,
    ) -> Reg {
        let scalar = self.scalar(self.program.expr(first).ty).unwrap_or(into);
        let a = self.value(first, None);
        let b = second.map_or(a, |second| self.value(second, None));
        let to = self.target(into, want);
        self.pure(Pure::Intrinsic { intrinsic, scalar, into, to, a, b });
        to
    }

    fn binary(&mut self, op: BinaryOp, (left, right): Operands, result: Scalar, want: Option<Reg>) -> Reg {
        let ty = self.program.expr(left).ty;
        let Some(scalar) = self.scalar(ty) else {
            self.unsupported("an operand that is no scalar");
            return self.target(result, want);
        };
        let Some(stride) = self.stride(ty).filter(|stride| *stride <= i64::MAX as u64) else {
            self.unsupported("arithmetic on pointers to something of unknown size");
            return self.target(result, want);
        };
        match op {
            BinaryOp::PointerAdd | BinaryOp::PointerSub => {
                let stride = if op == BinaryOp::PointerAdd { i128::from(stride) } else { -i128::from(stride) };
                let base = match self.constant(left) {
                    Some(constant) => Address { base: None, offset: constant as u64, bits: None },
                    None => self.pointer(left),
                };
                let address = self.indexed(base, right, stride);
                self.address_register(address, want)
            }
            _ => match self.fast(op, scalar, (left, right), want) {
                Some(to) => to,
                None => self.slow(op, scalar, stride, (left, right), result, want),
            },
        }
    }

    /// A pointer as base and offset, so that offsets of neighbouring operations add up.
    fn pointer(&mut self, expr: ExprId) -> Address {
        match self.program.expr(expr).kind {
            ExprKind::AddressOf(place) => self.address(place),
            _ => Address { base: Some(self.value(expr, None)), offset: 0, bits: None },
        }
    }

    fn slow(
        &mut self,
        op: BinaryOp,
        left_scalar: Scalar,
        stride: u64,
        (left, right): Operands,
        result: Scalar,
        want: Option<Reg>,
    ) -> Reg {
        let right_scalar = self.scalar(self.program.expr(right).ty).unwrap_or(left_scalar);
        let a = self.value(left, None);
        let b = self.value(right, None);
        let pointers = matches!(left_scalar, Scalar::Pointer { .. });
        if pointers && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            self.emit(Op::Together { a, b });
        }
        let to = self.target(result, want);
        self.pure(Pure::Binary { op, left: left_scalar, right: right_scalar, stride, to, a, b });
        to
    }

    /// The operations that have an instruction of their own.
    fn fast(&mut self, op: BinaryOp, scalar: Scalar, (left, right): Operands, want: Option<Reg>) -> Option<Reg> {
        if scalar == Scalar::Float(FloatKind::Double) {
            return self.double(op, (left, right), want);
        }
        let width = Width::of(scalar)?;
        let long = scalar.bits() == 64;
        if let Some(compare) = comparison(op) {
            return self.compare(compare, scalar, width, (left, right), want);
        }
        if scalar.bits() < 32 && !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
            return None;
        }
        if let Some(value) = self.constant(right) {
            if let Some(build) = with_constant(op, width, long, value) {
                let a = self.value(left, None);
                let to = self.target(scalar, want);
                self.emit(build(to, a, value as u64));
                return Some(to);
            }
        }
        let right_wide = self.scalar(self.program.expr(right).ty)?.bits() > 64;
        let build = with_registers(op, width, long).filter(|_| !right_wide)?;
        let a = self.value(left, None);
        let b = self.value(right, None);
        let to = self.target(scalar, want);
        self.emit(build(to, a, b));
        Some(to)
    }

    fn compare(
        &mut self,
        op: Compare,
        scalar: Scalar,
        width: Width,
        (left, right): Operands,
        want: Option<Reg>,
    ) -> Option<Reg> {
        let equality = matches!(op, Compare::Eq | Compare::Ne);
        if width == Width::Other && !equality {
            return None;
        }
        let a = self.value(left, None);
        if let Some(value) = self.constant(right).filter(|_| equality) {
            let (to, value) = (want.unwrap_or_else(|| self.take(1)), value as u64);
            self.emit(if op == Compare::Eq { Op::EqI { to, a, value } } else { Op::NeI { to, a, value } });
            return Some(to);
        }
        let b = self.value(right, None);
        if matches!(scalar, Scalar::Pointer { .. }) && !equality {
            self.emit(Op::Together { a, b });
        }
        let to = want.unwrap_or_else(|| self.take(1));
        let (a, b) = if matches!(op, Compare::Gt | Compare::Ge) { (b, a) } else { (a, b) };
        let less = matches!(op, Compare::Lt | Compare::Gt);
        self.emit(match (op, width, less) {
            (Compare::Eq, ..) => Op::Eq { to, a, b },
            (Compare::Ne, ..) => Op::Ne { to, a, b },
            (_, Width::Signed32, true) => Op::LtS32 { to, a, b },
            (_, Width::Signed64, true) => Op::LtS64 { to, a, b },
            (_, Width::Unsigned | Width::Other, true) => Op::LtU { to, a, b },
            (_, Width::Signed32, false) => Op::LeS32 { to, a, b },
            (_, Width::Signed64, false) => Op::LeS64 { to, a, b },
            (_, Width::Unsigned | Width::Other, false) => Op::LeU { to, a, b },
        });
        Some(to)
    }

    fn double(&mut self, op: BinaryOp, (left, right): Operands, want: Option<Reg>) -> Option<Reg> {
        let build: fn(Reg, Reg, Reg) -> Op = match op {
            BinaryOp::Add => |to, a, b| Op::AddF64 { to, a, b },
            BinaryOp::Sub => |to, a, b| Op::SubF64 { to, a, b },
            BinaryOp::Mul => |to, a, b| Op::MulF64 { to, a, b },
            BinaryOp::Div => |to, a, b| Op::DivF64 { to, a, b },
            BinaryOp::Lt => |to, a, b| Op::LtF64 { to, a, b },
            BinaryOp::Le => |to, a, b| Op::LeF64 { to, a, b },
            BinaryOp::Gt => |to, a, b| Op::LtF64 { to, a: b, b: a },
            BinaryOp::Ge => |to, a, b| Op::LeF64 { to, a: b, b: a },
            BinaryOp::Eq => |to, a, b| Op::EqF64 { to, a, b },
            _ => return None,
        };
        let a = self.value(left, None);
        let b = self.value(right, None);
        let to = want.unwrap_or_else(|| self.take(1));
        self.emit(build(to, a, b));
        Some(to)
    }
}

fn with_constant(op: BinaryOp, width: Width, long: bool, value: u128) -> Option<fn(Reg, Reg, u64) -> Op> {
    let bits = if long { 64 } else { 32 };
    Some(match (op, width, long) {
        (BinaryOp::Add, Width::Signed32, _) => |to, a, value| Op::AddS32I { to, a, value },
        (BinaryOp::Add, Width::Signed64, _) => |to, a, value| Op::AddS64I { to, a, value },
        (BinaryOp::Add, _, false) => |to, a, value| Op::Add32I { to, a, value },
        (BinaryOp::Add, _, true) => |to, a, value| Op::Add64I { to, a, value },
        (BinaryOp::Sub, Width::Signed32, _) => |to, a, value| Op::SubS32I { to, a, value },
        (BinaryOp::Sub, Width::Signed64, _) => |to, a, value| Op::SubS64I { to, a, value },
        (BinaryOp::Sub, _, false) => |to, a, value| Op::Add32I { to, a, value: value.wrapping_neg() },
        (BinaryOp::Sub, _, true) => |to, a, value| Op::Add64I { to, a, value: value.wrapping_neg() },
        (BinaryOp::Mul, Width::Signed32, _) => |to, a, value| Op::MulS32I { to, a, value },
        (BinaryOp::Mul, Width::Signed64, _) => |to, a, value| Op::MulS64I { to, a, value },
        (BinaryOp::Mul, _, false) => |to, a, value| Op::Mul32I { to, a, value },
        (BinaryOp::Mul, _, true) => |to, a, value| Op::Mul64I { to, a, value },
        (BinaryOp::And, ..) => |to, a, value| Op::AndI { to, a, value },
        (BinaryOp::Or, ..) => |to, a, value| Op::OrI { to, a, value },
        (BinaryOp::Xor, ..) => |to, a, value| Op::XorI { to, a, value },
        (BinaryOp::Shl | BinaryOp::Shr, ..) if value >= bits => return None,
        (BinaryOp::Shl, _, false) => |to, a, value| Op::Shl32I { to, a, value },
        (BinaryOp::Shl, _, true) => |to, a, value| Op::Shl64I { to, a, value },
        (BinaryOp::Shr, Width::Signed32, _) => |to, a, value| Op::ShrS32I { to, a, value },
        (BinaryOp::Shr, Width::Signed64, _) => |to, a, value| Op::ShrS64I { to, a, value },
        (BinaryOp::Shr, ..) => |to, a, value| Op::ShrUI { to, a, value },
        _ => return None,
    })
}

fn with_registers(op: BinaryOp, width: Width, long: bool) -> Option<fn(Reg, Reg, Reg) -> Op> {
    Some(match (op, width, long) {
        (BinaryOp::Add, Width::Signed32, _) => |to, a, b| Op::AddS32 { to, a, b },
        (BinaryOp::Add, Width::Signed64, _) => |to, a, b| Op::AddS64 { to, a, b },
        (BinaryOp::Add, _, false) => |to, a, b| Op::Add32 { to, a, b },
        (BinaryOp::Add, _, true) => |to, a, b| Op::Add64 { to, a, b },
        (BinaryOp::Sub, Width::Signed32, _) => |to, a, b| Op::SubS32 { to, a, b },
        (BinaryOp::Sub, Width::Signed64, _) => |to, a, b| Op::SubS64 { to, a, b },
        (BinaryOp::Sub, _, false) => |to, a, b| Op::Sub32 { to, a, b },
        (BinaryOp::Sub, _, true) => |to, a, b| Op::Sub64 { to, a, b },
        (BinaryOp::Mul, Width::Signed32, _) => |to, a, b| Op::MulS32 { to, a, b },
        (BinaryOp::Mul, Width::Signed64, _) => |to, a, b| Op::MulS64 { to, a, b },
        (BinaryOp::Mul, _, false) => |to, a, b| Op::Mul32 { to, a, b },
        (BinaryOp::Mul, _, true) => |to, a, b| Op::Mul64 { to, a, b },
        (BinaryOp::Div, Width::Signed32, _) => |to, a, b| Op::DivS32 { to, a, b },
        (BinaryOp::Div, Width::Signed64, _) => |to, a, b| Op::DivS64 { to, a, b },
        (BinaryOp::Div, Width::Unsigned, _) => |to, a, b| Op::DivU { to, a, b },
        (BinaryOp::Rem, Width::Signed32, _) => |to, a, b| Op::RemS32 { to, a, b },
        (BinaryOp::Rem, Width::Signed64, _) => |to, a, b| Op::RemS64 { to, a, b },
        (BinaryOp::Rem, Width::Unsigned, _) => |to, a, b| Op::RemU { to, a, b },
        (BinaryOp::And, ..) => |to, a, b| Op::And { to, a, b },
        (BinaryOp::Or, ..) => |to, a, b| Op::Or { to, a, b },
        (BinaryOp::Xor, ..) => |to, a, b| Op::Xor { to, a, b },
        (BinaryOp::Shl, _, false) => |to, a, b| Op::Shl32 { to, a, b },
        (BinaryOp::Shl, _, true) => |to, a, b| Op::Shl64 { to, a, b },
        (BinaryOp::Shr, Width::Signed32, _) => |to, a, b| Op::ShrS32 { to, a, b },
        (BinaryOp::Shr, Width::Signed64, _) => |to, a, b| Op::ShrS64 { to, a, b },
        (BinaryOp::Shr, Width::Unsigned, false) => |to, a, b| Op::ShrU32 { to, a, b },
        (BinaryOp::Shr, Width::Unsigned, true) => |to, a, b| Op::ShrU64 { to, a, b },
        _ => return None,
    })
}
