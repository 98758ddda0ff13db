//! The models of library functions against the C library of the machine: a generated program calls each function with the same
//! random arguments, as gcc compiles it and in the interpreter, and must print the same. This covers the models in C, the intrinsics and the
//! functions that the interpreter carries out itself.

#[path = "library_models/cases.rs"]
mod cases;

use std::collections::HashSet;
use std::process::Command;

use cases::{CHECKED, Case, FLOATS, NUMBERS, NUMBERS_HELP, ROUNDING, ROUNDING_HELP, TEXTS, WIDE};
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{End, Machine, Options, Sink, Values};
use tandem_cfa::library::{Model, lookup, model_names};
use tandem_cfa::{Program, build};
use tandem_syntax::DataModel;

const DRIVER: &str = include_str!("library_models/driver.c");

/// How often each function is called.
const ROUNDS: usize = 60;

/// Models that give any value, end the run, are no function that a program calls, or are compared elsewhere.
const NOT_COMPARED: &[&str] = &[
    "__tandem_assert",
    "__tandem_errno_location",
    "__tandem_change_errno",
    "__tandem_arguments",
    "__tandem_rand_r",
    "__tandem_time",
    "__tandem_clock_gettime",
    "__tandem_gettimeofday",
    "__tandem_setvbuf",
    "__tandem_setbuf",
    "__tandem_error",
    "__tandem_error_at_line",
    "__tandem_assume_aligned",
    "__tandem_atexit",
    "__tandem_huge_val",
    "__tandem_huge_valf",
    "__tandem_huge_vall",
];

/// The name of the function that a declaration declares.
fn name_of(declaration: &str) -> &str {
    let end = declaration.find('(').expect("a function");
    let start = declaration[..end].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    &declaration[start..end]
}

/// The cases for one of the types of floats.
fn of_float(ty: &str, suffix: &str) -> Vec<(String, String)> {
    let written = |text: &str| text.replace("R *", &format!("{ty} *")).replace("R ", &format!("{ty} "));
    let written = |text: &str| {
        let text = written(text).replace("(R)", &format!("({ty})")).replace("(R,", &format!("({ty},"));
        text.replace(" R)", &format!(" {ty})")).replace(" R,", &format!(" {ty},")).replace('#', suffix)
    };
    FLOATS.iter().map(|(declaration, body)| (written(declaration), written(body))).collect()
}

fn owned(cases: &[Case]) -> Vec<(String, String)> {
    cases.iter().map(|(declaration, body)| (declaration.to_string(), body.to_string())).collect()
}

/// The program that calls all of them.
fn driver(help: &str, cases: &[(String, String)]) -> String {
    let mut text = format!("{DRIVER}{help}");
    let mut calls = String::new();
    for (declaration, _) in cases {
        text.push_str(&format!("{declaration};\n"));
    }
    for (number, (declaration, body)) in cases.iter().enumerate() {
        let name = name_of(declaration);
        text.push_str(&format!("static void case_{number}(void) {{ {body} }}\n"));
        calls.push_str(&format!(
            "  state = {number}; for (round = 0; round < {ROUNDS}; round++) {{ prepare(); printf(\"{name} %d:\", round); case_{number}(); printf(\"\\n\"); }}\n"
        ));
    }
    text.push_str(&format!("int main(void) {{\n  int round;\n{calls}  return 0;\n}}\n"));
    // The front end gets no preprocessor: the predefined names are spelled out.
    text.replace("__UINTMAX_TYPE__", "unsigned long long").replace("__INTMAX_TYPE__", "long long")
}

