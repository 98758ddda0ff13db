//! The watchdog of a solver: interrupts a running check when its budget ends.
//!
//! Z3's own `timeout` parameter starts a timer for every check and cannot see a cancel. One thread per solver that looks
//! every few milliseconds while checks run, and sleeps otherwise, costs a check some hundred nanoseconds.
//! This file never knows terms.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tandem_base::{Budget, StopReason};

use super::ffi::{Interrupter, allocated_bytes};

/// Time between two looks at the budget: far below the 200 ms that a check may overrun.
pub const PERIOD: Duration = Duration::from_millis(5);

/// Looks without a running check after which the thread sleeps until it is woken.
const IDLE_LOOKS: u32 = 20;

pub struct Watchdog {
    shared: Arc<Shared>,
    running: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    watched: Option<(Budget, Interrupter)>,
    fired: Option<StopReason>,
    asleep: bool,
    ended: bool,
}

impl Watchdog {
    pub fn new() -> Watchdog {
        Watchdog { shared: Arc::new(Shared::default()), running: false }
    }

    /// From now on the budget is watched.
    pub fn start(&mut self, budget: &Budget, interrupter: Interrupter) {
        if !self.running {
            let shared = Arc::clone(&self.shared);
            // Without a thread the check runs unwatched only if the system has no thread left to give.
            self.running =
                std::thread::Builder::new().name("solver watch".into()).spawn(move || watch(&shared)).is_ok();
        }
        let mut state = self.shared.state.lock();
        state.watched = Some((budget.clone(), interrupter));
        state.fired = None;
        if state.asleep {
            self.shared.wake.notify_one();
        }
    }

    /// Ends the watch: why the check was interrupted, if it was.
    pub fn stop(&mut self) -> Option<StopReason> {
        let mut state = self.shared.state.lock();
        state.watched = None;
        state.fired.take()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.state.lock().ended = true;
        self.shared.wake.notify_one();
    }
}

/// The reason to stop a check of Z3 now, with the memory of all its sessions taken into account.
pub fn exhausted(budget: &Budget) -> Option<StopReason> {
    // The watching thread has no turn of its own.
    budget.stop_reason().or_else(|| match budget.memory {
        Some(limit) if allocated_bytes() > limit => Some(StopReason::Memory),
        _ => None,
    })
}

fn watch(shared: &Shared) {
    let mut state = shared.state.lock();
    let mut idle = 0;
    while !state.ended {
        let mut until = Instant::now() + PERIOD;
        if let Some((budget, interrupter)) = &state.watched {
            idle = 0;
            let reason = exhausted(budget);
            if reason.is_some() {
                // Again at every look while the check goes on: Z3 forgets an interrupt that comes between two phases.
                interrupter.interrupt();
            } else if let Some(left) = budget.left() {
                until = until.min(Instant::now() + left);
            }
            state.fired = state.fired.or(reason);
        } else {
            idle += 1;
        }
        if idle > IDLE_LOOKS {
            state.asleep = true;
            shared.wake.wait(&mut state);
            state.asleep = false;
            idle = 0;
        } else {
            shared.wake.wait_until(&mut state, until);
        }
    }
}
