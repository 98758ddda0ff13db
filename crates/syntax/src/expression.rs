//! Expressions of the unit: the front end's nodes as ours.

use rucc_ast::{BinaryOp, UnaryOp};
use rucc_sema::{Address, Base, BitCount, Classify, Const, Conversion, ExprKind, ExprList, FrameAsk, Sign};
use rucc_sema::{OverflowOp, Rmw};

use crate::ast::*;
use crate::types::{Scalar, TypeId};
use crate::unit::{Unit, raw_id};

type RawExpr = rucc_sema::ExprId;

impl Unit {
    pub fn expression(&self, id: ExprId) -> Expression {
        let raw = raw_id::<rucc_sema::Expr>(id);
        let ty = self.type_of(id);
        Expression { kind: self.expression_kind(raw, ty), ty, span: self.span(self.tree.expr_span(raw)) }
    }

    fn expression_kind(&self, raw: RawExpr, ty: TypeId) -> ExpressionKind {
        match self.tree[raw].kind {
            ExprKind::Const(id) => self.constant_kind(self.tree[id], ty),
            ExprKind::Str(id) => ExpressionKind::String(StringId(id.raw())),
            ExprKind::Decl(id) if self.is_register(id) => ExpressionKind::Unsupported("register variable".to_string()),
            ExprKind::Decl(id) => ExpressionKind::Declaration(DeclId(id.raw())),
            ExprKind::Member { base, field } => ExpressionKind::Member { base: expr(base), field },
            ExprKind::Subscript { base, index } => {
                ExpressionKind::Subscript { pointer: expr(base), index: expr(index) }
            }
            ExprKind::Call { callee, args } => {
                ExpressionKind::Call { callee: expr(callee), arguments: self.list(args) }
            }
            ExprKind::Unary { op, operand } => unary(op, expr(operand)),
            ExprKind::Binary { op, lhs, rhs } => {
                ExpressionKind::Binary { operator: binary(op), left: expr(lhs), right: expr(rhs) }
            }
            ExprKind::Assign { op, computation, lhs, rhs } => ExpressionKind::Assign {
                operator: op.map(binary),
                computation: self.known_type(computation),
                place: expr(lhs),
                value: expr(rhs),
            },
            ExprKind::Cond { cond, then, otherwise } => self.conditional(cond, then, otherwise),
            ExprKind::Comma { lhs, rhs } => ExpressionKind::Comma { left: expr(lhs), right: expr(rhs) },
            ExprKind::Cast(operand) => ExpressionKind::Convert(expr(operand)),
            ExprKind::Convert { kind, operand } => conversion(kind, expr(operand)),
            ExprKind::CompoundLiteral(id) => ExpressionKind::CompoundLiteral(DeclId(id.raw())),
            ExprKind::StmtExpr(id) => ExpressionKind::StatementExpression(StmtId(id.raw())),
            ExprKind::LabelAddr(id) => ExpressionKind::LabelAddress(LabelId(id.raw())),
            ExprKind::VaArg { list } => ExpressionKind::VaArg { list: expr(list) },
            ExprKind::VaStart { list } => ExpressionKind::VaStart { list: expr(list) },
            ExprKind::VaEnd { list } => ExpressionKind::VaEnd { list: expr(list) },
            ExprKind::VaCopy { dst, src } => ExpressionKind::VaCopy { to: expr(dst), from: expr(src) },
            other => self.builtin(other),
        }
    }

