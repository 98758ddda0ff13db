//! Bounded model checking: the program is unrolled, paths that meet are merged, and the solver is asked whether an error can be
//! reached. The bound grows until nothing is left behind it: then the unrolling is complete, and that is a proof.

use tandem_artifact::{Caveat, SolverGap, Violation};
use tandem_base::{Budget, Span};
use tandem_cfa::EdgeId;
use tandem_cpa::{Analysis, Callees, Flow, Found, Reached, Search, StateId, Step, begin, explore_within};
use tandem_smt::{Term, Terms};

use crate::blocks::{meaning, unmodelled};
use crate::exchange::{BoardReader, News};
use crate::formula::{Formulas, Path};
use crate::induction::ByPoint;
use crate::query::{Feasible, PathSolver, confirm, feasible, solver};
use crate::registry::{AnalysisEntry, Approximation, ContributionKind};
use crate::store::{Executor, Store};
use crate::undefined::{Bounds, first_feasible};
use crate::{Outcome, Task};

pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "bmc",
    about: "bounded model checking: all paths merged, unrolled further and further until nothing is left behind the bound",
    reads: &[ContributionKind::SettledPaths, ContributionKind::Goals, ContributionKind::Facts],
    gives: &[ContributionKind::Goals, ContributionKind::Bounds],
    hands_over_paths: false,
    follows_whole_program: false,
    approximation: Approximation::Both,
    limits: &[],
    default_share: 4,
    run: |task, _, budget| bmc(task, budget),
};

/// The store of all paths to a point.
pub struct Unrolling<'a> {
    pub executor: Executor<'a, Formulas>,
    /// What was met that is not modelled: on which path, and where.
    pub gaps: Vec<(Path, String, Span)>,
}

impl<'a> Unrolling<'a> {
    pub fn new(flow: &Flow<'a>, terms: &Terms) -> Unrolling<'a> {
        let mut executor = Executor::new(flow, Formulas::new(terms, ""));
        executor.unique_allocations = true;
        Unrolling { executor, gaps: Vec::new() }
    }
}

impl Unrolling<'_> {
    fn gap(&mut self, path: &Path, what: String) {
        let place = self.executor.place();
        self.gaps.push((path.clone(), what, place));
    }
}

impl Analysis for Unrolling<'_> {
    type State = Option<Store<Formulas>>;

    fn start(&mut self, flow: &Flow<'_>) -> Self::State {
        match self.executor.start(flow, Path::default()) {
            Ok(store) => Some(store),
            Err(end) => {
                self.gap(&Path::default(), end.start_gap());
                None
            }
        }
    }

    fn step(&mut self, flow: &Flow<'_>, state: &Self::State, step: &Step, out: &mut Vec<Self::State>) {
        let Some(store) = state else { return };
        let mut next = store.clone();
        match self.executor.step(flow, &mut next, step) {
            Ok(()) => out.push(Some(next)),
            Err(end) => {
                // The path as far as it was known before the gap.
                if let Some(what) = end.gap() {
                    self.gap(&next.path.clone(), what);
                }
            }
        }
    }

    fn covers(&mut self, _: &Self::State, _: &Self::State) -> bool {
        false
    }

    fn may_cover(&self, _: &Flow<'_>, _: tandem_cpa::Point) -> bool {
        false
    }

    fn may_merge(&self) -> bool {
        true
    }

    fn merge(&mut self, old: &Self::State, new: &Self::State) -> Option<Self::State> {
        match (old, new) {
            (Some(old), Some(new)) => self.executor.merge(old, new).map(Some),
            _ => None,
        }
    }

    fn callees(&mut self, _: &Flow<'_>, state: &Self::State, edge: EdgeId) -> Callees {
        match state {
            Some(store) => self.executor.callees(store, edge),
            None => Callees::These(Vec::new()),
        }
    }
}

pub fn bmc(task: Task<'_>, budget: &Budget) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new("bmc", None, None, vec![no_entry()]);
    };
    let terms = Terms::new();
    let mut analysis = Unrolling::new(&flow, &terms);
    let reached = begin(&mut analysis, &flow, Search::Unrolled);
    let mut search = Bounded {
        task,
        terms: terms.clone(),
        solver: solver(&terms),
        reached,
        analysis,
        caveats: Vec::new(),
        bound: 1,
        gap_checked: 0,
        is_clear: true,
        reader: BoardReader::new(task),
        facts: ByPoint::new(),
    };
    search.run(&mut flow, budget)
}

pub fn no_entry() -> Caveat {
    Caveat::Unsupported { what: "a program without a main function".into(), at: Span::NONE }
}

struct Bounded<'a> {
    task: Task<'a>,
    terms: Terms,
    solver: PathSolver,
    reached: Reached<Option<Store<Formulas>>>,
    analysis: Unrolling<'a>,
    caveats: Vec<Caveat>,
    bound: u32,
    gap_checked: usize,
    /// Whether the solver could say of every operation whether a run makes it an undefined one.
    is_clear: bool,
    /// What other analyses of the program have proved.
    reader: BoardReader<'a>,
    facts: ByPoint,
}

