//! Many goals of one query as one automaton: goals that begin alike differ in their last place only, so one automaton with an accepting state for
//! each of them serves all. And the tree of bounded paths, for whoever walks through it.

use std::collections::BTreeSet;

use tandem_cfa::EdgeId;

use super::chain::Chain;
use super::family::Place;
use super::goal::{Goal, GoalTransition, Guard};
use super::goals::Goals;
use super::paths::PathSet;
use super::steps::Steps;
use crate::gia::EdgeSet;

/// A place of a chain: the link, and the number among its choices.
pub type Link = (usize, usize);

/// Goals that begin alike.
#[derive(Clone, Debug)]
pub struct Batch {
    pub goal: Goal,
    /// For each state which of the last places it stands for, if it is accepting.
    pub tags: Vec<u32>,
}

impl Chain {
    fn place(&self, (link, number): Link) -> Option<Place> {
        self.links.get(link)?.get(number).copied()
    }

    /// One automaton for chains of these places that end in one of the last ones.
    pub(super) fn batch(&self, before: &[Link], last: &[Link], steps: &Steps<'_>) -> Option<Batch> {
        let before: Vec<Place> = before.iter().map(|link| self.place(*link)).collect::<Option<_>>()?;
        let last: Vec<Place> = last.iter().map(|link| self.place(*link)).collect::<Option<_>>()?;
        let (complete, states) = (before.len(), before.len() + 1 + last.len());
        let stay = |state: usize| GoalTransition {
            source: state as u32,
            letters: EdgeSet::all(),
            guard: Guard::default(),
            target: state as u32,
        };
        let mut transitions: Vec<GoalTransition> = (0..states).map(stay).collect();
        let numbers = self.numbers(&last);
        for from in 0..=complete {
            let letters: BTreeSet<EdgeId> = match before.get(from) {
                Some(place) => self.letters_of(place).iter().copied().collect(),
                None => last.iter().flat_map(|place| self.letters_of(place).iter().copied()).collect(),
            };
            let mut by_target: Vec<Vec<EdgeId>> = vec![Vec::new(); states];
            for letter in letters {
                let (state, found) = read(&before, &numbers, from, steps.reading(letter));
                if state > from {
                    by_target[state].push(letter);
                }
                found.into_iter().for_each(|number| by_target[complete + 1 + number].push(letter));
            }
            for (target, letters) in by_target.into_iter().enumerate().filter(|(_, letters)| !letters.is_empty()) {
                let (source, target, guard) = (from as u32, target as u32, Guard::default());
                transitions.push(GoalTransition { source, letters: EdgeSet::these(letters), guard, target });
            }
        }
        transitions.sort();
        let (begun, found) = read(&before, &numbers, 0, steps.beginning());
        let initial = std::iter::once(begun).chain(found.into_iter().map(|number| complete + 1 + number));
        let goal = Goal {
            initial: initial.map(|state| (state as u32, Guard::default())).collect(),
            accepting: (0..states).map(|state| state > complete).collect(),
            transitions,
        };
        let tags = (0..states).map(|state| state.saturating_sub(complete + 1) as u32).collect();
        Some(Batch { goal, tags })
    }

    fn letters_of(&self, place: &Place) -> &[EdgeId] {
        self.letters.get(place).map_or(&[], |letters| letters)
    }

    fn numbers(&self, last: &[Place]) -> Numbers {
        let mut numbers = Numbers::default();
        for (number, place) in last.iter().enumerate() {
            numbers.entry(*place).or_default().push(number);
        }
        numbers
    }
}

type Numbers = std::collections::HashMap<Place, Vec<usize>, tandem_base::FastBuild>;

/// How far a reading leads from a state, and which of the last places it comes by when everything before them has been.
fn read(
    before: &[Place],
    last: &Numbers,
    from: usize,
    reading: &[(super::steps::StepId, super::steps::PointId)],
) -> (usize, Vec<usize>) {
    let (mut state, mut found) = (from, Vec::new());
    for (step, point) in reading {
        // A step is at one place of a goal only, a point at several.
        if state == before.len() {
            found.extend(last.get(&Place::Step(*step)).into_iter().flatten());
        } else {
            state += usize::from(before[state] == Place::Step(*step));
        }
        while before.get(state) == Some(&Place::Point(*point)) {
            state += 1;
        }
        if state == before.len() {
            found.extend(last.get(&Place::Point(*point)).into_iter().flatten());
        }
    }
    found.sort_unstable();
    found.dedup();
    (state, found)
}

impl Batch {
    /// Several goals as one automaton.
    pub fn of(goals: &[Goal]) -> Batch {
        let mut all = Batch { goal: Goal::default(), tags: Vec::new() };
        for (tag, goal) in goals.iter().enumerate() {
            let offset = all.goal.states() as u32;
            let initial = goal.initial.iter().map(|(state, guard)| (state + offset, guard.clone()));
            all.goal.initial.extend(initial);
            all.goal.accepting.extend(&goal.accepting);
            all.goal.transitions.extend(goal.transitions.iter().map(|one| GoalTransition {
                source: one.source + offset,
                target: one.target + offset,
                ..one.clone()
            }));
            all.tags.extend(goal.accepting.iter().map(|_| tag as u32));
        }
        all
    }

    /// The same goals, of which only runs count that are also in the language.
    pub fn passing(self, passing: &Goal) -> Batch {
        let tags = self.tags.iter().flat_map(|tag| std::iter::repeat_n(*tag, passing.states())).collect();
        Batch { goal: self.goal.intersection(passing), tags }
    }

