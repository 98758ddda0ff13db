//! Joining two stores at one point into one that covers both: for analyses whose values do not depend on paths. What becomes of two
//! values is decided by the caller; the store only knows where they lie.

use std::rc::Rc;

use tandem_cfa::Scalar;

use super::cells::{Cell, Cells, Run};
use super::domain::Domain;
use super::{Executor, Frame, Object, Returned, Size, Store};

/// How two values become one. The type is known of variables that are not in memory.
pub type Combine<'c, V> = &'c mut dyn FnMut(Option<Scalar>, &V, &V) -> V;

/// How many bytes may be one value.
const LARGEST: u64 = 16;

/// A join under way.
struct Join<'j, 'c, D: Domain> {
    domain: &'j mut D,
    pointer: u32,
    combine: Combine<'c, D::Value>,
    /// Whether the result stands for more than the first store.
    grown: bool,
}

impl<D: Domain> Executor<'_, D> {
    /// A store that covers both, and whether it is another one than `old`. Nothing if they are not at one point.
    pub fn join(&mut self, old: &Store<D>, new: &Store<D>, combine: Combine<'_, D::Value>) -> Option<(Store<D>, bool)> {
        if old.frames.len() != new.frames.len() || old.from_anywhere != new.from_anywhere {
            return None;
        }
        let (layout, program) = (self.layout.clone(), self.program);
        let scalar = |variable| program.types.scalar(program.variables[variable].ty);
        let mut join = Join { pointer: self.addresses.width(), domain: &mut self.domain, combine, grown: false };
        let mut store = old.clone();
        if !Rc::ptr_eq(&old.statics, &new.statics) {
            for (slot, variable) in layout.static_slots.iter().enumerate() {
                if let Some(cell) = join.slots(scalar(*variable), &old.statics[slot], &new.statics[slot]) {
                    Rc::make_mut(&mut store.statics)[slot] = cell;
                }
            }
        }
        for depth in 0..old.frames.len() {
            let (one, two) = (&old.frames[depth], &new.frames[depth]);
            if Rc::ptr_eq(one, two) {
                continue;
            }
            if one.function != two.function || one.instance != two.instance {
                return None;
            }
            for (slot, variable) in layout.frame_slots[one.function].iter().enumerate() {
                if let Some(cell) = join.slots(scalar(*variable), &one.slots[slot], &two.slots[slot]) {
                    Rc::make_mut(&mut store.frames[depth]).slots[slot] = cell;
                }
            }
            join.frames(&mut store.frames[depth], two)?;
        }
        store.returned = join.returned(&old.returned, &new.returned);
        join.all_objects(&mut store, new);
        store.allocations = old.allocations.max(new.allocations);
        Some((store, join.grown))
    }
}

impl<D: Domain> Join<'_, '_, D> {
    fn values(&mut self, scalar: Option<Scalar>, a: &D::Value, b: &D::Value) -> D::Value {
        if a == b {
            return a.clone();
        }
        let value = (self.combine)(scalar, a, b);
        self.grown |= value != *a;
        value
    }

    /// The cell for both; nothing if that is the first one.
    fn slots(&mut self, scalar: Option<Scalar>, a: &Cell<D::Value>, b: &Cell<D::Value>) -> Option<Cell<D::Value>> {
        if a == b {
            return None;
        }
        let cell = self.cells(scalar, scalar.map(Scalar::bits), a, b);
        (cell != *a).then_some(cell)
    }

    /// Both as one value if they can be had so, else unknown.
    fn cells(
        &mut self,
        scalar: Option<Scalar>,
        width: Option<u32>,
        a: &Cell<D::Value>,
        b: &Cell<D::Value>,
    ) -> Cell<D::Value> {
        if a == b {
            return a.clone();
        }
        match (self.value(width, a), self.value(width, b)) {
            (Some(x), Some(y)) => {
                let before = self.grown;
                let value = self.values(scalar, &x, &y);
                if value == x {
                    self.grown = before;
                    return a.clone();
                }
                Cell::Value(value)
            }
            _ => {
                // Values that were never written are any; to what is not known, nothing can be added.
                self.grown |= *a != Cell::Unknown;
                Cell::Unknown
            }
        }
    }

    fn value(&mut self, width: Option<u32>, cell: &Cell<D::Value>) -> Option<D::Value> {
        match cell {
            Cell::Value(value) => Some(value.clone()),
            Cell::Zero => width.map(|width| self.domain.constant(width, 0)),
            Cell::Undefined | Cell::Start | Cell::Unknown => None,
        }
    }

    fn frames(&mut self, frame: &mut Rc<Frame<D::Value>>, new: &Frame<D::Value>) -> Option<()> {
        if frame.own.iter().ne(&new.own) {
            let more: Vec<u64> = new.own.iter().copied().filter(|base| !frame.own.contains(base)).collect();
            if !more.is_empty() {
                self.grown = true;
                Rc::make_mut(frame).own.extend(more);
            }
        }
        if !Rc::ptr_eq(&frame.variadic, &new.variadic) && frame.variadic != new.variadic {
            if frame.variadic.len() != new.variadic.len() {
                return None;
            }
            let pairs = frame.variadic.iter().zip(new.variadic.iter());
            let passed: Vec<_> = pairs.map(|(a, b)| self.passed(a, b)).collect();
            Rc::make_mut(frame).variadic = passed.into();
        }
        Some(())
    }

    fn returned(
        &mut self,
        a: &Option<Returned<D::Value>>,
        b: &Option<Returned<D::Value>>,
    ) -> Option<Returned<D::Value>> {
        match (a, b) {
            (None, None) => None,
            _ => {
                let nothing = Returned::Nothing;
                Some(self.passed(a.as_ref().unwrap_or(&nothing), b.as_ref().unwrap_or(&nothing)))
            }
        }
    }

