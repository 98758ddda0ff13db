//! Addition, multiplication, fused multiply-add, division and square root: exact results, then the rounder.

use super::round::{Exact, Mode, Underflow};
use super::unpacked::{Format, Unpacked};
use super::word::Words;
use crate::pool::Term;

/// A finite number of an addition. Of zero the significand is zero and the exponent not above that of any other operand.
#[derive(Clone, Copy)]
struct Operand {
    negative: Term,
    exponent: Term,
    significand: Term,
}

impl Words {
    pub fn float_sum(&self, format: Format, mode: Mode, left: Unpacked, right: Unpacked) -> Unpacked {
        let operand = |float: Unpacked| Operand {
            negative: float.negative,
            exponent: float.exponent,
            significand: float.significand,
        };
        let exact = self.exact_sum(mode, operand(left), operand(right));
        // A sum of two floats that is below the normal range is a multiple of the smallest float.
        let rounded = self.round(format, mode, exact, Underflow::Exact);
        let infinite = self.or2(left.infinite, right.infinite);
        let negative = self.ite(left.infinite, left.negative, right.negative);
        let opposite = self.xor(left.negative, right.negative);
        let nan = self.or(&[left.nan, right.nan, self.and(&[left.infinite, right.infinite, opposite])]);
        let negative = self.ite(infinite, negative, rounded.negative);
        self.with_specials(Unpacked { negative, ..rounded }, nan, infinite)
    }

    /// The sum with three bits more than the operands have and one for the carry; the last one is sticky.
    fn exact_sum(&self, mode: Mode, left: Operand, right: Operand) -> Exact {
        let exponent_width = self.width(left.exponent);
        let order = |operand: Operand| {
            let flipped = self.bv_xor(operand.exponent, self.pad_low(self.bv(1, 1), exponent_width - 1));
            self.concat(flipped, operand.significand)
        };
        let swap = self.bv_ult(order(left), order(right));
        let choose = |then: Operand, otherwise: Operand| Operand {
            negative: self.ite(swap, then.negative, otherwise.negative),
            exponent: self.ite(swap, then.exponent, otherwise.exponent),
            significand: self.ite(swap, then.significand, otherwise.significand),
        };
        let (large, small) = (choose(right, left), choose(left, right));

        let distance = self.bv_sub(self.sign_extend(large.exponent, 1), self.sign_extend(small.exponent, 1));
        let (shifted, sticky) = self.shift_right_sticky(self.pad_low(small.significand, 3), distance);
        let width = self.width(shifted) + 1;
        let shifted = self.bv_or(shifted, self.bool_word(width - 1, sticky));
        let subtract = self.xor(left.negative, right.negative);
        let addend = self.bv_xor(self.widen(shifted, width), self.replicate(width, subtract));
        let sum = self.add_carry(self.widen(self.pad_low(large.significand, 3), width), addend, subtract);

        let zero = self.is_zero(sum);
        let (significand, zeros) = self.normalize(sum);
        let wide = (exponent_width + 2).max(self.width(zeros) + 2);
        let top = self.bv_add(self.widen_signed(large.exponent, wide), self.bv(wide, 1));
        let cancelled = self.ite(subtract, mode.down, left.negative);
        Exact {
            zero,
            negative: self.ite(zero, cancelled, large.negative),
            exponent: self.bv_sub(top, self.widen(zeros, wide)),
            significand,
        }
    }

    /// The product of the significands, normalised, with twice the bits.
    fn exact_product(&self, left: Unpacked, right: Unpacked) -> Exact {
        let precision = self.width(left.significand);
        let wide = |word: Term| self.zero_extend(word, precision);
        let product = self.bv_mul(wide(left.significand), wide(right.significand));
        let carry = self.top_bit(product);
        let shifted = self.pad_low(self.narrow(product, 2 * precision - 1), 1);
        let exponent = self.bv_add(self.sign_extend(left.exponent, 2), self.sign_extend(right.exponent, 2));
        Exact {
            zero: self.or2(left.zero, right.zero),
            negative: self.xor(left.negative, right.negative),
            exponent: self.bv_add(exponent, self.bool_word(self.width(exponent), carry)),
            significand: self.ite(carry, product, shifted),
        }
    }

