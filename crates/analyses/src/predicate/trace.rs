//! A path of blocks from the start of the program: whether it can be taken, with which inputs, and if not, why not.

use std::collections::BTreeSet;

use tandem_artifact::{Caveat, Violation};
use tandem_base::Budget;
use tandem_cfa::EdgeId;
use tandem_cfa::exec::InputSource;
use tandem_smt::interpolate::{self, Failure};
use tandem_smt::{Answer, Evaluator, Model, Op, Solver, Term, Terms};

use super::implicant::implicant;
use super::segments::{Hop, Segments};
use crate::Task;
use crate::query::{Alarm, SOMEWHERE, Taken, log_terms, taken_on};

/// The formulas of a path: one part for each block, over copies of symbols. A part says what was assumed in its block, and what the
/// symbols that later parts speak of are at its end.
pub fn parts(segments: &mut Segments<'_>, hops: &[Hop]) -> Vec<Vec<Term>> {
    let needed = needed(segments, hops, false);
    let mut parts = Vec::new();
    for (position, hop) in hops.iter().enumerate() {
        let conditions = segments.path(*hop).conditions();
        let mut part = segments.copies(&conditions, position);
        for symbol in needed.get(position + 1).into_iter().flatten() {
            let value = segments.value(*hop, *symbol);
            let value = segments.copies(&[value], position)[0];
            let copy = segments.copy_symbol(*symbol, position + 1);
            part.push(segments.terms.eq(copy, value));
        }
        parts.push(part);
    }
    parts
}

/// The same for one way through each block: the one that its model takes. Together they are a part of what the full formulas allow.
pub fn one_way(segments: &mut Segments<'_>, hops: &[Hop], models: &[Model]) -> Vec<Vec<Term>> {
    let terms = segments.terms.clone();
    let mut parts: Vec<Vec<Term>> = Vec::new();
    let mut later: Vec<Term> = Vec::new();
    for (position, hop) in hops.iter().enumerate().rev() {
        let conditions = segments.path(*hop).conditions();
        let values: Vec<Term> = later.iter().map(|symbol| segments.value(*hop, *symbol)).collect();
        let (literals, values) = implicant(&terms, &conditions, &values, &models[position]);
        let mut part = segments.copies(&literals, position);
        for (symbol, value) in later.iter().zip(segments.copies(&values, position)) {
            let copy = segments.copy_symbol(*symbol, position + 1);
            part.push(terms.eq(copy, value));
        }
        parts.push(part);
        let all: Vec<Term> = literals.into_iter().chain(values).collect();
        later = segments.start_symbols(&all);
    }
    parts.reverse();
    parts
}

/// For each position, the start symbols that the rest of the path depends on.
fn needed(segments: &mut Segments<'_>, hops: &[Hop], with_logs: bool) -> Vec<BTreeSet<Term>> {
    let mut needed: Vec<BTreeSet<Term>> = vec![BTreeSet::new(); hops.len()];
    for position in (0..hops.len()).rev() {
        let path = segments.path(hops[position]);
        let mut formulas = path.conditions();
        if with_logs {
            formulas.extend(log_terms(path));
        }
        for symbol in needed.get(position + 1).cloned().unwrap_or_default() {
            formulas.push(segments.value(hops[position], symbol));
        }
        needed[position] = segments.start_symbols(&formulas).into_iter().collect();
    }
    needed
}

/// The inputs of a path under a model of its parts, and whether the interpreter follows them to the error.
pub fn confirm(
    task: Task<'_>,
    segments: &mut Segments<'_>,
    solver: &mut dyn Solver,
    hops: &[Hop],
    model: &Model,
    budget: &Budget,
) -> Result<Violation, Caveat> {
    let conditions: Vec<Term> = parts(segments, hops).into_iter().flatten().collect();
    let mut inputs = Vec::new();
    for (position, hop) in hops.iter().enumerate() {
        let logged = log_terms(segments.path(*hop));
        inputs.extend(segments.copies(&logged, position));
    }
    let terms = segments.terms.clone();
    let alarm = Alarm { task, terms: &terms, conditions, inputs };
    alarm.confirm(solver, model, budget, |model| taken(segments, hops, model))
}

/// The inputs of a path under a model of its parts.
pub fn inputs(segments: &mut Segments<'_>, hops: &[Hop], model: &Model) -> Vec<(InputSource, EdgeId, u128)> {
    taken(segments, hops, model).inputs
}

