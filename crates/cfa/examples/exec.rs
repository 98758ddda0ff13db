//! Runs a preprocessed C program: `exec FILE [--data-model ILP32|LP64] [--print] [--steps N] [--random SEED]`.

use std::process::ExitCode;

use tandem_base::{Budget, Severity, SourceText};
use tandem_cfa::exec::{Inputs, Machine, Options, Random, Sink, Zeros};
use tandem_syntax::{DataModel, on_large_stack};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut file, mut model, mut options) = (None, DataModel::Lp64, Options::default());
    let mut inputs: Box<dyn Inputs + Send> = Box::new(Zeros);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--data-model" => model = arguments.next().and_then(|name| DataModel::from_name(&name)).unwrap_or(model),
            "--print" => options.output = Sink::Write(Box::new(std::io::stdout())),
            "--steps" => options.steps = arguments.next().and_then(|steps| steps.parse().ok()).unwrap_or(u64::MAX),
            "--random" => {
                let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
                inputs = Box::new(Random::new(seed));
            }
            _ => file = Some(argument),
        }
    }
    let Some(file) = file else { return ExitCode::from(2) };
    let Ok(text) = std::fs::read(&file) else { return ExitCode::from(2) };
    let built = tandem_cfa::build(SourceText::plain(&file, text), model);
    for problem in built.problems.iter().filter(|problem| problem.severity == Severity::Error) {
        eprintln!("{file}: {}", problem.message);
    }
    let Some(program) = built.program else { return ExitCode::from(2) };
    let done = on_large_stack(|| {
        let mut machine = Machine::new(&program, options);
        let run = machine.run(&mut *inputs, &Budget::unlimited());
        eprintln!("end: {:?}", run.end);
        eprintln!("steps: {}, edges covered: {} of {}", run.steps, run.coverage.len(), program.edges.len());
        for event in run.events.iter().take(20) {
            eprintln!("event: {:?} at {}", event.kind, program.source.position(program.edges[event.edge].span.lo));
        }
    });
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
