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
//! Whether the automata contradict each other is not asked here: see [`contradiction`].

use std::fmt;

use super::minimise::{minimise, trimmed};
use super::product::{intersection, unsettled};
use super::*;

/// What cannot be combined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The automata are about different programs.
    OtherProgram { one: String, other: String },
    /// They are about one program under different data models.
    OtherDataModel,
    /// There is nothing to combine.
    Nothing,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::OtherProgram { one, other } => {
                write!(f, "the automata are about different programs: `{one}` and `{other}` differ in their text")
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
        if other.subject.hash != first.subject.hash {
            let (one, other) = (first.subject.file.clone(), other.subject.file.clone());
            return Err(Mismatch::OtherProgram { one, other });
        }
        if other.subject.data_model != first.subject.data_model {
            return Err(Mismatch::OtherDataModel);
        }
    }
    let settled = minimise(&settled_part(automata));
    let mut candidates: Option<Gia> = None;
    for automaton in automata.iter().filter(|automaton| automaton.has_candidates()) {
        candidates = Some(match candidates {
            None => candidate_part(automaton),
            Some(before) => minimise(&intersection((&before, Mark::Candidate), (automaton, Mark::Candidate))),
        });
    }
    Ok(match candidates {
        None => settled,
        Some(candidates) => minimise(&joined(&settled, &unsettled(&candidates, &settled))),
    })
}

/// Where two automata contradict each other, as far as their edges and guards tell: an automaton whose candidates are the paths that
/// one calls unreachable and the other reached. Without a candidate state there is no such path; with one, only a solver can tell.
pub fn contradiction(one: &Gia, other: &Gia) -> Gia {
    let first = trimmed(&intersection((one, Mark::Unreachable), (other, Mark::Reached)));
    let second = trimmed(&intersection((one, Mark::Reached), (other, Mark::Unreachable)));
    let mut union = Union::new(one.subject.clone(), one.targets.clone());
    union.add(&first, Some);
    union.add(&second, Some);
    minimise(&union.finish())
}

/// The union of what is settled; what only leads to candidates is left out.
fn settled_part(automata: &[&Gia]) -> Gia {
    let mut targets: Vec<Target> = Vec::new();
    for target in automata.iter().flat_map(|automaton| &automaton.targets) {
        if !targets.contains(target) {
            targets.push(target.clone());
        }
    }
    let mut union = Union::new(automata[0].subject.clone(), targets);
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
