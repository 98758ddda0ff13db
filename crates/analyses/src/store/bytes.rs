//! The bytes of objects: read, written, taken out and put in at constant offsets; objects that appear. Where an access goes is
//! decided elsewhere (see `access`).

use std::rc::Rc;

use tandem_cfa::exec::InputSource;

use super::access::ELEMENTS;
use super::address::ObjectKey;
use super::cells::{Cell, Cells, Run};
use super::domain::{Domain, StartKey};
use super::layout::{element_size, leaf};
use super::place::Address;
use super::{Executor, Object, Result, Size, Store, Touched, changed};

/// Bytes up to which the unwritten parts of a copy are the same as those of the original.
const MOST_COPIED: u64 = 1 << 12;
/// What an access to an object that is gone is called.
pub(super) const DEAD_OBJECT: &str = "access to an object whose lifetime has ended";

impl<D: Domain> Executor<'_, D> {
    /// Reads bytes at a constant offset that is within bounds.
    pub(super) fn read_at(&mut self, store: &mut Store<D>, base: u64, offset: u64, size: u64) -> Result<D::Value> {
        self.note_read(Touched::Bytes { base, offset, size });
        let Some(object) = store.objects.get(&base).cloned() else { return self.undefined(store, DEAD_OBJECT) };
        if let Some((have, elements)) = &object.cells.elements {
            let (have, elements) = (*have, elements.clone());
            return Ok(self.read_elements(&elements, have, offset, size));
        }
        if let Some(Cell::Value(value)) = object.cells.exact(offset, size) {
            return Ok(value.clone());
        }
        let pieces = object.cells.pieces(&mut self.domain, offset, size);
        let mut value: Option<(D::Value, u32)> = None;
        for (at, length, cell) in pieces {
            let piece = self.piece(store, base, offset + at, length, cell)?;
            let width = length as u32 * 8;
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, width), (&low, below)), below + width),
                None => (piece, width),
            });
        }
        match value {
            Some((value, _)) => Ok(value),
            None => self.unsupported("an access of no bytes"),
        }
    }

    fn read_elements(&mut self, elements: &D::Value, have: u64, offset: u64, size: u64) -> D::Value {
        let pointer = self.addresses.width();
        let (first, last) = (offset / have, (offset + size - 1) / have);
        let mut value: Option<(D::Value, u32)> = None;
        for index in first..=last {
            let at = self.domain.constant(pointer, u128::from(index * have));
            let piece = self.domain.select(elements, &at);
            let width = have as u32 * 8;
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, width), (&low, below)), below + width),
                None => (piece, width),
            });
        }
        match value {
            Some((value, width)) => {
                let low = (offset - first * have) as u32 * 8;
                if width == size as u32 * 8 { value } else { self.domain.extract(&value, width, low, size as u32 * 8) }
            }
            None => self.domain.any(size as u32 * 8),
        }
    }

    fn piece(
        &mut self,
        store: &mut Store<D>,
        base: u64,
        offset: u64,
        size: u64,
        cell: Cell<D::Value>,
    ) -> Result<D::Value> {
        let width = size as u32 * 8;
        Ok(match cell {
            Cell::Value(value) => value,
            Cell::Zero => self.domain.constant(width, 0),
            Cell::Unknown => self.domain.any(width),
            Cell::Start => self.start_bytes(base, offset, size),
            Cell::Undefined => {
                let source = self.unwritten(base);
                let value = self.fresh(store, width, source);
                self.write_at(store, base, offset, size, Cell::Value(value.clone()))?;
                value
            }
        })
    }

    /// Where the values of an object come from that was never written.
    pub(super) fn unwritten(&self, base: u64) -> InputSource {
        match self.addresses.key(base) {
            Some(ObjectKey::Static(variable) | ObjectKey::Local(variable, _)) => InputSource::Variable(variable),
            Some(ObjectKey::Heap(..)) | None => InputSource::Memory,
        }
    }

    /// What bytes held in the state from which nothing is known.
    pub(super) fn start_bytes(&mut self, base: u64, offset: u64, size: u64) -> D::Value {
        let Some(object) = self.addresses.key(base) else { return self.domain.any(size as u32 * 8) };
        let ty = match object {
            ObjectKey::Static(variable) | ObjectKey::Local(variable, _) => self.program.variables[variable].ty,
            ObjectKey::Heap(..) => return self.domain.any(size as u32 * 8),
        };
        let mut value: Option<(D::Value, u32)> = None;
        let mut at = offset;
        while at < offset + size {
            let (start, length) = leaf(&self.program.types, ty, at);
            let end = (start + length).min(offset + size);
            let whole =
                self.domain.start_value(StartKey::Cell { object, offset: start, size: length }, length as u32 * 8);
            let count = (end - at) as u32 * 8;
            let piece = match end - at == length {
                true => whole,
                false => self.domain.extract(&whole, length as u32 * 8, (at - start) as u32 * 8, count),
            };
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, count), (&low, below)), below + count),
                None => (piece, count),
            });
            at = end;
        }
        value.map_or_else(|| self.domain.any(size as u32 * 8), |(value, _)| value)
    }

    /// Writes bytes at a constant offset that is within bounds.
    pub(super) fn write_at(
        &mut self,
        store: &mut Store<D>,
        base: u64,
        offset: u64,
        size: u64,
        cell: Cell<D::Value>,
    ) -> Result<()> {
        self.note_write(Touched::Bytes { base, offset, size });
        let Some(object) = store.objects.get(&base) else { return self.undefined(store, DEAD_OBJECT) };
        if let Some((have, elements)) = object.cells.elements.clone() {
            let elements = self.write_elements(elements, have, offset, size, cell)?;
            self.set_elements(store, base, have, elements);
            return Ok(());
        }
        if let Some(object) = store.objects.get_mut(&base) {
            let notes = object.notes.after_write(&object.cells, offset, size);
            let object = changed(object);
            object.cells.write(&mut self.domain, offset, size, cell);
            object.notes = notes.unwrap_or_default();
        }
        Ok(())
    }

    fn write_elements(
        &mut self,
        mut elements: D::Value,
        have: u64,
        offset: u64,
        size: u64,
        cell: Cell<D::Value>,
    ) -> Result<D::Value> {
        let pointer = self.addresses.width();
        let (first, last) = (offset / have, (offset + size - 1) / have);
        if last - first > ELEMENTS {
            return self.unsupported("a large write to an object with unknown offsets");
        }
        for index in first..=last {
            let at = self.domain.constant(pointer, u128::from(index * have));
            let (from, to) = ((index * have).max(offset), (index * have + have).min(offset + size));
            let count = (to - from) as u32 * 8;
            let piece = match &cell {
                Cell::Value(value) => self.domain.extract(value, size as u32 * 8, (from - offset) as u32 * 8, count),
                Cell::Zero => self.domain.constant(count, 0),
                Cell::Undefined | Cell::Unknown | Cell::Start => self.domain.any(count),
            };
            let mut whole = piece;
            if to - from < have {
                let (old, width) = (self.domain.select(&elements, &at), have as u32 * 8);
                let (low, above) = ((from - index * have) as u32 * 8, (index * have + have - to) as u32 * 8);
                if low > 0 {
                    let below = self.domain.extract(&old, width, 0, low);
                    whole = self.domain.concat((&whole, count), (&below, low));
                }
                if above > 0 {
                    let high = self.domain.extract(&old, width, width - above, above);
                    whole = self.domain.concat((&high, above), (&whole, width - above));
                }
            }
            elements = self.domain.replace(&elements, &at, &whole);
        }
        Ok(elements)
    }

    /// Takes bytes out of memory as they are, unread.
    pub(super) fn take(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
    ) -> Result<Rc<[Run<D::Value>]>> {
        if size == 0 {
            return Ok(Rc::new([]));
        }
        let again = self.same_address(&address);
        let (spots, outside) = self.spots(store, address, size, false)?;
        match (spots.as_slice(), outside) {
            ([spot], None) if spot.rest.is_none() => {
                let Some(object) = store.objects.get(&spot.base).cloned() else {
                    return self.undefined(store, DEAD_OBJECT);
                };
                self.note_read(Touched::Bytes { base: spot.base, offset: spot.constant, size });
                if object.cells.elements.is_none() {
                    let mut pieces = object.cells.pieces(&mut self.domain, spot.constant, size);
                    if D::SYMBOLIC && size <= MOST_COPIED && pieces.iter().any(|piece| piece.2 == Cell::Undefined) {
                        pieces = self.fix_unwritten(store, (spot.base, spot.constant), pieces)?;
                    }
                    for (at, length, cell) in &mut pieces {
                        if *cell == Cell::Start {
                            *cell = Cell::Value(self.start_bytes(spot.base, spot.constant + *at, *length));
                        }
                    }
                    return Ok(pieces.into());
                }
            }
            _ if !D::SYMBOLIC => return Ok(Rc::new([(0, size, Cell::Unknown)])),
            _ => {}
        }
        let mut runs = Vec::new();
        let chunk = if size.is_multiple_of(8) {
            8
        } else if size.is_multiple_of(4) {
            4
        } else {
            1
        };
        if size / chunk > 1024 {
            return self.unsupported("copy of a large object through an unknown pointer");
        }
        for at in (0..size).step_by(chunk as usize) {
            let mut part = self.same_address(&again);
            part.constant = part.constant.wrapping_add(at);
            runs.push((at, chunk, Cell::Value(self.read_bytes(store, part, chunk)?)));
        }
        Ok(runs.into())
    }

    /// What was never written is some value, and a copy has the same: it is chosen when it is copied.
    fn fix_unwritten(
        &mut self,
        store: &mut Store<D>,
        (base, from): (u64, u64),
        pieces: Vec<Run<D::Value>>,
    ) -> Result<Vec<Run<D::Value>>> {
        let mut fixed = Vec::new();
        for (start, length, cell) in pieces {
            if cell != Cell::Undefined {
                fixed.push((start, length, cell));
                continue;
            }
            let mut at = start;
            while at < start + length {
                let size = self.leaf_size(base, from + at).min(start + length - at);
                let value = self.piece(store, base, from + at, size, Cell::Undefined)?;
                fixed.push((at, size, Cell::Value(value)));
                at += size;
            }
        }
        Ok(fixed)
    }

    /// The size of the scalar that lies at an offset of an object, or what is left of it; of an object without a type, as much as is aligned.
    fn leaf_size(&self, base: u64, offset: u64) -> u64 {
        match self.addresses.key(base) {
            Some(ObjectKey::Static(variable) | ObjectKey::Local(variable, _)) => {
                let (start, size) = leaf(&self.program.types, self.program.variables[variable].ty, offset);
                (start + size).saturating_sub(offset).max(1)
            }
            Some(ObjectKey::Heap(..)) | None => 4 - offset % 4,
        }
    }

    /// Puts bytes into memory.
    pub(super) fn put(
        &mut self,
        store: &mut Store<D>,
        address: Address<D::Value>,
        size: u64,
        runs: &[Run<D::Value>],
    ) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        let (again, expr) = (self.same_address(&address), address.expr);
        let (spots, outside) = self.spots(store, address, size, true)?;
        if let (false, Some(outside)) = (D::SYMBOLIC, &outside) {
            return self.clobber(store, expr, outside);
        }
        if let ([spot], None) = (spots.as_slice(), &outside) {
            if spot.rest.is_none() {
                for (at, length, cell) in runs {
                    self.write_at(store, spot.base, spot.constant + at, *length, cell.clone())?;
                }
                return Ok(());
            }
        }
        for (at, length, cell) in runs {
            let mut from = 0;
            while from < *length {
                let chunk = if matches!(cell, Cell::Value(_)) { *length } else { (*length - from).min(8) };
                let width = chunk as u32 * 8;
                let value = match cell {
                    Cell::Value(value) => value.clone(),
                    Cell::Zero => self.domain.constant(width, 0),
                    Cell::Undefined | Cell::Unknown | Cell::Start => self.domain.any(width),
                };
                let mut part = self.same_address(&again);
                part.constant = part.constant.wrapping_add(at + from);
                self.write_bytes(store, part, chunk, &value)?;
                from += chunk;
            }
        }
        Ok(())
    }

    /// An object that was there all the time is looked at for the first time. False if there is no such object: one of the
    /// heap that was freed, or a local whose call is over.
    pub(super) fn appear(&mut self, store: &mut Store<D>, base: u64, key: ObjectKey) -> Result<bool> {
        let variable = match key {
            ObjectKey::Static(variable) | ObjectKey::Local(variable, _) => variable,
            ObjectKey::Heap(..) => return Ok(false),
        };
        let size = self.variable_size(variable)?;
        if !store.from_anywhere {
            return Ok(false);
        }
        let is_literal = self.program.variables[variable].kind == tandem_cfa::VariableKind::StringLiteral;
        let mut cells = Cells::new(if is_literal { Cell::Zero } else { Cell::Start });
        if let (Some(element), false) =
            (element_size(&self.program.types, self.program.variables[variable].ty), is_literal)
        {
            if D::SYMBOLIC {
                let elements =
                    self.domain.start_elements(StartKey::Elements { object: key, size: element }, element as u32 * 8);
                cells.elements = Some((element, elements));
            }
        }
        let object = Object::new(size, is_literal, cells);
        store.objects.insert(base, Rc::new(object));
        if is_literal {
            self.initialise(store, variable, base)?;
        }
        Ok(true)
    }

    pub(super) fn variable_size(&self, variable: tandem_cfa::VariableId) -> Result<Size<D::Value>> {
        match self.program.types.size(self.program.variables[variable].ty) {
            Some(size) => Ok(Size::Known(size)),
            None => self.unsupported("a variable whose size is not known"),
        }
    }
}
