//! Bit-vectors of any width and their arithmetic as SMT-LIB defines it. Knows no terms.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};

/// A bit-vector of any width. Bits above the width are zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BitVector {
    width: u32,
    bits: Bits,
}

/// At most 128 bits inline; `Large` only above that.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Bits {
    Small(u128),
    Large(BigUint),
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl BitVector {
    /// The low `width` bits of `bits`.
    pub fn new(width: u32, bits: u128) -> BitVector {
        assert!(width > 0, "a bit-vector has at least one bit");
        if width > 128 {
            return BitVector { width, bits: Bits::Large(BigUint::from(bits)) };
        }
        BitVector { width, bits: Bits::Small(bits & mask(width)) }
    }

    pub fn from_big(width: u32, bits: &BigUint) -> BitVector {
        let cut =
            if bits.bits() > u64::from(width) { bits & ((BigUint::from(1u8) << width) - 1u8) } else { bits.clone() };
        if width <= 128 {
            let mut digits = cut.iter_u64_digits();
            let low = digits.next().unwrap_or(0);
            let high = digits.next().unwrap_or(0);
            return BitVector::new(width, u128::from(high) << 64 | u128::from(low));
        }
        BitVector { width, bits: Bits::Large(cut) }
    }

    /// The number modulo two to the `width`.
    pub fn from_signed(width: u32, number: &BigInt) -> BitVector {
        let magnitude = BitVector::from_big(width, number.magnitude());
        if number.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    pub fn zero(width: u32) -> BitVector {
        BitVector::new(width, 0)
    }

    pub fn one(width: u32) -> BitVector {
        BitVector::new(width, 1)
    }

    pub fn ones(width: u32) -> BitVector {
        BitVector::zero(width).not()
    }

    /// Only the highest bit is set: the smallest signed number.
    pub fn sign_bit(width: u32) -> BitVector {
        BitVector::one(width).shift_left(width - 1)
    }

    pub fn from_bool(value: bool) -> BitVector {
        BitVector::new(1, u128::from(value))
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits, if there are at most 128.
    pub fn small(&self) -> Option<u128> {
        match self.bits {
            Bits::Small(bits) => Some(bits),
            Bits::Large(_) => None,
        }
    }

    /// The number, if it is below two to the 32.
    pub fn as_u32(&self) -> Option<u32> {
        match &self.bits {
            Bits::Small(bits) => u32::try_from(*bits).ok(),
            Bits::Large(bits) => u32::try_from(bits).ok(),
        }
    }

    pub fn to_big(&self) -> BigUint {
        match &self.bits {
            Bits::Small(bits) => BigUint::from(*bits),
            Bits::Large(bits) => bits.clone(),
        }
    }

    /// The number in two's complement.
    pub fn to_signed(&self) -> BigInt {
        let number = BigInt::from(self.to_big());
        if self.is_negative() { number - (BigInt::from(1u8) << self.width) } else { number }
    }

    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Small(bits) => index < 128 && bits >> index & 1 == 1,
            Bits::Large(bits) => bits.bit(u64::from(index)),
        }
    }

    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 0,
            Bits::Large(bits) => bits.bits() == 0,
        }
    }

    pub fn is_one(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == 1,
            Bits::Large(bits) => bits.bits() == 1,
        }
    }

    pub fn is_ones(&self) -> bool {
        match &self.bits {
            Bits::Small(bits) => *bits == mask(self.width),
            Bits::Large(bits) => bits.count_ones() == u64::from(self.width),
        }
    }

    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// The smallest signed number: only the highest bit is set.
    pub fn is_sign_bit(&self) -> bool {
        self.power_of_two() == Some(self.width - 1)
    }

    /// The exponent, if exactly one bit is set.
    pub fn power_of_two(&self) -> Option<u32> {
        match &self.bits {
            Bits::Small(bits) => bits.is_power_of_two().then(|| bits.trailing_zeros()),
            Bits::Large(bits) => (bits.count_ones() == 1).then(|| bits.bits() as u32 - 1),
        }
    }

    /// How many bits the number needs: zero for zero.
    pub fn length(&self) -> u32 {
        match &self.bits {
            Bits::Small(bits) => 128 - bits.leading_zeros(),
            Bits::Large(bits) => bits.bits() as u32,
        }
    }

    fn map(&self, small: impl Fn(u128) -> u128, large: impl Fn(&BigUint) -> BigUint) -> BitVector {
        match &self.bits {
            Bits::Small(bits) => BitVector::new(self.width, small(*bits)),
            Bits::Large(bits) => BitVector::from_big(self.width, &large(bits)),
        }
    }

    fn combine(
        &self,
        other: &BitVector,
        small: impl Fn(u128, u128) -> u128,
        large: impl Fn(&BigUint, &BigUint) -> BigUint,
    ) -> BitVector {
        debug_assert_eq!(self.width, other.width);
        match (&self.bits, &other.bits) {
            (Bits::Small(left), Bits::Small(right)) => BitVector::new(self.width, small(*left, *right)),
            _ => BitVector::from_big(self.width, &large(&self.to_big(), &other.to_big())),
        }
    }
}

