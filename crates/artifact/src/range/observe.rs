//! A range as an automaton that reads the decisions of a path: where a path stands between the bounds, decision by decision.
//!
//! Follows every beginning of a path in the range, and no other.

use super::{Bound, Range};

/// Where a path stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Standing {
    /// It has taken so many decisions, and all are those of the lower bound and of the upper bound.
    Both(u32),
    /// It is above the lower bound so far only because it follows it.
    Lower(u32),
    /// It is below the upper bound so far only because it follows it.
    Upper(u32),
    /// Whatever comes, it is inside. (Not the same as to know nothing: before the first decision nothing is known either.)
    Inside,
}

/// The number of [`Standing::Inside`], before one is added.
const INSIDE: u32 = u32::MAX - 1;

/// The automaton of a range.
#[derive(Clone, Debug)]
pub struct Chain {
    lower: Option<Bound>,
    upper: Option<Bound>,
    /// How many decisions the bounds have in common.
    common: u32,
    start: Option<Standing>,
}

impl Chain {
    pub fn new(range: &Range) -> Chain {
        let Range { lower, upper } = range.clone();
        let common = match (&lower, &upper) {
            (Some(lower), Some(upper)) => {
                lower.decisions.0.iter().zip(&upper.decisions.0).take_while(|(one, other)| one == other).count()
            }
            _ => 0,
        };
        let mut chain = Chain { lower, upper, common: common as u32, start: None };
        if !range.is_empty() {
            chain.start = Some(chain.standing(chain.lower.is_some(), chain.upper.is_some(), 0));
        }
        chain
    }

    /// Where the empty path stands; nothing if no path is in the range.
    pub fn start(&self) -> Option<Standing> {
        self.start
    }

    /// The standing of a path that has followed these bounds so far, for so many decisions.
    fn standing(&self, lower: bool, upper: bool, at: u32) -> Standing {
        let is_open = |bound: &Option<Bound>| bound.as_ref().is_some_and(|bound| (at as usize) < bound.decisions.len());
        // Whatever follows the whole lower bound is above it; whatever follows the whole upper bound, and takes one more
        // decision, is not below it, unless nobody knows how the bound goes on.
        let lower = lower && is_open(&self.lower);
        let upper = upper && (is_open(&self.upper) || self.upper.as_ref().is_some_and(|bound| !bound.goes_on));
        match (lower, upper) {
            (true, true) => Standing::Both(at),
            (true, false) => Standing::Lower(at),
            (false, true) => Standing::Upper(at),
            (false, false) => Standing::Inside,
        }
    }

    /// The standing after one more decision; nothing if the path has left the range for good.
    pub fn after(&self, standing: Standing, rank: u32) -> Option<Standing> {
        let (mut lower, mut upper, at) = match standing {
            Standing::Both(at) => (true, true, at),
            Standing::Lower(at) => (true, false, at),
            Standing::Upper(at) => (false, true, at),
            Standing::Inside => return Some(Standing::Inside),
        };
        let wanted =
            |bound: &Option<Bound>| bound.as_ref().and_then(|bound| bound.decisions.0.get(at as usize)).copied();
        if lower && let Some(wanted) = wanted(&self.lower) {
            if rank < wanted {
                return None;
            }
            lower = rank == wanted;
        }
        if upper {
            match wanted(&self.upper) {
                Some(wanted) if rank > wanted => return None,
                Some(wanted) => upper = rank == wanted,
                None => return None,
            }
        }
        Some(self.standing(lower, upper, at + 1))
    }

    /// The standing of a path with these decisions.
    pub fn read(&self, decisions: &[u32]) -> Option<Standing> {
        decisions.iter().try_fold(self.start()?, |standing, rank| self.after(standing, *rank))
    }

    /// Whether a path that ends so is in the range: one that follows the lower bound and ends before it is below it.
    pub fn is_inside(&self, standing: Standing) -> bool {
        match standing {
            Standing::Both(_) | Standing::Lower(_) => {
                let (Standing::Both(at) | Standing::Lower(at)) = standing else { return true };
                self.lower.as_ref().is_none_or(|bound| bound.decisions.len() <= at as usize)
            }
            Standing::Upper(_) | Standing::Inside => true,
        }
    }

    /// The standing as a number, zero for that of the empty path; for those who want numbers.
    pub fn number(&self, standing: Standing) -> u32 {
        let [both, lower, _] = self.sizes();
        let number = match standing {
            Standing::Both(at) => at,
            Standing::Lower(at) => both + at,
            Standing::Upper(at) => both + lower + at,
            Standing::Inside => INSIDE,
        };
        match self.start {
            Some(start) if start == standing => 0,
            Some(_) | None => number + 1,
        }
    }

    /// The standing with this number.
    pub fn numbered(&self, number: u32) -> Option<Standing> {
        if number == 0 {
            return self.start;
        }
        let [both, lower, upper] = self.sizes();
        let mut at = number - 1;
        if at == INSIDE {
            return Some(Standing::Inside);
        }
        if at < both {
            return Some(Standing::Both(at));
        }
        at -= both;
        if at < lower {
            return Some(Standing::Lower(at));
        }
        at -= lower;
        (at < upper).then_some(Standing::Upper(at))
    }

    /// How many standings of each kind there may be.
    fn sizes(&self) -> [u32; 3] {
        let length = |bound: &Option<Bound>| bound.as_ref().map_or(0, |bound| bound.decisions.len() as u32 + 1);
        [self.common + 1, length(&self.lower), length(&self.upper)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::range::Decisions;

    /// All sequences over three ranks up to a length.
    fn sequences(length: usize) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        let mut from = 0;
        for _ in 0..length {
            let end = all.len();
            for index in from..end {
                for rank in 0..3 {
                    let mut longer = all[index].clone();
                    longer.push(rank);
                    all.push(longer);
                }
            }
            from = end;
        }
        all
    }

    #[test]
    fn the_automaton_says_what_the_order_says() {
        let bounds = [&[][..], &[0], &[1, 1], &[1, 1, 2], &[1, 2], &[2, 0, 1]];
        let all = sequences(4);
        for lower in bounds {
            for upper in bounds {
                for goes_on in [false, true] {
                    let upper = Bound { goes_on, ..Bound::path(Decisions(upper.to_vec())) };
                    let range = Range { lower: Some(Bound::path(Decisions(lower.to_vec()))), upper: Some(upper) };
                    let chain = Chain::new(&range);
                    for path in &all {
                        let standing = chain.read(path);
                        let inside = standing.is_some_and(|standing| chain.is_inside(standing));
                        assert_eq!(inside, range.contains(&Decisions(path.clone())), "{range:?} {path:?}");
                        // What is not followed has nothing in the range behind it.
                        if standing.is_none() {
                            let behind = all.iter().filter(|other| other.starts_with(path));
                            assert!(!behind.into_iter().any(|other| range.contains(&Decisions(other.clone()))));
                        }
                        if let Some(standing) = standing {
                            assert_eq!(chain.numbered(chain.number(standing)), Some(standing));
                        }
                    }
                    assert!(chain.start().is_none_or(|start| chain.number(start) == 0));
                }
            }
        }
    }
}
