//! What a function without a body means as the program declares it: one of the library's, or one of the user's that has its
//! name only.

use tandem_syntax::types::{Type, TypeId, Types};

use super::list::{Header, ResultKind, header, is_builtin};
use super::rounded_names::{SET_ROUNDING, rounded_intrinsic};
use super::{EXIT_BEHIND_HANDLERS, Model, Output, Primitive, lookup};
use crate::model::Intrinsic;

/// What a program does with the library that changes what other functions of the library mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LibraryUse {
    /// A text of the program makes output functions write through their arguments, see [`writes_counts`].
    pub writes_counts: bool,
    /// It sets a rounding mode. What rounds is replaced where it is called by its name; through a pointer it is not modelled.
    pub sets_rounding: bool,
    /// It registers functions that are called at its end.
    pub registers_handlers: bool,
}

impl LibraryUse {
    /// What the functions of a program and its texts say.
    pub(crate) fn of(source: &[u8], has_body: impl Fn(&str) -> bool) -> LibraryUse {
        LibraryUse {
            writes_counts: writes_counts(source),
            sets_rounding: has_body(SET_ROUNDING),
            registers_handlers: has_body(EXIT_BEHIND_HANDLERS),
        }
    }

    /// What a function of the library means in such a program.
    fn apply(self, name: &str, model: Model) -> Model {
        let unmodelled = Model::Primitive(Primitive::Unmodelled);
        match model {
            _ if self.writes_counts && is_formatted(name, model) => unmodelled,
            Model::Primitive(Primitive::Exit) if self.registers_handlers && runs_handlers(name) => {
                Model::Source(EXIT_BEHIND_HANDLERS)
            }
            Model::Primitive(Primitive::FusedMultiplyAdd) if self.sets_rounding => unmodelled,
            Model::Intrinsic(intrinsic) if self.sets_rounding && rounded_intrinsic(name, intrinsic).is_some() => {
                unmodelled
            }
            _ => model,
        }
    }
}

/// Whether a function that ends the program calls the functions that are registered before.
fn runs_handlers(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").or_else(|| name.strip_prefix("__tandem_")).unwrap_or(name);
    !matches!(plain, "_exit" | "_Exit" | "quick_exit")
}

/// The model of a function that the program declares and does not define.
pub fn lookup_declared(types: &Types, name: &str, ty: TypeId, uses: LibraryUse) -> Option<Model> {
    let model = lookup(name)?;
    let fit = match (header(name), types.get(ty)) {
        (Some(header), Type::Function(_)) => fit(types, header, ty),
        _ => Fit::Same,
    };
    match fit {
        Fit::Same => Some(uses.apply(name, model)),
        Fit::Mistaken => Some(Model::Primitive(Primitive::Unmodelled)),
        Fit::Other => None,
    }
}

/// How a declaration in the program compares to the header's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    Same,
    /// Without a prototype, and with another kind of result: what a call gives is not what the function returns.
    Mistaken,
    /// Another function of the same name.
    Other,
}

fn fit(types: &Types, header: Header, ty: TypeId) -> Fit {
    let Type::Function(function) = types.get(ty) else { return Fit::Same };
    let result = match types.get(function.result) {
        Type::Void => ResultKind::Nothing,
        Type::Bool | Type::Int(_) => ResultKind::Integer,
        Type::Float(_) => ResultKind::Real,
        Type::Pointer(_) => ResultKind::Pointer,
        Type::Array { .. } | Type::Record(_) | Type::Function(_) | Type::Unsupported(_) => ResultKind::Other,
    };
    use ResultKind::{Integer, Nothing, Other, Pointer};
    // An integer as wide as a pointer loses nothing of it.
    let is_wide = types.size(function.result) == Some(types.model().pointer_size());
    let same_result = match (header.result, result) {
        (Pointer, Integer) if is_wide => true,
        // That nothing is returned, or that it is an `int` by default, is what old programs say of many functions.
        (Nothing | Integer, Nothing | Integer) | (Other, _) => true,
        (one, other) => one == other || other == Nothing,
    };
    if function.unprototyped {
        return if same_result { Fit::Same } else { Fit::Mistaken };
    }
    let count = function.parameters.len();
    let same_parameters = match header.variadic {
        true => count >= header.parameters,
        false => count == header.parameters && !function.variadic,
    };
    if same_result && same_parameters { Fit::Same } else { Fit::Other }
}

