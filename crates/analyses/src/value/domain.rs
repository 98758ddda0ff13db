//! Known numbers as the values of a store. Knows bits, and nothing of variables, objects or steps.

use tandem_cfa::exec::InputSource;
use tandem_cfa::semantics::{RoundedOperation, RoundingDirection};
use tandem_cfa::{BinaryOp, EdgeId, Intrinsic, Scalar, UnaryOp, semantics};

use crate::store::{Domain, Part, Parts, StartKey};

/// Addresses of objects lie between this and its negation; so does nothing that is small.
const LOWEST_ADDRESS: u64 = 1 << 28;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    Unknown,
    /// Any bits that came from outside: no address of an object, nor made of one.
    Foreign,
    /// An address in the object that this address belongs to.
    Near(u64),
    Known(u128),
}

/// The truth of a condition, if it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth(pub Option<bool>);

/// The domain of known numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Explicit;

impl Value {
    pub fn bits(self) -> Option<u128> {
        match self {
            Value::Known(bits) => Some(bits),
            Value::Unknown | Value::Foreign | Value::Near(_) => None,
        }
    }

    /// Whether it may be an address of an object, or be made of one.
    fn may_hide_address(self) -> bool {
        match self {
            Value::Unknown | Value::Near(_) => true,
            Value::Foreign => false,
            Value::Known(bits) => is_address(bits),
        }
    }
}

/// Whether bits may be the address of an object: large, and no small negative number of 32 or of 64 bits.
pub fn is_address(bits: u128) -> bool {
    let Ok(bits) = u64::try_from(bits) else { return true };
    let negative = |width: u32| (semantics::mask(width) as u64).wrapping_sub(LOWEST_ADDRESS);
    let small =
        bits < LOWEST_ADDRESS || bits > negative(64) || bits <= semantics::mask(32) as u64 && bits > negative(32);
    !small
}

/// What an operation gives when its result is not known.
fn unknown_of(a: Value, b: Value) -> Value {
    if a.may_hide_address() || b.may_hide_address() { Value::Unknown } else { Value::Foreign }
}

/// A known result although an operand is not.
fn absorbed(op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    let is_zero = |value: Value| value == Value::Known(0);
    let all_ones = Value::Known(semantics::mask(scalar.bits()));
    match (op, scalar) {
        (_, Scalar::Float(_)) => None,
        (BinaryOp::And | BinaryOp::Mul, _) if is_zero(a) || is_zero(b) => Some(Value::Known(0)),
        (BinaryOp::Or, _) if a == all_ones || b == all_ones => Some(all_ones),
        (BinaryOp::Rem, _) if b == Value::Known(1) => Some(Value::Known(0)),
        (BinaryOp::Lt, _) if !scalar.is_signed() && is_zero(b) => Some(Value::Known(0)),
        (BinaryOp::Ge, _) if !scalar.is_signed() && is_zero(b) => Some(Value::Known(1)),
        (BinaryOp::Gt, _) if !scalar.is_signed() && is_zero(a) => Some(Value::Known(0)),
        (BinaryOp::Le, _) if !scalar.is_signed() && is_zero(a) => Some(Value::Known(1)),
        _ => None,
    }
}

/// An address plus something that is not known.
fn moved(pointer: Value, by: Value) -> Value {
    match pointer {
        Value::Known(bits) if is_address(bits) => Value::Near(bits as u64),
        Value::Near(address) => Value::Near(address),
        Value::Known(_) | Value::Foreign | Value::Unknown => unknown_of(pointer, by),
    }
}

impl Domain for Explicit {
    type Value = Value;
    type Guard = Truth;
    type Path = ();

    const SYMBOLIC: bool = false;

    fn rounded(
        &mut self,
        operation: RoundedOperation,
        direction: RoundingDirection,
        from: Scalar,
        to: Scalar,
        operands: &[Value],
    ) -> Value {
        let mut known = [0; 3];
        for (known, operand) in known.iter_mut().zip(operands) {
            let Some(bits) = operand.bits() else { return Value::Unknown };
            *known = bits;
        }
        Value::Known(semantics::rounded(operation, direction, from, to, known))
    }

