//! Every scalar operation of C as a term, as [`tandem_cfa::semantics`] computes it. It knows bit patterns and
//! [`Scalar`]s, and nothing of programs, memory or paths.
//!
//! A value is a bit-vector term of `scalar.bits()` bits: floats by their pattern, pointers by their address, of
//! `_Bool` only 0 and 1. Operations on constants are carried out by `semantics` itself; operations on other terms are
//! built from the operators of the term pool, and the tests hold both against each other.
//!
//! **NaNs.** The floats of terms have one NaN, those of the machine have many: a sign, a payload. A result that may be NaN
//! is therefore the term `ite (is_nan r) pattern (bits r)`, where `pattern` is the NaN that `semantics` gives (the first
//! operand that is one, made quiet, else the machine's default). The sign and the payload are exact, and nobody sees
//! the canonical NaN that the term pool's `float_to_bits` gives. See `float` for how the float is found again.
//!
//! **Patterns that are no value.** `long double` writes the leading one of its significand. Here it is dropped when
//! a pattern is read, and follows from the exponent when one is made: a pattern in which both contradict each other,
//! which no operation gives, is read as if the bit were right. (`semantics` and the machine have other ideas about it.)
//! Whoever makes a fresh input should demand [`Scalars::is_value`] of it.

mod convert;
mod float;
mod integer;
mod intrinsic;
mod rounded;
#[cfg(test)]
mod tests;

use tandem_cfa::semantics;
use tandem_cfa::types::FloatKind;
use tandem_cfa::{BinaryOp, Intrinsic, Scalar, UnaryOp};
use tandem_smt::{Op, RoundingMode, Term, Terms};

/// The type of conditions and comparisons.
pub const INT: Scalar = Scalar::Int { bits: 32, signed: true };

/// The operations of C on terms of one pool.
#[derive(Clone, Copy)]
pub struct Scalars<'a> {
    pub terms: &'a Terms,
    /// How float operations round that are not carried out on constants.
    mode: RoundingMode,
}

