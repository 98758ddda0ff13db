//! Transcendental functions, by the machine's own library.

use crate::library::Math;

macro_rules! functions {
    ($name:ident, $float:ty) => {
        pub(super) fn $name(function: Math, x: $float, y: $float) -> $float {
            match function {
                Math::Sin => x.sin(),
                Math::Cos => x.cos(),
                Math::Tan => x.tan(),
                Math::Asin => x.asin(),
                Math::Acos => x.acos(),
                Math::Atan => x.atan(),
                Math::Atan2 => x.atan2(y),
                Math::Sinh => x.sinh(),
                Math::Cosh => x.cosh(),
                Math::Tanh => x.tanh(),
                Math::Asinh => x.asinh(),
                Math::Acosh => x.acosh(),
                Math::Atanh => x.atanh(),
                Math::Exp => x.exp(),
                Math::Exp2 => x.exp2(),
                Math::ExpMinus1 => x.exp_m1(),
                Math::Log => x.ln(),
                Math::Log2 => x.log2(),
                Math::Log10 => x.log10(),
                Math::Log1Plus => x.ln_1p(),
                Math::Power => x.powf(y),
                Math::CubeRoot => x.cbrt(),
                Math::Hypotenuse => x.hypot(y),
            }
        }
    };
}

functions!(single, f32);
functions!(double, f64);
