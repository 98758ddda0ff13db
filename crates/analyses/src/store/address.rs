//! Addresses of objects: numbers that are fixed for an analysis, so that equal objects of two states lie at equal addresses, and
//! that are so far apart that a constant tells which object a pointer belongs to.

use std::collections::{BTreeMap, HashMap};

use tandem_base::FastBuild;
use tandem_cfa::{DataModel, FunctionId, VariableId};

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ObjectKey {
    Static(VariableId),
    /// A local of the call with so many calls of the same function further out.
    Local(VariableId, u32),
    /// The n-th allocation of a path, of a class of sizes.
    Heap(u32, u8),
}

const PAGE: u64 = 4096;
const CODE: u64 = 0x40_0000;
/// Below this lies nothing but functions.
pub const HEAP: u64 = 0x1000_0000;
const FIRST: u64 = 0x1000_0000;

#[derive(Clone, Debug)]
pub struct Addresses {
    model: DataModel,
    functions: u64,
    next: u64,
    by_key: HashMap<ObjectKey, u64, FastBuild>,
    /// Where the neighbourhood of an object begins, its address, and what it is. ILP32 only.
    around: BTreeMap<u64, u64>,
    keys: HashMap<u64, ObjectKey, FastBuild>,
}

impl Addresses {
    pub fn new(model: DataModel, functions: usize) -> Addresses {
        Addresses {
            model,
            functions: functions as u64,
            next: FIRST,
            by_key: HashMap::default(),
            around: BTreeMap::new(),
            keys: HashMap::default(),
        }
    }

    pub fn width(&self) -> u32 {
        self.model.pointer_bits()
    }

    /// The address of the object; nothing if there is no room any more.
    pub fn base(&mut self, key: ObjectKey, size: Option<u64>) -> Option<u64> {
        if let Some(base) = self.by_key.get(&key) {
            return Some(*base);
        }
        let base = match self.model {
            DataModel::Lp64 => (self.by_key.len() as u64 + 1) << 32,
            DataModel::Ilp32 => {
                let size = size.unwrap_or(1 << 24).max(1).checked_next_multiple_of(PAGE)?;
                let base = self.next + size / 2;
                let next = base.checked_add(size)?.checked_add(size)?.next_multiple_of(PAGE);
                if next > 0xf000_0000 {
                    return None;
                }
                self.around.insert(self.next, base.next_multiple_of(PAGE));
                self.next = next;
                base.next_multiple_of(PAGE)
            }
        };
        self.by_key.insert(key, base);
        self.keys.insert(base, key);
        Some(base)
    }

    /// The address of the object that an address belongs to: the one it lies in or is nearest to.
    pub fn nearest(&self, address: u64) -> Option<u64> {
        let base = match self.model {
            DataModel::Lp64 => address.wrapping_add(1 << 31) >> 32 << 32,
            DataModel::Ilp32 => *self.around.range(..=address).next_back()?.1,
        };
        self.keys.contains_key(&base).then_some(base)
    }

    pub fn key(&self, base: u64) -> Option<ObjectKey> {
        self.keys.get(&base).copied()
    }

    pub fn of_function(function: FunctionId) -> u64 {
        CODE + u64::from(function.0) * 16
    }

    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        let index = address.checked_sub(CODE)?;
        (index % 16 == 0 && index / 16 < self.functions).then_some(FunctionId((index / 16) as u32))
    }
}
