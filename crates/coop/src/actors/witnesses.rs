//! Component-based CEGAR with witnesses (CC-WIT), for comparison. A candidate is a violation witness with a waypoint for each landmark; a reason
//! becomes invariants of a correctness witness. An invariant holds at every visit of its place, so what holds at one visit and not at
//! another is lost: that is what exchange automata are there for.

use std::collections::{BTreeMap, HashSet};

use tandem_analyses::predicate::components::{Candidate, Components, Reason};
use tandem_artifact::convert::Places;
use tandem_artifact::convert::error_targets;
use tandem_artifact::{
    ErrorCall, Invariant, Segment, Waypoint, WaypointKind, WitnessContent, WitnessExpression, WitnessLocation,
};
use tandem_base::Budget;
use tandem_cfa::{EdgeId, NodeId, Program};

use super::Shared;
use super::cegar::{checked, explored, stopped, with, words};
use crate::cooperation::{Actor, Delivery, Known, Setting};

/// The witness of a candidate; nothing if a landmark has no place in the text.
fn content(program: &Program, candidate: &Candidate) -> Option<WitnessContent> {
    let places = Places::new(program);
    let at = |offset: u32| {
        let position = program.source.position(offset);
        WitnessLocation::new(program.source.file(), position.line, position.column)
    };
    let mut segments = Vec::new();
    for node in &candidate.landmarks {
        let (span, _) = places.name_of(*node)?;
        segments.push(Segment::follow(Waypoint::assumption(at(span.lo), "1")));
    }
    let target = program.edges[candidate.error].span;
    segments.push(Segment::follow(Waypoint::target(at(target.lo))));
    Some(WitnessContent::Violation(segments))
}

/// The candidate of a witness of this kind.
fn candidate(program: &Program, error: &ErrorCall, content: &WitnessContent) -> Option<Candidate> {
    let WitnessContent::Violation(segments) = content else { return None };
    let places = Places::new(program);
    let mut landmarks = Vec::new();
    for segment in segments {
        let location = &segment.follow.location;
        match &segment.follow.kind {
            WaypointKind::Assumption(WitnessExpression { value, .. }) if value == "1" => {
                landmarks.push(node_at(&places, location)?);
            }
            WaypointKind::Target => {
                let errors = error_targets(program, error);
                let mut edges = errors.iter().flat_map(|target| &target.edges).copied();
                let error: EdgeId =
                    edges.find(|edge| places.is_at(program.edges[*edge].span.lo, location.line, location.column))?;
                return Some(Candidate { landmarks, error });
            }
            _ => return None,
        }
    }
    None
}

fn node_at(places: &Places<'_>, location: &WitnessLocation) -> Option<NodeId> {
    let spot = places.loop_at(location.line, location.column);
    spot.or_else(|| places.statement_at(location).map(|(spot, _)| spot)).map(|spot| spot.node)
}

pub struct Explorer<'a> {
    shared: Shared<'a>,
    learned: HashSet<Invariant>,
    rounds: u32,
}

impl<'a> Explorer<'a> {
    pub fn new(shared: Shared<'a>) -> Explorer<'a> {
        Explorer { shared, learned: HashSet::new(), rounds: 0 }
    }
}

impl<'a> Actor<'a> for Explorer<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let (learned, rounds) = (&mut self.learned, &mut self.rounds);
        let worked = with(&self.shared, setting, budget, |components| {
            let fresh: Vec<&Invariant> = known.precision.iter().filter(|one| learned.insert((*one).clone())).collect();
            if *rounds > 0 {
                let facts: Vec<(NodeId, String)> = fresh
                    .into_iter()
                    .filter_map(|one| Some((head(setting.program, one)?, one.value.clone())))
                    .collect();
                components.learn(&facts);
            }
            *rounds += 1;
            explore(setting, components, budget)
        });
        worked.unwrap_or_else(|delivery| *delivery)
    }
}

