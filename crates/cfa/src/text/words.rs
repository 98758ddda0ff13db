//! The words of the text form, each table once for the writer and the reader.

use tandem_syntax::types::IntKind;

use crate::model::*;

/// Words that a name may not look like; such names are quoted.
pub(super) const RESERVED: [&str; 28] = [
    "void",
    "_Bool",
    "char",
    "signed",
    "unsigned",
    "short",
    "int",
    "long",
    "float",
    "double",
    "__int128",
    "__float128",
    "struct",
    "union",
    "type",
    "unsupported",
    "fn",
    "zero",
    "skip",
    "assume",
    "not",
    "call",
    "return",
    "declare",
    "unnamed",
    "builtin",
    "locals",
    "nodes",
];

/// Of these, the ones a type may begin with.
pub(super) fn begins_type(word: &str) -> bool {
    RESERVED[..16].contains(&word)
}

pub(super) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(is_name_start) && bytes.all(is_name_byte) && !RESERVED.contains(&name)
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$'
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit()
}

/// Integer types that have a suffix for their constants.
pub(super) const SUFFIXES: [(IntKind, &str); 6] = [
    (IntKind::Int, ""),
    (IntKind::UnsignedInt, "u"),
    (IntKind::Long, "l"),
    (IntKind::UnsignedLong, "ul"),
    (IntKind::LongLong, "ll"),
    (IntKind::UnsignedLongLong, "ull"),
];

pub(super) fn suffix(kind: IntKind) -> Option<&'static str> {
    SUFFIXES.iter().find(|(k, _)| *k == kind).map(|(_, suffix)| *suffix)
}

pub(super) const VARIABLE_KINDS: [(VariableKind, &str); 7] = [
    (VariableKind::Global, "global"),
    (VariableKind::External, "external"),
    (VariableKind::Static, "static"),
    (VariableKind::StringLiteral, "string"),
    (VariableKind::Parameter, "parameter"),
    (VariableKind::Local, "local"),
    (VariableKind::Temporary, "temporary"),
];

pub(super) const DECISION_KINDS: [(DecisionKind, &str); 8] = [
    (DecisionKind::If, "if"),
    (DecisionKind::While, "while"),
    (DecisionKind::DoWhile, "do"),
    (DecisionKind::For, "for"),
    (DecisionKind::Switch, "switch"),
    (DecisionKind::Conditional, "conditional"),
    (DecisionKind::Logical, "logical"),
    (DecisionKind::Computed, "computed"),
];

pub(super) const BUILTINS: [(Builtin, &str); 7] = [
    (Builtin::VaStart, "va_start"),
    (Builtin::VaArg, "va_arg"),
    (Builtin::VaEnd, "va_end"),
    (Builtin::VaCopy, "va_copy"),
    (Builtin::Alloca, "alloca"),
    (Builtin::Unreachable, "unreachable"),
    (Builtin::Trap, "trap"),
];

pub(super) const INTRINSICS: [(Intrinsic, &str); 24] = [
    (Intrinsic::ByteSwap, "byte_swap"),
    (Intrinsic::LeadingZeros, "leading_zeros"),
    (Intrinsic::TrailingZeros, "trailing_zeros"),
    (Intrinsic::PopCount, "pop_count"),
    (Intrinsic::Parity, "parity"),
    (Intrinsic::FindFirstSet, "find_first_set"),
    (Intrinsic::RedundantSignBits, "redundant_sign_bits"),
    (Intrinsic::IsNan, "is_nan"),
    (Intrinsic::IsInfinite, "is_infinite"),
    (Intrinsic::IsFinite, "is_finite"),
    (Intrinsic::IsNormal, "is_normal"),
    (Intrinsic::SignBit, "sign_bit"),
    (Intrinsic::FloatAbs, "float_abs"),
    (Intrinsic::CopySign, "copy_sign"),
    (Intrinsic::SquareRoot, "square_root"),
    (Intrinsic::Floor, "floor"),
    (Intrinsic::Ceil, "ceil"),
    (Intrinsic::Trunc, "trunc"),
    (Intrinsic::Round, "round"),
    (Intrinsic::RoundEven, "round_even"),
    (Intrinsic::FloatMin, "float_min"),
    (Intrinsic::FloatMax, "float_max"),
    (Intrinsic::FloatMod, "float_mod"),
    (Intrinsic::FloatRemainder, "float_remainder"),
];

/// The word for a thing of one of the tables above.
pub(super) fn word<T: PartialEq>(table: &[(T, &'static str)], thing: T) -> &'static str {
    table.iter().find(|(t, _)| *t == thing).map_or("?", |(_, word)| word)
}

/// The thing a word means in one of the tables above.
pub(super) fn thing<T: Copy>(table: &[(T, &'static str)], word: &str) -> Option<T> {
    table.iter().find(|(_, w)| *w == word).map(|(thing, _)| *thing)
}

pub(super) fn unary_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Neg => "-",
        UnaryOp::Complement => "~",
        UnaryOp::Not => "!",
    }
}

pub(super) fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add | BinaryOp::PointerAdd => "+",
        BinaryOp::Sub | BinaryOp::PointerSub | BinaryOp::PointerDiff => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

/// The operator a symbol means, given whether each operand is a pointer.
pub(super) fn binary_op(symbol: &str, left_pointer: bool, right_pointer: bool) -> Option<BinaryOp> {
    Some(match symbol {
        "+" if left_pointer => BinaryOp::PointerAdd,
        "+" => BinaryOp::Add,
        "-" if left_pointer && right_pointer => BinaryOp::PointerDiff,
        "-" if left_pointer => BinaryOp::PointerSub,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mul,
        "/" => BinaryOp::Div,
        "%" => BinaryOp::Rem,
        "<<" => BinaryOp::Shl,
        ">>" => BinaryOp::Shr,
        "&" => BinaryOp::And,
        "|" => BinaryOp::Or,
        "^" => BinaryOp::Xor,
        "==" => BinaryOp::Eq,
        "!=" => BinaryOp::Ne,
        "<" => BinaryOp::Lt,
        "<=" => BinaryOp::Le,
        ">" => BinaryOp::Gt,
        ">=" => BinaryOp::Ge,
        _ => return None,
    })
}

/// Whether `a op b op c` is written without parentheses for `(a op b) op c`.
pub(super) fn chains(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::PointerAdd
            | BinaryOp::PointerSub
    )
}
