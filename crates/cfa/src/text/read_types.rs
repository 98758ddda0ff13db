//! Reads types and records.

use tandem_syntax::Types;
use tandem_syntax::types::{
    BitRange, Field, FloatKind, FunctionType, IntKind, Length, Record, RecordId, Type, TypeId, VlaId,
};

use super::lex::{Kind, Read, Tokens};
use super::names::Names;
use super::words::begins_type;

/// No type may nest deeper, so that whoever walks a type may recurse.
const MAX_DEPTH: usize = 200;

/// Reads types into a table.
pub(super) struct TypeReader {
    pub types: Types,
    pub names: Names,
    /// Of each type, how deep it nests.
    depths: Vec<usize>,
}

impl TypeReader {
    pub fn new(types: Types) -> TypeReader {
        TypeReader { types, names: Names::default(), depths: Vec::new() }
    }

    /// `record struct name#0 size 8 align 4 {...}`, but for the members; returns where they are.
    pub fn record(&mut self, tokens: &mut Tokens<'_>) -> Read<usize> {
        let is_union = tokens.take("union");
        if !is_union {
            tokens.expect("struct")?;
        }
        let name = if tokens.is("#") { None } else { Some(tokens.name("the name of a record")?) };
        tokens.expect("#")?;
        let wanted = self.types.records.next_id();
        if tokens.peek().text != wanted.0.to_string() {
            return Err(tokens.expected(&format!("the number {}", wanted.0)));
        }
        tokens.next();
        tokens.expect("size")?;
        let size = tokens.number("a size in bytes")?;
        tokens.expect("align")?;
        let align = tokens.number("an alignment in bytes")?;
        let complete = !tokens.take("incomplete");
        let variable = tokens.take("variable");
        self.types.records.push(Record { name, is_union, fields: Vec::new(), size, align, complete, variable });
        if !tokens.is("{") {
            return Err(tokens.expected("`{`"));
        }
        tokens.skip_braces()
    }

    pub fn members(&mut self, tokens: &mut Tokens<'_>, record: RecordId) -> Read<()> {
        tokens.expect("{")?;
        let mut fields = Vec::new();
        while !tokens.take("}") {
            let name = if tokens.take("unnamed") { None } else { Some(tokens.name("the name of a member or `}`")?) };
            tokens.expect(":")?;
            let ty = self.ty(tokens)?;
            tokens.expect("at")?;
            let offset = tokens.number("an offset in bytes")?;
            let bits = bit_range(tokens)?;
            tokens.expect(";")?;
            fields.push(Field { name, ty, offset, bits });
        }
        self.types.records[record].fields = fields;
        Ok(())
    }

    /// `type#3 = ...`, whose number is the next one.
    pub fn listed(&mut self, tokens: &mut Tokens<'_>) -> Read<()> {
        tokens.expect("#")?;
        let at = tokens.peek().at;
        let number: u32 = tokens.number("the number of a type")?;
        tokens.expect("=")?;
        let next = self.types.len();
        let id = self.ty(tokens)?;
        if id.0 != number || number as usize != next {
            let message = format!("expected type#{next}, a new type with its parts listed before it");
            return Err(tokens.error_at(at, message));
        }
        Ok(())
    }

    pub fn ty(&mut self, tokens: &mut Tokens<'_>) -> Read<TypeId> {
        let mut ty = self.base(tokens)?;
        loop {
            if tokens.take("*") {
                ty = self.intern(tokens, Type::Pointer(ty))?;
            } else if tokens.is("[") {
                let length = self.length(tokens)?;
                ty = self.intern(tokens, Type::Array { element: ty, length })?;
            } else if tokens.take("(") {
                let function = self.function(tokens, ty)?;
                ty = self.intern(tokens, Type::Function(function))?;
            } else {
                return Ok(ty);
            }
        }
    }

    pub fn intern(&mut self, tokens: &Tokens<'_>, ty: Type) -> Read<TypeId> {
        self.note_depths();
        let of = |part: &TypeId| self.depths.get(part.0 as usize).copied().unwrap_or(0);
        let inner = match &ty {
            Type::Pointer(part) | Type::Array { element: part, .. } => of(part),
            Type::Function(function) => function.parameters.iter().chain([&function.result]).map(of).max().unwrap_or(0),
            Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Record(_) | Type::Unsupported(_) => 0,
        };
        if inner >= MAX_DEPTH {
            return Err(tokens.expected(&format!("a type that nests at most {MAX_DEPTH} deep")));
        }
        Ok(self.types.intern(ty))
    }

    /// Types that others interned meanwhile count too.
    fn note_depths(&mut self) {
        for (id, ty) in self.types.iter().skip(self.depths.len()) {
            let of = |part: &TypeId| self.depths[part.0 as usize] + 1;
            let depth = match ty {
                Type::Pointer(part) | Type::Array { element: part, .. } => of(part),
                Type::Function(function) => {
                    function.parameters.iter().chain([&function.result]).map(of).max().unwrap_or(0)
                }
                Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Record(_) | Type::Unsupported(_) => 0,
            };
            debug_assert_eq!(id.0 as usize, self.depths.len());
            self.depths.push(depth);
        }
    }

