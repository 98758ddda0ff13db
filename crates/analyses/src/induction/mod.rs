//! k-induction: if no run of k blocks from the start reaches an error, and no run of k blocks from anywhere reaches one in its last
//! block, then no run does. "Anywhere" is every state that the auxiliary invariants allow, at every cut point.
//!
//! The invariants are proposed from runs of the program and from its conditions (see `propose`), and kept only if they hold
//! at the start and are preserved by every block, all together: what is handed over is a fixpoint, never an iterate
//! (see `houdini`).

mod affine;
mod arrays;
mod houdini;
mod propose;
mod samples;

use std::collections::BTreeMap;

use tandem_artifact::{Caveat, Verdict, Violation};
use tandem_base::{Budget, StopReason};
use tandem_cpa::{Flow, Point, Reached, Search, begin_at};
use tandem_smt::{Term, Terms};

use crate::blocks::{Block, Blocks, Passed, Unrolling};
use crate::bmc::no_entry;
use crate::exchange::{BoardReader, News};
use crate::formula::Formulas;
use crate::invariant::render_all;
use crate::query::{Feasible, PathSolver, confirm, feasible, solver};
use crate::registry::{AnalysisEntry, AnalysisLimit, Approximation, ContributionKind};
use crate::undefined::first_feasible;
use crate::{Outcome, Task};

pub use houdini::Invariants;
pub use propose::from_intervals;

/// Rounds after which no proof is looked for any more, unless another analysis suggests more invariants; with each the number of blocks grows by one.
const MOST_ROUNDS: u32 = 12;

pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "k-induction",
    about: "invariants from runs and from the program's conditions, then the property by induction over blocks between loop heads",
    reads: &[
        ContributionKind::SettledPaths,
        ContributionKind::Goals,
        ContributionKind::Facts,
        ContributionKind::Precision,
        ContributionKind::Bounds,
    ],
    gives: &[ContributionKind::Goals, ContributionKind::Facts],
    hands_over_paths: false,
    follows_whole_program: false,
    approximation: Approximation::Both,
    limits: &[
        AnalysisLimit {
            name: "largest k",
            value: MOST_ROUNDS as u64 + 1,
            unit: "blocks",
            about: "how many blocks one after the other the step case is about, at last",
        },
        AnalysisLimit {
            name: "time of a question about invariants",
            value: houdini::QUESTION.as_millis() as u64,
            unit: "milliseconds",
            about: "how long the solver may think about whether a block preserves the invariants",
        },
        AnalysisLimit {
            name: "candidates",
            value: propose::MOST as u64,
            unit: "conditions",
            about: "how many invariants are proposed at one loop head",
        },
    ],
    default_share: 4,
    run: |task, _, budget| k_induction(task, budget),
};

pub fn k_induction(task: Task<'_>, budget: &Budget) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new("k-induction", None, None, vec![no_entry()]);
    };
    let terms = Terms::new();
    let blocks = Blocks::new(&flow, Formulas::new(&terms, ""));
    let mut run = Induction {
        task,
        solver: solver(&terms),
        terms,
        blocks,
        caveats: Vec::new(),
        violation: None,
        k: 0,
        invariants: Invariants::default(),
        in_bounds: false,
        reader: BoardReader::new(task),
        facts: Invariants::default(),
        suggested: ByPoint::new(),
        safe_cut_points: 0,
    };
    let stopped = run.run(&mut flow, budget);
    let stopped = match stopped {
        Ok(proved) => {
            if !proved && run.caveats.is_empty() && run.violation.is_none() {
                run.caveats.push(Caveat::Imprecise("no inductive argument was found".into()));
            }
            None
        }
        Err(reason) => Some(reason),
    };
    let mut outcome = Outcome::new("k-induction", run.violation.take(), stopped, std::mem::take(&mut run.caveats));
    outcome.in_bounds = run.in_bounds;
    if outcome.verdict == Verdict::True {
        outcome.invariants = render_all(&flow, &run.blocks.executor.domain, &run.invariants.by_point);
    }
    outcome.statistics.insert("k", u64::from(run.k));
    outcome.statistics.insert("blocks", run.blocks.encoded);
    outcome
}

struct Induction<'a> {
    task: Task<'a>,
    terms: Terms,
    solver: PathSolver,
    blocks: Blocks<'a>,
    caveats: Vec<Caveat>,
    violation: Option<Violation>,
    k: u32,
    /// What the proof rests on.
    invariants: Invariants,
    /// Whether no run leaves an object.
    in_bounds: bool,
    /// What other analyses of the program say: facts, candidates for invariants, and within how many cut points there is no error.
    reader: BoardReader<'a>,
    facts: Invariants,
    suggested: ByPoint,
    safe_cut_points: u32,
}

