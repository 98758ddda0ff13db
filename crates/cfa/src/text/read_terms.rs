//! Reads expressions and places. Recursion is bounded by a limit on the depth.

use tandem_syntax::Types;
use tandem_syntax::types::{FloatKind, IntKind, Type, TypeId};

use super::lex::{Kind, Read, ReadError};
use super::names::member;
use super::read::Reader;
use super::typed;
use super::words::{INTRINSICS, SUFFIXES, begins_type, binary_op, thing};
use crate::model::*;

/// Parentheses and prefix operators may nest this deep.
const MAX_DEPTH: u32 = 300;

/// Something read whose type may still be written before it.
#[derive(Clone, Copy)]
enum Item<'a> {
    /// The notation of a constant, with its sign.
    Number {
        negative: bool,
        text: &'a str,
    },
    /// `None`: the type that follows from the parts.
    Expr(ExprKind, Option<TypeId>),
    Place(PlaceKind, Option<TypeId>),
}

impl<'a> Reader<'a> {
    pub(super) fn expr(&mut self) -> Read<ExprId> {
        let at = self.tokens.peek().at;
        let item = self.chain(0)?;
        self.intern_expr(item, at)
    }

    pub(super) fn place(&mut self) -> Read<PlaceId> {
        let at = self.tokens.peek().at;
        let item = self.operand(0)?;
        self.intern_place(item, at)
    }

