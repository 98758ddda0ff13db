//! Expressions, places, types and edges as C, for people and for formats that want C expressions.
//!
//! Names are those of the source, parentheses are as few as C allows, and a conversion is written only where C would not
//! make the same one by itself; in doubt it is written. The text need not be unambiguous (two variables may have one
//! name): that is what [`text`](crate::text) is for. Iterative, since expressions may nest deeply.

mod constant;
mod convert;
mod intrinsic;

use std::fmt::Write;

use tandem_syntax::types::{IntKind, RecordId, Type, TypeId};

use crate::model::*;

/// Who says how variables, functions, members and types are called in a text that a compiler is to read. With a spelling, the
/// text means exactly what the expression means; without one it is for people.
pub(crate) trait Spelling {
    fn variable(&self, id: VariableId) -> String;
    fn function(&self, id: FunctionId) -> String;
    fn member(&self, record: RecordId, field: u32) -> String;
    /// As in a cast.
    fn ty(&self, id: TypeId) -> String;
}

/// A string literal with these bytes; the zero that C adds is left out.
pub(crate) fn string(bytes: &[u8]) -> String {
    constant::string(bytes)
}

/// A type as C writes it.
pub fn ty(program: &Program, id: TypeId) -> String {
    program.types.declare(id, "").trim_end().to_string()
}

/// An expression as C writes it, of exactly its type.
pub fn expr(program: &Program, id: ExprId) -> String {
    Printer::new(program).expression(id)
}

/// An expression where C converts it to its type by itself: assigned, passed or returned.
pub fn assigned(program: &Program, id: ExprId) -> String {
    Printer::new(program).assigned(id)
}

/// A place as C writes it.
pub fn place(program: &Program, id: PlaceId) -> String {
    Printer::new(program).lvalue(id)
}

/// What an edge does: `x = y + 1`, `[x < 5]`, `[!(x < 5)]`, `f(x)`, `return x`, `int x`, `skip`.
pub fn edge(program: &Program, id: EdgeId) -> String {
    match &program.edges[id].op {
        Op::Skip => "skip".to_string(),
        Op::Assume { condition, truth: true } => format!("[{}]", expr(program, *condition)),
        Op::Assume { condition, truth: false } => format!("[!({})]", expr(program, *condition)),
        Op::Assign { place: target, value } => format!("{} = {}", place(program, *target), assigned(program, *value)),
        Op::Call { callee, arguments, result } => call(program, callee, arguments, *result),
        Op::Return { value: Some(value) } => format!("return {}", assigned(program, *value)),
        Op::Return { value: None } => "return".to_string(),
        Op::Declare(variable) => {
            let variable = &program.variables[*variable];
            program.types.declare(variable.ty, &variable.name)
        }
        Op::Unsupported { what } => format!("unsupported: {what}"),
    }
}

fn call(program: &Program, callee: &Callee, arguments: &[ExprId], result: Option<PlaceId>) -> String {
    let mut text = result.map_or(String::new(), |target| format!("{} = ", place(program, target)));
    match callee {
        Callee::Direct(function) => text.push_str(&program.functions[*function].name),
        Callee::Pointer(pointer) => text.push_str(&Printer::new(program).callee(*pointer)),
        Callee::Builtin(builtin) => text.push_str(match builtin {
            Builtin::VaStart => "va_start",
            Builtin::VaArg => "va_arg",
            Builtin::VaEnd => "va_end",
            Builtin::VaCopy => "va_copy",
            Builtin::Alloca => "alloca",
            Builtin::Unreachable => "__builtin_unreachable",
            Builtin::Trap => "__builtin_trap",
        }),
    }
    let prototyped = parameters(program, callee);
    text.push('(');
    for (index, argument) in arguments.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let argument = if index < prototyped { assigned(program, *argument) } else { expr(program, *argument) };
        let _ = write!(text, "{separator}{argument}");
    }
    text + ")"
}

/// How many arguments C converts to the type of a parameter.
fn parameters(program: &Program, callee: &Callee) -> usize {
    let ty = match callee {
        Callee::Direct(function) => Some(program.functions[*function].ty),
        Callee::Pointer(pointer) => program.types.pointee(program.expr(*pointer).ty),
        Callee::Builtin(_) => None,
    };
    match ty.map(|ty| program.types.get(ty)) {
        Some(tandem_syntax::types::Type::Function(function)) if !function.unprototyped => function.parameters.len(),
        _ => 0,
    }
}

