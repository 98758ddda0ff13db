//! The combiner: what several automata know, in one.
//!
//! - P_ut and P_rt are exactly the unions.
//! - P_cand: the paths that every automaton with candidates counts among them (one without has nothing to say about them), but those
//!   that are settled by the time they become candidates. In languages: with C the intersection of the P_cand of those that have
//!   candidates and S the union of all P_ut and P_rt, it is the closure under going on of C \ S. This law is commutative and
//!   associative, the empty automaton is its identity, and it looks only at the languages and at whether there are candidates.
//!   (A path without a step is no candidate: an initial state that is one would have to loop over every edge, and runs of the
//!   other automata could wait in it.)
//!
//! What an automaton claims is about its own targets. Automata with different targets are combined in groups: within a group as above, and then
//! the claims of each group are stated for the targets of all ([`rescoped`]): *unreachable* becomes "no target of the group is met from here
//! on", and nothing is said about paths to the others. Candidates of one group leave the targets of the others open: they are the
//! union of those of the groups, and there are none if some group has none.
//!
//! Whether the automata contradict each other is not asked here: see [`contradiction`].

use std::collections::BTreeSet;
use std::fmt;

use super::minimise::{minimise, trimmed};
use super::product::{intersection, unsettled};
use super::*;
use crate::IdentityDifference;

/// What cannot be combined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The automata are about different programs.
    OtherProgram { one: String, other: String, difference: IdentityDifference },
    /// They are about one program under different data models.
    OtherDataModel,
    /// There is nothing to combine.
    Nothing,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::OtherProgram { one, other, difference } => {
                write!(f, "the automata are about different programs, `{one}` and `{other}`: {difference}")
            }
            Mismatch::OtherDataModel => write!(f, "the automata are about different data models"),
            Mismatch::Nothing => write!(f, "there is no automaton to combine"),
        }
    }
}

impl std::error::Error for Mismatch {}

/// The combination of automata about one program, minimised.
pub fn combine(automata: &[&Gia]) -> Result<Gia, Mismatch> {
    let [first, rest @ ..] = automata else { return Err(Mismatch::Nothing) };
    for other in rest {
        match first.subject.identity.difference(&other.subject.identity) {
            None => {}
            Some(IdentityDifference::DataModel) => return Err(Mismatch::OtherDataModel),
            Some(difference) => {
                let (one, other) = (first.subject.file.clone(), other.subject.file.clone());
                return Err(Mismatch::OtherProgram { one, other, difference });
            }
        }
    }
    let mut groups: Vec<(BTreeSet<EdgeId>, Vec<&Gia>)> = Vec::new();
    for automaton in automata {
        let edges = target_edges(automaton);
        match groups.iter_mut().find(|(of_group, _)| *of_group == edges) {
            Some((_, group)) => group.push(automaton),
            None => groups.push((edges, vec![automaton])),
        }
    }
    match &groups[..] {
        [(_, group)] => Ok(combined_group(group)),
        groups => Ok(combined_groups(groups, union_of_targets(automata))),
    }
}

/// The edges of all targets of an automaton.
fn target_edges(gia: &Gia) -> BTreeSet<EdgeId> {
    gia.targets.iter().flat_map(|target| target.edges.iter().copied()).collect()
}

/// The combination of automata about the same targets.
fn combined_group(automata: &[&Gia]) -> Gia {
    let settled = minimise(&settled_part(automata));
    let mut candidates: Option<Gia> = None;
    for automaton in automata.iter().filter(|automaton| automaton.has_candidates()) {
        candidates = Some(match candidates {
            None => candidate_part(automaton),
            Some(before) => minimise(&intersection((&before, Mark::Candidate), (automaton, Mark::Candidate))),
        });
    }
    match candidates {
        None => settled,
        Some(candidates) => minimise(&joined(&settled, &unsettled(&candidates, &settled))),
    }
}

