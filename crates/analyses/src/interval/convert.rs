//! Conversions of sets. Constants are left to `semantics`.

use tandem_cfa::Scalar;
use tandem_cfa::semantics::{self, Flags, mask};

use super::domain::{Interval, Set, Shape, shape};
use super::floats::{self, Floats};
use super::range::Range;

impl Interval {
    /// The values as values of another type.
    pub fn convert(&self, to: Scalar) -> Interval {
        if self.is_empty() {
            return Interval::bottom(to);
        }
        if let Some(bits) = self.as_constant() {
            return Interval::constant(to, semantics::convert(self.scalar, to, bits).bits);
        }
        if to == Scalar::Bool {
            return match self.truth() {
                Some(truth) => Interval::constant(to, u128::from(truth)),
                None => Interval::top(to),
            };
        }
        match (self.set, shape(to)) {
            (Set::Range(range), Shape::Range) => match self.scalar {
                // Pointers extend by their upper bit.
                Scalar::Pointer { bits } if to.bits() > bits => {
                    self.reinterpret(Scalar::Int { bits, signed: true }).convert(to)
                }
                _ => Interval::wrapped(to, Some(range)),
            },
            (Set::Range(range), Shape::Floats(kind)) => {
                let number = |value: i128| floats::number(kind, converted(self.scalar, to, value as u128));
                let floats = Floats { low: number(range.low), high: number(range.high), nan: false };
                Interval::of_floats(to, Some(floats))
            }
            (Set::Floats(floats), Shape::Floats(kind)) => {
                let rounded = |number| floats::number(kind, floats::pattern(kind, number));
                Interval::of_floats(to, Some(floats.mapped(rounded)))
            }
            (Set::Floats(floats), Shape::Range) => self.truncated(floats, to),
            _ => Interval::unknown(to),
        }
    }

    fn truncated(&self, floats: Floats, to: Scalar) -> Interval {
        let Scalar::Float(kind) = self.scalar else { return Interval::unknown(to) };
        let whole = |number| {
            let outcome = semantics::convert(self.scalar, to, floats::pattern(kind, number));
            (!outcome.flags.contains(Flags::RANGE)).then(|| semantics::integer_value(to, outcome.bits))
        };
        match (floats.nan, whole(floats.low), whole(floats.high)) {
            (false, Some(low), Some(high)) => Interval::of_range(to, Range::between(low, high)),
            _ => Interval::unknown(to),
        }
    }

    /// The same patterns, as those of another type of the same width.
    pub fn reinterpret(&self, to: Scalar) -> Interval {
        if let Some(bits) = self.as_constant() {
            return Interval::constant(to, bits);
        }
        match (self.set, shape(to)) {
            _ if to == self.scalar => *self,
            (Set::Empty, _) => Interval::bottom(to),
            (Set::Range(range), Shape::Range) => Interval::wrapped(to, Some(range)),
            _ => Interval::unknown(to),
        }
    }
}

fn converted(from: Scalar, to: Scalar, bits: u128) -> u128 {
    semantics::convert(from, to, bits & mask(from.bits())).bits
}
