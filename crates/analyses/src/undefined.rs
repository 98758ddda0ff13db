//! Undefined behaviour and proofs. An undefined operation ends the path, so a program can be "proved" because all its runs end
//! that way; what such a program does on a machine is another question. The rule, the same everywhere:
//!
//! - *found*: some run carries out an undefined operation. Nothing is called proved.
//! - *excluded*: a complete search met none. The proof says so ([`Outcome::in_bounds`]).
//! - *neither*: the proof stands, and what it assumes is said.
//!
//! Two searches look for such a run (symbolic execution and bounded model checking: each finds what the other does not), in the
//! whole program, also behind the last call of an error function, for as long as the proof took and at least a second.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tandem_artifact::{Caveat, Verdict};
use tandem_base::{Budget, Cancel, Turn};
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{BinaryOp, Callee, ExprId, ExprKind, FunctionId, NodeId, Op, PlaceId, PlaceKind};
use tandem_cpa::Flow;
use tandem_smt::{Answer, Solver, Terms};

use crate::bmc::bmc;
use crate::formula::Formulas;
use crate::store::Beyond;
use crate::symbolic::symbolic_undefined;
use crate::{Outcome, Task};

/// How long is looked for such a run at least, in time of the processor: on a busy machine it takes longer and sees no less.
const LEAST_SEARCH: Duration = Duration::from_millis(1000);
/// With less than this before the budget ended, the search counts as not made.
const TOO_SHORT: Duration = Duration::from_millis(400);
/// How often the watcher looks at the clock of the processor.
const WATCH_INTERVAL: Duration = Duration::from_millis(20);
/// How deep the stack of a search may get.
const STACK_BYTES: usize = 1 << 29;

/// What a search for undefined behaviour found out.
#[derive(Clone, PartialEq, Debug)]
pub enum UndefinedSearch {
    /// A run carries out an undefined operation.
    Found(Caveat),
    /// No run does.
    Excluded,
    /// None was met, but not everything was looked at.
    Open,
}

/// The first undefined operation that one of several analyses of a program has found a run for.
#[derive(Default)]
pub struct UndefinedFinding(Mutex<Option<Caveat>>);

impl UndefinedFinding {
    fn held(&self) -> std::sync::MutexGuard<'_, Option<Caveat>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Remembers the first of these that says that a run carries out an undefined operation.
    pub fn note(&self, caveats: &[Caveat]) {
        let found = caveats.iter().find(|caveat| matches!(caveat, Caveat::Undefined { .. }));
        if let Some(caveat) = found {
            self.held().get_or_insert_with(|| caveat.clone());
        }
    }

    pub fn get(&self) -> Option<Caveat> {
        self.held().clone()
    }
}

/// Takes back a proof if some run carries out an undefined operation. `took`: how long the proof took.
///
/// A proof about a part of the paths is left as it is: its search is made when the parts are put together.
pub fn sift(task: Task<'_>, mut outcome: Outcome, took: Duration, budget: &Budget) -> Outcome {
    let is_part = task.observer.is_some() && !task.has_goals();
    if outcome.verdict != Verdict::True || is_part {
        return outcome;
    }
    if outcome.in_bounds && (task.has_goals() || looks_at_everything(task)) {
        return outcome;
    }
    let task = if task.has_goals() { task } else { Task { whole: true, exchange: None, ..task } };
    let finding = || task.finding.and_then(UndefinedFinding::get);
    let searched = match finding() {
        Some(caveat) => Ok(UndefinedSearch::Found(caveat)),
        None => look(task, took.max(LEAST_SEARCH), budget),
    };
    // Another analysis of the same program may have found one meanwhile.
    let searched = finding().map_or(searched, |caveat| Ok(UndefinedSearch::Found(caveat)));
    let caveat = match searched {
        Ok(UndefinedSearch::Found(caveat)) | Err(caveat) => caveat,
        Ok(UndefinedSearch::Excluded) => {
            outcome.in_bounds = true;
            return outcome;
        }
        Ok(UndefinedSearch::Open) => {
            outcome.in_bounds = false;
            return outcome;
        }
    };
    outcome.verdict = Verdict::Unknown(caveat.to_string());
    outcome.caveats.push(caveat);
    outcome.invariants.clear();
    outcome.gia = None;
    outcome.in_bounds = false;
    outcome
}