/// Where the step case starts, and how far it was unrolled.
struct From {
    reached: Reached<Passed>,
    invariant: Vec<Term>,
}

impl<'a> Induction<'a> {
    /// Whether there is a proof.
    fn run(&mut self, flow: &mut Flow<'a>, budget: &Budget) -> Result<bool, StopReason> {
        let first = match self.blocks.first(flow, budget)? {
            Ok(block) => block,
            Err(gap) => {
                self.caveats.push(Caveat::Unsupported { what: gap.what, at: gap.at });
                return Ok(false);
            }
        };
        if self.base_errors(&first, budget)? {
            return Ok(false);
        }
        let points = self.blocks.cut_points(flow, &first, 2, budget)?;
        let Some(points) = points else {
            self.caveats.push(Caveat::Bound("too many places where loops begin".into()));
            return Ok(false);
        };
        let mut rounds = 0;
        loop {
            self.read_news(flow);
            let invariants = houdini::strengthen(self, flow, &first, &points, rounds, budget)?;
            // Without this nothing that was concluded from the blocks is worth anything.
            let complete = self.gaps_are_closed(flow, &points, &invariants, budget)?;
            if complete && self.caveats.is_empty() {
                let facts = &self.facts;
                let own =
                    invariants.by_point.iter().flat_map(|(point, known)| known.iter().map(|term| (*point, *term)));
                let own = own.filter(|(point, term)| !facts.at(*point).contains(term));
                self.reader.post_facts(flow, &self.blocks.executor.domain, own);
            }
            if complete
                && self.step_case(flow, &points, &invariants, 1 + rounds, budget)?
                && self.base(flow, 1 + rounds, budget)?
            {
                self.in_bounds = self.stays_inside(flow, &first, &points, &invariants, budget)?;
                self.invariants = invariants;
                return Ok(self.caveats.is_empty());
            }
            if self.violation.is_some() || !complete {
                return Ok(false);
            }
            rounds += 1;
            self.k = rounds;
            if rounds > MOST_ROUNDS {
                if !self.wait_for_news(flow, budget)? {
                    return Ok(false);
                }
                rounds = 0;
            }
        }
    }

    /// Takes over what other analyses of the program have found out; whether there was anything that may strengthen the invariants.
    fn read_news(&mut self, flow: &mut Flow<'a>) -> bool {
        let mut is_new = false;
        for news in self.reader.news(flow, &mut self.blocks.executor.domain) {
            let (point, term, into) = match news {
                News::Fact(point, term) => (point, term, &mut self.facts.by_point),
                News::Precision(point, term) => (point, term, &mut self.suggested),
                News::SafeCutPoints(count) => {
                    self.safe_cut_points = self.safe_cut_points.max(count);
                    continue;
                }
            };
            let known = into.entry(point).or_default();
            if !known.contains(&term) {
                known.push(term);
                is_new = true;
            }
        }
        is_new
    }

    /// Waits until another analysis says something that may strengthen the invariants; false if none will.
    fn wait_for_news(&mut self, flow: &mut Flow<'a>, budget: &Budget) -> Result<bool, StopReason> {
        while self.reader.wait(budget) {
            if self.read_news(flow) {
                return Ok(true);
            }
        }
        budget.exhausted().map_or(Ok(false), Err)
    }

    /// Whether the invariants allow no access beyond an object.
    fn stays_inside(
        &mut self,
        flow: &mut Flow<'a>,
        first: &Block,
        points: &[Point],
        invariants: &Invariants,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        let mut inside = first_feasible(&self.terms, &mut self.solver, &[], &first.beyond, budget).are_kept();
        inside &= !self.blocks.executor.unclear_bounds;
        for point in points {
            let block = self.blocks.block(flow, *point, budget)?;
            let known = invariants.at(*point);
            inside &= first_feasible(&self.terms, &mut self.solver, known, &block.beyond, budget).are_kept();
        }
        Ok(inside)
    }

