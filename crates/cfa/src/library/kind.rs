//! What a call to a function is: one answer for the interpreter and for every analysis.

use tandem_base::IdVec;

use super::{Model, Primitive, lookup};
use crate::model::{FunctionId, Intrinsic, Program};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Body,
    /// A call is the error.
    Error,
    Library(Primitive),
    Intrinsic(Intrinsic),
    /// Another function's body stands for it.
    Model(FunctionId),
    /// In the table, but its C model is not part of the program.
    Missing,
    /// Any value of its type.
    Unknown,
}

impl Kind {
    /// The kinds of all functions; calls to functions of these names are the error, whether they have a body or not.
    pub fn of_all(program: &Program, error_functions: &[impl AsRef<str>]) -> IdVec<FunctionId, Kind> {
        program.functions.ids().map(|id| Kind::of(program, error_functions, id)).collect::<Vec<_>>().into()
    }

    fn of(program: &Program, error_functions: &[impl AsRef<str>], id: FunctionId) -> Kind {
        let function = &program.functions[id];
        if error_functions.iter().any(|name| name.as_ref() == &*function.name) {
            return Kind::Error;
        }
        if function.body.is_some() {
            return Kind::Body;
        }
        match lookup(&function.name) {
            Some(Model::Primitive(primitive)) => Kind::Library(primitive),
            Some(Model::Intrinsic(intrinsic)) => Kind::Intrinsic(intrinsic),
            Some(Model::Source(_)) => model_of(program, id).map_or(Kind::Missing, Kind::Model),
            None => Kind::Unknown,
        }
    }
}

/// The function whose body stands for a library function without one.
pub fn model_of(program: &Program, id: FunctionId) -> Option<FunctionId> {
    let function = &program.functions[id];
    match lookup(&function.name) {
        Some(Model::Source(name)) if function.body.is_none() => {
            program.function_named(name).filter(|id| program.functions[*id].body.is_some())
        }
        Some(_) | None => None,
    }
}