/// How tightly an operator binds.
type Level = u8;
const LOWEST: Level = 0;
const UNARY: Level = 14;
const POSTFIX: Level = 15;
/// Inside the parentheses that bring a narrow result back to its type.
const NARROWED: Level = 100;

fn level(op: BinaryOp) -> Level {
    match op {
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 13,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::PointerAdd | BinaryOp::PointerSub | BinaryOp::PointerDiff => 12,
        BinaryOp::Shl | BinaryOp::Shr => 11,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => 10,
        BinaryOp::Eq | BinaryOp::Ne => 9,
        BinaryOp::And => 8,
        BinaryOp::Xor => 7,
        BinaryOp::Or => 6,
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add | BinaryOp::PointerAdd => " + ",
        BinaryOp::Sub | BinaryOp::PointerSub | BinaryOp::PointerDiff => " - ",
        BinaryOp::Mul => " * ",
        BinaryOp::Div => " / ",
        BinaryOp::Rem => " % ",
        BinaryOp::Shl => " << ",
        BinaryOp::Shr => " >> ",
        BinaryOp::And => " & ",
        BinaryOp::Or => " | ",
        BinaryOp::Xor => " ^ ",
        BinaryOp::Eq => " == ",
        BinaryOp::Ne => " != ",
        BinaryOp::Lt => " < ",
        BinaryOp::Le => " <= ",
        BinaryOp::Gt => " > ",
        BinaryOp::Ge => " >= ",
    }
}

/// A part of the text that is still to be printed; terms with the least level that needs no parentheses.
enum Piece {
    Text(&'static str),
    Owned(String),
    Expr(ExprId, Level),
    /// The same, under a cast to the type.
    Cast(TypeId, ExprId, Level),
    Place(PlaceId, Level),
}

pub(crate) struct Printer<'a> {
    program: &'a Program,
    spelling: Option<&'a dyn Spelling>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program) -> Printer<'a> {
        Printer { program, spelling: None }
    }

