//! Writes types, expressions and places. Iterative where the source decides how deep things nest.

use tandem_syntax::Types;
use tandem_syntax::types::{FloatKind, Length, RecordId, Type, TypeId};

use super::names::{Names, member, quoted, spelled};
use super::typed::{self, Implied};
use super::words::{INTRINSICS, binary_symbol, chains, suffix, unary_symbol, word};
use crate::model::*;

/// The name of a type; function types are named by their number.
pub(super) fn type_name(types: &Types, names: &Names, ty: TypeId) -> String {
    let mut suffixes = Vec::new();
    let mut at = ty;
    let base = loop {
        match types.get(at) {
            Type::Pointer(to) => {
                suffixes.push("*".to_string());
                at = *to;
            }
            Type::Array { element, length } => {
                suffixes.push(match length {
                    Length::Fixed(count) => format!("[{count}]"),
                    Length::Incomplete => "[]".to_string(),
                    Length::Variable(vla) => format!("[vla#{}]", vla.0),
                });
                at = *element;
            }
            Type::Void => break "void".to_string(),
            Type::Bool => break "_Bool".to_string(),
            Type::Int(kind) => break kind.name().to_string(),
            Type::Float(kind) => break kind.name().to_string(),
            Type::Record(record) => break record_name(types, names, *record),
            Type::Function(_) => break format!("type#{}", at.0),
            Type::Unsupported(name) => break format!("unsupported {}", quoted(name.as_bytes(), '"')),
        }
    };
    suffixes.into_iter().rev().fold(base, |text, suffix| text + &suffix)
}

/// The same, with a function type written out.
pub(super) fn type_definition(types: &Types, names: &Names, ty: TypeId) -> String {
    let Type::Function(function) = types.get(ty) else {
        return type_name(types, names, ty);
    };
    let mut parameters: Vec<String> = function.parameters.iter().map(|p| type_name(types, names, *p)).collect();
    if function.variadic {
        parameters.push("...".to_string());
    }
    if function.unprototyped {
        parameters.push("?".to_string());
    }
    if parameters.is_empty() {
        parameters.push("void".to_string());
    }
    format!("{}({})", type_name(types, names, function.result), parameters.join(", "))
}

fn record_name(types: &Types, names: &Names, id: RecordId) -> String {
    let record = &types.records[id];
    let keyword = if record.is_union { "union" } else { "struct" };
    match &record.name {
        Some(name) if names.record(record.is_union, name) == Some(Some(id)) => format!("{keyword} {}", spelled(name)),
        Some(name) => format!("{keyword} {}#{}", spelled(name), id.0),
        None => format!("{keyword} #{}", id.0),
    }
}

/// Where a term stands, which decides about parentheses.
#[derive(Clone, Copy, PartialEq)]
enum Context {
    Top,
    /// The left operand of the same operator.
    Chain(BinaryOp),
    Operand,
    /// Before `->`, `.` or `[`.
    Base,
}

enum Piece {
    Text(&'static str),
    Owned(String),
    Expr(ExprId, Context),
    Place(PlaceId, Context),
}

/// Writes the terms of one function.
pub(super) struct Terms<'a> {
    program: &'a Program,
    names: &'a Names,
    inside: Option<FunctionId>,
}

