//! Variadic arguments. A `va_list` object holds the number of a cursor into the arguments that the variadic call passed.

use super::code::*;
use super::machine::Machine;
use super::memory::ObjectKind;
use super::{End, Inputs, Undefined};
use crate::model::Builtin;

/// An argument behind the named ones.
pub(super) struct Argument {
    pub passed: Passed,
    pub bits: u128,
    /// The bytes of a record, then its shadow.
    pub block: Vec<u8>,
}

/// Where a `va_list` stands.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    next: usize,
    end: usize,
}

impl Machine<'_> {
    /// Puts an argument aside for `va_arg`.
    pub(super) fn keep_argument(&mut self, site: &Site, number: usize) -> Result<(), End> {
        let passed = site.arguments[number];
        let bits = self.argument(site, number)?;
        let block = match passed {
            Passed::Scalar(_) => Vec::new(),
            Passed::Record(size) => {
                let block = self.memory.take(bits as u64, size);
                block.map_err(|fault| self.fault_at(fault, bits as u64))?
            }
        };
        self.arguments.push(Argument { passed, bits, block });
        Ok(())
    }

    pub(super) fn builtin(&mut self, builtin: Builtin, site: &Site, _: &mut dyn Inputs) -> Result<(), End> {
        self.valueless = false;
        match builtin {
            Builtin::VaStart => {
                let start = self.frames.last().map_or(0, |frame| frame.arguments);
                let cursor = Cursor { next: start, end: self.arguments.len() };
                let list = self.argument(site, 0)? as u64;
                self.store_cursor(list, cursor)
            }
            Builtin::VaCopy => {
                let (to, from) = (self.argument(site, 0)? as u64, self.argument(site, 1)? as u64);
                let cursor = self.cursors[self.cursor_at(from)?];
                self.store_cursor(to, cursor)
            }
            Builtin::VaEnd => Ok(()),
            Builtin::VaArg => {
                let list = self.argument(site, 0)? as u64;
                let cursor = self.cursor_at(list)?;
                self.next_argument(cursor, site)
            }
            Builtin::Alloca => {
                let size = self.argument(site, 0)? as u64;
                let address = self.memory.allocate(size, ObjectKind::Alloca, false).map_err(|full| self.full(full))?;
                self.locals.push(address);
                self.set_result(site, u128::from(address));
                Ok(())
            }
            Builtin::Unreachable => Err(self.undefined(Undefined::Unreachable)),
            Builtin::Trap => Err(End::Aborted { edge: self.edge() }),
        }
    }

    fn store_cursor(&mut self, list: u64, cursor: Cursor) -> Result<(), End> {
        self.cursors.push(cursor);
        let number = self.cursors.len() as u128;
        let size = self.program.model().pointer_size();
        self.memory.write(list, number, size).map_err(|fault| self.fault_at(fault, list))
    }

    /// The number of the cursor of a `va_list` object.
    fn cursor_at(&self, list: u64) -> Result<usize, End> {
        let size = self.program.model().pointer_size();
        let number = self.memory.read(list, size).map_err(|fault| match fault {
            super::memory::Fault::Uninitialised => self.undefined(Undefined::VariadicArgument),
            fault => self.fault_at(fault, list),
        })?;
        self.cursor_number(number)
    }

    fn cursor_number(&self, number: u128) -> Result<usize, End> {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        index.filter(|index| *index < self.cursors.len()).ok_or_else(|| self.undefined(Undefined::VariadicArgument))
    }

    fn next_argument(&mut self, cursor: usize, site: &Site) -> Result<(), End> {
        let Cursor { next, end } = self.cursors[cursor];
        if next >= end {
            return Err(self.undefined(Undefined::VariadicArgument));
        }
        self.cursors[cursor].next += 1;
        let argument = &self.arguments[next];
        match (self.program.types.scalar(site.result), argument.passed) {
            (Some(wanted), Passed::Scalar(given)) if wanted.bits() == given.bits() => {
                let bits = argument.bits;
                self.set_result(site, bits);
                Ok(())
            }
            (None, Passed::Record(size)) if self.program.types.size(site.result) == Some(size) => {
                self.returned.clone_from(&argument.block);
                Ok(())
            }
            _ => Err(self.undefined(Undefined::VariadicArgument)),
        }
    }

    /// What is left of a `va_list` that a function got as an argument: by its address, or (ILP32) as its value.
    pub(super) fn rest_of_list(&mut self, list: u128) -> Result<Vec<(Passed, u128)>, End> {
        let cursor = match self.program.model() {
            tandem_syntax::DataModel::Lp64 => self.cursor_at(list as u64)?,
            tandem_syntax::DataModel::Ilp32 => self.cursor_number(list)?,
        };
        let Cursor { next, end } = self.cursors[cursor];
        Ok(self.arguments[next..end].iter().map(|argument| (argument.passed, argument.bits)).collect())
    }
}
