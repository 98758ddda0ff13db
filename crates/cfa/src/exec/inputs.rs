//! Where a run gets the values that the program does not determine. Knows no program.

use tandem_syntax::Scalar;
use tandem_syntax::types::TypeId;

use crate::model::{EdgeId, FunctionId, VariableId};

/// A value the run asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// The edge that needs it.
    pub edge: EdgeId,
    /// The function that returns it, or the variable that is read.
    pub name: &'a str,
    pub ty: TypeId,
    pub scalar: Scalar,
    /// For memory, a number of the object that is read, and the byte at which.
    pub byte: Option<(u64, u64)>,
}

/// Answers requests. The bits beyond the scalar's width are ignored; a `_Bool` is the lowest bit.
pub trait Inputs {
    /// The result of a function that the program only declares.
    fn nondet(&mut self, request: Request<'_>) -> u128;

    /// The value of memory that was never written.
    fn uninitialised(&mut self, request: Request<'_>) -> u128;

    /// A parameter of `main`, or a choice of the model of its arguments. `None`: the program is run without arguments.
    fn argument(&mut self, _: Request<'_>) -> Option<u128> {
        None
    }
}

/// Where an input came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum InputSource {
    Function(FunctionId),
    /// A read of a variable that was never written.
    Variable(VariableId),
    /// A read of allocated memory that was never written.
    Memory,
    /// The value of a call whose function returned nothing.
    NoResult,
}

/// An input that a run consumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Input {
    pub source: InputSource,
    pub edge: EdgeId,
    pub ty: TypeId,
    pub scalar: Scalar,
    pub bits: u128,
}

impl Input {
    /// Whether a function gave it: only these can be said in a test.
    pub fn is_of_function(&self) -> bool {
        matches!(self.source, InputSource::Function(_))
    }
}

/// Zero for everything.
#[derive(Clone, Copy, Default, Debug)]
pub struct Zeros;

impl Inputs for Zeros {
    fn nondet(&mut self, _: Request<'_>) -> u128 {
        0
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}

/// A test case: the n-th value for the n-th call; zeros after the last, and for memory that was never written.
#[derive(Clone, Default, Debug)]
pub struct Values {
    values: Vec<u128>,
    used: usize,
    /// Calls that came after the last value.
    pub missing: u64,
}

impl Values {
    pub fn new(values: Vec<u128>) -> Values {
        Values { values, used: 0, missing: 0 }
    }

    /// How many of the values were asked for.
    pub fn used(&self) -> usize {
        self.used
    }
}

impl Inputs for Values {
    fn nondet(&mut self, _: Request<'_>) -> u128 {
        match self.values.get(self.used) {
            Some(&value) => {
                self.used += 1;
                value
            }
            None => {
                self.missing += 1;
                0
            }
        }
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}

/// Random values from a seed, small and extreme ones more often than others.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn value(&mut self, scalar: Scalar) -> u128 {
        let width = scalar.bits();
        match self.word() >> 62 {
            0 => u128::from(self.word() % 16),
            1 => u128::from(self.word() % 16).wrapping_neg(),
            2 => (1u128 << (width - 1)).wrapping_sub(u128::from(self.word() & 1)),
            _ => u128::from(self.word()) << 64 | u128::from(self.word()),
        }
    }
}

impl Inputs for Random {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        self.value(request.scalar)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        self.value(request.scalar)
    }
}
