//! Symbolic execution: one store for each path, and the solver says which paths there are. Ends when all paths have ended: then
//! every path was looked at, and that is a proof.

use std::rc::Rc;

use tandem_artifact::{Caveat, SolverGap, Violation};
use tandem_base::{Budget, StopReason};
use tandem_cfa::EdgeId;
use tandem_cpa::{Analysis, Callees, Flow, Found, Mode, Point, Reached, Search, StateId, Step, begin, explore_until};
use tandem_smt::{Answer, Model, Solver, Term, Terms, UnknownReason};

use crate::arg::graph_of;
use crate::blocks::unmodelled;
use crate::bmc::no_entry;
use crate::export::export;
use crate::formula::{Formulas, Path};
use crate::paths::decisions_of;
use crate::query::{PathSolver, confirm, solver, solver_gap};
use crate::registry::{AnalysisEntry, AnalysisFunction, AnalysisLimit, Approximation, ContributionKind};
use crate::store::{Executor, Store};
use crate::undefined::{Bounds, first_feasible};
use crate::{Outcome, Task};

/// A path: its store, and values of the inputs that take it, if they are known. Empty once it was followed.
#[derive(Clone)]
pub struct State {
    store: Option<Rc<Store<Formulas>>>,
    model: Option<Rc<Model>>,
    /// How much of the path the solver has seen.
    checked: u32,
}

/// Who takes over a part of the paths of a search that is under way.
pub trait Share: Sync {
    /// Whether somebody wants a part.
    fn is_wanted(&self) -> bool;

    /// How many paths must be put aside for a part to be taken of them; two or more.
    fn least(&self) -> usize;

    /// The paths that begin with these decisions are no longer looked at here. With none, there is nothing to give (now).
    fn give(&self, beginnings: Vec<Vec<u32>>);

    /// Whether paths that have come into this mode of the observer may be given away.
    fn may_give(&self, mode: Mode) -> bool;

    /// Whether a path that comes into this mode of the observer is known to be taken by some inputs.
    fn is_known(&self, mode: Mode) -> bool;
}

pub struct Symbolic<'a> {
    share: Option<&'a dyn Share>,
    pub executor: Executor<'a, Formulas>,
    solver: PathSolver,
    budget: Budget,
    caveats: Vec<Caveat>,
    stopped: Option<StopReason>,
    questions: u64,
    /// Whether undefined operations are looked for as they are met, and the search ends with the first.
    seeks_undefined: bool,
}

impl State {
    /// What is known on the path, unless it was followed already.
    pub fn store(&self) -> Option<&Store<Formulas>> {
        self.store.as_deref()
    }
}

impl<'a> Symbolic<'a> {
    pub fn new(flow: &Flow<'a>, terms: &Terms, budget: &Budget) -> Symbolic<'a> {
        Symbolic {
            share: None,
            executor: Executor::new(flow, Formulas::new(terms, "")),
            solver: solver(terms),
            budget: budget.clone(),
            caveats: Vec::new(),
            stopped: None,
            questions: 0,
            seeks_undefined: false,
        }
    }
}

impl Symbolic<'_> {
    fn caveat(&mut self, caveat: Caveat) {
        if self.caveats.len() < 100 && !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
    }

    /// Whether some inputs take the path; if the solver cannot say, they may.
    fn is_feasible(&mut self, path: &Path, state: &mut State) -> bool {
        let terms = &self.executor.domain.terms;
        if let Some(model) = &state.model {
            if path.since(state.checked).all(|condition| terms.holds(condition, model)) {
                return true;
            }
        }
        let conditions = path.conditions();
        self.questions += 1;
        match self.solver.check(&conditions, &self.budget) {
            Answer::Sat => {
                state.model = Some(Rc::new(self.solver.model()));
                true
            }
            Answer::Unsat => false,
            Answer::Unknown(reason) => {
                if let UnknownReason::Stopped(reason) = reason {
                    self.stopped = Some(reason);
                }
                state.model = None;
                true
            }
        }
    }
}

impl Symbolic<'_> {
    /// Whether a run carries out one of the undefined operations that were just met; then the search is over.
    fn seek_undefined(&mut self, state: &State) {
        for operation in std::mem::take(&mut self.executor.beyond) {
            let mut path = operation.path;
            path.assumed = operation.when.map_or(path.assumed.clone(), |when| {
                let mut guarded = path.clone();
                guarded.assume(when);
                guarded.assumed
            });
            let mut scratch = state.clone();
            let is_feasible = self.is_feasible(&path, &mut scratch);
            if is_feasible && scratch.model.is_some() {
                self.caveat(Caveat::Undefined { what: operation.what.to_string(), at: operation.at });
                self.budget.cancel.raise();
            } else if is_feasible {
                self.caveat(Caveat::Solver(SolverGap::Incomplete("whether an operation is undefined".into())));
            }
        }
    }
}

