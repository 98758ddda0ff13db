//! Floats as decimal text, exactly: every digit is the true one, and the last is rounded to nearest, ties to even.

use tandem_syntax::types::FloatKind;

use crate::semantics::{Decoded, decode, is_nan};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FloatStyle {
    /// `%f`
    Fixed,
    /// `%e`
    Exponent,
    /// `%g`
    Shortest,
    /// `%a`
    Hexadecimal,
}

/// The digits of a magnitude: `0.d1d2d3... * 10^point`, without leading zeros (none at all for zero).
struct Digits {
    digits: Vec<u8>,
    point: i32,
}

/// The text of a value without its sign, and whether it is finite.
pub(super) fn float_text(
    kind: FloatKind,
    bits: u128,
    style: FloatStyle,
    precision: Option<usize>,
    alternate: bool,
) -> (String, bool) {
    if is_nan(kind, bits) {
        return ("nan".to_string(), false);
    }
    let Some(value) = decode(kind, bits) else { return ("inf".to_string(), false) };
    let text = match style {
        FloatStyle::Hexadecimal => hexadecimal(kind, value, precision, alternate),
        FloatStyle::Fixed => fixed(&exact(value), precision.unwrap_or(6), alternate),
        FloatStyle::Exponent => exponent(&exact(value), precision.unwrap_or(6), alternate),
        FloatStyle::Shortest => shortest(&exact(value), precision.unwrap_or(6).max(1), alternate),
    };
    (text, true)
}

/// Decimal limbs, lowest first.
const LIMB: u64 = 1_000_000_000;

fn multiply(limbs: &mut Vec<u32>, factor: u32) {
    let mut carry = 0u64;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * u64::from(factor) + carry;
        *limb = (product % LIMB) as u32;
        carry = product / LIMB;
    }
    if carry > 0 {
        limbs.push(carry as u32);
    }
}

fn exact(value: Decoded) -> Digits {
    let mut significand = value.significand;
    let mut limbs = Vec::new();
    while significand > 0 {
        limbs.push((significand % u128::from(LIMB)) as u32);
        significand /= u128::from(LIMB);
    }
    // A binary fraction of n places is a decimal fraction of n places: times 5^n, divided by 10^n.
    let (base, chunk, chunk_value) = if value.exponent < 0 { (5u32, 13, 5u32.pow(13)) } else { (2, 29, 1 << 29) };
    let mut power = value.exponent.unsigned_abs();
    while power > 0 {
        let step = power.min(chunk);
        multiply(&mut limbs, if step == chunk { chunk_value } else { base.pow(step) });
        power -= step;
    }
    let mut text = String::new();
    for (index, limb) in limbs.iter().rev().enumerate() {
        text.push_str(&if index == 0 { limb.to_string() } else { format!("{limb:09}") });
    }
    let point = text.len() as i32 + value.exponent.min(0);
    Digits { digits: text.into_bytes().iter().map(|digit| digit - b'0').collect(), point }
}

impl Digits {
    /// Keeps this many digits (none or fewer: whatever rounding makes of them).
    fn rounded(&self, keep: i64) -> Digits {
        let Ok(keep) = usize::try_from(keep) else { return Digits { digits: Vec::new(), point: 0 } };
        if keep >= self.digits.len() {
            return Digits { digits: self.digits.clone(), point: self.point };
        }
        let mut digits = self.digits[..keep].to_vec();
        let rest = &self.digits[keep..];
        let above = rest[0] > 5 || rest[0] == 5 && rest[1..].iter().any(|digit| *digit != 0);
        let odd = digits.last().is_some_and(|digit| digit % 2 == 1);
        let mut point = self.point;
        if above || rest[0] == 5 && odd {
            let mut at = keep;
            loop {
                if at == 0 {
                    digits.insert(0, 1);
                    digits.truncate(keep.max(1));
                    point += 1;
                    break;
                }
                at -= 1;
                if digits[at] < 9 {
                    digits[at] += 1;
                    break;
                }
                digits[at] = 0;
            }
        }
        Digits { digits, point }
    }

