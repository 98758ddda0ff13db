//! What `printf` makes of a format. Knows no memory: strings are left to the caller.

use tandem_syntax::types::FloatKind;
use tandem_syntax::{DataModel, Scalar};

use super::code::Passed;
use super::decimal::{FloatStyle, float_text};
use crate::semantics::{mask, sign_extend};

/// The arguments behind a format, taken one after the other.
pub(super) struct Arguments {
    values: std::vec::IntoIter<(Passed, u128)>,
    model: DataModel,
}

impl Arguments {
    pub fn new(values: Vec<(Passed, u128)>, model: DataModel) -> Arguments {
        Arguments { values: values.into_iter(), model }
    }

    fn integer(&mut self) -> Option<u128> {
        match self.values.next()? {
            (Passed::Scalar(Scalar::Float(_)) | Passed::Record(_), _) => None,
            (Passed::Scalar(_), bits) => Some(bits),
        }
    }

    fn float(&mut self) -> Option<(FloatKind, u128)> {
        match self.values.next()? {
            (Passed::Scalar(Scalar::Float(kind)), bits) => Some((kind, bits)),
            (Passed::Scalar(_) | Passed::Record(_), _) => None,
        }
    }
}

/// Why formatting paused: the end, or something that the caller has to do before it calls again.
pub(super) enum Formatted {
    Done,
    /// A string of at most `limit` bytes.
    Text {
        address: u64,
        limit: usize,
        pad: Pad,
    },
    Address {
        address: u64,
        pad: Pad,
    },
    /// No such argument.
    Mismatch,
    Unsupported,
}

/// How wide a conversion is at least.
#[derive(Clone, Copy)]
pub(super) struct Pad {
    width: usize,
    left: bool,
}

impl Pad {
    pub fn around(self, text: &[u8], out: &mut Vec<u8>) {
        let spaces = self.width.saturating_sub(text.len());
        if !self.left {
            out.resize(out.len() + spaces, b' ');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + spaces, b' ');
        }
    }
}

#[derive(Default)]
pub(super) struct Flags {
    left: bool,
    plus: bool,
    space: bool,
    pub alternate: bool,
    zero: bool,
}

struct Directive {
    flags: Flags,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer argument.
    bits: u32,
    wide: bool,
}

/// Formats until the end of `rest` or until the caller is needed.
pub(super) fn format(rest: &mut &[u8], arguments: &mut Arguments, out: &mut Vec<u8>) -> Formatted {
    while let Some((&byte, behind)) = rest.split_first() {
        *rest = behind;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let Some(directive) = directive(rest, arguments) else { return Formatted::Mismatch };
        let Some((&conversion, behind)) = rest.split_first() else { return Formatted::Unsupported };
        *rest = behind;
        match convert(conversion, directive, arguments, out) {
            Formatted::Done => {}
            other => return other,
        }
    }
    Formatted::Done
}

/// Flags, width, precision and length of a conversion.
fn directive(rest: &mut &[u8], arguments: &mut Arguments) -> Option<Directive> {
    let mut flags = Flags::default();
    while let Some((&flag, behind)) = rest.split_first() {
        match flag {
            b'-' => flags.left = true,
            b'+' => flags.plus = true,
            b' ' => flags.space = true,
            b'#' => flags.alternate = true,
            b'0' => flags.zero = true,
            b'\'' => {}
            _ => break,
        }
        *rest = behind;
    }
    let mut width = 0;
    if let Some(given) = number(rest, arguments)? {
        flags.left |= given < 0;
        width = given.unsigned_abs() as usize;
    }
    let mut precision = None;
    if let Some((b'.', behind)) = rest.split_first() {
        *rest = behind;
        let given = number(rest, arguments)?.unwrap_or(0);
        precision = usize::try_from(given).ok();
    }
    let (bits, wide) = length(rest, arguments.model);
    Some(Directive { flags, width, precision, bits, wide })
}

