//! The interval analysis against runs of programs, and the laws of its states.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tandem_analyses::formula::{self, Formulas};
use tandem_analyses::interval::values::{Intervals, seen_as};
use tandem_analyses::interval::{Bounded, Fixpoint, Interval, bounds};
use tandem_analyses::store::{Cell, Executor, Home, StartKey, Store};
use tandem_analyses::{Task, verify};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::{Callee, DataModel, Op, Program, Scalar, VariableId, build};
use tandem_cpa::{Analysis, Callees, Flow, Point, Step, StepKind};
use tandem_smt::Terms;

const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

fn budget() -> Budget {
    Budget::with_time(Duration::from_secs(20))
}

fn program(text: &str, model: DataModel) -> Program {
    let text = format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         extern unsigned __VERIFIER_nondet_uint(void); extern char __VERIFIER_nondet_char(void);\n\
         extern _Bool __VERIFIER_nondet_bool(void); extern void *malloc(unsigned long); extern void free(void *);\n{text}"
    );
    let built = build(SourceText::plain("test.c", text.into_bytes()), model);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

fn flow(program: &Program) -> Flow<'_> {
    let error = ErrorCall::Usual;
    Flow::new(program, &error.functions(), error.includes_assert()).expect("there is a main")
}

/// The steps that leave a point.
fn steps(flow: &mut Flow<'_>, point: Point, callees: impl Fn(&Flow<'_>) -> Callees) -> Vec<Step> {
    let through_pointer = flow
        .program
        .out(point.node)
        .iter()
        .any(|edge| matches!(flow.program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. }));
    let known = if through_pointer { callees(flow) } else { Callees::Unknown };
    let mut steps = Vec::new();
    flow.steps(point, |_| known.clone(), &mut steps);
    steps
}

/// All variables that are not in memory.
fn variables(program: &Program) -> Vec<(VariableId, Scalar)> {
    let scalar = |id: VariableId| program.types.scalar(program.variables[id].ty);
    let all = program.variables.ids().filter(|id| !program.variables[*id].in_memory);
    all.filter_map(|id| Some((id, scalar(id)?)))
        .filter(|(_, scalar)| matches!(scalar, Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_)))
        .collect()
}

/// A run of a program, beside the states that the analysis found.
struct Beside<'a> {
    analysis: Bounded<'a>,
    fixpoint: Fixpoint,
    terms: Terms,
    executor: Executor<'a, Formulas>,
    /// How many values were compared.
    compared: usize,
    wrong: Vec<String>,
}

/// Runs the program on chosen inputs: how many values were compared with the states that the analysis found, and which lie
/// outside.
fn compare(program: &Program, seeds: u64, length: usize) -> (usize, Vec<String>) {
    let mut flow = flow(program);
    let mut analysis = Bounded::new(&flow);
    let mut fixpoint = Fixpoint::default();
    if fixpoint.run(&mut analysis, &mut flow, &budget()).is_err() {
        return (0, Vec::new());
    }
    let gaps = fixpoint.check(&mut analysis, &mut flow, &budget());
    if fixpoint.is_bounded || !gaps.is_ok_and(|gaps| gaps.is_empty()) {
        return (0, Vec::new());
    }
    let terms = Terms::new();
    let executor = Executor::new(&flow, Formulas::new(&terms, "run."));
    let mut beside = Beside { analysis, fixpoint, terms, executor, compared: 0, wrong: Vec::new() };
    for seed in 0..seeds {
        beside.executor.domain.choose_inputs(seed);
        beside.run(&mut flow, length);
    }
    (beside.compared, beside.wrong)
}

