//! Operators and functions on sets. Constants are left to `semantics`.

use std::cmp::Ordering;

use tandem_cfa::semantics;
use tandem_cfa::types::FloatKind;
use tandem_cfa::{BinaryOp, Intrinsic, Scalar, UnaryOp};

use super::bitwise;
use super::domain::{Interval, Set, Shape, limits, shape};
use super::floats::{self, Floats};
use super::range::Range;
use crate::encode::INT;

impl Interval {
    /// What an `int` is that says whether something holds.
    pub fn of_truth(truth: Option<bool>) -> Interval {
        match truth {
            Some(truth) => Interval::constant(INT, u128::from(truth)),
            None => Interval::between(INT, 0, 1),
        }
    }

    /// Whether the values compare unequal to zero; `None` if some do and some do not, or there are none.
    pub fn truth(&self) -> Option<bool> {
        match self.set {
            Set::Empty | Set::All => None,
            Set::Range(range) if !range.contains(0) => Some(true),
            Set::Range(range) => range.as_single().map(|_| false),
            Set::Floats(floats) => floats.truth(),
            Set::Pattern(bits) => Some(semantics::is_true(self.scalar, bits)),
        }
    }

    /// Everything that patterns of the scalar may be.
    pub(super) fn unknown(scalar: Scalar) -> Interval {
        match shape(scalar) {
            Shape::Range => Interval { scalar, set: Set::Range(limits(scalar)) },
            Shape::Floats(_) | Shape::Pattern => Interval::top(scalar),
        }
    }

    /// Exact integers brought back into the type; `None`: nothing is known about them.
    pub(super) fn wrapped(scalar: Scalar, range: Option<Range>) -> Interval {
        match (shape(scalar), range) {
            (Shape::Range, Some(range)) => {
                Interval { scalar, set: Set::Range(range.wrapped(scalar.bits(), limits(scalar))) }
            }
            (Shape::Range | Shape::Floats(_) | Shape::Pattern, _) => Interval::unknown(scalar),
        }
    }

    /// A unary operator. The result of `Not` is an `int`.
    pub fn unary(&self, op: UnaryOp) -> Interval {
        let result = if op == UnaryOp::Not { INT } else { self.scalar };
        if let Some(bits) = self.as_constant() {
            return Interval::constant(result, semantics::unary(op, self.scalar, bits).bits);
        }
        match (op, self.set) {
            (_, Set::Empty) => Interval::bottom(result),
            (UnaryOp::Not, _) => Interval::of_truth(self.truth().map(|truth| !truth)),
            (UnaryOp::Neg, Set::Range(range)) => Interval::wrapped(result, range.negated()),
            (UnaryOp::Neg, Set::Floats(floats)) => Interval::of_floats(result, Some(floats.negated())),
            (UnaryOp::Complement, Set::Range(range)) => Interval::wrapped(result, Range::single(-1).sub(range)),
            (UnaryOp::Neg | UnaryOp::Complement, _) => Interval::unknown(result),
        }
    }

