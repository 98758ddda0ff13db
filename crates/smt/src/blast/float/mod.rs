//! Floats as bit-vector terms: every float term gets its parts once, every operation that leaves the floats a term without
//! them.
//!
//! What is left of floats in those terms is `FloatToBits` of atoms (variables, reads, applications), which are inputs.
//! Semantics are those that [`Op`] documents. Clauses and solving are not known here.

mod arithmetic;
mod convert;
mod round;
mod unpacked;
mod word;

#[cfg(test)]
mod tests;

use tandem_base::FastBuild;

use self::unpacked::{Format, Unpacked};
use self::word::Words;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, Sort};

type Map<K, V> = hashbrown::HashMap<K, V, FastBuild>;

/// One of the two forms is there from the start, the other one when it is needed.
#[derive(Clone, Copy)]
struct Float {
    format: Format,
    packed: Option<Packed>,
    unpacked: Option<Unpacked>,
}

#[derive(Clone, Copy)]
struct Packed {
    bits: Term,
    /// Whether NaN only has its canonical pattern.
    canonical: bool,
}

pub(super) struct Floats {
    words: Words,
    floats: Map<Term, Float>,
    lowered: Map<Term, Term>,
}

impl Floats {
    pub fn new(terms: &Terms) -> Floats {
        Floats { words: Words::new(terms), floats: Map::default(), lowered: Map::default() }
    }

    /// Whether the float term has been made.
    pub fn is_known(&self, term: Term) -> bool {
        self.floats.contains_key(&term)
    }

    /// Whether the bits of the float term are inputs.
    pub fn is_atom(&self, term: Term) -> bool {
        let is_float = matches!(self.words.sort(term), Sort::Float(_));
        is_float && matches!(self.words.op(term), Op::Variable(_) | Op::Select | Op::Apply(_))
    }

    /// The term without floats for a term that is not a float but has float arguments, after [`Floats::lower`].
    pub fn lowered(&self, term: Term) -> Option<Term> {
        self.lowered.get(&term).copied()
    }

    /// Makes the parts of a float term; those of its float arguments have been made.
    pub fn make(&mut self, term: Term) -> Result<(), String> {
        let terms: &Terms = &self.words;
        let (op, args) = (terms.op(term), self.words.args(term).to_vec());
        let Some(sort) = terms.float_sort(term) else { return Err("not a float".into()) };
        let format = format(sort)?;
        let float = match op {
            _ if self.is_atom(term) => {
                let bits = terms.intern(Op::FloatToBits, Sort::Bv(sort.width()), &[term]);
                packed(format, bits, true)
            }
            Op::FloatFromBits(_) => packed(format, args[0], false),
            Op::FloatAbs | Op::FloatNeg => self.with_sign(format, op, args[0])?,
            Op::Ite => self.choose(format, args[0], args[1], args[2])?,
            Op::FloatMin | Op::FloatMax => self.extreme(format, op, args[0], args[1])?,
            _ => {
                let unpacked = self.arithmetic(format, op, &args)?;
                Float { format, packed: None, unpacked: Some(unpacked) }
            }
        };
        self.floats.insert(term, float);
        Ok(())
    }

    fn float(&self, term: Term) -> Result<Float, String> {
        self.floats.get(&term).copied().ok_or_else(|| "a float that was not made".to_string())
    }

    fn unpacked(&mut self, term: Term) -> Result<Unpacked, String> {
        let float = self.float(term)?;
        match (float.unpacked, float.packed) {
            (Some(unpacked), _) => Ok(unpacked),
            (None, Some(packed)) => {
                let unpacked = self.words.unpack(float.format, packed.bits);
                self.floats.insert(term, Float { unpacked: Some(unpacked), ..float });
                Ok(unpacked)
            }
            (None, None) => Err("a float without form".into()),
        }
    }

    /// The canonical bits.
    fn bits(&mut self, term: Term) -> Result<Term, String> {
        let float = self.float(term)?;
        let bits = match (float.packed, float.unpacked) {
            (Some(Packed { bits, canonical: true }), _) => return Ok(bits),
            (Some(Packed { bits, canonical: false }), _) => {
                let nan = self.words.fields(float.format, bits).nan;
                self.words.ite(nan, self.words.nan_bits(float.format), bits)
            }
            (None, Some(unpacked)) => self.words.pack(float.format, unpacked),
            (None, None) => return Err("a float without form".into()),
        };
        self.floats.insert(term, Float { packed: Some(Packed { bits, canonical: true }), ..float });
        Ok(bits)
    }

