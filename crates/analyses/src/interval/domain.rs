//! The sets themselves: constants, order, join, meet, widening.

use tandem_cfa::Scalar;
use tandem_cfa::semantics::{integer_value, is_nan, mask};
use tandem_cfa::types::FloatKind;

use super::floats::{self, Floats};
use super::range::Range;

/// A set of values of one scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub(super) scalar: Scalar,
    pub(super) set: Set,
}

/// Integers (all but `unsigned __int128`), `_Bool` and pointers are ranges, in the type's own interpretation; `float`
/// and `double` are intervals of numbers. Of the other types only single patterns are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Set {
    Empty,
    Range(Range),
    Floats(Floats),
    Pattern(u128),
    All,
}

/// What the values of a scalar are made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Range,
    Floats(FloatKind),
    Pattern,
}

pub(super) fn shape(scalar: Scalar) -> Shape {
    match scalar {
        Scalar::Float(kind @ (FloatKind::Single | FloatKind::Double)) => Shape::Floats(kind),
        Scalar::Float(FloatKind::Extended | FloatKind::Quad) | Scalar::Int { bits: 128, signed: false } => {
            Shape::Pattern
        }
        Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => Shape::Range,
    }
}

/// All patterns of a type whose values are a range. (Of `_Bool` also those that are no value.)
pub(super) fn limits(scalar: Scalar) -> Range {
    let width = scalar.bits();
    let (low, high) = match scalar.is_signed() {
        true => (-((mask(width - 1)) as i128) - 1, mask(width - 1) as i128),
        false => (0, mask(width.min(127)) as i128),
    };
    Range { low, high, step: 1 }
}

impl Interval {
    /// All values.
    pub fn top(scalar: Scalar) -> Interval {
        let set = match shape(scalar) {
            Shape::Range if scalar == Scalar::Bool => Set::Range(Range { low: 0, high: 1, step: 1 }),
            Shape::Range => Set::Range(limits(scalar)),
            Shape::Floats(_) => Set::Floats(Floats::ALL),
            Shape::Pattern => Set::All,
        };
        Interval { scalar, set }
    }

    /// No value.
    pub fn bottom(scalar: Scalar) -> Interval {
        Interval { scalar, set: Set::Empty }
    }

    pub fn constant(scalar: Scalar, bits: u128) -> Interval {
        let bits = bits & mask(scalar.bits());
        let set = match shape(scalar) {
            Shape::Range => Set::Range(Range::single(integer_value(scalar, bits))),
            Shape::Floats(kind) if is_nan(kind, bits) => Set::Floats(Floats::NAN),
            Shape::Floats(kind) => Set::Floats(Floats::single(floats::number(kind, bits))),
            Shape::Pattern => Set::Pattern(bits),
        };
        Interval { scalar, set }
    }

    /// The integers between two numbers; those of them that the type has. Everything if the type is no range.
    pub fn between(scalar: Scalar, low: i128, high: i128) -> Interval {
        match shape(scalar) {
            Shape::Range => Interval::of_range(scalar, limits(scalar).within(low, high)),
            Shape::Floats(_) | Shape::Pattern => Interval::top(scalar),
        }
    }

    pub(super) fn of_range(scalar: Scalar, range: Option<Range>) -> Interval {
        Interval { scalar, set: range.map_or(Set::Empty, Set::Range) }
    }

    pub(super) fn of_floats(scalar: Scalar, floats: Option<Floats>) -> Interval {
        Interval { scalar, set: floats.map_or(Set::Empty, Set::Floats) }
    }

    pub fn scalar(&self) -> Scalar {
        self.scalar
    }

    pub fn is_empty(&self) -> bool {
        self.set == Set::Empty
    }

    pub fn is_top(&self) -> bool {
        Interval::top(self.scalar).leq(self)
    }

    /// The pattern, if there is exactly one. (NaN has many.)
    pub fn as_constant(&self) -> Option<u128> {
        match (self.set, self.scalar) {
            (Set::Range(range), _) => range.as_single().map(|value| value as u128 & mask(self.scalar.bits())),
            (Set::Floats(floats), Scalar::Float(kind)) => {
                floats.as_single().map(|number| floats::pattern(kind, number))
            }
            (Set::Pattern(bits), _) => Some(bits),
            (Set::Empty | Set::All | Set::Floats(_), _) => None,
        }
    }