    /// A binary operator; empty if it has no result for any of the values. `stride` is the pointee's size.
    /// The result of a difference of pointers is a signed integer of their width.
    pub fn binary(&self, op: BinaryOp, other: &Interval, stride: u64) -> Interval {
        let (left, right) = (self.scalar, other.scalar);
        let result = binary_result(op, left);
        if self.is_empty() || other.is_empty() {
            return Interval::bottom(result);
        }
        if let (Some(a), Some(b)) = (self.as_constant(), other.as_constant()) {
            return match semantics::binary(op, left, right, a, b, stride) {
                Ok(outcome) => Interval::constant(result, outcome.bits),
                Err(_) => Interval::bottom(result),
            };
        }
        match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                return Interval::of_truth(self.compare(op, other));
            }
            BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDiff => {
                return self.pointer_binary(op, other, stride);
            }
            _ => {}
        }
        match (self.set, other.set) {
            (Set::Range(a), Set::Range(b)) => integer_binary(op, result, a, b),
            (Set::Floats(a), Set::Floats(b)) if left == right => float_binary(op, left, a, b),
            _ => Interval::unknown(result),
        }
    }

    fn pointer_binary(&self, op: BinaryOp, other: &Interval, stride: u64) -> Interval {
        let result = binary_result(op, self.scalar);
        let (Set::Range(a), Set::Range(b)) = (self.set, other.set) else { return Interval::unknown(result) };
        let scaled = || b.mul(Range::single(i128::from(stride)));
        match op {
            BinaryOp::PointerAdd => Interval::wrapped(result, scaled().and_then(|offset| a.add(offset))),
            BinaryOp::PointerSub => Interval::wrapped(result, scaled().and_then(|offset| a.sub(offset))),
            _ => {
                let Set::Range(distance) = Interval::wrapped(result, a.sub(b)).set else {
                    return Interval::unknown(result);
                };
                let step = u128::from(stride);
                let exact = step != 0 && distance.step.is_multiple_of(step) && distance.low.unsigned_abs() % step == 0;
                let Some(quotient) = distance.div(Range::single(i128::from(stride))) else {
                    return Interval::bottom(result);
                };
                let step = if exact { distance.step / step } else { quotient.step };
                Interval { scalar: result, set: Set::Range(Range { step, ..quotient }) }
            }
        }
    }

    /// What a comparison gives; `None` if that depends on the values.
    pub(super) fn compare(&self, op: BinaryOp, other: &Interval) -> Option<bool> {
        match op {
            BinaryOp::Ne => self.compare(BinaryOp::Eq, other).map(|truth| !truth),
            BinaryOp::Gt => other.compare(BinaryOp::Lt, self),
            BinaryOp::Ge => other.compare(BinaryOp::Le, self),
            _ => match (self.set, other.set) {
                (Set::Range(a), Set::Range(b)) => compare_ranges(op, a, b),
                (Set::Floats(a), Set::Floats(b)) => compare_floats(op, a, b),
                (Set::Pattern(a), Set::Pattern(b)) => {
                    let outcome = semantics::binary(op, self.scalar, other.scalar, a, b, 1).ok()?;
                    Some(outcome.bits != 0)
                }
                _ => None,
            },
        }
    }

    /// An intrinsic; `other` is the second argument of the binary ones.
    pub fn intrinsic(&self, intrinsic: Intrinsic, other: Option<&Interval>) -> Interval {
        let result = semantics::intrinsic_result(intrinsic, self.scalar);
        let second = if intrinsic.is_binary() { other } else { Some(self) };
        if self.is_empty() || second.is_some_and(Interval::is_empty) {
            return Interval::bottom(result);
        }
        if let (Some(a), Some(b)) = (self.as_constant(), second.and_then(Interval::as_constant)) {
            return Interval::constant(result, semantics::intrinsic(intrinsic, self.scalar, a, b));
        }
        match (self.set, self.scalar) {
            (Set::Floats(floats), Scalar::Float(kind)) => self.float_intrinsic(intrinsic, kind, floats),
            _ => Interval::unknown_intrinsic(intrinsic, self.scalar),
        }
    }

    /// What is known of a result whatever the operand is.
    fn unknown_intrinsic(intrinsic: Intrinsic, operand: Scalar) -> Interval {
        use Intrinsic::*;
        let width = i128::from(operand.bits());
        match intrinsic {
            LeadingZeros | TrailingZeros | PopCount | FindFirstSet | RedundantSignBits => {
                Interval::between(INT, 0, width)
            }
            Parity | IsNan | IsInfinite | IsFinite | IsNormal | SignBit => Interval::between(INT, 0, 1),
            ByteSwap | FloatAbs | CopySign | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven | FloatMin
            | FloatMax | FloatMod | FloatRemainder => {
                Interval::unknown(semantics::intrinsic_result(intrinsic, operand))
            }
        }
    }

    fn float_intrinsic(&self, intrinsic: Intrinsic, kind: FloatKind, floats: Floats) -> Interval {
        use Intrinsic::*;
        let apply = |number| {
            let bits = semantics::intrinsic(intrinsic, self.scalar, floats::pattern(kind, number), 0);
            floats::number(kind, bits)
        };
        let set = match intrinsic {
            Floor | Ceil | Trunc | Round | RoundEven => floats.mapped(apply),
            SquareRoot if floats.low >= 0.0 => floats.mapped(apply),
            FloatAbs => floats.magnitude(),
            IsNan if !floats.nan => return Interval::of_truth(Some(false)),
            IsNan if !floats.has_numbers() => return Interval::of_truth(Some(true)),
            _ => return Interval::unknown_intrinsic(intrinsic, self.scalar),
        };
        Interval::of_floats(self.scalar, Some(set))
    }
}

