//! One file per command.

mod cfa;
mod exec;
mod smt;

use crate::arguments::Command;
use crate::message::{Exit, Failure};
use crate::watch::Watch;

/// Carries out a command.
pub fn run(command: &Command) -> Result<Exit, Failure> {
    let watch = Watch::start(command.common());
    match command {
        Command::Cfa(arguments) => cfa::run(arguments),
        Command::Exec(arguments) => exec::run(arguments, &watch),
        Command::Smt(arguments) => smt::run(arguments, &watch),
    }
}
