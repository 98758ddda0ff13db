//! The search: first with everything known, and if that does not come to an end, with few values that grow by the
//! reasons why alarms were false. Alarms are checked by a solver, and replayed.

use std::time::{Duration, Instant};

use tandem_artifact::gia::Gia;
use tandem_artifact::{Caveat, Violation};
use tandem_base::{Budget, Span, StopReason};
use tandem_cpa::{Flow, Found, Reached, Search, StateId, Step, begin, explore};
use tandem_smt::Terms;

use super::precision::Precision;
use super::slice::{Followed, explain};
use super::{State, Values};
use crate::blocks::unmodelled;
use crate::bmc::no_entry;
use crate::export::export;
use crate::formula::{Formulas, Path};
use crate::query::{Feasible, PathSolver, confirm, feasible, solver};
use crate::store::{Ended, Executor};
use crate::{Outcome, Task};

/// The part of the time that the search with everything known may take, in percent.
const FULL: u32 = 40;
/// What it may take if there is no limit.
const FULL_TIME: Duration = Duration::from_secs(60);

pub fn value(task: Task<'_>, budget: &Budget) -> Outcome {
    let Some(mut flow) = task.flow() else {
        return Outcome::new("value", None, None, vec![no_entry()]);
    };
    let terms = Terms::new();
    let checker = Checker {
        task,
        executor: Executor::new(&flow, Formulas::new(&terms, "")),
        solver: solver(&terms),
        terms,
        caveats: Vec::new(),
    };
    let mut search = ValueSearch { values: Values::new(&flow), checker, refinements: 0, states: 0, gia: None };
    search.run(&mut flow, budget)
}

/// How an exploration ended.
enum End {
    Complete,
    Violated(Box<Violation>),
    Stopped(StopReason),
    /// The precision grew: to be done again.
    Again,
}

/// Something that was reached and should not be.
struct Alarm {
    path: Vec<Step>,
    /// What is not modelled, if it is no error.
    gap: Option<(String, Span)>,
}

struct ValueSearch<'a> {
    values: Values<'a>,
    checker: Checker<'a>,
    refinements: u64,
    states: u64,
    gia: Option<Gia>,
}

impl ValueSearch<'_> {
    fn run(&mut self, flow: &mut Flow<'_>, budget: &Budget) -> Outcome {
        let end = match self.explore(flow, &part(budget)) {
            // What everything known cannot tell apart, less cannot either.
            End::Stopped(_) if budget.exhausted().is_none() && self.checker.caveats.is_empty() => {
                self.values.precision = Some(Precision::default());
                loop {
                    match self.explore(flow, budget) {
                        End::Again => self.refinements += 1,
                        end => break end,
                    }
                }
            }
            End::Stopped(_) if budget.exhausted().is_none() => self.explore(flow, budget),
            end => end,
        };
        match end {
            End::Violated(violation) => self.outcome(Some(*violation), None),
            End::Stopped(reason) => self.outcome(None, Some(reason)),
            End::Complete | End::Again => self.outcome(None, None),
        }
    }

    fn outcome(&mut self, violation: Option<Violation>, stopped: Option<StopReason>) -> Outcome {
        let caveats = std::mem::take(&mut self.checker.caveats);
        let mut outcome = Outcome::new("value", violation, stopped, caveats);
        outcome.gia = self.gia.take();
        outcome.statistics.insert("steps", self.values.steps);
        outcome.statistics.insert("states", self.states);
        outcome.statistics.insert("refinements", self.refinements);
        outcome.statistics.insert("kept", self.values.precision.as_ref().map_or(0, |precision| precision.len() as u64));
        outcome
    }

    fn explore(&mut self, flow: &mut Flow<'_>, budget: &Budget) -> End {
        let mut reached = begin(&mut self.values, flow, Search::DepthFirst);
        reached.keyed = false;
        let end = loop {
            let alarm = match explore(&mut self.values, flow, &mut reached, budget) {
                Found::Everything => break End::Complete,
                Found::Stopped(reason) => break End::Stopped(reason),
                Found::Target(id) => alarm_at(&reached, id),
                Found::Unsupported(id, step) => {
                    Alarm { path: steps_to(&reached, id), gap: Some(unmodelled(flow, &step)) }
                }
            };
            if let Some(end) = self.judge(flow, &alarm, budget) {
                break end;
            }
        };
        self.states += reached.entries.len() as u64;
        if !matches!(end, End::Again) {
            self.gia = export(self.checker.task, flow, &reached, &self.checker.caveats);
        }
        end
    }

    /// Whether an alarm ends the exploration.
    fn judge(&mut self, flow: &Flow<'_>, alarm: &Alarm, budget: &Budget) -> Option<End> {
        if let Some(mut precision) = self.values.precision.take() {
            let followed = explain(&mut self.values, flow, &alarm.path, &mut precision);
            self.values.precision = Some(precision);
            match followed {
                Followed::Refuted { grew: true } => return Some(End::Again),
                Followed::Refuted { grew: false } => {
                    self.checker.add(Caveat::Imprecise("a path that cannot be taken was not ruled out".into()));
                    return None;
                }
                Followed::Open => {}
            }
        }
        self.checker.check(flow, alarm, budget).map(|violation| End::Violated(Box::new(violation)))
    }
}

