//! Against the machine for single and double, against `rustc_apfloat` for other formats and modes.

use proptest::prelude::*;
use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::*;

/// Patterns that meet each other: few different exponents, long runs of equal bits, specials.
fn pattern(width: u32) -> impl Strategy<Value = u128> {
    let mask = if width >= 128 { u128::MAX } else { (1u128 << width) - 1 };
    let run = (0..width, 0..width, any::<bool>(), 0u128..4).prop_map(move |(low, high, invert, add)| {
        let ones = (1u128 << high) ^ (1u128 << low);
        (if invert { !ones } else { ones }).wrapping_add(add) & mask
    });
    let near_one = (any::<u128>(), 0u32..8).prop_map(move |(bits, spread)| {
        let exponent = 0x3fff
            >> (if width == 16 {
                10
            } else if width == 32 {
                7
            } else if width == 64 {
                4
            } else {
                0
            });
        let fraction = match width {
            16 => 10,
            32 => 23,
            64 => 52,
            _ => 112,
        };
        let sign = bits >> 127 << (width - 1);
        let digits = bits & ((1 << fraction) - 1) & !(if spread > 4 { (1u128 << (fraction / 2)) - 1 } else { 0 });
        (sign | (((exponent + u128::from(spread)).wrapping_sub(4)) << fraction) | digits) & mask
    });
    prop_oneof![any::<u128>().prop_map(move |bits| bits & mask), run, near_one]
}

fn round_of(mode: RoundingMode) -> Round {
    match mode {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::TowardPositive => Round::TowardPositive,
        RoundingMode::TowardNegative => Round::TowardNegative,
        RoundingMode::TowardZero => Round::TowardZero,
    }
}

fn modes() -> impl Strategy<Value = RoundingMode> {
    prop::sample::select(&RoundingMode::ALL[..])
}

fn result<F: Float>(sort: FloatSort, number: F) -> BitVector {
    canonical(sort, &BitVector::new(sort.width(), number.to_bits()))
}

fn arithmetic<F: Float>(sort: FloatSort, mode: RoundingMode, bits: [u128; 3]) -> Result<(), TestCaseError> {
    let [x, y, z] = bits.map(|bits| BitVector::new(sort.width(), bits));
    let [a, b, c] = bits.map(F::from_bits);
    let how = round_of(mode);
    prop_assert_eq!(add(sort, mode, &x, &y), result(sort, a.add_r(b, how).value));
    prop_assert_eq!(sub(sort, mode, &x, &y), result(sort, a.sub_r(b, how).value));
    prop_assert_eq!(mul(sort, mode, &x, &y), result(sort, a.mul_r(b, how).value));
    prop_assert_eq!(div(sort, mode, &x, &y), result(sort, a.div_r(b, how).value));
    prop_assert_eq!(fma(sort, mode, &x, &y, &z), result(sort, a.mul_add_r(b, c, how).value));
    prop_assert_eq!(round_to_integral(sort, mode, &x), result(sort, a.round_to_integral(how).value));
    prop_assert_eq!(compare(sort, &x, &y), a.partial_cmp(&b));
    prop_assert_eq!(is_normal(sort, &x), a.is_normal());
    prop_assert_eq!(is_subnormal(sort, &x), a.is_denormal());
    prop_assert_eq!(is_infinite(sort, &x), a.is_infinite());
    prop_assert_eq!(is_zero(sort, &x), a.is_zero());
    for width in [8u32, 32, 64, 100] {
        let signed = a.to_i128_r(width as usize, how, &mut true);
        let expected = (!signed.status.contains(rustc_apfloat::Status::INVALID_OP))
            .then(|| BitVector::new(width, signed.value as u128));
        prop_assert_eq!(to_signed(sort, width, mode, &x), expected);
        let unsigned = a.to_u128_r(width as usize, how, &mut true);
        let expected = (!unsigned.status.contains(rustc_apfloat::Status::INVALID_OP))
            .then(|| BitVector::new(width, unsigned.value));
        prop_assert_eq!(to_unsigned(sort, width, mode, &x), expected);
    }
    let integer = BitVector::new(128, bits[0] ^ bits[1] << 3);
    let raw = integer.small().unwrap_or(0);
    prop_assert_eq!(from_unsigned(sort, mode, &integer), result(sort, F::from_u128_r(raw, how).value));
    prop_assert_eq!(from_signed(sort, mode, &integer), result(sort, F::from_i128_r(raw as i128, how).value));
    Ok(())
}

