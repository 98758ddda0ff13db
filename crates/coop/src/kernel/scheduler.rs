//! The scheduler: the one place where members of a cooperation are started as threads, take turns, are cancelled, and where a panic of one
//! is kept from the others. It knows nothing of what members compute.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

use tandem_base::{Budget, Pace, Turns};

/// How deep the stacks of members may get: analyses recurse over deeply nested programs.
const STACK_BYTES: usize = 1 << 29;

/// How a member ended.
#[derive(Debug)]
pub enum Ended<R> {
    Result(R),
    /// There was a bug in it.
    Panicked,
    /// The system gave no thread for it.
    NotStarted,
}

impl<R> Ended<R> {
    /// The result, or what stands for it after a bug.
    pub fn or_else(self, failed: impl FnOnce() -> R) -> R {
        match self {
            Ended::Result(result) => result,
            Ended::Panicked | Ended::NotStarted => failed(),
        }
    }
}

/// The members of one cooperation at work.
pub struct Session<'scope, 'env, R> {
    scope: &'scope Scope<'scope, 'env>,
    turns: Arc<Turns>,
    /// What the members may use. It can be cancelled without the budget of the whole.
    budget: Budget,
    sender: Sender<(usize, Ended<R>)>,
    receiver: Receiver<(usize, Ended<R>)>,
    begun: usize,
    running: usize,
}

/// Lets `lead` start members and listen to them. At most `threads` of them compute at once. When `lead` returns, what still runs is cancelled and waited
/// for; so whatever must not wait for a member that does not hear is done by `lead`.
///
/// Inside of a member of another session, the members of both share the same places.
pub fn schedule<'env, R: Send + 'env, C>(
    threads: usize,
    pace: Pace,
    budget: &Budget,
    lead: impl for<'scope> FnOnce(&mut Session<'scope, 'env, R>) -> C,
) -> C {
    let turns = match &budget.turn {
        Some(turn) => turn.turns().clone(),
        None => Turns::new(threads, pace),
    };
    let inner = budget.of_part();
    let work = || {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let mut session = Session { scope, turns, budget: inner.clone(), sender, receiver, begun: 0, running: 0 };
            let result = lead(&mut session);
            session.stop();
            result
        })
    };
    // A member that leads others computes nothing while they work.
    match &budget.turn {
        Some(turn) => turn.pause(|| budget.stop_reason().is_some(), work),
        None => work(),
    }
}

impl<'scope, R: Send + 'scope> Session<'scope, '_, R> {
    /// Starts a member, which gets its turns by its share, the first of them after the others have worked for `after` (or when a thread is free). The
    /// number of the member, by which its end is told.
    pub fn begin(
        &mut self,
        name: &str,
        share: u32,
        after: Duration,
        work: impl FnOnce(&Budget) -> R + Send + 'scope,
    ) -> usize {
        let number = self.begun;
        let turn = self.turns.join(share, after);
        let budget = self.budget.with_turn(turn.clone());
        let (sender, place) = (self.sender.clone(), turn.clone());
        let guarded = move || {
            turn.begin(|| budget.stop_reason().is_some());
            let result = catch_unwind(AssertUnwindSafe(|| work(&budget)));
            turn.end();
            // If nothing listens any more, the result is not needed.
            let _ = sender.send((number, result.map_or(Ended::Panicked, Ended::Result)));
        };
        self.begun += 1;
        self.running += 1;
        let builder = Builder::new().name(name.to_string()).stack_size(STACK_BYTES);
        if builder.spawn_scoped(self.scope, guarded).is_err() {
            place.end();
            let _ = self.sender.send((number, Ended::NotStarted));
        }
        number
    }