impl Analysis for Symbolic<'_> {
    type State = State;

    fn start(&mut self, flow: &Flow<'_>) -> State {
        let store = match self.executor.start(flow, Path::default()) {
            Ok(store) => Some(Rc::new(store)),
            Err(end) => {
                let at = self.executor.place();
                self.caveat(Caveat::Unsupported { what: end.start_gap(), at });
                None
            }
        };
        State { store, model: Some(Rc::new(Model::default())), checked: 0 }
    }

    fn step(&mut self, flow: &Flow<'_>, state: &State, step: &Step, out: &mut Vec<State>) {
        self.last_step(flow, state.clone(), step, out);
    }

    fn last_step(&mut self, flow: &Flow<'_>, mut state: State, step: &Step, out: &mut Vec<State>) {
        let Some(store) = state.store.take() else { return };
        let mut next = Rc::unwrap_or_clone(store);
        let stepped = self.executor.step(flow, &mut next, step);
        if self.seeks_undefined {
            self.seek_undefined(&state);
        }
        match stepped {
            Ok(()) => out.push(State { store: Some(Rc::new(next)), ..state }),
            Err(end) => {
                let at = self.executor.place();
                if let Some(what) = end.gap().filter(|_| self.is_feasible(&next.path, &mut state)) {
                    self.caveat(Caveat::Unsupported { what, at });
                }
            }
        }
    }

    fn adjust(&mut self, _: &Flow<'_>, mut state: State, at: Point) -> Option<State> {
        if self.share.is_some_and(|share| share.is_known(at.mode)) {
            return Some(state);
        }
        let store = state.store.clone()?;
        let length = store.path.length();
        if length > state.checked {
            if !self.is_feasible(&store.path, &mut state) {
                return None;
            }
            state.checked = length;
        }
        Some(state)
    }

    fn covers(&mut self, _: &State, _: &State) -> bool {
        false
    }

    fn may_cover(&self, _: &Flow<'_>, _: Point) -> bool {
        false
    }

    fn expanded(&mut self, state: &mut State) {
        *state = State { store: None, model: None, checked: 0 };
    }

    fn callees(&mut self, _: &Flow<'_>, state: &State, edge: EdgeId) -> Callees {
        match &state.store {
            Some(store) => self.executor.callees(store, edge),
            None => Callees::These(Vec::new()),
        }
    }
}

/// The search that prefers locations that were visited least.
pub const ENTRY: AnalysisEntry = AnalysisEntry {
    default_share: 2,
    ..entry(
        "symbolic",
        "symbolic execution: one store of terms for each path, and the solver says which paths there are",
        |task, share, budget| symbolic_shared(task, Search::LeastVisited, share, budget),
    )
};

pub const DEPTH_FIRST_ENTRY: AnalysisEntry =
    entry("symbolic-dfs", "symbolic execution, depth first", |task, share, budget| {
        symbolic_shared(task, Search::DepthFirst, share, budget)
    });

pub const BREADTH_FIRST_ENTRY: AnalysisEntry =
    entry("symbolic-bfs", "symbolic execution, breadth first", |task, share, budget| {
        symbolic_shared(task, Search::BreadthFirst, share, budget)
    });

/// What is the same for all orders in which paths are searched.
const fn entry(name: &'static str, about: &'static str, run: AnalysisFunction) -> AnalysisEntry {
    AnalysisEntry {
        name,
        about,
        reads: &[ContributionKind::SettledPaths, ContributionKind::Goals],
        gives: &[ContributionKind::SettledPaths, ContributionKind::Goals],
        hands_over_paths: true,
        follows_whole_program: false,
        approximation: Approximation::Both,
        limits: &[AnalysisLimit {
            name: "paths that are named",
            value: NAMED as u64,
            unit: "paths",
            about: "how many of the paths that wait are named to be given away at once",
        }],
        default_share: 0,
        run,
    }
}

pub fn symbolic(task: Task<'_>, search: Search, budget: &Budget) -> Outcome {
    symbolic_shared(task, search, None, budget)
}

/// Symbolic execution that looks for undefined operations, and ends with the first that some run carries out. The budget is
/// cancelled then.
pub fn symbolic_undefined(task: Task<'_>, budget: &Budget) -> Outcome {
    search_paths(task, Search::LeastVisited, None, true, budget)
}

/// The same, but whoever wants a part of the paths gets one.
pub fn symbolic_shared<'a>(task: Task<'a>, search: Search, share: Option<&'a dyn Share>, budget: &Budget) -> Outcome {
    search_paths(task, search, share, false, budget)
}

