//! Values: what terms evaluate to, and what models are made of.

use std::collections::HashMap;
use std::sync::Arc;

pub use crate::bitvector::BitVector;
use crate::sort::{FloatSort, RoundingMode, Sort};

/// What a term evaluates to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Bool(bool),
    Bits(BitVector),
    /// A float by its IEEE bits; NaN has only its canonical pattern.
    Float(FloatSort, BitVector),
    Rounding(RoundingMode),
    Array(Arc<ArrayValue>),
    /// An element of a declared sort, by a number.
    Element(Sort, u32),
}

/// An array: `entries` where they are given, `default` everywhere else. No entry equals the default.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    pub default: Value,
    /// Sorted by index; see `eval`.
    pub entries: Vec<(Value, Value)>,
}

/// An assignment of values to symbols. Symbols that are missing may have any value; evaluation takes zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Constants by symbol number.
    pub constants: HashMap<u32, Value>,
    /// Functions by symbol number.
    pub functions: HashMap<u32, FunctionValue>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionValue {
    pub default: Value,
    pub entries: HashMap<Vec<Value>, Value>,
}
