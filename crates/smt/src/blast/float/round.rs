//! The one rounder: from an exact number, or one with a sticky lowest bit, to a float of a format.

use super::unpacked::{Format, Unpacked};
use super::word::{Words, bits_for};
use crate::op::Op;
use crate::pool::Term;
use crate::sort::RoundingMode;

/// Which rounding mode it is, as booleans; toward zero is none of them.
#[derive(Clone, Copy)]
pub(super) struct Mode {
    pub even: Term,
    pub away: Term,
    pub up: Term,
    pub down: Term,
}

/// A number before rounding: significand * 2^(exponent - bits of the significand + 1), with the highest bit of the
/// significand one. If `zero` holds the rest does not matter.
#[derive(Clone, Copy)]
pub(super) struct Exact {
    pub zero: Term,
    pub negative: Term,
    /// Signed.
    pub exponent: Term,
    pub significand: Term,
}

/// Whether bits may be lost below the smallest subnormal number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Underflow {
    Possible,
    /// Numbers below the normal range are exact, or there are none.
    Exact,
}

/// A significand cut at some bit and rounded there.
pub(super) struct Cut {
    /// Of the precision; zero if the number was rounded to zero.
    pub significand: Term,
    pub exponent: Term,
    pub zero: Term,
}

impl Words {
    pub fn mode(&self, mode: Term) -> Mode {
        let is = |expected: RoundingMode| match self.op(mode) {
            Op::Rounding(constant) => self.bool(constant == expected),
            _ => self.eq(mode, self.rounding(expected)),
        };
        Mode {
            even: is(RoundingMode::NearestEven),
            away: is(RoundingMode::NearestAway),
            up: is(RoundingMode::TowardPositive),
            down: is(RoundingMode::TowardNegative),
        }
    }

    /// Whether to go to the next larger magnitude, given the last bit kept, the first one lost, and whether a later one was.
    pub fn rounds_away(&self, mode: Mode, negative: Term, last: Term, guard: Term, sticky: Term) -> Term {
        let inexact = self.or2(guard, sticky);
        self.or(&[
            self.and(&[mode.even, guard, self.or2(sticky, last)]),
            self.and2(mode.away, guard),
            self.and(&[mode.up, self.not(negative), inexact]),
            self.and(&[mode.down, negative, inexact]),
        ])
    }

    pub fn round(&self, format: Format, mode: Mode, exact: Exact, underflow: Underflow) -> Unpacked {
        // One more bit, so that a carry out of the significand fits.
        let width = (self.width(exact.exponent) + 1).max(format.exponent_width + 1);
        let exact = Exact { exponent: self.widen_signed(exact.exponent, width), ..exact };
        let cut = match underflow {
            Underflow::Possible => self.cut_at(format.precision, mode, exact, format.min_exponent),
            Underflow::Exact => self.cut_top(format.precision, mode, exact),
        };
        self.fit(format, mode, exact.negative, Cut { zero: self.or2(exact.zero, cut.zero), ..cut })
    }

    /// Splits off the kept bits with one more, and whether anything is left.
    fn split(&self, precision: u32, significand: Term) -> (Term, Term) {
        let missing = (precision + 2).saturating_sub(self.width(significand));
        let significand = self.pad_low(significand, missing);
        let rest = self.width(significand) - precision - 1;
        let sticky = self.is_nonzero(self.extract(significand, rest - 1, 0));
        (self.extract(significand, rest + precision, rest), sticky)
    }

    /// Rounds to the precision, whatever the exponent.
    fn cut_top(&self, precision: u32, mode: Mode, exact: Exact) -> Cut {
        let (kept, sticky) = self.split(precision, exact.significand);
        let away = self.rounds_away(mode, exact.negative, self.bit(kept, 1), self.bit(kept, 0), sticky);
        let sum = self.widen(self.extract(kept, precision, 1), precision + 1);
        let sum = self.bv_add(sum, self.bool_word(precision + 1, away));
        let carry = self.top_bit(sum);
        let top = self.or2(carry, self.bit(sum, precision - 1));
        Cut {
            significand: self.concat(self.bool_word(1, top), self.extract(sum, precision - 2, 0)),
            exponent: self.bv_add(exact.exponent, self.bool_word(self.width(exact.exponent), carry)),
            zero: self.bool(false),
        }
    }

