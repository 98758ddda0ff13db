//! How automata are made: a builder that checks the rules of well-formedness.

use std::fmt;

use tandem_base::IdVec;

use super::*;

/// An automaton that is being made. The first state is the initial one.
pub struct GiaBuilder {
    gia: Gia,
}

/// The automaton that says of paths over these edges, at these edges, what they are; no edge stands twice.
pub fn by_edges(subject: Subject, targets: Vec<Target>, marked: &[(Mark, Vec<EdgeId>)]) -> Gia {
    let empty = Gia::empty(subject.clone(), targets.clone());
    let mut builder = GiaBuilder::new(subject, targets);
    let start = builder.state(None);
    for (mark, edges) in marked.iter().filter(|(_, edges)| !edges.is_empty()) {
        let state = builder.state(Some(*mark));
        builder.transition(start, EdgeSet::these(edges.iter().copied()), GuardId::TRUE, state);
    }
    let rest = marked.iter().flat_map(|(_, edges)| edges).copied();
    builder.transition(start, EdgeSet::all_but(rest), GuardId::TRUE, start);
    builder.finish().unwrap_or(empty)
}

/// A rule of well-formedness that is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// There is no state.
    NoInitialState,
    /// The initial state has an invariant other than true.
    InitialInvariant,
    /// Rule 1: a transition leads out of F_ut.
    LeavesUnreachable { state: StateId, to: StateId },
    /// Rule 2: a transition leads out of F_rt.
    LeavesReached { state: StateId, to: StateId },
    /// Rule 3: a state of F_cand has no transition for every edge to itself.
    NoSelfLoop { state: StateId },
    /// Two states have one name.
    SameName { name: String },
    /// A transition leads to a state that is not there.
    NoSuchState { state: StateId },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::NoInitialState => write!(f, "the automaton has no initial state"),
            Flaw::InitialInvariant => write!(f, "the initial state has an invariant other than true"),
            Flaw::LeavesUnreachable { state, to } => {
                write!(f, "rule 1: a transition leads from {state}, which is marked unreachable, to {to}, which is not")
            }
            Flaw::LeavesReached { state, to } => {
                write!(f, "rule 2: a transition leads from {state}, which is marked reached, to {to}, which is not")
            }
            Flaw::NoSelfLoop { state } => {
                write!(f, "rule 3: the candidate {state} has no transition for every edge to itself")
            }
            Flaw::SameName { name } => write!(f, "two states are named `{name}`"),
            Flaw::NoSuchState { state } => write!(f, "a transition names {state}, which is no state"),
        }
    }
}

impl std::error::Error for Flaw {}

impl GiaBuilder {
    pub fn new(subject: Subject, targets: Vec<Target>) -> GiaBuilder {
        let mut gia = Gia::empty(subject, targets);
        gia.states = IdVec::new();
        GiaBuilder { gia }
    }

    pub(super) fn of(gia: Gia) -> GiaBuilder {
        GiaBuilder { gia }
    }

    pub fn guards(&mut self) -> &mut Guards {
        &mut self.gia.guards
    }

    pub fn subject(&mut self) -> &mut Subject {
        &mut self.gia.subject
    }

    pub fn states(&self) -> &IdVec<StateId, GiaState> {
        &self.gia.states
    }

    /// A new state without an invariant, named after its number. A candidate gets its transition to itself.
    pub fn state(&mut self, mark: Option<Mark>) -> StateId {
        let name = format!("q{}", self.gia.states.len());
        self.named(&name, GuardId::TRUE, mark)
    }

    /// A new state. A candidate gets its transition to itself.
    pub fn named(&mut self, name: &str, invariant: GuardId, mark: Option<Mark>) -> StateId {
        let state = self.bare(name, invariant, mark);
        if mark == Some(Mark::Candidate) {
            self.transition(state, EdgeSet::all(), GuardId::TRUE, state);
        }
        state
    }

    /// A new state as it is: a candidate has no transition to itself yet.
    pub fn bare(&mut self, name: &str, invariant: GuardId, mark: Option<Mark>) -> StateId {
        self.gia.states.push(GiaState { name: name.into(), invariant, mark })
    }

    pub fn set_mark(&mut self, state: StateId, mark: Option<Mark>) {
        self.gia.states[state].mark = mark;
        if mark == Some(Mark::Candidate) {
            self.transition(state, EdgeSet::all(), GuardId::TRUE, state);
        }
    }

    pub fn set_invariant(&mut self, state: StateId, invariant: GuardId) {
        self.gia.states[state].invariant = invariant;
    }

    pub fn transition(&mut self, source: StateId, edges: EdgeSet, guard: GuardId, target: StateId) {
        self.gia.transitions.push(Transition { source, edges, guard, target });
    }

    /// Leaves out the transitions of settled states: whoever put marks on states of another automaton may have given them some.
    pub(super) fn drop_moves_of_settled(&mut self) {
        let states = &self.gia.states;
        let settled = |state: StateId| states[state].mark.is_some_and(Mark::is_settled);
        self.gia.transitions.retain(|transition| !settled(transition.source));
    }

    /// The automaton, if it is well-formed. Transitions of settled states, which no run needs, and those that no step can
    /// take are left out, and so are duplicates.
    pub fn finish(mut self) -> Result<Gia, Flaw> {
        self.check()?;
        let gia = &mut self.gia;
        let states = &gia.states;
        gia.transitions.retain(|transition| {
            let settled = states[transition.source].mark.is_some_and(Mark::is_settled);
            !settled && !transition.edges.is_empty() && transition.guard != GuardId::FALSE
        });
        gia.transitions.sort_unstable_by(|one, other| {
            let key = |transition: &Transition| (transition.source, transition.target, transition.guard);
            key(one).cmp(&key(other)).then_with(|| one.edges.cmp(&other.edges))
        });
        gia.transitions.dedup();
        gia.first = Vec::with_capacity(gia.states.len() + 1);
        let mut at = 0;
        for state in gia.states.ids() {
            gia.first.push(at as u32);
            while at < gia.transitions.len() && gia.transitions[at].source == state {
                at += 1;
            }
        }
        gia.first.push(at as u32);
        Ok(self.gia)
    }

    fn check(&self) -> Result<(), Flaw> {
        let gia = &self.gia;
        let initial = gia.states.get(Gia::INITIAL).ok_or(Flaw::NoInitialState)?;
        if initial.invariant != GuardId::TRUE {
            return Err(Flaw::InitialInvariant);
        }
        let mut loops = IdVec::<StateId, bool>::filled(false, gia.states.len());
        for Transition { source, edges, guard, target } in &gia.transitions {
            let mark =
                |state: StateId| gia.states.get(state).ok_or(Flaw::NoSuchState { state }).map(|state| state.mark);
            let (from, to) = (mark(*source)?, mark(*target)?);
            match from {
                Some(Mark::Unreachable) if to != from => {
                    return Err(Flaw::LeavesUnreachable { state: *source, to: *target });
                }
                Some(Mark::Reached) if to != from => return Err(Flaw::LeavesReached { state: *source, to: *target }),
                Some(_) | None => {}
            }
            loops[*source] |= source == target && edges.is_all() && *guard == GuardId::TRUE;
        }
        for (state, content) in gia.states.enumerate() {
            if content.mark == Some(Mark::Candidate) && !loops[state] {
                return Err(Flaw::NoSelfLoop { state });
            }
        }
        let mut names: Vec<&str> = gia.states.iter().map(|state| &*state.name).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Flaw::SameName { name: pair[0].to_string() }),
            None => Ok(()),
        }
    }
}
