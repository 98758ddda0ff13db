//! Every operation on boundary and random values, against what gcc's code computes.

use std::fmt::Write as _;
use std::process::Command;

use tandem_syntax::Scalar;
use tandem_syntax::types::FloatKind;

use super::*;
use crate::model::Intrinsic;

/// A C type: its name and its scalar.
type Named = (&'static str, Scalar);

const fn int(bits: u32, signed: bool) -> Scalar {
    Scalar::Int { bits, signed }
}

const NARROW: [Named; 5] = [
    ("_Bool", Scalar::Bool),
    ("signed char", int(8, true)),
    ("unsigned char", int(8, false)),
    ("short", int(16, true)),
    ("unsigned short", int(16, false)),
];
const INTEGERS: [Named; 4] = [
    ("int", int(32, true)),
    ("unsigned", int(32, false)),
    ("long long", int(64, true)),
    ("unsigned long long", int(64, false)),
];
const WIDE: [Named; 2] = [("__int128", int(128, true)), ("unsigned __int128", int(128, false))];
const FLOATS: [Named; 4] = [
    ("float", Scalar::Float(FloatKind::Single)),
    ("double", Scalar::Float(FloatKind::Double)),
    ("long double", Scalar::Float(FloatKind::Extended)),
    ("__float128", Scalar::Float(FloatKind::Quad)),
];

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

fn integer_values(width: u32, random: &mut Random) -> Vec<u128> {
    let top = 1u128 << (width - 1);
    let mut values = vec![0, 1, 2, 3, 7, 31, 32, 33, 64, 100, top - 1, top, top + 1, mask(width), mask(width) - 1];
    values.extend((0..6).map(|i| random.wide() >> (i * 20)));
    values.iter().map(|v| v & mask(width)).collect()
}

/// Values around limits of the integer types and of the format itself, and random ones.
fn float_values(kind: FloatKind, random: &mut Random) -> Vec<u128> {
    let from_double =
        |x: f64| convert(Scalar::Float(FloatKind::Double), Scalar::Float(kind), u128::from(x.to_bits())).bits;
    let mut values: Vec<u128> = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.7,
        0.1,
        127.9,
        255.5,
        32768.0,
        65535.0,
        65536.5,
        2147483647.0,
        2147483648.0,
        4294967295.0,
        4294967296.0,
        9223372036854775807.0,
        18446744073709551615.0,
        1e19,
        1e25,
        1.7e38,
        3.5e38,
        1e300,
        5e-324,
        1e-310,
        1e-40,
        1e-45,
        f64::INFINITY,
    ]
    .iter()
    .flat_map(|x| [from_double(*x), from_double(-*x)])
    .collect();
    values.push(default_nan_of(kind));
    values.extend([from_double(5e-324) | 1, from_double(1.0) | 1, from_double(1.5) - 1]);
    for spread in [4, 20, 70] {
        let exponent = (random.next() % (2 * spread)) as i32 - spread as i32;
        let significand = random.wide() | 1 << 127;
        values.push(super::float::encode(kind, random.next().is_multiple_of(2), significand, exponent - 127, false));
    }
    values
}

fn default_nan_of(kind: FloatKind) -> u128 {
    super::float::default_nan(kind)
}

fn values(scalar: Scalar, random: &mut Random) -> Vec<u128> {
    match scalar {
        Scalar::Bool => vec![0, 1],
        Scalar::Float(kind) => float_values(kind, random),
        Scalar::Int { bits, .. } | Scalar::Pointer { bits } => integer_values(bits, random),
    }
}

/// A C program under construction: statements that print one line for each expected result.
struct Oracle {
    text: String,
    expected: Vec<(String, Option<u128>, Scalar)>,
    tables: usize,
}

impl Oracle {
    fn new() -> Oracle {
        let text = "#include <stdio.h>\n#include <string.h>\n#include <math.h>\n\
            typedef unsigned long long u64;\n\
            static void show(const void *p, int n) { u64 w[2] = {0, 0}; memcpy(w, p, n); printf(\"%llx %llx\\n\", w[0], w[1]); }\n\
            static u64 h(const void *p) { u64 w; memcpy(&w, p, 8); return w; }\n"
            .to_string();
        Oracle { text, expected: Vec::new(), tables: 0 }
    }

    /// Emits a table of values and a loop over it (over its square, for two operands) that prints `expression` on `a`, `b`.
    fn check(
        &mut self,
        (operand, scalar): Named,
        list: &[u128],
        (result, result_scalar): Named,
        expression: &str,
        pairs: bool,
        compute: impl Fn(u128, u128) -> Option<u128>,
    ) {
        self.check_with((operand, scalar), list, (operand, list), (result, result_scalar), expression, pairs, compute);
    }

