//! Plans at work.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tandem_analyses::{Outcome, sift};
use tandem_artifact::convert::error_targets;
use tandem_artifact::gia::Gia;
use tandem_artifact::plan::{Call, Plan, Share};
use tandem_artifact::{Caveat, Verdict};
use tandem_base::{Budget, Cancel, StopReason};

use super::actor::{Cast, Declaration, Delivery, Setting, Troupe};
use super::board::Known;
use super::journal::{Entry, Size};

/// How deep the stacks of actors may get.
pub(super) const STACK: usize = 1 << 29;
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
    let cancel = Cancel::new();
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
        outer: budget,
        budget: Budget { cancel: cancel.clone(), ..budget.clone() },
    };
    let done = Cancel::new();
    std::thread::scope(|scope| {
        // Who tells the plan to stop tells all that are at work.
        scope.spawn(|| {
            let (mut last, mut told) = (Instant::now(), 0);
            while !done.is_raised() && !stage.is_over() {
                std::thread::sleep(NAP);
                if last.elapsed() > TELL {
                    stage.tell_news(&mut told);
                    last = Instant::now();
                }
            }
            // Somebody may not hear that it is over.
            if !done.is_raised() && !stage.state().known.is_decided() {
                stage.tell_news(&mut told);
            }
        });
        let mut troupes: Vec<Box<dyn Troupe<'_>>> = casts.iter().map(|cast| cast.troupe(setting)).collect();
        stage.plan(plan, &mut troupes);
        done.raise();
    });
    let stopped = budget.exhausted();
    let State { mut known, journal } = match stage.state.into_inner() {
        Ok(state) => state,
        Err(poisoned) => poisoned.into_inner(),
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
    let mut caveats: Vec<Caveat> = Vec::new();
    caveats.extend(known.undefined.iter().cloned());
    for caveat in known.caveats.iter().flat_map(|(_, caveats)| caveats) {
        if !caveats.contains(caveat) {
            caveats.push(caveat.clone());
        }
    }
    caveats.sort_by_key(|caveat| match caveat {
        Caveat::Undefined { .. } | Caveat::Unsupported { .. } => 0,
        Caveat::NotReplayed(_) => 1,
        Caveat::Solver(_) => 2,
        Caveat::Imprecise(_) => 3,
        Caveat::Bound(_) => 4,
    });
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
    /// What the user allows.
    outer: &'a Budget,
    /// The same, but it also ends when the answer is there.
    pub(super) budget: Budget,
}

impl<'a> Stage<'a> {
    pub(super) fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        if self.outer.cancel.is_raised() {
            self.budget.cancel.raise();
        }
        self.budget.exhausted().is_some()
    }

    /// Carries out a part of a plan. Whether it brought anything new.
    fn plan(&self, plan: &Plan, troupes: &mut [Box<dyn Troupe<'a> + 'a>]) -> bool {
        if self.is_over() {
            return false;
        }
        match plan {
            Plan::Run(call) => self.run(call, troupes),
            Plan::Sequence(parts) => {
                let mut new = false;
                for part in parts {
                    new |= self.plan(part, troupes);
                }
                new
            }
            Plan::Race(parts) => self.race(parts),
            Plan::Repeat { rounds, body } => {
                let (mut new, mut idle) = (false, 0);
                for _ in 0..*rounds {
                    if self.is_over() || idle == PATIENCE {
                        break;
                    }
                    let brought = self.plan(body, troupes);
                    idle = if brought { 0 } else { idle + 1 };
                    new |= brought;
                }
                new
            }
            Plan::Branch { when, then, otherwise } => {
                let there = self.state().known.has(*when);
                self.plan(if there { then } else { otherwise }, troupes)
            }
            Plan::Split { splitter, ranges, body } => super::split::split(self, splitter, *ranges, body),
        }
    }

    fn race(&self, parts: &[Plan]) -> bool {
        let new = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for part in parts {
                let new = &new;
                let work = move || {
                    let mut troupes: Vec<Box<dyn Troupe<'a> + 'a>> =
                        self.casts.iter().map(|cast| cast.troupe(self.setting)).collect();
                    if self.plan(part, &mut troupes) {
                        new.store(true, std::sync::atomic::Ordering::Release);
                    }
                };
                let builder = std::thread::Builder::new().stack_size(STACK);
                if builder.spawn_scoped(scope, work).is_err() {
                    self.state().journal.push(self.failure(part, "there is no thread for it"));
                }
            }
        });
        new.into_inner()
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
    fn run(&self, call: &Call, troupes: &mut [Box<dyn Troupe<'a> + 'a>]) -> bool {
        while self.start.elapsed() < call.after {
            if self.is_over() {
                return false;
            }
            std::thread::sleep(NAP.min(call.after.saturating_sub(self.start.elapsed())));
        }
        let Some(declared) = self.casts.iter().find_map(|cast| cast.declaration(&call.actor)) else { return false };
        let known = self.state().known.clone();
        let (began, got) = (Instant::now(), Size::of(&known.gia));
        let budget = self.budget_for(call.time, began);
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
            false => super::doubt::checked(self.setting, delivery, &self.budget),
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

    fn budget_for(&self, share: Option<Share>, now: Instant) -> Budget {
        let limit = match (share, self.budget.deadline) {
            (None, _) => None,
            (Some(Share::Fixed(time)), _) => Some(time),
            (Some(Share::Percent(percent)), Some(deadline)) => Some((deadline - now) * percent / 100),
            // A part of no limit is no limit.
            (Some(Share::Percent(_)), None) => None,
        };
        let mine = limit.and_then(|limit| now.checked_add(limit));
        let deadline = match (mine, self.budget.deadline) {
            (Some(mine), Some(all)) => Some(mine.min(all)),
            (mine, all) => mine.or(all),
        };
        Budget { deadline, ..self.budget.clone() }
    }
}

fn failed() -> Delivery {
    Delivery { caveats: vec![Caveat::Imprecise("internal error".into())], note: "failed".into(), ..Delivery::default() }
}
