//! Writes down everything that is asked, as an SMT-LIB script that gives the same questions again.
//!
//! A query is written before it is asked, so that the log ends with the query that did not come back.

use std::collections::HashSet;
use std::io::Write;
use std::time::Instant;

use tandem_base::Budget;

use crate::pool::{Term, Terms};
use crate::smtlib;
use crate::solver::{Answer, Solver};
use crate::value::Model;

pub struct QueryLog<S, W> {
    inner: S,
    out: W,
    /// Declarations that have been written, by level, since they end with it.
    declared: Vec<HashSet<String>>,
    begun: bool,
    failure: Option<std::io::Error>,
}

impl<S: Solver, W: Write> QueryLog<S, W> {
    pub fn new(inner: S, out: W) -> QueryLog<S, W> {
        QueryLog { inner, out, declared: vec![HashSet::new()], begun: false, failure: None }
    }

    /// What went wrong with writing, if anything did: the log is not complete then, but the answers are.
    pub fn failure(&self) -> Option<&std::io::Error> {
        self.failure.as_ref()
    }

    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The solver and what the log was written to.
    pub fn into_parts(self) -> (S, W) {
        (self.inner, self.out)
    }

    fn write(&mut self, text: &str) {
        if self.failure.is_some() {
            return;
        }
        let begin = if self.begun { "" } else { "(set-logic ALL)\n" };
        self.begun = true;
        self.failure = write!(self.out, "{begin}{text}").err();
    }

    fn write_push(&mut self) {
        self.declared.push(HashSet::new());
        self.write("(push 1)\n");
    }

    fn write_pop(&mut self, levels: usize) {
        let levels = levels.min(self.declared.len() - 1);
        self.declared.truncate(self.declared.len() - levels);
        self.write(&format!("(pop {levels})\n"));
    }

    fn write_assert(&mut self, term: Term) {
        let terms = self.inner.terms().clone();
        for line in smtlib::declarations(&terms, &[term]).lines() {
            if !self.declared.iter().any(|level| level.contains(line)) {
                self.declared.last_mut().map(|level| level.insert(line.to_owned()));
                self.write(&format!("{line}\n"));
            }
        }
        self.write(&format!("(assert {})\n", terms.display(term)));
    }
}

impl<S: Solver, W: Write> Solver for QueryLog<S, W> {
    fn terms(&self) -> &Terms {
        self.inner.terms()
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn push(&mut self) {
        self.write_push();
        self.inner.push();
    }

    fn pop(&mut self, levels: usize) {
        self.write_pop(levels);
        self.inner.pop(levels);
    }

    fn assert(&mut self, term: Term) {
        self.write_assert(term);
        self.inner.assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        // Assumptions may be any terms, those of SMT-LIB only literals.
        if !assumptions.is_empty() {
            self.write_push();
            assumptions.iter().for_each(|&term| self.write_assert(term));
        }
        self.write("(check-sat)\n");
        if self.failure.is_none() {
            self.failure = self.out.flush().err();
        }
        let start = Instant::now();
        let answer = self.inner.check(assumptions, budget);
        let took = start.elapsed();
        self.write(&match &answer {
            Answer::Sat => format!("; sat in {took:.1?}\n"),
            Answer::Unsat => format!("; unsat in {took:.1?}\n"),
            Answer::Unknown(reason) => format!("; unknown in {took:.1?}: {}\n", reason.to_string().replace('\n', " ")),
        });
        if !assumptions.is_empty() {
            self.write_pop(1);
        }
        answer
    }

    fn model(&mut self) -> Model {
        self.inner.model()
    }

    fn core(&mut self) -> Vec<Term> {
        self.inner.core()
    }
}
