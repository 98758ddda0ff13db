//! Questions to a solver about paths, and the way from a model back to the inputs of a run.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use tandem_artifact::{Caveat, SolverGap, Violation};
use tandem_base::Budget;
use tandem_cfa::exec::{End, InputSource, Inputs, Request};
use tandem_cfa::library::LONG_ARGUMENTS;
use tandem_cfa::{EdgeId, Program};
use tandem_smt::layers::{Cache, Slicing};
use tandem_smt::{Answer, ArrayValue, AutoSolver, Evaluator, Model, Solver, Sort, Term, Terms, UnknownReason, Value};

use crate::Task;
use crate::formula::{Logged, Path};
use crate::replay::{not_a_violation, replay};

/// The solver that the analyses use.
pub type PathSolver = Cache<Slicing<AutoSolver>>;

pub fn solver(terms: &Terms) -> PathSolver {
    Cache::new(Slicing::new(AutoSolver::new(terms)))
}

/// What a solver says about a set of conditions.
pub enum Feasible {
    Yes(Box<Model>),
    No,
    Unknown(SolverGap),
}

/// Why a solver gave no answer, as a caveat says it.
pub fn solver_gap(reason: UnknownReason) -> SolverGap {
    match reason {
        UnknownReason::Stopped(reason) => SolverGap::Stopped(reason),
        UnknownReason::Incomplete(text) => SolverGap::Incomplete(text),
    }
}

pub fn feasible(solver: &mut dyn Solver, conditions: &[Term], budget: &Budget) -> Feasible {
    match solver.check(conditions, budget) {
        Answer::Sat => Feasible::Yes(Box::new(solver.model())),
        Answer::Unsat => Feasible::No,
        Answer::Unknown(reason) => Feasible::Unknown(solver_gap(reason)),
    }
}

/// What a path takes: the inputs in the order in which they are taken, and what objects hold that were never written.
#[derive(Default)]
pub struct Taken {
    pub inputs: Vec<(InputSource, EdgeId, u128)>,
    pub elements: Vec<(InputSource, Arc<ArrayValue>)>,
}

impl Taken {
    pub fn add(&mut self, source: InputSource, edge: EdgeId, value: Value) {
        match value {
            Value::Array(elements) => self.elements.push((source, elements)),
            value => {
                let bits = value.as_bits().and_then(|bits| bits.small()).unwrap_or(0);
                self.inputs.push((source, edge, bits));
            }
        }
    }
}

/// The inputs of a path under a model, in the order in which they are taken.
pub fn inputs_of(terms: &Terms, path: &Path, model: &Model) -> Vec<(InputSource, EdgeId, u128)> {
    taken_on(terms, path, model).inputs
}

/// What a path takes under a model.
pub fn taken_on(terms: &Terms, path: &Path, model: &Model) -> Taken {
    let mut evaluator = Evaluator::new(terms, model);
    let mut found = Vec::new();
    let mut at: Option<Rc<Logged>> = path.log.clone();
    while let Some(node) = at {
        at = match &*node {
            Logged::Input { before, value, source, edge } => {
                found.push((*source, *edge, evaluator.value(*value)));
                before.clone()
            }
            Logged::Merge { guard, then, otherwise } => match evaluator.value(*guard).as_bool() {
                Some(true) => then.clone(),
                Some(false) | None => otherwise.clone(),
            },
        };
    }
    let mut taken = Taken::default();
    for (source, edge, value) in found.into_iter().rev() {
        taken.add(source, edge, value);
    }
    taken
}

/// The edge of inputs of which it is not known where they are taken.
pub const SOMEWHERE: EdgeId = EdgeId(u32::MAX);

/// Inputs of a path, given out as the interpreter asks for them.
pub struct PathInputs<'a> {
    program: &'a Program,
    functions: VecDeque<(EdgeId, u128)>,
    variables: HashMap<&'a str, VecDeque<u128>>,
    memory: VecDeque<(EdgeId, u128)>,
    /// What objects hold, and which objects these are, once they are known.
    elements: Vec<(InputSource, Arc<ArrayValue>)>,
    objects: HashMap<u64, Option<Arc<ArrayValue>>>,
}

