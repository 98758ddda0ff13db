//! Calls: the arguments go where the callee's first registers will be.

use tandem_syntax::types::{Type, TypeId};

use super::super::code::*;
use super::super::trace::{Probe, Value};
use super::Compiler;
use super::step::Flow;
use crate::model::{Callee, ExprId, ExprKind, FunctionId, PlaceId};

impl Compiler<'_> {
    pub(super) fn call(&mut self, callee: &Callee, arguments: &[ExprId], result: Option<PlaceId>) -> Flow {
        self.probe(Probe::Called(self.note.edge));
        // The pointer is read before anything else takes registers, so that it survives the arguments.
        let target = match callee {
            Callee::Direct(function) => Target::Function(*function),
            Callee::Pointer(pointer) => Target::Pointer(self.value(*pointer, None)),
            Callee::Builtin(builtin) => Target::Builtin(*builtin),
        };
        let passed: Vec<Passed> = arguments.iter().map(|id| self.passed(self.program.expr(*id).ty)).collect();
        let base = self.take(passed.iter().map(|passed| passed.registers()).sum::<u16>().max(2));
        let mut slot = base;
        for (argument, passed) in arguments.iter().zip(&passed) {
            let saved = self.next;
            self.argument(*argument, *passed, slot);
            self.next = saved;
            slot = slot.saturating_add(passed.registers());
        }
        let ty = self.result_type(callee, result);
        let flow = self.enter(target, base, passed, ty);
        if let Some(place) = result {
            self.store_call_result(place, base, ty);
        }
        flow
    }

    fn argument(&mut self, argument: ExprId, passed: Passed, slot: Reg) {
        match passed {
            Passed::Scalar(_) => {
                self.value(argument, Some(slot));
            }
            Passed::Record(_) => match self.program.expr(argument).kind {
                ExprKind::Read(place) => {
                    let address = self.address(place);
                    self.address_register(address, Some(slot));
                }
                _ => self.unsupported("an argument that is no scalar"),
            },
        }
    }

    /// The type a call returns; of builtins, the type of the place it is stored in.
    fn result_type(&self, callee: &Callee, result: Option<PlaceId>) -> TypeId {
        let types = &self.program.types;
        let signature = match callee {
            Callee::Direct(function) => Some(self.program.functions[*function].ty),
            Callee::Pointer(pointer) => types.pointee(self.program.expr(*pointer).ty),
            Callee::Builtin(_) => None,
        };
        match (signature.map(|ty| types.get(ty)), result) {
            (Some(Type::Function(signature)), _) => signature.result,
            (_, Some(place)) => self.program.place(place).ty,
            (_, None) => self.note.ty,
        }
    }

    fn enter(&mut self, target: Target, base: Reg, passed: Vec<Passed>, result: TypeId) -> Flow {
        if let Target::Function(function) = target {
            if self.code.kinds[function] == Kind::Body && self.fits(function, &passed) {
                self.note.ty = result;
                self.emit(Op::Call { function, base });
                return Flow::Entered;
            }
        }
        let returns = match target {
            Target::Function(function) => matches!(self.code.kinds[function], Kind::Body | Kind::Model(_)),
            Target::Pointer(_) => true,
            Target::Builtin(_) => false,
        };
        let site = self.code.sites.len() as u32;
        self.code.sites.push(Site { target, base, arguments: passed.into(), result });
        self.emit(Op::Site { site });
        if returns { Flow::Entered } else { Flow::On }
    }

    /// Whether the arguments are exactly what the function's parameters expect.
    fn fits(&self, function: FunctionId, passed: &[Passed]) -> bool {
        let declared = &self.program.functions[function];
        let variadic = matches!(self.program.types.get(declared.ty), Type::Function(f) if f.variadic);
        let Some(body) = &declared.body else { return false };
        !variadic
            && body.parameters.len() == passed.len()
            && body
                .parameters
                .iter()
                .zip(passed)
                .all(|(id, passed)| self.passed(self.program.variables[*id].ty) == *passed)
    }

    fn store_call_result(&mut self, place: PlaceId, base: Reg, returned: TypeId) {
        let ty = self.program.place(place).ty;
        let before = std::mem::replace(&mut self.note.ty, returned);
        match (self.scalar(returned), self.scalar(ty)) {
            (Some(from), Some(scalar)) => {
                self.emit(Op::Result { to: base, base });
                let register = match self.register(place) {
                    Some(register) => {
                        self.converted(from, scalar, base, Some(register));
                        register
                    }
                    None => {
                        let value = self.converted(from, scalar, base, None);
                        let address = self.address(place);
                        self.store(scalar, address, value);
                        value
                    }
                };
                self.probe(Probe::Assigned(self.note.edge, Value { register, bits: scalar.bits() }));
            }
            _ => match self.program.types.size(ty) {
                Some(size) => {
                    let address = self.address(place);
                    self.store_result(address, size);
                }
                None => self.unsupported("a result of unknown size"),
            },
        }
        self.note.ty = before;
    }
}