    pub fn float_product(&self, format: Format, mode: Mode, left: Unpacked, right: Unpacked) -> Unpacked {
        let exact = self.exact_product(left, right);
        let rounded = self.round(format, mode, exact, Underflow::Possible);
        let infinite = self.or2(left.infinite, right.infinite);
        let nan = self.or(&[left.nan, right.nan, self.and2(infinite, exact.zero)]);
        self.with_specials(rounded, nan, infinite)
    }

    pub fn float_fused(&self, format: Format, mode: Mode, x: Unpacked, y: Unpacked, z: Unpacked) -> Unpacked {
        let product = self.exact_product(x, y);
        let width = self.width(product.exponent);
        // Zero must not hide a small number: its exponent is below that of any product.
        let lowest = self.signed(width, 2 * format.lowest_exponent);
        let left = Operand {
            negative: product.negative,
            exponent: self.ite(product.zero, lowest, product.exponent),
            significand: product.significand,
        };
        let right = Operand {
            negative: z.negative,
            exponent: self.ite(z.zero, lowest, self.widen_signed(z.exponent, width)),
            significand: self.pad_low(z.significand, format.precision),
        };
        let exact = self.exact_sum(mode, left, right);
        let rounded = self.round(format, mode, exact, Underflow::Possible);
        let product_infinite = self.or2(x.infinite, y.infinite);
        let infinite = self.or2(product_infinite, z.infinite);
        let opposite = self.xor(product.negative, z.negative);
        let nan = self.or(&[
            x.nan,
            y.nan,
            z.nan,
            self.and2(product_infinite, product.zero),
            self.and(&[product_infinite, z.infinite, opposite]),
        ]);
        let special = self.ite(product_infinite, product.negative, z.negative);
        let negative = self.ite(infinite, special, rounded.negative);
        self.with_specials(Unpacked { negative, ..rounded }, nan, infinite)
    }

    pub fn float_quotient(&self, format: Format, mode: Mode, left: Unpacked, right: Unpacked) -> Unpacked {
        let width = format.precision + 1;
        let divisor = self.widen(right.significand, width);
        let mut rest = self.widen(left.significand, width);
        let mut quotient: Option<Term> = None;
        // One bit before the point, and enough after it for the precision and a guard bit if the first is zero.
        for _ in 0..format.precision + 2 {
            let fits = self.bv_ule(divisor, rest);
            let less = self.ite(fits, self.bv_sub(rest, divisor), rest);
            let bit = self.bool_word(1, fits);
            quotient = Some(quotient.map_or(bit, |quotient| self.concat(quotient, bit)));
            rest = self.pad_low(self.narrow(less, width - 1), 1);
        }
        let quotient = self.concat(quotient.unwrap_or(rest), self.bool_word(1, self.is_nonzero(rest)));
        let large = self.top_bit(quotient);
        let shifted = self.pad_low(self.narrow(quotient, self.width(quotient) - 1), 1);
        let exponent = self.bv_sub(self.sign_extend(left.exponent, 2), self.sign_extend(right.exponent, 2));
        let zero = self.or2(left.zero, right.infinite);
        let exact = Exact {
            zero,
            negative: self.xor(left.negative, right.negative),
            exponent: self.bv_sub(exponent, self.bool_word(self.width(exponent), self.not(large))),
            significand: self.ite(large, quotient, shifted),
        };
        let rounded = self.round(format, mode, exact, Underflow::Possible);
        let infinite = self.or2(left.infinite, right.zero);
        let nan =
            self.or(&[left.nan, right.nan, self.and2(left.infinite, right.infinite), self.and2(left.zero, right.zero)]);
        self.with_specials(rounded, nan, infinite)
    }

    pub fn float_root(&self, format: Format, mode: Mode, float: Unpacked) -> Unpacked {
        let odd = self.bit(float.exponent, 0);
        let half = self.bv_ashr(float.exponent, self.bv(format.exponent_width, 1));
        let even_value = self.widen(float.significand, format.precision + 1);
        let radicand = self.ite(odd, self.pad_low(float.significand, 1), even_value);
        let digits = format.precision + 1;
        let radicand = self.pad_low(radicand, 2 * digits - format.precision - 1);
        let (root, rest) = self.integer_root(digits, radicand);
        let exact = Exact {
            zero: float.zero,
            negative: float.negative,
            exponent: half,
            significand: self.concat(root, self.bool_word(1, self.is_nonzero(rest))),
        };
        // In formats with a long significand and a short exponent the root of a subnormal number is subnormal.
        let lowest = format.lowest_exponent.div_euclid(2);
        let underflow = if lowest < format.min_exponent { Underflow::Possible } else { Underflow::Exact };
        let rounded = self.round(format, mode, exact, underflow);
        let nan = self.or2(float.nan, self.and2(float.negative, self.not(float.zero)));
        self.with_specials(rounded, nan, self.and2(float.infinite, self.not(float.negative)))
    }

