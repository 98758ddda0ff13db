//! C expressions of terms, checked by a C compiler.

mod random;

use std::fmt::Write;
use std::process::Command;

use random::{Builder, Shape};
use tandem_smt::c::{CType, CVariable, c_expression};
use tandem_smt::{BitVector, FloatSort, Model, Op, Sort, Term, Terms, Value};

const SEEDS: u64 = 600;

const SHAPE: Shape = Shape { floats: true, arrays: false, functions: false, widths: &[8, 16, 32, 64] };

fn kind(terms: &Terms, symbol: u32, seed: u64) -> Option<CType> {
    match terms.symbol(symbol).result {
        Sort::Bool => Some(CType::Bool),
        Sort::Bv(width) => Some(CType::Integer { width, signed: (seed >> (symbol % 60)) & 1 == 1 }),
        Sort::Float(sort) => Some(CType::Float(sort)),
        _ => None,
    }
}

fn c_name(kind: CType) -> Option<&'static str> {
    match kind {
        CType::Bool => Some("int"),
        CType::Integer { width: 8, signed: true } => Some("signed char"),
        CType::Integer { width: 8, signed: false } => Some("unsigned char"),
        CType::Integer { width: 16, signed: true } => Some("short"),
        CType::Integer { width: 16, signed: false } => Some("unsigned short"),
        CType::Integer { width: 32, signed: true } => Some("int"),
        CType::Integer { width: 32, signed: false } => Some("unsigned"),
        CType::Integer { width: 64, signed: true } => Some("long long"),
        CType::Integer { width: 64, signed: false } => Some("unsigned long long"),
        CType::Float(FloatSort::SINGLE) => Some("float"),
        CType::Float(FloatSort::DOUBLE) => Some("double"),
        _ => None,
    }
}

fn raw(value: &Value) -> u128 {
    match value {
        Value::Bool(value) => u128::from(*value),
        Value::Bits(bits) | Value::Float(_, bits) => bits.small().unwrap_or(0),
        _ => 0,
    }
}

/// A block that sets the variables and compares the expression with the expected value.
fn case(terms: &Terms, term: Term, text: &str, model: &Model, seed: u64, number: usize) -> Option<String> {
    let mut code = String::from("  {\n");
    for symbol in terms.symbols(&[term]) {
        let name = &terms.symbol(symbol).name;
        let kind = kind(terms, symbol, seed)?;
        let value = raw(model.constants.get(&symbol)?);
        let _ = writeln!(code, "    {} {name}; SET({name}, {value}ULL);", c_name(kind)?);
    }
    let expected = terms.eval(term, model);
    let wanted = raw(&expected);
    match terms.sort(term) {
        Sort::Bool => {
            let _ = writeln!(code, "    if (!!({text}) != {wanted}) FAIL({number});");
        }
        Sort::Bv(width) => {
            let mask = raw(&Value::Bits(BitVector::ones(width)));
            let _ =
                writeln!(code, "    if (((unsigned long long)({text}) & {mask}ULL) != {wanted}ULL) FAIL({number});");
        }
        Sort::Float(sort) => {
            let c = c_name(CType::Float(sort))?;
            let _ = writeln!(code, "    {c} r = {text}, w; SET(w, {wanted}ULL);");
            let _ = writeln!(code, "    if (!(r != r && w != w) && memcmp(&r, &w, sizeof r)) FAIL({number});");
        }
        _ => return None,
    }
    code.push_str("  }\n");
    Some(code)
}

