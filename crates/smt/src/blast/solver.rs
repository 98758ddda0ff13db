//! The solver: a stack of levels, each behind a literal that is assumed while the level lives.
//!
//! Nothing is translated before a check needs it, so that translation too runs under the budget of the check.

use tandem_base::Budget;

use super::assignment::Assignment;
use super::cnf::Encoder;
use super::graph::Edge;
use super::model::{self, Defaults};
use super::sat::{Literal, Outcome, Sat};
use super::scope::{Mark, Scope};
use super::theory::{Arrays, Lemma, Probe, function_lemmas};
use super::translate::{Failure, Translator};
use crate::eval::Evaluator;
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver, UnknownReason};
use crate::value::{Model, Value};

/// A bit-blasting solver over CaDiCaL. It stays on the thread that made it.
pub struct BlastSolver {
    terms: Terms,
    translator: Translator,
    encoder: Encoder,
    sat: Sat,
    /// The first one is never popped.
    levels: Vec<Level>,
    scope: Scope,
    /// The scope without the assumptions of the last check.
    before_assumptions: Option<Mark>,
    /// Literals of popped levels, still to be made false for ever.
    retired: Vec<Literal>,
    /// Variables that came with popped levels and past assumptions.
    stale: u64,
    /// The stale variables of each check since the SAT solver was new, added up: each has to assign them all.
    waste: u64,
    probes: Vec<Probe>,
    core: Vec<Term>,
    answered_sat: bool,
    /// Clauses and conflicts of the SAT solvers that were given up.
    past: (u64, u64),
    lemmas: u64,
    checks: u64,
}

#[derive(Default)]
struct Level {
    assertions: Vec<Term>,
    /// How many of the assertions are clauses already.
    flushed: usize,
    /// Assumed while the level lives; the lowest level has none.
    literal: Option<Literal>,
    scope: Mark,
    /// Variables there were before the level.
    variables: u64,
}

/// What a solver has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BlastStatistics {
    pub checks: u64,
    pub gates: u64,
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
    /// Instances of array and function axioms.
    pub lemmas: u64,
}

impl BlastSolver {
    pub fn new(terms: &Terms) -> BlastSolver {
        BlastSolver {
            terms: terms.clone(),
            translator: Translator::new(terms),
            encoder: Encoder::new(),
            sat: Sat::new(),
            levels: vec![Level::default()],
            scope: Scope::default(),
            before_assumptions: None,
            retired: Vec::new(),
            stale: 0,
            waste: 0,
            past: (0, 0),
            probes: Vec::new(),
            core: Vec::new(),
            answered_sat: false,
            lemmas: 0,
            checks: 0,
        }
    }

    pub fn statistics(&self) -> BlastStatistics {
        BlastStatistics {
            checks: self.checks,
            gates: self.translator.graph.len() as u64,
            variables: self.sat.variables(),
            clauses: self.past.0 + self.sat.clauses(),
            conflicts: self.past.1 + self.sat.conflicts(),
            lemmas: self.lemmas,
        }
    }

    fn drop_assumptions(&mut self) {
        if let Some(mark) = self.before_assumptions.take() {
            self.scope.undo(mark);
        }
    }

    /// Makes clauses of what was asserted and popped since the last check.
    fn flush(&mut self, budget: &Budget) -> Result<(), Failure> {
        if self.is_wasteful() {
            self.start_over();
        }
        for literal in self.retired.drain(..) {
            self.sat.add_clause(&[-literal]);
        }
        for depth in 0..self.levels.len() {
            if self.levels[depth].flushed == 0 {
                self.levels[depth].variables = self.sat.variables();
            }
            while let Some(&term) = self.levels[depth].assertions.get(self.levels[depth].flushed) {
                let edge = self.translate(term, budget)?;
                let unless = if depth == 0 { None } else { Some(-self.level_literal(depth)) };
                self.encoder.assert(&self.translator.graph, &mut self.sat, edge, unless.as_slice());
                self.levels[depth].flushed += 1;
            }
        }
        Ok(())
    }

    /// Whether stale variables have cost more than a new start would, which also forgets what conflicts have taught.
    fn is_wasteful(&mut self) -> bool {
        let variables = self.sat.variables();
        self.waste += self.stale.min(variables);
        let live = variables.saturating_sub(self.stale);
        self.waste > 20_000 + 64 * live + 50 * self.sat.conflicts()
    }

    /// A new SAT solver with nothing in it; assertions go there when they are flushed again.
    fn start_over(&mut self) {
        self.past.0 += self.sat.clauses();
        self.past.1 += self.sat.conflicts();
        self.sat = Sat::new();
        self.encoder = Encoder::new();
        (self.stale, self.waste) = (0, 0);
        self.retired.clear();
        for level in &mut self.levels {
            (level.flushed, level.literal) = (0, None);
        }
    }

    fn level_literal(&mut self, depth: usize) -> Literal {
        let sat = &mut self.sat;
        *self.levels[depth].literal.get_or_insert_with(|| sat.new_literal())
    }

    fn translate(&mut self, term: Term, budget: &Budget) -> Result<Edge, Failure> {
        self.translator.boolean(term, budget)
    }

    /// Words for everything the theories look at, also where no bit of the assertions depends on it.
    fn translate_scope(&mut self, budget: &Budget) -> Result<(), Failure> {
        let Scope { selects, arrays, array_equalities, applications, .. } = &self.scope;
        for &term in selects.iter().chain(arrays).chain(array_equalities).chain(applications) {
            self.translator.prepare(term, budget)?;
        }
        Ok(())
    }

