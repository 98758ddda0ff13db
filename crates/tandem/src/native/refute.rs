//! Tries to refute a correctness witness by runs: its invariants are inserted into the text of the program, which is then run many times, as
//! machine code and by the interpreter. Shares nothing with those who make proofs but the front end; never confirms anything.

use std::time::{Duration, Instant};

use tandem_artifact::{ErrorCall, ExpressionFormat, WitnessInvariant};
use tandem_base::{Budget, Severity, SourceText};
use tandem_cfa::exec::{End, Inputs, Machine, Options, Random, Run, Values, Zeros};
use tandem_cfa::{Program, build};
use tandem_syntax::DataModel;

use super::attack::{Target, attack};
use super::compile::is_accepted;
use super::instrument::{Check, Form, function, instrumented, place};
use crate::input::Input;

/// Edges of one run of the interpreter.
const STEPS: u64 = 1_000_000;
/// Checks that are tried one by one when not all can be compiled together.
const MOST_SINGLE: usize = 40;

/// What is said about a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// What is wrong, and the inputs that show it.
    pub refuted: Option<(String, String)>,
    /// How many invariants were checked, and how many could not be.
    pub checked: usize,
    pub left_out: usize,
    /// Native runs and interpreted runs.
    pub native_runs: u64,
    pub interpreted_runs: u64,
    /// Why there were no native runs, if there were none.
    pub not_native: Option<String>,
}

/// What is asked.
pub struct Question<'a> {
    pub input: &'a Input,
    pub error: &'a ErrorCall,
    pub invariants: &'a [WitnessInvariant],
}

/// Runs the program with the checks in it for that long.
pub fn refute(question: &Question<'_>, time: Duration, budget: &Budget) -> Result<Refutation, String> {
    let Question { input, error, invariants } = question;
    let source = &input.source;
    let is_plain = |invariant: &WitnessInvariant| invariant.format == ExpressionFormat::C;
    let placed = invariants.iter().enumerate().filter(|(_, invariant)| is_plain(invariant));
    let placed: Vec<Check<'_>> = placed.filter_map(|(number, invariant)| place(source, number, invariant)).collect();
    let checks = accepted(source.text(), &placed, input.model, budget);
    let text = instrumented(source.text(), &checks);
    let program = front_end(source.file(), &text, input.model)?;
    let names: Vec<String> = checks.iter().map(|check| function(check.number)).collect();
    let mut errors: Vec<&str> = error.functions();
    errors.extend(names.iter().map(String::as_str));
    let includes_assert = error.includes_assert();
    let mut refutation = Refutation {
        refuted: None,
        checked: checks.len(),
        left_out: invariants.len() - checks.len(),
        native_runs: 0,
        interpreted_runs: 0,
        not_native: None,
    };
    let told = Told { program: &program, errors: &errors, invariants, includes_assert };
    let target =
        Target { text: &text, model: input.model, program: &program, errors: &errors, includes_assert, tests: &[] };
    told.interpreted(time.mul_f64(0.4), budget, &mut refutation);
    if refutation.refuted.is_none() {
        match attack(&target, time.mul_f64(0.6), budget) {
            Ok(report) => {
                refutation.native_runs = report.runs + report.sanitized_runs;
                if report.refutes() {
                    let values = report.reached.iter().flatten().map(|input| input.bits).collect();
                    refutation.refuted = Some((told.what_fails(values, budget), report.inputs_in_words()));
                }
            }
            Err(why) => refutation.not_native = Some(why),
        }
    }
    Ok(refutation)
}

fn front_end(file: &str, text: &[u8], model: DataModel) -> Result<Program, String> {
    let built = build(SourceText::plain(file, text), model);
    let error = built.problems.into_iter().find(|problem| problem.severity == Severity::Error);
    match (built.program, error) {
        (Some(program), None) => Ok(program),
        (_, error) => Err(error.map_or("the text with checks is no program".into(), |problem| problem.message)),
    }
}

/// The checks that the compiler accepts.
fn accepted<'a>(text: &[u8], placed: &[Check<'a>], model: DataModel, budget: &Budget) -> Vec<Check<'a>> {
    let is_fine = |checks: &[Check<'a>]| is_accepted(&instrumented(text, checks), model, budget);
    if placed.is_empty() || is_fine(placed) {
        return placed.to_vec();
    }
    let single = placed.iter().take(MOST_SINGLE).filter_map(|check| {
        let declaration = Check { form: Form::BeforeDeclaration, ..*check };
        let forms = if check.form == Form::BeforeStatement { vec![*check, declaration] } else { vec![*check] };
        forms.into_iter().find(|check| is_fine(std::slice::from_ref(check)))
    });
    let single: Vec<Check<'a>> = single.collect();
    // A check may hide what another needs; then none is better than a wrong one.
    if is_fine(&single) { single } else { Vec::new() }
}

struct Told<'a> {
    program: &'a Program,
    errors: &'a [&'a str],
    invariants: &'a [WitnessInvariant],
    includes_assert: bool,
}

impl Told<'_> {
    fn machine(&self) -> Machine<'_> {
        let error_functions = self.errors.iter().map(|name| name.to_string()).collect();
        Machine::new(self.program, Options { error_functions, steps: STEPS, ..Options::default() })
    }

    /// Runs on zeros and on random inputs.
    fn interpreted(&self, time: Duration, budget: &Budget, refutation: &mut Refutation) {
        let end = Instant::now() + time;
        let mut machine = self.machine();
        for seed in 0.. {
            if Instant::now() >= end || budget.exhausted().is_some() {
                break;
            }
            let mut inputs: Box<dyn Inputs> = if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
            let run = machine.run(&mut *inputs, &budget.within(time));
            refutation.interpreted_runs += 1;
            if let Some(what) = self.broken(&run) {
                refutation.refuted = Some((what, self.inputs(&run)));
                break;
            }
            if run.inputs.is_empty() {
                break;
            }
        }
    }

    /// What a run shows to be wrong.
    fn broken(&self, run: &Run) -> Option<String> {
        match run.end {
            End::ErrorReached { function: reached, .. } => {
                let name = &*self.program.functions[reached].name;
                let number = (0..self.invariants.len()).find(|number| function(*number) == name);
                let invariant = number.and_then(|number| self.invariants.get(number));
                Some(match invariant {
                    Some(WitnessInvariant { location, value, .. }) => {
                        format!("the invariant `{value}` of line {} does not hold", location.line)
                    }
                    None => format!("the program calls {name}"),
                })
            }
            End::AssertFailed { .. } if self.includes_assert => Some("an assertion of the program fails".into()),
            _ => None,
        }
    }

    fn inputs(&self, run: &Run) -> String {
        let shown =
            run.inputs.iter().take(20).map(|input| tandem_artifact::literal(input.scalar, input.bits).to_string());
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What a native run showed to be wrong, by the same inputs in the interpreter.
    fn what_fails(&self, values: Vec<u128>, budget: &Budget) -> String {
        let run = self.machine().run(&mut Values::new(values), budget);
        let what = "an invariant does not hold, or the program reaches the error, as machine code".to_string();
        self.broken(&run).unwrap_or(what)
    }
}
