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
        match self {
            Condition::And(mut parts) => {
                parts.push(other);
                Condition::And(parts)
            }
            first => Condition::And(vec![first, other]),
        }
    }

    pub fn or(self, other: Condition<'a>) -> Condition<'a> {
        match self {
            Condition::Or(mut parts) => {
                parts.push(other);
                Condition::Or(parts)
            }
            first => Condition::Or(vec![first, other]),
        }
    }
}

/// Between the parentheses of an `if`.
pub(super) fn text(program: &Program, printer: &Printer<'_>, code: &str, condition: &Condition<'_>) -> String {
    match condition {
        Condition::Holds(expr) => printer.expression(*expr),
        Condition::Formula(formula) => of_formula(program, printer, formula),
        Condition::Code(number) => format!("{code} == {number}u"),
        Condition::Not(inner) => match **inner {
            Condition::Holds(expr) => negated(program, printer, expr),
            _ => format!("!({})", text(program, printer, code, inner)),
        },
        Condition::And(parts) => joined(parts, " && ", |part| text(program, printer, code, part)),
        Condition::Or(parts) => joined(parts, " || ", |part| text(program, printer, code, part)),
    }
}

fn of_formula(program: &Program, printer: &Printer<'_>, formula: &Formula) -> String {
    match formula {
        Formula::Atom(expr) => printer.expression(*expr),
        Formula::Not(inner) => match **inner {
            Formula::Atom(expr) => negated(program, printer, expr),
            _ => format!("!({})", of_formula(program, printer, inner)),
        },
        Formula::And(parts) if parts.is_empty() => "1".to_string(),
        Formula::Or(parts) if parts.is_empty() => "0".to_string(),
        Formula::And(parts) => joined(parts, " && ", |part| of_formula(program, printer, part)),
        Formula::Or(parts) => joined(parts, " || ", |part| of_formula(program, printer, part)),
    }
}

fn joined<T>(parts: &[T], operator: &str, text: impl Fn(&T) -> String) -> String {
    if let [only] = parts {
        return text(only);
    }
    let parts: Vec<String> = parts.iter().map(|part| format!("({})", text(part))).collect();
    parts.join(operator)
}

fn negated(program: &Program, printer: &Printer<'_>, expr: ExprId) -> String {
    if let ExprKind::Unary(UnaryOp::Not, operand) = program.expr(expr).kind {
        return printer.expression(operand);
    }
    format!("!{}", printer.operand(expr))
}
