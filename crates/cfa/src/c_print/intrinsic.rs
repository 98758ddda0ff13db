//! The names under which C compilers know the intrinsics.

use tandem_syntax::types::{FloatKind, Type};

use tandem_syntax::types::TypeId;

use super::{LOWEST, Level, Piece, Printer, UNARY};
use crate::model::*;

impl Printer<'_> {
    /// For a compiler: as a builtin, so that it needs no declaration, and with the one result that the operation has.
    pub(super) fn exact_intrinsic(
        &self,
        intrinsic: Intrinsic,
        (first, second): (ExprId, Option<ExprId>),
        ty: TypeId,
        least: Level,
        open: &mut Vec<Piece>,
    ) {
        use Intrinsic::*;
        let name = self.intrinsic_name(intrinsic, first);
        let name = if name.starts_with("__builtin_") { name } else { format!("__builtin_{name}") };
        // The classifications give anything but zero for "yes".
        let (before, after) = match intrinsic {
            IsNan | IsInfinite | IsFinite | IsNormal | SignBit => ("(".to_string(), " != 0)"),
            ByteSwap => (format!("({})", self.spelled(ty)), ""),
            _ => (String::new(), ""),
        };
        let level = if intrinsic == ByteSwap { UNARY } else { super::POSTFIX };
        self.at(level, least, open, |open| {
            open.push(Piece::Owned(format!("{before}{name}(")));
            open.push(Piece::Expr(first, LOWEST));
            if let Some(second) = second {
                open.extend([Piece::Text(", "), Piece::Expr(second, LOWEST)]);
            }
            open.extend([Piece::Text(")"), Piece::Text(after)]);
        });
    }

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
