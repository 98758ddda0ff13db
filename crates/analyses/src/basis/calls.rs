//! What a part of a program calls: functions without a body, allocation, errors. Calls through pointers go where the points-to analysis
//! says. Knows no expression but the callee.

use std::collections::BTreeSet;

use tandem_artifact::{AssumptionKind, ErrorCall};
use tandem_base::Span;
use tandem_cfa::library::{Kind, Output, Primitive};
use tandem_cfa::types::Type;
use tandem_cfa::{Builtin, Callee, EdgeId, FunctionId, Op, Program};

use super::ProgramPart;
use crate::LibraryValues;

#[derive(Default)]
pub(super) struct Calls {
    /// Functions without a body and without a model, by what is assumed about them, each with its first call.
    pub without_body: Vec<(AssumptionKind, Vec<(String, Span)>)>,
    /// The first call that allocates memory, if there is one.
    pub allocation: Option<Span>,
    /// Whether memory is accessed by what is called.
    pub access_memory: bool,
    /// Whether there is an error call, or an assertion that counts.
    pub can_err: bool,
}

impl Calls {
    pub fn of(part: &ProgramPart<'_>, error: &ErrorCall) -> Calls {
        let mut calls = Calls::default();
        let mut without_body: Vec<(FunctionId, Span)> = Vec::new();
        let mut known = BTreeSet::new();
        for edge in &part.edges {
            let Op::Call { callee, .. } = &part.program.edges[*edge].op else { continue };
            calls.access_memory |= matches!(callee, Callee::Builtin(Builtin::VaArg | Builtin::VaCopy));
            for function in callees(part, *edge, callee) {
                match part.kinds[function] {
                    Kind::Unknown | Kind::Library(Primitive::Contract(_)) => {
                        if known.insert(function) {
                            without_body.push((function, part.span(*edge)));
                        }
                    }
                    Kind::Library(primitive) => calls.add_primitive(primitive, part.span(*edge)),
                    Kind::Body | Kind::Error | Kind::Intrinsic(_) | Kind::Model(_) | Kind::Missing => {}
                }
                calls.can_err |= is_error(part.kinds[function], error);
            }
        }
        calls.group(part, without_body);
        calls
    }

    fn add_primitive(&mut self, primitive: Primitive, at: Span) {
        match primitive {
            Primitive::Malloc | Primitive::Calloc => self.allocate(at),
            Primitive::Realloc => {
                self.allocate(at);
                self.access_memory = true;
            }
            Primitive::Printf(Output::Allocated) | Primitive::PrintfList(Output::Allocated) => self.allocate(at),
            Primitive::Free
            | Primitive::MemCopy
            | Primitive::MemMove
            | Primitive::MemSet
            | Primitive::Printf(Output::Buffer | Output::BoundedBuffer)
            | Primitive::PrintfList(Output::Buffer | Output::BoundedBuffer) => self.access_memory = true,
            Primitive::Nondet
            | Primitive::Assume
            | Primitive::AssertFail
            | Primitive::Abort
            | Primitive::Exit
            | Primitive::Printf(_)
            | Primitive::PrintfList(_)
            | Primitive::Math(_)
            | Primitive::FusedMultiplyAdd
            | Primitive::Rounded(_)
            | Primitive::Contract(_)
            | Primitive::Unmodelled => {}
        }
    }

    /// The first allocation in the user's text is the one that is shown.
    fn allocate(&mut self, at: Span) {
        if self.allocation.is_none_or(|known| known.is_none()) {
            self.allocation = Some(at);
        }
    }

    fn group(&mut self, part: &ProgramPart<'_>, without_body: Vec<(FunctionId, Span)>) {
        let program = part.program;
        let mut users = Vec::new();
        let mut pointers = false;
        let mut library: Vec<(AssumptionKind, Vec<(String, Span)>)> = Vec::new();
        for (function, at) in without_body {
            let named = (program.functions[function].name.to_string(), at);
            match library_assumption(part, function) {
                Some(kind) => match library.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, group)) => group.push(named),
                    None => library.push((kind, vec![named])),
                },
                None => {
                    pointers |= returns_pointer(program, function);
                    users.push(named);
                }
            }
        }
        if !users.is_empty() {
            self.without_body.push((AssumptionKind::FunctionsWithoutBody { pointers }, users));
        }
        self.without_body.extend(library);
    }
}

/// What is assumed about a function of the C library of which only a contract is known; nothing if it is a function of the user.
fn library_assumption(part: &ProgramPart<'_>, function: FunctionId) -> Option<AssumptionKind> {
    match (part.kinds[function], part.library_values) {
        (Kind::Library(Primitive::Contract(_)), LibraryValues::Any) => Some(AssumptionKind::LibraryValues),
        (Kind::Library(Primitive::Contract(_)), LibraryValues::Contract) => Some(AssumptionKind::LibraryContracts),
        _ => None,
    }
}

fn returns_pointer(program: &Program, function: FunctionId) -> bool {
    match program.types.get(program.functions[function].ty) {
        Type::Function(ty) => program.types.pointee(ty.result).is_some(),
        _ => false,
    }
}

fn callees(part: &ProgramPart<'_>, edge: EdgeId, callee: &Callee) -> Vec<FunctionId> {
    match callee {
        Callee::Direct(function) => vec![*function],
        Callee::Pointer(_) => part.points_to.callees(edge).to_vec(),
        Callee::Builtin(_) => Vec::new(),
    }
}

fn is_error(kind: Kind, error: &ErrorCall) -> bool {
    match kind {
        Kind::Error => true,
        Kind::Library(Primitive::AssertFail) => error.includes_assert(),
        Kind::Body | Kind::Library(_) | Kind::Intrinsic(_) | Kind::Model(_) | Kind::Missing | Kind::Unknown => false,
    }
}

/// Whether the user's text knows an error function at all, if only by a declaration. A call under a condition that is constant leaves no edge,
/// so without an edge there may still be a call.
pub(super) fn knows_error(part: &ProgramPart<'_>, error: &ErrorCall) -> bool {
    let mut functions = part.program.functions.enumerate();
    functions.any(|(id, function)| !function.is_library && is_error(part.kinds[id], error))
}
