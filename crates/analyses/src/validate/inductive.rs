//! Whether the facts of a witness are the whole argument: they hold when each loop is met first, every block from one loop to the next
//! preserves them, and they leave no error in any block. Then they hold always, and nothing needs to be searched for.
//!
//! Says yes or nothing: facts that are too weak for this may still hold.

use std::collections::BTreeMap;
use std::time::Duration;

use tandem_artifact::Verdict;
use tandem_base::{Budget, StopReason};
use tandem_cfa::expression::{Context, Formula, Names, parse_formula};
use tandem_cfa::{NodeId, Program};
use tandem_cpa::{Flow, Point};
use tandem_smt::{Answer, Solver, Term, Terms};

use super::formula::is_total;
use super::invariants::Fact;
use crate::blocks::{Block, Blocks};
use crate::formula::{Formulas, Path};
use crate::induction::from_intervals;
use crate::query::{PathSolver, solver};
use crate::undefined::{first_feasible, sift};
use crate::{Outcome, Task};

/// Whether the facts prove the property and themselves by induction.
pub fn are_inductive(task: Task<'_>, facts: &[Fact], budget: &Budget) -> bool {
    let mut program = task.program.clone();
    let Some(formulas) = formulas_by_node(&mut program, facts) else { return false };
    let proved = Task { program: &program, exchange: None, ..task };
    let functions = task.error.functions();
    // The facts are to hold on every run, not only on those that might come to an error.
    let Some(flow) = Flow::new(&program, &functions, task.error.includes_assert()) else { return false };
    let mut flow = flow.whole();
    let terms = Terms::new();
    let blocks = Blocks::new(&flow, Formulas::new(&terms, ""));
    let mut induction = Induction { solver: solver(&terms), terms, blocks, known: BTreeMap::new() };
    let Ok(Some(in_bounds)) = induction.run(&mut flow, &formulas, budget) else { return false };
    let mut outcome = Outcome::new("induction", None, budget.exhausted(), Vec::new());
    outcome.in_bounds = in_bounds;
    sift(proved, outcome, Duration::ZERO, budget).verdict == Verdict::True
}

/// The facts at each node; nothing if one of them is about something else than all visits of a node, or may be undefined.
fn formulas_by_node(program: &mut Program, facts: &[Fact]) -> Option<BTreeMap<NodeId, Vec<Formula>>> {
    let names = Names::of(program);
    let mut all: BTreeMap<NodeId, Vec<Formula>> = BTreeMap::new();
    for fact in facts {
        let context = Context { names: &names, function: fact.spot.function, at: fact.spot.scope, result: None };
        let formula = parse_formula(program, context, &fact.text).ok()?;
        let plain = fact.spot.except.is_empty() && !fact.spot.ambiguous && is_total(program, &formula);
        plain.then_some(())?;
        let here = all.entry(fact.spot.node).or_default();
        match formula {
            Formula::And(parts) => here.extend(parts),
            other => here.push(other),
        }
    }
    Some(all)
}

struct Induction<'a> {
    terms: Terms,
    solver: PathSolver,
    blocks: Blocks<'a>,
    /// What holds at each cut point: the facts, and bounds from the interval analysis.
    known: BTreeMap<Point, Vec<Term>>,
}

