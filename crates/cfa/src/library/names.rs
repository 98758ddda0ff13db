//! Which function is modelled how, by its C name. Knows nothing of how a model is carried out.

use super::contract::contract;
use super::list::header;
use super::rounded_names::rounded;
use super::{Model, Output, Primitive, math_names, text_names};

/// The model of a library function, by its C name. Compiler builtins mean the function they are named after; the names with
/// `__tandem_` are how models call each other's functions. A function that the headers of the C library declare, and a
/// builtin, is an unmodelled step unless something better is known of it.
pub fn lookup(name: &str) -> Option<Model> {
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(Model::Primitive(Primitive::Nondet));
    }
    // The models have a name of their own for this: a program may define the usual one itself.
    if name == "__tandem_assume" {
        return Some(Model::Primitive(Primitive::Assume));
    }
    if let Some(operation) = rounded(name) {
        return Some(Model::Primitive(Primitive::Rounded(operation)));
    }
    let builtin = name.strip_prefix("__builtin_");
    let plain = builtin.or_else(|| name.strip_prefix("__tandem_")).unwrap_or(name);
    // These are names of builtins only: a function of the program may be called so.
    let of_program = name == plain && math_names::BUILTINS_ONLY.contains(&name);
    let modelled = if of_program { None } else { modelled(plain) };
    let bounded = || contract(name).or_else(|| contract(builtin?)).map(Primitive::Contract);
    modelled.or_else(|| bounded().or_else(|| unmodelled(name, plain)).map(Model::Primitive))
}

fn modelled(plain: &str) -> Option<Model> {
    control(plain)
        .or_else(|| memory(plain))
        .or_else(|| output(plain))
        .map(Model::Primitive)
        .or_else(|| text_names::text(plain).map(Model::Source))
        .or_else(|| text_names::wide(plain).map(Model::Source))
        .or_else(|| text_names::checked(plain).map(Model::Source))
        .or_else(|| text_names::number(plain).map(Model::Source))
        .or_else(|| text_names::character(plain).map(Model::Source))
        .or_else(|| text_names::other(plain).map(Model::Source))
        .or_else(|| math_names::floating(plain))
}

/// Functions of the library and builtins of the compiler of which nothing is known. That a name is forgotten in the tables above
/// makes it one of these.
fn unmodelled(name: &str, plain: &str) -> Option<Primitive> {
    let of_compiler = ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix));
    // The checked forms are declared by no header: the compiler makes them.
    let checked = plain.starts_with("__") && plain.ends_with("_chk");
    let listed = of_compiler || checked || name.starts_with(NOT_MODELLED) || header(name).is_some();
    (listed || OF_OTHER_VERSIONS.contains(&name)).then_some(Primitive::Unmodelled)
}

/// How a model says that it does not cover a call; the name of the function follows.
const NOT_MODELLED: &str = "__tandem_unmodelled_";

/// The function that the program calls, where a model says that it does not cover the call.
pub fn shown_name(name: &str) -> &str {
    name.strip_prefix(NOT_MODELLED).unwrap_or(name)
}

/// What the headers of other versions of the C library declare.
const OF_OTHER_VERSIONS: &[&str] = &[
    "setjmp",
    "sigsetjmp",
    "gets",
    "stat",
    "fstat",
    "lstat",
    "__xstat",
    "__fxstat",
    "__lxstat",
    "__xstat64",
    "__fxstat64",
    "__lxstat64",
    "__xmknod",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc99_sscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "__isoc23_sscanf",
    "__strtod_internal",
];

fn control(name: &str) -> Option<Primitive> {
    Some(match name {
        "__VERIFIER_assume" => Primitive::Assume,
        "__assert_fail"
        | "__assert"
        | "__assert_perror_fail"
        | "__assert_rtn"
        | "__assert_func"
        | "__tandem_assert_fail" => Primitive::AssertFail,
        "abort" => Primitive::Abort,
        "exit" | "_exit" | "_Exit" | "quick_exit" => Primitive::Exit,
        // Their first argument is the status.
        "err" | "errx" | "verr" | "verrx" => Primitive::Exit,
        "pthread_exit" | "thrd_exit" => Primitive::Unmodelled,
        "__chk_fail" | "__stack_chk_fail" | "__fortify_fail" => Primitive::Abort,
        _ => return None,
    })
}

fn memory(name: &str) -> Option<Primitive> {
    Some(match name {
        "malloc" => Primitive::Malloc,
        "calloc" => Primitive::Calloc,
        "realloc" => Primitive::Realloc,
        "free" | "cfree" => Primitive::Free,
        "memcpy" | "__memcpy" | "___memcpy_chk" => Primitive::MemCopy,
        "memmove" | "___memmove_chk" => Primitive::MemMove,
        "memset" | "___memset_chk" => Primitive::MemSet,
        _ => return None,
    })
}

fn output(name: &str) -> Option<Primitive> {
    use Output::*;
    let list = |output| Some(Primitive::PrintfList(output));
    let output = match name {
        "printf" => Stdout,
        "fprintf" => Stream,
        "sprintf" => Buffer,
        "snprintf" => BoundedBuffer,
        "asprintf" => Allocated,
        "vprintf" => return list(Stdout),
        "vfprintf" => return list(Stream),
        "vsprintf" => return list(Buffer),
        "vsnprintf" => return list(BoundedBuffer),
        "vasprintf" => return list(Allocated),
        "puts" => Line,
        "putchar" | "putchar_unlocked" | "fputc" | "putc" | "_IO_putc" | "fputc_unlocked" | "putc_unlocked" => {
            Character
        }
        "fputs" | "fputs_unlocked" => Text,
        "fwrite" | "fwrite_unlocked" => Block,
        "perror" => Message,
        _ => return None,
    };
    Some(Primitive::Printf(output))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Intrinsic;
    use crate::library::{model_names, source_of};

    #[test]
    fn every_model_has_a_text_that_defines_it() {
        for name in model_names() {
            let text = source_of(name).unwrap();
            assert!(text.contains(&format!("{name}(")) && text.trim_end().ends_with('}'), "{name}");
        }
        for name in ["strlen", "isinf", "__isinfl", "__builtin_strchr", "lroundf", "qsort", "__ctype_b_loc", "nanf"] {
            let Some(Model::Source(model)) = lookup(name) else { panic!("{name} has no C model") };
            assert!(source_of(model).is_some(), "{model}");
        }
    }

    #[test]
    fn names_and_their_variants() {
        assert_eq!(lookup("__isnanf"), Some(Model::Intrinsic(Intrinsic::IsNan)));
        assert_eq!(lookup("__builtin_memcpy"), Some(Model::Primitive(Primitive::MemCopy)));
        assert_eq!(lookup("ceil"), Some(Model::Intrinsic(Intrinsic::Ceil)));
        assert_eq!(lookup("modf"), Some(Model::Source("__tandem_modf")));
        assert_eq!(lookup("modff"), Some(Model::Source("__tandem_modff")));
        assert_eq!(lookup("kmalloc"), None);
        assert_eq!(lookup("inf"), None);
    }
}
