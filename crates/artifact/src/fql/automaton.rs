//! From path patterns to automata: first over steps and points of the source, then over letters.

use std::collections::HashMap;
use std::sync::Arc;

use tandem_base::{FastBuild, Id, Problem, Span};
use tandem_cfa::EdgeId;

use super::goal::{Goal, GoalTransition, Guard, Test};
use super::set::Bits;
use super::steps::{PointId, Reading, StepId, Steps};
use crate::gia::EdgeSet;

/// A path pattern with its filters evaluated.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Regex {
    /// One of these steps.
    Steps(Arc<Bits>),
    /// Nothing, at one of these points.
    At(Arc<Bits>),
    /// Nothing, where the predicate holds or does not.
    Test(Test),
    Sequence(Vec<Regex>),
    Alternatives(Vec<Regex>),
    Repeat(Box<Regex>, u32, Option<u32>),
    /// Any steps.
    Anything,
}

/// More states than this are refused.
const MOST_STATES: usize = 2_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Free,
    At(usize),
    Test(Test),
    Step(usize),
    AnyStep,
}

/// An automaton over steps, with moves that read nothing.
#[derive(Default)]
struct Draft {
    moves: Vec<Vec<(Move, u32)>>,
    sets: Vec<Arc<Bits>>,
}

impl Draft {
    fn state(&mut self) -> Result<u32, Problem> {
        if self.moves.len() >= MOST_STATES {
            let message = format!("the pattern needs more than {MOST_STATES} states");
            return Err(Problem::error(Span::NONE, message).help("smaller numbers of repetitions"));
        }
        self.moves.push(Vec::new());
        Ok(self.moves.len() as u32 - 1)
    }

    fn set(&mut self, set: &Arc<Bits>) -> usize {
        let known = self.sets.iter().position(|known| known == set);
        known.unwrap_or_else(|| {
            self.sets.push(set.clone());
            self.sets.len() - 1
        })
    }

    /// Adds the pattern behind a state; returns the state behind the pattern.
    fn add(&mut self, from: u32, regex: &Regex) -> Result<u32, Problem> {
        let step = match regex {
            Regex::Sequence(parts) => return parts.iter().try_fold(from, |from, part| self.add(from, part)),
            Regex::Alternatives(parts) => {
                let end = self.state()?;
                for part in parts {
                    let start = self.state()?;
                    self.moves[from as usize].push((Move::Free, start));
                    let last = self.add(start, part)?;
                    self.moves[last as usize].push((Move::Free, end));
                }
                return Ok(end);
            }
            Regex::Repeat(inner, least, most) => return self.repeat(from, inner, *least, *most),
            Regex::Anything => {
                let end = self.state()?;
                self.moves[from as usize].push((Move::Free, end));
                self.moves[end as usize].push((Move::AnyStep, end));
                return Ok(end);
            }
            Regex::Steps(set) => Move::Step(self.set(set)),
            Regex::At(set) => Move::At(self.set(set)),
            Regex::Test(test) => Move::Test(*test),
        };
        let end = self.state()?;
        self.moves[from as usize].push((step, end));
        Ok(end)
    }

    fn repeat(&mut self, from: u32, inner: &Regex, least: u32, most: Option<u32>) -> Result<u32, Problem> {
        let mut at = from;
        for _ in 0..least {
            let start = at;
            at = self.add(at, inner)?;
            if at == start {
                break;
            }
        }
        let end = self.state()?;
        self.moves[at as usize].push((Move::Free, end));
        match most {
            None => {
                let last = self.add(end, inner)?;
                self.moves[last as usize].push((Move::Free, end));
            }
            Some(most) => {
                for _ in least..most {
                    at = self.add(at, inner)?;
                    self.moves[at as usize].push((Move::Free, end));
                }
            }
        }
        Ok(end)
    }
}

type Places = Vec<(u32, Guard)>;

/// The automaton of a pattern over the letters of the program.
pub(super) fn goal(steps: &Steps<'_>, regex: &Regex) -> Result<Goal, Problem> {
    let mut draft = Draft::default();
    let start = draft.state()?;
    let end = draft.add(start, regex)?;
    Compilation { steps, draft }.goal(start, end)
}

struct Compilation<'s, 'p> {
    steps: &'s Steps<'p>,
    draft: Draft,
}