/// Candidates that no witness can name are given up.
fn explore<'a>(setting: Setting<'a>, components: &mut Components<'a>, budget: &Budget) -> Delivery {
    loop {
        let mut named = true;
        let delivery = explored(setting, components, budget, |components, candidate| {
            let witness = content(setting.program, candidate)
                .filter(|content| self::candidate(setting.program, setting.error, content).as_ref() == Some(candidate));
            named = witness.is_some();
            if !named {
                components.learn(&[]);
            }
            Delivery { witness, ..Delivery::default() }
        });
        if named {
            return delivery;
        }
    }
}

/// The place of an invariant.
fn head(program: &Program, invariant: &Invariant) -> Option<NodeId> {
    let body = program.functions[invariant.function].body.as_ref()?;
    let of_loop = body.loops.iter().find(|statement| statement.span == invariant.at).map(|statement| statement.head);
    of_loop.or_else(|| {
        let mut statements = program.statements.iter();
        statements.find(|statement| statement.span == invariant.at).map(|statement| statement.node)
    })
}

pub struct Feasibility<'a> {
    shared: Shared<'a>,
}

impl<'a> Feasibility<'a> {
    pub fn new(shared: Shared<'a>) -> Feasibility<'a> {
        Feasibility { shared }
    }
}

impl<'a> Actor<'a> for Feasibility<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let Some(witness) = &known.witness else { return Delivery::default() };
        let Some(candidate) = candidate(setting.program, setting.error, witness) else { return Delivery::default() };
        let worked = with(&self.shared, setting, budget, |components| components.check(&candidate, budget));
        worked.map_or_else(|delivery| *delivery, |found| checked(setting, found))
    }
}

pub struct Refiner<'a> {
    shared: Shared<'a>,
}

impl<'a> Refiner<'a> {
    pub fn new(shared: Shared<'a>) -> Refiner<'a> {
        Refiner { shared }
    }
}

impl<'a> Actor<'a> for Refiner<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery {
        let Some(witness) = &known.witness else { return Delivery::default() };
        let Some(candidate) = candidate(setting.program, setting.error, witness) else { return Delivery::default() };
        let worked = with(&self.shared, setting, budget, |components| {
            let reason = match components.refine(&candidate, budget) {
                Err(reason) => return stopped(reason),
                Ok(None) => return Delivery { note: "no reason was found".into(), ..Delivery::default() },
                Ok(Some(reason)) => reason,
            };
            let told = tell(setting.program, components, &candidate, &reason);
            if !told.precision.is_empty() {
                return told;
            }
            // Perhaps there is a reason that can be told.
            let others = components.refine_in_all_ways(&candidate, budget).unwrap_or_default();
            let others = others.iter().map(|reason| tell(setting.program, components, &candidate, reason));
            others.into_iter().find(|other| !other.precision.is_empty()).unwrap_or(told)
        });
        worked.unwrap_or_else(|delivery| *delivery)
    }
}

/// A reason as invariants, each of which holds at every visit of its place on the paths of the candidate.
fn tell(program: &Program, components: &mut Components<'_>, candidate: &Candidate, reason: &Reason) -> Delivery {
    let mut visits: BTreeMap<NodeId, Vec<Vec<String>>> = BTreeMap::new();
    for (node, facts) in candidate.landmarks.iter().zip(&reason.facts) {
        visits.entry(*node).or_default().push(facts.clone());
    }
    let (mut precision, mut lost) = (Vec::new(), Vec::new());
    let places = Places::new(program);
    for (node, visits) in visits {
        match (components.say_any(node, &visits), places.name_of(node)) {
            (Some(value), Some((at, _))) => {
                precision.push(Invariant { function: program.nodes[node].function, at, value });
            }
            _ => lost.extend(visits),
        }
    }
    let note = match lost.iter().all(Vec::is_empty) {
        true => words(&reason.facts),
        false => format!("lost, because they do not hold at every visit: {}", words(&lost)),
    };
    Delivery { precision, note, ..Delivery::default() }
}