    /// For a compiler.
    pub(crate) fn exact(program: &'a Program, spelling: &'a dyn Spelling) -> Printer<'a> {
        Printer { program, spelling: Some(spelling) }
    }

    /// An expression of exactly its type.
    pub(crate) fn expression(&self, id: ExprId) -> String {
        self.print(Piece::Expr(id, LOWEST))
    }

    /// An expression where C converts it to its type by itself.
    pub(crate) fn assigned(&self, id: ExprId) -> String {
        if self.is_null(id) {
            return "0".to_string();
        }
        self.print(Piece::Expr(self.without_implicit(id), LOWEST))
    }

    pub(crate) fn lvalue(&self, id: PlaceId) -> String {
        self.print(Piece::Place(id, LOWEST))
    }

    /// The address of a place.
    pub(crate) fn address_of(&self, id: PlaceId) -> String {
        self.print(Piece::Owned("&".to_string())) + &self.print(Piece::Place(id, UNARY))
    }

    /// The pointer in front of the arguments of a call.
    pub(crate) fn callee(&self, pointer: ExprId) -> String {
        self.print(Piece::Expr(pointer, POSTFIX))
    }

    /// An expression as an operand of `!`.
    pub(crate) fn operand(&self, id: ExprId) -> String {
        self.print(Piece::Expr(id, UNARY))
    }

    fn is_null(&self, id: ExprId) -> bool {
        let expr = self.program.expr(id);
        expr.kind == ExprKind::Bits(0) && self.program.types.pointee(expr.ty).is_some()
    }

    fn spelled(&self, ty: TypeId) -> String {
        self.spelling.map_or_else(|| self::ty(self.program, ty), |spelling| spelling.ty(ty))
    }

    /// Whether C computes in `int` what has a narrower type, so that the result has to be brought back.
    fn is_narrow(&self, ty: TypeId) -> bool {
        self.spelling.is_some()
            && match self.program.types.get(ty) {
                Type::Bool => true,
                Type::Int(kind) => *kind < IntKind::Int,
                Type::Void | Type::Float(_) | Type::Pointer(_) | Type::Array { .. } => false,
                Type::Record(_) | Type::Function(_) | Type::Unsupported(_) => false,
            }
    }

    /// Compilers compute with a wide bit-field in its own width, not in that of its declared type.
    fn is_wide_bit_field(&self, place: PlaceId) -> bool {
        let Place { kind: PlaceKind::Field(_, record, field), ty } = self.program.place(place) else { return false };
        let bits = self.program.types.records[record].fields.get(field as usize).and_then(|field| field.bits);
        let declared = self.program.types.scalar(ty).map_or(0, |scalar| scalar.bits());
        self.spelling.is_some() && bits.is_some_and(|bits| bits.width >= 32 && bits.width < declared)
    }
    fn print(&self, first: Piece) -> String {
        let mut out = String::new();
        let mut open = vec![first];
        while let Some(piece) = open.pop() {
            let from = open.len();
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Owned(text) => self.join(&mut out, &text),
                Piece::Expr(id, least) => self.expr(id, least, &mut open),
                Piece::Cast(ty, id, least) => self.cast(ty, id, least, &mut open),
                Piece::Place(id, least) => self.place(id, least, &mut open),
            }
            open[from..].reverse();
        }
        out
    }

    /// `-` before `-5` and `&` before `&x` need a space.
    fn join(&self, out: &mut String, text: &str) {
        if text.starts_with(['-', '&', '+']) && out.ends_with(&text[..1]) {
            out.push(' ');
        }
        out.push_str(text);
    }

    /// Puts what `inside` pushes between parentheses if it binds less tightly than wanted.
    fn at(&self, level: Level, least: Level, open: &mut Vec<Piece>, inside: impl FnOnce(&mut Vec<Piece>)) {
        let least = if least == NARROWED { LOWEST } else { least };
        if level < least {
            open.push(Piece::Text("("));
        }
        inside(open);
        if level < least {
            open.push(Piece::Text(")"));
        }
    }

    fn expr(&self, id: ExprId, least: Level, open: &mut Vec<Piece>) {
        let Expr { kind, ty } = self.program.expr(id);
        match kind {
            ExprKind::Bits(bits) => self.constant(u128::from(bits), ty, least, open),
            ExprKind::Wide(wide) => self.constant(self.program.wide(wide), ty, least, open),
            ExprKind::Zero => open.push(Piece::Text("{0}")),
            ExprKind::Read(place) if self.is_wide_bit_field(place) => self.at(UNARY, least, open, |open| {
                open.push(Piece::Owned(format!("({})", self.spelled(ty))));
                open.push(Piece::Place(place, UNARY));
            }),
            ExprKind::Read(place) => open.push(Piece::Place(place, least)),
            ExprKind::Unary(UnaryOp::Neg | UnaryOp::Complement, _) | ExprKind::Binary(..)
                if self.is_narrow(ty) && least < NARROWED =>
            {
                self.at(UNARY, least, open, |open| {
                    open.push(Piece::Owned(format!("({})(", self.spelled(ty))));
                    open.extend([Piece::Expr(id, NARROWED), Piece::Text(")")]);
                });
            }
            ExprKind::AddressOf(place) => self.address(place, ty, least, open),
            ExprKind::Function(function) => {
                let own = || self.program.functions[function].name.to_string();
                open.push(Piece::Owned(self.spelling.map_or_else(own, |spelling| spelling.function(function))));
            }
            ExprKind::Unary(op, operand) => {
                let sign = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Complement => "~",
                    UnaryOp::Not => "!",
                };
                self.at(UNARY, least, open, |open| {
                    open.push(Piece::Owned(sign.to_string()));
                    open.push(self.promoted(operand, UNARY));
                });
            }
            ExprKind::Binary(op, left, right) => {
                let own = level(op);
                let (left, right) = self.operands(op, left, right, own);
                self.at(own, least, open, |open| open.extend([left, Piece::Text(symbol(op)), right]));
            }
            ExprKind::Convert(operand) => self.cast(ty, self.without_widening(operand), least, open),
            ExprKind::Intrinsic(intrinsic, first, second) if self.spelling.is_some() => {
                self.exact_intrinsic(intrinsic, (first, second), ty, least, open);
            }
            ExprKind::Intrinsic(intrinsic, first, second) => {
                open.push(Piece::Owned(format!("{}(", self.intrinsic_name(intrinsic, first))));
                open.push(Piece::Expr(first, LOWEST));
                if let Some(second) = second {
                    open.extend([Piece::Text(", "), Piece::Expr(second, LOWEST)]);
                }
                open.push(Piece::Text(")"));
            }
        }
    }

    fn cast(&self, ty: TypeId, operand: ExprId, least: Level, open: &mut Vec<Piece>) {
        self.at(UNARY, least, open, |open| {
            open.push(Piece::Owned(format!("({})", self.spelled(ty))));
            open.push(Piece::Expr(operand, UNARY));
        });
    }

    fn constant(&self, bits: u128, ty: TypeId, least: Level, open: &mut Vec<Piece>) {
        if self.spelling.is_some() && self.program.types.pointee(ty).is_some() {
            let text = format!("({})0x{bits:x}", self.spelled(ty)).replace(")0x0", ")0");
            return self.at(UNARY, least, open, |open| open.push(Piece::Owned(text)));
        }
        let text = constant::print(&self.program.types, bits, ty);
        let level = if text.starts_with(['-', '(']) && !text.ends_with(')') { UNARY } else { POSTFIX };
        self.at(level, least, open, |open| open.push(Piece::Owned(text)));
    }

    fn address(&self, place: PlaceId, ty: TypeId, least: Level, open: &mut Vec<Piece>) {
        let target = self.program.place(place);
        if self.program.types.pointee(ty) != Some(target.ty) {
            // An array where C makes a pointer to its first element.
            return open.push(Piece::Place(place, least));
        }
        self.at(UNARY, least, open, |open| {
            open.push(Piece::Owned("&".to_string()));
            open.push(Piece::Place(place, UNARY));
        });
    }

    fn place(&self, id: PlaceId, least: Level, open: &mut Vec<Piece>) {
        match self.program.place(id).kind {
            PlaceKind::Variable(variable) => open.push(Piece::Owned(self.variable(variable))),
            PlaceKind::Deref(pointer) => match self.program.expr(pointer).kind {
                ExprKind::Binary(BinaryOp::PointerAdd, base, index) => {
                    open.push(Piece::Expr(base, POSTFIX));
                    open.extend([
                        Piece::Text("["),
                        Piece::Expr(self.without_widening(index), LOWEST),
                        Piece::Text("]"),
                    ]);
                }
                _ => self.at(UNARY, least, open, |open| {
                    open.push(Piece::Owned("*".to_string()));
                    open.push(Piece::Expr(pointer, UNARY));
                }),
            },
            PlaceKind::Field(base, record, field) => {
                let Some(name) = self.member(record, field) else {
                    // A member of an anonymous member is named as if it were one of the outer record.
                    return open.push(Piece::Place(base, least));
                };
                match self.pointer_to(base) {
                    Some(pointer) => open.extend([Piece::Expr(pointer, POSTFIX), Piece::Text("->")]),
                    None => open.extend([Piece::Place(base, POSTFIX), Piece::Text(".")]),
                }
                open.push(Piece::Owned(name));
            }
            PlaceKind::Index(base, index) => {
                open.extend([Piece::Place(base, POSTFIX), Piece::Text("[")]);
                open.extend([Piece::Expr(self.without_widening(index), LOWEST), Piece::Text("]")]);
            }
        }
    }

    /// The pointer that `->` goes through to reach a member of the place.
    fn pointer_to(&self, mut place: PlaceId) -> Option<ExprId> {
        loop {
            match self.program.place(place).kind {
                PlaceKind::Deref(pointer) => {
                    let is_element =
                        matches!(self.program.expr(pointer).kind, ExprKind::Binary(BinaryOp::PointerAdd, ..));
                    return (!is_element).then_some(pointer);
                }
                PlaceKind::Field(base, record, field) => {
                    if self.member(record, field).is_some() {
                        return None;
                    }
                    place = base;
                }
                PlaceKind::Variable(_) | PlaceKind::Index(..) => return None,
            }
        }
    }

    /// The name of a member, if one has to be written.
    fn member(&self, record: RecordId, field: u32) -> Option<String> {
        match self.spelling {
            Some(spelling) => Some(spelling.member(record, field)),
            None => self.program.types.records[record].fields.get(field as usize)?.name.as_ref().map(|n| n.to_string()),
        }
    }

    /// The name, or the text of a string literal.
    fn variable(&self, id: VariableId) -> String {
        if let Some(spelling) = self.spelling {
            return spelling.variable(id);
        }
        let variable = &self.program.variables[id];
        match (variable.kind, &*variable.initializer) {
            (VariableKind::StringLiteral, [InitialValue { offset: 0, value: InitialData::Bytes(bytes), .. }]) => {
                constant::string(bytes)
            }
            (VariableKind::StringLiteral, []) => "\"\"".to_string(),
            _ => variable.name.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
