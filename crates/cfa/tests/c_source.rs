//! Programs written as C: gcc takes the text and means the same by it, and the front end reads it back as a program that asks
//! for the same inputs, prints the same and ends the same on the same line. Shapes that are not the program as it is: doubled graphs,
//! cloned functions with exit codes, paths that are cut, tests that are put in between.

use std::path::{Path, PathBuf};
use std::process::Command;

use tandem_base::{Budget, Id, SourceText};
use tandem_cfa::c_source::{Knot, Shape, Source, Taken, identity, write};
use tandem_cfa::exec::{End, InputSource, Machine, Options, Random, Run, Sink};
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::{Callee, EdgeId, Op, Program, build};
use tandem_syntax::DataModel;

const MODELS: [(DataModel, &str); 2] = [(DataModel::Lp64, "-m64"), (DataModel::Ilp32, "-m32")];

fn built(name: &str, text: &str, model: DataModel) -> Program {
    let built = build(SourceText::preprocessed(name, text.as_bytes().to_vec()), model);
    built.program.unwrap_or_else(|| panic!("{name}: {:?}\n{text}", built.problems))
}

fn written(program: &Program, source: &Source) -> String {
    let text = write(program, source, program.source.file());
    text.unwrap_or_else(|problem| panic!("{}: {}", program.source.position(problem.span.lo), problem.message))
}

fn small(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c_source").join(name);
    std::fs::read_to_string(path).expect("a small program")
}

