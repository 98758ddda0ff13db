//! The typed tree, as a view: ids are cheap, nodes are made when they are asked for.
//!
//! Every implicit conversion is a node of its own, names are resolved, constants are folded where C wants it,
//! initialisers are flattened to (offset, value). Nothing here says which front end made the tree.

use tandem_base::{Span, define_id};

use crate::types::{BitRange, TypeId};

define_id!(
    /// An expression of the tree.
    ExprId, "x"
);
define_id!(
    /// A statement of the tree.
    StmtId, "s"
);
define_id!(
    /// A declared object or function.
    DeclId, "d"
);
define_id!(
    /// A label of some function.
    LabelId, "l"
);
define_id!(
    /// A string literal.
    StringId, "str"
);

#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub ty: TypeId,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    /// An integer constant, sign-extended from its type (pointers: zero-extended addresses such as `(int *)4`).
    Integer(i128),
    /// A floating constant: its bits in the format of its type, lowest first.
    Float(u128),
    /// An address constant `&object + offset` (or a function's address, offset zero).
    Address {
        base: AddressBase,
        offset: i64,
    },
    /// `&&to - &&from`, folded.
    LabelDifference {
        to: LabelId,
        from: LabelId,
    },
    /// A string literal: an lvalue of array type. In an initialiser its type may be shorter than the literal, and then only
    /// so many bytes count.
    String(StringId),
    /// The use of an object (an lvalue) or of a function (a designator).
    Declaration(DeclId),
    /// `base.field`: an lvalue if `base` is one.
    ///
    /// A bit-field has its declared type here and when it is loaded; promotion to `int` is a `Convert` of the loaded value. Where
    /// a bit-field wider than `int` takes part in arithmetic, gcc computes in exactly so many bits: such nodes have a
    /// `Type::Unsupported` named `_BitInt(n)` or `unsigned _BitInt(n)`.
    Member {
        base: ExprId,
        field: u32,
    },
    /// `pointer[index]`: an lvalue.
    Subscript {
        pointer: ExprId,
        index: ExprId,
    },
    /// `*pointer`: an lvalue, or a designator for pointers to functions.
    Deref(ExprId),
    /// `&place`
    AddressOf(ExprId),
    Call {
        callee: ExprId,
        arguments: Vec<ExprId>,
    },
    Unary {
        operator: UnaryOperator,
        operand: ExprId,
    },
    /// `++x`, `x--`: the place, +1 or -1, and whether the value is the new one.
    Step {
        place: ExprId,
        down: bool,
        prefix: bool,
    },
    /// Operands have one type, except for shifts and pointer arithmetic.
    Binary {
        operator: BinaryOperator,
        left: ExprId,
        right: ExprId,
    },
    /// `place = value`, or `place op= value` with the operation carried out in `computation`.
    Assign {
        operator: Option<BinaryOperator>,
        computation: TypeId,
        place: ExprId,
        value: ExprId,
    },
    /// `condition ? then : otherwise`; `then` is `None` for GNU's `condition ?: otherwise`, where `condition` is not
    /// converted: it is tested against zero and, if it is the result, converted to the node's type.
    Conditional {
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
    },
    Comma {
        left: ExprId,
        right: ExprId,
    },
    /// The value of a place (the lvalue conversion); for records a whole-object read.
    Load(ExprId),
    /// An array becomes a pointer to its first element.
    Decay(ExprId),
    /// A function designator becomes a pointer.
    FunctionDecay(ExprId),
    /// Any other conversion, implicit or by a cast, of a value to the node's type (`void` included).
    Convert(ExprId),
    /// `(T){...}`: an lvalue; the declaration carries the initialiser.
    CompoundLiteral(DeclId),
    /// `({ ... })`: the value of its last expression statement, if that has one.
    StatementExpression(StmtId),
    /// `&&label`
    LabelAddress(LabelId),
    /// For this and the three below: a pointer to the list object (its first element where it is an array).
    VaStart {
        list: ExprId,
    },
    /// The next argument, of the node's type.
    VaArg {
        list: ExprId,
    },
    VaEnd {
        list: ExprId,
    },
    VaCopy {
        to: ExprId,
        from: ExprId,
    },
    /// A compiler builtin that the front end resolved.
    Builtin {
        builtin: Builtin,
        arguments: Vec<ExprId>,
    },
    /// Something the tree has and nobody models, by its name.
    Unsupported(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AddressBase {
    Declaration(DeclId),
    String(StringId),
    Label(LabelId),
    /// A plain number.
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum UnaryOperator {
    Plus,
    Minus,
    /// `!x`, of type `int`.
    Not,
    /// `~x`
    Complement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BinaryOperator {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}

/// Builtins that come as nodes of their own. Others stay calls to a function named `__builtin_...`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Builtin {
    /// Value, hint: the value.
    Expect,
    /// Whether the argument is a constant; the front end could not tell, so it is not.
    ConstantP,
    ByteSwap,
    LeadingZeros,
    TrailingZeros,
    PopCount,
    Parity,
    FindFirstSet,
    RedundantSignBits,
    Abs,
    /// Arguments left, right[, pointer to result]; computed exactly, then stored as the pointee's (or `at`) type;
    /// the value is whether it did not fit. `at` is the type of the destination, with or without a pointer to it.
    OverflowAdd {
        at: TypeId,
        stores: bool,
    },
    OverflowSub {
        at: TypeId,
        stores: bool,
    },
    OverflowMul {
        at: TypeId,
        stores: bool,
    },
    IsUnordered,
    IsLessGreater,
    IsNan,
    IsInfinite,
    IsFinite,
    IsNormal,
    SignBit,
    /// +1, -1 or 0.
    InfiniteSign,
    /// Arguments: the answers for nan, infinite, normal, subnormal, zero, then the value.
    FpClassify,
    FloatAbs,
    CopySign,
    /// Evaluates its argument, does nothing.
    Prefetch,
    Unreachable,
    Trap,
    Alloca,
    /// `__builtin_object_size`: the constant the compiler would give without looking, -1 or 0.
    ObjectSize {
        kind: u8,
    },
    FrameAddress,
    ReturnAddress,
    /// Atomic operations, sequential here, without the memory orders: the address, then the value (already loaded where gcc
    /// takes a pointer to it), for `LoadInto` and `ExchangeInto` last the address the result goes to. `CompareExchange`
    /// has the address of the expected value second. The object has the type of the value (`__atomic_clear`: a byte).
    Atomic(AtomicBuiltin),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AtomicBuiltin {
    Load,
    LoadInto,
    Store,
    Fence,
    CompareExchange,
    SwapBool,
    SwapValue,
    Exchange,
    ExchangeInto,
    TestAndSet,
    /// The old value is the result.
    Fetch(AtomicOperation),
    /// The new value is the result.
    Update(AtomicOperation),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum AtomicOperation {
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Empty,
    Expression(ExprId),
    Block(Vec<StmtId>),
    Declarations(Vec<DeclId>),
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    While {
        condition: ExprId,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        condition: ExprId,
    },
    For {
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    /// `cases` has every `case` of this switch, in the order they were written.
    Switch {
        value: ExprId,
        body: StmtId,
        cases: Vec<Case>,
        default: Option<StmtId>,
    },
    /// `case ...: body`; `cases` of the switch refers to `body`.
    Case {
        body: StmtId,
    },
    Default {
        body: StmtId,
    },
    Label {
        label: LabelId,
        body: StmtId,
    },
    Goto(LabelId),
    ComputedGoto(ExprId),
    Asm(Asm),
    Break,
    Continue,
    Return(Option<ExprId>),
    /// Something nobody models, by its name.
    Unsupported(String),
}

/// `case low ... high:`, both in the promoted type of the switch value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    pub low: i128,
    pub high: i128,
    pub body: StmtId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Asm {
    /// Whether the template has any instruction in it.
    pub is_empty: bool,
    /// Places it may write.
    pub outputs: Vec<ExprId>,
    /// Values it reads, or places where it is given the memory itself.
    pub inputs: Vec<ExprId>,
    pub clobbers_memory: bool,
    /// `asm goto`
    pub jumps: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    /// Absent for compound literals and unnamed parameters.
    pub name: Option<String>,
    pub ty: TypeId,
    pub span: Span,
    pub is_function: bool,
    pub storage: Storage,
    /// Objects: whether this unit defines it (tentatively or not). Functions: whether it has a body.
    pub is_defined: bool,
    pub is_noreturn: bool,
    pub is_volatile: bool,
    /// The object starts as zero and the entries are stored in order. `None`: no initialiser was written.
    pub initializer: Option<Vec<InitEntry>>,
    /// Bytes the object takes, where the initialiser of a flexible array member makes it larger than its type.
    pub extent: Option<u64>,
    /// Of a function definition. In an old-style one their types may be narrower than those of the function type, which
    /// are promoted: the argument is then converted on entry.
    pub parameters: Vec<DeclId>,
    pub body: Option<StmtId>,
    /// `__attribute__((cleanup(f)))` on a local.
    pub cleanup: Option<DeclId>,
    /// `__attribute__((alias("f")))`
    pub alias: Option<String>,
    /// `__attribute__((constructor))` or `destructor`
    pub runs_outside_main: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Static,
    Thread,
    Automatic,
}

/// One value of a flattened initialiser, stored at `offset` bytes (or in these bits from there on).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitEntry {
    pub offset: u64,
    pub bits: Option<BitRange>,
    /// A string literal of array type stores its characters.
    pub value: ExprId,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub name: String,
}
