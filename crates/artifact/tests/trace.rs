//! Traces for people: the whole text, for programs small enough to check by eye.

use tandem_artifact::{Trace, What};
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{Input, Inputs, Machine, Options, Request};
use tandem_cfa::{DataModel, Program, build};

const ERRORS: [&str; 1] = ["reach_error"];

struct Given<'a>(std::slice::Iter<'a, i128>);

impl Inputs for Given<'_> {
    fn nondet(&mut self, _: Request<'_>) -> u128 {
        self.0.next().map_or(0, |value| *value as u128)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        self.nondet(request)
    }
}

/// The inputs of a run, and the run told from them.
fn told(source: &str, values: &[i128]) -> (Program, Vec<Input>, Trace) {
    let built = build(SourceText::plain("program.c", source.as_bytes().to_vec()), DataModel::Lp64);
    let program = built.program.unwrap_or_else(|| panic!("{:?}", built.problems));
    let options = |trace| Options { trace, path: Some(1 << 20), ..Options::default() };
    let run = Machine::new(&program, options(None)).run(&mut Given(values.iter()), &Budget::unlimited());
    assert_eq!(run.trace, None, "recorded although nobody asked");
    let mut traced = Machine::new(&program, options(Some(10))).run(&mut Given(values.iter()), &Budget::unlimited());
    assert!(traced.trace.take().is_some_and(|trace| trace.first.len() + trace.last.len() <= 10));
    assert_eq!(run, traced, "recording must not change what happens");
    let trace = Trace::replay(&program, &run.inputs, &ERRORS, &Budget::unlimited());
    (program, run.inputs, trace)
}

fn check(source: &str, values: &[i128], expected: &str) {
    let (program, _, trace) = told(source, values);
    let text = trace.render(&program);
    assert_eq!(text.trim_end(), expected.trim_matches('\n'), "\n{text}");
}

