//! The smallest deterministic automaton of a goal.
//!
//! Letters are taken together as long as no transition tells them apart; a class of letters with a valuation of the guards it meets is one
//! letter of the new automaton. Guards of the result are complete for the predicates they are about, so that one of them holds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tandem_base::FastBuild;
use tandem_cfa::EdgeId;

use super::goal::{Goal, GoalTransition, Guard, Test};
use crate::gia::EdgeSet;

/// Larger automata are given back as they are.
const MOST_STATES: usize = 4_096;
/// More predicates on one letter would make more valuations than are worth it.
const MOST_PREDICATES: usize = 6;

/// An automaton with the same language, deterministic and minimal; the goal as it is where that would be too large.
pub fn minimise(goal: &Goal) -> Goal {
    determinise(goal).map_or_else(|| goal.clone(), |goal| merge(&goal).trimmed())
}

/// Class, valuation and block of the target.
type Move<'r> = (usize, &'r Guard, usize);

type Row = BTreeMap<(usize, Guard), usize>;

/// A deterministic automaton whose letters are numbers of classes with valuations.
struct Deterministic {
    classes: Vec<Vec<EdgeId>>,
    /// Whether the first class is all letters that are not named.
    rows: Vec<Row>,
    accepting: Vec<bool>,
    initial: Vec<(usize, Guard)>,
}

fn determinise(goal: &Goal) -> Option<Deterministic> {
    let classes = classes(goal);
    let predicates: BTreeSet<u32> = guards(goal).flat_map(|guard| guard.iter().map(|test| test.predicate)).collect();
    if predicates.len() > MOST_PREDICATES {
        return None;
    }
    let mut found = Subsets::default();
    let start: BTreeSet<u32> =
        goal.initial.iter().flat_map(|(_, guard)| guard.iter().map(|test| test.predicate)).collect();
    let mut initial = Vec::new();
    for valuation in valuations(&start) {
        let states = goal.initial.iter().filter(|(_, guard)| met(guard, &valuation)).map(|(state, _)| *state).collect();
        initial.push((found.number(states), valuation));
    }
    let mut rows: Vec<Row> = Vec::new();
    while rows.len() < found.sets.len() {
        if found.sets.len() > MOST_STATES {
            return None;
        }
        let here = found.sets[rows.len()].clone();
        let mut row = Row::new();
        for (class, letters) in classes.iter().enumerate() {
            let moves: Vec<&GoalTransition> = here
                .iter()
                .flat_map(|state| goal.from(*state))
                .filter(|transition| in_class(&transition.letters, letters))
                .collect();
            let tested = moves.iter().flat_map(|one| one.guard.iter().map(|test| test.predicate)).collect();
            for valuation in valuations(&tested) {
                let states = moves.iter().filter(|one| met(&one.guard, &valuation)).map(|one| one.target).collect();
                row.insert((class, valuation), found.number(states));
            }
        }
        rows.push(row);
    }
    let accepting = found.sets.iter().map(|set| set.iter().any(|state| goal.accepting[*state as usize])).collect();
    Some(Deterministic { classes, rows, accepting, initial })
}

#[derive(Default)]
struct Subsets {
    sets: Vec<BTreeSet<u32>>,
    index: HashMap<BTreeSet<u32>, usize, FastBuild>,
}

impl Subsets {
    fn number(&mut self, set: BTreeSet<u32>) -> usize {
        let next = self.sets.len();
        match self.index.get(&set) {
            Some(known) => *known,
            None => {
                self.sets.push(set.clone());
                self.index.insert(set, next);
                next
            }
        }
    }
}

fn guards(goal: &Goal) -> impl Iterator<Item = &Guard> {
    goal.transitions.iter().map(|one| &one.guard).chain(goal.initial.iter().map(|(_, guard)| guard))
}

/// The named letters, those that no transition tells apart together; first, as an empty list, all that are not named.
fn classes(goal: &Goal) -> Vec<Vec<EdgeId>> {
    let named: BTreeSet<EdgeId> = goal.transitions.iter().flat_map(|one| one.letters.named().iter().copied()).collect();
    let mut groups: BTreeMap<Vec<bool>, Vec<EdgeId>> = BTreeMap::new();
    for letter in named {
        let key = goal.transitions.iter().map(|one| one.letters.contains(letter)).collect();
        groups.entry(key).or_default().push(letter);
    }
    std::iter::once(Vec::new()).chain(groups.into_values()).collect()
}

fn in_class(set: &EdgeSet, class: &[EdgeId]) -> bool {
    match class.first() {
        Some(letter) => set.contains(*letter),
        None => set.is_rest(),
    }
}

fn valuations(predicates: &BTreeSet<u32>) -> Vec<Guard> {
    let all = (0..1u32 << predicates.len()).map(|bits| {
        let tests = predicates.iter().enumerate();
        tests.map(|(number, predicate)| Test { predicate: *predicate, holds: bits >> number & 1 == 1 }).collect()
    });
    all.collect()
}

fn met(guard: &Guard, valuation: &Guard) -> bool {
    guard.iter().all(|test| valuation.contains(test))
}

/// States with the same future become one.
fn merge(from: &Deterministic) -> Goal {
    let mut blocks: Vec<usize> = from.accepting.iter().map(|accepting| usize::from(*accepting)).collect();
    let mut count = 0;
    loop {
        let mut index: HashMap<(usize, Vec<Move<'_>>), usize, FastBuild> = HashMap::default();
        let mut next = Vec::with_capacity(blocks.len());
        for (state, row) in from.rows.iter().enumerate() {
            let moves = row.iter().map(|((class, guard), target)| (*class, guard, blocks[*target])).collect();
            let fresh = index.len();
            next.push(*index.entry((blocks[state], moves)).or_insert(fresh));
        }
        let found = index.len();
        blocks = next;
        if found == count {
            break;
        }
        count = found;
    }
    let mut accepting = vec![false; count];
    let mut transitions = Vec::new();
    let mut done = vec![false; count];
    for (state, row) in from.rows.iter().enumerate() {
        accepting[blocks[state]] |= from.accepting[state];
        if std::mem::replace(&mut done[blocks[state]], true) {
            continue;
        }
        let mut moves: BTreeMap<(Guard, usize), Vec<usize>> = BTreeMap::new();
        for ((class, guard), target) in row {
            moves.entry((guard.clone(), blocks[*target])).or_default().push(*class);
        }
        for ((guard, target), classes) in moves {
            let letters = union(&from.classes, &classes);
            transitions.push(GoalTransition { source: blocks[state] as u32, letters, guard, target: target as u32 });
        }
    }
    transitions.sort();
    let initial = from.initial.iter().map(|(state, guard)| (blocks[*state] as u32, guard.clone())).collect();
    Goal { initial, accepting, transitions }
}

fn union(classes: &[Vec<EdgeId>], chosen: &[usize]) -> EdgeSet {
    match chosen.contains(&0) {
        false => EdgeSet::these(chosen.iter().flat_map(|class| classes[*class].iter().copied())),
        true => {
            let others = classes.iter().enumerate().filter(|(class, _)| !chosen.contains(class));
            EdgeSet::all_but(others.flat_map(|(_, letters)| letters.iter().copied()))
        }
    }
}