/// Arithmetic. Both operands have the same width unless it says otherwise.
impl BitVector {
    #[allow(clippy::should_implement_trait)]
    pub fn not(&self) -> BitVector {
        self.map(|bits| !bits, |bits| ((BigUint::from(1u8) << self.width) - 1u8) ^ bits)
    }

    #[allow(clippy::should_implement_trait)]
    pub fn neg(&self) -> BitVector {
        self.map(u128::wrapping_neg, |bits| (BigUint::from(1u8) << self.width) - bits)
    }

    pub fn and(&self, other: &BitVector) -> BitVector {
        self.combine(other, |left, right| left & right, |left, right| left & right)
    }

    pub fn or(&self, other: &BitVector) -> BitVector {
        self.combine(other, |left, right| left | right, |left, right| left | right)
    }

    pub fn xor(&self, other: &BitVector) -> BitVector {
        self.combine(other, |left, right| left ^ right, |left, right| left ^ right)
    }

    #[allow(clippy::should_implement_trait)]
    pub fn add(&self, other: &BitVector) -> BitVector {
        self.combine(other, u128::wrapping_add, |left, right| left + right)
    }

    #[allow(clippy::should_implement_trait)]
    pub fn sub(&self, other: &BitVector) -> BitVector {
        self.add(&other.neg())
    }

    #[allow(clippy::should_implement_trait)]
    pub fn mul(&self, other: &BitVector) -> BitVector {
        self.combine(other, u128::wrapping_mul, |left, right| left * right)
    }

    /// All ones if the divisor is zero.
    pub fn udiv(&self, other: &BitVector) -> BitVector {
        if other.is_zero() {
            return BitVector::ones(self.width);
        }
        self.combine(other, |left, right| left / right, |left, right| left / right)
    }

    /// The dividend if the divisor is zero.
    pub fn urem(&self, other: &BitVector) -> BitVector {
        if other.is_zero() {
            return self.clone();
        }
        self.combine(other, |left, right| left % right, |left, right| left % right)
    }

