//! The control-flow automaton: functions made of nodes and edges, edges labelled with operations over typed
//! expressions without side effects.
//!
//! Expressions and places are interned: equal ones have equal ids, in the whole program. A program is built once by
//! [`lower`](crate::lower) or the text reader, checked by [`check`](crate::check), and never changed again.

use std::collections::HashMap;
use std::hash::Hash;

use tandem_base::{FastBuild, Id, IdRange, IdVec, SourceText, Span, define_id};
use tandem_syntax::types::{RecordId, TypeId};
use tandem_syntax::{DataModel, Types};

use crate::library::LibraryUse;

define_id!(
    /// A location of the automaton. The nodes of one function are neighbours.
    NodeId, "n"
);
define_id!(
    /// An edge of the automaton. The edges that leave one node are neighbours, in their rank.
    EdgeId, "e"
);
define_id!(
    /// A function, defined or only declared.
    FunctionId, "f"
);
define_id!(
    /// A variable: global, parameter, local or temporary.
    VariableId, "v"
);
define_id!(
    /// An expression.
    ExprId, "x"
);
define_id!(
    /// A place: something that can be read, written or pointed to.
    PlaceId, "p"
);
define_id!(
    /// A constant wider than 64 bits.
    WideId, "w"
);
define_id!(
    /// A decision of the source: a whole controlling expression.
    DecisionId, "decision"
);
define_id!(
    /// A condition of the source: an atom of a decision, between `&&` and `||`.
    ConditionId, "condition"
);

/// A program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub source: SourceText,
    pub types: Types,
    pub variables: IdVec<VariableId, Variable>,
    pub functions: IdVec<FunctionId, Function>,
    pub nodes: IdVec<NodeId, Node>,
    pub edges: IdVec<EdgeId, Edge>,
    pub decisions: IdVec<DecisionId, Decision>,
    pub conditions: IdVec<ConditionId, Condition>,
    /// Where each source statement begins, in the order of the source, one function after the other.
    pub statements: Vec<StatementStart>,
    pub arena: Arena,
    /// The function a run starts in: `main`.
    pub entry: Option<FunctionId>,
    /// What it does with the library that changes what functions of the library mean.
    pub library_use: LibraryUse,
}

/// The interned expressions and places of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Arena {
    exprs: Interned<ExprId, Expr>,
    places: Interned<PlaceId, Place>,
    wides: Interned<WideId, u128>,
}

#[derive(Clone, PartialEq, Debug)]
struct Interned<I: Id, T: Eq + Hash> {
    items: IdVec<I, T>,
    index: HashMap<T, I, FastBuild>,
}

/// An expression: a value, computed without side effects from constants and places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// A scalar constant of at most 64 bits: its bits, zero-extended from the width of its type.
    Bits(u64),
    /// A scalar constant of more than 64 bits (`__int128`, `long double`, `__float128`).
    Wide(WideId),
    /// An array or record of zero bytes. Only as the whole right side of an assignment.
    Zero,
    /// The value of a place. Of array or record type only as the whole right side of an assignment, an argument
    /// or a returned value.
    Read(PlaceId),
    /// A pointer to the place (for arrays also: to the first element, when the type says so).
    AddressOf(PlaceId),
    /// A pointer to a function.
    Function(FunctionId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// The conversion of a scalar to the expression's scalar type.
    Convert(ExprId),
    /// A pure operation that C has no operator for.
    Intrinsic(Intrinsic, ExprId, Option<ExprId>),
}

/// The type of the operand is the type of the result, except for `Not`, whose result is `int`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Neg,
    /// `~x`
    Complement,
    /// `!x`: 1 if the operand equals zero, else 0.
    Not,
}

/// Arithmetic is on two operands of the result's type; shifts take the left operand's type and any integer on the
/// right; comparisons are on two operands of one type and give `int`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Division by zero ends the path.
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Pointer plus integer (any integer type, sign- or zero-extended), scaled by the pointee's size.
    PointerAdd,
    PointerSub,
    /// Pointer minus pointer, divided by the pointee's size.
    PointerDiff,
}

impl BinaryOp {
    pub fn is_comparison(self) -> bool {
        match self {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::PointerAdd
            | BinaryOp::PointerSub
            | BinaryOp::PointerDiff => false,
        }
    }
}

/// Unary unless said otherwise. Float operations are on the operand's format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    ByteSwap,
    /// Undefined for zero (here: the width).
    LeadingZeros,
    /// Undefined for zero (here: the width).
    TrailingZeros,
    PopCount,
    Parity,
    FindFirstSet,
    RedundantSignBits,
    IsNan,
    IsInfinite,
    IsFinite,
    IsNormal,
    /// 1 if the sign bit is set, else 0.
    SignBit,
    FloatAbs,
    /// Binary: the magnitude of the first with the sign of the second.
    CopySign,
    SquareRoot,
    Floor,
    Ceil,
    Trunc,
    /// To the nearest integer, halves away from zero.
    Round,
    /// To the nearest integer, halves to even.
    RoundEven,
    /// Binary, as C's `fmin`: a NaN loses.
    FloatMin,
    FloatMax,
    /// Binary: C's `fmod`.
    FloatMod,
    /// Binary: C's `remainder`.
    FloatRemainder,
}

