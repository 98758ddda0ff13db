//! Shifts and bitwise operators on ranges within a type's limits.

use super::range::{Range, gcd};

/// How many low bits are zero in all numbers (at most 127).
fn zeros(range: Range) -> u32 {
    gcd(range.low.unsigned_abs(), range.step).trailing_zeros().min(126)
}

/// The smallest number of ones that has all bits of this one, which is not negative.
fn ones(value: i128) -> i128 {
    match value.leading_zeros() {
        128 => 0,
        zeros => (u128::MAX >> zeros) as i128,
    }
}

fn multiples(low: i128, high: i128, zero_bits: u32) -> Option<Range> {
    Range::stepping(low, high, 0, 1 << zero_bits)
}

/// `None`: nothing is known.
pub fn and(a: Range, b: Range) -> Option<Range> {
    if let (Some(x), Some(y)) = (a.as_single(), b.as_single()) {
        return Some(Range::single(x & y));
    }
    if let Some(kept) = low_bits(a, b).or_else(|| low_bits(b, a)) {
        return Some(kept);
    }
    let zero_bits = zeros(a).max(zeros(b));
    match (a.low >= 0, b.low >= 0) {
        (true, true) => multiples(0, a.high.min(b.high), zero_bits),
        (true, false) => multiples(0, a.high, zero_bits),
        (false, true) => multiples(0, b.high, zero_bits),
        // Only that no bit is added: not above the larger one.
        (false, false) => {
            let low = !ones(!a.low.min(b.low));
            multiples(low, a.high.max(b.high), zero_bits)
        }
    }
}

/// The low bits of numbers that agree above them.
fn low_bits(a: Range, mask: Range) -> Option<Range> {
    let mask = mask.as_single()?;
    let is_low = mask >= 0 && ones(mask) == mask;
    let block = !mask;
    (is_low && a.low & block == a.high & block).then_some(Range {
        low: a.low & mask,
        high: a.high & mask,
        step: a.step,
    })
}

/// `None`: nothing is known.
pub fn or(a: Range, b: Range) -> Option<Range> {
    if let (Some(x), Some(y)) = (a.as_single(), b.as_single()) {
        return Some(Range::single(x | y));
    }
    let zero_bits = zeros(a).min(zeros(b));
    match (a.low >= 0, b.low >= 0) {
        (true, true) => multiples(a.low.max(b.low), ones(a.high.max(b.high)), zero_bits),
        _ if a.high < 0 && b.high < 0 => multiples(a.low.max(b.low), -1, zero_bits),
        _ if a.high < 0 => multiples(a.low, -1, zero_bits),
        _ if b.high < 0 => multiples(b.low, -1, zero_bits),
        _ => multiples(a.low.min(b.low), ones(a.high.max(b.high).max(0)), zero_bits),
    }
}

/// `None`: nothing is known.
pub fn xor(a: Range, b: Range) -> Option<Range> {
    if let (Some(x), Some(y)) = (a.as_single(), b.as_single()) {
        return Some(Range::single(x ^ y));
    }
    let zero_bits = zeros(a).min(zeros(b));
    if a.low >= 0 && b.low >= 0 {
        return multiples(0, ones(a.high.max(b.high)), zero_bits);
    }
    let magnitude = [a.low, a.high, b.low, b.high].map(|bound| if bound < 0 { !bound } else { bound });
    let bits = ones(magnitude.into_iter().max().unwrap_or(i128::MAX));
    multiples(!bits, bits, zero_bits)
}

/// The exact products with powers of two; `None` if they do not fit 128 bits.
pub fn shift_left(a: Range, amount: Range) -> Option<Range> {
    let power = |by: i128| 1i128.checked_shl(u32::try_from(by).ok()?).filter(|power| *power > 0);
    let (least, most) = (power(amount.low)?, power(amount.high)?);
    match least == most {
        true => a.mul(Range::single(least)),
        // Not every multiple is a power: the step of the product is that of the smallest power times whatever.
        false => a.mul(Range { low: least, high: most, step: least.unsigned_abs() }),
    }
}

pub fn shift_right(a: Range, amount: Range) -> Option<Range> {
    let (least, most) = (u32::try_from(amount.low).ok()?, u32::try_from(amount.high).ok()?);
    if most > 127 {
        return None;
    }
    let low = if a.low < 0 { a.low >> least } else { a.low >> most };
    let high = if a.high < 0 { a.high >> most } else { a.high >> least };
    let exact = least == most && zeros(a) >= least;
    let step = if exact && a.step != 0 { a.step >> least } else { 1 };
    Range::stepping(low, high, low, step)
}