    /// The smallest and the largest integer, if the values are integers and there are any.
    pub fn bounds(&self) -> Option<(i128, i128)> {
        match self.set {
            Set::Range(range) => Some((range.low, range.high)),
            Set::Empty | Set::Floats(_) | Set::Pattern(_) | Set::All => None,
        }
    }

    /// By how much neighbours differ: zero for a single integer, `None` if the values are no integers.
    pub fn step(&self) -> Option<u128> {
        match self.set {
            Set::Range(range) => Some(range.step),
            Set::Empty | Set::Floats(_) | Set::Pattern(_) | Set::All => None,
        }
    }

    /// The smallest and the largest number, if the values are `float` or `double` and there are numbers among them.
    pub fn float_bounds(&self) -> Option<(f64, f64)> {
        match self.set {
            Set::Floats(floats) if floats.has_numbers() => Some((floats.low, floats.high)),
            Set::Floats(_) | Set::Empty | Set::Range(_) | Set::Pattern(_) | Set::All => None,
        }
    }

    /// Whether a NaN may be among the values.
    pub fn may_be_nan(&self) -> bool {
        match (self.set, self.scalar) {
            (Set::Floats(floats), _) => floats.nan,
            (Set::Pattern(bits), Scalar::Float(kind)) => is_nan(kind, bits),
            (Set::All, Scalar::Float(_)) => true,
            (Set::Empty | Set::Range(_) | Set::Pattern(_) | Set::All, _) => false,
        }
    }

    pub fn contains(&self, bits: u128) -> bool {
        match (self.set, self.scalar) {
            (Set::Empty, _) => false,
            (Set::All, _) => true,
            (Set::Range(range), scalar) => range.contains(integer_value(scalar, bits)),
            (Set::Floats(floats), Scalar::Float(kind)) if is_nan(kind, bits) => floats.nan,
            (Set::Floats(floats), Scalar::Float(kind)) => floats.contains(floats::number(kind, bits)),
            (Set::Floats(_), _) => false,
            (Set::Pattern(own), _) => own == bits,
        }
    }

    /// Whether every value is one of the other's.
    pub fn leq(&self, other: &Interval) -> bool {
        match (self.set, other.set) {
            (Set::Empty, _) | (_, Set::All) => true,
            (Set::Range(a), Set::Range(b)) => a.is_subset(b),
            (Set::Floats(a), Set::Floats(b)) => a.is_subset(b),
            (Set::Pattern(a), Set::Pattern(b)) => a == b,
            (Set::Range(_) | Set::Floats(_) | Set::Pattern(_) | Set::All, _) => false,
        }
    }

    pub fn join(&self, other: &Interval) -> Interval {
        let set = match (self.set, other.set) {
            (Set::Empty, set) | (set, Set::Empty) => set,
            (Set::Range(a), Set::Range(b)) => Set::Range(a.join(b)),
            (Set::Floats(a), Set::Floats(b)) => Set::Floats(a.join(b)),
            (Set::Pattern(a), Set::Pattern(b)) if a == b => Set::Pattern(a),
            (Set::Range(_) | Set::Floats(_) | Set::Pattern(_) | Set::All, _) => Interval::top(self.scalar).set,
        };
        Interval { scalar: self.scalar, set }
    }

    /// At least the common values.
    pub fn meet(&self, other: &Interval) -> Interval {
        match (self.set, other.set) {
            (Set::Empty, _) | (_, Set::Empty) => Interval::bottom(self.scalar),
            (Set::Range(a), Set::Range(b)) => Interval::of_range(self.scalar, a.meet(b)),
            (Set::Floats(a), Set::Floats(b)) => Interval::of_floats(self.scalar, a.meet(b)),
            (Set::Pattern(a), Set::Pattern(b)) if a != b => Interval::bottom(self.scalar),
            (Set::All, set) => Interval { scalar: self.scalar, set },
            (set @ (Set::Range(_) | Set::Floats(_) | Set::Pattern(_)), _) => Interval { scalar: self.scalar, set },
        }
    }