    /// The next member that has come to its end, if one does within this time. Nothing at once if none is running.
    pub fn next_within(&mut self, time: Duration) -> Option<(usize, Ended<R>)> {
        if self.running == 0 {
            return None;
        }
        match self.receiver.recv_timeout(time) {
            Ok(ended) => {
                self.running -= 1;
                Some(ended)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Members that have not come to their end.
    pub fn running(&self) -> usize {
        self.running
    }

    /// What the members may use.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Tells all members to stop.
    pub fn stop(&self) {
        self.budget.cancel.raise();
        self.turns.wake();
    }

    /// The most members that have computed at once.
    pub fn most_at_work(&self) -> usize {
        self.turns.most_working()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_panic_of_one_member_takes_nothing_from_the_others() {
        let ended = schedule(1, Pace::Clock, &Budget::unlimited(), |session| {
            session.begin("bad", 1, Duration::ZERO, |_| panic!("a bug"));
            session.begin("good", 1, Duration::ZERO, |_| 7);
            let mut ended = Vec::new();
            while let Some((number, end)) = session.next_within(LONG) {
                ended.push((number, end.or_else(|| 0)));
            }
            ended.sort_unstable();
            ended
        });
        assert_eq!(ended, [(0, 0), (1, 7)]);
    }

    #[test]
    fn the_lead_does_not_wait_for_a_member_that_never_hears() {
        let deaf = AtomicBool::new(true);
        let start = Instant::now();
        let told = schedule(2, Pace::Clock, &Budget::unlimited(), |session| {
            session.begin("deaf", 1, Duration::ZERO, |_| {
                while deaf.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                0
            });
            session.begin("quick", 1, Duration::ZERO, |_| 7);
            let first = session.next_within(LONG).map(|(number, end)| (number, end.or_else(|| 0)));
            let soon = start.elapsed();
            deaf.store(false, Ordering::Relaxed);
            (first, soon)
        });
        assert_eq!(told.0, Some((1, 7)));
        assert!(told.1 < LONG / 4);
    }

    #[test]
    fn a_member_that_never_ends_does_not_starve_the_next_on_one_thread() {
        let answer = schedule(1, Pace::SafePoints, &Budget::unlimited(), |session| {
            session.begin("endless", 1, Duration::ZERO, |budget| {
                while budget.exhausted().is_none() {}
                0
            });
            session.begin("other", 1, Duration::ZERO, |_| 7);
            let first = session.next_within(LONG).map(|(_, end)| end.or_else(|| 0));
            (first, session.most_at_work())
        });
        assert_eq!(answer, (Some(7), 1));
    }

    #[test]
    fn members_of_members_share_the_places() {
        let sum = schedule(1, Pace::Clock, &Budget::unlimited(), |session| {
            session.begin("outer", 1, Duration::ZERO, |budget| {
                schedule(8, Pace::Clock, budget, |inner| {
                    for number in 1..4 {
                        inner.begin("inner", 1, Duration::ZERO, move |_| number);
                    }
                    let mut sum = 0;
                    while let Some((_, end)) = inner.next_within(LONG) {
                        sum += end.or_else(|| 0);
                    }
                    (sum, inner.most_at_work())
                })
            });
            session.next_within(LONG).map(|(_, end)| end.or_else(|| (0, 0)))
        });
        assert_eq!(sum, Some((6, 1)));
    }

    #[test]
    fn the_budget_of_the_whole_ends_all_members() {
        let budget = Budget::with_time(Duration::from_millis(100));
        let start = Instant::now();
        let reasons = schedule(1, Pace::Clock, &budget, |session| {
            for _ in 0..3 {
                session.begin("endless", 1, Duration::ZERO, |budget| {
                    loop {
                        if let Some(reason) = budget.exhausted() {
                            return reason.to_string();
                        }
                    }
                });
            }
            let mut reasons = Vec::new();
            while let Some((_, end)) = session.next_within(LONG) {
                reasons.push(end.or_else(String::new));
            }
            reasons
        });
        assert_eq!(reasons, ["time limit"; 3]);
        assert!(start.elapsed() < LONG / 4);
    }
}
