//! The under-approximating side: runs the program, and knows nothing of proofs.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tandem_analyses::Task;
use tandem_analyses::concolic::{Tester, Told};
use tandem_base::Budget;
use tandem_cfa::exec::Coverage;

use super::board::{Accepted, Board};

/// A helper leaves the way that looks best so many times in ten: that one is the other tester's.
const ASTRAY: usize = 5;
/// Inputs of others are tried for this part of the time.
const LEARN: u32 = 4;

pub fn lock<'b, 'a>(board: &'b Mutex<Board<'a>>) -> MutexGuard<'b, Board<'a>> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tester with what it knows of the board.
pub struct Testing<'a> {
    pub tester: Tester<'a>,
    wanted: Coverage,
    version: u64,
    /// Whether what it has done is what the board shows.
    counts: bool,
    /// How many tests of the board were taken as a start for more.
    shared: usize,
}

impl<'a> Testing<'a> {
    pub fn new(task: Task<'a>, seed: u64) -> Testing<'a> {
        let wanted = Coverage::new(task.program.edges.len());
        Testing { tester: Tester::new(task, seed), wanted, version: 0, counts: true, shared: 0 }
    }

    /// One that works besides another, which is the one the board shows.
    pub fn helper(task: Task<'a>, seed: u64) -> Testing<'a> {
        let mut helper = Testing { counts: false, ..Testing::new(task, seed) };
        helper.tester.astray = ASTRAY;
        helper
    }

    /// Takes what others have found since the last time as a start for more.
    pub fn share(&mut self, board: &Mutex<Board<'a>>, end: Instant, budget: &Budget) {
        let tests: Vec<Told> = {
            let board = lock(board);
            board.tests[self.shared..].iter().map(Accepted::told).collect()
        };
        for told in tests {
            if Instant::now() >= end || budget.exhausted().is_some() || !self.look(board) {
                return;
            }
            self.shared += 1;
            if let Some(test) = self.tester.learn(&self.wanted, &told, budget) {
                lock(board).accept(test, "tester");
            }
        }
    }

    /// Tries inputs that somebody else has found, for a part of the time.
    pub fn learn(&mut self, board: &Mutex<Board<'a>>, inputs: &[Told], budget: &Budget) {
        let start = Instant::now();
        let end = budget.deadline.map(|deadline| start + deadline.saturating_duration_since(start) / LEARN);
        for told in inputs {
            let is_late = end.is_some_and(|end| Instant::now() >= end);
            if is_late || !self.look(board) || budget.exhausted().is_some() {
                return;
            }
            if let Some(test) = self.tester.learn(&self.wanted, told, budget) {
                lock(board).accept(test, "given");
            }
        }
    }

    /// Tries so many inputs, or fewer if everything is decided before; false if more would be in vain.
    pub fn batch(&mut self, board: &Mutex<Board<'a>>, inputs: usize, budget: &Budget) -> bool {
        for _ in 0..inputs {
            if !self.look(board) || budget.exhausted().is_some() || self.tester.is_done() {
                return false;
            }
            if let Some(test) = self.tester.work(&self.wanted, budget) {
                lock(board).accept(test, "tester");
            }
        }
        true
    }

    /// Tries inputs until then; false if more would be in vain.
    pub fn until(&mut self, board: &Mutex<Board<'a>>, end: Instant, budget: &Budget) -> bool {
        while Instant::now() < end {
            if !self.batch(board, 1, budget) {
                return false;
            }
        }
        true
    }

    /// Takes over what others have settled; false if nothing is left.
    fn look(&mut self, board: &Mutex<Board<'a>>) -> bool {
        let mut board = lock(board);
        if board.version != self.version {
            self.version = board.version;
            self.wanted = board.wanted().clone();
        }
        if self.counts {
            board.counters = self.tester.counters;
        }
        !board.is_decided()
    }
}