    fn with_sign(&mut self, format: Format, op: Op, arg: Term) -> Result<Float, String> {
        let float = self.float(arg)?;
        let words = &self.words;
        if let Some(Packed { bits, canonical }) = float.packed {
            let sign = words.pad_low(words.bv(1, 1), format.sort.width() - 1);
            return Ok(if op == Op::FloatAbs {
                packed(format, words.bv_and(bits, words.bv_not(sign)), canonical)
            } else {
                packed(format, words.bv_xor(bits, sign), false)
            });
        }
        let unpacked = self.unpacked(arg)?;
        let words = &self.words;
        let negative = if op == Op::FloatAbs { words.bool(false) } else { words.not(unpacked.negative) };
        Ok(Float { format, packed: None, unpacked: Some(Unpacked { negative, ..unpacked }) })
    }

    fn choose(&mut self, format: Format, condition: Term, then: Term, otherwise: Term) -> Result<Float, String> {
        let (left, right) = (self.float(then)?, self.float(otherwise)?);
        if let (Some(left), Some(right)) = (left.packed, right.packed) {
            let bits = self.words.ite(condition, left.bits, right.bits);
            return Ok(packed(format, bits, left.canonical && right.canonical));
        }
        let (left, right) = (self.unpacked(then)?, self.unpacked(otherwise)?);
        Ok(Float { format, packed: None, unpacked: Some(self.words.choose(condition, left, right)) })
    }

    fn extreme(&mut self, format: Format, op: Op, left: Term, right: Term) -> Result<Float, String> {
        let first = if op == Op::FloatMin { self.less(left, right)? } else { self.less(right, left)? };
        let nan = self.is_nan(right)?;
        let left_first = self.words.or2(first, nan);
        self.choose(format, left_first, left, right)
    }

    fn is_nan(&mut self, term: Term) -> Result<Term, String> {
        let float = self.float(term)?;
        Ok(match float.packed {
            Some(packed) => self.words.fields(float.format, packed.bits).nan,
            None => self.unpacked(term)?.nan,
        })
    }

    fn less(&mut self, left: Term, right: Term) -> Result<Term, String> {
        let (a, b) = (self.float(left)?, self.float(right)?);
        if let (Some(a), Some(b), format) = (a.packed, b.packed, a.format) {
            return Ok(self.words.packed_less(format, a.bits, b.bits));
        }
        let (a, b) = (self.unpacked(left)?, self.unpacked(right)?);
        Ok(self.words.unpacked_less(a, b))
    }

    fn equal(&mut self, left: Term, right: Term, identity: bool) -> Result<Term, String> {
        let (a, b) = (self.float(left)?, self.float(right)?);
        if let (Some(a), Some(b), format) = (a.packed, b.packed, a.format) {
            return Ok(self.words.packed_equal(format, a.bits, b.bits, identity));
        }
        let (a, b) = (self.unpacked(left)?, self.unpacked(right)?);
        Ok(self.words.unpacked_equal(a, b, identity))
    }

    fn arithmetic(&mut self, format: Format, op: Op, args: &[Term]) -> Result<Unpacked, String> {
        let mut floats = Vec::with_capacity(args.len());
        for &arg in args {
            if self.words.float_sort(arg).is_some() {
                floats.push(self.unpacked(arg)?);
            }
        }
        let words = &self.words;
        if let (Op::FloatRem, &[x, y]) = (op, floats.as_slice()) {
            let steps = Words::remainder_steps(format).ok_or("the remainder of floats of a large format")?;
            return Ok(words.float_remainder(format, steps, x, y));
        }
        let mode = words.mode(args[0]);
        Ok(match (op, floats.as_slice()) {
            (Op::FloatAdd, &[x, y]) => words.float_sum(format, mode, x, y),
            (Op::FloatSub, &[x, y]) => {
                let negated = Unpacked { negative: words.not(y.negative), ..y };
                words.float_sum(format, mode, x, negated)
            }
            (Op::FloatMul, &[x, y]) => words.float_product(format, mode, x, y),
            (Op::FloatDiv, &[x, y]) => words.float_quotient(format, mode, x, y),
            (Op::FloatFma, &[x, y, z]) => words.float_fused(format, mode, x, y, z),
            (Op::FloatSqrt, &[x]) => words.float_root(format, mode, x),
            (Op::FloatRoundToIntegral, &[x]) => words.float_to_integral(format, mode, x),
            (Op::FloatToFloat(_), &[x]) => {
                let Some(from) = words.float_sort(args[1]) else { return Err("not a float".into()) };
                words.float_to_format(self::format(from)?, format, mode, x)
            }
            (Op::FloatFromSigned(_), []) => words.float_from_integer(format, mode, args[1], true),
            (Op::FloatFromUnsigned(_), []) => words.float_from_integer(format, mode, args[1], false),
            (op, _) => return Err(format!("{op:?} on floats")),
        })
    }