    /// An operand, or operands between equal operators.
    fn chain(&mut self, depth: u32) -> Read<Item<'a>> {
        let at = self.tokens.peek().at;
        let mut left = self.operand(depth)?;
        let symbol = self.tokens.peek();
        if symbol.kind != Kind::Symbol || binary_op(symbol.text, false, false).is_none() {
            return Ok(left);
        }
        while self.tokens.take(symbol.text) {
            let left_expr = self.intern_expr(left, at)?;
            let right_at = self.tokens.peek().at;
            let right = self.operand(depth)?;
            let right = self.intern_expr(right, right_at)?;
            let is_pointer = |id: ExprId| self.types.types.pointee(self.arena.expr(id).ty).is_some();
            let op = binary_op(symbol.text, is_pointer(left_expr), is_pointer(right));
            let op = op.ok_or_else(|| self.tokens.error_at(symbol.at, "expected an operator".into()))?;
            left = Item::Expr(ExprKind::Binary(op, left_expr, right), None);
        }
        Ok(left)
    }

    fn operand(&mut self, depth: u32) -> Read<Item<'a>> {
        if depth > MAX_DEPTH {
            return Err(self.tokens.expected(&format!("an expression that nests at most {MAX_DEPTH} deep")));
        }
        let token = self.tokens.peek();
        match (token.kind, token.text) {
            (Kind::Number, text) => {
                self.tokens.next();
                Ok(Item::Number { negative: false, text })
            }
            (Kind::Symbol, "-") if self.tokens.ahead(1).kind == Kind::Number && self.tokens.touches_next() => {
                self.tokens.next();
                Ok(Item::Number { negative: true, text: self.tokens.next().text })
            }
            (Kind::Symbol, "-") => self.unary(UnaryOp::Neg, depth),
            (Kind::Symbol, "~") => self.unary(UnaryOp::Complement, depth),
            (Kind::Symbol, "!") => self.unary(UnaryOp::Not, depth),
            (Kind::Symbol, "&") => {
                let (item, at) = self.after_prefix(depth)?;
                let place = self.intern_place(item, at)?;
                Ok(Item::Expr(ExprKind::AddressOf(place), None))
            }
            (Kind::Symbol, "*") => {
                let pointer = self.prefixed(depth)?;
                Ok(Item::Place(PlaceKind::Deref(pointer), None))
            }
            (Kind::Symbol, "<") => self.ascribed(depth),
            (Kind::Symbol, "(") if self.is_cast() => {
                self.tokens.next();
                let ty = self.types.ty(&mut self.tokens)?;
                if !self.tokens.is(")") {
                    return Err(self.tokens.expected("`)`"));
                }
                let operand = self.prefixed(depth)?;
                Ok(Item::Expr(ExprKind::Convert(operand), Some(ty)))
            }
            _ => self.postfix(depth),
        }
    }

    fn is_cast(&self) -> bool {
        let next = self.tokens.ahead(1);
        next.kind == Kind::Name && begins_type(next.text)
    }

    /// The operand behind the one token at hand.
    fn after_prefix(&mut self, depth: u32) -> Read<(Item<'a>, u32)> {
        self.tokens.next();
        let at = self.tokens.peek().at;
        Ok((self.operand(depth + 1)?, at))
    }

    fn prefixed(&mut self, depth: u32) -> Read<ExprId> {
        let (item, at) = self.after_prefix(depth)?;
        self.intern_expr(item, at)
    }

    fn unary(&mut self, op: UnaryOp, depth: u32) -> Read<Item<'a>> {
        let operand = self.prefixed(depth)?;
        Ok(Item::Expr(ExprKind::Unary(op, operand), None))
    }

    /// `<type>operand`
    fn ascribed(&mut self, depth: u32) -> Read<Item<'a>> {
        self.tokens.expect("<")?;
        let ty = self.types.ty(&mut self.tokens)?;
        if !self.tokens.is(">") {
            return Err(self.tokens.expected("`>`"));
        }
        let (item, at) = self.after_prefix(depth)?;
        match item {
            Item::Number { negative, text } => self.number(negative, text, Some(ty), at),
            Item::Expr(kind, _) => Ok(Item::Expr(kind, Some(ty))),
            Item::Place(..) => {
                let place = self.intern_place(item, at)?;
                Ok(Item::Expr(ExprKind::Read(place), Some(ty)))
            }
        }
    }

    fn postfix(&mut self, depth: u32) -> Read<Item<'a>> {
        let at = self.tokens.peek().at;
        let mut item = self.primary(depth)?;
        loop {
            if self.tokens.take("[") {
                let base = self.intern_place(item, at)?;
                let index_at = self.tokens.peek().at;
                let index = self.chain(depth + 1)?;
                let index = self.intern_expr(index, index_at)?;
                self.tokens.expect("]")?;
                item = Item::Place(PlaceKind::Index(base, index), None);
            } else if self.tokens.take(".") {
                let base = self.intern_place(item, at)?;
                item = self.field(base)?;
            } else if self.tokens.take("->") {
                let pointer = self.intern_expr(item, at)?;
                let base = self.intern_place(Item::Place(PlaceKind::Deref(pointer), None), at)?;
                item = self.field(base)?;
            } else {
                return Ok(item);
            }
        }
    }

    fn field(&mut self, base: PlaceId) -> Read<Item<'a>> {
        let Type::Record(record) = *self.types.types.get(self.arena.place(base).ty) else {
            return Err(self.tokens.expected("no member, since this is no record"));
        };
        let start = self.tokens.at;
        let count = self.types.types.records[record].fields.len();
        let field = if self.tokens.take("#") {
            Some(self.tokens.number("the number of a member")?).filter(|field| (*field as usize) < count)
        } else {
            let name = self.tokens.name("a member of the record")?;
            member(&self.types.types.records[record], &name)
        };
        let field = field.ok_or_else(|| self.tokens.expected_at(start, "a member of the record"))?;
        Ok(Item::Place(PlaceKind::Field(base, record, field), None))
    }

    fn primary(&mut self, depth: u32) -> Read<Item<'a>> {
        let token = self.tokens.peek();
        match (token.kind, token.text) {
            (Kind::Symbol, "(") => {
                self.tokens.next();
                let item = self.chain(depth + 1)?;
                self.tokens.expect(")")?;
                Ok(item)
            }
            (Kind::Symbol, "{") => self.ascribed_place(depth),
            (Kind::Name, "fn") => {
                self.tokens.next();
                Ok(Item::Expr(ExprKind::Function(self.function_used()?), None))
            }
            (Kind::Name, "zero") => {
                self.tokens.next();
                Ok(Item::Expr(ExprKind::Zero, None))
            }
            (Kind::Name, name) if self.tokens.ahead(1).text == "(" => self.intrinsic(name, depth),
            (Kind::Name | Kind::Quoted, _) => Ok(Item::Place(PlaceKind::Variable(self.variable_used()?), None)),
            (Kind::Bytes | Kind::Number | Kind::Symbol | Kind::End, _) => Err(self.tokens.expected("an expression")),
        }
    }

    /// `{type: place}`
    fn ascribed_place(&mut self, depth: u32) -> Read<Item<'a>> {
        self.tokens.expect("{")?;
        let ty = self.types.ty(&mut self.tokens)?;
        self.tokens.expect(":")?;
        let item = self.operand(depth + 1)?;
        let Item::Place(kind, _) = item else {
            return Err(self.tokens.expected("a place before this"));
        };
        self.tokens.expect("}")?;
        Ok(Item::Place(kind, Some(ty)))
    }

    fn intrinsic(&mut self, name: &str, depth: u32) -> Read<Item<'a>> {
        let Some(intrinsic) = thing(&INTRINSICS, name) else {
            return Err(self.tokens.expected("the name of an intrinsic"));
        };
        self.tokens.next();
        self.tokens.expect("(")?;
        let at = self.tokens.peek().at;
        let first = self.chain(depth + 1)?;
        let first = self.intern_expr(first, at)?;
        let mut second = None;
        if self.tokens.take(",") {
            let at = self.tokens.peek().at;
            let item = self.chain(depth + 1)?;
            second = Some(self.intern_expr(item, at)?);
        }
        self.tokens.expect(")")?;
        Ok(Item::Expr(ExprKind::Intrinsic(intrinsic, first, second), None))
    }

    fn intern_place(&mut self, item: Item<'a>, at: u32) -> Read<PlaceId> {
        let Item::Place(kind, ty) = item else {
            return Err(self.tokens.error_at(at, "expected a place, found a value".into()));
        };
        let implied = typed::of_place(&self.types.types, &self.arena, |v| self.variables[v].ty, kind);
        match ty.or_else(|| implied.intern(&mut self.types.types)) {
            Some(ty) => Ok(self.arena.add_place(kind, ty)),
            None => Err(self.tokens.error_at(at, "expected a type, as in `{type: place}`: none follows here".into())),
        }
    }

    fn intern_expr(&mut self, item: Item<'a>, at: u32) -> Read<ExprId> {
        let (kind, ty) = match item {
            Item::Place(..) => (ExprKind::Read(self.intern_place(item, at)?), None),
            Item::Expr(kind, ty) => (kind, ty),
            Item::Number { negative, text } => match self.number(negative, text, None, at)? {
                Item::Expr(kind, ty) => (kind, ty),
                Item::Number { .. } | Item::Place(..) => {
                    return Err(self.tokens.error_at(at, "expected a number".into()));
                }
            },
        };
        let ty = match ty {
            Some(ty) => Some(ty),
            None => {
                let implied = typed::of_expr(&self.arena, |f| self.functions[f].ty, kind);
                implied.intern(&mut self.types.types)
            }
        };
        match ty {
            Some(ty) => Ok(self.arena.add_expr(kind, ty)),
            None => Err(self.tokens.error_at(at, "expected a type, as in `<type>value`: none follows here".into())),
        }
    }

    /// A constant: of the written type, or of the one its notation says.
    fn number(&mut self, negative: bool, text: &str, ty: Option<TypeId>, at: u32) -> Read<Item<'a>> {
        let error = |reader: &Self, what: &str| reader.tokens.error_at(at, format!("expected {what}, found `{text}`"));
        let is_float = !text.starts_with("0x") && text.contains(['.', 'e', 'f']);
        let (bits, ty) = match (ty, is_float) {
            (None, true) => float(&mut self.types.types, negative, text).ok_or_else(|| error(self, "a float"))?,
            (None, false) => {
                let digits = text.trim_end_matches(['u', 'l']);
                let kind = SUFFIXES.iter().find(|(_, suffix)| *suffix == &text[digits.len()..]).map(|(kind, _)| *kind);
                let kind: IntKind = kind.ok_or_else(|| error(self, "a number with one of C's suffixes"))?;
                let ty = self.types.types.int(kind);
                (self.integer(negative, digits, ty, at)?, ty)
            }
            (Some(ty), false) => (self.integer(negative, text, ty, at)?, ty),
            (Some(_), true) => return Err(error(self, "an integer or the bits of a constant in hexadecimal")),
        };
        let wide = self.types.types.scalar(ty).is_some_and(|scalar| scalar.bits() > 64);
        let kind = if wide { ExprKind::Wide(self.arena.add_wide(bits)) } else { ExprKind::Bits(bits as u64) };
        Ok(Item::Expr(kind, Some(ty)))
    }

    /// The bits of an integer that fits into the type.
    fn integer(&self, negative: bool, digits: &str, ty: TypeId, at: u32) -> Result<u128, ReadError> {
        let error = |what: &str| self.tokens.error_at(at, format!("expected {what}, found `{digits}`"));
        let scalar = self.types.types.scalar(ty).ok_or_else(|| error("a scalar type before this constant"))?;
        let mask = u128::MAX >> (128 - scalar.bits());
        let value = match digits.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        };
        let value = value.ok_or_else(|| error("a number"))?;
        let limit = if scalar.is_signed() && !digits.starts_with("0x") { mask >> 1 } else { mask };
        match negative {
            false if value <= limit => Ok(value),
            true if scalar.is_signed() && value <= limit + 1 => Ok(value.wrapping_neg() & mask),
            _ => Err(error("a number that fits into its type")),
        }
    }
}

fn float(types: &mut Types, negative: bool, text: &str) -> Option<(u128, TypeId)> {
    let sign = if negative { "-" } else { "" };
    match text.strip_suffix('f') {
        Some(digits) => {
            let value: f32 = format!("{sign}{digits}").parse().ok()?;
            Some((u128::from(value.to_bits()), types.intern(Type::Float(FloatKind::Single))))
        }
        None => {
            let value: f64 = format!("{sign}{text}").parse().ok()?;
            Some((u128::from(value.to_bits()), types.intern(Type::Float(FloatKind::Double))))
        }
    }
}