/// Both searches, one after the other or side by side. An error: why the proof is none, although nothing undefined was found.
fn look(task: Task<'_>, time: Duration, budget: &Budget) -> Result<UndefinedSearch, Caveat> {
    let enough = Cancel::new();
    let start = Instant::now();
    let mut searches = Vec::new();
    if task.threads > 1 {
        let mut side_by_side = || {
            std::thread::scope(|scope| {
                let spawn = |work: fn(Task<'_>, &Budget) -> Outcome| {
                    let enough = &enough;
                    // Where computations take turns, the two take theirs.
                    let turn = budget.turn.as_ref().map(|turn| turn.beside(SEARCH_SHARE, Duration::ZERO));
                    let place = turn.clone();
                    let search = move || in_turn(turn, budget, |budget| searched(task, work, time, enough, budget));
                    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, search).ok();
                    if let (None, Some(place)) = (&thread, place) {
                        place.end();
                    }
                    thread
                };
                let handles = [spawn(symbolic_undefined), spawn(bmc)];
                searches.extend(handles.into_iter().flatten().filter_map(|handle| handle.join().ok()));
            });
        };
        match &budget.turn {
            Some(turn) => turn.pause(|| budget.stop_reason().is_some(), side_by_side),
            None => side_by_side(),
        }
    } else {
        for work in [symbolic_undefined, bmc] {
            if !enough.is_raised() {
                searches.push(searched(task, work, time / 2, &enough, budget));
            }
        }
    }
    if searches.iter().any(|(outcome, _)| outcome.verdict == Verdict::False) {
        return Err(Caveat::Imprecise("internal error: a proof, and a run that refutes it".into()));
    }
    let is_undefined = |caveat: &&Caveat| matches!(caveat, Caveat::Undefined { .. });
    if let Some(caveat) = searches.iter().flat_map(|(outcome, _)| &outcome.caveats).find(is_undefined) {
        return Ok(UndefinedSearch::Found(caveat.clone()));
    }
    if searches.iter().any(|(outcome, _)| outcome.verdict == Verdict::True && outcome.in_bounds) {
        return Ok(UndefinedSearch::Excluded);
    }
    let spent: Duration = searches.iter().map(|(_, spent)| *spent).sum();
    match budget.exhausted() {
        Some(reason) if spent < TOO_SHORT && start.elapsed() < TOO_SHORT => {
            let what = format!("{reason}, before it could be looked for a run whose behaviour is undefined");
            Err(Caveat::Bound(what))
        }
        Some(_) | None => Ok(UndefinedSearch::Open),
    }
}

/// The share of each of the two searches where they take turns with analyses: a proof waits for them.
const SEARCH_SHARE: u32 = 20;

/// Carries out the work of a thread that takes these turns, if there are any.
fn in_turn<R>(turn: Option<Turn>, budget: &Budget, work: impl FnOnce(&Budget) -> R) -> R {
    let Some(turn) = turn else { return work(budget) };
    let budget = budget.with_turn(turn.clone());
    turn.begin(|| budget.stop_reason().is_some());
    let result = work(&budget);
    turn.end();
    result
}

/// Runs one search on this thread until it ends, its time is over, or another search has found enough.
fn searched(
    task: Task<'_>,
    work: fn(Task<'_>, &Budget) -> Outcome,
    time: Duration,
    enough: &Cancel,
    budget: &Budget,
) -> (Outcome, Duration) {
    let clock = Clock::of_this_thread();
    let (stop, done) = (Cancel::new(), Cancel::new());
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.is_raised() {
                if budget.cancel.is_raised() || enough.is_raised() || clock.elapsed() >= time {
                    stop.raise();
                }
                std::thread::park_timeout(WATCH_INTERVAL);
            }
        });
        let budget = Budget { cancel: stop.clone(), ..budget.clone() };
        let work = std::panic::AssertUnwindSafe(|| work(task, &budget));
        let outcome = std::panic::catch_unwind(work);
        done.raise();
        outcome.unwrap_or_else(|_| Outcome::new("", None, None, vec![Caveat::Imprecise("internal error".into())]))
    });
    let is_undefined = |caveat: &Caveat| matches!(caveat, Caveat::Undefined { .. });
    let is_complete = outcome.verdict == Verdict::True && outcome.in_bounds;
    if is_complete || outcome.caveats.iter().any(is_undefined) {
        enough.raise();
    }
    let spent = clock.elapsed();
    (outcome, spent)
}

