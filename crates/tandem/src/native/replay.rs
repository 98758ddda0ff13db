//! Whether a run that the interpreter followed to the error reaches it as machine code too, with the real C library.

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tandem_analyses::NativeConfirmation;
use tandem_artifact::ErrorCall;
use tandem_artifact::format::harness;
use tandem_artifact::format::native_runs::NativeRuns;
use tandem_base::Budget;
use tandem_cfa::Program;
use tandem_cfa::exec::Run;

use super::compile::Compilation;
use crate::input::Input;
use crate::sandbox::{Limits, run_in_empty_directory};
use crate::tools::scratch::Scratch;

/// How long the run may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The signal of `abort`, by which a failing assertion ends.
const ABORTED: i32 = 6;

/// What came of a native run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NativeReplay {
    /// The error was reached.
    Reached,
    /// The program ended otherwise, by these words.
    NotReached(String),
    /// There was no run: the program could not be compiled or started.
    NotTried(String),
}

/// Runs that are tried natively, at most: each is compiled anew, and an analysis may find many alarms.
const MOST_TRIES: usize = 4;

/// Asks the real library whether a run that rests on its values reaches the error.
pub struct LibraryConfirmation<'a> {
    input: &'a Input,
    program: &'a Program,
    error: &'a ErrorCall,
    budget: &'a Budget,
    tries: AtomicUsize,
}

impl<'a> LibraryConfirmation<'a> {
    pub fn new(input: &'a Input, program: &'a Program, error: &'a ErrorCall, budget: &'a Budget) -> Self {
        LibraryConfirmation { input, program, error, budget, tries: AtomicUsize::new(0) }
    }
}

impl NativeConfirmation for LibraryConfirmation<'_> {
    fn reaches_error(&self, run: &Run) -> bool {
        self.tries.fetch_add(1, Ordering::Relaxed) < MOST_TRIES
            && replay(self.input, self.program, self.error, run, self.budget) == NativeReplay::Reached
    }
}

/// Compiles the harness of a run together with the program, and runs it in the sandbox.
pub fn replay(input: &Input, program: &Program, error: &ErrorCall, run: &Run, budget: &Budget) -> NativeReplay {
    attempt(input, program, error, run, budget).unwrap_or_else(NativeReplay::NotTried)
}

fn attempt(
    input: &Input,
    program: &Program,
    error: &ErrorCall,
    run: &Run,
    budget: &Budget,
) -> Result<NativeReplay, String> {
    let errors = error.functions();
    let includes_assert = error.includes_assert();
    let watched = NativeRuns { program, errors: &errors, includes_assert, tests: &[] }.watched_functions();
    let scratch = Scratch::new()?;
    let compilation = Compilation {
        program: input.source.text(),
        companion: &harness::write_for_library(program, &run.inputs, &errors),
        model: input.model,
        watched: &watched,
        wraps_allocation: false,
        is_sanitized: false,
    };
    let command = [compilation.make(&scratch, "harness", budget)?];
    let ended = run_in_empty_directory(&command, &[], LIMIT, Limits::default(), budget)?;
    let status = ended.status;
    let is_error = status.and_then(|status| status.code()) == Some(harness::ERROR_STATUS);
    let has_failed_assertion = includes_assert && status.and_then(|status| status.signal()) == Some(ABORTED);
    if is_error || has_failed_assertion && ended.output.contains("Assertion") {
        return Ok(NativeReplay::Reached);
    }
    Ok(NativeReplay::NotReached(match (ended.timed_out, status) {
        (true, _) => "it did not end in time".into(),
        (false, Some(status)) => format!("it ended with {status}"),
        (false, None) => "it was stopped".into(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_base::SourceText;
    use tandem_cfa::exec::{Machine, Options, Values};
    use tandem_syntax::DataModel;

    /// What a native run with these inputs shows of a program with an error function of its own.
    fn replayed(body: &str, values: &[u128]) -> NativeReplay {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void); extern int abs(int);\nstatic void reach_error(void) {{}}\n\
             int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return 0; }}\n"
        );
        let input = Input::sent(SourceText::plain("a.c", text.as_bytes()), DataModel::Lp64);
        let program = crate::program::build(&input).unwrap();
        let run =
            Machine::new(&program, Options::default()).run(&mut Values::new(values.to_vec()), &Budget::unlimited());
        replay(&input, &program, &ErrorCall::Usual, &run, &Budget::unlimited())
    }

    #[test]
    fn the_real_library_decides() {
        let body = "if (abs(x) == 7) reach_error();";
        assert_eq!(replayed(body, &[7]), NativeReplay::Reached);
        assert!(matches!(replayed(body, &[8]), NativeReplay::NotReached(_)));
        assert!(matches!(replayed("undeclared_function_of_no_library(x);", &[8]), NativeReplay::NotReached(_)));
        let body = "extern int missing[]; __asm__(\"call no_such_function\");";
        assert!(matches!(replayed(body, &[8]), NativeReplay::NotTried(_)));
    }
}
