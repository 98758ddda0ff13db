//! The laws of analyses. For every analysis that works on states, by one harness:
//!
//! - covering is reflexive and transitive, and what is covered stands for no more;
//! - a merge stands for both;
//! - steps are monotone;
//! - steps follow every run of the interpreter, and every run is in some state of the reached set.
//!
//! For every registered analysis, by its entry alone: it calls nothing unreachable that a run reaches, it gives nothing but what its entry says, and
//! the invariants of its proofs hold.
//!
//! What states stand for is asked with facts: values that variables had at a point in a run of the interpreter.

use std::collections::BTreeMap;
use std::time::Duration;

use tandem_analyses::bmc::Unrolling;
use tandem_analyses::formula::Formulas;
use tandem_analyses::interval::values::{Intervals, seen_as};
use tandem_analyses::interval::{Bounded, Interval};
use tandem_analyses::predicate::{Abstractor, Predicate};
use tandem_analyses::store::{Cell, Domain, Home, Layout, Store};
use tandem_analyses::symbolic::{self, Symbolic};
use tandem_analyses::value::{self, Explicit, Value, Values};
use tandem_analyses::{
    ANALYSES, AnalysisEntry, Approximation, ContributionKind, Outcome, Task, replay, validate, witness,
};
use tandem_artifact::{ErrorCall, Verdict};
use tandem_base::{Budget, SourceText};
use tandem_cfa::exec::{End, Inputs, Options, Random, Run, TraceEvent, Zeros};
use tandem_cfa::{Callee, DataModel, EdgeId, Op, PlaceKind, Program, Scalar, VariableId, build};
use tandem_cpa::{Analysis, AnyOf, Callees, Flow, Found, Point, Search, Step, StepKind, begin, explore_within};
use tandem_smt::{Answer, AutoSolver, Model, Solver, Sort, Term, Terms};

const PROGRAMS: &[&str] = &[
    // Loops and a choice.
    "int main(void) { int n = __VERIFIER_nondet_int(), s = 0, i; for (i = 0; i < 6; i++) { if (n > i) s += i; else s -= 2; }
       if (s == 100) reach_error(); return s; }",
    // Pointers to locals, one or the other.
    "void set(int *p, int v) { *p = v; }
     int main(void) { int a = 1, b = 2, c, i; int *p = __VERIFIER_nondet_int() ? &a : &b;
       for (i = 0; i < 4; i++) { set(p, i); c = a + b; p = p == &a ? &b : &a; } if (c == 99) reach_error(); return c; }",
    // Heap.
    "struct node { int value; struct node *next; };
     int main(void) { struct node *head = 0; int n = __VERIFIER_nondet_int(), sum = 0, i;
       for (i = 0; i < 4; i++) { struct node *new = malloc(sizeof *new); if (!new) return 0;
         new->value = n + i; new->next = head; head = new; }
       while (head) { int v = head->value; sum += v; struct node *old = head; head = head->next; free(old); }
       if (sum == 1 - n) reach_error(); return sum; }",
    // Recursion.
    "int power(int x, int n) { int r; if (n <= 0) return 1; r = power(x, n - 1); return r * x; }
     int main(void) { int x = __VERIFIER_nondet_int(), y; if (x < -3 || x > 3) return 0; y = power(x, 3);
       if (y == 5) reach_error(); return y; }",
    // Floats.
    "int main(void) { double d = 0.5; float f = 0; int i, below = 0; for (i = 0; i < 5; i++) { d = d * 1.5 - i; f += 0.25f;
         if (d < f) below++; } i = (int)(f * 4); if (i != 5 || below == 9) reach_error(); return below; }",
    // Arrays, at an index that is not known.
    "int main(void) { int a[5]; int i, k = __VERIFIER_nondet_int() & 3, s = 0; for (i = 0; i < 5; i++) a[i] = i * i;
       a[k] = 7; for (i = 0; i < 5; i++) { int v = a[i]; s += v; } if (s == 1) reach_error(); return s; }",
    // Records and bit-fields.
    "struct s { int a; unsigned b : 3; char c[2]; };
     int main(void) { struct s x = { 1, 2, { 3, 4 } }, y; int i, t = 0; for (i = 0; i < 5; i++) { x.b += 3; y = x; y.c[1] = i;
         t += y.b; } if (t > 35) reach_error(); return t + y.a; }",
    // Calls through pointers.
    "int twice(int x) { return 2 * x; } int negated(int x) { return -x; }
     int main(void) { int (*f)(int) = twice; int v = 1, i; for (i = 0; i < 5; i++) { v = f(v); f = v > 4 ? negated : twice; }
       if (v > 1000) reach_error(); return v; }",
    // Numbers that wrap around, and all kinds of types.
    "int main(void) { unsigned char c = __VERIFIER_nondet_int(); unsigned u = c; long long w = -1; _Bool b = c; short h = 32767;
       int n = 0; while (c && n < 5) { c <<= 1; n++; w *= 3; h++; u = u >> 1 | u << 31; } if (n > 8 || b > 1) reach_error();
       return n + (int)w + h; }",
    // Globals, a switch, and a state that comes back.
    "int state, steps;
     int main(void) { for (steps = 0; steps < 8; steps++) { int in = __VERIFIER_nondet_int();
         switch (state) { case 0: state = in ? 1 : 0; break; case 1: state = 2; break; default: state = 0; } }
       if (state > 2) reach_error(); return state; }",
    // What is never initialised.
    "int main(void) { int u, v, i; v = u; for (i = 0; i < 3; i++) { int w; if (i == 1) w = v; else w = 2; v = w; }
       if (v > 2 && v != u) reach_error(); return v; }",
];