/// Goes through the blocks with the model's values of inputs, and evaluates everything else.
fn taken(segments: &mut Segments<'_>, hops: &[Hop], model: &Model) -> Taken {
    let terms = segments.terms.clone();
    let needed = needed(segments, hops, true);
    let mut taken = Taken::default();
    let mut before: Option<Model> = None;
    for (position, hop) in hops.iter().enumerate() {
        let mut here = Model::default();
        let path = segments.path(*hop).clone();
        let mut formulas = path.conditions();
        formulas.extend(log_terms(&path));
        let later = needed.get(position + 1).cloned().unwrap_or_default();
        for symbol in &later {
            formulas.push(segments.value(*hop, *symbol));
        }
        for symbol in terms.free_variables(&formulas) {
            let copy = segments.copy_symbol(symbol, position);
            if let (Op::Variable(number), Op::Variable(other)) = (terms.op(symbol), terms.op(copy)) {
                if let Some(value) = model.constants.get(&other) {
                    here.constants.insert(number, value.clone());
                }
            }
        }
        if let Some(before) = &before {
            let mut evaluator = Evaluator::new(&terms, before);
            for symbol in &needed[position] {
                let value = segments.value(hops[position - 1], *symbol);
                if let Op::Variable(number) = terms.op(*symbol) {
                    here.constants.insert(number, evaluator.value(value));
                }
            }
        }
        let here_taken = taken_on(&terms, &path, &here);
        taken.inputs.extend(here_taken.inputs);
        taken.elements.extend(here_taken.elements);
        let mut evaluator = Evaluator::new(&terms, &here);
        for (value, source, _) in segments.late_inputs(*hop, &later) {
            taken.add(source, SOMEWHERE, evaluator.value(value));
        }
        before = Some(here);
    }
    taken
}

/// Symbols that are tried to be left out, at most.
const COUNTERS: usize = 24;

/// The parts without the symbols that count something, as far as the contradiction does not need these: a reason that does not
/// count rounds serves for all of them.
pub fn without_counters(
    segments: &mut Segments<'_>,
    solver: &mut dyn Solver,
    hops: &[Hop],
    mut parts: Vec<Vec<Term>>,
    budget: &Budget,
) -> Vec<Vec<Term>> {
    for counter in counters(segments, hops) {
        let copies: BTreeSet<Term> = (1..hops.len()).map(|at| segments.copy_symbol(counter, at)).collect();
        let terms = &segments.terms;
        let mentions = |term: &Term| terms.free_variables(&[*term]).iter().any(|symbol| copies.contains(symbol));
        let fewer: Vec<Vec<Term>> =
            parts.iter().map(|part| part.iter().copied().filter(|term| !mentions(term)).collect()).collect();
        let all: Vec<Term> = fewer.iter().flatten().copied().collect();
        if solver.check(&all, budget) == Answer::Unsat {
            parts = fewer;
        }
    }
    parts
}

/// The symbols whose value behind some block of the path is computed from their value before it.
fn counters(segments: &mut Segments<'_>, hops: &[Hop]) -> Vec<Term> {
    let needed = needed(segments, hops, false);
    let mut found = BTreeSet::new();
    for (position, hop) in hops.iter().enumerate() {
        for symbol in needed.get(position + 1).into_iter().flatten() {
            let value = segments.value(*hop, *symbol);
            if computes_from(&segments.terms, value, *symbol) {
                found.insert(*symbol);
            }
        }
    }
    found.into_iter().take(COUNTERS).collect()
}

/// Whether a symbol occurs in a value below something other than choices.
fn computes_from(terms: &Terms, value: Term, symbol: Term) -> bool {
    let (mut open, mut seen) = (vec![value], BTreeSet::new());
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.op(term) {
            Op::Ite => open.extend(&terms.args(term)[1..]),
            Op::Variable(_) => {}
            _ if terms.free_variables(&[term]).contains(&symbol) => return true,
            _ => {}
        }
    }
    false
}

/// In which direction the reason for a contradiction is carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// What is known from the start on.
    Forwards,
    /// What must not be, from the error on.
    Backwards,
}

/// Interpolants of a contradictory path, one for each cut, over start symbols.
pub fn interpolants(
    segments: &Segments<'_>,
    solver: &mut dyn Solver,
    parts: &[Vec<Term>],
    direction: Direction,
    budget: &Budget,
) -> Result<Vec<Term>, Failure> {
    let terms = &segments.terms;
    let found = match direction {
        Direction::Forwards => interpolate::sequence(solver, parts, budget)?,
        Direction::Backwards => {
            let reversed: Vec<Vec<Term>> = parts.iter().rev().cloned().collect();
            let found = interpolate::sequence(solver, &reversed, budget)?;
            found.into_iter().rev().map(|term| terms.not(term)).collect()
        }
    };
    let original = |(cut, term): (usize, Term)| segments.original(term).ok_or(Failure::Inexpressible { cut });
    found.into_iter().enumerate().map(original).collect()
}
