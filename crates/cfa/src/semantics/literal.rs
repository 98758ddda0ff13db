//! Floats from their text in C's notation, rounded to nearest in the format asked for.

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};
use tandem_syntax::types::FloatKind;

/// The bits of a float without suffix: decimal, hexadecimal, `inf`, `nan`, with or without a sign.
pub fn parse_float(kind: FloatKind, text: &str) -> Option<u128> {
    match kind {
        FloatKind::Single => parse::<Single>(text),
        FloatKind::Double => parse::<Double>(text),
        FloatKind::Extended => parse::<X87DoubleExtended>(text),
        FloatKind::Quad => parse::<Quad>(text),
    }
}

fn parse<F: Float>(text: &str) -> Option<u128> {
    let value = match text.trim_start_matches(['-', '+']) {
        "inf" => F::INFINITY,
        "nan" => F::NAN,
        magnitude => F::from_str_r(magnitude, Round::NearestTiesToEven).ok()?.value,
    };
    Some(if text.starts_with('-') { -value } else { value }.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_to_the_format() {
        for (text, value) in [
            ("0.1", 0.1),
            ("-2.5e3", -2500.0),
            ("0x1.8p-2", 0.375),
            ("-inf", f64::NEG_INFINITY),
            (".5", 0.5),
            ("2.", 2.0),
        ] {
            assert_eq!(parse_float(FloatKind::Double, text), Some(u128::from(value.to_bits())), "{text}");
        }
        assert_eq!(parse_float(FloatKind::Single, "0.1"), Some(u128::from(0.1f32.to_bits())));
        assert_eq!(parse_float(FloatKind::Extended, "1.0"), Some(0x3fff_8000_0000_0000_0000));
        assert_eq!(parse_float(FloatKind::Quad, "-2.0"), Some(0xc000 << 112));
        assert!(super::super::is_nan(FloatKind::Double, parse_float(FloatKind::Double, "nan").unwrap()));
        assert_eq!(parse_float(FloatKind::Double, "x"), None);
    }
}
