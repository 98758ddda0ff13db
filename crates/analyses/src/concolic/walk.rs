//! Follows the path of a run with terms, and remembers where it could have gone another way.
//!
//! A run is followed from the start or from where it left an earlier one, so that no part of a path is followed twice.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tandem_base::{Budget, FastBuild, Id};
use tandem_cfa::exec::{End, InputSource};
use tandem_cfa::{EdgeId, Program};
use tandem_cpa::{Callees, Flow, Point, Step, StepKind};
use tandem_smt::{Answer, Solver, Sort, Term, Terms};

use crate::formula::{Formulas, Logged, Path};
use crate::query::{PathSolver, inputs_of, solver};
use crate::store::{Executor, Store};

/// Edges of one run that are followed.
const LONGEST: usize = 4_000_000;
/// Other ways that are remembered.
const MOST_WAYS: usize = 4000;

/// A place on a path from which it can be gone on with.
#[derive(Clone)]
pub struct Place {
    store: Rc<Store<Formulas>>,
    at: Point,
    /// Edges up to here.
    index: usize,
    /// A number for the choices up to here.
    choices: u64,
    /// The first edge up to here whose choice depends on memory that was never written, if there is one.
    unclean: Option<usize>,
}

impl Place {
    /// Edges up to here.
    pub fn depth(&self) -> usize {
        self.index
    }
}

/// Another way that a run could have gone.
pub struct Way {
    from: Place,
    /// The step that was not taken; nothing if the place is already the one behind it.
    step: Option<Step>,
    pub edge: EdgeId,
    /// How often the solver has given up on it.
    pub tries: u32,
}

impl Way {
    /// Edges before it.
    pub fn depth(&self) -> usize {
        self.from.index
    }

    /// Whether what comes behind it can count.
    pub fn is_clean(&self) -> bool {
        self.from.unclean.is_none()
    }
}

/// How far a run was followed.
pub struct Followed {
    pub edges: usize,
    /// The first edge whose choice depends on memory that was never written, if there was one.
    pub unclean: Option<usize>,
}

/// What came of trying another way.
pub enum Tried {
    /// These inputs take it; they lead to this place.
    Inputs(Vec<u128>, Place),
    Impossible,
    GaveUp,
}

pub struct Walker<'a> {
    program: &'a Program,
    flow: Flow<'a>,
    executor: Executor<'a, Formulas>,
    solver: PathSolver,
    terms: Terms,
    pub ways: Vec<Way>,
    /// Choices that were made or are among the ways.
    known: HashSet<(u64, EdgeId), FastBuild>,
    /// Symbols of memory that was never written.
    unwritten: HashSet<Term, FastBuild>,
    depends: HashMap<Term, bool, FastBuild>,
}

