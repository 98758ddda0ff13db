//! The interpreter against gcc: what programs print and return must be the same; and how paths end that gcc cannot show.

use std::process::Command;

use tandem_base::{Budget, SourceText, StopReason};
use tandem_cfa::exec::{End, EventKind, InputSource, Machine, Options, Place, Run, Sink, Undefined, Values};
use tandem_cfa::{Program, build};
use tandem_syntax::DataModel;

fn program(text: &str, model: DataModel) -> Program {
    let built = build(SourceText::plain("test.c", text.as_bytes().to_vec()), model);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

fn run(program: &Program, values: &[u128]) -> Run {
    let options = Options { output: Sink::Collect, path: Some(1 << 20), steps: 50_000_000, ..Options::default() };
    Machine::new(program, options).run(&mut Values::new(values.to_vec()), &Budget::unlimited())
}

/// Runs a program here and as gcc compiles it, in both data models.
fn same_as_gcc(name: &str, text: &str) {
    for (model, flag) in [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")] {
        let directory = std::env::temp_dir().join(format!("tandem-exec-{}-{name}{flag}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (source, binary) = (directory.join("test.c"), directory.join("test"));
        std::fs::write(&source, text).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(["-O0", "-w", "-fwrapv", "-msse2", "-mfpmath=sse", "-std=gnu11", flag]);
        assert!(gcc.arg(&source).arg("-o").arg(&binary).arg("-lm").status().expect("gcc").success());
        let expected = Command::new(&binary).output().unwrap();
        std::fs::remove_dir_all(&directory).ok();
        let program = program(text, model);
        let actual = run(&program, &[]);
        let here = String::from_utf8_lossy(&actual.output).to_string();
        assert_eq!(here, String::from_utf8_lossy(&expected.stdout), "{name} {model}: {:?}", actual.end);
        let status = match actual.end {
            End::Returned(value) => value as i32 & 0xff,
            End::Exited(code) => code & 0xff,
            ref other => panic!("{name} {model}: {other:?}"),
        };
        assert_eq!(Some(status), expected.status.code(), "{name} {model}");
        let edges = actual.edges(&program).expect("a path");
        assert_eq!(edges.len() as u64, actual.steps, "{name}");
        assert!(edges.iter().all(|edge| actual.coverage.contains(*edge)), "{name}");
        assert_eq!(edges.iter().collect::<std::collections::HashSet<_>>().len(), actual.coverage.len(), "{name}");
    }
}

/// How a program ends without inputs.
fn end_of(text: &str) -> End {
    run(&program(text, DataModel::Lp64), &[]).end
}

fn undefined(text: &str) -> Undefined {
    match end_of(text) {
        End::Undefined { kind, .. } => kind,
        other => panic!("{other:?}"),
    }
}

const LIBRARY: &str = "typedef __SIZE_TYPE__ size_t; int printf(const char *, ...); int sprintf(char *, const char *, ...);
int snprintf(char *, size_t, const char *, ...); int puts(const char *); int putchar(int); void exit(int);
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t); size_t strlen(const char *); char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t); int strcmp(const char *, const char *); char *strcat(char *, const char *);
char *strchr(const char *, int); char *strrchr(const char *, int); char *strstr(const char *, const char *);
long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int); int atoi(const char *);
char *strtok(char *, const char *); int isalpha(int); int toupper(int); int abs(int); double sqrt(double); double floor(double);
double fmod(double, double); double pow(double, double); double sin(double); double fabs(double); float sqrtf(float);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
";

fn with_library(text: &str) -> String {
    // The front end gets no preprocessor: the one predefined name is spelled out.
    format!("{LIBRARY}{text}").replace("__SIZE_TYPE__", "__typeof__(sizeof 0)")
}

