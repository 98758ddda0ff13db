//! What the expressions of a part of a program do that is worth an assumption: accesses of memory, numbers of addresses, arithmetic whose
//! result C does not define. A cheap test over the syntax that says too much rather than too little. Knows no call.

use tandem_base::{IdVec, Span};
use tandem_cfa::{
    BinaryOp, Callee, EdgeId, Expr, ExprId, ExprKind, Op, PlaceId, PlaceKind, Scalar, UnaryOp, VariableId, VariableKind,
};

use super::ProgramPart;
use super::arithmetic::{amount_fits, may_be_zero, may_overflow};

/// Streams of the C library, about whose value no program asks.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

#[derive(Default)]
pub(super) struct Features {
    /// Whether an access may go elsewhere than to a fixed place of a variable.
    pub accesses_memory: bool,
    /// The first place where a number of an address is looked at; the same for the others.
    pub address_numbers: Option<Span>,
    pub division: Option<Span>,
    pub overflow: Option<Span>,
    pub shift: Option<Span>,
    pub float_conversion: Option<Span>,
    /// Variables that are defined nowhere, each with the first place that uses it.
    pub external: Vec<(VariableId, Span)>,
}

impl Features {
    pub fn of(part: &ProgramPart<'_>) -> Features {
        let arena = &part.program.arena;
        let mut finder = Finder {
            part,
            features: Features::default(),
            exprs: IdVec::filled(false, arena.exprs().len()),
            places: IdVec::filled(false, arena.places().len()),
            open: Vec::new(),
            at: Span::NONE,
            is_own: true,
        };
        let (own, library): (Vec<EdgeId>, Vec<EdgeId>) = part.edges.iter().partition(|edge| part.is_own(**edge));
        own.into_iter().chain(library).for_each(|edge| finder.edge(edge));
        finder.features
    }

    /// Whether something is done here that is not defined for all values.
    pub fn can_be_undefined(&self) -> bool {
        let arithmetic = [self.division, self.overflow, self.shift, self.float_conversion];
        self.accesses_memory || arithmetic.iter().any(Option::is_some)
    }
}

/// Goes through expressions and places, each once: equal ones have equal ids.
struct Finder<'a> {
    part: &'a ProgramPart<'a>,
    features: Features,
    exprs: IdVec<ExprId, bool>,
    places: IdVec<PlaceId, bool>,
    open: Vec<PendingItem>,
    at: Span,
    /// Whether the edge stands in the user's text. What a library model computes is no matter of the user.
    is_own: bool,
}

enum PendingItem {
    Expr(ExprId),
    Place(PlaceId),
}

