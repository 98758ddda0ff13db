//! Constants as C writes them. Must give back the exact value of every float.

use std::fmt::Write;

use tandem_syntax::Types;
use tandem_syntax::types::{FloatKind, IntKind, Type, TypeId};

pub(super) fn print(types: &Types, bits: u128, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Bool => bits.to_string(),
        Type::Int(kind) => integer(bits, *kind, kind.bits(types.model())),
        Type::Float(kind) => float(bits, *kind),
        Type::Pointer(_) if bits == 0 => "0".to_string(),
        Type::Pointer(_) => format!("({})0x{bits:x}", types.declare(ty, "").trim_end()),
        Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) | Type::Unsupported(_) => {
            bits.to_string()
        }
    }
}

fn integer(bits: u128, kind: IntKind, width: u32) -> String {
    let suffix = match kind {
        IntKind::UnsignedInt => "U",
        IntKind::Long => "L",
        IntKind::UnsignedLong => "UL",
        IntKind::LongLong => "LL",
        IntKind::UnsignedLongLong => "ULL",
        IntKind::Int128 | IntKind::UnsignedInt128 => return wide(bits, kind),
        IntKind::Char
        | IntKind::SignedChar
        | IntKind::UnsignedChar
        | IntKind::Short
        | IntKind::UnsignedShort
        | IntKind::Int => "",
    };
    if !kind.is_signed() {
        return format!("{bits}{suffix}");
    }
    let shift = 128 - width.clamp(1, 128);
    let value = ((bits << shift) as i128) >> shift;
    let smallest = -1i128 << (width - 1);
    if value == smallest && width >= 32 {
        // The positive number alone would not fit into the type.
        return format!("(-{}{suffix} - 1)", -(value + 1));
    }
    format!("{value}{suffix}")
}

/// C has no constants of 128 bits.
fn wide(bits: u128, kind: IntKind) -> String {
    let name = kind.name();
    match u64::try_from(bits) {
        Ok(small) => format!("({name}){small}ULL"),
        Err(_) if bits >> 127 == 1 && kind.is_signed() => {
            format!("({name})((unsigned __int128){}ULL << 64 | {}ULL)", (bits >> 64) as u64, bits as u64)
        }
        Err(_) => format!("(({name}){}ULL << 64 | {}ULL)", (bits >> 64) as u64, bits as u64),
    }
}

fn float(bits: u128, kind: FloatKind) -> String {
    match kind {
        FloatKind::Single if f32::from_bits(bits as u32).is_nan() => nan(bits, 32, 23, "f"),
        FloatKind::Double if f64::from_bits(bits as u64).is_nan() => nan(bits, 64, 52, ""),
        FloatKind::Single => decimal(&format!("{:?}", f32::from_bits(bits as u32)), "f"),
        FloatKind::Double => decimal(&format!("{:?}", f64::from_bits(bits as u64)), ""),
        FloatKind::Extended => {
            let (exponent, fraction) = ((bits >> 64) as u32 & 0x7fff, bits & u128::from(u64::MAX));
            hexadecimal(bits >> 79 & 1 == 1, exponent, fraction, 63, fraction << 1 & u128::from(u64::MAX) == 0, "l")
        }
        FloatKind::Quad => {
            let (exponent, rest) = ((bits >> 112) as u32 & 0x7fff, bits & ((1 << 112) - 1));
            let fraction = if exponent == 0 { rest } else { rest | 1 << 112 };
            hexadecimal(bits >> 127 == 1, exponent, fraction, 112, rest == 0, "q")
        }
    }
}

/// Not a number: its sign, whether it is quiet, and what else its fraction says.
fn nan(bits: u128, width: u32, fraction: u32, suffix: &str) -> String {
    let sign = if bits >> (width - 1) & 1 == 1 { "-" } else { "" };
    let name = if bits >> (fraction - 1) & 1 == 1 { "nan" } else { "nans" };
    match bits & ((1 << (fraction - 1)) - 1) {
        0 => format!("{sign}__builtin_{name}{suffix}(\"\")"),
        payload => format!("{sign}__builtin_{name}{suffix}(\"{payload:#x}\")"),
    }
}

/// The shortest decimal that reads back as the same number, as Rust writes it.
fn decimal(text: &str, suffix: &str) -> String {
    match text {
        "inf" => format!("__builtin_inf{suffix}()"),
        "-inf" => format!("-__builtin_inf{suffix}()"),
        number => format!("{number}{suffix}"),
    }
}

/// A number of a format with 15 bits of exponent, as a whole number times a power of two.
fn hexadecimal(negative: bool, exponent: u32, fraction: u128, scale: i32, is_infinite: bool, suffix: &str) -> String {
    let sign = if negative { "-" } else { "" };
    if exponent == 0x7fff {
        let what = if is_infinite { "inf" } else { "nan" };
        let argument = if is_infinite { "" } else { "\"\"" };
        return format!("{sign}__builtin_{what}{suffix}({argument})");
    }
    let suffix = suffix.to_uppercase();
    if fraction == 0 {
        return format!("{sign}0x0p+0{suffix}");
    }
    let zeros = fraction.trailing_zeros();
    let power = exponent.max(1) as i32 - 16383 - scale + zeros as i32;
    format!("{sign}0x{:x}p{power:+}{suffix}", fraction >> zeros)
}

/// A string literal; the zero that C adds is left out.
pub(super) fn string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes.strip_suffix(&[0]).unwrap_or(bytes) {
        match byte {
            // No trigraphs.
            b'?' if text.ends_with('?') => text.push_str("\\?"),
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b' '..=b'~' => text.push(byte as char),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text + "\""
}
