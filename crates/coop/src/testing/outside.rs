//! Testers from outside: other programs. They get what is left of the program when the paths that lead to no open goal are taken out, and the
//! inputs of the tests so far. What they find counts as far as a run of the original covers something.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tandem_analyses::Task;
use tandem_artifact::TestInputs;
use tandem_artifact::gia::{Mark, Subject};
use tandem_base::Budget;
use tandem_cfa::exec::Input;

use super::board::Board;
use super::exchange::{Asker, by_edges};
use super::tester::{Testing, lock};
use crate::outside::{ByteInputs, Order, Report, Rest, Tool, error_functions, size_of_input, written};
use crate::reduce::reduce;

/// A tool in company works for this part of the time that is left, then looks at what the others have done; but at least for a while.
const PART: u32 = 3;
const WHILE: Duration = Duration::from_secs(4);
/// Less than this is not worth a start.
const LEAST: Duration = Duration::from_millis(500);

/// A tool that takes part.
pub struct Visit<'v, 'a> {
    pub task: Task<'a>,
    pub board: &'v Mutex<Board<'a>>,
    pub tool: &'v dyn Tool,
    /// Whether nobody else works: then nothing is gained by taking turns.
    pub is_alone: bool,
    pub seed: u64,
}

impl<'a> Visit<'_, 'a> {
    pub fn work(&self, budget: &Budget) {
        let mut testing = Testing::new(self.task, self.seed);
        while budget.exhausted().is_none() && !lock(self.board).is_decided() {
            let turn = self.turn(budget);
            if turn.deadline.is_some_and(|end| end.saturating_duration_since(Instant::now()) < LEAST) {
                return;
            }
            let report = match self.rest() {
                Ok((rest, seeds)) => self.ask(&rest, &seeds, &turn),
                Err(why) => Report::failed(why),
            };
            self.learn(&mut testing, &report, budget);
            if let Some(problem) = report.problem {
                let trouble = format!("{}: {problem}", self.tool.declaration().name);
                lock(self.board).troubles.push(trouble);
                return;
            }
            if self.is_alone {
                return;
            }
        }
    }

    fn turn(&self, budget: &Budget) -> Budget {
        let now = Instant::now();
        let left = budget.deadline.map(|end| end.saturating_duration_since(now));
        let turn = match left {
            _ if self.is_alone => left,
            Some(left) => Some((left / PART).max(WHILE).min(left)),
            None => Some(WHILE * PART),
        };
        Budget { deadline: turn.map(|turn| now + turn), ..budget.clone() }
    }

    /// What is left of the program, and the inputs of the tests so far.
    fn rest(&self) -> Result<(Rest, Vec<Vec<u8>>), String> {
        let program = self.task.program;
        let (gia, seeds) = {
            let board = lock(self.board);
            // The automaton never leaves this function: which program it is about is not asked.
            let subject = Subject::plain(program.source.file(), b"", program.model());
            let bytes = |inputs: &[Input]| bytes(inputs, program.model());
            (by_edges(&board, subject), board.tests.iter().map(|test| bytes(&test.inputs)).collect())
        };
        let residual = reduce(program, &gia, Mark::Unreachable, &self.task.error.functions());
        Ok((written(self.task.error, residual, None)?, seeds))
    }

    fn ask(&self, rest: &Rest, seeds: &[Vec<u8>], turn: &Budget) -> Report {
        let order = Order {
            text: &rest.text,
            program: &rest.program,
            error: self.task.error,
            errors: error_functions(&rest.program, self.task.error),
            sites: &[],
            threads: 1,
            seeds,
            // An error is no reason to stop: other goals are open.
            reaches_error: &|_| false,
        };
        self.tool.work(&order, turn)
    }

    /// Runs the original program on what was found.
    fn learn(&self, testing: &mut Testing<'a>, report: &Report, budget: &Budget) {
        let mut asker = Asker::new(self.task);
        for test in &report.tests {
            let values = asker.values(&mut TestInputs::new(test), test.inputs.len(), budget);
            testing.learn(self.board, &[values.into()], budget);
        }
        for stream in &report.streams {
            let values = asker.values(&mut ByteInputs::new(self.task.program, stream), stream.len(), budget);
            testing.learn(self.board, &[values.into()], budget);
        }
    }
}

/// Inputs as a stream of bytes.
fn bytes(inputs: &[Input], model: tandem_cfa::DataModel) -> Vec<u8> {
    let asked = inputs.iter().filter(|input| input.is_of_function());
    let bytes = |input: &Input| input.bits.to_le_bytes().into_iter().take(size_of_input(input.scalar, model));
    asked.flat_map(bytes).collect()
}
