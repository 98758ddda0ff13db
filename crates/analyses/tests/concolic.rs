//! The concolic tester by itself: what it finds, what its tests look like, and what does not count.

use tandem_analyses::Task;
use tandem_analyses::concolic::{Mode, Test, Tester};
use tandem_artifact::ErrorCall;
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{Coverage, End};
use tandem_cfa::{DataModel, Program};

const START: &str = "extern int __VERIFIER_nondet_int(void);\n";

fn program(main: &str) -> Program {
    let text = format!("{START}{main}");
    tandem_cfa::build(SourceText::plain("a.c", text.as_bytes()), DataModel::Lp64).program.unwrap()
}

/// The edges of a line of the program behind its first.
fn line(program: &Program, number: u32) -> Coverage {
    let mut wanted = Coverage::new(program.edges.len());
    for (id, edge) in program.edges.enumerate() {
        if edge.span.lo < edge.span.hi && program.source.position(edge.span.lo).line == number + 1 {
            wanted.insert(id);
        }
    }
    assert!(!wanted.is_empty(), "no edge in line {number}");
    wanted
}

/// The tests that come of so many steps of work.
fn tests(program: &Program, wanted: &Coverage, mode: Mode, steps: usize) -> Vec<Test> {
    let error = ErrorCall::Usual;
    let mut tester = Tester::new(Task::new(program, &error, 1), 7);
    tester.mode = mode;
    (0..steps).filter_map(|_| tester.work(wanted, &Budget::unlimited())).collect()
}

fn covers(tests: &[Test], wanted: &Coverage) -> bool {
    tests.iter().any(|test| wanted.iter().any(|edge| test.covered.contains(edge)))
}

#[test]
fn the_solver_finds_what_chance_does_not() {
    let program = program(
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
         if (x > 1000 && y == 7 * x + 3)\n\
         y = 0;\n\
         return y; }",
    );
    let wanted = line(&program, 3);
    assert!(!covers(&tests(&program, &wanted, Mode::Cheap, 300), &wanted));
    assert!(covers(&tests(&program, &wanted, Mode::Both, 300), &wanted));
}

#[test]
fn constants_of_the_program_are_tried() {
    let program = program(
        "int main(void) { int x = __VERIFIER_nondet_int();\n\
         if (x == 8675309)\n\
         x = 0;\n\
         return x; }",
    );
    let wanted = line(&program, 3);
    assert!(covers(&tests(&program, &wanted, Mode::Cheap, 1000), &wanted));
}

/// A run that goes on for ever is cut; its test has the inputs to come to an end, if a few more are all it takes.
#[test]
fn tests_come_to_the_end_of_the_program() {
    let program = program(
        "int main(void) { int n = 0;\n\
         while (__VERIFIER_nondet_int()) {\n\
         n = n + (n < 10);\n\
         }\n\
         return n; }",
    );
    let wanted = line(&program, 3);
    let found = tests(&program, &wanted, Mode::Cheap, 40);
    assert!(covers(&found, &wanted));
    assert!(found.iter().all(|test| matches!(test.end, End::Returned(_))), "{found:?}");
}

#[test]
fn memory_never_written_decides_nothing_for_sure() {
    let program = program(
        "int main(void) { int a[2]; int x = __VERIFIER_nondet_int();\n\
         if (a[1] == 0)\n\
         x = 0;\n\
         return x; }",
    );
    let wanted = line(&program, 3);
    let found = tests(&program, &wanted, Mode::Both, 60);
    assert!(!covers(&found, &wanted));
    let perhaps = |test: &Test| wanted.iter().any(|edge| test.perhaps.contains(edge));
    assert!(found.iter().any(perhaps), "{found:?}");
}

/// Runs that crash, never end or want all memory are over at some time, and the others go on.
#[test]
fn bad_runs_end_themselves_only() {
    let program = program(
        "extern void *malloc(unsigned long);\n\
         int main(void) { int x = __VERIFIER_nondet_int();\n\
         if (x == 1) { int *p = 0; *p = 1; }\n\
         if (x == 2) { while (1) x++; }\n\
         if (x == 3) { while (1) *(char *)malloc(1 << 20) = 1; }\n\
         if (x == 77)\n\
         x = 4;\n\
         return x; }",
    );
    let wanted = line(&program, 7);
    let found = tests(&program, &wanted, Mode::Both, 200);
    assert!(covers(&found, &wanted));
    let end = found.iter().find(|test| covers(std::slice::from_ref(*test), &wanted)).map(|test| &test.end);
    assert!(matches!(end, Some(End::Returned(_))), "{end:?}");
}

/// A run of millions of steps over memory that nobody wrote, as somebody else has found it.
#[test]
fn long_runs_of_others_are_seen_through() {
    let program = program(
        "int main(void) { int a[100000], b[100000], i;\n\
         for (i = 0; i < 100000; i++) b[i] = a[i];\n\
         for (i = 0; i < 100000; i++) a[i] = b[i];\n\
         i = 7;\n\
         return i; }",
    );
    let wanted = line(&program, 3);
    let error = ErrorCall::Usual;
    let mut tester = Tester::new(Task::new(&program, &error, 1), 7);
    let start = std::time::Instant::now();
    let test = tester.learn(&wanted, &Vec::new().into(), &Budget::unlimited());
    let covered = test.map(|test| wanted.iter().filter(|edge| test.covered.contains(*edge)).count());
    assert!(covered.is_some_and(|covered| covered > 2), "{covered:?} {:?}", start.elapsed());
}
