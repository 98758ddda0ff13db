//! Values as conditions: C texts that hold for exactly one value, and values from such texts.

use tandem_cfa::Scalar;
use tandem_cfa::semantics::{decode, integer_value, mask};
use tandem_cfa::types::FloatKind;

use crate::Literal;

/// Conditions that hold only if `subject` has this value; nothing if C has none.
pub fn equal(subject: &str, scalar: Scalar, bits: u128) -> Option<Vec<String>> {
    let literal = literal(scalar, bits)?;
    let mut conditions = vec![format!("{subject} == {literal}")];
    if let Scalar::Float(kind) = scalar
        && bits & mask(kind.bits() - 1) == 0
    {
        // Zero equals negative zero, but not everything that is made of them is equal.
        let comparison = if bits == 0 { ">" } else { "<" };
        conditions.push(format!("1.0 / {subject} {comparison} 0"));
    }
    Some(conditions)
}

/// A C expression for exactly this value.
fn literal(scalar: Scalar, bits: u128) -> Option<String> {
    match scalar {
        Scalar::Bool => Some((bits & 1).to_string()),
        Scalar::Int { signed: true, bits: width } => signed(integer_value(scalar, bits), width),
        Scalar::Int { signed: false, bits: width } => unsigned(bits & mask(width)),
        // An address means nothing in another run.
        Scalar::Pointer { bits: width } => (bits & mask(width) == 0).then(|| "0".to_string()),
        Scalar::Float(kind) => float(kind, bits),
    }
}

fn signed(value: i128, width: u32) -> Option<String> {
    let least = -(1i128 << (width.clamp(1, 127) - 1));
    match i64::try_from(value) {
        // The number without its sign would not fit.
        Ok(_) if value == least && width >= 32 => Some(format!("({} - 1)", signed(value + 1, width)?)),
        Ok(number) if i32::try_from(number).is_ok() => Some(number.to_string()),
        Ok(number) => Some(format!("{number}LL")),
        Err(_) => None,
    }
}

fn unsigned(value: u128) -> Option<String> {
    match u64::try_from(value) {
        Ok(number) if i32::try_from(number).is_ok() => Some(number.to_string()),
        Ok(number) if u32::try_from(number).is_ok() => Some(format!("{number}U")),
        Ok(number) => Some(format!("{number}ULL")),
        Err(_) => None,
    }
}

fn float(kind: FloatKind, bits: u128) -> Option<String> {
    let value = decode(kind, bits)?;
    let sign = if bits >> (kind.bits() - 1) & 1 == 1 { "-" } else { "" };
    Some(match kind {
        FloatKind::Single => format!("{:?}", f64::from(f32::from_bits(bits as u32))),
        FloatKind::Double => format!("{:?}", f64::from_bits(bits as u64)),
        FloatKind::Extended | FloatKind::Quad => format!("{sign}0x{:x}p{}L", value.significand, value.exponent),
    })
}

/// The value that `subject == VALUE` (or the other way round) asks for.
pub fn asked(condition: &str, subject: &str) -> Option<Literal> {
    let (left, right) = condition.split_once("==")?;
    let (left, right) = (left.trim(), right.trim());
    let value = match (left == subject, right == subject) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    Literal::parse(value).or_else(|| smallest(value))
}

/// `(-N - 1)`: the smallest number of a type has no literal of its own.
fn smallest(text: &str) -> Option<Literal> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?.strip_suffix("- 1")?;
    match Literal::parse(inner)? {
        Literal::Integer(mut integer) if integer.negative => {
            integer.magnitude = integer.magnitude.checked_add(1)?;
            Some(Literal::Integer(integer))
        }
        Literal::Integer(_) | Literal::Float(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_ask_for_their_value() {
        let int = |bits, signed| Scalar::Int { bits, signed };
        for (scalar, bits, expected) in [
            (int(32, true), 0xffff_fff9u128, "-7"),
            (int(32, true), 0x8000_0000, "-2147483648"),
            (int(64, true), 1 << 63, "-9223372036854775808"),
            (int(8, true), 0x80, "-128"),
            (int(64, false), u128::from(u64::MAX), "18446744073709551615"),
            (Scalar::Bool, 1, "1"),
            (Scalar::Float(FloatKind::Double), u128::from(1.5f64.to_bits()), "1.5"),
        ] {
            let conditions = equal("\\result", scalar, bits).unwrap();
            assert_eq!(asked(&conditions[0], "\\result").unwrap().to_string(), expected, "{conditions:?}");
        }
        let double = Scalar::Float(FloatKind::Double);
        assert_eq!(equal("x", double, u128::from(f64::NAN.to_bits())), None);
        assert_eq!(equal("x", double, u128::from((-0.0f64).to_bits())).unwrap()[1], "1.0 / x < 0");
        assert_eq!(equal("x", Scalar::Pointer { bits: 64 }, 4096), None);
        assert_eq!(asked("x == y", "x"), None);
        assert_eq!(asked("xx == 1", "x"), None);
    }
}
