//! Many native runs of a program: is there an input on which it reaches the error? Plain, and with the sanitizers of the compiler, which tell
//! whether an error was reached behind undefined behaviour.

use std::time::Duration;

use tandem_artifact::TestCase;
use tandem_artifact::format::native_runs::{NativeRuns, SANITIZER_STATUS};
use tandem_base::Budget;
use tandem_syntax::DataModel;

use super::compile::Compilation;
use crate::sandbox::{Limits, run_in_empty_directory};
use crate::tools::process::Ended;
use crate::tools::scratch::Scratch;

/// Time for processes to start and end, beyond that of the runs.
const SLACK: Duration = Duration::from_secs(5);
/// Inputs that are named for people.
const MOST_NAMED: usize = 20;

/// What is attacked.
pub struct Target<'a> {
    /// The text of the program, preprocessed.
    pub text: &'a [u8],
    pub model: DataModel,
    pub program: &'a tandem_cfa::Program,
    pub errors: &'a [&'a str],
    pub includes_assert: bool,
    pub tests: &'a [TestCase],
}

/// An input that a run took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TakenInput {
    /// The function that returned it.
    pub function: String,
    /// The number of bytes and the bits.
    pub size: usize,
    pub bits: u128,
}

/// What many runs showed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AttackReport {
    /// Runs of the plain program, and of the sanitized one.
    pub runs: u64,
    pub sanitized_runs: u64,
    /// Why there were no sanitized runs, if there were none.
    pub not_sanitized: Option<String>,
    /// The inputs of a run that reached the error.
    pub reached: Option<Vec<TakenInput>>,
    /// Whether a sanitizer found undefined behaviour on that run.
    pub is_behind_undefined_behaviour: bool,
    /// What a sanitizer found on some run.
    pub finding: Option<String>,
}

impl AttackReport {
    /// Whether the runs refute a claim that the error is not reached.
    pub fn refutes(&self) -> bool {
        self.reached.is_some() && !self.is_behind_undefined_behaviour
    }

    /// The inputs in one line, for people.
    pub fn inputs_in_words(&self) -> String {
        let Some(inputs) = &self.reached else { return String::new() };
        let named = inputs.iter().take(MOST_NAMED).map(|input| {
            let TakenInput { function, size, bits } = input;
            format!("{function}() = {bits:#0width$x}", width = 2 + 2 * size)
        });
        let mut words = named.collect::<Vec<_>>().join(", ");
        if inputs.len() > MOST_NAMED {
            words.push_str(&format!(" and {} more", inputs.len() - MOST_NAMED));
        }
        words
    }
}

/// Runs the program for that long, most of it without sanitizers. An error says why nothing could be run.
pub fn attack(target: &Target<'_>, time: Duration, budget: &Budget) -> Result<AttackReport, String> {
    let runs = NativeRuns {
        program: target.program,
        errors: target.errors,
        includes_assert: target.includes_assert,
        tests: target.tests,
    };
    let scratch = Scratch::new()?;
    let (companion, watched) = (runs.write(), runs.watched_functions());
    let compilation = |is_sanitized| Compilation {
        program: target.text,
        companion: &companion,
        model: target.model,
        watched: &watched,
        wraps_allocation: true,
        is_sanitized,
    };
    let plain = compilation(false).make(&scratch, "plain", budget)?;
    let mut report = AttackReport::default();
    let seen = Seen::of(&run(&plain, time.mul_f64(0.6), None, false, budget)?, &runs)?;
    (report.runs, report.reached) = (seen.runs, seen.reached.clone());
    let sanitized = match compilation(true).make(&scratch, "sanitized", budget) {
        Ok(sanitized) => sanitized,
        Err(why) => {
            report.not_sanitized = Some(why);
            return Ok(report);
        }
    };
    let single = seen.error_run;
    let seen = Seen::of(&run(&sanitized, time.mul_f64(0.4), single, true, budget)?, &runs)?;
    report.sanitized_runs = seen.runs;
    report.finding = match (single, seen.sanitizer_run) {
        (_, None) => None,
        (Some(_), Some(_)) => Some(seen.words.clone()),
        (None, Some(number)) => {
            Some(Seen::of(&run(&sanitized, time.mul_f64(0.4), Some(number), true, budget)?, &runs)?.words)
        }
    };
    match single {
        Some(_) => report.is_behind_undefined_behaviour = seen.sanitizer_run.is_some(),
        None => report.reached = seen.reached,
    }
    Ok(report)
}

