//! What an expression reads and what evaluating a part of the tree may write, as sets of 64 bits.
//!
//! A local whose address nobody takes has a bit of its own (shared with others by chance); everything else is memory.
//! Overlapping sets mean a possible conflict, disjoint sets mean none.

use tandem_base::Id;
use tandem_syntax::ast as tree;
use tree::{ExpressionKind, StatementKind};

use super::{Lowering, Object};
use crate::model::*;

/// Memory that calls and stores through pointers may change.
pub(super) const MEMORY: u64 = 1 << 63;
/// Set when anything is read at all, temporaries included; never a conflict.
pub(super) const ANY: u64 = 1 << 62;

#[derive(Default)]
pub(super) struct Masks {
    /// What evaluating each expression reads.
    exprs: Vec<u64>,
    /// What computing the address of each place reads, and where its contents lie.
    places: Vec<(u64, u64)>,
    pub variables: Vec<u64>,
    /// What evaluating each expression of the tree writes, plus one bit for "known".
    writes: Vec<u64>,
}

const WRITES_KNOWN: u64 = ANY;

/// The bit of a local that lives in no memory.
pub(super) fn local_bit(id: tree::DeclId) -> u64 {
    1 << (id.0 % 62)
}

impl Lowering<'_> {
    /// Adds an expression. All expressions are made here, so that the masks know each.
    pub(super) fn expr(&mut self, kind: ExprKind, ty: tandem_syntax::types::TypeId) -> ExprId {
        let id = self.program.arena.add_expr(kind, ty);
        self.note_expr(id);
        id
    }

    pub(super) fn note_expr(&mut self, id: ExprId) {
        if id.index() < self.masks.exprs.len() {
            return;
        }
        let mask = match self.program.arena.expr(id).kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => 0,
            ExprKind::Read(place) => {
                let (address, contents) = self.masks.places[place.index()];
                address | contents | ANY
            }
            ExprKind::AddressOf(place) => self.masks.places[place.index()].0,
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) | ExprKind::Intrinsic(_, operand, None) => {
                self.reads(operand)
            }
            ExprKind::Binary(_, left, right) | ExprKind::Intrinsic(_, left, Some(right)) => {
                self.reads(left) | self.reads(right)
            }
        };
        self.masks.exprs.push(mask);
    }

    /// Adds a place. All places are made here, so that the masks know each.
    pub(super) fn add_place(&mut self, kind: PlaceKind, ty: tandem_syntax::types::TypeId) -> PlaceId {
        let id = self.program.arena.add_place(kind, ty);
        if id.index() == self.masks.places.len() {
            let mask = match kind {
                PlaceKind::Variable(variable) => (0, self.masks.variables[variable.index()]),
                PlaceKind::Deref(pointer) => (self.reads(pointer), MEMORY),
                PlaceKind::Field(base, ..) => self.masks.places[base.index()],
                PlaceKind::Index(base, index) => {
                    let (address, contents) = self.masks.places[base.index()];
                    (address | self.reads(index), contents)
                }
            };
            self.masks.places.push(mask);
        }
        id
    }

    pub(super) fn reads(&self, id: ExprId) -> u64 {
        self.masks.exprs[id.index()]
    }

    /// Whether storing into the place cannot change which place it is.
    pub(super) fn is_stable(&self, place: PlaceId) -> bool {
        let (address, contents) = self.masks.places[place.index()];
        address & contents & !ANY == 0
    }

    /// The value, saved in a temporary if it reads what `writes` may change.
    pub(super) fn protect(&mut self, value: ExprId, writes: u64, span: tandem_base::Span) -> ExprId {
        if self.reads(value) & writes & !ANY == 0 { value } else { self.save(value, span) }
    }

    /// The same place, with an address that `writes` cannot change.
    pub(super) fn protect_place(&mut self, id: PlaceId, writes: u64, span: tandem_base::Span) -> PlaceId {
        if self.masks.places[id.index()].0 & writes & !ANY == 0 {
            return id;
        }
        let place = self.program.arena.place(id);
        let kind = match place.kind {
            PlaceKind::Variable(_) => return id,
            PlaceKind::Deref(pointer) => PlaceKind::Deref(self.protect(pointer, writes, span)),
            PlaceKind::Field(base, record, field) => {
                PlaceKind::Field(self.protect_place(base, writes, span), record, field)
            }
            PlaceKind::Index(base, index) => {
                let base = self.protect_place(base, writes, span);
                PlaceKind::Index(base, self.protect(index, writes, span))
            }
        };
        self.add_place(kind, place.ty)
    }

    /// What evaluating the expression may write.
    pub(super) fn writes(&mut self, id: tree::ExprId) -> u64 {
        if let Some(&known) = self.masks.writes.get(id.index()) {
            if known != 0 {
                return known & !WRITES_KNOWN;
            }
        }
        let kind = self.unit.expression(id).kind;
        let mut mask = match &kind {
            ExpressionKind::Assign { place, .. } | ExpressionKind::Step { place, .. } => self.target(*place),
            ExpressionKind::Call { callee, .. } => self.call_effect(*callee),
            ExpressionKind::StatementExpression(body) => self.statement_writes(*body),
            ExpressionKind::VaStart { .. }
            | ExpressionKind::VaArg { .. }
            | ExpressionKind::VaEnd { .. }
            | ExpressionKind::VaCopy { .. }
            | ExpressionKind::Unsupported(_) => MEMORY,
            ExpressionKind::CompoundLiteral(id) => MEMORY | self.declaration_writes(*id),
            ExpressionKind::Builtin { builtin, .. } => builtin_effect(*builtin),
            _ => 0,
        };
        super::scan::children(&kind, &mut |child| mask |= self.writes(child));
        if self.masks.writes.len() <= id.index() {
            self.masks.writes.resize(id.index() + 1, 0);
        }
        self.masks.writes[id.index()] = mask | WRITES_KNOWN;
        mask
    }

    fn call_effect(&mut self, callee: tree::ExprId) -> u64 {
        if self.intrinsic_callee(callee).is_some() { 0 } else { MEMORY }
    }

    fn target(&mut self, place: tree::ExprId) -> u64 {
        match self.unit.expression(place).kind {
            ExpressionKind::Declaration(id) => self.declaration_mask(id),
            ExpressionKind::Member { base, .. } => self.target(base),
            ExpressionKind::Subscript { pointer, .. } | ExpressionKind::Deref(pointer) => {
                match self.unit.expression(pointer).kind {
                    ExpressionKind::Decay(array) => self.target(array),
                    _ => MEMORY,
                }
            }
            _ => MEMORY,
        }
    }

    fn declaration_mask(&mut self, id: tree::DeclId) -> u64 {
        match self.object(id) {
            Object::Variable(variable) => self.masks.variables[variable.index()],
            Object::Extended(..) | Object::Behind(_) => MEMORY,
        }
    }

    fn statement_writes(&mut self, id: tree::StmtId) -> u64 {
        let kind = self.unit.statement(id).kind;
        let mut mask = match &kind {
            StatementKind::Asm(_) | StatementKind::Unsupported(_) => MEMORY,
            StatementKind::Declarations(list) => list.iter().fold(0, |mask, id| mask | self.declaration_writes(*id)),
            _ => 0,
        };
        super::scan::expressions_of(&kind, &mut |child| mask |= self.writes(child));
        super::scan::statements_of(&kind, &mut |child| mask |= self.statement_writes(child));
        mask
    }

    fn declaration_writes(&mut self, id: tree::DeclId) -> u64 {
        let declaration = self.unit.declaration(id);
        let own = if self.scan.address_taken(id) { MEMORY } else { local_bit(id) };
        let entries = declaration.initializer.unwrap_or_default();
        let cleanup = if declaration.cleanup.is_some() { MEMORY } else { 0 };
        entries.iter().fold(own | cleanup, |mask, entry| mask | self.writes(entry.value))
    }
}

fn builtin_effect(builtin: tree::Builtin) -> u64 {
    use tree::Builtin::*;
    match builtin {
        Expect
        | ConstantP
        | ByteSwap
        | LeadingZeros
        | TrailingZeros
        | PopCount
        | Parity
        | FindFirstSet
        | RedundantSignBits
        | Abs
        | IsUnordered
        | IsLessGreater
        | IsNan
        | IsInfinite
        | IsFinite
        | IsNormal
        | SignBit
        | InfiniteSign
        | FpClassify
        | FloatAbs
        | CopySign
        | Prefetch
        | ObjectSize { .. } => 0,
        OverflowAdd { stores, .. } | OverflowSub { stores, .. } | OverflowMul { stores, .. } => {
            if stores {
                MEMORY
            } else {
                0
            }
        }
        Atomic(tree::AtomicBuiltin::Load) => 0,
        Unreachable | Trap | Alloca | FrameAddress | ReturnAddress | Atomic(_) => MEMORY,
    }
}
