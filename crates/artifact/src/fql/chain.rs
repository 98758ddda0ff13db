//! Chains: goals that ask for places one after the other, with anything between them (`@BASICBLOCKENTRY -> @BASICBLOCKENTRY`).
//!
//! Their automata are made without a detour, and what a run covers is found in one pass, whatever the number of goals.

use std::collections::HashMap;

use tandem_base::FastBuild;
use tandem_cfa::EdgeId;

use super::automaton::Regex;
use super::family::{Family, Place};
use super::goal::{Goal, GoalTransition, Guard};
use super::set::Bits;
use super::steps::{PointId, StepId, Steps};
use crate::gia::EdgeSet;

/// The places to choose from, one list for each link.
#[derive(Debug)]
pub(super) struct Chain {
    pub links: Vec<Vec<Place>>,
    /// The letters in whose reading a place is.
    pub letters: HashMap<Place, Vec<EdgeId>, FastBuild>,
}

impl Chain {
    /// The family as a chain, if it is one.
    pub fn of(family: &Family, steps: &Steps<'_>) -> Option<Chain> {
        let Family::Product(parts) = family else { return None };
        let anything = Family::One(Regex::Anything);
        if parts.len() % 2 == 0 || parts.iter().step_by(2).any(|part| *part != anything) {
            return None;
        }
        let mut links = Vec::new();
        for part in parts.iter().skip(1).step_by(2) {
            let Family::Choice(items) = part else { return None };
            let plain =
                items.iter().map(|item| (item.before.is_empty() && item.behind.is_empty()).then_some(item.place));
            links.push(plain.collect::<Option<Vec<Place>>>()?);
        }
        let mut letters: HashMap<Place, Vec<EdgeId>, FastBuild> = HashMap::default();
        for letter in steps.alphabet() {
            for (step, point) in steps.reading(letter) {
                letters.entry(Place::Step(*step)).or_default().push(letter);
                letters.entry(Place::Point(*point)).or_default().push(letter);
            }
        }
        Some(Chain { links, letters })
    }

    /// The places of a goal.
    fn places(&self, mut index: u64) -> Option<Vec<Place>> {
        let mut places = Vec::with_capacity(self.links.len());
        for link in self.links.iter().rev() {
            let count = link.len() as u64;
            places.push(link[(index % count.max(1)) as usize..].first().copied()?);
            index /= count;
        }
        places.reverse();
        (index == 0).then_some(places)
    }

    pub fn goal(&self, index: u64, steps: &Steps<'_>) -> Option<Goal> {
        let places = self.places(index)?;
        let last = places.len();
        let mut transitions = Vec::new();
        for from in 0..=last {
            let stay = EdgeSet::all();
            transitions.push(GoalTransition {
                source: from as u32,
                letters: stay,
                guard: Guard::default(),
                target: from as u32,
            });
            let Some(place) = places.get(from) else { continue };
            let known = self.letters.get(place).map_or(&[][..], |letters| letters);
            let mut by_target: Vec<Vec<EdgeId>> = vec![Vec::new(); last + 1];
            for letter in known {
                by_target[from + advance(&places[from..], steps.reading(*letter))].push(*letter);
            }
            for (target, letters) in by_target.into_iter().enumerate().filter(|(_, letters)| !letters.is_empty()) {
                let letters = EdgeSet::these(letters);
                transitions.push(GoalTransition {
                    source: from as u32,
                    letters,
                    guard: Guard::default(),
                    target: target as u32,
                });
            }
        }
        transitions.sort();
        let begun = advance(&places, steps.beginning());
        let accepting = (0..=last).map(|state| state == last).collect();
        Some(Goal { initial: vec![(begun as u32, Guard::default())], accepting, transitions })
    }

    /// The goals that a run covers, in their order. `word` is the run but for its first letter.
    pub fn covered(&self, steps: &Steps<'_>, word: &[(EdgeId, usize)]) -> Vec<u64> {
        let mut cover = Cover::new(&self.links);
        cover.read(steps.beginning());
        for (letter, _) in word {
            cover.read(steps.reading(*letter));
        }
        cover.levels.pop().map_or(Vec::new(), |level| level.iter().map(|index| index as u64).collect())
    }
}

/// How many of the places one reading has, one behind the other. A point may serve several times.
fn advance(places: &[Place], reading: &[(StepId, PointId)]) -> usize {
    let mut count = 0;
    for (step, point) in reading {
        count += usize::from(places.get(count) == Some(&Place::Step(*step)));
        while places.get(count) == Some(&Place::Point(*point)) {
            count += 1;
        }
    }
    count
}

/// What has been covered so far: on each level the beginnings of goals of that length.
struct Cover {
    /// The numbers of each place among the choices of each link.
    numbers: Vec<HashMap<Place, Vec<usize>, FastBuild>>,
    sizes: Vec<usize>,
    levels: Vec<Bits>,
    /// How many beginnings each level has, to see whether there are new ones.
    counts: Vec<usize>,
    /// How many beginnings there were when a choice was taken for the last time.
    seen: Vec<Vec<usize>>,
}

impl Cover {
    fn new(links: &[Vec<Place>]) -> Cover {
        let numbered = |link: &Vec<Place>| {
            let mut numbers: HashMap<Place, Vec<usize>, FastBuild> = HashMap::default();
            for (number, place) in link.iter().enumerate() {
                numbers.entry(*place).or_default().push(number);
            }
            numbers
        };
        let levels = std::iter::once(Bits::from_iter([0])).chain(links.iter().map(|_| Bits::default()));
        Cover {
            numbers: links.iter().map(numbered).collect(),
            sizes: links.iter().map(Vec::len).collect(),
            levels: levels.collect(),
            counts: std::iter::once(1).chain(links.iter().map(|_| 0)).collect(),
            seen: links.iter().map(|link| vec![0; link.len()]).collect(),
        }
    }

    fn read(&mut self, reading: &[(StepId, PointId)]) {
        for (step, point) in reading {
            // A step is at one place of a goal only, a point at several.
            for level in (0..self.sizes.len()).rev() {
                self.take(level, Place::Step(*step));
            }
            for level in 0..self.sizes.len() {
                self.take(level, Place::Point(*point));
            }
        }
    }

    fn take(&mut self, level: usize, place: Place) {
        let Some(numbers) = self.numbers[level].get(&place) else { return };
        for &number in numbers {
            if std::mem::replace(&mut self.seen[level][number], self.counts[level]) == self.counts[level] {
                continue;
            }
            let (before, behind) = self.levels.split_at_mut(level + 1);
            for beginning in before[level].iter() {
                self.counts[level + 1] += usize::from(behind[0].insert(beginning * self.sizes[level] + number));
            }
        }
    }
}
