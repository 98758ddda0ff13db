//! C types as the rest of the program sees them: qualifiers and typedef names stripped, enumerations replaced by
//! their integer type, records laid out for one data model.

use std::collections::HashMap;
use std::fmt;

use tandem_base::{IdVec, define_id};

define_id!(
    /// A type in [`Types`]; equal types have equal ids.
    TypeId, "t"
);
define_id!(
    /// A `struct` or `union`.
    RecordId, "r"
);
define_id!(
    /// The size expression of a variable-length array, in the unit it was written in.
    VlaId, "vla"
);

/// How wide `int`, `long` and pointers are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum DataModel {
    Ilp32,
    Lp64,
}

impl DataModel {
    pub fn pointer_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    pub fn pointer_size(self) -> u64 {
        u64::from(self.pointer_bits() / 8)
    }

    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }

    pub fn from_name(name: &str) -> Option<DataModel> {
        match name {
            "ILP32" => Some(DataModel::Ilp32),
            "LP64" => Some(DataModel::Lp64),
            _ => None,
        }
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The integer types by their C names, `_Bool` apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum IntKind {
    /// Plain `char`, which is signed here as with gcc on x86.
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

impl IntKind {
    pub const ALL: [IntKind; 13] = [
        IntKind::Char,
        IntKind::SignedChar,
        IntKind::UnsignedChar,
        IntKind::Short,
        IntKind::UnsignedShort,
        IntKind::Int,
        IntKind::UnsignedInt,
        IntKind::Long,
        IntKind::UnsignedLong,
        IntKind::LongLong,
        IntKind::UnsignedLongLong,
        IntKind::Int128,
        IntKind::UnsignedInt128,
    ];

    pub fn bits(self, model: DataModel) -> u32 {
        match self {
            IntKind::Char | IntKind::SignedChar | IntKind::UnsignedChar => 8,
            IntKind::Short | IntKind::UnsignedShort => 16,
            IntKind::Int | IntKind::UnsignedInt => 32,
            IntKind::Long | IntKind::UnsignedLong => model.pointer_bits(),
            IntKind::LongLong | IntKind::UnsignedLongLong => 64,
            IntKind::Int128 | IntKind::UnsignedInt128 => 128,
        }
    }

    pub fn is_signed(self) -> bool {
        match self {
            IntKind::Char
            | IntKind::SignedChar
            | IntKind::Short
            | IntKind::Int
            | IntKind::Long
            | IntKind::LongLong
            | IntKind::Int128 => true,
            IntKind::UnsignedChar
            | IntKind::UnsignedShort
            | IntKind::UnsignedInt
            | IntKind::UnsignedLong
            | IntKind::UnsignedLongLong
            | IntKind::UnsignedInt128 => false,
        }
    }

    /// As C spells it.
    pub fn name(self) -> &'static str {
        match self {
            IntKind::Char => "char",
            IntKind::SignedChar => "signed char",
            IntKind::UnsignedChar => "unsigned char",
            IntKind::Short => "short",
            IntKind::UnsignedShort => "unsigned short",
            IntKind::Int => "int",
            IntKind::UnsignedInt => "unsigned int",
            IntKind::Long => "long",
            IntKind::UnsignedLong => "unsigned long",
            IntKind::LongLong => "long long",
            IntKind::UnsignedLongLong => "unsigned long long",
            IntKind::Int128 => "__int128",
            IntKind::UnsignedInt128 => "unsigned __int128",
        }
    }
}

/// The floating types by their format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// `float`: IEEE binary32.
    Single,
    /// `double`: IEEE binary64.
    Double,
    /// `long double` on x86: 80 bits, in 12 (ILP32) or 16 (LP64) bytes.
    Extended,
    /// `__float128`: IEEE binary128.
    Quad,
}

impl FloatKind {
    /// Bits that carry the value: 32, 64, 80 or 128.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::Extended => 80,
            FloatKind::Quad => 128,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Single => "float",
            FloatKind::Double => "double",
            FloatKind::Extended => "long double",
            FloatKind::Quad => "__float128",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Length {
    Fixed(u64),
    /// `int a[]`: no size of its own.
    Incomplete,
    /// `int a[n]`: the size is computed when the declaration is reached.
    Variable(VlaId),
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct FunctionType {
    pub result: TypeId,
    pub parameters: Box<[TypeId]>,
    pub variadic: bool,
    /// `f()` without a prototype: any arguments are passed as they are.
    pub unprototyped: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Type {
    Void,
    Bool,
    Int(IntKind),
    Float(FloatKind),
    Pointer(TypeId),
    Array {
        element: TypeId,
        length: Length,
    },
    Record(RecordId),
    Function(FunctionType),
    /// A type that is not modelled and whose size is of no use, by its C spelling: `_BitInt`. Complex numbers, vectors and
    /// floats of other formats are records of bytes.
    Unsupported(Box<str>),
}

/// Where a bit-field lies: `offset` bits from the first bit of the byte at [`Field::offset`], `width` bits wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct BitRange {
    pub offset: u32,
    pub width: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Absent for an unnamed bit-field and for an anonymous `struct` or `union` member.
    pub name: Option<Box<str>>,
    pub ty: TypeId,
    /// Bytes from the start of the record.
    pub offset: u64,
    pub bits: Option<BitRange>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The tag, absent for an anonymous record. Two records may have the same tag in different scopes.
    pub name: Option<Box<str>>,
    pub is_union: bool,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    /// Whether the record was defined at all.
    pub complete: bool,
    /// Whether its layout depends on a variable-length array (not modelled).
    pub variable: bool,
}

/// What a scalar value is made of; the input of every operation's definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Scalar {
    Bool,
    Int { bits: u32, signed: bool },
    Float(FloatKind),
    Pointer { bits: u32 },
}

impl Scalar {
    /// Bits that carry the value (`_Bool`: 8, of which 0 and 1 are values).
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 8,
            Scalar::Int { bits, .. } | Scalar::Pointer { bits } => bits,
            Scalar::Float(kind) => kind.bits(),
        }
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Int { signed: true, .. })
    }
}

