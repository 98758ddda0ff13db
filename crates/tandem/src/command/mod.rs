//! One file per command.

use crate::arguments::Command;
use crate::message::{Exit, Failure};
use crate::watch::Watch;

/// Carries out a command.
pub fn run(command: &Command) -> Result<Exit, Failure> {
    let watch = Watch::start(command.common());
    let input = crate::input::load(command.common())?;
    let property = input.property(command.common())?;
    crate::program::build(&input)?;
    if let Command::Exec(e) = command {
        if let Some(s) = &e.suite {
            crate::tests_in_files::read_suite(s)?;
        }
    }
    crate::output::show(&format!("{property:?} {:?}\n", watch.reason()))?;
    if let Some(o) = &command.common().output {
        crate::output::write_file(o, "x", "y")?;
    }
    Ok(Exit::Success)
}
