//! Limits and signals: raises the flag of a budget when the time or the memory is used up or when the user says stop, and
//! ends the process when that is not heard.
//!
//! Knows no command. Memory is what the kernel counts for this process; no system call is needed for it.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tandem_base::{Budget, Cancel, StopReason};

use crate::arguments::Limits;
use crate::farewell::Farewell;

/// How often the limits are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// How often memory is looked at: a gigabyte can be filled in less than a second.
const MEMORY_INTERVAL: Duration = Duration::from_millis(4);
/// How long work may go on after it was told to stop: it has to notice first. With what the system needs to end a large
/// process this stays below a second.
const GRACE: Duration = Duration::from_millis(600);

/// Watches over one command.
#[derive(Clone)]
pub struct Watch {
    pub budget: Budget,
    reason: Arc<OnceLock<StopReason>>,
}

impl Watch {
    pub fn start(limits: Limits, farewell: Farewell) -> Watch {
        let cancel = Cancel::new();
        let deadline = limits.time.and_then(|limit| farewell.start.checked_add(limit));
        let budget = Budget::of_process(deadline, limits.memory, cancel.clone());
        let watch = Watch { budget, reason: Arc::new(OnceLock::new()) };
        let reason = watch.reason.clone();
        // Without a handler the signal ends the process at once, which is all that can be asked for then.
        let _ = ctrlc::set_handler(move || {
            let _ = reason.set(StopReason::Cancelled);
            cancel.raise();
        });
        let watcher = watch.clone();
        let _ = std::thread::Builder::new().name("watch".into()).spawn(move || watcher.look(&farewell));
        watch
    }

    /// Why the flag was raised, if it was: a budget alone cannot tell memory from Ctrl-C.
    pub fn reason(&self) -> Option<StopReason> {
        self.reason.get().copied()
    }

    fn look(&self, farewell: &Farewell) {
        let interval = if self.budget.memory.is_some() { MEMORY_INTERVAL } else { INTERVAL };
        let reason = loop {
            std::thread::sleep(interval);
            if let Some(reason) = self.exceeded() {
                break *self.reason.get_or_init(|| reason);
            }
        };
        // Nobody who works has to look at the clock for this.
        self.budget.cancel.raise();
        let end = Instant::now() + GRACE;
        while Instant::now() < end && !self.is_far_too_large() {
            std::thread::sleep(interval);
        }
        farewell.end(&reason.to_string())
    }

    fn exceeded(&self) -> Option<StopReason> {
        let stopped = self.budget.stop_reason();
        stopped.or_else(|| match self.budget.memory {
            Some(limit) if resident_bytes() > limit => Some(StopReason::Memory),
            _ => None,
        })
    }

    /// Whether the memory goes on growing although the work was told to stop.
    fn is_far_too_large(&self) -> bool {
        self.budget.memory.is_some_and(|limit| resident_bytes() > limit + limit / 20)
    }
}

/// Memory in use, from `/proc`; zero where there is none.
fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_is_measured() {
        assert!(super::resident_bytes() > 100_000);
    }
}