    /// Makes the term without floats for a term that is not a float but has float arguments.
    pub fn lower(&mut self, term: Term) -> Result<(), String> {
        let (op, args) = (self.words.op(term), self.words.args(term).to_vec());
        let lowered = match (op, args.as_slice()) {
            (Op::FloatToBits, &[x]) => self.bits(x)?,
            (Op::Eq, &[x, y]) => self.equal(x, y, true)?,
            (Op::FloatEq, &[x, y]) => self.equal(x, y, false)?,
            (Op::FloatLt, &[x, y]) => self.less(x, y)?,
            (Op::FloatLe, &[x, y]) => {
                let (less, equal) = (self.less(x, y)?, self.equal(x, y, false)?);
                self.words.or2(less, equal)
            }
            (Op::FloatToSigned(width) | Op::FloatToUnsigned(width), &[mode, x]) => {
                let format = self.float(x)?.format;
                let unpacked = self.unpacked(x)?;
                let mode = self.words.mode(mode);
                self.words.float_to_integer(format, mode, unpacked, width, matches!(op, Op::FloatToSigned(_)))
            }
            (_, &[x]) => self.class(op, x)?,
            _ => return Err(format!("{op:?} on floats")),
        };
        self.lowered.insert(term, lowered);
        Ok(())
    }

    fn class(&mut self, op: Op, term: Term) -> Result<Term, String> {
        let float = self.float(term)?;
        let Some(Packed { bits, .. }) = float.packed else {
            let unpacked = self.unpacked(term)?;
            return self.class_unpacked(float.format, op, unpacked);
        };
        let words = &self.words;
        let fields = words.fields(float.format, bits);
        let special = words.or2(fields.exponent_ones, fields.exponent_zero);
        let number = words.not(fields.nan);
        Ok(match op {
            Op::FloatIsNormal => words.not(special),
            Op::FloatIsSubnormal => words.and2(fields.exponent_zero, words.not(fields.zero)),
            Op::FloatIsZero => fields.zero,
            Op::FloatIsInfinite => fields.infinite,
            Op::FloatIsNan => fields.nan,
            Op::FloatIsNegative => words.and2(number, fields.negative),
            Op::FloatIsPositive => words.and2(number, words.not(fields.negative)),
            _ => return Err(format!("{op:?} on floats")),
        })
    }

    fn class_unpacked(&self, format: Format, op: Op, float: Unpacked) -> Result<Term, String> {
        let words = &self.words;
        let special = words.or(&[float.nan, float.infinite, float.zero]);
        let min = words.signed(format.exponent_width, format.min_exponent);
        let below = words.bv_slt(float.exponent, min);
        let number = words.not(float.nan);
        Ok(match op {
            Op::FloatIsNormal => words.and2(words.not(special), words.not(below)),
            Op::FloatIsSubnormal => words.and2(words.not(special), below),
            Op::FloatIsZero => float.zero,
            Op::FloatIsInfinite => float.infinite,
            Op::FloatIsNan => float.nan,
            Op::FloatIsNegative => words.and2(number, float.negative),
            Op::FloatIsPositive => words.and2(number, words.not(float.negative)),
            _ => return Err(format!("{op:?} on floats")),
        })
    }
}

fn packed(format: Format, bits: Term, canonical: bool) -> Float {
    Float { format, packed: Some(Packed { bits, canonical }), unpacked: None }
}

fn format(sort: FloatSort) -> Result<Format, String> {
    Format::new(sort).ok_or_else(|| format!("floats with {} exponent bits", sort.exponent))
}