    /// The nodes that stand for compiler builtins, and those that nobody models.
    fn builtin(&self, kind: ExprKind) -> ExpressionKind {
        let (builtin, arguments) = match kind {
            ExprKind::Classify { op, lhs, rhs } => (classify(op), pair(lhs, rhs)),
            ExprKind::FpClassify { value, answers } => {
                let mut arguments = self.list(answers);
                arguments.push(expr(value));
                (Builtin::FpClassify, arguments)
            }
            ExprKind::Sign { op: Sign::Clear, lhs, rhs } => (Builtin::FloatAbs, pair(lhs, rhs)),
            ExprKind::Sign { op: Sign::Of, lhs, rhs } => (Builtin::CopySign, pair(lhs, rhs)),
            ExprKind::Abs { operand } => (Builtin::Abs, vec![expr(operand)]),
            ExprKind::ByteSwap { operand } => (Builtin::ByteSwap, vec![expr(operand)]),
            ExprKind::BitCount { operand, count } => (bit_count(count), vec![expr(operand)]),
            ExprKind::Overflow { op, args, stores, .. } => match self.overflow(op, args, stores) {
                Some(overflow) => overflow,
                None => return ExpressionKind::Unsupported("an overflow check without a destination".to_string()),
            },
            ExprKind::Atomic { op, args, .. } => (Builtin::Atomic(atomic(op)), self.list(args)),
            ExprKind::Expect { value, hint, .. } => (Builtin::Expect, vec![expr(value), expr(hint)]),
            ExprKind::Prefetch { address, .. } => (Builtin::Prefetch, vec![expr(address)]),
            ExprKind::Unreachable => (Builtin::Unreachable, Vec::new()),
            ExprKind::Trap => (Builtin::Trap, Vec::new()),
            ExprKind::FrameAddress { ask: FrameAsk::Frame, .. } => (Builtin::FrameAddress, Vec::new()),
            ExprKind::FrameAddress { ask: FrameAsk::Return, .. } => (Builtin::ReturnAddress, Vec::new()),
            ExprKind::ObjectSize { address, kind } => (Builtin::ObjectSize { kind: kind & 3 }, vec![expr(address)]),
            ExprKind::ConstantP { value } => (Builtin::ConstantP, vec![expr(value)]),
            ExprKind::Alloca { size } => (Builtin::Alloca, vec![expr(size)]),
            other => return ExpressionKind::Unsupported(unsupported_name(other).to_string()),
        };
        ExpressionKind::Builtin { builtin, arguments }
    }

    /// The destination decides what fits; the front end's type for the exact computation is of no interest.
    fn overflow(&self, op: OverflowOp, args: ExprList, stores: bool) -> Option<(Builtin, Vec<ExprId>)> {
        let mut arguments = self.list(args);
        let third = arguments.last().map(|last| self.type_of(*last));
        let destination = match third {
            Some(pointer) if stores => self.pointee_of(pointer),
            third => third,
        };
        if !stores {
            arguments.truncate(2);
        }
        let at = destination?;
        let builtin = match op {
            OverflowOp::Add => Builtin::OverflowAdd { at, stores },
            OverflowOp::Sub => Builtin::OverflowSub { at, stores },
            OverflowOp::Mul => Builtin::OverflowMul { at, stores },
        };
        Some((builtin, arguments))
    }

    /// GNU's `a ?: b` has the very node of `a` below both the condition and the second operand.
    fn conditional(&self, condition: RawExpr, then: RawExpr, otherwise: RawExpr) -> ExpressionKind {
        let value = match self.tree[condition].kind {
            ExprKind::Convert { kind: Conversion::Bool, operand } => operand,
            _ => condition,
        };
        let mut node = then;
        loop {
            if node == condition || node == value {
                return ExpressionKind::Conditional { condition: expr(value), then: None, otherwise: expr(otherwise) };
            }
            match self.tree[node].kind {
                ExprKind::Convert { operand, .. } => node = operand,
                _ => break,
            }
        }
        ExpressionKind::Conditional { condition: expr(condition), then: Some(expr(then)), otherwise: expr(otherwise) }
    }

    fn list(&self, list: ExprList) -> Vec<ExprId> {
        self.tree[list].iter().map(|id| expr(*id)).collect()
    }

    pub(crate) fn constant_kind(&self, value: Const, ty: TypeId) -> ExpressionKind {
        match value {
            Const::Int(value) => match self.scalar_of(ty) {
                Some(scalar) => ExpressionKind::Integer(wrap(value, scalar)),
                None => ExpressionKind::Unsupported("constant of a type that is not modelled".to_string()),
            },
            Const::Float(value) => match self.scalar_of(ty) {
                Some(Scalar::Float(kind)) if kind.bits() == value.format().width() => {
                    ExpressionKind::Float(value.to_bits())
                }
                _ => ExpressionKind::Unsupported("floating constant of a type that is not modelled".to_string()),
            },
            Const::Address(address) => address_constant(address),
            Const::Apart { to, from } => {
                ExpressionKind::LabelDifference { to: LabelId(to.raw()), from: LabelId(from.raw()) }
            }
            Const::Complex { .. } | Const::ComplexInt { .. } => {
                ExpressionKind::Unsupported("complex constant".to_string())
            }
        }
    }
}

