//! Library functions that are carried out natively; output is in [`output`](super::output).

use tandem_syntax::Scalar;
use tandem_syntax::types::FloatKind;

use super::code::*;
use super::machine::Machine;
use super::memory::{Fault, ObjectKind};
use super::{End, Inputs, Undefined, math};
use crate::library::{self, Contract, Math, Primitive};
use crate::model::{FunctionId, Op};
use crate::semantics::{self, RoundedOperation, RoundingDirection};

impl Machine<'_> {
    pub(super) fn library(
        &mut self,
        primitive: Primitive,
        function: FunctionId,
        site: &Site,
        inputs: &mut dyn Inputs,
    ) -> Result<(), End> {
        let edge = self.edge();
        match primitive {
            Primitive::Nondet => self.any_result(function, site, library::ANYTHING, inputs),
            Primitive::Assume => match (site.arguments.first(), self.argument(site, 0)?) {
                (Some(Passed::Scalar(scalar)), bits) if semantics::is_true(*scalar, bits) => Ok(()),
                _ => Err(End::AssumeViolated { edge }),
            },
            Primitive::AssertFail => Err(End::AssertFailed { edge }),
            Primitive::Abort => Err(End::Aborted { edge }),
            Primitive::Exit => Err(End::Exited(self.argument(site, 0)? as i32)),
            Primitive::Malloc => {
                let size = self.argument(site, 0)?;
                self.allocate(site, size, false)
            }
            Primitive::Calloc => self.calloc(site),
            Primitive::Realloc => self.realloc(site),
            Primitive::Free => {
                let address = self.argument(site, 0)? as u64;
                self.free(address)
            }
            Primitive::MemCopy | Primitive::MemMove => {
                let (to, from, size) = (self.argument(site, 0)?, self.argument(site, 1)?, self.argument(site, 2)?);
                self.copy(to as u64, from as u64, self.size(size))?;
                self.set_result(site, to);
                Ok(())
            }
            Primitive::MemSet => {
                let (to, value, size) = (self.argument(site, 0)?, self.argument(site, 1)?, self.argument(site, 2)?);
                if self.size(size) > 0 {
                    let filled = self.memory.fill(to as u64, value as u8, self.size(size));
                    filled.map_err(|fault| self.fault_at(fault, to as u64))?;
                }
                self.set_result(site, to);
                Ok(())
            }
            Primitive::Printf(output) => self.print(output, false, site, inputs),
            Primitive::PrintfList(output) => self.print(output, true, site, inputs),
            Primitive::Math(math) => {
                self.take_from_library(function);
                self.math(math, site)
            }
            Primitive::FusedMultiplyAdd => {
                self.rounded(RoundedOperation::MultiplyAdd, RoundingDirection::Nearest, site, 0)
            }
            Primitive::Rounded(operation) => {
                let mode = self.argument(site, 0)? & semantics::mask(32);
                let Some(direction) = RoundingDirection::of_mode(mode) else {
                    return Err(End::Unsupported { what: "a rounding mode that there is not".into(), edge });
                };
                self.rounded(operation, direction, site, 1)
            }
            Primitive::Contract(contract) => self.contract_result(contract, function, site, inputs),
            Primitive::Unmodelled => {
                let name = &*self.program.functions[function].name;
                let what = format!("call of {}", library::shown_name(name));
                Err(End::Unsupported { what: what.into(), edge })
            }
        }
    }

    /// A value that the contract of a function allows.
    fn contract_result(
        &mut self,
        contract: Contract,
        function: FunctionId,
        site: &Site,
        inputs: &mut dyn Inputs,
    ) -> Result<(), End> {
        let before = self.taken.len();
        self.any_result(function, site, contract, inputs)?;
        // Zero is what every run has that leaves `errno` alone. Whether the call does so matters once the program reads it.
        let is_unchanged = &*self.program.functions[function].name == library::ANY_ERRNO
            && self.taken.get(before).is_some_and(|input| input.bits == 0);
        match (is_unchanged, self.errno) {
            (true, Some(variable)) => self.memory.unsettle(self.statics[variable]),
            (true, None) => {}
            (false, _) => self.take_from_library(function),
        }
        Ok(())
    }

    /// Notes that the run goes on with a value of a library function that is not known exactly.
    fn take_from_library(&mut self, function: FunctionId) {
        let is_used = matches!(&self.program.edges[self.edge()].op, Op::Call { result: Some(_), .. });
        if is_used && !self.library_values.contains(&function) {
            self.library_values.push(function);
        }
    }

    /// A `size_t` argument.
    pub(super) fn size(&self, bits: u128) -> u64 {
        (bits & semantics::mask(self.program.model().pointer_bits())) as u64
    }

    fn allocate(&mut self, site: &Site, size: u128, written: bool) -> Result<(), End> {
        let address =
            self.memory.allocate(self.size(size), ObjectKind::Heap, written).map_err(|full| self.full(full))?;
        self.set_result(site, u128::from(address));
        Ok(())
    }

    fn calloc(&mut self, site: &Site) -> Result<(), End> {
        let (count, size) = (self.size(self.argument(site, 0)?), self.size(self.argument(site, 1)?));
        let bytes = u128::from(count) * u128::from(size);
        if bytes > semantics::mask(self.program.model().pointer_bits()) {
            self.set_result(site, 0);
            return Ok(());
        }
        self.allocate(site, bytes, true)
    }

    fn realloc(&mut self, site: &Site) -> Result<(), End> {
        let (old, size) = (self.argument(site, 0)? as u64, self.argument(site, 1)?);
        if old == 0 {
            return self.allocate(site, size, false);
        }
        let before = self.memory.heap_object(old).map_err(|fault| self.bad_free(fault))?;
        if self.size(size) == 0 {
            self.set_result(site, 0);
            return self.free(old);
        }
        let new = self.memory.allocate(self.size(size), ObjectKind::Heap, false).map_err(|full| self.full(full))?;
        self.copy(new, old, before.min(self.size(size)))?;
        self.set_result(site, u128::from(new));
        self.free(old)
    }

    fn free(&mut self, address: u64) -> Result<(), End> {
        if address != 0 {
            self.memory.heap_object(address).map_err(|fault| self.bad_free(fault))?;
            self.memory.end(address);
        }
        Ok(())
    }

    fn bad_free(&self, fault: Fault) -> End {
        self.undefined(match fault {
            Fault::Dead(ObjectKind::Heap) => Undefined::DoubleFree,
            _ => Undefined::InvalidFree,
        })
    }

    /// An operation that rounds once; its operands are the arguments from `first` on.
    fn rounded(
        &mut self,
        operation: RoundedOperation,
        direction: RoundingDirection,
        site: &Site,
        first: usize,
    ) -> Result<(), End> {
        let Some(into) = self.program.types.scalar(site.result) else {
            return Err(self.undefined(Undefined::MismatchedCall));
        };
        let mut from = into;
        let mut operands = [0; 3];
        for (number, operand) in operands.iter_mut().enumerate().take(operation.operands()) {
            let Some(Passed::Scalar(scalar)) = site.arguments.get(first + number) else {
                return Err(self.undefined(Undefined::MismatchedCall));
            };
            let bits = self.argument(site, first + number)?;
            match operation {
                RoundedOperation::Convert => (from, *operand) = (*scalar, bits),
                _ => *operand = semantics::convert(*scalar, into, bits).bits,
            }
        }
        let bits = semantics::rounded(operation, direction, from, into, operands);
        self.set_result(site, bits);
        Ok(())
    }

    fn math(&mut self, function: Math, site: &Site) -> Result<(), End> {
        let double = Scalar::Float(FloatKind::Double);
        let scalar_of = |number: usize| match site.arguments.get(number) {
            Some(Passed::Scalar(scalar)) => *scalar,
            Some(Passed::Record(_)) | None => double,
        };
        let (a, b) = (self.argument(site, 0)?, self.argument(site, 1).unwrap_or(0));
        let into = self.program.types.scalar(site.result).unwrap_or(double);
        let bits = if into == Scalar::Float(FloatKind::Single) && scalar_of(0) == into {
            u128::from(math::single(function, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
        } else {
            let value = |number, bits| f64::from_bits(semantics::convert(scalar_of(number), double, bits).bits as u64);
            let result = math::double(function, value(0, a), value(1, b));
            semantics::convert(double, into, u128::from(result.to_bits())).bits
        };
        self.set_result(site, bits);
        Ok(())
    }
}
