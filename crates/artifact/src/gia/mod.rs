//! The exchange automaton (GIA): one artifact for what is proved unreachable, what is reached and what is only a candidate.
//!
//! A path of the program is the sequence of its edges (those of library models are no steps of it), each with the state of the
//! program after the edge. A transition of the automaton takes a step if the edge is one of its edges and the state meets its guard
//! and the invariant of the state it leads to. A run that comes to a marked state covers the path it has followed and all that
//! go on from there.
//!
//! An automaton is made by a [`GiaBuilder`], which checks the rules of well-formedness, and never changed again. Edges are those of
//! one program, named by their ids; guards are C text, whose names are meant at the place behind the edge. This folder knows no
//! file format, no analysis and no solver.

mod build;
mod combine;
mod cover;
mod edge_names;
mod edges;
mod guard;
mod minimise;
mod partition;
mod product;
mod same;
mod scope;
#[cfg(test)]
mod testing;

use tandem_base::{Id, IdVec, SourceText, define_id};
use tandem_cfa::{DataModel, EdgeId};

use crate::{ProgramIdentity, sha256_hex};

pub use build::{Flaw, GiaBuilder, by_edges};
pub use combine::{Mismatch, combine, contradiction};
pub use cover::{Covered, GiaRun};
pub use edge_names::EdgeNames;
pub use edges::EdgeSet;
pub use guard::{AtomId, GuardId, GuardLiteral, Guards};
pub use minimise::minimise;
pub use product::intersection;
pub use same::{same, words};
pub use scope::{Scope, guard_formula, is_path_step, result_place, scope_behind};

define_id!(
    /// A state of a [`Gia`].
    StateId,
    "q"
);

/// An exchange automaton.
#[derive(Clone, PartialEq, Debug)]
pub struct Gia {
    pub subject: Subject,
    /// What is to be reached or proved unreachable.
    pub targets: Vec<Target>,
    guards: Guards,
    states: IdVec<StateId, GiaState>,
    /// Sorted by source.
    transitions: Vec<Transition>,
    /// For each state where its transitions begin, and at the end how many there are.
    first: Vec<u32>,
}

/// The program an automaton is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// As the user named it.
    pub file: String,
    /// SHA-256 of the user's file as it is, in hexadecimal.
    pub file_hash: String,
    pub identity: ProgramIdentity,
}

impl Subject {
    /// A program in a text that needs no preprocessor.
    pub fn plain(file: &str, text: &[u8], model: DataModel) -> Subject {
        let identity = ProgramIdentity::of(&SourceText::plain(file, text), model);
        Subject { file: file.to_string(), file_hash: sha256_hex(text), identity }
    }

    pub fn data_model(&self) -> DataModel {
        self.identity.data_model()
    }

    /// What to say when something turns out to be about another program.
    pub fn identity_help(&self) -> String {
        format!(
            "the program given, with its headers and the -D and -I of this command line, has the identity {}",
            self.identity.hash()
        )
    }
}

/// A target: reached as soon as one of its edges is taken.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Target {
    pub name: String,
    /// In the order of their ids, without duplicates.
    pub edges: Vec<EdgeId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GiaState {
    pub name: Box<str>,
    /// What the state of the program must meet whenever a run comes here.
    pub invariant: GuardId,
    pub mark: Option<Mark>,
}

/// The three kinds of accepting states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// F_ut: no target is reached from here on.
    Unreachable,
    /// F_rt: a target was reached.
    Reached,
    /// F_cand: perhaps, worth a look.
    Candidate,
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct Transition {
    pub source: StateId,
    pub edges: EdgeSet,
    /// What the state of the program must meet after the edge.
    pub guard: GuardId,
    pub target: StateId,
}

impl Mark {
    /// F_ut or F_rt: nothing is left to do behind such a state.
    pub fn is_settled(self) -> bool {
        match self {
            Mark::Unreachable | Mark::Reached => true,
            Mark::Candidate => false,
        }
    }
}

impl Gia {
    pub const INITIAL: StateId = StateId(0);

    /// The automaton that says nothing.
    pub fn empty(subject: Subject, targets: Vec<Target>) -> Gia {
        Gia {
            subject,
            targets,
            guards: Guards::new(),
            states: IdVec::from(vec![GiaState { name: "q0".into(), invariant: GuardId::TRUE, mark: None }]),
            transitions: Vec::new(),
            first: vec![0, 0],
        }
    }

    pub fn guards(&self) -> &Guards {
        &self.guards
    }

    pub fn states(&self) -> &IdVec<StateId, GiaState> {
        &self.states
    }

    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// The transitions that leave a state.
    pub fn from(&self, state: StateId) -> &[Transition] {
        &self.transitions[self.first[state.index()] as usize..self.first[state.index() + 1] as usize]
    }

    pub fn mark(&self, state: StateId) -> Option<Mark> {
        self.states[state].mark
    }

    /// Whether there is a candidate state at all, reachable or not. Without one, everything that is not settled is open.
    pub fn has_candidates(&self) -> bool {
        self.has(Mark::Candidate)
    }

    pub fn has(&self, mark: Mark) -> bool {
        self.states.iter().any(|state| state.mark == Some(mark))
    }

    /// Everything that must hold after the edge for a run to take the transition: its guard and the invariant it leads to.
    pub fn label(&self, transition: &Transition) -> [GuardId; 2] {
        [transition.guard, self.states[transition.target].invariant]
    }

    /// The states from which a mark can be reached.
    pub fn leading_to(&self, mark: Mark) -> IdVec<StateId, bool> {
        let mut sources: IdVec<StateId, Vec<StateId>> = IdVec::filled(Vec::new(), self.states.len());
        for transition in &self.transitions {
            sources[transition.target].push(transition.source);
        }
        let mut leading = IdVec::filled(false, self.states.len());
        let mut open: Vec<StateId> = self.states.ids().filter(|state| self.mark(*state) == Some(mark)).collect();
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut leading[state], true) {
                open.extend(&sources[state]);
            }
        }
        leading
    }

    /// The same states and transitions with other marks: what `mark` makes of each. A new candidate gets its transition to itself.
    pub fn remarked(&self, mark: impl Fn(Mark) -> Option<Mark>) -> Gia {
        let mut builder = self.clone().edit();
        for (state, content) in self.states.enumerate() {
            if let Some(old) = content.mark {
                builder.set_mark(state, mark(old));
            }
        }
        builder.drop_moves_of_settled();
        // Settled states have no transitions, and candidates the one to themselves: all rules hold.
        builder.finish().unwrap_or_else(|_| Gia::empty(self.subject.clone(), self.targets.clone()))
    }

    /// A builder that starts with this automaton.
    pub fn edit(self) -> GiaBuilder {
        GiaBuilder::of(self)
    }
}
