//! What an assumption says about the values of places: after `i < n`, `i` is below the largest value of `n`. Knows expressions, and
//! leaves storing to the executor.

use tandem_cfa::{BinaryOp, ExprId, ExprKind, Scalar, UnaryOp};

use super::domain::{Shape, limits, shape};
use super::values::{Intervals, seen_as};
use super::{Interval, refine};
use crate::store::{Executor, PathEnd, Result, Store};

type Machine<'a> = Executor<'a, Intervals>;
type Values = Store<Intervals>;

/// How deep expressions are followed.
const DEPTH: u32 = 40;

/// Learns that a condition holds (or does not).
pub fn learn(machine: &mut Machine<'_>, store: &mut Values, condition: ExprId, truth: bool) -> Result<()> {
    truth_of(machine, store, condition, truth, DEPTH)
}

/// Learns that an expression has one of these values.
pub fn learn_value(machine: &mut Machine<'_>, store: &mut Values, id: ExprId, values: &Interval) -> Result<()> {
    let scalar = machine.scalar_of(id)?;
    within(machine, store, id, &seen_as(scalar, values), DEPTH)
}

fn value_of(machine: &mut Machine<'_>, store: &mut Values, id: ExprId) -> Result<Interval> {
    let scalar = machine.scalar_of(id)?;
    let value = machine.value(store, id)?;
    Ok(seen_as(scalar, &value))
}

fn is_integral(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. } => shape(scalar) == Shape::Range,
        Scalar::Float(_) => false,
    }
}

fn truth_of(machine: &mut Machine<'_>, store: &mut Values, id: ExprId, truth: bool, depth: u32) -> Result<()> {
    let Some(deeper) = depth.checked_sub(1) else { return Ok(()) };
    match machine.program.expr(id).kind {
        ExprKind::Unary(UnaryOp::Not, operand) => return truth_of(machine, store, operand, !truth, deeper),
        ExprKind::Binary(op, left, right) if op.is_comparison() => {
            return comparison(machine, store, (op, left, right), truth, deeper);
        }
        ExprKind::Convert(operand) => {
            let (from, to) = (machine.scalar_of(operand)?, machine.scalar_of(id)?);
            if to == Scalar::Bool || is_integral(from) && is_integral(to) && from.bits() <= to.bits() {
                return truth_of(machine, store, operand, truth, deeper);
            }
        }
        _ => {}
    }
    let value = value_of(machine, store, id)?;
    let zero = Interval::constant(value.scalar(), 0);
    match refine(BinaryOp::Ne, &value, &zero, truth) {
        Some((value, _)) => within(machine, store, id, &value, deeper),
        None => Err(PathEnd::Infeasible),
    }
}

fn comparison(
    machine: &mut Machine<'_>,
    store: &mut Values,
    (op, left, right): (BinaryOp, ExprId, ExprId),
    truth: bool,
    depth: u32,
) -> Result<()> {
    let (a, b) = (value_of(machine, store, left)?, value_of(machine, store, right)?);
    match refine(op, &a, &b, truth) {
        Some((left_values, right_values)) => {
            if left_values != a {
                within(machine, store, left, &left_values, depth)?;
            }
            if right_values != b {
                within(machine, store, right, &right_values, depth)?;
            }
            Ok(())
        }
        None => Err(PathEnd::Infeasible),
    }
}

