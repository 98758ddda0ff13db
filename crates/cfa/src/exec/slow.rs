//! The operations that the fast loop leaves: accesses that need a closer look, records, bit-fields, returns.

use tandem_syntax::Scalar;
use tandem_syntax::types::TypeId;

use super::code::*;
use super::fast::{put_scalar, scalar_in};
use super::machine::Machine;
use super::memory::{Fault, NoRoom, ObjectKind};
use super::{End, EventKind, Input, InputSource, Inputs, Place, Request, TraceEvent, Undefined};
use crate::model::{FunctionId, VariableId};
use crate::semantics::{mask, sign_extend};

/// An access of a plain load or store.
enum Access {
    Load { to: Reg, address: u64, size: u64 },
    Store { from: Reg, address: u64, size: u64 },
}

impl Machine<'_> {
    /// Carries out the current operation and goes to the next.
    pub(super) fn slow(&mut self, inputs: &mut dyn Inputs) -> Result<(), End> {
        match self.code.ops[self.pc] {
            Op::Call { function, base } => return self.call(function, base),
            Op::Return { a } => {
                let value = self.get(a);
                return self.give_back(Some(u128::from(value)));
            }
            Op::ReturnWide { a } => {
                let value = scalar_in(&self.registers[self.base..self.top], a, 128);
                return self.give_back(Some(value));
            }
            Op::ReturnNothing => return self.give_back(None),
            Op::ReturnRecord { a, size } => {
                self.returned = self.memory.take(self.get(a), u64::from(size)).map_err(|fault| self.fault(fault))?;
                return self.give_back(Some(0));
            }
            Op::Site { site } => return self.site(site as usize, inputs),
            Op::Memory { index } => self.memory_op(self.code.memory[index as usize], inputs)?,
            Op::Local { to, variable } => self.local(to, variable)?,
            Op::Forget { at } => self.memory.forget(self.get(at)),
            Op::Result { to, .. } => self.no_result(to, inputs),
            Op::Probe { index } => self.probe(index as usize),
            Op::Stuck => return Err(End::Unsupported { what: "no edge to go on".into(), edge: self.edge() }),
            Op::Unsupported { text } => {
                return Err(End::Unsupported { what: self.code.texts[text as usize].clone(), edge: self.edge() });
            }
            op => self.access(op, inputs)?,
        }
        self.pc += 1;
        Ok(())
    }

    pub(super) fn get(&self, register: Reg) -> u64 {
        self.registers[self.base + usize::from(register)]
    }

    pub(super) fn set(&mut self, register: Reg, value: u64) {
        self.registers[self.base + usize::from(register)] = value;
    }

    fn at(&self, register: Reg, offset: u64) -> u64 {
        self.memory.cut(self.get(register).wrapping_add(offset))
    }

    fn access(&mut self, op: Op, inputs: &mut dyn Inputs) -> Result<(), End> {
        let load = |to, address, size| Access::Load { to, address, size };
        let store = |from, address, size| Access::Store { from, address, size };
        let access = match op {
            Op::Load8 { to, at, offset } => load(to, self.at(at, offset), 1),
            Op::Load16 { to, at, offset } => load(to, self.at(at, offset), 2),
            Op::Load32 { to, at, offset } => load(to, self.at(at, offset), 4),
            Op::Load64 { to, at, offset } => load(to, self.at(at, offset), 8),
            Op::LoadAt8 { to, address } => load(to, address, 1),
            Op::LoadAt16 { to, address } => load(to, address, 2),
            Op::LoadAt32 { to, address } => load(to, address, 4),
            Op::LoadAt64 { to, address } => load(to, address, 8),
            Op::Store8 { from, at, offset } => store(from, self.at(at, offset), 1),
            Op::Store16 { from, at, offset } => store(from, self.at(at, offset), 2),
            Op::Store32 { from, at, offset } => store(from, self.at(at, offset), 4),
            Op::Store64 { from, at, offset } => store(from, self.at(at, offset), 8),
            Op::StoreAt8 { from, address } => store(from, address, 1),
            Op::StoreAt16 { from, address } => store(from, address, 2),
            Op::StoreAt32 { from, address } => store(from, address, 4),
            Op::StoreAt64 { from, address } => store(from, address, 8),
            _ => return Err(End::Unsupported { what: "an unknown operation".into(), edge: self.edge() }),
        };
        match access {
            Access::Load { to, address, size } => {
                let value = self.read(address, size, inputs)?;
                self.set(to, value as u64);
            }
            Access::Store { from, address, size } => {
                let value = u128::from(self.get(from));
                self.memory.write(address, value, size).map_err(|fault| self.fault_at(fault, address))?;
            }
        }
        Ok(())
    }

    /// Reads up to 16 bytes; asks for what was never written.
    pub(super) fn read(&mut self, address: u64, size: u64, inputs: &mut dyn Inputs) -> Result<u128, End> {
        match self.memory.read(address, size) {
            Ok(value) => Ok(value),
            Err(Fault::Uninitialised) => {
                let whole = Bits { offset: 0, width: size as u32 * 8 };
                let scalar = self.loaded_scalar(size);
                self.read_unwritten(address, whole, scalar, inputs)
            }
            Err(fault) => Err(self.fault_at(fault, address)),
        }
    }

    /// The scalar that the current operation loads.
    fn loaded_scalar(&self, size: u64) -> Scalar {
        let plain = Scalar::Int { bits: size as u32 * 8, signed: false };
        let scalar = self.program.types.scalar(self.note_ty());
        scalar.filter(|scalar| u64::from(scalar.bits()) == size * 8).unwrap_or(plain)
    }

    /// Reads bits of which some were never written: those are asked for, and written.
    fn read_unwritten(
        &mut self,
        address: u64,
        bits: Bits,
        scalar: Scalar,
        inputs: &mut dyn Inputs,
    ) -> Result<u128, End> {
        let size = u64::from((bits.offset + bits.width).div_ceil(8));
        let (bytes, shadow) = self.memory.read_raw(address, size).map_err(|fault| self.fault_at(fault, address))?;
        // A copy of what was read already has the same value.
        let known: Vec<Option<u8>> =
            (0..size).map(|byte| self.memory.origin_value(self.memory.cut(address.wrapping_add(byte)))).collect();
        let is_missing = |bit: u32| {
            let place = bits.offset + bit;
            shadow[(place / 8) as usize] & 1 << (place % 8) == 0 && known[(place / 8) as usize].is_none()
        };
        let answer = match (0..bits.width).any(is_missing) {
            true => self.ask_unwritten(address, scalar, inputs)?,
            false => 0,
        };
        let (mut new, mut missing) = ([0u8; 17], [0u8; 17]);
        for bit in 0..bits.width {
            let place = bits.offset + bit;
            let (byte, one) = ((place / 8) as usize, 1u8 << (place % 8));
            if shadow[byte] & one == 0 {
                missing[byte] |= one;
                let is_set = known[byte].map_or(answer >> bit & 1 == 1, |value| value & one != 0);
                if is_set {
                    new[byte] |= one;
                }
            }
        }
        let size = size as usize;
        for byte in (0..size).filter(|byte| missing[*byte] == 0xff) {
            let at = self.memory.cut(address.wrapping_add(byte as u64));
            self.memory.set_origin_value(at, new[byte]);
        }
        let written = self.memory.write_raw(address, &new[..size], &missing[..size]);
        written.map_err(|fault| self.fault_at(fault, address))?;
        let mut all = [0u8; 17];
        for (i, byte) in all.iter_mut().enumerate() {
            *byte = bytes[i] & !missing[i] | new[i];
        }
        Ok(extract(&all, bits))
    }

    fn ask_unwritten(&mut self, address: u64, scalar: Scalar, inputs: &mut dyn Inputs) -> Result<u128, End> {
        let (source, name) = match self.memory.kind_at(address) {
            Some(ObjectKind::Static(id) | ObjectKind::Local(id) | ObjectKind::Incomplete(id)) => {
                (InputSource::Variable(id), &*self.program.variables[id].name)
            }
            Some(ObjectKind::Heap) => (InputSource::Memory, "malloc"),
            Some(ObjectKind::Alloca) | None => (InputSource::Memory, "alloca"),
        };
        let ty = self.note_ty();
        let request = Request { edge: self.edge(), name, ty, scalar, byte: Some(self.memory.byte_of(address)) };
        let bits = inputs.uninitialised(request);
        self.log.note(EventKind::Uninitialised(source), self.pc);
        self.took(source, ty, scalar, bits)
    }

    /// Writes an input down. Returns its bits, cut to the scalar.
    pub(super) fn took(&mut self, source: InputSource, ty: TypeId, scalar: Scalar, bits: u128) -> Result<u128, End> {
        let bits = if scalar == Scalar::Bool { bits & 1 } else { bits & mask(scalar.bits()) };
        self.asked += usize::from(matches!(source, InputSource::Function(_)));
        if self.taken.len() >= self.options.inputs || self.asked > self.most_asked {
            return Err(End::Stopped(tandem_base::StopReason::Memory));
        }
        self.record(TraceEvent::Input(self.taken.len()));
        self.taken.push(Input { source, edge: self.edge(), ty, scalar, bits });
        Ok(bits)
    }

    /// The value of a call that returned nothing.
    fn no_result(&mut self, to: Reg, inputs: &mut dyn Inputs) {
        let ty = self.note_ty();
        if let Some(scalar) = self.program.types.scalar(ty) {
            let request = Request { edge: self.edge(), name: "return", ty, scalar, byte: None };
            let bits = inputs.uninitialised(request);
            self.log.note(EventKind::Uninitialised(InputSource::NoResult), self.pc);
            if let Ok(bits) = self.took(InputSource::NoResult, ty, scalar, bits) {
                put_scalar(&mut self.registers[self.base..self.top], to, scalar.bits(), bits);
            }
        }
        self.valueless = false;
    }

    fn local(&mut self, to: Reg, variable: VariableId) -> Result<(), End> {
        // A variable whose type is not modelled has no bytes: its declaration is an unsupported step of its own.
        let size = self.program.types.size(self.program.variables[variable].ty).unwrap_or(0);
        let address = self.memory.allocate(size, ObjectKind::Local(variable), false).map_err(|full| self.full(full))?;
        self.locals.push(address);
        self.set(to, address);
        Ok(())
    }

    pub(super) fn full(&self, _: NoRoom) -> End {
        End::OutOfMemory { edge: self.edge() }
    }

    fn memory_op(&mut self, op: MemoryOp, inputs: &mut dyn Inputs) -> Result<(), End> {
        match op {
            MemoryOp::LoadWide { to, at, offset, size } => {
                let value = self.read(self.at(at, offset), u64::from(size), inputs)?;
                put_scalar(&mut self.registers[self.base..self.top], to, 128, value);
                Ok(())
            }
            MemoryOp::StoreWide { from, at, offset, size } => {
                let value = scalar_in(&self.registers[self.base..self.top], from, 128);
                let address = self.at(at, offset);
                self.memory.write(address, value, u64::from(size)).map_err(|fault| self.fault_at(fault, address))
            }
            MemoryOp::LoadBits { to, at, offset, bits, scalar } => {
                let value = self.read_bits(self.at(at, offset), bits, scalar, inputs)?;
                put_scalar(&mut self.registers[self.base..self.top], to, scalar.bits(), value);
                Ok(())
            }
            MemoryOp::StoreBits { from, at, offset, bits } => {
                let wide = if bits.width > 64 { 128 } else { 64 };
                let value = scalar_in(&self.registers[self.base..self.top], from, wide);
                let address = self.at(at, offset);
                self.write_bits(address, bits, value).map_err(|fault| self.fault_at(fault, address))
            }
            MemoryOp::Copy { to, to_offset, from, from_offset, size } => {
                let (to, from) = (self.at(to, to_offset), self.at(from, from_offset));
                self.copy(to, from, size)
            }
            MemoryOp::Zero { at, offset, size } => {
                let address = self.at(at, offset);
                self.memory.fill(address, 0, size).map_err(|fault| self.fault_at(fault, address))
            }
            MemoryOp::StoreResult { at, offset, size } => self.store_result(self.at(at, offset), size),
        }
    }

    pub(super) fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), End> {
        if size == 0 {
            return Ok(());
        }
        // Which of the two is wrong is found out only for the message.
        self.memory.copy(to, from, size).map_err(|fault| {
            let from_is_wrong = self.memory.read_raw(from, 0).is_err();
            self.fault_at(fault, if from_is_wrong { from } else { to })
        })
    }

    fn store_result(&mut self, address: u64, size: u64) -> Result<(), End> {
        let mut block = std::mem::take(&mut self.returned);
        // A function that returned nothing leaves the place with any value.
        if self.valueless || block.len() as u64 != 2 * size {
            block.clear();
            block.resize(2 * size as usize, 0);
            self.valueless = false;
        }
        let result = self.memory.put(address, &block).map_err(|fault| self.fault_at(fault, address));
        self.returned = block;
        result
    }

    fn read_bits(&mut self, address: u64, bits: Bits, scalar: Scalar, inputs: &mut dyn Inputs) -> Result<u128, End> {
        let size = u64::from((bits.offset + bits.width).div_ceil(8));
        let (bytes, shadow) = self.memory.read_raw(address, size).map_err(|fault| self.fault_at(fault, address))?;
        let value = if extract(&shadow, bits) == mask(bits.width) {
            extract(&bytes, bits)
        } else {
            self.read_unwritten(address, bits, scalar, inputs)?
        };
        let signed = scalar.is_signed() && bits.width > 0;
        Ok(if signed { sign_extend(value, bits.width) as u128 & mask(scalar.bits()) } else { value })
    }

    pub(super) fn write_bits(&mut self, address: u64, bits: Bits, value: u128) -> Result<(), Fault> {
        let size = (bits.offset + bits.width).div_ceil(8) as usize;
        let (mut new, mut touched) = ([0u8; 17], [0u8; 17]);
        for bit in 0..bits.width {
            let place = bits.offset + bit;
            let (byte, one) = ((place / 8) as usize, 1u8 << (place % 8));
            touched[byte] |= one;
            if value >> bit & 1 == 1 {
                new[byte] |= one;
            }
        }
        self.memory.write_raw(address, &new[..size], &touched[..size])
    }

    /// The end of the path that a bad access means.
    pub(super) fn fault_at(&self, fault: Fault, address: u64) -> End {
        let kind = match fault {
            Fault::Null => Undefined::NullPointer { input: self.input_near(address) },
            Fault::Invalid => Undefined::InvalidPointer { input: self.input_near(address) },
            Fault::Outside(kind) => Undefined::OutOfBounds { object: place_of(kind) },
            Fault::Dead(kind) => Undefined::DeadObject { object: place_of(kind) },
            Fault::ReadOnly => Undefined::WriteToReadOnly,
            Fault::Incomplete => {
                return End::Unsupported { what: "an object of unknown size".into(), edge: self.edge() };
            }
            Fault::Uninitialised => Undefined::InvalidPointer { input: None },
        };
        End::Undefined { kind, edge: self.edge() }
    }

    fn fault(&self, fault: Fault) -> End {
        self.fault_at(fault, u64::MAX)
    }

    /// The function without a body that returned a pointer to about this address.
    fn input_near(&self, address: u64) -> Option<FunctionId> {
        self.taken.iter().rev().find_map(|input| {
            let near = address.wrapping_sub(input.bits as u64).wrapping_add(1 << 15) < 1 << 16;
            match (input.source, input.scalar) {
                (InputSource::Function(function), Scalar::Pointer { .. }) if near => Some(function),
                _ => None,
            }
        })
    }
}

fn place_of(kind: ObjectKind) -> Place {
    match kind {
        ObjectKind::Static(id) | ObjectKind::Local(id) | ObjectKind::Incomplete(id) => Place::Variable(id),
        ObjectKind::Heap => Place::Heap,
        ObjectKind::Alloca => Place::Stack,
    }
}

/// Bits out of bytes, lowest first.
fn extract(bytes: &[u8; 17], bits: Bits) -> u128 {
    let skip = (bits.offset / 8) as usize;
    let mut value = 0;
    for (i, byte) in bytes[skip..].iter().enumerate() {
        let up = 8 * i as i64 - i64::from(bits.offset % 8);
        let byte = u128::from(*byte);
        value |= match up {
            ..0 => byte >> -up,
            0..128 => byte << up,
            _ => 0,
        };
    }
    value & mask(bits.width)
}