pub(crate) fn expr(id: RawExpr) -> ExprId {
    ExprId(id.raw())
}

fn pair(left: RawExpr, right: Option<RawExpr>) -> Vec<ExprId> {
    std::iter::once(left).chain(right).map(expr).collect()
}

/// An integer in the range of its type.
pub(crate) fn wrap(value: i128, scalar: Scalar) -> i128 {
    let shift = 128 - scalar.bits().min(128);
    if scalar.is_signed() { value << shift >> shift } else { ((value as u128) << shift >> shift) as i128 }
}

fn address_constant(address: Address) -> ExpressionKind {
    let base = match address.base {
        Base::Decl(id) => AddressBase::Declaration(DeclId(id.raw())),
        Base::Str(id) => AddressBase::String(StringId(id.raw())),
        Base::Label(id) => AddressBase::Label(LabelId(id.raw())),
        Base::Absolute => AddressBase::None,
    };
    match i64::try_from(address.offset) {
        Ok(offset) => ExpressionKind::Address { base, offset },
        Err(_) => ExpressionKind::Unsupported("address constant beyond the address space".to_string()),
    }
}

fn unary(op: UnaryOp, operand: ExprId) -> ExpressionKind {
    let operator = match op {
        UnaryOp::Plus => UnaryOperator::Plus,
        UnaryOp::Minus => UnaryOperator::Minus,
        UnaryOp::Not => UnaryOperator::Not,
        UnaryOp::BitNot => UnaryOperator::Complement,
        UnaryOp::Deref => return ExpressionKind::Deref(operand),
        UnaryOp::AddrOf => return ExpressionKind::AddressOf(operand),
        UnaryOp::PreInc => return ExpressionKind::Step { place: operand, down: false, prefix: true },
        UnaryOp::PreDec => return ExpressionKind::Step { place: operand, down: true, prefix: true },
        UnaryOp::PostInc => return ExpressionKind::Step { place: operand, down: false, prefix: false },
        UnaryOp::PostDec => return ExpressionKind::Step { place: operand, down: true, prefix: false },
        UnaryOp::Real | UnaryOp::Imag => return ExpressionKind::Unsupported(op.spelling().to_string()),
    };
    ExpressionKind::Unary { operator, operand }
}

fn binary(op: BinaryOp) -> BinaryOperator {
    match op {
        BinaryOp::Mul => BinaryOperator::Mul,
        BinaryOp::Div => BinaryOperator::Div,
        BinaryOp::Rem => BinaryOperator::Rem,
        BinaryOp::Add => BinaryOperator::Add,
        BinaryOp::Sub => BinaryOperator::Sub,
        BinaryOp::Shl => BinaryOperator::Shl,
        BinaryOp::Shr => BinaryOperator::Shr,
        BinaryOp::Lt => BinaryOperator::Lt,
        BinaryOp::Gt => BinaryOperator::Gt,
        BinaryOp::Le => BinaryOperator::Le,
        BinaryOp::Ge => BinaryOperator::Ge,
        BinaryOp::Eq => BinaryOperator::Eq,
        BinaryOp::Ne => BinaryOperator::Ne,
        BinaryOp::BitAnd => BinaryOperator::And,
        BinaryOp::BitXor => BinaryOperator::Xor,
        BinaryOp::BitOr => BinaryOperator::Or,
        BinaryOp::LogAnd => BinaryOperator::LogicalAnd,
        BinaryOp::LogOr => BinaryOperator::LogicalOr,
    }
}

