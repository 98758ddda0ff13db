//! One operator applied to values. Knows no models.

use std::cmp::Ordering;

use crate::op::Op;
use crate::softfloat;
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::{ArrayValue, BitVector, Value};

/// The value of an operator on values; `None` for symbols, constants that are numbers in a pool, arrays other than
/// constant ones, and operands of wrong sorts.
pub(crate) fn apply(op: Op, sort: Sort, args: &[Value]) -> Option<Value> {
    match op {
        Op::Variable(_) | Op::Apply(_) | Op::WideBits(_) | Op::Select | Op::Store => None,
        Op::True => Some(Value::Bool(true)),
        Op::False => Some(Value::Bool(false)),
        Op::Not => Some(Value::Bool(!boolean(args, 0)?)),
        Op::And => Some(Value::Bool(args.iter().all(|arg| *arg == Value::Bool(true)))),
        Op::Or => Some(Value::Bool(args.contains(&Value::Bool(true)))),
        Op::Xor => Some(Value::Bool(boolean(args, 0)? != boolean(args, 1)?)),
        Op::Eq => Some(Value::Bool(args.first()? == args.get(1)?)),
        Op::Ite => args.get(if boolean(args, 0)? { 1 } else { 2 }).cloned(),
        Op::Bits(bits) => match sort {
            Sort::Bv(width) => Some(Value::Bits(BitVector::new(width, u128::from(bits)))),
            _ => None,
        },
        Op::Rounding(mode) => Some(Value::Rounding(mode)),
        Op::ConstArray(_) => {
            Some(Value::Array(ArrayValue { default: args.first()?.clone(), entries: Vec::new() }.into()))
        }
        Op::BvNot | Op::BvNeg | Op::Extract { .. } | Op::ZeroExtend(_) | Op::SignExtend(_) => {
            Some(Value::Bits(bits_unary(op, bits(args, 0)?)?))
        }
        Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle => {
            Some(Value::Bool(bits_compare(op, bits(args, 0)?, bits(args, 1)?)?))
        }
        Op::BvAnd
        | Op::BvOr
        | Op::BvXor
        | Op::BvAdd
        | Op::BvMul
        | Op::BvUdiv
        | Op::BvUrem
        | Op::BvSdiv
        | Op::BvSrem
        | Op::BvShl
        | Op::BvLshr
        | Op::BvAshr
        | Op::Concat => Some(Value::Bits(bits_binary(op, bits(args, 0)?, bits(args, 1)?)?)),
        _ => float_operation(op, args),
    }
}

fn boolean(args: &[Value], index: usize) -> Option<bool> {
    args.get(index)?.as_bool()
}

fn bits(args: &[Value], index: usize) -> Option<&BitVector> {
    args.get(index)?.as_bits()
}

fn mode(args: &[Value]) -> Option<RoundingMode> {
    match args.first()? {
        Value::Rounding(mode) => Some(*mode),
        _ => None,
    }
}

fn float(args: &[Value], index: usize) -> Option<(FloatSort, &BitVector)> {
    match args.get(index)? {
        Value::Float(sort, bits) => Some((*sort, bits)),
        _ => None,
    }
}

fn bits_unary(op: Op, operand: &BitVector) -> Option<BitVector> {
    match op {
        Op::BvNot => Some(operand.not()),
        Op::BvNeg => Some(operand.neg()),
        Op::Extract { high, low } => Some(operand.extract(high, low)),
        Op::ZeroExtend(by) => Some(operand.zero_extend(by)),
        Op::SignExtend(by) => Some(operand.sign_extend(by)),
        _ => None,
    }
}

fn bits_binary(op: Op, left: &BitVector, right: &BitVector) -> Option<BitVector> {
    match op {
        Op::BvAnd => Some(left.and(right)),
        Op::BvOr => Some(left.or(right)),
        Op::BvXor => Some(left.xor(right)),
        Op::BvAdd => Some(left.add(right)),
        Op::BvMul => Some(left.mul(right)),
        Op::BvUdiv => Some(left.udiv(right)),
        Op::BvUrem => Some(left.urem(right)),
        Op::BvSdiv => Some(left.sdiv(right)),
        Op::BvSrem => Some(left.srem(right)),
        Op::BvShl => Some(left.shl(right)),
        Op::BvLshr => Some(left.lshr(right)),
        Op::BvAshr => Some(left.ashr(right)),
        Op::Concat => Some(left.concat(right)),
        _ => None,
    }
}

fn bits_compare(op: Op, left: &BitVector, right: &BitVector) -> Option<bool> {
    match op {
        Op::BvUlt => Some(left.unsigned_cmp(right) == Ordering::Less),
        Op::BvUle => Some(left.unsigned_cmp(right) != Ordering::Greater),
        Op::BvSlt => Some(left.signed_cmp(right) == Ordering::Less),
        Op::BvSle => Some(left.signed_cmp(right) != Ordering::Greater),
        _ => None,
    }
}