/// Whether a complete search for errors carries out every operation of the program that may be undefined: none of them stands where
/// no error can be reached any more.
fn looks_at_everything(task: Task<'_>) -> bool {
    let Some(flow) = task.flow() else { return false };
    let followed = Followed::of(&flow);
    let program = flow.program;
    program.functions.iter().filter_map(|function| function.body.as_ref()).all(|body| {
        body.edges.iter().all(|edge| {
            let edge = &program.edges[edge];
            followed.is_followed(&flow, edge.target) || !may_be_undefined(&flow, &edge.op)
        })
    })
}

/// The functions whose callers all go on to where an error may be reached: a search for errors follows each of their returns.
struct Followed {
    functions: tandem_base::IdVec<FunctionId, bool>,
}

impl Followed {
    fn of(flow: &Flow<'_>) -> Followed {
        let program = flow.program;
        let mut functions = tandem_base::IdVec::filled(true, program.functions.len());
        if let Some(entry) = program.entry {
            functions[entry] = false;
        }
        let mut followed = Followed { functions };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for edge in program.edges.iter() {
                let Op::Call { callee, .. } = &edge.op else { continue };
                if followed.is_followed(flow, edge.target) {
                    continue;
                }
                match callee {
                    Callee::Direct(function) => {
                        let entered = flow.entered(*function).unwrap_or(*function);
                        changed |= std::mem::replace(&mut followed.functions[entered], false);
                    }
                    Callee::Pointer(_) => {
                        for function in program.functions.ids() {
                            changed |= std::mem::replace(&mut followed.functions[function], false);
                        }
                    }
                    Callee::Builtin(_) => {}
                }
            }
        }
        followed
    }

    fn is_followed(&self, flow: &Flow<'_>, node: NodeId) -> bool {
        let function = flow.program.nodes[node].function;
        flow.reaches_error(node) || flow.reaches_exit(node) && self.functions[function]
    }
}

/// Whether an operation is undefined for some values, as far as one can see without knowing any.
fn may_be_undefined(flow: &Flow<'_>, op: &Op) -> bool {
    match op {
        Op::Skip | Op::Declare(_) => false,
        Op::Unsupported { .. } => true,
        Op::Assume { condition, .. } => expression_may_be(flow, *condition),
        Op::Assign { place, value } => place_may_be(flow, *place) || expression_may_be(flow, *value),
        Op::Return { value } => value.is_some_and(|value| expression_may_be(flow, value)),
        Op::Call { callee, arguments, result } => {
            let harmless = match callee {
                Callee::Direct(function) => match flow.kinds[*function] {
                    Kind::Body | Kind::Model(_) | Kind::Unknown | Kind::Error | Kind::Intrinsic(_) => true,
                    Kind::Library(primitive) => matches!(
                        primitive,
                        Primitive::Nondet
                            | Primitive::Assume
                            | Primitive::AssertFail
                            | Primitive::Abort
                            | Primitive::Exit
                            | Primitive::Math(_)
                            | Primitive::FusedMultiplyAdd
                            | Primitive::Rounded(_)
                    ),
                    Kind::Missing => false,
                },
                Callee::Pointer(_) | Callee::Builtin(_) => false,
            };
            let place = result.is_some_and(|place| place_may_be(flow, place));
            !harmless || place || arguments.iter().any(|argument| expression_may_be(flow, *argument))
        }
    }
}

fn expression_may_be(flow: &Flow<'_>, id: ExprId) -> bool {
    match flow.program.expr(id).kind {
        ExprKind::Bits(_) | ExprKind::Wide(_) | ExprKind::Zero | ExprKind::Function(_) => false,
        ExprKind::Read(place) => place_may_be(flow, place),
        ExprKind::AddressOf(place) => address_may_be(flow, place),
        ExprKind::Unary(_, operand) | ExprKind::Convert(operand) => expression_may_be(flow, operand),
        ExprKind::Binary(op, left, right) => {
            matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::PointerDiff)
                || expression_may_be(flow, left)
                || expression_may_be(flow, right)
        }
        ExprKind::Intrinsic(_, first, second) => {
            expression_may_be(flow, first) || second.is_some_and(|second| expression_may_be(flow, second))
        }
    }
}

