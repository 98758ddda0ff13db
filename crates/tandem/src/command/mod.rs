//! One file per command.

mod bench;
mod cfa;
mod exec;
mod gia;
mod plan;
mod smt;
mod test;
mod verify;
mod witness;

use crate::arguments::Command;
use crate::farewell::{Farewell, Form};
use crate::message::{Exit, Failure};
use crate::watch::Watch;

/// Carries out a command.
pub fn run(command: &Command, farewell: &Farewell) -> Result<Exit, Failure> {
    let watch = Watch::start(command.limits(), farewell.clone());
    match command {
        Command::Cfa(arguments) => cfa::run(arguments),
        Command::Exec(arguments) => exec::run(arguments, &watch),
        Command::Verify(arguments) => verify::run(arguments, &watch, farewell),
        Command::Run(arguments) => verify::run_plan(arguments, &watch, farewell),
        Command::Bench(arguments) => bench::run(arguments, &watch),
        Command::Test(arguments) => test::run(arguments, &watch, farewell),
        Command::Smt(arguments) => smt::run(arguments, &watch),
        Command::Gia(arguments) => gia::run(arguments, &watch),
        Command::Witness(arguments) => witness::run(arguments, &watch, farewell),
    }
}

/// What a command promises about its last words.
pub fn last_words(command: &Command) -> Form {
    match command {
        Command::Cfa(_)
        | Command::Exec(_)
        | Command::Bench(_)
        | Command::Smt(_)
        | Command::Gia(_)
        | Command::Test(_) => Form::Free,
        Command::Witness(_) => Form::Witness,
        Command::Verify(arguments) => Form::Verdict { analysis: arguments.analysis().to_string() },
        Command::Run(arguments) if arguments.explain.is_some() => Form::Free,
        Command::Run(arguments) => Form::Verdict { analysis: arguments.plan.clone() },
    }
}
