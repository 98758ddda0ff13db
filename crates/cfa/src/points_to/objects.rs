//! The objects a program has, what part of which a pointer points to, and where contents are kept.
//!
//! An object is divided into cells, ranges of bytes that are accessed together; accesses that overlap make one cell. What
//! is at an unknown offset is kept in two more nodes: `any` flows into every cell, every cell flows into `sum`. The offsets
//! of an array count modulo the size of an element. Knows nothing of expressions and edges.

use std::collections::HashMap;

use tandem_base::FastBuild;

use super::Site;
use super::nodes::Node;

pub(super) type ObjectId = u32;

/// The object that stands for everything outside of the program.
pub(super) const OUTSIDE: ObjectId = 0;

/// The offset of a target that lies somewhere in its object.
pub(super) const ANYWHERE: i64 = i64::MIN;

/// How far behind the ends of an object a pointer's offset is still kept.
const MARGIN: i64 = 4096;
/// Targets with an offset that one object may have.
const MOST_OFFSETS: u32 = 256;
/// How many of them may come from adding a constant to a pointer, which a loop may do again and again.
const MOST_MOVED: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Site(Site),
    Outside,
    /// Has contents and maybe an address, but nobody sees it: results, variadic arguments, blocks on their way.
    Hidden,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub start: i64,
    pub end: i64,
    pub node: Node,
}

/// What is within `size` bytes from `from` on also is in the other object, from `at` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub from: i64,
    pub size: i64,
    pub to: ObjectId,
    pub at: i64,
}

/// A distance: an offset plus any multiple of the stride (zero: no more than the offset).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shift {
    pub offset: i64,
    pub stride: u64,
}

impl Shift {
    pub const NONE: Shift = Shift { offset: 0, stride: 0 };
    pub const UNKNOWN: Shift = Shift { offset: 0, stride: 1 };

    pub fn and(self, offset: i64, stride: u64) -> Shift {
        Shift { offset: self.offset.wrapping_add(offset), stride: greatest_divisor(self.stride, stride) }
    }
}

pub(super) struct Object {
    pub kind: Kind,
    /// In bytes, if that is known.
    pub size: Option<u64>,
    /// Offsets count modulo this; zero: they do not.
    pub modulus: u64,
    /// Whether its elements show only in the way it is used.
    pub untyped: bool,
    /// Sorted, without overlaps.
    pub cells: Vec<Cell>,
    pub any: Option<Node>,
    pub sum: Option<Node>,
    pub links: Vec<Link>,
    offsets: u32,
    moved: u32,
}

/// What to do with an offset.
pub(super) enum Located {
    At(i64),
    Anywhere,
    /// Nobody knew so far that the object has elements of this size.
    Divide(u64),
}

pub(super) struct Objects {
    pub all: Vec<Object>,
    pub targets: Vec<(ObjectId, i64)>,
    numbers: HashMap<(ObjectId, i64), u32, FastBuild>,
    pointer_size: u64,
}

impl Objects {
    pub fn new(pointer_size: u64) -> Objects {
        Objects { all: Vec::new(), targets: Vec::new(), numbers: HashMap::default(), pointer_size }
    }

    pub fn add(&mut self, kind: Kind, size: Option<u64>, modulus: u64) -> ObjectId {
        let id = self.all.len() as ObjectId;
        self.all.push(Object {
            kind,
            size,
            modulus,
            untyped: false,
            cells: Vec::new(),
            any: None,
            sum: None,
            links: Vec::new(),
            offsets: 0,
            moved: 0,
        });
        id
    }

    pub fn get(&self, id: ObjectId) -> &Object {
        &self.all[id as usize]
    }

    pub fn get_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.all[id as usize]
    }

    pub fn is_function(&self, id: ObjectId) -> bool {
        matches!(self.get(id).kind, Kind::Site(Site::Function(_)))
    }

    /// Where in the object one is after the shift from an offset.
    pub fn locate(&self, id: ObjectId, offset: i64, shift: Shift) -> Located {
        let object = self.get(id);
        if offset == ANYWHERE {
            return Located::Anywhere;
        }
        if shift.stride != 0 && (object.modulus == 0 || !shift.stride.is_multiple_of(object.modulus)) {
            let divisor = greatest_divisor(object.modulus, shift.stride);
            let whole =
                object.size.is_some_and(|size| size > 0 && shift.stride.is_multiple_of(size) && object.modulus == 0);
            return match object.untyped && divisor >= self.pointer_size || whole {
                true if whole => Located::Divide(object.size.unwrap_or(1)),
                true => Located::Divide(divisor),
                false => Located::Anywhere,
            };
        }
        let at = offset.wrapping_add(shift.offset);
        if object.modulus != 0 {
            return Located::At(at.rem_euclid(object.modulus as i64));
        }
        let most = object.size.map_or(1 << 32, |size| size.min(1 << 32) as i64) + MARGIN;
        if (-MARGIN..=most).contains(&at) { Located::At(at) } else { Located::Anywhere }
    }

    /// The shift that is carried out when a constant is added to a pointer into the object: after some constants, any
    /// multiple of them.
    pub fn bounded(&self, id: ObjectId, shift: Shift) -> Shift {
        if shift.stride == 0 && self.get(id).moved >= MOST_MOVED {
            return Shift { offset: 0, stride: shift.offset.unsigned_abs() };
        }
        shift
    }

    /// The number of a target.
    pub fn target(&mut self, id: ObjectId, offset: i64, moved: bool) -> u32 {
        if let Some(number) = self.numbers.get(&(id, offset)) {
            return *number;
        }
        let object = &mut self.all[id as usize];
        if offset != ANYWHERE && object.offsets >= MOST_OFFSETS {
            return self.target(id, ANYWHERE, false);
        }
        object.offsets += 1;
        object.moved += u32::from(moved);
        let number = self.targets.len() as u32;
        self.targets.push((id, offset));
        self.numbers.insert((id, offset), number);
        number
    }

    /// The pieces of a cell's range that a link moves: where from the link's start on, and how long.
    pub fn pieces(&self, id: ObjectId, link: Link, cell: (i64, i64)) -> Option<Vec<(i64, i64)>> {
        let (modulus, to) = (self.get(id).modulus as i64, self.get(link.to).modulus as i64);
        let clip = |start: i64, end: i64, most: i64| (start.max(0), end.min(most) - start.max(0));
        if modulus == 0 {
            let start = cell.0 - link.from;
            return Some(vec![clip(start, start + cell.1 - cell.0, link.size)]);
        }
        if link.size > modulus && (to == 0 || modulus % to != 0) {
            return None;
        }
        let most = link.size.min(modulus);
        let start = (cell.0 - link.from).rem_euclid(modulus);
        let end = start + cell.1 - cell.0;
        Some(vec![clip(start, end.min(modulus), most), clip(0, end - modulus, most)])
    }
}

pub(super) fn greatest_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