impl<'a> Terms<'a> {
    pub fn new(program: &'a Program, names: &'a Names, inside: Option<FunctionId>) -> Terms<'a> {
        Terms { program, names, inside }
    }

    pub fn variable(&self, id: VariableId) -> String {
        let name = &self.program.variables[id].name;
        match self.names.variable(name, self.inside) {
            Some(Some(meant)) if meant == id => spelled(name),
            _ => format!("{}#{}", spelled(name), id.0),
        }
    }

    pub fn function(&self, id: FunctionId) -> String {
        let name = &self.program.functions[id].name;
        match self.names.function(name) {
            Some(Some(_)) => spelled(name),
            _ => format!("{}#{}", spelled(name), id.0),
        }
    }

    pub fn expr(&self, id: ExprId) -> String {
        self.pieces(Piece::Expr(id, Context::Top))
    }

    pub fn place(&self, id: PlaceId) -> String {
        self.pieces(Piece::Place(id, Context::Top))
    }

    fn pieces(&self, first: Piece) -> String {
        let mut out = String::new();
        let mut open = vec![first];
        while let Some(piece) = open.pop() {
            let from = open.len();
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Owned(text) => out.push_str(&text),
                Piece::Expr(id, context) => self.expr_pieces(id, context, &mut open),
                Piece::Place(id, context) => self.place_pieces(id, context, &mut open),
            }
            open[from..].reverse();
        }
        out
    }

    fn ty(&self, ty: TypeId) -> String {
        type_name(&self.program.types, self.names, ty)
    }

    /// Pushes the pieces of an expression, the first first.
    fn expr_pieces(&self, id: ExprId, context: Context, open: &mut Vec<Piece>) {
        let Expr { kind, ty } = self.program.expr(id);
        match kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) => {
                let text = self.constant(kind, ty);
                return open.push(Piece::Owned(if context == Context::Base { format!("({text})") } else { text }));
            }
            ExprKind::Convert(operand) => {
                return self.parenthesised(context == Context::Base, open, |open| {
                    open.push(Piece::Owned(format!("({})", self.ty(ty))));
                    open.push(Piece::Expr(operand, Context::Operand));
                });
            }
            _ => {}
        }
        let implied = typed::of_expr(&self.program.arena, |f| self.program.functions[f].ty, kind);
        let ascribed = !implied.means(&self.program.types, ty);
        if ascribed {
            return self.parenthesised(context == Context::Base, open, |open| {
                open.push(Piece::Owned(format!("<{}>", self.ty(ty))));
                self.kind_pieces(kind, Context::Operand, open);
            });
        }
        self.kind_pieces(kind, context, open);
    }

    fn parenthesised(&self, parentheses: bool, open: &mut Vec<Piece>, inside: impl FnOnce(&mut Vec<Piece>)) {
        if parentheses {
            open.push(Piece::Text("("));
        }
        inside(open);
        if parentheses {
            open.push(Piece::Text(")"));
        }
    }

    fn kind_pieces(&self, kind: ExprKind, context: Context, open: &mut Vec<Piece>) {
        let is_base = context == Context::Base;
        match kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Convert(_) => {}
            ExprKind::Zero => open.push(Piece::Text("zero")),
            ExprKind::Read(place) => open.push(Piece::Place(place, context)),
            ExprKind::AddressOf(place) => self.parenthesised(is_base, open, |open| {
                open.push(Piece::Text("&"));
                open.push(Piece::Place(place, Context::Operand));
            }),
            ExprKind::Function(function) => self.parenthesised(is_base, open, |open| {
                open.push(Piece::Owned(format!("fn {}", self.function(function))));
            }),
            ExprKind::Unary(op, operand) => self.parenthesised(is_base, open, |open| {
                open.push(Piece::Text(unary_symbol(op)));
                // `-(5)` is the negation of a constant, `-5` is a constant.
                let is_number = matches!(self.program.expr(operand).kind, ExprKind::Bits(_) | ExprKind::Wide(_));
                open.push(Piece::Expr(operand, if is_number { Context::Base } else { Context::Operand }));
            }),
            ExprKind::Binary(op, left, right) => self.binary(op, left, right, context, open),
            ExprKind::Intrinsic(intrinsic, first, second) => self.parenthesised(is_base, open, |open| {
                open.push(Piece::Owned(format!("{}(", word(&INTRINSICS, intrinsic))));
                open.push(Piece::Expr(first, Context::Top));
                if let Some(second) = second {
                    open.extend([Piece::Text(", "), Piece::Expr(second, Context::Top)]);
                }
                open.push(Piece::Text(")"));
            }),
        }
    }

    fn binary(&self, op: BinaryOp, left: ExprId, right: ExprId, context: Context, open: &mut Vec<Piece>) {
        let bare = match context {
            Context::Top => true,
            Context::Chain(outer) => outer == op && chains(op),
            Context::Operand | Context::Base => false,
        };
        self.parenthesised(!bare, open, |open| {
            open.push(Piece::Expr(left, Context::Chain(op)));
            open.extend([Piece::Text(" "), Piece::Text(binary_symbol(op)), Piece::Text(" ")]);
            open.push(Piece::Expr(right, Context::Operand));
        });
    }

    fn place_pieces(&self, id: PlaceId, context: Context, open: &mut Vec<Piece>) {
        let Place { kind, ty } = self.program.place(id);
        let types = &self.program.types;
        let implied = typed::of_place(types, &self.program.arena, |v| self.program.variables[v].ty, kind);
        if implied == Implied::None || !implied.means(types, ty) {
            open.push(Piece::Owned(format!("{{{}: ", self.ty(ty))));
            self.place_kind_pieces(kind, Context::Operand, open);
            return open.push(Piece::Text("}"));
        }
        self.place_kind_pieces(kind, context, open);
    }

    fn place_kind_pieces(&self, kind: PlaceKind, context: Context, open: &mut Vec<Piece>) {
        match kind {
            PlaceKind::Variable(variable) => open.push(Piece::Owned(self.variable(variable))),
            PlaceKind::Deref(pointer) => self.parenthesised(context == Context::Base, open, |open| {
                open.push(Piece::Text("*"));
                open.push(Piece::Expr(pointer, Context::Operand));
            }),
            PlaceKind::Field(base, record, field) => {
                let name =
                    self.program.types.records[record].fields.get(field as usize).and_then(|f| f.name.as_deref());
                let name = match name {
                    Some(name) if member(&self.program.types.records[record], name) == Some(field) => spelled(name),
                    _ => format!("#{field}"),
                };
                match self.behind_pointer(base) {
                    Some(pointer) => open.extend([Piece::Expr(pointer, Context::Base), Piece::Text("->")]),
                    None => open.extend([Piece::Place(base, Context::Base), Piece::Text(".")]),
                }
                open.push(Piece::Owned(name));
            }
            PlaceKind::Index(base, index) => {
                open.extend([Piece::Place(base, Context::Base), Piece::Text("[")]);
                open.extend([Piece::Expr(index, Context::Top), Piece::Text("]")]);
            }
        }
    }

    /// The pointer, if the place is what it points to and has the type that follows from it.
    fn behind_pointer(&self, place: PlaceId) -> Option<ExprId> {
        let Place { kind, ty } = self.program.place(place);
        match kind {
            PlaceKind::Deref(pointer) if self.program.types.pointee(self.program.expr(pointer).ty) == Some(ty) => {
                Some(pointer)
            }
            _ => None,
        }
    }

    fn constant(&self, kind: ExprKind, ty: TypeId) -> String {
        let bits = match kind {
            ExprKind::Bits(bits) => bits,
            ExprKind::Wide(wide) => return format!("<{}>0x{:x}", self.ty(ty), self.program.wide(wide)),
            _ => 0,
        };
        let types = &self.program.types;
        let width = types.scalar(ty).map_or(0, |scalar| scalar.bits());
        if width == 0 || width > 64 || (width < 64 && bits >> width != 0) {
            return format!("<{}>0x{bits:x}", self.ty(ty));
        }
        let signed = types.scalar(ty).is_some_and(|scalar| scalar.is_signed());
        let number =
            if signed { (((bits << (64 - width)) as i64) >> (64 - width)).to_string() } else { bits.to_string() };
        match types.get(ty) {
            Type::Int(kind) => match suffix(*kind) {
                Some(suffix) => number + suffix,
                None => format!("<{}>{number}", self.ty(ty)),
            },
            Type::Float(FloatKind::Single) if f32::from_bits(bits as u32).is_finite() => {
                format!("{:?}f", f32::from_bits(bits as u32))
            }
            Type::Float(FloatKind::Double) if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
            Type::Float(_) => format!("<{}>0x{bits:x}", self.ty(ty)),
            _ => format!("<{}>{number}", self.ty(ty)),
        }
    }
}
