//! The search: first with everything known, and if that does not come to an end, with few values that grow by the
//! reasons why alarms were false. Only the states that lack such a reason are made again, with what came from them. Alarms are
//! checked by a solver, and replayed.

use std::time::Duration;

use tandem_artifact::gia::Gia;
use tandem_artifact::{Caveat, Invariant, Verdict, Violation};
use tandem_base::{Budget, Id, Span, StopReason};
use tandem_cfa::EdgeId;
use tandem_cpa::{Flow, Found, Reached, Search, StateId, Step, StepKind, begin, explore};
use tandem_smt::Terms;

use super::facts::invariants;
use super::precision::Precision;
use super::slice::{Explored, Followed, Reasons, explain};
use super::{State, Values};
use crate::arg::{Arg, graph_of};
use crate::blocks::unmodelled;
use crate::bmc::no_entry;
use crate::export::export;
use crate::formula::{Formulas, Path};
use crate::query::{Feasible, PathSolver, confirm, feasible, solver};
use crate::registry::{AnalysisEntry, AnalysisLimit, Approximation, ContributionKind};
use crate::store::Executor;
use crate::{Outcome, Task};

/// The part of the time that the search with everything known may take, in percent.
const FULL: u32 = 40;
/// What it may take if there is no limit.
const FULL_TIME: Duration = Duration::from_secs(60);

pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "value",
    about: "known values, of which only those are kept that are needed to refute a path",
    reads: &[ContributionKind::SettledPaths, ContributionKind::Goals],
    gives: &[
        ContributionKind::SettledPaths,
        ContributionKind::Goals,
        ContributionKind::Facts,
        ContributionKind::Candidates,
    ],
    hands_over_paths: false,
    follows_whole_program: false,
    approximation: Approximation::Both,
    limits: &[
        AnalysisLimit {
            name: "part of the time with everything known",
            value: FULL as u64,
            unit: "percent",
            about: "how much of the time the search may take that keeps all values",
        },
        AnalysisLimit {
            name: "time with everything known",
            value: FULL_TIME.as_secs(),
            unit: "seconds",
            about: "how long the search that keeps all values may take where there is no time limit",
        },
        AnalysisLimit {
            name: "candidates that are given",
            value: ALARMS as u64,
            unit: "paths",
            about: "how many alarms are left that were neither confirmed nor refuted",
        },
    ],
    default_share: 3,
    run: |task, _, budget| value(task, budget),
};

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
        alarms: Vec::new(),
    };
    let mut search = ValueSearch {
        values: Values::new(&flow),
        checker,
        fresh: StateId::from_index(0),
        refinements: 0,
        states: 0,
        gia: None,
        arg: None,
        invariants: Vec::new(),
    };
    search.run(&mut flow, budget)
}

/// How an exploration ended.
enum End {
    Complete,
    Violated(Box<Violation>),
    Stopped(StopReason),
    /// The precision grew, and which states it changes is not known: to be done again.
    Again,
}

/// Something that was reached and should not be.
struct Alarm {
    /// The steps, with the state each begins in.
    path: Vec<(StateId, Step)>,
    /// What is not modelled, if it is no error.
    gap: Option<(String, Span)>,
}

