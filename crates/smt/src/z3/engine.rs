//! A Z3 session with the terms in it: what is on its stack, and the steps from there to the stack that is wanted.
//!
//! The stack is brought up to date only when a check needs it, so that levels that come back after a pop, or an assumption
//! that is asserted next, are not asserted twice.

use tandem_base::{Budget, FastBuild};

use super::ffi::{Ast, Binary, Kind, Result, Session, Verdict};
use super::translate::{Failure, Translation};
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::Sort;

/// Names for assumptions that a level may hold beyond the ones in use before it is thrown away.
const SPARE_NAMES: usize = 64;

pub struct Engine {
    pub session: Session,
    pub translation: Translation,
    /// What has been asserted, by level; level 0 is the solver's base.
    levels: Vec<Level>,
    /// Names of assumptions, for the level that is [`Level::Named`].
    names: hashbrown::HashMap<Term, Ast, FastBuild>,
    next_name: u32,
}

#[derive(PartialEq, Eq)]
enum Level {
    Asserted(Vec<Term>),
    /// Definitions of assumption names.
    Named,
}

/// What to do for a check: everything translated, so that it needs nothing but the session.
#[derive(Default)]
pub struct Plan {
    pops: u32,
    /// Trees for the level that is on top after the pops.
    top: Vec<Ast>,
    /// Further levels.
    levels: Vec<Vec<Ast>>,
    assumptions: Vec<Ast>,
    renew: bool,
}

impl Engine {
    pub fn new(kind: Kind) -> Result<Engine> {
        Ok(Engine {
            session: Session::new(kind)?,
            translation: Translation::default(),
            levels: vec![Level::Asserted(Vec::new())],
            names: hashbrown::HashMap::default(),
            next_name: 0,
        })
    }

    /// The steps to a stack with these levels and a check under these assumptions, on the solver that is there.
    pub fn plan(
        &mut self,
        terms: &Terms,
        wanted: &[Vec<Term>],
        assumptions: &[Term],
        budget: &Budget,
    ) -> std::result::Result<Plan, Failure> {
        let mut plan = Plan::default();
        let single: Vec<Term>;
        let mut wanted: Vec<&[Term]> = wanted.iter().map(Vec::as_slice).collect();
        let literals = assumptions.iter().all(|&term| is_literal(terms, term));
        if assumptions.len() == 1 && !literals {
            // One assumption is its own core: it needs no name, and may stay if it is asserted next.
            single = assumptions.to_vec();
            wanted.push(&single);
        }
        // Translate first: a failure must not leave the levels in a state that the session is not in.
        for &term in wanted.iter().copied().flatten().chain(assumptions) {
            self.translation.tree(terms, &mut self.session, term, budget)?;
        }
        let named = assumptions.len() > 1 && !literals;
        self.plan_levels(&wanted, named, &mut plan);
        if named {
            self.plan_names(terms, assumptions, &mut plan)?;
        } else if literals {
            plan.assumptions = self.trees(assumptions);
        }
        Ok(plan)
    }

    /// The steps to a check of everything together in a new solver: for tactics, which cannot go on from a stack.
    pub fn plan_fresh(
        &mut self,
        terms: &Terms,
        wanted: &[Vec<Term>],
        assumptions: &[Term],
        budget: &Budget,
    ) -> std::result::Result<Plan, Failure> {
        let all: Vec<Term> = wanted.iter().flatten().chain(assumptions).copied().collect();
        for &term in &all {
            self.translation.tree(terms, &mut self.session, term, budget)?;
        }
        self.forget_stack();
        Ok(Plan { top: self.trees(&all), renew: true, ..Plan::default() })
    }

    /// Carries out a plan.
    pub fn run(&mut self, plan: &Plan, kind: Kind) -> Result<Verdict> {
        if plan.renew {
            self.session.renew_solver(kind)?;
        }
        if plan.pops > 0 {
            self.session.pop(plan.pops)?;
        }
        for &tree in &plan.top {
            self.session.assert(tree)?;
        }
        for level in &plan.levels {
            self.session.push()?;
            for &tree in level {
                self.session.assert(tree)?;
            }
        }
        self.session.check(&plan.assumptions)
    }

