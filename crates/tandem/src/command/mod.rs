//! One file per command.

mod cfa;

use crate::arguments::Command;
use crate::message::{Exit, Failure};
use crate::watch::Watch;

/// Carries out a command.
pub fn run(command: &Command) -> Result<Exit, Failure> {
    let _watch = Watch::start(command.common());
    match command {
        Command::Cfa(arguments) => cfa::run(arguments),
        Command::Exec(_) => Ok(Exit::Unknown),
    }
}