    /// Covers both; a bound of `next` beyond the one here goes on to the next threshold (sorted, ascending), or to the
    /// end of the type. A chain of these ends.
    pub fn widen(&self, next: &Interval, thresholds: &[i128]) -> Interval {
        let joined = self.join(next);
        match (self.set, joined.set) {
            (Set::Range(old), Set::Range(new)) => {
                Interval::of_range(self.scalar, Some(widen_range(self.scalar, old, new, thresholds)))
            }
            (Set::Floats(old), Set::Floats(new)) => {
                Interval { scalar: self.scalar, set: Set::Floats(widen_floats(self.scalar, old, new, thresholds)) }
            }
            (Set::Empty | Set::Range(_) | Set::Floats(_) | Set::Pattern(_) | Set::All, _) => joined,
        }
    }

    /// Takes bounds from `next`, which must be a part of this, where the bound here is the end of the type.
    /// A chain of these ends.
    pub fn narrow(&self, next: &Interval) -> Interval {
        match (self.set, next.set) {
            (Set::Range(old), Set::Range(new)) => {
                let ends = Interval::top(self.scalar).bounds().unwrap_or((old.low, old.high));
                let whole = Range::stepping(ends.0, ends.1, old.low, old.step.max(1)).unwrap_or(old);
                let low = if old.low == whole.low { new.low } else { old.low };
                let high = if old.high == whole.high { new.high } else { old.high };
                let narrowed = Range::stepping(low, high, old.low, old.step);
                Interval::of_range(self.scalar, Some(narrowed.unwrap_or(old)))
            }
            (Set::Floats(old), Set::Floats(new)) if new.has_numbers() => {
                let low = if old.low == f64::NEG_INFINITY { new.low } else { old.low };
                let high = if old.high == f64::INFINITY { new.high } else { old.high };
                Interval { scalar: self.scalar, set: Set::Floats(Floats { low, high, nan: new.nan }) }
            }
            (_, Set::Empty) => *next,
            (Set::All, set @ Set::Pattern(_)) => Interval { scalar: self.scalar, set },
            (Set::Empty | Set::Range(_) | Set::Floats(_) | Set::Pattern(_) | Set::All, _) => *self,
        }
    }
}

fn widen_range(scalar: Scalar, old: Range, new: Range, thresholds: &[i128]) -> Range {
    let (least, most) = Interval::top(scalar).bounds().unwrap_or((new.low, new.high));
    // A value outside (of `_Bool`) stays.
    let (least, most) = (least.min(new.low), most.max(new.high));
    let low = match new.low < old.low {
        true => thresholds.iter().rev().copied().find(|&t| t <= new.low).unwrap_or(least).max(least),
        false => new.low,
    };
    let high = match new.high > old.high {
        true => thresholds.iter().copied().find(|&t| t >= new.high).unwrap_or(most).min(most),
        false => new.high,
    };
    Range::stepping(low, high, new.low, new.step).unwrap_or(new)
}

fn widen_floats(scalar: Scalar, old: Floats, new: Floats, thresholds: &[i128]) -> Floats {
    let number = |&threshold: &i128| match scalar {
        Scalar::Float(FloatKind::Single) => f64::from(threshold as f32),
        _ => threshold as f64,
    };
    let low = match new.low < old.low && old.has_numbers() {
        true => {
            thresholds.iter().rev().map(number).find(|&t| t <= new.low).map_or(f64::NEG_INFINITY, |t| zero_as(t, -0.0))
        }
        false => new.low,
    };
    let high = match new.high > old.high && old.has_numbers() {
        true => thresholds.iter().map(number).find(|&t| t >= new.high).map_or(f64::INFINITY, |t| zero_as(t, 0.0)),
        false => new.high,
    };
    Floats { low, high, nan: new.nan }
}

/// The number; of zero the one that is given: a bound must include both.
pub(super) fn zero_as(number: f64, zero: f64) -> f64 {
    if number == 0.0 { zero } else { number }
}
