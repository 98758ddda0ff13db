//! Float operations that round in a given direction as terms; what they mean is in [`tandem_cfa::semantics::rounded`].

use tandem_cfa::semantics::{self, RoundedOperation, RoundingDirection};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{BinaryOp, Intrinsic, Scalar};
use tandem_smt::{RoundingMode, Term};

use super::Scalars;

fn mode_of(direction: RoundingDirection) -> RoundingMode {
    match direction {
        RoundingDirection::Nearest => RoundingMode::NearestEven,
        RoundingDirection::Down => RoundingMode::TowardNegative,
        RoundingDirection::Up => RoundingMode::TowardPositive,
        RoundingDirection::TowardZero => RoundingMode::TowardZero,
    }
}

impl Scalars<'_> {
    /// The result, of the scalar `to`; `None` if there are too few operands or the operation is not one on floats.
    pub fn rounded(
        self,
        operation: RoundedOperation,
        direction: RoundingDirection,
        from: Scalar,
        to: Scalar,
        operands: &[Term],
    ) -> Option<Term> {
        let Scalar::Float(kind) = to else { return None };
        let operands = operands.get(..operation.operands())?;
        let mut known = [0; 3];
        let constants = operands.iter().map(|operand| self.as_constant(*operand));
        if known.iter_mut().zip(constants).all(|(known, bits)| bits.map(|bits| *known = bits).is_some()) {
            return Some(self.constant(to, semantics::rounded(operation, direction, from, to, known)));
        }
        let directed = Scalars { mode: mode_of(direction), ..self };
        directed.on_operands(operation, from, kind, operands)
    }

    fn on_operands(
        self,
        operation: RoundedOperation,
        from: Scalar,
        kind: FloatKind,
        operands: &[Term],
    ) -> Option<Term> {
        let terms = self.terms;
        let binary = |op| match *operands {
            [a, b] => Some(self.float_binary(op, kind, a, b)),
            _ => None,
        };
        match (operation, operands) {
            (RoundedOperation::Add, _) => binary(BinaryOp::Add),
            (RoundedOperation::Subtract, _) => binary(BinaryOp::Sub),
            (RoundedOperation::Multiply, _) => binary(BinaryOp::Mul),
            (RoundedOperation::Divide, _) => binary(BinaryOp::Div),
            (RoundedOperation::Convert, [a]) => Some(self.converted(from, Scalar::Float(kind), *a)),
            (RoundedOperation::SquareRoot, [a]) => Some(self.float_intrinsic(Intrinsic::SquareRoot, kind, *a, *a)),
            (RoundedOperation::ToIntegral, [a]) => {
                let mode = self.rounding();
                Some(self.float_function(kind, *a, |float| terms.float_round_to_integral(mode, float)))
            }
            (RoundedOperation::MultiplyAdd, [a, b, c]) => {
                let views = [*a, *b, *c].map(|operand| self.view(kind, operand));
                let [x, y, z] = views.map(|view| view.float);
                Some(self.settle(kind, &views, terms.float_fma(self.rounding(), x, y, z)))
            }
            (
                RoundedOperation::Convert
                | RoundedOperation::SquareRoot
                | RoundedOperation::ToIntegral
                | RoundedOperation::MultiplyAdd,
                _,
            ) => None,
        }
    }
}
