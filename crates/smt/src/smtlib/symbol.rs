//! How symbols are written, and the names that the theories own.

use std::fmt;

use crate::op::Op;

/// A symbol's name as SMT-LIB can read it: quoted where needed. What cannot be quoted is written as a percent sign and
/// two digits, and a name that a theory owns gets a percent sign behind it, so that no two names become one.
pub(super) struct DisplaySymbol<'a>(pub &'a str);

impl fmt::Display for DisplaySymbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0;
        let odd = |character: char| matches!(character, '|' | '\\' | '%') || character.is_control();
        if name.contains(odd) {
            f.write_str("|")?;
            for character in name.chars() {
                if odd(character) {
                    write!(f, "%{:02x}", character as u32)?;
                } else {
                    write!(f, "{character}")?;
                }
            }
            return f.write_str("|");
        }
        if is_theory_name(name) {
            return write!(f, "{name}%");
        }
        let simple = !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(is_symbol_byte)
            && !RESERVED.contains(&name);
        if simple { f.write_str(name) } else { write!(f, "|{name}|") }
    }
}

pub(super) fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte)
}

pub(super) const RESERVED: [&str; 11] =
    ["_", "!", "as", "let", "exists", "forall", "match", "par", "BINARY", "DECIMAL", "HEXADECIMAL"];

const OTHER_NAMES: [&str; 12] = [
    "true",
    "false",
    "=>",
    "distinct",
    "const",
    "fp",
    "NaN",
    "to_fp",
    "to_fp_unsigned",
    "Bool",
    "Array",
    "RoundingMode",
];

pub(super) fn is_theory_name(name: &str) -> bool {
    name.starts_with("fp.")
        || OTHER_NAMES.contains(&name)
        || crate::RoundingMode::ALL.iter().any(|mode| mode.name() == name)
        || super::print::HEADS.iter().any(|(_, head)| *head == name)
}

/// The text of an operator without parameters.
pub(super) fn head(op: Op) -> Option<&'static str> {
    super::print::HEADS.iter().find(|(own, _)| *own == op).map(|(_, text)| *text)
}
