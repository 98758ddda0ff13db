//! The code the interpreter runs: small operations on the registers of a frame. Knows how operations look, not what
//! they do.
//!
//! A register holds the bits of a scalar of up to 64 bits, zero-extended; wider scalars take a register and the next
//! one (low, high). A frame's first registers are its parameters; a call puts the arguments where the callee's first
//! registers will be, and finds the result in the same place.

use tandem_syntax::Scalar;

use crate::model::{BinaryOp, FunctionId, Intrinsic, UnaryOp, VariableId};

pub(super) use super::compiled::*;

/// A register of the current frame.
pub(super) type Reg = u16;

/// A position in [`Code::ops`].
pub(super) type Pc = u32;

/// `S` and `U`: signed, unsigned; 32 and 64: the width; a last `I`: the right operand is a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Op {
    /// A straight run of edges begins; `rank`: which of several edges of a node was taken, [`NO_RANK`] if there was
    /// no choice; `weight`: how many edges.
    Block {
        block: u32,
        rank: u32,
        weight: u32,
    },
    Const {
        to: Reg,
        value: u64,
    },
    Move {
        to: Reg,
        from: Reg,
    },

    AddS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    AddS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Add32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Add64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    SubS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    SubS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Sub32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Sub64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    MulS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    MulS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Mul32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Mul64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    AddS32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    AddS64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    Add32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    Add64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    SubS32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    SubS64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    MulS32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    MulS64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    Mul32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    Mul64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    DivS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    DivS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    DivU {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    RemS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    RemS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    RemU {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    And {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Or {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Xor {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    AndI {
        to: Reg,
        a: Reg,
        value: u64,
    },
    OrI {
        to: Reg,
        a: Reg,
        value: u64,
    },
    XorI {
        to: Reg,
        a: Reg,
        value: u64,
    },
    Shl32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Shl64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    ShrS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    ShrS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    ShrU32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    ShrU64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    /// Constant amounts are smaller than the width.
    Shl32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    Shl64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    ShrS32I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    ShrS64I {
        to: Reg,
        a: Reg,
        value: u64,
    },
    /// Of either width.
    ShrUI {
        to: Reg,
        a: Reg,
        value: u64,
    },

    Eq {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Ne {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LtS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LtS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LtU {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LeS32 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LeS64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LeU {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    EqI {
        to: Reg,
        a: Reg,
        value: u64,
    },
    NeI {
        to: Reg,
        a: Reg,
        value: u64,
    },

    SignExtend8To32 {
        to: Reg,
        a: Reg,
    },
    SignExtend16To32 {
        to: Reg,
        a: Reg,
    },
    SignExtend8To64 {
        to: Reg,
        a: Reg,
    },
    SignExtend16To64 {
        to: Reg,
        a: Reg,
    },
    SignExtend32To64 {
        to: Reg,
        a: Reg,
    },

    AddF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    SubF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    MulF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    DivF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LtF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    LeF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    EqF64 {
        to: Reg,
        a: Reg,
        b: Reg,
    },
    SignedToF64 {
        to: Reg,
        a: Reg,
        bits: u32,
    },

    /// `base + index * stride`, the index signed with 32 bits, or with 64; the address has 64 bits or, `Narrow`, 32.
    IndexS32 {
        to: Reg,
        base: Reg,
        index: Reg,
        stride: i32,
    },
    Index64 {
        to: Reg,
        base: Reg,
        index: Reg,
        stride: i32,
    },
    IndexS32Narrow {
        to: Reg,
        base: Reg,
        index: Reg,
        stride: i32,
    },
    Index64Narrow {
        to: Reg,
        base: Reg,
        index: Reg,
        stride: i32,
    },

    Load8 {
        to: Reg,
        at: Reg,
        offset: u64,
    },
    Load16 {
        to: Reg,
        at: Reg,
        offset: u64,
    },
    Load32 {
        to: Reg,
        at: Reg,
        offset: u64,
    },
    Load64 {
        to: Reg,
        at: Reg,
        offset: u64,
    },
    Store8 {
        from: Reg,
        at: Reg,
        offset: u64,
    },
    Store16 {
        from: Reg,
        at: Reg,
        offset: u64,
    },
    Store32 {
        from: Reg,
        at: Reg,
        offset: u64,
    },
    Store64 {
        from: Reg,
        at: Reg,
        offset: u64,
    },
    LoadAt8 {
        to: Reg,
        address: u64,
    },
    LoadAt16 {
        to: Reg,
        address: u64,
    },
    LoadAt32 {
        to: Reg,
        address: u64,
    },
    LoadAt64 {
        to: Reg,
        address: u64,
    },
    StoreAt8 {
        from: Reg,
        address: u64,
    },
    StoreAt16 {
        from: Reg,
        address: u64,
    },
    StoreAt32 {
        from: Reg,
        address: u64,
    },
    StoreAt64 {
        from: Reg,
        address: u64,
    },

    Jump {
        target: Pc,
    },
    JumpIf {
        a: Reg,
        target: Pc,
    },
    JumpIfNot {
        a: Reg,
        target: Pc,
    },
    JumpEq {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpNe {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpLtS32 {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpLtS64 {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpLtU {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpLeS32 {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpLeS64 {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpLeU {
        a: Reg,
        b: Reg,
        target: Pc,
    },
    JumpEqI {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpNeI {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpLtS32I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpLtS64I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpLtUI {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpGeS32I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpGeS64I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpGeUI {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpGtS32I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpGtS64I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpGtUI {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpLeS32I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpLeS64I {
        a: Reg,
        value: u64,
        target: Pc,
    },
    JumpLeUI {
        a: Reg,
        value: u64,
        target: Pc,
    },

    /// The pointer becomes an integer: its address is observed unless it is null.
    Observe {
        a: Reg,
    },
    /// The pointers are compared or subtracted: an observation unless they point into one object.
    Together {
        a: Reg,
        b: Reg,
    },

    /// An operation on any scalars, from [`Code::pure`].
    Pure {
        index: u32,
    },
    /// An operation on memory, from [`Code::memory`].
    Memory {
        index: u32,
    },
    /// An object for a local variable; its address goes to the register.
    Local {
        to: Reg,
        variable: VariableId,
    },
    /// The value of a local variable is undefined from here on.
    Forget {
        at: Reg,
    },
    Call {
        function: FunctionId,
        base: Reg,
    },
    /// A call through a pointer, of a library function or of a builtin, from [`Code::sites`].
    Site {
        site: u32,
    },
    /// The result of a call goes from `base` to `to`; asked for, if the callee returned nothing.
    Result {
        to: Reg,
        base: Reg,
    },
    Return {
        a: Reg,
    },
    ReturnWide {
        a: Reg,
    },
    ReturnRecord {
        a: Reg,
        size: u32,
    },
    ReturnNothing,
    /// No edge passes, or nothing leaves the node.
    Stuck,
    /// A step that is not modelled, from [`Code::texts`].
    Unsupported {
        text: u32,
    },
    /// Records a step, from [`Code::probes`]; only in code that is traced.
    Probe {
        index: u32,
    },
}

pub(super) const NO_RANK: u32 = u32::MAX;

/// An operation that only computes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Pure {
    Unary { op: UnaryOp, scalar: Scalar, to: Reg, a: Reg },
    Binary { op: BinaryOp, left: Scalar, right: Scalar, stride: u64, to: Reg, a: Reg, b: Reg },
    Convert { from: Scalar, into: Scalar, to: Reg, a: Reg },
    Intrinsic { intrinsic: Intrinsic, scalar: Scalar, into: Scalar, to: Reg, a: Reg, b: Reg },
    Wide { to: Reg, value: u128 },
}

/// Bits of a bit-field: counted from the lowest bit of the first byte.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bits {
    pub offset: u32,
    pub width: u32,
}

/// An operation on memory that is not a plain load or store. Addresses are `at + offset`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum MemoryOp {
    LoadWide {
        to: Reg,
        at: Reg,
        offset: u64,
        size: u32,
    },
    StoreWide {
        from: Reg,
        at: Reg,
        offset: u64,
        size: u32,
    },
    LoadBits {
        to: Reg,
        at: Reg,
        offset: u64,
        bits: Bits,
        scalar: Scalar,
    },
    StoreBits {
        from: Reg,
        at: Reg,
        offset: u64,
        bits: Bits,
    },
    Copy {
        to: Reg,
        to_offset: u64,
        from: Reg,
        from_offset: u64,
        size: u64,
    },
    Zero {
        at: Reg,
        offset: u64,
        size: u64,
    },
    /// The record a call returned.
    StoreResult {
        at: Reg,
        offset: u64,
        size: u64,
    },
}
