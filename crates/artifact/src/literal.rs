//! The C literals that stand for input values in test cases: integers, characters and floating-point numbers.
//!
//! A literal knows no type; whoever runs a test converts it to the type of the input.

use std::fmt;

/// A value as a test case writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    Integer(Integer),
    /// A float in C's notation without suffix (`-1.5e3`, `0x1.8p-2`, `inf`, `-nan`); kept as text, since only the
    /// type of the input says how to round it.
    Float(Box<str>),
}

/// An integer of up to 128 bits and a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer {
    pub negative: bool,
    pub magnitude: u128,
}

impl Integer {
    /// In two's complement, modulo 2 to the 128.
    pub fn bits(self) -> u128 {
        if self.negative { self.magnitude.wrapping_neg() } else { self.magnitude }
    }
}

impl From<i128> for Integer {
    fn from(value: i128) -> Integer {
        Integer { negative: value < 0, magnitude: value.unsigned_abs() }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Integer(integer) => {
                write!(f, "{}{}", if integer.negative { "-" } else { "" }, integer.magnitude)
            }
            Literal::Float(text) => f.write_str(text),
        }
    }
}

impl Literal {
    /// What [`Literal::parse`] accepts, for messages.
    pub const ACCEPTED: &str = "a C literal: an integer (12, -3, 0x1F, 017, 5UL), a character ('a', '\\n') or a float (1.5, -2e3, 0x1.8p1, inf, nan)";

    pub fn parse(text: &str) -> Option<Literal> {
        let text = unwrap_parentheses(text.trim());
        let (negative, body) = sign(text);
        let body = unwrap_parentheses(body);
        let integer = |magnitude| Some(Literal::Integer(Integer { negative, magnitude }));
        match body {
            "true" => return integer(1),
            "false" => return integer(0),
            _ => {}
        }
        if let Some(value) = character(body) {
            return integer(value);
        }
        if let Some(magnitude) = unsigned_integer(body) {
            return integer(magnitude);
        }
        let float = float(body)?;
        Some(Literal::Float(format!("{}{float}", if negative { "-" } else { "" }).into()))
    }
}

/// Without the parentheses around it: some tools write `(-5)`.
fn unwrap_parentheses(mut text: &str) -> &str {
    while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        text = inner.trim();
    }
    text
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').map_or(text, str::trim_start)),
    }
}

fn unsigned_integer(text: &str) -> Option<u128> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return None;
    }
    // `0u` has no digit left behind the zero that announced an octal number.
    if digits.is_empty() && radix == 8 {
        return Some(0);
    }
    u128::from_str_radix(digits, radix).ok()
}

fn character(text: &str) -> Option<u128> {
    let unprefixed = text.strip_prefix(['L', 'u', 'U']).unwrap_or(text);
    let inner = unprefixed.strip_prefix('\'')?.strip_suffix('\'')?;
    let is_wide = unprefixed.len() != text.len();
    let value = match inner.strip_prefix('\\') {
        Some(escape) => escaped(escape)?,
        None => {
            let mut characters = inner.chars();
            let value = characters.next().filter(|c| *c != '\'')? as u32;
            characters.next().is_none().then_some(value)?
        }
    };
    // A plain character constant is an `int` that was a (signed) `char` before.
    if is_wide { Some(u128::from(value)) } else { Some((value as u8 as i8) as i128 as u128) }
}

fn escaped(escape: &str) -> Option<u32> {
    let simple = match escape {
        "n" => b'\n',
        "t" => b'\t',
        "r" => b'\r',
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "e" => 27,
        "\\" | "'" | "\"" | "?" => escape.as_bytes()[0],
        _ => {
            return match escape.strip_prefix('x') {
                Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16).ok(),
                None if escape.len() <= 3 && escape.bytes().all(|b| b.is_ascii_digit()) => {
                    u32::from_str_radix(escape, 8).ok()
                }
                _ => None,
            };
        }
    };
    Some(u32::from(simple))
}

/// The float without sign and suffix, in lower case, if it is one.
fn float(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" | "huge_val" => return Some("inf".into()),
        "nan" => return Some("nan".into()),
        _ => {}
    }
    let is_hexadecimal = lower.starts_with("0x");
    let body = lower.strip_prefix("0x").unwrap_or(&lower);
    let radix = if is_hexadecimal { 16 } else { 10 };
    let digits_end = body.find(|c: char| !c.is_digit(radix) && c != '.').unwrap_or(body.len());
    let (mantissa, rest) = body.split_at(digits_end);
    if mantissa.matches('.').count() > 1 || !mantissa.bytes().any(|b| b != b'.') {
        return None;
    }
    let marker = if is_hexadecimal { 'p' } else { 'e' };
    let (exponent, suffix) = match rest.strip_prefix(marker) {
        Some(rest) => {
            let signed = usize::from(rest.starts_with(['+', '-']));
            let end = rest[signed..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |at| at + signed);
            if end == signed {
                return None;
            }
            (Some(&rest[..end]), &rest[end..])
        }
        None if is_hexadecimal => return None,
        None => (None, rest),
    };
    if !matches!(suffix, "" | "f" | "l" | "q" | "f128" | "f64" | "f32") {
        return None;
    }
    if exponent.is_none() && suffix.is_empty() && !mantissa.contains('.') {
        return None;
    }
    Some(match exponent {
        Some(exponent) => format!("{}{mantissa}{marker}{exponent}", if is_hexadecimal { "0x" } else { "" }),
        None => mantissa.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str) -> Option<i128> {
        match Literal::parse(text)? {
            Literal::Integer(integer) => Some(integer.bits() as i128),
            Literal::Float(_) => None,
        }
    }

    fn float(text: &str) -> Option<String> {
        match Literal::parse(text)? {
            Literal::Integer(_) => None,
            Literal::Float(text) => Some(text.into()),
        }
    }

    #[test]
    fn integers_in_all_notations() {
        for (text, value) in [
            ("0", 0),
            ("42", 42),
            (" -7 ", -7),
            ("- 7", -7),
            ("(-7)", -7),
            ("+3", 3),
            ("0x1F", 31),
            ("0XffuL", 255),
            ("017", 15),
            ("0u", 0),
            ("00", 0),
            ("0b101", 5),
            ("5ULL", 5),
            ("18446744073709551615u", u64::MAX.into()),
            ("true", 1),
            ("'a'", 97),
            ("'\\n'", 10),
            ("'\\0'", 0),
            ("'\\x41'", 65),
            ("'\\377'", -1),
            ("'\\''", 39),
            ("L'\u{20ac}'", 0x20ac),
        ] {
            assert_eq!(integer(text), Some(value), "{text}");
        }
        assert_eq!(Literal::parse("-170141183460469231731687303715884105728").unwrap().to_string().len(), 40);
    }

    #[test]
    fn floats_lose_their_suffix_only() {
        for (text, value) in [
            ("1.5", "1.5"),
            ("-1.5f", "-1.5"),
            ("1e10", "1e10"),
            ("2.E-3L", "2.e-3"),
            (".5", ".5"),
            ("0x1.8p+3", "0x1.8p+3"),
            ("-0x1p-1074", "-0x1p-1074"),
            ("1f", "1"),
            ("inf", "inf"),
            ("-INFINITY", "-inf"),
            ("NaN", "nan"),
        ] {
            assert_eq!(float(text).as_deref(), Some(value), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["", "-", "abc", "0x", "08", "1.2.3", "1e", "0x1.8", "''", "'ab'", "5 6", "1uu", ".", "'\\q'", "'\\x'"]
        {
            assert_eq!(Literal::parse(text), None, "{text}");
        }
    }
}