fn program(text: &str, model: DataModel) -> Program {
    let text = format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         extern void *malloc(__SIZE_TYPE__); extern void free(void *);\n{text}"
    )
    .replace("__SIZE_TYPE__", if model == DataModel::Lp64 { "unsigned long" } else { "unsigned" });
    let built = build(SourceText::plain("test.c", text.into_bytes()), model);
    built.program.unwrap_or_else(|| panic!("{:?}", built.problems))
}

fn flow(program: &Program) -> Flow<'_> {
    let error = ErrorCall::Usual;
    Flow::new(program, &error.functions(), error.includes_assert()).expect("there is a main").whole()
}

fn budget() -> Budget {
    Budget::with_time(Duration::from_secs(20))
}

/// What a variable holds: calls on the stack (zero for statics), the variable, its type, its bits.
type Fact = (u32, VariableId, Scalar, u128);

/// An analysis, and what its states stand for.
trait Subject<'a> {
    type Analysis: Analysis;

    fn analysis(&mut self) -> &mut Self::Analysis;

    /// Whether the state stands for some state of the program in which all of this holds.
    fn admits(&mut self, state: &<Self::Analysis as Analysis>::State, facts: &[Fact]) -> bool;

    /// Whether states at loops are still there when the exploration is over.
    const KEEPS: bool;

    /// Whether states may be merged that are at one point: those of paths that meet, and not one of a path and a later one of the same.
    fn may_meet(&mut self, _: &<Self::Analysis as Analysis>::State, _: &<Self::Analysis as Analysis>::State) -> bool {
        true
    }

    /// Whether the order of states says nothing about this step.
    fn is_beyond_order(&self, _: &Step) -> bool {
        false
    }
}

fn cell<'s, D: Domain>(layout: &Layout, store: &'s Store<D>, depth: u32, variable: VariableId) -> &'s Cell<D::Value> {
    let found = match layout.homes[variable] {
        Home::StaticSlot(slot) => store.statics.get(slot as usize),
        Home::FrameSlot(slot) => {
            store.frames.get((depth - 1) as usize).and_then(|frame| frame.slots.get(slot as usize))
        }
        Home::StaticObject | Home::LocalObject => None,
    };
    found.unwrap_or(&Cell::Unknown)
}

struct ValueSubject<'a>(Values<'a>);

