//! The test goals of a query about a program: counted, numbered, made one by one.

use tandem_base::{Problem, Span};
use tandem_cfa::{Callee, Edge, EdgeId, Op, Program};

use super::automaton::{Regex, goal};
use super::chain::Chain;
use super::family::{Family, Part};
use super::filter::Filters;
use super::goal::{Goal, GoalTransition, Guard};
use super::paths::PathSet;
use super::patterns::Patterns;
use super::steps::{StepId, Steps};
use super::tree::Query;
use super::{Letters, Semantics};
use crate::gia::EdgeSet;

/// The goals of a query. None is in memory before it is asked for.
pub struct Goals<'p> {
    pub(super) steps: Steps<'p>,
    family: Family,
    count: u64,
    pub(super) chain: Option<Chain>,
    pub(super) passing: Option<Goal>,
    predicates: Vec<Box<str>>,
    warnings: Vec<Problem>,
}

impl<'p> Goals<'p> {
    /// Spans of problems are in the text of the query.
    pub fn new(program: &'p Program, query: &Query, semantics: Semantics) -> Result<Goals<'p>, Problem> {
        let steps = Steps::of(program, semantics);
        let mut patterns = Patterns::new(Filters::new(&steps));
        let family = patterns.cover(query)?;
        let passing = match &query.passing {
            Some(passing) => {
                let regex = patterns.passing(passing)?;
                Some(placed(goal(&steps, &regex), passing.pattern.span)?)
            }
            None => None,
        };
        let span = query.cover.pattern.span;
        let count = family.count();
        let count = count.ok_or_else(|| {
            Problem::error(span, "the query has more goals than can be counted").help("fewer factors in the pattern")
        })?;
        let (predicates, warnings) = (patterns.predicates, patterns.filters.warnings);
        let chain = Chain::of(&family, &steps);
        let goals = Goals { steps, family, count, chain, passing, predicates, warnings };
        if count > 0 {
            // Goals differ in their places only: if one can be made, all can.
            placed(goals.make(0), span)?;
        }
        Ok(goals)
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The goal with a number below [`count`](Self::count).
    pub fn goal(&self, index: u64) -> Option<Goal> {
        if index >= self.count {
            return None;
        }
        match &self.chain {
            Some(chain) => chain.goal(index, &self.steps),
            None => self.make(index).ok(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Goal> + '_ {
        (0..self.count).filter_map(|index| self.goal(index))
    }

    /// What every run has to be like, if the query says so.
    pub fn passing(&self) -> Option<&Goal> {
        self.passing.as_ref()
    }

    /// The C expressions that tests are about, by number.
    pub fn predicates(&self) -> &[Box<str>] {
        &self.predicates
    }

    /// Filters that select nothing.
    pub fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    pub fn letters(&self) -> Letters {
        self.steps.letters
    }

    /// A goal for people.
    pub fn describe(&self, index: u64) -> Option<String> {
        let parts: Vec<String> =
            self.parts(index)?.iter().map(|part| part.describe(&self.steps, &self.predicates)).collect();
        Some(parts.join(" "))
    }

    /// The goals that a run covers, in their order. `path` has the edges of a whole run from the beginning of `main`, without those of
    /// library models; `test` says whether a predicate holds when so many of them have been taken, if it has a value there.
    pub fn covered(&self, path: &[EdgeId], test: impl FnMut(usize, u32) -> Option<bool>) -> Vec<u64> {
        self.covered_by(path, true, test)
    }

    /// The same for the beginning of a run, unless it `ended` there: what only the end of a run decides is then not decided.
    pub fn covered_by(
        &self,
        path: &[EdgeId],
        ended: bool,
        mut test: impl FnMut(usize, u32) -> Option<bool>,
    ) -> Vec<u64> {
        let word = self.steps.letters.word(self.steps.program, path);
        let mut accepts = |goal: &Goal| match ended {
            true => goal.accepts(&word, &mut test).is_some(),
            false => goal.settles(&word, &mut test).is_some(),
        };
        if self.passing.as_ref().is_some_and(|passing| !accepts(passing)) {
            return Vec::new();
        }
        if let Some(chain) = &self.chain {
            return chain.covered(&self.steps, &word);
        }
        if let Some(paths) = self.only_paths() {
            let run: Vec<StepId> =
                word.iter().flat_map(|(letter, _)| self.steps.reading(*letter)).map(|(step, _)| *step).collect();
            let run: Vec<StepId> = self.steps.beginning().iter().map(|(step, _)| *step).chain(run).collect();
            let mut found: Vec<u64> = (0..run.len()).flat_map(|start| paths.followed(&run[start..])).collect();
            found.sort();
            found.dedup();
            return found;
        }
        (0..self.count).filter(|index| self.goal(*index).is_some_and(|goal| accepts(&goal))).collect()
    }

    fn parts(&self, index: u64) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        self.family.pick(index, &mut parts)?;
        Some(parts)
    }

    /// The paths, if the goals are paths with anything before and behind them.
    pub(super) fn only_paths(&self) -> Option<&PathSet> {
        let anything = Family::One(Regex::Anything);
        match &self.family {
            Family::Product(parts) => match &parts[..] {
                [before, Family::Paths(paths), behind] if *before == anything && *behind == anything => Some(paths),
                _ => None,
            },
            _ => None,
        }
    }

    fn make(&self, index: u64) -> Result<Goal, Problem> {
        let none = || Problem::error(Span::NONE, "there is no such goal");
        let parts = self.parts(index).ok_or_else(none)?;
        if self.only_paths().is_some()
            && let [_, Part::Path(path), _] = &parts[..]
        {
            return Ok(self.path_goal(path));
        }
        let regex: Vec<Regex> = parts.iter().map(Part::regex).collect();
        goal(&self.steps, &Regex::Sequence(regex))
    }

    /// One letter after the other.
    fn path_goal(&self, path: &[StepId]) -> Goal {
        let begun = self.steps.beginning().first().map(|(step, _)| *step);
        let mut letters: Vec<EdgeId> = path.iter().filter_map(|step| self.steps.letter(*step)).collect();
        let from_start = path.first().is_some_and(|first| Some(*first) == begun);
        let mut transitions = Vec::with_capacity(letters.len() + 2);
        let stay = |state: u32| GoalTransition {
            source: state,
            letters: EdgeSet::all(),
            guard: Guard::default(),
            target: state,
        };
        let mut initial = vec![(0, Guard::default())];
        if from_start {
            // The first letter has been read. It comes again only if `main` is called.
            let main = letters.remove(0);
            if self.main_is_called() {
                letters.insert(0, main);
                initial.push((1, Guard::default()));
                transitions.push(stay(0));
            }
        } else {
            transitions.push(stay(0));
        }
        for (number, letter) in letters.iter().enumerate() {
            let (source, target) = (number as u32, number as u32 + 1);
            transitions.push(GoalTransition {
                source,
                letters: EdgeSet::One(*letter),
                guard: Guard::default(),
                target,
            });
        }
        let last = letters.len() as u32;
        transitions.push(stay(last));
        transitions.sort();
        transitions.dedup();
        Goal { initial, accepting: (0..=last).map(|state| state == last).collect(), transitions }
    }

    pub(super) fn main_is_called(&self) -> bool {
        let program = self.steps.program;
        let calls_main = |edge: &Edge| match &edge.op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some(*callee) == program.entry,
            Op::Call { callee: Callee::Pointer(_), .. } => true,
            _ => false,
        };
        program.edges.iter().any(calls_main)
    }
}

/// A problem about the pattern as a whole gets its place.
fn placed<T>(result: Result<T, Problem>, span: Span) -> Result<T, Problem> {
    result.map_err(|problem| if problem.span.is_none() { Problem { span, ..problem } } else { problem })
}

impl std::fmt::Debug for Goals<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} goals over {} letters", self.count, self.steps.letters.count())
    }
}
