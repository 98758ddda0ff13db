//! What calls do: arguments and results, functions of the library, variadic arguments. Which functions a pointer calls is
//! found out on the way.

use super::Site;
use super::nodes::Node;
use super::objects::*;
use super::solve::{Solver, Use};
use super::values::{Base, Spot};
use crate::library::{self, Model, Output, Primitive};
use crate::model::*;

/// What a call of a function means.
pub(super) enum Meaning {
    Body(FunctionId),
    Primitive(Primitive),
    Intrinsic,
    /// Any value, and no effect.
    Unknown,
}

/// What a call of the function means; `find` looks up a function by its name.
pub(super) fn meaning(program: &Program, function: FunctionId, find: impl Fn(&str) -> Option<FunctionId>) -> Meaning {
    let callee = &program.functions[function];
    if callee.body.is_some() {
        return Meaning::Body(function);
    }
    match library::model(program, function) {
        Some(Model::Source(name)) => match find(name).filter(|id| program.functions[*id].body.is_some()) {
            Some(model) => Meaning::Body(model),
            None => Meaning::Unknown,
        },
        Some(Model::Primitive(primitive)) => Meaning::Primitive(primitive),
        Some(Model::Intrinsic(_)) => Meaning::Intrinsic,
        None => Meaning::Unknown,
    }
}