impl Bounded<'_> {
    fn run(&mut self, flow: &mut Flow<'_>, budget: &Budget) -> Outcome {
        loop {
            let mut errors = Vec::new();
            let stopped = loop {
                match explore_within(&mut self.analysis, flow, &mut self.reached, self.bound, budget) {
                    Found::Everything => break None,
                    Found::Stopped(reason) => break Some(reason),
                    Found::Target(id) => errors.push(id),
                    Found::Unsupported(id, step) => self.unmodelled(flow, id, &step),
                }
            };
            if let Some(violation) = self.check_errors(&errors, budget) {
                return self.outcome(Some(violation), None);
            }
            if stopped.is_some() {
                return self.outcome(None, stopped);
            }
            self.check_gaps(budget);
            self.check_bounds(budget);
            let is_undefined = |caveat: &Caveat| matches!(caveat, Caveat::Undefined { .. });
            if self.task.whole && self.caveats.iter().any(is_undefined) {
                return self.outcome(None, None);
            }
            if self.caveats.is_empty() {
                self.reader.post_safe_cut_points(self.bound);
            }
            self.read_news(flow);
            self.prune(budget);
            if self.reached.deferred.is_empty() {
                let mut outcome = self.outcome(None, None);
                outcome.in_bounds = self.is_clear && !self.analysis.executor.unclear_bounds;
                return outcome;
            }
            self.bound = self.bound.saturating_mul(2).min(self.bound + 64);
            self.reached.resume();
        }
    }

    fn outcome(&mut self, violation: Option<Violation>, stopped: Option<tandem_base::StopReason>) -> Outcome {
        let mut outcome = Outcome::new("bmc", violation, stopped, std::mem::take(&mut self.caveats));
        outcome.statistics.insert("bound", u64::from(self.bound));
        outcome.statistics.insert("states", self.reached.entries.len() as u64);
        outcome.statistics.insert("terms", self.terms.len() as u64);
        outcome
    }

    fn path(&self, id: StateId) -> Option<&Path> {
        self.reached.entries[id].state.as_ref().map(|store| &store.path)
    }

    fn unmodelled(&mut self, flow: &Flow<'_>, id: StateId, step: &Step) {
        let (what, at) = unmodelled(flow, step);
        if let Some(path) = self.path(id).cloned() {
            self.analysis.gaps.push((path, what, at));
        }
    }

    /// Whether one of the errors can be reached: the replayed run.
    fn check_errors(&mut self, errors: &[StateId], budget: &Budget) -> Option<Violation> {
        let paths: Vec<(Path, Term)> = errors
            .iter()
            .filter_map(|id| self.path(*id).cloned())
            .map(|path| {
                let all = self.terms.and(&path.conditions());
                (path, all)
            })
            .collect();
        let mut open: Vec<usize> = (0..paths.len()).collect();
        while !open.is_empty() {
            let any = self.terms.or(&open.iter().map(|index| paths[*index].1).collect::<Vec<_>>());
            match feasible(&mut self.solver, &[any], budget) {
                Feasible::No => break,
                Feasible::Unknown(reason) => {
                    self.caveats.push(Caveat::Solver(reason));
                    break;
                }
                Feasible::Yes(model) => {
                    let holds = |index: &usize| self.terms.holds(paths[*index].1, &model);
                    let Some(at) = open.iter().position(holds) else {
                        let gap = SolverGap::Incomplete("a model that fits no path".into());
                        self.caveats.push(Caveat::Solver(gap));
                        break;
                    };
                    let index = open.remove(at);
                    match confirm(self.task, &self.terms, &mut self.solver, &paths[index].0, &model, budget) {
                        Ok(violation) => return Some(violation),
                        Err(caveat) => self.caveats.push(caveat),
                    }
                }
            }
        }
        None
    }

    /// Gaps on paths that can be taken are caveats.
    fn check_gaps(&mut self, budget: &Budget) {
        for index in self.gap_checked..self.analysis.gaps.len() {
            let (path, what, at) = self.analysis.gaps[index].clone();
            if self
                .caveats
                .iter()
                .any(|caveat| matches!(caveat, Caveat::Unsupported { what: other, .. } if *other == what))
            {
                continue;
            }
            match feasible(&mut self.solver, &path.conditions(), budget) {
                Feasible::No => {}
                Feasible::Yes(_) | Feasible::Unknown(_) => self.caveats.push(Caveat::Unsupported { what, at }),
            }
        }
        self.gap_checked = self.analysis.gaps.len();
    }

    /// Accesses beyond objects on paths that can be taken are caveats.
    fn check_bounds(&mut self, budget: &Budget) {
        let beyond = std::mem::take(&mut self.analysis.executor.beyond);
        if self.caveats.iter().any(|caveat| matches!(caveat, Caveat::Undefined { .. })) {
            return;
        }
        let found = first_feasible(&self.terms, &mut self.solver, &[], &beyond, budget);
        if matches!(found, Bounds::Unclear) {
            self.is_clear = false;
        }
        self.caveats.extend(found.caveat());
        if let Some(finding) = self.task.finding {
            finding.note(&self.caveats);
        }
    }

    /// Takes over what other analyses of the program have proved.
    fn read_news(&mut self, flow: &mut Flow<'_>) {
        for news in self.reader.news(flow, &mut self.analysis.executor.domain) {
            match news {
                News::Fact(point, term) => self.facts.entry(point).or_default().push(term),
                News::Precision(..) | News::SafeCutPoints(_) => {}
            }
        }
    }

    /// What is known to hold in a state that waits at the bound.
    fn facts_at(&mut self, id: StateId) -> Vec<Term> {
        let entry = &self.reached.entries[id];
        let (Some(facts), Some(store)) = (self.facts.get(&entry.point), &entry.state) else { return Vec::new() };
        let meaning = meaning(&mut self.analysis.executor, store, facts);
        self.terms.substitute_all(facts, &meaning)
    }

    /// Forgets deferred states that no run can reach.
    fn prune(&mut self, budget: &Budget) {
        for id in std::mem::take(&mut self.reached.deferred) {
            let mut conditions = self.path(id).map(Path::conditions).unwrap_or_default();
            conditions.extend(self.facts_at(id));
            match feasible(&mut self.solver, &conditions, budget) {
                Feasible::No => self.reached.remove(id),
                Feasible::Yes(_) | Feasible::Unknown(_) => self.reached.deferred.push(id),
            }
        }
    }
}
