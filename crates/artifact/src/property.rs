//! Properties: what is to be proved of a program, or covered in it.
//!
//! Knows no file format and no program: an error function is a name here.

/// What is asked about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// No run of the program calls the error function.
    Unreachable(ErrorCall),
    /// Tests are wanted that reach the goals.
    Cover(Goals),
}

/// Which call is the error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorCall {
    /// `reach_error`, `__VERIFIER_error` and a failing `assert`: what counts when no property names a function.
    Usual,
    /// A call to this function and nothing else.
    Function(Box<str>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goals {
    Branches,
    Conditions,
    Statements,
    ErrorCall(ErrorCall),
    /// An FQL query that is none of the above, as it was written.
    Query(Box<str>),
}

impl Property {
    /// The names that [`Property::named`] knows.
    pub const NAMES: [&str; 5] =
        ["unreach-call", "coverage-branches", "coverage-conditions", "coverage-statements", "coverage-error-call"];

    /// The property that everybody calls by this name.
    pub fn named(name: &str) -> Option<Property> {
        Some(match name {
            "unreach-call" => Property::Unreachable(ErrorCall::Usual),
            "coverage-branches" => Property::Cover(Goals::Branches),
            "coverage-conditions" => Property::Cover(Goals::Conditions),
            "coverage-statements" => Property::Cover(Goals::Statements),
            "coverage-error-call" => Property::Cover(Goals::ErrorCall(ErrorCall::Usual)),
            _ => return None,
        })
    }

    /// The calls that are errors under this property.
    pub fn error_call(&self) -> &ErrorCall {
        match self {
            Property::Unreachable(call) | Property::Cover(Goals::ErrorCall(call)) => call,
            Property::Cover(Goals::Branches | Goals::Conditions | Goals::Statements | Goals::Query(_)) => {
                &ErrorCall::Usual
            }
        }
    }
}

impl ErrorCall {
    /// The functions whose call is the error.
    pub fn functions(&self) -> Vec<&str> {
        match self {
            ErrorCall::Usual => vec!["reach_error", "__VERIFIER_error"],
            ErrorCall::Function(name) => vec![name],
        }
    }

    /// Whether an `assert` that fails is an error too.
    pub fn includes_assert(&self) -> bool {
        match self {
            ErrorCall::Usual => true,
            ErrorCall::Function(_) => false,
        }
    }
}

impl Default for Property {
    fn default() -> Property {
        Property::Unreachable(ErrorCall::Usual)
    }
}
