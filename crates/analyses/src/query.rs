//! Questions to a solver about paths, and the way from a model back to the inputs of a run.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use tandem_artifact::{Caveat, Violation};
use tandem_base::Budget;
use tandem_cfa::EdgeId;
use tandem_cfa::exec::{InputSource, Inputs, Request};
use tandem_smt::layers::{Cache, Slicing};
use tandem_smt::{Answer, AutoSolver, Evaluator, Model, Solver, Term, Terms};

use crate::Task;
use crate::formula::{Logged, Path};
use crate::replay::{ended_otherwise, replay};

/// The solver that the analyses use.
pub type PathSolver = Cache<Slicing<AutoSolver>>;

pub fn solver(terms: &Terms) -> PathSolver {
    Cache::new(Slicing::new(AutoSolver::new(terms)))
}

/// What a solver says about a set of conditions.
pub enum Feasible {
    Yes(Box<Model>),
    No,
    Unknown(String),
}

pub fn feasible(solver: &mut dyn Solver, conditions: &[Term], budget: &Budget) -> Feasible {
    match solver.check(conditions, budget) {
        Answer::Sat => Feasible::Yes(Box::new(solver.model())),
        Answer::Unsat => Feasible::No,
        Answer::Unknown(reason) => Feasible::Unknown(reason.to_string()),
    }
}

/// The inputs of a path under a model, in the order in which they are taken.
pub fn inputs_of(terms: &Terms, path: &Path, model: &Model) -> Vec<(InputSource, EdgeId, u128)> {
    let mut evaluator = Evaluator::new(terms, model);
    let mut inputs = Vec::new();
    let mut at: Option<Rc<Logged>> = path.log.clone();
    while let Some(node) = at {
        at = match &*node {
            Logged::Input { before, value, source, edge } => {
                let bits = evaluator.value(*value).as_bits().and_then(|bits| bits.small()).unwrap_or(0);
                inputs.push((*source, *edge, bits));
                before.clone()
            }
            Logged::Merge { guard, then, otherwise } => match evaluator.value(*guard).as_bool() {
                Some(true) => then.clone(),
                Some(false) | None => otherwise.clone(),
            },
        };
    }
    inputs.reverse();
    inputs
}

/// Inputs of a path, given out as the interpreter asks for them.
pub struct PathInputs<'a> {
    functions: VecDeque<(EdgeId, u128)>,
    variables: HashMap<&'a str, VecDeque<u128>>,
    memory: VecDeque<(EdgeId, u128)>,
}

impl<'a> PathInputs<'a> {
    pub fn new(task: Task<'a>, inputs: &[(InputSource, EdgeId, u128)]) -> PathInputs<'a> {
        let mut all = PathInputs { functions: VecDeque::new(), variables: HashMap::new(), memory: VecDeque::new() };
        for (source, edge, bits) in inputs {
            match source {
                InputSource::Function(_) => all.functions.push_back((*edge, *bits)),
                InputSource::Variable(variable) => {
                    let name = &*task.program.variables[*variable].name;
                    all.variables.entry(name).or_default().push_back(*bits);
                }
                InputSource::Memory | InputSource::NoResult => all.memory.push_back((*edge, *bits)),
            }
        }
        all
    }
}

/// The next value that was asked for on this edge.
fn take(queue: &mut VecDeque<(EdgeId, u128)>, edge: EdgeId) -> u128 {
    let at = queue.iter().take(64).position(|(other, _)| *other == edge);
    at.and_then(|at| queue.remove(at)).map_or(0, |(_, bits)| bits)
}

impl Inputs for PathInputs<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        take(&mut self.functions, request.edge)
    }

    fn uninitialised(&mut self, request: Request<'_>) -> u128 {
        match self.variables.get_mut(request.name).and_then(VecDeque::pop_front) {
            Some(bits) => bits,
            None => take(&mut self.memory, request.edge),
        }
    }
}

/// Replays the path of a model. What cannot be followed is a caveat, never an alarm.
pub fn confirm(
    task: Task<'_>,
    terms: &Terms,
    path: &Path,
    model: &Model,
    budget: &Budget,
) -> Result<Violation, Caveat> {
    let inputs = inputs_of(terms, path, model);
    replay(task, &mut PathInputs::new(task, &inputs), budget)
        .map_err(|run| Caveat::NotReplayed(ended_otherwise(&run.end)))
}