#[test]
fn formats() {
    same_as_gcc(
        "formats",
        &with_library(
            r#"int main(void) {
  int i; double d[] = { 0.0, 1.0, -1.5, 3.14159265, 1e10, 1e-10, 123456789.123, 0.5, 2.5, 1e300, 5e-324, 0.1, 999999.5, 99999.95 };
  printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|\n", 42, 42, 42, 42, 42, 42, 42, 42, -42);
  printf("%u|%x|%X|%#x|%o|%#o|%08x|%.0d|%hhd|%hd|%ld|%lld|%zu\n", 4294967295u, 255, 255, 255, 8, 8, 48879, 0, 300, 70000, -7L, 1LL << 40, sizeof(int));
  printf("%c|%5c|%-5c|%s|%10s|%-10s|%.2s|%%|%s\n", 'a', 'b', 'c', "text", "right", "left", "cut", "end");
  for (i = 0; i < (int)(sizeof d / sizeof *d); i++) {
    printf("%f %.0f %.3f %10.2f %-12.1f| %+f % f %08.2f\n", d[i], d[i], d[i], d[i], d[i], d[i], d[i], d[i]);
    printf("%e %.0e %E %g %.3g %G %a %.2a\n", d[i], d[i], d[i], d[i], d[i], d[i], d[i], d[i]);
  }
  printf("%Lf %Le %Lg %La\n", 1.0L / 3, 1e4000L, 2.5L, 1.0L);
  printf("%f %f %f %e %G\n", 1.0 / 0.0, -1.0 / 0.0, 0.0 * (1.0 / 0.0), 1.0 / 0.0, 1.0 / 0.0);
  printf("%*d|%-*d|%.*f|%#g|%#.3g|%#.0f|%#x\n", 6, 1, 6, 2, 2, 3.14159, 1.5, 100.0, 3.0, 0);
  puts("line"); putchar('x'); putchar('\n');
  char buffer[32]; int n = snprintf(buffer, 8, "%s-%d", "abcdef", 12345); printf("%d %s\n", n, buffer);
  n = sprintf(buffer, "%d%c", 7, 'q'); printf("%d %s\n", n, buffer);
  return n; }"#,
        ),
    );
}

#[test]
fn strings_and_memory() {
    same_as_gcc(
        "strings",
        &with_library(
            r#"static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
  char a[64], *end; strcpy(a, "hello"); strcat(a, " world");
  printf("%s %d %d %d\n", a, (int)strlen(a), strcmp(a, "hello") > 0, memcmp(a, "help", 3));
  printf("%s %s %s\n", strchr(a, 'w'), strrchr(a, 'o'), strstr(a, "lo"));
  printf("%ld %ld %lx %d\n", strtol("  -123xyz", &end, 10), strtol("0x1F", 0, 0), strtoul("ffffffff", 0, 16), atoi("77")); puts(end);
  printf("%ld %d\n", strtol("99999999999999999999", 0, 10) > 0, toupper('q') + isalpha('5'));
  strncpy(a, "ab", 5); printf("%d %d %c\n", a[2], a[4], a[5]);
  char list[] = "one,two;three"; char *t; for (t = strtok(list, ",;"); t; t = strtok(0, ",;")) puts(t);
  int numbers[] = { 5, 3, 9, -1, 7, 3 }, i; qsort(numbers, 6, sizeof(int), order); for (i = 0; i < 6; i++) printf("%d ", numbers[i]);
  int *p = malloc(4 * sizeof(int)); for (i = 0; i < 4; i++) p[i] = i; p = realloc(p, 8 * sizeof(int)); p[7] = 70;
  int *q = calloc(4, sizeof(int)); memcpy(q, p, 2 * sizeof(int)); memmove(p + 1, p, 3 * sizeof(int)); memset(q + 2, 1, 4);
  printf("%d %d %d %x\n", p[3], p[7], q[1], q[2]); free(p); free(q);
  printf("%.3f %.3f %.3f %.6f %.6f %f\n", sqrt(2.0), floor(-1.5), fmod(7.5, 2.0), pow(2.0, 0.5), sin(1.0), (double)sqrtf(3.0f));
  return abs(-3); }"#,
        ),
    );
}

