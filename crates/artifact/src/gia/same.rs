//! Whether two automata say the same in the same words.

use super::*;

/// The same subject, targets, states in their order, and transitions with the same edges and texts. Unlike `==`, it does not matter in
/// which order the guards were made, nor whether some are not used.
pub fn same(one: &Gia, other: &Gia) -> bool {
    one.subject == other.subject
        && one.targets == other.targets
        && one.states.len() == other.states.len()
        && one.transitions.len() == other.transitions.len()
        && one.states.iter().zip(other.states.iter()).all(|(left, right)| {
            (&left.name, left.mark, words(one, left.invariant))
                == (&right.name, right.mark, words(other, right.invariant))
        })
        && described(one) == described(other)
}

/// The conjuncts of a guard as C texts, in the order of the alphabet; `0` for one that never holds.
pub fn words(gia: &Gia, guard: GuardId) -> Vec<String> {
    if guard == GuardId::FALSE {
        return vec!["0".to_string()];
    }
    let literals = gia.guards.literals(guard).iter();
    let mut words: Vec<String> = literals.map(|literal| gia.guards.literal_text(*literal)).collect();
    words.sort_unstable();
    words
}

fn described(gia: &Gia) -> Vec<(StateId, StateId, Vec<String>, &EdgeSet)> {
    let transitions = gia.transitions.iter();
    let mut all: Vec<_> =
        transitions.map(|step| (step.source, step.target, words(gia, step.guard), &step.edges)).collect();
    all.sort_unstable();
    all
}
