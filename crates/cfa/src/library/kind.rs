//! What a call to a function is: one answer for the interpreter and for every analysis.

use tandem_base::IdVec;

use super::{Model, Primitive, lookup_declared, may_change_errno};
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
        match model(program, id) {
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
    match model(program, id) {
        Some(Model::Source(name)) if function.body.is_none() => {
            program.function_named(name).filter(|id| program.functions[*id].body.is_some())
        }
        Some(_) | None => None,
    }
}

/// The model of a function as the program declares it, whether it has a body or not.
pub fn model(program: &Program, id: FunctionId) -> Option<Model> {
    let function = &program.functions[id];
    lookup_declared(&program.types, &function.name, function.ty, program.library_use)
}

/// Whether the call of a function through a pointer may change `errno` in a way that no step of the program says: lowering adds that step
/// only where the function is named. Such a call is not modelled in a program that looks at `errno`.
pub fn changes_errno_unseen(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    function.body.is_none() && model(program, id).is_some_and(|model| may_change_errno(&function.name, model))
}
