//! Compares with gcc: record layouts, initialiser offsets, constants of all kinds, in both data models.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use tandem_base::{Severity, SourceText};
use tandem_syntax::ast::*;
use tandem_syntax::types::{Record, RecordId, Type};
use tandem_syntax::{DataModel, Unit, parse};

const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

/// Prints the bytes of an object as `name hex`.
const DUMP: &str = r#"
extern int printf(const char *, ...);
static void dump(const char *name, const void *object, unsigned long size) {
    const unsigned char *bytes = object;
    printf("%s ", name);
    for (unsigned long i = 0; i < size; i++) printf("%02x", bytes[i]);
    printf("\n");
}
"#;

#[track_caller]
fn unit(text: &str, model: DataModel) -> Unit {
    let parsed = parse(&SourceText::plain("test.c", text.as_bytes().to_vec()), model);
    let errors: Vec<_> = parsed.problems.iter().filter(|p| p.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    parsed.unit
}

/// What the program prints when gcc has compiled it; `None` (with a message) if gcc cannot do this here.
fn run(name: &str, text: &str, model: DataModel) -> Option<String> {
    let folder: PathBuf = std::env::temp_dir().join(format!("tandem-syntax-{}-{name}-{model}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let (source, program) = (folder.join("test.c"), folder.join("test"));
    std::fs::write(&source, text).expect("the source file");
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let compiled = Command::new("gcc").args(["-std=gnu11", "-w", width, "-o"]).arg(&program).arg(&source).output();
    let output = match compiled {
        Ok(output) if output.status.success() => Command::new(&program).output().ok(),
        Ok(output) => {
            println!("skipped, gcc {width} failed: {}", String::from_utf8_lossy(&output.stderr));
            assert!(!can_compile(width), "gcc refuses the test program");
            None
        }
        Err(error) => {
            println!("skipped, no gcc: {error}");
            None
        }
    };
    std::fs::remove_dir_all(&folder).ok();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn can_compile(width: &str) -> bool {
    let program = std::env::temp_dir().join(format!("tandem-syntax-probe{width}-{}.o", std::process::id()));
    let mut command = Command::new("gcc");
    command.args([width, "-w", "-x", "c", "/dev/null", "-c", "-o"]).arg(&program);
    let works = command.output().is_ok_and(|output| output.status.success());
    std::fs::remove_file(program).ok();
    works
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string");
        text
    })
}

fn set_bits(bytes: &mut [u8], first: u64, width: u32, value: u128) {
    for bit in 0..u64::from(width) {
        let at = first + bit;
        let mask = 1 << (at % 8);
        let byte = &mut bytes[(at / 8) as usize];
        *byte = if value >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
    }
}

/// The bytes of a static object, from its flattened initialiser.
fn image(unit: &Unit, declaration: &Declaration) -> Vec<u8> {
    let types = unit.types();
    let size = declaration.extent.or(types.size(declaration.ty)).expect("a size");
    let mut bytes = vec![0; size as usize];
    for entry in declaration.initializer.iter().flatten() {
        let ty = unit.type_of(entry.value);
        if let ExpressionKind::String(id) = unit.expression(entry.value).kind {
            let count = types.size(ty).expect("the size of a string") as usize;
            let at = entry.offset as usize;
            bytes[at..at + count].copy_from_slice(&unit.string(id)[..count]);
            continue;
        }
        let (value, width) = match unit.constant_expression(entry.value) {
            Some(ExpressionKind::Integer(value)) => (value as u128, types.size(ty).expect("a size") as u32 * 8),
            Some(ExpressionKind::Float(value)) => (value, types.scalar(ty).expect("a scalar").bits()),
            // Addresses are printed relative to the object they are into.
            Some(ExpressionKind::Address { offset, .. }) => (offset as u128, types.model().pointer_bits()),
            other => panic!("{:?} has {other:?} at {}", declaration.name, entry.offset),
        };
        let (first, width) = match entry.bits {
            Some(bits) => (entry.offset * 8 + u64::from(bits.offset), bits.width),
            None => (entry.offset * 8, width),
        };
        set_bits(&mut bytes, first, width, value);
    }
    bytes
}

fn initializers(name: &str, text: &str, model: DataModel) {
    let unit = unit(text, model);
    let mut expected = String::new();
    let mut main = "int main(void) {\n".to_string();
    for id in unit.top_level() {
        let declaration = unit.declaration(id);
        let Some(object) = declaration.name.clone().filter(|_| declaration.initializer.is_some()) else { continue };
        let bytes = image(&unit, &declaration);
        writeln!(expected, "{object} {}", hex(&bytes)).expect("writing to a string");
        if matches!(unit.types().get(declaration.ty), Type::Pointer(_)) {
            writeln!(main, "{{ long d = (char *){object} - (char *)base; dump(\"{object}\", &d, sizeof d); }}")
        } else {
            writeln!(main, "dump(\"{object}\", &{object}, {});", bytes.len())
        }
        .expect("writing to a string");
    }
    main.push_str("return 0; }\n");
    if let Some(printed) = run(name, &format!("{text}{DUMP}{main}"), model) {
        compare(&expected, &printed);
    }
}

#[track_caller]
fn compare(ours: &str, gcc: &str) {
    for (ours, gcc) in ours.lines().zip(gcc.lines()) {
        assert_eq!(ours, gcc, "ours on the left, gcc's on the right");
    }
    assert_eq!(ours.lines().count(), gcc.lines().count());
}

#[test]
fn initializer_offsets() {
    let text = r#"
int a1[5] = { 1, [3] = 4, 5 }; int a2[] = { [2] = 7, [0] = 1 }; int a3[2][3] = { 1, 2, 3, 4 }; int a4[2][3] = { { 1 }, { 2, 3 } };
int a5[6] = { [1 ... 4] = 9, [2] = 3 }; char a6[2][4] = { "ab", "cdef" }; short a7[][2] = { 1, 2, 3 };
struct P { char c; int i; short s; }; struct P p1 = { 1, 2, 3 }; struct P p2 = { .s = 3, .c = 1 }; struct P p3 = { .i = 2, 5 };
struct P p4[3] = { [1] = { 4, 5, 6 }, [0].s = 7, [2] = { .i = 8 } }; struct P p5[] = { 1, 2, 3, { 4, 5 }, 6 };
struct N { struct P p; long l; struct { int x, y; } in; }; struct N n1 = { 1, 2, 3, 4, 5, 6 }; struct N n2 = { { 1 }, .in = { .y = 2 } };
struct N n3 = { .p.i = 3, .in.x = 4, 5 }; struct N n4 = { .p = { 1, 2, 3 }, .p.s = 9, .l = -1 };
union U { char c; long long l; double d; }; union U u1 = { 5 }; union U u2 = { .l = -2 }; union U u3 = { .d = 1.5 }; union U u4[2] = { { 1 }, { .l = 3 } };
struct B { unsigned a : 3; int b : 5; unsigned : 4; unsigned c : 13; unsigned long long d : 33; _Bool e : 1; };
struct B b1 = { 5, -3, 4000, 0x123456789, 1 }; struct B b2 = { .c = 77, .a = 2 }; struct B b3[2] = { [1].d = 0x1ffffffff, [0] = { .b = 7 } };
struct A { int t; union { int i; float f; struct { char x, y; }; }; }; struct A an1 = { 1, { 2 } }; struct A an2 = { .f = 2.5f }; struct A an3 = { .y = 3, .t = 4 };
char s1[] = "hello"; char s2[3] = "hello"; char s3[10] = "hi"; char s4[] = { 'a', 'b' }; char s5[4] = { "xyz" }; char s6[] = "a\0b\x41\101\n";
__typeof__(L'a') w1[] = L"wide\x1234"; unsigned short w2[] = u"h\u00e4"; unsigned w3[5] = U"u"; char w4[] = u8"\u00e4";
struct F { int n; short tail[]; }; struct F f1 = { 2, { 3, 4, 5 } }; struct F f2 = { .tail = { [2] = 9 } };
struct G { char n; char tail[]; }; struct G g1 = { 1, "text" };
struct __attribute__((packed)) K { char c; int i; unsigned b : 7; unsigned d : 20; }; struct K k1 = { 1, 2, 3, 4 };
struct E { } ; struct Z { int a; struct E e; int b; }; struct Z z1 = { 1, {}, 2 };
_Bool bools[] = { 0, 1, 7, 0.5, 0x100 }; enum Q { Q1 = -5, Q2, Q3 = 100 }; enum Q q[] = { Q1, Q2, Q3 };
static const int constant = 42; int copy = constant; int chosen = 1 ? 2 : constant;
"#;
    for model in MODELS {
        initializers("initializers", text, model);
    }
}

#[test]
fn address_constants() {
    let text = r#"
struct S { int a; struct { char x; short y[4]; } in[3]; int tail; } base[10] = { { 1 } };
int *p1 = &base[2].a; short *p2 = &base[1].in[2].y[3]; char *p3 = (char *)base + 5; struct S *p4 = base + 10;
void *p5 = &base[9].tail + 1; struct S *p6 = &base[5] - 3; int *p7 = (int *)((char *)&base[3] + 8); short *p8 = 1 + base[1].in[1].y;
"#;
    for model in MODELS {
        initializers("addresses", text, model);
    }
}

#[test]
fn floating_constants() {
    let literals = [
        "0.1",
        "1.0",
        "-0.0",
        "3.141592653589793238462643383279502884",
        "1e308",
        "1e-308",
        "4.9e-324",
        "2.2250738585072011e-308",
        "1e400",
        "1e-400",
        "0x1.8p3",
        "0x1.fffffffffffffp1023",
        "0x1p-1074",
        "123456789012345678901234567890.5",
        "16777217.0",
        "9007199254740993.0",
        "1e23",
        "0x1.000001p0",
        "1.7976931348623159e308",
        "1/3.0",
        "1e-45",
        "3.4028236e38",
        "5e-5",
        "__builtin_huge_val()",
        "-__builtin_inf()",
        "(double)18446744073709551615ULL",
        "-7/2",
        "0x1.00000000000008p0",
        "0x1.00000000000000008p0L",
        "0.1f",
        "0.1L",
        "1.1f*1.1f",
        "0.1+0.2",
        "(float)0.1",
        "(long double)0.1f",
        "1e4000L",
        "1e-4940L",
    ];
    let mut text = String::new();
    for (index, literal) in literals.iter().enumerate() {
        for (kind, ty) in ["float", "double", "long double", "__float128"].iter().enumerate() {
            writeln!(text, "{ty} f{index}_{kind} = {literal};").expect("writing to a string");
        }
        if !literal.contains(['L', 'e', 'f', '(']) {
            writeln!(text, "__float128 q{index} = {literal}{};", if literal.contains('/') { "" } else { "Q" })
                .expect("writing to a string");
        }
    }
    for model in MODELS {
        initializers("floats", &text, model);
    }
}

/// Not among them: `__alignof__(long long)` and `__alignof__(double)`, which the front end makes 4 in ILP32 and gcc 8.
#[test]
fn integer_constants() {
    let expressions = [
        "1 + 2 * 3",
        "-7 / 2",
        "-7 % 2",
        "7u - 8",
        "1 << 31 - 1",
        "-1 >> 1",
        "~0",
        "~0u",
        "!5",
        "1 ? -1 : 0u",
        "2147483647",
        "2147483648",
        "0xffffffff",
        "0x80000000",
        "4294967295",
        "4294967296",
        "-2147483648",
        "0xffffffffffffffff",
        "'a'",
        "'\\377'",
        "'ab'",
        "L'\\x1234'",
        "sizeof(int)",
        "sizeof(long)",
        "sizeof(long double)",
        "sizeof \"abc\"",
        "(char)200",
        "(unsigned char)-1",
        "(short)70000",
        "(_Bool)3",
        "(long)-1 < 1u",
        "-1 < 1u",
        "(unsigned short)-1 + 1",
        "'a' * 1000",
        "1 && 2 || 0",
        "3 & 5 | 8 ^ 2",
        "(int)3.99",
        "(int)-3.99",
        "(unsigned)1e9",
        "10u / 3 * 3",
        "1ull << 63",
        "-1ll >> 63",
        "0x7fffffffffffffffll",
        "(unsigned long)-1",
        "(long long)(int)0xffffffff",
        "__builtin_offsetof(struct T, b)",
        "_Alignof(double)",
        "__builtin_bswap32(0x01020304)",
        "__builtin_clz(1)",
        "__builtin_popcount(255)",
        "__builtin_types_compatible_p(int, long)",
        "__builtin_constant_p(3)",
        "0 ? 1 / 0 : 7",
        "E2 * 2",
        "\"abc\"[1]",
        "1.5 > 1",
        "(char)'\\x80'",
        "0b101",
        "017",
        "1 == 1.0",
        "(unsigned char)300 + (signed char)200",
    ];
    let mut text = "struct T { char a; double b; }; enum { E1 = 4, E2 };\n".to_string();
    for (index, expression) in expressions.iter().enumerate() {
        writeln!(text, "long long i{index} = {expression};").expect("writing to a string");
    }
    for model in MODELS {
        initializers("integers", &text, model);
    }
}

/// A small generator of pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len() as u64) as usize]
    }
}