    /// Rounds to the precision, and for exponents below `threshold` to one bit less for each.
    pub fn cut_at(&self, precision: u32, mode: Mode, exact: Exact, threshold: i64) -> Cut {
        let width = self.width(exact.exponent);
        let (kept, sticky) = self.split(precision, exact.significand);
        // Below this exponent even the first bit lost is zero: as if the number were just above zero.
        let floor = self.signed(width, threshold - i64::from(precision));
        let deep = self.bv_slt(exact.exponent, floor);
        let exponent = self.ite(deep, floor, exact.exponent);
        let kept = self.ite(deep, self.zeros(precision + 1), kept);
        let threshold = self.signed(width, threshold);
        let below = self.bv_slt(exponent, threshold);
        let distance = self.ite(below, self.bv_sub(threshold, exponent), self.zeros(width));
        let distance_width = bits_for(u64::from(precision));
        let distance = self.narrow(self.widen(distance, width.max(distance_width)), distance_width);

        // One bit of room for the carry; `lost` has a one for each bit below the guard bit.
        let room = precision + 2;
        let kept = self.widen(kept, room);
        let lost = self.bv_not(self.bv_shl(self.ones(room), self.widen(distance, room)));
        let lost_and_guard = self.concat(self.extract(lost, room - 2, 0), self.bv(1, 1));
        let guard = self.bv_and(lost_and_guard, self.bv_not(lost));
        let last = self.pad_low(self.extract(guard, room - 2, 0), 1);
        let has = |mask: Term| self.is_nonzero(self.bv_and(kept, mask));
        let sticky = self.or(&[sticky, deep, has(lost)]);
        let away = self.rounds_away(mode, exact.negative, has(last), has(guard), sticky);
        let increment = self.ite(away, last, self.zeros(room));
        let sum = self.bv_add(self.bv_and(kept, self.bv_not(lost_and_guard)), increment);
        let carry = self.top_bit(sum);
        let top = self.or2(carry, self.bit(sum, precision));
        Cut {
            significand: self.concat(self.bool_word(1, top), self.extract(sum, precision - 1, 1)),
            exponent: self.bv_add(exponent, self.bool_word(width, carry)),
            zero: self.not(top),
        }
    }

    /// Makes a float of a rounded number: infinity or the largest finite one if it is too large.
    pub fn fit(&self, format: Format, mode: Mode, negative: Term, cut: Cut) -> Unpacked {
        let width = self.width(cut.exponent);
        let large = self.bv_slt(self.signed(width, format.max_exponent), cut.exponent);
        let overflow = self.and2(self.not(cut.zero), large);
        let to_infinity =
            self.or(&[mode.even, mode.away, self.and2(mode.up, self.not(negative)), self.and2(mode.down, negative)]);
        let exponent = self.ite(overflow, self.signed(width, format.max_exponent), cut.exponent);
        let exponent = self.ite(cut.zero, self.signed(width, format.lowest_exponent), exponent);
        let significand = self.ite(overflow, self.ones(format.precision), cut.significand);
        Unpacked {
            nan: self.bool(false),
            infinite: self.and2(overflow, to_infinity),
            zero: cut.zero,
            negative,
            exponent: self.narrow(exponent, format.exponent_width),
            significand: self.ite(cut.zero, self.zeros(format.precision), significand),
        }
    }

    /// A rounded float, unless the result is NaN or infinite anyway.
    pub fn with_specials(&self, rounded: Unpacked, nan: Term, infinite: Term) -> Unpacked {
        let number = self.not(nan);
        Unpacked {
            nan,
            infinite: self.and2(number, self.or2(infinite, rounded.infinite)),
            zero: self.and(&[number, self.not(infinite), rounded.zero]),
            ..rounded
        }
    }
}
