//! Z3 as a [`Solver`].
//!
//! Every solver has a context of its own. Assertions are collected and handed over when a check needs them, so that all that
//! Z3 does happens under the eyes of the watchdog (Z3 bit-blasts as early as `push`).
//!
//! How a check is stopped: the watchdog interrupts the context when the time is over, the memory is used up or the cancel is
//! raised. Z3 may take an interrupt late, and a context may remember one, so an interrupted context is never used again:
//! it is given to a thread that deletes it, and the next check starts a new one with the stack replayed. Checks on big
//! formulas run on a thread of their own (with a big stack: Z3 recurses over deep terms) that is left behind
//! if it does not stop soon after the interrupt.

mod engine;
mod ffi;
mod floats;
mod model;
mod translate;
mod watch;

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use tandem_base::{Budget, StopReason};

use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver, UnknownReason};
use crate::value::Model;
use engine::{Engine, Plan};
use ffi::{Kind, Verdict};
use translate::Failure;
use watch::Watchdog;

/// Gates from which on a check runs on its own thread. Z3 handles a million in some tenths of a second.
const HEAVY: u64 = 1_000_000;
/// Nesting from which on a check runs on its own thread, which has the bigger stack.
const DEEP: u32 = 2_000;
const BIG_STACK: usize = 512 << 20;
/// How long an interrupted check may go on before it is left behind.
const GRACE: Duration = Duration::from_millis(60);

/// How a [`Z3Solver`] uses Z3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Z3Mode {
    /// Pushes, pops and checks one incremental solver: for many checks that share most of their assertions.
    Incremental,
    /// A new solver for each check, with the tactic that Z3 finds fit: for few, hard checks.
    Fresh,
}

pub struct Z3Solver {
    terms: Terms,
    mode: Z3Mode,
    /// The assertions, by level; there is always level 0.
    stack: Vec<Vec<Term>>,
    engine: Option<Engine>,
    watchdog: Watchdog,
    last: Last,
    /// Whether the stack is no more that of the last check.
    changed: bool,
}

/// What the last check left behind for `model` and `core`.
enum Last {
    Nothing,
    Sat {
        assumptions: Vec<Term>,
    },
    /// The model is already known.
    Model(Box<Model>),
    Unsat {
        assumptions: Vec<Term>,
        plan: Plan,
        budget: Budget,
        took: Duration,
    },
}

impl Z3Solver {
    pub fn new(terms: &Terms, mode: Z3Mode) -> Z3Solver {
        Z3Solver {
            terms: terms.clone(),
            mode,
            stack: vec![Vec::new()],
            engine: None,
            watchdog: Watchdog::new(),
            last: Last::Nothing,
            changed: false,
        }
    }

    /// The version of the Z3 library in use.
    pub fn version() -> String {
        ffi::Session::version()
    }

    fn kind(&self) -> Kind {
        match self.mode {
            Z3Mode::Incremental => Kind::Incremental,
            Z3Mode::Fresh => Kind::Tactics,
        }
    }

    fn check_in(&mut self, mut engine: Engine, assumptions: &[Term], budget: &Budget) -> Answer {
        let start = Instant::now();
        let planned = match self.mode {
            Z3Mode::Incremental => engine.plan(&self.terms, &self.stack, assumptions, budget),
            Z3Mode::Fresh => engine.plan_fresh(&self.terms, &self.stack, assumptions, budget),
        };
        let plan = match planned {
            Ok(plan) => plan,
            Err(Failure::Stopped(reason)) => {
                self.engine = Some(engine);
                return Answer::Unknown(UnknownReason::Stopped(reason));
            }
            Err(Failure::Refused(error)) => return incomplete(error.0),
        };
        let (engine, plan, outcome) = self.run(engine, plan, budget);
        self.engine = engine;
        match outcome {
            Ok(Verdict::Sat) => self.after_sat(assumptions),
            Ok(Verdict::Unsat) => {
                let (assumptions, budget) = (assumptions.to_vec(), budget.clone());
                self.last = Last::Unsat { assumptions, plan, budget, took: start.elapsed() };
                Answer::Unsat
            }
            Ok(Verdict::Unknown(reason)) => incomplete(reason),
            Err(reason) => {
                // Whatever happened, the session may not be where its levels say.
                self.give_up_engine();
                Answer::Unknown(reason)
            }
        }
    }

