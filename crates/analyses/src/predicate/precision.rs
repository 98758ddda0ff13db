//! Which predicates are tracked where. A predicate is learned for a location; one that comes up at several is tracked in the whole
//! function. Knows nothing of how predicates are found.

use std::collections::{BTreeSet, HashMap, HashSet};

use tandem_base::FastBuild;
use tandem_cfa::{FunctionId, NodeId, Program};
use tandem_cpa::{Flow, Point};
use tandem_smt::{Op, Term, Terms};

use crate::formula::Formulas;
use crate::store::StartKey;

/// At so many locations of a function, a predicate is one of the function.
const LOCATIONS: usize = 3;
/// Parts that one formula is split into at most.
const ATOMS: usize = 64;
/// A predicate with more subterms is of no use.
const SIZE: usize = 120;

#[derive(Default)]
pub struct Precision {
    at: HashMap<NodeId, BTreeSet<Term>, FastBuild>,
    everywhere_in: HashMap<FunctionId, BTreeSet<Term>, FastBuild>,
    places: HashMap<(FunctionId, Term), HashSet<NodeId, FastBuild>, FastBuild>,
}

impl Precision {
    /// Whether the predicate was not tracked there yet.
    pub fn add(&mut self, program: &Program, node: NodeId, predicate: Term) -> bool {
        let function = program.nodes[node].function;
        if self.everywhere_in.get(&function).is_some_and(|known| known.contains(&predicate)) {
            return false;
        }
        let is_new = self.at.entry(node).or_default().insert(predicate);
        if is_new {
            let places = self.places.entry((function, predicate)).or_default();
            places.insert(node);
            if places.len() >= LOCATIONS {
                self.everywhere_in.entry(function).or_default().insert(predicate);
            }
        }
        is_new
    }

    /// The predicates at a point: those of its location and function whose variables exist there.
    pub fn of(&self, flow: &Flow<'_>, formulas: &Formulas, point: Point) -> Vec<Term> {
        let function = flow.program.nodes[point.node].function;
        let mut found: BTreeSet<Term> = self.at.get(&point.node).cloned().unwrap_or_default();
        found.extend(self.everywhere_in.get(&function).into_iter().flatten());
        found.into_iter().filter(|predicate| makes_sense(flow, formulas, point, *predicate)).collect()
    }

    /// Everything that is tracked, in a fixed order.
    pub fn all(&self) -> Vec<(NodeId, Term)> {
        let pairs = self.at.iter().flat_map(|(node, predicates)| predicates.iter().map(|one| (*node, *one)));
        let mut all: Vec<(NodeId, Term)> = pairs.collect();
        all.sort_unstable();
        all
    }

    pub fn len(&self) -> usize {
        self.at.values().map(BTreeSet::len).sum()
    }
}

/// Whether all variables of a predicate are there at the point.
fn makes_sense(flow: &Flow<'_>, formulas: &Formulas, point: Point, predicate: Term) -> bool {
    let stack: Vec<FunctionId> = flow.stacks.outwards(point.stack).map(|stack| flow.function(stack)).collect();
    formulas.terms.free_variables(&[predicate]).iter().all(|symbol| match formulas.start_keys.get(symbol) {
        Some(StartKey::Slot { depth: 0, .. }) | Some(StartKey::Cell { .. }) | Some(StartKey::Elements { .. }) => true,
        Some(StartKey::Slot { depth, variable }) => {
            let index = stack.len().checked_sub(*depth as usize);
            let function = index.and_then(|index| stack.get(index).copied());
            function.is_some() && flow.program.variables[*variable].function == function
        }
        None => false,
    })
}

/// The atomic conditions that a formula is made of, each in one of its two forms. Choices between values become choices between
/// atoms.
pub fn atoms(terms: &Terms, formula: Term) -> Vec<Term> {
    let mut found = BTreeSet::new();
    let mut seen: HashSet<Term, FastBuild> = HashSet::default();
    let mut open = vec![formula];
    while let Some(term) = open.pop() {
        if !seen.insert(term) || found.len() >= ATOMS || seen.len() > 16 * ATOMS {
            continue;
        }
        let args = terms.args(term);
        let of_booleans = !args.is_empty() && args.iter().all(|arg| terms.sort(*arg) == tandem_smt::Sort::Bool);
        match terms.op(term) {
            Op::True | Op::False => {}
            _ if of_booleans => open.extend(args),
            _ => match choice_in(terms, term) {
                Some(choice) => {
                    let parts = terms.args(choice);
                    open.push(parts[0]);
                    for side in [parts[1], parts[2]] {
                        open.push(terms.substitute(term, &[(choice, side)].into_iter().collect()));
                    }
                }
                None if terms.dag_size(&[term]) <= SIZE => {
                    found.insert(positive(terms, term));
                }
                None => {}
            },
        }
    }
    found.into_iter().collect()
}

/// One of a condition and its opposite, the same for both.
fn positive(terms: &Terms, term: Term) -> Term {
    let opposite = terms.not(term);
    if terms.op(opposite) == Op::Not { term } else { term.min(opposite) }
}

/// A choice between values inside of a term.
fn choice_in(terms: &Terms, term: Term) -> Option<Term> {
    terms.subterms(&[term]).into_iter().find(|part| terms.op(*part) == Op::Ite)
}