impl Beside<'_> {
    fn run(&mut self, flow: &mut Flow<'_>, length: usize) {
        let Ok(mut store) = self.executor.start(flow, formula::Path::default()) else { return };
        let mut point = flow.start();
        for _ in 0..length {
            if !flow.is_relevant(point) {
                return;
            }
            self.look(&mut store, point);
            let edge = flow.program.out(point.node).iter().next();
            let callees = edge.map_or(Callees::Unknown, |edge| self.executor.callees(&store, edge));
            let next = steps(flow, point, |_| callees.clone()).into_iter().find_map(|step| {
                let mut after = store.clone();
                self.executor.step(flow, &mut after, &step).ok().map(|()| (after, step))
            });
            match next {
                Some((after, step)) if after.path.length() == 0 => {
                    if matches!(step.kind, StepKind::Error(_)) {
                        if self.fixpoint.alarms.is_empty() {
                            self.wrong.push("an error is reached that was excluded".into());
                        }
                        // Nothing comes behind an error.
                        return;
                    }
                    (store, point) = (after, step.to);
                }
                Some(_) | None => return,
            }
        }
    }

    /// Compares a store with the state at its point.
    fn look(&mut self, store: &mut Store<Formulas>, point: Point) {
        let program = self.executor.program;
        let Some(state) = self.fixpoint.states.get(&point) else {
            self.wrong.push(format!("no state at {point:?}"));
            return;
        };
        for (variable, scalar) in variables(program) {
            let owner = program.variables[variable].function;
            let depths: Vec<u32> = match program.variables[variable].kind.is_static() {
                true => vec![0],
                false => (1..=store.frames.len() as u32)
                    .filter(|depth| owner == Some(store.frames[*depth as usize - 1].function))
                    .collect(),
            };
            for depth in depths {
                let key = StartKey::Slot { depth, variable };
                let value = self.executor.start_key_value(store, key);
                let bits = value.and_then(|value| self.terms.as_bv(value)?.small());
                let (Some(bits), Some(cell)) = (bits, cell(&self.analysis, state, key)) else { continue };
                let holds = match &cell {
                    Cell::Zero => bits == 0,
                    Cell::Value(values) => seen_as(scalar, values).contains(bits),
                    Cell::Undefined | Cell::Start | Cell::Unknown => continue,
                };
                self.compared += 1;
                if !holds {
                    let name = &program.variables[variable].name;
                    self.wrong.push(format!("{name} is {bits} at {point:?}, not in {cell:?}"));
                }
            }
        }
    }
}

fn cell(analysis: &Bounded<'_>, store: &Store<Intervals>, key: StartKey) -> Option<Cell<Interval>> {
    let StartKey::Slot { depth, variable } = key else { return None };
    match analysis.executor.layout.homes[variable] {
        Home::StaticSlot(slot) => store.statics.get(slot as usize).cloned(),
        Home::FrameSlot(slot) => store.frames.get(depth as usize - 1)?.slots.get(slot as usize).cloned(),
        Home::StaticObject | Home::LocalObject => None,
    }
}

/// Programs that count, wrap around, call, point, allocate and compute with all kinds of numbers.
const PROGRAMS: [&str; 22] = [
    "int main(void) { int i = 0; while (i < 10) i++; if (i != 10) reach_error(); return 0; }",
    "int main(void) { unsigned char c = 0; for (int i = 0; i < 700; i++) { c += 3; if (c == 1) i++; } if (c > 250) reach_error(); return 0; }",
    "int main(void) { int s = 0; for (int i = 0; i < 8; i++) for (int j = i; j < 8; j++) s += i - j; if (s > 0) reach_error(); return 0; }",
    "int main(void) { int x = __VERIFIER_nondet_int(), y = -x; if (y == x && x != 0) reach_error(); while (x > 5 && y < 3) { x -= 2; y++; } return x; }",
    "int main(void) { unsigned u = __VERIFIER_nondet_uint(); int s = (int)u; if (s < 0 && u < 2147483648u) reach_error(); while (u > 100) u /= 3; return u; }",
    "int f(int n) { int r = 1; while (n > 1) { r *= n; n--; } return r; }\nint main(void) { int x = f(5), y = f(__VERIFIER_nondet_int() & 7); if (x < y) reach_error(); return x; }",
    "int g; void add(int n) { if (n < 0) n = -n; g += n % 5; }\nint main(void) { for (int i = -4; i < 6; i++) add(i * 7); if (g > 40) reach_error(); return g; }",
    "void set(int *p, int v) { *p = v; }\nint main(void) { int a = 1, b = 2; int *p = &a; for (int i = 0; i < 5; i++) { set(p, i); p = p == &a ? &b : &a; } int c = a, d = b; if (c + d > 7) reach_error(); return 0; }",
    "int main(void) { int a[6]; int s = 0; for (int i = 0; i < 6; i++) a[i] = i * i; for (int i = 0; i < 6; i++) { int v = a[i]; s += v; } if (s != 55) reach_error(); return s; }",
    "struct s { int a; char b; unsigned c : 3; };\nint main(void) { struct s x = { 1, 2, 3 }; for (int i = 0; i < 9; i++) { x.a += i; x.b ^= i; x.c += 1; int t = x.c; if (t > 7) reach_error(); } int q = x.a; return q; }",
    "int main(void) { double d = 0.5; float f = 0; for (int i = 0; i < 20; i++) { d = d * 1.5 - i; f += 0.25f; } if (f != 5) reach_error(); int r = d < 0; return r; }",
    "int main(void) { long long a = 1; int n = 0; while (a > 0) { a *= 2; n++; } if (n != 63) reach_error(); return n; }",
    "int main(void) { char c = __VERIFIER_nondet_char(); _Bool b = c; int n = 0; if (b) while (c) { c <<= 1; n++; } if (n > 8) reach_error(); return n; }",
    "int main(void) { int x = __VERIFIER_nondet_int(); switch (x & 3) { case 0: x = 7; break; case 1: x = -7; case 2: x++; break; default: x = 100; } if (x == 3) reach_error(); return x; }",
    "int main(void) { int *p = 0; int n = 0; for (int i = 0; i < 4; i++) { int *q = malloc(sizeof(int)); *q = i; if (p) n += *p; free(p); p = q; } if (n > 6) reach_error(); return n; }",
    "int twice(int x) { return 2 * x; } int negated(int x) { return -x; }\nint main(void) { int (*f)(int) = twice; int v = 1; for (int i = 0; i < 6; i++) { v = f(v); f = v > 4 ? negated : twice; } if (v > 1000) reach_error(); return v; }",
    "int main(void) { int x = 5, y; do { y = x; x = x * 3 % 17; } while (x != 5 && y != 16); if (y == x) reach_error(); return 0; }",
    "int main(void) { unsigned x = 1, n = 0; while (n < 40) { x = x << 1 | x >> 31; n++; } int k = x == 256; if (!k) reach_error(); return 0; }",
    "int main(void) { short s = 32000; int i; for (i = 0; i < 2000; i++) s++; int w = s; if (w > 0) reach_error(); return w; }",
    "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\nint main(void) { int f = fib(4); if (f != 3) reach_error(); return f; }",
    "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 20) return 0; int a = 0, b = 100; while (a < b && n-- > 0) { a += 3; b -= 2; } if (a > b + 5) reach_error(); return 0; }",
    "int main(void) { int u; int v = u; int i; for (i = 0; i < 3; i++) { int w; if (i == 1) w = v; else w = 2; v = w; } if (v > u && u > 2) reach_error(); return 0; }",
];