    fn after_sat(&mut self, assumptions: &[Term]) -> Answer {
        self.last = Last::Sat { assumptions: assumptions.to_vec() };
        let is_doubtful = self.engine.as_ref().is_some_and(|engine| engine.translation.is_doubtful);
        if !is_doubtful {
            return Answer::Sat;
        }
        // Z3's reasoning about floats has had errors in every version, and so has that about constant arrays; models are cheap to check.
        let model = self.extract_model();
        if self.satisfied(assumptions, &model) {
            self.last = Last::Model(Box::new(model));
            return Answer::Sat;
        }
        self.last = Last::Nothing;
        incomplete("the model of Z3 does not satisfy the query".into())
    }

    /// Runs a plan under the budget. The engine does not come back from a run that was stopped.
    fn run(
        &mut self,
        mut engine: Engine,
        plan: Plan,
        budget: &Budget,
    ) -> (Option<Engine>, Plan, Result<Verdict, UnknownReason>) {
        let kind = self.kind();
        if engine.translation.weight > HEAVY || engine.translation.depth > DEEP {
            return run_apart(engine, plan, kind, budget);
        }
        self.watchdog.start(budget, engine.session.interrupter());
        let outcome = engine.run(&plan, kind);
        let stopped = self.watchdog.stop();
        finish(engine, plan, outcome, stopped)
    }

    fn give_up_engine(&mut self) {
        if let Some(engine) = self.engine.take() {
            delete_apart(engine);
        }
    }

    fn extract_model(&mut self) -> Model {
        let Some(engine) = &mut self.engine else { return Model::default() };
        model::extract(&self.terms, engine).unwrap_or_default()
    }

    fn satisfied(&self, assumptions: &[Term], model: &Model) -> bool {
        self.stack.iter().flatten().chain(assumptions).all(|&term| self.terms.holds(term, model))
    }

    /// In tactics mode there are no assumptions to ask for a core: a second, incremental check finds it if it can
    /// be had for about the time of the first.
    fn core_by_recheck(&mut self, assumptions: &[Term], budget: &Budget, took: Duration) -> Option<Vec<Term>> {
        let mut second = Z3Solver::new(&self.terms, Z3Mode::Incremental);
        second.stack = self.stack.clone();
        match second.check(assumptions, &budget.within(took + Duration::from_millis(100))) {
            Answer::Unsat => Some(second.core()),
            Answer::Sat | Answer::Unknown(_) => None,
        }
    }
}

impl Solver for Z3Solver {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn name(&self) -> &str {
        match self.mode {
            Z3Mode::Incremental => "z3",
            Z3Mode::Fresh => "z3-fresh",
        }
    }

    fn push(&mut self) {
        self.changed = true;
        self.stack.push(Vec::new());
    }

    fn pop(&mut self, levels: usize) {
        self.changed = true;
        let rest = self.stack.len().saturating_sub(levels).max(1);
        self.stack.truncate(rest);
    }

