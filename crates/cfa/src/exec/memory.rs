//! Memory: objects of bytes, each with a shadow that says which bits were ever written. Knows addresses and objects, and
//! nothing of code or types.
//!
//! LP64: the upper half of an address is the number of the object, the lower half the offset into it. ILP32: objects lie
//! in 4 GiB, each at the start of a page and followed by a gap at least as large as itself, and a page table finds
//! them. In both the first page belongs to nobody, and functions have addresses where no object is.
//!
//! Objects that died keep their address for a while (a queue of fixed length), so that a late access is noticed.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};

use tandem_base::FastBuild;
use tandem_syntax::DataModel;

use crate::model::{FunctionId, VariableId};

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ObjectKind {
    Static(VariableId),
    /// A global whose size nobody knows.
    Incomplete(VariableId),
    Local(VariableId),
    Alloca,
    Heap,
}

#[derive(Clone, Debug)]
pub(super) struct Object {
    /// The bytes and, if it has a shadow, as many bytes of shadow after them: a set bit was written.
    bytes: Vec<u8>,
    size: u32,
    /// How much can be read and written without a closer look: the size, or zero.
    readable: u32,
    writable: u32,
    shadowed: bool,
    alive: bool,
    read_only: bool,
    pub kind: ObjectKind,
    base: u64,
}

/// Why an access is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    Null,
    /// Not in any object.
    Invalid,
    /// Before the start or behind the end.
    Outside(ObjectKind),
    /// Freed, or its function has returned.
    Dead(ObjectKind),
    ReadOnly,
    /// The size of the object is not known.
    Incomplete,
    /// Some bits were never written.
    Uninitialised,
}

/// There is no room for another object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoRoom;

const PAGE: u64 = 4096;
/// Addresses of functions, 16 bytes apart.
const CODE: u64 = 0x40_0000;
/// Where objects of ILP32 begin.
const FIRST: u64 = 0x1000_0000;
const HEAP_QUARANTINE: usize = 1 << 14;
const STACK_QUARANTINE: usize = 1 << 10;

pub(super) struct Memory {
    pub objects: Vec<Object>,
    narrow: bool,
    /// ILP32: the object of each page, zero for none.
    pages: Vec<u32>,
    next_page: u64,
    /// ILP32: free runs of pages, by the logarithm of their length.
    free_pages: Vec<Vec<u64>>,
    free: Vec<u32>,
    dead_heap: VecDeque<u32>,
    dead_stack: VecDeque<u32>,
    /// How many objects are static: they come first and stay.
    statics: usize,
    /// Statics that were written in this run.
    pub dirty: Vec<u32>,
    used: u64,
    pub limit: u64,
    functions: u64,
    scratch: Vec<u8>,
    /// Which unwritten bytes are copies of each other, by address, and the values of those that were read.
    origins: HashMap<u64, u32, FastBuild>,
    origin_values: Vec<Option<u8>>,
    /// The origins of the unwritten bytes of the block that was taken last, by their place in it.
    taken_origins: Vec<(usize, u32)>,
    /// An object that something outside of the program may have written, though its bytes stay as they are.
    unsettled: Option<usize>,
    /// Whether such an object was read before the program wrote it again.
    unsettled_was_read: Cell<bool>,
}

impl Memory {
    pub fn new(model: DataModel, functions: usize, limit: u64) -> Memory {
        let narrow = model == DataModel::Ilp32;
        let nobody = Object {
            bytes: Vec::new(),
            size: 0,
            readable: 0,
            writable: 0,
            shadowed: false,
            alive: false,
            read_only: false,
            kind: ObjectKind::Heap,
            base: 0,
        };
        Memory {
            objects: vec![nobody],
            narrow,
            pages: if narrow { vec![0; 1 << 20] } else { Vec::new() },
            next_page: FIRST / PAGE,
            free_pages: vec![Vec::new(); 21],
            free: Vec::new(),
            dead_heap: VecDeque::new(),
            dead_stack: VecDeque::new(),
            statics: 0,
            dirty: Vec::new(),
            used: 0,
            limit,
            functions: functions as u64,
            scratch: Vec::new(),
            origins: HashMap::default(),
            origin_values: Vec::new(),
            taken_origins: Vec::new(),
            unsettled: None,
            unsettled_was_read: Cell::new(false),
        }
    }