/// All types of a program, interned, for one data model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Types {
    model: DataModel,
    types: IdVec<TypeId, Type>,
    pub records: IdVec<RecordId, Record>,
    index: HashMap<Type, TypeId>,
}

impl Types {
    pub fn new(model: DataModel) -> Types {
        Types { model, types: IdVec::new(), records: IdVec::new(), index: HashMap::new() }
    }

    pub fn model(&self) -> DataModel {
        self.model
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.index.insert(ty, id);
        id
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.enumerate()
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// `size_t` of the data model.
    pub fn size_type(&mut self) -> TypeId {
        self.int(match self.model {
            DataModel::Ilp32 => IntKind::UnsignedInt,
            DataModel::Lp64 => IntKind::UnsignedLong,
        })
    }

    /// `ptrdiff_t` of the data model.
    pub fn difference_type(&mut self) -> TypeId {
        self.int(match self.model {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        })
    }

    /// What a value of this type is made of; `None` for anything that is not a scalar.
    pub fn scalar(&self, id: TypeId) -> Option<Scalar> {
        match *self.get(id) {
            Type::Bool => Some(Scalar::Bool),
            Type::Int(kind) => Some(Scalar::Int { bits: kind.bits(self.model), signed: kind.is_signed() }),
            Type::Float(kind) => Some(Scalar::Float(kind)),
            Type::Pointer(_) => Some(Scalar::Pointer { bits: self.model.pointer_bits() }),
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) | Type::Unsupported(_) => None,
        }
    }

    /// Size in bytes; `None` for types without a fixed size. `void` and functions count one, as in GNU C.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match *self.get(id) {
            Type::Void | Type::Function(_) | Type::Bool => Some(1),
            Type::Int(kind) => Some(u64::from(kind.bits(self.model) / 8)),
            Type::Float(FloatKind::Single) => Some(4),
            Type::Float(FloatKind::Double) => Some(8),
            Type::Float(FloatKind::Extended) => Some(match self.model {
                DataModel::Ilp32 => 12,
                DataModel::Lp64 => 16,
            }),
            Type::Float(FloatKind::Quad) => Some(16),
            Type::Pointer(_) => Some(self.model.pointer_size()),
            Type::Array { element, length: Length::Fixed(count) } => self.size(element)?.checked_mul(count),
            Type::Array { .. } => None,
            Type::Record(record) => {
                let record = &self.records[record];
                (record.complete && !record.variable).then_some(record.size)
            }
            Type::Unsupported(_) => None,
        }
    }

    /// Alignment in bytes as the x86 psABI has it (`long long` and `double` in ILP32: 4 inside records; here 4).
    pub fn align(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Void | Type::Function(_) | Type::Bool | Type::Unsupported(_) => 1,
            Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
                let size = self.size(id).unwrap_or(1);
                let largest = match self.model {
                    DataModel::Ilp32 => 4,
                    DataModel::Lp64 => 16,
                };
                size.min(largest)
            }
            Type::Array { element, .. } => self.align(element),
            Type::Record(record) => self.records[record].align.max(1),
        }
    }

    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match *self.get(id) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// The type as C writes it around `declarator`: `declare(int[3], "a")` is `int a[3]`.
    pub fn declare(&self, id: TypeId, declarator: &str) -> String {
        match self.get(id) {
            Type::Pointer(to) => match self.get(*to) {
                Type::Array { .. } | Type::Function(_) => self.declare(*to, &format!("(*{declarator})")),
                _ => self.declare(*to, &format!("*{declarator}")),
            },
            Type::Array { element, length } => {
                let count = match length {
                    Length::Fixed(count) => count.to_string(),
                    Length::Incomplete | Length::Variable(_) => String::new(),
                };
                self.declare(*element, &format!("{declarator}[{count}]"))
            }
            Type::Function(function) => {
                let mut parameters: Vec<String> =
                    function.parameters.iter().map(|p| self.declare(*p, "").trim_end().to_string()).collect();
                if function.variadic {
                    parameters.push("...".to_string());
                }
                if parameters.is_empty() && !function.unprototyped {
                    parameters.push("void".to_string());
                }
                self.declare(function.result, &format!("{declarator}({})", parameters.join(", ")))
            }
            base => {
                let name = match base {
                    Type::Void => "void".to_string(),
                    Type::Bool => "_Bool".to_string(),
                    Type::Int(kind) => kind.name().to_string(),
                    Type::Float(kind) => kind.name().to_string(),
                    Type::Record(record) => self.record_name(*record),
                    Type::Unsupported(name) => name.to_string(),
                    Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => unreachable!("handled above"),
                };
                if declarator.is_empty() { name } else { format!("{name} {declarator}") }
            }
        }
    }

    /// `struct tag`, or `struct anon_N` for a record without one.
    pub fn record_name(&self, id: RecordId) -> String {
        let record = &self.records[id];
        let keyword = if record.is_union { "union" } else { "struct" };
        match &record.name {
            Some(name) => format!("{keyword} {name}"),
            None => format!("{keyword} anon_{}", id.0),
        }
    }
}
