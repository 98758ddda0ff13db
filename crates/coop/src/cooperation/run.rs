//! Plans at work.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tandem_analyses::{Outcome, sift};
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::Gia;
use tandem_artifact::plan::{Call, MemberCall, Plan, Share};
use tandem_artifact::{Caveat, Verdict};
use tandem_base::{Budget, Pace, StopReason};

use super::actor::{Approximation, Cast, Declaration, Delivery, Setting, Troupe};
use super::board::Known;
use super::journal::{Entry, Size};
use crate::actors::with_open_paths;
use crate::kernel::{Ended, Exchange, Portfolio, ranked, schedule, verify_by_portfolio};

/// Rounds in a row that may bring nothing new: who is stuck on one candidate may have others that look the same.
const PATIENCE: u32 = 8;
/// How long one waits between two looks at whether it is time to begin.
const NAP: Duration = Duration::from_millis(5);
/// How often somebody is told, at most.
const TELL: Duration = Duration::from_secs(1);

/// What came of a plan.
#[derive(Clone, Debug)]
pub struct Performance {
    pub verdict: Verdict,
    pub known: Known,
    pub journal: Vec<Entry>,
    /// Why there is no answer, if there is none.
    pub caveats: Vec<Caveat>,
    /// With a proof: whether it was made sure that no run carries out an undefined operation.
    pub excludes_undefined: bool,
}

/// Who is told from time to time what is known, and what was done.
pub type Tell<'a> = dyn Fn(&Known, &[Entry]) + Sync + 'a;

/// Carries out a plan that was [checked](super::check), beginning with what is given, and tells of what is new on the way. `trust` are actors whose word is taken
/// without a check.
pub fn perform(
    plan: &Plan,
    casts: &[&dyn Cast],
    setting: Setting<'_>,
    trust: &[String],
    given: Option<&Gia>,
    budget: &Budget,
    tell: &Tell<'_>,
) -> Performance {
    let start = Instant::now();
    let mut performance = perform_part(plan, casts, setting, trust, given, budget, tell);
    if performance.verdict == Verdict::True && !performance.known.undefined_looked_for {
        let proof = Outcome::new("plan", None, None, Vec::new());
        let task = setting.task(setting.threads);
        let sifted = sift(task, proof, start.elapsed(), budget);
        performance.excludes_undefined = sifted.in_bounds;
        if sifted.verdict != Verdict::True {
            performance.verdict = sifted.verdict;
            performance.caveats = sifted.caveats;
        }
    }
    performance
}

/// The same for a part of the paths: undefined behaviour is not looked for once more when all of them are settled.
pub(super) fn perform_part(
    plan: &Plan,
    casts: &[&dyn Cast],
    setting: Setting<'_>,
    trust: &[String],
    given: Option<&Gia>,
    budget: &Budget,
    tell: &Tell<'_>,
) -> Performance {
    let targets = error_targets(setting.program, setting.error);
    let stage = Stage {
        casts,
        setting,
        trust,
        start: Instant::now(),
        state: Mutex::new(State {
            known: Known::beginning(setting.subject.clone(), targets, given),
            journal: Vec::new(),
        }),
        tell,
        budget: budget.of_part(),
    };
    let stage = &stage;
    schedule(setting.threads, Pace::Clock, &stage.budget, |session| {
        session.begin("plan", 1, Duration::ZERO, move |budget| {
            let mut troupes: Vec<Box<dyn Troupe<'_>>> = casts.iter().map(|cast| cast.troupe(setting)).collect();
            stage.plan(plan, &mut troupes, budget);
        });
        let (mut last, mut told) = (Instant::now(), 0);
        while session.next_within(NAP).is_none() && !stage.is_over() {
            if last.elapsed() > TELL {
                stage.tell_news(&mut told);
                last = Instant::now();
            }
        }
        // An actor may not hear that it is over.
        if session.running() > 0 && !stage.state().known.is_decided() {
            stage.tell_news(&mut told);
        }
    });
    let stopped = budget.stop_reason();
    let (mut known, journal) = {
        let state = stage.state();
        (state.known.clone(), state.journal.clone())
    };
    if known.violation.is_none() {
        known.complete(setting);
    }
    let caveats = caveats(&known, stopped);
    let excludes_undefined = known.excludes_undefined;
    let verdict = known.verdict().unwrap_or_else(|| {
        Verdict::Unknown(match (stopped, caveats.first()) {
            (Some(reason), _) => reason.to_string(),
            (None, Some(caveat)) => caveat.to_string(),
            (None, None) => "the plan came to its end".into(),
        })
    });
    Performance { verdict, known, journal, caveats, excludes_undefined }
}