fn float_operation(op: Op, args: &[Value]) -> Option<Value> {
    let value = |sort, bits| Some(Value::Float(sort, bits));
    match op {
        Op::FloatFromBits(sort) => value(sort, softfloat::canonical(sort, bits(args, 0)?)),
        Op::FloatToBits => Some(Value::Bits(float(args, 0)?.1.clone())),
        Op::FloatAbs => float(args, 0).and_then(|(sort, bits)| value(sort, softfloat::abs(sort, bits))),
        Op::FloatNeg => float(args, 0).and_then(|(sort, bits)| value(sort, softfloat::neg(sort, bits))),
        Op::FloatFromSigned(sort) => value(sort, softfloat::from_signed(sort, mode(args)?, bits(args, 1)?)),
        Op::FloatFromUnsigned(sort) => value(sort, softfloat::from_unsigned(sort, mode(args)?, bits(args, 1)?)),
        Op::FloatToFloat(to) => {
            let (sort, bits) = float(args, 1)?;
            value(to, softfloat::to_float(sort, to, mode(args)?, bits))
        }
        Op::FloatToSigned(width) => {
            let (sort, bits) = float(args, 1)?;
            let result = softfloat::to_signed(sort, width, mode(args)?, bits);
            Some(Value::Bits(result.unwrap_or_else(|| BitVector::zero(width))))
        }
        Op::FloatToUnsigned(width) => {
            let (sort, bits) = float(args, 1)?;
            let result = softfloat::to_unsigned(sort, width, mode(args)?, bits);
            Some(Value::Bits(result.unwrap_or_else(|| BitVector::zero(width))))
        }
        Op::FloatSqrt | Op::FloatRoundToIntegral => {
            let (sort, bits) = float(args, 1)?;
            let function = if op == Op::FloatSqrt { softfloat::sqrt } else { softfloat::round_to_integral };
            value(sort, function(sort, mode(args)?, bits))
        }
        Op::FloatEq | Op::FloatLt | Op::FloatLe => float_compare(op, args).map(Value::Bool),
        Op::FloatRem | Op::FloatMin | Op::FloatMax => float_unrounded(op, args),
        Op::FloatAdd | Op::FloatSub | Op::FloatMul | Op::FloatDiv | Op::FloatFma => float_rounded(op, args),
        _ => float_class(op, args).map(Value::Bool),
    }
}

fn float_compare(op: Op, args: &[Value]) -> Option<bool> {
    let ((sort, left), (_, right)) = (float(args, 0)?, float(args, 1)?);
    let order = softfloat::compare(sort, left, right);
    match op {
        Op::FloatEq => Some(order == Some(Ordering::Equal)),
        Op::FloatLt => Some(order == Some(Ordering::Less)),
        Op::FloatLe => Some(matches!(order, Some(Ordering::Less | Ordering::Equal))),
        _ => None,
    }
}

fn float_unrounded(op: Op, args: &[Value]) -> Option<Value> {
    let ((sort, left), (_, right)) = (float(args, 0)?, float(args, 1)?);
    let result = match op {
        Op::FloatRem => softfloat::rem(sort, left, right),
        Op::FloatMin => softfloat::min(sort, left, right),
        Op::FloatMax => softfloat::max(sort, left, right),
        _ => return None,
    };
    Some(Value::Float(sort, result))
}

fn float_rounded(op: Op, args: &[Value]) -> Option<Value> {
    let mode = mode(args)?;
    let ((sort, left), (_, right)) = (float(args, 1)?, float(args, 2)?);
    let result = match op {
        Op::FloatAdd => softfloat::add(sort, mode, left, right),
        Op::FloatSub => softfloat::sub(sort, mode, left, right),
        Op::FloatMul => softfloat::mul(sort, mode, left, right),
        Op::FloatDiv => softfloat::div(sort, mode, left, right),
        Op::FloatFma => softfloat::fma(sort, mode, left, right, float(args, 3)?.1),
        _ => return None,
    };
    Some(Value::Float(sort, result))
}

fn float_class(op: Op, args: &[Value]) -> Option<bool> {
    let (sort, bits) = float(args, 0)?;
    match op {
        Op::FloatIsNormal => Some(softfloat::is_normal(sort, bits)),
        Op::FloatIsSubnormal => Some(softfloat::is_subnormal(sort, bits)),
        Op::FloatIsZero => Some(softfloat::is_zero(sort, bits)),
        Op::FloatIsInfinite => Some(softfloat::is_infinite(sort, bits)),
        Op::FloatIsNan => Some(softfloat::is_nan(sort, bits)),
        Op::FloatIsNegative => Some(softfloat::is_negative(sort, bits)),
        Op::FloatIsPositive => Some(softfloat::is_positive(sort, bits)),
        _ => None,
    }
}