    /// Root and rest of a radicand with two bits for each digit of the root.
    fn integer_root(&self, digits: u32, radicand: Term) -> (Term, Term) {
        let pair = |index: u32| self.extract(radicand, 2 * (digits - index) - 1, 2 * (digits - index) - 2);
        let one = self.bv(2, 1);
        let first = self.bv_ule(one, pair(0));
        let mut root = self.bool_word(1, first);
        let mut rest = self.ite(first, self.bv_sub(pair(0), one), pair(0));
        for index in 1..digits {
            // The rest is at most twice the root, so it has one bit more.
            let next = self.concat(self.narrow(rest, index + 1), pair(index));
            let trial = self.widen(self.concat(root, one), index + 3);
            let fits = self.bv_ule(trial, next);
            rest = self.ite(fits, self.bv_sub(next, trial), next);
            root = self.concat(root, self.bool_word(1, fits));
        }
        (root, rest)
    }

    /// Whether the remainder circuit stays of bearable size.
    pub fn remainder_steps(format: Format) -> Option<u32> {
        let steps = format.max_exponent - format.lowest_exponent;
        let steps = u32::try_from(steps).ok()?;
        (u64::from(steps) * u64::from(format.precision) < 400_000).then_some(steps)
    }

    /// The IEEE remainder: left - right * n with n the integer nearest to the quotient, ties to even. Always exact.
    pub fn float_remainder(&self, format: Format, steps: u32, left: Unpacked, right: Unpacked) -> Unpacked {
        let width = format.exponent_width + 1;
        let (left_exponent, right_exponent) = (self.sign_extend(left.exponent, 1), self.sign_extend(right.exponent, 1));
        let distance = self.bv_sub(left_exponent, right_exponent);
        let smaller = self.bv_slt(distance, self.zeros(width));
        // One bit after the point of the divisor, for a dividend of half its size; one before it for shifting.
        let bits = format.precision + 2;
        let divisor = self.widen(self.pad_low(right.significand, 1), bits);
        let dividend =
            self.ite(smaller, self.widen(left.significand, bits), self.widen(self.pad_low(left.significand, 1), bits));
        let (mut rest, mut odd) = (dividend, self.bool(false));
        for step in 0..=steps {
            let active = self.bv_sle(self.signed(width, i64::from(step)), distance);
            let shifted = if step == 0 { rest } else { self.pad_low(self.narrow(rest, bits - 1), 1) };
            let fits = self.bv_ule(divisor, shifted);
            let less = self.ite(fits, self.bv_sub(shifted, divisor), shifted);
            rest = self.ite(active, less, rest);
            odd = self.ite(active, fits, odd);
        }
        let twice = self.pad_low(self.narrow(rest, bits - 1), 1);
        let above = self.or2(self.bv_ult(divisor, twice), self.and2(odd, self.eq(divisor, twice)));
        let magnitude = self.ite(above, self.bv_sub(divisor, rest), rest);
        let (significand, zeros) = self.normalize(self.narrow(magnitude, bits - 1));
        let zero = self.is_zero(magnitude);
        let wide = width.max(self.width(zeros) + 1);
        let exponent = self.bv_sub(self.widen_signed(right_exponent, wide), self.widen(zeros, wide));
        let exponent = self.narrow(exponent, format.exponent_width);
        let lowest = self.signed(format.exponent_width, format.lowest_exponent);
        let near = Unpacked {
            nan: self.bool(false),
            infinite: self.bool(false),
            zero,
            negative: self.xor(left.negative, self.and2(above, self.not(zero))),
            exponent: self.ite(zero, lowest, exponent),
            significand: self.extract(significand, bits - 2, 1),
        };
        let far = self.bv_slt(distance, self.signed(width, -1));
        let unchanged = self.or(&[far, left.zero, right.infinite]);
        let nan = self.or(&[left.nan, right.nan, left.infinite, right.zero]);
        let number = self.not(nan);
        let chosen = self.choose(unchanged, left, near);
        Unpacked { nan, zero: self.and2(number, chosen.zero), infinite: self.bool(false), ..chosen }
    }
}
