//! `tandem exec`: runs a program on a test case or on each of a suite, and says how that ended and what it covered.

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use tandem_artifact::{Property, TestCase};
use tandem_base::StopReason;
use tandem_cfa::Program;
use tandem_cfa::exec::{Coverage, End, Machine, Options, Run, Sink};

use crate::arguments::Exec;
use crate::describe::{at, ending, notes, place_json, shares};
use crate::message::{Exit, Failure};
use crate::tests_in_files::{read_suite, read_test};
use crate::watch::Watch;
use crate::{input, output, program};

pub fn run(arguments: &Exec, watch: &Watch) -> Result<Exit, Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let input = input::load(common)?;
    let property = input.property(common)?;
    let tests = tests(arguments)?;
    let program = program::build(&input)?;
    let session = Session { arguments, watch, program: &program, property: &property };
    let runs = session.run_all(&tests);
    let report = session.report(&tests, &runs, start);
    if let Some(directory) = &common.output {
        output::write_file(directory, "exec.json", &format!("{:#}\n", report))?;
    }
    if common.json {
        output::show(&format!("{report:#}\n"))?;
    } else {
        output::show(&session.text(&tests, &runs))?;
    }
    Ok(session.exit(&runs))
}

/// The test cases to run, by name.
fn tests(arguments: &Exec) -> Result<Vec<(String, TestCase)>, Failure> {
    match (&arguments.suite, &arguments.inputs) {
        (Some(directory), _) => read_suite(directory),
        (None, Some(file)) => Ok(vec![(file.display().to_string(), read_test(file)?)]),
        (None, None) => Ok(vec![("zeros".into(), TestCase::default())]),
    }
}

struct Session<'a> {
    arguments: &'a Exec,
    watch: &'a Watch,
    program: &'a Program,
    property: &'a Property,
}

impl Session<'_> {
    fn run_all(&self, tests: &[(String, TestCase)]) -> Vec<Run> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = self.arguments.common.threads.map_or(available, usize::from);
        // What the program prints must come in the order of the tests.
        let threads = if self.arguments.print { 1 } else { wanted.min(tests.len()) };
        let share = tests.len().div_ceil(threads.max(1)).max(1);
        std::thread::scope(|scope| {
            let workers: Vec<_> = tests.chunks(share).map(|part| scope.spawn(|| self.run_some(part))).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        })
    }

    fn run_some(&self, tests: &[(String, TestCase)]) -> Vec<Run> {
        let error_functions = self.property.error_call().functions();
        let unfinished = Arc::new(AtomicBool::new(false));
        let sink = match (self.arguments.print, self.arguments.common.json) {
            (false, _) => Sink::Discard,
            (true, true) => Sink::Collect,
            (true, false) => Sink::Write(Box::new(BufWriter::new(Passed { unfinished: unfinished.clone() }))),
        };
        let mut options = Options {
            error_functions: error_functions.into_iter().map(str::to_string).collect(),
            output: sink,
            ..Options::default()
        };
        options.memory = self.arguments.common.memory_limit.unwrap_or(options.memory);
        let mut machine = Machine::new(self.program, options);
        let one = |(_, case): &(String, TestCase)| {
            let mut run = machine.run(&mut tandem_artifact::TestInputs::new(case), &self.watch.budget);
            if let (End::Stopped(StopReason::Cancelled), Some(reason)) = (&run.end, self.watch.reason()) {
                run.end = End::Stopped(reason);
            }
            run
        };
        let runs = tests.iter().map(one).collect();
        // Flushes what the program printed; our own lines begin on a line of their own.
        drop(machine);
        if unfinished.load(Ordering::Relaxed) {
            let _ = output::print("\n");
        }
        runs
    }

    fn exit(&self, runs: &[Run]) -> Exit {
        let exits: Vec<Exit> = runs.iter().map(|run| ending(self.program, self.property, &run.end).exit).collect();
        [Exit::Violated, Exit::Unknown].into_iter().find(|exit| exits.contains(exit)).unwrap_or(Exit::Success)
    }

    fn coverage(&self, runs: &[Run]) -> Coverage {
        let mut coverage = Coverage::new(self.program.edges.len());
        for run in runs {
            coverage.merge(&run.coverage);
        }
        coverage
    }

    fn text(&self, tests: &[(String, TestCase)], runs: &[Run]) -> String {
        let mut text = String::new();
        for ((name, _), run) in tests.iter().zip(runs) {
            let ending = ending(self.program, self.property, &run.end);
            let who = if self.arguments.suite.is_some() { format!("{name}: ") } else { "Ended: ".into() };
            text += &format!("{who}{}{}\n", ending.text, at(self.program, ending.edge));
            if self.arguments.suite.is_none() {
                for (_, note, edge) in notes(self.program, run) {
                    text += &format!("Note: {note}{}\n", at(self.program, Some(edge)));
                }
                text += &format!("Steps: {}, inputs: {}\n", run.steps, run.inputs.len());
            }
        }
        if self.arguments.suite.is_some() {
            text += &format!("Tests: {}\n", runs.len());
        }
        text + &shares(self.program, &self.coverage(runs)).text()
    }

    fn report(&self, tests: &[(String, TestCase)], runs: &[Run], start: Instant) -> Value {
        let exit = self.exit(runs);
        let verdict = match exit {
            Exit::Success => "DONE",
            Exit::Violated => "FALSE",
            Exit::BadInput | Exit::Unknown => "UNKNOWN",
        };
        let decisive =
            runs.iter().map(|run| ending(self.program, self.property, &run.end)).find(|end| end.exit == exit);
        json!({
            "verdict": verdict,
            "reason": decisive.map(|end| end.text),
            "time_s": start.elapsed().as_secs_f64(),
            "analysis": "exec",
            "coverage": shares(self.program, &self.coverage(runs)).json(),
            "runs": tests.iter().zip(runs).map(|((name, _), run)| self.run_json(name, run)).collect::<Vec<_>>(),
        })
    }

    fn run_json(&self, name: &str, run: &Run) -> Value {
        let ending = ending(self.program, self.property, &run.end);
        let note =
            |(kind, text, edge)| json!({ "kind": kind, "text": text, "place": place_json(self.program, Some(edge)) });
        let mut object = json!({
            "test": name,
            "end": ending.kind,
            "text": ending.text,
            "place": place_json(self.program, ending.edge),
            "steps": run.steps,
            "inputs": run.inputs.len(),
            "notes": notes(self.program, run).into_iter().map(note).collect::<Vec<_>>(),
            "coverage": shares(self.program, &run.coverage).json(),
        });
        if self.arguments.print {
            object["output"] = json!(String::from_utf8_lossy(&run.output));
        }
        object
    }
}

/// Standard output for the program that runs. Remembers whether its last line is finished; a closed pipe is no error.
struct Passed {
    unfinished: Arc<AtomicBool>,
}

impl Write for Passed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if let Some(last) = bytes.last() {
            self.unfinished.store(*last != b'\n', Ordering::Relaxed);
        }
        match std::io::stdout().write_all(bytes) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stdout().flush()
    }
}