impl<'a> Walker<'a> {
    /// Nothing if the program has no entry.
    pub fn new(program: &'a Program, error_functions: &[&str], asserts: bool) -> Option<Walker<'a>> {
        let flow = Flow::new(program, error_functions, asserts)?.whole();
        let terms = Terms::new();
        Some(Walker {
            program,
            executor: Executor::new(&flow, Formulas::new(&terms, "")),
            solver: solver(&terms),
            flow,
            terms,
            ways: Vec::new(),
            known: HashSet::default(),
            unwritten: HashSet::default(),
            depends: HashMap::default(),
        })
    }

    /// Terms made so far: a measure of the memory in use.
    pub fn size(&self) -> usize {
        self.terms.len()
    }

    fn start(&mut self) -> Option<Place> {
        let store = self.executor.start(&self.flow, Path::default()).ok()?;
        Some(Place { store: Rc::new(store), at: self.flow.start(), index: 0, choices: 0, unclean: None })
    }

    /// Follows the edges of a run from a place on it, or from the start, as far as the budget allows.
    pub fn follow(&mut self, edges: &[EdgeId], end: &End, from: Option<Place>, budget: &Budget) -> Followed {
        let nothing = Followed { edges: 0, unclean: None };
        let Some(place) = from.or_else(|| self.start()) else { return nothing };
        let Place { store, mut at, index, mut choices, unclean } = place;
        let mut store = (*store).clone();
        let mut followed = Followed { edges: index, unclean };
        for (index, edge) in edges.iter().enumerate().take(LONGEST).skip(index) {
            if index % 64 == 0 && budget.exhausted().is_some() {
                break;
            }
            let path = store.path.clone();
            if !self.leave(&mut store, &mut at) {
                break;
            }
            let Some(step) = self.step_on(&store, at, *edge, edges.get(index + 1).copied()) else { break };
            let branching = self.program.is_branching(*edge);
            let before = branching.then(|| store.clone());
            let is_last = index + 1 == edges.len() && stops_here(end);
            if self.executor.step(&self.flow, &mut store, &step).is_err() {
                break;
            }
            let is_open = store.path.length() > path.length();
            let clean = self.note_unwritten(&path, &store.path);
            if !clean && followed.unclean.is_none() {
                followed.unclean = Some(index);
            }
            let unclean = followed.unclean;
            if is_open && is_last {
                // The run ended here because of a condition that others meet.
                let from = Place { store: Rc::new(store.clone()), at: step.to, index: index + 1, choices, unclean };
                self.add(Way { from, step: None, edge: *edge, tries: 0 });
                break;
            }
            if let Some(before) = before.filter(|_| is_open) {
                let place = Place { store: Rc::new(before), at, index, choices, unclean };
                self.known.insert((choices, *edge));
                // A choice that no test decides has no other way.
                if clean {
                    self.other_ways(&place, *edge);
                }
                choices = mixed(choices, *edge);
            }
            at = step.to;
            followed.edges = index + 1;
        }
        followed
    }

    /// Goes back to the callers of a function that has ended; false if that cannot be followed.
    fn leave(&mut self, store: &mut Store<Formulas>, at: &mut Point) -> bool {
        while self.flow.is_exit(at.node) {
            let Some(leave) = self.steps(store, *at).into_iter().next() else { return false };
            if self.executor.step(&self.flow, store, &leave).is_err() {
                return false;
            }
            *at = leave.to;
        }
        true
    }

    /// The step on an edge; of a call through a pointer, the one to where the run went on.
    fn step_on(&mut self, store: &Store<Formulas>, at: Point, edge: EdgeId, next: Option<EdgeId>) -> Option<Step> {
        let mut fitting: Vec<Step> = self.steps(store, at).into_iter().filter(|step| step.edge == edge).collect();
        if fitting.len() > 1 {
            let entered = next.map(|next| self.program.function_of(next));
            let goes_there = |step: &Step| match step.kind {
                StepKind::Enter(function) => Some(function) == entered,
                _ => false,
            };
            let place = fitting
                .iter()
                .position(goes_there)
                .or_else(|| fitting.iter().position(|step| !matches!(step.kind, StepKind::Enter(_))))?;
            return Some(fitting.swap_remove(place));
        }
        fitting.pop()
    }

    fn steps(&mut self, store: &Store<Formulas>, at: Point) -> Vec<Step> {
        let mut steps = Vec::new();
        let executor = &mut self.executor;
        self.flow.steps(
            at,
            |edge| if store.frames.is_empty() { Callees::Unknown } else { executor.callees(store, edge) },
            &mut steps,
        );
        steps
    }

    fn other_ways(&mut self, place: &Place, taken: EdgeId) {
        for step in self.steps(&place.store.clone(), place.at) {
            if step.edge != taken && self.known.insert((place.choices, step.edge)) {
                let edge = step.edge;
                self.add(Way { from: place.clone(), step: Some(step), edge, tries: 0 });
            }
        }
    }

    fn add(&mut self, way: Way) {
        if self.ways.len() >= MOST_WAYS {
            // Deep ways need the most memory, and are found again behind others.
            let deepest = (0..self.ways.len()).max_by_key(|index| self.ways[*index].depth()).unwrap_or(0);
            self.ways.swap_remove(deepest);
        }
        self.ways.push(way);
    }

    /// Notes new symbols of memory that was never written; whether what was assumed since depends on none.
    fn note_unwritten(&mut self, before: &Path, after: &Path) -> bool {
        let mut log = after.log.clone();
        while let Some(node) = log {
            if before.log.as_ref().is_some_and(|old| Rc::ptr_eq(old, &node)) {
                break;
            }
            log = match &*node {
                Logged::Input { before, value, source, .. } => {
                    if !matches!(source, InputSource::Function(_)) {
                        self.unwritten.insert(*value);
                    }
                    before.clone()
                }
                Logged::Merge { .. } => None,
            };
        }
        if self.unwritten.is_empty() {
            return true;
        }
        let assumed: Vec<Term> = after.since(before.length()).collect();
        !assumed.into_iter().any(|term| self.depends_on_unwritten(term))
    }

    fn depends_on_unwritten(&mut self, term: Term) -> bool {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.depends.contains_key(&top) {
                stack.pop();
                continue;
            }
            let args = self.terms.args(top);
            match args.iter().find(|arg| !self.depends.contains_key(*arg)) {
                Some(open) => stack.push(*open),
                None => {
                    let depends = self.unwritten.contains(&top) || args.iter().any(|arg| self.depends[arg]);
                    self.depends.insert(top, depends);
                    stack.pop();
                }
            }
        }
        self.depends[&term]
    }