struct ValueSearch<'a> {
    values: Values<'a>,
    checker: Checker<'a>,
    /// States from here on were made with the precision as it is.
    fresh: StateId,
    refinements: u64,
    states: u64,
    gia: Option<Gia>,
    arg: Option<Arg>,
    /// What was seen at the loops, if everything was.
    invariants: Vec<Invariant>,
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
        outcome.alarms = std::mem::take(&mut self.checker.alarms);
        outcome.arg = self.arg.take();
        if outcome.verdict == Verdict::True {
            outcome.invariants = std::mem::take(&mut self.invariants);
        }
        outcome.statistics.insert("steps", self.values.steps);
        outcome.statistics.insert("states", self.states);
        outcome.statistics.insert("refinements", self.refinements);
        outcome.statistics.insert("kept", self.values.precision.as_ref().map_or(0, |precision| precision.len() as u64));
        outcome
    }

    fn explore(&mut self, flow: &mut Flow<'_>, budget: &Budget) -> End {
        let mut reached = begin(&mut self.values, flow, Search::DepthFirst);
        reached.keyed = false;
        self.fresh = StateId::from_index(0);
        // Nothing follows from a start that is not modelled: that is no proof.
        if let Some(State::Gap { what, at }) = reached.entries.iter().next().map(|entry| &entry.state) {
            self.checker.add(Caveat::Unsupported { what: what.to_string(), at: *at });
        }
        let end = loop {
            let alarm = match explore(&mut self.values, flow, &mut reached, budget) {
                Found::Everything => break End::Complete,
                Found::Stopped(reason) => break End::Stopped(reason),
                Found::Target(id) => alarm_at(&reached, id),
                Found::Unsupported(id, step) => Alarm { path: reached.path_to(id), gap: Some(unmodelled(flow, &step)) },
            };
            if let Some(end) = self.judge(flow, &mut reached, &alarm, budget) {
                break end;
            }
        };
        self.states += reached.entries.len() as u64;
        // With an observer, only some of the runs were looked at.
        let all_runs = self.checker.task.observer.is_none();
        if matches!(end, End::Complete) && self.checker.caveats.is_empty() && all_runs {
            self.invariants = invariants(&mut self.values, flow, &reached);
        }
        if !matches!(end, End::Again) {
            self.gia = export(self.checker.task, flow, &reached, &self.checker.caveats);
            self.arg = graph_of(self.checker.task, flow, &reached);
        }
        end
    }

    /// Whether an alarm ends the exploration.
    fn judge(&mut self, flow: &Flow<'_>, reached: &mut Reached<State>, alarm: &Alarm, budget: &Budget) -> Option<End> {
        if let Some(mut precision) = self.values.precision.take() {
            let explored = Explored { reached, path: &alarm.path, fresh: self.fresh };
            let followed = explain(&mut self.values, flow, &explored, &mut precision);
            self.values.precision = Some(precision);
            match followed {
                Followed::Refuted(reasons) => return self.refine(reached, alarm, &reasons),
                Followed::Open => {}
            }
        }
        self.checker.check(flow, alarm, budget).map(|violation| End::Violated(Box::new(violation)))
    }

    /// Explores the states again that lack what speaks against the alarm, and what came from them.
    fn refine(&mut self, reached: &mut Reached<State>, alarm: &Alarm, reasons: &Reasons) -> Option<End> {
        if reasons.grew {
            self.fresh = StateId::from_index(reached.entries.len());
        }
        match if reasons.grew { reasons.lacking } else { reasons.lacking_old } {
            Some(step) => {
                self.refinements += 1;
                // From the last state before it that was kept.
                let kept = |at: &usize| matches!(reached.entries[alarm.path[*at].0].state, State::At(_, true));
                let from = (0..=step).rev().find(kept).unwrap_or(0);
                // Behind the step there is a state of the path: the one that lacks something, or one before it.
                reached.remove_subtree(alarm.path[from + 1].0);
                None
            }
            None if reasons.grew => Some(End::Again),
            None => {
                self.checker.add(Caveat::Imprecise("a path that cannot be taken was not ruled out".into()));
                None
            }
        }
    }
}

/// The time for the search with everything known.
fn part(budget: &Budget) -> Budget {
    budget.within(budget.left().map_or(FULL_TIME, |left| left * FULL / 100))
}

fn alarm_at(reached: &Reached<State>, id: StateId) -> Alarm {
    let gap = match &reached.entries[id].state {
        State::At(..) | State::Spent => None,
        State::Gap { what, at } => Some((what.to_string(), *at)),
    };
    Alarm { path: reached.path_to(id), gap }
}

/// Follows the paths of alarms with terms, and asks the solver whether they can be taken.
struct Checker<'a> {
    task: Task<'a>,
    terms: Terms,
    executor: Executor<'a, Formulas>,
    solver: PathSolver,
    caveats: Vec<Caveat>,
    /// Alarms that were not confirmed.
    alarms: Vec<Vec<EdgeId>>,
}

/// Alarms that are told, at most, and steps that one may have.
const ALARMS: usize = 16;
const STEPS: usize = 10_000;

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
        if self.task.exchange.is_some() && self.alarms.len() < ALARMS && alarm.path.len() < STEPS {
            let steps = alarm.path.iter().filter(|(_, step)| !matches!(step.kind, StepKind::Leave(_)));
            self.alarms.push(steps.map(|(_, step)| step.edge).collect());
        }
        let Some(path) = self.follow(flow, &alarm.path) else {
            self.add(Caveat::Imprecise("an alarm that may be false".into()));
            return None;
        };
        match feasible(&mut self.solver, &path.conditions(), budget) {
            Feasible::No => self.add(Caveat::Imprecise("an alarm that may be false".into())),
            Feasible::Unknown(reason) => self.add(Caveat::Solver(reason)),
            Feasible::Yes(model) => match confirm(self.task, &self.terms, &mut self.solver, &path, &model, budget) {
                Ok(violation) => return Some(violation),
                Err(caveat) => self.add(caveat),
            },
        }
        None
    }

    /// What is assumed on the path, and its inputs; nothing if it cannot be taken or is not modelled with terms.
    fn follow(&mut self, flow: &Flow<'_>, steps: &[(StateId, Step)]) -> Option<Path> {
        let mut store = self.executor.start(flow, Path::default()).ok()?;
        for (_, step) in steps {
            match self.executor.step(flow, &mut store, step) {
                Ok(()) => {}
                Err(end) => {
                    let at = self.executor.place();
                    if let Some(what) = end.gap() {
                        self.add(Caveat::Unsupported { what, at });
                    }
                    return None;
                }
            }
        }
        Some(store.path)
    }
}
