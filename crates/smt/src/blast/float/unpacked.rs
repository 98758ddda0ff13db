//! Floats taken apart: flags for the special values, and a normalised significand even for subnormal numbers.

use super::word::{Words, signed_bits_for};
use crate::pool::Term;
use crate::sort::FloatSort;

/// A float in parts. At most one of `nan`, `infinite`, `zero` holds. If none holds, the value is
/// significand * 2^(exponent - bits of the significand + 1), the significand's highest bit is one. Of zero the significand
/// is zero and the exponent the lowest there is.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    pub nan: Term,
    pub infinite: Term,
    pub zero: Term,
    pub negative: Term,
    /// Signed, of [`Format::exponent_width`].
    pub exponent: Term,
    pub significand: Term,
}

/// The numbers of a format.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub sort: FloatSort,
    /// Bits of the significand, with the hidden one.
    pub precision: u32,
    /// Exponents of normal numbers.
    pub min_exponent: i64,
    pub max_exponent: i64,
    /// Exponent of the smallest subnormal number.
    pub lowest_exponent: i64,
    pub exponent_width: u32,
}

impl Format {
    /// `None` for exponents that no machine word holds.
    pub fn new(sort: FloatSort) -> Option<Format> {
        if !(2..=40).contains(&sort.exponent) || !(2..=1 << 20).contains(&sort.significand) {
            return None;
        }
        let max_exponent = (1i64 << (sort.exponent - 1)) - 1;
        let min_exponent = 1 - max_exponent;
        let lowest_exponent = min_exponent - i64::from(sort.significand - 1);
        Some(Format {
            sort,
            precision: sort.significand,
            min_exponent,
            max_exponent,
            lowest_exponent,
            exponent_width: signed_bits_for(lowest_exponent, max_exponent),
        })
    }
}

/// What can be said of a float by its bits alone.
pub(super) struct Fields {
    pub nan: Term,
    pub infinite: Term,
    pub zero: Term,
    pub negative: Term,
    pub exponent_zero: Term,
    pub exponent_ones: Term,
}

impl Words {
    pub fn fields(&self, format: Format, bits: Term) -> Fields {
        let FloatSort { exponent, significand } = format.sort;
        let fraction_zero = self.is_zero(self.extract(bits, significand - 2, 0));
        let exponent_bits = self.extract(bits, exponent + significand - 2, significand - 1);
        let exponent_zero = self.is_zero(exponent_bits);
        let exponent_ones = self.eq(exponent_bits, self.ones(exponent));
        Fields {
            nan: self.and2(exponent_ones, self.not(fraction_zero)),
            infinite: self.and2(exponent_ones, fraction_zero),
            zero: self.and2(exponent_zero, fraction_zero),
            negative: self.top_bit(bits),
            exponent_zero,
            exponent_ones,
        }
    }

    pub fn unpack(&self, format: Format, bits: Term) -> Unpacked {
        let FloatSort { exponent, significand } = format.sort;
        let fields = self.fields(format, bits);
        let width = format.exponent_width;
        let fraction = self.extract(bits, significand - 2, 0);
        let biased = self.widen(self.extract(bits, exponent + significand - 2, significand - 1), width + 1);
        let normal = self.narrow(self.bv_sub(biased, self.signed(width + 1, format.max_exponent)), width);
        let (shifted, zeros) = self.normalize(self.widen(fraction, significand));
        let zeros = self.widen(zeros, width.max(self.width(zeros)));
        let subnormal = self.bv_sub(self.signed(width, format.min_exponent), self.narrow(zeros, width));
        let lowest = self.signed(width, format.lowest_exponent);
        let small = self.ite(fields.zero, lowest, subnormal);
        Unpacked {
            nan: fields.nan,
            infinite: fields.infinite,
            zero: fields.zero,
            negative: fields.negative,
            exponent: self.ite(fields.exponent_zero, small, normal),
            significand: self.ite(fields.exponent_zero, shifted, self.concat(self.bv(1, 1), fraction)),
        }
    }

    pub fn nan_bits(&self, format: Format) -> Term {
        let FloatSort { exponent, significand } = format.sort;
        let quiet = self.pad_low(self.ones(exponent + 1), significand - 2);
        self.widen(quiet, exponent + significand)
    }

