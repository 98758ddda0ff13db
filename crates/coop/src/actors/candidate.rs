//! Candidates as exchange automata: all paths that pass some landmarks in order, and then take the edge of an error. With what holds at
//! the landmarks, the same automaton says why there are no such paths.

use std::collections::HashSet;

use tandem_analyses::predicate::components::Candidate;
use tandem_analyses::predicate::landmarks::Landmarks;
use tandem_artifact::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId, Subject, Target, Transition};
use tandem_cfa::{EdgeId, NodeId};

/// How a fact reads that holds nowhere.
const NOTHING: &str = "0";

/// The automaton of a candidate; `facts` are those of the landmarks, in order.
pub fn automaton(
    subject: &Subject,
    targets: &[Target],
    landmarks: &Landmarks,
    candidate: &Candidate,
    mark: Mark,
    facts: &[Vec<String>],
) -> Gia {
    let mut builder = GiaBuilder::new(subject.clone(), targets.to_vec());
    let start = builder.state(None);
    add(&mut builder, start, landmarks, candidate, mark, facts);
    builder.finish().unwrap_or_else(|_| Gia::empty(subject.clone(), targets.to_vec()))
}

/// The automaton of several candidates: one way from the start for each.
pub fn automaton_of_all(subject: &Subject, targets: &[Target], landmarks: &Landmarks, all: &[Candidate]) -> Gia {
    let mut builder = GiaBuilder::new(subject.clone(), targets.to_vec());
    let start = builder.state(None);
    for candidate in all {
        add(&mut builder, start, landmarks, candidate, Mark::Candidate, &[]);
    }
    builder.finish().unwrap_or_else(|_| Gia::empty(subject.clone(), targets.to_vec()))
}

/// Adds the way of a candidate.
fn add(
    builder: &mut GiaBuilder,
    mut at: StateId,
    landmarks: &Landmarks,
    candidate: &Candidate,
    mark: Mark,
    facts: &[Vec<String>],
) {
    let between = EdgeSet::all_but(landmarks.edges.iter().copied().chain([candidate.error]));
    for (index, node) in candidate.landmarks.iter().enumerate() {
        builder.transition(at, between.clone(), GuardId::TRUE, at);
        let here: &[String] = facts.get(index).map_or(&[], Vec::as_slice);
        // Where nothing can hold, nobody comes.
        let is_end = mark == Mark::Unreachable && here == [NOTHING];
        let next = builder.state(is_end.then_some(mark));
        let mut guard = GuardId::TRUE;
        for fact in here.iter().filter(|fact| *fact != NOTHING) {
            let one = builder.guards().text(fact);
            guard = builder.guards().and(guard, one);
        }
        let edges = landmarks.passing(*node).iter().copied().filter(|edge| *edge != candidate.error);
        builder.transition(at, EdgeSet::these(edges), guard, next);
        if is_end {
            return;
        }
        at = next;
    }
    builder.transition(at, between, GuardId::TRUE, at);
    let last = builder.state(Some(mark));
    builder.transition(at, EdgeSet::One(candidate.error), GuardId::TRUE, last);
}

/// The candidate of a path to an error; nothing if it cannot be told by its landmarks.
pub fn candidate_of(landmarks: &Landmarks, path: &[EdgeId]) -> Option<Candidate> {
    let (error, before) = path.split_last()?;
    let passed = before.iter().filter_map(|edge| landmarks.behind(*edge)).collect();
    Some(Candidate { landmarks: passed, error: *error })
}

/// The candidate that an automaton of this shape stands for; nothing for other automata.
pub fn candidate(landmarks: &Landmarks, gia: &Gia) -> Option<Candidate> {
    let mut all = candidates(landmarks, gia)?;
    if all.len() == 1 { all.pop() } else { None }
}

/// The candidates that an automaton stands for, if it has a way from the start for each.
pub fn candidates(landmarks: &Landmarks, gia: &Gia) -> Option<Vec<Candidate>> {
    let leads = gia.leading_to(Mark::Candidate);
    let first = gia.from(Gia::INITIAL).iter().filter(|one| one.target != Gia::INITIAL && leads[one.target]);
    let all: Option<Vec<Candidate>> = first.map(|first| chain(landmarks, gia, first)).collect();
    all.filter(|all| !all.is_empty())
}

/// The candidate whose way begins with this step.
fn chain(landmarks: &Landmarks, gia: &Gia, first: &Transition) -> Option<Candidate> {
    let leads = gia.leading_to(Mark::Candidate);
    let (mut at, mut passed, mut seen) = (Gia::INITIAL, Vec::new(), HashSet::new());
    while seen.insert(at) {
        let mut onward = gia.from(at).iter().filter(|one| one.target != at && leads[one.target]);
        let step = if at == Gia::INITIAL { first } else { onward.next()? };
        if at != Gia::INITIAL && onward.next().is_some() {
            return None;
        }
        if gia.mark(step.target) == Some(Mark::Candidate) {
            let EdgeSet::One(error) = step.edges else { return None };
            // The error itself may lead to a landmark; it is no way to pass one.
            let is_passed = |(node, edges): &(NodeId, &[EdgeId])| {
                landmarks.passing(*node).iter().filter(|edge| **edge != error).eq(edges.iter())
            };
            let is_ours = waits(gia, at, landmarks, error) && passed.iter().all(is_passed);
            let landmarks = passed.into_iter().map(|(node, _)| node).collect();
            return is_ours.then_some(Candidate { landmarks, error });
        }
        let first = step.edges.named().first().filter(|_| !step.edges.is_rest())?;
        let node: NodeId = landmarks.behind(*first)?;
        passed.push((node, step.edges.named()));
        at = step.target;
    }
    None
}

/// Whether the automaton waits in a state over everything but landmarks.
fn waits(gia: &Gia, at: StateId, landmarks: &Landmarks, error: EdgeId) -> bool {
    let between = EdgeSet::all_but(landmarks.edges.iter().copied().chain([error]));
    gia.from(at).iter().any(|one| one.target == at && one.edges == between)
}

/// The facts that an automaton has at landmarks, each with the words of one.
pub fn facts(landmarks: &Landmarks, gia: &Gia) -> Vec<(NodeId, String)> {
    let mut found = Vec::new();
    for transition in gia.transitions().iter().filter(|one| one.guard != GuardId::TRUE && !one.edges.is_rest()) {
        let Some(node) = transition.edges.named().first().and_then(|edge| landmarks.behind(*edge)) else { continue };
        for literal in gia.guards().literals(transition.guard) {
            found.push((node, gia.guards().literal_text(*literal)));
        }
    }
    found
}