/// Runs what was compiled; with a number, that one run alone, whose messages are let through.
fn run(
    program: &str,
    time: Duration,
    number: Option<u64>,
    is_sanitized: bool,
    budget: &Budget,
) -> Result<Ended, String> {
    let command = [program.to_string()];
    let milliseconds = time.as_millis().to_string();
    let number = number.map(|number| number.to_string());
    let address = format!("exitcode={SANITIZER_STATUS}:detect_leaks=0:hard_rss_limit_mb=1024");
    let undefined = format!("exitcode={SANITIZER_STATUS}:print_stacktrace=0");
    let mut environment: Vec<(&str, &str)> =
        vec![("TANDEM_MILLISECONDS", &milliseconds), ("ASAN_OPTIONS", &address), ("UBSAN_OPTIONS", &undefined)];
    environment.extend(number.as_deref().map(|number| ("TANDEM_RUN", number)));
    let memory = if is_sanitized { None } else { Limits::default().memory };
    run_in_empty_directory(&command, &environment, time + SLACK, Limits { memory, ..Limits::default() }, budget)
}

/// What the runs said about themselves.
#[derive(Default)]
struct Seen {
    runs: u64,
    error_run: Option<u64>,
    sanitizer_run: Option<u64>,
    reached: Option<Vec<TakenInput>>,
    /// The first message of a sanitizer.
    words: String,
}

impl Seen {
    fn of(ended: &Ended, runs: &NativeRuns<'_>) -> Result<Seen, String> {
        let mut seen = Seen { words: "something".into(), ..Seen::default() };
        let mut is_complete = false;
        for line in ended.output.lines() {
            let mut words = line.split_whitespace();
            let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok());
            match words.next() {
                Some("error") => {
                    seen.error_run = number(words.next());
                    seen.reached = Some(Vec::new());
                }
                Some("input") => {
                    let taken = taken(words.next(), words.next(), runs);
                    seen.reached.get_or_insert_default().extend(taken);
                }
                Some("sanitizer") => seen.sanitizer_run = number(words.next()),
                Some("runs") => {
                    seen.runs = number(words.next()).unwrap_or(0);
                    is_complete = true;
                }
                Some(_) | None => {}
            }
            if let Some(what) = finding(line).filter(|_| seen.words == "something") {
                seen.words = what;
            }
        }
        // A run may hang in a way that no timer ends; what it said until then counts.
        match is_complete || seen.reached.is_some() || ended.timed_out {
            true => Ok(seen),
            false => Err(format!("the program could not be run: {}", ended.last_line())),
        }
    }
}

fn taken(function: Option<&str>, bits: Option<&str>, runs: &NativeRuns<'_>) -> Option<TakenInput> {
    let (function, bits) = (function?, bits?);
    let name = runs.source_of_input(function.parse().ok()?).unwrap_or("input");
    Some(TakenInput { function: name.to_string(), size: bits.len() / 2, bits: u128::from_str_radix(bits, 16).ok()? })
}

/// What a line of a sanitizer says was found.
fn finding(line: &str) -> Option<String> {
    let undefined = line.split_once("runtime error: ").map(|(_, what)| what);
    let address = line.split_once("AddressSanitizer: ").map(|(_, what)| what.split(" on ").next().unwrap_or(what));
    undefined.or(address).map(|what| what.chars().take(120).collect())
}
