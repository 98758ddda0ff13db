//! The front end's types turned into ours: typedef names and qualifiers stripped, enumerations replaced by their
//! integer type, records copied with their layout.

use std::collections::HashMap;

use rucc_base::Interner;
use rucc_target::TargetInfo;
use rucc_types as raw;
use tandem_base::{FastBuild, Id};

use crate::types::{
    BitRange, Field, FloatKind, FunctionType, IntKind, Length, Record, RecordId, Type, TypeId, Types, VlaId,
};

/// Which of our types each of the front end's types became.
pub(crate) type TypeMap = HashMap<raw::TypeId, TypeId, FastBuild>;

/// Converts types and remembers the answers.
pub(crate) struct TypeConverter<'a> {
    raw: &'a raw::Types,
    names: &'a Interner,
    pub types: Types,
    pub map: TypeMap,
    target: &'a TargetInfo,
    records: HashMap<raw::RecordId, RecordId, FastBuild>,
    /// Records that stand for types that are not modelled, by the spelling of these without qualifiers.
    opaque: HashMap<String, TypeId, FastBuild>,
    /// Records that are known by id and whose fields are still to be converted.
    pending: Vec<(raw::RecordId, RecordId)>,
}

impl<'a> TypeConverter<'a> {
    pub fn new(raw: &'a raw::Types, names: &'a Interner, target: &'a TargetInfo, types: Types) -> TypeConverter<'a> {
        let (map, records, opaque) = (TypeMap::default(), HashMap::default(), HashMap::default());
        TypeConverter { raw, names, types, map, target, records, opaque, pending: Vec::new() }
    }

    /// Our type for one of the front end's, with every record it reaches filled in.
    pub fn convert(&mut self, id: raw::TypeId) -> TypeId {
        let converted = self.shallow(id);
        while let Some((from, to)) = self.pending.pop() {
            self.fill(from, to);
        }
        converted
    }

    /// Stops at records: their fields come later, so that a chain of records does not recurse.
    fn shallow(&mut self, id: raw::TypeId) -> TypeId {
        if let Some(&known) = self.map.get(&id) {
            return known;
        }
        let canonical = self.raw.canonical(id);
        let ty = self.raw.get(canonical);
        let converted =
            if ty.quals.space().is_none() { self.kind(canonical, ty.kind) } else { self.unsupported(canonical) };
        self.map.insert(id, converted);
        converted
    }

    fn kind(&mut self, id: raw::TypeId, kind: raw::TypeKind) -> TypeId {
        let ty = match kind {
            raw::TypeKind::Void => Type::Void,
            raw::TypeKind::Bool => Type::Bool,
            raw::TypeKind::Int(kind) => Type::Int(integer(kind)),
            raw::TypeKind::Float(kind) => match float(kind) {
                Some(kind) => Type::Float(kind),
                None => return self.opaque(id),
            },
            raw::TypeKind::Pointer(to) => Type::Pointer(self.shallow(to)),
            raw::TypeKind::Atomic(inner) => return self.shallow(inner),
            raw::TypeKind::Array { elem, len } => Type::Array { element: self.shallow(elem), length: length(len) },
            raw::TypeKind::Function(function) => self.function(function),
            raw::TypeKind::Record(record) if self.raw.record_info(record).reverse => return self.unsupported(id),
            raw::TypeKind::Record(record) => Type::Record(self.record(record)),
            raw::TypeKind::Enum(enumeration) => return self.enumeration(id, enumeration),
            raw::TypeKind::Typedef { underlying, .. } => return self.shallow(underlying),
            raw::TypeKind::Complex(_) | raw::TypeKind::Vector { .. } => return self.opaque(id),
            raw::TypeKind::BitInt { .. } => return self.unsupported(id),
        };
        self.types.intern(ty)
    }

    fn unsupported(&mut self, id: raw::TypeId) -> TypeId {
        let spelling = raw::spell(self.raw, self.names, id);
        self.types.intern(Type::Unsupported(spelling.into()))
    }

    /// A type whose operations are not modelled, but whose objects have a size: a record of so many bytes. Such an object can be
    /// declared, copied, passed and returned; every operator finds that it is no scalar.
    fn opaque(&mut self, id: raw::TypeId) -> TypeId {
        let Ok(layout) = raw::layout(self.raw, id, self.target) else { return self.unsupported(id) };
        let spelling = raw::spell(self.raw, self.names, id);
        let is_qualifier = |word: &&str| matches!(*word, "const" | "volatile" | "restrict" | "_Atomic");
        let key = spelling.split_whitespace().filter(|word| !is_qualifier(word)).collect::<Vec<_>>().join(" ");
        if let Some(&known) = self.opaque.get(&key) {
            return known;
        }
        let element = self.types.int(IntKind::UnsignedChar);
        let bytes = self.types.intern(Type::Array { element, length: Length::Fixed(layout.size) });
        let field = Field { name: Some("bytes".into()), ty: bytes, offset: 0, bits: None };
        let record = self.types.records.push(Record {
            name: None,
            is_union: false,
            fields: vec![field],
            size: layout.size,
            align: layout.align,
            complete: true,
            variable: false,
        });
        let ty = self.types.intern(Type::Record(record));
        self.opaque.insert(key, ty);
        ty
    }

    fn enumeration(&mut self, id: raw::TypeId, enumeration: raw::EnumId) -> TypeId {
        let info = self.raw.enum_info(enumeration);
        match info.underlying {
            _ if info.hardbool.is_some() => self.unsupported(id),
            Some(underlying) => self.shallow(underlying),
            None => self.types.int(IntKind::UnsignedInt),
        }
    }

    fn function(&mut self, id: raw::FunctionId) -> Type {
        let signature = self.raw.signature(id);
        let result = self.shallow(signature.ret);
        let parameters = signature.params.iter().map(|parameter| self.shallow(*parameter)).collect();
        let unprototyped = !signature.prototyped;
        Type::Function(FunctionType { result, parameters, variadic: signature.variadic, unprototyped })
    }

    fn record(&mut self, id: raw::RecordId) -> RecordId {
        if let Some(&known) = self.records.get(&id) {
            return known;
        }
        let info = self.raw.record_info(id);
        let layout = info.layout;
        let record = self.types.records.push(Record {
            name: info.tag.map(|tag| self.names.resolve(tag).into()),
            is_union: info.kind == raw::RecordKind::Union,
            fields: Vec::new(),
            size: layout.map_or(0, |layout| layout.size),
            align: layout.map_or(1, |layout| layout.align),
            complete: layout.is_some(),
            variable: info.variable.is_some(),
        });
        self.records.insert(id, record);
        self.pending.push((id, record));
        record
    }

    fn fill(&mut self, from: raw::RecordId, to: RecordId) {
        let raw = self.raw;
        let mut fields = Vec::with_capacity(raw.record_info(from).fields.len());
        for field in &raw.record_info(from).fields {
            fields.push(Field {
                name: field.name.map(|name| self.names.resolve(name).into()),
                ty: self.shallow(field.ty),
                offset: field.offset,
                bits: field.bits.map(|width| BitRange { offset: field.bit, width }),
            });
        }
        self.types.records[to].fields = fields;
    }
}

fn integer(kind: raw::IntKind) -> IntKind {
    match kind {
        raw::IntKind::Char => IntKind::Char,
        raw::IntKind::SChar => IntKind::SignedChar,
        raw::IntKind::UChar => IntKind::UnsignedChar,
        raw::IntKind::Short => IntKind::Short,
        raw::IntKind::UShort => IntKind::UnsignedShort,
        raw::IntKind::Int => IntKind::Int,
        raw::IntKind::UInt => IntKind::UnsignedInt,
        raw::IntKind::Long => IntKind::Long,
        raw::IntKind::ULong => IntKind::UnsignedLong,
        raw::IntKind::LongLong => IntKind::LongLong,
        raw::IntKind::ULongLong => IntKind::UnsignedLongLong,
        raw::IntKind::Int128 => IntKind::Int128,
        raw::IntKind::UInt128 => IntKind::UnsignedInt128,
    }
}

fn float(kind: raw::FloatKind) -> Option<FloatKind> {
    match kind {
        raw::FloatKind::Float | raw::FloatKind::Float32 => Some(FloatKind::Single),
        raw::FloatKind::Double | raw::FloatKind::Float32x | raw::FloatKind::Float64 => Some(FloatKind::Double),
        raw::FloatKind::LongDouble | raw::FloatKind::Float64x => Some(FloatKind::Extended),
        raw::FloatKind::Float128 => Some(FloatKind::Quad),
        raw::FloatKind::Float16
        | raw::FloatKind::Decimal32
        | raw::FloatKind::Decimal64
        | raw::FloatKind::Decimal128 => None,
    }
}

fn length(length: raw::ArrayLen) -> Length {
    match length {
        raw::ArrayLen::Fixed(count) => Length::Fixed(count),
        raw::ArrayLen::Unknown | raw::ArrayLen::Star => Length::Incomplete,
        raw::ArrayLen::Variable(id) => Length::Variable(VlaId::from_index(id.0 as usize)),
    }
}
