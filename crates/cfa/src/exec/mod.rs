//! A concrete interpreter of the automaton. It follows one path, from the inputs it is given, and says how the path
//! ended, which edges it took, and what else was worth noticing. It knows no test format and no analysis.
//!
//! What ends a path, and what is only noted:
//!
//! - An access outside every object, through a null, freed or otherwise invalid pointer, a write to a string literal, a
//!   division by zero, a call through something that points to no function: the path ends ([`End::Undefined`]).
//! - Signed overflow, shifts by too much, floats that do not fit an integer: the path goes on as
//!   [`semantics`](crate::semantics) says, and the first of each kind is noted ([`Event`]).
//! - Memory that was never written is an input: [`Inputs`] is asked when it is read, and the memory holds the answer from then
//!   on. Records are copied without being read.
//! - A function without a body and outside the [library](crate::library) returns an input and changes no memory.
//! - A pointer that becomes an integer (other than by comparing it to null), or two pointers into different
//!   objects that are ordered or subtracted: noted, since the outcome depends on how this interpreter chooses addresses.
//!   (Not noticed: a pointer whose bytes are read through a pointer to another type or another member of a union.)
//!
//! Functions are compiled when they are first called; a machine can run any number of times.

pub(crate) mod assigned;
mod calls;
mod code;
mod compile;
mod compiled;
mod decimal;
mod fast;
mod format;
mod inputs;
mod library;
mod machine;
mod math;
mod memory;
mod output;
mod path;
mod slow;
#[cfg(test)]
mod tests;
mod trace;
mod variadic;

use std::io::Write;

use tandem_base::StopReason;

use crate::model::{EdgeId, FunctionId, VariableId};

pub use inputs::{Input, InputSource, Inputs, Random, Request, Values, Zeros};
pub use machine::Machine;
pub use path::{Coverage, Path};
pub use trace::{Recording, TraceEvent, Traced};

/// How a machine runs.
pub struct Options {
    /// Calls to functions of these names are the error, whether they have a body or not.
    pub error_functions: Vec<String>,
    /// Edges after which a run is stopped.
    pub steps: u64,
    /// Bytes of memory that objects may take.
    pub memory: u64,
    /// Depth of calls.
    pub depth: usize,
    /// Inputs after which a run is stopped.
    pub inputs: usize,
    /// Whether the path is recorded, and how many bytes the record may have.
    pub path: Option<usize>,
    /// Whether the steps are recorded with their values, and how many of them are kept.
    pub trace: Option<usize>,
    pub output: Sink,
}

/// Where the program's standard output goes.
pub enum Sink {
    Discard,
    /// To [`Run::output`].
    Collect,
    Write(Box<dyn Write + Send>),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            error_functions: vec!["reach_error".to_string(), "__VERIFIER_error".to_string()],
            steps: u64::MAX,
            memory: 1 << 30,
            depth: 200_000,
            inputs: 1 << 24,
            path: None,
            trace: None,
            output: Sink::Discard,
        }
    }
}

/// What a run was.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    pub end: End,
    /// Edges taken.
    pub steps: u64,
    pub coverage: Coverage,
    /// Present if [`Options::path`] asked for it.
    pub path: Option<Path>,
    /// Present if [`Options::trace`] asked for it.
    pub trace: Option<Recording>,
    /// Every input in the order it was asked for.
    pub inputs: Vec<Input>,
    /// The library functions whose results the run used though only a contract is known of them, or no more digits than the
    /// machine gives: the real library may be unable to return these values.
    pub library_values: Vec<FunctionId>,
    /// What was noted, in the order it happened.
    pub events: Vec<Event>,
    /// Standard output, with [`Sink::Collect`].
    pub output: Vec<u8>,
}

/// How a path ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// `main` returned this value.
    Returned(i64),
    /// `exit` was called.
    Exited(i32),
    /// An error function was called.
    ErrorReached {
        function: FunctionId,
        edge: EdgeId,
    },
    /// An `assert` failed.
    AssertFailed {
        edge: EdgeId,
    },
    /// `abort` was called, or a trap was reached.
    Aborted {
        edge: EdgeId,
    },
    /// `__VERIFIER_assume` was called with zero.
    AssumeViolated {
        edge: EdgeId,
    },
    Undefined {
        kind: Undefined,
        edge: EdgeId,
    },
    /// A step that is not modelled.
    Unsupported {
        what: Box<str>,
        edge: EdgeId,
    },
    Stopped(StopReason),
    StackOverflow {
        edge: EdgeId,
    },
    OutOfMemory {
        edge: EdgeId,
    },
    /// The program has no `main` with a body.
    NoEntry,
}

/// Undefined behaviour that ends a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Undefined {
    /// Through a pointer into the first page. `input`: the function without a body that may have returned it.
    NullPointer {
        input: Option<FunctionId>,
    },
    /// Through a pointer to no object.
    InvalidPointer {
        input: Option<FunctionId>,
    },
    /// Before the start or behind the end of an object.
    OutOfBounds {
        object: Place,
    },
    /// After `free`, or after the function has returned.
    DeadObject {
        object: Place,
    },
    WriteToReadOnly,
    DivisionByZero,
    DivisionOverflow,
    /// A call through a pointer to no function.
    BadFunctionPointer,
    /// A call with arguments of other kinds than the function expects.
    MismatchedCall,
    DoubleFree,
    /// `free` or `realloc` of something that is not the start of an allocated object.
    InvalidFree,
    /// `va_arg` or `printf` with no such argument.
    VariadicArgument,
    /// `__builtin_unreachable`
    Unreachable,
}

/// Which object an access was about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Place {
    Variable(VariableId),
    Heap,
    /// By `alloca`.
    Stack,
}

/// Something noted on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Event {
    pub kind: EventKind,
    pub edge: EdgeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum EventKind {
    /// A signed result wrapped around. Noted once in a run, like the next three.
    Overflow,
    /// A shift by a negative amount or by the width or more.
    Shift,
    /// A float did not fit an integer.
    FloatRange,
    /// The outcome depends on addresses.
    AddressObserved,
    /// Memory was read that was never written.
    Uninitialised(InputSource),
}

impl std::fmt::Display for Undefined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Undefined::NullPointer { input: None } => "null pointer",
            Undefined::NullPointer { input: Some(_) } => "null pointer, perhaps from a function without a body",
            Undefined::InvalidPointer { input: None } => "invalid pointer",
            Undefined::InvalidPointer { input: Some(_) } => "invalid pointer from a function without a body",
            Undefined::OutOfBounds { .. } => "access out of bounds",
            Undefined::DeadObject { object: Place::Heap } => "use after free",
            Undefined::DeadObject { .. } => "use of a variable after its function returned",
            Undefined::WriteToReadOnly => "write to a string literal",
            Undefined::DivisionByZero => "division by zero",
            Undefined::DivisionOverflow => "division overflow",
            Undefined::BadFunctionPointer => "call through a pointer to no function",
            Undefined::MismatchedCall => "call with arguments the function does not expect",
            Undefined::DoubleFree => "double free",
            Undefined::InvalidFree => "invalid free",
            Undefined::VariadicArgument => "no such variadic argument",
            Undefined::Unreachable => "reached what was promised to be unreachable",
        })
    }
}