/// Whether a function with the prefix of the compiler's builtins, or without it, is known to the compiler as a builtin: its
/// type is known without a declaration.
pub fn is_builtin_function(name: &str) -> bool {
    is_builtin(&format!("__builtin_{name}"))
}

/// Whether the function writes formatted text.
fn is_formatted(name: &str, model: Model) -> bool {
    let formats = |output| match output {
        Output::Stdout | Output::Stream | Output::Buffer | Output::BoundedBuffer | Output::Allocated => true,
        Output::Line | Output::Character | Output::Text | Output::Block | Output::Message => false,
    };
    match model {
        Model::Primitive(Primitive::Printf(output) | Primitive::PrintfList(output)) => formats(output),
        Model::Primitive(Primitive::Contract(_)) | Model::Source(_) => {
            let words = ["printf", "syslog", "warn", "error"];
            !name.contains("strerror") && words.iter().any(|word| name.contains(word))
        }
        Model::Primitive(_) | Model::Intrinsic(_) => false,
    }
}

/// Whether a text of the program has a conversion `%n`, by which output functions write through an argument. Texts that
/// stand one behind the other are one; a `%` as an escape counts as one.
pub fn writes_counts(source: &[u8]) -> bool {
    let (mut at, mut in_text, mut in_conversion) = (0, false, false);
    while at < source.len() {
        let byte = source[at];
        at += 1;
        match (in_text, byte) {
            (false, b'"') => in_text = true,
            (false, b'\'') => at = after_character(source, at),
            (false, byte) if byte.is_ascii_whitespace() || byte == b'L' => {}
            (false, _) => in_conversion = false,
            (true, b'"') => in_text = false,
            (true, b'\\') => {
                let percent = ["x25", "45", "045"].iter().any(|code| source[at..].starts_with(code.as_bytes()));
                in_conversion = percent;
                at += if percent { if source[at] == b'4' { 2 } else { 3 } } else { 1 };
            }
            (true, b'%') => in_conversion = !in_conversion,
            (true, b'n') if in_conversion => return true,
            (true, b'0'..=b'9' | b'.' | b'*' | b'$' | b'\'' | b'+' | b'#' | b'-' | b' ' | b'I') => {}
            (true, b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q') => {}
            (true, _) => in_conversion = false,
        }
    }
    false
}

/// Behind a character constant.
fn after_character(source: &[u8], mut at: usize) -> usize {
    while at < source.len() && source[at] != b'\'' && source[at] != b'\n' {
        at += if source[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Whether a call may leave another number in `errno`. Models that set it themselves are not meant.
pub fn may_change_errno(name: &str, model: Model) -> bool {
    const MODELS: [&str; 13] = [
        "remquo",
        "ldexp",
        "scalb",
        "nextafter",
        "nextup",
        "nextdown",
        "logb",
        "fdim",
        "lrint",
        "lround",
        "clock_gettime",
        "setvbuf",
        "error",
    ];
    match model {
        Model::Primitive(Primitive::Contract(contract)) => contract.sets_errno,
        Model::Primitive(Primitive::Printf(_) | Primitive::PrintfList(_) | Primitive::Math(_)) => true,
        Model::Primitive(_) => false,
        Model::Intrinsic(intrinsic) => {
            matches!(intrinsic, Intrinsic::SquareRoot | Intrinsic::FloatMod | Intrinsic::FloatRemainder)
        }
        Model::Source(_) => MODELS.iter().any(|part| name.contains(part)),
    }
}
