//! Sets of floats: an interval of numbers, and whether NaN is among them. For the formats that `f64` includes.
//!
//! Numbers are ordered so that -0 comes before +0: every operation here that rounds is monotone in that order too.

use std::cmp::Ordering;

use tandem_cfa::Scalar;
use tandem_cfa::semantics;
use tandem_cfa::types::FloatKind;

/// No bound is NaN; without numbers `low` is above `high`. Not empty.
#[derive(Clone, Copy, Debug)]
pub struct Floats {
    pub low: f64,
    pub high: f64,
    pub nan: bool,
}

/// Minus zero and zero are two numbers.
impl PartialEq for Floats {
    fn eq(&self, other: &Floats) -> bool {
        let bits = |floats: &Floats| (floats.low.to_bits(), floats.high.to_bits(), floats.nan);
        bits(self) == bits(other)
    }
}

impl Eq for Floats {}

const DOUBLE: Scalar = Scalar::Float(FloatKind::Double);

/// The number of a pattern of a format that `f64` includes.
pub fn number(kind: FloatKind, bits: u128) -> f64 {
    f64::from_bits(semantics::convert(Scalar::Float(kind), DOUBLE, bits).bits as u64)
}

/// The pattern of a number; rounded, if it is none of the format.
pub fn pattern(kind: FloatKind, number: f64) -> u128 {
    semantics::convert(DOUBLE, Scalar::Float(kind), u128::from(number.to_bits())).bits
}

fn smaller(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b) == Ordering::Less { a } else { b }
}

fn larger(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b) == Ordering::Greater { a } else { b }
}

/// The next number below, in the format.
pub fn below(kind: FloatKind, number: f64) -> f64 {
    match kind {
        FloatKind::Single => f64::from((number as f32).next_down()),
        FloatKind::Double | FloatKind::Extended | FloatKind::Quad => number.next_down(),
    }
}

/// The next number above, in the format.
pub fn above(kind: FloatKind, number: f64) -> f64 {
    -below(kind, -number)
}

impl Floats {
    pub const ALL: Floats = Floats { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };
    pub const NAN: Floats = Floats { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };

    pub fn single(number: f64) -> Floats {
        if number.is_nan() { Floats::NAN } else { Floats { low: number, high: number, nan: false } }
    }

    /// `None` if there is nothing.
    pub fn new(low: f64, high: f64, nan: bool) -> Option<Floats> {
        let floats = Floats { low, high, nan };
        match (floats.has_numbers(), nan) {
            (true, _) => Some(floats),
            (false, true) => Some(Floats::NAN),
            (false, false) => None,
        }
    }

    pub fn has_numbers(self) -> bool {
        self.low.total_cmp(&self.high) != Ordering::Greater
    }

    pub fn as_single(self) -> Option<f64> {
        (!self.nan && self.low.to_bits() == self.high.to_bits()).then_some(self.low)
    }

    pub fn contains(self, number: f64) -> bool {
        if number.is_nan() {
            return self.nan;
        }
        self.low.total_cmp(&number) != Ordering::Greater && number.total_cmp(&self.high) != Ordering::Greater
    }

    fn has_zero(self) -> bool {
        self.has_numbers() && self.low <= 0.0 && self.high >= 0.0
    }

    fn has_infinity(self) -> bool {
        self.has_numbers() && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    pub fn is_subset(self, other: Floats) -> bool {
        let numbers = !self.has_numbers() || other.contains(self.low) && other.contains(self.high);
        numbers && (other.nan || !self.nan)
    }

    pub fn join(self, other: Floats) -> Floats {
        Floats { low: smaller(self.low, other.low), high: larger(self.high, other.high), nan: self.nan || other.nan }
    }

    pub fn meet(self, other: Floats) -> Option<Floats> {
        Floats::new(larger(self.low, other.low), smaller(self.high, other.high), self.nan && other.nan)
    }

    pub fn truth(self) -> Option<bool> {
        if !self.has_zero() {
            return Some(true);
        }
        (!self.nan && self.low == 0.0 && self.high == 0.0).then_some(false)
    }

    pub fn negated(self) -> Floats {
        Floats { low: -self.high, high: -self.low, nan: self.nan }
    }

    pub fn magnitude(self) -> Floats {
        if !self.has_numbers() || self.low.is_sign_positive() {
            self
        } else if self.high.is_sign_negative() {
            self.negated()
        } else {
            Floats { low: 0.0, high: self.high.max(-self.low), nan: self.nan }
        }
    }

    /// A function that never decreases, and gives NaN for NaN and for nothing else.
    pub fn mapped(self, function: impl Fn(f64) -> f64) -> Floats {
        if !self.has_numbers() {
            return self;
        }
        Floats { low: function(self.low), high: function(self.high), nan: self.nan }
    }

    /// A function of two numbers that is monotone in each, such as a sum. All of them, if a corner is NaN.
    pub fn corners(self, other: Floats, function: impl Fn(f64, f64) -> f64) -> Floats {
        let nan = self.nan || other.nan;
        if !self.has_numbers() || !other.has_numbers() {
            return Floats::NAN;
        }
        let mut result = Floats { nan, ..Floats::NAN };
        for a in [self.low, self.high] {
            for b in [other.low, other.high] {
                let corner = function(a, b);
                if corner.is_nan() {
                    return Floats::ALL;
                }
                result.low = smaller(result.low, corner);
                result.high = larger(result.high, corner);
            }
        }
        result
    }

    pub fn mul(self, other: Floats, function: impl Fn(f64, f64) -> f64) -> Floats {
        if self.has_infinity() && other.has_zero() || self.has_zero() && other.has_infinity() {
            return Floats::ALL;
        }
        self.corners(other, function)
    }

    pub fn div(self, other: Floats, function: impl Fn(f64, f64) -> f64) -> Floats {
        if other.has_zero() || self.has_infinity() && other.has_infinity() {
            return Floats::ALL;
        }
        self.corners(other, function)
    }
}