impl<'a> Subject<'a> for ValueSubject<'a> {
    type Analysis = Values<'a>;
    const KEEPS: bool = true;

    fn analysis(&mut self) -> &mut Values<'a> {
        &mut self.0
    }

    fn admits(&mut self, state: &value::State, facts: &[Fact]) -> bool {
        let value::State::At(store, _) = state else { return false };
        let store: &Store<Explicit> = store;
        facts.iter().all(|(depth, variable, _, bits)| match cell(&self.0.executor.layout, store, *depth, *variable) {
            Cell::Zero => *bits == 0,
            Cell::Value(Value::Known(known)) => known == bits,
            Cell::Value(Value::Unknown | Value::Foreign | Value::Near(_)) => true,
            Cell::Undefined | Cell::Start | Cell::Unknown => true,
        })
    }
}

struct IntervalSubject<'a>(Bounded<'a>);

impl<'a> Subject<'a> for IntervalSubject<'a> {
    type Analysis = Bounded<'a>;
    const KEEPS: bool = true;

    fn analysis(&mut self) -> &mut Bounded<'a> {
        &mut self.0
    }

    fn admits(&mut self, state: &Option<Store<Intervals>>, facts: &[Fact]) -> bool {
        let Some(store) = state else { return false };
        facts.iter().all(|(depth, variable, scalar, bits)| {
            match cell(&self.0.executor.layout, store, *depth, *variable) {
                Cell::Zero => *bits == 0,
                Cell::Value(values) => {
                    let seen: Interval = seen_as(*scalar, values);
                    seen.contains(*bits)
                }
                Cell::Undefined | Cell::Start | Cell::Unknown => true,
            }
        })
    }

    /// One object stands for the first allocation of a call, and of later ones nothing is known: the order does not see that.
    fn is_beyond_order(&self, step: &Step) -> bool {
        let program = self.0.executor.program;
        matches!(step.kind, StepKind::Call(function) if &*program.functions[function].name == "malloc")
    }
}

/// Whether inputs lead to a store in which all of this holds.
fn formulas_admit(
    solver: &mut AutoSolver,
    terms: &Terms,
    layout: &Layout,
    store: &Store<Formulas>,
    facts: &[Fact],
) -> bool {
    let mut question = store.path.conditions();
    for (depth, variable, scalar, bits) in facts {
        let number = terms.bv(scalar.bits(), *bits);
        match cell(layout, store, *depth, *variable) {
            Cell::Zero => question.push(terms.eq(number, terms.bv(scalar.bits(), 0))),
            Cell::Value(term) => question.push(terms.eq(*term, number)),
            Cell::Undefined | Cell::Start | Cell::Unknown => {}
        }
    }
    solver.check(&question, &budget()) == Answer::Sat
}

struct SymbolicSubject<'a>(Symbolic<'a>, Terms, AutoSolver);

impl<'a> Subject<'a> for SymbolicSubject<'a> {
    type Analysis = Symbolic<'a>;
    const KEEPS: bool = false;

    fn analysis(&mut self) -> &mut Symbolic<'a> {
        &mut self.0
    }

    fn admits(&mut self, state: &symbolic::State, facts: &[Fact]) -> bool {
        let layout = self.0.executor.layout.clone();
        state.store().is_some_and(|store| formulas_admit(&mut self.2, &self.1, &layout, store, facts))
    }
}

struct UnrollingSubject<'a>(Unrolling<'a>, Terms, AutoSolver);

impl<'a> Subject<'a> for UnrollingSubject<'a> {
    type Analysis = Unrolling<'a>;
    const KEEPS: bool = true;

    fn analysis(&mut self) -> &mut Unrolling<'a> {
        &mut self.0
    }

    fn admits(&mut self, state: &Option<Store<Formulas>>, facts: &[Fact]) -> bool {
        let layout = self.0.executor.layout.clone();
        state.as_ref().is_some_and(|store| formulas_admit(&mut self.2, &self.1, &layout, store, facts))
    }

    fn may_meet(&mut self, one: &Option<Store<Formulas>>, two: &Option<Store<Formulas>>) -> bool {
        let (Some(one), Some(two)) = (one, two) else { return false };
        let mut both = one.path.conditions();
        both.extend(two.path.conditions());
        self.2.check(&both, &budget()) == Answer::Unsat
    }
}

/// A run of the interpreter, step by step.
struct Replayed<'r> {
    events: std::iter::Peekable<std::slice::Iter<'r, tandem_cfa::exec::Traced>>,
    /// By calls on the stack and variable.
    held: BTreeMap<(u32, VariableId), (Scalar, u128)>,
}

