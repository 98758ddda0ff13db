//! Expressions and places as nodes: which addresses a value may be made of, and where a place lies. Knows no edges.

use tandem_syntax::Scalar;
use tandem_syntax::types::{Type, TypeId};

use super::nodes::Node;
use super::objects::*;
use super::solve::{Solver, Use};
use crate::model::*;

/// Where a place lies: a distance from the start of an object, or from where a pointer points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub base: Base,
    pub shift: Shift,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    Object(ObjectId),
    Pointer(Node),
    /// A number that never was an address.
    Nowhere,
}

impl Solver<'_> {
    /// Gives every expression its node. Operands come before what they are part of.
    pub fn add_exprs(&mut self) {
        for id in self.program.arena.exprs().ids() {
            self.exprs[id] = self.expr(id);
        }
    }

    fn expr(&mut self, id: ExprId) -> Option<Node> {
        let Expr { kind, ty } = self.program.expr(id);
        match kind {
            ExprKind::Bits(1..) if self.program.types.pointee(ty).is_some() => Some(self.outside_value()),
            ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero => None,
            ExprKind::Read(place) => {
                self.program.types.scalar(ty)?;
                self.value_at(place)
            }
            ExprKind::AddressOf(place) => self.address(place),
            ExprKind::Function(function) => {
                let object = self.function(function);
                let target = self.objects.target(object, 0, false);
                let node = self.nodes.add();
                self.nodes.insert(node, target);
                Some(node)
            }
            ExprKind::Unary(op, operand) => match op {
                UnaryOp::Neg | UnaryOp::Complement => self.mixed(&[operand]),
                UnaryOp::Not => None,
            },
            ExprKind::Binary(op, left, right) => self.binary(op, left, right, ty),
            ExprKind::Convert(operand) => self.converted(operand, ty),
            ExprKind::Intrinsic(intrinsic, first, second) => {
                let operands = [Some(first), second];
                let operands: Vec<ExprId> = operands.into_iter().flatten().collect();
                if keeps_bits(intrinsic) { self.mixed(&operands) } else { None }
            }
        }
    }

    fn converted(&mut self, operand: ExprId, ty: TypeId) -> Option<Node> {
        let from = self.program.types.scalar(self.program.expr(operand).ty);
        match (from, self.program.types.scalar(ty)?) {
            (_, Scalar::Bool) => None,
            // A number that is made a pointer may be any address but those of the program.
            (Some(Scalar::Int { .. }), Scalar::Pointer { .. }) if !self.is_zero(operand) => {
                let node = self.outside_value();
                if let Some(from) = self.exprs[operand] {
                    self.nodes.add_copy(from, node);
                }
                Some(node)
            }
            (_, Scalar::Int { .. } | Scalar::Float(_) | Scalar::Pointer { .. }) => self.exprs[operand],
        }
    }

    /// A value that points to no object of the program.
    pub fn outside_value(&mut self) -> Node {
        let node = self.nodes.add();
        self.insert_outside(node);
        node
    }

    fn is_zero(&self, id: ExprId) -> bool {
        self.program.expr(id).kind == ExprKind::Bits(0)
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> Option<Node> {
        use BinaryOp::*;
        match op {
            Eq | Ne | Lt | Le | Gt | Ge => None,
            PointerAdd => self.moved(left, right, self.stride_of(ty), false),
            PointerSub => self.moved(left, right, self.stride_of(ty), true),
            Add if self.constant(right).is_some() => self.moved(left, right, 1, false),
            Add if self.constant(left).is_some() => self.moved(right, left, 1, false),
            Sub if self.constant(right).is_some() => self.moved(left, right, 1, true),
            Add | Sub | Mul | Div | Rem | Shl | Shr | And | Or | Xor | PointerDiff => self.mixed(&[left, right]),
        }
    }

    /// The size of what the pointer type points to.
    fn stride_of(&self, ty: TypeId) -> u64 {
        let to = self.program.types.pointee(ty);
        to.and_then(|to| self.program.types.size(to)).unwrap_or(1)
    }

    /// The value of an integer constant.
    fn constant(&self, id: ExprId) -> Option<i64> {
        let Expr { kind, ty } = self.program.expr(id);
        let bits = match kind {
            ExprKind::Bits(bits) => bits,
            ExprKind::Convert(operand) => self.constant(operand)? as u64,
            // The offset of a member, in the old way: the address it has in an object at zero.
            ExprKind::AddressOf(place) => match self.spot(place) {
                Spot { base: Base::Nowhere, shift: Shift { offset, stride: 0 } } if self.is_at_zero(place) => {
                    offset as u64
                }
                _ => return None,
            },
            _ => return None,
        };
        match self.program.types.scalar(ty)? {
            Scalar::Int { bits: width @ 1..64, signed: true } => Some(sign_extended(bits, width)),
            Scalar::Int { bits: width @ 1..64, signed: false } => Some((bits & ((1 << width) - 1)) as i64),
            Scalar::Int { .. } | Scalar::Pointer { .. } => Some(bits as i64),
            Scalar::Bool => Some(i64::from(bits != 0)),
            Scalar::Float(_) => None,
        }
    }

    /// Whether the place is counted from the null pointer on.
    fn is_at_zero(&self, place: PlaceId) -> bool {
        let mut at = place;
        loop {
            match self.program.place(at).kind {
                PlaceKind::Variable(_) => return false,
                PlaceKind::Deref(pointer) => return self.is_zero(pointer),
                PlaceKind::Field(base, ..) | PlaceKind::Index(base, _) => at = base,
            }
        }
    }

    /// A pointer plus (or minus) an index times a stride.
    fn moved(&mut self, pointer: ExprId, index: ExprId, stride: u64, down: bool) -> Option<Node> {
        let (from, distance) = (self.exprs[pointer], self.exprs[index]);
        if from.is_none() && distance.is_none() {
            return None;
        }
        let shift = match self.constant(index) {
            Some(index) => {
                let bytes = index.wrapping_mul(stride as i64);
                let bytes = if down { bytes.wrapping_neg() } else { bytes };
                let bytes = sign_extended(bytes as u64, self.program.model().pointer_bits());
                Shift { offset: bytes, stride: 0 }
            }
            None => Shift { offset: 0, stride: stride.max(1) },
        };
        let node = self.nodes.add();
        if let Some(from) = from {
            self.add_use(from, Use::Move { to: node, shift, count: true });
        }
        if let Some(distance) = distance {
            self.add_use(distance, Use::Distance { to: node });
        }
        Some(node)
    }

    /// A value that is computed from others in a way that nobody follows: somewhere in one of their objects.
    fn mixed(&mut self, operands: &[ExprId]) -> Option<Node> {
        let mut node = None;
        for operand in operands {
            if let Some(from) = self.exprs[*operand] {
                let to = *node.get_or_insert_with(|| self.nodes.add());
                self.add_use(from, Use::Move { to, shift: Shift::UNKNOWN, count: false });
            }
        }
        node
    }

    pub fn function(&mut self, function: FunctionId) -> ObjectId {
        if let Some(object) = self.functions[function] {
            return object;
        }
        let object = self.objects.add(Kind::Site(super::Site::Function(function)), Some(1), 1);
        self.functions[function] = Some(object);
        object
    }

    /// The object of a variable: they come first, behind the one for everything outside.
    pub fn variable(&self, variable: VariableId) -> ObjectId {
        variable.0 + 1
    }

    pub fn spot(&self, place: PlaceId) -> Spot {
        let mut shift = Shift::NONE;
        let mut at = place;
        loop {
            let Place { kind, .. } = self.program.place(at);
            match kind {
                PlaceKind::Variable(variable) => {
                    return Spot { base: Base::Object(self.variable(variable)), shift };
                }
                PlaceKind::Deref(pointer) => {
                    let base = self.exprs[pointer].map_or(Base::Nowhere, Base::Pointer);
                    return Spot { base, shift };
                }
                PlaceKind::Field(base, record, number) => {
                    let field = &self.program.types.records[record].fields[number as usize];
                    let bits = field.bits.map_or(0, |bits| i64::from(bits.offset / 8));
                    shift = shift.and(field.offset as i64 + bits, 0);
                    at = base;
                }
                PlaceKind::Index(base, index) => {
                    let element = match *self.program.types.get(self.program.place(base).ty) {
                        Type::Array { element, .. } => self.program.types.size(element).unwrap_or(1),
                        _ => 1,
                    };
                    shift = match self.constant(index) {
                        Some(index) => shift.and(index.wrapping_mul(element as i64), 0),
                        None => shift.and(0, element.max(1)),
                    };
                    at = base;
                }
            }
        }
    }

    /// How many bytes an access to the place touches.
    pub fn size_of(&self, place: PlaceId) -> u64 {
        let Place { kind, ty } = self.program.place(place);
        if let PlaceKind::Field(_, record, number) = kind {
            if let Some(bits) = self.program.types.records[record].fields[number as usize].bits {
                return u64::from((bits.offset % 8 + bits.width).div_ceil(8));
            }
        }
        self.program.types.size(ty).unwrap_or(u64::MAX)
    }

    fn value_at(&mut self, place: PlaceId) -> Option<Node> {
        let Spot { base, shift } = self.spot(place);
        let size = self.size_of(place);
        match base {
            Base::Object(object) => Some(self.read(object, 0, shift, size)),
            Base::Pointer(pointer) => {
                let node = self.nodes.add();
                self.add_use(pointer, Use::Load { to: node, shift, size });
                Some(node)
            }
            Base::Nowhere => None,
        }
    }

    fn address(&mut self, place: PlaceId) -> Option<Node> {
        let Spot { base, shift } = self.spot(place);
        match base {
            Base::Object(object) => {
                let at = self.locate(object, 0, shift);
                let target = self.objects.target(object, at, false);
                let node = self.nodes.add();
                self.nodes.insert(node, target);
                Some(node)
            }
            Base::Pointer(pointer) if shift == Shift::NONE => Some(pointer),
            Base::Pointer(pointer) => {
                let node = self.nodes.add();
                self.add_use(pointer, Use::Move { to: node, shift, count: false });
                Some(node)
            }
            Base::Nowhere => None,
        }
    }

    /// What is in the node is in the place, too.
    pub fn store(&mut self, place: PlaceId, from: Node) {
        let Spot { base, shift } = self.spot(place);
        let size = self.size_of(place);
        match base {
            Base::Object(object) => {
                let node = self.written(object, 0, shift, size);
                self.nodes.add_copy(from, node);
            }
            Base::Pointer(pointer) => self.add_use(pointer, Use::Store { from, shift, size }),
            Base::Nowhere => {}
        }
    }

    /// A block of bytes is copied.
    pub fn copy_block(&mut self, from: Spot, to: Spot, size: u64) {
        match (from.base, to.base) {
            (Base::Nowhere, _) | (_, Base::Nowhere) => {}
            (Base::Object(source), Base::Object(object)) => {
                let start = self.locate(source, 0, from.shift);
                let at = self.locate(object, 0, to.shift);
                self.link((source, start), (object, at), size);
            }
            (Base::Pointer(pointer), Base::Object(object)) => {
                let at = self.locate(object, 0, to.shift);
                self.add_use(pointer, Use::BlockFrom { shift: from.shift, size, object, at });
            }
            (Base::Object(object), Base::Pointer(pointer)) => {
                let at = self.locate(object, 0, from.shift);
                self.add_use(pointer, Use::BlockTo { shift: to.shift, size, object, at });
            }
            (Base::Pointer(source), Base::Pointer(target)) => {
                // By way of a block of its own, so that not every source is joined with every target.
                let object = self.objects.add(Kind::Hidden, None, 0);
                self.add_use(source, Use::BlockFrom { shift: from.shift, size, object, at: 0 });
                self.add_use(target, Use::BlockTo { shift: to.shift, size, object, at: 0 });
            }
        }
    }
}

fn sign_extended(bits: u64, width: u32) -> i64 {
    let up = 64 - width.min(64);
    ((bits << up) as i64) >> up
}

/// Whether the result may have the bits of an address that went in.
fn keeps_bits(intrinsic: Intrinsic) -> bool {
    use Intrinsic::*;
    match intrinsic {
        ByteSwap | FloatAbs | CopySign | SquareRoot | Floor | Ceil | Trunc | Round | RoundEven | FloatMin
        | FloatMax | FloatMod | FloatRemainder => true,
        LeadingZeros | TrailingZeros | PopCount | Parity | FindFirstSet | RedundantSignBits | IsNan | IsInfinite
        | IsFinite | IsNormal | SignBit => false,
    }
}
