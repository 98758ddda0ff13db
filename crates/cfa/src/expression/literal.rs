//! The values and types of literals.

use tandem_syntax::DataModel;
use tandem_syntax::types::{FloatKind, IntKind, Type};

use crate::semantics::parse_float;

/// A literal: its bits and its type.
pub(super) type Constant = (u128, Type);

/// An integer or float as C reads it; `None` if it is neither, or too large for every type.
pub(super) fn number(text: &str, model: DataModel) -> Option<Constant> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_float = lower.contains('.') || lower.contains(if is_hexadecimal { 'p' } else { 'e' });
    if is_float && !lower.starts_with("0b") { float(&lower, is_hexadecimal) } else { integer(&lower, model) }
}

fn float(lower: &str, is_hexadecimal: bool) -> Option<Constant> {
    let (body, kind) = match lower.as_bytes().last()? {
        // In a hexadecimal float the exponent is decimal and has to be there.
        b'f' => (&lower[..lower.len() - 1], FloatKind::Single),
        b'l' => (&lower[..lower.len() - 1], FloatKind::Extended),
        b'q' => (&lower[..lower.len() - 1], FloatKind::Quad),
        _ => (lower, FloatKind::Double),
    };
    let (marker, radix) = if is_hexadecimal { ('p', 16) } else { ('e', 10) };
    let digits = body.strip_prefix("0x").unwrap_or(body);
    let (mantissa, exponent) = match digits.split_once(marker) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None if is_hexadecimal => return None,
        None => (digits, None),
    };
    let mantissa_is_fine = mantissa.chars().all(|c| c == '.' || c.is_digit(radix))
        && mantissa.matches('.').count() <= 1
        && mantissa.chars().any(|c| c != '.');
    let exponent_is_fine = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && digits.len() < 8 && digits.bytes().all(|b| b.is_ascii_digit())
    });
    if !mantissa_is_fine || !exponent_is_fine {
        return None;
    }
    Some((parse_float(kind, body)?, Type::Float(kind)))
}

fn integer(lower: &str, model: DataModel) -> Option<Constant> {
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, lower),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = if digits.is_empty() && radix == 8 { 0 } else { u128::from_str_radix(digits, radix).ok()? };
    let (unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return None,
    };
    use IntKind::*;
    let signed_kinds = [Int, Long, LongLong];
    let unsigned_kinds = [UnsignedInt, UnsignedLong, UnsignedLongLong];
    for rank in longs..3 {
        if !unsigned && fits(value, signed_kinds[rank], model) {
            return Some((value, Type::Int(signed_kinds[rank])));
        }
        // A decimal literal without `u` is never unsigned.
        if (unsigned || radix != 10) && fits(value, unsigned_kinds[rank], model) {
            return Some((value, Type::Int(unsigned_kinds[rank])));
        }
    }
    None
}

fn fits(value: u128, kind: IntKind, model: DataModel) -> bool {
    value >> (kind.bits(model) - u32::from(kind.is_signed())) == 0
}

/// A character constant: an `int`, as gcc has it for one character; wide ones have the type of their prefix.
pub(super) fn character(text: &str, model: DataModel) -> Option<Constant> {
    let unprefixed = text.strip_prefix(['L', 'u', 'U']).unwrap_or(text);
    let prefix = &text[..text.len() - unprefixed.len()];
    let inner = unprefixed.strip_prefix('\'')?.strip_suffix('\'')?;
    let code = match inner.strip_prefix('\\') {
        Some(escape) => escaped(escape)?,
        None => {
            let mut characters = inner.chars();
            let code = characters.next()? as u32;
            // What is not ASCII has several bytes, and then several characters.
            (characters.next().is_none() && (code < 128 || !prefix.is_empty())).then_some(code)?
        }
    };
    let kind = match (prefix, model) {
        ("", _) => return (code < 256).then_some((code as u8 as i8 as i128 as u128, Type::Int(IntKind::Int))),
        ("u", _) => return None,
        ("L", DataModel::Ilp32) => IntKind::Long,
        ("L", DataModel::Lp64) => IntKind::Int,
        _ => IntKind::UnsignedInt,
    };
    Some((u128::from(code), Type::Int(kind)))
}

fn escaped(escape: &str) -> Option<u32> {
    let code = match escape {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "e" => 27,
        "\\" | "'" | "\"" | "?" => u32::from(escape.as_bytes()[0]),
        _ => match escape.strip_prefix('x') {
            Some(digits) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(digits, 16).ok()?,
            Some(_) => return None,
            None if escape.len() <= 3 && escape.bytes().all(|b| b.is_ascii_digit()) => {
                u32::from_str_radix(escape, 8).ok()?
            }
            None => return None,
        },
    };
    Some(code)
}