impl<'r> Replayed<'r> {
    fn new(run: &'r Run) -> Replayed<'r> {
        let recording = run.trace.as_ref().expect("the run was traced");
        assert_eq!(recording.omitted, 0);
        assert!(recording.last.is_empty(), "short runs are in the first part");
        Replayed { events: recording.first.iter().peekable(), held: BTreeMap::new() }
    }

    /// The edge that was taken where there were several.
    fn branch(&mut self) -> Option<EdgeId> {
        self.events.by_ref().find_map(|step| match step.event {
            TraceEvent::Branch(edge) => Some(edge),
            _ => None,
        })
    }

    fn hold(&mut self, program: &Program, depth: u32, variable: VariableId, bits: u128) {
        let definition = &program.variables[variable];
        let Some(scalar) = program.types.scalar(definition.ty) else { return };
        if !definition.in_memory && !matches!(scalar, Scalar::Pointer { .. }) {
            let depth = if definition.kind.is_static() { 0 } else { depth };
            self.held.insert((depth, variable), (scalar, bits));
        }
    }

    /// Notes what a step that is over wrote, with this many calls on the stack.
    fn note(&mut self, program: &Program, step: &Step, depth: u32) {
        self.held.retain(|(owner, _), _| *owner <= depth);
        while let Some(next) = self.events.peek() {
            match next.event {
                TraceEvent::Branch(_) => return,
                TraceEvent::Assigned { edge, bits } if edge == step.edge => {
                    let (Op::Assign { place, .. } | Op::Call { result: Some(place), .. }) = program.edges[edge].op
                    else {
                        panic!("an assignment that is none")
                    };
                    if let PlaceKind::Variable(variable) = program.place(place).kind {
                        self.hold(program, depth, variable, bits);
                    }
                }
                TraceEvent::Parameter { variable, bits } => self.hold(program, depth, variable, bits),
                TraceEvent::Assigned { .. } => return,
                TraceEvent::Called(edge) | TraceEvent::Returned { edge, .. } if edge != step.edge => return,
                TraceEvent::Entered(_) | TraceEvent::Called(_) | TraceEvent::Returned { .. } | TraceEvent::Input(_) => {
                }
            }
            self.events.next();
        }
    }

    fn facts(&self) -> Vec<Fact> {
        self.held.iter().map(|((depth, variable), (scalar, bits))| (*depth, *variable, *scalar, *bits)).collect()
    }
}

/// What the interpreter does on these inputs.
fn run(program: &Program, inputs: &mut dyn Inputs) -> Run {
    let error = ErrorCall::Usual;
    let options = Options { trace: Some(20_000), ..Options::default() };
    replay::machine(Task::new(program, &error, 1), options).run(inputs, &budget())
}

/// The steps from a point; calls through pointers go where the state says.
fn steps<A: Analysis>(flow: &mut Flow<'_>, analysis: &mut A, state: &A::State, point: Point) -> Vec<Step> {
    let pointer = flow
        .program
        .out(point.node)
        .iter()
        .find(|edge| matches!(flow.program.edges[*edge].op, Op::Call { callee: Callee::Pointer(_), .. }));
    let callees = pointer.map_or(Callees::Unknown, |edge| analysis.callees(flow, state, edge));
    let mut steps = Vec::new();
    flow.steps(point, |_| callees.clone(), &mut steps);
    steps
}

fn after<A: Analysis>(flow: &Flow<'_>, analysis: &mut A, state: &A::State, step: &Step) -> Vec<A::State> {
    let mut out = Vec::new();
    if step.kind != StepKind::Unsupported {
        analysis.step(flow, state, step, &mut out);
    }
    out.into_iter().filter_map(|next| analysis.adjust(flow, next, step.to)).collect()
}

/// Follows a run with states of the analysis. Gives what was so at loops; fails where no state stands for the run.
fn follow<'a, S: Subject<'a>>(
    subject: &mut S,
    flow: &mut Flow<'a>,
    run: &Run,
) -> Result<Vec<(Point, Vec<Fact>)>, String> {
    let program = flow.program;
    let mut replayed = Replayed::new(run);
    let mut point = flow.start();
    let mut states = vec![subject.analysis().start(flow)];
    let mut seen = Vec::new();
    loop {
        let taken = match program.out(point.node).iter().count() {
            0 | 1 => None,
            _ => match replayed.branch() {
                Some(edge) => Some(edge),
                None => return Ok(seen),
            },
        };
        let mut next: Vec<<S::Analysis as Analysis>::State> = Vec::new();
        let mut went: Option<Step> = None;
        for state in &states {
            for step in steps(flow, subject.analysis(), state, point) {
                if taken.is_some_and(|edge| edge != step.edge) {
                    continue;
                }
                if matches!(step.kind, StepKind::Error(_)) {
                    return Ok(seen);
                }
                let found = after(flow, subject.analysis(), state, &step);
                // Which of several functions was called does not show in an edge: there is one at a time here.
                if !found.is_empty() {
                    went = Some(step);
                }
                next.extend(found);
            }
        }
        let Some(step) = went else {
            return match (&run.end, flow.is_exit(point.node)) {
                (End::Returned(_), true) => Ok(seen),
                (end, _) => Err(format!("the run goes on to {end:?}, and no state does, at {point:?}")),
            };
        };
        point = step.to;
        let depth = flow.stacks.depth(point.stack) as u32 + 1;
        replayed.note(program, &step, depth);
        let facts = replayed.facts();
        let cheap = S::KEEPS || flow.is_head(point.node);
        if cheap && !next.iter().any(|state| subject.admits(state, &facts)) {
            return Err(format!("no state behind {step:?} admits {facts:?}"));
        }
        if flow.is_head(point.node) {
            seen.push((point, facts));
        }
        states = next;
    }
}

/// All states of an exploration, by point.
fn reached<'a, S: Subject<'a>>(
    subject: &mut S,
    flow: &mut Flow<'a>,
    search: Search,
    rounds: u32,
) -> BTreeMap<Point, Vec<<S::Analysis as Analysis>::State>> {
    let mut reached = begin(subject.analysis(), flow, search);
    loop {
        match explore_within(subject.analysis(), flow, &mut reached, rounds, &budget()) {
            Found::Everything => break,
            Found::Stopped(reason) => panic!("{reason}"),
            Found::Target(_) => {}
            Found::Unsupported(_, step) => panic!("{step:?}"),
        }
    }
    let mut all: BTreeMap<Point, Vec<<S::Analysis as Analysis>::State>> = BTreeMap::new();
    for entry in reached.entries.iter().filter(|entry| !entry.removed) {
        all.entry(entry.point).or_default().push(entry.state.clone());
    }
    all
}

/// What became of the laws on one program: how many things were compared.
#[derive(Default)]
struct Compared {
    facts: usize,
    pairs: usize,
    merges: usize,
}

/// Looks at all laws on one program.
fn obeys<'a, S: Subject<'a>>(
    subject: &mut S,
    flow: &mut Flow<'a>,
    search: Search,
    rounds: u32,
    text: &str,
) -> Compared {
    let mut compared = Compared::default();
    let all = reached(subject, flow, search, rounds);
    let mut seen: Vec<(Point, Vec<Fact>)> = Vec::new();
    for seed in 0..6 {
        let mut inputs: Box<dyn Inputs> = if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
        let run = run(flow.program, &mut *inputs);
        let followed = follow(subject, flow, &run);
        seen.extend(followed.unwrap_or_else(|law| panic!("seed {seed}: {law}\n{text}")));
    }
    for (point, facts) in &seen {
        compared.facts += facts.len();
        let here = all.get(point).map_or(&[][..], Vec::as_slice);
        let admitted = !S::KEEPS || here.iter().any(|state| subject.admits(state, facts));
        assert!(admitted, "no reached state at {point:?} admits {facts:?}\n{text}");
    }
    for (point, states) in &all {
        let here: Vec<&Vec<Fact>> =
            seen.iter().filter(|(other, _)| other == point).map(|(_, facts)| facts).take(6).collect();
        let states = &states[..states.len().min(8)];
        for one in states {
            for two in states {
                compare_pair(subject, flow, *point, (one, two), states, &here, &mut compared, text);
            }
        }
    }
    compared
}

type Pair<'s, S> = (&'s S, &'s S);

#[allow(clippy::too_many_arguments)]
fn compare_pair<'a, S: Subject<'a>>(
    subject: &mut S,
    flow: &mut Flow<'a>,
    point: Point,
    (one, two): Pair<'_, <S::Analysis as Analysis>::State>,
    others: &[<S::Analysis as Analysis>::State],
    facts: &[&Vec<Fact>],
    compared: &mut Compared,
    text: &str,
) {
    let merged = subject.may_meet(one, two).then(|| subject.analysis().merge(one, two)).flatten();
    if let Some(both) = merged {
        compared.merges += 1;
        for facts in facts {
            let either = subject.admits(one, facts) || subject.admits(two, facts);
            assert!(!either || subject.admits(&both, facts), "a merge loses {facts:?} at {point:?}\n{text}");
        }
        if subject.analysis().may_cover(flow, point) {
            let covers = subject.analysis().covers(&both, one) && subject.analysis().covers(&both, two);
            assert!(covers, "a merge does not cover what it is made of, at {point:?}\n{text}");
        }
    }
    if subject.analysis().may_cover(flow, point) {
        assert!(subject.analysis().covers(one, one), "covering is not reflexive at {point:?}\n{text}");
    }
    if !subject.analysis().covers(one, two) {
        return;
    }
    compared.pairs += 1;
    for facts in facts {
        let kept = !subject.admits(two, facts) || subject.admits(one, facts);
        assert!(kept, "what is covered stands for more: {facts:?} at {point:?}\n{text}");
    }
    for other in others {
        if subject.analysis().covers(two, other) {
            assert!(subject.analysis().covers(one, other), "covering is not transitive at {point:?}\n{text}");
        }
    }
    for step in steps(flow, subject.analysis(), two, point) {
        if matches!(step.kind, StepKind::Error(_)) || subject.is_beyond_order(&step) {
            continue;
        }
        let larger = after(flow, subject.analysis(), one, &step);
        for next in after(flow, subject.analysis(), two, &step) {
            let covered = larger.iter().any(|state| subject.analysis().covers(state, &next));
            assert!(covered, "a step is not monotone: {step:?}\n{text}");
        }
    }
}

/// Checks the laws on all programs; how much was compared.
fn on_all_programs(mut check: impl FnMut(&Program, &str) -> Compared) -> Compared {
    let mut all = Compared::default();
    for text in PROGRAMS {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let compared = check(&program(text, model), text);
            all.facts += compared.facts;
            all.pairs += compared.pairs;
            all.merges += compared.merges;
        }
    }
    all
}