/// The time for the search with everything known.
fn part(budget: &Budget) -> Budget {
    let now = Instant::now();
    let time = match budget.deadline {
        Some(deadline) => deadline.saturating_duration_since(now) * FULL / 100,
        None => FULL_TIME,
    };
    Budget { deadline: Some(now + time), ..budget.clone() }
}

fn steps_to(reached: &Reached<State>, id: StateId) -> Vec<Step> {
    reached.path_to(id).into_iter().map(|(_, step)| step).collect()
}

fn alarm_at(reached: &Reached<State>, id: StateId) -> Alarm {
    let gap = match &reached.entries[id].state {
        State::At(..) | State::Spent => None,
        State::Gap { what, at } => Some((what.to_string(), *at)),
    };
    Alarm { path: steps_to(reached, id), gap }
}

/// Follows the paths of alarms with terms, and asks the solver whether they can be taken.
struct Checker<'a> {
    task: Task<'a>,
    terms: Terms,
    executor: Executor<'a, Formulas>,
    solver: PathSolver,
    caveats: Vec<Caveat>,
}

impl Checker<'_> {
    fn add(&mut self, caveat: Caveat) {
        if !self.caveats.contains(&caveat) {
            self.caveats.push(caveat);
        }
    }

    /// The replayed run, if the alarm is an error that can be reached.
    fn check(&mut self, flow: &Flow<'_>, alarm: &Alarm, budget: &Budget) -> Option<Violation> {
        if let Some((what, at)) = &alarm.gap {
            // A gap need not be reached by exactly this path: it stands for all that were covered by it.
            self.add(Caveat::Unsupported { what: what.clone(), at: *at });
            return None;
        }
        let Some(path) = self.follow(flow, &alarm.path) else {
            self.add(Caveat::Imprecise("an alarm that may be false".into()));
            return None;
        };
        match feasible(&mut self.solver, &path.conditions(), budget) {
            Feasible::No => self.add(Caveat::Imprecise("an alarm that may be false".into())),
            Feasible::Unknown(reason) => self.add(Caveat::Solver(reason)),
            Feasible::Yes(model) => match confirm(self.task, &self.terms, &path, &model, budget) {
                Ok(violation) => return Some(violation),
                Err(caveat) => self.add(caveat),
            },
        }
        None
    }

    /// What is assumed on the path, and its inputs; nothing if it cannot be taken or is not modelled with terms.
    fn follow(&mut self, flow: &Flow<'_>, steps: &[Step]) -> Option<Path> {
        let mut store = self.executor.start(flow, Path::default()).ok()?;
        for step in steps {
            match self.executor.step(flow, &mut store, step) {
                Ok(()) => {}
                Err(Ended::Path) => return None,
                Err(Ended::Unsupported(what)) => {
                    let at = self.executor.place();
                    self.add(Caveat::Unsupported { what, at });
                    return None;
                }
            }
        }
        Some(store.path)
    }
}