#[test]
fn types_and_conversions() {
    same_as_gcc(
        "types",
        &with_library(
            r#"struct bits { unsigned a : 3; int b : 5; unsigned long long c : 33; _Bool d : 1; } s = { 5, -3, 0x1ffffffffull, 1 };
union u { float f; unsigned i; unsigned char b[4]; } u;
struct __attribute__((packed)) packed { char c; int i; short s; } packed = { 1, 0x01020304, -2 };
struct big { int v[10]; struct { char c; long double l; } in; };
static struct big make(int n) { struct big b; int i; for (i = 0; i < 10; i++) b.v[i] = n * i; b.in.c = 'z'; b.in.l = n / 3.0L; return b; }
static int total(struct big b, int k) { int i, t = 0; b.v[k] = 1000; for (i = 0; i < 10; i++) t += b.v[i]; return t; }
static int sum(int n, ...) { __builtin_va_list l, m; int t = 0; __builtin_va_start(l, n); __builtin_va_copy(m, l);
  while (n--) t += __builtin_va_arg(l, int); t += __builtin_va_arg(m, int); __builtin_va_end(l); __builtin_va_end(m); return t; }
static double mixed(const char *f, ...) { __builtin_va_list l; double t = 0; __builtin_va_start(l, f);
  for (; *f; f++) if (*f == 'd') t += __builtin_va_arg(l, double); else if (*f == 'l') t += __builtin_va_arg(l, long long);
    else { struct big b = __builtin_va_arg(l, struct big); t += b.v[2]; } __builtin_va_end(l); return t; }
static int twice(int x) { return 2 * x; } static int square(int x) { return x * x; }
int (*table[2])(int) = { twice, square };
int main(void) {
  s.a += 4; s.b -= 20; s.c++; s.d = 7; printf("%d %d %llx %d %d\n", s.a, s.b, (unsigned long long)s.c, s.d, (int)sizeof s);
  u.f = -2.5f; printf("%x %d\n", u.i, u.b[3]); printf("%d %x %d\n", (int)sizeof packed, packed.i, packed.s);
  struct big b = make(3), c = b; c.v[1] = 99; printf("%d %d %d %Lf %c\n", total(b, 2), c.v[1], b.v[1], b.in.l, c.in.c);
  printf("%d %.2f %d %d\n", sum(3, 10, 20, 30), mixed("dlsd", 1.5, 1LL << 33, b, 0.25), table[0](21), (*table[1])(7));
  signed char sc = 200; unsigned char uc = -1; short sh = 70000; unsigned short us = -3; long long ll = -5; unsigned un = ll;
  printf("%d %d %d %d %u %d %d\n", sc, uc, sh, us, un, sc >> 1, -7 / 2 * 10 + -7 % 3);
  printf("%d %d %u %lld %llu %d\n", (int)-3.99, (int)1e5f, (unsigned)3e9, (long long)-1e15, (unsigned long long)1e19, (_Bool)0.1);
  float f = 16777217; double d = (float)0.1; long double x = 1e-20L + 1; printf("%f %.17g %.20Lg %d\n", f, d, x, 0.1f == 0.1);
  int vla_size = 5; { int v[vla_size], i, t = 0; for (i = 0; i < vla_size; i++) v[i] = i; for (i = 0; i < vla_size; i++) t += v[i];
    printf("%d %d\n", t, (int)sizeof v); }
  int i = 0; again: if (i++ < 3) goto again; switch (i) { case 1 ... 3: printf("low\n"); break; case 4: printf("four\n"); default: printf("on\n"); }
  volatile int zero = 0; printf("%d %d %d\n", zero && 1 / zero, (i, 5), zero ? 1 : 2);
  return 1 << 3 | zero; }"#,
        ),
    );
}

#[test]
fn rounding_modes_in_all_kinds_of_expressions() {
    same_as_gcc("rounding", include_str!("c_source/library.c"));
}

#[test]
fn functions_that_run_at_the_end() {
    let handlers = r#"int atexit(void (*)(void)); void _exit(int); int state = 7;
static void first(void) { printf("first %d\n", state); }
static void second(void) { printf("second %d\n", state++); }
static void third(void) { atexit(second); printf("third\n"); }
"#;
    let all = "atexit(first); atexit(second); atexit(third);";
    let ends = ["return state;", "exit(state);", "void (*leave)(int) = exit; leave(3);", ""];
    for (number, end) in ends.iter().enumerate() {
        let text = with_library(&format!("{handlers}int main(void) {{ {all} {end} }}"));
        same_as_gcc(&format!("handlers{number}"), &text);
    }
    let text = with_library(&format!("{handlers}int main(void) {{ {all} _exit(4); }}"));
    let run = run(&program(&text, DataModel::Lp64), &[]);
    assert_eq!((run.end, run.output.len()), (End::Exited(4), 0));
    let many = with_library(&format!("{handlers}int main(void) {{ int i; for (i = 0; i < 33; i++) atexit(first); }}"));
    assert!(matches!(end_of(&many), End::Unsupported { .. }));
    let called =
        with_library(&format!("{handlers}int main(void) {{ if (state-- == 7) {{ {all} return main(); }} return 0; }}"));
    assert!(matches!(end_of(&called), End::Unsupported { .. }));
}