const WITHOUT_BOUND: u32 = 1000;

#[test]
fn value_obeys() {
    let compared = on_all_programs(|program, text| {
        let mut flow = flow(program);
        let mut subject = ValueSubject(Values::new(&flow));
        obeys(&mut subject, &mut flow, Search::DepthFirst, WITHOUT_BOUND, text)
    });
    assert!(compared.facts > 500 && compared.pairs > 300, "{} {}", compared.facts, compared.pairs);
}

#[test]
fn value_with_few_values_obeys() {
    let compared = on_all_programs(|program, text| {
        let mut flow = flow(program);
        let mut subject = ValueSubject(Values::forgetful(&flow));
        obeys(&mut subject, &mut flow, Search::BreadthFirst, 6, text)
    });
    assert!(compared.facts > 500 && compared.pairs > 300, "{} {}", compared.facts, compared.pairs);
}

#[test]
fn interval_obeys() {
    let compared = on_all_programs(|program, text| {
        let mut flow = flow(program);
        let mut subject = IntervalSubject(Bounded::new(&flow));
        obeys(&mut subject, &mut flow, Search::Unrolled, 12, text)
    });
    assert!(compared.facts > 500 && compared.merges > 300, "{} {}", compared.facts, compared.merges);
}

#[test]
fn symbolic_obeys() {
    let compared = on_all_programs(|program, text| {
        let mut flow = flow(program);
        let terms = Terms::new();
        let mut subject =
            SymbolicSubject(Symbolic::new(&flow, &terms, &budget()), terms.clone(), AutoSolver::new(&terms));
        obeys(&mut subject, &mut flow, Search::BreadthFirst, 3, text)
    });
    assert!(compared.facts > 500, "{}", compared.facts);
}

