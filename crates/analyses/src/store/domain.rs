//! What values are: the part of a store that differs between analyses. Bits go in and out; a domain knows nothing of
//! variables, objects or edges beyond the names of inputs.

use std::fmt::Debug;

use tandem_cfa::exec::InputSource;
use tandem_cfa::semantics::{RoundedOperation, RoundingDirection};
use tandem_cfa::{BinaryOp, EdgeId, Intrinsic, Scalar, UnaryOp};

use super::address::ObjectKey;

/// A value in a state from which nothing is known: what an unwritten slot or cell holds there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum StartKey {
    /// A variable that is not in memory, of the call that is this far from the outermost one.
    Slot { depth: u32, variable: tandem_cfa::VariableId },
    /// Bytes of an object.
    Cell { object: ObjectKey, offset: u64, size: u64 },
    /// All elements of an object, by their byte offsets.
    Elements { object: ObjectKey, size: u64 },
}

/// One of the addresses a pointer may have: a constant plus a rest that is no address.
#[derive(Clone, Debug)]
pub struct Part<D: Domain> {
    /// When it is this one; always, if there is no guard.
    pub guard: Option<D::Guard>,
    pub address: u64,
    /// To be added; nothing means zero.
    pub rest: Option<D::Value>,
}

/// All the addresses that a pointer may have.
#[derive(Clone, Debug)]
pub struct Parts<D: Domain> {
    pub known: Vec<Part<D>>,
    /// When it is none of these, if that can be.
    pub otherwise: Option<D::Guard>,
    /// Whether it may be the address of an object then; if not, it came from outside.
    pub unclear: bool,
    /// Whether it is made of memory that was never written then.
    pub unwritten: bool,
}

/// Values, truths, and what is assumed on a path.
///
/// `Value` stands for a set of bit patterns of a width that the caller knows; `Guard` for a condition; every
/// operation covers what [`semantics`](tandem_cfa::semantics) says about all concrete values.
pub trait Domain: Sized {
    type Value: Clone + PartialEq + Debug;
    type Guard: Clone + Debug;
    /// Inputs and assumptions so far.
    type Path: Clone;

    /// Whether values can depend on a condition or an offset that is not known: if not, the store gives up precision there.
    const SYMBOLIC: bool;

    fn constant(&mut self, width: u32, bits: u128) -> Self::Value;
    fn known(&self, value: &Self::Value) -> Option<u128>;

    fn unary(&mut self, op: UnaryOp, scalar: Scalar, a: &Self::Value) -> Self::Value;
    /// The result, and when the operation is defined, if not always.
    fn binary(
        &mut self,
        op: BinaryOp,
        left: Scalar,
        right: Scalar,
        a: &Self::Value,
        b: &Self::Value,
        stride: u64,
    ) -> (Self::Value, Option<Self::Guard>);
    fn convert(&mut self, from: Scalar, to: Scalar, a: &Self::Value) -> Self::Value;
    fn intrinsic(&mut self, op: Intrinsic, scalar: Scalar, a: &Self::Value, b: Option<&Self::Value>) -> Self::Value;

    /// An operation that rounds once, see [`semantics::rounded`](tandem_cfa::semantics::rounded).
    fn rounded(
        &mut self,
        _operation: RoundedOperation,
        _direction: RoundingDirection,
        _from: Scalar,
        to: Scalar,
        _operands: &[Self::Value],
    ) -> Self::Value {
        self.any(to.bits())
    }

    /// `count` bits from bit `low` on.
    fn extract(&mut self, value: &Self::Value, width: u32, low: u32, count: u32) -> Self::Value;
    /// Puts `high` above `low`.
    fn concat(&mut self, high: (&Self::Value, u32), low: (&Self::Value, u32)) -> Self::Value;
    fn add(&mut self, width: u32, a: &Self::Value, b: &Self::Value) -> Self::Value;
    fn subtract(&mut self, width: u32, a: &Self::Value, b: &Self::Value) -> Self::Value;
    fn multiply(&mut self, width: u32, a: &Self::Value, by: u64) -> Self::Value;

    fn truth(&mut self, scalar: Scalar, value: &Self::Value) -> Self::Guard;
    fn guard(&mut self, value: bool) -> Self::Guard;
    fn decided(&self, guard: &Self::Guard) -> Option<bool>;
    fn not(&mut self, guard: &Self::Guard) -> Self::Guard;
    fn and(&mut self, a: &Self::Guard, b: &Self::Guard) -> Self::Guard;
    fn or(&mut self, a: &Self::Guard, b: &Self::Guard) -> Self::Guard;
    fn equal(&mut self, width: u32, a: &Self::Value, b: &Self::Value) -> Self::Guard;
    /// As unsigned numbers.
    fn at_most(&mut self, width: u32, a: &Self::Value, b: &Self::Value) -> Self::Guard;
    fn choose(&mut self, guard: &Self::Guard, then: &Self::Value, otherwise: &Self::Value) -> Self::Value;

    /// A value that the program does not determine.
    fn input(&mut self, path: &mut Self::Path, width: u32, source: InputSource, edge: EdgeId) -> Self::Value;
    /// Remembers that a value is one of memory that was never written.
    fn note_unwritten(&mut self, _value: &Self::Value) {}
    /// Any value, not worth remembering as an input.
    fn any(&mut self, width: u32) -> Self::Value;
    fn start_value(&mut self, key: StartKey, width: u32) -> Self::Value;
    /// The address of an object that was allocated in a state from which nothing else is known; `base` is what the
    /// store calls it.
    fn symbolic_base(&mut self, width: u32, base: u64) -> Self::Value;

    /// Takes the guard for granted from here on; false: it never holds.
    fn assume(&mut self, path: &mut Self::Path, guard: &Self::Guard) -> bool;

    /// The addresses that a pointer may have.
    fn parts(&mut self, width: u32, pointer: &Self::Value) -> Parts<Self>;
    /// A number that divides the value, whatever it is.
    fn divisor(&self, value: &Self::Value) -> u64;

    /// Elements of an object by byte offsets: only if [`SYMBOLIC`](Self::SYMBOLIC).
    fn elements(&mut self, width: u32, of: &Self::Value) -> Self::Value;
    fn start_elements(&mut self, key: StartKey, width: u32) -> Self::Value;
    fn fresh_elements(&mut self, width: u32) -> Self::Value;
    /// Elements that the program does not determine.
    fn elements_input(&mut self, path: &mut Self::Path, width: u32, source: InputSource, edge: EdgeId) -> Self::Value;
    fn select(&mut self, elements: &Self::Value, offset: &Self::Value) -> Self::Value;
    fn replace(&mut self, elements: &Self::Value, offset: &Self::Value, value: &Self::Value) -> Self::Value;

    /// One path for both: the condition that tells them apart, and the path.
    fn join_paths(&mut self, a: &Self::Path, b: &Self::Path) -> (Self::Guard, Self::Path);
}
