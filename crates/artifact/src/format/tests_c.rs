//! A suite as C: a file with one function for each test, to be compiled together with the program, and a CMake file that makes
//! each of them a test of CTest.
//!
//! The program's `main` gets another name by the compiler's command line. As in the test executor of the competition, a test is
//! over when the program asks for more inputs than the test has. Knows the program and the inputs; compiles and runs nothing.

use std::fmt::Write;

use tandem_cfa::exec::{Input, InputSource};
use tandem_cfa::types::Type;
use tandem_cfa::{DataModel, FunctionId, Program, Scalar, semantics};

use super::harness::{BASE, Stub, Writer, literal, patterned, rows};

/// A test and what is said about it.
pub struct TestFunction<'a> {
    /// Ends the names of its function and its file.
    pub number: usize,
    pub inputs: &'a [Input],
    /// For people.
    pub goals: &'a [String],
    pub covers_error: bool,
}

/// The new name of the program's `main`.
const MAIN: &str = "tandem_program_main";
/// Goals that are named in a comment.
const NAMED: usize = 12;

/// The C file.
pub fn write(program: &Program, tests: &[TestFunction<'_>], errors: &[&str]) -> String {
    let writer = Writer { program, inputs: &[], errors, real_library: false };
    let mut out = head(program, tests.len());
    out.push_str(BASE);
    out.push_str(writer.precision());
    out.push_str(
        "\n/* The number of the test that runs. */\nstatic unsigned tandem_test;\n\n\
         static void tandem_over(void)\n{\n    tandem_stop(\"tandem: no more inputs\\n\", 0);\n}\n",
    );
    for function in writer.functions() {
        out.push('\n');
        match writer.stub(function) {
            Stub::Values => out.push_str(&values(&writer, tests, function)),
            Stub::Error | Stub::Assume | Stub::Assert | Stub::NeverReturns => out.push_str(&writer.function(function)),
        }
    }
    for variable in writer.variables() {
        out.push('\n');
        out.push_str(&writer.variable(variable));
    }
    let _ = write!(out, "\nextern int {MAIN}();\n");
    for (index, test) in tests.iter().enumerate() {
        let mut named = test.goals.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        if test.goals.len() > NAMED {
            let _ = write!(named, " and {} more", test.goals.len() - NAMED);
        }
        let named = named.replace("*/", "* /");
        let number = test.number;
        let _ = write!(
            out,
            "\n/* {named} */\nint test_{number}(void)\n{{\n    tandem_test = {index};\n    return {MAIN}(1, (char *[]){{\"program\", 0}});\n}}\n"
        );
    }
    out + &driver(tests)
}

fn head(program: &Program, tests: usize) -> String {
    let file = program.source.file().replace("*/", "* /");
    format!(
        "/*\n * {tests} tests for {file}, one function each.\n *\n * Compile:  gcc {}-std=gnu11 -fgnu89-inline -w -Dmain={MAIN} -c {file} -o program.o\n\
         \x20*           gcc {}-std=gnu11 -w tests.c program.o -lm -o tests\n * Run:      ./tests NUMBER\n *\n\
         \x20* Or with the CMakeLists.txt beside it: cmake -B build . && cmake --build build && ctest --test-dir build\n */\n",
        machine(program),
        machine(program)
    )
}

fn machine(program: &Program) -> &'static str {
    match program.model() {
        DataModel::Ilp32 => "-m32 -msse2 -mfpmath=sse ",
        DataModel::Lp64 => "",
    }
}

