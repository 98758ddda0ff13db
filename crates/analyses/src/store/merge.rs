//! Merging two stores at one point into one that stands for both.

use std::rc::Rc;

use super::address::ObjectKey;
use super::cells::{Cell, Cells};
use super::domain::Domain;
use super::{Executor, Object, Returned, Store};

impl<D: Domain> Executor<'_, D> {
    /// One store for both: values that differ depend on which path was taken. Nothing if they are too different.
    pub fn merge(&mut self, a: &Store<D>, b: &Store<D>) -> Option<Store<D>> {
        if a.frames.len() != b.frames.len() || a.from_anywhere != b.from_anywhere {
            return None;
        }
        let same_variadic = |(x, y): super::FramePair<'_, D::Value>| {
            Rc::ptr_eq(x, y) || x.variadic == y.variadic && x.instance == y.instance
        };
        if !a.frames.iter().zip(&b.frames).all(same_variadic) {
            return None;
        }
        if a.from_anywhere && !a.objects.ptr_eq(&b.objects) {
            let (mut a, mut b) = (a.clone(), b.clone());
            if self.same_objects(&mut a, &mut b).ok()? {
                return self.merge(&a, &b);
            }
        }
        // Objects first: they may refuse.
        let (guard, path) = self.domain.join_paths(&a.path, &b.path);
        let returned = self.merge_returned(&guard, &a.returned, &b.returned)?;
        let mut store = Store { path, returned, ..a.clone() };
        for (base, object) in b.objects.iter() {
            match a.objects.get(base) {
                Some(other) if Rc::ptr_eq(other, object) => {}
                Some(other) if other == object => {}
                Some(other) => {
                    let merged = self.merge_objects(&guard, other, object, *base)?;
                    store.objects.insert(*base, Rc::new(merged));
                }
                None => {
                    store.objects.insert(*base, object.clone());
                }
            }
        }
        store.allocations = a.allocations.max(b.allocations);
        if !Rc::ptr_eq(&a.statics, &b.statics) {
            let variables = self.layout.clone();
            for (slot, variable) in variables.static_slots.iter().enumerate() {
                let width = self.slot_width(*variable).ok()?;
                let key = super::StartKey::Slot { depth: 0, variable: *variable };
                let merged = self.merge_cells(&guard, &a.statics[slot], &b.statics[slot], width, Some(key));
                if let Some(merged) = merged {
                    Rc::make_mut(&mut store.statics)[slot] = merged;
                }
            }
        }
        for depth in 0..a.frames.len() {
            if !Rc::ptr_eq(&a.frames[depth], &b.frames[depth]) {
                self.merge_frames(&guard, &mut store, a, b, depth)?;
            }
        }
        Some(store)
    }

    /// Lets objects appear that only one of two stores has looked at: the other still holds what it held at the start. Whether there were
    /// any.
    fn same_objects(&mut self, a: &mut Store<D>, b: &mut Store<D>) -> super::Result<bool> {
        let (mine, theirs): (Vec<u64>, Vec<u64>) =
            (a.objects.keys().copied().collect(), b.objects.keys().copied().collect());
        let mut changed = false;
        for base in theirs {
            changed |= self.let_appear(a, base)?;
        }
        for base in mine {
            changed |= self.let_appear(b, base)?;
        }
        Ok(changed)
    }

    fn let_appear(&mut self, store: &mut Store<D>, base: u64) -> super::Result<bool> {
        match self.addresses.key(base) {
            Some(key @ (ObjectKey::Static(_) | ObjectKey::Local(..))) if !store.objects.contains_key(&base) => {
                match self.appear(store, base, key)? {
                    true => Ok(true),
                    false => self.unsupported("an object that only one of two merged paths has"),
                }
            }
            Some(_) | None => Ok(false),
        }
    }

    fn merge_returned(
        &mut self,
        guard: &D::Guard,
        a: &Option<Returned<D::Value>>,
        b: &Option<Returned<D::Value>>,
    ) -> Option<Option<Returned<D::Value>>> {
        match (a, b) {
            _ if a == b => Some(a.clone()),
            (Some(Returned::Scalar(x, width)), Some(Returned::Scalar(y, other))) if width == other => {
                Some(Some(Returned::Scalar(self.domain.choose(guard, x, y), *width)))
            }
            _ => None,
        }
    }

    fn merge_frames(
        &mut self,
        guard: &D::Guard,
        store: &mut Store<D>,
        a: &Store<D>,
        b: &Store<D>,
        depth: usize,
    ) -> Option<()> {
        let (one, two) = (a.frames[depth].clone(), b.frames[depth].clone());
        if one.function != two.function {
            return None;
        }
        for slot in 0..one.slots.len() {
            if one.slots[slot] == two.slots[slot] {
                continue;
            }
            let variable = self.layout.frame_slots[one.function][slot];
            let width = match (&one.slots[slot], &two.slots[slot]) {
                (Cell::Value(_), Cell::Value(_)) => 0,
                _ => self.slot_width(variable).ok()?,
            };
            let key = Some(super::StartKey::Slot { depth: depth as u32 + 1, variable });
            if let Some(merged) = self.merge_cells(guard, &one.slots[slot], &two.slots[slot], width, key) {
                Rc::make_mut(&mut store.frames[depth]).slots[slot] = merged;
            }
        }
        let mut own = one.own.clone();
        own.extend(two.own.iter().filter(|base| !one.own.contains(base)));
        if own.len() != one.own.len() {
            Rc::make_mut(&mut store.frames[depth]).own = own;
        }
        Some(())
    }

    /// The merged cell; nothing if both are the same.
    fn merge_cells(
        &mut self,
        guard: &D::Guard,
        a: &Cell<D::Value>,
        b: &Cell<D::Value>,
        width: u32,
        key: Option<super::StartKey>,
    ) -> Option<Cell<D::Value>> {
        if a == b {
            return None;
        }
        // What was never written on one side is read there only by mistake: any value will do.
        let mut value = |cell: &Cell<D::Value>| match (cell, key) {
            (Cell::Value(value), _) => value.clone(),
            (Cell::Zero, _) => self.domain.constant(width, 0),
            (Cell::Start, Some(key)) => self.domain.start_value(key, width),
            (Cell::Undefined | Cell::Unknown | Cell::Start, _) => self.domain.any(width),
        };
        let (then, otherwise) = (value(a), value(b));
        Some(Cell::Value(self.domain.choose(guard, &then, &otherwise)))
    }

    fn merge_objects(
        &mut self,
        guard: &D::Guard,
        a: &Object<D::Value>,
        b: &Object<D::Value>,
        base: u64,
    ) -> Option<Object<D::Value>> {
        if a.size != b.size || a.read_only != b.read_only {
            return None;
        }
        let mut merged = a.clone();
        match (&a.cells.elements, &b.cells.elements) {
            (Some((one, x)), Some((two, y))) if one == two => {
                merged.cells.elements = Some((*one, self.domain.choose(guard, x, y)));
                return Some(merged);
            }
            (None, None) => {}
            _ => return None,
        }
        if a.cells.rest != b.cells.rest {
            return None;
        }
        merged.cells = self.merge_runs(guard, &a.cells, &b.cells, base)?;
        Some(merged)
    }

    fn merge_runs(
        &mut self,
        guard: &D::Guard,
        a: &Cells<D::Value>,
        b: &Cells<D::Value>,
        base: u64,
    ) -> Option<Cells<D::Value>> {
        let mut merged = a.clone();
        let mut places: Vec<(u64, u64)> = Vec::new();
        for (at, (length, cell)) in b.runs.iter() {
            if a.runs.get(at) != Some(&(*length, cell.clone())) {
                places.push((*at, *length));
            }
        }
        for (at, (length, _)) in a.runs.iter() {
            if b.runs.get(at).is_none_or(|(other, _)| other != length) {
                places.push((*at, *length));
            }
        }
        for (at, length) in places {
            let (x, y) = (self.run_value(a, base, at, length)?, self.run_value(b, base, at, length)?);
            if let Some(cell) = match (&x, &y) {
                (Cell::Value(then), Cell::Value(otherwise)) if then != otherwise => {
                    Some(Cell::Value(self.domain.choose(guard, then, otherwise)))
                }
                _ if x == y => Some(x.clone()),
                _ => None,
            } {
                merged.write(&mut self.domain, at, length, cell);
            } else {
                return None;
            }
        }
        Some(merged)
    }

    /// The bytes of a range as one value, if they can be had as one.
    fn run_value(&mut self, cells: &Cells<D::Value>, base: u64, at: u64, length: u64) -> Option<Cell<D::Value>> {
        let pieces = cells.pieces(&mut self.domain, at, length);
        if let [(_, _, cell @ (Cell::Zero | Cell::Undefined | Cell::Unknown))] = pieces.as_slice() {
            if length > 16 {
                return Some(cell.clone());
            }
        }
        if length > 16 {
            return None;
        }
        let mut value: Option<(D::Value, u32)> = None;
        for (offset, size, cell) in pieces {
            let width = size as u32 * 8;
            let piece = match cell {
                Cell::Value(value) => value,
                Cell::Zero => self.domain.constant(width, 0),
                Cell::Undefined | Cell::Unknown => self.domain.any(width),
                Cell::Start => self.start_bytes(base, at + offset, size),
            };
            value = Some(match value {
                Some((low, below)) => (self.domain.concat((&piece, width), (&low, below)), below + width),
                None => (piece, width),
            });
        }
        value.map(|(value, _)| Cell::Value(value))
    }
}
