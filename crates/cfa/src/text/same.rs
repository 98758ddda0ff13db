//! Equality of programs up to the source text and the order of interned expressions and places.

use std::collections::HashMap;

use tandem_base::FastBuild;

use crate::model::*;

/// Whether the programs are equal in everything but the text of the source (its file name counts) and the ids of
/// expressions, places and wide constants.
pub fn same_program(a: &Program, b: &Program) -> bool {
    let mut same = Same { a, b, exprs: HashMap::default(), places: HashMap::default(), open: Vec::new() };
    a.source.file() == b.source.file()
        && a.types == b.types
        && a.functions == b.functions
        && a.nodes == b.nodes
        && a.decisions == b.decisions
        && a.conditions == b.conditions
        && a.statements == b.statements
        && a.entry == b.entry
        && a.variables.len() == b.variables.len()
        && a.variables.iter().zip(b.variables.iter()).all(|(a, b)| same.variable(a, b))
        && a.edges.len() == b.edges.len()
        && a.edges.iter().zip(b.edges.iter()).all(|(a, b)| same.edge(a, b))
}

struct Same<'a> {
    a: &'a Program,
    b: &'a Program,
    /// What each was found, or is going to be found, equal to. Both arenas are interned, so there is only one.
    exprs: HashMap<ExprId, ExprId, FastBuild>,
    places: HashMap<PlaceId, PlaceId, FastBuild>,
    open: Vec<Pair>,
}

enum Pair {
    Expr(ExprId, ExprId),
    Place(PlaceId, PlaceId),
}

impl Same<'_> {
    fn variable(&mut self, a: &Variable, b: &Variable) -> bool {
        let plain = |v: &Variable| (v.ty, v.kind, v.function, v.span, v.scope, v.in_memory);
        a.name == b.name
            && plain(a) == plain(b)
            && a.initializer.len() == b.initializer.len()
            && a.initializer.iter().zip(&b.initializer).all(|(a, b)| {
                let same_data = match (&a.value, &b.value) {
                    (InitialData::Scalar(a), InitialData::Scalar(b)) => self.expr(*a, *b),
                    (InitialData::Bytes(a), InitialData::Bytes(b)) => a == b,
                    _ => false,
                };
                a.offset == b.offset && a.bits == b.bits && same_data
            })
    }

    fn edge(&mut self, a: &Edge, b: &Edge) -> bool {
        let plain = |e: &Edge| (e.source, e.target, e.span, e.condition, e.outcome);
        plain(a) == plain(b) && self.op(&a.op, &b.op)
    }

    fn op(&mut self, a: &Op, b: &Op) -> bool {
        match (a, b) {
            (Op::Assume { condition: a, truth: s }, Op::Assume { condition: b, truth: t }) => {
                s == t && self.expr(*a, *b)
            }
            (Op::Assign { place: p, value: v }, Op::Assign { place: q, value: w }) => {
                self.place(*p, *q) && self.expr(*v, *w)
            }
            (Op::Call { callee: f, arguments: v, result: p }, Op::Call { callee: g, arguments: w, result: q }) => {
                let same_callee = match (f, g) {
                    (Callee::Pointer(f), Callee::Pointer(g)) => self.expr(*f, *g),
                    _ => f == g,
                };
                let same_result = match (p, q) {
                    (Some(p), Some(q)) => self.place(*p, *q),
                    _ => p.is_none() && q.is_none(),
                };
                same_callee && same_result && v.len() == w.len() && v.iter().zip(w).all(|(v, w)| self.expr(*v, *w))
            }
            (Op::Return { value: Some(v) }, Op::Return { value: Some(w) }) => self.expr(*v, *w),
            _ => a == b,
        }
    }

    fn expr(&mut self, a: ExprId, b: ExprId) -> bool {
        self.open.push(Pair::Expr(a, b));
        self.all_open()
    }

    fn place(&mut self, a: PlaceId, b: PlaceId) -> bool {
        self.open.push(Pair::Place(a, b));
        self.all_open()
    }

    fn all_open(&mut self) -> bool {
        while let Some(pair) = self.open.pop() {
            let same = match pair {
                Pair::Expr(a, b) => match self.exprs.insert(a, b) {
                    Some(known) => known == b,
                    None => self.expr_kinds(a, b),
                },
                Pair::Place(a, b) => match self.places.insert(a, b) {
                    Some(known) => known == b,
                    None => self.place_kinds(a, b),
                },
            };
            if !same {
                return false;
            }
        }
        true
    }

    /// Compares the outermost operation and leaves the operands open.
    fn expr_kinds(&mut self, a: ExprId, b: ExprId) -> bool {
        let (a, b) = (self.a.expr(a), self.b.expr(b));
        let same_kind = match (a.kind, b.kind) {
            (ExprKind::Wide(a), ExprKind::Wide(b)) => self.a.wide(a) == self.b.wide(b),
            (ExprKind::Read(a), ExprKind::Read(b)) | (ExprKind::AddressOf(a), ExprKind::AddressOf(b)) => {
                self.open.push(Pair::Place(a, b));
                true
            }
            (ExprKind::Unary(o, a), ExprKind::Unary(p, b)) => {
                self.open.push(Pair::Expr(a, b));
                o == p
            }
            (ExprKind::Convert(a), ExprKind::Convert(b)) => {
                self.open.push(Pair::Expr(a, b));
                true
            }
            (ExprKind::Binary(o, a, c), ExprKind::Binary(p, b, d)) => {
                self.open.extend([Pair::Expr(a, b), Pair::Expr(c, d)]);
                o == p
            }
            (ExprKind::Intrinsic(o, a, c), ExprKind::Intrinsic(p, b, d)) => {
                self.open.push(Pair::Expr(a, b));
                if let (Some(c), Some(d)) = (c, d) {
                    self.open.push(Pair::Expr(c, d));
                }
                o == p && c.is_some() == d.is_some()
            }
            (a, b) => a == b,
        };
        same_kind && a.ty == b.ty
    }

    fn place_kinds(&mut self, a: PlaceId, b: PlaceId) -> bool {
        let (a, b) = (self.a.place(a), self.b.place(b));
        let same_kind = match (a.kind, b.kind) {
            (PlaceKind::Deref(a), PlaceKind::Deref(b)) => {
                self.open.push(Pair::Expr(a, b));
                true
            }
            (PlaceKind::Field(a, r, i), PlaceKind::Field(b, s, j)) => {
                self.open.push(Pair::Place(a, b));
                (r, i) == (s, j)
            }
            (PlaceKind::Index(a, i), PlaceKind::Index(b, j)) => {
                self.open.extend([Pair::Place(a, b), Pair::Expr(i, j)]);
                true
            }
            (a, b) => a == b,
        };
        same_kind && a.ty == b.ty
    }
}
