//! The three parts of the predicate analysis, each usable on its own: the explorer of the abstract model, the checker of candidates, and
//! the refiner that finds out why a candidate is no path of the program.
//!
//! What they tell each other goes through their callers: a candidate is the sequence of landmarks (heads of loops, recursive calls) of its
//! paths and the error at the end; a reason is a list of conditions, each for a landmark. They share nothing else but the encoding
//! of the program's blocks, which depends on the program alone.

use std::collections::HashMap;
use std::time::Duration;

use tandem_artifact::{Caveat, Violation};
use tandem_base::{Budget, FastBuild, StopReason};
use tandem_cfa::{EdgeId, NodeId};
use tandem_cpa::{Flow, Point};
use tandem_smt::Term;

use super::graph::NodeNumber;
use super::landmarks::Landmarks;
use super::precision::atoms;
use super::segments::{Exit, Hop};
use super::{Ended, Explorer, trace};
use crate::bmc::no_entry;
use crate::catalog::finished;
use crate::invariant::text_at;
use crate::query::{Feasible, feasible};
use crate::{Outcome, Task};

/// More ways with the same landmarks than this are not looked at.
const WAYS: usize = 64;

/// So many candidates that were given up may be followed by longer ones.
const FOLLOWED: usize = 32;

/// Paths to an error: all those that pass these landmarks, in this order and no others, and then take the edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Candidate {
    pub landmarks: Vec<NodeId>,
    pub error: EdgeId,
}

/// What the model allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Model {
    /// No path to an error, apart from what was given up.
    Safe,
    /// This one.
    Candidate(Candidate),
    /// A violation came up on the way.
    Violated,
}

/// What is known of a candidate.
pub enum Checked {
    Violation(Box<Violation>),
    /// No run takes any of its paths.
    Spurious,
    Unknown(Caveat),
}

/// Why a candidate is no path of the program: what holds at each landmark.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    pub facts: Vec<Vec<String>>,
}

/// A way through the blocks of the program, and the points it passes.
type Way = (Vec<Hop>, Vec<Point>);

pub struct Components<'a> {
    flow: Flow<'a>,
    pub landmarks: Landmarks,
    explorer: Explorer<'a>,
    /// The path in the model that the last candidate stands for.
    last: Option<(NodeNumber, Exit)>,
    violation: Option<Box<Violation>>,
    /// Where candidates were given up, and how many were.
    leaks: Vec<NodeNumber>,
    given_up: usize,
    /// What the words of a reason mean at a landmark.
    words: HashMap<(NodeId, String), Vec<Term>, FastBuild>,
    /// Facts that C has no words for.
    unsaid: HashMap<Term, usize, FastBuild>,
}

