//! The board between threads, and how an attempt gives away a part of its range: under the board's lock, so that no verdict is
//! ever about paths that were given away.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tandem_analyses::Share;
use tandem_artifact::range::Beginnings;
use tandem_cpa::{Mode, Observer};

use super::observer::{BeginningsObserver, RangeObserver};
use super::pieces::{AttemptId, Board, Part};

/// Whoever has put aside fewer paths may be nearly done, and with a solver that knows them: nothing is taken from it at first.
const MANY: usize = 8;
const FIRST: Duration = Duration::from_secs(1);

pub struct Shared {
    board: Mutex<Board>,
    changed: Condvar,
}

impl Shared {
    pub fn new(board: Board) -> Shared {
        Shared { board: Mutex::new(board), changed: Condvar::new() }
    }

    /// The board. (A thread that has panicked has left it in a state between two changes, each of which is whole.)
    pub fn lock(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn notify(&self) {
        self.changed.notify_all();
    }

    /// Waits until something has changed, or for a while.
    pub fn wait(&self, board: MutexGuard<'_, Board>, time: Duration) {
        let _ = self.changed.wait_timeout(board, time);
    }

    pub fn into_board(self) -> Board {
        self.board.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt that can be asked for a part of its paths.
pub struct Giver<'a> {
    shared: &'a Shared,
    attempt: AttemptId,
    watcher: &'a Watcher,
    /// Until when it gives only of many.
    rich_until: Instant,
}

/// The observer of an attempt.
pub enum Watcher {
    Range(RangeObserver),
    Begins(BeginningsObserver),
}

impl Watcher {
    pub fn of(part: &Part) -> Watcher {
        match part {
            Part::Range(range) => Watcher::Range(RangeObserver::new(range)),
            Part::Begins(all) => Watcher::Begins(BeginningsObserver::new(Beginnings::new(all.clone()))),
        }
    }

    pub fn observer(&self) -> &dyn Observer {
        match self {
            Watcher::Range(observer) => observer,
            Watcher::Begins(observer) => observer,
        }
    }
}

impl<'a> Giver<'a> {
    /// One that begins now; whether it gives of little, too.
    pub fn new(shared: &'a Shared, attempt: AttemptId, watcher: &'a Watcher, at_once: bool) -> Giver<'a> {
        let rich_until = Instant::now() + if at_once { Duration::ZERO } else { FIRST };
        Giver { shared, attempt, watcher, rich_until }
    }
}

impl Share for Giver<'_> {
    fn is_wanted(&self) -> bool {
        self.shared.lock().attempts[self.attempt].is_wanted
    }

    fn least(&self) -> usize {
        if Instant::now() < self.rich_until { MANY } else { 2 }
    }

    fn give(&self, beginnings: Vec<Vec<u32>>) {
        self.shared.lock().give(self.attempt, beginnings);
        self.shared.notify();
    }

    fn may_give(&self, mode: Mode) -> bool {
        match self.watcher {
            Watcher::Range(observer) => observer.is_settled(mode),
            Watcher::Begins(observer) => observer.is_settled(mode),
        }
    }

    fn is_known(&self, mode: Mode) -> bool {
        match self.watcher {
            Watcher::Range(_) => false,
            // What was given away begins with decisions that some inputs take.
            Watcher::Begins(observer) => !observer.is_settled(mode),
        }
    }
}
