//! Compiler builtins that the front end resolved, variadic arguments, `alloca`.

use tandem_base::Span;
use tandem_syntax::Scalar;
use tandem_syntax::ast as tree;
use tandem_syntax::types::TypeId;

use super::Lowering;
use crate::model::*;

impl Lowering<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: tree::Builtin,
        arguments: &[tree::ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        use tree::Builtin::*;
        let intrinsic = match builtin {
            ByteSwap => Intrinsic::ByteSwap,
            LeadingZeros => Intrinsic::LeadingZeros,
            TrailingZeros => Intrinsic::TrailingZeros,
            PopCount => Intrinsic::PopCount,
            Parity => Intrinsic::Parity,
            FindFirstSet => Intrinsic::FindFirstSet,
            RedundantSignBits => Intrinsic::RedundantSignBits,
            IsNan => Intrinsic::IsNan,
            IsInfinite => Intrinsic::IsInfinite,
            IsFinite => Intrinsic::IsFinite,
            IsNormal => Intrinsic::IsNormal,
            SignBit => Intrinsic::SignBit,
            FloatAbs => Intrinsic::FloatAbs,
            CopySign => Intrinsic::CopySign,
            OverflowAdd { at, stores } => return self.overflow(BinaryOp::Add, (at, stores), arguments, ty, span),
            OverflowSub { at, stores } => return self.overflow(BinaryOp::Sub, (at, stores), arguments, ty, span),
            OverflowMul { at, stores } => return self.overflow(BinaryOp::Mul, (at, stores), arguments, ty, span),
            Atomic(operation) => return self.atomic(operation, arguments, ty, span),
            Alloca if arguments.len() == 1 => return self.alloca(arguments[0], ty, span),
            other => return self.odd_builtin(other, arguments, ty, span),
        };
        let Some(values) = self.scalars(arguments) else {
            return self.unsupported_value("builtin on a type that is not modelled", ty, span);
        };
        let operand = self.type_of(values[0]);
        self.intrinsic(intrinsic, &values, operand, ty)
    }

    /// The values of operands, each protected from what the later ones do; `None` if one is no scalar.
    pub(super) fn scalars(&mut self, arguments: &[tree::ExprId]) -> Option<Vec<ExprId>> {
        let mut values = Vec::with_capacity(arguments.len());
        for (number, argument) in arguments.iter().enumerate() {
            let value = self.value(*argument);
            let writes = arguments[number + 1..].iter().fold(0, |all, later| all | self.writes(*later));
            values.push(self.protect(value, writes, Span::NONE));
        }
        let all = !values.is_empty() && values.iter().all(|value| self.scalar(self.type_of(*value)).is_some());
        all.then_some(values)
    }

    fn odd_builtin(&mut self, builtin: tree::Builtin, arguments: &[tree::ExprId], ty: TypeId, span: Span) -> ExprId {
        use tree::Builtin::*;
        match builtin {
            Unreachable | Trap => {
                let step = if builtin == Trap { Builtin::Trap } else { Builtin::Unreachable };
                self.builtin_step(step, Box::default(), None, span);
                return self.constant(0, self.known.int);
            }
            // The argument is not evaluated; the compiler could not tell what it is.
            ConstantP => return self.constant(0, ty),
            ObjectSize { kind } => return self.constant(if kind < 2 { -1 } else { 0 }, ty),
            FrameAddress => return self.unsupported_value("__builtin_frame_address", ty, span),
            ReturnAddress => return self.unsupported_value("__builtin_return_address", ty, span),
            _ => {}
        }
        let Some(values) = self.scalars(arguments) else {
            return self.unsupported_value("builtin on a type that is not modelled", ty, span);
        };
        match (builtin, values.as_slice()) {
            (Expect, [value, ..]) => self.convert(*value, ty),
            (Prefetch, _) => self.constant(0, self.known.int),
            (Abs, [value]) => self.absolute(*value, ty, span),
            (IsUnordered, [left, right]) => {
                let (left, right) = (self.is_nan(*left), self.is_nan(*right));
                let either = self.binary(BinaryOp::Or, left, right, self.known.int);
                self.convert(either, ty)
            }
            (IsLessGreater, [left, right]) => {
                let less = self.compare(BinaryOp::Lt, *left, *right);
                let greater = self.compare(BinaryOp::Gt, *left, *right);
                let either = self.binary(BinaryOp::Or, less, greater, self.known.int);
                self.convert(either, ty)
            }
            (InfiniteSign, [value]) => self.infinite_sign(*value, ty),
            (FpClassify, [nan, infinite, normal, subnormal, zero, value]) => {
                self.classify([*nan, *infinite, *normal, *subnormal, *zero], *value, ty)
            }
            _ => self.unsupported_value("builtin that is not modelled", ty, span),
        }
    }

    fn is_nan(&mut self, value: ExprId) -> ExprId {
        self.expr(ExprKind::Intrinsic(Intrinsic::IsNan, value, None), self.known.int)
    }

    /// `x < 0 ? -x : x` as a branch.
    fn absolute(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        if self.is_float(self.type_of(value)) {
            let own = self.type_of(value);
            return self.intrinsic(Intrinsic::FloatAbs, &[value], own, ty);
        }
        let value = self.convert(value, ty);
        let zero = self.constant(0, ty);
        let test = self.compare(BinaryOp::Lt, value, zero);
        let result = self.temporary(ty, span);
        let negative = self.expr(ExprKind::Unary(UnaryOp::Neg, value), ty);
        self.select(test, result, negative, value, span);
        self.read(result)
    }

    /// Stores one of two values, by a test that stands nowhere in the source.
    pub(super) fn select(&mut self, test: ExprId, place: PlaceId, yes: ExprId, no: ExprId, span: Span) {
        let join = self.node();
        let nodes = self.computed_branch(test, span);
        for (node, value) in nodes.into_iter().zip([yes, no]) {
            self.here.cursor = node;
            self.assign(place, value, span);
            self.jump(join, span);
        }
        self.here.cursor = join;
    }

    /// A branch that comes from lowering: the nodes for true and false.
    pub(super) fn computed_branch(&mut self, test: ExprId, span: Span) -> [super::graph::Raw; 2] {
        let decision = self.decision(DecisionKind::Computed, span, span, 2);
        let source = self.here.cursor;
        [true, false].map(|truth| {
            let node = self.node();
            let edge = self.here.graph.edge(source, node, Op::Assume { condition: test, truth }, span);
            edge.outcome = Some((decision, u32::from(truth)));
            node
        })
    }

    /// +1, -1 or 0: `isinf(x) * (1 - 2 * signbit(x))`
    fn infinite_sign(&mut self, value: ExprId, ty: TypeId) -> ExprId {
        let int = self.known.int;
        let infinite = self.expr(ExprKind::Intrinsic(Intrinsic::IsInfinite, value, None), int);
        let sign = self.expr(ExprKind::Intrinsic(Intrinsic::SignBit, value, None), int);
        let (one, two) = (self.constant(1, int), self.constant(2, int));
        let twice = self.binary(BinaryOp::Mul, two, sign, int);
        let factor = self.binary(BinaryOp::Sub, one, twice, int);
        let result = self.binary(BinaryOp::Mul, infinite, factor, int);
        self.convert(result, ty)
    }

    /// Exactly one class holds, so the answers can be added up, each times whether it holds.
    fn classify(&mut self, answers: [ExprId; 5], value: ExprId, ty: TypeId) -> ExprId {
        let int = self.known.int;
        let own = self.type_of(value);
        let zero = self.constant(0, self.known.int);
        let zero = self.convert(zero, own);
        let is = |this: &mut Self, intrinsic| this.expr(ExprKind::Intrinsic(intrinsic, value, None), int);
        let nan = is(self, Intrinsic::IsNan);
        let infinite = is(self, Intrinsic::IsInfinite);
        let normal = is(self, Intrinsic::IsNormal);
        let finite = is(self, Intrinsic::IsFinite);
        let null = self.compare(BinaryOp::Eq, value, zero);
        let large = self.binary(BinaryOp::Or, normal, null, int);
        let subnormal = self.binary(BinaryOp::Sub, finite, large, int);
        let mut sum = self.constant(0, int);
        for (class, answer) in [nan, infinite, normal, subnormal, null].into_iter().zip(answers) {
            let answer = self.convert(answer, int);
            let part = self.binary(BinaryOp::Mul, class, answer, int);
            sum = self.binary(BinaryOp::Add, sum, part, int);
        }
        self.convert(sum, ty)
    }

    /// Exact in 128 bits: the result fits if converting it there and back changes nothing.
    fn overflow(
        &mut self,
        op: BinaryOp,
        (at, stores): (TypeId, bool),
        arguments: &[tree::ExprId],
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let Some(values) = self.scalars(arguments) else {
            return self.unsupported_value("overflow builtin on a type that is not modelled", ty, span);
        };
        let narrow = |this: &Self, ty| matches!(this.scalar(ty), Some(Scalar::Bool | Scalar::Int { bits: ..=64, .. }));
        let [left, right, ..] = values[..] else {
            return self.unsupported_value("overflow builtin without operands", ty, span);
        };
        let operands = narrow(self, self.type_of(left)) && narrow(self, self.type_of(right));
        if !operands || !narrow(self, at) || (stores && values.len() < 3) {
            return self.unsupported_value("overflow builtin on 128 bits", ty, span);
        }
        let wide = self.known.unsigned_wide;
        let (left, right) = (self.convert(left, wide), self.convert(right, wide));
        let mut exact = self.binary(op, left, right, wide);
        if stores {
            exact = self.save(exact, span);
        }
        let stored = self.convert(exact, at);
        let back = self.convert(stored, wide);
        let differs = self.compare(BinaryOp::Ne, back, exact);
        if stores {
            let place = self.deref(values[2], at);
            self.assign(place, stored, span);
        }
        self.convert(differs, ty)
    }

    pub(super) fn alloca(&mut self, size: tree::ExprId, ty: TypeId, span: Span) -> ExprId {
        let size = self.value(size);
        let size = self.convert(size, self.known.size);
        let pointer = if self.is_pointer(ty) { ty } else { self.known.char_pointer };
        let place = self.temporary(pointer, span);
        self.builtin_step(Builtin::Alloca, Box::new([size]), Some(place), span);
        let value = self.read(place);
        self.convert(value, ty)
    }

    /// The lists come as pointers to them.
    pub(super) fn va_step(&mut self, builtin: Builtin, lists: &[tree::ExprId], span: Span) {
        match self.scalars(lists) {
            Some(values) => self.builtin_step(builtin, values.into(), None, span),
            None => self.unsupported("va_list that is not modelled", span),
        }
    }

    pub(super) fn va_arg(&mut self, list: tree::ExprId, place: PlaceId, span: Span) {
        let list = self.value(list);
        if self.is_pointer(self.type_of(list)) {
            self.builtin_step(Builtin::VaArg, Box::new([list]), Some(place), span);
        } else {
            self.unsupported("va_list that is not modelled", span);
        }
    }
}