impl<'a> Induction<'a> {
    /// Nothing: there is no proof. Otherwise whether no run leaves an object.
    fn run(
        &mut self,
        flow: &mut Flow<'a>,
        formulas: &BTreeMap<NodeId, Vec<Formula>>,
        budget: &Budget,
    ) -> Result<Option<bool>, StopReason> {
        // Where the program starts at the head of a loop, the first visit is the end of no block.
        if formulas.contains_key(&flow.start().node) || formulas.keys().any(|node| !flow.is_head(*node)) {
            return Ok(None);
        }
        let Ok(first) = self.blocks.first(flow, budget)? else { return Ok(None) };
        let Some(points) = self.blocks.cut_points(flow, &first, 0, budget)? else { return Ok(None) };
        let mut facts: BTreeMap<Point, Vec<Term>> = BTreeMap::new();
        for point in &points {
            let here = formulas.get(&point.node).map_or(&[][..], Vec::as_slice);
            let Some(terms) = self.terms_at(flow, *point, here) else { return Ok(None) };
            facts.insert(*point, terms);
        }
        self.known = facts.clone();
        // These are a fixpoint already, and need not be shown again.
        for (point, bounds) in from_intervals(&mut self.blocks.executor.domain, flow, budget) {
            self.known.entry(point).or_default().extend(bounds);
        }
        if !self.holds_behind(&first, None, &facts, budget) {
            return Ok(None);
        }
        let mut inside = self.stays_inside(&first, &[], budget);
        for point in &points {
            let block = self.blocks.block(flow, *point, budget)?;
            if !self.holds_behind(&block, Some(*point), &facts, budget) {
                return Ok(None);
            }
            let known = self.known.get(point).cloned().unwrap_or_default();
            inside = inside && self.stays_inside(&block, &known, budget);
        }
        Ok(Some(inside && !self.blocks.executor.unclear_bounds))
    }

    /// The facts about a state of which nothing is known; nothing if they speak of more than the state.
    fn terms_at(&mut self, flow: &Flow<'a>, point: Point, formulas: &[Formula]) -> Option<Vec<Term>> {
        let mut all = Vec::new();
        for formula in formulas {
            let term = self.term(flow, point, formula)?;
            let keys = &self.blocks.executor.domain.start_keys;
            let free = self.terms.free_variables(&[term]);
            free.iter().all(|symbol| keys.contains_key(symbol)).then_some(())?;
            all.push(term);
        }
        Some(all)
    }

    fn term(&mut self, flow: &Flow<'a>, point: Point, formula: &Formula) -> Option<Term> {
        match formula {
            Formula::Atom(expr) => {
                let mut store = self.blocks.executor.anywhere(flow, point, Path::default());
                let term = self.blocks.executor.truth(&mut store, *expr).ok()?;
                (store.path.length() == 0).then_some(term)
            }
            Formula::Not(inner) => self.term(flow, point, inner).map(|term| self.terms.not(term)),
            Formula::And(parts) | Formula::Or(parts) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|part| self.term(flow, point, part)).collect();
                let parts = parts?;
                Some(if matches!(formula, Formula::And(_)) { self.terms.and(&parts) } else { self.terms.or(&parts) })
            }
        }
    }

    /// Whether a block has no error and nothing that is not modelled, and the facts hold at its ends.
    fn holds_behind(
        &mut self,
        block: &Block,
        from: Option<Point>,
        facts: &BTreeMap<Point, Vec<Term>>,
        budget: &Budget,
    ) -> bool {
        let known = from.and_then(|from| self.known.get(&from)).cloned().unwrap_or_default();
        let errors = block.errors.iter().map(|error| error.path.conditions());
        let exits: Vec<Vec<Term>> = errors.chain(block.gaps.iter().map(|gap| gap.path.conditions())).collect();
        for conditions in exits {
            if !self.is_impossible(&known, conditions, budget) {
                return false;
            }
        }
        for (to, store) in &block.ends {
            let wanted = facts.get(to).cloned().unwrap_or_default();
            if wanted.is_empty() {
                continue;
            }
            let meaning = self.blocks.meaning(store, &wanted);
            let there = self.terms.substitute_all(&wanted, &meaning);
            let mut conditions = store.path.conditions();
            conditions.push(self.terms.not(self.terms.and(&there)));
            if !self.is_impossible(&known, conditions, budget) {
                return false;
            }
        }
        true
    }

    fn is_impossible(&mut self, known: &[Term], mut conditions: Vec<Term>, budget: &Budget) -> bool {
        conditions.extend(known);
        self.solver.check(&conditions, budget) == Answer::Unsat
    }

    fn stays_inside(&mut self, block: &Block, known: &[Term], budget: &Budget) -> bool {
        first_feasible(&self.terms, &mut self.solver, known, &block.beyond, budget).are_kept()
    }
}
