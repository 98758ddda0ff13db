//! Float arithmetic as terms. Knows no integers.
//!
//! Values are patterns, float operators work on floats: an operation reads its operands ([`Scalars::view`]), applies
//! an operator and writes the pattern of the result ([`Scalars::pattern`]). Reading a pattern that was written gives
//! the float that was written, so a chain of operations is a chain of float operators; the patterns between them only
//! stay in the formula where somebody looks at them.

use tandem_cfa::BinaryOp;
use tandem_cfa::types::FloatKind;

use tandem_smt::{BitVector, FloatSort, Op, Term};

use super::{INT, Scalars};

/// A pattern that was read.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub float: Term,
    /// The pattern if the float is NaN; without a meaning otherwise.
    nan: Term,
    /// Whether the pattern was written by [`Scalars::pattern`]: `float` is shorter than it then.
    written: bool,
}

pub(super) fn sort_of(kind: FloatKind) -> FloatSort {
    match kind {
        FloatKind::Single => FloatSort::SINGLE,
        FloatKind::Double => FloatSort::DOUBLE,
        FloatKind::Extended => FloatSort::EXTENDED,
        FloatKind::Quad => FloatSort::QUAD,
    }
}

/// How many bits of a NaN are its payload: those below the one that makes it quiet.
fn payload_bits(kind: FloatKind) -> u32 {
    sort_of(kind).significand - 2
}