/// Why there is no answer: what is not modelled first.
fn caveats(known: &Known, stopped: Option<StopReason>) -> Vec<Caveat> {
    let all = known.caveats.iter().flat_map(|(_, caveats)| caveats);
    let mut caveats = ranked(known.undefined.iter().chain(all).cloned());
    if stopped.is_some() {
        caveats.retain(|caveat| matches!(caveat, Caveat::Undefined { .. } | Caveat::Unsupported { .. }));
    }
    caveats
}

pub(super) struct State {
    pub(super) known: Known,
    pub(super) journal: Vec<Entry>,
}

pub(super) struct Stage<'a> {
    pub(super) casts: &'a [&'a dyn Cast],
    pub(super) setting: Setting<'a>,
    pub(super) trust: &'a [String],
    pub(super) start: Instant,
    state: Mutex<State>,
    tell: &'a Tell<'a>,
    /// What the user allows; it also ends when the answer is there.
    pub(super) budget: Budget,
}

impl<'a> Stage<'a> {
    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.budget.stop_reason().is_some()
    }

    /// Carries out a part of a plan. Whether it brought anything new.
    fn plan(&self, plan: &Plan, troupes: &mut [Box<dyn Troupe<'a> + 'a>], budget: &Budget) -> bool {
        if self.is_over() {
            return false;
        }
        match plan {
            Plan::Run(call) => self.run(call, troupes, budget),
            Plan::Sequence(parts) => {
                let mut new = false;
                for part in parts {
                    new |= self.plan(part, troupes, budget);
                }
                new
            }
            Plan::Race(parts) => self.race(parts, budget),
            Plan::Cooperate(members) => self.cooperate(members, budget),
            Plan::Repeat { rounds, body } => {
                let (mut new, mut idle) = (false, 0);
                for _ in 0..*rounds {
                    if self.is_over() || idle == PATIENCE {
                        break;
                    }
                    let brought = self.plan(body, troupes, budget);
                    idle = if brought { 0 } else { idle + 1 };
                    new |= brought;
                }
                new
            }
            Plan::Branch { when, then, otherwise } => {
                let there = self.state().known.has(*when);
                self.plan(if there { then } else { otherwise }, troupes, budget)
            }
            Plan::Split { splitter, ranges, body } => super::split::split(self, splitter, *ranges, body, budget),
        }
    }

    fn race(&self, parts: &[Plan], budget: &Budget) -> bool {
        schedule(self.setting.threads, Pace::Clock, budget, |session| {
            for part in parts {
                session.begin("race", 1, Duration::ZERO, move |budget| {
                    let mut troupes: Vec<Box<dyn Troupe<'a> + 'a>> =
                        self.casts.iter().map(|cast| cast.troupe(self.setting)).collect();
                    self.plan(part, &mut troupes, budget)
                });
            }
            let mut new = false;
            while session.running() > 0 {
                match session.next_within(TELL) {
                    Some((_, Ended::Result(brought))) => new |= brought,
                    Some((part, Ended::NotStarted)) => {
                        self.state().journal.push(self.failure(&parts[part], "there is no thread for it"));
                    }
                    Some((part, Ended::Panicked)) => {
                        self.state().journal.push(self.failure(&parts[part], "internal error"));
                    }
                    None => {}
                }
            }
            new
        })
    }

    /// Members of a cooperation look at what is not settled yet, and what they come to is put on the board.
    fn cooperate(&self, members: &[MemberCall], budget: &Budget) -> bool {
        let began = Instant::now();
        let known = self.state().known.clone();
        let got = Size::of(&known.gia);
        let portfolio = Portfolio::for_program(members, self.setting.program, Exchange::On);
        let delivery = with_open_paths(self.setting, &known, |task| {
            verify_by_portfolio(&portfolio, task, budget, |found| found.outcome)
        });
        let declared = Declaration {
            name: "cooperation".into(),
            about: String::new(),
            needs: Vec::new(),
            gives: Vec::new(),
            approximates: Approximation::Both,
            trusted: true,
        };
        self.file(self.entry(declared.name.clone(), got, began), &declared, delivery)
    }

    fn failure(&self, part: &Plan, why: &str) -> Entry {
        let actor = part.calls().first().map_or(String::new(), |call| call.actor.clone());
        let mut entry = self.entry(actor, Size::default(), Instant::now());
        entry.refused = Some(why.into());
        entry
    }

    pub(super) fn entry(&self, actor: String, got: Size, began: Instant) -> Entry {
        Entry {
            actor,
            began: began - self.start,
            took: began.elapsed(),
            got,
            gave: None,
            violation: false,
            tests: 0,
            invariants: 0,
            predicates: 0,
            note: String::new(),
            caveats: Vec::new(),
            refused: None,
            new: false,
        }
    }

    /// One actor works.
    fn run(&self, call: &Call, troupes: &mut [Box<dyn Troupe<'a> + 'a>], budget: &Budget) -> bool {
        let wait = || {
            while self.start.elapsed() < call.after && !self.is_over() {
                std::thread::sleep(NAP.min(call.after.saturating_sub(self.start.elapsed())));
            }
        };
        match &budget.turn {
            Some(turn) if !call.after.is_zero() => turn.pause(|| self.is_over(), wait),
            Some(_) | None => wait(),
        }
        if self.is_over() {
            return false;
        }
        let Some(declared) = self.casts.iter().find_map(|cast| cast.declaration(&call.actor)) else { return false };
        let known = self.state().known.clone();
        let (began, got) = (Instant::now(), Size::of(&known.gia));
        let whole = budget;
        let budget = part_of(budget, call.time);
        let actor = troupes.iter_mut().find_map(|troupe| troupe.actor(&call.actor));
        let delivery = match actor {
            Some(actor) => {
                let work = std::panic::AssertUnwindSafe(|| actor.act(self.setting, &known, &budget));
                std::panic::catch_unwind(work).unwrap_or_else(|_| failed())
            }
            None => failed(),
        };
        let took = began.elapsed();
        let delivery = match declared.trusted || self.trust.contains(&call.actor) {
            true => delivery,
            false => super::doubt::checked(self.setting, delivery, whole),
        };
        let mut entry = self.entry(call.actor.clone(), got, began);
        entry.took = took;
        self.file(entry, &declared, delivery)
    }

    /// Puts what was delivered on the board and into the journal.
    pub(super) fn file(&self, mut entry: Entry, declared: &Declaration, delivery: Delivery) -> bool {
        entry.gave = delivery.gia.as_ref().map(Size::of);
        entry.violation = delivery.violation.is_some();
        (entry.tests, entry.invariants) = (delivery.tests.len(), delivery.invariants.len());
        entry.predicates = delivery.precision.len();
        entry.note = delivery.note.clone();
        entry.caveats = delivery.caveats.iter().map(ToString::to_string).collect();
        let mut state = self.state();
        match state.known.add(self.setting, &declared.name, declared.approximates, delivery) {
            Ok(new) => entry.new = new,
            Err(why) => entry.refused = Some(why),
        }
        let new = entry.new;
        state.journal.push(entry);
        if state.known.is_decided() {
            self.budget.cancel.raise();
        }
        new
    }

    /// Tells of what is new, if anything is.
    fn tell_news(&self, told: &mut usize) {
        let (known, journal) = {
            let state = self.state();
            let (before, now) = (std::mem::replace(told, state.journal.len()), state.journal.len());
            if !state.journal[before..now].iter().any(|entry| entry.new) {
                return;
            }
            (state.known.clone(), state.journal.clone())
        };
        (self.tell)(&known, &journal);
    }
}

/// The part of a budget that a call of a plan gets.
fn part_of(budget: &Budget, share: Option<Share>) -> Budget {
    match (share, budget.left()) {
        (Some(Share::Fixed(time)), _) => budget.within(time),
        (Some(Share::Percent(percent)), Some(left)) => budget.within(left * percent / 100),
        // A part of no limit is no limit.
        (Some(Share::Percent(_)), None) | (None, _) => budget.clone(),
    }
}

fn failed() -> Delivery {
    Delivery { caveats: vec![Caveat::Imprecise("internal error".into())], note: "failed".into(), ..Delivery::default() }
}