#[test]
fn runs_stay_within_the_states() {
    for text in PROGRAMS {
        for model in MODELS {
            let program = program(text, model);
            let (compared, wrong) = compare(&program, 12, 4000);
            assert!(wrong.is_empty(), "{model:?} {text}\n{}", wrong.join("\n"));
            assert!(compared > 20, "{compared}: {text}");
        }
    }
}

#[test]
fn runs_of_benchmarks_stay_within_the_states() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks");
    let directory = std::env::var_os("TANDEM_BENCHMARKS").map_or(beside, PathBuf::from);
    let Ok(set) = std::fs::read_to_string(directory.join("Loops.set")) else {
        eprintln!("skipped: there are no benchmarks in {}", directory.display());
        return;
    };
    let mut looked_at = 0;
    for line in set.lines().filter(|line| line.ends_with(".yml")).step_by(10) {
        let mut path = directory.join(line.trim());
        path.set_extension("c");
        let preprocessed = path.with_extension("i");
        let Ok(text) = std::fs::read(&preprocessed).or_else(|_| std::fs::read(&path)) else { continue };
        let built = build(SourceText::plain("task.c", text), DataModel::Ilp32);
        let Some(program) = built.program else { continue };
        let (compared, wrong) = compare(&program, 4, 3000);
        looked_at += usize::from(compared > 0);
        assert!(wrong.is_empty(), "{line}\n{}", wrong.join("\n"));
    }
    assert!(looked_at > 0);
}

type States = HashMap<Point, Vec<Store<Intervals>>>;

/// The steps that leave a point in a state, and what they give.
fn after(
    flow: &mut Flow<'_>,
    analysis: &mut Bounded<'_>,
    point: Point,
    store: &Store<Intervals>,
) -> Vec<(Step, Store<Intervals>)> {
    let state = Some(store.clone());
    let edge = flow.program.out(point.node).iter().next();
    let callees = edge.map_or(Callees::Unknown, |edge| analysis.callees(flow, &state, edge));
    let mut all = Vec::new();
    for step in steps(flow, point, |_| callees.clone()) {
        let mut out = Vec::new();
        if step.kind != StepKind::Unsupported {
            analysis.step(flow, &state, &step, &mut out);
        }
        all.extend(out.into_iter().flatten().map(|next| (step, next)));
    }
    all
}

/// States at points, on paths that are not joined.
fn sampled(flow: &mut Flow<'_>, analysis: &mut Bounded<'_>, limit: usize) -> States {
    let mut found = States::new();
    let mut open: VecDeque<_> = analysis.start(flow).map(|store| (flow.start(), store)).into_iter().collect();
    for _ in 0..limit {
        let Some((point, store)) = open.pop_front() else { break };
        open.extend(after(flow, analysis, point, &store).into_iter().map(|(step, next)| (step.to, next)));
        let here = found.entry(point).or_default();
        if here.len() < 5 {
            here.push(store);
        }
    }
    found
}