#[test]
fn gcc_agrees() {
    if Command::new("gcc").arg("--version").output().is_err() {
        return;
    }
    let mut code = String::from(
        "#include <stdio.h>\n#include <string.h>\n\
         #define SET(v, bits) do { unsigned long long b = bits; memcpy(&v, &b, sizeof v); } while (0)\n\
         static int failed;\n#define FAIL(n) (printf(\"case %d\\n\", n), failed = 1)\n",
    );
    let mut texts = Vec::new();
    for seed in 0..SEEDS {
        let mut builder = Builder::new(seed.wrapping_mul(0x1234_5678_9abc_def1), SHAPE);
        for _ in 0..30 {
            builder.step();
        }
        let terms = builder.terms.clone();
        let mut chosen: Vec<Term> = builder.pairs.iter().rev().take(12).map(|&(simple, _)| simple).collect();
        chosen.retain(|&term| !terms.args(term).is_empty() && !terms.is_value(term));
        let _ = writeln!(code, "static void seed{seed}(void) {{");
        for term in chosen {
            let name = |symbol: u32| {
                let kind = kind(&terms, symbol, seed)?;
                Some(CVariable { text: terms.symbol(symbol).name.to_string(), kind })
            };
            let Some(text) = c_expression(&terms, term, &name) else { continue };
            for _ in 0..4 {
                let model = builder.model();
                if let Some(block) = case(&terms, term, &text, &model, seed, texts.len()) {
                    code.push_str(&block);
                }
            }
            texts.push(format!("{text}   from   {}", terms.display(term)));
        }
        code.push_str("}\n");
    }
    let calls: String = (0..SEEDS).map(|seed| format!("seed{seed}(); ")).collect();
    let _ = writeln!(code, "int main(void) {{ {calls} return failed; }}");
    assert!(texts.len() > 1000, "only {} of the terms have a C form", texts.len());
    let folder = std::env::temp_dir().join(format!("tandem-c-expression-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the C file");
    std::fs::write(folder.join("cases.c"), &code).expect("the C file is written");
    let options = ["-O0", "-w", "-fwrapv", "-ffp-contract=off", "-o", "cases", "cases.c"];
    let compiled = Command::new("gcc").args(options).current_dir(&folder).output().expect("gcc runs");
    let errors = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{}", &errors[..errors.len().min(3000)]);
    let ran = Command::new(folder.join("cases")).output().expect("the cases run");
    let _ = std::fs::remove_dir_all(&folder);
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    let wrong: Vec<&String> = output
        .lines()
        .filter_map(|line| line.strip_prefix("case ")?.parse::<usize>().ok())
        .map(|at| &texts[at])
        .collect();
    assert!(wrong.is_empty() && ran.status.success(), "{:#?} {:?}", &wrong[..wrong.len().min(10)], ran.status);
}

/// Atoms look as a person would write them.
#[test]
fn looks() {
    let terms = Terms::new();
    let name = |symbol: u32| {
        let text = terms.symbol(symbol).name.to_string();
        let width = match terms.symbol(symbol).result {
            Sort::Bv(width) => width,
            Sort::Float(sort) => return Some(CVariable { text, kind: CType::Float(sort) }),
            _ => return Some(CVariable { text, kind: CType::Bool }),
        };
        let signed = !text.starts_with('u');
        Some(CVariable { text, kind: CType::Integer { width, signed } })
    };
    let variable = |text: &str, width| terms.variable(text, Sort::Bv(width));
    let (x, y, u, c) = (variable("x", 32), variable("y", 32), variable("u", 32), variable("c", 8));
    let number = |value: i64| terms.bv(32, value as u128);
    let double = terms.variable("d", Sort::Float(FloatSort::DOUBLE));
    let check = |term: Term, expected: &str| {
        assert_eq!(c_expression(&terms, term, &name).as_deref(), Some(expected), "{}", terms.display(term));
    };
    check(terms.bv_sle(x, terms.bv_add(y, number(4))), "x <= y + 4");
    check(terms.not(terms.bv_slt(x, number(10))), "x >= 10");
    check(terms.bv_slt(terms.bv_sub(x, y), number(-3)), "x - y < -3");
    check(terms.bv_ult(u, number(-1)), "u < 4294967295U");
    check(terms.bv_ult(x, number(7)), "(unsigned int)x < 7");
    check(terms.not(terms.eq(terms.bv_mul(number(4), x), y)), "y != 4 * x");
    check(terms.bv_sle(terms.sign_extend(c, 24), x), "c <= x");
    check(terms.eq(terms.bv_and(u, number(1)), number(0)), "(u & 1) == 0");
    check(terms.eq(terms.bv_lshr(u, number(8)), number(3)), "u >> 8 == 3");
    check(terms.bv_sub(x, number(1)), "x - 1");
    let both = terms.and2(terms.eq(x, y), terms.or2(terms.bv_slt(x, number(3)), terms.eq(y, number(5))));
    assert!(matches!(terms.op(both), Op::And));
    check(both, "x == y && (x < 3 || y == 5)");
    let half = terms.float_value(FloatSort::DOUBLE, &BitVector::new(64, u128::from(0.5f64.to_bits())));
    check(terms.float_le(double, half), "d <= 0.5");
    check(terms.not(terms.float_is_nan(double)), "d == d");
}