fn search_paths<'a>(
    task: Task<'a>,
    search: Search,
    share: Option<&'a dyn Share>,
    seeks_undefined: bool,
    budget: &Budget,
) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new("symbolic", None, None, vec![no_entry()]);
    };
    let terms = Terms::new();
    let mut analysis = Symbolic { share, seeks_undefined, ..Symbolic::new(&flow, &terms, budget) };
    let mut reached = begin(&mut analysis, &flow, search);
    let mut violation = None;
    let stopped = loop {
        // Whoever wants a part is heard when all that waits has been put aside.
        let is_wanted = |_: &Flow<'_>, reached: &Reached<State>, _: StateId| {
            let others = |share: &dyn Share| share.least().saturating_sub(1 + reached.deferred.len());
            share.is_some_and(|share| share.is_wanted() && reached.waits_for(others(share)))
        };
        match explore_until(&mut analysis, &mut flow, &mut reached, is_wanted, budget) {
            Found::Everything if !reached.deferred.is_empty() => {
                if let Some(share) = share.filter(|share| share.is_wanted()) {
                    give(task, &mut reached, share);
                }
                reached.resume();
            }
            Found::Everything => break analysis.stopped,
            Found::Stopped(reason) => break Some(reason),
            Found::Unsupported(_, step) => {
                let (what, at) = unmodelled(&flow, &step);
                analysis.caveat(Caveat::Unsupported { what, at });
            }
            Found::Target(id) => {
                let state = reached.entries[id].state.clone();
                match follow(&mut analysis, task, &terms, state, budget) {
                    Ok(found) => {
                        violation = Some(found);
                        break None;
                    }
                    Err(caveat) => analysis.caveat(caveat),
                }
            }
        }
    };
    let mut is_clear = true;
    if violation.is_none() && stopped.is_none() {
        let beyond = std::mem::take(&mut analysis.executor.beyond);
        let found = first_feasible(&terms, &mut analysis.solver, &[], &beyond, budget);
        is_clear = !matches!(found, Bounds::Unclear);
        analysis.caveats.extend(found.caveat());
        if let Some(finding) = task.finding {
            finding.note(&analysis.caveats);
        }
    }
    let mut outcome = Outcome::new("symbolic", violation, stopped, std::mem::take(&mut analysis.caveats));
    outcome.gia = export(task, &flow, &reached, &outcome.caveats);
    outcome.arg = graph_of(task, &flow, &reached);
    outcome.statistics.insert("states", reached.entries.len() as u64);
    outcome.in_bounds = is_clear && !analysis.executor.unclear_bounds;
    outcome.statistics.insert("questions", analysis.questions);
    outcome
}

/// Paths that are named to be given away, at most.
const NAMED: usize = 512;

/// Gives away half of the paths that are put aside: of each two neighbours one, the first included, since the first often has most
/// behind it.
fn give(task: Task<'_>, reached: &mut Reached<State>, share: &dyn Share) {
    // To name a path takes as long as the path: nobody waits for that if there is nothing to give.
    if reached.deferred.len() < share.least() {
        return share.give(Vec::new());
    }
    let decisions = |id: StateId| {
        let path = reached.path_to(id);
        let each = path.iter().map(|(_, step)| decisions_of(task.program, step));
        Some(each.collect::<Option<Vec<_>>>()?.concat())
    };
    let waiting = reached.deferred.iter().copied().filter(|id| share.may_give(reached.entries[*id].point.mode));
    let waiting = waiting.take(NAMED);
    let mut known: Vec<(Vec<u32>, StateId)> = waiting.filter_map(|id| Some((decisions(id)?, id))).collect();
    known.sort();
    // The decisions say which path it is: two that wait begin differently. If they did not, both would stay.
    let is_beginning = |at: usize| known.get(at + 1).is_some_and(|(next, _)| next.starts_with(&known[at].0));
    let has_beginning = |at: usize| at > 0 && known[at].0.starts_with(&known[at - 1].0);
    let alone = if reached.deferred.len() > known.len() { 0 } else { 1 };
    let given =
        (0..known.len()).step_by(2).filter(|at| known.len() > alone && !is_beginning(*at) && !has_beginning(*at));
    let given: Vec<usize> = given.collect();
    share.give(given.iter().map(|at| known[*at].0.clone()).collect());
    let gone: std::collections::HashSet<StateId> = given.iter().map(|at| known[*at].1).collect();
    for id in &gone {
        reached.remove(*id);
    }
    reached.deferred.retain(|id| !gone.contains(id));
}

/// Replays the path of a state.
fn follow(
    analysis: &mut Symbolic<'_>,
    task: Task<'_>,
    terms: &Terms,
    state: State,
    budget: &Budget,
) -> Result<Violation, Caveat> {
    let Some(store) = state.store else { return Err(Caveat::NotReplayed("the path was lost".into())) };
    let conditions: Vec<Term> = store.path.conditions();
    let model = match state.model {
        Some(model) => model,
        None => match analysis.solver.check(&conditions, budget) {
            Answer::Sat => Rc::new(analysis.solver.model()),
            Answer::Unsat => return Err(Caveat::NotReplayed("no inputs take the path".into())),
            Answer::Unknown(reason) => return Err(Caveat::Solver(solver_gap(reason))),
        },
    };
    confirm(task, terms, &mut analysis.solver, &store.path, &model, budget)
}
