//! A piece of C text with what is needed to put it into a larger one: how tightly it binds, its C type, and how its
//! value relates to the bits it stands for.

/// How tightly operators bind; more is tighter.
pub(super) mod level {
    pub const CHOICE: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const BIT_OR: u8 = 6;
    pub const BIT_XOR: u8 = 7;
    pub const BIT_AND: u8 = 8;
    pub const EQUALITY: u8 = 9;
    pub const RELATION: u8 = 10;
    pub const SHIFT: u8 = 11;
    pub const SUM: u8 = 12;
    pub const PRODUCT: u8 = 13;
    pub const UNARY: u8 = 14;
    pub const PRIMARY: u8 = 15;
}

/// Which number the C value is, of those that the bits can mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    Signed,
    Unsigned,
    /// Not negative in either reading.
    Both,
    /// Only the low bits are right.
    LowBits,
}

#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub text: String,
    pub level: u8,
    /// Of the C type after promotion: 32 or 64.
    pub width: u32,
    pub signed: bool,
    pub meaning: Meaning,
}

impl Expression {
    pub fn boolean(text: String, level: u8) -> Expression {
        Expression { text, level, width: 32, signed: true, meaning: Meaning::Both }
    }

    /// The text, in parentheses if it binds less tightly than it must.
    pub fn inside(&self, least: u8) -> String {
        if self.level >= least { self.text.clone() } else { format!("({})", self.text) }
    }

    pub fn unsigned(&self) -> bool {
        match self.meaning {
            Meaning::Unsigned => true,
            Meaning::Signed => false,
            Meaning::Both | Meaning::LowBits => !self.signed,
        }
    }

    pub fn means(&self, signed: bool) -> bool {
        match self.meaning {
            Meaning::Both => true,
            Meaning::Signed => signed,
            Meaning::Unsigned => !signed,
            Meaning::LowBits => false,
        }
    }

    /// With a cast to the type of this width.
    pub fn cast(&self, width: u32, signed: bool) -> Option<Expression> {
        let text = format!("({}){}", type_name(width, signed)?, self.inside(level::UNARY));
        let meaning = if signed { Meaning::Signed } else { Meaning::Unsigned };
        Some(Expression { text, level: level::UNARY, width: width.max(32), signed: signed || width < 32, meaning })
    }
}

pub(super) fn type_name(width: u32, signed: bool) -> Option<&'static str> {
    match (width, signed) {
        (8, true) => Some("signed char"),
        (8, false) => Some("unsigned char"),
        (16, true) => Some("short"),
        (16, false) => Some("unsigned short"),
        (32, true) => Some("int"),
        (32, false) => Some("unsigned int"),
        (64, true) => Some("long long"),
        (64, false) => Some("unsigned long long"),
        _ => None,
    }
}

/// The type that both operands get: width, signed.
pub(super) fn common(left: &Expression, right: &Expression) -> (u32, bool) {
    match left.width.cmp(&right.width) {
        std::cmp::Ordering::Greater => (left.width, left.signed),
        std::cmp::Ordering::Less => (right.width, right.signed),
        std::cmp::Ordering::Equal => (left.width, left.signed && right.signed),
    }
}