    fn length(&mut self, tokens: &mut Tokens<'_>) -> Read<Length> {
        tokens.expect("[")?;
        if tokens.take("]") {
            return Ok(Length::Incomplete);
        }
        let length = if tokens.take("vla") {
            tokens.expect("#")?;
            Length::Variable(VlaId(tokens.number("the number of a size")?))
        } else {
            Length::Fixed(tokens.number("a number of elements, `vla` or `]`")?)
        };
        tokens.expect("]")?;
        Ok(length)
    }

    /// Parameters, behind the opening parenthesis.
    fn function(&mut self, tokens: &mut Tokens<'_>, result: TypeId) -> Read<FunctionType> {
        let mut function = FunctionType { result, parameters: Box::new([]), variadic: false, unprototyped: false };
        let mut parameters = Vec::new();
        if tokens.is("void") && tokens.ahead(1).text == ")" {
            tokens.next();
            tokens.next();
            return Ok(function);
        }
        loop {
            if tokens.take("...") {
                function.variadic = true;
            } else if tokens.take("?") {
                function.unprototyped = true;
            } else {
                parameters.push(self.parameter(tokens)?);
            }
            if !tokens.take(",") {
                break;
            }
        }
        tokens.expect(")")?;
        function.parameters = parameters.into();
        Ok(function)
    }

    /// Parameters of function type are named by number, so that reading a type never recurses.
    fn parameter(&mut self, tokens: &mut Tokens<'_>) -> Read<TypeId> {
        let mut ty = self.base(tokens)?;
        loop {
            if tokens.take("*") {
                ty = self.intern(tokens, Type::Pointer(ty))?;
            } else if tokens.is("[") {
                let length = self.length(tokens)?;
                ty = self.intern(tokens, Type::Array { element: ty, length })?;
            } else {
                return Ok(ty);
            }
        }
    }

    fn base(&mut self, tokens: &mut Tokens<'_>) -> Read<TypeId> {
        let token = tokens.peek();
        if token.kind != Kind::Name || !begins_type(token.text) {
            return Err(tokens.expected("a type"));
        }
        let ty = match token.text {
            "type" => return self.numbered(tokens),
            "struct" | "union" => Type::Record(self.record_named(tokens)?),
            "unsupported" => {
                tokens.next();
                Type::Unsupported(tokens.string("the name of an unsupported type in double quotes")?.into())
            }
            _ => arithmetic(tokens)?,
        };
        self.intern(tokens, ty)
    }

    fn numbered(&mut self, tokens: &mut Tokens<'_>) -> Read<TypeId> {
        tokens.expect("type")?;
        tokens.expect("#")?;
        let start = tokens.at;
        let id = TypeId(tokens.number("the number of a listed type")?);
        if (id.0 as usize) < self.types.len() {
            Ok(id)
        } else {
            Err(tokens.expected_at(start, "the number of a listed type"))
        }
    }

    fn record_named(&mut self, tokens: &mut Tokens<'_>) -> Read<RecordId> {
        let is_union = tokens.next().text == "union";
        let start = tokens.at;
        let name = if tokens.is("#") { None } else { Some(tokens.name("the name of a record")?) };
        let id = if tokens.take("#") {
            Some(RecordId(tokens.number("the number of a record")?))
        } else {
            name.as_ref().and_then(|name| self.names.record(is_union, name)).flatten()
        };
        let record = id.and_then(|id| self.types.records.get(id).map(|record| (id, record)));
        match record {
            Some((id, record)) if record.is_union == is_union && record.name == name => Ok(id),
            _ => Err(tokens.expected_at(start, "the name of a record of this kind")),
        }
    }
}

/// `bits 3 width 2`, if it stands here.
pub(super) fn bit_range(tokens: &mut Tokens<'_>) -> Read<Option<BitRange>> {
    if !tokens.take("bits") {
        return Ok(None);
    }
    let offset = tokens.number("a number of bits")?;
    tokens.expect("width")?;
    Ok(Some(BitRange { offset, width: tokens.number("a number of bits")? }))
}

/// One of C's arithmetic types (or `void`), by its name of up to three words.
fn arithmetic(tokens: &mut Tokens<'_>) -> Read<Type> {
    let words: Vec<&str> =
        (0..3).map(|by| tokens.ahead(by)).map_while(|t| begins_type(t.text).then_some(t.text)).collect();
    for count in (1..=words.len()).rev() {
        let name = words[..count].join(" ");
        let floats = [FloatKind::Single, FloatKind::Double, FloatKind::Extended, FloatKind::Quad];
        let ty = match name.as_str() {
            "void" => Some(Type::Void),
            "_Bool" => Some(Type::Bool),
            name => IntKind::ALL.into_iter().find(|kind| kind.name() == name).map(Type::Int),
        };
        let ty = ty.or_else(|| floats.into_iter().find(|kind| kind.name() == name).map(Type::Float));
        if let Some(ty) = ty {
            tokens.at += count;
            return Ok(ty);
        }
    }
    Err(tokens.expected("a type"))
}
