//! Replaying alarms: no violation leaves this crate that the interpreter has not followed to the error.

use tandem_artifact::{ErrorCall, Violation};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_cfa::exec::{End, Inputs, Machine, Options, Run};

use crate::Task;

/// Bytes of choices that a replayed path may have.
const PATH: usize = 1 << 26;

/// Whether a run ended in the error that is asked about.
pub fn reaches_error(error: &ErrorCall, end: &End) -> bool {
    match end {
        End::ErrorReached { .. } => true,
        End::AssertFailed { .. } => error.includes_assert(),
        _ => false,
    }
}

/// A machine that knows the error functions of the task.
pub fn machine<'a>(task: Task<'a>, options: Options) -> Machine<'a> {
    let error_functions = task.error.functions().into_iter().map(str::to_string).collect();
    let program: &'a Program = task.program;
    Machine::new(program, Options { error_functions, ..options })
}

/// Runs the program on these inputs, recording the path: a violation if that reaches the error, else how the run ended.
pub fn replay(task: Task<'_>, inputs: &mut dyn Inputs, budget: &Budget) -> Result<Violation, Box<Run>> {
    let run = machine(task, Options { path: Some(PATH), ..Options::default() }).run(inputs, budget);
    if reaches_error(task.error, &run.end) { Ok(Violation { run }) } else { Err(Box::new(run)) }
}
