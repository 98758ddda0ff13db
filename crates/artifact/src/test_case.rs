//! Test cases: the values that the inputs of one run have, in order; and what is said about a whole suite of them.
//!
//! Knows no program: whether a value fits the input that takes it is for those who run the test.

use tandem_cfa::DataModel;

use crate::Literal;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct TestCase {
    /// The n-th is the value of the n-th input that the run asks for.
    pub inputs: Vec<Input>,
    /// Whether the author says that the test reaches the error.
    pub covers_error: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    pub value: Literal,
    /// The C type the author had in mind.
    pub ty: Option<String>,
    /// The variable the author had in mind.
    pub variable: Option<String>,
}

impl From<Literal> for Input {
    fn from(value: Literal) -> Input {
        Input { value, ty: None, variable: None }
    }
}

/// What is said about a suite.
#[derive(Clone, PartialEq, Debug)]
pub struct Metadata {
    pub source_code_language: String,
    pub producer: String,
    /// The text of the property.
    pub specification: String,
    pub program_file: String,
    /// SHA-256 in hexadecimal.
    pub program_hash: String,
    pub entry_function: String,
    pub architecture: DataModel,
    pub input_test_suite_files: Vec<String>,
    pub input_test_suite_hashes: Vec<String>,
    /// ISO 8601.
    pub creation_time: String,
}
