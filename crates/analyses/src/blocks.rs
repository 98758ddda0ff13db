//! Blocks: everything that can happen between two cut points, as formulas. Cut points are the heads of loops and the entries
//! of recursive calls, so a block has no cycle, and it is encoded once, whatever is known where it begins.
//!
//! A block begins in a store of which nothing is known (or where the program begins): its formulas speak about the
//! start symbols of variables and cells ([`StartKey`]) and about inputs. The invariant-based analyses and the predicate
//! analysis are made of blocks.

use std::collections::HashMap;
use std::rc::Rc;

use tandem_base::{Budget, FastBuild, Span, StopReason};
use tandem_cfa::EdgeId;
use tandem_cpa::{
    Analysis, Callees, Flow, Found, Point, Reached, Search, StateId, Step, StepKind, begin_at, explore_until,
};
use tandem_smt::{Term, TermMap};

use crate::formula::{Formulas, Path};
use crate::store::{Beyond, Executor, StartKey, Store};

/// A store, and how many cut points were passed since it began.
#[derive(Clone)]
pub struct Passed {
    pub store: Store<Formulas>,
    pub cuts: u32,
}

/// An error that can be reached in a block.
#[derive(Clone)]
pub struct ErrorEnd {
    pub path: Path,
    pub edge: EdgeId,
    /// Cut points passed before.
    pub cuts: u32,
}

/// Something in a block that is not modelled.
#[derive(Clone)]
pub struct Gap {
    pub path: Path,
    pub what: String,
    pub at: Span,
    pub cuts: u32,
}

/// A step that can be taken in a block, and what is assumed when it is. Steps stand in an order in which they can follow each other.
#[derive(Clone)]
pub struct Seen {
    pub step: Step,
    /// A branch is taken when its condition holds. Of everything else it is enough that it is tried.
    pub path: Path,
    /// Whether the run ends with it.
    pub is_last: bool,
}

/// Everything that can happen from a point to the next cut points.
pub struct Block {
    pub ends: Vec<(Point, Store<Formulas>)>,
    pub errors: Vec<ErrorEnd>,
    pub gaps: Vec<Gap>,
    /// Accesses beyond objects.
    pub beyond: Vec<Beyond<Formulas>>,
    /// The steps, if somebody asked for them.
    pub seen: Vec<Seen>,
}

impl Block {
    /// One in which nothing can happen.
    pub fn empty() -> Block {
        let (ends, errors, gaps, beyond, seen) = Default::default();
        Block { ends, errors, gaps, beyond, seen }
    }
}

/// How many cut points are looked at before giving up: recursion has no end of them.
const CUTS: usize = 400;

/// Encodes blocks.
pub struct Blocks<'a> {
    pub executor: Executor<'a, Formulas>,
    cache: HashMap<Point, Rc<Block>, FastBuild>,
    pub encoded: u64,
    /// Whether the steps of blocks are kept.
    pub keeps_steps: bool,
}

/// Whether a point is where blocks end.
pub fn is_cut(flow: &Flow<'_>, point: Point) -> bool {
    let is_cut = flow.is_head(point.node) || {
        let entry = flow.body(flow.function(point.stack)).is_some_and(|body| body.entry == point.node);
        entry && flow.stacks.instance(point.stack) > 0
    };
    is_cut && flow.may_return(point)
}