#[test]
fn states_obey_the_laws() {
    let mut pairs = 0;
    for text in PROGRAMS {
        let program = program(text, DataModel::Lp64);
        let mut flow = flow(&program);
        let mut analysis = Bounded::new(&flow);
        let found = sampled(&mut flow, &mut analysis, 500);
        for (point, stores) in &found {
            for (a, b) in stores.iter().flat_map(|a| stores.iter().map(move |b| (a, b))) {
                pairs += 1;
                pair_obeys(&mut flow, &mut analysis, *point, a, b).unwrap_or_else(|law| panic!("{law}: {text}"));
                for c in stores {
                    let [a, b, c] = [a, b, c].map(|store| Some(store.clone()));
                    if analysis.covers(&a, &b) && analysis.covers(&b, &c) {
                        assert!(analysis.covers(&a, &c), "covering is transitive: {text}");
                    }
                }
            }
        }
    }
    assert!(pairs > 1000, "{pairs}");
}

fn pair_obeys(
    flow: &mut Flow<'_>,
    analysis: &mut Bounded<'_>,
    point: Point,
    a: &Store<Intervals>,
    b: &Store<Intervals>,
) -> Result<(), &'static str> {
    let (one, two) = (Some(a.clone()), Some(b.clone()));
    let law = |holds: bool, name: &'static str| if holds { Ok(()) } else { Err(name) };
    law(analysis.covers(&one, &one), "covering is reflexive")?;
    let (merged, grown) = analysis.joined(a, b).ok_or("states at one point can be merged")?;
    law(grown != analysis.covers(&one, &two), "a merge grows unless there was nothing to cover")?;
    let both = Some(merged.clone());
    law(analysis.covers(&both, &one) && analysis.covers(&both, &two), "a merge covers both")?;
    let wide = analysis.widened(a, b).map(|(wide, _)| wide);
    law(analysis.covers(&wide, &both), "a widening covers the merge")?;
    // The object of an allocation is the first one of its call, or unnamed: the order of states does not see that these are the same.
    let program = analysis.executor.program;
    let allocates = |step: &Step| match step.kind {
        StepKind::Call(function) => &*program.functions[function].name == "malloc",
        _ => false,
    };
    let behind = after(flow, analysis, point, &merged);
    for (step, next) in after(flow, analysis, point, a).into_iter().chain(after(flow, analysis, point, b)) {
        if allocates(&step) {
            continue;
        }
        let (next, mut same) = (Some(next), behind.iter().filter(|(other, _)| *other == step));
        law(same.any(|(_, larger)| analysis.covers(&Some(larger.clone()), &next)), "steps are monotone")?;
    }
    Ok(())
}

#[test]
fn states_are_inductive() {
    for text in PROGRAMS {
        let program = program(text, DataModel::Ilp32);
        let mut flow = flow(&program);
        let mut analysis = Bounded::new(&flow);
        let mut fixpoint = Fixpoint::default();
        fixpoint.run(&mut analysis, &mut flow, &budget()).unwrap();
        if fixpoint.is_bounded {
            continue;
        }
        // What a step gives from a state that holds is covered by the state that holds behind it.
        for (point, store) in &fixpoint.states {
            for (step, next) in after(&mut flow, &mut analysis, *point, store) {
                if !matches!(step.kind, StepKind::Error(_)) && flow.is_relevant(step.to) {
                    let behind = fixpoint.states.get(&step.to).cloned();
                    assert!(analysis.covers(&behind, &Some(next)), "{step:?} of {text}");
                }
            }
        }
    }
}

#[test]
fn loops_have_invariants() {
    let text = "int main(void) { int i = 0; unsigned long u = 7; char c = 'a'; while (i < 100) { i++; if (u < 20) u++; c = 'b'; }\n if (i != 100 || u > 20) reach_error(); return 0; }";
    for model in MODELS {
        let program = program(text, model);
        let task = Task::new(&program, &ErrorCall::Usual, 1);
        let outcome = verify("interval", task, &budget()).unwrap();
        assert_eq!(outcome.verdict, Verdict::True);
        let [invariant] = outcome.invariants.as_slice() else { panic!("{:?}", outcome.invariants) };
        assert!(invariant.value.contains("0 <= i && i <= 100"), "{}", invariant.value);
        assert!(invariant.value.contains("97 <= c && c <= 98"), "{}", invariant.value);
        let suffix = if model == DataModel::Lp64 { "ULL" } else { "U" };
        assert!(invariant.value.contains(&format!("7{suffix} <= u && u <= 20{suffix}")), "{}", invariant.value);
    }
}

#[test]
fn bounds_are_those_at_cut_points() {
    let program = program(
        "int main(void) { int i = 0; while (i < 100) i += 4; if (i > 100) reach_error(); return 0; }",
        DataModel::Lp64,
    );
    let mut flow = flow(&program);
    let found = bounds(&mut flow, &budget()).unwrap();
    let all: Vec<_> = found.values().flatten().collect();
    let [bound] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((bound.low, bound.high, bound.signed), (0, 100, true));
}