/// A function that gives each test its values.
fn values(writer: &Writer<'_>, tests: &[TestFunction<'_>], id: FunctionId) -> String {
    let program = writer.program;
    let name = &*program.functions[id].name;
    let result = match program.types.get(program.functions[id].ty) {
        Type::Function(signature) => Some(signature.result),
        _ => None,
    };
    let scalar = result.and_then(|ty| program.types.scalar(ty));
    let (Some(result), Some(scalar)) = (result, scalar) else { return writer.function(id) };
    let ty = writer.scalar_name(result);
    let is_plain = matches!(scalar, Scalar::Bool | Scalar::Int { bits: ..=64, .. } | Scalar::Pointer { .. });
    let mut out = String::new();
    let mut table = Vec::new();
    for test in tests {
        let taken = test.inputs.iter().filter(|input| input.source == InputSource::Function(id));
        let bits: Vec<u128> = taken.map(|input| semantics::convert(input.scalar, scalar, input.bits).bits).collect();
        let list = format!("{name}_{}", test.number);
        if bits.is_empty() {
            table.push("{0, 0}".to_string());
        } else if is_plain {
            let items = rows(bits.iter().map(|bits| literal(scalar, *bits)).collect());
            let _ = writeln!(out, "static {ty} const {list}[] = {{{items}}};");
            table.push(format!("{{{list}, {}}}", bits.len()));
        } else {
            let items = rows(bits.iter().map(|bits| patterned(scalar, *bits)).collect());
            let _ = writeln!(out, "static const unsigned long long {list}[][2] = {{{items}}};");
            table.push(format!("{{{list}, {}}}", bits.len()));
        }
    }
    let (pointer, take) = if is_plain {
        (format!("{ty} const *values"), "return all[tandem_test].values[next++];".to_string())
    } else {
        let union = format!(
            "union {{\n        unsigned long long bits[2];\n        {ty} value;\n    }} result;\n    \
             result.bits[0] = all[tandem_test].values[next][0];\n    result.bits[1] = all[tandem_test].values[next++][1];\n    \
             return result.value;"
        );
        ("const unsigned long long (*values)[2]".to_string(), union)
    };
    let table = table.join(", ");
    let _ = write!(
        out,
        "{ty} {name}()\n{{\n    static const struct {{\n        {pointer};\n        unsigned long count;\n    }} all[] = {{{table}}};\n    \
         static unsigned long next;\n    if (next >= all[tandem_test].count)\n        tandem_over();\n    {take}\n}}\n"
    );
    out
}

fn driver(tests: &[TestFunction<'_>]) -> String {
    let mut out = String::from(
        "\nint main(int count, char **words)\n{\n    unsigned number = 0;\n    if (count == 2)\n        \
         for (char *at = words[1]; *at >= '0' && *at <= '9'; at++)\n            number = number * 10 + (*at - '0');\n    \
         switch (number) {\n",
    );
    for test in tests {
        let _ = writeln!(out, "    case {0}:\n        test_{0}();\n        return 0;", test.number);
    }
    out + "    default:\n        tandem_stop(\"tandem: which test? (its number)\\n\", 2);\n    }\n    return 2;\n}\n"
}

/// The CMake file. A test passes if the program ends by itself; one that is to reach the error passes if it does.
pub fn write_cmake(program: &Program, file: &str, tests: &[TestFunction<'_>]) -> String {
    let file = file.replace('"', "\\\"");
    let machine: Vec<String> = machine(program).split_whitespace().map(|word| format!(" {word}")).collect();
    let machine = machine.concat();
    let mut out = format!(
        "cmake_minimum_required(VERSION 3.10)\nproject(tests C)\nenable_testing()\n\n\
         set(PROGRAM \"{file}\" CACHE FILEPATH \"The program under test\")\n\
         get_filename_component(PROGRAM \"${{PROGRAM}}\" ABSOLUTE BASE_DIR \"${{CMAKE_CURRENT_SOURCE_DIR}}\")\n\
         set_source_files_properties(\"${{PROGRAM}}\" PROPERTIES LANGUAGE C COMPILE_DEFINITIONS main={MAIN})\n\
         add_executable(tests tests.c \"${{PROGRAM}}\")\n\
         target_compile_options(tests PRIVATE -std=gnu11 -fgnu89-inline -w{machine})\n\
         target_link_libraries(tests m{machine})\n\n"
    );
    for test in tests {
        let number = test.number;
        let _ = writeln!(out, "add_test(NAME test_{number} COMMAND tests {number})");
        if test.covers_error {
            let _ = writeln!(
                out,
                "set_tests_properties(test_{number} PROPERTIES PASS_REGULAR_EXPRESSION \"tandem: error reached\")"
            );
        }
    }
    out
}