impl<'a> Scalars<'a> {
    pub fn new(terms: &'a Terms) -> Scalars<'a> {
        Scalars { terms, mode: RoundingMode::NearestEven }
    }

    /// The constant with this pattern.
    pub fn constant(self, scalar: Scalar, bits: u128) -> Term {
        self.terms.bv(scalar.bits(), bits)
    }

    /// The pattern of a constant.
    pub fn as_constant(self, value: Term) -> Option<u128> {
        self.terms.as_bv(value)?.small()
    }

    /// The condition that a term, which may have any pattern, is a value of the scalar; `None` if all patterns are.
    pub fn is_value(self, scalar: Scalar, value: Term) -> Option<Term> {
        match scalar {
            Scalar::Bool => Some(self.terms.bv_ule(value, self.constant(scalar, 1))),
            Scalar::Float(FloatKind::Extended) => Some(self.is_regular(value)),
            Scalar::Float(FloatKind::Single | FloatKind::Double | FloatKind::Quad)
            | Scalar::Int { .. }
            | Scalar::Pointer { .. } => None,
        }
    }

    /// Whether a value compares unequal to zero, as a boolean term.
    pub fn truth(self, scalar: Scalar, value: Term) -> Term {
        match scalar {
            Scalar::Float(kind) => self.float_truth(kind, value),
            Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => {
                self.terms.not(self.terms.eq(value, self.constant(scalar, 0)))
            }
        }
    }

    /// One where the condition (a boolean term) holds and zero elsewhere, as a value of the scalar.
    pub fn of_truth(self, condition: Term, scalar: Scalar) -> Term {
        let one = semantics::convert(INT, scalar, 1).bits;
        self.terms.ite(condition, self.constant(scalar, one), self.constant(scalar, 0))
    }

    /// A unary operator. The result of `Not` is an `int`.
    pub fn unary(self, op: UnaryOp, scalar: Scalar, a: Term) -> Term {
        if let Some(bits) = self.as_constant(a) {
            let result = if op == UnaryOp::Not { INT } else { scalar };
            return self.constant(result, semantics::unary(op, scalar, bits).bits);
        }
        match (op, scalar) {
            (UnaryOp::Not, _) => self.of_truth(self.terms.not(self.truth(scalar, a)), INT),
            (UnaryOp::Neg, Scalar::Float(kind)) => self.float_negated(kind, a),
            (UnaryOp::Neg, _) => self.terms.bv_neg(a),
            (UnaryOp::Complement, _) => self.terms.bv_not(a),
        }
    }

    /// A binary operator, and the condition (a boolean term) under which it has a result at all; `None`: always.
    /// `left` and `right` differ only for shifts and pointer arithmetic; `stride` is the pointee's size.
    pub fn binary(
        self,
        op: BinaryOp,
        left: Scalar,
        right: Scalar,
        a: Term,
        b: Term,
        stride: u64,
    ) -> (Term, Option<Term>) {
        let result = binary_result(op, left);
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return match semantics::binary(op, left, right, x, y, stride) {
                Ok(outcome) => (self.constant(result, outcome.bits), None),
                Err(_) => (self.constant(result, 0), Some(self.terms.bool(false))),
            };
        }
        match (op, left) {
            (BinaryOp::PointerAdd | BinaryOp::PointerSub, _) => {
                (self.pointer_add(op == BinaryOp::PointerSub, right, a, b, stride), None)
            }
            (BinaryOp::PointerDiff, _) => self.pointer_difference(a, b, stride),
            (_, Scalar::Float(kind)) => (self.float_binary(op, kind, a, b), None),
            (_, Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. }) => self.integer_binary(op, left, a, b),
        }
    }

    /// The value of type `from` as a value of type `to`.
    pub fn convert(self, from: Scalar, to: Scalar, a: Term) -> Term {
        if let Some(bits) = self.as_constant(a) {
            return self.constant(to, semantics::convert(from, to, bits).bits);
        }
        // A choice between constants, such as a comparison, stays one.
        if let (Op::Ite, &[condition, then, otherwise]) = (self.terms.op(a), self.terms.args(a))
            && let (Some(x), Some(y)) = (self.as_constant(then), self.as_constant(otherwise))
        {
            let converted = |bits| self.constant(to, semantics::convert(from, to, bits).bits);
            return self.terms.ite(condition, converted(x), converted(y));
        }
        self.converted(from, to, a)
    }

    /// An intrinsic; `b` is the second argument of the binary ones. `None` where there is no term, or an argument is missing:
    /// the result is unknown then.
    pub fn intrinsic(self, intrinsic: Intrinsic, scalar: Scalar, a: Term, b: Option<Term>) -> Option<Term> {
        let other = match (intrinsic.is_binary(), b) {
            (true, None) => return None,
            (true, Some(b)) => b,
            (false, _) => a,
        };
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(other)) {
            let result = semantics::intrinsic_result(intrinsic, scalar);
            return Some(self.constant(result, semantics::intrinsic(intrinsic, scalar, x, y)));
        }
        Some(match scalar {
            Scalar::Float(kind) => self.float_intrinsic(intrinsic, kind, a, other),
            Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => self.integer_intrinsic(intrinsic, a),
        })
    }

    /// The low bits of a term, or the term extended: to this width.
    fn resize(self, value: Term, width: u32, signed: bool) -> Term {
        let own = self.terms.width(value);
        if own >= width {
            self.terms.extract(value, width - 1, 0)
        } else if signed {
            self.terms.sign_extend(value, width - own)
        } else {
            self.terms.zero_extend(value, width - own)
        }
    }
}

/// The scalar of an operator's result.
fn binary_result(op: BinaryOp, left: Scalar) -> Scalar {
    if op.is_comparison() { INT } else { left }
}
