//! Which values are kept where paths meet, and forgetting the others. Addresses are always kept: without them, every write
//! through a pointer would spoil what is known. A variable is kept at the locations that need it, one that several need in the
//! whole function; bytes of memory are kept everywhere, since objects are shared between the states of all locations.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use tandem_base::FastBuild;
use tandem_cfa::{FunctionId, NodeId, Scalar, VariableId};

use super::content::held;
use super::domain::{Explicit, Value, is_address};
use crate::store::{Cell, Cells, Executor, Object, ObjectKey, Store, Touched};

/// Whose bytes are kept: a variable's (all instances), or those of all objects of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Owner {
    Variable(VariableId),
    Heap,
}

/// At so many locations of a function, a variable is kept in all of it.
const LOCATIONS: usize = 3;

/// The values that are kept.
#[derive(Clone, Default, Debug)]
pub struct Precision {
    at: HashMap<NodeId, HashSet<VariableId, FastBuild>, FastBuild>,
    /// At how many locations of a function a variable is kept.
    locations: HashMap<(FunctionId, VariableId), usize, FastBuild>,
    /// Offsets and sizes.
    bytes: HashMap<Owner, BTreeMap<u64, u64>, FastBuild>,
    /// Grows with every change.
    version: u64,
}

impl Owner {
    pub fn of(key: ObjectKey) -> Owner {
        match key {
            ObjectKey::Static(variable) | ObjectKey::Local(variable, _) => Owner::Variable(variable),
            ObjectKey::Heap(..) => Owner::Heap,
        }
    }
}

impl Precision {
    /// How many values are kept.
    pub fn len(&self) -> usize {
        self.locations.values().sum::<usize>() + self.bytes.values().map(BTreeMap::len).sum::<usize>()
    }

    /// Keeps one more at a location; whether it was not kept there before.
    pub fn add(&mut self, executor: &Executor<'_, Explicit>, node: NodeId, touched: Touched) -> bool {
        self.version += 1;
        match touched {
            Touched::Slot { variable, .. } => {
                let grows = !self.keeps(executor, node, variable);
                if grows {
                    self.at.entry(node).or_default().insert(variable);
                    *self.locations.entry((executor.program.nodes[node].function, variable)).or_default() += 1;
                }
                grows
            }
            Touched::Bytes { base, offset, size } => {
                let Some(key) = executor.addresses.key(base) else { return false };
                let kept = self.bytes.entry(Owner::of(key)).or_default().entry(offset).or_insert(0);
                let grows = *kept < size;
                *kept = size.max(*kept);
                grows
            }
            Touched::Object(_) | Touched::Returned => false,
        }
    }

    fn keeps(&self, executor: &Executor<'_, Explicit>, node: NodeId, variable: VariableId) -> bool {
        let function = executor.program.nodes[node].function;
        self.locations.get(&(function, variable)).is_some_and(|locations| *locations >= LOCATIONS)
            || self.at.get(&node).is_some_and(|kept| kept.contains(&variable))
    }

    /// Forgets what is not kept at a location: of statics, of the innermost call and of memory.
    pub fn forget(&self, executor: &Executor<'_, Explicit>, store: &mut Store<Explicit>, node: NodeId) {
        let layout = executor.layout.clone();
        let goes = |cell: &Cell<Value>, variable: VariableId| {
            is_forgotten(executor, cell, is_pointer(executor, variable)) && !self.keeps(executor, node, variable)
        };
        let statics = (0..store.statics.len()).filter(|slot| goes(&store.statics[*slot], layout.static_slots[*slot]));
        let statics: Vec<usize> = statics.collect();
        for slot in statics {
            Rc::make_mut(&mut store.statics)[slot] = Cell::Unknown;
        }
        if let Some(frame) = store.frames.last_mut() {
            let variables = &layout.frame_slots[frame.function];
            let slots: Vec<usize> =
                (0..frame.slots.len()).filter(|slot| goes(&frame.slots[*slot], variables[*slot])).collect();
            for slot in slots {
                Rc::make_mut(frame).slots[slot] = Cell::Unknown;
            }
        }
        let changed: Vec<(u64, Object<Value>)> = store
            .objects
            .iter()
            .filter(|(_, object)| !object.read_only && object.notes.mark.get() != self.version + 1)
            .filter_map(|(base, object)| Some((*base, self.forget_bytes(executor, *base, object)?)))
            .collect();
        for (base, object) in changed {
            store.objects.insert(base, Rc::new(object));
        }
    }

    /// The object without what is not kept; nothing if that changes nothing.
    fn forget_bytes(
        &self,
        executor: &Executor<'_, Explicit>,
        base: u64,
        object: &Object<Value>,
    ) -> Option<Object<Value>> {
        let none = BTreeMap::new();
        let kept = executor.addresses.key(base).and_then(|key| self.bytes.get(&Owner::of(key))).unwrap_or(&none);
        let cells = &object.cells;
        let pointer = u64::from(executor.addresses.width() / 8);
        let is_kept = |at: u64, length: u64| kept.range(..at + length).any(|(start, size)| start + size > at);
        let goes: Vec<u64> = cells
            .runs
            .iter()
            .filter(|(at, (length, cell))| is_forgotten(executor, cell, *length == pointer) && !is_kept(**at, *length))
            .map(|(at, _)| *at)
            .collect();
        let rest_goes = cells.rest == Cell::Zero;
        if goes.is_empty() && !rest_goes {
            // Nothing to do as long as neither changes.
            object.notes.mark.set(self.version + 1);
            return None;
        }
        let mut changed = object.clone();
        if rest_goes {
            self.keep_zeros(&mut changed.cells, kept);
        }
        for at in goes {
            if let Some((_, cell)) = changed.cells.runs.get_mut(&at) {
                *cell = Cell::Unknown;
            }
        }
        Some(changed)
    }

    /// Gives up the zeros that fill an object, but for those that are kept.
    fn keep_zeros(&self, cells: &mut Cells<Value>, kept: &BTreeMap<u64, u64>) {
        for (at, size) in kept {
            if cells.is_untouched(*at, *size) {
                cells.runs.insert(*at, (*size, Cell::Zero));
            }
        }
        cells.rest = Cell::Unknown;
    }
}

fn is_pointer(executor: &Executor<'_, Explicit>, variable: VariableId) -> bool {
    let ty = executor.program.variables[variable].ty;
    matches!(executor.program.types.scalar(ty), Some(Scalar::Pointer { .. }))
}

/// Whether a cell that is not kept is forgotten.
fn is_forgotten(executor: &Executor<'_, Explicit>, cell: &Cell<Value>, pointer: bool) -> bool {
    match held(cell) {
        Value::Unknown | Value::Near(_) => false,
        Value::Foreign => !pointer,
        // Null belongs to the addresses where it is known to be one.
        Value::Known(0) => !(pointer && matches!(cell, Cell::Value(_))),
        Value::Known(bits) => {
            let address = bits as u64;
            let object = is_address(bits) && executor.addresses.nearest(address).is_some();
            !object && executor.addresses.function_at(address).is_none()
        }
    }
}
