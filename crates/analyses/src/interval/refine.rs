//! What a comparison says about its operands.

use tandem_cfa::types::FloatKind;
use tandem_cfa::{BinaryOp, Scalar};

use super::domain::{Interval, Set, zero_as};
use super::floats::{Floats, above, below};
use super::range::Range;

/// The operands without values for which the comparison cannot come out as `truth` says; `None` if there are no others.
/// Both have one scalar. Other operators than comparisons say nothing.
pub fn refine(op: BinaryOp, left: &Interval, right: &Interval, truth: bool) -> Option<(Interval, Interval)> {
    let (op, opposite) = match op {
        BinaryOp::Eq => (op, BinaryOp::Ne),
        BinaryOp::Ne => (op, BinaryOp::Eq),
        BinaryOp::Lt => (op, BinaryOp::Ge),
        BinaryOp::Ge => (op, BinaryOp::Lt),
        BinaryOp::Gt => (op, BinaryOp::Le),
        BinaryOp::Le => (op, BinaryOp::Gt),
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
        | BinaryOp::PointerDiff => return Some((*left, *right)),
    };
    if left.is_empty() || right.is_empty() || left.compare(op, right) == Some(!truth) {
        return None;
    }
    // With a NaN a comparison is false without its opposite being true; equality knows no such thing.
    let op = match (truth, op) {
        (true, _) => op,
        (false, BinaryOp::Eq | BinaryOp::Ne) => opposite,
        (false, _) if left.may_be_nan() || right.may_be_nan() => return Some((*left, *right)),
        (false, _) => opposite,
    };
    match op {
        BinaryOp::Gt => holds(BinaryOp::Lt, right, left).map(|(right, left)| (left, right)),
        BinaryOp::Ge => holds(BinaryOp::Le, right, left).map(|(right, left)| (left, right)),
        _ => holds(op, left, right),
    }
}

/// Of `==`, `!=`, `<` and `<=`.
fn holds(op: BinaryOp, left: &Interval, right: &Interval) -> Option<(Interval, Interval)> {
    match (left.set, right.set) {
        (Set::Range(a), Set::Range(b)) => {
            let (a, b) = ranges(op, a, b)?;
            let refined = |interval: &Interval, range| Interval { set: Set::Range(range), ..*interval };
            Some((refined(left, a), refined(right, b)))
        }
        (Set::Floats(a), Set::Floats(b)) => {
            let Scalar::Float(kind) = left.scalar else { return Some((*left, *right)) };
            let (a, b) = numbers(op, kind, a, b)?;
            let refined = |interval: &Interval, floats| Interval { set: Set::Floats(floats), ..*interval };
            Some((refined(left, a), refined(right, b)))
        }
        // Equal floats may be two zeros.
        (set, Set::All) | (Set::All, set) if op == BinaryOp::Eq && !matches!(left.scalar, Scalar::Float(_)) => {
            let both = Interval { scalar: left.scalar, set };
            Some((both, both))
        }
        _ => Some((*left, *right)),
    }
}

fn ranges(op: BinaryOp, a: Range, b: Range) -> Option<(Range, Range)> {
    match op {
        BinaryOp::Eq => a.meet(b).map(|both| (both, both)),
        BinaryOp::Ne => {
            let left = b.as_single().map_or(Some(a), |value| a.without(value))?;
            let right = a.as_single().map_or(Some(b), |value| b.without(value))?;
            Some((left, right))
        }
        BinaryOp::Lt => {
            let left = a.within(i128::MIN, b.high.checked_sub(1)?)?;
            let right = b.within(a.low.checked_add(1)?, i128::MAX)?;
            Some((left, right))
        }
        BinaryOp::Le => Some((a.within(i128::MIN, b.high)?, b.within(a.low, i128::MAX)?)),
        _ => Some((a, b)),
    }
}

fn numbers(op: BinaryOp, kind: FloatKind, a: Floats, b: Floats) -> Option<(Floats, Floats)> {
    let at_most =
        |floats: Floats, bound: f64| floats.meet(Floats { high: zero_as(bound, 0.0), nan: false, ..Floats::ALL });
    let at_least =
        |floats: Floats, bound: f64| floats.meet(Floats { low: zero_as(bound, -0.0), nan: false, ..Floats::ALL });
    match op {
        BinaryOp::Ne => Some((a, b)),
        _ if !a.has_numbers() || !b.has_numbers() => None,
        BinaryOp::Eq => {
            let left = at_least(at_most(a, b.high)?, b.low)?;
            let right = at_least(at_most(b, a.high)?, a.low)?;
            Some((left, right))
        }
        // There is nothing below minus infinity, or above infinity.
        BinaryOp::Lt if b.high == f64::NEG_INFINITY || a.low == f64::INFINITY => None,
        BinaryOp::Lt => Some((at_most(a, below(kind, b.high))?, at_least(b, above(kind, a.low))?)),
        BinaryOp::Le => Some((at_most(a, b.high)?, at_least(b, a.low)?)),
        _ => Some((a, b)),
    }
}
