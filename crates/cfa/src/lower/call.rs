//! Calls: of functions, of their models, of what is an expression after all.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{FloatKind, FunctionType, Type, TypeId};
use tree::ExpressionKind;

use super::Lowering;
use crate::library::{self, Model};
use crate::model::*;

/// What is to become of a call's result.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Nothing,
    Value,
    /// Stored in a place of the call's type.
    Into(PlaceId),
}

impl Lowering<'_> {
    /// Lowers a call. Returns its value if it is wanted and was not stored already.
    pub(super) fn call(
        &mut self,
        id: tree::ExprId,
        callee: tree::ExprId,
        arguments: &[tree::ExprId],
        wanted: Wanted,
    ) -> Option<ExprId> {
        let expression = self.unit.expression(id);
        let (ty, span) = (expression.ty, expression.span);
        let Some(function) = self.direct_callee(callee) else {
            return self.call_pointer(callee, arguments, (ty, span), wanted);
        };
        let errno = self.errno_change(function);
        if let Some(value) = self.rounded_call(function, arguments, ty) {
            self.change_errno(errno, span);
            return Some(value);
        }
        if let Some(intrinsic) = self.intrinsic_of(function) {
            if let Some(value) = self.intrinsic_call(function, intrinsic, arguments, ty) {
                self.change_errno(errno, span);
                return Some(value);
            }
        }
        if self.is_alloca(function) && arguments.len() == 1 {
            return Some(self.alloca(arguments[0], ty, span));
        }
        let values = self.arguments(arguments, 0);
        let (function, values) = self.model_call(function, values, ty);
        let values = self.fit_arguments(function, values);
        let result = self.result_type(function);
        // The result may be assigned to `errno` itself, after the call.
        let wanted = match wanted {
            Wanted::Into(_) if errno.is_some() => Wanted::Value,
            Wanted::Nothing | Wanted::Value | Wanted::Into(_) => wanted,
        };
        let value = self.emit_call(Callee::Direct(function), values, result, (ty, span), wanted);
        self.change_errno(errno, span);
        value
    }

    /// The model function that changes `errno`, if a call of the function may do so and the program looks at `errno`.
    fn errno_change(&self, function: FunctionId) -> Option<FunctionId> {
        let model = self.model_of(function)?;
        let change = self.function_names.get("__tandem_change_errno").copied()?;
        let name = &self.program.functions[function].name;
        let is_changed =
            library::may_change_errno(name, model) && !self.program.functions[self.here.function].is_library;
        is_changed.then_some(change).filter(|change| self.has_body(*change))
    }

    fn change_errno(&mut self, change: Option<FunctionId>, span: Span) {
        if let Some(change) = change {
            let arguments = Box::default();
            self.emit(Op::Call { callee: Callee::Direct(change), arguments, result: None }, span);
        }
    }

    /// The function that is called by its name.
    pub(super) fn direct_callee(&mut self, mut callee: tree::ExprId) -> Option<FunctionId> {
        loop {
            match self.unit.expression(callee).kind {
                ExpressionKind::FunctionDecay(inner)
                | ExpressionKind::Deref(inner)
                | ExpressionKind::AddressOf(inner) => {
                    callee = inner;
                }
                ExpressionKind::Declaration(id) => {
                    // A pointer variable has an object type, a function its own.
                    let is_function = matches!(self.program.types.get(self.unit.type_of(callee)), Type::Function(_));
                    return is_function.then(|| self.function(id));
                }
                _ => return None,
            }
        }
    }

    /// The pure operation that calling this means, if it means one.
    pub(super) fn intrinsic_callee(&mut self, callee: tree::ExprId) -> Option<Intrinsic> {
        let function = self.direct_callee(callee)?;
        self.intrinsic_of(function)
    }

    pub(super) fn model_of(&self, function: FunctionId) -> Option<Model> {
        if self.has_body(function) { None } else { library::model(&self.program, function) }
    }

    fn intrinsic_of(&self, function: FunctionId) -> Option<Intrinsic> {
        match self.model_of(function) {
            Some(Model::Intrinsic(intrinsic)) => Some(intrinsic),
            _ => None,
        }
    }

    /// Bodies come one by one, but which functions will have one is known from the start.
    fn has_body(&self, function: FunctionId) -> bool {
        self.defined.contains(&function)
    }

    fn is_alloca(&self, function: FunctionId) -> bool {
        !self.has_body(function) && matches!(&*self.program.functions[function].name, "alloca" | "__builtin_alloca")
    }

    /// Evaluates arguments from right to left; `later` is what is written after all of them.
    pub(super) fn arguments(&mut self, arguments: &[tree::ExprId], later: u64) -> Vec<ExprId> {
        let mut writes = Vec::with_capacity(arguments.len());
        let mut before = later;
        for argument in arguments {
            writes.push(before);
            if arguments.len() > 1 {
                before |= self.writes(*argument);
            }
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (argument, writes) in arguments.iter().zip(writes).rev() {
            let value = self.value(*argument);
            let span = self.unit.expression(*argument).span;
            values.push(self.protect(value, writes, span));
        }
        values.reverse();
        values
    }

    fn call_pointer(
        &mut self,
        callee: tree::ExprId,
        arguments: &[tree::ExprId],
        (ty, span): (TypeId, Span),
        wanted: Wanted,
    ) -> Option<ExprId> {
        let pointer = self.value(callee);
        let writes = arguments.iter().fold(0, |all, argument| all | self.writes(*argument));
        let pointer = self.protect(pointer, writes, span);
        let values = self.arguments(arguments, 0);
        let to = self.program.types.pointee(self.type_of(pointer));
        let result = match to.map(|to| self.program.types.get(to)) {
            Some(Type::Function(signature)) => signature.result,
            _ => return Some(self.unsupported_value("call of something that is no function", ty, span)),
        };
        self.emit_call(Callee::Pointer(pointer), values, result, (ty, span), wanted)
    }

    fn emit_call(
        &mut self,
        callee: Callee,
        arguments: Vec<ExprId>,
        result: TypeId,
        (ty, span): (TypeId, Span),
        wanted: Wanted,
    ) -> Option<ExprId> {
        let arguments = arguments.into();
        if let Wanted::Into(place) = wanted {
            if self.program.arena.place(place).ty == result {
                self.emit(Op::Call { callee, arguments, result: Some(place) }, span);
                return None;
            }
        }
        if matches!(wanted, Wanted::Nothing) || self.is_void(result) {
            self.emit(Op::Call { callee, arguments, result: None }, span);
            return None;
        }
        let place = self.temporary(result, span);
        self.emit(Op::Call { callee, arguments, result: Some(place) }, span);
        let value = self.read(place);
        Some(if result == ty { value } else { self.convert(value, ty) })
    }

    pub(super) fn signature(&self, function: FunctionId) -> Option<&FunctionType> {
        match self.program.types.get(self.program.functions[function].ty) {
            Type::Function(signature) => Some(signature),
            _ => None,
        }
    }

    pub(super) fn parameter_type(&self, function: FunctionId, number: usize) -> Option<TypeId> {
        match self.old_style.get(&function) {
            Some(parameters) => parameters.get(number).copied(),
            None => self.signature(function)?.parameters.get(number).copied(),
        }
    }

    /// A function that was called through a declaration without a prototype converts what it is given.
    fn fit_arguments(&mut self, function: FunctionId, mut values: Vec<ExprId>) -> Vec<ExprId> {
        for (number, value) in values.iter_mut().enumerate() {
            if let Some(ty) = self.parameter_type(function, number) {
                if self.scalar(ty).is_some() && self.scalar(self.type_of(*value)).is_some() {
                    *value = self.convert(*value, ty);
                }
            }
        }
        values
    }

    /// The model function to call instead, if there is one and all types can be converted.
    fn model_call(&mut self, function: FunctionId, values: Vec<ExprId>, ty: TypeId) -> (FunctionId, Vec<ExprId>) {
        let Some(Model::Source(name)) = self.model_of(function) else { return (function, values) };
        let Some(model) = self.function_names.get(name).copied().filter(|model| self.has_body(*model)) else {
            return (function, values);
        };
        let Some(signature) = self.signature(model).cloned() else { return (function, values) };
        let convertible = |ty: TypeId| self.scalar(ty).is_some();
        let enough = values.len() == signature.parameters.len()
            || (signature.variadic && values.len() > signature.parameters.len());
        let result = self.is_void(ty) || ty == signature.result || (convertible(ty) && convertible(signature.result));
        let mut pairs = signature.parameters.iter().zip(&values);
        let fits = pairs.all(|(ty, value)| convertible(*ty) && convertible(self.type_of(*value)));
        if !(enough && result && fits) {
            return (function, values);
        }
        let mut values = values;
        for (value, ty) in values.iter_mut().zip(&signature.parameters) {
            *value = self.convert(*value, *ty);
        }
        (model, values)
    }

    /// A pure library function as an expression; `None` if its arguments do not fit.
    fn intrinsic_call(
        &mut self,
        function: FunctionId,
        intrinsic: Intrinsic,
        arguments: &[tree::ExprId],
        ty: TypeId,
    ) -> Option<ExprId> {
        let expected = if intrinsic.is_binary() { 2 } else { 1 };
        let scalars = arguments.iter().all(|argument| self.scalar(self.unit.type_of(*argument)).is_some());
        if arguments.len() != expected || !scalars || self.scalar(ty).is_none() {
            return None;
        }
        let mut operand_type = self.unit.type_of(arguments[0]);
        if is_on_floats(intrinsic) && !(is_classification(intrinsic) && self.is_float(operand_type)) {
            operand_type = self.float_format(function);
        }
        let values = self.arguments(arguments, 0);
        Some(self.intrinsic(intrinsic, &values, operand_type, ty))
    }

    /// An intrinsic on operands converted to `operand_type`, its result converted to `ty`.
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        values: &[ExprId],
        operand_type: TypeId,
        ty: TypeId,
    ) -> ExprId {
        let first = self.convert(values[0], operand_type);
        let second = values.get(1).map(|second| self.convert(*second, operand_type));
        let own = if gives_int(intrinsic) { self.known.int } else { operand_type };
        let value = self.expr(ExprKind::Intrinsic(intrinsic, first, second), own);
        self.convert(value, ty)
    }

    pub(super) fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Float(_))
    }

    /// The format a function of `math.h` works in: that of its result, or what its name says.
    pub(super) fn float_format(&mut self, function: FunctionId) -> TypeId {
        let result = self.result_type(function);
        if self.is_float(result) {
            return result;
        }
        let name = &self.program.functions[function].name;
        let kind = match name.as_bytes().last() {
            Some(b'f') if &**name != "__isinf" && &**name != "isinf" => FloatKind::Single,
            Some(b'l') => FloatKind::Extended,
            _ => FloatKind::Double,
        };
        self.program.types.intern(Type::Float(kind))
    }
}

fn is_on_floats(intrinsic: Intrinsic) -> bool {
    use Intrinsic::*;
    match intrinsic {
        ByteSwap | LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits => false,
        IsNan | IsInfinite | IsFinite | IsNormal | SignBit | FloatAbs | CopySign | SquareRoot | Floor | Ceil
        | Trunc | Round | RoundEven | FloatMin | FloatMax | FloatMod | FloatRemainder => true,
    }
}

fn is_classification(intrinsic: Intrinsic) -> bool {
    use Intrinsic::*;
    matches!(intrinsic, IsNan | IsInfinite | IsFinite | IsNormal | SignBit)
}

fn gives_int(intrinsic: Intrinsic) -> bool {
    use Intrinsic::*;
    is_classification(intrinsic)
        || matches!(intrinsic, LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits)
}
