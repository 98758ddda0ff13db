//! Runs the program on zeros and on random inputs, again and again. Finds shallow errors. Proves nothing, unless the program
//! takes no input at all: then its one run is all there is to know.

use tandem_artifact::Caveat;
use tandem_base::Budget;
use tandem_cfa::exec::{End, EventKind, Inputs, Options, Random, Zeros};
use tandem_cfa::library::{Kind, Primitive};
use tandem_cfa::{BinaryOp, ExprKind, VariableKind};

use crate::registry::{AnalysisEntry, AnalysisLimit, Approximation, ContributionKind};
use crate::replay::{machine, reaches_error, replay};
use crate::{Outcome, Task};

/// Edges of one run, at first and at most.
const STEPS: (u64, u64) = (10_000, 10_000_000);
/// Runs after which the next ones may be longer.
const ROUND: u64 = 200;
/// So many runs that are cut off one after the other, and the next ones may be longer, too: they all take long loops.
const CUT_OFF: u64 = 8;

/// Runs in the default run: the errors that are found this way are found soon.
pub const DEFAULT_RUN_RUNS: u64 = 400;
/// Runs where the answers of all analyses are compared.
pub const COMPARISON_RUNS: u64 = 1000;

/// Its one run decides a program that takes no input; so it is not only under-approximating. It runs the whole program, whatever an observer keeps out.
pub const ENTRY: AnalysisEntry = AnalysisEntry {
    name: "random",
    about: "runs on zeros and random inputs, which find shallow errors and decide a program that takes no input",
    reads: &[ContributionKind::Goals],
    gives: &[ContributionKind::Goals],
    hands_over_paths: false,
    follows_whole_program: true,
    approximation: Approximation::Both,
    limits: &[
        AnalysisLimit {
            name: "runs in the default run",
            value: DEFAULT_RUN_RUNS,
            unit: "runs",
            about: "how many runs are made as a member of the default run",
        },
        AnalysisLimit {
            name: "runs in a comparison",
            value: COMPARISON_RUNS,
            unit: "runs",
            about: "how many runs are made where the answers of all analyses are compared",
        },
        AnalysisLimit {
            name: "length of the first runs",
            value: STEPS.0,
            unit: "edges",
            about: "how many edges a run takes before it is cut off, at first",
        },
        AnalysisLimit {
            name: "length of the longest runs",
            value: STEPS.1,
            unit: "edges",
            about: "how many edges a run takes before it is cut off, at last",
        },
    ],
    default_share: 1,
    run: |task, _, budget| random(task, task.run_limit.unwrap_or(u64::MAX), budget),
};

pub fn random(task: Task<'_>, runs: u64, budget: &Budget) -> Outcome {
    let mut steps = STEPS.0;
    let mut machine = machine(task, Options { steps, ..Options::default() });
    let (mut stopped, mut done, mut cut_off) = (None, 0, 0);
    if let Some(outcome) = only_run(task, budget) {
        return finish(outcome, 1);
    }
    for seed in 0..runs {
        if let Some(reason) = budget.exhausted() {
            stopped = Some(reason);
            break;
        }
        if (seed % ROUND == ROUND - 1 || cut_off == CUT_OFF) && steps < STEPS.1 {
            (steps, cut_off) = (steps * 10, 0);
            machine = self::machine(task, Options { steps, ..Options::default() });
        }
        let run = machine.run(&mut *inputs(seed), budget);
        done += 1;
        cut_off = if matches!(run.end, End::Stopped(_)) { cut_off + 1 } else { 0 };
        if task.has_goals() || reaches_error(task.error, &run.end) {
            if let Ok(violation) = replay(task, &mut *inputs(seed), budget) {
                return finish(Outcome::new("random", Some(violation), None, Vec::new()), done);
            }
        }
    }
    let caveat = Caveat::Bound("random runs prove nothing".into());
    finish(Outcome::new("random", None, stopped, vec![caveat]), done)
}

