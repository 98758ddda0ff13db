//! What a step reads and writes, for those who ask why a value is what it is. Knows places in stores, and no values.

use tandem_cfa::VariableId;

/// A part of a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Touched {
    /// A variable that is not in memory: of the frame with so many frames further out, or a static one.
    Slot { depth: u32, variable: VariableId },
    /// Bytes of an object.
    Bytes { base: u64, offset: u64, size: u64 },
    /// All of an object.
    Object(u64),
    /// What a function is about to return.
    Returned,
}

/// What was read and written since the trace began.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    pub reads: Vec<Touched>,
    pub writes: Vec<Touched>,
}

impl Touched {
    /// Whether two parts have something in common.
    pub fn overlaps(self, other: Touched) -> bool {
        use Touched::*;
        match (self, other) {
            (Slot { .. } | Returned, _) | (_, Slot { .. } | Returned) => self == other,
            (Object(base), Object(other) | Bytes { base: other, .. }) | (Bytes { base, .. }, Object(other)) => {
                base == other
            }
            (Bytes { base, offset, size }, Bytes { base: other, offset: start, size: length }) => {
                base == other && offset < start.saturating_add(length) && start < offset.saturating_add(size)
            }
        }
    }

    /// The object it lies in.
    pub fn object(self) -> Option<u64> {
        match self {
            Touched::Bytes { base, .. } | Touched::Object(base) => Some(base),
            Touched::Slot { .. } | Touched::Returned => None,
        }
    }
}