impl<'a> Components<'a> {
    /// An outcome if there is nothing to explore.
    pub fn new(task: Task<'a>, budget: &Budget) -> Result<Components<'a>, Box<Outcome>> {
        let Some(mut flow) = task.flow() else {
            return Err(Box::new(Outcome::new("predicate", None, None, vec![no_entry()])));
        };
        let explorer = Explorer::new(task, &mut flow, budget)?;
        let (words, unsaid) = (HashMap::default(), HashMap::default());
        let landmarks = Landmarks::of(&flow);
        let (last, violation, leaks, given_up) = (None, None, Vec::new(), 0);
        Ok(Components { flow, landmarks, explorer, last, violation, leaks, given_up, words, unsaid })
    }

    /// Explores the model until it allows a path to an error. Paths that cannot be told by their landmarks are decided here at once.
    pub fn explore(&mut self, budget: &Budget) -> Result<Model, StopReason> {
        loop {
            let Some((number, exit)) = self.explorer.next_path(&mut self.flow, budget)? else {
                if self.look_behind() {
                    continue;
                }
                return Ok(Model::Safe);
            };
            if let Some(candidate) = self.candidate(number, exit) {
                self.last = Some((number, exit));
                return Ok(Model::Candidate(candidate));
            }
            match self.explorer.decide(&self.flow, number, exit, budget) {
                Ok(()) => {}
                Err(Ended::Stopped(reason)) => return Err(reason),
                Err(Ended::Violation(violation)) => {
                    self.violation = Some(violation);
                    return Ok(Model::Violated);
                }
            }
        }
    }

    /// A candidate that was given up may be followed by one that runs take: what is behind it counts as not seen. Whether there is anything.
    fn look_behind(&mut self) -> bool {
        let leaks = std::mem::take(&mut self.leaks);
        self.given_up += leaks.len();
        let mut found = false;
        for number in leaks.into_iter().filter(|_| self.given_up <= FOLLOWED) {
            found |= self.explorer.graph.leak(number);
        }
        found
    }

    fn candidate(&self, number: NodeNumber, exit: Exit) -> Option<Candidate> {
        let Exit::Error(index) = exit else { return None };
        let node = &self.explorer.graph.nodes[number];
        let error = self.explorer.segments.block(node.segment).errors[index].edge;
        let path = self.explorer.graph.path(number);
        let landmarks: Vec<NodeId> =
            path[1..].iter().map(|number| self.explorer.graph.nodes[*number].point.node).collect();
        landmarks.iter().all(|node| !self.landmarks.passing(*node).is_empty()).then_some(Candidate { landmarks, error })
    }

    /// Tracks what reasons speak of, each a landmark and a condition. Whether there was anything new; without, the last candidate is
    /// given up.
    pub fn learn(&mut self, facts: &[(NodeId, String)]) -> bool {
        let mut fresh: Vec<NodeId> = Vec::new();
        for (node, text) in facts {
            for formula in self.words.get(&(*node, text.clone())).into_iter().flatten() {
                for atom in atoms(&self.explorer.terms, *formula) {
                    if self.explorer.precision.add(self.flow.program, *node, atom) {
                        fresh.push(*node);
                    }
                }
            }
        }
        let Some((number, exit)) = self.last.take() else { return !fresh.is_empty() };
        let path = self.explorer.graph.path(number);
        let first = path[1..].iter().find(|number| fresh.contains(&self.explorer.graph.nodes[**number].point.node));
        match first {
            Some(first) => {
                self.explorer.refinements += 1;
                self.explorer.graph.remove(*first);
                true
            }
            None => {
                let why = "no new reason was found why a path is impossible";
                self.explorer.give_up(number, exit, Caveat::Imprecise(why.into()));
                self.leaks.push(number);
                false
            }
        }
    }

    /// Gives up the last candidate.
    pub fn give_up(&mut self, caveat: Caveat) {
        if let Some((number, exit)) = self.last.take() {
            self.explorer.give_up(number, exit, caveat);
            self.leaks.push(number);
        }
    }

    /// Whether some run takes a path of the candidate: all its paths are looked at before it is called spurious.
    pub fn check(&mut self, candidate: &Candidate, budget: &Budget) -> Result<Checked, StopReason> {
        let Some(ways) = self.ways(candidate, budget)? else {
            return Ok(Checked::Unknown(Caveat::Imprecise("a candidate has too many paths".into())));
        };
        let mut unknown = None;
        for (hops, _) in ways {
            let explorer = &mut self.explorer;
            let parts = trace::parts(&mut explorer.segments, &hops);
            let all: Vec<Term> = parts.iter().flatten().copied().collect();
            match feasible(&mut explorer.solver, &all, budget) {
                Feasible::No => {}
                Feasible::Unknown(reason) => unknown = Some(Caveat::Solver(reason)),
                Feasible::Yes(model) => {
                    let Explorer { task, segments, solver, .. } = explorer;
                    match trace::confirm(*task, segments, solver, &hops, &model, budget) {
                        Ok(violation) => return Ok(Checked::Violation(Box::new(violation))),
                        Err(caveat) => unknown = Some(caveat),
                    }
                }
            }
        }
        Ok(unknown.map_or(Checked::Spurious, Checked::Unknown))
    }

    /// Why a spurious candidate is none; nothing if no reason was found.
    pub fn refine(&mut self, candidate: &Candidate, budget: &Budget) -> Result<Option<Reason>, StopReason> {
        let Some(ways) = self.ways(candidate, budget)? else { return Ok(None) };
        let mut facts: Vec<Vec<String>> = vec![Vec::new(); candidate.landmarks.len()];
        let mut found = false;
        for (hops, points) in ways {
            let parts = trace::parts(&mut self.explorer.segments, &hops);
            let all: Vec<Term> = parts.iter().flatten().copied().collect();
            // Whoever asks for a reason has been told that there is one, but not by us.
            if !matches!(feasible(&mut self.explorer.solver, &all, budget), Feasible::No) {
                return Ok(None);
            }
            let Some(reason) = self.reasons(&hops, &points, budget).into_iter().next() else { continue };
            found = true;
            for (at, (fact, point)) in reason.iter().zip(&points).enumerate() {
                if let Some(text) = self.say(*fact, *point)
                    && !facts[at].contains(&text)
                {
                    facts[at].push(text);
                }
            }
        }
        Ok(found.then_some(Reason { facts }))
    }

    /// All reasons that are found for a candidate that is refuted in one way: the better ones first.
    pub fn refine_in_all_ways(&mut self, candidate: &Candidate, budget: &Budget) -> Result<Vec<Reason>, StopReason> {
        let Some(ways) = self.ways(candidate, budget)? else { return Ok(Vec::new()) };
        let [(hops, points)] = ways.as_slice() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for reason in self.reasons(hops, points, budget) {
            let said = reason.iter().zip(points).map(|(fact, point)| self.say(*fact, *point).into_iter().collect());
            found.push(Reason { facts: said.collect() });
        }
        Ok(found)
    }

    /// Interpolants of one way, first those that bring the fewest new predicates.
    fn reasons(&mut self, hops: &[Hop], points: &[Point], budget: &Budget) -> Vec<Vec<Term>> {
        let (explorer, flow) = (&mut self.explorer, &self.flow);
        let parts = trace::parts(&mut explorer.segments, hops);
        let mut states = vec![(explorer.terms.bool(true), flow.start())];
        for (hop, point) in hops.iter().zip(points) {
            let tracked = explorer.precision.of(flow, explorer.segments.formulas(), *point);
            let state = explorer.after(states[states.len() - 1].0, *hop, tracked, budget);
            states.push((state, *point));
        }
        let models = explorer.models(flow, &states, hops, budget);
        let way = trace::one_way(&mut explorer.segments, hops, &models);
        for parts in [way, parts] {
            let parts = trace::without_counters(&mut explorer.segments, &mut explorer.solver, hops, parts, budget);
            let mut reasons = explorer.reasons(&parts, budget);
            if let Some(best) = explorer.best(flow, points, &reasons).cloned() {
                reasons.retain(|reason| *reason != best);
                reasons.insert(0, best);
                return reasons;
            }
        }
        Vec::new()
    }

    /// The fact in words, which are remembered; nothing for what says nothing.
    fn say(&mut self, fact: Term, point: Point) -> Option<String> {
        if matches!(self.explorer.terms.op(fact), tandem_smt::Op::True) {
            return None;
        }
        let flow = &self.flow;
        let places = self.landmarks.telling(flow.program, point.node);
        let formulas = self.explorer.segments.formulas();
        let text = places.and_then(|places| text_at(flow, formulas, point, places, fact));
        let unsaid = &mut self.unsaid;
        let text = text.unwrap_or_else(|| {
            let next = unsaid.len();
            format!("{UNSAID}{}", *unsaid.entry(fact).or_insert(next))
        });
        let known = self.words.entry((point.node, text.clone())).or_default();
        if !known.contains(&fact) {
            known.push(fact);
        }
        Some(text)
    }

    /// The words for: one of these lists of facts holds at the landmark. Facts that C has no words for are left out; nothing if one of the
    /// lists says nothing then.
    pub fn say_any(&mut self, node: NodeId, alternatives: &[Vec<String>]) -> Option<String> {
        let terms = self.explorer.terms.clone();
        let (mut texts, mut formulas) = (Vec::new(), Vec::new());
        for facts in alternatives {
            let said: Vec<&String> = facts.iter().filter(|fact| !fact.starts_with(UNSAID)).collect();
            if said.is_empty() {
                return None;
            }
            let text = said.iter().map(|fact| format!("({fact})")).collect::<Vec<_>>().join(" && ");
            let meaning = said.iter().filter_map(|fact| self.words.get(&(node, (*fact).clone())));
            let meaning: Vec<Term> = meaning.flatten().copied().collect();
            if !texts.contains(&text) {
                texts.push(text);
                formulas.push(terms.and(&meaning));
            }
        }
        let text = texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || ");
        self.words.insert((node, text.clone()), vec![terms.or(&formulas)]);
        Some(text)
    }

    /// All ways through the blocks of the program with these landmarks, with the points they pass; nothing if there are too many to
    /// look at, or some pass loops that are no landmarks.
    fn ways(&mut self, candidate: &Candidate, budget: &Budget) -> Result<Option<Vec<Way>>, StopReason> {
        let mut open: Vec<(usize, Vec<Hop>, Vec<Point>)> = vec![(0, Vec::new(), Vec::new())];
        let mut ways = Vec::new();
        while let Some((segment, hops, points)) = open.pop() {
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            let block = self.explorer.segments.block(segment).clone();
            for (index, (point, _)) in block.ends.iter().enumerate() {
                let is_hidden = self.landmarks.passing(point.node).is_empty();
                if is_hidden {
                    return Ok(None);
                }
                if candidate.landmarks.get(points.len()) == Some(&point.node) {
                    let next = self.explorer.segments.from(&mut self.flow, *point, budget)?;
                    let (mut hops, mut points) = (hops.clone(), points.clone());
                    hops.push(Hop { segment, exit: Exit::End(index) });
                    points.push(*point);
                    open.push((next, hops, points));
                }
            }
            if points.len() == candidate.landmarks.len() {
                for (index, _) in block.errors.iter().enumerate().filter(|(_, end)| end.edge == candidate.error) {
                    let mut hops = hops.clone();
                    hops.push(Hop { segment, exit: Exit::Error(index) });
                    ways.push((hops, points.clone()));
                }
            }
            if open.len() + ways.len() > WAYS {
                return Ok(None);
            }
        }
        Ok(Some(ways))
    }

    /// What came of it all.
    pub fn outcome(
        &mut self,
        stopped: Option<StopReason>,
        violation: Option<Box<Violation>>,
        budget: &Budget,
    ) -> Outcome {
        let ended = match (violation.or(self.violation.take()), stopped) {
            (Some(violation), _) => Err(Ended::Violation(violation)),
            (None, Some(reason)) => Err(Ended::Stopped(reason)),
            (None, None) => Ok(()),
        };
        let outcome = self.explorer.outcome(&self.flow, ended, budget);
        finished(self.explorer.task, outcome, Duration::ZERO, budget)
    }
}

/// How facts begin that C has no words for: they mean something only to those who share the encoding.
pub const UNSAID: &str = "\\fact ";