impl<'a> PathInputs<'a> {
    /// Those of a path under a model.
    pub fn of(task: Task<'a>, terms: &Terms, path: &Path, model: &Model) -> PathInputs<'a> {
        PathInputs::taken(task, taken_on(terms, path, model))
    }

    pub fn taken(task: Task<'a>, taken: Taken) -> PathInputs<'a> {
        PathInputs { elements: taken.elements, ..PathInputs::new(task, &taken.inputs) }
    }

    pub fn new(task: Task<'a>, inputs: &[(InputSource, EdgeId, u128)]) -> PathInputs<'a> {
        let program: &'a Program = task.program;
        let (functions, variables, memory) = (VecDeque::new(), HashMap::new(), VecDeque::new());
        let (elements, objects) = (Vec::new(), HashMap::new());
        let mut all = PathInputs { program, functions, variables, memory, elements, objects };
        for (source, edge, bits) in inputs {
            match source {
                InputSource::Function(_) => all.functions.push_back((*edge, *bits)),
                InputSource::Variable(variable) => {
                    let name = &*program.variables[*variable].name;
                    all.variables.entry(name).or_default().push_back(*bits);
                }
                InputSource::Memory | InputSource::NoResult => all.memory.push_back((*edge, *bits)),
            }
        }
        all
    }

    /// The next value of memory that was asked for at a place.
    fn take_memory(&mut self, is_here: impl Fn(EdgeId) -> bool) -> Option<u128> {
        let at = self.memory.iter().take(AHEAD).position(|(edge, _)| is_here(*edge))?;
        self.memory.remove(at).map(|(_, bits)| bits)
    }

    /// What an object holds, if that was told as a whole. Objects that nobody can name are told apart by which comes first.
    fn element(&mut self, request: &Request<'_>) -> Option<u128> {
        let (object, byte) = request.byte?;
        if !self.objects.contains_key(&object) {
            let program = self.program;
            let is_this = |(source, _): &(InputSource, _)| match source {
                InputSource::Variable(variable) => &*program.variables[*variable].name == request.name,
                InputSource::Memory => program.variables.iter().all(|variable| &*variable.name != request.name),
                InputSource::Function(_) | InputSource::NoResult => false,
            };
            let at = self.elements.iter().position(is_this);
            let found = at.map(|at| self.elements.remove(at).1);
            self.objects.insert(object, found);
        }
        let elements = self.objects.get(&object)?.as_ref()?;
        let is_here =
            |(index, _): &&(Value, Value)| index.as_bits().and_then(|bits| bits.small()) == Some(u128::from(byte));
        let value = elements.entries.iter().find(is_here).map_or(&elements.default, |(_, value)| value);
        value.as_bits()?.small()
    }
}

/// How far ahead one looks for an input.
const AHEAD: usize = 64;

/// The next value that was asked for on this edge.
fn take(queue: &mut VecDeque<(EdgeId, u128)>, edge: EdgeId) -> u128 {
    let at = queue.iter().take(AHEAD).position(|(other, _)| *other == edge);
    at.and_then(|at| queue.remove(at)).map_or(0, |(_, bits)| bits)
}

impl Inputs for PathInputs<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        take(&mut self.functions, request.edge)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        if let Some(bits) = self.variables.get_mut(request.name).and_then(VecDeque::pop_front) {
            return bits;
        }
        // A branch reads before it is known which of its edges is taken.
        let program = self.program;
        let source = |edge: EdgeId| program.edges[edge].source;
        let is_here = |edge: EdgeId| edge != SOMEWHERE && source(edge) == source(request.edge);
        let found = self.take_memory(is_here).or_else(|| self.element(&request));
        found.or_else(|| self.take_memory(|edge| edge == SOMEWHERE)).unwrap_or(0)
    }

    fn argument(&mut self, request: Request<'_>) -> Option<u128> {
        self.variables.get_mut(request.name).and_then(VecDeque::pop_front)
    }
}

/// Replays the path of a model. What cannot be followed is a caveat, never an alarm.
pub fn confirm(
    task: Task<'_>,
    terms: &Terms,
    solver: &mut dyn Solver,
    path: &Path,
    model: &Model,
    budget: &Budget,
) -> Result<Violation, Caveat> {
    let mut conditions = path.conditions();
    let alarm = Alarm { task, terms, conditions: conditions.clone(), inputs: log_terms(path) };
    let caveat = match alarm.confirm(solver, model, budget, |model| taken_on(terms, path, model)) {
        Ok(violation) => return Ok(violation),
        Err(caveat) => caveat,
    };
    // The interpreter has no arguments of `main` but those that the model has room for.
    let Some(short) = short_arguments(task, terms, path) else { return Err(caveat) };
    conditions.push(short);
    let Feasible::Yes(model) = feasible(solver, &conditions, budget) else { return Err(caveat) };
    let alarm = Alarm { task, terms, conditions, inputs: log_terms(path) };
    alarm.confirm(solver, &model, budget, |model| taken_on(terms, path, model)).map_err(|_| caveat)
}

/// That the arguments of `main` are not too long for their model, if the path has chosen between the two.
fn short_arguments(task: Task<'_>, terms: &Terms, path: &Path) -> Option<Term> {
    let mut found = None;
    visit_log(path, |node| {
        if let Logged::Input { value, source: InputSource::Variable(variable), .. } = node {
            if *task.program.variables[*variable].name == *LONG_ARGUMENTS {
                found = Some(*value);
            }
        }
    });
    let choice = found?;
    match terms.sort(choice) {
        Sort::Bv(width) => Some(terms.eq(choice, terms.bv(width, 0))),
        Sort::Bool => Some(terms.not(choice)),
        _ => None,
    }
}

/// A path to an error: what must hold for it to be taken, and the terms of its log, with the inputs among them.
pub struct Alarm<'q> {
    pub task: Task<'q>,
    pub terms: &'q Terms,
    pub conditions: Vec<Term>,
    pub inputs: Vec<Term>,
}