    /// After `Unsat` by this plan: which of the assumptions were used.
    pub fn core(&mut self, plan: &Plan, assumptions: &[Term]) -> Result<Vec<Term>> {
        if plan.assumptions.is_empty() {
            return Ok(assumptions.to_vec());
        }
        let used = self.session.core(&plan.assumptions)?;
        Ok(used.into_iter().map(|position| assumptions[position]).collect())
    }

    /// From here on the session's solver is taken to be empty.
    pub fn forget_stack(&mut self) {
        self.levels = vec![Level::Asserted(Vec::new())];
        self.names.clear();
    }

    fn plan_levels(&mut self, wanted: &[&[Term]], named: bool, plan: &mut Plan) {
        let mut same = 0;
        while let (Some(Level::Asserted(have)), Some(&want)) = (self.levels.get(same), wanted.get(same)) {
            if have != want {
                break;
            }
            same += 1;
        }
        // A level that only grew is not taken back.
        let extends = match (self.levels.get(same), wanted.get(same)) {
            (Some(Level::Asserted(have)), Some(want)) => want.starts_with(have),
            _ => false,
        };
        let mut keep = if extends { same + 1 } else { same };
        if named && !extends && same == wanted.len() && self.levels.get(same) == Some(&Level::Named) {
            keep += 1;
        }
        plan.pops = (self.levels.len() - keep) as u32;
        self.levels.truncate(keep);
        if self.levels.last() != Some(&Level::Named) {
            self.names.clear();
        }
        let mut next = same;
        if extends {
            let rest = match &mut self.levels[same] {
                Level::Asserted(have) => {
                    let known = have.len();
                    have.extend_from_slice(&wanted[same][known..]);
                    &wanted[same][known..]
                }
                Level::Named => &[],
            };
            plan.top = self.trees(rest);
            next += 1;
        }
        for &want in wanted.get(next..).unwrap_or_default() {
            plan.levels.push(self.trees(want));
            self.levels.push(Level::Asserted(want.to_vec()));
        }
    }

    /// Names for assumptions that are not literals, defined on a level of their own above the assertions.
    fn plan_names(&mut self, terms: &Terms, assumptions: &[Term], plan: &mut Plan) -> Result<()> {
        let reuse = self.levels.last() == Some(&Level::Named);
        if reuse && self.names.len() > 2 * assumptions.len() + SPARE_NAMES {
            plan.pops += 1;
            self.names.clear();
            plan.levels.push(Vec::new());
        } else if !reuse {
            self.levels.push(Level::Named);
            self.names.clear();
            plan.levels.push(Vec::new());
        }
        for &term in assumptions {
            let tree = self.trees(&[term])[0];
            if is_literal(terms, term) {
                plan.assumptions.push(tree);
                continue;
            }
            if let Some(&name) = self.names.get(&term) {
                plan.assumptions.push(name);
                continue;
            }
            let name = self.name()?;
            let definition = self.session.binary(Binary::Implies, name, tree)?;
            plan.levels.last_mut().unwrap_or(&mut plan.top).push(definition);
            self.names.insert(term, name);
            plan.assumptions.push(name);
        }
        Ok(())
    }

    fn name(&mut self) -> Result<Ast> {
        let sort = self.session.bool_sort()?;
        let decl = self.session.declare(&format!("assumption#{}", self.next_name), &[], sort)?;
        self.next_name += 1;
        self.session.apply(decl, &[])
    }

    fn trees(&self, terms: &[Term]) -> Vec<Ast> {
        terms.iter().filter_map(|&term| self.translation.known(term)).collect()
    }
}

/// What Z3 takes as an assumption: a boolean constant or its negation.
fn is_literal(terms: &Terms, term: Term) -> bool {
    let variable = |term| matches!(terms.op(term), Op::Variable(_)) && terms.sort(term) == Sort::Bool;
    match (terms.op(term), terms.args(term)) {
        (Op::Not, &[inner]) => variable(inner),
        _ => variable(term),
    }
}
