//! The numbers that addresses have. A store chooses addresses so that objects are far apart; a machine chooses others. What C leaves to
//! the machine must not be decided by our choice: an operation on integers whose result depends on the number of an address is not
//! modelled, and an order or a difference of pointers into different objects is undefined.
//!
//! An integer is taken for an address if it has the value of one. Only programs that convert pointers to integers are looked at.

use tandem_cfa::{BinaryOp, ExprKind, InitialData, InitialValue, Program, Scalar, UnaryOp, VariableKind};

use super::address::ObjectKey;
use super::domain::Domain;
use super::{Executor, Result, Size, Store};

/// No object lies in the first and in the last bytes of the address space: every machine keeps them free.
const FREE_BYTES: u128 = 4096;
/// The alignment that every allocation has.
const HEAP_ALIGNMENT: u64 = 8;
/// Pairs of objects that are looked at when two pointers are compared.
const MOST_PAIRS: usize = 64;

const OTHER_OBJECT: &str = "order or difference of pointers to different objects";
const DEAD_POINTER: &str = "comparison with a pointer to an object whose lifetime has ended";

/// An object that a value may be an address of, and when it is; always, if there is no guard.
struct Pointed<D: Domain> {
    base: u64,
    /// How far into the object, if that is known.
    offset: Option<u64>,
    guard: Option<D::Guard>,
}

/// Whether the program converts a pointer to an integer.
pub(crate) fn makes_numbers(program: &Program) -> bool {
    let scalar = |ty| program.types.scalar(ty);
    program.arena.exprs().iter().any(|expr| match expr.kind {
        ExprKind::Convert(operand) => {
            matches!(scalar(expr.ty), Some(Scalar::Int { .. } | Scalar::Float(_)))
                && matches!(scalar(program.expr(operand).ty), Some(Scalar::Pointer { .. }))
        }
        _ => false,
    })
}