impl Intrinsic {
    pub fn is_binary(self) -> bool {
        use Intrinsic::*;
        matches!(self, CopySign | FloatMin | FloatMax | FloatMod | FloatRemainder)
    }
}

/// A place, and the type of what lies there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlaceKind {
    Variable(VariableId),
    /// What the pointer points to.
    Deref(ExprId),
    /// A member of a record; for a bit-field the place is its bits.
    Field(PlaceId, RecordId, u32),
    /// An element of an array (a place of array type), by an index of integer type.
    Index(PlaceId, ExprId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// As in the source; temporaries have a name with a `$` in it.
    pub name: Box<str>,
    pub ty: TypeId,
    pub kind: VariableKind,
    /// `None` for objects that live outside every function.
    pub function: Option<FunctionId>,
    /// Where it was declared.
    pub span: Span,
    /// The part of the source in which the name means this variable ([`Span::NONE`]: nowhere).
    pub scope: Span,
    /// Globals and statics: what is stored before `main` begins; everything else is zero.
    /// Empty for locals, whose initialisation is done by edges.
    pub initializer: Box<[InitialValue]>,
    /// Whether some expression takes its address (or an element's or member's), or it is no scalar.
    pub in_memory: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum VariableKind {
    Global,
    /// Declared `extern` and nowhere defined: any value at the start, stable from then on.
    External,
    /// `static` inside a function, or in file scope without a name of its own.
    Static,
    /// A string literal; the initialiser has its bytes. Not to be written.
    StringLiteral,
    Parameter,
    Local,
    Temporary,
}

impl VariableKind {
    /// Whether there is one instance for the whole run, and not one per call.
    pub fn is_static(self) -> bool {
        match self {
            VariableKind::Global | VariableKind::External | VariableKind::Static | VariableKind::StringLiteral => true,
            VariableKind::Parameter | VariableKind::Local | VariableKind::Temporary => false,
        }
    }
}

/// Stored at `offset` bytes into the variable; with `bits`, into these bits from there on.
#[derive(Clone, PartialEq, Debug)]
pub struct InitialValue {
    pub offset: u64,
    pub bits: Option<tandem_syntax::types::BitRange>,
    pub value: InitialData,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InitialData {
    /// A constant expression of scalar type: numbers, addresses of static variables plus constants, functions.
    Scalar(ExprId),
    Bytes(Box<[u8]>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: Box<str>,
    /// A function type.
    pub ty: TypeId,
    pub span: Span,
    /// `None`: declared, never defined.
    pub body: Option<Body>,
    pub is_noreturn: bool,
    /// Whether it comes from the library of C models and not from the user's source.
    pub is_library: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Body {
    pub entry: NodeId,
    /// Every `return` leads here; no edge leaves it.
    pub exit: NodeId,
    pub nodes: IdRange<NodeId>,
    pub edges: IdRange<EdgeId>,
    pub parameters: Box<[VariableId]>,
    /// Locals and temporaries, parameters not included.
    pub locals: Box<[VariableId]>,
    pub labels: Box<[(Box<str>, NodeId)]>,
    pub loops: Box<[LoopStatement]>,
}

/// A loop statement of the source.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopStatement {
    /// From the keyword `for`, `while` or `do` on.
    pub span: Span,
    /// The node just before the controlling expression is evaluated.
    pub head: NodeId,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StatementStart {
    pub span: Span,
    pub node: NodeId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub function: FunctionId,
    /// The edges that leave it. Set by [`Program::seal`].
    pub out: IdRange<EdgeId>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    pub source: NodeId,
    pub target: NodeId,
    pub op: Op,
    /// The statement, expression or declaration it comes from.
    pub span: Span,
    /// Of an assume: the atom it tests. Also set on the skip that a constant condition leaves.
    pub condition: Option<ConditionId>,
    /// Set on edges that settle a decision: which one, and its outcome (0 false, 1 true; of a `switch`: the number of the
    /// case in the source, the default last).
    pub outcome: Option<(DecisionId, u32)>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Skip,
    /// Passes if the (scalar) condition compares unequal to zero, as `truth` says.
    Assume {
        condition: ExprId,
        truth: bool,
    },
    Assign {
        place: PlaceId,
        value: ExprId,
    },
    /// The result, if any, is stored in `result`, whose type is the function's result type.
    Call {
        callee: Callee,
        arguments: Box<[ExprId]>,
        result: Option<PlaceId>,
    },
    /// Leads to the exit of the function.
    Return {
        value: Option<ExprId>,
    },
    /// The lifetime of a local begins (again): its value is undefined from here on.
    Declare(VariableId),
    /// A step that nobody models, by its name. Whoever gets here knows nothing for sure any more.
    Unsupported {
        what: Box<str>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Direct(FunctionId),
    Pointer(ExprId),
    Builtin(Builtin),
}

/// Steps with an effect that are no C functions. Arguments and results as documented here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// Argument: pointer to the `va_list` object.
    VaStart,
    /// Argument: pointer to the `va_list` object. Result: the next argument, of the result place's type.
    VaArg,
    VaEnd,
    /// Arguments: pointer to the target list, pointer to the source list.
    VaCopy,
    /// Argument: size in bytes. Result: a pointer to an object that lives until the function returns.
    Alloca,
    /// The path ends here: the program promised not to come by.
    Unreachable,
    /// The path ends here: the program is killed.
    Trap,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DecisionKind {
    If,
    While,
    DoWhile,
    For,
    Switch,
    /// `?:`
    Conditional,
    /// `&&` and `||` whose value is used.
    Logical,
    /// Comes from lowering (computed `goto`), not from a decision of the source.
    Computed,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    pub kind: DecisionKind,
    /// The controlling expression.
    pub span: Span,
    /// The whole statement or expression; begins with the keyword for statements.
    pub statement: Span,
    pub function: FunctionId,
    /// Number of outcomes: 2, or the cases of a `switch` plus one for the default.
    pub outcomes: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    pub span: Span,
    pub decision: DecisionId,
}

impl Program {
    pub fn model(&self) -> DataModel {
        self.types.model()
    }

    pub fn expr(&self, id: ExprId) -> Expr {
        self.arena.expr(id)
    }

    pub fn place(&self, id: PlaceId) -> Place {
        self.arena.place(id)
    }

    pub fn wide(&self, id: WideId) -> u128 {
        self.arena.wide(id)
    }

    /// The edges that leave a node, in their rank.
    pub fn out(&self, node: NodeId) -> IdRange<EdgeId> {
        self.nodes[node].out
    }

    pub fn function_of(&self, edge: EdgeId) -> FunctionId {
        self.nodes[self.edges[edge].source].function
    }

    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.enumerate().find(|(_, f)| &*f.name == name).map(|(id, _)| id)
    }

    /// Whether the edge is one of several that leave its source.
    pub fn is_branching(&self, edge: EdgeId) -> bool {
        self.out(self.edges[edge].source).len() > 1
    }

    /// Sorts the edges by source, keeping the order of those with one source, and sets [`Node::out`].
    /// To be called once, by whoever built the nodes and edges; the edges of one function must be neighbours already.
    pub fn seal(&mut self) {
        let mut edges = std::mem::take(&mut self.edges).into_inner();
        edges.sort_by_key(|edge| edge.source);
        let mut at = 0;
        for id in self.nodes.ids() {
            let start = EdgeId::from_index(at);
            while at < edges.len() && edges[at].source == id {
                at += 1;
            }
            self.nodes[id].out = IdRange::new(start, EdgeId::from_index(at));
        }
        self.edges = edges.into();
    }
}

impl Arena {
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs.items[id]
    }

    pub fn place(&self, id: PlaceId) -> Place {
        self.places.items[id]
    }

    pub fn wide(&self, id: WideId) -> u128 {
        self.wides.items[id]
    }

    pub fn add_expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.exprs.add(Expr { kind, ty })
    }

    pub fn add_place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        self.places.add(Place { kind, ty })
    }

    pub fn add_wide(&mut self, value: u128) -> WideId {
        self.wides.add(value)
    }

    /// A scalar constant of any width; `bits` are the bits of the type's scalar, zero-extended.
    pub fn add_constant(&mut self, types: &Types, bits: u128, ty: TypeId) -> ExprId {
        let width = types.scalar(ty).map_or(64, |scalar| scalar.bits());
        if width <= 64 {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            self.add_expr(ExprKind::Bits(bits as u64 & mask), ty)
        } else {
            let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
            let wide = self.add_wide(bits & mask);
            self.add_expr(ExprKind::Wide(wide), ty)
        }
    }

    pub fn exprs(&self) -> &IdVec<ExprId, Expr> {
        &self.exprs.items
    }

    pub fn places(&self) -> &IdVec<PlaceId, Place> {
        &self.places.items
    }

    pub fn wides(&self) -> &IdVec<WideId, u128> {
        &self.wides.items
    }

    /// The variable a place is part of, unless it lies behind a pointer.
    pub fn root_variable(&self, mut place: PlaceId) -> Option<VariableId> {
        loop {
            match self.place(place).kind {
                PlaceKind::Variable(variable) => return Some(variable),
                PlaceKind::Deref(_) => return None,
                PlaceKind::Field(base, ..) | PlaceKind::Index(base, _) => place = base,
            }
        }
    }
}

impl<I: Id, T: Copy + Eq + Hash> Interned<I, T> {
    fn add(&mut self, item: T) -> I {
        let items = &mut self.items;
        *self.index.entry(item).or_insert_with(|| items.push(item))
    }
}

impl<I: Id, T: Eq + Hash> Default for Interned<I, T> {
    fn default() -> Self {
        Interned { items: IdVec::new(), index: HashMap::default() }
    }
}
