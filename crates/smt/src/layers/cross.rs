//! Asks two solvers and compares.
//!
//! Where both have an answer it must be the same, and a model must satisfy the query by our own evaluation. Else the answer is
//! unknown, and what happened is kept with the query.

use tandem_base::Budget;

use super::stack::Stack;
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver, UnknownReason};
use crate::value::Model;

/// Two back ends that said different things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    pub text: String,
    /// Assertions and assumptions.
    pub query: Vec<Term>,
}

pub struct CrossCheck<A, B> {
    first: A,
    second: B,
    name: String,
    stack: Stack,
    disagreements: Vec<Disagreement>,
    last: Last,
}

enum Last {
    Nothing,
    Sat(Model),
    Unsat { by_first: bool },
}

impl<A: Solver, B: Solver> CrossCheck<A, B> {
    pub fn new(first: A, second: B) -> CrossCheck<A, B> {
        let name = format!("{} against {}", first.name(), second.name());
        CrossCheck { first, second, name, stack: Stack::new(), disagreements: Vec::new(), last: Last::Nothing }
    }

    /// All that the two have not agreed on so far.
    pub fn disagreements(&self) -> &[Disagreement] {
        &self.disagreements
    }

    fn disagree(&mut self, text: String, assumptions: &[Term]) -> Answer {
        let query = self.stack.query(assumptions);
        self.disagreements.push(Disagreement { text: text.clone(), query });
        Answer::Unknown(UnknownReason::Incomplete(text))
    }

    fn sat(&mut self, by_first: bool, assumptions: &[Term]) -> Answer {
        let model = if by_first { self.first.model() } else { self.second.model() };
        let terms = self.first.terms();
        if self.stack.query(assumptions).iter().all(|&term| terms.holds(term, &model)) {
            self.last = Last::Sat(model);
            return Answer::Sat;
        }
        let name = if by_first { self.first.name() } else { self.second.name() };
        let text = format!("back ends disagree: the model of {name} does not satisfy the query");
        self.disagree(text, assumptions)
    }
}

impl<A: Solver, B: Solver> Solver for CrossCheck<A, B> {
    fn terms(&self) -> &Terms {
        self.first.terms()
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn push(&mut self) {
        self.stack.push();
        self.first.push();
        self.second.push();
    }

    fn pop(&mut self, levels: usize) {
        self.stack.pop(levels);
        self.first.pop(levels);
        self.second.pop(levels);
    }

    fn assert(&mut self, term: Term) {
        self.stack.assert(term);
        self.first.assert(term);
        self.second.assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.last = Last::Nothing;
        let first = self.first.check(assumptions, budget);
        let second = self.second.check(assumptions, budget);
        match (first, second) {
            (Answer::Sat, Answer::Sat | Answer::Unknown(_)) => self.sat(true, assumptions),
            (Answer::Unknown(_), Answer::Sat) => self.sat(false, assumptions),
            (Answer::Unsat, Answer::Unsat | Answer::Unknown(_)) => {
                self.last = Last::Unsat { by_first: true };
                Answer::Unsat
            }
            (Answer::Unknown(_), Answer::Unsat) => {
                self.last = Last::Unsat { by_first: false };
                Answer::Unsat
            }
            (Answer::Unknown(reason), Answer::Unknown(_)) => Answer::Unknown(reason),
            (Answer::Sat, Answer::Unsat) => {
                let text = format!("{} says sat, {} says unsat", self.first.name(), self.second.name());
                self.disagree(format!("back ends disagree: {text}"), assumptions)
            }
            (Answer::Unsat, Answer::Sat) => {
                let text = format!("{} says unsat, {} says sat", self.first.name(), self.second.name());
                self.disagree(format!("back ends disagree: {text}"), assumptions)
            }
        }
    }

    fn model(&mut self) -> Model {
        match &self.last {
            Last::Sat(model) => model.clone(),
            Last::Nothing | Last::Unsat { .. } => Model::default(),
        }
    }

    fn core(&mut self) -> Vec<Term> {
        match self.last {
            Last::Unsat { by_first: true } => self.first.core(),
            Last::Unsat { by_first: false } => self.second.core(),
            Last::Nothing | Last::Sat(_) => Vec::new(),
        }
    }
}
