//! The board between threads, and how an attempt gives away a part of its range: under the board's lock, so that no verdict is
//! ever about paths that were given away.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tandem_analyses::Share;
use tandem_artifact::range::{Chain, Range, Standing};
use tandem_cpa::Mode;

use super::pieces::{AttemptId, Board};

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

/// An attempt that can be asked for a part of its range.
pub struct Giver<'a> {
    shared: &'a Shared,
    attempt: AttemptId,
    /// The range's automaton, if all paths of the range begin with decisions that some inputs take.
    known: Option<Chain>,
}

impl<'a> Giver<'a> {
    pub fn new(shared: &'a Shared, attempt: AttemptId, range: &Range) -> Giver<'a> {
        // Only what another attempt has given away begins and ends under one beginning.
        let is_under = match (&range.lower, &range.upper) {
            (Some(lower), Some(upper)) => lower.goes_on && upper.goes_on && lower.decisions == upper.decisions,
            _ => false,
        };
        Giver { shared, attempt, known: is_under.then(|| Chain::new(range)) }
    }
}

impl Share for Giver<'_> {
    fn is_wanted(&self) -> bool {
        self.shared.lock().attempts[self.attempt].is_wanted
    }

    fn give(&self, beginnings: Vec<Vec<u32>>) {
        self.shared.lock().give(self.attempt, beginnings);
        self.shared.notify();
    }

    fn is_known(&self, mode: Mode) -> bool {
        self.known.as_ref().is_some_and(|chain| matches!(chain.numbered(mode), Some(Standing::Both(_))))
    }
}
