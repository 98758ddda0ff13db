//! The functions that a program only declares, as C for the tool that is to run it: where inputs come from, what an error is, where a path
//! ends. Written behind the program's text, so that the program's own types can be named.

use std::fmt::Write;

use tandem_cfa::library::{self, LibraryUse, Model, Primitive};
use tandem_cfa::types::{FloatKind, Type, TypeId};
use tandem_cfa::{Function, Program, Scalar, Variable, VariableKind};
use tandem_coop::outside::{Order, size_of_input};

/// What a function without a body stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Error,
    /// The path ends if the argument is zero.
    Assume,
    /// The path ends.
    Leave,
    /// Any value of a scalar type.
    Input(Scalar),
    /// Returns nothing that matters, or a record.
    Nothing,
    /// The tool, or the C library, has it.
    Library,
}

/// How a tool wants to be told.
pub struct Dialect {
    /// Statements for a call of an error function, and for the end of a path.
    pub error: &'static str,
    pub leave: &'static str,
    /// The body of a function that returns an input; `None` if the tool knows what to do.
    pub input: Option<fn(scalar: Scalar, size: usize) -> String>,
}

/// The functions of the program that have no body, with what they stand for.
pub fn declared<'a>(order: &Order<'a>) -> Vec<(&'a Function, Role)> {
    let program = order.program;
    let open = program.functions.iter().filter(|function| function.body.is_none() && !is_reserved(&function.name));
    open.map(|function| (function, role(order, function))).collect()
}

fn is_reserved(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_", "__tandem_"].iter().any(|prefix| name.starts_with(prefix))
}

fn role(order: &Order<'_>, function: &Function) -> Role {
    if order.errors.iter().any(|name| **name == *function.name) {
        return Role::Error;
    }
    match library::lookup_declared(&order.program.types, &function.name, function.ty, LibraryUse::default()) {
        Some(Model::Primitive(Primitive::Assume)) => Role::Assume,
        Some(Model::Primitive(Primitive::Abort | Primitive::Exit | Primitive::AssertFail)) => Role::Leave,
        Some(Model::Primitive(Primitive::Nondet | Primitive::Contract(_))) | None => {
            match (function.is_noreturn, result(order.program, function)) {
                (true, _) => Role::Leave,
                (false, Some(scalar)) => Role::Input(scalar),
                (false, None) => Role::Nothing,
            }
        }
        Some(Model::Primitive(_) | Model::Intrinsic(_) | Model::Source(_)) => Role::Library,
    }
}

fn result(program: &Program, function: &Function) -> Option<Scalar> {
    match program.types.get(function.ty) {
        Type::Function(signature) => program.types.scalar(signature.result),
        _ => None,
    }
}

/// The definitions.
pub fn definitions(order: &Order<'_>, dialect: &Dialect) -> String {
    let mut text = String::new();
    for (function, role) in declared(order) {
        let body = match role {
            Role::Error => dialect.error.to_string(),
            Role::Leave => dialect.leave.to_string(),
            Role::Assume => format!("if (!p0) {{ {} }}", dialect.leave),
            Role::Input(scalar) => match dialect.input {
                Some(input) => input(scalar, size_of_input(scalar, order.program.model())),
                None => continue,
            },
            Role::Nothing if dialect.input.is_some() => nothing(order.program, function),
            Role::Nothing | Role::Library => continue,
        };
        if let Some(head) = head(order.program, function, role == Role::Assume) {
            let _ = writeln!(text, "{head} {{ {body} }}");
        }
    }
    text
}

/// The head of a definition that agrees with the declaration. One that says nothing about parameters is given one, if need be.
fn head(program: &Program, function: &Function, has_parameter: bool) -> Option<String> {
    let Type::Function(signature) = program.types.get(function.ty) else { return None };
    let named = |(index, ty): (usize, &TypeId)| program.types.declare(*ty, &format!("p{index}"));
    let mut parameters: Vec<String> = signature.parameters.iter().enumerate().map(named).collect();
    if signature.variadic && !parameters.is_empty() {
        parameters.push("...".into());
    }
    let parameters = match (parameters.is_empty(), signature.unprototyped) {
        (true, true) if has_parameter => "p0".to_string(),
        (true, true) => String::new(),
        (true, false) => "void".to_string(),
        (false, _) => parameters.join(", "),
    };
    let head = program.types.declare(signature.result, &format!("{}({parameters})", function.name));
    Some(if parameters == "p0" { format!("{head} int p0;") } else { head })
}

/// A record of zeros, if there is something to return.
fn nothing(program: &Program, function: &Function) -> String {
    match program.types.get(function.ty) {
        Type::Function(signature) if !matches!(program.types.get(signature.result), Type::Void) => {
            format!("static {}; return zero;", program.types.declare(signature.result, "zero"))
        }
        _ => String::new(),
    }
}

/// An unsigned or signed type of exactly this size, on every machine.
pub fn exact(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "unsigned char",
        Scalar::Float(FloatKind::Single) => "float",
        Scalar::Float(FloatKind::Double) => "double",
        Scalar::Float(FloatKind::Extended) => "long double",
        Scalar::Float(FloatKind::Quad) => "__float128",
        Scalar::Pointer { bits: 32 } => "unsigned int",
        Scalar::Pointer { .. } => "unsigned long long",
        Scalar::Int { bits, signed } => match (bits, signed) {
            (..=8, true) => "signed char",
            (..=8, false) => "unsigned char",
            (9..=16, true) => "short",
            (9..=16, false) => "unsigned short",
            (17..=32, true) => "int",
            (17..=32, false) => "unsigned int",
            (33..=64, true) => "long long",
            (33..=64, false) => "unsigned long long",
            (_, true) => "__int128",
            (_, false) => "unsigned __int128",
        },
    }
}

/// How a value that was read becomes the result.
pub fn returned(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "return value & 1;",
        Scalar::Pointer { .. } => "return (void *)(unsigned long)value;",
        Scalar::Int { .. } | Scalar::Float(_) => "return value;",
    }
}

/// Objects that are declared and defined nowhere, as definitions.
pub fn objects(program: &Program) -> String {
    const OF_THE_LIBRARY: [&str; 8] = ["stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt"];
    let open = program
        .variables
        .iter()
        .filter(|variable| variable.kind == VariableKind::External && !OF_THE_LIBRARY.contains(&&*variable.name));
    let definition = |variable: &Variable| match program.types.size(variable.ty) {
        Some(_) => format!("{};\n", program.types.declare(variable.ty, &variable.name)),
        // Of a type that nobody knows: all that can be asked for is its address.
        None => format!("__asm__(\".comm {},4096,16\");\n", variable.name),
    };
    open.map(definition).collect()
}