    #[allow(clippy::too_many_arguments)]
    fn check_with(
        &mut self,
        (left, scalar): Named,
        list: &[u128],
        (right, right_list): (&str, &[u128]),
        (result, result_scalar): Named,
        expression: &str,
        pairs: bool,
        compute: impl Fn(u128, u128) -> Option<u128>,
    ) {
        let n = self.tables;
        self.tables += 1;
        let size = result_scalar.bits() / 8;
        for (name, values) in [("a", list), ("b", right_list)] {
            write!(self.text, "static u64 {name}{n}[][2] = {{").unwrap();
            for value in values {
                write!(self.text, "{{{:#x}ull,{:#x}ull}},", *value as u64, (*value >> 64) as u64).unwrap();
            }
            self.text.push_str("};\n");
        }
        let inner = if pairs { right_list.len() } else { 1 };
        writeln!(
            self.text,
            "static void f{n}(void) {{ for (int i = 0; i < {}; i++) for (int j = 0; j < {inner}; j++) {{ \
             {left} a; {right} b; memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); \
             memcpy(&a, a{n}[i], sizeof a); memcpy(&b, b{n}[j], sizeof b); {result} r; {expression} \
             show(&r, {size}); }} }}",
            list.len(),
        )
        .unwrap();
        for &a in list {
            for &b in &right_list[..inner] {
                let about = format!("{left} {a:#x}, {right} {b:#x}: {expression} ({scalar:?})");
                self.expected.push((about, compute(a, b), result_scalar));
            }
        }
    }

    fn run(mut self, flags: &[&str]) {
        self.text.push_str("int main(void) {");
        for n in 0..self.tables {
            write!(self.text, " f{n}();").unwrap();
        }
        self.text.push_str(" return (int)h((const void *)\"1234567\") & 0; }\n");
        let directory = std::env::temp_dir().join(format!("tandem-semantics-{}-{}", std::process::id(), self.tables));
        std::fs::create_dir_all(&directory).unwrap();
        let (source, binary) = (directory.join("oracle.c"), directory.join("oracle"));
        std::fs::write(&source, &self.text).unwrap();
        let mut compiler = Command::new("gcc");
        compiler.args(["-O0", "-fwrapv", "-w"]).args(flags).arg(&source).arg("-o").arg(&binary).arg("-lm");
        assert!(compiler.status().expect("gcc").success());
        let output = Command::new(&binary).output().unwrap();
        std::fs::remove_dir_all(&directory).ok();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let mut wrong = Vec::new();
        assert_eq!(text.lines().count(), self.expected.len());
        for (line, (about, expected, scalar)) in text.lines().zip(&self.expected) {
            let (low, high) = line.split_once(' ').unwrap();
            let word = |text| u128::from_str_radix(text, 16).unwrap();
            let actual = word(low) | word(high) << 64;
            if expected.is_some_and(|expected| !same(*scalar, actual, expected)) {
                wrong.push(format!("{about}: gcc {actual:#x}, here {:#x}", expected.unwrap_or(0)));
            }
        }
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(25)].join("\n"));
    }
}

/// Equal, NaNs of the software formats apart (see the module's rules).
fn same(scalar: Scalar, a: u128, b: u128) -> bool {
    match scalar {
        Scalar::Float(kind @ (FloatKind::Extended | FloatKind::Quad)) if is_nan(kind, a) && is_nan(kind, b) => true,
        _ => a == b,
    }
}

const INT: Named = ("int", int(32, true));

const OPERATORS: [(BinaryOp, &str); 16] = [
    (BinaryOp::Add, "+"),
    (BinaryOp::Sub, "-"),
    (BinaryOp::Mul, "*"),
    (BinaryOp::Div, "/"),
    (BinaryOp::Rem, "%"),
    (BinaryOp::Shl, "<<"),
    (BinaryOp::Shr, ">>"),
    (BinaryOp::And, "&"),
    (BinaryOp::Or, "|"),
    (BinaryOp::Xor, "^"),
    (BinaryOp::Eq, "=="),
    (BinaryOp::Ne, "!="),
    (BinaryOp::Lt, "<"),
    (BinaryOp::Le, "<="),
    (BinaryOp::Gt, ">"),
    (BinaryOp::Ge, ">="),
];

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

