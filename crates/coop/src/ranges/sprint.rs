//! A race on all paths while they are split: what is easy for one of the analyses needs no ranges, and neither does what cannot be split.

use std::time::{Duration, Instant};

use tandem_analyses::{Outcome, Task, is_shareable, verify};
use tandem_artifact::range::Range;
use tandem_artifact::{Caveat, Invariant, Verdict};
use tandem_base::{Budget, Cancel, Pace};

use super::run::{Plan, RangedOutcome, verify_ranges};
use crate::kernel::{Ended, Session, schedule};

/// How long the race takes at least; the same if all analyses can hand over paths in mid-run; and how long it has the processors for itself if the
/// analyses need all of them.
const TIME: Duration = Duration::from_millis(1200);
const SHARED: Duration = Duration::from_millis(150);
const ALONE: Duration = Duration::from_millis(300);
/// The part of the time that is left, if that is less.
const PART: u32 = 6;
/// Between two looks at the clock.
const PAUSE: Duration = Duration::from_millis(5);

/// What came of the race.
#[derive(Default)]
pub struct Sprint {
    /// The outcome of the first analysis that decides, if one does.
    pub decided: Option<Outcome>,
    /// What the others have tracked: of use for those who begin anew.
    pub tracked: Vec<Invariant>,
    /// A run whose behaviour C does not define, if somebody has met one: then nothing is called proved.
    pub undefined: Option<Caveat>,
    /// What the paths were split into; nothing if nobody waited for it.
    pub ranges: Vec<Range>,
    /// What came of the ranges, if they were worked on besides.
    pub ranged: Option<RangedOutcome>,
}

/// What a member of the race came to.
enum RaceResult {
    /// Nothing if there is no such analysis.
    Outcome(Option<Box<Outcome>>),
    Ranges(Vec<Range>),
    Ranged(Box<RangedOutcome>),
}

/// Lets each of the analyses work on the whole program, side by side, while the paths are split. The race is over when they are, and a moment has
/// passed; it goes on if there is but one range. If the analyses leave some threads idle, these work on the ranges, and the race goes on: who begins
/// anew with a part is not always sooner done than who goes on with the whole.
///
/// What comes of it goes to `then`, which does not wait until those who have lost have noticed; this function does, before it returns.
pub fn sprint<R>(
    task: Task<'_>,
    analyses: &[&str],
    budget: &Budget,
    split: impl FnOnce(&Budget) -> Vec<Range> + Send,
    then: impl FnOnce(Sprint) -> R,
) -> R {
    let mut names: Vec<&str> = Vec::new();
    for name in analyses {
        if !names.contains(name) {
            names.push(name);
        }
    }
    names.truncate(task.threads.max(1));
    let start = Instant::now();
    let left = budget.deadline.map(|end| end.saturating_duration_since(start) / PART);
    let soon = |time: Duration| left.map_or(time, |left| left.min(time));
    let is_shared = names.iter().all(|name| is_shareable(name));
    let least = soon(if is_shared { SHARED } else { TIME });
    let idle = if is_shared { 0 } else { task.threads.saturating_sub(names.len()) };
    let alone = if names.len() < task.threads { Duration::ZERO } else { soon(ALONE).min(least) };
    let task = Task { threads: 1, exchange: None, ..task };
    let threads = names.len().max(1) + idle;
    let names = &names;
    schedule(threads, Pace::Clock, budget, |session| {
        let (race, cut) = (session.budget().cancel.of_part(), session.budget().cancel.of_part());
        for name in names {
            let cancel = race.clone();
            session.begin(name, 1, Duration::ZERO, move |budget| {
                let budget = Budget { cancel, ..budget.clone() };
                RaceResult::Outcome(verify(name, task, &budget).map(Box::new))
            });
        }
        let running = names.len();
        let mut referee =
            Referee { task, names, idle, start, least, running, race, cut, besides: false, sprint: Sprint::default() };
        // Those who are done soon need no ranges, and nobody to look for them.
        if referee.watch(session, budget, Some(start + alone)) {
            let cancel = referee.cut.clone();
            session.begin("split", 1, Duration::ZERO, move |budget| {
                RaceResult::Ranges(split(&Budget { cancel, ..budget.clone() }))
            });
        }
        referee.watch(session, budget, None);
        if let Some(outcome) = &mut referee.sprint.decided {
            outcome.analysis = analyses.join(",");
        }
        then(referee.sprint)
    })
}

