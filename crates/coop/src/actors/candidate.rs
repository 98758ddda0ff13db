//! Candidates as exchange automata: all paths that pass some landmarks in order, and then take the edge of an error. With what holds at
//! the landmarks, the same automaton says why there are no such paths.

use std::collections::HashSet;

use tandem_analyses::predicate::components::Candidate;
use tandem_analyses::predicate::landmarks::Landmarks;
use tandem_artifact::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, StateId, Subject, Target};
use tandem_cfa::NodeId;

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
    let mut at = builder.state(None);
    let between = EdgeSet::all_but(landmarks.edges.iter().copied().chain([candidate.error]));
    for (index, node) in candidate.landmarks.iter().enumerate() {
        builder.transition(at, between.clone(), GuardId::TRUE, at);
        let next = builder.state(None);
        let mut guard = GuardId::TRUE;
        for fact in facts.get(index).into_iter().flatten() {
            let one = builder.guards().text(fact);
            guard = builder.guards().and(guard, one);
        }
        let edges = landmarks.entering(*node).iter().copied().filter(|edge| *edge != candidate.error);
        builder.transition(at, EdgeSet::these(edges), guard, next);
        at = next;
    }
    builder.transition(at, between, GuardId::TRUE, at);
    let last = builder.state(Some(mark));
    builder.transition(at, EdgeSet::One(candidate.error), GuardId::TRUE, last);
    builder.finish().unwrap_or_else(|_| Gia::empty(subject.clone(), targets.to_vec()))
}

/// The candidate that an automaton of this shape stands for; nothing for other automata.
pub fn candidate(landmarks: &Landmarks, gia: &Gia) -> Option<Candidate> {
    let leads = gia.leading_to(Mark::Candidate);
    let (mut at, mut passed, mut seen) = (Gia::INITIAL, Vec::new(), HashSet::new());
    while seen.insert(at) {
        let mut onward = gia.from(at).iter().filter(|one| one.target != at && leads[one.target]);
        let (Some(step), None) = (onward.next(), onward.next()) else { return None };
        if gia.mark(step.target) == Some(Mark::Candidate) {
            let EdgeSet::One(error) = step.edges else { return None };
            return waits(gia, at, landmarks, error).then_some(Candidate { landmarks: passed, error });
        }
        let first = step.edges.named().first().filter(|_| !step.edges.is_rest())?;
        let node: NodeId = landmarks.behind(*first)?;
        (step.edges.named() == landmarks.entering(node)).then_some(())?;
        passed.push(node);
        at = step.target;
    }
    None
}

/// Whether the automaton waits in a state over everything but landmarks.
fn waits(gia: &Gia, at: StateId, landmarks: &Landmarks, error: tandem_cfa::EdgeId) -> bool {
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
