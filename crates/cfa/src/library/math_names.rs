//! The functions of `math.h` by their C names. Knows nothing of how a model is carried out.

use super::{Math, Model, Primitive};
use crate::model::Intrinsic;

/// Names that are no functions of the C library without `__builtin_` before them.
pub(super) const BUILTINS_ONLY: [&str; 7] = ["huge_val", "huge_valf", "huge_vall", "inf", "inff", "infl", "isinf_sign"];

/// The functions of `math.h`: a stem, and a suffix for `double`, `float` or `long double`.
pub(super) fn floating(name: &str) -> Option<Model> {
    let stem = name.strip_prefix("__").unwrap_or(name);
    if let Some(model) = floating_stem(stem, 0) {
        return Some(model);
    }
    match stem.as_bytes().last()? {
        b'f' => floating_stem(&stem[..stem.len() - 1], 1),
        b'l' => floating_stem(&stem[..stem.len() - 1], 2),
        _ => None,
    }
}

/// `width`: 0 for `double`, 1 for `float`, 2 for `long double`.
fn floating_stem(stem: &str, width: usize) -> Option<Model> {
    if let Some(intrinsic) = intrinsic(stem) {
        return Some(Model::Intrinsic(intrinsic));
    }
    if let Some(math) = math(stem) {
        return Some(Model::Primitive(Primitive::Math(math)));
    }
    if stem == "fma" {
        return Some(Model::Primitive(Primitive::FusedMultiplyAdd));
    }
    let names = match stem {
        "isinf" | "isinf_sign" => ["__tandem_isinf", "__tandem_isinff", "__tandem_isinfl"],
        "fpclassify" => ["__tandem_fpclassify", "__tandem_fpclassifyf", "__tandem_fpclassifyl"],
        "fdim" => ["__tandem_fdim", "__tandem_fdimf", "__tandem_fdiml"],
        "modf" => ["__tandem_modf", "__tandem_modff", "__tandem_modfl"],
        "lrint" => ["__tandem_lrint", "__tandem_lrintf", "__tandem_lrintl"],
        "llrint" => ["__tandem_llrint", "__tandem_llrintf", "__tandem_llrintl"],
        "lround" => ["__tandem_lround", "__tandem_lroundf", "__tandem_lroundl"],
        "llround" => ["__tandem_llround", "__tandem_llroundf", "__tandem_llroundl"],
        "ldexp" | "scalbn" => ["__tandem_ldexp", "__tandem_ldexpf", "__tandem_ldexpl"],
        "scalbln" => ["__tandem_scalbln", "__tandem_scalblnf", "__tandem_scalblnl"],
        "frexp" => ["__tandem_frexp", "__tandem_frexpf", "__tandem_frexpl"],
        "ilogb" => ["__tandem_ilogb", "__tandem_ilogbf", "__tandem_ilogbl"],
        "logb" => ["__tandem_logb", "__tandem_logbf", "__tandem_logbl"],
        "nextafter" => ["__tandem_nextafter", "__tandem_nextafterf", "__tandem_nextafterl"],
        "nextup" => ["__tandem_nextup", "__tandem_nextupf", "__tandem_nextupl"],
        "nextdown" => ["__tandem_nextdown", "__tandem_nextdownf", "__tandem_nextdownl"],
        "remquo" => ["__tandem_remquo", "__tandem_remquof", "__tandem_remquol"],
        "huge_val" | "inf" => ["__tandem_huge_val", "__tandem_huge_valf", "__tandem_huge_vall"],
        "nan" => ["__tandem_nan", "__tandem_nanf", "__tandem_nanl"],
        _ => return None,
    };
    Some(Model::Source(names[width]))
}

fn intrinsic(stem: &str) -> Option<Intrinsic> {
    Some(match stem {
        "isnan" => Intrinsic::IsNan,
        "isfinite" | "finite" => Intrinsic::IsFinite,
        "isnormal" => Intrinsic::IsNormal,
        "signbit" => Intrinsic::SignBit,
        "fabs" => Intrinsic::FloatAbs,
        "copysign" => Intrinsic::CopySign,
        "sqrt" => Intrinsic::SquareRoot,
        "floor" => Intrinsic::Floor,
        "ceil" => Intrinsic::Ceil,
        "trunc" => Intrinsic::Trunc,
        "round" => Intrinsic::Round,
        "rint" | "nearbyint" | "roundeven" => Intrinsic::RoundEven,
        "fmin" => Intrinsic::FloatMin,
        "fmax" => Intrinsic::FloatMax,
        "fmod" => Intrinsic::FloatMod,
        "remainder" | "drem" => Intrinsic::FloatRemainder,
        _ => return None,
    })
}

fn math(stem: &str) -> Option<Math> {
    Some(match stem {
        "sin" => Math::Sin,
        "cos" => Math::Cos,
        "tan" => Math::Tan,
        "asin" => Math::Asin,
        "acos" => Math::Acos,
        "atan" => Math::Atan,
        "atan2" => Math::Atan2,
        "sinh" => Math::Sinh,
        "cosh" => Math::Cosh,
        "tanh" => Math::Tanh,
        "asinh" => Math::Asinh,
        "acosh" => Math::Acosh,
        "atanh" => Math::Atanh,
        "exp" => Math::Exp,
        "exp2" => Math::Exp2,
        "expm1" => Math::ExpMinus1,
        "log" => Math::Log,
        "log2" => Math::Log2,
        "log10" => Math::Log10,
        "log1p" => Math::Log1Plus,
        "pow" => Math::Power,
        "cbrt" => Math::CubeRoot,
        "hypot" => Math::Hypotenuse,
        _ => return None,
    })
}