    /// Asks for inputs that take a way.
    pub fn attempt(&mut self, way: &Way, budget: &Budget) -> Tried {
        let mut store = (*way.from.store).clone();
        let mut place = way.from.clone();
        if let Some(step) = &way.step {
            if self.executor.step(&self.flow, &mut store, step).is_err() {
                return Tried::Impossible;
            }
            place.at = step.to;
            place.index += 1;
            place.choices = mixed(place.choices, way.edge);
        }
        let mut conditions = store.path.conditions();
        self.add_zeros(&store.path, &mut conditions);
        match self.solver.check(&conditions, budget) {
            Answer::Sat => {
                let model = self.solver.model();
                let inputs = inputs_of(&self.terms, &store.path, &model).into_iter();
                let from_functions = inputs.filter(|(source, ..)| matches!(source, InputSource::Function(_)));
                let values = from_functions.map(|(_, _, bits)| bits).collect();
                place.store = Rc::new(store);
                Tried::Inputs(values, place)
            }
            Answer::Unsat => Tried::Impossible,
            Answer::Unknown(_) => Tried::GaveUp,
        }
    }

    /// Memory that was never written is zero in the interpreter. (Of whole objects that is not said: their elements may be written before they are read.)
    fn add_zeros(&self, path: &Path, conditions: &mut Vec<Term>) {
        if self.unwritten.is_empty() {
            return;
        }
        let mut log = path.log.as_ref();
        while let Some(node) = log {
            log = match &**node {
                Logged::Input { before, value, source, .. } => {
                    if let (false, Sort::Bv(width)) =
                        (matches!(source, InputSource::Function(_)), self.terms.sort(*value))
                    {
                        conditions.push(self.terms.eq(*value, self.terms.bv(width, 0)));
                    }
                    before.as_ref()
                }
                Logged::Merge { .. } => None,
            };
        }
    }

    /// Whether a run comes to the place.
    pub fn is_on(&self, edges: &[EdgeId], place: &Place, edge: EdgeId) -> bool {
        place.index > 0 && edges.get(place.index - 1) == Some(&edge)
    }
}

/// Whether a run that ended so did not do all of its last step.
fn stops_here(end: &End) -> bool {
    match end {
        End::AssumeViolated { .. } | End::Undefined { .. } => true,
        End::Returned(_)
        | End::Exited(_)
        | End::ErrorReached { .. }
        | End::AssertFailed { .. }
        | End::Aborted { .. }
        | End::Unsupported { .. }
        | End::Stopped(_)
        | End::StackOverflow { .. }
        | End::OutOfMemory { .. }
        | End::NoEntry => false,
    }
}

/// A number for choices followed by one more.
fn mixed(choices: u64, edge: EdgeId) -> u64 {
    (choices ^ (edge.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .rotate_left(23)
        .wrapping_mul(0xff51_afd7_ed55_8ccd)
}
