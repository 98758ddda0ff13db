//! Automata that run along with a program. Where an automaton is, its mode, is part of the point; so every analysis works on the
//! product of the program and the automaton without knowing of it. A range of paths, a condition, a goal: each is an observer.

use tandem_base::{Id, IdVec};
use tandem_cfa::{EdgeId, Program};

use crate::flow::{Step, StepKind};

/// Where an observer is. It starts in mode 0.
pub type Mode = u32;

/// An automaton that runs along with the program.
///
/// Obligations: the answers depend on the arguments alone; if there are goals, `goal_edges` has every edge over which a goal is come to.
pub trait Observer: Sync {
    /// The mode after a step that begins in the mode of its point; nothing if nobody is interested in paths that take the step.
    fn after(&self, program: &Program, step: &Step) -> Option<Mode>;

    /// Whether all that it keeps out is known to lead to no error.
    fn keeps_out_only_settled(&self) -> bool {
        false
    }

    /// Whether a path that comes into the mode is one that was looked for.
    fn is_goal(&self, mode: Mode) -> bool {
        let _ = mode;
        false
    }

    /// The edges over which a goal may be come to. With an answer, goals are what is looked for, and not error calls: these
    /// just end the path.
    fn goal_edges(&self) -> Option<&[EdgeId]> {
        None
    }
}

/// Looks for paths that take one of these edges.
#[derive(Clone, Debug)]
pub struct AnyOf {
    edges: Vec<EdgeId>,
    wanted: IdVec<EdgeId, bool>,
}

impl AnyOf {
    const GOAL: Mode = 1;

    pub fn new(program: &Program, edges: impl IntoIterator<Item = EdgeId>) -> AnyOf {
        let edges: Vec<EdgeId> = edges.into_iter().collect();
        let mut wanted = IdVec::filled(false, program.edges.len());
        for edge in edges.iter().filter(|edge| edge.index() < program.edges.len()) {
            wanted[*edge] = true;
        }
        AnyOf { edges, wanted }
    }
}

impl Observer for AnyOf {
    fn after(&self, _: &Program, step: &Step) -> Option<Mode> {
        // A return names the edge of its call, which was taken when the function was entered.
        let takes = !matches!(step.kind, StepKind::Leave(_)) && self.wanted[step.edge];
        Some(if takes { AnyOf::GOAL } else { step.from.mode })
    }

    fn is_goal(&self, mode: Mode) -> bool {
        mode == AnyOf::GOAL
    }

    fn goal_edges(&self) -> Option<&[EdgeId]> {
        Some(&self.edges)
    }
}