/// Whether finding the address of a place may be undefined. The place itself is not accessed.
fn address_may_be(flow: &Flow<'_>, id: PlaceId) -> bool {
    match flow.program.place(id).kind {
        PlaceKind::Variable(_) => false,
        PlaceKind::Deref(pointer) => expression_may_be(flow, pointer),
        PlaceKind::Field(base, ..) => address_may_be(flow, base),
        PlaceKind::Index(base, index) => address_may_be(flow, base) || expression_may_be(flow, index),
    }
}

fn place_may_be(flow: &Flow<'_>, id: PlaceId) -> bool {
    match flow.program.place(id).kind {
        PlaceKind::Variable(_) => false,
        PlaceKind::Deref(_) | PlaceKind::Index(..) => true,
        PlaceKind::Field(base, ..) => place_may_be(flow, base),
    }
}

/// The time that a thread has had on a processor since this was made; where the system does not tell, the time on the wall.
struct Clock {
    started: Instant,
    file: Option<(PathBuf, Duration)>,
}

impl Clock {
    fn of_this_thread() -> Clock {
        let place = std::fs::read_link("/proc/thread-self").ok();
        let file = place.map(|place| PathBuf::from("/proc").join(place).join("schedstat"));
        let file = file.and_then(|file| processor_time(&file).map(|before| (file, before)));
        Clock { started: Instant::now(), file }
    }

    fn elapsed(&self) -> Duration {
        let now = self.file.as_ref().and_then(|(file, before)| Some(processor_time(file)?.saturating_sub(*before)));
        now.unwrap_or_else(|| self.started.elapsed())
    }
}

fn processor_time(file: &Path) -> Option<Duration> {
    let text = std::fs::read_to_string(file).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// What is known about accesses beyond objects.
pub enum Bounds {
    /// No run makes one.
    Kept,
    /// This one is made by some run.
    Left(Caveat),
    /// The solver owes an answer.
    Unclear,
}

impl Bounds {
    pub fn caveat(self) -> Option<Caveat> {
        match self {
            Bounds::Left(caveat) => Some(caveat),
            Bounds::Kept | Bounds::Unclear => None,
        }
    }

    pub fn are_kept(&self) -> bool {
        matches!(self, Bounds::Kept)
    }
}

/// The first of these accesses that some run makes, under what else is known.
pub fn first_feasible(
    terms: &Terms,
    solver: &mut dyn Solver,
    known: &[tandem_smt::Term],
    beyond: &[Beyond<Formulas>],
    budget: &Budget,
) -> Bounds {
    let mut result = Bounds::Kept;
    let conditions: Vec<_> = beyond
        .iter()
        .map(|access| {
            let mut all = access.path.conditions();
            all.extend(access.when);
            terms.and(&all)
        })
        .collect();
    for (accesses, conditions) in beyond.chunks(64).zip(conditions.chunks(64)) {
        let mut question = known.to_vec();
        question.push(terms.or(conditions));
        match solver.check(&question, budget) {
            Answer::Unsat => {}
            Answer::Unknown(_) => result = Bounds::Unclear,
            Answer::Sat => {
                let model = solver.model();
                let at = conditions.iter().position(|condition| terms.holds(*condition, &model)).unwrap_or(0);
                let what = accesses[at].what.to_string();
                return Bounds::Left(Caveat::Undefined { what, at: accesses[at].at });
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::ErrorCall;
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    /// A proof that nobody had the time to look at is none.
    #[test]
    fn without_time_nothing_is_proved() {
        let text = "extern void reach_error(void);\n\
                    int main(void) { int a[64]; int i; for (i = 0; a[i] != 0; i++) {} if (i > 64) reach_error(); }";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let task = Task::new(&program, &ErrorCall::Usual, 1);
        let proof = || Outcome::new("test", None, None, Vec::new());
        assert_eq!(proof().verdict, Verdict::True);
        let sifted = sift(task, proof(), Duration::ZERO, &Budget::with_time(Duration::ZERO));
        assert!(matches!(sifted.verdict, Verdict::Unknown(_)), "{sifted:?}");
        let sifted = sift(task, proof(), Duration::ZERO, &Budget::with_time(Duration::from_secs(20)));
        assert!(sifted.caveats.iter().any(|caveat| matches!(caveat, Caveat::Undefined { .. })), "{sifted:?}");
    }
}
