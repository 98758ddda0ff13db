//! Bit-vector terms as C integers.

use super::expression::{Expression, Meaning, common, level};
use super::{CType, Printer};
use crate::op::Op;
use crate::pool::Term;
use crate::value::BitVector;

impl Printer<'_> {
    /// An expression whose low bits are the term's.
    pub(super) fn integer(&mut self, term: Term, depth: u32) -> Option<Expression> {
        let depth = self.enter(depth)?;
        let terms = self.terms;
        let width = terms.width(term);
        if width > 64 {
            return None;
        }
        if let Some(value) = terms.as_bv(term) {
            return constant(&value);
        }
        let args = terms.args(term);
        match terms.op(term) {
            Op::Variable(symbol) => self.variable(symbol, width),
            Op::BvAdd => self.sum(args, width, depth),
            Op::BvNeg | Op::BvNot => {
                let operand = self.wide(args[0], width, depth)?;
                let sign = if terms.op(term) == Op::BvNeg { '-' } else { '~' };
                let inner = operand.inside(level::UNARY);
                let space = if inner.starts_with('-') && sign == '-' { " " } else { "" };
                Some(arithmetic(format!("{sign}{space}{inner}"), level::UNARY, (operand.width, operand.signed), width))
            }
            Op::BvMul => self.congruent(args, "*", level::PRODUCT, level::PRODUCT, width, depth),
            Op::BvAnd => self.congruent(args, "&", level::BIT_AND, level::UNARY, width, depth),
            Op::BvOr => self.congruent(args, "|", level::BIT_OR, level::UNARY, width, depth),
            Op::BvXor => self.congruent(args, "^", level::BIT_XOR, level::UNARY, width, depth),
            Op::BvUdiv | Op::BvUrem => self.unsigned_division(terms.op(term), args, width, depth),
            Op::BvSdiv | Op::BvSrem => self.signed_division(terms.op(term), args, width, depth),
            Op::BvShl | Op::BvLshr | Op::BvAshr => self.shift(terms.op(term), args, width, depth),
            Op::ZeroExtend(_) => self.extension(args[0], false, depth),
            Op::SignExtend(_) => self.extension(args[0], true, depth),
            Op::Extract { high, low } => self.extract(args[0], high, low, depth),
            Op::Concat => self.concat(args, width, depth),
            Op::Ite => self.choice(args, width, depth),
            _ => None,
        }
    }

    fn variable(&self, symbol: u32, width: u32) -> Option<Expression> {
        let variable = (self.name)(symbol)?;
        match variable.kind {
            CType::Integer { width: own, signed } if own == width && matches!(own, 8 | 16 | 32 | 64) => {
                Some(Expression {
                    text: variable.text,
                    level: level::PRIMARY,
                    width: own.max(32),
                    signed: signed || own < 32,
                    meaning: if signed { Meaning::Signed } else { Meaning::Unsigned },
                })
            }
            _ => None,
        }
    }

    /// The expression with the value that the bits mean as a signed or unsigned number.
    pub(super) fn view(&self, expression: Expression, width: u32, signed: bool) -> Option<Expression> {
        if expression.means(signed) {
            return Some(expression);
        }
        if matches!(width, 8 | 16 | 32 | 64) {
            return expression.cast(width, signed);
        }
        if signed {
            return None;
        }
        let mask = constant(&BitVector::ones(width).zero_extend(64 - width))?;
        let text = format!("{} & {}", expression.inside(level::UNARY), mask.text);
        let (width, signed) = common(&expression, &mask);
        Some(Expression { text, level: level::BIT_AND, width, signed, meaning: Meaning::Both })
    }

    fn value(&mut self, term: Term, signed: bool, depth: u32) -> Option<Expression> {
        let width = self.terms.width(term);
        if let (Some(value), false) = (self.terms.as_bv(term), signed) {
            return unsigned_constant(&value);
        }
        let expression = self.integer(term, depth)?;
        self.view(expression, width, signed)
    }

    /// An expression of a C type that has all bits of the term.
    fn wide(&mut self, term: Term, width: u32, depth: u32) -> Option<Expression> {
        let expression = self.integer(term, depth)?;
        self.widened(expression, width)
    }

    /// Casts up to the width if the type is narrower. The value is a number then, not only low bits.
    fn widened(&self, expression: Expression, width: u32) -> Option<Expression> {
        if expression.width >= width.max(32) {
            return Some(expression);
        }
        let signed = expression.means(true);
        expression.cast(64, signed)
    }

    /// Operators whose low bits only depend on low bits.
    fn congruent(
        &mut self,
        args: &[Term],
        sign: &str,
        own: u8,
        least: u8,
        width: u32,
        depth: u32,
    ) -> Option<Expression> {
        let (mut left, right) = (self.integer(args[0], depth)?, self.integer(args[1], depth)?);
        if common(&left, &right).0 < width {
            left = self.widened(left, width)?;
        }
        let text = format!("{} {sign} {}", left.inside(least), right.inside(least.max(own + 1)));
        Some(arithmetic(text, own, common(&left, &right), width))
    }

    /// With subtractions where summands are negative.
    fn sum(&mut self, args: &[Term], width: u32, depth: u32) -> Option<Expression> {
        let (mut left, mut right) = (args[0], args[1]);
        if self.is_negated(left) && !self.is_negated(right) {
            std::mem::swap(&mut left, &mut right);
        }
        let negated = self.is_negated(right);
        let mut first = self.integer(left, depth)?;
        let second = match (negated, self.terms.as_bv(right)) {
            (true, Some(value)) => constant(&value.neg())?,
            (true, None) => {
                let positive = self.terms.bv_neg(right);
                self.integer(positive, depth)?
            }
            (false, _) => self.integer(right, depth)?,
        };
        if common(&first, &second).0 < width {
            first = self.widened(first, width)?;
        }
        let sign = if negated { '-' } else { '+' };
        let text = format!("{} {sign} {}", first.inside(level::SUM), second.inside(level::PRODUCT));
        Some(arithmetic(text, level::SUM, common(&first, &second), width))
    }

    /// Whether the negation of the term is the shorter thing to write.
    fn is_negated(&self, term: Term) -> bool {
        let negative = |term| self.terms.as_bv(term).is_some_and(|value| value.is_negative() && !value.is_sign_bit());
        match self.terms.op(term) {
            Op::BvNeg => true,
            Op::BvMul => negative(self.terms.args(term)[0]),
            _ => negative(term),
        }
    }

    fn unsigned_division(&mut self, op: Op, args: &[Term], width: u32, depth: u32) -> Option<Expression> {
        let left = self.value(args[0], false, depth)?;
        let right = self.value(args[1], false, depth)?;
        let sign = if op == Op::BvUdiv { '/' } else { '%' };
        let text = format!("{} {sign} {}", left.inside(level::PRODUCT), right.inside(level::UNARY));
        let (wide, signed) = common(&left, &right);
        let quotient = Expression { text, level: level::PRODUCT, width: wide, signed, meaning: Meaning::Unsigned };
        if self.terms.is_value(args[1]) {
            return Some(quotient);
        }
        // Division by zero has a value in terms, but not in C.
        let other = if op == Op::BvUdiv { unsigned_constant(&BitVector::ones(width))? } else { left };
        let (wide, signed) = common(&quotient, &other);
        let text =
            format!("{} != 0 ? {} : {}", right.inside(level::RELATION), quotient.text, other.inside(level::CHOICE));
        Some(Expression { text, level: level::CHOICE, width: wide, signed, meaning: Meaning::Unsigned })
    }

    fn signed_division(&mut self, op: Op, args: &[Term], width: u32, depth: u32) -> Option<Expression> {
        // Other divisors may be zero, or overflow.
        self.terms.as_bv(args[1]).filter(|value| !value.is_zero() && !value.is_ones())?;
        let left = self.value(args[0], true, depth)?;
        let right = self.value(args[1], true, depth)?;
        let (left, right) = self.both_signed(left, right, width)?;
        let sign = if op == Op::BvSdiv { '/' } else { '%' };
        let text = format!("{} {sign} {}", left.inside(level::PRODUCT), right.inside(level::UNARY));
        let (wide, signed) = common(&left, &right);
        Some(Expression { text, level: level::PRODUCT, width: wide, signed, meaning: Meaning::Signed })
    }

    /// Keeps C from reading a negative operand as a large one.
    fn both_signed(&self, left: Expression, right: Expression, width: u32) -> Option<(Expression, Expression)> {
        let (_, signed) = common(&left, &right);
        if signed || (left.meaning == Meaning::Both && right.meaning == Meaning::Both) {
            return Some((left, right));
        }
        let target = if width > 32 { 64 } else { 32 };
        let fix = |side: Expression| if side.signed { Some(side) } else { side.cast(target, true) };
        Some((fix(left)?, fix(right)?))
    }

    fn shift(&mut self, op: Op, args: &[Term], width: u32, depth: u32) -> Option<Expression> {
        let amount = self.terms.as_bv(args[1]);
        let operand = match op {
            Op::BvShl => self.wide(args[0], width, depth)?,
            Op::BvLshr => self.shiftable(args[0], false, width, depth)?,
            _ => self.shiftable(args[0], true, width, depth)?,
        };
        let sign = if op == Op::BvShl { "<<" } else { ">>" };
        let meaning = match op {
            Op::BvShl => arithmetic(String::new(), 0, (operand.width, operand.signed), width).meaning,
            Op::BvLshr => Meaning::Unsigned,
            _ => Meaning::Signed,
        };
        let shifted = |by: String, own: u8, before: &str, after: &str| Expression {
            text: format!("{before}{} {sign} {by}{after}", operand.inside(level::UNARY)),
            level: own,
            width: operand.width,
            signed: operand.signed,
            meaning,
        };
        if let Some(amount) = amount {
            let by = amount.as_u32().filter(|by| *by < width)?;
            return Some(shifted(by.to_string(), level::SHIFT, "", ""));
        }
        let by = self.value(args[1], false, depth)?;
        let guard = by.inside(level::SHIFT);
        let by = by.inside(level::UNARY);
        if op == Op::BvAshr {
            let limited = format!("({guard} < {width} ? {by} : {})", width - 1);
            return Some(shifted(limited, level::SHIFT, "", ""));
        }
        Some(shifted(by, level::CHOICE, &format!("{guard} < {width} ? "), " : 0"))
    }

    /// The value in a type of at least so many bits, so that shifts by less than that are defined.
    fn shiftable(&mut self, term: Term, signed: bool, bits: u32, depth: u32) -> Option<Expression> {
        let value = self.value(term, signed, depth)?;
        let meaning = value.meaning;
        let value = self.widened(value, bits)?;
        Some(Expression { meaning, ..value })
    }

    fn extension(&mut self, inner: Term, signed: bool, depth: u32) -> Option<Expression> {
        if let (Op::Extract { high, low }, Some(&source)) = (self.terms.op(inner), self.terms.args(inner).first())
            && high + 1 == self.terms.width(source)
            && matches!(high + 1, 8 | 16 | 32 | 64)
        {
            // The upper bits, brought down: a shift of the whole, as wide as before or wider.
            let operand = self.shiftable(source, signed, low + 1, depth)?;
            let text = format!("{} >> {low}", operand.inside(level::UNARY));
            let meaning = if signed { Meaning::Signed } else { Meaning::Both };
            return Some(Expression { text, level: level::SHIFT, meaning, ..operand });
        }
        let value = self.value(inner, signed, depth)?;
        let meaning = if signed { Meaning::Signed } else { Meaning::Both };
        Some(Expression { meaning, ..value })
    }

    fn extract(&mut self, source: Term, high: u32, low: u32, depth: u32) -> Option<Expression> {
        if low == 0 {
            let whole = self.integer(source, depth)?;
            return Some(Expression { meaning: Meaning::LowBits, ..whole });
        }
        let operand = self.shiftable(source, false, low + 1, depth)?;
        let text = format!("{} >> {low}", operand.inside(level::UNARY));
        // Up to the highest bit nothing is left above.
        let whole = high + 1 == self.terms.width(source);
        let meaning = if whole { Meaning::Unsigned } else { Meaning::LowBits };
        Some(Expression { text, level: level::SHIFT, meaning, ..operand })
    }

    fn concat(&mut self, args: &[Term], width: u32, depth: u32) -> Option<Expression> {
        let by = self.terms.width(args[1]);
        let mut high = self.integer(args[0], depth)?;
        if high.width < width {
            high = self.view(high, width - by, false)?.cast(64, false)?;
        }
        let low = self.value(args[1], false, depth)?;
        let text = format!("{} << {by} | {}", high.inside(level::UNARY), low.inside(level::UNARY));
        Some(arithmetic(text, level::BIT_OR, common(&high, &low), width))
    }

    fn choice(&mut self, args: &[Term], width: u32, depth: u32) -> Option<Expression> {
        let condition = self.boolean(args[0], depth)?.inside(level::CHOICE + 1);
        let signed = [args[1], args[2]]
            .iter()
            .any(|&arg| self.integer(arg, depth).is_some_and(|branch| branch.meaning == Meaning::Signed));
        let (then, otherwise) = (self.value(args[1], signed, depth)?, self.value(args[2], signed, depth)?);
        let (then, otherwise) = if signed { self.both_signed(then, otherwise, width)? } else { (then, otherwise) };
        let (wide, is_signed) = common(&then, &otherwise);
        let text = format!("{condition} ? {} : {}", then.inside(level::CHOICE + 1), otherwise.inside(level::CHOICE));
        let meaning = if signed { Meaning::Signed } else { Meaning::Unsigned };
        Some(Expression { text, level: level::CHOICE, width: wide, signed: is_signed, meaning })
    }

    pub(super) fn order(&mut self, op: Op, args: &[Term], depth: u32) -> Option<Expression> {
        let signed = matches!(op, Op::BvSlt | Op::BvSle);
        let width = self.terms.width(args[0]);
        let (left, right) = (self.value(args[0], signed, depth)?, self.value(args[1], signed, depth)?);
        let (left, right) = if signed { self.both_signed(left, right, width)? } else { (left, right) };
        let strict = matches!(op, Op::BvUlt | Op::BvSlt);
        // The constant stands on the right.
        let (left, sign, right) = match (self.terms.is_value(args[0]), strict) {
            (true, true) => (right, ">", left),
            (true, false) => (right, ">=", left),
            (false, true) => (left, "<", right),
            (false, false) => (left, "<=", right),
        };
        let text = format!("{} {sign} {}", left.inside(level::SHIFT), right.inside(level::SHIFT));
        Some(Expression::boolean(text, level::RELATION))
    }

    pub(super) fn integer_equality(&mut self, args: &[Term], width: u32, sign: &str, depth: u32) -> Option<Expression> {
        let (first, second) = if self.terms.is_value(args[0]) { (args[1], args[0]) } else { (args[0], args[1]) };
        let (left, right) = (self.integer(first, depth)?, self.integer(second, depth)?);
        let write = |left: &Expression, right: &Expression| {
            let text = format!("{} {sign} {}", left.inside(level::RELATION), right.inside(level::RELATION));
            Some(Expression::boolean(text, level::EQUALITY))
        };
        // C compares exactly the bits.
        if common(&left, &right).0 == width
            && (left.width == width || left.meaning != Meaning::LowBits)
            && (right.width == width || right.meaning != Meaning::LowBits)
        {
            return write(&left, &right);
        }
        let casts = |signed: bool| [&left, &right].iter().filter(|side| !side.means(signed)).count();
        let signed = casts(true) < casts(false);
        let (left, right) = (self.value(first, signed, depth)?, self.value(second, signed, depth)?);
        let (left, right) = if signed { self.both_signed(left, right, width)? } else { (left, right) };
        write(&left, &right)
    }
}

