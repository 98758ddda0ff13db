//! The names of the operations that round in the mode of the program: lowering calls them in programs that set a mode. Knows nothing
//! of how they are carried out.

use tandem_syntax::Scalar;

use crate::model::Intrinsic;
use crate::semantics::RoundedOperation;

/// The variable of the models that holds the mode, as `fegetround` gives it.
pub const ROUNDING_MODE: &str = "__tandem_rounding_mode";
/// The model that sets it.
pub(crate) const SET_ROUNDING: &str = "__tandem_fesetround";

const PREFIX: &str = "__tandem_rounded_";

fn word(operation: RoundedOperation) -> &'static str {
    match operation {
        RoundedOperation::Add => "add",
        RoundedOperation::Subtract => "subtract",
        RoundedOperation::Multiply => "multiply",
        RoundedOperation::Divide => "divide",
        RoundedOperation::SquareRoot => "sqrt",
        RoundedOperation::MultiplyAdd => "fma",
        RoundedOperation::ToIntegral => "rint",
        RoundedOperation::Convert => "convert",
    }
}

/// The name of the function that carries out an operation on these types.
pub(crate) fn rounded_name(operation: RoundedOperation, from: Scalar, to: Scalar) -> String {
    let ty = |scalar: Scalar| match scalar {
        Scalar::Bool => "bool".to_owned(),
        Scalar::Int { bits, signed: true } => format!("i{bits}"),
        Scalar::Int { bits, signed: false } => format!("u{bits}"),
        Scalar::Pointer { bits } => format!("p{bits}"),
        Scalar::Float(kind) => format!("f{}", kind.bits()),
    };
    let word = word(operation);
    if from == to { format!("{PREFIX}{word}_{}", ty(to)) } else { format!("{PREFIX}{word}_{}_{}", ty(from), ty(to)) }
}

/// The operation of a function with such a name.
pub(super) fn rounded(name: &str) -> Option<RoundedOperation> {
    let (first, _) = name.strip_prefix(PREFIX)?.split_once('_')?;
    RoundedOperation::ALL.into_iter().find(|operation| word(*operation) == first)
}

/// The operation that a function of `math.h`, which is this intrinsic if the mode is to nearest, carries out in the mode of
/// the program.
pub(crate) fn rounded_intrinsic(name: &str, intrinsic: Intrinsic) -> Option<RoundedOperation> {
    match intrinsic {
        Intrinsic::SquareRoot => Some(RoundedOperation::SquareRoot),
        // `roundeven` does not mind the mode.
        Intrinsic::RoundEven if !name.contains("roundeven") => Some(RoundedOperation::ToIntegral),
        _ => None,
    }
}
