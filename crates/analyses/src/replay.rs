//! Replaying alarms: no violation leaves this crate that the interpreter has not followed to the error.

use tandem_artifact::{ErrorCall, Violation};
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_cfa::exec::{End, Inputs, Machine, Options, Run};

use crate::{LibraryValues, Task};

/// Edges of a run that is to come by a goal.
const STEPS: u64 = 20_000_000;
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

/// Whether a run, whose path was recorded, came by what is looked for.
pub fn is_found(task: Task<'_>, run: &Run) -> bool {
    let Some(goals) = task.observer.and_then(|observer| observer.goal_edges()) else {
        return reaches_error(task.error, &run.end);
    };
    if !goals.iter().any(|edge| run.coverage.contains(*edge)) {
        return false;
    }
    let (Some(edges), Some(mut flow)) = (run.edges(task.program), task.flow()) else { return false };
    let steps = flow.walk(&edges);
    steps.iter().any(|step| flow.is_found(step))
}

/// A machine that knows the error functions of the task.
pub fn machine<'a>(task: Task<'a>, options: Options) -> Machine<'a> {
    let error_functions = task.error.functions().into_iter().map(str::to_string).collect();
    let program: &'a Program = task.program;
    Machine::new(program, Options { error_functions, ..options })
}

/// Runs the program on these inputs, recording the path: a violation if that reaches the error, else how the run ended.
pub fn replay(task: Task<'_>, inputs: &mut dyn Inputs, budget: &Budget) -> Result<Violation, Box<Run>> {
    // A run that comes by a goal may go on for ever.
    let steps = if task.has_goals() { STEPS } else { u64::MAX };
    let run = machine(task, Options { path: Some(PATH), steps, ..Options::default() }).run(inputs, budget);
    if is_found(task, &run) && is_possible(task, &run) { Ok(Violation { run }) } else { Err(Box::new(run)) }
}

/// Whether the values that the run took from the library are ones that the library is known to give, or are taken to be.
/// A test that comes by a goal is judged by those who run it.
fn is_possible(task: Task<'_>, run: &Run) -> bool {
    match task.library_values {
        LibraryValues::Any => true,
        LibraryValues::Contract => {
            run.library_values.is_empty()
                || task.has_goals()
                || task.native.is_some_and(|native| native.reaches_error(run))
        }
    }
}

/// Why a run on the inputs of an alarm is no violation, in words.
pub fn not_a_violation(task: Task<'_>, run: &Run) -> String {
    if !is_found(task, run) {
        return ended_otherwise(&run.end);
    }
    let names = run.library_values.iter().map(|function| &*task.program.functions[*function].name);
    let names = names.map(|name| name.strip_prefix("__tandem_").unwrap_or(name));
    let names: Vec<&str> = names.map(|name| if name == "any_errno" { "errno" } else { name }).collect();
    format!("it rests on what the library returns, of which only a contract is known: {}", names.join(", "))
}

/// How a run ended that was to reach the error, in words.
fn ended_otherwise(end: &End) -> String {
    let how = match end {
        End::Returned(_) | End::Exited(_) => "the program ended",
        End::Aborted { .. } => "the program was aborted",
        End::AssumeViolated { .. } => "an assumption failed",
        End::ErrorReached { .. } | End::AssertFailed { .. } => "another error was reached",
        End::Undefined { .. } => "its behaviour is undefined",
        End::Unsupported { .. } => "it does something that is not modelled",
        End::Stopped(_) => "it was cut off",
        End::StackOverflow { .. } => "the stack overflowed",
        End::OutOfMemory { .. } => "there was no memory left",
        End::NoEntry => "there is no `main`",
    };
    format!("the run ended otherwise: {how}")
}
