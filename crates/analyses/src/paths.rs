//! Paths one decision at a time: where a path stands, which ways lead on from there, and whether some inputs take them. For those who
//! look for particular paths; whoever wants all of them has the symbolic analysis.

use std::rc::Rc;

use tandem_artifact::range::choices_at;
use tandem_base::Budget;
use tandem_cfa::exec::{InputSource, Options, Request, Run};
use tandem_cfa::types::Type;
use tandem_cfa::{Callee, Op, Program};
use tandem_cpa::{Flow, Point, Step, StepKind};
use tandem_smt::{Answer, Model, Solver, Sort, Terms};

use crate::Task;
use crate::formula::{Formulas, Logged, Path};
use crate::query::{PathInputs, PathSolver, solver};
use crate::replay::machine;
use crate::store::{Executor, Store};

/// Where a path stands.
#[derive(Clone)]
pub struct Spot {
    store: Store<Formulas>,
    pub point: Point,
    /// Values of the inputs that take the path, if they are known.
    model: Option<Rc<Model>>,
    /// How much of the path the solver has seen.
    checked: u32,
    pub decisions: Vec<u32>,
    /// The steps since the last decision, with the step that took it.
    pub steps: Vec<Step>,
}

/// One way on from a decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Way {
    pub step: Step,
    /// The decisions it takes: which edge, and which function a pointer leads to.
    pub decisions: Vec<u32>,
}

/// What comes next on a path.
pub enum Next {
    /// A decision: its ways by their rank, whether or not they can be taken.
    Ways(Spot, Vec<Way>),
    /// The path ends: at the end of the program, in an error, by something undefined or not modelled.
    End(Spot),
}

/// The decisions of a step; nothing if it takes one of which nobody knows the outcome.
pub fn decisions_of(program: &Program, step: &Step) -> Option<Vec<u32>> {
    let mut decisions = Vec::new();
    let known = match step.kind {
        StepKind::Leave(_) => true,
        StepKind::Enter(function) | StepKind::Call(function) | StepKind::Error(function) => {
            choices_at(program, step.edge, Some(function), &mut decisions)
        }
        StepKind::Inside | StepKind::Elsewhere | StepKind::Unsupported => {
            choices_at(program, step.edge, None, &mut decisions)
        }
    };
    known.then_some(decisions)
}

/// Which inputs of a path were looked at.
#[derive(Default)]
struct Pinned {
    last: Option<Rc<Logged>>,
    /// Those of functions.
    count: usize,
}

/// Steps that a path may take between two decisions.
const STRAIGHT: usize = 200_000;

pub struct Paths<'a> {
    task: Task<'a>,
    pub flow: Flow<'a>,
    executor: Executor<'a, Formulas>,
    terms: Terms,
    solver: PathSolver,
    budget: Budget,
    /// Whether the solver owes an answer: then a way may be one that no inputs take.
    pub unclear: bool,
}