fn conversion(kind: Conversion, operand: ExprId) -> ExpressionKind {
    match kind {
        Conversion::Lvalue => ExpressionKind::Load(operand),
        Conversion::ArrayDecay => ExpressionKind::Decay(operand),
        Conversion::FunctionDecay => ExpressionKind::FunctionDecay(operand),
        Conversion::Arithmetic
        | Conversion::Pointer
        | Conversion::Bool
        | Conversion::NullPointer
        | Conversion::Void => ExpressionKind::Convert(operand),
        Conversion::Broadcast | Conversion::Hardbool => ExpressionKind::Unsupported(kind.as_str().to_string()),
    }
}

fn classify(op: Classify) -> Builtin {
    match op {
        Classify::Unordered => Builtin::IsUnordered,
        Classify::LessGreater => Builtin::IsLessGreater,
        Classify::Nan => Builtin::IsNan,
        Classify::Infinite => Builtin::IsInfinite,
        Classify::Finite => Builtin::IsFinite,
        Classify::Normal => Builtin::IsNormal,
        Classify::SignBit => Builtin::SignBit,
        Classify::InfiniteSign => Builtin::InfiniteSign,
    }
}

fn bit_count(count: BitCount) -> Builtin {
    match count {
        BitCount::Leading => Builtin::LeadingZeros,
        BitCount::Trailing => Builtin::TrailingZeros,
        BitCount::Ones => Builtin::PopCount,
        BitCount::Parity => Builtin::Parity,
        BitCount::FirstSet => Builtin::FindFirstSet,
        BitCount::RedundantSign => Builtin::RedundantSignBits,
    }
}

fn atomic(op: rucc_sema::AtomicOp) -> AtomicBuiltin {
    use rucc_sema::AtomicOp;
    match op {
        AtomicOp::Load => AtomicBuiltin::Load,
        AtomicOp::LoadInto => AtomicBuiltin::LoadInto,
        AtomicOp::Store => AtomicBuiltin::Store,
        AtomicOp::Fence | AtomicOp::SignalFence => AtomicBuiltin::Fence,
        AtomicOp::CompareExchange => AtomicBuiltin::CompareExchange,
        AtomicOp::SwapBool => AtomicBuiltin::SwapBool,
        AtomicOp::SwapValue => AtomicBuiltin::SwapValue,
        AtomicOp::Exchange => AtomicBuiltin::Exchange,
        AtomicOp::ExchangeInto => AtomicBuiltin::ExchangeInto,
        AtomicOp::TestAndSet => AtomicBuiltin::TestAndSet,
        AtomicOp::Fetch(operation) => AtomicBuiltin::Fetch(atomic_operation(operation)),
        AtomicOp::Update(operation) => AtomicBuiltin::Update(atomic_operation(operation)),
    }
}

fn atomic_operation(operation: Rmw) -> AtomicOperation {
    match operation {
        Rmw::Add => AtomicOperation::Add,
        Rmw::Sub => AtomicOperation::Sub,
        Rmw::And => AtomicOperation::And,
        Rmw::Nand => AtomicOperation::Nand,
        Rmw::Or => AtomicOperation::Or,
        Rmw::Xor => AtomicOperation::Xor,
    }
}

fn unsupported_name(kind: ExprKind) -> &'static str {
    match kind {
        ExprKind::Error => "an expression with an error",
        ExprKind::ConvertVector { .. } => "__builtin_convertvector",
        ExprKind::Elementwise { .. } => "__builtin_elementwise",
        ExprKind::Complex { .. } => "__builtin_complex",
        ExprKind::Shuffle { .. } => "__builtin_shuffle",
        ExprKind::ShuffleVector { .. } => "__builtin_shufflevector",
        ExprKind::ThreadPointer => "__builtin_thread_pointer",
        ExprKind::SpEntry => "__builtin_sponentry",
        ExprKind::TimeStamp { .. } => "__builtin_ia32_rdtsc",
        ExprKind::Eflags { .. } => "__builtin_ia32_readeflags",
        ExprKind::XState { .. } => "__builtin_ia32_xsave",
        ExprKind::CpuModel { .. } => "__builtin_cpu_supports",
        ExprKind::ApplyArgs => "__builtin_apply_args",
        ExprKind::Apply { .. } => "__builtin_apply",
        ExprKind::Jump { .. } => "__builtin_setjmp",
        _ => "an expression that is not modelled",
    }
}