impl Finder<'_> {
    fn edge(&mut self, edge: EdgeId) {
        self.at = self.part.span(edge);
        self.is_own = self.part.is_own(edge);
        match &self.part.program.edges[edge].op {
            Op::Skip | Op::Declare(_) | Op::Unsupported { .. } => {}
            Op::Assume { condition, .. } => self.open.push(PendingItem::Expr(*condition)),
            Op::Assign { place, value } => self.open.extend([PendingItem::Expr(*value), PendingItem::Place(*place)]),
            Op::Return { value } => self.open.extend(value.map(PendingItem::Expr)),
            Op::Call { callee, arguments, result } => {
                self.open.extend(arguments.iter().map(|argument| PendingItem::Expr(*argument)));
                self.open.extend(result.map(PendingItem::Place));
                if let Callee::Pointer(pointer) = callee {
                    self.open.push(PendingItem::Expr(*pointer));
                }
            }
        }
        while let Some(item) = self.open.pop() {
            match item {
                PendingItem::Expr(id) if !std::mem::replace(&mut self.exprs[id], true) => self.expr(id),
                PendingItem::Place(id) if !std::mem::replace(&mut self.places[id], true) => self.place(id),
                PendingItem::Expr(_) | PendingItem::Place(_) => {}
            }
        }
    }

    fn place(&mut self, id: PlaceId) {
        let program = self.part.program;
        match program.place(id).kind {
            PlaceKind::Variable(variable) => {
                let declared = &program.variables[variable];
                let is_external = declared.kind == VariableKind::External && !STREAMS.contains(&&*declared.name);
                if is_external && self.is_own && !self.features.external.iter().any(|(known, _)| *known == variable) {
                    self.features.external.push((variable, self.at));
                }
            }
            PlaceKind::Deref(pointer) => {
                self.features.accesses_memory = true;
                self.open.push(PendingItem::Expr(pointer));
            }
            PlaceKind::Field(base, ..) => self.open.push(PendingItem::Place(base)),
            PlaceKind::Index(base, index) => {
                let is_fixed = matches!(program.expr(index).kind, ExprKind::Bits(_));
                self.features.accesses_memory |= !is_fixed;
                self.open.extend([PendingItem::Place(base), PendingItem::Expr(index)]);
            }
        }
    }

    fn expr(&mut self, id: ExprId) {
        let expr = self.part.program.expr(id);
        if self.is_own {
            self.look_at(id, expr);
        }
        match expr.kind {
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => {}
            ExprKind::Read(place) | ExprKind::AddressOf(place) => self.open.push(PendingItem::Place(place)),
            ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => self.open.push(PendingItem::Expr(operand)),
            ExprKind::Binary(_, left, right) => self.open.extend([PendingItem::Expr(left), PendingItem::Expr(right)]),
            ExprKind::Intrinsic(_, first, second) => {
                self.open.push(PendingItem::Expr(first));
                self.open.extend(second.map(PendingItem::Expr));
            }
        }
    }

    /// Notes what the operation at the top of the expression does.
    fn look_at(&mut self, id: ExprId, expr: Expr) {
        let program = self.part.program;
        let at = self.at;
        let result = program.types.scalar(expr.ty);
        let is_integer = matches!(result, Some(Scalar::Int { .. }));

        match expr.kind {
            ExprKind::Convert(operand) if is_integer => match program.types.scalar(program.expr(operand).ty) {
                Some(Scalar::Pointer { .. }) if !self.is_made_of_constants(operand) => {
                    self.features.address_numbers.get_or_insert(at);
                }
                Some(Scalar::Float(_)) => {
                    self.features.float_conversion.get_or_insert(at);
                }
                Some(_) | None => {}
            },
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, divisor)
                if is_integer && may_be_zero(program, divisor) =>
            {
                self.features.division.get_or_insert(at);
            }
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, _, amount) if !amount_fits(program, expr.ty, amount) => {
                self.features.shift.get_or_insert(at);
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) | ExprKind::Unary(UnaryOp::Neg, _)
                if may_overflow(program, id) =>
            {
                self.features.overflow.get_or_insert(at);
            }
            ExprKind::Binary(
                BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::PointerDiff,
                left,
                right,
            ) if self.are_unrelated_pointers(left, right) => {
                self.features.address_numbers.get_or_insert(at);
            }
            _ => {}
        }
    }

    /// Whether the operands are pointers that may point to different objects.
    fn are_unrelated_pointers(&self, left: ExprId, right: ExprId) -> bool {
        let program = self.part.program;
        if !matches!(program.types.scalar(program.expr(left).ty), Some(Scalar::Pointer { .. })) {
            return false;
        }
        let mut sites = self.part.points_to.targets(left).sites;
        sites.extend(self.part.points_to.targets(right).sites);
        sites.iter().any(|site| *site != sites[0])
    }

    /// Whether a pointer is a number from the start, as in `(unsigned long)&((struct s *)0)->member`.
    fn is_made_of_constants(&self, pointer: ExprId) -> bool {
        let program = self.part.program;
        let mut at = pointer;
        loop {
            at = match program.expr(at).kind {
                ExprKind::Bits(_) => return true,
                ExprKind::Convert(operand) => operand,
                ExprKind::Binary(BinaryOp::PointerAdd | BinaryOp::PointerSub, base, _) => base,
                ExprKind::AddressOf(place) => match root_pointer(self.part, place) {
                    Some(root) => root,
                    None => return false,
                },
                _ => return false,
            };
        }
    }
}

/// The pointer that a place lies behind; nothing for a part of a variable.
fn root_pointer(part: &ProgramPart<'_>, mut place: PlaceId) -> Option<ExprId> {
    loop {
        match part.program.place(place).kind {
            PlaceKind::Variable(_) => return None,
            PlaceKind::Deref(pointer) => return Some(pointer),
            PlaceKind::Field(base, ..) | PlaceKind::Index(base, _) => place = base,
        }
    }
}
