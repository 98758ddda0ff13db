//! Conversions between scalars as terms; the table of what does not fit is in [`tandem_cfa::semantics::convert`].

use tandem_cfa::Scalar;
use tandem_cfa::types::FloatKind;
use tandem_smt::{BitVector, FloatSort, RoundingMode, Term, softfloat};

use super::Scalars;
use super::float::sort_of;

/// Enough for every bound of an integer type, and one more.
const WIDE: u32 = 136;

/// Two to this power, and `more`.
fn power(exponent: u32, more: u128) -> BitVector {
    BitVector::one(WIDE).shift_left(exponent).add(&BitVector::new(WIDE, more))
}

impl Scalars<'_> {
    pub(super) fn converted(self, from: Scalar, to: Scalar, a: Term) -> Term {
        match (from, to) {
            (_, Scalar::Bool) => self.of_truth(self.truth(from, a), to),
            (Scalar::Float(kind), Scalar::Float(target)) => self.float_to_float(kind, target, a),
            (Scalar::Float(kind), Scalar::Int { .. } | Scalar::Pointer { .. }) => self.float_to_integer(kind, to, a),
            (Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. }, Scalar::Float(kind)) => {
                self.integer_to_float(from, kind, a)
            }
            (
                Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. },
                Scalar::Int { .. } | Scalar::Pointer { .. },
            ) => {
                let by_sign = from.is_signed() || matches!(from, Scalar::Pointer { .. });
                self.resize(a, to.bits(), by_sign)
            }
        }
    }

    fn integer_to_float(self, from: Scalar, to: FloatKind, a: Term) -> Term {
        let (sort, mode) = (sort_of(to), self.rounding());
        let float = if from.is_signed() {
            self.terms.float_from_signed(sort, mode, a)
        } else {
            self.terms.float_from_unsigned(sort, mode, a)
        };
        self.number_pattern(to, float)
    }

    fn float_to_integer(self, kind: FloatKind, to: Scalar, a: Term) -> Term {
        let float = self.view(kind, a).float;
        let result = match (kind, to.bits(), to.is_signed()) {
            (FloatKind::Quad, width, signed) => self.saturated(kind, a, width.max(32), signed),
            (_, 128, _) => self.wrapped(float),
            (_, 64, false) => self.unsigned_quadword(kind, float),
            (_, 64, true) | (_, 32, false) => self.register(kind, float, 64),
            (FloatKind::Extended, 8, _) | (FloatKind::Extended, 16, true) => self.register(kind, float, 16),
            _ => self.register(kind, float, 32),
        };
        self.resize(result, to.bits(), true)
    }

    fn number(self, sort: FloatSort, negative: bool, magnitude: &BitVector) -> Term {
        let number = softfloat::from_unsigned(sort, RoundingMode::NearestEven, magnitude);
        self.terms.float_value(sort, &if negative { softfloat::neg(sort, &number) } else { number })
    }

    /// Whether the float without its fraction is a signed number of this width; false for NaN.
    fn fits_signed(self, kind: FloatKind, float: Term, width: u32) -> Term {
        let (terms, sort) = (self.terms, sort_of(kind));
        let above = terms.float_lt(float, self.number(sort, false, &power(width - 1, 0)));
        let below = if sort.significand >= width {
            terms.float_gt(float, self.number(sort, true, &power(width - 1, 1)))
        } else {
            // Between the smallest value and the integer before it there is no float.
            terms.float_ge(float, self.number(sort, true, &power(width - 1, 0)))
        };
        terms.and2(above, below)
    }

    /// Whether the float without its fraction is an unsigned number of this width; false for NaN.
    fn fits_unsigned(self, kind: FloatKind, float: Term, width: u32) -> Term {
        let (terms, sort) = (self.terms, sort_of(kind));
        let above = terms.float_lt(float, self.number(sort, false, &power(width, 0)));
        terms.and2(above, terms.float_gt(float, self.number(sort, true, &power(0, 0))))
    }

    fn toward_zero(self) -> Term {
        self.terms.rounding(RoundingMode::TowardZero)
    }

    /// The machine's conversion to a signed register: the smallest value stands for everything that does not fit.
    fn register(self, kind: FloatKind, float: Term, width: u32) -> Term {
        let terms = self.terms;
        let number = terms.float_to_signed(width, self.toward_zero(), float);
        let smallest = terms.bv_value(&BitVector::sign_bit(width));
        terms.ite(self.fits_signed(kind, float, width), number, smallest)
    }

    /// From 2^63 on by way of a subtraction, whose result is zero when even that does not fit.
    fn unsigned_quadword(self, kind: FloatKind, float: Term) -> Term {
        let terms = self.terms;
        let large = terms.float_ge(float, self.number(sort_of(kind), false, &power(63, 0)));
        let number = terms.float_to_unsigned(64, self.toward_zero(), float);
        terms.ite(large, number, self.register(kind, float, 64))
    }

    /// 128 bits: the magnitude, zero if it is too large, negated.
    fn wrapped(self, float: Term) -> Term {
        let terms = self.terms;
        let magnitude = terms.float_to_unsigned(128, self.toward_zero(), terms.float_abs(float));
        let number = terms.ite(terms.float_is_negative(float), terms.bv_neg(magnitude), magnitude);
        terms.ite(terms.float_is_nan(float), terms.bv(128, 1 << 127 | 1 << 63), number)
    }

    /// The nearest value of the type; of NaN the extreme one of its sign.
    fn saturated(self, kind: FloatKind, a: Term, width: u32, signed: bool) -> Term {
        let terms = self.terms;
        let float = self.view(kind, a).float;
        let smallest = BitVector::sign_bit(width);
        let (number, fits, lowest, highest) = if signed {
            let number = terms.float_to_signed(width, self.toward_zero(), float);
            (number, self.fits_signed(kind, float, width), smallest.clone(), smallest.not())
        } else {
            let number = terms.float_to_unsigned(width, self.toward_zero(), float);
            (number, self.fits_unsigned(kind, float, width), BitVector::zero(width), BitVector::ones(width))
        };
        let negative = terms.eq(self.sign_of(kind, a), terms.bv(1, 1));
        terms.ite(fits, number, terms.ite(negative, terms.bv_value(&lowest), terms.bv_value(&highest)))
    }
}
