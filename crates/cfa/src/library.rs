//! The table of library functions: what a call to a function without a body means, the same for the interpreter and for
//! every analysis.
//!
//! A function that the program defines itself is never looked up here. A function without a body that is not in the
//! table returns any value of its type and changes no memory.

use crate::model::Intrinsic;

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
    /// `exit`, `_exit`, `_Exit`
    Exit,
    Malloc,
    Calloc,
    Realloc,
    Free,
    MemCopy,
    MemMove,
    MemSet,
    /// The `printf` family and other output: no effect on memory; the result is a count.
    Printf(Output),
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
    /// `puts`
    Line,
    /// `putchar`, `putc`, `fputc`
    Character,
    /// `fputs`: string, stream
    Text,
}

/// The model of a library function, by its C name.
pub fn lookup(name: &str) -> Option<Model> {
    use Intrinsic::*;
    use Primitive::*;
    let model = match name {
        "__VERIFIER_assume" => Model::Primitive(Assume),
        "__assert_fail" | "__assert" | "__assert_perror_fail" => Model::Primitive(AssertFail),
        "abort" | "__builtin_abort" => Model::Primitive(Abort),
        "exit" | "_exit" | "_Exit" | "__builtin_exit" => Model::Primitive(Exit),
        "malloc" | "__builtin_malloc" | "__kmalloc" => Model::Primitive(Malloc),
        "calloc" | "__builtin_calloc" => Model::Primitive(Calloc),
        "realloc" | "__builtin_realloc" => Model::Primitive(Realloc),
        "free" | "__builtin_free" => Model::Primitive(Free),
        "memcpy" | "__builtin_memcpy" => Model::Primitive(MemCopy),
        "memmove" | "__builtin_memmove" => Model::Primitive(MemMove),
        "memset" | "__builtin_memset" => Model::Primitive(MemSet),
        "fabs" | "fabsf" | "fabsl" => Model::Intrinsic(FloatAbs),
        "strlen" | "__builtin_strlen" => Model::Source("__tandem_strlen"),
        _ if name.starts_with("__VERIFIER_nondet_") => Model::Primitive(Nondet),
        _ => return None,
    };
    Some(model)
}

/// The C text of a model function and the other model functions it calls, for a data model; the text uses no
/// preprocessor and declares what it needs.
pub fn source_of(name: &str) -> Option<&'static str> {
    match name {
        "__tandem_strlen" => {
            Some("unsigned long __tandem_strlen(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; }\n")
        }
        _ => None,
    }
}
