//! Splitters: which paths are the bounds of the ranges.

use std::time::Duration;

use tandem_analyses::Task;
use tandem_analyses::paths::{Paths, Spot};
use tandem_artifact::range::{Bound, Bounds, Decisions, Range};
use tandem_base::Budget;
use tandem_cfa::exec::{EventKind, Run};

use super::{balanced, loop_bound, random};

/// A way to choose bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Splitter {
    /// The left-most paths that take every loop so many times.
    LoopBounds(Vec<u32>),
    /// Random paths; so many of a hundred decisions go to the first edge.
    Random { first: u32 },
    /// Ranges with equally many paths, as far as that can be estimated.
    Balanced,
}

impl Splitter {
    /// The names of the splitters, for people.
    pub const ACCEPTED: &'static str =
        "balanced, rdm, rdm9, lb3, lb10, lbN for any N, or several loop bounds such as lb1-3-10";

    pub fn named(name: &str) -> Option<Splitter> {
        match name {
            "balanced" => Some(Splitter::Balanced),
            "rdm" => Some(Splitter::Random { first: 50 }),
            "rdm9" => Some(Splitter::Random { first: 90 }),
            _ => {
                let numbers = name.strip_prefix("lb")?.split('-').map(|number| number.parse::<u32>().ok());
                let bounds: Vec<u32> = numbers.collect::<Option<_>>()?;
                bounds.iter().all(|bound| (1..=10_000).contains(bound)).then_some(Splitter::LoopBounds(bounds))
            }
        }
    }
}

/// A bound, and a run that begins as the bound does, if one is known.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    pub bound: Bound,
    pub run: Option<Run>,
}

impl Cut {
    /// Whether the inputs of the run that come from functions are all there is to say about it: then a test case says it, too.
    pub fn is_test(&self) -> bool {
        self.run.as_ref().is_some_and(|run| {
            run.inputs.iter().all(|input| input.is_of_function())
                && !run.events.iter().any(|event| event.kind == EventKind::AddressObserved)
        })
    }
}

/// The bounds that a splitter has chosen, in their order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Split {
    pub cuts: Vec<Cut>,
    /// Why there are fewer ranges than asked for, if there are.
    pub note: Option<String>,
}

impl Split {
    /// The ranges, which cover all paths; one if nothing was split.
    pub fn ranges(&self) -> Vec<Range> {
        Bounds::new(self.cuts.iter().map(|cut| cut.bound.clone()).collect()).ranges()
    }

    fn none(note: &str) -> Split {
        Split { cuts: Vec::new(), note: Some(note.to_string()) }
    }
}

/// Decisions that a bound has at most. (What comes after them is on one side of the cut.)
pub(super) const LONGEST: usize = 1000;
/// Edges of a run that is a bound.
const STEPS: u64 = 300_000;
/// How long is looked for cuts.
const TIME: Duration = Duration::from_secs(2);

/// Splits the paths of a program into so many ranges, or fewer.
pub fn split(task: Task<'_>, splitter: &Splitter, ranges: usize, budget: &Budget) -> Split {
    let budget = &budget.within(TIME);
    let Some(mut paths) = Paths::new(task, budget) else { return Split::none("the program has no main function") };
    let wanted = ranges.max(1) - 1;
    let found = match splitter {
        Splitter::LoopBounds(bounds) => loop_bound::cuts(&mut paths, &several(bounds, wanted)),
        Splitter::Random { first } => random::cuts(&mut paths, *first, wanted),
        Splitter::Balanced => balanced::cuts(&mut paths, &Range::whole(), wanted, budget),
    };
    let mut cuts = match found {
        Ok(cuts) => cuts,
        Err(why) => return Split::none(&why),
    };
    cuts.sort_by(|one, other| one.bound.decisions.cmp(&other.bound.decisions));
    cuts.dedup_by(|one, other| one.bound.decisions == other.bound.decisions);
    // A cut before everything leaves nothing below it.
    cuts.retain(|cut| !cut.bound.decisions.is_empty());
    cuts.truncate(wanted);
    let note = (cuts.len() < wanted).then(|| format!("only {} different ranges were found", cuts.len() + 1));
    Split { cuts, note }
}

/// The loop bounds for so many cuts: as given, and then multiples of the last.
fn several(bounds: &[u32], wanted: usize) -> Vec<u32> {
    let mut all = bounds.to_vec();
    let last = bounds.last().copied().unwrap_or(3);
    for times in 2.. {
        if all.len() >= wanted {
            break;
        }
        all.push(last.saturating_mul(times));
    }
    all.truncate(wanted);
    all
}

/// The cut at the path of a run that begins as this path does; at its beginning if there is no such run.
pub(super) fn cut_at_run(paths: &Paths<'_>, spot: &Spot) -> Cut {
    let run = paths.run(spot, STEPS);
    let path = run.as_ref().and_then(|run| run.decisions(paths.flow.program));
    let mut decisions = path.unwrap_or_else(|| spot.decisions.clone());
    // Beyond the first decisions, a bound makes no useful difference, but has its price in every analysis.
    decisions.truncate(LONGEST.max(spot.decisions.len()));
    Cut { bound: Bound::path(Decisions(decisions)), run }
}

/// The cut in front of everything that begins as this path does.
pub(super) fn cut_before(paths: &Paths<'_>, spot: &Spot) -> Cut {
    Cut { bound: Bound::path(Decisions(spot.decisions.clone())), run: paths.run(spot, STEPS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Splitter::named("lb3"), Some(Splitter::LoopBounds(vec![3])));
        assert_eq!(Splitter::named("lb1-3-10"), Some(Splitter::LoopBounds(vec![1, 3, 10])));
        assert_eq!(Splitter::named("rdm9"), Some(Splitter::Random { first: 90 }));
        for wrong in ["", "lb", "lb0", "lb-3", "lb3-", "rdm8", "LB3", "lb99999999999"] {
            assert_eq!(Splitter::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn as_many_loop_bounds_as_wanted() {
        assert_eq!(several(&[3], 1), [3]);
        assert_eq!(several(&[3], 3), [3, 6, 9]);
        assert_eq!(several(&[1, 3, 10], 2), [1, 3]);
    }
}
