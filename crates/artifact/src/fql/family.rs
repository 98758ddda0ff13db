//! Families of goals: sets, sums and products that are counted and numbered without being listed.

use std::collections::HashSet;
use std::sync::Arc;

use tandem_base::{FastBuild, Id};

use super::automaton::Regex;
use super::goal::Test;
use super::paths::PathSet;
use super::steps::{PointId, StepId, Steps};

/// What a coverage pattern stands for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Family {
    /// One goal for each.
    Choice(Vec<Item>),
    Paths(Arc<PathSet>),
    One(Regex),
    /// All ways to put one of each together.
    Product(Vec<Family>),
    Sum(Vec<Family>),
}

/// An edge or a node of a filter, with what holds before and behind it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Item {
    pub place: Place,
    pub before: Box<[Test]>,
    pub behind: Box<[Test]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    Step(StepId),
    Point(PointId),
}

/// A part of one goal.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Part {
    Item(Item),
    Path(Vec<StepId>),
    One(Regex),
}

impl Family {
    /// Products inside products and sums inside sums are taken apart; choices next to each other in a sum become one; anything twice is
    /// anything. In a union, nothing is chosen twice.
    pub fn tidy(self, union: bool) -> Family {
        match self {
            Family::Product(parts) => {
                let mut tidy: Vec<Family> = Vec::new();
                for part in parts.into_iter().map(|part| part.tidy(union)) {
                    match part {
                        Family::Product(inner) => inner.into_iter().for_each(|part| push(&mut tidy, part)),
                        part => push(&mut tidy, part),
                    }
                }
                if tidy.len() == 1 { tidy.remove(0) } else { Family::Product(tidy) }
            }
            Family::Sum(parts) => {
                let mut tidy: Vec<Family> = Vec::new();
                for part in parts.into_iter().map(|part| part.tidy(union)) {
                    match part {
                        Family::Sum(inner) => inner.into_iter().for_each(|part| add(&mut tidy, part, union)),
                        part => add(&mut tidy, part, union),
                    }
                }
                if tidy.len() == 1 { tidy.remove(0) } else { Family::Sum(tidy) }
            }
            family @ (Family::Choice(_) | Family::Paths(_) | Family::One(_)) => family,
        }
    }

    /// How many goals there are, if that can be said with 64 bits.
    pub fn count(&self) -> Option<u64> {
        match self {
            Family::Choice(items) => Some(items.len() as u64),
            Family::Paths(paths) => paths.count(),
            Family::One(_) => Some(1),
            Family::Product(parts) => {
                let counts: Option<Vec<u64>> = parts.iter().map(Family::count).collect();
                let counts = counts?;
                if counts.contains(&0) {
                    return Some(0);
                }
                counts.into_iter().try_fold(1u64, u64::checked_mul)
            }
            Family::Sum(parts) => parts.iter().try_fold(0u64, |sum, part| sum.checked_add(part.count()?)),
        }
    }

    /// The parts of a goal; the last factor of a product changes first.
    pub fn pick(&self, mut index: u64, parts: &mut Vec<Part>) -> Option<()> {
        match self {
            Family::Choice(items) => parts.push(Part::Item(items.get(usize::try_from(index).ok()?)?.clone())),
            Family::Paths(paths) => parts.push(Part::Path(paths.path(index)?)),
            Family::One(regex) => parts.push(Part::One((index == 0).then(|| regex.clone())?)),
            Family::Product(factors) => {
                let mut places = Vec::with_capacity(factors.len());
                for factor in factors.iter().rev() {
                    let count = factor.count().filter(|count| *count > 0)?;
                    places.push(index % count);
                    index /= count;
                }
                if index > 0 {
                    return None;
                }
                for (factor, place) in factors.iter().zip(places.into_iter().rev()) {
                    factor.pick(place, parts)?;
                }
            }
            Family::Sum(summands) => {
                for summand in summands {
                    let count = summand.count()?;
                    if index < count {
                        return summand.pick(index, parts);
                    }
                    index -= count;
                }
                return None;
            }
        }
        Some(())
    }
}

fn push(product: &mut Vec<Family>, part: Family) {
    let anything = Family::One(Regex::Anything);
    if part != anything || product.last() != Some(&anything) {
        product.push(part);
    }
}

fn add(sum: &mut Vec<Family>, part: Family, union: bool) {
    if sum.contains(&part) {
        return;
    }
    match (sum.last_mut(), part) {
        (Some(Family::Choice(items)), Family::Choice(more)) => {
            let known: HashSet<Item, FastBuild> = items.iter().cloned().collect();
            items.extend(more.into_iter().filter(|item| !union || !known.contains(item)));
        }
        (_, part) => sum.push(part),
    }
}

impl Part {
    pub fn regex(&self) -> Regex {
        let single = |number: usize| Arc::new([number].into_iter().collect());
        match self {
            Part::Item(item) => {
                let place = match item.place {
                    Place::Step(step) => Regex::Steps(single(step.index())),
                    Place::Point(point) => Regex::At(single(point.index())),
                };
                let tests = |tests: &[Test]| tests.iter().copied().map(Regex::Test).collect::<Vec<_>>();
                Regex::Sequence([tests(&item.before), vec![place], tests(&item.behind)].concat())
            }
            Part::Path(path) => Regex::Sequence(path.iter().map(|step| Regex::Steps(single(step.index()))).collect()),
            Part::One(regex) => regex.clone(),
        }
    }

    pub fn describe(&self, steps: &Steps<'_>, predicates: &[Box<str>]) -> String {
        let tests = |tests: &[Test]| -> String { tests.iter().map(|test| show(*test, predicates)).collect() };
        match self {
            Part::Item(item) => {
                let place = match item.place {
                    Place::Step(step) => steps.name(step),
                    Place::Point(point) => format!("{} node", steps.place_of(point)),
                };
                format!("{}[{place}]{}", tests(&item.before), tests(&item.behind))
            }
            Part::Path(path) => {
                let firm: Vec<String> =
                    path.iter().filter(|step| steps.is_firm(**step)).map(|step| steps.name(*step)).collect();
                format!("[{}]", firm.join("; "))
            }
            Part::One(Regex::Anything) => "...".to_string(),
            Part::One(Regex::Test(test)) => show(*test, predicates),
            Part::One(_) => "\"...\"".to_string(),
        }
    }
}

fn show(test: Test, predicates: &[Box<str>]) -> String {
    match test.holds {
        true => format!("{{{}}}", predicates[test.predicate as usize]),
        false => format!("{{!({})}}", predicates[test.predicate as usize]),
    }
}
