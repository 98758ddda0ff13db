//! Budgets go in, stop reasons come out: a time-out or a cancellation is a value, never an error.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that another thread or a signal handler may raise; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn new() -> Cancel {
        Cancel::default()
    }

    pub fn raise(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Acquire)
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
}

impl Budget {
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    pub fn with_time(limit: Duration) -> Budget {
        Budget { deadline: Instant::now().checked_add(limit), ..Budget::default() }
    }

    /// The part of it that ends this soon.
    pub fn within(&self, time: Duration) -> Budget {
        let soon = Instant::now().checked_add(time);
        let deadline = match (self.deadline, soon) {
            (Some(deadline), Some(soon)) => Some(deadline.min(soon)),
            (deadline, soon) => deadline.or(soon),
        };
        Budget { deadline, ..self.clone() }
    }

    /// What is left of the time, if it is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The reason to stop now, if there is one. Looks at the clock: not for the innermost loop.
    pub fn exhausted(&self) -> Option<StopReason> {
        if self.cancel.is_raised() {
            return Some(StopReason::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Some(StopReason::Time),
            _ => None,
        }
    }
}
