//! Comparing the contents of two stores at one point, and a number for a store's content. What single values mean to each other
//! is asked from outside.

use std::rc::Rc;

use super::cells::{Cell, Cells};
use super::domain::Domain;
use super::{Object, Returned, Size, Store};

/// What cells mean to those who compare stores.
pub trait Content<V> {
    /// Whether the first stands for everything that the second stands for.
    fn covers(&self, old: &Cell<V>, new: &Cell<V>) -> bool;
    /// A number that is equal for cells that stand for the same; zero if nothing is known.
    fn number(&self, cell: &Cell<V>) -> u64;
}

impl<D: Domain> Store<D> {
    /// Whether the store stands for everything that the other one stands for, both being at one point.
    pub fn covers(&self, new: &Store<D>, content: &impl Content<D::Value>) -> bool {
        let slots = |old: &[Cell<D::Value>], new: &[Cell<D::Value>]| {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| content.covers(old, new))
        };
        let frames = |(old, new): super::FramePair<'_, D::Value>| {
            Rc::ptr_eq(old, new)
                || old.function == new.function
                    && old.instance == new.instance
                    && old.own == new.own
                    && old.variadic == new.variadic
                    && slots(&old.slots, &new.slots)
        };
        self.allocations == new.allocations
            && self.from_anywhere == new.from_anywhere
            && self.frames.len() == new.frames.len()
            && (Rc::ptr_eq(&self.statics, &new.statics) || slots(&self.statics, &new.statics))
            && self.frames.iter().zip(&new.frames).rev().all(frames)
            && returned_covers(&self.returned, &new.returned, content)
            && self.objects_cover(new, content)
    }

    fn objects_cover(&self, new: &Store<D>, content: &impl Content<D::Value>) -> bool {
        if self.objects.ptr_eq(&new.objects) {
            return true;
        }
        // An object that is there no more can only end paths.
        let mut old = self.objects.iter();
        new.objects.iter().all(|(base, new)| {
            let same = old.by_ref().find(|(other, _)| *other >= base).filter(|(other, _)| *other == base);
            same.is_some_and(|(_, old)| Rc::ptr_eq(old, new) || object_covers(old, new, content))
        })
    }

    /// A number for the content: equal for stores that cover each other (but for how memory is divided).
    pub fn fingerprint(&self, content: &impl Content<D::Value>) -> u64 {
        let mut number = u64::from(self.allocations);
        for cell in self.statics.iter() {
            number = mixed(number, content.number(cell));
        }
        for frame in &self.frames {
            for cell in &frame.slots {
                number = mixed(number, content.number(cell));
            }
        }
        if let Some(Returned::Scalar(value, _)) = &self.returned {
            number = mixed(number, content.number(&Cell::Value(value.clone())));
        }
        for (base, object) in self.objects.iter().filter(|(_, object)| !object.read_only) {
            number = mixed(mixed(number, *base), object_number(object, content));
        }
        number
    }
}

fn object_number<V: Clone + PartialEq>(object: &Object<V>, content: &impl Content<V>) -> u64 {
    let rest = content.number(&object.cells.rest);
    // A sum, so that single runs can be exchanged.
    let part = |at: u64, cell: &Cell<V>| match content.number(cell) {
        number if number == rest => 0,
        number => mixed(mixed(mixed(1, at), number), at),
    };
    let mut before = object.notes.before.borrow_mut();
    let number = match object.notes.number.get() {
        Some(number) => before.drain(..).fold(number, |number, (at, cell)| {
            let now = object.cells.runs.get(&at).map_or(0, |(_, cell)| part(at, cell));
            number.wrapping_sub(part(at, &cell)).wrapping_add(now)
        }),
        None => {
            before.clear();
            let parts = object.cells.runs.iter().map(|(at, (_, cell))| part(*at, cell));
            parts.fold(rest, u64::wrapping_add)
        }
    };
    object.notes.number.set(Some(number));
    number
}

/// One number from two.
#[inline]
pub fn mixed(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn returned_covers<V: Clone + PartialEq>(
    old: &Option<Returned<V>>,
    new: &Option<Returned<V>>,
    content: &impl Content<V>,
) -> bool {
    match (old, new) {
        (Some(Returned::Scalar(x, width)), Some(Returned::Scalar(y, other))) => {
            width == other && content.covers(&Cell::Value(x.clone()), &Cell::Value(y.clone()))
        }
        _ => old == new,
    }
}

fn object_covers<V: Clone + PartialEq>(old: &Object<V>, new: &Object<V>, content: &impl Content<V>) -> bool {
    let size = match (&old.size, &new.size) {
        (Size::Known(x), Size::Known(y)) => x == y,
        (Size::Value(x), Size::Value(y)) => content.covers(&Cell::Value(x.clone()), &Cell::Value(y.clone())),
        (Size::Known(_), Size::Value(_)) | (Size::Value(_), Size::Known(_)) => false,
    };
    let plain = old.cells.elements.is_none() && new.cells.elements.is_none();
    let same = old.alive == new.alive && old.read_only == new.read_only && old.site == new.site;
    size && plain && same && old.address == new.address && cells_cover(&old.cells, &new.cells, content)
}

fn cells_cover<V: Clone + PartialEq>(old: &Cells<V>, new: &Cells<V>, content: &impl Content<V>) -> bool {
    if !content.covers(&old.rest, &new.rest) {
        return false;
    }
    let at_run = |(at, (length, cell)): (&u64, &(u64, Cell<V>))| match new.exact(*at, *length) {
        Some(other) => content.covers(cell, other),
        None if new.is_untouched(*at, *length) => content.covers(cell, &new.rest),
        // Divided otherwise: fine only if nothing is known here.
        None => content.covers(cell, &Cell::Unknown),
    };
    let at_rest = |(at, (length, cell)): (&u64, &(u64, Cell<V>))| {
        old.exact(*at, *length).is_some() || content.covers(&old.rest, cell)
    };
    old.runs.iter().all(at_run) && new.runs.iter().all(at_rest)
}
