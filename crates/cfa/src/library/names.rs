//! Which function is modelled how, by its C name. Knows nothing of how a model is carried out.

use super::{Math, Model, Output, Primitive};
use crate::model::Intrinsic;

/// The model of a library function, by its C name. Compiler builtins mean the function they are named after; the names with
/// `__tandem_` are how models call each other's functions.
pub fn lookup(name: &str) -> Option<Model> {
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(Model::Primitive(Primitive::Nondet));
    }
    // The models have a name of their own for this: a program may define the usual one itself.
    if name == "__tandem_assume" {
        return Some(Model::Primitive(Primitive::Assume));
    }
    let plain = name.strip_prefix("__builtin_").or_else(|| name.strip_prefix("__tandem_")).unwrap_or(name);
    control(plain)
        .or_else(|| memory(plain))
        .or_else(|| output(plain))
        .map(Model::Primitive)
        .or_else(|| text(plain).map(Model::Source))
        .or_else(|| number(plain).map(Model::Source))
        .or_else(|| character(plain).map(Model::Source))
        .or_else(|| floating(plain))
        .or_else(|| unmodelled(plain).map(Model::Primitive))
}

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
        _ => return None,
    })
}

/// Functions that jump, call back, start something or write through their pointers.
const UNMODELLED: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "atexit",
    "on_exit",
    "signal",
    "sigaction",
    "fork",
    "vfork",
    "clone",
    "pthread_create",
    "thrd_create",
    "qsort",
    "bsearch",
    "call_once",
    "pthread_once",
    "swapcontext",
    "setcontext",
    "scanf",
    "fscanf",
    "sscanf",
    "vscanf",
    "vfscanf",
    "vsscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc99_sscanf",
    "gets",
    "fgets",
    "fread",
    "read",
    "recv",
    "getline",
    "getdelim",
    "getcwd",
    "realpath",
    "strtod",
    "strtof",
    "strtold",
    "frexp",
    "frexpf",
    "frexpl",
    "remquo",
    "strtok_r",
    "strsep",
    "strftime",
    "localtime_r",
    "gmtime_r",
    "gettimeofday",
];

fn unmodelled(name: &str) -> Option<Primitive> {
    UNMODELLED.contains(&name).then_some(Primitive::Unmodelled)
}

fn memory(name: &str) -> Option<Primitive> {
    Some(match name {
        "malloc" => Primitive::Malloc,
        "calloc" => Primitive::Calloc,
        "realloc" => Primitive::Realloc,
        "free" | "cfree" => Primitive::Free,
        // The checked forms have the object's size as one more argument, which changes nothing here.
        "memcpy" | "__memcpy" | "__memcpy_chk" | "___memcpy_chk" => Primitive::MemCopy,
        "memmove" | "__memmove_chk" | "___memmove_chk" => Primitive::MemMove,
        "memset" | "__memset_chk" | "___memset_chk" => Primitive::MemSet,
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

/// Strings and memory blocks.
fn text(name: &str) -> Option<&'static str> {
    Some(match name {
        "strlen" => "__tandem_strlen",
        "strnlen" => "__tandem_strnlen",
        "strcpy" => "__tandem_strcpy",
        "stpcpy" => "__tandem_stpcpy",
        "strncpy" => "__tandem_strncpy",
        "strcat" => "__tandem_strcat",
        "strncat" => "__tandem_strncat",
        "strcmp" | "strcoll" => "__tandem_strcmp",
        "strncmp" => "__tandem_strncmp",
        "strcasecmp" => "__tandem_strcasecmp",
        "strncasecmp" => "__tandem_strncasecmp",
        "strchr" | "index" => "__tandem_strchr",
        "strchrnul" => "__tandem_strchrnul",
        "strrchr" | "rindex" => "__tandem_strrchr",
        "strstr" => "__tandem_strstr",
        "strspn" => "__tandem_strspn",
        "strcspn" => "__tandem_strcspn",
        "strpbrk" => "__tandem_strpbrk",
        "strtok" => "__tandem_strtok",
        "strdup" | "__strdup" => "__tandem_strdup",
        "strndup" | "__strndup" => "__tandem_strndup",
        "memcmp" | "bcmp" => "__tandem_memcmp",
        "memchr" => "__tandem_memchr",
        "memrchr" => "__tandem_memrchr",
        "mempcpy" => "__tandem_mempcpy",
        "bzero" => "__tandem_bzero",
        "bcopy" => "__tandem_bcopy",
        "aligned_alloc" | "memalign" => "__tandem_aligned_alloc",
        "posix_memalign" => "__tandem_posix_memalign",
        "reallocarray" => "__tandem_reallocarray",
        "__errno_location" => "__tandem_errno_location",
        "assert" => "__tandem_assert",
        "qsort" => "__tandem_qsort",
        "bsearch" => "__tandem_bsearch",
        _ => return None,
    })
}

fn number(name: &str) -> Option<&'static str> {
    Some(match name {
        "strtol" | "__strtol_internal" | "__isoc23_strtol" => "__tandem_strtol",
        "strtoll" | "strtoq" | "__isoc23_strtoll" => "__tandem_strtoll",
        "strtoul" | "__strtoul_internal" | "__isoc23_strtoul" => "__tandem_strtoul",
        "strtoull" | "strtouq" | "__isoc23_strtoull" => "__tandem_strtoull",
        "atoi" => "__tandem_atoi",
        "atol" => "__tandem_atol",
        "atoll" => "__tandem_atoll",
        "abs" => "__tandem_abs",
        "labs" => "__tandem_labs",
        "llabs" => "__tandem_llabs",
        _ => return None,
    })
}

fn character(name: &str) -> Option<&'static str> {
    Some(match name {
        "isupper" => "__tandem_isupper",
        "islower" => "__tandem_islower",
        "isdigit" => "__tandem_isdigit",
        "isalpha" => "__tandem_isalpha",
        "isalnum" => "__tandem_isalnum",
        "isspace" => "__tandem_isspace",
        "isblank" => "__tandem_isblank",
        "iscntrl" => "__tandem_iscntrl",
        "isprint" => "__tandem_isprint",
        "isgraph" => "__tandem_isgraph",
        "ispunct" => "__tandem_ispunct",
        "isxdigit" => "__tandem_isxdigit",
        "isascii" => "__tandem_isascii",
        "toupper" => "__tandem_toupper",
        "tolower" => "__tandem_tolower",
        "__ctype_b_loc" => "__tandem_ctype_b_loc",
        "__ctype_toupper_loc" => "__tandem_ctype_toupper_loc",
        "__ctype_tolower_loc" => "__tandem_ctype_tolower_loc",
        _ => return None,
    })
}

