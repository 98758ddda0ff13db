//! Places: how their address is computed, and loads and stores.

use tandem_syntax::Scalar;
use tandem_syntax::types::{FloatKind, TypeId};

use super::super::code::*;
use super::{Compiler, Home};
use crate::model::{ExprId, PlaceId, PlaceKind};

/// `base + offset`, or just `offset`; with `bits`, a bit-field there.
#[derive(Clone, Copy)]
pub(super) struct Address {
    pub base: Option<Reg>,
    pub offset: u64,
    pub bits: Option<Bits>,
}

impl Compiler<'_> {
    /// The register of a place that is a variable in one.
    pub(super) fn register(&self, place: PlaceId) -> Option<Reg> {
        match self.program.place(place).kind {
            PlaceKind::Variable(variable) => match self.homes.get(&variable) {
                Some(Home::Register(register)) => Some(*register),
                Some(Home::Memory(_)) | None => None,
            },
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => None,
        }
    }

    pub(super) fn address(&mut self, place: PlaceId) -> Address {
        let at = self.program.place(place);
        match at.kind {
            PlaceKind::Variable(variable) => match self.homes.get(&variable) {
                Some(Home::Memory(base)) => Address { base: Some(*base), offset: 0, bits: None },
                Some(Home::Register(_)) => {
                    self.unsupported("the address of a variable that has none");
                    Address { base: None, offset: 0, bits: None }
                }
                None => Address { base: None, offset: self.statics[variable], bits: None },
            },
            PlaceKind::Deref(pointer) => match self.constant(pointer) {
                Some(address) => Address { base: None, offset: address as u64, bits: None },
                None => Address { base: Some(self.value(pointer, None)), offset: 0, bits: None },
            },
            PlaceKind::Field(base, record, field) => {
                let mut address = self.address(base);
                let field = &self.program.types.records[record].fields[field as usize];
                address.offset = address.offset.wrapping_add(field.offset);
                address.bits = field.bits.map(|bits| Bits { offset: bits.offset, width: bits.width });
                address
            }
            PlaceKind::Index(base, index) => {
                let address = self.address(base);
                let Some(size) = self.program.types.size(at.ty) else {
                    self.unsupported("an element whose size is not known");
                    return address;
                };
                self.indexed(address, index, size as i128)
            }
        }
    }

    /// The address `index * stride` bytes further on.
    pub(super) fn indexed(&mut self, address: Address, index: ExprId, stride: i128) -> Address {
        let Some(scalar) = self.program.types.scalar(self.program.expr(index).ty) else {
            self.unsupported("an index that is no scalar");
            return address;
        };
        if let Some(constant) = self.constant(index) {
            let distance = crate::semantics::integer_value(scalar, constant).wrapping_mul(stride) as u64;
            return Address { offset: address.offset.wrapping_add(distance), ..address };
        }
        let mut value = self.value(index, None);
        let short = matches!(scalar, Scalar::Int { bits: 32, signed: true });
        if scalar.is_signed() && scalar.bits() < 32 {
            let wide = Scalar::Int { bits: 64, signed: true };
            value = self.converted(scalar, wide, value, None);
        }
        let base = match address.base {
            Some(base) => base,
            None => self.constant_register(u128::from(address.offset), 64, None),
        };
        let offset = if address.base.is_some() { address.offset } else { 0 };
        let to = self.take(1);
        let (value, stride, short) = match i32::try_from(stride) {
            Ok(stride) => (value, stride, short),
            Err(_) => (self.scaled(value, scalar, stride as u64), 1, false),
        };
        let narrow = self.program.model() == tandem_syntax::DataModel::Ilp32;
        let index = value;
        self.emit(match (short, narrow) {
            (true, false) => Op::IndexS32 { to, base, index, stride },
            (false, false) => Op::Index64 { to, base, index, stride },
            (true, true) => Op::IndexS32Narrow { to, base, index, stride },
            (false, true) => Op::Index64Narrow { to, base, index, stride },
        });
        Address { base: Some(to), offset, bits: None }
    }

    /// An index times a stride that is too large for an operand.
    fn scaled(&mut self, index: Reg, scalar: Scalar, stride: u64) -> Reg {
        let wide = Scalar::Int { bits: 64, signed: true };
        let index =
            if scalar.is_signed() && scalar.bits() == 32 { self.converted(scalar, wide, index, None) } else { index };
        let to = self.take(1);
        self.emit(Op::Mul64I { to, a: index, value: stride });
        to
    }

    /// An address in a register, offset included.
    pub(super) fn address_register(&mut self, address: Address, want: Option<Reg>) -> Reg {
        let bits = self.program.model().pointer_bits();
        let Some(base) = address.base else {
            let mask = crate::semantics::mask(bits);
            return self.constant_register(u128::from(address.offset) & mask, 64, want);
        };
        if address.offset == 0 {
            return self.moved(base, want);
        }
        let to = want.unwrap_or_else(|| self.take(1));
        self.emit(match bits {
            32 => Op::Add32I { to, a: base, value: address.offset },
            _ => Op::Add64I { to, a: base, value: address.offset },
        });
        to
    }

    /// A base register and an offset, for operations that have no absolute form.
    fn based(&mut self, address: Address) -> (Reg, u64) {
        match address.base {
            Some(base) => (base, address.offset),
            None => (self.constant_register(u128::from(address.offset), 64, None), 0),
        }
    }

    pub(super) fn load(&mut self, scalar: Scalar, address: Address, ty: TypeId, want: Option<Reg>) -> Reg {
        let to = want.unwrap_or_else(|| self.take(if scalar.bits() > 64 { 2 } else { 1 }));
        let before = std::mem::replace(&mut self.note.ty, ty);
        if let Some(bits) = address.bits {
            let (at, offset) = self.based(address);
            self.memory(MemoryOp::LoadBits { to, at, offset, bits, scalar });
        } else if scalar.bits() > 64 {
            let (at, offset) = self.based(address);
            self.memory(MemoryOp::LoadWide { to, at, offset, size: scalar.bits() / 8 });
        } else {
            self.emit(match (address.base, scalar.bits()) {
                (Some(at), 8) => Op::Load8 { to, at, offset: address.offset },
                (Some(at), 16) => Op::Load16 { to, at, offset: address.offset },
                (Some(at), 32) => Op::Load32 { to, at, offset: address.offset },
                (Some(at), _) => Op::Load64 { to, at, offset: address.offset },
                (None, 8) => Op::LoadAt8 { to, address: address.offset },
                (None, 16) => Op::LoadAt16 { to, address: address.offset },
                (None, 32) => Op::LoadAt32 { to, address: address.offset },
                (None, _) => Op::LoadAt64 { to, address: address.offset },
            });
        }
        self.note.ty = before;
        to
    }

    pub(super) fn store(&mut self, scalar: Scalar, address: Address, from: Reg) {
        if let Some(bits) = address.bits {
            let (at, offset) = self.based(address);
            return self.memory(MemoryOp::StoreBits { from, at, offset, bits });
        }
        if scalar.bits() > 64 {
            let (at, offset) = self.based(address);
            // The x87 format leaves its padding as it was.
            let size = if scalar == Scalar::Float(FloatKind::Extended) { 10 } else { 16 };
            return self.memory(MemoryOp::StoreWide { from, at, offset, size });
        }
        self.emit(match (address.base, scalar.bits()) {
            (Some(at), 8) => Op::Store8 { from, at, offset: address.offset },
            (Some(at), 16) => Op::Store16 { from, at, offset: address.offset },
            (Some(at), 32) => Op::Store32 { from, at, offset: address.offset },
            (Some(at), _) => Op::Store64 { from, at, offset: address.offset },
            (None, 8) => Op::StoreAt8 { from, address: address.offset },
            (None, 16) => Op::StoreAt16 { from, address: address.offset },
            (None, 32) => Op::StoreAt32 { from, address: address.offset },
            (None, _) => Op::StoreAt64 { from, address: address.offset },
        });
    }

    /// Copies a record or array.
    pub(super) fn copy(&mut self, to: Address, from: Address, size: u64) {
        let (to, to_offset) = self.based(to);
        let (from, from_offset) = self.based(from);
        self.memory(MemoryOp::Copy { to, to_offset, from, from_offset, size });
    }

    pub(super) fn zero(&mut self, at: Address, size: u64) {
        let (at, offset) = self.based(at);
        self.memory(MemoryOp::Zero { at, offset, size });
    }

    pub(super) fn store_result(&mut self, at: Address, size: u64) {
        let (at, offset) = self.based(at);
        self.memory(MemoryOp::StoreResult { at, offset, size });
    }
}