    fn passed(&mut self, a: &Returned<D::Value>, b: &Returned<D::Value>) -> Returned<D::Value> {
        match (a, b) {
            _ if a == b => a.clone(),
            (Returned::Scalar(x, width), Returned::Scalar(y, other)) if width == other => {
                Returned::Scalar(self.values(None, x, y), *width)
            }
            // A function that returns nothing where a value is expected returns any.
            (Returned::Scalar(x, width), _) => {
                let any = self.domain.any(*width);
                Returned::Scalar(self.values(None, x, &any), *width)
            }
            (_, Returned::Scalar(_, width)) => {
                self.grown = true;
                Returned::Scalar(self.domain.any(*width), *width)
            }
            (Returned::Record(size, runs), Returned::Record(other, _)) => {
                let unknown: Rc<[Run<D::Value>]> = Rc::new([(0, *size.max(other), Cell::Unknown)]);
                self.grown |= *runs != unknown;
                Returned::Record(*size.max(other), unknown)
            }
            (Returned::Record(size, runs), Returned::Nothing) => {
                let unknown: Rc<[Run<D::Value>]> = Rc::new([(0, *size, Cell::Unknown)]);
                self.grown |= *runs != unknown;
                Returned::Record(*size, unknown)
            }
            (Returned::Nothing, Returned::Record(size, _)) => {
                self.grown = true;
                Returned::Record(*size, Rc::new([(0, *size, Cell::Unknown)]))
            }
            (Returned::Nothing, Returned::Nothing) => Returned::Nothing,
        }
    }

    fn all_objects(&mut self, store: &mut Store<D>, new: &Store<D>) {
        if store.objects.ptr_eq(&new.objects) {
            return;
        }
        for (base, object) in new.objects.iter() {
            let merged = match store.objects.get(base) {
                Some(other) if Rc::ptr_eq(other, object) || other == object => continue,
                Some(other) => self.objects(&other.clone(), object),
                // On the other side nobody points there: an access is one of this side.
                None => {
                    self.grown = true;
                    object.clone()
                }
            };
            store.objects.insert(*base, merged);
        }
    }

    fn objects(&mut self, a: &Rc<Object<D::Value>>, b: &Object<D::Value>) -> Rc<Object<D::Value>> {
        let before = std::mem::replace(&mut self.grown, false);
        let mut joined = (**a).clone();
        joined.size = self.sizes(&a.size, &b.size);
        joined.alive = a.alive || b.alive;
        joined.read_only = a.read_only && b.read_only;
        self.grown |= joined.alive != a.alive || joined.read_only != a.read_only;
        // Nothing is read from an object that is dead.
        if b.alive && !a.alive {
            joined.cells = b.cells.clone();
        } else if b.alive {
            joined.cells = self.contents(&a.cells, &b.cells);
        }
        let grown = self.grown;
        self.grown |= before;
        if grown { Rc::new(joined) } else { a.clone() }
    }

    fn sizes(&mut self, a: &Size<D::Value>, b: &Size<D::Value>) -> Size<D::Value> {
        if a == b {
            return a.clone();
        }
        let (x, y) = (self.size(a), self.size(b));
        let size = self.values(None, &x, &y);
        match a {
            Size::Known(_) if size == x => a.clone(),
            Size::Known(_) | Size::Value(_) => Size::Value(size),
        }
    }

    fn size(&mut self, size: &Size<D::Value>) -> D::Value {
        match size {
            Size::Known(bytes) => self.domain.constant(self.pointer, u128::from(*bytes)),
            Size::Value(value) => value.clone(),
        }
    }

    /// Run by run where both are divided the same way; unknown elsewhere.
    fn contents(&mut self, a: &Cells<D::Value>, b: &Cells<D::Value>) -> Cells<D::Value> {
        if a.elements.is_some() || b.elements.is_some() {
            self.grown |= *a != Cells::new(Cell::Unknown);
            return Cells::new(Cell::Unknown);
        }
        let mut joined = a.clone();
        joined.rest = self.cells(None, None, &a.rest, &b.rest);
        let mut torn = Vec::new();
        for (at, (length, cell)) in b.runs.iter() {
            let other = match a.exact(*at, *length) {
                Some(other) => other,
                None if a.is_untouched(*at, *length) => &a.rest,
                None => {
                    torn.push((*at, *length));
                    continue;
                }
            };
            if other != cell {
                let width = (*length <= LARGEST).then_some(*length as u32 * 8);
                let cell = self.cells(None, width, other, cell);
                joined.runs.insert(*at, (*length, cell));
            } else if a.exact(*at, *length).is_none() {
                joined.runs.insert(*at, (*length, cell.clone()));
            }
        }
        for (at, (length, cell)) in a.runs.iter().filter(|(at, (length, _))| b.exact(**at, *length).is_none()) {
            if b.is_untouched(*at, *length) {
                let width = (*length <= LARGEST).then_some(*length as u32 * 8);
                let cell = self.cells(None, width, cell, &b.rest);
                joined.runs.insert(*at, (*length, cell));
            } else {
                torn.push((*at, *length));
            }
        }
        for (at, length) in torn {
            let known = |(_, _, cell): &Run<D::Value>| *cell != Cell::Unknown;
            if joined.pieces(self.domain, at, length).iter().any(known) {
                self.grown = true;
                joined.write(self.domain, at, length, Cell::Unknown);
            }
        }
        joined
    }
}
