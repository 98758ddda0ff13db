//! One path, followed with terms: what the states on it have to meet so that it can be taken, and what is asked of them besides.
//!
//! The conditions of branches are collected and not assumed, so that a path can be followed that no run takes. Calls of library models
//! have steps inside that are no steps of a path: a path through one is not followed.

use tandem_base::Budget;
use tandem_cfa::expression::Formula;
use tandem_cfa::{EdgeId, Op, Program};
use tandem_cpa::{Callees, Flow, Point, Step, StepKind};
use tandem_smt::{Term, Terms};

use crate::formula::{Formulas, Path};
use crate::query::{Feasible, PathSolver, feasible, solver};
use crate::store::{Executor, PathEnd, Store};

/// A step of a path: its edge, and what is asked of the state after it.
pub struct TrailStep {
    pub edge: EdgeId,
    /// Each is to hold, or not to.
    pub asked: Vec<(Formula, bool)>,
}

/// What is known about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trail {
    /// No state meets what is asked.
    Empty,
    /// Every state that meets what is asked takes the path.
    Always,
    /// Some state meets what is asked, and does not take the path.
    NotAlways,
    Unknown(String),
}

/// Whether the states that meet what is asked on a path take it. `program` has the expressions of the formulas.
pub fn trail(
    program: &Program,
    error_functions: &[&str],
    asserts: bool,
    steps: &[TrailStep],
    budget: &Budget,
) -> Trail {
    let Some(mut flow) = Flow::new(program, error_functions, asserts) else {
        return Trail::Unknown("a program without a main function".into());
    };
    let terms = Terms::new();
    let mut follower = Follower {
        executor: Executor::new(&flow, Formulas::new(&terms, "")),
        solver: solver(&terms),
        terms,
        asked: Vec::new(),
        needed: Vec::new(),
    };
    match follower.follow(&mut flow, steps) {
        Ok(true) => follower.judge(budget),
        // The path cannot be gone on with, whatever was asked so far.
        Ok(false) => {
            follower.needed.push(follower.terms.bool(false));
            match follower.judge(budget) {
                Trail::NotAlways if steps.iter().all(|step| step.asked.is_empty()) => Trail::NotAlways,
                Trail::NotAlways => Trail::Unknown("the path ends before all was asked".into()),
                other => other,
            }
        }
        Err(what) => Trail::Unknown(what),
    }
}

struct Follower<'a> {
    executor: Executor<'a, Formulas>,
    solver: PathSolver,
    terms: Terms,
    /// What is asked of the states.
    asked: Vec<Term>,
    /// What must hold for the path to be taken.
    needed: Vec<Term>,
}

impl<'a> Follower<'a> {
    /// False if the path cannot be gone on with.
    fn follow(&mut self, flow: &mut Flow<'a>, steps: &[TrailStep]) -> Result<bool, String> {
        let start = self.executor.start(flow, Path::default());
        let Some(mut store) = ended(start)? else { return Ok(false) };
        let mut at = flow.start();
        for step in steps {
            at = match self.step(flow, &mut store, at, step.edge)? {
                Some(next) => next,
                None => return Ok(false),
            };
            for (formula, holds) in &step.asked {
                let term = self.formula(&mut store, formula)?;
                self.asked.push(if *holds { term } else { self.terms.not(term) });
            }
        }
        self.needed.extend(store.path.conditions());
        Ok(true)
    }

    fn step(
        &mut self,
        flow: &mut Flow<'a>,
        store: &mut Store<Formulas>,
        mut at: Point,
        edge: EdgeId,
    ) -> Result<Option<Point>, String> {
        while flow.is_exit(at.node) {
            let Some(leave) = self.steps(flow, store, at).into_iter().next() else { return Ok(None) };
            if ended(self.executor.step(flow, store, &leave))?.is_none() {
                return Ok(None);
            }
            at = leave.to;
        }
        let steps = self.steps(flow, store, at);
        let mut fitting = steps.into_iter().filter(|step| step.edge == edge);
        let Some(step) = fitting.next() else { return Err("the path does not follow the program".into()) };
        if fitting.next().is_some() {
            return Err("a call through a pointer to several functions".into());
        }
        if let StepKind::Enter(function) = step.kind
            && flow.program.functions[function].is_library
        {
            return Err(format!("a call of {}", flow.program.functions[function].name));
        }
        if let Op::Assume { condition, truth } = &flow.program.edges[edge].op {
            let Some(term) = ended(self.executor.truth(store, *condition))? else { return Ok(None) };
            self.needed.push(if *truth { term } else { self.terms.not(term) });
        } else if ended(self.executor.step(flow, store, &step))?.is_none() {
            return Ok(None);
        }
        Ok(Some(step.to))
    }

    fn steps(&mut self, flow: &mut Flow<'a>, store: &Store<Formulas>, at: Point) -> Vec<Step> {
        let mut steps = Vec::new();
        let executor = &mut self.executor;
        flow.steps(
            at,
            |edge| if store.frames.is_empty() { Callees::Unknown } else { executor.callees(store, edge) },
            &mut steps,
        );
        steps
    }

    fn formula(&mut self, store: &mut Store<Formulas>, formula: &Formula) -> Result<Term, String> {
        Ok(match formula {
            Formula::Atom(expr) => match ended(self.executor.truth(store, *expr))? {
                Some(term) => term,
                None => return Err("a condition that has no value".into()),
            },
            Formula::Not(inner) => {
                let term = self.formula(store, inner)?;
                self.terms.not(term)
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.push(self.formula(store, part)?);
                }
                if matches!(formula, Formula::And(_)) { self.terms.and(&all) } else { self.terms.or(&all) }
            }
        })
    }

    fn judge(&mut self, budget: &Budget) -> Trail {
        match feasible(&mut self.solver, &self.asked, budget) {
            Feasible::No => return Trail::Empty,
            Feasible::Unknown(reason) => return Trail::Unknown(reason.to_string()),
            Feasible::Yes(_) => {}
        }
        let taken = self.terms.and(&self.needed);
        let mut question = self.asked.clone();
        question.push(self.terms.not(taken));
        match feasible(&mut self.solver, &question, budget) {
            Feasible::No => Trail::Always,
            Feasible::Yes(_) => Trail::NotAlways,
            Feasible::Unknown(reason) => Trail::Unknown(reason.to_string()),
        }
    }
}

/// The result, nothing if the path ends, an error if something is not modelled.
fn ended<T>(result: Result<T, PathEnd>) -> Result<Option<T>, String> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(end) => end.gap().map_or(Ok(None), Err),
    }
}