impl<D: Domain> Executor<'_, D> {
    /// Refuses a conversion whose result depends on the number of an address.
    pub(super) fn check_conversion(
        &mut self,
        store: &Store<D>,
        from: Scalar,
        to: Scalar,
        value: &D::Value,
    ) -> Result<()> {
        let keeps = match to {
            Scalar::Bool | Scalar::Pointer { .. } => true,
            Scalar::Int { bits, .. } => bits >= self.pointer_width(),
            Scalar::Float(_) => false,
        };
        if keeps || !self.may_be_address(from) || self.pointed(store, value).is_empty() {
            return Ok(());
        }
        self.unsupported("the number of an address")
    }

    /// The same for an operation on one integer.
    pub(super) fn check_unary(
        &mut self,
        store: &Store<D>,
        op: UnaryOp,
        scalar: Scalar,
        value: &D::Value,
    ) -> Result<()> {
        if op == UnaryOp::Not || !self.may_be_address(scalar) || self.pointed(store, value).is_empty() {
            return Ok(());
        }
        self.unsupported("the number of an address")
    }

    /// The same for an operation on two integers or two pointers. What is undefined about the latter is remembered.
    pub(super) fn check_binary(
        &mut self,
        store: &Store<D>,
        op: BinaryOp,
        scalars: (Scalar, Scalar),
        (a, b): (&D::Value, &D::Value),
    ) -> Result<()> {
        match scalars {
            (Scalar::Pointer { .. }, Scalar::Pointer { .. }) => self.check_pointers(store, op, a, b),
            (Scalar::Int { .. }, Scalar::Int { .. }) if self.may_be_address(scalars.0) => {
                let (left, right) = (self.pointed(store, a), self.pointed(store, b));
                if left.is_empty() && right.is_empty() || self.is_determined(store, op, (a, &left), (b, &right)) {
                    return Ok(());
                }
                self.unsupported("the number of an address")
            }
            _ => Ok(()),
        }
    }

    fn may_be_address(&self, scalar: Scalar) -> bool {
        self.makes_numbers
            && match scalar {
                Scalar::Int { bits, .. } | Scalar::Pointer { bits } => bits == self.pointer_width(),
                Scalar::Bool | Scalar::Float(_) => false,
            }
    }

    /// The objects that a value may be an address of.
    fn pointed(&mut self, store: &Store<D>, value: &D::Value) -> Vec<Pointed<D>> {
        let width = self.pointer_width();
        if self.domain.known(value).is_some_and(|bits| bits < FREE_BYTES) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for part in self.domain.parts(width, value).known {
            let Some(base) = self.addresses.nearest(part.address) else { continue };
            let offset = part.address.wrapping_sub(base);
            let size = store.objects.get(&base).map(|object| object.size.clone());
            // A number that is not in the object, nor just behind it, is no address of it.
            let is_inside = match (size, &part.rest) {
                (_, Some(_)) => true,
                (Some(Size::Known(size)), None) => offset <= size,
                (Some(Size::Value(_)) | None, None) => offset < 1 << 24,
            };
            if is_inside {
                let offset = part.rest.is_none().then_some(offset);
                found.push(Pointed { base, offset, guard: part.guard });
            }
        }
        found
    }

    /// Whether the result is the same wherever the objects lie.
    fn is_determined(
        &self,
        store: &Store<D>,
        op: BinaryOp,
        (a, left): (&D::Value, &[Pointed<D>]),
        (b, right): (&D::Value, &[Pointed<D>]),
    ) -> bool {
        let one_object = || {
            let mut bases = left.iter().chain(right).map(|one| one.base);
            let first = bases.next();
            !left.is_empty() && !right.is_empty() && bases.all(|base| Some(base) == first)
        };
        let number = if left.is_empty() { self.domain.known(a) } else { self.domain.known(b) };
        let is_far = number.is_some_and(|number| {
            let last = tandem_cfa::semantics::mask(self.pointer_width());
            number < FREE_BYTES || number > last - FREE_BYTES
        });
        let only_one = left.is_empty() != right.is_empty();
        match op {
            BinaryOp::Add => only_one,
            BinaryOp::Sub => right.is_empty() || one_object(),
            BinaryOp::Eq | BinaryOp::Ne => {
                let mut both = left.iter().chain(right);
                only_one && is_far || !only_one && (one_object() || both.all(|one| self.is_live(store, one.base)))
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => only_one && is_far || one_object(),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Rem => {
                let address = if left.is_empty() { right } else { left };
                let alignment = address.iter().map(|one| self.alignment(one.base)).min().unwrap_or(1);
                let mask = tandem_cfa::semantics::mask(self.pointer_width());
                let is_low = |number: u128| match op {
                    BinaryOp::Rem => right.is_empty() && number.is_power_of_two() && number <= u128::from(alignment),
                    BinaryOp::And => number < u128::from(alignment) || !number & mask < u128::from(alignment),
                    _ => number < u128::from(alignment),
                };
                only_one && number.is_some_and(is_low)
            }
            BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Xor
            | BinaryOp::PointerAdd
            | BinaryOp::PointerSub
            | BinaryOp::PointerDiff => false,
        }
    }

    /// Whether the object has not been freed, and its call is not over.
    fn is_live(&self, store: &Store<D>, base: u64) -> bool {
        store.from_anywhere
            || store.objects.contains_key(&base)
            || matches!(self.addresses.key(base), Some(ObjectKey::Static(_)))
    }

    fn alignment(&self, base: u64) -> u64 {
        match self.addresses.key(base) {
            Some(ObjectKey::Static(variable) | ObjectKey::Local(variable, _)) => {
                self.program.types.align(self.program.variables[variable].ty)
            }
            Some(ObjectKey::Heap(..)) => HEAP_ALIGNMENT,
            None => 1,
        }
    }

    fn check_pointers(&mut self, store: &Store<D>, op: BinaryOp, a: &D::Value, b: &D::Value) -> Result<()> {
        use BinaryOp::*;
        let is_order = matches!(op, Lt | Le | Gt | Ge | PointerDiff);
        if !is_order && !matches!(op, Eq | Ne) || a == b {
            return Ok(());
        }
        let (left, right) = (self.pointed(store, a), self.pointed(store, b));
        if left.len() * right.len() > MOST_PAIRS {
            self.unclear_bounds = true;
            return Ok(());
        }
        for one in &left {
            for other in right.iter().filter(|other| other.base != one.base) {
                let is_dead = !self.is_live(store, one.base) || !self.is_live(store, other.base);
                if is_order || is_dead {
                    let what = if is_order { OTHER_OBJECT } else { DEAD_POINTER };
                    let guard = match (&one.guard, &other.guard) {
                        (Some(a), Some(b)) => Some(self.domain.and(a, b)),
                        (a, b) => a.clone().or_else(|| b.clone()),
                    };
                    self.note_undefined(store, what, guard);
                } else if self.may_be_one_literal(one, other) {
                    return self.unsupported("whether two string literals lie at one address");
                }
            }
        }
        Ok(())
    }

    /// Whether a compiler may put two string literals where they have the same bytes from these offsets on.
    fn may_be_one_literal(&self, one: &Pointed<D>, other: &Pointed<D>) -> bool {
        let bytes = |pointed: &Pointed<D>| -> Option<Option<&[u8]>> {
            let Some(ObjectKey::Static(variable)) = self.addresses.key(pointed.base) else { return None };
            let variable = &self.program.variables[variable];
            let bytes = match (&variable.kind, &*variable.initializer) {
                (VariableKind::StringLiteral, [InitialValue { value: InitialData::Bytes(bytes), .. }]) => {
                    Some(&**bytes)
                }
                (VariableKind::StringLiteral, _) => None,
                _ => return None,
            };
            Some(bytes.zip(pointed.offset).and_then(|(bytes, offset)| bytes.get(offset as usize..)))
        };
        match (bytes(one), bytes(other)) {
            (Some(Some(a)), Some(Some(b))) => a == b,
            (Some(_), Some(_)) => true,
            _ => false,
        }
    }
}
