//! Budgets go in, stop reasons come out: a time-out or a cancellation is a value, never an error.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::turns::Turn;

/// A flag that another thread or a signal handler may raise; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// The flag of the whole computation that this one is a part of.
    of_whole: Option<Arc<Cancel>>,
}

impl Cancel {
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// A flag for a part of the computation: it counts as raised when the flag of the whole is.
    pub fn of_part(&self) -> Cancel {
        Cancel { flag: Arc::default(), of_whole: Some(Arc::new(self.clone())) }
    }

    pub fn raise(&self) {
        self.flag.store(true, Ordering::Release);
    }

    pub fn is_raised(&self) -> bool {
        let mut cancel = self;
        loop {
            if cancel.flag.load(Ordering::Acquire) {
                return true;
            }
            match &cancel.of_whole {
                Some(whole) => cancel = whole,
                None => return false,
            }
        }
    }
}

/// Why a computation stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum StopReason {
    Time,
    Memory,
    Cancelled,
    /// A bound on the number of steps, tests or refinements.
    Steps,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Time => "time limit",
            StopReason::Memory => "memory limit",
            StopReason::Cancelled => "cancelled",
            StopReason::Steps => "step limit",
        })
    }
}

/// What a computation may use. Cheap to clone; clones share the cancellation flag.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    pub deadline: Option<Instant>,
    /// Bytes of memory, for those who can measure their own.
    pub memory: Option<u64>,
    pub cancel: Cancel,
    /// Set if the computation takes turns with others.
    pub turn: Option<Turn>,
    /// Where the work of the computation itself ends, on the clock of its turn: what it waits for others does not count.
    pub work_deadline: Option<Duration>,
}

impl Budget {
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    pub fn with_time(limit: Duration) -> Budget {
        Budget { deadline: Instant::now().checked_add(limit), ..Budget::default() }
    }

    /// What the whole process may use.
    pub fn of_process(deadline: Option<Instant>, memory: Option<u64>, cancel: Cancel) -> Budget {
        Budget { deadline, memory, cancel, ..Budget::default() }
    }

    /// The part of it that ends this soon. Where computations take turns, only the time of its own work counts.
    pub fn within(&self, time: Duration) -> Budget {
        if let Some(turn) = &self.turn {
            let soon = turn.worked().saturating_add(time);
            let work_deadline = Some(self.work_deadline.map_or(soon, |deadline| deadline.min(soon)));
            return Budget { work_deadline, ..self.clone() };
        }
        let soon = Instant::now().checked_add(time);
        let deadline = match (self.deadline, soon) {
            (Some(deadline), Some(soon)) => Some(deadline.min(soon)),
            (deadline, soon) => deadline.or(soon),
        };
        Budget { deadline, ..self.clone() }
    }

    /// The same budget, but this much longer if its time is limited.
    pub fn longer(&self, time: Duration) -> Budget {
        let deadline = self.deadline.and_then(|deadline| deadline.checked_add(time));
        Budget { deadline, work_deadline: self.work_deadline.map(|deadline| deadline + time), ..self.clone() }
    }

    /// What is left of the time, if it is limited.
    pub fn left(&self) -> Option<Duration> {
        let on_clock = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let of_work = self.turn.as_ref().zip(self.work_deadline);
        let of_work = of_work.map(|(turn, deadline)| deadline.saturating_sub(turn.worked()));
        on_clock.into_iter().chain(of_work).min()
    }

    /// The same budget for a computation that takes these turns. Limits on the work of another turn are not its own.
    pub fn with_turn(&self, turn: Turn) -> Budget {
        Budget { turn: Some(turn), work_deadline: None, ..self.clone() }
    }

    /// The same budget for a part of the computation that can be cancelled by itself.
    pub fn of_part(&self) -> Budget {
        Budget { cancel: self.cancel.of_part(), ..self.clone() }
    }

    /// A safe point of the computation: waits while it is the turn of others. Then the reason to stop now, if there is one. Looks at the clock: not
    /// for the innermost loop, not for a thread that only watches, and not while a lock is held that others need.
    pub fn exhausted(&self) -> Option<StopReason> {
        if let Some(turn) = &self.turn {
            turn.pass(|| self.stop_reason().is_some());
        }
        self.stop_reason()
    }

    /// The reason to stop now, if there is one; never waits.
    pub fn stop_reason(&self) -> Option<StopReason> {
        if self.cancel.is_raised() {
            return Some(StopReason::Cancelled);
        }
        match self.left() {
            Some(Duration::ZERO) => Some(StopReason::Time),
            _ => None,
        }
    }
}
