//! Float operations in programs that set a rounding mode: each becomes a call that gets the mode, which is a variable of the models.
//! Programs that set no mode have none of this.
//!
//! A constant expression is computed by the compiler, to nearest, as gcc does it, unless its result is not finite.

use tandem_base::Span;
use tandem_syntax::Scalar;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{FloatKind, FunctionType, Type, TypeId};

use super::Lowering;
use super::object::Object;
use crate::library::{self, Model, Primitive, ROUNDING_MODE};
use crate::model::*;
use crate::semantics::{self, RoundedOperation};

impl Lowering<'_> {
    /// Looks for the variable that holds the mode.
    pub(super) fn find_rounding_mode(&mut self) {
        if let Some(Object::Variable(variable)) = self.object_names.get(ROUNDING_MODE) {
            self.rounding_mode = Some(*variable);
        }
    }

    /// An arithmetic operation on floats in the mode of the program; `None` if the mode does not matter.
    pub(super) fn rounded_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> Option<ExprId> {
        self.rounding_mode?;
        let Some(Scalar::Float(kind)) = self.scalar(ty) else { return None };
        let operation = match op {
            BinaryOp::Add => RoundedOperation::Add,
            BinaryOp::Sub => RoundedOperation::Subtract,
            BinaryOp::Mul => RoundedOperation::Multiply,
            BinaryOp::Div => RoundedOperation::Divide,
            _ => return None,
        };
        if let (Some(a), Some(b)) = (self.compiled_constant(left), self.compiled_constant(right)) {
            let scalar = Scalar::Float(kind);
            let result = semantics::binary(op, scalar, scalar, a, b, 0).ok()?;
            if semantics::decode(kind, result.bits).is_some() {
                return None;
            }
        }
        self.rounded(operation, &[left, right], ty)
    }

    /// A conversion to a float in the mode of the program; `None` if it is exact.
    pub(super) fn rounded_conversion(&mut self, value: ExprId, ty: TypeId) -> Option<ExprId> {
        self.rounding_mode?;
        let Some(Scalar::Float(to)) = self.scalar(ty) else { return None };
        let from = self.scalar(self.type_of(value))?;
        if is_exact(from, to) || self.compiled_constant(value).is_some() {
            return None;
        }
        self.rounded(RoundedOperation::Convert, &[value], ty)
    }

    /// A call of a function of `math.h` whose result depends on the mode; `None` if it does not.
    pub(super) fn rounded_call(
        &mut self,
        function: FunctionId,
        arguments: &[tree::ExprId],
        ty: TypeId,
    ) -> Option<ExprId> {
        self.rounding_mode?;
        let operation = match self.model_of(function)? {
            Model::Intrinsic(intrinsic) => {
                library::rounded_intrinsic(&self.program.functions[function].name, intrinsic)?
            }
            Model::Primitive(Primitive::FusedMultiplyAdd) => RoundedOperation::MultiplyAdd,
            Model::Primitive(_) | Model::Source(_) => return None,
        };
        let scalars = arguments.iter().all(|argument| self.scalar(self.unit.type_of(*argument)).is_some());
        if arguments.len() != operation.operands() || !scalars || self.scalar(ty).is_none() {
            return None;
        }
        let format = self.float_format(function);
        let values = self.arguments(arguments, 0);
        let values: Vec<ExprId> = values.into_iter().map(|value| self.convert(value, format)).collect();
        let value = self.rounded(operation, &values, format)?;
        Some(self.convert(value, ty))
    }

    /// The value of an expression without variables.
    fn compiled_constant(&self, id: ExprId) -> Option<u128> {
        let expression = self.program.arena.expr(id);
        let scalar = |id: ExprId| self.scalar(self.type_of(id));
        match expression.kind {
            ExprKind::Unary(op, operand) => {
                Some(semantics::unary(op, scalar(operand)?, self.compiled_constant(operand)?).bits)
            }
            ExprKind::Convert(operand) => {
                Some(semantics::convert(scalar(operand)?, scalar(id)?, self.compiled_constant(operand)?).bits)
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.compiled_constant(left)?, self.compiled_constant(right)?);
                Some(semantics::binary(op, scalar(left)?, scalar(right)?, a, b, 0).ok()?.bits)
            }
            _ => self.bits_of(id),
        }
    }

    /// The call, whose result is in a temporary.
    fn rounded(&mut self, operation: RoundedOperation, operands: &[ExprId], ty: TypeId) -> Option<ExprId> {
        let mode = self.rounding_mode.filter(|_| self.here.is_open())?;
        let function = self.rounded_function(operation, self.type_of(*operands.first()?), ty)?;
        let mode = self.variable_place(mode);
        let mut arguments = vec![self.read(mode)];
        for (number, operand) in operands.iter().enumerate() {
            let parameter = self.parameter_type(function, number + 1)?;
            arguments.push(self.convert(*operand, parameter));
        }
        let place = self.temporary(ty, Span::NONE);
        let arguments = arguments.into();
        self.emit(Op::Call { callee: Callee::Direct(function), arguments, result: Some(place) }, Span::NONE);
        Some(self.read(place))
    }

    /// The function that carries out the operation: one for all types that are the same scalar.
    fn rounded_function(&mut self, operation: RoundedOperation, from: TypeId, to: TypeId) -> Option<FunctionId> {
        let name = library::rounded_name(operation, self.scalar(from)?, self.scalar(to)?);
        if let Some(known) = self.function_names.get(&name) {
            return Some(*known);
        }
        let mut parameters = vec![self.known.int];
        parameters.extend((0..operation.operands()).map(|_| from));
        let signature =
            FunctionType { result: to, parameters: parameters.into(), variadic: false, unprototyped: false };
        let ty = self.program.types.intern(Type::Function(signature));
        let function = self.program.functions.push(Function {
            name: name.as_str().into(),
            ty,
            span: Span::NONE,
            body: None,
            is_noreturn: false,
            is_library: false,
        });
        self.function_names.insert(name, function);
        Some(function)
    }
}

/// Whether the format has every value of the scalar.
fn is_exact(from: Scalar, to: FloatKind) -> bool {
    let precision = |kind: FloatKind| match kind {
        FloatKind::Single => 24,
        FloatKind::Double => 53,
        FloatKind::Extended => 64,
        FloatKind::Quad => 113,
    };
    match from {
        Scalar::Float(kind) => precision(kind) <= precision(to),
        Scalar::Int { bits, signed } => bits - u32::from(signed) <= precision(to),
        Scalar::Bool => true,
        Scalar::Pointer { .. } => false,
    }
}