    fn magnitude(&self) -> BitVector {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// Toward zero; by zero: one of a negative dividend, minus one of another.
    pub fn sdiv(&self, other: &BitVector) -> BitVector {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() == other.is_negative() { quotient } else { quotient.neg() }
    }

    /// With the sign of the dividend.
    pub fn srem(&self, other: &BitVector) -> BitVector {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    /// With the sign of the divisor.
    pub fn smod(&self, other: &BitVector) -> BitVector {
        let remainder = self.srem(other);
        let differ = self.is_negative() != other.is_negative();
        if differ && !remainder.is_zero() { remainder.add(other) } else { remainder }
    }

    /// By a number of bits.
    pub fn shift_left(&self, by: u32) -> BitVector {
        if by >= self.width {
            return BitVector::zero(self.width);
        }
        self.map(|bits| bits << by, |bits| bits << by)
    }

    /// By a number of bits, filling with zeros.
    pub fn shift_right(&self, by: u32) -> BitVector {
        if by >= self.width {
            return BitVector::zero(self.width);
        }
        self.map(|bits| bits >> by, |bits| bits >> by)
    }

    /// The shift amount that the number means, at most the width.
    fn amount(&self) -> u32 {
        self.as_u32().map_or(self.width, |by| by.min(self.width))
    }

    #[allow(clippy::should_implement_trait)]
    pub fn shl(&self, other: &BitVector) -> BitVector {
        self.shift_left(other.amount())
    }

    pub fn lshr(&self, other: &BitVector) -> BitVector {
        self.shift_right(other.amount())
    }

    pub fn ashr(&self, other: &BitVector) -> BitVector {
        let by = other.amount();
        if self.is_negative() { self.not().shift_right(by).not() } else { self.shift_right(by) }
    }

    pub fn unsigned_cmp(&self, other: &BitVector) -> Ordering {
        debug_assert_eq!(self.width, other.width);
        self.bits.cmp(&other.bits)
    }

    pub fn signed_cmp(&self, other: &BitVector) -> Ordering {
        other.is_negative().cmp(&self.is_negative()).then_with(|| self.unsigned_cmp(other))
    }

    /// This above `low`.
    pub fn concat(&self, low: &BitVector) -> BitVector {
        let width = self.width + low.width;
        match (&self.bits, &low.bits) {
            (Bits::Small(high), Bits::Small(bits)) if width <= 128 => BitVector::new(width, high << low.width | bits),
            _ => BitVector::from_big(width, &(self.to_big() << low.width | low.to_big())),
        }
    }

    /// Bits `high` to `low`, both included.
    pub fn extract(&self, high: u32, low: u32) -> BitVector {
        let width = high - low + 1;
        match &self.bits {
            Bits::Small(bits) => BitVector::new(width, bits >> low),
            Bits::Large(bits) => BitVector::from_big(width, &(bits >> low)),
        }
    }

    /// By this many more bits.
    pub fn zero_extend(&self, by: u32) -> BitVector {
        match &self.bits {
            Bits::Small(bits) => BitVector::new(self.width + by, *bits),
            Bits::Large(bits) => BitVector::from_big(self.width + by, bits),
        }
    }

    /// By this many more bits.
    pub fn sign_extend(&self, by: u32) -> BitVector {
        if !self.is_negative() { self.zero_extend(by) } else { self.not().zero_extend(by).not() }
    }
}

/// As SMT-LIB writes it: hexadecimal where the width allows.
impl fmt::Display for BitVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.width.is_multiple_of(4) {
            let digits = self.width as usize / 4;
            match &self.bits {
                Bits::Small(bits) => write!(f, "#x{bits:0digits$x}"),
                Bits::Large(bits) => write!(f, "#x{bits:0digits$x}"),
            }
        } else {
            let digits = self.width as usize;
            match &self.bits {
                Bits::Small(bits) => write!(f, "#b{bits:0digits$b}"),
                Bits::Large(bits) => write!(f, "#b{bits:0digits$b}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn modulus(width: u32) -> BigInt {
        BigInt::from(1u8) << width
    }

    fn reduce(width: u32, number: BigInt) -> BitVector {
        let modulus = modulus(width);
        let number = ((number % &modulus) + &modulus) % &modulus;
        BitVector::from_big(width, number.magnitude())
    }

    proptest! {
        /// Every width gives what the integers modulo two to the width give.
        #[test]
        fn arithmetic(width in 1u32..200, a: [u64; 4], b: [u64; 4], small: bool) {
            let big = |words: [u64; 4]| words.iter().fold(BigUint::from(0u8), |sum, &word| (sum << 64) + word);
            let x = BitVector::from_big(width, &big(a));
            let y = BitVector::from_big(width, &(if small { big(b) >> 250 } else { big(b) }));
            let (ux, uy) = (BigInt::from(x.to_big()), BigInt::from(y.to_big()));
            let (sx, sy) = (x.to_signed(), y.to_signed());
            prop_assert_eq!(x.add(&y), reduce(width, &ux + &uy));
            prop_assert_eq!(x.sub(&y), reduce(width, &ux - &uy));
            prop_assert_eq!(x.mul(&y), reduce(width, &ux * &uy));
            prop_assert_eq!(x.neg(), reduce(width, -&ux));
            prop_assert_eq!(x.not(), reduce(width, -&ux - 1));
            if !y.is_zero() {
                prop_assert_eq!(x.udiv(&y), reduce(width, &ux / &uy));
                prop_assert_eq!(x.urem(&y), reduce(width, &ux % &uy));
                prop_assert_eq!(x.sdiv(&y), reduce(width, &sx / &sy));
                prop_assert_eq!(x.srem(&y), reduce(width, &sx % &sy));
                prop_assert_eq!(x.smod(&y), reduce(width, ((&sx % &sy) + &sy) % &sy));
            }
            prop_assert_eq!(x.unsigned_cmp(&y), ux.cmp(&uy));
            prop_assert_eq!(x.signed_cmp(&y), sx.cmp(&sy));
            prop_assert_eq!(x.concat(&y).to_big(), x.to_big() << width | y.to_big());
            prop_assert_eq!(x.sign_extend(7).to_signed(), sx.clone());
            prop_assert_eq!(x.zero_extend(70).to_big(), x.to_big());
            prop_assert_eq!(BitVector::from_signed(width, &sx), x.clone());
            let by = y.amount();
            prop_assert_eq!(x.ashr(&y), reduce(width, &sx >> by));
            prop_assert_eq!(x.shl(&y), reduce(width, &ux << by));
            prop_assert_eq!(x.lshr(&y), reduce(width, &ux >> by));
        }
    }
}
