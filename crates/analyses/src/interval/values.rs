//! Intervals as the values of a store. Knows bits, and nothing of variables, objects or steps.
//!
//! A store knows the width of a value and not its type. So a value is a set in the type of the operation that made it, and is looked
//! at in the type of the operation that uses it.

use tandem_cfa::exec::InputSource;
use tandem_cfa::semantics::mask;
use tandem_cfa::{BinaryOp, EdgeId, Intrinsic, Scalar, UnaryOp};

use super::Interval;
use super::range::Range;
use crate::store::{Domain, Part, Parts, StartKey};

/// The domain of intervals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Intervals;

/// The truth of a condition, if it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth(pub Option<bool>);

/// Patterns of so many bits, as unsigned numbers.
fn plain(width: u32) -> Scalar {
    Scalar::Int { bits: width.clamp(1, 128), signed: false }
}

/// The value as one of this type.
pub fn seen_as(scalar: Scalar, value: &Interval) -> Interval {
    match value.scalar() == scalar {
        true => *value,
        false if value.scalar().bits() == scalar.bits() => value.reinterpret(scalar),
        false => Interval::unknown(scalar),
    }
}

/// The integers of a value, in whatever type it has; they stand for patterns modulo two to the width.
fn integers(value: &Interval, width: u32) -> Option<Range> {
    if value.scalar().bits() != width {
        return None;
    }
    let (low, high) = value.bounds()?;
    Range::stepping(low, high, low, value.step()?)
}

/// The exact result of arithmetic modulo two to the width.
fn modulo(width: u32, exact: Option<Range>) -> Interval {
    Interval::wrapped(plain(width), exact)
}

/// One value for both: in the type of the first, unless that is a constant that fits another type better.
pub fn joined(hint: Option<Scalar>, a: &Interval, b: &Interval) -> Interval {
    together(hint, a, b, |a, b| a.join(b))
}

/// The same, but a bound that grows does so up to the next threshold.
pub fn widened(hint: Option<Scalar>, a: &Interval, b: &Interval, thresholds: &[i128]) -> Interval {
    together(hint, a, b, |a, b| a.widen(b, thresholds))
}

/// Whether the first stands for everything that the second stands for.
pub fn covers(a: &Interval, b: &Interval) -> bool {
    seen_as(a.scalar(), b).leq(a)
}

fn together(
    hint: Option<Scalar>,
    a: &Interval,
    b: &Interval,
    join: impl Fn(&Interval, &Interval) -> Interval,
) -> Interval {
    if covers(a, b) {
        return *a;
    }
    let width = a.scalar().bits();
    let both = |scalar: Scalar| join(&seen_as(scalar, a), &seen_as(scalar, b));
    if let Some(hint) = hint.filter(|hint| hint.bits() == width) {
        return both(hint);
    }
    // A type that was chosen once stays: else a chain of joins might not end.
    if a.as_constant().is_none() {
        return both(a.scalar());
    }
    if b.scalar().bits() == width && b.as_constant().is_none() {
        return both(b.scalar());
    }
    let (signed, unsigned) = (both(Scalar::Int { bits: width, signed: true }), both(plain(width)));
    let span = |value: &Interval| value.bounds().map_or(u128::MAX, |(low, high)| high.abs_diff(low));
    if span(&unsigned) < span(&signed) { unsigned } else { signed }
}

impl Domain for Intervals {
    type Value = Interval;
    type Guard = Truth;
    type Path = ();

    const SYMBOLIC: bool = false;

    fn constant(&mut self, width: u32, bits: u128) -> Interval {
        Interval::constant(plain(width), bits)
    }

    fn known(&self, value: &Interval) -> Option<u128> {
        value.as_constant()
    }

    fn unary(&mut self, op: UnaryOp, scalar: Scalar, a: &Interval) -> Interval {
        seen_as(scalar, a).unary(op)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: Scalar,
        right: Scalar,
        a: &Interval,
        b: &Interval,
        stride: u64,
    ) -> (Interval, Option<Truth>) {
        let value = seen_as(left, a).binary(op, &seen_as(right, b), stride);
        match value.is_empty() {
            true => (value, Some(Truth(Some(false)))),
            false => (value, None),
        }
    }

    fn convert(&mut self, from: Scalar, to: Scalar, a: &Interval) -> Interval {
        seen_as(from, a).convert(to)
    }

    fn intrinsic(&mut self, op: Intrinsic, scalar: Scalar, a: &Interval, b: Option<&Interval>) -> Interval {
        let second = b.map(|b| if b.scalar().bits() == scalar.bits() { seen_as(scalar, b) } else { *b });
        seen_as(scalar, a).intrinsic(op, second.as_ref())
    }