/// What a text prints and returns when gcc compiles it; `None`: gcc only looks at it.
fn with_gcc(name: &str, text: &str, width: &str, run: bool) -> Option<(Vec<u8>, Option<i32>)> {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let directory = std::env::temp_dir().join(format!("tandem-c-source-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let (source, binary) = (directory.join("test.c"), directory.join("test"));
    std::fs::write(&source, text).expect("a file");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-msse2", "-mfpmath=sse", "-std=gnu11", width]);
    if run {
        gcc.arg("-o").arg(&binary)
    } else {
        gcc.arg("-fsyntax-only")
    };
    let output = gcc.arg(&source).arg("-lm").output().expect("gcc");
    assert!(output.status.success(), "{name} {width}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    let outcome = run.then(|| Command::new(&binary).output().expect("the program"));
    std::fs::remove_dir_all(&directory).ok();
    outcome.map(|output| (output.stdout, output.status.code()))
}

fn run(program: &Program, seed: u64) -> Run {
    let options = Options { output: Sink::Collect, steps: 5_000_000, path: Some(1 << 20), ..Options::default() };
    Machine::new(program, options).run(&mut Random::new(seed), &Budget::unlimited())
}

/// How and on which line a run ended, what it asked for and what it printed.
fn outcome(program: &Program, run: &Run) -> (String, Vec<(String, u128)>, String) {
    let line = |edge: &EdgeId| program.source.position(program.edges[*edge].span.lo).line;
    let end = match &run.end {
        End::ErrorReached { edge, .. } => format!("error in line {}", line(edge)),
        End::Aborted { edge } => format!("abort in line {}", line(edge)),
        End::AssumeViolated { edge } => format!("violated assumption in line {}", line(edge)),
        End::Undefined { edge, .. } => format!("undefined behaviour in line {}", line(edge)),
        other => format!("{other:?}"),
    };
    let name = |source| match source {
        InputSource::Function(id) => program.functions[id].name.to_string(),
        InputSource::Variable(_) | InputSource::Memory => "memory".to_string(),
        InputSource::NoResult => "nothing".to_string(),
    };
    let asked = run.inputs.iter().map(|input| (name(input.source), input.bits)).collect();
    (end, asked, String::from_utf8_lossy(&run.output).to_string())
}

/// The text of a source that does what the program does is taken by gcc, and does the same on random inputs.
fn same_runs(name: &str, program: &Program, source: &Source, width: &str) {
    let text = written(program, source);
    with_gcc(name, &text, width, false);
    let again = built(name, &text, program.model());
    for seed in 1..=60 {
        let (expected, actual) = (run(program, seed), run(&again, seed));
        assert_eq!(outcome(program, &expected), outcome(&again, &actual), "{name} {width} seed {seed}\n{text}");
    }
}

#[test]
fn programs_as_they_are() {
    for name in ["control.c", "library.c", "lifetimes.c", "records.c", "values.c"] {
        for (model, width) in MODELS {
            let program = built(name, &small(name), model);
            same_runs(name, &program, &identity(&program), width);
        }
    }
}

#[test]
fn gcc_means_the_same_by_the_text() {
    for name in ["library.c", "records.c", "values.c"] {
        for (model, width) in MODELS {
            let text = small(name);
            let program = built(name, &text, model);
            let again = written(&program, &identity(&program));
            assert_eq!(with_gcc(name, &text, width, true), with_gcc(name, &again, width, true), "{name} {width}");
        }
    }
}

#[test]
fn wide_integers_and_quadruple_floats() {
    let text = "int printf(const char *, ...); typedef __int128 wide; wide g = -5, h = (wide)1 << 100, m = -((wide)1 << 126) * 2;
        __float128 q = 0.1Q; struct { char c; wide w; } s = { 1, (wide)7 << 64 };
        static void show(wide x) { printf(\"%llx %llx\\n\", (unsigned long long)(x >> 64), (unsigned long long)x); }
        int main(void) { unsigned o; show(g * h); show(m); show(s.w + 1); show((wide)(q * 1000)); show(g % 3);
          printf(\"%d %u\\n\", __builtin_mul_overflow(70000u, 70000u, &o), o); return g < h; }";
    let program = built("wide.c", text, DataModel::Lp64);
    let again = written(&program, &identity(&program));
    assert_eq!(with_gcc("wide.c", text, "-m64", true), with_gcc("wide.c", &again, "-m64", true));
    same_runs("wide.c", &program, &identity(&program), "-m64");
}

/// Every graph twice, and every edge leads from one copy to the other.
fn doubled(source: &Source) -> Source {
    let mut source = source.clone();
    for shape in &mut source.functions {
        let count = shape.nodes.len();
        let other = |to: usize, copy: usize| to + (1 - copy) * count;
        let both = [0, 1].map(|copy| {
            let mut nodes = shape.nodes.clone();
            for knot in &mut nodes {
                match knot {
                    Knot::Steps(steps) => steps.iter_mut().for_each(|taken| taken.to = other(taken.to, copy)),
                    Knot::Dispatch(ways) => ways.iter_mut().for_each(|(_, to)| *to = other(*to, copy)),
                    Knot::Test { yes, no, .. } => (*yes, *no) = (other(*yes, copy), other(*no, copy)),
                    Knot::Stop | Knot::Exit => {}
                }
            }
            nodes
        });
        shape.nodes = both.concat();
    }
    source
}

#[test]
fn doubled_graphs_do_the_same() {
    for name in ["control.c", "values.c"] {
        for (model, width) in MODELS {
            let program = built(name, &small(name), model);
            same_runs(name, &program, &doubled(&identity(&program)), width);
        }
    }
}

/// Every function has a clone whose returns have exit codes; every direct call goes to the clone, and what comes behind it stands
/// once for each code.
fn cloned(program: &Program, source: &Source) -> Source {
    let own = |name: &str| source.functions.iter().find(|shape| shape.name == name);
    let mut functions = source.functions.clone();
    for shape in &source.functions {
        if shape.name == "main" {
            continue;
        }
        let mut clone = Shape { name: format!("{}_clone", shape.name), ..shape.clone() };
        for (number, taken) in returns(program, &mut clone).enumerate() {
            taken.leave = Some(number as u32);
        }
        functions.push(clone);
    }
    for shape in &mut functions {
        for node in 0..shape.nodes.len() {
            let Knot::Steps(steps) = &mut shape.nodes[node] else { continue };
            let [taken] = &mut steps[..] else { continue };
            let Op::Call { callee: Callee::Direct(function), .. } = program.edges[taken.edge].op else { continue };
            let Some(called) = own(&program.functions[function].name) else { continue };
            let codes = returns(program, &mut called.clone()).count() as u32;
            if codes == 0 {
                continue;
            }
            taken.callee = Some(format!("{}_clone", called.name));
            let to = std::mem::replace(&mut taken.to, 0);
            let at = shape.nodes.len();
            if let Knot::Steps(steps) = &mut shape.nodes[node] {
                steps[0].to = at;
            }
            shape.nodes.push(Knot::Dispatch((0..codes).map(|code| (code, to)).collect()));
        }
    }
    Source { functions }
}

fn returns<'a>(program: &'a Program, shape: &'a mut Shape) -> impl Iterator<Item = &'a mut Taken> {
    let steps =
        shape.nodes.iter_mut().filter_map(|knot| if let Knot::Steps(steps) = knot { Some(steps) } else { None });
    steps.flatten().filter(|taken| matches!(program.edges[taken.edge].op, Op::Return { .. }))
}

#[test]
fn cloned_functions_are_left_with_exit_codes() {
    for (model, width) in MODELS {
        let program = built("control.c", &small("control.c"), model);
        let source = cloned(&program, &identity(&program));
        assert!(written(&program, &source).contains("exit_code = 2u; return"));
        same_runs("control.c", &program, &source, width);
        same_runs("control.c", &program, &doubled(&source), width);
    }
}

#[test]
fn a_cut_path_stops_quietly_and_the_others_stay() {
    let program = built("control.c", &small("control.c"), DataModel::Lp64);
    let whole = identity(&program);
    let assumes: Vec<EdgeId> =
        program.edges.enumerate().filter(|(_, edge)| matches!(edge.op, Op::Assume { .. })).map(|(id, _)| id).collect();
    let (mut stopped, mut same) = (0, 0);
    for cut in assumes {
        let mut source = whole.clone();
        for knot in source.functions.iter_mut().flat_map(|shape| &mut shape.nodes) {
            if let Knot::Steps(steps) = knot {
                steps.retain(|taken| taken.edge != cut);
            }
        }
        let text = written(&program, &source);
        let again = built("control.c", &text, DataModel::Lp64);
        for seed in 1..=10 {
            let (expected, actual) = (run(&program, seed), run(&again, seed));
            if expected.coverage.contains(cut) {
                assert_eq!(actual.end, End::Exited(0), "{cut:?} seed {seed}\n{text}");
                assert!(expected.output.starts_with(&actual.output));
                stopped += 1;
            } else {
                assert_eq!(outcome(&program, &expected), outcome(&again, &actual), "{cut:?} seed {seed}\n{text}");
                same += 1;
            }
        }
    }
    assert!(stopped > 50 && same > 50, "{stopped} {same}");
}

#[test]
fn a_test_is_put_in_between() {
    let text = "int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); int *p = x > 5 ? &x : 0;\n return x; }";
    let mut program = built("test.c", text, DataModel::Lp64);
    let main = program.entry.expect("main");
    let names = Names::of(&program);
    let context = Context { names: &names, function: main, at: text.find("return").expect("it") as u32, result: None };
    let condition = parse_formula(&mut program, context, "p && *p > 7 || !(x != 3 || p)").expect("a formula");
    assert!(matches!(condition, Formula::Or(_)));
    let mut source = identity(&program);
    let shape = &mut source.functions[0];
    let is_return = |knot: &Knot| matches!(knot, Knot::Steps(steps) if matches!(program.edges[steps[0].edge].op, Op::Return { .. }));
    let at = shape.nodes.iter().position(is_return).expect("a return");
    let (moved, stop) = (shape.nodes.len(), shape.nodes.len() + 1);
    let old = std::mem::replace(&mut shape.nodes[at], Knot::Test { condition, yes: moved, no: stop });
    shape.nodes.extend([old, Knot::Stop]);
    let again = written(&program, &source);
    assert!(again.contains("!(*p > 7)") && again.contains("exit(0);"), "{again}");
    let again = built("test.c", &again, DataModel::Lp64);
    for (value, end) in [(8, End::Returned(8)), (7, End::Exited(0)), (3, End::Returned(3)), (2, End::Exited(0))] {
        let mut values = tandem_cfa::exec::Values::new(vec![value]);
        let run = Machine::new(&again, Options::default()).run(&mut values, &Budget::unlimited());
        assert_eq!(run.end, end, "{value}");
    }
}

#[test]
fn structure_comes_back() {
    let text = "int f(int n) {
  int i, s = 0;
  for (i = 0; i < n; i++) {
    if (i % 3 == 0 && i > 2 || s == 9)
      s += i;
    else if (i == 7)
      break;
    else {
      do s--; while (s > 4);
      continue;
    }
    while (s > 100) { if (s == 105) return 3; s /= 2; }
  }
  switch (s) { case 1: s = 4; break; case 2: s = 5; break; default: s = 6; }
  return s;
}
";
    let program = built("shape.c", text, DataModel::Lp64);
    let again = written(&program, &identity(&program));
    assert!(!again.contains("goto") && !again.contains("while (1)") && again.contains("else if"), "{again}");
    // The one directive that leads to the function, and those where the text goes back.
    assert!(again.matches("#line").count() <= 5, "{again}");
}

#[test]
fn assembler_is_copied_and_the_rest_is_named() {
    let copied = "int main(void) { int value = 3; __asm__ volatile (\"addl $1, %0\" : \"+r\"(value)); return value; }";
    let program = built("asm.c", copied, DataModel::Lp64);
    let again = written(&program, &identity(&program));
    assert_eq!(with_gcc("asm.c", &again, "-m64", true), Some((Vec::new(), Some(4))));
    let message = |text: &str, model| {
        let program = built("odd.c", text, model);
        let problem = write(&program, &identity(&program), "odd.c").expect_err("a problem");
        format!("{}: {}", program.source.position(problem.span.lo), problem.message)
    };
    let nested = "int main(void) {\n int f(int x) { return x; }\n return f(1); }";
    assert!(message(nested, DataModel::Lp64).starts_with("odd.c:2:"), "{}", message(nested, DataModel::Lp64));
    let shadowed = "int main(void) { int v = 3; {\n int v = 4; __asm__ (\"\" : \"+r\"(v)); } return v; }";
    assert!(message(shadowed, DataModel::Lp64).contains("uses 'v'"), "{}", message(shadowed, DataModel::Lp64));
    let overflow = "int main(void) { int o;\n return __builtin_add_overflow(1, 2, &o); }";
    assert!(message(overflow, DataModel::Ilp32).starts_with("odd.c:2:"), "{}", message(overflow, DataModel::Ilp32));
}

#[test]
fn unused_declarations_are_left_out() {
    let text = "struct unused { int x; }; struct tag; typedef struct { struct tag *t; long l; } user; extern int outside; extern int other;
        int call(user *); int never(struct unused *); static int data; int main(void) { user u; u.l = outside; return call(&u); }";
    let program = built("few.c", text, DataModel::Lp64);
    let again = written(&program, &identity(&program));
    for name in ["unused", "never", "other", "data"] {
        assert!(!again.contains(name), "{name} in\n{again}");
    }
    with_gcc("few.c", &again, "-m64", false);
}

#[test]
fn deep_and_long_functions() {
    let mut text = String::from("int nondet(void); int f(int x) { int s = 0;\n");
    (0..4000).for_each(|n| text += &format!("if (x == {n}) {{ if (s) return {n}; s += {n}; }}\n"));
    text += "switch (x) {\n";
    (0..4000).for_each(|n| text += &format!("case {n}: s += {n}; {}\n", if n % 3 == 0 { "" } else { "break;" }));
    text += "}\n";
    (0..150).for_each(|n| text += &format!("while (x < {n}) {{ if (nondet()) break; \n"));
    text += &"}".repeat(150);
    text += "return s; }\nint main(void) { return f(nondet()); }";
    let program = built("deep.c", &text, DataModel::Lp64);
    let start = std::time::Instant::now();
    let again = written(&program, &identity(&program));
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(again.len() < text.len() * 6, "{} {}", again.len(), text.len());
    with_gcc("deep.c", &again, "-m64", false);
    assert_eq!(built("deep.c", &again, DataModel::Lp64).functions.len(), program.functions.len());
}

fn benchmarks() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks");
    std::env::var_os("TANDEM_BENCHMARKS").map_or(beside, PathBuf::from)
}

/// The example `c_source` looks at all of them.
#[test]
fn some_benchmark_tasks() {
    let Ok(folders) = std::fs::read_dir(benchmarks()) else {
        return eprintln!("skipped: there are no benchmarks in {}", benchmarks().display());
    };
    let mut count = 0;
    for folder in folders.flatten().filter(|folder| folder.path().is_dir()) {
        let files = std::fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|file| file.path());
        let mut files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "i")).collect();
        files.sort();
        let Some(path) = files.first() else { continue };
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("a task")).to_string();
        let task = std::fs::read_to_string(path.with_extension("yml")).unwrap_or_default();
        let (model, width) = MODELS[usize::from(!task.contains("LP64"))];
        let Some(program) = build(SourceText::plain("task.i", text.into_bytes()), model).program else { continue };
        with_gcc(&path.display().to_string(), &written(&program, &identity(&program)), width, false);
        count += 1;
    }
    assert!(count > 10, "{count}");
}

#[test]
fn ids_are_dense() {
    // Knots are numbered as the nodes of the body.
    let program = built("control.c", &small("control.c"), DataModel::Lp64);
    for shape in identity(&program).functions {
        let body = program.functions[shape.original].body.as_ref().expect("a body");
        assert_eq!(shape.nodes.len(), body.nodes.len());
        assert_eq!(shape.entry, body.entry.index() - body.nodes.start.index());
    }
}