#[test]
fn bmc_obeys() {
    let compared = on_all_programs(|program, text| {
        let mut flow = flow(program);
        let terms = Terms::new();
        let mut subject = UnrollingSubject(Unrolling::new(&flow, &terms), terms.clone(), AutoSolver::new(&terms));
        obeys(&mut subject, &mut flow, Search::Unrolled, 12, text)
    });
    assert!(compared.facts > 500 && compared.merges > 100, "{} {}", compared.facts, compared.merges);
}

/// Conditions on a few numbers, from a seed.
fn condition(terms: &Terms, symbols: &[Term], seed: &mut u64) -> Term {
    let mut random = |bound: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % bound
    };
    let mut all = Vec::new();
    for _ in 0..2 {
        let (a, b) = (symbols[random(3) as usize], symbols[random(3) as usize]);
        let number = terms.bv(8, u128::from(random(6)));
        all.push(match random(4) {
            0 => terms.eq(a, number),
            1 => terms.bv_ult(a, terms.bv_add(b, number)),
            2 => terms.bv_sle(number, a),
            _ => terms.not(terms.eq(a, b)),
        });
    }
    if random(2) == 0 { terms.and(&all) } else { terms.or(&all) }
}

#[test]
fn predicate_abstraction_obeys() {
    let terms = Terms::new();
    let symbols: Vec<Term> = ["x", "y", "z"].iter().map(|name| terms.variable(name, Sort::Bv(8))).collect();
    let mut abstractor = Abstractor::new(&terms);
    let mut solver = AutoSolver::new(&terms);
    let (mut seed, mut covered) = (1, 0);
    let mut states: Vec<(Term, Term)> = Vec::new();
    for _ in 0..40 {
        let predicates: Vec<Predicate> = (0..4)
            .map(|_| condition(&terms, &symbols, &mut seed))
            .map(|term| Predicate { term, there: term })
            .collect();
        let conditions = [condition(&terms, &symbols, &mut seed), condition(&terms, &symbols, &mut seed)];
        let weak = abstractor.combination(&conditions[..1], &predicates, &budget());
        let strong = abstractor.combination(&conditions, &predicates, &budget());
        assert!(abstractor.entails(strong, weak, &budget()), "an abstraction is not monotone");
        for (state, from) in [(weak, &conditions[..1]), (strong, &conditions[..])] {
            let mut outside = from.to_vec();
            outside.push(terms.not(state));
            assert_eq!(solver.check(&outside, &budget()), Answer::Unsat, "an abstraction loses a state");
            states.push((state, terms.and(from)));
        }
    }
    for (one, _) in &states {
        assert!(abstractor.entails(*one, *one, &budget()));
        for (two, exact) in states.iter().take(20) {
            if !abstractor.entails(*two, *one, &budget()) {
                continue;
            }
            covered += 1;
            // Whatever the covered one stands for, the other one does.
            if solver.check(&[*exact], &budget()) == Answer::Sat {
                let model: Model = solver.model();
                assert!(terms.holds(*one, &model));
            }
            for (three, _) in states.iter().take(20) {
                if abstractor.entails(*three, *two, &budget()) {
                    assert!(abstractor.entails(*three, *one, &budget()), "entailment is not transitive");
                }
            }
        }
    }
    assert!(covered > 100, "{covered}");
}