    pub fn function_address(function: FunctionId) -> u64 {
        CODE + u64::from(function.0) * 16
    }

    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        let index = address.checked_sub(CODE)?;
        (index % 16 == 0 && index / 16 < self.functions).then_some(FunctionId((index / 16) as u32))
    }

    /// An address wrapped at the pointer's width.
    #[inline]
    pub fn cut(&self, address: u64) -> u64 {
        if self.narrow { address & 0xffff_ffff } else { address }
    }

    /// The number of the object an address lies in (or near), and the offset.
    #[inline]
    fn locate(&self, address: u64) -> (usize, usize) {
        if self.narrow {
            let object = self.pages.get((address >> 12) as usize).map_or(0, |page| *page as usize);
            (object, (address as u32).wrapping_sub(self.objects[object].base as u32) as usize)
        } else {
            ((address >> 32) as usize, address as u32 as usize)
        }
    }

    /// The bytes at an address, if all of them are there and were written.
    #[inline]
    pub fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (number, offset) = self.locate(address);
        let object = self.objects.get(number)?;
        if offset + N > object.readable as usize {
            return None;
        }
        if object.shadowed {
            let at = object.size as usize + offset;
            let shadow: [u8; N] = object.bytes.get(at..at + N)?.try_into().ok()?;
            if shadow != [0xff; N] {
                return None;
            }
        }
        object.bytes.get(offset..offset + N)?.try_into().ok()
    }

    /// Stores if nothing stands in the way; a static that is clean, or anything wrong, does.
    #[inline]
    pub fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let (number, offset) = self.locate(address);
        let object = self.objects.get_mut(number)?;
        if offset + N > object.writable as usize {
            return None;
        }
        object.bytes.get_mut(offset..offset + N)?.copy_from_slice(&value);
        if object.shadowed {
            let at = object.size as usize + offset;
            object.bytes.get_mut(at..at + N)?.copy_from_slice(&[0xff; N]);
        }
        Some(())
    }

    /// The object and offset of an access of `size` bytes, or what is wrong with it.
    fn find(&self, address: u64, size: u64) -> Result<(usize, usize), Fault> {
        let (number, offset) = self.locate(address);
        let fault = if address < PAGE { Fault::Null } else { Fault::Invalid };
        let object = self.objects.get(number).filter(|_| number != 0).ok_or(fault)?;
        if let ObjectKind::Incomplete(_) = object.kind {
            return Err(Fault::Incomplete);
        }
        if !object.alive {
            return Err(Fault::Dead(object.kind));
        }
        if offset as u64 + size > u64::from(object.size) {
            return Err(Fault::Outside(object.kind));
        }
        Ok((number, offset))
    }

    /// The same for writing; marks statics that are written for the first time.
    fn find_to_write(&mut self, address: u64, size: u64) -> Result<(usize, usize), Fault> {
        let (number, offset) = self.find(address, size)?;
        let object = &mut self.objects[number];
        if object.read_only {
            return Err(Fault::ReadOnly);
        }
        if self.unsettled == Some(number) && size == u64::from(object.size) {
            object.readable = object.size;
            self.unsettled = None;
        }
        if object.writable != object.size {
            object.writable = object.size;
            self.dirty.push(number as u32);
        }
        Ok((number, offset))
    }

    /// From here on the object at the address may have been written by something outside of the program, until the program
    /// writes it. Reads are noticed, and get what was there.
    pub fn unsettle(&mut self, address: u64) {
        let (number, _) = self.locate(address);
        if let Some(object) = self.objects.get_mut(number) {
            (object.readable, object.writable) = (0, 0);
            self.unsettled = Some(number);
        }
    }

    /// Whether an object was read that something outside of the program may have written.
    pub fn unsettled_was_read(&self) -> bool {
        self.unsettled_was_read.get()
    }

    /// The object and offset of an access that reads.
    fn find_to_read(&self, address: u64, size: u64) -> Result<(usize, usize), Fault> {
        let (number, offset) = self.find(address, size)?;
        if self.unsettled == Some(number) && size > 0 {
            self.unsettled_was_read.set(true);
        }
        Ok((number, offset))
    }

    /// Up to 16 bytes, lowest first.
    pub fn read(&self, address: u64, size: u64) -> Result<u128, Fault> {
        let (number, offset) = self.find_to_read(address, size)?;
        let object = &self.objects[number];
        if object.shadowed {
            let at = object.size as usize + offset;
            if object.bytes[at..at + size as usize].iter().any(|byte| *byte != 0xff) {
                return Err(Fault::Uninitialised);
            }
        }
        Ok(assemble(&object.bytes[offset..offset + size as usize]))
    }

    /// Up to 17 bytes as they are, and which of their bits were written.
    pub fn read_raw(&self, address: u64, size: u64) -> Result<([u8; 17], [u8; 17]), Fault> {
        let (number, offset) = self.find_to_read(address, size)?;
        let (object, size) = (&self.objects[number], size as usize);
        let (mut bytes, mut shadow) = ([0; 17], [0xff; 17]);
        bytes[..size].copy_from_slice(&object.bytes[offset..offset + size]);
        if object.shadowed {
            let at = object.size as usize + offset;
            shadow[..size].copy_from_slice(&object.bytes[at..at + size]);
        }
        Ok((bytes, shadow))
    }

    /// The opposite of [`Memory::read_raw`]: sets the bits that `mask` has, and calls them written.
    pub fn write_raw(&mut self, address: u64, bytes: &[u8], mask: &[u8]) -> Result<(), Fault> {
        let (number, offset) = self.find_to_write(address, bytes.len() as u64)?;
        let object = &mut self.objects[number];
        let size = object.size as usize;
        for (i, (byte, mask)) in bytes.iter().zip(mask).enumerate() {
            object.bytes[offset + i] = object.bytes[offset + i] & !mask | byte & mask;
            if object.shadowed {
                object.bytes[size + offset + i] |= mask;
            }
        }
        Ok(())
    }

    pub fn write(&mut self, address: u64, value: u128, size: u64) -> Result<(), Fault> {
        self.write_raw(address, &value.to_le_bytes()[..size as usize], &[0xff; 16][..size as usize])
    }

    /// Takes `size` bytes and their shadow out, as they are. See [`Memory::put`].
    pub fn take(&mut self, address: u64, size: u64) -> Result<Vec<u8>, Fault> {
        let (number, offset) = self.find_to_read(address, size)?;
        let (object, size) = (&self.objects[number], size as usize);
        let mut block = std::mem::take(&mut self.scratch);
        block.clear();
        block.extend_from_slice(&object.bytes[offset..offset + size]);
        self.taken_origins.clear();
        if object.shadowed {
            let at = object.size as usize + offset;
            block.extend_from_slice(&object.bytes[at..at + size]);
            self.take_origins(address, &block[size..]);
        } else {
            block.resize(2 * size, 0xff);
        }
        Ok(block)
    }

    /// Gives every unwritten byte of a block an origin, which its copies share.
    fn take_origins(&mut self, address: u64, shadow: &[u8]) {
        for (place, _) in shadow.iter().enumerate().filter(|(_, shadow)| **shadow != 0xff) {
            let byte = self.cut(address.wrapping_add(place as u64));
            let values = &mut self.origin_values;
            let origin = *self.origins.entry(byte).or_insert_with(|| {
                values.push(None);
                (values.len() - 1) as u32
            });
            self.taken_origins.push((place, origin));
        }
    }

    /// The value that an unwritten byte has because a copy of it was read.
    pub fn origin_value(&self, address: u64) -> Option<u8> {
        let origin = self.origins.get(&address)?;
        self.origin_values[*origin as usize]
    }

    /// Remembers the value of an unwritten byte for its copies.
    pub fn set_origin_value(&mut self, address: u64, value: u8) {
        if let Some(origin) = self.origins.get(&address) {
            self.origin_values[*origin as usize].get_or_insert(value);
        }
    }

    /// The bytes of an object are unwritten anew: they are copies of nothing.
    fn forget_origins(&mut self, base: u64, size: u64) {
        if size > self.origins.len() as u64 {
            self.origins.retain(|address, _| !(base..base + size).contains(address));
        } else {
            for address in base..base + size {
                self.origins.remove(&address);
            }
        }
    }

    /// Stores bytes followed by their shadow.
    pub fn put(&mut self, address: u64, block: &[u8]) -> Result<(), Fault> {
        let size = block.len() / 2;
        let (number, offset) = self.find_to_write(address, size as u64)?;
        let object = &mut self.objects[number];
        let (bytes, shadow) = block.split_at(size);
        object.bytes[offset..offset + size].copy_from_slice(bytes);
        if !object.shadowed && shadow.iter().any(|byte| *byte != 0xff) {
            object.bytes.resize(2 * object.size as usize, 0xff);
            object.shadowed = true;
        }
        if object.shadowed {
            let at = object.size as usize + offset;
            object.bytes[at..at + size].copy_from_slice(shadow);
        }
        for (place, origin) in std::mem::take(&mut self.taken_origins) {
            if place < size && shadow[place] != 0xff {
                self.origins.insert(self.cut(address.wrapping_add(place as u64)), origin);
            }
        }
        Ok(())
    }

    /// Copies bytes as they are, written or not; the two places may overlap.
    pub fn copy(&mut self, to: u64, from: u64, size: u64) -> Result<(), Fault> {
        let block = self.take(from, size)?;
        let result = self.put(to, &block);
        self.scratch = block;
        result
    }

    pub fn fill(&mut self, address: u64, value: u8, size: u64) -> Result<(), Fault> {
        let (number, offset) = self.find_to_write(address, size)?;
        let (object, size) = (&mut self.objects[number], size as usize);
        object.bytes[offset..offset + size].fill(value);
        if object.shadowed {
            let at = object.size as usize + offset;
            object.bytes[at..at + size].fill(0xff);
        }
        Ok(())
    }

    /// Whether two addresses belong to one object, or one is null.
    pub fn together(&self, a: u64, b: u64) -> bool {
        a < PAGE || b < PAGE || self.locate(a).0 == self.locate(b).0
    }

    /// The number of the object that an address belongs to, and how far into it the address is.
    pub fn byte_of(&self, address: u64) -> (u64, u64) {
        let (object, offset) = self.locate(address);
        (object as u64, offset as u64)
    }

    pub fn kind_at(&self, address: u64) -> Option<ObjectKind> {
        self.objects.get(self.locate(address).0).map(|object| object.kind)
    }

    /// The size of the live heap object that starts at the address.
    pub fn heap_object(&self, address: u64) -> Result<u64, Fault> {
        let (number, offset) = self.find(address, 0)?;
        let object = &self.objects[number];
        if object.kind != ObjectKind::Heap || offset != 0 {
            return Err(Fault::Outside(object.kind));
        }
        Ok(u64::from(object.size))
    }

    /// A new object; with `written` its bytes are zeros, otherwise undefined.
    pub fn allocate(&mut self, size: u64, kind: ObjectKind, written: bool) -> Result<u64, NoRoom> {
        let size = u32::try_from(size).ok().filter(|size| *size < 1 << 31).ok_or(NoRoom)?;
        if self.used + u64::from(size) > self.limit {
            return Err(NoRoom);
        }
        let number = self.slot(kind);
        let base = self.place(number, size)?;
        self.used += u64::from(size);
        self.forget_origins(base, u64::from(size));
        let object = &mut self.objects[number as usize];
        object.kind = kind;
        object.size = size;
        object.base = base;
        object.readable = size;
        object.writable = size;
        object.alive = true;
        object.read_only = false;
        object.shadowed = !written;
        let length = if written { size as usize } else { 2 * size as usize };
        if length > 1 << 16 {
            object.bytes = vec![0; length];
        } else {
            object.bytes.clear();
            object.bytes.resize(length, 0);
        }
        Ok(base)
    }

    /// A number for a new object: one whose time in the queue is over, or a new one.
    fn slot(&mut self, kind: ObjectKind) -> u32 {
        let stack = matches!(kind, ObjectKind::Local(_) | ObjectKind::Alloca);
        if stack && self.dead_stack.len() > STACK_QUARANTINE {
            if let Some(number) = self.dead_stack.pop_front() {
                return number;
            }
        }
        if self.dead_heap.len() > HEAP_QUARANTINE {
            if let Some(number) = self.dead_heap.pop_front() {
                return number;
            }
        }
        self.free.pop().unwrap_or_else(|| {
            self.objects.push(self.objects[0].clone());
            (self.objects.len() - 1) as u32
        })
    }

    /// The address of the object with this number; for ILP32, pages for it.
    fn place(&mut self, number: u32, size: u32) -> Result<u64, NoRoom> {
        if !self.narrow {
            return Ok(u64::from(number) << 32);
        }
        let own = pages_of(size);
        let class = class_of(size);
        let old = &self.objects[number as usize];
        if old.base != 0 {
            if class_of(old.size) == class {
                self.map(old.base, pages_of(old.size), 0);
                let base = self.objects[number as usize].base;
                self.map(base, own, number);
                return Ok(base);
            }
            self.release_pages(number);
        }
        let base = match self.free_pages[class].pop() {
            Some(page) => page * PAGE,
            None => {
                let page = self.next_page;
                if page + (1 << class) >= 1 << 20 {
                    return Err(NoRoom);
                }
                self.next_page += 1 << class;
                page * PAGE
            }
        };
        self.map(base, own, number);
        Ok(base)
    }

    fn release_pages(&mut self, number: u32) {
        let object = &mut self.objects[number as usize];
        let (base, size) = (object.base, object.size);
        object.base = 0;
        self.map(base, pages_of(size), 0);
        self.free_pages[class_of(size)].push(base / PAGE);
    }

    fn map(&mut self, base: u64, pages: u64, number: u32) {
        let first = (base / PAGE) as usize;
        self.pages[first..first + pages as usize].fill(number);
    }

    /// Ends the life of the object that starts at the address.
    pub fn end(&mut self, address: u64) {
        let (number, _) = self.locate(address);
        let object = &mut self.objects[number];
        object.alive = false;
        object.readable = 0;
        object.writable = 0;
        self.used -= u64::from(object.size);
        if object.bytes.capacity() > 1 << 12 {
            object.bytes = Vec::new();
        }
        match object.kind {
            ObjectKind::Heap => self.dead_heap.push_back(number as u32),
            ObjectKind::Local(_) | ObjectKind::Alloca => self.dead_stack.push_back(number as u32),
            ObjectKind::Static(_) | ObjectKind::Incomplete(_) => {}
        }
    }

    /// Calls the bytes of the object at the address unwritten.
    pub fn forget(&mut self, address: u64) {
        let (number, _) = self.locate(address);
        self.forget_origins(self.objects[number].base, u64::from(self.objects[number].size));
        let object = &mut self.objects[number];
        let size = object.size as usize;
        if object.shadowed {
            object.bytes[size..].fill(0);
        } else {
            object.bytes.resize(2 * size, 0);
            object.shadowed = true;
        }
    }

    /// Ends the building of the statics: they are clean from here on.
    pub fn seal_statics(&mut self) {
        self.statics = self.objects.len();
        self.dirty.clear();
        for object in &mut self.objects {
            object.writable = 0;
        }
    }

    pub fn make_read_only(&mut self, address: u64) {
        let (number, _) = self.locate(address);
        self.objects[number].read_only = true;
        self.objects[number].writable = 0;
    }

    /// Back to the state after [`Memory::seal_statics`], dirty statics apart, whose addresses are returned.
    pub fn reset(&mut self) -> Vec<u64> {
        if self.narrow {
            for number in self.statics..self.objects.len() {
                let (base, size) = (self.objects[number].base, self.objects[number].size);
                if base != 0 {
                    self.map(base, pages_of(size), 0);
                }
            }
            self.next_page = FIRST / PAGE;
            for number in 1..self.statics {
                let end = self.objects[number].base / PAGE + (1 << class_of(self.objects[number].size));
                self.next_page = self.next_page.max(end);
            }
            self.free_pages.iter_mut().for_each(Vec::clear);
        }
        self.objects.truncate(self.statics);
        self.free.clear();
        self.dead_heap.clear();
        self.dead_stack.clear();
        self.origins.clear();
        self.origin_values.clear();
        self.taken_origins.clear();
        if let Some(number) = self.unsettled.take() {
            self.objects[number].readable = self.objects[number].size;
            self.dirty.push(number as u32);
        }
        self.unsettled_was_read.set(false);
        self.used = self.objects.iter().map(|object| u64::from(object.size)).sum();
        let dirty = std::mem::take(&mut self.dirty);
        dirty.iter().map(|number| self.objects[*number as usize].base).collect()
    }

    /// Makes a static all zeros (or, with a shadow, all unwritten) and clean again.
    pub fn clear_static(&mut self, address: u64, written: bool) {
        let (number, _) = self.locate(address);
        let object = &mut self.objects[number];
        let length = object.size as usize * if written { 1 } else { 2 };
        if length > 1 << 16 {
            object.bytes = vec![0; length];
        } else {
            object.bytes.clear();
            object.bytes.resize(length, 0);
        }
        object.shadowed = !written;
    }

    pub fn make_clean(&mut self, address: u64) {
        let (number, _) = self.locate(address);
        self.objects[number].writable = 0;
        self.dirty.retain(|dirty| *dirty != number as u32);
    }
}

fn assemble(bytes: &[u8]) -> u128 {
    let mut word = [0; 16];
    word[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(word)
}

fn pages_of(size: u32) -> u64 {
    u64::from(size).div_ceil(PAGE).max(1)
}

/// The logarithm of the pages an object takes, its gap included.
fn class_of(size: u32) -> usize {
    (2 * pages_of(size)).next_power_of_two().trailing_zeros() as usize
}
