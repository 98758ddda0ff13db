//! Terms as C expressions over variables that the caller names, the way a person would write them.
//!
//! The expression has the term's value in C with signed arithmetic that wraps; bit-vectors are numbers of the C type
//! that their variables have. `None` where C has no such expression: arrays, functions, rounding modes other than the
//! default, odd widths, or a term too large to be read. Knows no program: symbols come through a callback.

mod expression;
mod float;
mod integer;

use expression::{Expression, level};

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, Sort};

/// What a variable is in C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CType {
    /// A truth value: only what is zero is false.
    Bool,
    /// Of 8, 16, 32 or 64 bits.
    Integer { width: u32, signed: bool },
    /// Single or double.
    Float(FloatSort),
}

/// A variable's text (a name, or anything that binds as tightly) and type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CVariable {
    pub text: String,
    pub kind: CType,
}

/// Deeper terms are not written.
const DEPTH: u32 = 100;

/// Nor terms of more operators.
const SIZE: u32 = 2000;

/// The term as a C expression; `name` says what the declared symbols are.
pub fn c_expression(terms: &Terms, term: Term, name: &dyn Fn(u32) -> Option<CVariable>) -> Option<String> {
    let mut printer = Printer { terms, name, left: SIZE };
    match terms.sort(term) {
        Sort::Bool => printer.boolean(term, DEPTH).map(|expression| expression.text),
        Sort::Bv(width) => {
            let expression = printer.integer(term, DEPTH)?;
            let unsigned = expression.unsigned();
            printer.view(expression, width, !unsigned).map(|expression| expression.text)
        }
        Sort::Float(_) => printer.float(term, DEPTH).map(|expression| expression.text),
        Sort::RoundingMode | Sort::Array(_) | Sort::Uninterpreted(_) => None,
    }
}

struct Printer<'a> {
    terms: &'a Terms,
    name: &'a dyn Fn(u32) -> Option<CVariable>,
    /// Operators that may still be written.
    left: u32,
}

impl Printer<'_> {
    fn enter(&mut self, depth: u32) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        depth.checked_sub(1)
    }

    fn boolean(&mut self, term: Term, depth: u32) -> Option<Expression> {
        let depth = self.enter(depth)?;
        let terms = self.terms;
        let args = terms.args(term);
        match terms.op(term) {
            Op::True => Some(Expression::boolean("1".to_owned(), level::PRIMARY)),
            Op::False => Some(Expression::boolean("0".to_owned(), level::PRIMARY)),
            Op::Variable(symbol) => {
                let variable = (self.name)(symbol)?;
                (variable.kind == CType::Bool).then(|| Expression::boolean(variable.text, level::PRIMARY))
            }
            Op::Not => self.negation(args[0], depth),
            Op::And => self.junction(args, "&&", level::AND, depth),
            Op::Or => self.junction(args, "||", level::OR, depth),
            Op::Xor => self.parity(args, "!=", depth),
            Op::Eq => self.equality(args, "==", depth),
            Op::Ite => {
                let condition = self.boolean(args[0], depth)?.inside(level::CHOICE + 1);
                let then = self.boolean(args[1], depth)?.inside(level::CHOICE + 1);
                let otherwise = self.boolean(args[2], depth)?.inside(level::CHOICE);
                Some(Expression::boolean(format!("{condition} ? {then} : {otherwise}"), level::CHOICE))
            }
            Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => self.order(terms.op(term), args, depth),
            _ => self.float_predicate(term, depth),
        }
    }

    fn negation(&mut self, term: Term, depth: u32) -> Option<Expression> {
        let args = self.terms.args(term);
        match self.terms.op(term) {
            Op::Eq => self.equality(args, "!=", depth),
            Op::FloatEq => self.float_comparison(args, "!=", depth),
            Op::FloatIsNan => {
                let operand = self.float(args[0], depth)?.inside(level::EQUALITY + 1);
                Some(Expression::boolean(format!("{operand} == {operand}"), level::EQUALITY))
            }
            _ => {
                let operand = self.boolean(term, depth)?.inside(level::UNARY);
                Some(Expression::boolean(format!("!{operand}"), level::UNARY))
            }
        }
    }

    fn junction(&mut self, args: &[Term], sign: &str, own: u8, depth: u32) -> Option<Expression> {
        let mut parts = Vec::new();
        for &arg in args {
            let part = self.boolean(arg, depth)?;
            // `a && b || c` is right but makes people and compilers doubt.
            let bare = part.level == own || part.level > level::AND;
            parts.push(if bare { part.text } else { format!("({})", part.text) });
        }
        Some(Expression::boolean(parts.join(&format!(" {sign} ")), own))
    }

    /// Truth values are normalised by a double negation where they are not 0 or 1 already.
    fn parity(&mut self, args: &[Term], sign: &str, depth: u32) -> Option<Expression> {
        let mut parts = Vec::new();
        for &arg in args {
            let part = self.boolean(arg, depth)?;
            let truth = !matches!(self.terms.op(arg), Op::Variable(_) | Op::Ite);
            parts.push(if truth {
                part.inside(level::EQUALITY + 1)
            } else {
                format!("!!{}", part.inside(level::UNARY))
            });
        }
        Some(Expression::boolean(parts.join(&format!(" {sign} ")), level::EQUALITY))
    }

    fn equality(&mut self, args: &[Term], sign: &str, depth: u32) -> Option<Expression> {
        match self.terms.sort(args[0]) {
            Sort::Bool => self.parity(args, sign, depth),
            Sort::Bv(width) => self.integer_equality(args, width, sign, depth),
            Sort::Float(_) => self.float_identity(args, sign, depth),
            Sort::RoundingMode | Sort::Array(_) | Sort::Uninterpreted(_) => None,
        }
    }
}