    /// The tags of the goals that a run covers. For goals without tests.
    pub fn covered(&self, word: &[(EdgeId, usize)], ended: bool) -> BTreeSet<u32> {
        self.goal.accepted(word, ended).into_iter().map(|state| self.tags[state as usize]).collect()
    }
}

/// The tree of bounded paths from the start of the program: what each node is followed by, and how many paths go through it. Paths are numbered in
/// the order of the moves.
#[derive(Clone, Copy)]
pub struct PathTree<'g> {
    paths: &'g PathSet,
    steps: &'g Steps<'g>,
}

impl<'g> PathTree<'g> {
    pub fn starts(&self) -> &'g [u32] {
        &self.paths.starts
    }

    pub fn count(&self, node: u32) -> u64 {
        self.paths.counts[node as usize]
    }

    /// The letters to the next nodes, in their order; none at the end of a path. Every run has read the letter of `main`.
    pub fn moves(&self, node: u32) -> impl Iterator<Item = (Vec<EdgeId>, u32)> + 'g {
        let (paths, steps) = (self.paths, self.steps);
        paths.next[node as usize].iter().map(move |(taken, target)| {
            let letters = taken.iter().filter_map(|step| steps.letter(*step));
            (letters.collect(), *target)
        })
    }
}

impl Goals<'_> {
    /// If the goals are chains of places with anything between them: how many choices each link has. The last link changes first in the
    /// numbers of goals.
    pub fn links(&self) -> Option<Vec<usize>> {
        Some(self.chain.as_ref()?.links.iter().map(Vec::len).collect())
    }

    /// Whether what a run covers is found in one pass, however many goals there are; otherwise each goal is looked at.
    pub fn is_quick(&self) -> bool {
        self.chain.is_some() || self.only_paths().is_some()
    }

    /// One automaton for all goals that are these places followed by one of the last; also for shorter chains than those of the goals.
    pub fn batch(&self, before: &[Link], last: &[Link]) -> Option<Batch> {
        self.chain.as_ref()?.batch(before, last, &self.steps)
    }

    /// For each link a number for each of its choices; the same place has the same number in all links.
    pub fn place_numbers(&self) -> Option<Vec<Vec<usize>>> {
        let mut known: std::collections::HashMap<Place, usize, tandem_base::FastBuild> = Default::default();
        let mut number = |place: &Place| {
            let next = known.len();
            *known.entry(*place).or_insert(next)
        };
        let links = self.chain.as_ref()?.links.iter();
        Some(links.map(|link| link.iter().map(&mut number).collect()).collect())
    }

    /// The tree of paths, if the goals are paths from the very start of the program.
    pub fn path_tree(&self) -> Option<PathTree<'_>> {
        let paths = self.only_paths()?;
        let begun = self.steps.beginning().first().map(|(step, _)| *step)?;
        let moves = paths.starts.iter().flat_map(|start| &paths.next[*start as usize]);
        let mut first = moves.map(|(steps, _)| steps.first());
        let from_start = first.all(|step| step == Some(&begun)) && !self.main_is_called() && self.passing.is_none();
        from_start.then_some(PathTree { paths, steps: &self.steps })
    }
}

impl Goal {
    /// The states that a run comes to, of those where that settles it; with `ended` also those in which it ends. `word` is as for
    /// [`accepts`](Goal::accepts); for goals without tests.
    pub fn accepted(&self, word: &[(EdgeId, usize)], ended: bool) -> BTreeSet<u32> {
        let mut here: BTreeSet<u32> = self.initial.iter().map(|(state, _)| *state).collect();
        let mut found: BTreeSet<u32> = here.iter().copied().filter(|state| self.is_settled(*state)).collect();
        let mut named: std::collections::HashMap<(u32, EdgeId), Vec<u32>, tandem_base::FastBuild> = Default::default();
        for transition in self.transitions.iter().filter(|one| !one.letters.is_rest()) {
            for letter in transition.letters.named() {
                named.entry((transition.source, *letter)).or_default().push(transition.target);
            }
        }
        for (letter, _) in word {
            let mut next = BTreeSet::new();
            for state in here.iter().filter(|state| !found.contains(state)) {
                let broad =
                    self.from(*state).iter().filter(|one| one.letters.is_rest() && one.letters.contains(*letter));
                next.extend(broad.map(|one| one.target));
                next.extend(named.get(&(*state, *letter)).into_iter().flatten());
            }
            found.extend(next.iter().copied().filter(|state| self.is_settled(*state)));
            here = next;
        }
        if ended {
            found.extend(here.into_iter().filter(|state| self.accepting[*state as usize]));
        }
        found
    }

    /// The runs that are in both languages. The states are numbered by those of this goal first.
    pub fn intersection(&self, other: &Goal) -> Goal {
        let width = other.states() as u32;
        let guards = |one: &Guard, two: &Guard| -> Guard {
            let mut tests: Vec<super::goal::Test> = one.iter().chain(two).copied().collect();
            tests.sort();
            tests.dedup();
            tests.into()
        };
        let mut initial = Vec::new();
        for (p, guard) in &self.initial {
            initial.extend(other.initial.iter().map(|(q, also)| (p * width + q, guards(guard, also))));
        }
        let mut transitions = Vec::new();
        for one in &self.transitions {
            for two in &other.transitions {
                let letters = one.letters.intersect(&two.letters);
                if !letters.is_empty() {
                    let (source, target) = (one.source * width + two.source, one.target * width + two.target);
                    transitions.push(GoalTransition { source, letters, guard: guards(&one.guard, &two.guard), target });
                }
            }
        }
        transitions.sort();
        let pairs = self.accepting.iter().flat_map(|one| other.accepting.iter().map(move |two| *one && *two));
        Goal { initial, accepting: pairs.collect(), transitions }
    }
}