    /// The IEEE bits, NaN in its canonical pattern.
    pub fn pack(&self, format: Format, float: Unpacked) -> Term {
        let FloatSort { exponent, significand } = format.sort;
        let width = format.exponent_width;
        let min = self.signed(width, format.min_exponent);
        let below = self.bv_slt(float.exponent, min);
        let distance = self.ite(below, self.bv_sub(min, float.exponent), self.zeros(width));
        let (shifted, _) = self.shift_right_sticky(float.significand, distance);
        let fraction = self.narrow(shifted, significand - 1);
        let wide = width.max(exponent);
        let biased = self.bv_add(self.widen_signed(float.exponent, wide), self.signed(wide, format.max_exponent));
        let tiny = self.or2(below, float.zero);
        let biased = self.ite(tiny, self.zeros(exponent), self.narrow(biased, exponent));
        let special = self.or2(float.nan, float.infinite);
        let biased = self.ite(special, self.ones(exponent), biased);
        let quiet = self.pad_low(self.bv(1, 1), significand - 2);
        let fraction = self.ite(float.infinite, self.zeros(significand - 1), fraction);
        let fraction = self.ite(float.nan, quiet, fraction);
        let sign = self.bool_word(1, self.and2(float.negative, self.not(float.nan)));
        self.concat(sign, self.concat(biased, fraction))
    }

    pub fn choose(&self, condition: Term, then: Unpacked, otherwise: Unpacked) -> Unpacked {
        Unpacked {
            nan: self.ite(condition, then.nan, otherwise.nan),
            infinite: self.ite(condition, then.infinite, otherwise.infinite),
            zero: self.ite(condition, then.zero, otherwise.zero),
            negative: self.ite(condition, then.negative, otherwise.negative),
            exponent: self.ite(condition, then.exponent, otherwise.exponent),
            significand: self.ite(condition, then.significand, otherwise.significand),
        }
    }

    /// A word that orders magnitudes of finite floats.
    fn magnitude(&self, float: Unpacked) -> Term {
        let width = self.width(float.exponent);
        let flipped = self.bv_xor(float.exponent, self.pad_low(self.bv(1, 1), width - 1));
        self.concat(flipped, float.significand)
    }

    pub fn unpacked_less(&self, left: Unpacked, right: Unpacked) -> Term {
        let less = |a: Unpacked, b: Unpacked| {
            let finite = self.bv_ult(self.magnitude(a), self.magnitude(b));
            self.and2(self.not(a.infinite), self.or2(b.infinite, finite))
        };
        let positive = self.and2(self.not(right.negative), less(left, right));
        let negative = self.or2(self.not(right.negative), less(right, left));
        let ordered = self.ite(left.negative, negative, positive);
        let zeros = self.and2(left.zero, right.zero);
        self.and(&[self.not(left.nan), self.not(right.nan), self.not(zeros), ordered])
    }

    /// Equal as values; zeros of both signs are equal if `signs` does not matter, NaN only equals itself and only if it does.
    pub fn unpacked_equal(&self, left: Unpacked, right: Unpacked, identity: bool) -> Term {
        let finite = self.and2(self.eq(left.exponent, right.exponent), self.eq(left.significand, right.significand));
        let same = self.and(&[
            self.eq(left.negative, right.negative),
            self.eq(left.infinite, right.infinite),
            self.eq(left.zero, right.zero),
            self.or(&[left.infinite, left.zero, finite]),
        ]);
        let numbers = self.and2(self.not(left.nan), self.not(right.nan));
        if identity {
            return self.or2(self.and2(left.nan, right.nan), self.and2(numbers, same));
        }
        self.and2(numbers, self.or2(self.and2(left.zero, right.zero), same))
    }

    pub fn packed_less(&self, format: Format, left: Term, right: Term) -> Term {
        let (a, b) = (self.fields(format, left), self.fields(format, right));
        let magnitude = |bits: Term| self.extract(bits, format.sort.width() - 2, 0);
        let less = |a: Term, b: Term| self.bv_ult(magnitude(a), magnitude(b));
        let positive = self.and2(self.not(b.negative), less(left, right));
        let negative = self.or2(self.not(b.negative), less(right, left));
        let ordered = self.ite(a.negative, negative, positive);
        let zeros = self.and2(a.zero, b.zero);
        self.and(&[self.not(a.nan), self.not(b.nan), self.not(zeros), ordered])
    }

    pub fn packed_equal(&self, format: Format, left: Term, right: Term, identity: bool) -> Term {
        let (a, b) = (self.fields(format, left), self.fields(format, right));
        let same = self.and2(self.not(a.nan), self.eq(left, right));
        let other = if identity { self.and2(a.nan, b.nan) } else { self.and2(a.zero, b.zero) };
        self.or2(same, other)
    }
}
