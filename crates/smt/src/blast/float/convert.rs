//! Conversions between floats, and between floats and integers; rounding to integral floats.

use super::round::{Exact, Mode, Underflow};
use super::unpacked::{Format, Unpacked};
use super::word::{Words, bits_for, signed_bits_for};
use crate::pool::Term;

impl Words {
    pub fn float_to_format(&self, from: Format, to: Format, mode: Mode, float: Unpacked) -> Unpacked {
        let holds_all = to.precision >= from.precision
            && to.max_exponent >= from.max_exponent
            && to.lowest_exponent <= from.lowest_exponent;
        if holds_all {
            let exponent = self.widen_signed(float.exponent, to.exponent_width);
            return Unpacked {
                exponent: self.ite(float.zero, self.signed(to.exponent_width, to.lowest_exponent), exponent),
                significand: self.pad_low(float.significand, to.precision - from.precision),
                ..float
            };
        }
        let exact = Exact {
            zero: float.zero,
            negative: float.negative,
            exponent: float.exponent,
            significand: float.significand,
        };
        let underflow = if from.lowest_exponent < to.min_exponent { Underflow::Possible } else { Underflow::Exact };
        let rounded = self.round(to, mode, exact, underflow);
        self.with_specials(rounded, float.nan, float.infinite)
    }

    pub fn float_from_integer(&self, format: Format, mode: Mode, integer: Term, signed: bool) -> Unpacked {
        let width = self.width(integer);
        let negative = if signed { self.top_bit(integer) } else { self.bool(false) };
        let magnitude = self.ite(negative, self.bv_neg(integer), integer);
        let (significand, zeros) = self.normalize(magnitude);
        let wide = signed_bits_for(0, i64::from(width)).max(self.width(zeros) + 1);
        let top = self.signed(wide, i64::from(width) - 1);
        let exact = Exact {
            zero: self.is_zero(integer),
            negative,
            exponent: self.bv_sub(top, self.widen(zeros, wide)),
            significand,
        };
        self.round(format, mode, exact, Underflow::Exact)
    }

    /// Zero where the rounded number does not fit.
    pub fn float_to_integer(&self, format: Format, mode: Mode, float: Unpacked, width: u32, signed: bool) -> Term {
        // The integer bits and one after the point; the significand starts at the top.
        let bits = width + 1;
        let (placed, beyond) = if format.precision <= bits {
            (self.pad_low(float.significand, bits - format.precision), self.bool(false))
        } else {
            let cut = format.precision - bits;
            let rest = self.is_nonzero(self.extract(float.significand, cut - 1, 0));
            (self.extract(float.significand, format.precision - 1, cut), rest)
        };
        let wide = (format.exponent_width + 1).max(bits_for(u64::from(width)) + 2);
        let exponent = self.widen_signed(float.exponent, wide);
        let top = self.signed(wide, i64::from(width) - 1);
        let large = self.bv_slt(top, exponent);
        let (shifted, lost) = self.shift_right_sticky(placed, self.bv_sub(top, exponent));
        let sticky = self.or2(lost, beyond);
        let guard = self.bit(shifted, 0);
        let away = self.rounds_away(mode, float.negative, self.bit(shifted, 1), guard, sticky);
        let integer = self.widen(self.extract(shifted, width, 1), bits);
        let magnitude = self.bv_add(integer, self.bool_word(bits, away));
        let low = self.narrow(magnitude, width);
        let special = self.or(&[float.nan, float.infinite, large, self.top_bit(magnitude)]);
        if !signed {
            return self.ite(self.or2(special, float.negative), self.zeros(width), low);
        }
        let lowest = self.eq(low, self.pad_low(self.bv(1, 1), width - 1));
        let bad_sign = self.and2(self.top_bit(low), self.not(self.and2(float.negative, lowest)));
        let value = self.ite(float.negative, self.bv_neg(low), low);
        self.ite(self.or2(special, bad_sign), self.zeros(width), value)
    }

    pub fn float_to_integral(&self, format: Format, mode: Mode, float: Unpacked) -> Unpacked {
        let units = i64::from(format.precision) - 1;
        let width = (format.exponent_width + 1).max(signed_bits_for(-2, units + 1));
        let exact = Exact {
            zero: float.zero,
            negative: float.negative,
            exponent: self.widen_signed(float.exponent, width),
            significand: float.significand,
        };
        let cut = self.cut_at(format.precision, mode, exact, units);
        let zero = self.or2(float.zero, cut.zero);
        let rounded = self.fit(format, mode, float.negative, super::round::Cut { zero, ..cut });
        self.with_specials(rounded, float.nan, float.infinite)
    }
}