#[test]
fn wide_integers() {
    let text = with_library(
        r#"typedef __int128 wide; typedef unsigned __int128 uwide;
static uwide power(uwide b, int n) { uwide r = 1; while (n--) r *= b; return r; }
static void show(uwide x) { char b[50]; int i = 49; b[i] = 0; do b[--i] = '0' + (int)(x % 10); while (x /= 10); puts(b + i); }
wide g = -5; struct { wide w; int i; } s = { 7, 1 };
int main(void) { show(power(3, 80)); show((uwide)(g * g * 1000000007)); wide x = s.w << 100; show(x >> 3);
  printf("%d %d %d\n", g < 0, (int)(g % 3), (wide)1e30 > ((wide)1 << 99)); printf("%f\n", (double)power(10, 25)); return x != 0; }"#,
    );
    let program = program(&text, DataModel::Lp64);
    let run = run(&program, &[]);
    let expected = "147808829414345923316083210206383297601\n25000000175\n1109194275199700726309615304704\n1 -2 1\n10000000000000000905969664.000000\n";
    assert_eq!(String::from_utf8_lossy(&run.output), expected);
    assert_eq!(run.end, End::Returned(1));
}

#[test]
fn ends() {
    assert_eq!(end_of("int main(void) { return 7; }"), End::Returned(7));
    assert_eq!(end_of("void exit(int); int main(void) { exit(3); }"), End::Exited(3));
    assert!(matches!(end_of("void reach_error(void) {} int main(void) { reach_error(); }"), End::ErrorReached { .. }));
    assert!(matches!(end_of("void abort(void); int main(void) { abort(); }"), End::Aborted { .. }));
    let assume = "void __VERIFIER_assume(int); int main(void) { __VERIFIER_assume(1); __VERIFIER_assume(0); }";
    assert!(matches!(end_of(assume), End::AssumeViolated { .. }));
    let failing = "void __assert_fail(const char *, const char *, unsigned, const char *); int main(void) { int x = 1; \
        if (x == 1) __assert_fail(\"\", \"\", 1, \"\"); }";
    assert!(matches!(end_of(failing), End::AssertFailed { .. }));
    let function = "void assert(int); int main(void) { assert(1); assert(0); }";
    assert!(matches!(end_of(function), End::AssertFailed { .. }));
    assert_eq!(end_of("int main(void) { for (;;) ; }"), End::Stopped(StopReason::Steps));
    assert!(matches!(
        end_of("int f(int n) { return f(n + 1); } int main(void) { return f(0); }"),
        End::StackOverflow { .. }
    ));
    let eager = "void *malloc(unsigned long); int main(void) { for (;;) malloc(1 << 24); }";
    assert!(matches!(end_of(eager), End::OutOfMemory { .. }));
}