impl Solver<'_> {
    pub fn call_edge(&mut self, edge: EdgeId, callee: &Callee) {
        match callee {
            Callee::Direct(function) => self.call(edge, *function),
            Callee::Pointer(pointer) => {
                if let Some(node) = self.exprs[*pointer] {
                    self.add_use(node, Use::Call { edge });
                }
            }
            Callee::Builtin(builtin) => self.builtin(edge, *builtin),
        }
    }

    /// The call may go to the function.
    pub fn call(&mut self, edge: EdgeId, function: FunctionId) {
        if !self.called.insert((edge, function)) {
            return;
        }
        let Op::Call { arguments, result, .. } = &self.program.edges[edge].op else { return };
        match meaning(self.program, function, |name| self.names.get(name).copied()) {
            Meaning::Body(body) => self.bind(body, arguments, *result),
            Meaning::Primitive(primitive) => self.primitive(edge, primitive, arguments, *result),
            Meaning::Intrinsic => {
                for argument in arguments {
                    self.result_is(*result, *argument);
                }
            }
            Meaning::Unknown => self.result_unknown(*result),
        }
    }

    fn bind(&mut self, function: FunctionId, arguments: &[ExprId], result: Option<PlaceId>) {
        self.reach(function);
        let Some(body) = &self.program.functions[function].body else { return };
        for (number, argument) in arguments.iter().enumerate() {
            let object = match body.parameters.get(number) {
                Some(parameter) => self.variable(*parameter),
                None => self.arguments_of(function),
            };
            self.pass(*argument, object);
        }
        if let Some(place) = result {
            let object = self.result_of(function);
            self.fetch(object, place);
        }
    }

    /// The object that holds the variadic arguments of all calls of a function, one on top of the other.
    fn arguments_of(&mut self, function: FunctionId) -> ObjectId {
        if let Some(object) = self.arguments[function] {
            return object;
        }
        let object = self.objects.add(Kind::Hidden, None, 1);
        self.arguments[function] = Some(object);
        object
    }

    fn result_is(&mut self, result: Option<PlaceId>, value: ExprId) {
        if let (Some(place), Some(from)) = (result, self.exprs[value]) {
            self.store(place, from);
        }
    }

    fn result_unknown(&mut self, result: Option<PlaceId>) {
        let Some(place) = result else { return };
        let node = self.outside_value();
        if self.program.types.scalar(self.program.place(place).ty).is_some() {
            self.store(place, node);
        } else {
            let object = self.objects.add(Kind::Hidden, None, 0);
            let any = self.any(object);
            self.nodes.add_copy(node, any);
            self.fetch(object, place);
        }
    }

    fn allocate(&mut self, edge: EdgeId, size: Option<u64>, written: bool) -> (ObjectId, Node) {
        let object = self.objects.add(Kind::Site(Site::Allocation(edge)), size, 0);
        self.objects.get_mut(object).untyped = true;
        self.allocations.insert(edge, object);
        if !written {
            let any = self.any(object);
            self.insert_outside(any);
        }
        let node = self.nodes.add();
        let target = self.objects.target(object, 0, false);
        self.nodes.insert(node, target);
        (object, node)
    }

    fn give_object(&mut self, edge: EdgeId, size: Option<u64>, written: bool, result: Option<PlaceId>) -> ObjectId {
        // A pointer may call several functions that allocate, at one edge.
        let known = self.allocations.get(&edge).copied();
        let (object, node) = match known {
            Some(object) => {
                let any = self.any(object);
                self.insert_outside(any);
                let node = self.nodes.add();
                let target = self.objects.target(object, 0, false);
                self.nodes.insert(node, target);
                self.objects.get_mut(object).size = None;
                (object, node)
            }
            None => self.allocate(edge, size, written),
        };
        if let Some(place) = result {
            self.store(place, node);
        }
        object
    }

    fn primitive(&mut self, edge: EdgeId, primitive: Primitive, arguments: &[ExprId], result: Option<PlaceId>) {
        match primitive {
            Primitive::Nondet | Primitive::Contract(_) | Primitive::Unmodelled => self.result_unknown(result),
            Primitive::Malloc => {
                let size = arguments.first().and_then(|size| self.constant_size(*size));
                self.give_object(edge, size, false, result);
            }
            Primitive::Calloc => {
                self.give_object(edge, None, true, result);
            }
            Primitive::Realloc => {
                let object = self.give_object(edge, None, false, result);
                if let Some(from) = arguments.first().and_then(|pointer| self.exprs[*pointer]) {
                    self.add_use(from, Use::BlockFrom { shift: Shift::NONE, size: u64::MAX, object, at: 0 });
                }
            }
            Primitive::MemCopy | Primitive::MemMove => self.copy_memory(arguments, result),
            Primitive::MemSet => {
                if let Some(to) = arguments.first() {
                    self.result_is(result, *to);
                }
                self.set_memory(arguments);
            }
            Primitive::Printf(output) | Primitive::PrintfList(output) => self.print(edge, output, arguments),
            Primitive::Assume
            | Primitive::AssertFail
            | Primitive::Abort
            | Primitive::Exit
            | Primitive::Free
            | Primitive::FusedMultiplyAdd
            | Primitive::Rounded(_)
            | Primitive::Math(_) => {}
        }
    }

    fn constant_size(&self, size: ExprId) -> Option<u64> {
        match self.program.expr(size).kind {
            ExprKind::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    fn at(&self, pointer: ExprId) -> Spot {
        Spot { base: self.exprs[pointer].map_or(Base::Nowhere, Base::Pointer), shift: Shift::NONE }
    }

    fn copy_memory(&mut self, arguments: &[ExprId], result: Option<PlaceId>) {
        let [to, from, size, ..] = *arguments else { return };
        self.result_is(result, to);
        let size = self.constant_size(size).unwrap_or(u64::MAX);
        self.copy_block(self.at(from), self.at(to), size);
    }

    /// The byte may be a part of an address.
    fn set_memory(&mut self, arguments: &[ExprId]) {
        let [to, value, ..] = *arguments else { return };
        if let (Some(to), Some(from)) = (self.exprs[to], self.exprs[value]) {
            let shift = Shift::UNKNOWN;
            self.add_use(to, Use::Store { from, shift, size: 1 });
        }
    }

    fn print(&mut self, edge: EdgeId, output: Output, arguments: &[ExprId]) {
        match output {
            Output::Allocated => {
                let object = self.give_object(edge, None, true, None);
                let Some(to) = arguments.first().and_then(|pointer| self.exprs[*pointer]) else { return };
                let node = self.nodes.add();
                let target = self.objects.target(object, 0, false);
                self.nodes.insert(node, target);
                let size = self.program.model().pointer_size();
                self.add_use(to, Use::Store { from: node, shift: Shift::NONE, size });
            }
            Output::Stdout
            | Output::Stream
            | Output::Buffer
            | Output::BoundedBuffer
            | Output::Line
            | Output::Character
            | Output::Text
            | Output::Block
            | Output::Message => {}
        }
    }

    /// A `va_list` holds a pointer to the object with the arguments, so that lists can be copied and passed on.
    fn builtin(&mut self, edge: EdgeId, builtin: Builtin) {
        let Op::Call { arguments, result, .. } = &self.program.edges[edge].op else { return };
        let first = arguments.first().and_then(|list| self.exprs[*list]);
        let (shift, size) = (Shift::NONE, self.program.model().pointer_size());
        match builtin {
            Builtin::VaStart => {
                let object = self.arguments_of(self.program.function_of(edge));
                let from = self.nodes.add();
                let target = self.objects.target(object, 0, false);
                self.nodes.insert(from, target);
                if let Some(list) = first {
                    self.add_use(list, Use::Store { from, shift, size });
                }
            }
            Builtin::VaCopy => {
                let second = arguments.get(1).and_then(|list| self.exprs[*list]);
                if let (Some(to), Some(from)) = (first, second) {
                    let node = self.nodes.add();
                    self.add_use(from, Use::Load { to: node, shift, size });
                    self.add_use(to, Use::Store { from: node, shift, size });
                }
            }
            Builtin::VaArg => {
                if let (Some(list), Some(place)) = (first, *result) {
                    let node = self.nodes.add();
                    self.add_use(list, Use::Load { to: node, shift, size });
                    self.take_argument(node, place);
                }
            }
            Builtin::Alloca => {
                let size = arguments.first().and_then(|size| self.constant_size(*size));
                self.give_object(edge, size, false, *result);
            }
            Builtin::VaEnd | Builtin::Unreachable | Builtin::Trap => {}
        }
    }

    fn take_argument(&mut self, list: Node, place: PlaceId) {
        let size = self.size_of(place);
        if self.program.types.scalar(self.program.place(place).ty).is_some() {
            let value = self.nodes.add();
            self.add_use(list, Use::Load { to: value, shift: Shift::NONE, size });
            self.store(place, value);
        } else {
            let from = Spot { base: Base::Pointer(list), shift: Shift::NONE };
            self.copy_block(from, self.spot(place), size);
        }
    }
}
