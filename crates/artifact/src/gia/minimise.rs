//! Smaller automata with the same three languages.
//!
//! What no run reaches and what leads to no mark is left out; states with the same future (bisimulation) and states with the same past
//! (bisimulation of the reversed automaton) become one. Both keep the languages: two states with the same future accept the same
//! continuations, two with the same past are reached by the same runs. States with different marks or invariants stay apart.

use std::collections::HashMap;

use tandem_base::{FastBuild, Id};
use tandem_cfa::EdgeId;

use super::partition::{Labelled, coarsest};
use super::*;

/// The automaton with equal states merged and useless ones left out.
pub fn minimise(gia: &Gia) -> Gia {
    let mut gia = trimmed(gia);
    loop {
        let before = gia.states.len();
        gia = quotient(&gia, Direction::Past);
        gia = quotient(&gia, Direction::Future);
        if gia.states.len() == before {
            return gia;
        }
    }
}

/// The automaton without the states that no run reaches or that lead to no mark. The initial state stays, and one candidate if
/// there was one: whether there are candidates is part of what an automaton says.
pub(super) fn trimmed(gia: &Gia) -> Gia {
    let mut reached = vec![false; gia.states.len()];
    let mut open = vec![Gia::INITIAL];
    reached[Gia::INITIAL.index()] = true;
    while let Some(state) = open.pop() {
        for transition in gia.from(state) {
            if gia.states[transition.target].invariant != GuardId::FALSE && !reached[transition.target.index()] {
                reached[transition.target.index()] = true;
                open.push(transition.target);
            }
        }
    }
    let mut sources: Vec<Vec<StateId>> = vec![Vec::new(); gia.states.len()];
    for transition in &gia.transitions {
        sources[transition.target.index()].push(transition.source);
    }
    let mut useful = vec![false; gia.states.len()];
    for (state, content) in gia.states.enumerate() {
        if content.mark.is_some() && reached[state.index()] {
            useful[state.index()] = true;
            open.push(state);
        }
    }
    while let Some(state) = open.pop() {
        for source in &sources[state.index()] {
            if reached[source.index()] && !std::mem::replace(&mut useful[source.index()], true) {
                open.push(*source);
            }
        }
    }
    useful[Gia::INITIAL.index()] = true;
    let candidate = gia.states.enumerate().find(|(_, state)| state.mark == Some(Mark::Candidate));
    if let Some((candidate, _)) = candidate
        && gia
            .states
            .enumerate()
            .all(|(state, content)| content.mark != Some(Mark::Candidate) || !useful[state.index()])
    {
        useful[candidate.index()] = true;
    }
    let mut blocks = vec![u32::MAX; useful.len()];
    let mut next = 0;
    for (block, _) in blocks.iter_mut().zip(&useful).filter(|(_, useful)| **useful) {
        *block = next;
        next += 1;
    }
    rebuilt(gia, &blocks, next as usize)
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Past,
    Future,
}

fn quotient(gia: &Gia, direction: Direction) -> Gia {
    let edges = letters(gia);
    let forward = Labelled::new(gia.states.len(), edges.iter().copied());
    let backward =
        Labelled::new(gia.states.len(), edges.iter().map(|(source, label, target)| (*target, *label, *source)));
    let mut kinds: HashMap<(bool, Option<Mark>, GuardId), u32, FastBuild> = HashMap::default();
    let start = gia.states.enumerate().map(|(state, content)| {
        // Only the initial state has the empty past.
        let initial = direction == Direction::Past && state == Gia::INITIAL;
        let next = kinds.len() as u32;
        *kinds.entry((initial, content.mark, content.invariant)).or_insert(next)
    });
    let start: Vec<u32> = start.collect();
    let blocks = match direction {
        Direction::Future => coarsest(&forward, &backward, start),
        Direction::Past => coarsest(&backward, &forward, start),
    };
    // Blocks are numbered anew, in the order of their first states, so that the initial state stays the first one.
    let mut numbers: HashMap<u32, u32, FastBuild> = HashMap::default();
    let blocks = blocks.iter().map(|block| {
        let next = numbers.len() as u32;
        *numbers.entry(*block).or_insert(next)
    });
    let blocks: Vec<u32> = blocks.collect();
    rebuilt(gia, &blocks, numbers.len())
}

/// The automaton whose states are the blocks; `u32::MAX` for states that are left out.
fn rebuilt(gia: &Gia, blocks: &[u32], count: usize) -> Gia {
    let mut builder = GiaBuilder::new(gia.subject.clone(), gia.targets.clone());
    *builder.guards() = gia.guards.clone();
    let mut made = 0;
    for (state, content) in gia.states.enumerate() {
        if blocks[state.index()] as usize == made && made < count {
            builder.bare(&content.name, content.invariant, content.mark);
            made += 1;
        }
    }
    let mut merged: HashMap<(u32, GuardId, u32), Vec<&EdgeSet>, FastBuild> = HashMap::default();
    let mut order = Vec::new();
    for transition in &gia.transitions {
        let (source, target) = (blocks[transition.source.index()], blocks[transition.target.index()]);
        if source != u32::MAX && target != u32::MAX {
            let sets = merged.entry((source, transition.guard, target)).or_insert_with_key(|key| {
                order.push(*key);
                Vec::new()
            });
            sets.push(&transition.edges);
        }
    }
    for key in order {
        builder.transition(StateId(key.0), united(&merged[&key]), key.1, StateId(key.2));
    }
    // The rules hold for the quotient of an automaton for which they hold: states of one block have one mark.
    builder.finish().unwrap_or_else(|_| gia.clone())
}

fn united(sets: &[&EdgeSet]) -> EdgeSet {
    match sets {
        [one] => (*one).clone(),
        _ => {
            let members = || sets.iter().filter(|set| !set.is_rest()).flat_map(|set| set.named().iter().copied());
            let mut rests = sets.iter().filter(|set| set.is_rest());
            match rests.next() {
                None => EdgeSet::these(members()),
                Some(first) => {
                    let out = |edge: &EdgeId| sets.iter().all(|set| !set.contains(*edge));
                    EdgeSet::all_but(first.named().iter().copied().filter(out))
                }
            }
        }
    }
}

/// The transitions as letters: one for each named edge, one for all the rest, numbered; with the guard. (The invariant of the state
/// it leads to need not be part of the letter, since states with different invariants are never merged.)
fn letters(gia: &Gia) -> Vec<(u32, u32, u32)> {
    let mut numbers: HashMap<(Letter<'_>, GuardId), u32, FastBuild> = HashMap::default();
    let mut edges = Vec::with_capacity(gia.transitions.len());
    for transition in &gia.transitions {
        let mut add = |letter| {
            let next = numbers.len() as u32;
            let number = *numbers.entry((letter, transition.guard)).or_insert(next);
            edges.push((transition.source.0, number, transition.target.0));
        };
        match &transition.edges {
            EdgeSet::One(edge) => add(Letter::Edge(*edge)),
            EdgeSet::These(edges) => edges.iter().for_each(|edge| add(Letter::Edge(*edge))),
            EdgeSet::AllBut(edges) => add(Letter::Rest(edges)),
        }
    }
    edges
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Letter<'a> {
    Edge(EdgeId),
    Rest(&'a [EdgeId]),
}
