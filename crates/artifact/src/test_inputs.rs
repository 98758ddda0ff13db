//! A test case as the inputs of a run: the n-th value for the n-th request, converted to the type asked for.

use crate::{Literal, TestCase};
use tandem_cfa::Scalar;
use tandem_cfa::exec::{Inputs, Request};
use tandem_cfa::semantics::{convert, parse_float};
use tandem_cfa::types::FloatKind;

pub struct TestInputs<'a> {
    values: std::slice::Iter<'a, crate::Input>,
}

impl<'a> TestInputs<'a> {
    pub fn new(case: &'a TestCase) -> TestInputs<'a> {
        TestInputs { values: case.inputs.iter() }
    }
}

impl Inputs for TestInputs<'_> {
    /// When the values have run out, an input is zero.
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        self.values.next().map_or(0, |input| bits(&input.value, request.scalar))
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}

/// The inputs of a run once more, in their order.
pub struct RunInputs<'a>(std::slice::Iter<'a, tandem_cfa::exec::Input>);

impl<'a> RunInputs<'a> {
    pub fn new(inputs: &'a [tandem_cfa::exec::Input]) -> RunInputs<'a> {
        RunInputs(inputs.iter())
    }
}

impl Inputs for RunInputs<'_> {
    fn nondet(&mut self, _: Request<'_>) -> u128 {
        self.0.next().map_or(0, |input| input.bits)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        self.nondet(request)
    }
}

/// The bits of a literal as a value of the type, converted as C would.
pub fn bits(literal: &Literal, to: Scalar) -> u128 {
    match (literal, to) {
        (Literal::Integer(integer), _) => {
            let signed = integer.negative;
            convert(Scalar::Int { bits: 128, signed }, to, integer.bits()).bits
        }
        (Literal::Float(text), Scalar::Float(kind)) => parse_float(kind, text).unwrap_or(0),
        (Literal::Float(text), Scalar::Bool | Scalar::Int { .. } | Scalar::Pointer { .. }) => {
            let value = parse_float(FloatKind::Double, text).unwrap_or(0);
            convert(Scalar::Float(FloatKind::Double), to, value).bits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_take_the_type_of_the_input() {
        let value = |text: &str, to| bits(&Literal::parse(text).unwrap(), to);
        let int = Scalar::Int { bits: 32, signed: true };
        assert_eq!(value("-1", int), 0xffff_ffff);
        assert_eq!(value("0x1ffffffff", int), 0xffff_ffff);
        assert_eq!(value("2.9", int), 2);
        assert_eq!(value("7", Scalar::Bool), 1);
        assert_eq!(value("-3", Scalar::Float(FloatKind::Double)), u128::from((-3.0f64).to_bits()));
        assert_eq!(value("0.1f", Scalar::Float(FloatKind::Single)), u128::from(0.1f32.to_bits()));
    }
}
