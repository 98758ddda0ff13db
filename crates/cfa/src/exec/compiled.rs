//! What is compiled so far: functions, calls, blocks, and which edge each operation belongs to. Knows nothing of what the
//! operations do.

use tandem_base::IdVec;
use tandem_syntax::Scalar;
use tandem_syntax::types::TypeId;

use super::code::{MemoryOp, Op, Pc, Pure, Reg};
use super::trace::Probe;
pub(super) use crate::library::Kind;
use crate::model::{Builtin, EdgeId, FunctionId};

/// How an argument or parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Passed {
    Scalar(Scalar),
    /// By a register that has its address.
    Record(u64),
}

impl Passed {
    pub fn registers(self) -> u16 {
        match self {
            Passed::Scalar(scalar) if scalar.bits() > 64 => 2,
            Passed::Scalar(_) | Passed::Record(_) => 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    Pointer(Reg),
    Function(FunctionId),
    Builtin(Builtin),
}

/// A call that is not simply a jump to a body.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Site {
    pub target: Target,
    pub base: Reg,
    pub arguments: Box<[Passed]>,
    pub result: TypeId,
}

/// A compiled function.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Compiled {
    pub start: Pc,
    pub registers: u16,
    pub parameters: Box<[Passed]>,
    pub variadic: bool,
}

/// Which edge an operation belongs to, and of what type the value is that it loads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Note {
    pub edge: EdgeId,
    pub ty: TypeId,
}

/// Everything that was compiled so far. Functions are added when they are first called.
#[derive(Default)]
pub(super) struct Code {
    pub ops: Vec<Op>,
    pub notes: Vec<Note>,
    pub pure: Vec<Pure>,
    pub memory: Vec<MemoryOp>,
    pub sites: Vec<Site>,
    pub texts: Vec<Box<str>>,
    pub probes: Vec<Probe>,
    /// Whether functions are compiled with probes in them.
    pub traced: bool,
    /// Where the edges of each block begin in `block_edges`; one more at the end.
    pub block_starts: Vec<u32>,
    pub block_edges: Vec<EdgeId>,
    pub functions: IdVec<FunctionId, Option<Compiled>>,
    pub kinds: IdVec<FunctionId, Kind>,
}

impl Code {
    pub fn block(&self, block: u32) -> &[EdgeId] {
        let from = self.block_starts[block as usize] as usize;
        let to = self.block_starts[block as usize + 1] as usize;
        &self.block_edges[from..to]
    }

    pub fn blocks(&self) -> usize {
        self.block_starts.len().saturating_sub(1)
    }
}