impl Scalars<'_> {
    pub(super) fn rounding(self) -> Term {
        self.terms.rounding(self.mode)
    }

    /// Of a `long double`: whether the leading one is written exactly where the exponent says so.
    pub(super) fn is_regular(self, value: Term) -> Term {
        let terms = self.terms;
        let subnormal = terms.eq(terms.extract(value, 78, 64), terms.bv(15, 0));
        let leading = terms.eq(terms.extract(value, 63, 63), terms.bv(1, 1));
        terms.xor(subnormal, leading)
    }

    /// The IEEE bits of a pattern: without the leading one of `long double`.
    fn interchange(self, kind: FloatKind, value: Term) -> Term {
        match kind {
            FloatKind::Extended => {
                self.terms.concat(self.terms.extract(value, 79, 64), self.terms.extract(value, 62, 0))
            }
            FloatKind::Single | FloatKind::Double | FloatKind::Quad => value,
        }
    }

    /// The inverse of `interchange`.
    fn written_out(self, kind: FloatKind, bits: Term) -> Term {
        let terms = self.terms;
        match kind {
            FloatKind::Extended => {
                let subnormal = terms.eq(terms.extract(bits, 77, 63), terms.bv(15, 0));
                let leading = terms.ite(subnormal, terms.bv(1, 0), terms.bv(1, 1));
                terms.concat(terms.extract(bits, 78, 63), terms.concat(leading, terms.extract(bits, 62, 0)))
            }
            FloatKind::Single | FloatKind::Double | FloatKind::Quad => bits,
        }
    }

    /// Reads a pattern.
    pub(super) fn view(self, kind: FloatKind, value: Term) -> View {
        if let Some((float, nan)) = self.as_written(kind, value) {
            return View { float, nan, written: true };
        }
        let bits = self.interchange(kind, value);
        let written = self.terms.op(bits) == Op::FloatToBits;
        View { float: self.terms.float_from_bits(sort_of(kind), bits), nan: value, written }
    }

    /// The float and the NaN pattern of a term `pattern` made. Others may have that form too (`isnan(x) ? 0 : x` for
    /// example), so the NaN pattern has to be one whatever the values of the symbols are.
    fn as_written(self, kind: FloatKind, value: Term) -> Option<(Term, Term)> {
        let terms = self.terms;
        let (Op::Ite, &[condition, nan, number]) = (terms.op(value), terms.args(value)) else { return None };
        if terms.op(condition) != Op::FloatIsNan {
            return None;
        }
        let bits = self.interchange(kind, number);
        let (Op::FloatToBits, &[float]) = (terms.op(bits), terms.args(bits)) else { return None };
        let quiet = terms.as_bv(terms.extract(nan, kind.bits() - 2, payload_bits(kind)))?;
        (quiet.is_ones() && terms.float_is_nan(float) == condition).then_some((float, nan))
    }

    /// The pattern of a float; `nan` is the pattern if it is NaN.
    fn pattern(self, kind: FloatKind, float: Term, nan: Term) -> Term {
        let number = self.written_out(kind, self.terms.float_to_bits(float));
        self.terms.ite(self.terms.float_is_nan(float), nan, number)
    }

    /// The pattern of a number that was computed without operands that are floats: never NaN.
    pub(super) fn number_pattern(self, kind: FloatKind, float: Term) -> Term {
        self.pattern(kind, float, self.default_nan(kind))
    }

    fn default_nan(self, kind: FloatKind) -> Term {
        // Sign, exponent, the leading one if it is written, and the quiet bit.
        let payload = payload_bits(kind);
        self.terms.bv_value(&BitVector::ones(kind.bits() - payload).concat(&BitVector::zero(payload)))
    }

    /// A quiet NaN from its sign (one bit) and its payload.
    fn quiet_nan(self, kind: FloatKind, sign: Term, payload: Term) -> Term {
        let ones = self.terms.bv_value(&BitVector::ones(kind.bits() - 1 - payload_bits(kind)));
        self.terms.concat(sign, self.terms.concat(ones, payload))
    }

    /// The pattern of a result by the rule for NaNs: the first operand that is one, made quiet, else the default.
    pub(super) fn settle(self, kind: FloatKind, operands: &[View], result: Term) -> Term {
        let terms = self.terms;
        let (top, payload) = (kind.bits() - 1, payload_bits(kind));
        let mut nan = (terms.bv(1, 1), terms.bv(payload, 0));
        for operand in operands.iter().rev() {
            let condition = terms.float_is_nan(operand.float);
            nan = (
                terms.ite(condition, terms.extract(operand.nan, top, top), nan.0),
                terms.ite(condition, terms.extract(operand.nan, payload - 1, 0), nan.1),
            );
        }
        self.pattern(kind, result, self.quiet_nan(kind, nan.0, nan.1))
    }

    pub(super) fn float_truth(self, kind: FloatKind, value: Term) -> Term {
        let terms = self.terms;
        let view = self.view(kind, value);
        if view.written || terms.is_value(value) {
            return terms.not(terms.float_is_zero(view.float));
        }
        let magnitude = terms.extract(value, kind.bits() - 2, 0);
        terms.not(terms.eq(magnitude, terms.bv(kind.bits() - 1, 0)))
    }

    /// The sign bit, as a bit-vector of one bit.
    pub(super) fn sign_of(self, kind: FloatKind, value: Term) -> Term {
        let terms = self.terms;
        let top = kind.bits() - 1;
        let view = self.view(kind, value);
        if !view.written {
            return terms.extract(value, top, top);
        }
        let number = terms.ite(terms.float_is_negative(view.float), terms.bv(1, 1), terms.bv(1, 0));
        terms.ite(terms.float_is_nan(view.float), terms.extract(view.nan, top, top), number)
    }

    /// The magnitude of a value with this sign (one bit). Also of NaNs, and without making them quiet.
    pub(super) fn with_sign(self, kind: FloatKind, value: Term, sign: Term) -> Term {
        let terms = self.terms;
        let rest = |bits| terms.extract(bits, kind.bits() - 2, 0);
        let view = self.view(kind, value);
        if !view.written {
            return terms.concat(sign, rest(value));
        }
        let magnitude = terms.float_abs(view.float);
        let negative = terms.eq(sign, terms.bv(1, 1));
        let float = terms.ite(negative, terms.float_neg(magnitude), magnitude);
        self.pattern(kind, float, terms.concat(sign, rest(view.nan)))
    }

    pub(super) fn float_negated(self, kind: FloatKind, value: Term) -> Term {
        let terms = self.terms;
        let top = kind.bits() - 1;
        let flipped = |bits| terms.concat(terms.bv_not(terms.extract(bits, top, top)), terms.extract(bits, top - 1, 0));
        let view = self.view(kind, value);
        if view.written { self.pattern(kind, terms.float_neg(view.float), flipped(view.nan)) } else { flipped(value) }
    }

    /// The four operations, C's `fmod`, and comparisons. The integer operators are not defined on floats.
    pub(super) fn float_binary(self, op: BinaryOp, kind: FloatKind, a: Term, b: Term) -> Term {
        let terms = self.terms;
        let (left, right) = (self.view(kind, a), self.view(kind, b));
        let (x, y) = (left.float, right.float);
        let arithmetic = |result| self.settle(kind, &[left, right], result);
        let comparison = |condition| self.of_truth(condition, INT);
        match op {
            BinaryOp::Add => arithmetic(terms.float_add(self.rounding(), x, y)),
            BinaryOp::Sub => arithmetic(terms.float_sub(self.rounding(), x, y)),
            BinaryOp::Mul => arithmetic(terms.float_mul(self.rounding(), x, y)),
            BinaryOp::Div => arithmetic(terms.float_div(self.rounding(), x, y)),
            BinaryOp::Rem => arithmetic(self.modulo(kind, x, y)),
            BinaryOp::Eq => comparison(terms.float_eq(x, y)),
            BinaryOp::Ne => comparison(terms.not(terms.float_eq(x, y))),
            BinaryOp::Lt => comparison(terms.float_lt(x, y)),
            BinaryOp::Le => comparison(terms.float_le(x, y)),
            BinaryOp::Gt => comparison(terms.float_gt(x, y)),
            BinaryOp::Ge => comparison(terms.float_ge(x, y)),
            BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::PointerAdd
            | BinaryOp::PointerSub
            | BinaryOp::PointerDiff => self.default_nan(kind),
        }
    }

    /// C's `fmod` from IEEE's remainder: that of the magnitudes lies within half the divisor around zero; one divisor
    /// more makes a negative one positive. The sum is exact because the result is a number of the format.
    fn modulo(self, kind: FloatKind, x: Term, y: Term) -> Term {
        let terms = self.terms;
        let divisor = terms.float_abs(y);
        let rest = terms.float_rem(terms.float_abs(x), divisor);
        let zero = terms.float_value(sort_of(kind), &sort_of(kind).zero(false));
        let lifted = terms.float_add(self.rounding(), rest, divisor);
        let rest = terms.ite(terms.float_lt(rest, zero), lifted, rest);
        terms.ite(terms.float_is_negative(x), terms.float_neg(rest), rest)
    }

    /// The result of a function of one float.
    pub(super) fn float_function(self, kind: FloatKind, a: Term, apply: impl FnOnce(Term) -> Term) -> Term {
        let view = self.view(kind, a);
        self.settle(kind, &[view], apply(view.float))
    }

    pub(super) fn float_remainder(self, kind: FloatKind, a: Term, b: Term) -> Term {
        let (left, right) = (self.view(kind, a), self.view(kind, b));
        self.settle(kind, &[left, right], self.terms.float_rem(left.float, right.float))
    }

    /// `fmin` (`fmax` if `larger`): the first of equal ones; a NaN loses.
    pub(super) fn float_extreme(self, kind: FloatKind, a: Term, b: Term, larger: bool) -> Term {
        let terms = self.terms;
        let (left, right) = (self.view(kind, a), self.view(kind, b));
        let (x, y) = (left.float, right.float);
        let (first, second) = (terms.float_is_nan(x), terms.float_is_nan(y));
        let loses = if larger { terms.float_lt(x, y) } else { terms.float_lt(y, x) };
        let takes_second = terms.and2(terms.not(second), terms.or2(first, loses));
        let quiet = self.settle(kind, &[left], x);
        terms.ite(takes_second, b, terms.ite(terms.and2(first, second), quiet, a))
    }

    pub(super) fn float_to_float(self, from: FloatKind, to: FloatKind, value: Term) -> Term {
        if from == to {
            return value;
        }
        let terms = self.terms;
        let view = self.view(from, value);
        let float = terms.float_to_float(sort_of(to), self.rounding(), view.float);
        let (old, new) = (payload_bits(from), payload_bits(to));
        let payload = if new >= old {
            terms.concat(terms.extract(view.nan, old - 1, 0), terms.bv(new - old, 0))
        } else {
            terms.extract(view.nan, old - 1, old - new)
        };
        let top = from.bits() - 1;
        self.pattern(to, float, self.quiet_nan(to, terms.extract(view.nan, top, top), payload))
    }
}