/// The combination of automata about different targets, group by group.
fn combined_groups(groups: &[(BTreeSet<EdgeId>, Vec<&Gia>)], targets: Vec<Target>) -> Gia {
    // An automaton without targets makes no claim.
    let groups = groups.iter().filter(|(edges, _)| !edges.is_empty());
    let parts: Vec<Gia> = groups.map(|(edges, group)| rescoped(&combined_group(group), edges, &targets)).collect();
    let settled = minimise(&settled_part(&parts.iter().collect::<Vec<_>>()));
    if !parts.iter().all(Gia::has_candidates) {
        return settled;
    }
    let mut union = Union::new(settled.subject.clone(), targets);
    for part in &parts {
        union.add(part, |mark| (mark == Mark::Candidate).then_some(mark));
    }
    let candidates = minimise(&union.finish());
    // A path that one group has reached may still be a candidate of another.
    let unreachable = minimise(&settled.remarked(|mark| (mark == Mark::Unreachable).then_some(mark)));
    minimise(&joined(&settled, &unsettled(&candidates, &unreachable)))
}

/// The same claims for more targets. Who called paths unreachable said that none of the old targets is met at the last step or later: a path that
/// does so all the same is one that no run takes, and so nothing is met on it. Nothing is said of the others any more.
fn rescoped(gia: &Gia, old: &BTreeSet<EdgeId>, targets: &[Target]) -> Gia {
    let mut result = gia.clone();
    result.targets = targets.to_vec();
    if !gia.has(Mark::Unreachable) || target_edges(&result) == *old {
        return result;
    }
    let old: Vec<EdgeId> = old.iter().copied().collect();
    let empty = Gia::empty(gia.subject.clone(), targets.to_vec());
    let is_unreachable = |state: StateId| gia.mark(state) == Some(Mark::Unreachable);
    let mut builder = GiaBuilder::new(gia.subject.clone(), targets.to_vec());
    *builder.guards() = gia.guards.clone();
    for (state, content) in gia.states.enumerate() {
        let mark = content.mark.filter(|_| !is_unreachable(state));
        builder.bare(&format!("q{}", state.0), content.invariant, mark);
    }
    let dead = builder.named(&format!("q{}", gia.states.len()), GuardId::TRUE, Some(Mark::Unreachable));
    // Behind the claim: until an old target is met, nothing is known.
    let behind = builder.named(&format!("q{}", gia.states.len() + 1), GuardId::TRUE, None);
    builder.transition(behind, EdgeSet::all_but(old.iter().copied()), GuardId::TRUE, behind);
    builder.transition(behind, EdgeSet::these(old.iter().copied()), GuardId::TRUE, dead);
    for transition in &gia.transitions {
        let Transition { source, edges, guard, target } = transition.clone();
        if !is_unreachable(target) {
            builder.transition(source, edges, guard, target);
            continue;
        }
        // What must hold at the state that claimed it still must hold.
        let guard = builder.guards().and(guard, gia.states[target].invariant);
        builder.transition(source, edges.intersect(&EdgeSet::these(old.iter().copied())), guard, dead);
        builder.transition(source, edges.without(&old), guard, behind);
    }
    if is_unreachable(Gia::INITIAL) {
        builder.transition(Gia::INITIAL, EdgeSet::all_but(old.iter().copied()), GuardId::TRUE, behind);
        builder.transition(Gia::INITIAL, EdgeSet::these(old.iter().copied()), GuardId::TRUE, dead);
    }
    builder.finish().unwrap_or(empty)
}

/// The paths that an automaton calls reached by meeting one of these edges at their end.
fn reached_by(gia: &Gia, edges: &BTreeSet<EdgeId>) -> Gia {
    if target_edges(gia).is_subset(edges) {
        return gia.clone();
    }
    let mut builder = GiaBuilder::new(gia.subject.clone(), gia.targets.clone());
    *builder.guards() = gia.guards.clone();
    for (state, content) in gia.states.enumerate() {
        let is_initial_claim = state == Gia::INITIAL && content.mark == Some(Mark::Reached);
        builder.bare(&content.name, content.invariant, content.mark.filter(|_| !is_initial_claim));
    }
    for transition in &gia.transitions {
        let Transition { source, edges: taken, guard, target } = transition.clone();
        let taken = match gia.mark(target) {
            Some(Mark::Reached) => taken.intersect(&EdgeSet::these(edges.iter().copied())),
            Some(Mark::Unreachable | Mark::Candidate) | None => taken,
        };
        builder.transition(source, taken, guard, target);
    }
    builder.finish().unwrap_or_else(|_| Gia::empty(gia.subject.clone(), gia.targets.clone()))
}

