//! What is settled as an exchange automaton, and back.

use tandem_artifact::gia::{EdgeSet, Gia, GiaBuilder, GuardId, Mark, Subject};
use tandem_cfa::EdgeId;

use super::board::{Board, Status};
use super::goals::targets;

/// The goals by their edges: a path over an edge of an unreachable goal is not to be followed, one over an edge of an open goal is a
/// candidate. What is covered is nothing to be looked for; its tests say how it is reached.
pub fn gia_of(board: &Board<'_>, subject: Subject) -> Gia {
    let edges = |wanted: fn(&Status) -> bool| -> Vec<EdgeId> {
        let goals = board.goals.iter().zip(&board.status).filter(|(_, status)| wanted(status));
        let mut edges: Vec<EdgeId> = goals.flat_map(|(goal, _)| goal.edges.iter().copied()).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    };
    let open = edges(|status| matches!(status, Status::Open));
    let mut unreachable = edges(|status| matches!(status, Status::Unreachable(_)));
    unreachable.retain(|edge| open.binary_search(edge).is_err());
    let all = targets(board.goals);
    let mut builder = GiaBuilder::new(subject.clone(), all.clone());
    let start = builder.state(None);
    for (edges, mark) in [(&unreachable, Mark::Unreachable), (&open, Mark::Candidate)] {
        if !edges.is_empty() {
            let state = builder.state(Some(mark));
            builder.transition(start, EdgeSet::these(edges.iter().copied()), GuardId::TRUE, state);
        }
    }
    let rest = unreachable.iter().chain(&open).copied();
    builder.transition(start, EdgeSet::all_but(rest), GuardId::TRUE, start);
    builder.finish().unwrap_or_else(|_| Gia::empty(subject, all))
}

/// Takes over from an automaton that a verifier made for these goals which of them are unreachable: those all of whose edges lead straight to a
/// state that says so.
pub fn settle(board: &mut Board<'_>, gia: &Gia, by: &'static str) {
    let excluded = |edge: EdgeId| {
        let start = gia.from(Gia::INITIAL).iter().filter(|step| step.edges.contains(edge));
        let mut marks = start.map(|step| (gia.mark(step.target), step.guard)).peekable();
        marks.peek().is_some() && marks.all(|(mark, guard)| mark == Some(Mark::Unreachable) && guard == GuardId::TRUE)
    };
    // Only an automaton whose other paths come back to its start says something about all paths.
    let is_flat =
        gia.from(Gia::INITIAL).iter().all(|step| step.target == Gia::INITIAL || gia.mark(step.target).is_some());
    if is_flat {
        let proved: Vec<usize> = board
            .open()
            .into_iter()
            .filter(|goal| board.goals[*goal].edges.iter().all(|edge| excluded(*edge)))
            .collect();
        board.prove(&proved, by);
    }
}
