//! A C file that runs a program natively again and again: compiled together with the program, it gives each run other inputs (those of
//! tests, borders of the types, random ones) and reports a run that reaches the error.
//!
//! The functions that the program only declares are those of the harness; the runs themselves are in `native_runs.c`. Knows the program;
//! compiles and runs nothing.

use std::collections::BTreeSet;
use std::fmt::Write;

use tandem_base::Id;
use tandem_cfa::semantics::parse_float;
use tandem_cfa::types::{FloatKind, Type};
use tandem_cfa::{DataModel, ExprKind, FunctionId, Program, Scalar};

use super::harness::{ERROR_STATUS, Stub, Writer};
use crate::{Literal, TestCase};

const RUNS: &str = include_str!("native_runs.c");
/// Numbers of the program that inputs are taken from.
const MOST_WORDS: usize = 500;
/// The exit status of a sanitizer that found something.
pub const SANITIZER_STATUS: i32 = 109;

/// What is asked of the runs.
pub struct NativeRuns<'a> {
    pub program: &'a Program,
    /// The functions whose call is the error.
    pub errors: &'a [&'a str],
    /// Whether an `assert` that fails is an error.
    pub includes_assert: bool,
    /// Tests to begin with.
    pub tests: &'a [TestCase],
}

impl NativeRuns<'_> {
    /// The C file.
    pub fn write(&self) -> String {
        let writer = Writer { program: self.program, inputs: &[], errors: self.errors, real_library: true };
        let mut out = String::from("/* Inputs for many runs of a program, and its functions without a body. */\n\n");
        out.push_str(&self.words());
        out.push_str(&self.given());
        out.push_str(RUNS);
        out.push_str(writer.precision());
        for function in writer.functions() {
            out.push('\n');
            match writer.stub(function) {
                Stub::Values => out.push_str(&values(&writer, function)),
                Stub::Error | Stub::Assume | Stub::Assert | Stub::NeverReturns => {
                    out.push_str(&writer.function(function));
                }
            }
        }
        for variable in writer.variables() {
            out.push('\n');
            out.push_str(&writer.variable(variable));
        }
        // That of the C library says where, and aborts.
        let status = if self.includes_assert { ERROR_STATUS } else { 0 };
        let _ = write!(out, "\n__attribute__((weak)) void __assert_fail()\n{{\n    tandem_stop(\"\", {status});\n}}\n");
        out + &writer.watched()
    }

    /// Error functions with a body in the program: their calls are seen if the program is compiled with `-finstrument-functions`, and they can
    /// be named by the linker.
    pub fn watched_functions(&self) -> Vec<String> {
        let writer = Writer { program: self.program, inputs: &[], errors: self.errors, real_library: true };
        writer.defined_errors().into_iter().map(str::to_string).collect()
    }

    /// What an input that was reported is the result of.
    pub fn source_of_input(&self, number: usize) -> Option<&str> {
        let function = FunctionId::from_index(number);
        self.program.functions.get(function).map(|function| &*function.name)
    }

    /// The numbers of the program.
    fn words(&self) -> String {
        let mut words: BTreeSet<i64> = BTreeSet::from([0]);
        for expr in self.program.arena.exprs().iter() {
            let ExprKind::Bits(bits) = expr.kind else { continue };
            let Some(Scalar::Int { .. }) = self.program.types.scalar(expr.ty) else { continue };
            if words.len() < MOST_WORDS {
                words.insert(bits as i64);
            }
        }
        let words: Vec<String> = words.iter().map(|word| format!("(long long){:#x}ULL", *word as u64)).collect();
        format!("static const long long tandem_words[] = {{{}}};\n", words.join(", "))
    }

    /// The values of the tests, and where each test begins; one more beginning marks the end.
    fn given(&self) -> String {
        let (mut values, mut beginnings) = (Vec::new(), vec!["0".to_string()]);
        for test in self.tests {
            values.extend(test.inputs.iter().map(|input| value(&input.value)));
            beginnings.push(values.len().to_string());
        }
        values.push("{0, 0, 0}".into());
        format!(
            "static const struct {{\n    unsigned long long low, high;\n    double real;\n}} tandem_values[] = {{{}}};\n\
             static const unsigned long tandem_tests[] = {{{}}};\n\n",
            values.join(", "),
            beginnings.join(", ")
        )
    }
}

/// What the compiler needs to be told about the machine.
pub fn machine_options(model: DataModel) -> &'static [&'static str] {
    match model {
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
        DataModel::Lp64 => &[],
    }
}

/// A value of a test as an integer and as a number.
fn value(literal: &Literal) -> String {
    let double = |text: &str| f64::from_bits(parse_float(FloatKind::Double, text).unwrap_or(0) as u64);
    let (bits, real) = match literal {
        Literal::Integer(integer) => (integer.bits(), double(&literal.to_string())),
        Literal::Float(text) => (double(text) as i128 as u128, double(text)),
    };
    let real = match real {
        real if real.is_nan() => "__builtin_nan(\"\")".to_string(),
        real if real.is_infinite() => format!("{}__builtin_inf()", if real < 0.0 { "-" } else { "" }),
        real => format!("{real:e}"),
    };
    format!("{{{:#x}ULL, {:#x}ULL, {real}}}", bits as u64, (bits >> 64) as u64)
}

/// A function that returns inputs.
fn values(writer: &Writer<'_>, id: FunctionId) -> String {
    let program = writer.program;
    let name = &*program.functions[id].name;
    let result = match program.types.get(program.functions[id].ty) {
        Type::Function(signature) => Some(signature.result),
        _ => None,
    };
    let scalar = result.and_then(|ty| program.types.scalar(ty));
    let (Some(result), Some(scalar)) = (result, scalar) else { return writer.function(id) };
    let kind = match scalar {
        Scalar::Bool => "TRUTH",
        Scalar::Pointer { .. } => "POINTER",
        Scalar::Int { .. } => "INTEGER",
        Scalar::Float(FloatKind::Single) => "SINGLE",
        Scalar::Float(FloatKind::Double) => "DOUBLE",
        Scalar::Float(FloatKind::Extended) => "EXTENDED",
        // There is no simple way to make one of these from a double in every data model.
        Scalar::Float(FloatKind::Quad) => return writer.function(id),
    };
    let (ty, number) = (writer.scalar_name(result), id.index());
    format!(
        "{ty} {name}()\n{{\n    union {{\n        unsigned char bytes[16];\n        {ty} value;\n    }} result = {{{{0}}}};\n    \
         tandem_input(result.bytes, sizeof result.value, {kind}, {number});\n    return result.value;\n}}\n"
    )
}