    fn extract(&mut self, value: &Interval, width: u32, low: u32, count: u32) -> Interval {
        if low == 0 && count == width {
            return *value;
        }
        if let Some(bits) = value.as_constant() {
            return Interval::constant(plain(count), bits >> low & mask(count));
        }
        let Some(range) = integers(&seen_as(plain(width), value), width) else {
            return Interval::unknown(plain(count));
        };
        let Some(shifted) = Range::between(range.low >> low, range.high >> low) else {
            return Interval::unknown(plain(count));
        };
        modulo(count, Some(if low == 0 { range } else { shifted }))
    }

    fn concat(&mut self, high: (&Interval, u32), low: (&Interval, u32)) -> Interval {
        let width = high.1 + low.1;
        if let (Some(above), Some(below)) = (high.0.as_constant(), low.0.as_constant()) {
            if width <= 128 {
                return Interval::constant(plain(width), above << low.1 | below & mask(low.1));
            }
        }
        if width > 120 {
            return Interval::unknown(plain(width));
        }
        let above = integers(&seen_as(plain(high.1), high.0), high.1);
        let below = integers(&seen_as(plain(low.1), low.0), low.1);
        let shifted = above.and_then(|above| above.mul(Range::single(1 << low.1)));
        modulo(width, shifted.zip(below).and_then(|(above, below)| above.add(below)))
    }

    fn add(&mut self, width: u32, a: &Interval, b: &Interval) -> Interval {
        modulo(width, integers(a, width).zip(integers(b, width)).and_then(|(a, b)| a.add(b)))
    }

    fn subtract(&mut self, width: u32, a: &Interval, b: &Interval) -> Interval {
        modulo(width, integers(a, width).zip(integers(b, width)).and_then(|(a, b)| a.sub(b)))
    }

    fn multiply(&mut self, width: u32, a: &Interval, by: u64) -> Interval {
        modulo(width, integers(a, width).and_then(|a| a.mul(Range::single(i128::from(by)))))
    }

    fn truth(&mut self, scalar: Scalar, value: &Interval) -> Truth {
        Truth(seen_as(scalar, value).truth())
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

    fn equal(&mut self, width: u32, a: &Interval, b: &Interval) -> Truth {
        let (a, b) = (seen_as(plain(width), a), seen_as(plain(width), b));
        Truth(a.compare(BinaryOp::Eq, &b))
    }

    fn at_most(&mut self, width: u32, a: &Interval, b: &Interval) -> Truth {
        let (a, b) = (seen_as(plain(width), a), seen_as(plain(width), b));
        Truth(a.compare(BinaryOp::Le, &b))
    }

    fn choose(&mut self, guard: &Truth, then: &Interval, otherwise: &Interval) -> Interval {
        match guard.0 {
            Some(true) => *then,
            Some(false) => *otherwise,
            None => joined(None, then, otherwise),
        }
    }

    fn input(&mut self, (): &mut (), width: u32, _: InputSource, _: EdgeId) -> Interval {
        Interval::unknown(plain(width))
    }

    fn any(&mut self, width: u32) -> Interval {
        Interval::unknown(plain(width))
    }

    fn start_value(&mut self, _: StartKey, width: u32) -> Interval {
        Interval::unknown(plain(width))
    }

    fn symbolic_base(&mut self, width: u32, _: u64) -> Interval {
        Interval::unknown(plain(width))
    }

    fn assume(&mut self, (): &mut (), guard: &Truth) -> bool {
        guard.0 != Some(false)
    }

    fn parts(&mut self, _: u32, pointer: &Interval) -> Parts<Intervals> {
        match pointer.as_constant() {
            Some(bits) => Parts {
                known: vec![Part { guard: None, address: bits as u64, rest: None }],
                otherwise: None,
                unclear: false,
                unwritten: false,
            },
            None => Parts { known: Vec::new(), otherwise: Some(Truth(None)), unclear: true, unwritten: false },
        }
    }

    fn divisor(&self, _: &Interval) -> u64 {
        1
    }

    fn elements(&mut self, width: u32, _: &Interval) -> Interval {
        Interval::unknown(plain(width))
    }

    fn start_elements(&mut self, _: StartKey, width: u32) -> Interval {
        Interval::unknown(plain(width))
    }

    fn elements_input(&mut self, _: &mut Self::Path, width: u32, _: InputSource, _: EdgeId) -> Interval {
        self.fresh_elements(width)
    }

    fn fresh_elements(&mut self, width: u32) -> Interval {
        Interval::unknown(plain(width))
    }

    fn select(&mut self, elements: &Interval, _: &Interval) -> Interval {
        *elements
    }

    fn replace(&mut self, elements: &Interval, _: &Interval, _: &Interval) -> Interval {
        Interval::unknown(elements.scalar())
    }

    fn join_paths(&mut self, (): &(), (): &()) -> (Truth, ()) {
        (Truth(None), ())
    }
}
