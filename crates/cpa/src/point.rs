//! Program points: a location and the calls that led to it. The engine owns them, so no state is ever asked where it is.

use std::collections::HashMap;

use tandem_base::{FastBuild, IdVec, define_id};
use tandem_cfa::{EdgeId, FunctionId, NodeId};

use crate::observer::Mode;

define_id!(
    /// A stack of calls; equal stacks have equal ids. Zero is the stack with nothing but the entry function.
    StackId, "stack"
);

/// A location under a stack of calls, and where the observer of the flow is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Point {
    pub node: NodeId,
    pub stack: StackId,
    pub mode: Mode,
}

/// The innermost call of a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    pub edge: EdgeId,
    /// The stack of the caller.
    pub caller: StackId,
}

#[derive(Clone, Debug)]
struct Entry {
    call: Option<Call>,
    function: FunctionId,
    depth: u32,
    /// Calls further out that are in the same function.
    same: u32,
}

/// All stacks met so far.
#[derive(Clone, Debug)]
pub struct Stacks {
    entries: IdVec<StackId, Entry>,
    index: HashMap<(StackId, EdgeId, FunctionId), StackId, FastBuild>,
}

impl Stacks {
    pub const BOTTOM: StackId = StackId(0);

    pub fn new(entry: FunctionId) -> Stacks {
        let bottom = Entry { call: None, function: entry, depth: 0, same: 0 };
        Stacks { entries: vec![bottom].into(), index: HashMap::default() }
    }

    /// The stack after a call of the function on the edge.
    pub fn push(&mut self, caller: StackId, edge: EdgeId, function: FunctionId) -> StackId {
        if let Some(&known) = self.index.get(&(caller, edge, function)) {
            return known;
        }
        let depth = self.entries[caller].depth + 1;
        let same = self.instances(caller, function);
        let id = self.entries.push(Entry { call: Some(Call { edge, caller }), function, depth, same });
        self.index.insert((caller, edge, function), id);
        id
    }

    /// How many calls of the stack are in the function.
    fn instances(&self, stack: StackId, function: FunctionId) -> u32 {
        let mut at = stack;
        loop {
            let entry = &self.entries[at];
            if entry.function == function {
                return entry.same + 1;
            }
            match entry.call {
                Some(call) => at = call.caller,
                None => return 0,
            }
        }
    }

    /// The innermost call; nothing at the bottom.
    pub fn call(&self, stack: StackId) -> Option<Call> {
        self.entries[stack].call
    }

    pub fn function(&self, stack: StackId) -> FunctionId {
        self.entries[stack].function
    }

    /// Calls on the stack, the entry function not counted.
    pub fn depth(&self, stack: StackId) -> usize {
        self.entries[stack].depth as usize
    }

    /// How many calls further out are in the same function: zero without recursion.
    pub fn instance(&self, stack: StackId) -> u32 {
        self.entries[stack].same
    }

    /// The stack and those of its callers, innermost first.
    pub fn outwards(&self, stack: StackId) -> impl Iterator<Item = StackId> + '_ {
        std::iter::successors(Some(stack), |at| self.entries[*at].call.map(|call| call.caller))
    }
}
