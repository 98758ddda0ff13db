//! Inputs as a stream of bytes, as fuzzers have them: each value takes the bytes of its type, lowest first, and zeros when there are no more.

use tandem_cfa::exec::{Inputs, Request};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{DataModel, Program, Scalar};

pub struct ByteInputs<'a> {
    bytes: &'a [u8],
    model: DataModel,
}

impl<'a> ByteInputs<'a> {
    pub fn new(program: &Program, bytes: &'a [u8]) -> ByteInputs<'a> {
        ByteInputs { bytes, model: program.model() }
    }
}

impl Inputs for ByteInputs<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        let size = size_of_input(request.scalar, self.model).min(self.bytes.len());
        let (taken, left) = self.bytes.split_at(size);
        self.bytes = left;
        taken.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}

/// How many bytes an input takes.
pub fn size_of_input(scalar: Scalar, model: DataModel) -> usize {
    match (scalar, model) {
        (Scalar::Float(FloatKind::Extended), DataModel::Lp64) => 16,
        (Scalar::Float(FloatKind::Extended), DataModel::Ilp32) => 12,
        (Scalar::Bool, _) => 1,
        (Scalar::Int { .. } | Scalar::Pointer { .. } | Scalar::Float(_), _) => scalar.bits().div_ceil(8) as usize,
    }
}