fn member(dice: &mut Dice, index: usize, records: usize) -> String {
    const PLAIN: [&str; 13] = [
        "char",
        "short",
        "int",
        "long",
        "long long",
        "float",
        "double",
        "long double",
        "void *",
        "_Bool",
        "unsigned char",
        "enum En",
        "__float128",
    ];
    const BITS: [(&str, u64); 7] = [
        ("int", 32),
        ("unsigned", 32),
        ("char", 8),
        ("unsigned short", 16),
        ("long long", 64),
        ("_Bool", 1),
        ("enum En", 32),
    ];
    let attribute = match dice.roll(12) {
        0 => " __attribute__((packed))",
        1 => " __attribute__((aligned(16)))",
        2 => " __attribute__((aligned(2)))",
        _ => "",
    };
    match dice.roll(10) {
        0..4 => format!("{} m{index}{attribute};", dice.pick(&PLAIN)),
        4 => format!("{} m{index}[{}]{attribute};", dice.pick(&PLAIN), 1 + dice.roll(4)),
        5 if records > 0 => format!("struct R{} m{index}{attribute};", dice.roll(records as u64)),
        6 => format!("{} : {};", BITS[dice.roll(7) as usize].0, dice.roll(2)),
        _ => {
            let (ty, most) = BITS[dice.roll(7) as usize];
            format!("{ty} m{index} : {};", 1 + dice.roll(most))
        }
    }
}

