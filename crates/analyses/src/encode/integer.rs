//! Integer and pointer arithmetic as terms. Knows no floats.

use tandem_cfa::{BinaryOp, Scalar};
use tandem_smt::{BitVector, Term};

use super::{INT, Scalars};

impl Scalars<'_> {
    /// The operators on operands that are no floats, and when they have a result.
    pub(super) fn integer_binary(self, op: BinaryOp, scalar: Scalar, a: Term, b: Term) -> (Term, Option<Term>) {
        let terms = self.terms;
        let result = match op {
            BinaryOp::Add => terms.bv_add(a, b),
            BinaryOp::Sub => terms.bv_sub(a, b),
            BinaryOp::Mul => terms.bv_mul(a, b),
            BinaryOp::Div | BinaryOp::Rem => return self.divide(op, scalar, a, b),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, scalar, a, b),
            BinaryOp::And => terms.bv_and(a, b),
            BinaryOp::Or => terms.bv_or(a, b),
            BinaryOp::Xor => terms.bv_xor(a, b),
            BinaryOp::Eq => self.of_truth(terms.eq(a, b), INT),
            BinaryOp::Ne => self.of_truth(terms.not(terms.eq(a, b)), INT),
            BinaryOp::Lt => self.of_truth(self.less(scalar, a, b), INT),
            BinaryOp::Le => self.of_truth(self.at_most(scalar, a, b), INT),
            BinaryOp::Gt => self.of_truth(self.less(scalar, b, a), INT),
            BinaryOp::Ge => self.of_truth(self.at_most(scalar, b, a), INT),
            BinaryOp::PointerAdd | BinaryOp::PointerSub => {
                self.pointer_add(op == BinaryOp::PointerSub, scalar, a, b, 1)
            }
            BinaryOp::PointerDiff => return self.pointer_difference(a, b, 1),
        };
        (result, None)
    }

    fn less(self, scalar: Scalar, a: Term, b: Term) -> Term {
        if scalar.is_signed() { self.terms.bv_slt(a, b) } else { self.terms.bv_ult(a, b) }
    }

    fn at_most(self, scalar: Scalar, a: Term, b: Term) -> Term {
        if scalar.is_signed() { self.terms.bv_sle(a, b) } else { self.terms.bv_ule(a, b) }
    }

    fn divide(self, op: BinaryOp, scalar: Scalar, a: Term, b: Term) -> (Term, Option<Term>) {
        let terms = self.terms;
        let width = scalar.bits();
        let nonzero = terms.not(terms.eq(b, terms.bv(width, 0)));
        let (result, defined) = if scalar.is_signed() {
            let smallest = terms.eq(a, terms.bv_value(&BitVector::sign_bit(width)));
            let overflows = terms.and2(smallest, terms.eq(b, terms.bv_value(&BitVector::ones(width))));
            let result = if op == BinaryOp::Div { terms.bv_sdiv(a, b) } else { terms.bv_srem(a, b) };
            (result, terms.and2(nonzero, terms.not(overflows)))
        } else {
            let result = if op == BinaryOp::Div { terms.bv_udiv(a, b) } else { terms.bv_urem(a, b) };
            (result, nonzero)
        };
        (result, (defined != terms.bool(true)).then_some(defined))
    }

    /// The amount may come from a type of another width: only its low bits count.
    fn shift(self, op: BinaryOp, scalar: Scalar, a: Term, b: Term) -> Term {
        let terms = self.terms;
        let width = scalar.bits();
        let low_bits = terms.bv(width, u128::from(width - 1));
        let amount = terms.bv_and(self.resize(b, width, false), low_bits);
        match op {
            BinaryOp::Shl => terms.bv_shl(a, amount),
            _ if scalar.is_signed() => terms.bv_ashr(a, amount),
            _ => terms.bv_lshr(a, amount),
        }
    }

    pub(super) fn pointer_add(self, backwards: bool, index: Scalar, a: Term, b: Term, stride: u64) -> Term {
        let terms = self.terms;
        let width = terms.width(a);
        let offset = terms.bv_mul(self.resize(b, width, index.is_signed()), terms.bv(width, u128::from(stride)));
        if backwards { terms.bv_sub(a, offset) } else { terms.bv_add(a, offset) }
    }

    /// Without a stride (GNU's empty records) there is no result.
    pub(super) fn pointer_difference(self, a: Term, b: Term, stride: u64) -> (Term, Option<Term>) {
        let terms = self.terms;
        let width = terms.width(a);
        if stride == 0 {
            return (terms.bv(width, 0), Some(terms.bool(false)));
        }
        let distance = terms.bv_sub(a, b);
        if width > 64 || stride >> (width - 1) == 0 {
            return (terms.bv_sdiv(distance, terms.bv(width, u128::from(stride))), None);
        }
        // The stride is no positive number of this width.
        let wide = terms.sign_extend(distance, 65 + 64 - width);
        let quotient = terms.bv_sdiv(wide, terms.bv(terms.width(wide), u128::from(stride)));
        (terms.extract(quotient, width - 1, 0), None)
    }
}