impl Compilation<'_, '_> {
    fn goal(&self, start: u32, end: u32) -> Result<Goal, Problem> {
        let before = self.steps.beginning().first().map(|(step, _)| self.steps.get(*step).source);
        let mut begin = vec![(start, Guard::default())];
        if let Some(before) = before {
            begin = self.closure(begin, before);
        }
        let beginning = self.steps.beginning().to_vec();
        let initial =
            begin.into_iter().flat_map(|(state, guard)| self.read(state, guard, &beginning)).collect::<Places>();
        let initial = distinct(initial);
        let classes = self.classes();
        let mut numbers: HashMap<u32, u32, FastBuild> = HashMap::default();
        let mut order: Vec<u32> = Vec::new();
        let mut number = |state: u32, order: &mut Vec<u32>| {
            *numbers.entry(state).or_insert_with(|| {
                order.push(state);
                order.len() as u32 - 1
            })
        };
        let initial: Places = initial.into_iter().map(|(state, guard)| (number(state, &mut order), guard)).collect();
        let mut transitions = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let mut moves: HashMap<(u32, Guard), Vec<EdgeId>, FastBuild> = HashMap::default();
            for (reading, letters) in &classes {
                for target in distinct(self.read(order[at], Guard::default(), reading)) {
                    moves.entry(target).or_default().extend(letters);
                }
            }
            let mut moves: Vec<_> = moves.into_iter().collect();
            moves.sort();
            for ((target, guard), letters) in moves {
                let letters = self.edge_set(letters);
                let target = number(target, &mut order);
                transitions.push(GoalTransition { source: at as u32, letters, guard, target });
            }
            at += 1;
        }
        transitions.sort();
        let accepting = order.iter().map(|state| *state == end).collect();
        Ok(Goal { initial, accepting, transitions }.trimmed())
    }

    /// The letters, and for those that the automaton cannot tell apart one reading.
    fn classes(&self) -> Vec<(Reading, Vec<EdgeId>)> {
        let sets = &self.draft.sets;
        let mut index: HashMap<Vec<bool>, usize, FastBuild> = HashMap::default();
        let mut classes: Vec<(Reading, Vec<EdgeId>)> = Vec::new();
        for letter in self.steps.alphabet() {
            let reading = self.steps.reading(letter);
            let mut key = Vec::with_capacity(reading.len() * (2 * sets.len() + 1));
            for (step, point) in reading {
                key.push(self.steps.is_firm(*step));
                key.extend(sets.iter().map(|set| set.contains(step.index())));
                key.extend(sets.iter().map(|set| set.contains(point.index())));
            }
            let class = *index.entry(key).or_insert_with(|| {
                classes.push((reading.clone(), Vec::new()));
                classes.len() - 1
            });
            classes[class].1.push(letter);
        }
        classes
    }

    fn edge_set(&self, letters: Vec<EdgeId>) -> EdgeSet {
        let all = self.steps.alphabet().count();
        if letters.len() * 2 <= all {
            return EdgeSet::these(letters);
        }
        let inside: Bits = letters.iter().map(|letter| letter.index()).collect();
        EdgeSet::all_but(self.steps.alphabet().filter(|letter| !inside.contains(letter.index())))
    }

    /// Where a letter leads from a state.
    fn read(&self, state: u32, guard: Guard, reading: &[(StepId, PointId)]) -> Places {
        let mut here: Places = vec![(state, guard)];
        for (step, point) in reading {
            let mut next: Places = Vec::new();
            for (state, guard) in &here {
                for (step_move, target) in &self.draft.moves[*state as usize] {
                    let fits = match step_move {
                        Move::Step(set) => self.draft.sets[*set].contains(step.index()),
                        Move::AnyStep => true,
                        Move::Free | Move::At(_) | Move::Test(_) => false,
                    };
                    if fits {
                        next.push((*target, guard.clone()));
                    }
                }
                if !self.steps.is_firm(*step) {
                    next.push((*state, guard.clone()));
                }
            }
            here = self.closure(next, *point);
        }
        here
    }

    /// What can be reached without reading anything, at a point.
    fn closure(&self, mut places: Places, point: PointId) -> Places {
        places = distinct(places);
        let mut at = 0;
        while at < places.len() {
            let (state, guard) = places[at].clone();
            for (step_move, target) in &self.draft.moves[state as usize] {
                let guard = match step_move {
                    Move::Free => Some(guard.clone()),
                    Move::At(set) => self.draft.sets[*set].contains(point.index()).then(|| guard.clone()),
                    Move::Test(test) => with(&guard, *test),
                    Move::Step(_) | Move::AnyStep => None,
                };
                let Some(guard) = guard else { continue };
                if !places.iter().any(|(known, weaker)| known == target && weaker.iter().all(|one| guard.contains(one)))
                {
                    places.push((*target, guard));
                }
            }
            at += 1;
        }
        places
    }
}

fn distinct(mut places: Places) -> Places {
    places.sort();
    places.dedup();
    places
}

/// The conjunction, unless it contradicts itself.
fn with(guard: &Guard, test: Test) -> Option<Guard> {
    if guard.contains(&Test { holds: !test.holds, ..test }) {
        return None;
    }
    let mut tests = guard.to_vec();
    tests.push(test);
    tests.sort();
    tests.dedup();
    Some(tests.into())
}
