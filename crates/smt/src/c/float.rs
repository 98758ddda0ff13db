//! Float terms as C expressions: single and double, rounding to nearest even.

use super::expression::{Expression, Meaning, level};
use super::{CType, Printer};
use crate::op::Op;
use crate::pool::Term;
use crate::softfloat;
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::BitVector;

fn expression(text: String, level: u8) -> Expression {
    Expression { text, level, width: 64, signed: true, meaning: Meaning::Both }
}

impl Printer<'_> {
    pub(super) fn float(&mut self, term: Term, depth: u32) -> Option<Expression> {
        let depth = self.enter(depth)?;
        let terms = self.terms;
        let sort = terms.float_sort(term).filter(|sort| matches!(*sort, FloatSort::SINGLE | FloatSort::DOUBLE))?;
        if let Some((_, bits)) = terms.as_float(term) {
            return Some(constant(sort, &bits));
        }
        let args = terms.args(term);
        let op = terms.op(term);
        match op {
            Op::Variable(symbol) => {
                let variable = (self.name)(symbol)?;
                (variable.kind == CType::Float(sort)).then(|| expression(variable.text, level::PRIMARY))
            }
            Op::FloatNeg => {
                let inner = self.float(args[0], depth)?.inside(level::UNARY);
                let space = if inner.starts_with('-') { " " } else { "" };
                Some(expression(format!("-{space}{inner}"), level::UNARY))
            }
            Op::FloatAdd | Op::FloatSub => self.float_binary(op, args, level::SUM, depth),
            Op::FloatMul | Op::FloatDiv => self.float_binary(op, args, level::PRODUCT, depth),
            Op::FloatToFloat(_) => {
                self.default_rounding(args[0])?;
                let inner = self.float(args[1], depth)?.inside(level::UNARY);
                Some(expression(format!("({}){inner}", name(sort)), level::UNARY))
            }
            Op::FloatFromSigned(_) | Op::FloatFromUnsigned(_) => {
                self.default_rounding(args[0])?;
                let bits = self.integer(args[1], depth)?;
                let number = self.view(bits, terms.width(args[1]), matches!(op, Op::FloatFromSigned(_)))?;
                Some(expression(format!("({}){}", name(sort), number.inside(level::UNARY)), level::UNARY))
            }
            Op::Ite => {
                let condition = self.boolean(args[0], depth)?.inside(level::CHOICE + 1);
                let then = self.float(args[1], depth)?.inside(level::CHOICE + 1);
                let otherwise = self.float(args[2], depth)?.inside(level::CHOICE);
                Some(expression(format!("{condition} ? {then} : {otherwise}"), level::CHOICE))
            }
            _ => None,
        }
    }

    fn default_rounding(&self, mode: Term) -> Option<()> {
        (self.terms.op(mode) == Op::Rounding(RoundingMode::NearestEven)).then_some(())
    }

    fn float_binary(&mut self, op: Op, args: &[Term], own: u8, depth: u32) -> Option<Expression> {
        self.default_rounding(args[0])?;
        let sign = match op {
            Op::FloatAdd => '+',
            Op::FloatSub => '-',
            Op::FloatMul => '*',
            _ => '/',
        };
        let (mut first, mut second) = (args[1], args[2]);
        // A constant looks better behind, and the order does not matter.
        if matches!(op, Op::FloatAdd | Op::FloatMul) && self.terms.is_value(first) {
            (first, second) = (second, first);
        }
        let (left, right) = (self.float(first, depth)?, self.float(second, depth)?);
        Some(expression(format!("{} {sign} {}", left.inside(own), right.inside(own + 1)), own))
    }

    pub(super) fn float_comparison(&mut self, args: &[Term], sign: &str, depth: u32) -> Option<Expression> {
        let (left, right) = (self.float(args[0], depth)?, self.float(args[1], depth)?);
        let own = if matches!(sign, "==" | "!=") { level::EQUALITY } else { level::RELATION };
        Some(Expression::boolean(format!("{} {sign} {}", left.inside(own + 1), right.inside(own + 1)), own))
    }

    /// Identity is C's equality only with a constant that is neither zero nor NaN.
    pub(super) fn float_identity(&mut self, args: &[Term], sign: &str, depth: u32) -> Option<Expression> {
        let plain = |term: Term| {
            let constant = self.terms.as_float(term);
            constant.is_some_and(|(sort, bits)| !softfloat::is_zero(sort, &bits) && !softfloat::is_nan(sort, &bits))
        };
        if !plain(args[0]) && !plain(args[1]) {
            return None;
        }
        let (first, second) = if self.terms.is_value(args[0]) { (args[1], args[0]) } else { (args[0], args[1]) };
        self.float_comparison(&[first, second], sign, depth)
    }

    pub(super) fn float_predicate(&mut self, term: Term, depth: u32) -> Option<Expression> {
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::FloatEq => self.float_comparison(args, "==", depth),
            Op::FloatLt if self.terms.is_value(args[0]) => self.float_comparison(&[args[1], args[0]], ">", depth),
            Op::FloatLe if self.terms.is_value(args[0]) => self.float_comparison(&[args[1], args[0]], ">=", depth),
            Op::FloatLt => self.float_comparison(args, "<", depth),
            Op::FloatLe => self.float_comparison(args, "<=", depth),
            Op::FloatIsNan => {
                let operand = self.float(args[0], depth)?.inside(level::EQUALITY + 1);
                Some(Expression::boolean(format!("{operand} != {operand}"), level::EQUALITY))
            }
            Op::FloatIsZero => {
                let Sort::Float(sort) = self.terms.sort(args[0]) else { return None };
                let zero = constant(sort, &sort.zero(false));
                let operand = self.float(args[0], depth)?.inside(level::EQUALITY + 1);
                Some(Expression::boolean(format!("{operand} == {}", zero.text), level::EQUALITY))
            }
            _ => None,
        }
    }
}

fn name(sort: FloatSort) -> &'static str {
    if sort == FloatSort::SINGLE { "float" } else { "double" }
}

fn constant(sort: FloatSort, bits: &BitVector) -> Expression {
    let suffix = if sort == FloatSort::SINGLE { "f" } else { "" };
    let zero = format!("0.0{suffix}");
    if softfloat::is_nan(sort, bits) {
        return expression(format!("{zero} / {zero}"), level::PRODUCT);
    }
    let sign = if bits.is_negative() { "-" } else { "" };
    if softfloat::is_infinite(sort, bits) {
        return expression(format!("{sign}1.0{suffix} / {zero}"), level::PRODUCT);
    }
    let raw = bits.small().unwrap_or(0);
    let digits = if sort == FloatSort::SINGLE {
        format!("{:?}", f32::from_bits(raw as u32))
    } else {
        format!("{:?}", f64::from_bits(raw as u64))
    };
    expression(format!("{digits}{suffix}"), if sign.is_empty() { level::PRIMARY } else { level::UNARY })
}