#[test]
fn inputs_branches_and_calls() {
    let source = "\
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int limit = 10;
int twice(int n) {
  int result = n + n;
  return result;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned char small = x;
  if (x > 3 && small < 100) {
    limit = twice(x);
  }
  switch (x) {
    case 5: limit++; break;
    default: return 0;
  }
  if (limit == 11) reach_error();
  return 0;
}
";
    let expected = "
 9: int x = __VERIFIER_nondet_int(); | input: __VERIFIER_nondet_int() returns 5; x = 5
10: unsigned char small = x;         | small = 5
11: if (x > 3 && small < 100) {      | x > 3: yes; small < 100: yes
12: limit = twice(x);                | enters twice(n = 5)
 5:   int result = n + n;            | result = 10
 6:   return result;                 | returns 10
12: limit = twice(x);                | limit = 10
14: switch (x) {                     | x == 5: yes
15: case 5: limit++; break;          | limit = 11
18: if (limit == 11) reach_error();  | limit == 11: yes; the error: reach_error is called
";
    check(source, &[5], expected);
}

#[test]
fn loops_are_folded() {
    let source = "\
extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), sum = 0;
  for (unsigned i = 0; i < n; i++) {
    sum += i;
  }
  while (sum > 499400) sum--;
  if (sum == 499400) reach_error();
  return 0;
}
";
    let expected = "
4: unsigned n = __VERIFIER_nondet_uint(), sum = 0; | input: __VERIFIER_nondet_uint() returns 1000; n = 1000; sum = 0
5: for (unsigned i = 0; i < n; i++) {              | i = 0; i < n: yes
6: sum += i;                                       | sum = 0
5: for (unsigned i = 0; i < n; i++) {              | i = 1; i < n: yes
6: sum += i;                                       | sum = 1
   ... 997 more rounds ...
5: for (unsigned i = 0; i < n; i++) {              | i = 999; i < n: yes
6: sum += i;                                       | sum = 499500
5: for (unsigned i = 0; i < n; i++) {              | i = 1000; i < n: no
8: while (sum > 499400) sum--;                     | sum > 499400: yes; sum = 499499
8: while (sum > 499400) sum--;                     | sum > 499400: yes; sum = 499498
   ... 98 more rounds ...
8: while (sum > 499400) sum--;                     | sum > 499400: no
9: if (sum == 499400) reach_error();               | sum == 499400: yes; the error: reach_error is called
";
    check(source, &[1000], expected);
}

#[test]
fn objects_and_what_was_never_written() {
    let source = "\
extern void reach_error(void);
extern double __VERIFIER_nondet_double(void);
void *malloc(unsigned long);
unsigned long strlen(const char *);
struct pair { int first; int few : 3; struct pair *next; } pair;
int a[4];
int main(void) {
  int never;
  int *p = malloc(4);
  *p = -2;
  pair.few = 7;
  pair.next = 0;
  a[2] = strlen(\"abc\") + *p;
  pair.first = never > 3 ? a[2] : 0;
  double d = __VERIFIER_nondet_double() / 4;
  if (pair.first == 1 && d == 0.5) reach_error();
  return 0;
}
";
    let values = [7, i128::from(2.0f64.to_bits())];
    let expected = "
 9: int *p = malloc(4);                             | p = an address
10: *p = -2;                                        | *p = -2
11: pair.few = 7;                                   | pair.few = -1
12: pair.next = 0;                                  | pair.next = 0
13: a[2] = strlen(\"abc\") + *p;                      | a[2] = 1
14: pair.first = never > 3 ? a[2] : 0;              | uninitialised: never is read as 7; never > 3: yes; pair.first = 1
15: double d = __VERIFIER_nondet_double() / 4;      | input: __VERIFIER_nondet_double() returns 2.0; d = 0.5
16: if (pair.first == 1 && d == 0.5) reach_error(); | pair.first == 1: yes; d == 0.5: yes; the error: reach_error is called
";
    check(source, &values, expected);
}

#[test]
fn no_name_that_is_not_the_users() {
    let source = "\
extern void reach_error(void); extern char __VERIFIER_nondet_char(void); char *strcpy(char *, const char *);
int isdigit(int); struct s { int a[3]; }; struct s make(int n) { struct s r = {{n, n + 1, n + 2}}; return r; }
int main(void) { char text[4]; strcpy(text, \"ab\"); int x = isdigit(__VERIFIER_nondet_char()) ? make(3).a[1] : (text[0] && text[1]);
  int y = (x = 4, x++ + (x > 2 || x < 1)); struct s t = make(y); int v[x]; v[0] = t.a[0]; if (v[0]) reach_error(); return 0; }
";
    let (program, _, trace) = told(source, &[55]);
    let text = trace.render(&program);
    assert!(!text.contains('$') && !text.contains("__tandem_") && !text.contains("<library>"), "{text}");
    assert!(matches!(trace.steps.last().map(|step| &step.what), Some(What::End { .. })), "{text}");
}

#[test]
fn long_traces_keep_their_ends() {
    let mut source = String::from("extern void reach_error(void);\nint main(void) { int x = 0;\n");
    (1..=200).for_each(|n| source.push_str(&format!("  x = {n};\n")));
    source.push_str("  reach_error(); return 0; }\n");
    let (program, _, trace) = told(&source, &[]);
    let text = trace.render(&program);
    assert_eq!(text.lines().count(), tandem_artifact::LINES, "{text}");
    assert!(text.contains("more lines ...") && text.contains("x = 1\n") && text.contains("x = 200\n"), "{text}");
    assert_eq!(trace.render_within(&program, 1000).lines().count(), 202);
}

#[test]
fn endless_work_before_the_error_is_bounded() {
    let source = "extern void reach_error(void);
int f(int n) { if (n % 2) return n / 3; return n * 3; }
int main(void) { unsigned s = 1;
  for (int i = 0; i < 300000; i++) {
    s = s * 1664525u + 1013904223u;
    s ^= f(s >> 8);
  }
  reach_error(); return 0; }";
    let (program, _, trace) = told(source, &[]);
    assert!(trace.steps.iter().any(|step| matches!(step.what, What::Omitted { steps } if steps > 1_000_000)));
    let text = trace.render(&program);
    assert!(text.lines().count() <= tandem_artifact::LINES, "{text}");
    assert!(text.contains("the error: reach_error is called"), "{text}");
}