impl<'a> Blocks<'a> {
    pub fn new(flow: &Flow<'a>, domain: Formulas) -> Blocks<'a> {
        let mut executor = Executor::new(flow, domain);
        executor.unique_allocations = true;
        Blocks { executor, cache: HashMap::default(), encoded: 0, keeps_steps: false }
    }

    /// The block from the start of the program; nothing if something at the start is not modelled.
    pub fn first(&mut self, flow: &mut Flow<'_>, budget: &Budget) -> Result<Result<Block, Gap>, StopReason> {
        match self.executor.start(flow, Path::default()) {
            Ok(store) => self.explore(flow, flow.start(), store, budget).map(Ok),
            Err(end) => {
                Ok(Err(Gap { path: Path::default(), what: end.start_gap(), at: self.executor.place(), cuts: 0 }))
            }
        }
    }

    /// The block from a cut point.
    pub fn block(&mut self, flow: &mut Flow<'_>, from: Point, budget: &Budget) -> Result<Rc<Block>, StopReason> {
        if let Some(block) = self.cache.get(&from) {
            return Ok(block.clone());
        }
        let store = self.executor.anywhere(flow, from, Path::default());
        let block = Rc::new(self.explore(flow, from, store, budget)?);
        self.cache.insert(from, block.clone());
        Ok(block)
    }

    fn explore(
        &mut self,
        flow: &mut Flow<'_>,
        from: Point,
        store: Store<Formulas>,
        budget: &Budget,
    ) -> Result<Block, StopReason> {
        self.encoded += 1;
        let keeps_steps = self.keeps_steps;
        let mut unrolling = Unrolling { keeps_steps, ..Unrolling::new(&mut self.executor) };
        let mut reached = begin_at(flow, Search::Unrolled, Passed { store, cuts: 0 }, from);
        unrolling.run(flow, &mut reached, 1, budget)?;
        let (errors, gaps, seen) = (unrolling.errors, unrolling.gaps, unrolling.seen);
        let mut ends: Vec<(Point, Store<Formulas>)> = Vec::new();
        for id in &reached.deferred {
            let entry = &reached.entries[*id];
            // Ends at one point are merged if they can be.
            let other = ends.iter().position(|(point, _)| *point == entry.point);
            let merged =
                other.and_then(|at| self.executor.merge(&ends[at].1, &entry.state.store).map(|store| (at, store)));
            match merged {
                Some((at, store)) => ends[at].1 = store,
                None => ends.push((entry.point, entry.state.store.clone())),
            }
        }
        let beyond = std::mem::take(&mut self.executor.beyond);
        Ok(Block { ends, errors, gaps, beyond, seen })
    }

    /// All cut points that blocks lead to; nothing if there are too many, or some lie deeper in recursion than this.
    pub fn cut_points(
        &mut self,
        flow: &mut Flow<'_>,
        first: &Block,
        recursion: u32,
        budget: &Budget,
    ) -> Result<Option<Vec<Point>>, StopReason> {
        let mut points: Vec<Point> = Vec::new();
        let add = |points: &mut Vec<Point>, block: &Block| {
            for (point, _) in &block.ends {
                if !points.contains(point) {
                    points.push(*point);
                }
            }
        };
        add(&mut points, first);
        let mut next = 0;
        while next < points.len() {
            if points.len() > CUTS || flow.stacks.instance(points[next].stack) > recursion {
                return Ok(None);
            }
            let block = self.block(flow, points[next], budget)?;
            add(&mut points, &block);
            next += 1;
        }
        Ok(Some(points))
    }

    /// What start symbols stand for in a store: a map for substitution into formulas about the store.
    pub fn meaning(&mut self, store: &Store<Formulas>, formulas: &[Term]) -> TermMap {
        meaning(&mut self.executor, store, formulas)
    }
}

/// What start symbols stand for in a store: a map for substitution into formulas about the store.
pub fn meaning(executor: &mut Executor<'_, Formulas>, store: &Store<Formulas>, formulas: &[Term]) -> TermMap {
    let symbols = executor.domain.terms.free_variables(formulas);
    let mut map = TermMap::default();
    for symbol in symbols {
        if let Some(key) = executor.domain.start_keys.get(&symbol).copied() {
            let mut scratch = store.clone();
            map.insert(symbol, value_of(executor, &mut scratch, key, symbol));
        }
    }
    map
}

/// The value that a start symbol has in a store. What is undefined there is any value.
fn value_of(executor: &mut Executor<'_, Formulas>, store: &mut Store<Formulas>, key: StartKey, symbol: Term) -> Term {
    let value = executor.start_key_value(store, key);
    let terms = &executor.domain.terms;
    let sort = terms.sort(symbol);
    match value {
        Some(value) if terms.sort(value) == sort => value,
        _ => executor.domain.any_of(sort),
    }
}

/// Follows all paths from a store, merging them, up to a number of cut points.
pub struct Unrolling<'e, 'a> {
    pub executor: &'e mut Executor<'a, Formulas>,
    pub errors: Vec<ErrorEnd>,
    pub gaps: Vec<Gap>,
    pub keeps_steps: bool,
    pub seen: Vec<Seen>,
}

impl<'e, 'a> Unrolling<'e, 'a> {
    pub fn new(executor: &'e mut Executor<'a, Formulas>) -> Unrolling<'e, 'a> {
        Unrolling { executor, errors: Vec::new(), gaps: Vec::new(), keeps_steps: false, seen: Vec::new() }
    }

