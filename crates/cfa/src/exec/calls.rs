//! Calls and returns: frames, arguments that fit or are made to, functions without a body.

use tandem_syntax::Scalar;
use tandem_syntax::types::TypeId;

use super::code::*;
use super::fast::put_scalar;
use super::machine::{Frame, Machine};
use super::memory::Memory;
use super::{End, InputSource, Inputs, Request, Undefined};
use crate::library::{self, Contract};
use crate::model::FunctionId;
use crate::semantics::{self, mask};

impl Machine<'_> {
    /// A call whose arguments are exactly what the function expects.
    pub(super) fn call(&mut self, function: FunctionId, base: Reg) -> Result<(), End> {
        let (start, registers) = self.compiled(function);
        self.push_frame(start, registers, base, self.arguments.len())
    }

    fn push_frame(&mut self, start: usize, registers: usize, base: Reg, arguments: usize) -> Result<(), End> {
        if self.frames.len() >= self.options.depth {
            return Err(End::StackOverflow { edge: self.edge() });
        }
        self.frames.push(Frame {
            return_to: self.pc as Pc + 1,
            base: self.base,
            top: self.top,
            locals: self.locals.len(),
            arguments,
            cursors: self.cursors.len(),
        });
        self.base += usize::from(base);
        self.top = self.base + registers;
        self.make_room(self.top);
        self.pc = start;
        Ok(())
    }

    /// Returns from the current function; the result goes where the arguments were.
    pub(super) fn give_back(&mut self, value: Option<u128>) -> Result<(), End> {
        let Some(frame) = self.frames.pop() else { return Err(End::NoEntry) };
        if self.frames.is_empty() {
            return Err(End::Returned(self.exit_value(value)));
        }
        while self.locals.len() > frame.locals {
            if let Some(address) = self.locals.pop() {
                self.memory.end(address);
            }
        }
        self.arguments.truncate(frame.arguments);
        self.cursors.truncate(frame.cursors);
        self.valueless = value.is_none();
        if let Some(value) = value {
            self.registers[self.base] = value as u64;
            self.registers[self.base + 1] = (value >> 64) as u64;
        }
        (self.base, self.top, self.pc) = (frame.base, frame.top, frame.return_to as usize);
        Ok(())
    }

    /// What `main` returned; nothing is zero.
    fn exit_value(&self, value: Option<u128>) -> i64 {
        let result =
            self.program.entry.and_then(|entry| match self.program.types.get(self.program.functions[entry].ty) {
                tandem_syntax::types::Type::Function(function) => self.program.types.scalar(function.result),
                _ => None,
            });
        match (value, result) {
            (Some(value), Some(scalar)) => semantics::integer_value(scalar, value) as i64,
            (Some(_) | None, _) => 0,
        }
    }

    /// A call that is not simply a jump to a body.
    pub(super) fn site(&mut self, index: usize, inputs: &mut dyn Inputs) -> Result<(), End> {
        let site = self.code.sites[index].clone();
        let function = match site.target {
            Target::Function(function) => function,
            Target::Pointer(register) => {
                let address = self.get(register);
                let function = self.memory.function_at(address);
                self.choose_function(function);
                let function = function.ok_or_else(|| self.undefined(Undefined::BadFunctionPointer))?;
                if self.errno.is_some() && library::changes_errno_unseen(self.program, function) {
                    let what = "call through a pointer of a library function that may change errno".into();
                    return Err(End::Unsupported { what, edge: self.edge() });
                }
                function
            }
            Target::Builtin(builtin) => {
                self.builtin(builtin, &site, inputs)?;
                self.pc += 1;
                return Ok(());
            }
        };
        self.call_any(function, &site, inputs)
    }

    /// Records where a call through a pointer goes.
    fn choose_function(&mut self, function: Option<FunctionId>) {
        if self.log.recording {
            let number = function.map_or(u32::MAX, |function| function.0);
            self.log.path.choices.extend(number.to_le_bytes());
        }
    }

    fn call_any(&mut self, function: FunctionId, site: &Site, inputs: &mut dyn Inputs) -> Result<(), End> {
        match self.code.kinds[function] {
            Kind::Body => self.call_body(function, site),
            Kind::Model(model) => self.call_body(model, site),
            Kind::Error => Err(End::ErrorReached { function, edge: self.edge() }),
            Kind::Missing => {
                let name = &self.program.functions[function].name;
                Err(End::Unsupported {
                    what: format!("call of {name}, whose model is missing").into(),
                    edge: self.edge(),
                })
            }
            Kind::Library(primitive) => {
                self.valueless = false;
                self.library(primitive, function, site, inputs)?;
                self.pc += 1;
                Ok(())
            }
            Kind::Intrinsic(intrinsic) => {
                self.valueless = false;
                let scalar = match site.arguments.first() {
                    Some(Passed::Scalar(scalar)) => *scalar,
                    Some(Passed::Record(_)) | None => return Err(self.undefined(Undefined::MismatchedCall)),
                };
                let (a, b) = (self.argument(site, 0)?, self.argument(site, 1).unwrap_or(0));
                let bits = semantics::intrinsic(intrinsic, scalar, a, b);
                let from = semantics::intrinsic_result(intrinsic, scalar);
                let into = self.program.types.scalar(site.result).unwrap_or(from);
                self.set_result(site, semantics::convert(from, into, bits).bits);
                self.pc += 1;
                Ok(())
            }
            Kind::Unknown => {
                self.valueless = false;
                self.any_result(function, site, library::ANYTHING, inputs)?;
                self.pc += 1;
                Ok(())
            }
        }
    }

    pub(super) fn undefined(&self, kind: Undefined) -> End {
        End::Undefined { kind, edge: self.edge() }
    }

    /// The register an argument begins in.
    fn argument_register(&self, site: &Site, number: usize) -> Reg {
        site.base + site.arguments[..number].iter().map(|passed| passed.registers()).sum::<u16>()
    }

    /// The bits of a scalar argument; of a record, its address.
    pub(super) fn argument(&self, site: &Site, number: usize) -> Result<u128, End> {
        let passed = site.arguments.get(number).ok_or_else(|| self.undefined(Undefined::MismatchedCall))?;
        let register = self.base + usize::from(self.argument_register(site, number));
        let low = u128::from(self.registers[register]);
        Ok(match passed.registers() {
            2 => low | u128::from(self.registers[register + 1]) << 64,
            _ => low,
        })
    }

    pub(super) fn set_result(&mut self, site: &Site, value: u128) {
        put_scalar(&mut self.registers[self.base..self.top], site.base, 128, value);
    }

    /// An input as the result of a function of which no more than a contract is known.
    pub(super) fn any_result(
        &mut self,
        function: FunctionId,
        site: &Site,
        contract: Contract,
        inputs: &mut dyn Inputs,
    ) -> Result<(), End> {
        let ty: TypeId = site.result;
        if let Some(scalar) = self.program.types.scalar(ty) {
            let name = &*self.program.functions[function].name;
            let bits = inputs.nondet(Request { edge: self.edge(), name, ty, scalar, byte: None });
            let bits = within(contract, scalar, bits);
            let bits = self.took(InputSource::Function(function), ty, scalar, bits)?;
            self.set_result(site, bits);
        } else {
            // A record is any bytes: unwritten ones.
            let size = self.program.types.size(ty).unwrap_or(0).min(self.options.memory);
            self.returned.clear();
            self.returned.resize(2 * size as usize, 0);
        }
        Ok(())
    }

    /// Enters a body whose parameters may not be what the call passes.
    fn call_body(&mut self, function: FunctionId, site: &Site) -> Result<(), End> {
        let (start, registers) = self.compiled(function);
        let Some(compiled) = &self.code.functions[function] else {
            return Err(self.undefined(Undefined::BadFunctionPointer));
        };
        let (parameters, variadic) = (compiled.parameters.clone(), compiled.variadic);
        let before = self.arguments.len();
        if variadic {
            for number in parameters.len()..site.arguments.len() {
                self.keep_argument(site, number)?;
            }
        }
        if *parameters != site.arguments[..parameters.len().min(site.arguments.len())] {
            self.fit_arguments(&parameters, site)?;
        } else if site.arguments.len() < parameters.len() {
            return Err(self.undefined(Undefined::MismatchedCall));
        }
        self.push_frame(start, registers, site.base, before)
    }

    /// Arguments of other types than the parameters: taken by their bits if they have as many, or cut.
    fn fit_arguments(&mut self, parameters: &[Passed], site: &Site) -> Result<(), End> {
        let mut values = Vec::with_capacity(parameters.len());
        for (number, parameter) in parameters.iter().enumerate() {
            let argument = site.arguments.get(number).ok_or_else(|| self.undefined(Undefined::MismatchedCall))?;
            let value = self.argument(site, number)?;
            let fits = match (argument, parameter) {
                (Passed::Scalar(from), Passed::Scalar(to)) => {
                    let float = |scalar: &Scalar| matches!(scalar, Scalar::Float(_));
                    from.bits() == to.bits() || from.bits() > to.bits() && !float(from) && !float(to)
                }
                (Passed::Record(from), Passed::Record(to)) => from == to,
                (Passed::Scalar(_), Passed::Record(_)) | (Passed::Record(_), Passed::Scalar(_)) => false,
            };
            if !fits {
                return Err(self.undefined(Undefined::MismatchedCall));
            }
            values.push(match parameter {
                Passed::Scalar(scalar) => (value & mask(scalar.bits()), parameter.registers()),
                Passed::Record(_) => (value, 1),
            });
        }
        let mut at = self.base + usize::from(site.base);
        self.make_room(at + 2 * values.len());
        for (value, registers) in values {
            self.registers[at] = value as u64;
            if registers == 2 {
                self.registers[at + 1] = (value >> 64) as u64;
            }
            at += usize::from(registers);
        }
        Ok(())
    }

    /// The address of a function, as a pointer to it has it.
    pub fn function_address(function: FunctionId) -> u64 {
        Memory::function_address(function)
    }
}

/// The bits themselves if the contract allows them, else others that it allows.
fn within(contract: Contract, scalar: Scalar, bits: u128) -> u128 {
    match (contract.within(scalar), scalar) {
        (None, _) | (_, Scalar::Float(_) | Scalar::Bool) => bits,
        (Some(contract), Scalar::Int { .. } | Scalar::Pointer { .. }) => {
            let value = semantics::integer_value(scalar, bits & mask(scalar.bits()));
            contract.nearest(value) as u128 & mask(scalar.bits())
        }
    }
}