/// Whatever an analysis writes into a proof holds: nobody finds a run that breaks it.
#[test]
fn written_invariants_hold() {
    let error = ErrorCall::Usual;
    let mut written = 0;
    for text in PROGRAMS {
        let program = program(text, DataModel::Lp64);
        for entry in ANALYSES.iter().filter(|entry| entry.gives(ContributionKind::Facts)) {
            let task = Task::new(&program, &error, 1);
            let outcome = entry.verify(task, None, &Budget::with_time(Duration::from_secs(3)));
            if outcome.verdict != Verdict::True {
                continue;
            }
            written += outcome.invariants.len();
            let about = witness::About {
                file: "test.c",
                text: text.as_bytes(),
                identity: &tandem_artifact::gia::Subject::plain("test.c", text.as_bytes(), program.model()).identity,
                specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
                producer: "tandem",
                version: "test",
                description: None,
                seconds: 0,
            };
            let (entries, _) = witness::witnesses(task, &outcome, &about).expect("a proof has a witness");
            let claim = validate::Claim::Entries(vec![entries]);
            let judged = validate::validate(task, &claim, &Budget::with_time(Duration::from_secs(5)));
            assert!(!matches!(judged, validate::Judgement::Rejected(_)), "{entry:?}: {judged:?}\n{text}");
        }
    }
    assert!(written > 3, "{written}");
}

