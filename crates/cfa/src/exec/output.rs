//! Output functions: what they print, where it goes, what they return.

use super::code::*;
use super::format::{Arguments, Formatted, format};
use super::machine::Machine;
use super::memory::ObjectKind;
use super::{End, EventKind, Inputs, Sink, Undefined};
use crate::library::Output;

/// How much output is gathered before it is passed on.
const BUFFER: usize = 1 << 16;

impl Machine<'_> {
    pub(super) fn print(&mut self, to: Output, list: bool, site: &Site, inputs: &mut dyn Inputs) -> Result<(), End> {
        let address = |machine: &Self, number| machine.argument(site, number).map(|bits| bits as u64);
        let result = match to {
            Output::Stdout => {
                let text = self.formatted(site, 0, list, inputs)?;
                self.write_out(&text);
                text.len() as u64
            }
            Output::Stream => {
                let text = self.formatted(site, 1, list, inputs)?;
                self.write_stream(address(self, 0)?, &text);
                text.len() as u64
            }
            Output::Buffer => {
                let text = self.formatted(site, 1, list, inputs)?;
                self.store_text(address(self, 0)?, &text, u64::MAX)?;
                text.len() as u64
            }
            Output::BoundedBuffer => {
                let text = self.formatted(site, 2, list, inputs)?;
                let size = self.size(self.argument(site, 1)?);
                self.store_text(address(self, 0)?, &text, size)?;
                text.len() as u64
            }
            Output::Allocated => self.print_allocated(site, list, inputs)?,
            Output::Line => {
                let mut text = self.text(address(self, 0)?, usize::MAX, inputs)?;
                text.push(b'\n');
                self.write_out(&text);
                text.len() as u64
            }
            Output::Character => {
                let character = self.argument(site, 0)? as u8;
                match site.arguments.len() {
                    1 => self.write_out(&[character]),
                    _ => self.write_stream(address(self, 1)?, &[character]),
                }
                u64::from(character)
            }
            Output::Text => {
                let text = self.text(address(self, 0)?, usize::MAX, inputs)?;
                self.write_stream(address(self, 1)?, &text);
                1
            }
            Output::Block => self.write_block(site, inputs)?,
            Output::Message => 0,
        };
        self.set_result(site, u128::from(result));
        Ok(())
    }

    fn print_allocated(&mut self, site: &Site, list: bool, inputs: &mut dyn Inputs) -> Result<u64, End> {
        let text = self.formatted(site, 1, list, inputs)?;
        let size = text.len() as u64 + 1;
        let buffer = self.memory.allocate(size, ObjectKind::Heap, false).map_err(|full| self.full(full))?;
        self.store_text(buffer, &text, size)?;
        let to = self.argument(site, 0)? as u64;
        let written = self.memory.write(to, u128::from(buffer), self.program.model().pointer_size());
        written.map_err(|fault| self.fault_at(fault, to))?;
        Ok(text.len() as u64)
    }

    fn write_block(&mut self, site: &Site, inputs: &mut dyn Inputs) -> Result<u64, End> {
        let (from, size, count) = (self.argument(site, 0)?, self.argument(site, 1)?, self.argument(site, 2)?);
        let bytes = self.size(size).saturating_mul(self.size(count));
        let mut text = Vec::new();
        for offset in 0..bytes {
            text.push(self.read((from as u64).wrapping_add(offset), 1, inputs)? as u8);
        }
        let stream = self.argument(site, 3)? as u64;
        self.write_stream(stream, &text);
        Ok(self.size(count))
    }

    /// The bytes of a string up to its end, at most `limit`.
    fn text(&mut self, address: u64, limit: usize, inputs: &mut dyn Inputs) -> Result<Vec<u8>, End> {
        let mut text = Vec::new();
        while text.len() < limit {
            let at = self.memory.cut(address.wrapping_add(text.len() as u64));
            match self.read(at, 1, inputs)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }

    /// What a format makes of the arguments behind it.
    fn formatted(&mut self, site: &Site, number: usize, list: bool, inputs: &mut dyn Inputs) -> Result<Vec<u8>, End> {
        let pattern = self.text(self.argument(site, number)? as u64, usize::MAX, inputs)?;
        let values = if list {
            let list = self.argument(site, number + 1)?;
            self.rest_of_list(list)?
        } else {
            let rest = number + 1..site.arguments.len();
            rest.map(|number| Ok((site.arguments[number], self.argument(site, number)?))).collect::<Result<_, End>>()?
        };
        let mut arguments = Arguments::new(values, self.program.model());
        let mut out = Vec::new();
        let mut rest = &pattern[..];
        loop {
            match format(&mut rest, &mut arguments, &mut out) {
                Formatted::Done => return Ok(out),
                Formatted::Text { address, limit, pad } => {
                    let text = self.text(address, limit, inputs)?;
                    pad.around(&text, &mut out);
                }
                Formatted::Address { address, pad } => {
                    self.log.note(EventKind::AddressObserved, self.pc);
                    let text = if address == 0 { "(nil)".to_string() } else { format!("{address:#x}") };
                    pad.around(text.as_bytes(), &mut out);
                }
                Formatted::Mismatch => return Err(self.undefined(Undefined::VariadicArgument)),
                Formatted::Unsupported => {
                    return Err(End::Unsupported { what: "a conversion of printf".into(), edge: self.edge() });
                }
            }
        }
    }

    /// Stores a text and its end, of which only `size` bytes have room.
    fn store_text(&mut self, to: u64, text: &[u8], size: u64) -> Result<(), End> {
        if size == 0 {
            return Ok(());
        }
        let kept = text.len().min(usize::try_from(size - 1).unwrap_or(usize::MAX));
        let mut bytes = text[..kept].to_vec();
        bytes.push(0);
        let written = self.memory.write_raw(to, &bytes, &vec![0xff; bytes.len()]);
        written.map_err(|fault| self.fault_at(fault, to))
    }

    fn write_stream(&mut self, stream: u64, text: &[u8]) {
        if stream == self.streams[1] {
            self.write_out(text);
        }
    }

    fn write_out(&mut self, text: &[u8]) {
        match self.options.output {
            Sink::Discard => {}
            Sink::Collect => self.output.extend_from_slice(text),
            Sink::Write(_) => {
                self.output.extend_from_slice(text);
                if self.output.len() > BUFFER {
                    self.flush();
                }
            }
        }
    }
}