    fn constant(&mut self, width: u32, bits: u128) -> Value {
        Value::Known(bits & semantics::mask(width))
    }

    fn known(&self, value: &Value) -> Option<u128> {
        value.bits()
    }

    fn unary(&mut self, op: UnaryOp, scalar: Scalar, a: &Value) -> Value {
        match (a, op) {
            (Value::Known(bits), _) => Value::Known(semantics::unary(op, scalar, *bits).bits),
            (_, UnaryOp::Not) => Value::Foreign,
            (_, UnaryOp::Neg | UnaryOp::Complement) => unknown_of(*a, *a),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: Scalar,
        right: Scalar,
        a: &Value,
        b: &Value,
        stride: u64,
    ) -> (Value, Option<Truth>) {
        if let (Value::Known(x), Value::Known(y)) = (*a, *b) {
            return match semantics::binary(op, left, right, x, y, stride) {
                Ok(outcome) => (Value::Known(outcome.bits), None),
                Err(_) => (Value::Unknown, Some(Truth(Some(false)))),
            };
        }
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem) && !matches!(left, Scalar::Float(_));
        if divides && *b == Value::Known(0) {
            return (Value::Unknown, Some(Truth(Some(false))));
        }
        let value = match op {
            BinaryOp::PointerAdd | BinaryOp::PointerSub => moved(*a, *b),
            _ => match absorbed(op, left, *a, *b) {
                Some(value) => value,
                None if op.is_comparison() => Value::Foreign,
                None => unknown_of(*a, *b),
            },
        };
        (value, None)
    }

    fn convert(&mut self, from: Scalar, to: Scalar, a: &Value) -> Value {
        match a {
            Value::Known(bits) => Value::Known(semantics::convert(from, to, *bits).bits),
            Value::Near(_) if from.bits() == to.bits() && !matches!(to, Scalar::Float(_)) => *a,
            _ if matches!(to, Scalar::Bool) => Value::Foreign,
            Value::Near(_) | Value::Foreign | Value::Unknown => unknown_of(*a, *a),
        }
    }

    fn intrinsic(&mut self, op: Intrinsic, scalar: Scalar, a: &Value, b: Option<&Value>) -> Value {
        match (a, b) {
            (Value::Known(x), None) if !op.is_binary() => Value::Known(semantics::intrinsic(op, scalar, *x, 0)),
            (Value::Known(x), Some(Value::Known(y))) => Value::Known(semantics::intrinsic(op, scalar, *x, *y)),
            _ => Value::Unknown,
        }
    }

    fn extract(&mut self, value: &Value, width: u32, low: u32, count: u32) -> Value {
        match value {
            _ if low == 0 && count == width => *value,
            Value::Known(bits) => Value::Known(bits >> low & semantics::mask(count)),
            Value::Foreign => Value::Foreign,
            Value::Near(_) | Value::Unknown => Value::Unknown,
        }
    }

    fn concat(&mut self, high: (&Value, u32), low: (&Value, u32)) -> Value {
        match (high.0, low.0) {
            (Value::Known(_), Value::Known(_)) if high.1 + low.1 > 128 => Value::Unknown,
            (Value::Known(above), Value::Known(below)) => Value::Known(above << low.1 | below),
            (Value::Foreign, Value::Foreign) => Value::Foreign,
            _ => Value::Unknown,
        }
    }

    fn add(&mut self, width: u32, a: &Value, b: &Value) -> Value {
        match (*a, *b) {
            (Value::Known(x), Value::Known(y)) => Value::Known(x.wrapping_add(y) & semantics::mask(width)),
            (Value::Known(x), other) if is_address(x) => moved(*a, other),
            (Value::Near(_), other) => moved(*a, other),
            (other, Value::Known(x)) if is_address(x) => moved(*b, other),
            (other, Value::Near(_)) => moved(*b, other),
            (x, y) => unknown_of(x, y),
        }
    }

    fn subtract(&mut self, width: u32, a: &Value, b: &Value) -> Value {
        match (*a, *b) {
            (Value::Known(x), Value::Known(y)) => Value::Known(x.wrapping_sub(y) & semantics::mask(width)),
            (x, y) => unknown_of(x, y),
        }
    }