/// The functions of `math.h`: a stem, and a suffix for `double`, `float` or `long double`.
fn floating(name: &str) -> Option<Model> {
    let stem = name.strip_prefix("__").unwrap_or(name);
    if let Some(model) = floating_stem(stem, 0) {
        return Some(model);
    }
    match stem.as_bytes().last()? {
        b'f' => floating_stem(&stem[..stem.len() - 1], 1),
        b'l' => floating_stem(&stem[..stem.len() - 1], 2),
        _ => None,
    }
}

/// `width`: 0 for `double`, 1 for `float`, 2 for `long double`.
fn floating_stem(stem: &str, width: usize) -> Option<Model> {
    if let Some(intrinsic) = intrinsic(stem) {
        return Some(Model::Intrinsic(intrinsic));
    }
    if let Some(math) = math(stem) {
        return Some(Model::Primitive(Primitive::Math(math)));
    }
    let names = match stem {
        "isinf" | "isinf_sign" => ["__tandem_isinf", "__tandem_isinff", "__tandem_isinfl"],
        "fpclassify" => ["__tandem_fpclassify", "__tandem_fpclassifyf", "__tandem_fpclassifyl"],
        "fdim" => ["__tandem_fdim", "__tandem_fdimf", "__tandem_fdiml"],
        "modf" => ["__tandem_modf", "__tandem_modff", "__tandem_modfl"],
        "lrint" => ["__tandem_lrint", "__tandem_lrintf", "__tandem_lrintl"],
        "llrint" => ["__tandem_llrint", "__tandem_llrintf", "__tandem_llrintl"],
        "lround" => ["__tandem_lround", "__tandem_lroundf", "__tandem_lroundl"],
        "llround" => ["__tandem_llround", "__tandem_llroundf", "__tandem_llroundl"],
        "huge_val" | "inf" => ["__tandem_huge_val", "__tandem_huge_valf", "__tandem_huge_vall"],
        "nan" => ["__tandem_nan", "__tandem_nanf", "__tandem_nanl"],
        _ => return None,
    };
    Some(Model::Source(names[width]))
}

fn intrinsic(stem: &str) -> Option<Intrinsic> {
    Some(match stem {
        "isnan" => Intrinsic::IsNan,
        "isfinite" | "finite" => Intrinsic::IsFinite,
        "isnormal" => Intrinsic::IsNormal,
        "signbit" => Intrinsic::SignBit,
        "fabs" => Intrinsic::FloatAbs,
        "copysign" => Intrinsic::CopySign,
        "sqrt" => Intrinsic::SquareRoot,
        "floor" => Intrinsic::Floor,
        "ceil" => Intrinsic::Ceil,
        "trunc" => Intrinsic::Trunc,
        "round" => Intrinsic::Round,
        "rint" | "nearbyint" | "roundeven" => Intrinsic::RoundEven,
        "fmin" => Intrinsic::FloatMin,
        "fmax" => Intrinsic::FloatMax,
        "fmod" => Intrinsic::FloatMod,
        "remainder" | "drem" => Intrinsic::FloatRemainder,
        _ => return None,
    })
}

fn math(stem: &str) -> Option<Math> {
    Some(match stem {
        "sin" => Math::Sin,
        "cos" => Math::Cos,
        "tan" => Math::Tan,
        "asin" => Math::Asin,
        "acos" => Math::Acos,
        "atan" => Math::Atan,
        "atan2" => Math::Atan2,
        "sinh" => Math::Sinh,
        "cosh" => Math::Cosh,
        "tanh" => Math::Tanh,
        "asinh" => Math::Asinh,
        "acosh" => Math::Acosh,
        "atanh" => Math::Atanh,
        "exp" => Math::Exp,
        "exp2" => Math::Exp2,
        "expm1" => Math::ExpMinus1,
        "log" => Math::Log,
        "log2" => Math::Log2,
        "log10" => Math::Log10,
        "log1p" => Math::Log1Plus,
        "pow" => Math::Power,
        "cbrt" => Math::CubeRoot,
        "hypot" => Math::Hypotenuse,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(lookup("rand"), None);
    }

    #[test]
    fn the_models_are_c() {
        let text: String = model_names().filter_map(source_of).collect();
        for model in ["-m32", "-m64"] {
            let mut compiler = std::process::Command::new("gcc");
            compiler.args([
                "-std=gnu11",
                "-fsyntax-only",
                "-Wall",
                "-Werror",
                "-Wno-unused-parameter",
                model,
                "-x",
                "c",
                "-",
            ]);
            let mut child = compiler.stdin(std::process::Stdio::piped()).spawn().expect("gcc");
            std::io::Write::write_all(child.stdin.as_mut().unwrap(), text.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success());
        }
    }
}
