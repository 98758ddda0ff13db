//! Expressions for their value or for their effect.

use tandem_base::Span;
use tandem_syntax::ast as tree;
use tandem_syntax::types::{Type, TypeId};
use tree::{AddressBase, ExpressionKind, StatementKind, StmtId, UnaryOperator};

use super::Lowering;
use super::call::Wanted;
use super::jump::label_number;
use crate::model::*;

impl Lowering<'_> {
    /// The value of an expression; its side effects become edges.
    pub(super) fn value(&mut self, id: tree::ExprId) -> ExprId {
        if !self.pinned.is_empty() {
            if let Some(&pinned) = self.pinned.get(&id) {
                return pinned;
            }
        }
        let expression = self.unit.expression(id);
        let (ty, span) = (expression.ty, expression.span);
        match expression.kind {
            ExpressionKind::Integer(_)
            | ExpressionKind::Float(_)
            | ExpressionKind::Address { .. }
            | ExpressionKind::LabelDifference { .. }
            | ExpressionKind::LabelAddress(_) => self.constant_kind(expression.kind, ty, span),
            ExpressionKind::Load(place) => self.load(place, ty, span),
            ExpressionKind::Convert(operand) => self.conversion(operand, ty, span),
            ExpressionKind::Decay(array) => self.decay(array, ty),
            ExpressionKind::AddressOf(place) => self.address(place, ty),
            ExpressionKind::FunctionDecay(function) => self.function_value(function, ty),
            ExpressionKind::Binary { operator, left, right } => {
                if self.is_logical(id) {
                    return self.delivered(id, ty, span);
                }
                self.binary_value(operator, left, right, ty, span)
            }
            ExpressionKind::Unary { operator, operand } => self.unary_value(id, operator, operand, ty, span),
            ExpressionKind::Call { callee, arguments } => match self.call(id, callee, &arguments, Wanted::Value) {
                Some(value) => value,
                None => self.constant(0, self.known.int),
            },
            ExpressionKind::Assign { .. } => self.assignment(id, true),
            ExpressionKind::Step { place, down, prefix } => self.step_value(place, down, prefix, ty, span),
            ExpressionKind::Conditional { .. } => self.delivered(id, ty, span),
            ExpressionKind::Comma { left, right } => {
                self.effect(left);
                self.value(right)
            }
            ExpressionKind::StatementExpression(body) => match self.statement_expression(body, true) {
                Some(value) => value,
                None => self.unsupported_value("statement expression without a value", ty, span),
            },
            ExpressionKind::VaArg { list } => {
                let place = self.temporary(ty, span);
                self.va_arg(list, place, span);
                self.read(place)
            }
            ExpressionKind::Builtin { builtin, arguments } => self.builtin(builtin, &arguments, ty, span),
            ExpressionKind::Unsupported(what) => self.unsupported_value(&what, ty, span),
            ExpressionKind::Declaration(_)
            | ExpressionKind::String(_)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Subscript { .. }
            | ExpressionKind::Deref(_)
            | ExpressionKind::CompoundLiteral(_) => self.load(id, ty, span),
            ExpressionKind::VaStart { .. } | ExpressionKind::VaEnd { .. } | ExpressionKind::VaCopy { .. } => {
                self.effect(id);
                self.constant(0, self.known.int)
            }
        }
    }

    /// The side effects of an expression whose value nobody wants.
    pub(super) fn effect(&mut self, id: tree::ExprId) {
        let expression = self.unit.expression(id);
        let span = expression.span;
        match expression.kind {
            ExpressionKind::Assign { .. } => {
                self.assignment(id, false);
            }
            ExpressionKind::Step { place, down, .. } => self.step(place, down, span),
            ExpressionKind::Call { callee, arguments } => {
                self.call(id, callee, &arguments, Wanted::Nothing);
            }
            ExpressionKind::Convert(operand) => self.effect(operand),
            ExpressionKind::Comma { left, right } => {
                self.effect(left);
                self.effect(right);
            }
            ExpressionKind::StatementExpression(body) => {
                self.statement_expression(body, false);
            }
            ExpressionKind::VaStart { list } => self.va_step(Builtin::VaStart, &[list], span),
            ExpressionKind::VaEnd { list } => self.va_step(Builtin::VaEnd, &[list], span),
            ExpressionKind::VaCopy { to, from } => self.va_step(Builtin::VaCopy, &[to, from], span),
            ExpressionKind::Unsupported(what) => self.unsupported(&what, span),
            _ if self.writes(id) == 0 => {}
            ExpressionKind::Conditional { condition, then, otherwise } => {
                self.effect_conditional(condition, then, otherwise, span);
            }
            ExpressionKind::Builtin { .. } | ExpressionKind::VaArg { .. } | ExpressionKind::CompoundLiteral(_) => {
                self.value(id);
            }
            ExpressionKind::Binary { .. } if self.is_logical(id) => {
                let join = self.node();
                self.decide(DecisionKind::Logical, id, span, join, join);
                self.here.cursor = join;
            }
            kind => {
                let mut operands = Vec::new();
                super::scan::children(&kind, &mut |child| operands.push(child));
                operands.into_iter().for_each(|operand| self.effect(operand));
            }
        }
    }

    fn effect_conditional(
        &mut self,
        condition: tree::ExprId,
        then: Option<tree::ExprId>,
        otherwise: tree::ExprId,
        span: Span,
    ) {
        let (yes, no, join) = (self.node(), self.node(), self.node());
        self.decide(DecisionKind::Conditional, condition, span, yes, no);
        self.here.cursor = yes;
        if let Some(then) = then {
            self.effect(then);
        }
        self.jump(join, span);
        self.here.cursor = no;
        self.effect(otherwise);
        self.arrive(join, span);
    }

    /// The statements of `({ ... })`; the value of the last, if it is wanted and there is one.
    fn statement_expression(&mut self, body: StmtId, wanted: bool) -> Option<ExprId> {
        let statement = self.unit.statement(body);
        let StatementKind::Block(mut list) = statement.kind else {
            self.statement(body);
            return None;
        };
        let last = match list.last().map(|last| self.unit.statement(*last).kind) {
            Some(StatementKind::Expression(value)) if wanted && !self.is_void(self.unit.type_of(value)) => Some(value),
            _ => None,
        };
        if last.is_some() {
            list.pop();
        }
        let sink_span = self.here.sink_span.take();
        self.open_scope(statement.span);
        list.into_iter().for_each(|statement| self.statement(statement));
        let mut value = last.map(|last| self.value(last));
        if let Some(last) = value.filter(|_| self.here.scopes.last().is_some_and(|scope| !scope.cleanups.is_empty())) {
            value = Some(self.save(last, statement.span));
        }
        self.close_scope(statement.span);
        self.here.sink_span = sink_span;
        value
    }

    /// A constant that the tree has as such.
    pub(super) fn constant_kind(&mut self, kind: ExpressionKind, ty: TypeId, span: Span) -> ExprId {
        match kind {
            ExpressionKind::Integer(value) => self.constant(value, ty),
            ExpressionKind::Float(bits) => self.bits(bits, ty),
            ExpressionKind::LabelDifference { to, from } => self.constant(label_number(to) - label_number(from), ty),
            ExpressionKind::LabelAddress(label) => self.label_address(label, ty),
            ExpressionKind::Address { base, offset } => self.address_constant(base, offset, ty, span),
            _ => self.unsupported_value("constant that is not modelled", ty, span),
        }
    }

    fn address_constant(&mut self, base: AddressBase, offset: i64, ty: TypeId, span: Span) -> ExprId {
        let place = match base {
            AddressBase::None => return self.constant(i128::from(offset), ty),
            AddressBase::Label(label) => return self.constant(label_number(label) + i128::from(offset), ty),
            AddressBase::Declaration(id) if self.unit.declaration(id).is_function => {
                let function = self.function(id);
                let pointer = self.program.types.pointer(self.program.functions[function].ty);
                let address = self.expr(ExprKind::Function(function), pointer);
                return self.moved(address, offset, ty);
            }
            AddressBase::Declaration(id) => {
                let object = self.object(id);
                self.object_place(object)
            }
            AddressBase::String(id) => {
                let string = self.string_variable(id, span);
                self.variable_place(string)
            }
        };
        if let (Some(to), Ok(inside)) = (self.program.types.pointee(ty), u64::try_from(offset)) {
            if let Some(part) = self.part(place, inside, None, to) {
                return self.address_of(part, ty);
            }
        }
        let start = self.address_of(place, self.known.char_pointer);
        self.moved(start, offset, ty)
    }

    /// The string of an address constant, whose own type is not at hand.
    fn string_variable(&mut self, id: tree::StringId, span: Span) -> VariableId {
        let bytes = self.unit.string(id);
        let element = self.program.types.int(tandem_syntax::types::IntKind::Char);
        let length = tandem_syntax::types::Length::Fixed(bytes.len() as u64);
        let ty = self.program.types.intern(Type::Array { element, length });
        self.string_of(bytes, ty, span)
    }

    fn moved(&mut self, address: ExprId, offset: i64, ty: TypeId) -> ExprId {
        if offset == 0 {
            return self.convert(address, ty);
        }
        let start = self.convert(address, self.known.char_pointer);
        let index = self.constant(i128::from(offset), self.known.difference);
        let moved = self.pointer_add(start, index, false);
        self.convert(moved, ty)
    }

    fn load(&mut self, place: tree::ExprId, ty: TypeId, span: Span) -> ExprId {
        let place = self.place(place);
        let value = self.read(place);
        if self.type_of(value) == ty {
            return value;
        }
        if self.scalar(ty).is_none() {
            return self.unsupported_value("value of a type that is not modelled", ty, span);
        }
        self.convert(value, ty)
    }

    fn conversion(&mut self, operand: tree::ExprId, ty: TypeId, span: Span) -> ExprId {
        if self.is_void(ty) {
            self.effect(operand);
            return self.constant(0, self.known.int);
        }
        let value = self.value(operand);
        let from = self.type_of(value);
        if from == ty {
            return value;
        }
        if self.scalar(from).is_none() || self.scalar(ty).is_none() {
            return self.unsupported_value("conversion of a value whose type is not modelled", ty, span);
        }
        self.convert(value, ty)
    }

    fn unary_value(
        &mut self,
        id: tree::ExprId,
        operator: UnaryOperator,
        operand: tree::ExprId,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let op = match operator {
            UnaryOperator::Not if self.is_logical(id) => return self.delivered(id, ty, span),
            UnaryOperator::Plus => {
                let value = self.value(operand);
                return self.convert(value, ty);
            }
            UnaryOperator::Minus => UnaryOp::Neg,
            UnaryOperator::Complement => UnaryOp::Complement,
            UnaryOperator::Not => UnaryOp::Not,
        };
        let value = self.value(operand);
        if self.scalar(self.type_of(value)).is_none() {
            return self.unsupported_value("operator on a type that is not modelled", ty, span);
        }
        if op == UnaryOp::Not {
            let value = self.without_truth_conversion(value);
            let result = self.expr(ExprKind::Unary(op, value), self.known.int);
            return self.convert(result, ty);
        }
        let value = self.convert(value, ty);
        // A negative constant is a constant, unless its computation overflows.
        if let (UnaryOp::Neg, Some(constant)) = (op, self.integer_of(value)) {
            let negative = self.constant(constant.wrapping_neg(), ty);
            let signed = self.scalar(ty).is_some_and(|scalar| scalar.is_signed());
            if !signed || self.integer_of(negative) == constant.checked_neg() {
                return negative;
            }
        }
        self.expr(ExprKind::Unary(op, value), ty)
    }
}
