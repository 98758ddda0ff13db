//! The layout that a compiler gives a record by itself, and what has to be added where the program's is another.
//!
//! Knows the rules of the x86 psABI as gcc follows them, and no text.

use tandem_syntax::Types;
use tandem_syntax::types::{Field, Record};

/// How a record has to be written to be laid out as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Natural,
    /// As the members ask for, but aligned to so many bytes.
    Aligned(u64),
    /// Packed, aligned to so many bytes, with every gap filled by a member.
    Packed(u64),
}

pub(super) fn layout(types: &Types, record: &Record) -> Layout {
    let Some((size, align)) = natural(types, record) else { return Layout::Packed(record.align.max(1)) };
    if (size, align) == (record.size, record.align.max(1)) {
        return Layout::Natural;
    }
    if align < record.align && round_up(size, record.align) == record.size {
        return Layout::Aligned(record.align);
    }
    Layout::Packed(record.align.max(1))
}

/// The first bit of a member, counted from the start of the record.
pub(super) fn first_bit(field: &Field) -> u64 {
    field.offset * 8 + field.bits.map_or(0, |bits| u64::from(bits.offset))
}

/// The bits of a member.
pub(super) fn width(types: &Types, field: &Field) -> u64 {
    match field.bits {
        Some(bits) => u64::from(bits.width),
        None => types.size(field.ty).unwrap_or(0) * 8,
    }
}

/// Size and alignment in bytes; `None` if a member would lie elsewhere.
fn natural(types: &Types, record: &Record) -> Option<(u64, u64)> {
    let (mut end, mut align) = (0, 1);
    for field in &record.fields {
        let own = types.align(field.ty).max(1);
        let from = if record.is_union { 0 } else { end };
        let at = match field.bits {
            None => round_up(from, own * 8),
            Some(bits) if bits.width == 0 => round_up(from, own * 8),
            Some(bits) => {
                let room = types.size(field.ty)? * 8;
                let crosses = from % (own * 8) + u64::from(bits.width) > room;
                if crosses { round_up(from, own * 8) } else { from }
            }
        };
        let is_unnamed = field.bits.is_some() && field.name.is_none();
        if at != first_bit(field) && !is_unnamed {
            return None;
        }
        if !is_unnamed {
            align = align.max(own);
        }
        end = end.max(at + width(types, field));
    }
    Some((round_up(end.div_ceil(8), align), align))
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to.max(1)) * to.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::SourceText;
    use tandem_syntax::DataModel;

    /// The layout of the record with this tag.
    fn of(text: &str, tag: &str, model: DataModel) -> Layout {
        let built = crate::build(SourceText::plain("t.c", text.as_bytes().to_vec()), model);
        let program = built.program.expect("a program");
        let mut all = program.types.records.iter();
        layout(&program.types, all.find(|record| record.name.as_deref() == Some(tag)).expect("the record"))
    }

    #[test]
    fn what_a_compiler_does_by_itself_needs_nothing() {
        for members in [
            "char c; int i;",
            "char c; double d; char e;",
            "int a : 3; int b : 30; unsigned long long c : 33; char d;",
            "char c : 5; int : 0; char d;",
            "short s; int x : 9; int y : 9; char z : 7;",
            "char c; long double l;",
            "struct { char c; long long l; } v[2]; char tail[];",
        ] {
            for model in [DataModel::Lp64, DataModel::Ilp32] {
                let text = format!("struct s {{ {members} }} x;");
                assert_eq!(of(&text, "s", model), Layout::Natural, "{members} {model}");
            }
        }
    }

    #[test]
    fn attributes_are_seen() {
        let packed = "struct __attribute__((packed)) s { char c; int i; } x;";
        assert_eq!(of(packed, "s", DataModel::Lp64), Layout::Packed(1));
        let aligned = "struct s { char c; int i; } __attribute__((aligned(16))) x;";
        assert_eq!(of(aligned, "s", DataModel::Lp64), Layout::Aligned(16));
        let member = "struct s { char c; int i __attribute__((aligned(16))); } x;";
        assert_eq!(of(member, "s", DataModel::Lp64), Layout::Packed(16));
    }
}
