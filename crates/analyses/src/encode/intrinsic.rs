//! Pure operations that C has no operator for, as terms.

use tandem_cfa::Intrinsic;
use tandem_cfa::types::FloatKind;
use tandem_smt::{BitVector, RoundingMode, Term};

use super::{INT, Scalars};

impl Scalars<'_> {
    pub(super) fn integer_intrinsic(self, intrinsic: Intrinsic, a: Term) -> Term {
        use Intrinsic::*;
        let terms = self.terms;
        let width = terms.width(a);
        let int = |value| self.constant(INT, value);
        match intrinsic {
            ByteSwap => self.byte_swap(a),
            LeadingZeros => self.leading_zeros(a),
            TrailingZeros => self.trailing_zeros(a),
            PopCount => self.population(a),
            Parity => self.parity(a),
            FindFirstSet => {
                let found = terms.bv_add(self.trailing_zeros(a), int(1));
                terms.ite(terms.eq(a, terms.bv(width, 0)), int(0), found)
            }
            RedundantSignBits => {
                let negative = terms.bv_slt(a, terms.bv(width, 0));
                let folded = terms.ite(negative, terms.bv_not(a), a);
                terms.bv_sub(self.leading_zeros(folded), int(1))
            }
            IsFinite | IsNormal => int(1),
            IsNan | IsInfinite | SignBit => int(0),
            FloatAbs | CopySign | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven | FloatMin | FloatMax
            | FloatMod | FloatRemainder => a,
        }
    }

    pub(super) fn float_intrinsic(self, intrinsic: Intrinsic, kind: FloatKind, a: Term, b: Term) -> Term {
        use Intrinsic::*;
        let terms = self.terms;
        let float = self.view(kind, a).float;
        let class = |condition| self.of_truth(condition, INT);
        let integral = |mode| {
            let mode = terms.rounding(mode);
            self.float_function(kind, a, |float| terms.float_round_to_integral(mode, float))
        };
        match intrinsic {
            IsNan => class(terms.float_is_nan(float)),
            IsInfinite => class(terms.float_is_infinite(float)),
            IsFinite => class(terms.not(terms.or2(terms.float_is_nan(float), terms.float_is_infinite(float)))),
            IsNormal => class(terms.float_is_normal(float)),
            SignBit => terms.zero_extend(self.sign_of(kind, a), INT.bits() - 1),
            FloatAbs => self.with_sign(kind, a, terms.bv(1, 0)),
            CopySign => self.with_sign(kind, a, self.sign_of(kind, b)),
            SquareRoot => self.float_function(kind, a, |float| terms.float_sqrt(self.rounding(), float)),
            Floor => integral(RoundingMode::TowardNegative),
            Ceil => integral(RoundingMode::TowardPositive),
            Trunc => integral(RoundingMode::TowardZero),
            Round => integral(RoundingMode::NearestAway),
            RoundEven => integral(RoundingMode::NearestEven),
            FloatMin => self.float_extreme(kind, a, b, false),
            FloatMax => self.float_extreme(kind, a, b, true),
            FloatMod => self.float_binary(tandem_cfa::BinaryOp::Rem, kind, a, b),
            FloatRemainder => self.float_remainder(kind, a, b),
            ByteSwap | LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits => {
                self.integer_intrinsic(intrinsic, a)
            }
        }
    }

    fn byte_swap(self, a: Term) -> Term {
        let bytes = self.terms.width(a) / 8;
        let byte = |index: u32| self.terms.extract(a, 8 * index + 7, 8 * index);
        (1..bytes).fold(byte(0), |swapped, index| self.terms.concat(swapped, byte(index)))
    }

    /// Halving: if the upper half has no one, its bits count and the lower half comes up.
    fn leading_zeros(self, a: Term) -> Term {
        let terms = self.terms;
        let width = terms.width(a).next_power_of_two();
        // What is missing to a power of two comes below, as ones.
        let missing = width - terms.width(a);
        let mut value = match missing {
            0 => a,
            _ => terms.concat(a, terms.bv_value(&BitVector::ones(missing))),
        };
        let mut count = self.constant(INT, 0);
        let mut half = width / 2;
        while half > 0 {
            let high = terms.extract(value, 2 * half - 1, half);
            let none = terms.eq(high, terms.bv(half, 0));
            count = terms.bv_add(count, terms.ite(none, self.constant(INT, u128::from(half)), self.constant(INT, 0)));
            value = terms.ite(none, terms.extract(value, half - 1, 0), high);
            half /= 2;
        }
        terms.bv_add(count, terms.zero_extend(terms.bv_not(value), INT.bits() - 1))
    }

    /// The zeros below the lowest one are the ones of `a - 1` that `a` has not; of zero that is all.
    fn trailing_zeros(self, a: Term) -> Term {
        let terms = self.terms;
        let before = terms.bv_sub(a, terms.bv(terms.width(a), 1));
        self.population(terms.bv_and(before, terms.bv_not(a)))
    }

    /// Sums of neighbouring fields, which double in width.
    fn population(self, a: Term) -> Term {
        let terms = self.terms;
        let width = terms.width(a).next_power_of_two();
        let mut value = self.resize(a, width, false);
        let mut field = 1;
        while field < width {
            let mask = terms.bv_value(&fields(width, field));
            let upper = terms.bv_lshr(value, terms.bv(width, u128::from(field)));
            value = terms.bv_add(terms.bv_and(value, mask), terms.bv_and(upper, mask));
            field *= 2;
        }
        self.resize(value, INT.bits(), false)
    }

    fn parity(self, a: Term) -> Term {
        let terms = self.terms;
        let width = terms.width(a).next_power_of_two();
        let mut value = self.resize(a, width, false);
        while terms.width(value) > 1 {
            let half = terms.width(value) / 2;
            value = terms.bv_xor(terms.extract(value, 2 * half - 1, half), terms.extract(value, half - 1, 0));
        }
        terms.zero_extend(value, INT.bits() - 1)
    }
}

/// Every other field of this many bits filled with ones, from the lowest.
fn fields(width: u32, field: u32) -> BitVector {
    let mut mask = BitVector::zero(width);
    for start in (0..width).step_by(2 * field as usize) {
        mask = mask.or(&BitVector::ones(field).zero_extend(width - field).shift_left(start));
    }
    mask
}