struct Referee<'a> {
    task: Task<'a>,
    names: &'a [&'a str],
    /// Threads that the analyses leave free.
    idle: usize,
    start: Instant,
    least: Duration,
    /// Analyses that have not come to an end.
    running: usize,
    /// What ends the race, and what ends the split.
    race: Cancel,
    cut: Cancel,
    /// Whether the ranges are worked on besides.
    besides: bool,
    sprint: Sprint,
}

impl<'a> Referee<'a> {
    /// Until it is decided, everybody has come to an end, or until then; whether the race is still open.
    fn watch<'scope>(
        &mut self,
        session: &mut Session<'scope, '_, RaceResult>,
        budget: &Budget,
        until: Option<Instant>,
    ) -> bool
    where
        'a: 'scope,
    {
        loop {
            let is_over = budget.stop_reason().is_some() || self.is_decided();
            let is_split = self.sprint.ranges.len() > 1 && !self.besides;
            if is_over || is_split && self.start.elapsed() >= self.least {
                self.race.raise();
            }
            if is_over {
                self.cut.raise();
            }
            let pause = until.map_or(PAUSE, |until| until.saturating_duration_since(Instant::now()).min(PAUSE));
            if self.is_decided() || until.is_some() && (is_over || pause.is_zero() || self.running == 0) {
                return !is_over;
            }
            if session.running() == 0 {
                return false;
            }
            match session.next_within(pause).map(|(_, ended)| ended) {
                Some(Ended::Result(RaceResult::Outcome(outcome))) => {
                    self.running -= 1;
                    outcome.into_iter().for_each(|outcome| self.hear(*outcome));
                }
                Some(Ended::Result(RaceResult::Ranges(ranges))) => self.begin_besides(session, ranges),
                Some(Ended::Result(RaceResult::Ranged(ranged))) => {
                    self.sprint.ranged = Some(*ranged).filter(|ranged| self.may_say(&ranged.outcome))
                }
                // A bug in one analysis takes nothing away from the others.
                Some(Ended::Panicked | Ended::NotStarted) => self.running = self.running.saturating_sub(1),
                None => {}
            }
        }
    }

    /// The paths are split. If some threads are free, these work on the ranges, and the race goes on.
    fn begin_besides<'scope>(&mut self, session: &mut Session<'scope, '_, RaceResult>, ranges: Vec<Range>)
    where
        'a: 'scope,
    {
        self.sprint.ranges.clone_from(&ranges);
        self.besides = self.idle > 0 && ranges.len() > 1;
        if self.besides {
            let (task, cancel) = (self.task, self.cut.clone());
            let (analyses, threads) = (self.names.to_vec(), self.idle);
            session.begin("ranges", self.idle as u32, Duration::ZERO, move |budget| {
                let (tracked, undefined) = Default::default();
                let plan = Plan { analyses, ranges, steal: true, threads, tracked, undefined, nudge: None };
                let budget = Budget { cancel, ..budget.clone() };
                RaceResult::Ranged(Box::new(verify_ranges(task, &plan, &budget)))
            });
        }
    }

    fn is_decided(&self) -> bool {
        let ranged = self.sprint.ranged.as_ref().map(|ranged| &ranged.outcome.verdict);
        self.sprint.decided.is_some() || matches!(ranged, Some(Verdict::True | Verdict::False))
    }

    fn may_say(&self, outcome: &Outcome) -> bool {
        outcome.verdict != Verdict::True || self.sprint.undefined.is_none()
    }

    fn hear(&mut self, outcome: Outcome) {
        let undefined = outcome.caveats.iter().find(|caveat| matches!(caveat, Caveat::Undefined { .. }));
        self.sprint.undefined = self.sprint.undefined.take().or_else(|| undefined.cloned());
        self.sprint.tracked.extend(outcome.precision.iter().cloned());
        let is_decided = !matches!(outcome.verdict, Verdict::Unknown(_)) && self.may_say(&outcome);
        if is_decided && self.sprint.decided.is_none() {
            self.sprint.decided = Some(outcome);
        }
    }
}
