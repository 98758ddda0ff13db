//! What an analysis is.

use tandem_cfa::EdgeId;

use crate::flow::{Callees, Flow, Step};
use crate::point::Point;

/// An abstraction of the states of a program, and how it follows the program's steps.
///
/// Obligations: `step` covers every concrete successor of every concrete state that the state stands for; `covers` is reflexive and
/// transitive, and says yes only if every concrete state of `new` is one of `old`; `merge` gives a state that covers both;
/// `adjust` gives a state that covers what went in (nothing: there was no concrete state in it).
pub trait Analysis {
    type State: Clone;

    /// The state in which the program starts.
    fn start(&mut self, flow: &Flow<'_>) -> Self::State;

    /// Appends the states after the step; none if it cannot be taken.
    fn step(&mut self, flow: &Flow<'_>, state: &Self::State, step: &Step, out: &mut Vec<Self::State>);

    /// The same, for the last step from a state that nobody else needs: it may be changed instead of copied.
    fn last_step(&mut self, flow: &Flow<'_>, state: Self::State, step: &Step, out: &mut Vec<Self::State>) {
        self.step(flow, &state, step, out);
    }

    /// Whether everything that can happen from `new` can happen from `old`, at the same point.
    fn covers(&mut self, old: &Self::State, new: &Self::State) -> bool;

    /// A number that states with the same content share. With one, `covers` is asked for states of the same number first, and then
    /// only for some others: an analysis whose states mostly are covered by equal ones need not compare with all.
    fn fingerprint(&mut self, state: &Self::State) -> Option<u64> {
        let _ = state;
        None
    }

    /// Whether it is worth asking `covers` at this point.
    fn may_cover(&self, flow: &Flow<'_>, at: Point) -> bool {
        let _ = (flow, at);
        true
    }

    /// Whether it is worth asking `merge` at all.
    fn may_merge(&self) -> bool {
        false
    }

    /// One state for both, if they are better treated as one.
    fn merge(&mut self, old: &Self::State, new: &Self::State) -> Option<Self::State> {
        let _ = (old, new);
        None
    }

    /// The last word on a new state at its point: gives up precision, or finds that there is no such state.
    fn adjust(&mut self, flow: &Flow<'_>, state: Self::State, at: Point) -> Option<Self::State> {
        let _ = (flow, at);
        Some(state)
    }

    /// The state was expanded: who needs it no more, and keeps many, may empty it.
    fn expanded(&mut self, state: &mut Self::State) {
        let _ = state;
    }

    /// Whether the state is one that was looked for.
    fn is_target(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Where a call through a pointer may go.
    fn callees(&mut self, flow: &Flow<'_>, state: &Self::State, edge: EdgeId) -> Callees {
        let _ = (flow, state, edge);
        Callees::Unknown
    }
}
