//! The table of library functions: what a call to a function without a body means, the same for the interpreter and for
//! every analysis.
//!
//! A function that the program defines itself is never looked up here. Of the functions that the headers of the C library
//! declare (`libc.txt`) and of the builtins of the compiler (`builtins.txt`), each is modelled; or has a contract
//! ([`Contract`]): it returns a value in a range and writes no memory that the program can see; or never returns; or, if nothing
//! is said of it, is a step that is not modelled ([`Primitive::Unmodelled`]). Every other function without a body is one of the
//! user's: it returns any value of its type and changes no memory. So is a function that is called like one of the library
//! and is declared in a way that cannot be meant so. The allocator of an operating system's kernel is such a function too.

mod contract;
mod declared;
mod kind;
mod list;
mod math_names;
mod names;
mod rounded_names;
mod source;
#[cfg(test)]
mod tests;
mod text_names;

pub(crate) use contract::ERRNO_VARIABLE;
pub use contract::{ANY_ERRNO, ANYTHING, Contract};
pub use declared::{LibraryUse, is_builtin_function, lookup_declared, may_change_errno, writes_counts};
pub use kind::{Kind, changes_errno_unseen, model, model_of};
pub use names::{lookup, shown_name};
pub use rounded_names::ROUNDING_MODE;
pub(crate) use rounded_names::{rounded_intrinsic, rounded_name};
pub use source::{model_names, source_of};

use crate::model::Intrinsic;
use crate::semantics::RoundedOperation;

/// The model of the arguments of `main`, which is called where `main` begins: `argc` and `argv` in, `argv` out. It ends
/// the path if `argc` is below one. Up to eight arguments of less than 16 bytes lie in objects of their own, with any content; for more or
/// longer ones the pointer that `main` got stays, which points to nothing that is known.
pub const ARGUMENTS: &str = "__tandem_arguments";

/// The variable that chooses between the two.
pub const LONG_ARGUMENTS: &str = "__tandem_arguments_are_long";

/// What `exit` means in a program that calls `atexit`: a function of the model of that.
pub(crate) const EXIT_BEHIND_HANDLERS: &str = "__tandem_exit_behind_handlers";

/// What happens where `main` returns in such a program.
pub(crate) const RUN_EXIT_HANDLERS: &str = "__tandem_run_exit_handlers";

/// What a library function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Pure, and an expression: lowering replaces the call by an assignment.
    Intrinsic(Intrinsic),
    /// Written in C, see [`source_of`]: lowering calls the model function of this name instead.
    Source(&'static str),
    /// Carried out by whoever runs the edge.
    Primitive(Primitive),
}

/// Library functions that are carried out natively.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Primitive {
    /// `__VERIFIER_nondet_*`: an input of the program, of the function's result type.
    Nondet,
    /// `__VERIFIER_assume`: the path ends if the argument is zero.
    Assume,
    /// `__assert_fail` and friends: a failed `assert`.
    AssertFail,
    /// `abort`
    Abort,
    /// `exit`, `_exit`, `_Exit`, `err` and the like: the first argument is the status.
    Exit,
    /// Never fails: where memory runs out, the path ends.
    Malloc,
    Calloc,
    Realloc,
    Free,
    MemCopy,
    MemMove,
    MemSet,
    /// The `printf` family and other output: no effect on memory (buffers apart); the result is a count.
    Printf(Output),
    /// The same with a `va_list` in place of the arguments.
    PrintfList(Output),
    /// A transcendental function. The interpreter computes it with the machine's library, in `double` for wider types;
    /// no analysis may take the last bits of the result for granted.
    Math(Math),
    /// `fma`, with one rounding, to nearest.
    FusedMultiplyAdd,
    /// A float operation in the rounding mode that is the first argument. Lowering makes such calls in programs that set a mode.
    Rounded(RoundedOperation),
    /// Nothing but a contract is known: a value in a range, no effect on memory. (That `errno` may change is a step of its own,
    /// which lowering makes.)
    Contract(Contract),
    /// A function of the C library that may do anything, and is not modelled: an unsupported step.
    Unmodelled,
}

/// Where an output function writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Output {
    /// `printf`, `vprintf`: format, arguments
    Stdout,
    /// `fprintf`: stream, format, arguments
    Stream,
    /// `sprintf`: buffer, format, arguments
    Buffer,
    /// `snprintf`: buffer, size, format, arguments
    BoundedBuffer,
    /// `asprintf`: pointer to where the new buffer goes, format, arguments
    Allocated,
    /// `puts`
    Line,
    /// `putchar`, `putc`, `fputc`: character, stream if not standard output
    Character,
    /// `fputs`: string, stream
    Text,
    /// `fwrite`: data, size, count, stream
    Block,
    /// `perror`: only standard error gets something
    Message,
}

/// Transcendental functions, one or two floats to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Math {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    ExpMinus1,
    Log,
    Log2,
    Log10,
    Log1Plus,
    Power,
    CubeRoot,
    Hypotenuse,
}
