//! The registered analyses: what each is, what it reads from a cooperation and gives to it, and how it is run.
//!
//! An entry stands beside its analysis, and the list here names the entries. Everything that depends on which analyses there are is made from this list:
//! names and help of the command line, actors of plans, and the tests that hold for every analysis. Nothing here knows what an analysis computes.

use std::fmt;
use std::time::Instant;

use tandem_base::Budget;

use crate::catalog::{finished, supported};
use crate::symbolic::Share;
use crate::{Outcome, Task};

/// All analyses, in the order in which they are shown and compared.
pub const ANALYSES: &[AnalysisEntry] = &[
    crate::value::ENTRY,
    crate::symbolic::ENTRY,
    crate::predicate::ENTRY,
    crate::bmc::ENTRY,
    crate::induction::ENTRY,
    crate::interval::ENTRY,
    crate::symbolic::DEPTH_FIRST_ENTRY,
    crate::symbolic::BREADTH_FIRST_ENTRY,
    crate::random::ENTRY,
];

/// What is said of an analysis before it works, and how it is run.
#[derive(Clone, Copy)]
pub struct AnalysisEntry {
    pub name: &'static str,
    /// What it does, in one sentence without a full stop.
    pub about: &'static str,
    /// What it makes use of if a task has it. What is not in the list has no influence on the analysis.
    pub reads: &'static [ContributionKind],
    /// What it may leave behind besides its verdict.
    pub gives: &'static [ContributionKind],
    /// Whether it can give away a part of its paths while it works: it asks the [`Share`] that it is run with.
    pub hands_over_paths: bool,
    /// Whether it also follows what can lead to no error any more. Then a proof of it that excludes undefined operations excludes them everywhere.
    pub follows_whole_program: bool,
    pub approximation: Approximation,
    /// The limits that bound the analysis as a whole.
    pub limits: &'static [AnalysisLimit],
    /// The weight of its turns in the default run; with zero it takes no part there.
    pub default_share: u32,
    /// The search itself; [`AnalysisEntry::verify`] also takes the last look at its outcome.
    pub run: AnalysisFunction,
}

/// Runs an analysis on a task. A [`Share`] is for those that hand over paths.
pub type AnalysisFunction = for<'a> fn(Task<'a>, Option<&'a dyn Share>, &Budget) -> Outcome;

/// A number that bounds an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalysisLimit {
    pub name: &'static str,
    pub value: u64,
    pub unit: &'static str,
    /// What it bounds, in one sentence without a full stop.
    pub about: &'static str,
}

/// The kinds of knowledge that analyses exchange.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ContributionKind {
    /// Paths that need not be looked at: read from an observer that keeps them out, given as an exchange automaton.
    SettledPaths,
    /// Goals to look for instead of error calls: read from an observer, given with the verdict that is the evidence.
    Goals,
    /// Invariants that are proved.
    Facts,
    /// Conditions that are worth tracking, without a claim.
    Precision,
    /// Paths to errors that are neither confirmed nor refuted.
    Candidates,
    /// Inputs of runs, as tests.
    Tests,
    /// That no error is reached within a bound.
    Bounds,
    /// Inputs from which a search for runs may begin.
    Seeds,
}

impl fmt::Display for ContributionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ContributionKind::SettledPaths => "settled paths",
            ContributionKind::Goals => "goals",
            ContributionKind::Facts => "facts",
            ContributionKind::Precision => "precision",
            ContributionKind::Candidates => "candidates",
            ContributionKind::Tests => "tests",
            ContributionKind::Bounds => "bounds",
            ContributionKind::Seeds => "seeds",
        })
    }
}

/// On which side an analysis or actor may err (Definition 5): who looks at more than there is never reports a path as reached, who looks at less never
/// calls one unreachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Approximation {
    Over,
    Under,
    /// An over-approximating search together with a replay of its alarms.
    Both,
}

impl fmt::Display for Approximation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Approximation::Over => "over-approximating",
            Approximation::Under => "under-approximating",
            Approximation::Both => "over-approximating, with alarms replayed",
        })
    }
}

impl AnalysisEntry {
    pub fn reads(&self, kind: ContributionKind) -> bool {
        self.reads.contains(&kind)
    }

    pub fn gives(&self, kind: ContributionKind) -> bool {
        self.gives.contains(&kind)
    }

    /// Runs the analysis, and takes the last look at its outcome: a proof is taken back if a run carries out an undefined operation. That is not
    /// looked for again where the analysis has excluded it in the whole program.
    pub fn verify<'a>(&self, task: Task<'a>, share: Option<&'a dyn Share>, budget: &Budget) -> Outcome {
        let start = Instant::now();
        let outcome = (self.run)(task, share, budget);
        if self.follows_whole_program && outcome.in_bounds {
            return supported(task, outcome, budget);
        }
        finished(task, outcome, start.elapsed(), budget)
    }
}

impl fmt::Debug for AnalysisEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "analysis `{}`", self.name)
    }
}

/// The entry of this name, if an analysis is registered under it.
pub fn entry(name: &str) -> Option<&'static AnalysisEntry> {
    ANALYSES.iter().find(|entry| entry.name == name)
}

/// Whether there is an analysis of this name that makes use of such knowledge.
pub fn reads(name: &str, kind: ContributionKind) -> bool {
    entry(name).is_some_and(|entry| entry.reads(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_differ() {
        for (number, one) in ANALYSES.iter().enumerate() {
            assert_eq!(entry(one.name).map(|found| found.about), Some(one.about));
            assert!(ANALYSES[..number].iter().all(|other| other.name != one.name), "{} is registered twice", one.name);
            assert_ne!(one.name, crate::catalog::DEFAULT_RUN, "the default run is no analysis");
        }
        assert!(entry("astrology").is_none());
    }

    #[test]
    fn entries_are_fit_to_be_shown() {
        for entry in ANALYSES {
            let is_sentence = |text: &str| !text.is_empty() && !text.ends_with('.') && !text.contains('\n');
            assert!(is_sentence(entry.about), "{}: {}", entry.name, entry.about);
            for limit in entry.limits {
                assert!(is_sentence(limit.about) && !limit.name.is_empty() && !limit.unit.is_empty(), "{limit:?}");
                assert!(limit.value > 0, "{}: {limit:?}", entry.name);
            }
            for (number, kind) in entry.reads.iter().enumerate() {
                assert!(!entry.reads[..number].contains(kind), "{}: {kind} is read twice", entry.name);
            }
            for (number, kind) in entry.gives.iter().enumerate() {
                assert!(!entry.gives[..number].contains(kind), "{}: {kind} is given twice", entry.name);
            }
        }
    }
}
