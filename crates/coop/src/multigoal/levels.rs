//! Which goals are asked about together, in which order, and what follows from what.
//!
//! Chains (`a -> b -> c`) go by levels: first single places, then pairs, then the goals themselves. Where no run comes by a place, or by one after
//! another, no goal with these needs to be asked about. Goals that begin alike are asked about at once.

use std::collections::VecDeque;
use std::time::Duration;

use tandem_artifact::fql::{Goals, Link};

use super::board::{GoalBoard, Proof};
use super::run::Switches;

/// What a worker does next.
#[derive(Clone, Debug)]
pub enum Item {
    /// Runs on inputs that cost nothing.
    Random,
    /// Chains of these places that end in one of the last.
    Chain { before: Vec<Link>, last: Vec<Link>, part: Part },
    /// Goals with these numbers.
    Goals(std::ops::Range<u64>),
    /// Paths with these numbers.
    Paths(std::ops::Range<u64>),
}

/// What the chains of an item are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Places alone, or one place after another: parts of goals.
    Single,
    Pair,
    /// Goals, the first of which has this number; the number of a last place is to be added.
    Goal(u64),
}

/// What is known about a part of a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Unknown,
    /// Some run comes by, or nobody can say that none does.
    Alive,
    Dead,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Random,
    Singles,
    Pairs,
    /// In rounds with more and more time for each piece of work.
    Goals(u32),
    Done,
}

/// Goals of a general form that are asked about at once.
const BATCH: u64 = 16;
/// Parts into which a tree of paths is cut.
const PARTS: u64 = 8;
/// How long a piece of work may take in the first round, and how much longer in each following one.
const SLICE: Duration = Duration::from_secs(2);
const GROWTH: u32 = 5;
const MOST_ROUNDS: u32 = 8;

/// The work that is left, and what is known about parts of goals.
pub struct Levels {
    stage: Stage,
    switches: Switches,
    items: VecDeque<Item>,
    under_way: usize,
    workers: usize,
    /// Whether some piece of work was not done in its time.
    is_cut: bool,
    /// For each link the numbers of its places.
    numbers: Vec<Vec<usize>>,
    /// For each place where it stands.
    places: Vec<Link>,
    singles: Vec<Fate>,
    pairs: Vec<Fate>,
}

/// What a worker is told.
pub enum Next {
    Item(Item),
    /// Others are still at work, and what they find may make work.
    Wait,
    Done,
}

impl Levels {
    pub fn new(goals: &Goals<'_>, switches: Switches, workers: usize) -> Levels {
        let numbers = goals.place_numbers().unwrap_or_default();
        let mut places: Vec<Link> = Vec::new();
        for (link, all) in numbers.iter().enumerate() {
            for (choice, number) in all.iter().enumerate() {
                if *number == places.len() {
                    places.push((link, choice));
                }
            }
        }
        let count = places.len();
        let pairs = if numbers.len() > 2 { count * count } else { 0 };
        let items = if switches.random { vec![Item::Random; workers] } else { Vec::new() };
        Levels {
            stage: Stage::Random,
            switches,
            items: items.into(),
            under_way: 0,
            workers,
            is_cut: false,
            numbers,
            places,
            singles: vec![Fate::Unknown; count],
            pairs: vec![Fate::Unknown; pairs],
        }
    }

    /// The next piece of work; what was taken before is done.
    pub fn next(&mut self, goals: &Goals<'_>, board: &mut GoalBoard) -> Next {
        loop {
            if board.is_decided() {
                return Next::Done;
            }
            if let Some(item) = self.items.pop_front() {
                self.under_way += 1;
                return Next::Item(item);
            }
            if self.under_way > 0 {
                return Next::Wait;
            }
            if self.stage == Stage::Done {
                return Next::Done;
            }
            self.advance(goals, board);
        }
    }

    /// A piece of work is done, or its time was up.
    pub fn finished(&mut self, is_cut: bool) {
        self.under_way = self.under_way.saturating_sub(1);
        self.is_cut |= is_cut;
    }

    /// How long a piece of work may take now.
    pub fn slice(&self) -> Duration {
        match self.stage {
            Stage::Goals(round) => SLICE * GROWTH.saturating_pow(round.min(MOST_ROUNDS)),
            Stage::Random | Stage::Singles | Stage::Pairs | Stage::Done => SLICE * GROWTH,
        }
    }

    fn advance(&mut self, goals: &Goals<'_>, board: &mut GoalBoard) {
        let is_chain = !self.numbers.is_empty();
        let propagates = is_chain && self.switches.propagation;
        self.stage = match self.stage {
            Stage::Random if propagates && self.numbers.len() > 1 => Stage::Singles,
            Stage::Singles if self.numbers.len() > 2 => Stage::Pairs,
            Stage::Random | Stage::Singles | Stage::Pairs => Stage::Goals(0),
            Stage::Goals(round) if self.is_cut && round < MOST_ROUNDS => Stage::Goals(round + 1),
            Stage::Goals(_) | Stage::Done => Stage::Done,
        };
        self.is_cut = false;
        match self.stage {
            Stage::Random | Stage::Done => {}
            Stage::Singles => {
                self.learn(board);
                self.singles_to_ask();
            }
            Stage::Pairs => {
                self.learn(board);
                self.pairs_to_ask();
            }
            Stage::Goals(_) if is_chain => {
                self.learn(board);
                self.goals_to_ask(board);
            }
            Stage::Goals(_) if goals.path_tree().is_some() => self.ranges(goals, PARTS.max(1), true),
            Stage::Goals(_) => self.ranges(goals, 0, false),
        }
        if !self.switches.order {
            self.items.make_contiguous().reverse();
        }
    }