    fn multiply(&mut self, width: u32, a: &Value, by: u64) -> Value {
        match a {
            Value::Known(x) => Value::Known(x.wrapping_mul(u128::from(by)) & semantics::mask(width)),
            Value::Near(_) | Value::Foreign | Value::Unknown => unknown_of(*a, *a),
        }
    }

    fn truth(&mut self, scalar: Scalar, value: &Value) -> Truth {
        Truth(value.bits().map(|bits| semantics::is_true(scalar, bits)))
    }

    fn guard(&mut self, value: bool) -> Truth {
        Truth(Some(value))
    }

    fn decided(&self, guard: &Truth) -> Option<bool> {
        guard.0
    }

    fn not(&mut self, guard: &Truth) -> Truth {
        Truth(guard.0.map(|truth| !truth))
    }

    fn and(&mut self, a: &Truth, b: &Truth) -> Truth {
        Truth(match (a.0, b.0) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            (None, _) | (_, None) => None,
        })
    }

    fn or(&mut self, a: &Truth, b: &Truth) -> Truth {
        Truth(match (a.0, b.0) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            (None, _) | (_, None) => None,
        })
    }

    fn equal(&mut self, _: u32, a: &Value, b: &Value) -> Truth {
        match (a, b) {
            (Value::Known(x), Value::Known(y)) => Truth(Some(x == y)),
            _ => Truth(None),
        }
    }

    fn at_most(&mut self, _: u32, a: &Value, b: &Value) -> Truth {
        match (a, b) {
            (Value::Known(x), Value::Known(y)) => Truth(Some(x <= y)),
            _ => Truth(None),
        }
    }

    fn choose(&mut self, guard: &Truth, then: &Value, otherwise: &Value) -> Value {
        match guard.0 {
            Some(true) => *then,
            Some(false) => *otherwise,
            None if then == otherwise => *then,
            None => unknown_of(*then, *otherwise),
        }
    }

    fn input(&mut self, (): &mut (), _: u32, _: InputSource, _: EdgeId) -> Value {
        Value::Foreign
    }

    fn any(&mut self, _: u32) -> Value {
        Value::Unknown
    }

    fn start_value(&mut self, _: StartKey, _: u32) -> Value {
        Value::Unknown
    }

    fn symbolic_base(&mut self, _: u32, base: u64) -> Value {
        Value::Known(u128::from(base))
    }

    fn assume(&mut self, (): &mut (), guard: &Truth) -> bool {
        guard.0 != Some(false)
    }

    fn parts(&mut self, _: u32, pointer: &Value) -> Parts<Explicit> {
        let part = |address, rest| Parts {
            known: vec![Part { guard: None, address, rest }],
            otherwise: None,
            unclear: false,
            unwritten: false,
        };
        let none = |unclear| Parts { known: Vec::new(), otherwise: Some(Truth(None)), unclear, unwritten: false };
        match *pointer {
            Value::Known(bits) => part(bits as u64, None),
            Value::Near(address) => part(address, Some(Value::Unknown)),
            Value::Foreign => none(false),
            Value::Unknown => none(true),
        }
    }

    fn divisor(&self, _: &Value) -> u64 {
        1
    }

    fn elements(&mut self, _: u32, _: &Value) -> Value {
        Value::Unknown
    }

    fn start_elements(&mut self, _: StartKey, _: u32) -> Value {
        Value::Unknown
    }

    fn elements_input(&mut self, _: &mut Self::Path, width: u32, _: InputSource, _: EdgeId) -> Value {
        self.fresh_elements(width)
    }

    fn fresh_elements(&mut self, _: u32) -> Value {
        Value::Unknown
    }

    fn select(&mut self, _: &Value, _: &Value) -> Value {
        Value::Unknown
    }

    fn replace(&mut self, _: &Value, _: &Value, _: &Value) -> Value {
        Value::Unknown
    }

    fn join_paths(&mut self, (): &(), (): &()) -> (Truth, ()) {
        (Truth(None), ())
    }
}