    /// Whether the first block has an error that can be reached (or may have: then there is a caveat).
    fn base_errors(&mut self, first: &Block, budget: &Budget) -> Result<bool, StopReason> {
        for error in &first.errors {
            match feasible(&mut self.solver, &error.path.conditions(), budget) {
                Feasible::No => {}
                Feasible::Unknown(reason) => self.caveats.push(Caveat::Solver(reason)),
                Feasible::Yes(model) => {
                    match confirm(self.task, &self.terms, &mut self.solver, &error.path, &model, budget) {
                        Ok(violation) => {
                            self.violation = Some(violation);
                            return Ok(true);
                        }
                        Err(caveat) => self.caveats.push(caveat),
                    }
                }
            }
        }
        for gap in &first.gaps {
            if !matches!(feasible(&mut self.solver, &gap.path.conditions(), budget), Feasible::No) {
                self.caveats.push(Caveat::Unsupported { what: gap.what.clone(), at: gap.at });
            }
        }
        budget.exhausted().map_or(Ok(!self.caveats.is_empty()), Err)
    }

    /// The conditions together with what the invariants say about what they speak of.
    fn with_invariants(&self, mut conditions: Vec<Term>, invariants: &[Term]) -> Vec<Term> {
        let pointer = self.task.program.model().pointer_bits();
        let instances = arrays::instances(&self.terms, pointer, invariants, &conditions);
        conditions.extend(instances);
        conditions
    }

    /// Whether nothing that is not modelled can be reached in a block from a state that the invariants allow.
    fn gaps_are_closed(
        &mut self,
        flow: &mut Flow<'a>,
        points: &[Point],
        invariants: &Invariants,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        for point in points {
            let block = self.blocks.block(flow, *point, budget)?;
            for gap in &block.gaps {
                let conditions = self.with_invariants(gap.path.conditions(), invariants.at(*point));
                if !matches!(feasible(&mut self.solver, &conditions, budget), Feasible::No) {
                    self.caveats.push(Caveat::Unsupported { what: gap.what.clone(), at: gap.at });
                    return budget.exhausted().map_or(Ok(false), Err);
                }
            }
        }
        Ok(true)
    }

    /// Whether from no cut point an error can be reached in the k-th block.
    fn step_case(
        &mut self,
        flow: &mut Flow<'a>,
        points: &[Point],
        invariants: &Invariants,
        k: u32,
        budget: &Budget,
    ) -> Result<bool, StopReason> {
        for point in points {
            if k == 1 {
                let block = self.blocks.block(flow, *point, budget)?;
                for path in block.errors.iter().map(|error| &error.path) {
                    let conditions = self.with_invariants(path.conditions(), invariants.at(*point));
                    if !matches!(feasible(&mut self.solver, &conditions, budget), Feasible::No) {
                        return budget.exhausted().map_or(Ok(false), Err);
                    }
                }
                continue;
            }
            let store = self.blocks.executor.anywhere(flow, *point, Default::default());
            let reached = begin_at(flow, Search::Unrolled, Passed { store, cuts: 0 }, *point);
            let mut from = From { reached, invariant: invariants.at(*point).to_vec() };
            if !self.unroll(flow, &mut from, k, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn unroll(&mut self, flow: &mut Flow<'a>, from: &mut From, k: u32, budget: &Budget) -> Result<bool, StopReason> {
        let mut unrolling = Unrolling::new(&mut self.blocks.executor);
        unrolling.run(flow, &mut from.reached, k, budget)?;
        let errors = unrolling.errors.into_iter().map(|error| (error.path, error.cuts + 1 == k));
        // In earlier blocks there is no error, by assumption; but what is not modelled may be met in any of them.
        let paths = errors.chain(unrolling.gaps.into_iter().map(|gap| (gap.path, true)));
        for (path, _) in paths.filter(|(_, counts)| *counts) {
            let conditions = self.with_invariants(path.conditions(), &from.invariant);
            if !matches!(feasible(&mut self.solver, &conditions, budget), Feasible::No) {
                return budget.exhausted().map_or(Ok(false), Err);
            }
        }
        Ok(true)
    }

    /// Whether no error can be reached in the first k blocks. (If one can, there is a violation or a caveat.)
    fn base(&mut self, flow: &mut Flow<'a>, k: u32, budget: &Budget) -> Result<bool, StopReason> {
        if k == 1 || self.safe_cut_points >= k {
            return Ok(self.caveats.is_empty());
        }
        let Ok(store) = self.blocks.executor.start(flow, Default::default()) else { return Ok(false) };
        let start = flow.start();
        let mut reached = begin_at(flow, Search::Unrolled, Passed { store, cuts: 0 }, start);
        let mut unrolling = Unrolling::new(&mut self.blocks.executor);
        unrolling.run(flow, &mut reached, k, budget)?;
        let (errors, gaps) = (unrolling.errors, unrolling.gaps);
        let block = Block { errors, gaps, ..Block::empty() };
        Ok(!self.base_errors(&block, budget)?)
    }
}

/// Formulas by cut point.
pub type ByPoint = BTreeMap<Point, Vec<Term>>;