/// Every registered analysis follows every run: an edge that a run takes is never called unreachable.
#[test]
fn what_runs_reach_is_never_called_unreachable() {
    let error = ErrorCall::Usual;
    let (mut asked, mut found) = (0, 0);
    for (number, text) in PROGRAMS.iter().enumerate() {
        let program = program(text, DataModel::Lp64);
        let covered = run(&program, &mut Random::new(number as u64 + 1)).coverage;
        // The last one in the text.
        let is_own = |edge: &EdgeId| !program.functions[program.nodes[program.edges[*edge].source].function].is_library;
        let Some(goal) = program.edges.ids().rfind(|edge| covered.contains(*edge) && is_own(edge)) else { continue };
        let observer = AnyOf::new(&program, [goal]);
        let task = Task { observer: Some(&observer), run_limit: Some(50), ..Task::new(&program, &error, 1) };
        for entry in ANALYSES.iter().filter(|entry| entry.reads(ContributionKind::Goals)) {
            let outcome = entry.verify(task, None, &Budget::with_time(Duration::from_millis(500)));
            assert_ne!(outcome.verdict, Verdict::True, "{entry:?}\n{text}");
            keeps_to_its_entry(entry, &outcome);
            asked += 1;
            found += usize::from(outcome.verdict == Verdict::False);
        }
    }
    assert!(asked >= PROGRAMS.len() * 5 && found > asked / 3, "{found} of {asked}");
}

/// Every registered analysis gives what its entry says and nothing else, with the program as it is and with little time.
#[test]
fn analyses_give_what_their_entries_say() {
    let error = ErrorCall::Usual;
    let mut given = Vec::new();
    for text in PROGRAMS {
        let program = program(text, DataModel::Lp64);
        let subject = tandem_artifact::gia::Subject::plain("test.c", text.as_bytes(), program.model());
        let task = Task { exchange: Some(&subject), run_limit: Some(50), ..Task::new(&program, &error, 1) };
        for entry in ANALYSES {
            for time in [2, 300] {
                // The search itself: facts that are added to proofs of all afterwards are not its own.
                let outcome = (entry.run)(task, None, &Budget::with_time(Duration::from_millis(time)));
                keeps_to_its_entry(entry, &outcome);
                given.extend(contributions(&outcome));
            }
        }
    }
    for kind in [ContributionKind::SettledPaths, ContributionKind::Facts] {
        assert!(given.contains(&kind), "nobody has given {kind}");
    }
}

/// What an outcome has besides its verdict.
fn contributions(outcome: &Outcome) -> Vec<ContributionKind> {
    let settled = outcome.gia.is_some().then_some(ContributionKind::SettledPaths);
    let facts = (!outcome.invariants.is_empty()).then_some(ContributionKind::Facts);
    let precision = (!outcome.precision.is_empty()).then_some(ContributionKind::Precision);
    let candidates = (!outcome.alarms.is_empty()).then_some(ContributionKind::Candidates);
    [settled, facts, precision, candidates].into_iter().flatten().collect()
}

fn keeps_to_its_entry(entry: &AnalysisEntry, outcome: &Outcome) {
    for kind in contributions(outcome) {
        assert!(entry.gives(kind), "{entry:?} gives {kind}");
    }
    let (proves, violates) = (outcome.verdict == Verdict::True, outcome.violation.is_some());
    assert!(!violates || entry.approximation != Approximation::Over, "{entry:?} reports a violation");
    assert!(!proves || entry.approximation != Approximation::Under, "{entry:?} proves");
}