    fn assert(&mut self, term: Term) {
        self.changed = true;
        if let Some(level) = self.stack.last_mut() {
            level.push(term);
        }
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.last = Last::Nothing;
        self.changed = false;
        if let Some(reason) = watch::exhausted(budget) {
            return Answer::Unknown(UnknownReason::Stopped(reason));
        }
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => match Engine::new(self.kind()) {
                Ok(engine) => engine,
                Err(error) => return incomplete(error.0),
            },
        };
        self.check_in(engine, assumptions, budget)
    }

    fn model(&mut self) -> Model {
        match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Model(model) => {
                let copy = (*model).clone();
                self.last = Last::Model(model);
                copy
            }
            Last::Sat { assumptions } => {
                let model = self.extract_model();
                debug_assert!(
                    self.changed || self.satisfied(&assumptions, &model),
                    "a model of Z3 does not satisfy the query"
                );
                self.last = Last::Model(Box::new(model.clone()));
                model
            }
            Last::Nothing | Last::Unsat { .. } => Model::default(),
        }
    }

    fn core(&mut self) -> Vec<Term> {
        let Last::Unsat { assumptions, plan, budget, took } = &self.last else { return Vec::new() };
        if assumptions.len() <= 1 {
            return assumptions.clone();
        }
        let (assumptions, budget, took) = (assumptions.clone(), budget.clone(), *took);
        let core = match (self.mode, &mut self.engine) {
            (Z3Mode::Incremental, Some(engine)) => engine.core(plan, &assumptions).ok(),
            (Z3Mode::Incremental, None) => None,
            (Z3Mode::Fresh, _) => self.core_by_recheck(&assumptions, &budget, took),
        };
        core.unwrap_or(assumptions)
    }
}

fn incomplete(reason: String) -> Answer {
    Answer::Unknown(UnknownReason::Incomplete(reason))
}

/// What a run that came to its end means.
fn finish(
    engine: Engine,
    plan: Plan,
    outcome: ffi::Result<Verdict>,
    stopped: Option<StopReason>,
) -> (Option<Engine>, Plan, Result<Verdict, UnknownReason>) {
    if let Some(reason) = stopped {
        delete_apart(engine);
        // An answer that was there before the interrupt could be used, but its model may be asked for too late.
        return (None, plan, Err(UnknownReason::Stopped(reason)));
    }
    match outcome {
        Ok(verdict) => (Some(engine), plan, Ok(verdict)),
        Err(error) => (Some(engine), plan, Err(UnknownReason::Incomplete(error.0))),
    }
}

/// Runs a plan on a thread that can be left behind.
fn run_apart(
    mut engine: Engine,
    plan: Plan,
    kind: Kind,
    budget: &Budget,
) -> (Option<Engine>, Plan, Result<Verdict, UnknownReason>) {
    let interrupter = engine.session.interrupter();
    let (send, receive) = mpsc::sync_channel(1);
    let run = move || {
        let outcome = engine.run(&plan, kind);
        // Nobody listens any more if the check took too long after its interrupt; then the engine ends here.
        let _ = send.send((engine, plan, outcome));
    };
    if std::thread::Builder::new().name("solver".into()).stack_size(BIG_STACK).spawn(run).is_err() {
        let reason = UnknownReason::Incomplete("no thread for the solver".into());
        return (None, Plan::default(), Err(reason));
    }
    let mut stopped: Option<(StopReason, Instant)> = None;
    loop {
        match receive.recv_timeout(watch::PERIOD) {
            Ok((engine, plan, outcome)) => return finish(engine, plan, outcome, stopped.map(|(reason, _)| reason)),
            Err(RecvTimeoutError::Disconnected) => {
                let reason = UnknownReason::Incomplete("the solver's thread ended".into());
                return (None, Plan::default(), Err(reason));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stopped.is_none() {
            stopped = watch::exhausted(budget).map(|reason| (reason, Instant::now()));
        }
        if let Some((reason, since)) = stopped {
            interrupter.interrupt();
            if since.elapsed() > GRACE {
                return (None, Plan::default(), Err(UnknownReason::Stopped(reason)));
            }
        }
    }
}

/// Deletes an engine on a thread of its own: a big context takes long to take apart.
fn delete_apart(engine: Engine) {
    // If there is no thread to be had, the closure and with it the engine is dropped here.
    let _ = std::thread::Builder::new().name("solver end".into()).spawn(move || drop(engine));
}