#[test]
fn undefined_behaviour_has_names() {
    let heap = "void *malloc(unsigned long); void free(void *); ";
    assert_eq!(undefined("int main(void) { int *p = 0; return *p; }"), Undefined::NullPointer { input: None });
    assert!(matches!(undefined("int main(void) { int a[3], i = 3; a[i] = 1; }"), Undefined::OutOfBounds { .. }));
    assert!(matches!(
        undefined("int a[3]; int main(void) { int i = -1; return a[i]; }"),
        Undefined::OutOfBounds { .. }
    ));
    let late = format!("{heap} int main(void) {{ char *p = malloc(4); free(p); return *p; }}");
    assert_eq!(undefined(&late), Undefined::DeadObject { object: Place::Heap });
    let twice = format!("{heap} int main(void) {{ char *p = malloc(4); free(p); free(p); }}");
    assert_eq!(undefined(&twice), Undefined::DoubleFree);
    let inside = format!("{heap} int main(void) {{ char *p = malloc(4); free(p + 1); }}");
    assert_eq!(undefined(&inside), Undefined::InvalidFree);
    let gone = "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f(); }";
    assert!(matches!(undefined(gone), Undefined::DeadObject { object: Place::Variable(_) }));
    assert_eq!(undefined("int main(void) { char *s = \"abc\"; s[0] = 'x'; }"), Undefined::WriteToReadOnly);
    assert_eq!(undefined("int main(void) { int z = 0; return 1 / z; }"), Undefined::DivisionByZero);
    assert_eq!(
        undefined("int main(void) { int m = -2147483647 - 1, n = -1; return m % n; }"),
        Undefined::DivisionOverflow
    );
    assert_eq!(
        undefined("int main(void) { void (*f)(void) = (void (*)(void))4; f(); }"),
        Undefined::BadFunctionPointer
    );
    let foreign = program("char *get(void); int main(void) { return *get(); }", DataModel::Lp64);
    let end = run(&foreign, &[0xdead_0000]).end;
    let get = foreign.function_named("get");
    assert!(matches!(end, End::Undefined { kind: Undefined::InvalidPointer { input }, .. } if input == get), "{end:?}");
}

#[test]
fn inputs_are_asked_for_and_recorded() {
    let text = "int __VERIFIER_nondet_int(void); unsigned char other(void); void reach_error(void); \
        int main(void) { int x = __VERIFIER_nondet_int(); unsigned char y = other(); if (x == -5 && y == 200) reach_error(); return 0; }";
    let program = program(text, DataModel::Ilp32);
    let reached = run(&program, &[u128::from(-5i32 as u32), 200]);
    assert!(matches!(reached.end, End::ErrorReached { .. }));
    let bits: Vec<u128> = reached.inputs.iter().map(|input| input.bits).collect();
    assert_eq!(bits, [u128::from(-5i32 as u32), 200]);
    assert!(
        matches!(reached.inputs[0].source, InputSource::Function(id) if &*program.functions[id].name == "__VERIFIER_nondet_int")
    );
    let missed = run(&program, &[1]);
    assert_eq!(missed.end, End::Returned(0));
    assert!(missed.coverage.len() < program.edges.len());
}

#[test]
fn memory_that_was_never_written_is_an_input_once() {
    let text = "int main(void) { int x; int *p = &x; int a = *p; int b = x; struct { int u, v; } s, t; s.u = 1; t = s; return a == b ? t.u : t.v; }";
    let run = run(&program(text, DataModel::Lp64), &[]);
    assert_eq!(run.end, End::Returned(1));
    let reads = run.events.iter().filter(|event| matches!(event.kind, EventKind::Uninitialised(_))).count();
    assert_eq!((reads, run.inputs.len()), (1, 1));
}

#[test]
fn flags_are_noted() {
    let kinds = |text: &str| -> Vec<EventKind> {
        run(&program(text, DataModel::Lp64), &[]).events.iter().map(|event| event.kind).collect()
    };
    assert_eq!(kinds("int main(void) { int m = 2147483647; m++; m = m * 3; return m != 0; }"), [EventKind::Overflow]);
    assert_eq!(kinds("int main(void) { int s = 33; return 1 << s; }"), [EventKind::Shift]);
    assert_eq!(kinds("int main(void) { double d = 1e10; return (int)d; }"), [EventKind::FloatRange]);
    assert_eq!(kinds("int a, b; int main(void) { return &a < &b; }"), [EventKind::AddressObserved]);
    assert_eq!(kinds("int a; int main(void) { return (unsigned long)&a > 3; }"), [EventKind::AddressObserved]);
    assert_eq!(kinds("int a[2]; int main(void) { int *p = &a[0], *q = &a[1]; return p < q && p != 0 && q - p; }"), []);
}

#[test]
fn a_machine_runs_again_from_the_start() {
    let text = "int counter = 5; int *where = &counter; int big[100]; extern int outside; \
        int main(void) { (*where)++; big[counter]++; outside++; return counter * 10 + big[6]; }";
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let program = program(text, model);
        let mut machine = Machine::new(&program, Options::default());
        for _ in 0..3 {
            let run = machine.run(&mut Values::default(), &Budget::unlimited());
            assert_eq!(run.end, End::Returned(61));
            assert_eq!(run.inputs.len(), 1);
        }
    }
}