fn random_records(count: usize, seed: u64) -> String {
    let mut dice = Dice(seed);
    let mut text = "enum En { En1, En2 };\n".to_string();
    for record in 0..count {
        let members: String = (0..1 + dice.roll(8) as usize).map(|index| member(&mut dice, index, record)).collect();
        let attribute = match dice.roll(8) {
            0 => "__attribute__((packed))",
            1 => "__attribute__((aligned(32)))",
            2 => "__attribute__((packed, aligned(2)))",
            _ => "",
        };
        let pack = if dice.roll(8) == 0 { ("#pragma pack(push, 2)\n", "#pragma pack(pop)\n") } else { ("", "") };
        // A union is wrapped, so that every type has one way to be named.
        let body = if dice.roll(5) == 0 { format!("union {{ {members} }};") } else { members };
        writeln!(text, "{}struct R{record} {{ {body} }} {attribute};\n{}struct R{record} r{record};", pack.0, pack.1)
            .expect("writing to a string");
    }
    text
}

/// A member's name, its byte offset, and for a bit-field its first bit and width.
type Member = (String, u64, Option<(u64, u32)>);

/// The named members, those of anonymous members included, with the offset of what they are in.
fn named_members(unit: &Unit, record: &Record, offset: u64, found: &mut Vec<Member>) {
    for field in &record.fields {
        let at = offset + field.offset;
        match (&field.name, field.bits, unit.types().get(field.ty)) {
            (Some(name), None, _) => found.push((name.to_string(), at, None)),
            (Some(name), Some(bits), _) => {
                found.push((name.to_string(), at, Some((at * 8 + u64::from(bits.offset), bits.width))));
            }
            (None, None, Type::Record(inner)) => named_members(unit, &unit.types().records[*inner], at, found),
            (None, _, _) => {}
        }
    }
}