fn check_integer_operators(oracle: &mut Oracle, ty: Named, random: &mut Random) {
    let (name, scalar) = ty;
    let list = values(scalar, random);
    for (op, symbol) in OPERATORS {
        let result = if is_comparison(op) { INT } else { ty };
        let expression = match op {
            BinaryOp::Div | BinaryOp::Rem => format!(
                "if (b == 0 || (({name})-1 < 0 && b == ({name})-1 && a == ({name})1 << {})) r = 0; else r = a {symbol} b;",
                scalar.bits() - 1
            ),
            _ => format!("r = a {symbol} b;"),
        };
        oracle.check(ty, &list, result, &expression, true, |a, b| {
            Some(binary(op, scalar, scalar, a, b, 1).map_or(0, |outcome| outcome.bits))
        });
    }
    for (op, symbol) in [(UnaryOp::Neg, "-"), (UnaryOp::Complement, "~"), (UnaryOp::Not, "!")] {
        let result = if op == UnaryOp::Not { INT } else { ty };
        oracle.check(ty, &list, result, &format!("r = {symbol}a;"), false, |a, _| Some(unary(op, scalar, a).bits));
    }
}

fn check_conversions(oracle: &mut Oracle, from: &[Named], to: &[Named], random: &mut Random) {
    for source in from {
        let list = values(source.1, random);
        for target in to {
            oracle.check(*source, &list, *target, &format!("r = ({})a;", target.0), false, |a, _| {
                let negative_to_wide = matches!(source.1, Scalar::Float(_))
                    && target.1 == int(128, false)
                    && convert(source.1, target.1, a).flags.contains(Flags::RANGE);
                (!negative_to_wide).then(|| convert(source.1, target.1, a).bits)
            });
        }
    }
}

#[test]
fn integer_operators_agree_with_gcc() {
    let mut oracle = Oracle::new();
    let mut random = Random(88172645463325252);
    for ty in INTEGERS.iter().chain(&WIDE) {
        check_integer_operators(&mut oracle, *ty, &mut random);
    }
    oracle.run(&[]);
}

#[test]
fn integer_operators_agree_with_gcc_for_32_bits() {
    let mut oracle = Oracle::new();
    let mut random = Random(1234567);
    for ty in INTEGERS {
        check_integer_operators(&mut oracle, ty, &mut random);
    }
    oracle.run(&["-m32"]);
}

#[test]
fn conversions_agree_with_gcc() {
    let mut oracle = Oracle::new();
    let mut random = Random(99);
    let all: Vec<Named> = NARROW.iter().chain(&INTEGERS).chain(&WIDE).chain(&FLOATS).copied().collect();
    check_conversions(&mut oracle, &all, &all, &mut random);
    oracle.run(&[]);
}

/// Floats apart, whose conversions are those of x86-64 by rule.
#[test]
fn integer_conversions_agree_with_gcc_for_32_bits() {
    let mut oracle = Oracle::new();
    let mut random = Random(7);
    let mut all: Vec<Named> = NARROW.iter().chain(&INTEGERS).copied().collect();
    check_conversions(&mut oracle, &all, &FLOATS[1..], &mut random);
    all.extend([("long", int(32, true)), ("unsigned long", int(32, false))]);
    all.push(("void *", Scalar::Pointer { bits: 32 }));
    check_conversions(&mut oracle, &all, &all, &mut random);
    oracle.run(&["-m32"]);
}

#[test]
fn float_operators_agree_with_gcc() {
    let mut oracle = Oracle::new();
    let mut random = Random(4711);
    for ty in FLOATS {
        let list = values(ty.1, &mut random);
        for (op, symbol) in OPERATORS {
            let arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
            if arithmetic || is_comparison(op) {
                let result = if arithmetic { ty } else { INT };
                oracle.check(ty, &list, result, &format!("r = a {symbol} b;"), true, |a, b| {
                    binary(op, ty.1, ty.1, a, b, 1).ok().map(|outcome| outcome.bits)
                });
            }
        }
        oracle.check(ty, &list, ty, "r = -a;", false, |a, _| Some(unary(UnaryOp::Neg, ty.1, a).bits));
        oracle.check(ty, &list, INT, "r = !a;", false, |a, _| Some(unary(UnaryOp::Not, ty.1, a).bits));
    }
    oracle.run(&[]);
}

