//! The under-approximating side: runs the program, and knows nothing of proofs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tandem_analyses::Task;
use tandem_analyses::concolic::Tester;
use tandem_base::Budget;
use tandem_cfa::exec::Coverage;

use super::board::Board;

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
}

impl<'a> Testing<'a> {
    pub fn new(task: Task<'a>, seed: u64) -> Testing<'a> {
        let wanted = Coverage::new(task.program.edges.len());
        Testing { tester: Tester::new(task, seed), wanted, version: 0, counts: true }
    }

    /// One that works besides another, which is the one the board shows.
    pub fn helper(task: Task<'a>, seed: u64) -> Testing<'a> {
        Testing { counts: false, ..Testing::new(task, seed) }
    }

    /// Tries inputs that somebody else has found.
    pub fn learn(&mut self, board: &Mutex<Board<'a>>, inputs: &[Vec<u128>], budget: &Budget) {
        for values in inputs {
            if !self.look(board) || budget.exhausted().is_some() {
                return;
            }
            if let Some(test) = self.tester.learn(&self.wanted, values.clone(), budget) {
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
