//! A term from an operator that is only known at run time, through the simplifying constructors.

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

impl Terms {
    /// The simplified term of this operator, result sort and arguments.
    pub fn rebuild(&self, op: Op, sort: Sort, args: &[Term]) -> Term {
        match op {
            Op::Variable(_) | Op::True | Op::False | Op::Bits(_) | Op::WideBits(_) | Op::Rounding(_) => {
                self.intern(op, sort, args)
            }
            Op::Apply(symbol) => self.apply(symbol, args),
            Op::And => self.and(args),
            Op::Or => self.or(args),
            Op::ConstArray(_) => self.const_array(sort, args[0]),
            Op::Extract { high, low } => self.extract(args[0], high, low),
            Op::ZeroExtend(by) => self.zero_extend(args[0], by),
            Op::SignExtend(by) => self.sign_extend(args[0], by),
            Op::FloatFromBits(sort) => self.float_from_bits(sort, args[0]),
            Op::FloatToFloat(sort) => self.float_to_float(sort, args[0], args[1]),
            Op::FloatFromSigned(sort) => self.float_from_signed(sort, args[0], args[1]),
            Op::FloatFromUnsigned(sort) => self.float_from_unsigned(sort, args[0], args[1]),
            Op::FloatToSigned(width) => self.float_to_signed(width, args[0], args[1]),
            Op::FloatToUnsigned(width) => self.float_to_unsigned(width, args[0], args[1]),
            Op::FloatFma => self.float_fma(args[0], args[1], args[2], args[3]),
            Op::Not => self.not(args[0]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvNeg => self.bv_neg(args[0]),
            Op::FloatToBits => self.float_to_bits(args[0]),
            Op::FloatAbs => self.float_abs(args[0]),
            Op::FloatNeg => self.float_neg(args[0]),
            Op::FloatIsNormal => self.float_is_normal(args[0]),
            Op::FloatIsSubnormal => self.float_is_subnormal(args[0]),
            Op::FloatIsZero => self.float_is_zero(args[0]),
            Op::FloatIsInfinite => self.float_is_infinite(args[0]),
            Op::FloatIsNan => self.float_is_nan(args[0]),
            Op::FloatIsNegative => self.float_is_negative(args[0]),
            Op::FloatIsPositive => self.float_is_positive(args[0]),
            Op::Xor => self.xor(args[0], args[1]),
            Op::Eq => self.eq(args[0], args[1]),
            Op::BvAnd => self.bv_and(args[0], args[1]),
            Op::BvOr => self.bv_or(args[0], args[1]),
            Op::BvXor => self.bv_xor(args[0], args[1]),
            Op::BvAdd => self.bv_add(args[0], args[1]),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvSdiv => self.bv_sdiv(args[0], args[1]),
            Op::BvSrem => self.bv_srem(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::BvUlt => self.bv_ult(args[0], args[1]),
            Op::BvUle => self.bv_ule(args[0], args[1]),
            Op::BvSlt => self.bv_slt(args[0], args[1]),
            Op::BvSle => self.bv_sle(args[0], args[1]),
            Op::Concat => self.concat(args[0], args[1]),
            Op::FloatSqrt => self.float_sqrt(args[0], args[1]),
            Op::FloatRem => self.float_rem(args[0], args[1]),
            Op::FloatRoundToIntegral => self.float_round_to_integral(args[0], args[1]),
            Op::FloatMin => self.float_min(args[0], args[1]),
            Op::FloatMax => self.float_max(args[0], args[1]),
            Op::FloatEq => self.float_eq(args[0], args[1]),
            Op::FloatLt => self.float_lt(args[0], args[1]),
            Op::FloatLe => self.float_le(args[0], args[1]),
            Op::Select => self.select(args[0], args[1]),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::FloatAdd => self.float_add(args[0], args[1], args[2]),
            Op::FloatSub => self.float_sub(args[0], args[1], args[2]),
            Op::FloatMul => self.float_mul(args[0], args[1], args[2]),
            Op::FloatDiv => self.float_div(args[0], args[1], args[2]),
            Op::Store => self.store(args[0], args[1], args[2]),
        }
    }
}