/// The expression has one of these values, which are of its type.
fn within(machine: &mut Machine<'_>, store: &mut Values, id: ExprId, values: &Interval, depth: u32) -> Result<()> {
    if values.is_empty() {
        return Err(PathEnd::Infeasible);
    }
    let Some(deeper) = depth.checked_sub(1) else { return Ok(()) };
    match machine.program.expr(id).kind {
        ExprKind::Read(place) => {
            let value = value_of(machine, store, id)?;
            let meet = value.meet(values);
            if meet.is_empty() {
                return Err(PathEnd::Infeasible);
            }
            if meet != value { machine.learn(store, place, meet) } else { Ok(()) }
        }
        ExprKind::Convert(operand) => converted(machine, store, operand, values, deeper),
        ExprKind::Unary(UnaryOp::Not, operand) => match values.truth() {
            Some(truth) => truth_of(machine, store, operand, !truth, deeper),
            None => Ok(()),
        },
        ExprKind::Unary(UnaryOp::Neg, operand) => {
            let scalar = machine.scalar_of(operand)?;
            let value = value_of(machine, store, operand)?;
            match (value.bounds(), values.bounds()) {
                (Some(before), Some(after)) if is_integral(scalar) => {
                    let exact = (before.1.checked_neg(), before.0.checked_neg());
                    let pulled = (after.1.checked_neg(), after.0.checked_neg());
                    pull(machine, store, operand, (scalar, exact), pulled, deeper)
                }
                _ => Ok(()),
            }
        }
        ExprKind::Binary(op, left, right) if op.is_comparison() => match values.truth() {
            Some(truth) => comparison(machine, store, (op, left, right), truth, deeper),
            None => Ok(()),
        },
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
            sum(machine, store, (op, left, right), values, deeper)
        }
        ExprKind::Binary(..)
        | ExprKind::Unary(UnaryOp::Complement, _)
        | ExprKind::Bits(_)
        | ExprKind::Wide(_)
        | ExprKind::Zero
        | ExprKind::AddressOf(_)
        | ExprKind::Function(_)
        | ExprKind::Intrinsic(..) => Ok(()),
    }
}

/// The operand of a conversion that keeps its values.
fn converted(
    machine: &mut Machine<'_>,
    store: &mut Values,
    operand: ExprId,
    values: &Interval,
    depth: u32,
) -> Result<()> {
    let (from, to) = (machine.scalar_of(operand)?, values.scalar());
    if to == Scalar::Bool {
        return match values.truth() {
            Some(truth) => truth_of(machine, store, operand, truth, depth),
            None => Ok(()),
        };
    }
    if !is_integral(from) || !is_integral(to) || matches!(from, Scalar::Pointer { .. }) && to.bits() > from.bits() {
        return Ok(());
    }
    let value = value_of(machine, store, operand)?;
    let (Some((low, high)), Some(after)) = (value.bounds(), values.bounds()) else { return Ok(()) };
    pull(machine, store, operand, (to, (Some(low), Some(high))), (Some(after.0), Some(after.1)), depth)
}

/// The operands of a sum or difference that does not wrap around.
fn sum(
    machine: &mut Machine<'_>,
    store: &mut Values,
    (op, left, right): (BinaryOp, ExprId, ExprId),
    values: &Interval,
    depth: u32,
) -> Result<()> {
    let scalar = values.scalar();
    let (a, b) = (value_of(machine, store, left)?, value_of(machine, store, right)?);
    let (Some(a), Some(b), Some(v)) = (a.bounds(), b.bounds(), values.bounds()) else { return Ok(()) };
    if op == BinaryOp::Add {
        let exact = (scalar, (a.0.checked_add(b.0), a.1.checked_add(b.1)));
        pull(machine, store, left, exact, (v.0.checked_sub(b.1), v.1.checked_sub(b.0)), depth)?;
        pull(machine, store, right, exact, (v.0.checked_sub(a.1), v.1.checked_sub(a.0)), depth)
    } else {
        let exact = (scalar, (a.0.checked_sub(b.1), a.1.checked_sub(b.0)));
        pull(machine, store, left, exact, (v.0.checked_add(b.0), v.1.checked_add(b.1)), depth)?;
        pull(machine, store, right, exact, (a.0.checked_sub(v.1), a.1.checked_sub(v.0)), depth)
    }
}

type Bounds = (Option<i128>, Option<i128>);

/// Learns that an operand lies between the bounds, if the result it belongs to never left its type.
fn pull(
    machine: &mut Machine<'_>,
    store: &mut Values,
    operand: ExprId,
    (scalar, exact): (Scalar, Bounds),
    bounds: Bounds,
    depth: u32,
) -> Result<()> {
    let whole = limits(scalar);
    let from = machine.scalar_of(operand)?;
    match (exact, bounds) {
        ((Some(low), Some(high)), (Some(least), Some(most)))
            if is_integral(from) && whole.low <= low && high <= whole.high =>
        {
            within(machine, store, operand, &Interval::between(from, least, most), depth)
        }
        _ => Ok(()),
    }
}