#[test]
fn float_functions_agree_with_gcc() {
    use Intrinsic::*;
    let mut oracle = Oracle::new();
    let mut random = Random(31337);
    let functions = [
        (FloatAbs, "fabs"),
        (SquareRoot, "sqrt"),
        (Floor, "floor"),
        (Ceil, "ceil"),
        (Trunc, "trunc"),
        (Round, "round"),
        (RoundEven, "rint"),
        (FloatMod, "fmod"),
        (FloatRemainder, "remainder"),
        (CopySign, "copysign"),
    ];
    for (ty, suffix) in FLOATS[..3].iter().zip(["f", "", "l"]) {
        let list = values(ty.1, &mut random);
        for (function, name) in functions {
            let arguments = if function.is_binary() { "a, b" } else { "a" };
            let expression = format!("r = {name}{suffix}({arguments});");
            oracle.check(*ty, &list, *ty, &expression, function.is_binary(), |a, b| {
                let Scalar::Float(kind) = ty.1 else { return None };
                // The library's signs of NaNs differ from the machine's here and there.
                let bits = intrinsic(function, ty.1, a, b);
                (!is_nan(kind, bits)).then_some(bits)
            });
        }
        for (function, name) in [(IsNan, "isnan"), (IsFinite, "isfinite"), (IsNormal, "isnormal"), (SignBit, "signbit")]
        {
            let expression = format!("r = !!{name}(a);");
            oracle.check(*ty, &list, INT, &expression, false, |a, _| Some(intrinsic(function, ty.1, a, 0)));
        }
    }
    oracle.run(&[]);
}

#[test]
fn bit_counting_agrees_with_gcc() {
    use Intrinsic::*;
    let mut oracle = Oracle::new();
    let mut random = Random(5);
    let functions = [
        (PopCount, "popcount", false),
        (Parity, "parity", false),
        (FindFirstSet, "ffs", false),
        (RedundantSignBits, "clrsb", false),
        (LeadingZeros, "clz", true),
        (TrailingZeros, "ctz", true),
    ];
    for (ty, suffix) in [(INTEGERS[0], ""), (INTEGERS[2], "ll")] {
        let list = values(ty.1, &mut random);
        for (function, name, nonzero) in functions {
            let expression = format!("r = {}__builtin_{name}{suffix}(a);", if nonzero { "!a ? -1 : " } else { "" });
            oracle.check(ty, &list, INT, &expression, false, |a, _| {
                (a != 0 || !nonzero).then(|| intrinsic(function, ty.1, a, 0))
            });
        }
        let swap = format!("r = __builtin_bswap{}(a);", ty.1.bits());
        oracle.check(ty, &list, ty, &swap, false, |a, _| Some(intrinsic(ByteSwap, ty.1, a, 0)));
    }
    oracle.run(&[]);
}

#[test]
fn overflow_is_flagged_exactly_when_the_wide_result_does_not_fit() {
    let mut random = Random(42);
    for (_, scalar) in &INTEGERS[..3] {
        let width = scalar.bits();
        for _ in 0..20_000 {
            let shift = random.next() % u64::from(width);
            let (a, b) = ((random.wide() & mask(width)) >> shift, random.wide() & mask(width));
            for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
                let (x, y) = (sign_extend(a, width), sign_extend(b, width));
                let exact = match op {
                    BinaryOp::Add => x + y,
                    BinaryOp::Sub => x - y,
                    _ => x * y,
                };
                let outcome = binary(op, *scalar, *scalar, a, b, 1).unwrap();
                let fits = sign_extend(outcome.bits, width) == exact;
                assert_eq!(outcome.flags.contains(Flags::OVERFLOW), scalar.is_signed() && !fits);
            }
        }
    }
}

#[test]
fn undefined_divisions_end_the_path() {
    let scalar = int(32, true);
    let divide = |a: i32, b: i32| {
        binary(BinaryOp::Div, scalar, scalar, u128::from(a as u32), u128::from(b as u32), 1).map(|o| o.bits as i32)
    };
    assert_eq!(divide(7, 0), Err(Undefined::DivisionByZero));
    assert_eq!(divide(i32::MIN, -1), Err(Undefined::DivisionOverflow));
    assert_eq!(divide(-7, 2), Ok(-3));
}

#[test]
fn pointers_scale_and_wrap() {
    let pointer = Scalar::Pointer { bits: 32 };
    let index = int(32, true);
    let minus_one = u128::from(u32::MAX);
    let add = |a, b| binary(BinaryOp::PointerAdd, pointer, index, a, b, 12).unwrap().bits;
    assert_eq!(add(0x1000, minus_one), 0x1000 - 12);
    assert_eq!(add(4, minus_one), u128::from(u32::MAX) - 7);
    assert_eq!(binary(BinaryOp::PointerDiff, pointer, pointer, 0, 24, 12).unwrap().bits, minus_one - 1);
}