    fn check_within(&mut self, assumptions: &[Term], budget: &Budget) -> Result<Answer, Failure> {
        self.flush(budget)?;
        let mut literals: Vec<Literal> = self.levels.iter().filter_map(|level| level.literal).collect();
        let mut named: Vec<(Literal, Term)> = Vec::new();
        let variables = self.sat.variables();
        for &term in assumptions {
            if let Some(reason) = budget.exhausted() {
                return Err(Failure::Stopped(reason));
            }
            match self.translate(term, budget)? {
                Edge::TRUE => {}
                Edge::FALSE => {
                    self.core = vec![term];
                    return Ok(Answer::Unsat);
                }
                edge => {
                    let literal = self.encoder.literal(&self.translator.graph, &mut self.sat, edge);
                    literals.push(literal);
                    named.push((literal, term));
                }
            }
        }
        self.stale += self.sat.variables() - variables;
        self.translate_scope(budget)?;
        loop {
            // Each round is short, but there may be many.
            if let Some(reason) = budget.exhausted() {
                return Err(Failure::Stopped(reason));
            }
            match self.sat.solve(&literals, budget) {
                Outcome::Stopped(reason) => return Err(Failure::Stopped(reason)),
                Outcome::Unsatisfiable => {
                    let failed = named.into_iter().filter(|&(literal, _)| self.sat.failed(literal));
                    self.core = failed.map(|(_, term)| term).collect();
                    return Ok(Answer::Unsat);
                }
                Outcome::Satisfiable => {
                    if self.is_consistent() {
                        return Ok(Answer::Sat);
                    }
                }
            }
        }
    }

    /// Whether the assignment respects arrays and functions; if not, what it violates becomes clauses.
    fn is_consistent(&mut self) -> bool {
        if !self.scope.has_theory() {
            return true;
        }
        let assignment = Assignment::new(&self.translator.graph, &self.encoder, &mut self.sat);
        let (terms, translator, scope) = (&self.terms, &self.translator, &self.scope);
        let mut lemmas = function_lemmas(terms, translator, &assignment, scope);
        let mut arrays = Arrays::propagate(terms, translator, &assignment, scope, &self.probes);
        lemmas.extend(arrays.take_lemmas());
        if lemmas.is_empty() {
            let probes = Defaults::new(terms, &arrays, scope).probes(terms, translator, &assignment, &arrays);
            if probes.is_empty() {
                return true;
            }
            self.probes.extend(probes);
            return self.is_consistent();
        }
        self.learn(&lemmas);
        false
    }

    /// A model that does not satisfy what it should is a mistake in this solver.
    fn check_model(&mut self, assumptions: &[Term]) {
        let model = self.model();
        let mut evaluator = Evaluator::new(&self.terms, &model);
        let assertions = self.levels.iter().flat_map(|level| &level.assertions);
        for &term in assertions.chain(assumptions) {
            assert_eq!(evaluator.value(term), Value::Bool(true), "the model does not satisfy {term:?}");
        }
    }

    fn learn(&mut self, lemmas: &[Lemma]) {
        for lemma in lemmas {
            let edge = lemma.clause(&mut self.translator.graph);
            self.encoder.assert(&self.translator.graph, &mut self.sat, edge, &[]);
            self.lemmas += 1;
        }
    }
}

impl Solver for BlastSolver {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn name(&self) -> &str {
        "blast"
    }

    fn push(&mut self) {
        self.drop_assumptions();
        self.levels.push(Level { scope: self.scope.mark(), variables: self.sat.variables(), ..Level::default() });
    }

    fn pop(&mut self, levels: usize) {
        self.drop_assumptions();
        let kept = self.levels.len() - levels.min(self.levels.len() - 1);
        if let Some(lowest) = self.levels.get(kept) {
            // Assumptions may count twice: this is only about when to start over.
            self.stale += self.sat.variables().saturating_sub(lowest.variables);
        }
        while self.levels.len() > kept {
            if let Some(level) = self.levels.pop() {
                self.scope.undo(level.scope);
                self.retired.extend(level.literal);
            }
        }
    }

    fn assert(&mut self, term: Term) {
        self.drop_assumptions();
        self.scope.add(&self.terms, term);
        if let Some(level) = self.levels.last_mut() {
            level.assertions.push(term);
        }
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.drop_assumptions();
        self.before_assumptions = Some(self.scope.mark());
        for &term in assumptions {
            self.scope.add(&self.terms, term);
        }
        self.checks += 1;
        self.core.clear();
        self.probes.clear();
        self.answered_sat = false;
        match self.check_within(assumptions, budget) {
            Ok(answer) => {
                self.answered_sat = answer == Answer::Sat;
                if cfg!(debug_assertions) && self.answered_sat {
                    self.check_model(assumptions);
                }
                answer
            }
            Err(Failure::Stopped(reason)) => Answer::Unknown(UnknownReason::Stopped(reason)),
            Err(Failure::Incomplete(text)) => Answer::Unknown(UnknownReason::Incomplete(text)),
        }
    }

    /// To be asked for before anything else is pushed, popped, asserted or checked.
    fn model(&mut self) -> Model {
        if !self.answered_sat {
            return Model::default();
        }
        let assignment = Assignment::new(&self.translator.graph, &self.encoder, &mut self.sat);
        model::build(&self.terms, &self.translator, &assignment, &self.scope, &self.probes)
    }

    fn core(&mut self) -> Vec<Term> {
        self.core.clone()
    }
}
