//! Conditions of `if` and `while`: tests of edges and of formulas, joined by `&&` and `||`.

use std::collections::HashSet;

use tandem_base::FastBuild;

use super::used::expression_variables;
use crate::c_print::Printer;
use crate::expression::Formula;
use crate::model::*;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Condition<'a> {
    /// What an assume tests, without its truth.
    Holds(ExprId),
    Formula(&'a Formula),
    /// The last called function was left with this exit code.
    Code(u32),
    Not(Box<Condition<'a>>),
    And(Vec<Condition<'a>>),
    Or(Vec<Condition<'a>>),
}

impl<'a> Condition<'a> {
    pub fn not(self) -> Condition<'a> {
        match self {
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    /// The variables in it.
    pub fn variables(&self, program: &Program) -> HashSet<VariableId, FastBuild> {
        let mut atoms = Vec::new();
        let mut open = vec![self];
        while let Some(condition) = open.pop() {
            match condition {
                Condition::Holds(expr) => atoms.push(*expr),
                Condition::Formula(formula) => atoms.extend(formula.atoms()),
                Condition::Code(_) => {}
                Condition::Not(inner) => open.push(inner),
                Condition::And(parts) | Condition::Or(parts) => open.extend(parts),
            }
        }
        expression_variables(program, atoms.into_iter())
    }

    pub fn and(self, other: Condition<'a>) -> Condition<'a> {
        let mut parts = match self {
            Condition::And(parts) => parts,
            first => vec![first],
        };
        match other {
            Condition::And(more) => parts.extend(more),
            other => parts.push(other),
        }
        Condition::And(parts)
    }

    pub fn or(self, other: Condition<'a>) -> Condition<'a> {
        let mut parts = match self {
            Condition::Or(parts) => parts,
            first => vec![first],
        };
        match other {
            Condition::Or(more) => parts.extend(more),
            other => parts.push(other),
        }
        Condition::Or(parts)
    }
}

/// Between the parentheses of an `if`.
pub(super) fn text(program: &Program, printer: &Printer<'_>, code: &str, condition: &Condition<'_>) -> String {
    Text { program, printer, code }.condition(condition, true, Inside::Nothing)
}

/// The operator around a part: `&&` and `||` inside of each other get parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    And,
    Or,
}

struct Text<'a> {
    program: &'a Program,
    printer: &'a Printer<'a>,
    code: &'a str,
}

impl Text<'_> {
    /// The condition or, with `holds` false, its negation, which is carried inwards.
    fn condition(&self, condition: &Condition<'_>, holds: bool, inside: Inside) -> String {
        match condition {
            Condition::Holds(expr) => self.atom(*expr, holds),
            Condition::Formula(formula) => self.formula(formula, holds, inside),
            Condition::Code(number) => format!("{} {} {number}u", self.code, if holds { "==" } else { "!=" }),
            Condition::Not(inner) => self.condition(inner, !holds, inside),
            Condition::And(parts) => {
                self.joined(parts, holds, inside, |part, inside| self.condition(part, holds, inside))
            }
            Condition::Or(parts) => {
                self.joined(parts, !holds, inside, |part, inside| self.condition(part, holds, inside))
            }
        }
    }

    fn formula(&self, formula: &Formula, holds: bool, inside: Inside) -> String {
        match formula {
            Formula::Atom(expr) => self.atom(*expr, holds),
            Formula::Not(inner) => self.formula(inner, !holds, inside),
            Formula::And(parts) => self.joined(parts, holds, inside, |part, inside| self.formula(part, holds, inside)),
            Formula::Or(parts) => self.joined(parts, !holds, inside, |part, inside| self.formula(part, holds, inside)),
        }
    }

    fn joined<T>(&self, parts: &[T], is_and: bool, inside: Inside, text: impl Fn(&T, Inside) -> String) -> String {
        let (own, operator, empty) = if is_and { (Inside::And, " && ", "1") } else { (Inside::Or, " || ", "0") };
        match parts {
            [] => empty.to_string(),
            [only] => text(only, inside),
            _ => {
                let parts: Vec<String> = parts.iter().map(|part| text(part, own)).collect();
                let joined = parts.join(operator);
                if inside == Inside::Nothing || inside == own { joined } else { format!("({joined})") }
            }
        }
    }

    fn atom(&self, expr: ExprId, holds: bool) -> String {
        match self.program.expr(expr).kind {
            _ if holds => self.printer.expression(expr),
            ExprKind::Unary(UnaryOp::Not, operand) => self.printer.expression(operand),
            _ => format!("!{}", self.printer.operand(expr)),
        }
    }
}
