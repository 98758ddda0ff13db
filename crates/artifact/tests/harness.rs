//! Violations as programs: what the compiler makes of a program and its harness ends the way the interpreter said.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tandem_artifact::format::harness;
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{End, Inputs, Machine, Options, Request, Run};
use tandem_cfa::{DataModel, Program, build};

const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// The n-th value for the n-th request, of whatever kind.
struct Given<'a>(std::slice::Iter<'a, u128>);

impl Inputs for Given<'_> {
    fn nondet(&mut self, _: Request<'_>) -> u128 {
        self.0.next().copied().unwrap_or(0)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        self.nondet(request)
    }
}

fn run(source: &str, values: &[u128], model: DataModel) -> (Program, Run) {
    let built = build(SourceText::plain("program.c", source.as_bytes().to_vec()), model);
    let program = built.program.unwrap_or_else(|| panic!("{:?}", built.problems));
    let run = Machine::new(&program, Options::default()).run(&mut Given(values.iter()), &Budget::unlimited());
    (program, run)
}

/// The data models that the compiler here can make programs for.
fn models() -> &'static [DataModel] {
    static MODELS: OnceLock<Vec<DataModel>> = OnceLock::new();
    MODELS.get_or_init(probe)
}

fn probe() -> Vec<DataModel> {
    let directory = directory("probe");
    std::fs::write(directory.join("probe.c"), "int main(void) { return 0; }").unwrap();
    let works = |flag: &str| {
        let mut compiler = Command::new("gcc");
        compiler.current_dir(&directory).args([flag, "-w", "probe.c", "-o", "probe"]).stderr(Stdio::null());
        compiler.status().is_ok_and(|status| status.success())
    };
    let mut models = Vec::new();
    for (flag, model) in [("-m64", DataModel::Lp64), ("-m32", DataModel::Ilp32)] {
        if works(flag) {
            models.push(model);
        } else {
            eprintln!("skipped for {model}: gcc {flag} does not work here");
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
    models
}

fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("harness-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// The exit status of program and harness, or the signal as a negative number.
fn compiled(name: &str, source: &str, harness: &str, model: DataModel, more: &[&str]) -> i32 {
    let directory = directory(&format!("{name}-{model}"));
    std::fs::write(directory.join("program.c"), source).unwrap();
    std::fs::write(directory.join("harness.c"), harness).unwrap();
    let flag = match model {
        DataModel::Lp64 => "-m64",
        DataModel::Ilp32 => "-m32",
    };
    let mut compiler = Command::new("gcc");
    compiler.current_dir(&directory).args([flag, "-std=gnu11", "-w"]).args(more);
    let output = compiler.args(["program.c", "harness.c", "-o", "violation", "-lm"]).output().unwrap();
    assert!(output.status.success(), "{name}: {}\n{harness}", String::from_utf8_lossy(&output.stderr));
    let status = Command::new(directory.join("violation")).stderr(Stdio::null()).status().unwrap();
    std::fs::remove_dir_all(&directory).unwrap();
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(0))
}

fn check(name: &str, source: &str, values: &[u128], expected: i32) {
    for &model in models() {
        let (program, run) = run(source, values, model);
        let reached = matches!(run.end, End::ErrorReached { .. } | End::AssertFailed { .. });
        assert!(reached, "{name} in {model}: {:?}", run.end);
        let harness = harness::write(&program, &run.inputs, &ERRORS);
        assert_eq!(compiled(name, source, &harness, model, &[]), expected, "{name} in {model}\n{harness}");
    }
}

const REACHED: i32 = harness::ERROR_STATUS;
const ABORTED: i32 = -6;

fn negative(value: i128) -> u128 {
    value as u128
}

#[test]
fn integers_of_all_widths() {
    let source = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        extern unsigned char __VERIFIER_nondet_uchar(void); extern short __VERIFIER_nondet_short(void);
        extern unsigned int __VERIFIER_nondet_uint(void); extern long __VERIFIER_nondet_long(void);
        extern unsigned long long __VERIFIER_nondet_ulonglong(void); extern long long __VERIFIER_nondet_longlong(void);
        int main(void) {
          if (__VERIFIER_nondet_int() != -2147483647 - 1) return 1;
          if (__VERIFIER_nondet_uchar() != 255) return 2;
          if (__VERIFIER_nondet_short() != -32768) return 3;
          if (__VERIFIER_nondet_uint() != 4294967295u) return 4;
          if (__VERIFIER_nondet_long() != -7) return 5;
          if (__VERIFIER_nondet_ulonglong() != 18446744073709551615ull) return 6;
          if (__VERIFIER_nondet_longlong() != -9223372036854775807ll - 1) return 7;
          if (__VERIFIER_nondet_int() != 12) return 8;
          reach_error(); return 0; }";
    let values = [1 << 31, 255, 1 << 15, u128::from(u32::MAX), negative(-7), u128::from(u64::MAX), 1 << 63, 12];
    check("integers", source, &values, REACHED);
}

#[test]
fn values_are_counted_for_each_function() {
    let source = "int __VERIFIER_nondet_int(); int other(int x); void __VERIFIER_error();
        int main() { int sum = 0; for (int i = 0; i < 3; i++) { sum = 10 * sum + __VERIFIER_nondet_int(); sum = 10 * sum + other(i); }
          if (sum == 142536 && other(0) == 0 && __VERIFIER_nondet_int() == 0) __VERIFIER_error(); return sum; }";
    check("counters", source, &[1, 4, 2, 5, 3, 6], REACHED);
}

#[test]
fn floats_are_exact() {
    let source = "void reach_error(void); float __VERIFIER_nondet_float(void); double __VERIFIER_nondet_double(void);
        int main(void) { float f = __VERIFIER_nondet_float(); double d = __VERIFIER_nondet_double();
          double nan = __VERIFIER_nondet_double(), tiny = __VERIFIER_nondet_double(), inf = __VERIFIER_nondet_double();
          double half = tiny / 2;
          if (f == 0.1f && d == 0.1 && d + 0.2 == 0.30000000000000004 && nan != nan && tiny > 0 && half == 0 && inf > 1e308 && inf / 2 == inf) reach_error();
          return 0; }";
    let double = |value: f64| u128::from(value.to_bits());
    let values = [u128::from(0.1f32.to_bits()), double(0.1), double(f64::NAN), 1, double(f64::INFINITY)];
    check("floats", source, &values, REACHED);
}

#[test]
fn long_double() {
    let source = "void reach_error(void); long double real(void);
        int main(void) { long double x = real(), y = real(); if (x == 1.5L && y == -2.0L) reach_error(); return 0; }";
    check("long-double", source, &[0x3fff_c000_0000_0000_0000, 0xc000_8000_0000_0000_0000], REACHED);
}

#[test]
fn booleans_and_characters() {
    let source = "void reach_error(void); _Bool __VERIFIER_nondet_bool(void); char __VERIFIER_nondet_char(void);
        int main(void) { if (__VERIFIER_nondet_bool() && !__VERIFIER_nondet_bool() && __VERIFIER_nondet_char() == -1) reach_error(); return 0; }";
    check("booleans", source, &[1, 0, 255], REACHED);
}

#[test]
fn pointers() {
    let source = "void reach_error(void); int *get(void); void *__VERIFIER_nondet_pointer(void);
        int main(void) { int *p = get(); if (p) return 1; if (__VERIFIER_nondet_pointer() == (void *)16) reach_error(); return 0; }";
    check("pointers", source, &[0, 16], REACHED);
}

#[test]
fn records_come_back() {
    let source = "void reach_error(void); struct small { int a; }; struct large { int a[20]; }; struct small s(void);
        struct large l(int n); int __VERIFIER_nondet_int(void);
        int main(void) { struct small x = s(); struct large y = l(3); if (__VERIFIER_nondet_int() == 4) reach_error(); return 0; }";
    check("records", source, &[4], REACHED);
}

#[test]
fn static_functions_and_conflicting_declarations() {
    let source =
        "void reach_error(); static int hidden(void); int twice(); int main(void) { extern int twice(int, int);
        if (hidden() == 3 && twice(1, 2) == 4) reach_error(); return 0; }";
    check("static", source, &[3, 4], REACHED);
}

#[test]
fn assumptions_that_hold() {
    let source = "void reach_error(void); void __VERIFIER_assume(int); unsigned __VERIFIER_nondet_uint(void);
        int main(void) { unsigned x = __VERIFIER_nondet_uint(); __VERIFIER_assume(x > 5); if (x == 7) reach_error(); return 0; }";
    check("assume", source, &[7], REACHED);
}

#[test]
fn an_error_function_with_an_assertion_aborts() {
    let source = "void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
        void reach_error() { __assert_fail(\"0\", \"program.c\", 2, \"reach_error\"); } int __VERIFIER_nondet_int();
        int main() { if (__VERIFIER_nondet_int() == 9) reach_error(); return 0; }";
    check("defined", source, &[9], ABORTED);
    for &model in models() {
        let (program, run) = run(source, &[9], model);
        let harness = harness::write(&program, &run.inputs, &ERRORS);
        assert!(harness.contains("SIGABRT"), "{harness}");
        assert_eq!(compiled("watched", source, &harness, model, &["-finstrument-functions"]), REACHED);
    }
}

#[test]
fn a_failing_assertion_aborts() {
    let source = "extern void __assert_fail(const char *, const char *, unsigned, const char *); int input(void);
        int main(void) { int x = input(); x == 5 ? __assert_fail(\"x\", \"f\", 1, \"main\") : (void)0; return 0; }";
    check("assert", source, &[5], ABORTED);
}

#[test]
fn functions_of_the_outside_world() {
    let source = "void reach_error(void); int rand(void); int getchar(void); void helper(int *p); int unused(int);
        void stop(int) __attribute__((noreturn)); extern int printf(const char *, ...); unsigned long strlen(const char *);
        int main(void) { int x = 1; helper(&x); if (x != 1) stop(3); printf(\"%d\", x);
          if (rand() == 3 && getchar() == 'x' && strlen(\"abc\") == 3) reach_error(); return 0; }";
    check("outside", source, &[3, 120], REACHED);
}

#[test]
fn objects_that_are_defined_nowhere() {
    let source = "void reach_error(void); extern int level; extern unsigned char table[10]; struct s; extern struct s unknown; void *q;
        int main(void) { q = &unknown; q = table; if (level == 42) reach_error(); return 0; }";
    check("objects", source, &[42], REACHED);
}

#[test]
fn calls_through_pointers() {
    let source = "void reach_error(void); int one(void); int two(void);
        int main(void) { int (*f[2])(void) = {one, two}; if (f[0]() == 1 && f[1]() == 2 && f[0]() == 3) reach_error(); return 0; }";
    check("pointers-to-functions", source, &[1, 2, 3], REACHED);
}

#[test]
fn own_functions_may_have_names_of_the_library() {
    let source = "void reach_error(void); int __VERIFIER_nondet_int(void); int status; void exit(int s) { status = s; }
        long write(int a, const void *b, unsigned long c) { return 0; } void dprintf(int x) { }
        int main(void) { write(1, \"x\", 1); dprintf(3); if (__VERIFIER_nondet_int() == 2) reach_error(); return 0; }";
    check("names", source, &[2], REACHED);
}

#[test]
fn recursion_and_many_values() {
    let source = "void reach_error(void); int __VERIFIER_nondet_int(void); int f(int n) { return n ? __VERIFIER_nondet_int() + f(n - 1) : 0; }
        int main(void) { if (f(1000) == 499500) reach_error(); return 0; }";
    let values: Vec<u128> = (0..1000).collect();
    check("many", source, &values, REACHED);
}

#[test]
fn what_cannot_be_set_is_named() {
    let source = "void reach_error(void);\nint main(void) { int never;\n  if (never == 5) reach_error(); return 0; }";
    let (program, run) = run(source, &[5], DataModel::Lp64);
    assert!(matches!(run.end, End::ErrorReached { .. }));
    let harness = harness::write(&program, &run.inputs, &ERRORS);
    assert!(harness.contains("'never', read at 3:7 as 5"), "{harness}");
}

#[test]
fn leaving_the_path_is_told_apart() {
    let source = "void reach_error(void); void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void);
        int main(void) { __VERIFIER_assume(__VERIFIER_nondet_int()); reach_error(); return 0; }";
    for &model in models() {
        let (program, run) = run(source, &[1], model);
        let harness = harness::write(&program, &[], &ERRORS);
        assert!(matches!(run.end, End::ErrorReached { .. }));
        assert_eq!(compiled("left", source, &harness, model, &[]), harness::LEFT_STATUS);
    }
}