    fn note(&mut self, flow: &Flow<'_>, step: &Step, before: &Path, after: Option<&Path>) {
        let is_branch = matches!(flow.program.edges[step.edge].op, tandem_cfa::Op::Assume { .. });
        let path = match after {
            Some(after) if is_branch => after.clone(),
            None if is_branch => return,
            Some(_) | None => before.clone(),
        };
        let ends = flow.is_exit(step.to.node) && flow.stacks.call(step.to.stack).is_none();
        let is_last = ends || after.is_none() || matches!(step.kind, StepKind::Error(_));
        self.seen.push(Seen { step: *step, path, is_last });
    }

    /// Expands everything that has passed fewer than `cuts` cut points; the rest is deferred.
    pub fn run(
        &mut self,
        flow: &mut Flow<'_>,
        reached: &mut Reached<Passed>,
        cuts: u32,
        budget: &Budget,
    ) -> Result<(), StopReason> {
        let defer = |_: &Flow<'_>, reached: &Reached<Passed>, id: StateId| reached.entries[id].state.cuts >= cuts;
        loop {
            match explore_until(self, flow, reached, defer, budget) {
                Found::Everything => return Ok(()),
                Found::Stopped(reason) => return Err(reason),
                Found::Target(id) => {
                    let entry = &reached.entries[id];
                    let edge = entry.parents.first().map_or(EdgeId(0), |(_, step)| step.edge);
                    self.errors.push(ErrorEnd { path: entry.state.store.path.clone(), edge, cuts: entry.state.cuts });
                }
                Found::Unsupported(id, step) => {
                    let state = &reached.entries[id].state;
                    let (what, at) = unmodelled(flow, &step);
                    self.gaps.push(Gap { path: state.store.path.clone(), what, at, cuts: state.cuts });
                }
            }
        }
    }
}

/// What is not modelled about a step.
pub fn unmodelled(flow: &Flow<'_>, step: &Step) -> (String, Span) {
    let edge = &flow.program.edges[step.edge];
    let what = match &edge.op {
        tandem_cfa::Op::Unsupported { what } => what.to_string(),
        tandem_cfa::Op::Call { callee: tandem_cfa::Callee::Direct(function), .. } => {
            format!("call of {}", flow.program.functions[*function].name)
        }
        _ => "a call through a pointer whose target is not known".to_string(),
    };
    (what, edge.span)
}

impl Analysis for Unrolling<'_, '_> {
    type State = Passed;

    fn start(&mut self, flow: &Flow<'_>) -> Passed {
        Passed { store: self.executor.anywhere(flow, flow.start(), Path::default()), cuts: 0 }
    }

    fn step(&mut self, flow: &Flow<'_>, state: &Passed, step: &Step, out: &mut Vec<Passed>) {
        let mut next = state.clone();
        let stepped = self.executor.step(flow, &mut next.store, step);
        if self.keeps_steps {
            self.note(flow, step, &state.store.path, stepped.as_ref().ok().map(|_| &next.store.path));
        }
        match stepped {
            Ok(()) => {
                next.cuts += u32::from(!flow.is_found(step) && is_cut(flow, step.to));
                out.push(next);
            }
            Err(end) => {
                let at = self.executor.place();
                if let Some(what) = end.gap() {
                    self.gaps.push(Gap { path: next.store.path, what, at, cuts: state.cuts });
                }
            }
        }
    }

    fn covers(&mut self, _: &Passed, _: &Passed) -> bool {
        false
    }

    fn may_cover(&self, _: &Flow<'_>, _: Point) -> bool {
        false
    }

    fn may_merge(&self) -> bool {
        true
    }

    fn merge(&mut self, old: &Passed, new: &Passed) -> Option<Passed> {
        if old.cuts != new.cuts {
            return None;
        }
        self.executor.merge(&old.store, &new.store).map(|store| Passed { store, cuts: old.cuts })
    }

    fn callees(&mut self, _: &Flow<'_>, state: &Passed, edge: EdgeId) -> Callees {
        self.executor.callees(&state.store, edge)
    }
}