/// Where two automata contradict each other, as far as their edges and guards tell: an automaton whose candidates are the paths that
/// one calls unreachable and the other reached, by a target that both are about. Without a candidate state there is no such path; with one, only
/// a solver can tell.
pub fn contradiction(one: &Gia, other: &Gia) -> Gia {
    let common: BTreeSet<EdgeId> = target_edges(one).intersection(&target_edges(other)).copied().collect();
    let (reached_by_one, reached_by_other) = (reached_by(one, &common), reached_by(other, &common));
    let first = trimmed(&intersection((one, Mark::Unreachable), (&reached_by_other, Mark::Reached)));
    let second = trimmed(&intersection((&reached_by_one, Mark::Reached), (other, Mark::Unreachable)));
    let mut union = Union::new(one.subject.clone(), one.targets.clone());
    union.add(&first, Some);
    union.add(&second, Some);
    minimise(&union.finish())
}

fn union_of_targets(automata: &[&Gia]) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for target in automata.iter().flat_map(|automaton| &automaton.targets) {
        if !targets.contains(target) {
            targets.push(target.clone());
        }
    }
    targets
}

/// The union of what is settled; what only leads to candidates is left out.
fn settled_part(automata: &[&Gia]) -> Gia {
    let mut union = Union::new(automata[0].subject.clone(), union_of_targets(automata));
    for automaton in automata {
        union.add(automaton, |mark| mark.is_settled().then_some(mark));
    }
    union.finish()
}

/// The candidates alone.
fn candidate_part(gia: &Gia) -> Gia {
    let mut union = Union::new(gia.subject.clone(), gia.targets.clone());
    union.add(gia, |mark| (mark == Mark::Candidate).then_some(mark));
    minimise(&union.finish())
}

fn joined(settled: &Gia, candidates: &Gia) -> Gia {
    let mut union = Union::new(settled.subject.clone(), settled.targets.clone());
    union.add(settled, Some);
    union.add(candidates, Some);
    union.require_candidate();
    union.finish()
}

/// Automata side by side, with one initial state that can do what each of theirs can: also the step of an initial candidate to itself,
/// which leads to its copy.
struct Union {
    builder: GiaBuilder,
}

impl Union {
    fn new(subject: Subject, targets: Vec<Target>) -> Union {
        let mut builder = GiaBuilder::new(subject, targets);
        builder.named("q0", GuardId::TRUE, None);
        Union { builder }
    }

    /// Adds an automaton, with the marks that `keep` leaves it.
    fn add(&mut self, gia: &Gia, keep: impl Fn(Mark) -> Option<Mark>) {
        let offset = self.builder.states().len() as u32;
        let guards: Vec<GuardId> = (0..gia.guards.len())
            .map(|id| self.builder.guards().import(&gia.guards, GuardId::from_index(id)))
            .collect();
        for (state, content) in gia.states.enumerate() {
            let mark = content.mark.and_then(&keep);
            let name = format!("q{}", offset + state.0);
            self.builder.bare(&name, guards[content.invariant.index()], mark);
            if state == Gia::INITIAL && mark.is_some_and(Mark::is_settled) {
                self.builder.set_mark(Gia::INITIAL, mark);
            }
        }
        for transition in &gia.transitions {
            let (guard, target) = (guards[transition.guard.index()], StateId(transition.target.0 + offset));
            self.builder.transition(StateId(transition.source.0 + offset), transition.edges.clone(), guard, target);
            if transition.source == Gia::INITIAL {
                self.builder.transition(Gia::INITIAL, transition.edges.clone(), guard, target);
            }
        }
    }

    /// Whether there are candidates is part of what an automaton says, even if none is reached.
    fn require_candidate(&mut self) {
        let states = self.builder.states();
        if !states.iter().any(|state| state.mark == Some(Mark::Candidate)) {
            let name = format!("q{}", states.len());
            self.builder.named(&name, GuardId::TRUE, Some(Mark::Candidate));
        }
    }

    fn finish(self) -> Gia {
        let mut builder = self.builder;
        let empty = Gia::empty(builder.subject().clone(), Vec::new());
        builder.drop_moves_of_settled();
        builder.finish().unwrap_or(empty)
    }
}
