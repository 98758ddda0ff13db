//! One file per command.

mod attack;
mod bench;
mod cfa;
mod exec;
mod fql;
mod gia;
mod manual;
mod net;
mod plan;
mod smt;
mod split;
mod test;
mod verify;
mod witness;

use crate::arguments::{Command, Witness, WitnessAction};
use crate::farewell::{Farewell, Form};
use crate::message::{Exit, Failure};
use crate::watch::Watch;

/// Carries out a command.
pub fn run(command: &Command, farewell: &Farewell) -> Result<Exit, Failure> {
    let watch = Watch::start(command.limits(), farewell.clone());
    match command {
        Command::Attack(arguments) => attack::run(arguments, &watch),
        Command::Cfa(arguments) => cfa::run(arguments),
        Command::Exec(arguments) => exec::run(arguments, &watch),
        Command::Verify(arguments) => verify::run(arguments, &watch, farewell),
        Command::Run(arguments) => match arguments.test() {
            Some(asked) => test::run_plan(arguments, &asked, &watch, farewell),
            None => verify::run_plan(arguments, &watch, farewell),
        },
        Command::Bench(arguments) => bench::run(arguments, &watch),
        Command::Split(arguments) => split::run(arguments, &watch),
        Command::Test(arguments) => test::run(arguments, &watch, farewell),
        Command::Smt(arguments) => smt::run(arguments, &watch),
        Command::Gia(arguments) => gia::run(arguments, &watch),
        Command::Fql(arguments) => fql::run(arguments),
        Command::Witness(arguments) => witness::run(arguments, &watch, farewell),
        Command::Completions(arguments) => manual::completions(arguments),
        Command::Man(arguments) => manual::pages(arguments),
        Command::Worker(arguments) => net::worker::run(arguments, &watch),
        Command::Status(arguments) => net::status::run(arguments),
        Command::Job(arguments) => net::job::run(arguments, &watch, farewell),
    }
}

/// What a command promises about its last words.
pub fn last_words(command: &Command) -> Form {
    match command {
        Command::Attack(_)
        | Command::Cfa(_)
        | Command::Exec(_)
        | Command::Bench(_)
        | Command::Smt(_)
        | Command::Split(_)
        | Command::Gia(_)
        | Command::Fql(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Worker(_)
        | Command::Status(_)
        | Command::Test(_) => Form::Free,
        Command::Witness(Witness { action: WitnessAction::Join(_) }) => Form::Free,
        Command::Witness(_) => Form::Witness,
        Command::Verify(arguments) => Form::Verdict { analysis: arguments.analyses().join(",") },
        Command::Job(_) => Form::Verdict { analysis: "job".into() },
        Command::Run(arguments) if arguments.explain.is_some() || arguments.test().is_some() => Form::Free,
        Command::Run(arguments) => Form::Verdict { analysis: arguments.plan.clone() },
    }
}