impl Alarm<'_> {
    /// Replays the path that a model of the conditions takes; if there is too little memory for that, one with small inputs.
    pub fn confirm(
        self,
        solver: &mut dyn Solver,
        model: &Model,
        budget: &Budget,
        mut taken: impl FnMut(&Model) -> Taken,
    ) -> Result<Violation, Caveat> {
        let Alarm { task, terms, conditions, inputs } = self;
        let mut follow = |model: &Model| replay(task, &mut PathInputs::taken(task, taken(model)), budget);
        let mut followed = follow(model);
        if followed.as_ref().is_err_and(|run| matches!(run.end, End::OutOfMemory { .. })) {
            let small = inputs.into_iter().filter_map(|input| is_small(terms, input));
            let all: Vec<Term> = conditions.into_iter().chain(small).collect();
            if let Feasible::Yes(model) = feasible(solver, &all, budget) {
                followed = follow(&model);
            }
        }
        followed.map_err(|run| Caveat::NotReplayed(not_a_violation(task, &run)))
    }
}

/// Inputs up to this are small.
const SMALL: u128 = 0xffff;

fn is_small(terms: &Terms, input: Term) -> Option<Term> {
    match terms.sort(input) {
        Sort::Bv(width) if width > 16 => Some(terms.bv_ule(input, terms.bv(width, SMALL))),
        _ => None,
    }
}

/// The terms of a log: what decides which way it was taken, and the inputs.
pub fn log_terms(path: &Path) -> Vec<Term> {
    let mut found = Vec::new();
    visit_log(path, |node| match node {
        Logged::Input { value, .. } => found.push(*value),
        Logged::Merge { guard, .. } => found.push(*guard),
    });
    found
}

/// Every node of a log, once.
fn visit_log(path: &Path, mut visit: impl FnMut(&Logged)) {
    let mut seen = std::collections::HashSet::new();
    let mut open: Vec<Rc<Logged>> = path.log.iter().cloned().collect();
    while let Some(node) = open.pop() {
        if !seen.insert(Rc::as_ptr(&node)) {
            continue;
        }
        visit(&node);
        match &*node {
            Logged::Input { before, .. } => open.extend(before.iter().cloned()),
            Logged::Merge { then, otherwise, .. } => open.extend(then.iter().chain(otherwise).cloned()),
        }
    }
}