/// The scalar of an operator's result.
pub(super) fn binary_result(op: BinaryOp, left: Scalar) -> Scalar {
    match op {
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => INT,
        BinaryOp::PointerDiff => Scalar::Int { bits: left.bits(), signed: true },
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
        | BinaryOp::PointerSub => left,
    }
}

fn integer_binary(op: BinaryOp, scalar: Scalar, a: Range, b: Range) -> Interval {
    let exact = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::Div | BinaryOp::Rem => {
            let result = if op == BinaryOp::Div { a.div(b) } else { a.rem(b) };
            // The smallest value by -1 has no result; its quotient is the only one that does not fit.
            let Range { low, high, .. } = limits(scalar);
            return Interval::of_range(scalar, result.and_then(|range| range.within(low, high)));
        }
        BinaryOp::Shl | BinaryOp::Shr => shift_amounts(scalar, b).and_then(|amounts| match op {
            BinaryOp::Shl => bitwise::shift_left(a, amounts),
            _ => bitwise::shift_right(a, amounts),
        }),
        BinaryOp::And => bitwise::and(a, b),
        BinaryOp::Or => bitwise::or(a, b),
        BinaryOp::Xor => bitwise::xor(a, b),
        BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::PointerAdd
        | BinaryOp::PointerSub
        | BinaryOp::PointerDiff => None,
    };
    Interval::wrapped(scalar, exact)
}

/// The amounts modulo the width, if they stay a range.
fn shift_amounts(scalar: Scalar, amounts: Range) -> Option<Range> {
    let width = i128::from(scalar.bits());
    match amounts.as_single() {
        Some(amount) => Some(Range::single(amount & (width - 1))),
        None => (amounts.low >= 0 && amounts.high < width).then_some(amounts),
    }
}

fn float_binary(op: BinaryOp, scalar: Scalar, a: Floats, b: Floats) -> Interval {
    let Scalar::Float(kind) = scalar else { return Interval::unknown(scalar) };
    let apply = |x, y| {
        let (x, y) = (floats::pattern(kind, x), floats::pattern(kind, y));
        semantics::binary(op, scalar, scalar, x, y, 1).map_or(f64::NAN, |outcome| floats::number(kind, outcome.bits))
    };
    let set = match op {
        BinaryOp::Add | BinaryOp::Sub => a.corners(b, apply),
        BinaryOp::Mul => a.mul(b, apply),
        BinaryOp::Div => a.div(b, apply),
        _ => Floats::ALL,
    };
    Interval::of_floats(scalar, Some(set))
}

fn compare_ranges(op: BinaryOp, a: Range, b: Range) -> Option<bool> {
    match op {
        BinaryOp::Eq if a.meet(b).is_none() => Some(false),
        BinaryOp::Eq => (a.as_single().is_some() && a.as_single() == b.as_single()).then_some(true),
        BinaryOp::Lt if a.high < b.low => Some(true),
        BinaryOp::Lt => (a.low >= b.high).then_some(false),
        BinaryOp::Le if a.high <= b.low => Some(true),
        BinaryOp::Le => (a.low > b.high).then_some(false),
        _ => None,
    }
}

fn compare_floats(op: BinaryOp, a: Floats, b: Floats) -> Option<bool> {
    if !a.has_numbers() || !b.has_numbers() {
        return Some(false);
    }
    let always = !a.nan && !b.nan;
    let order = |x: f64, y: f64| x.partial_cmp(&y);
    let (upper, lower) = (order(a.high, b.low), order(a.low, b.high));
    let (is_true, is_false) = match op {
        BinaryOp::Eq => {
            let apart = upper == Some(Ordering::Less) || lower == Some(Ordering::Greater);
            (upper == Some(Ordering::Equal) && lower == Some(Ordering::Equal), apart)
        }
        BinaryOp::Lt => (upper == Some(Ordering::Less), lower != Some(Ordering::Less)),
        BinaryOp::Le => (upper != Some(Ordering::Greater), lower == Some(Ordering::Greater)),
        _ => (false, false),
    };
    if is_false {
        return Some(false);
    }
    (is_true && always).then_some(true)
}