#[test]
fn record_layouts() {
    for (seed, model) in (1..5).flat_map(|seed| MODELS.map(|model| (seed, model))) {
        let text = random_records(60, seed);
        let unit = unit(&text, model);
        let mut expected = String::new();
        let mut main = "int main(void) {\n".to_string();
        for id in unit.top_level() {
            let declaration = unit.declaration(id);
            let Type::Record(record) = *unit.types().get(declaration.ty) else { continue };
            let name = declaration.name.expect("a name");
            describe(&unit, record, &name, &mut expected, &mut main);
        }
        main.push_str("return 0; }\n");
        let memset = "extern void *memset(void *, int, unsigned long);\n";
        if let Some(printed) = run(&format!("records{seed}"), &format!("{text}{memset}{DUMP}{main}"), model) {
            compare(&expected, &printed);
        }
    }
}

fn describe(unit: &Unit, id: RecordId, name: &str, expected: &mut String, main: &mut String) {
    let record = &unit.types().records[id];
    writeln!(expected, "{name} {} {}", record.size, record.align).expect("writing to a string");
    writeln!(main, "printf(\"{name} %d %d\\n\", (int)sizeof {name}, (int)__alignof__(struct R{}));", &name[1..])
        .expect("writing to a string");
    let mut members = Vec::new();
    named_members(unit, record, 0, &mut members);
    for (member, offset, bits) in members {
        let Some((first, width)) = bits else {
            writeln!(expected, "{name}.{member} {offset}").expect("writing to a string");
            writeln!(main, "printf(\"{name}.{member} %d\\n\", (int)((char *)&{name}.{member} - (char *)&{name}));")
                .expect("writing to a string");
            continue;
        };
        let mut bytes = vec![0; record.size as usize];
        set_bits(&mut bytes, first, width, u128::MAX);
        writeln!(expected, "{name}.{member} {}", hex(&bytes)).expect("writing to a string");
        writeln!(main, "memset(&{name}, 0, sizeof {name}); {name}.{member} = -1; dump(\"{name}.{member}\", &{name}, sizeof {name});")
            .expect("writing to a string");
    }
}