/// The verdict of a program that has only one run, if it is such a program and the run ends.
fn only_run(task: Task<'_>, budget: &Budget) -> Option<Outcome> {
    let program = task.program;
    let body = program.functions[program.entry?].body.as_ref()?;
    if !body.parameters.is_empty() || calls_math(task) || compares_chosen_addresses(task) {
        return None;
    }
    let run = machine(task, Options { inputs: 1, ..Options::default() }).run(&mut Zeros, budget);
    // Addresses are chosen by the interpreter: a run that looks at them is one of many.
    let fixed = run.inputs.is_empty() && !run.events.iter().any(|event| event.kind == EventKind::AddressObserved);
    if !fixed {
        return None;
    }
    let mut outcome = match run.end {
        _ if task.has_goals() => return None,
        End::Returned(_) | End::Exited(_) | End::Aborted { .. } | End::AssumeViolated { .. } => {
            Outcome::new("random", None, None, Vec::new())
        }
        End::AssertFailed { .. } if !task.error.includes_assert() => Outcome::new("random", None, None, Vec::new()),
        End::ErrorReached { .. } | End::AssertFailed { .. } => {
            Outcome::new("random", Some(replay(task, &mut Zeros, budget).ok()?), None, Vec::new())
        }
        End::Undefined { .. }
        | End::Unsupported { .. }
        | End::Stopped(_)
        | End::StackOverflow { .. }
        | End::OutOfMemory { .. }
        | End::NoEntry => return None,
    };
    outcome.in_bounds = true;
    Some(outcome)
}

/// Whether the program compares two pointers for equality where the answer may be the machine's choice: equal string literals may share
/// an address, and freed memory may be given out again.
fn compares_chosen_addresses(task: Task<'_>) -> bool {
    let program = task.program;
    let is_pointer = |id| program.types.pointee(program.expr(id).ty).is_some();
    let is_null = |mut id| {
        while let ExprKind::Convert(operand) = program.expr(id).kind {
            id = operand;
        }
        matches!(program.expr(id).kind, ExprKind::Bits(_) | ExprKind::Zero)
    };
    let compares = program.arena.exprs().iter().any(|expr| match expr.kind {
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
            is_pointer(left) && !is_null(left) && !is_null(right)
        }
        _ => false,
    });
    let kinds = Kind::of_all(program, &task.error.functions());
    let frees = kinds.iter().any(|kind| matches!(kind, Kind::Library(Primitive::Free | Primitive::Realloc)));
    let literals = program.variables.iter().filter(|variable| variable.kind == VariableKind::StringLiteral).count();
    compares && (frees || literals > 1)
}

/// Whether there are functions whose last bits differ from machine to machine.
fn calls_math(task: Task<'_>) -> bool {
    let kinds = Kind::of_all(task.program, &task.error.functions());
    kinds.iter().any(|kind| matches!(kind, Kind::Library(Primitive::Math(_))))
}

fn inputs(seed: u64) -> Box<dyn Inputs> {
    match seed {
        0 => Box::new(Zeros),
        _ => Box::new(Random::new(seed)),
    }
}

fn finish(mut outcome: Outcome, runs: u64) -> Outcome {
    outcome.statistics.insert("runs", runs);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::{ErrorCall, Verdict};
    use tandem_base::SourceText;
    use tandem_cfa::{DataModel, build};

    /// The one run of a program without inputs has looked at everything: undefined behaviour is not looked for again, also where no error
    /// follows. (A search through the second loop would not come to its end, and the proof would not exclude it any more.)
    #[test]
    fn the_only_run_needs_no_second_look() {
        let text = "extern void reach_error(void);\n\
                    int main(void) { int a[9], i, s = 0; for (i = 0; i < 9; i++) a[i] = i; if (a[8] != 8) reach_error();\n\
                    for (i = 0; i < 9000; i++) s += a[i % 9] / (i + 1); return s; }";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let outcome = ENTRY.verify(Task::new(&program, &ErrorCall::Usual, 1), None, &Budget::unlimited());
        assert_eq!((outcome.verdict, outcome.in_bounds), (Verdict::True, true));
        assert_eq!(outcome.statistics["undefined behaviour excluded"], 1);
    }

    /// A loop that every run takes a hundred thousand times does not cost hundreds of runs that are cut off in it.
    #[test]
    fn a_long_loop_is_passed_soon() {
        let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
                    int main(void) { int x = __VERIFIER_nondet_int(), i; for (i = 0; i < 100000; i++) {} if (x != i) reach_error(); }";
        let program = build(SourceText::plain("test.c", text.as_bytes()), DataModel::Lp64).program.unwrap();
        let outcome = random(Task::new(&program, &ErrorCall::Usual, 1), u64::MAX, &Budget::unlimited());
        assert_eq!(outcome.verdict, Verdict::False);
        assert!(outcome.statistics["runs"] <= 3 * CUT_OFF, "{outcome:?}");
    }
}