    /// The digit of weight 10^place.
    fn at(&self, place: i32) -> char {
        let index = self.point - 1 - place;
        let digit = usize::try_from(index).ok().and_then(|index| self.digits.get(index));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }
}

fn fixed(digits: &Digits, precision: usize, alternate: bool) -> String {
    let digits = digits.rounded(i64::from(digits.point) + precision as i64);
    let mut text: String = (0..digits.point.max(1)).rev().map(|place| digits.at(place)).collect();
    if precision > 0 || alternate {
        text.push('.');
    }
    text.extend((1..=precision).map(|place| digits.at(-(place as i32))));
    text
}

fn exponent(digits: &Digits, precision: usize, alternate: bool) -> String {
    let digits = digits.rounded(precision as i64 + 1);
    let power = if digits.digits.is_empty() { 0 } else { digits.point - 1 };
    let mut text = String::new();
    text.push(digits.at(power));
    if precision > 0 || alternate {
        text.push('.');
    }
    text.extend((1..=precision).map(|place| digits.at(power - place as i32)));
    let sign = if power < 0 { '-' } else { '+' };
    text.push_str(&format!("e{sign}{:02}", power.unsigned_abs()));
    text
}

fn shortest(digits: &Digits, precision: usize, alternate: bool) -> String {
    let rounded = digits.rounded(precision as i64);
    let power = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
    let text = if power < -4 || i64::from(power) >= precision as i64 {
        exponent(digits, precision - 1, alternate)
    } else {
        fixed(digits, (precision as i64 - 1 - i64::from(power)) as usize, alternate)
    };
    if alternate { text } else { without_trailing_zeros(&text) }
}

fn without_trailing_zeros(text: &str) -> String {
    let (number, power) = text.split_at(text.find('e').unwrap_or(text.len()));
    if !number.contains('.') {
        return text.to_string();
    }
    let number = number.trim_end_matches('0').trim_end_matches('.');
    format!("{number}{power}")
}

/// As glibc writes it: one binary digit before the point (`long double`: four).
fn hexadecimal(kind: FloatKind, value: Decoded, precision: Option<usize>, alternate: bool) -> String {
    let places: u32 = match kind {
        FloatKind::Single | FloatKind::Double => 52,
        FloatKind::Extended => 60,
        FloatKind::Quad => 112,
    };
    let (mut significand, mut power) = (value.significand, value.exponent);
    if significand == 0 {
        power = 0;
    } else if kind == FloatKind::Extended {
        power += 60;
    } else {
        // Single values are shown as the doubles they are passed as.
        let length = (128 - significand.leading_zeros()) as i32;
        let smallest = if kind == FloatKind::Quad { -16382 } else { -1022 };
        let up = (places as i32 + 1 - length).min(power + places as i32 - smallest).max(0);
        significand <<= up;
        power += places as i32 - up;
    }
    let mut digits = (places / 4) as usize;
    if let Some(precision) = precision.filter(|precision| *precision < digits) {
        let drop = 4 * (digits - precision) as u32;
        let (half, rest) = (1u128 << (drop - 1), significand & ((1 << drop) - 1));
        significand >>= drop;
        if rest > half || rest == half && significand & 1 == 1 {
            significand += 1;
        }
        digits = precision;
    }
    let whole = significand >> (4 * digits);
    let fraction = significand & ((1u128 << (4 * digits)) - 1);
    let mut text = if digits > 0 { format!("{fraction:0digits$x}") } else { String::new() };
    match precision {
        None => text = text.trim_end_matches('0').to_string(),
        Some(precision) => text.extend(std::iter::repeat_n('0', precision.saturating_sub(digits))),
    }
    let point = if text.is_empty() && !alternate { "" } else { "." };
    let sign = if power < 0 { '-' } else { '+' };
    format!("0x{whole:x}{point}{text}p{sign}{}", power.unsigned_abs())
}
