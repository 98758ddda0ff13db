//! Float operations whose results SMT-LIB leaves open, made definite as [`Op`] says: guards around Z3's own. And what Z3
//! must not be given: its float theory ends the process on some terms that it does not expect.

use num_bigint::BigUint;

use super::ffi::{Ast, Binary, Constant, Conversion, Error, Indexed, Result, Session, SortHandle, Ternary, Unary};
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, Sort};

/// A float format with the sorts that belong to it.
#[derive(Clone, Copy)]
pub struct Format {
    pub float: FloatSort,
    pub sort: SortHandle,
    /// Bit-vectors as wide as the encoding.
    pub bits: SortHandle,
}

/// The integers that a float is converted to.
#[derive(Clone, Copy)]
pub struct Target {
    pub width: u32,
    pub signed: bool,
    pub result: SortHandle,
}

/// An error for terms that make versions of Z3 exit: floats and rounding modes in arrays and functions, rounding modes
/// that depend on a condition, and fused multiplications with an unknown one. (The bit-blaster takes them.)
pub fn refuse_unsafe(terms: &Terms, term: Term) -> Result<()> {
    let node = terms.node(term);
    let refused = match node.op {
        Op::Apply(_) | Op::Select | Op::Store | Op::ConstArray(_) => {
            has_floats(terms, node.sort) || node.args.iter().any(|&arg| has_floats(terms, terms.sort(arg)))
        }
        Op::Variable(_) => matches!(node.sort, Sort::Array(_)) && has_floats(terms, node.sort),
        Op::Ite => node.sort == Sort::RoundingMode,
        Op::FloatFma => !node.args.first().is_some_and(|&mode| matches!(terms.op(mode), Op::Rounding(_))),
        _ => false,
    };
    match refused {
        true => Err(Error("Z3 is not given floats in arrays, in functions or with computed rounding modes".into())),
        false => Ok(()),
    }
}

fn has_floats(terms: &Terms, sort: Sort) -> bool {
    match sort {
        Sort::Float(_) | Sort::RoundingMode => true,
        Sort::Array(id) => {
            let (index, element) = terms.array_sorts(id);
            has_floats(terms, index) || has_floats(terms, element)
        }
        Sort::Bool | Sort::Bv(_) | Sort::Uninterpreted(_) => false,
    }
}

/// One of two floats, chosen among their encodings: Z3 exits on choices between floats of some forms.
pub fn choice(session: &mut Session, format: Format, condition: Ast, a: Ast, b: Ast) -> Result<Ast> {
    let a = to_bits(session, format.float, format.bits, a)?;
    let b = to_bits(session, format.float, format.bits, b)?;
    let chosen = session.ternary(Ternary::Ite, condition, a, b)?;
    session.indexed(Indexed::FloatFromBits(format.sort), chosen)
}

/// The encoding, of NaN the canonical one.
pub fn to_bits(session: &mut Session, float: FloatSort, bits: SortHandle, x: Ast) -> Result<Ast> {
    let canonical = session.numeral(bits, &canonical_nan(float).to_string())?;
    let is_nan = session.unary(Unary::FloatIsNan, x)?;
    let encoding = session.unary(Unary::FloatToBits, x)?;
    session.ternary(Ternary::Ite, is_nan, canonical, encoding)
}

/// Minimum or maximum; of two zeros the second.
pub fn second_zero(session: &mut Session, operation: Binary, a: Ast, b: Ast) -> Result<Ast> {
    let first = session.unary(Unary::FloatIsZero, a)?;
    let second = session.unary(Unary::FloatIsZero, b)?;
    let both = session.and(&[first, second])?;
    let plain = session.binary(operation, a, b)?;
    session.ternary(Ternary::Ite, both, b, plain)
}

/// Conversion to an integer; zero where the rounded value is no integer of the target.
pub fn to_integer(session: &mut Session, format: Format, target: Target, rounding: Ast, x: Ast) -> Result<Ast> {
    let rounded = session.binary(Binary::FloatRoundToIntegral, rounding, x)?;
    let is_nan = session.unary(Unary::FloatIsNan, rounded)?;
    let is_infinite = session.unary(Unary::FloatIsInfinite, rounded)?;
    let mut inside = vec![session.unary(Unary::Not, is_nan)?, session.unary(Unary::Not, is_infinite)?];
    let magnitude = if target.signed { target.width - 1 } else { target.width };
    if let Some(limit) = power_of_two(format.float, magnitude) {
        let limit = float_constant(session, format, &limit)?;
        inside.push(session.binary(Binary::FloatLt, rounded, limit)?);
        if target.signed {
            let lowest = session.unary(Unary::FloatNeg, limit)?;
            inside.push(session.binary(Binary::FloatLe, lowest, rounded)?);
        }
    }
    if !target.signed {
        let zero = float_constant(session, format, &BigUint::ZERO)?;
        inside.push(session.binary(Binary::FloatLe, zero, rounded)?);
    }
    let inside = session.and(&inside)?;
    let toward_zero = session.constant(Constant::TowardZero)?;
    let conversion = match target.signed {
        true => Conversion::ToSigned(target.width),
        false => Conversion::ToUnsigned(target.width),
    };
    let converted = session.convert(conversion, toward_zero, rounded)?;
    let zero = session.bits(target.result, 0)?;
    session.ternary(Ternary::Ite, inside, converted, zero)
}

/// The quiet positive NaN with no other bit set.
pub fn canonical_nan(float: FloatSort) -> BigUint {
    let exponent = (BigUint::from(1u8) << float.exponent) - 1u8;
    (exponent << (float.significand - 1)) | (BigUint::from(1u8) << float.significand.saturating_sub(2))
}

/// The encoding of two to this power, if the format has it; without it every finite value is smaller.
fn power_of_two(float: FloatSort, power: u32) -> Option<BigUint> {
    let bias = (BigUint::from(1u8) << (float.exponent - 1)) - 1u8;
    let power = BigUint::from(power);
    (power <= bias).then(|| (power + bias) << (float.significand - 1))
}

fn float_constant(session: &mut Session, format: Format, encoding: &BigUint) -> Result<Ast> {
    let bits = session.numeral(format.bits, &encoding.to_string())?;
    session.indexed(Indexed::FloatFromBits(format.sort), bits)
}