fn natively(name: &str, text: &str, flag: &str) -> String {
    let directory = std::env::temp_dir().join(format!("tandem-models-{}-{name}{flag}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (source, binary) = (directory.join("test.c"), directory.join("test"));
    std::fs::write(&source, text).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-O0", "-w", "-fwrapv", "-fno-builtin", "-msse2", "-mfpmath=sse", "-std=gnu11", flag]);
    assert!(gcc.arg(&source).arg("-o").arg(&binary).arg("-lm").status().expect("gcc").success(), "{name}");
    let output = Command::new(&binary).output().unwrap();
    std::fs::remove_dir_all(&directory).ok();
    assert!(output.status.success(), "{name} {flag}: {}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn program(text: &str, model: DataModel) -> Program {
    let built = build(SourceText::plain("test.c", text.as_bytes().to_vec()), model);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

/// Compares line by line, and names every function that differs once.
fn same_as_native(name: &str, help: &str, cases: &[(String, String)], models: &[DataModel]) {
    let text = driver(help, cases);
    let mut differences = Vec::new();
    for model in models {
        let flag = if *model == DataModel::Lp64 { "-m64" } else { "-m32" };
        let expected = natively(name, &text, flag);
        let program = program(&text, *model);
        let options = Options { output: Sink::Collect, steps: 500_000_000, ..Options::default() };
        let run = Machine::new(&program, options).run(&mut Values::default(), &Budget::unlimited());
        let actual = String::from_utf8_lossy(&run.output).into_owned();
        let mut seen = HashSet::new();
        for (here, there) in actual.lines().zip(expected.lines()).filter(|(here, there)| here != there) {
            if seen.insert(there.split(' ').next()) {
                differences.push(format!("{model}: here {here}, natively {there}"));
            }
        }
        if run.end != End::Returned(0) || actual.lines().count() != expected.lines().count() {
            differences.push(format!("{model}: {:?} behind {:?}", run.end, actual.lines().last()));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

const BOTH: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

#[test]
fn texts_and_memory() {
    same_as_native("texts", "", &owned(TEXTS), &BOTH);
}

#[test]
fn checked_forms() {
    same_as_native("checked", "", &owned(CHECKED), &BOTH);
}

#[test]
fn wide_texts() {
    same_as_native("wide", "", &owned(WIDE), &BOTH);
}

#[test]
fn integers_and_characters() {
    same_as_native("numbers", NUMBERS_HELP, &owned(NUMBERS), &BOTH);
}

/// The functions of the 32-bit library return floats with more digits than their type has, so only one data model is compared.
#[test]
fn floats() {
    for (name, ty, suffix) in [("double", "double", ""), ("float", "float", "f"), ("long-double", "long double", "l")] {
        same_as_native(name, "", &of_float(ty, suffix), &[DataModel::Lp64]);
    }
}

/// The same functions and the operators, each in a rounding mode.
#[test]
fn rounding_modes() {
    let in_a_mode = |(declaration, body): (String, String)| {
        (declaration, format!("fesetround(mode()); {{ {body} }} fesetround(0);"))
    };
    for (name, ty, suffix) in [("double", "double", ""), ("float", "float", "f"), ("long-double", "long double", "l")] {
        let mut cases = of_float(ty, suffix);
        cases.extend(owned(ROUNDING));
        let cases: Vec<(String, String)> = cases.into_iter().map(in_a_mode).collect();
        same_as_native(&format!("rounding-{name}"), ROUNDING_HELP, &cases, &[DataModel::Lp64]);
    }
}

#[test]
fn every_model_is_compared() {
    let floats = [("double", ""), ("float", "f"), ("long double", "l")];
    let mut cases: Vec<(String, String)> = floats.iter().flat_map(|(ty, suffix)| of_float(ty, suffix)).collect();
    cases.extend([TEXTS, CHECKED, WIDE, NUMBERS, ROUNDING].into_iter().flat_map(owned));
    let models = cases.iter().filter_map(|(declaration, _)| match lookup(name_of(declaration)) {
        Some(Model::Source(model)) => Some(model),
        Some(Model::Primitive(_) | Model::Intrinsic(_)) | None => None,
    });
    let compared: HashSet<&str> = models.collect();
    let missing: Vec<&str> =
        model_names().filter(|name| !compared.contains(name) && !NOT_COMPARED.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let both: Vec<&&str> = NOT_COMPARED.iter().filter(|name| compared.contains(*name)).collect();
    assert!(both.is_empty(), "{both:?}");
}