fn convert<F: Float + FloatConvert<T>, T: Float>(
    from: FloatSort,
    to: FloatSort,
    mode: RoundingMode,
    bits: u128,
) -> Result<(), TestCaseError> {
    let expected: T = F::from_bits(bits).convert_r(round_of(mode), &mut false).value;
    let actual = to_float(from, to, mode, &BitVector::new(from.width(), bits));
    prop_assert_eq!(actual, result(to, expected));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn half(mode in modes(), x in pattern(16), y in pattern(16), z in pattern(16)) {
        arithmetic::<Half>(FloatSort::HALF, mode, [x, y, z])?;
        convert::<Half, Double>(FloatSort::HALF, FloatSort::DOUBLE, mode, x)?;
    }

    #[test]
    fn single(mode in modes(), x in pattern(32), y in pattern(32), z in pattern(32)) {
        arithmetic::<Single>(FloatSort::SINGLE, mode, [x, y, z])?;
        convert::<Single, Half>(FloatSort::SINGLE, FloatSort::HALF, mode, x)?;
        convert::<Single, Double>(FloatSort::SINGLE, FloatSort::DOUBLE, mode, x)?;
    }

    #[test]
    fn double(mode in modes(), x in pattern(64), y in pattern(64), z in pattern(64)) {
        arithmetic::<Double>(FloatSort::DOUBLE, mode, [x, y, z])?;
        convert::<Double, Single>(FloatSort::DOUBLE, FloatSort::SINGLE, mode, x)?;
        convert::<Double, Half>(FloatSort::DOUBLE, FloatSort::HALF, mode, x)?;
    }

    #[test]
    fn quad(mode in modes(), x in pattern(128), y in pattern(128), z in pattern(128)) {
        arithmetic::<Quad>(FloatSort::QUAD, mode, [x, y, z])?;
        convert::<Quad, Single>(FloatSort::QUAD, FloatSort::SINGLE, mode, x)?;
    }

    /// The exact path against the machine: a format wider by nothing is double with another name for the host.
    #[test]
    fn machine(x: f64, y: f64, z: f64, near in pattern(64)) {
        let bits = |number: f64| BitVector::new(64, u128::from(number.to_bits()));
        let (sort, mode) = (FloatSort::DOUBLE, RoundingMode::NearestEven);
        let other = f64::from_bits(near as u64);
        let value = |number: f64| canonical(sort, &bits(number));
        let exact = |a: f64, b: f64| arithmetic::add_exactly(sort, mode, &bits(a), &bits(b));
        prop_assert_eq!(exact(x, y), value(x + y));
        prop_assert_eq!(exact(x, other), value(x + other));
        prop_assert_eq!(fma(sort, mode, &bits(x), &bits(y), &bits(z)), value(x.mul_add(y, z)));
        prop_assert_eq!(arithmetic::sqrt_exactly(sort, mode, &bits(other)), value(other.sqrt()));
        prop_assert_eq!(arithmetic::sqrt_exactly(sort, mode, &bits(x)), value(x.sqrt()));
    }

    /// A root is the last number whose square is not above, in every mode.
    #[test]
    fn root(x in pattern(64)) {
        let sort = FloatSort::DOUBLE;
        let x = BitVector::new(64, x);
        let down = sqrt(sort, RoundingMode::TowardZero, &x);
        let up = sqrt(sort, RoundingMode::TowardPositive, &x);
        if is_positive(sort, &x) && !is_zero(sort, &x) && !is_infinite(sort, &x) {
            let wide = FloatSort { exponent: 15, significand: 120 };
            let square = |root: &BitVector| {
                let root = to_float(sort, wide, RoundingMode::TowardZero, root);
                mul(wide, RoundingMode::TowardZero, &root, &root)
            };
            let x = to_float(sort, wide, RoundingMode::TowardZero, &x);
            prop_assert_ne!(compare(wide, &square(&down), &x), Some(Ordering::Greater));
            prop_assert_ne!(compare(wide, &square(&up), &x), Some(Ordering::Less));
            prop_assert!(down == up || down.add(&BitVector::one(64)) == up);
        }
    }

    /// The remainder by the definition, with numbers small enough to divide exactly.
    #[test]
    fn remainder(x in -100_000i32..100_000, y in -1000i32..1000) {
        let sort = FloatSort::DOUBLE;
        let bits = |number: f64| BitVector::new(64, u128::from(number.to_bits()));
        let (a, b) = (f64::from(x) / 8.0, f64::from(y) / 4.0);
        let expected = if b == 0.0 { f64::NAN } else { a - (a / b).round_ties_even() * b };
        let actual = rem(sort, &bits(a), &bits(b));
        prop_assert_eq!(compare(sort, &actual, &bits(expected)).is_some(), b != 0.0);
        if b != 0.0 {
            prop_assert_eq!(compare(sort, &actual, &bits(expected)), Some(Ordering::Equal));
            prop_assert_eq!(actual.is_negative() && is_zero(sort, &actual), expected == 0.0 && a.is_sign_negative());
        }
    }
}

#[test]
fn zeros_and_limits() {
    let sort = FloatSort::SINGLE;
    let (plus, minus) = (sort.zero(false), sort.zero(true));
    assert_eq!(min(sort, &plus, &minus), minus);
    assert_eq!(min(sort, &minus, &plus), plus);
    assert_eq!(max(sort, &minus, &plus), plus);
    assert_eq!(max(sort, &sort.nan(), &minus), minus);
    assert_eq!(min(sort, &plus, &sort.nan()), plus);
    let tiny = FloatSort { exponent: 2, significand: 2 };
    assert_eq!(tiny.nan().small(), Some(0b0111));
    assert_eq!(tiny.largest(false).small(), Some(0b0101));
    let huge = FloatSort { exponent: 60, significand: 300 };
    let one = from_unsigned(huge, RoundingMode::NearestEven, &BitVector::new(8, 1));
    let sum = add(huge, RoundingMode::TowardPositive, &huge.largest(true), &one);
    assert_eq!(sum, huge.largest(true).sub(&BitVector::one(huge.width())));
    assert_eq!(rem(huge, &huge.largest(false), &one), huge.zero(false));
}