/// Digits or `*`; nothing if there are neither, `None` if the argument for `*` is missing.
fn number(rest: &mut &[u8], arguments: &mut Arguments) -> Option<Option<i64>> {
    if let Some((b'*', behind)) = rest.split_first() {
        *rest = behind;
        return Some(Some(i64::from(arguments.integer()? as i32)));
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = std::str::from_utf8(&rest[..digits]).ok()?;
    *rest = &rest[digits..];
    Some(if digits == 0 { None } else { Some(text.parse::<i64>().unwrap_or(0).min(1 << 20)) })
}

fn length(rest: &mut &[u8], model: DataModel) -> (u32, bool) {
    let pointer = model.pointer_bits();
    let (bits, count) = match rest {
        [b'h', b'h', ..] => (8, 2),
        [b'h', ..] => (16, 1),
        [b'l', b'l', ..] => (64, 2),
        [b'l', ..] => (pointer, 1),
        [b'q' | b'j' | b'L', ..] => (64, 1),
        [b'z' | b't', ..] => (pointer, 1),
        _ => (32, 0),
    };
    let wide = matches!(rest, [b'l', ..]);
    *rest = &rest[count..];
    (bits, wide)
}

fn convert(conversion: u8, directive: Directive, arguments: &mut Arguments, out: &mut Vec<u8>) -> Formatted {
    let pad = Pad { width: directive.width, left: directive.flags.left };
    match conversion {
        b'%' => out.push(b'%'),
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
            let Some(bits) = arguments.integer() else { return Formatted::Mismatch };
            integer(conversion, bits, &directive, out);
        }
        b'c' if !directive.wide => {
            let Some(bits) = arguments.integer() else { return Formatted::Mismatch };
            pad.around(&[bits as u8], out);
        }
        b's' if !directive.wide => {
            let Some(address) = arguments.integer() else { return Formatted::Mismatch };
            let limit = directive.precision.unwrap_or(usize::MAX);
            if address == 0 {
                let text: &[u8] = if limit < 6 { b"" } else { b"(null)" };
                pad.around(text, out);
            } else {
                return Formatted::Text { address: address as u64, limit, pad };
            }
        }
        b'p' => {
            let Some(address) = arguments.integer() else { return Formatted::Mismatch };
            return Formatted::Address { address: address as u64, pad };
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let Some((kind, bits)) = arguments.float() else { return Formatted::Mismatch };
            float(conversion, kind, bits, &directive, out);
        }
        _ => return Formatted::Unsupported,
    }
    Formatted::Done
}

fn integer(conversion: u8, bits: u128, directive: &Directive, out: &mut Vec<u8>) {
    let bits = bits & mask(directive.bits);
    let signed = matches!(conversion, b'd' | b'i');
    let value = if signed { sign_extend(bits, directive.bits) } else { bits as i128 };
    let magnitude = value.unsigned_abs();
    let mut digits = match conversion {
        b'o' => format!("{magnitude:o}"),
        b'x' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        _ => magnitude.to_string(),
    };
    if magnitude == 0 && directive.precision == Some(0) {
        digits.clear();
    }
    if let Some(precision) = directive.precision {
        let missing = precision.saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
    }
    let prefix = match conversion {
        b'x' if directive.flags.alternate && magnitude != 0 => "0x",
        b'X' if directive.flags.alternate && magnitude != 0 => "0X",
        b'o' if directive.flags.alternate && !digits.starts_with('0') => "0",
        b'd' | b'i' => sign(value < 0, &directive.flags),
        _ => "",
    };
    let zeros = directive.flags.zero && directive.precision.is_none();
    padded(prefix, &digits, zeros, directive, out);
}

fn sign(negative: bool, flags: &Flags) -> &'static str {
    match (negative, flags.plus, flags.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// A prefix and digits, with zeros between them or spaces around them up to the width.
fn padded(prefix: &str, digits: &str, zeros: bool, directive: &Directive, out: &mut Vec<u8>) {
    let length = prefix.len() + digits.len();
    let missing = directive.width.saturating_sub(length);
    if zeros && !directive.flags.left {
        out.extend_from_slice(prefix.as_bytes());
        out.resize(out.len() + missing, b'0');
        out.extend_from_slice(digits.as_bytes());
        return;
    }
    let pad = Pad { width: directive.width, left: directive.flags.left };
    pad.around(&[prefix.as_bytes(), digits.as_bytes()].concat(), out);
}

fn float(conversion: u8, kind: FloatKind, bits: u128, directive: &Directive, out: &mut Vec<u8>) {
    let upper = conversion.is_ascii_uppercase();
    let style = match conversion.to_ascii_lowercase() {
        b'f' => FloatStyle::Fixed,
        b'e' => FloatStyle::Exponent,
        b'g' => FloatStyle::Shortest,
        _ => FloatStyle::Hexadecimal,
    };
    let negative = bits >> (kind.bits() - 1) & 1 == 1;
    let (text, finite) = float_text(kind, bits, style, directive.precision, directive.flags.alternate);
    let text = if upper { text.to_ascii_uppercase() } else { text };
    let mut prefix = sign(negative, &directive.flags).to_string();
    let text = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(rest) if style == FloatStyle::Hexadecimal => {
            prefix.push_str(&text[..2]);
            rest.to_string()
        }
        Some(_) | None => text,
    };
    padded(&prefix, &text, directive.flags.zero && finite, directive, out);
}