    /// What is covered says which parts are alive.
    fn learn(&mut self, board: &GoalBoard) {
        let count = self.places.len();
        for goal in (0..board.goals()).filter(|goal| board.is_covered(*goal)) {
            let places = self.places_of(goal);
            for (at, place) in places.iter().enumerate() {
                self.singles[*place] = Fate::Alive;
                if !self.pairs.is_empty() {
                    places[at + 1..].iter().for_each(|later| self.pairs[place * count + later] = Fate::Alive);
                }
            }
        }
    }

    fn places_of(&self, goal: u64) -> Vec<usize> {
        let choices = self.choices(goal, self.numbers.len());
        choices.iter().enumerate().map(|(link, choice)| self.numbers[link][*choice]).collect()
    }

    /// The choices of the first links, by the number of what they make together.
    fn choices(&self, mut number: u64, links: usize) -> Vec<usize> {
        let mut choices = Vec::with_capacity(links);
        for link in self.numbers[..links].iter().rev() {
            choices.push((number % link.len() as u64) as usize);
            number /= link.len() as u64;
        }
        choices.reverse();
        choices
    }

    fn singles_to_ask(&mut self) {
        let open = (0..self.places.len()).filter(|place| self.singles[*place] == Fate::Unknown);
        let last: Vec<Link> = open.map(|place| self.places[place]).collect();
        self.push(Vec::new(), last, Part::Single);
    }

    fn pairs_to_ask(&mut self) {
        let count = self.places.len();
        for first in (0..count).filter(|first| self.singles[*first] != Fate::Dead).collect::<Vec<_>>() {
            let is_asked = |second: &usize| {
                self.singles[*second] != Fate::Dead && self.pairs[first * count + second] == Fate::Unknown
            };
            let last: Vec<Link> = (0..count).filter(is_asked).map(|second| self.places[second]).collect();
            self.push(vec![self.places[first]], last, Part::Pair);
        }
    }

    fn goals_to_ask(&mut self, board: &mut GoalBoard) {
        let links = self.numbers.len();
        let (before, width) = (links - 1, self.numbers[links - 1].len());
        let beginnings: u64 = self.numbers[..before].iter().map(|link| link.len() as u64).product();
        for beginning in 0..beginnings {
            let base = beginning * width as u64;
            if !board.has_open(base..base + width as u64) {
                continue;
            }
            let choices: Vec<Link> = self.choices(beginning, before).into_iter().enumerate().collect();
            let places: Vec<usize> = choices.iter().map(|(link, choice)| self.numbers[*link][*choice]).collect();
            if self.switches.propagation && self.is_dead(&places) {
                board.exclude(base..base + width as u64, Proof::Part);
                continue;
            }
            let mut last = Vec::new();
            for choice in (0..width).filter(|choice| board.is_open(base + *choice as u64)).collect::<Vec<_>>() {
                let all: Vec<usize> = places.iter().copied().chain([self.numbers[before][choice]]).collect();
                match self.switches.propagation && self.is_dead(&all) {
                    true => board.exclude(base + choice as u64..base + choice as u64 + 1, Proof::Part),
                    false => last.push((before, choice)),
                }
            }
            self.push(choices, last, Part::Goal(base));
        }
    }

    /// Whether no run comes by one of the places, or by one after another.
    fn is_dead(&self, places: &[usize]) -> bool {
        let count = self.places.len();
        places.iter().enumerate().any(|(at, place)| {
            self.singles[*place] == Fate::Dead
                || !self.pairs.is_empty()
                    && places[at + 1..].iter().any(|later| self.pairs[place * count + later] == Fate::Dead)
        })
    }

    fn push(&mut self, before: Vec<Link>, last: Vec<Link>, part: Part) {
        let size = if self.switches.batches { last.len().max(1) } else { 1 };
        for last in last.chunks(size) {
            self.items.push_back(Item::Chain { before: before.clone(), last: last.to_vec(), part });
        }
    }

    fn ranges(&mut self, goals: &Goals<'_>, parts: u64, are_paths: bool) {
        let count = goals.count();
        let size = match (are_paths, self.switches.batches) {
            (true, _) if self.workers < 2 => count.max(1),
            (true, _) => count.div_ceil(parts).max(1),
            (false, true) => BATCH,
            (false, false) => 1,
        };
        let mut from = 0;
        while from < count {
            let range = from..(from + size).min(count);
            from = range.end;
            self.items.push_back(if are_paths { Item::Paths(range) } else { Item::Goals(range) });
        }
    }

    /// Notes what became of a part of goals.
    pub fn note(&mut self, before: &[Link], last: Link, part: Part, fate: Fate) {
        let place = |(link, choice): Link| self.numbers[link][choice];
        let slot = match (part, before) {
            (Part::Single, _) => &mut self.singles[place(last)],
            (Part::Pair, [first]) => {
                let at = place(*first) * self.places.len() + place(last);
                &mut self.pairs[at]
            }
            (Part::Pair | Part::Goal(_), _) => return,
        };
        *slot = fate;
    }
}
