//! The names under which C compilers know the intrinsics.

use tandem_syntax::types::{FloatKind, Type};

use super::Printer;
use crate::model::*;

impl Printer<'_> {
    pub(super) fn intrinsic_name(&self, intrinsic: Intrinsic, operand: ExprId) -> String {
        let types = &self.program.types;
        let ty = self.program.expr(operand).ty;
        let bits = types.scalar(ty).map_or(32, |scalar| scalar.bits());
        let long = if bits > 32 { "ll" } else { "" };
        let float = match types.get(ty) {
            Type::Float(FloatKind::Single) => "f",
            Type::Float(FloatKind::Extended) => "l",
            Type::Float(FloatKind::Quad) => "q",
            _ => "",
        };
        match intrinsic {
            Intrinsic::ByteSwap => format!("__builtin_bswap{bits}"),
            Intrinsic::LeadingZeros => format!("__builtin_clz{long}"),
            Intrinsic::TrailingZeros => format!("__builtin_ctz{long}"),
            Intrinsic::PopCount => format!("__builtin_popcount{long}"),
            Intrinsic::Parity => format!("__builtin_parity{long}"),
            Intrinsic::FindFirstSet => format!("__builtin_ffs{long}"),
            Intrinsic::RedundantSignBits => format!("__builtin_clrsb{long}"),
            Intrinsic::IsNan => "isnan".into(),
            Intrinsic::IsInfinite => "isinf".into(),
            Intrinsic::IsFinite => "isfinite".into(),
            Intrinsic::IsNormal => "isnormal".into(),
            Intrinsic::SignBit => "signbit".into(),
            Intrinsic::FloatAbs => format!("fabs{float}"),
            Intrinsic::CopySign => format!("copysign{float}"),
            Intrinsic::SquareRoot => format!("sqrt{float}"),
            Intrinsic::Floor => format!("floor{float}"),
            Intrinsic::Ceil => format!("ceil{float}"),
            Intrinsic::Trunc => format!("trunc{float}"),
            Intrinsic::Round => format!("round{float}"),
            Intrinsic::RoundEven => format!("roundeven{float}"),
            Intrinsic::FloatMin => format!("fmin{float}"),
            Intrinsic::FloatMax => format!("fmax{float}"),
            Intrinsic::FloatMod => format!("fmod{float}"),
            Intrinsic::FloatRemainder => format!("remainder{float}"),
        }
    }
}