impl<'a> Paths<'a> {
    /// Nothing if the program has no entry.
    pub fn new(task: Task<'a>, budget: &Budget) -> Option<Paths<'a>> {
        let flow = task.flow()?.whole();
        let terms = Terms::new();
        let executor = Executor::new(&flow, Formulas::new(&terms, ""));
        let solver = solver(&terms);
        Some(Paths { task, flow, executor, terms, solver, budget: budget.clone(), unclear: false })
    }

    /// Where every path begins; nothing if that is not modelled.
    pub fn start(&mut self) -> Option<Spot> {
        let store = self.executor.start(&self.flow, Path::default()).ok()?;
        let model = Some(Rc::new(Model::default()));
        let point = self.flow.start();
        Some(Spot { store, point, model, checked: 0, decisions: Vec::new(), steps: Vec::new() })
    }

    /// Goes on to the next decision or to the end.
    pub fn advance(&mut self, mut spot: Spot) -> Next {
        for count in 0..STRAIGHT {
            if count % 64 == 63 && self.budget.exhausted().is_some() {
                break;
            }
            let steps = self.steps(&spot);
            let is_decision = self.is_decision(spot.point);
            let (Some(step), false) = (steps.first(), is_decision) else {
                return if is_decision { self.ways(spot, steps) } else { Next::End(spot) };
            };
            if matches!(step.kind, StepKind::Error(_) | StepKind::Unsupported) || !self.execute(&mut spot, step) {
                return Next::End(spot);
            }
        }
        Next::End(spot)
    }

    fn ways(&self, spot: Spot, steps: Vec<Step>) -> Next {
        let way = |step: Step| Some(Way { decisions: decisions_of(self.flow.program, &step)?, step });
        let mut ways: Vec<Way> = steps.into_iter().filter_map(way).collect();
        ways.sort_by(|one, other| one.decisions.cmp(&other.decisions));
        if ways.is_empty() { Next::End(spot) } else { Next::Ways(spot, ways) }
    }

    fn is_decision(&self, at: Point) -> bool {
        let program = self.flow.program;
        let edges = program.out(at.node);
        edges.len() > 1
            || edges.iter().any(|edge| matches!(program.edges[edge].op, Op::Call { callee: Callee::Pointer(_), .. }))
    }

    fn steps(&mut self, spot: &Spot) -> Vec<Step> {
        let mut steps = Vec::new();
        let (executor, store) = (&mut self.executor, &spot.store);
        self.flow.steps(spot.point, |edge| executor.callees(store, edge), &mut steps);
        // Where nobody knows where a pointer leads, there is no way to name.
        let is_unknown = |step: &Step| matches!(step.kind, StepKind::Unsupported | StepKind::Elsewhere);
        steps.retain(|step| !is_unknown(step) || !self.is_decision(spot.point));
        steps
    }

    /// False if the path ends with the step.
    fn execute(&mut self, spot: &mut Spot, step: &Step) -> bool {
        match self.executor.step(&self.flow, &mut spot.store, step) {
            Ok(()) => {
                spot.point = step.to;
                spot.steps.push(*step);
                true
            }
            Err(_) => false,
        }
    }

    /// The path that takes the way; nothing if no inputs do.
    pub fn take(&mut self, spot: &Spot, way: &Way) -> Option<Spot> {
        let mut next = spot.clone();
        next.steps.clear();
        if matches!(way.step.kind, StepKind::Error(_)) {
            next.point = way.step.to;
            next.steps.push(way.step);
        } else if !self.execute(&mut next, &way.step) {
            return None;
        }
        next.decisions.extend_from_slice(&way.decisions);
        self.is_feasible(&mut next).then_some(next)
    }

    /// Whether some inputs take the path; if the solver cannot say, they may.
    fn is_feasible(&mut self, spot: &mut Spot) -> bool {
        let path = &spot.store.path;
        let length = path.length();
        if length <= spot.checked {
            return true;
        }
        let known = spot
            .model
            .as_ref()
            .is_some_and(|model| path.since(spot.checked).all(|condition| self.terms.holds(condition, model)));
        if !known {
            match self.solver.check(&path.conditions(), &self.budget) {
                Answer::Sat => spot.model = Some(Rc::new(self.solver.model())),
                Answer::Unsat => return false,
                Answer::Unknown(_) => {
                    self.unclear = true;
                    spot.model = None;
                }
            }
        }
        spot.checked = length;
        true
    }

    /// The least path that some inputs take if those of functions are as given; where nothing is given, they may be any. As far as the solver
    /// can say, and with so many decisions at most.
    pub fn least(&mut self, given: &dyn Fn(usize, Request<'_>) -> Option<u128>, longest: usize) -> Option<Spot> {
        let mut at = self.start()?;
        let mut pinned = Pinned::default();
        loop {
            let (mut spot, ways) = match self.advance(at) {
                Next::Ways(spot, ways) => (spot, ways),
                Next::End(spot) => (spot, Vec::new()),
            };
            self.pin(&mut spot, given, &mut pinned);
            if ways.is_empty() || spot.decisions.len() >= longest || !self.is_feasible(&mut spot) {
                return Some(spot);
            }
            match ways.iter().find_map(|way| self.take(&spot, way)) {
                Some(next) if !self.unclear => at = next,
                Some(_) | None => return Some(spot),
            }
        }
    }

    /// Assumes that the inputs that the path has taken since last time are as given.
    fn pin(&self, spot: &mut Spot, given: &dyn Fn(usize, Request<'_>) -> Option<u128>, pinned: &mut Pinned) {
        let mut fresh = Vec::new();
        let mut at = spot.store.path.log.clone();
        let last = std::mem::replace(&mut pinned.last, at.clone());
        while let Some(node) = at {
            if last.as_ref().is_some_and(|last| Rc::ptr_eq(last, &node)) {
                break;
            }
            // Where paths meet there is more than one: a single path never gets there.
            let Logged::Input { before, value, source, edge } = &*node else { break };
            if let InputSource::Function(function) = source {
                fresh.push((*value, *function, *edge));
            }
            at = before.clone();
        }
        let program = self.flow.program;
        for (value, function, edge) in fresh.into_iter().rev() {
            let number = pinned.count;
            pinned.count += 1;
            let Type::Function(signature) = program.types.get(program.functions[function].ty) else { continue };
            let Some(scalar) = program.types.scalar(signature.result) else { continue };
            let request =
                Request { edge, name: &program.functions[function].name, ty: signature.result, scalar, byte: None };
            let Sort::Bv(width) = self.terms.sort(value) else { continue };
            if let Some(bits) = given(number, request) {
                let bits = self.terms.bv(width, bits & u128::MAX >> (128 - width.clamp(1, 128)));
                spot.store.path.assume(self.terms.eq(value, bits));
            }
        }
    }

    /// A run whose path begins as this one, and takes zeros for all inputs from then on. Nothing if no inputs are known, or the
    /// run goes another way, as one that looks at addresses may.
    pub fn run(&self, spot: &Spot, limit: u64) -> Option<Run> {
        let mut inputs = PathInputs::of(self.task, &self.terms, &spot.store.path, spot.model.as_ref()?);
        let options = Options { path: Some(1 << 22), steps: limit, ..Options::default() };
        let run = machine(self.task, options).run(&mut inputs, &self.budget);
        run.decisions(self.flow.program)?.starts_with(&spot.decisions).then_some(run)
    }
}
