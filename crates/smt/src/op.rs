//! The operators that terms are made of. What SMT-LIB has beyond these is rewritten by the constructors.

use crate::sort::{FloatSort, RoundingMode};

/// An operator with its parameters. Arguments are in [`Node::args`](crate::Node).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// A declared constant symbol, by its number in the pool.
    Variable(u32),
    /// The application of a declared function, by its number in the pool.
    Apply(u32),

    True,
    False,
    Not,
    /// Two or more arguments, sorted, no duplicates.
    And,
    /// Two or more arguments, sorted, no duplicates.
    Or,
    Xor,
    /// On any two terms of one sort (floats: identity of values, one NaN; `FloatEq` is IEEE equality).
    Eq,
    /// Condition, then, otherwise: of any sort.
    Ite,

    /// A bit-vector constant of at most 64 bits.
    Bits(u64),
    /// A wider one, by its number in the pool.
    WideBits(u32),
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvMul,
    /// Division by zero gives all ones, remainder by zero the dividend, as SMT-LIB says.
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    /// High part, low part.
    Concat,
    /// Bits `high` to `low`, both included.
    Extract {
        high: u32,
        low: u32,
    },
    /// By this many more bits.
    ZeroExtend(u32),
    SignExtend(u32),

    /// A rounding mode constant.
    Rounding(RoundingMode),
    /// A float from its IEEE bits (all NaN patterns are the one NaN). A float constant is this of a constant.
    FloatFromBits(FloatSort),
    /// The IEEE bits of a float; of NaN: the canonical quiet positive one.
    FloatToBits,
    FloatAbs,
    FloatNeg,
    /// Rounding mode, left, right (likewise the next ones).
    FloatAdd,
    FloatSub,
    FloatMul,
    FloatDiv,
    /// Rounding mode, x, y, z: x * y + z.
    FloatFma,
    FloatSqrt,
    /// IEEE remainder: no rounding mode.
    FloatRem,
    FloatRoundToIntegral,
    /// Of +0 and -0: the second one (SMT-LIB leaves it open). NaN loses.
    FloatMin,
    FloatMax,
    FloatEq,
    FloatLt,
    FloatLe,
    FloatIsNormal,
    FloatIsSubnormal,
    FloatIsZero,
    FloatIsInfinite,
    FloatIsNan,
    FloatIsNegative,
    FloatIsPositive,
    /// Rounding mode, float of another format.
    FloatToFloat(FloatSort),
    /// Rounding mode, bit-vector read as a signed number.
    FloatFromSigned(FloatSort),
    FloatFromUnsigned(FloatSort),
    /// Rounding mode, float; to this width. Out of range: zero (SMT-LIB leaves it open).
    FloatToSigned(u32),
    FloatToUnsigned(u32),

    Select,
    Store,
    /// An array with one value everywhere; the parameter is the array sort's id.
    ConstArray(u32),
}
