//! Why a path ends. There is no other way for a step to have no successor, so that nothing is called proved because a path was
//! lost: [`PathEnd::gap`] is the one place that decides which ends are gaps in a proof.

use super::domain::Domain;
use super::{Beyond, Executor, Store};

/// Why a step has no successor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathEnd {
    /// No run takes the step: the condition of a branch or an assumption of the program cannot hold.
    Infeasible,
    /// The program ended itself: `exit`, `abort`, a trap, a failing assertion that is not asked about.
    Terminated,
    /// The behaviour of the program is not defined from here on. It was remembered in [`Executor::beyond`]; whether a run gets
    /// here is decided when a proof is about to be made (`undefined.rs`).
    Undefined(&'static str),
    /// Something is not modelled.
    Unsupported(String),
}

impl PathEnd {
    /// What makes the end a gap in a proof; nothing if the path ends for a reason of the program's own, or for undefined
    /// behaviour, which has its own rule.
    pub fn gap(self) -> Option<String> {
        match self {
            PathEnd::Infeasible | PathEnd::Terminated | PathEnd::Undefined(_) => None,
            PathEnd::Unsupported(what) => Some(what),
        }
    }

    /// The same for the initial state of a program. Every program can be started, so an initial state that ends is an error of
    /// the model, whatever the reason.
    pub fn start_gap(self) -> String {
        match self {
            PathEnd::Unsupported(what) => what,
            PathEnd::Infeasible | PathEnd::Terminated => "internal error: the initial state is infeasible".to_string(),
            PathEnd::Undefined(what) => format!("internal error: the initial state is undefined ({what})"),
        }
    }
}

impl<D: Domain> Executor<'_, D> {
    /// Ends the path because its behaviour is not defined from here on.
    pub(super) fn undefined<T>(&mut self, store: &Store<D>, what: &'static str) -> super::Result<T> {
        self.note_undefined(store, what, None);
        Err(PathEnd::Undefined(what))
    }

    /// Remembers that the behaviour is not defined when the guard holds, or always if there is none. Domains that give up
    /// precision do not remember it: they cannot tell such an operation from one that no run carries out.
    pub(super) fn note_undefined(&mut self, store: &Store<D>, what: &'static str, when: Option<D::Guard>) {
        if D::SYMBOLIC {
            let at = self.place();
            self.beyond.push(Beyond { what, path: store.path.clone(), when, at });
        } else {
            self.unclear_bounds = true;
        }
    }
}
