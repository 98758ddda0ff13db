//! Expressions of small C programs, printed back.

use tandem_base::SourceText;
use tandem_syntax::DataModel;

use super::edge;
use crate::model::*;

const DECLARATIONS: &str = "
    struct s { int a; unsigned b : 3; struct s *next; int v[4]; union { int u; float g; }; };
    int x, y, *p, a[10]; unsigned n; char c; unsigned char uc; short sh; long l; unsigned long ul; float f; double d;
    long double ld; _Bool t; struct s s, *q; void *v; char *str; int (*fp)(long); long g(long, double);
";

/// The labels of the assignments, calls, assumes and returns that a statement becomes.
fn labels(statement: &str) -> Vec<String> {
    let text = format!("{DECLARATIONS} long test(void) {{ {statement} }}");
    let built = crate::build(SourceText::plain("test.c", text.into_bytes()), DataModel::Lp64);
    let program = built.program.unwrap_or_else(|| panic!("{:?}", built.problems));
    let is_shown = |op: &Op| !matches!(op, Op::Skip | Op::Return { value: None } | Op::Declare(_));
    program.edges.enumerate().filter(|(_, e)| is_shown(&e.op)).map(|(id, _)| edge(&program, id)).collect()
}

#[track_caller]
fn same(statement: &str) {
    assert_eq!(labels(&format!("{statement};")), [statement]);
}

#[test]
fn assignments_come_back_as_written() {
    for statement in [
        "x = y + 1",
        "x = x + y * 2 - -3",
        "x = (x + y) * 2",
        "x = x - (y - 1)",
        "x = -x % ~y",
        "x = - -x",
        "l = x + l",
        "n = x + n",
        "ul = n + 1UL",
        "c = c + 1",
        "d = f * 2.0",
        "f = f + 1.5f",
        "x = c < uc",
        "x = n >> c & 15U",
        "l = (long)n * x",
        "x = (short)y",
        "uc = c + 1",
        "x = a[y + 1]",
        "*p = a[x]",
        "p[x] = 3",
        "x = s.a + s.v[2]",
        "x = q->next->a",
        "q->u = 1",
        "s.b = x",
        "x = s.b + 1",
        "p = &a[1]",
        "p = a",
        "p = a + x",
        "p = &x",
        "q = &s",
        "s = *q",
        "v = p",
        "p = v",
        "str = (char *)p",
        "str = \"a\\\"b\\n\"",
        "x = p == 0",
        "l = p - a",
        "x = -2147483647 - 1",
        "d = 0.1",
        "d = 1e300",
        "ld = 0x3p-1L",
        "l = g(x, y)",
        "x = fp(l)",
    ] {
        same(statement);
    }
}

#[test]
fn conversions_that_change_something_stay() {
    assert_eq!(labels("x = (unsigned char)x + 1;"), ["x = (unsigned char)x + 1"]);
    assert_eq!(labels("x = (unsigned)x < y;"), ["x = (unsigned int)x < y"]);
    assert_eq!(labels("x = (unsigned)x < 5;"), ["x = x < 5U"]);
    assert_eq!(labels("l = (long)(x + y);"), ["l = x + y"]);
    assert_eq!(labels("l = (long)x + y;"), ["l = (long)x + y"]);
    assert_eq!(labels("d = (double)x / y;"), ["d = (double)x / y"]);
    assert_eq!(labels("p = (int *)l;"), ["p = (int *)l"]);
}

#[test]
fn conditions_and_returns() {
    assert_eq!(labels("if (x < 5) return 1; return x;"), ["[x < 5]", "[!(x < 5)]", "return 1L", "return x"]);
}

#[test]
fn constants_of_every_width() {
    use super::constant::print;
    use tandem_syntax::types::{FloatKind, IntKind, Type};
    let mut types = tandem_syntax::Types::new(DataModel::Lp64);
    let mut check = |ty: Type, bits: u128, expected: &str| {
        let ty = types.intern(ty);
        assert_eq!(print(&types, bits, ty), expected);
    };
    check(Type::Int(IntKind::Int), 0x8000_0000, "(-2147483647 - 1)");
    check(Type::Int(IntKind::Char), 0xff, "-1");
    check(Type::Int(IntKind::UnsignedLong), u128::from(u64::MAX), "18446744073709551615UL");
    check(Type::Int(IntKind::Int128), 5 << 64 | 7, "((__int128)5ULL << 64 | 7ULL)");
    check(Type::Float(FloatKind::Single), u128::from(0.1f32.to_bits()), "0.1f");
    check(Type::Float(FloatKind::Double), u128::from(f64::NEG_INFINITY.to_bits()), "-__builtin_inf()");
    check(Type::Float(FloatKind::Extended), 0x3fff_c000_0000_0000_0000, "0x3p-1L");
    check(Type::Float(FloatKind::Extended), 0x7fff_8000_0000_0000_0000, "__builtin_infl()");
    check(Type::Float(FloatKind::Quad), 0xbfff_8000 << 96, "-0x3p-1Q");
}
