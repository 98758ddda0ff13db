//! The test case that makes a program run as it ran: the results of its input functions, in order, as C literals.
//!
//! Knows no file format.

use tandem_cfa::c_print;
use tandem_cfa::exec::{self, Run};
use tandem_cfa::semantics::{decode, integer_value, is_nan};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{Program, Scalar};

use crate::{Input, Integer, Literal, TestCase};

/// The test case of a run. What the run read from uninitialised memory is no part of it: no test can say that.
pub fn test_of_run(program: &Program, run: &Run) -> TestCase {
    let from_functions = run.inputs.iter().filter(|input| input.is_of_function());
    TestCase { inputs: from_functions.map(|input| input_of(program, input)).collect(), covers_error: false }
}

/// An input of a run as one of a test.
pub fn input_of(program: &Program, input: &exec::Input) -> Input {
    Input { value: literal(input.scalar, input.bits), ty: Some(c_print::ty(program, input.ty)), variable: None }
}

/// A value as a literal that means exactly this value.
pub fn literal(scalar: Scalar, bits: u128) -> Literal {
    match scalar {
        Scalar::Float(kind) => Literal::Float(float(kind, bits).into()),
        Scalar::Bool => Literal::Integer(Integer::from((bits & 1) as i128)),
        Scalar::Int { signed: true, .. } => Literal::Integer(Integer::from(integer_value(scalar, bits))),
        Scalar::Int { bits: width, signed: false } | Scalar::Pointer { bits: width } => {
            let magnitude = bits & tandem_cfa::semantics::mask(width);
            Literal::Integer(Integer { negative: false, magnitude })
        }
    }
}

fn float(kind: FloatKind, bits: u128) -> String {
    let is_negative = bits >> (kind.bits() - 1) & 1 == 1;
    let sign = if is_negative { "-" } else { "" };
    let Some(value) = decode(kind, bits) else {
        return format!("{sign}{}", if is_nan(kind, bits) { "nan" } else { "inf" });
    };
    match kind {
        // The shortest decimal number that is this one and no other `double`; readers may round to `double` first.
        FloatKind::Single => format!("{:?}", f64::from(f32::from_bits(bits as u32))),
        FloatKind::Double => format!("{:?}", f64::from_bits(bits as u64)),
        FloatKind::Extended | FloatKind::Quad => format!("{sign}0x{:x}p{}", value.significand, value.exponent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_mean_the_value() {
        let int = |bits, signed, value: u128| literal(Scalar::Int { bits, signed }, value).to_string();
        assert_eq!(int(32, true, 0xffff_fff9), "-7");
        assert_eq!(int(32, false, 0xffff_fff9), "4294967289");
        assert_eq!(int(8, true, 0xffff_ff80), "-128");
        assert_eq!(int(128, false, u128::MAX), u128::MAX.to_string());
        assert_eq!(literal(Scalar::Bool, 1).to_string(), "1");
        assert_eq!(literal(Scalar::Pointer { bits: 32 }, 16).to_string(), "16");
    }

    #[test]
    fn floats_come_back_bit_by_bit() {
        use tandem_cfa::semantics::parse_float;
        let patterns =
            [0u64, 1, 0x3ff0_0000_0000_0001, 0x8000_0000_0000_0000, 0x7ff0_0000_0000_0000, 0x3fb9_9999_9999_999a];
        for bits in patterns.map(u128::from) {
            assert_eq!(parse_float(FloatKind::Double, &float(FloatKind::Double, bits)), Some(bits), "{bits:x}");
        }
        for bits in [1u32, 0x3dcc_cccd, 0xff80_0000, 0x7f7f_ffff].map(u128::from) {
            assert_eq!(parse_float(FloatKind::Single, &float(FloatKind::Single, bits)), Some(bits), "{bits:x}");
        }
        let quad = 0x3ffe_1234_5678_9abc_def0_1234_5678_9abc_u128;
        assert_eq!(parse_float(FloatKind::Quad, &float(FloatKind::Quad, quad)), Some(quad));
        assert_eq!(float(FloatKind::Double, u128::from(f64::NAN.to_bits())), "nan");
    }
}