/// The result of an operator of this C type that has the low bits right.
fn arithmetic(text: String, level: u8, (wide, signed): (u32, bool), width: u32) -> Expression {
    let meaning = match (wide == width, signed) {
        (true, true) => Meaning::Signed,
        (true, false) => Meaning::Unsigned,
        (false, _) => Meaning::LowBits,
    };
    Expression { text, level, width: wide, signed, meaning }
}

/// As a signed number.
fn constant(value: &BitVector) -> Option<Expression> {
    if !value.is_negative() {
        return unsigned_constant(value);
    }
    let number = i64::try_from(value.to_signed()).ok()?;
    let width = if number >= i64::from(i32::MIN) { 32 } else { 64 };
    let suffix = if width == 64 { "LL" } else { "" };
    // The smallest number is not a literal with a sign: its magnitude would not fit.
    let (text, level) = if number == i64::MIN || number == i64::from(i32::MIN) {
        (format!("-{}{suffix} - 1", number.unsigned_abs() - 1), level::SUM)
    } else {
        (format!("{number}{suffix}"), level::UNARY)
    };
    Some(Expression { text, level, width, signed: true, meaning: Meaning::Signed })
}

/// As an unsigned number.
fn unsigned_constant(value: &BitVector) -> Option<Expression> {
    let number = u64::try_from(value.small()?).ok()?;
    let (suffix, width, signed) = match number {
        0..=0x7fff_ffff => ("", 32, true),
        0x8000_0000..=0xffff_ffff => ("U", 32, false),
        0x1_0000_0000..=0x7fff_ffff_ffff_ffff => ("LL", 64, true),
        _ => ("ULL", 64, false),
    };
    let meaning = if value.is_negative() { Meaning::Unsigned } else { Meaning::Both };
    Some(Expression { text: format!("{number}{suffix}"), level: level::PRIMARY, width, signed, meaning })
}
