//! The command line's words. Says what may be written, does nothing.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tandem_syntax::DataModel;

/// Analyses for C that work together.
#[derive(Parser, Debug)]
#[command(
    name = "tandem",
    version,
    about,
    after_help = "Exit status: 0 proved or done, 1 property violated, 2 bad input or usage, 3 unknown."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Show the control-flow automaton of a program
    Cfa(Cfa),
    /// Run a program concretely on given inputs; print how the run ended and what it covered
    ///
    /// Exit status: 0 the run ended normally, 1 it reached an error, 2 bad input, 3 anything else (undefined behaviour, a violated
    /// assumption, something unsupported, a limit).
    Exec(Exec),
    /// Run an SMT-LIB 2 script
    ///
    /// Exit status: 0 every check was answered, 2 bad input, 3 a check was not answered.
    #[command(mut_arg("file", |file| file.help("An SMT-LIB 2 script (.smt2)")))]
    #[command(mut_args(|argument| match argument.get_id().as_str() {
        "property" | "data_model" | "include_directories" | "definitions" | "threads" | "output" => argument.hide(true),
        _ => argument,
    }))]
    Smt(Smt),
}

impl Command {
    pub fn common(&self) -> &Common {
        match self {
            Command::Cfa(cfa) => &cfa.common,
            Command::Exec(exec) => &exec.common,
            Command::Smt(smt) => &smt.common,
        }
    }
}

#[derive(Args, Debug)]
pub struct Cfa {
    #[command(flatten)]
    pub common: Common,
    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    Text,
    Dot,
    Json,
}

#[derive(Args, Debug)]
pub struct Exec {
    #[command(flatten)]
    pub common: Common,
    /// A test case (XML) with the input values; without one, every input is zero
    #[arg(long, value_name = "TEST", conflicts_with = "suite")]
    pub inputs: Option<PathBuf>,
    /// A directory of test cases, each of which is run
    #[arg(long, value_name = "DIR")]
    pub suite: Option<PathBuf>,
    /// Let the program's own output through to stdout
    #[arg(long)]
    pub print: bool,
}

#[derive(Args, Debug)]
pub struct Smt {
    #[command(flatten)]
    pub common: Common,
}

/// What all commands understand.
#[derive(Args, Debug)]
pub struct Common {
    /// C source (.c, .i) or a task definition (.yml)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// A property file (.prp) or a name: unreach-call, coverage-branches, coverage-conditions, coverage-statements, coverage-error-call
    #[arg(long, value_name = "P")]
    pub property: Option<String>,
    /// Sizes of C's types (default: the task's, or LP64)
    #[arg(long, value_name = "MODEL", value_enum, ignore_case = true)]
    pub data_model: Option<Model>,
    /// Wall time, such as 60s, 500ms, 10min, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time_limit: Option<Duration>,
    /// Memory of the process, such as 4GB, 500MB
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory_limit: Option<u64>,
    /// How many threads may work at once (default: as many as the machine has)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// A directory for what the run produces
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object on stdout instead of text
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(long)]
    pub quiet: bool,
    /// A directory for `cc -E` to search for include files
    #[arg(short = 'I', value_name = "DIR")]
    pub include_directories: Vec<String>,
    /// A macro for `cc -E`
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub definitions: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Model {
    #[value(name = "ILP32")]
    Ilp32,
    #[value(name = "LP64")]
    Lp64,
}

impl From<Model> for DataModel {
    fn from(model: Model) -> DataModel {
        match model {
            Model::Ilp32 => DataModel::Ilp32,
            Model::Lp64 => DataModel::Lp64,
        }
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`; accepted are ms, s, min and h")),
    };
    let number: f64 = number.parse().map_err(|_| "accepted is a number and a unit, such as 60s".to_string())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let bytes: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "k" => 1000,
        "mb" | "m" => 1_000_000,
        "gb" | "g" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        _ => return Err(format!("unknown unit `{unit}`; accepted are B, kB, MB, GB, KiB, MiB and GiB")),
    };
    let number: f64 = number.parse().map_err(|_| "accepted is a number and a unit, such as 4GB".to_string())?;
    if number.is_finite() && number >= 0.0 { Ok((number * bytes as f64) as u64) } else { Err("not a size".into()) }
}

fn split_unit(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn limits() {
        assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
        assert_eq!(parse_time("2 min"), Ok(Duration::from_secs(120)));
        assert!(parse_time("-1s").is_err() && parse_time("s").is_err() && parse_time("1 week").is_err());
        assert_eq!(parse_size("4GB"), Ok(4_000_000_000));
        assert_eq!(parse_size("1.5KiB"), Ok(1536));
        assert!(parse_size("4 bananas").is_err() && parse_size("GB").is_err());
    }
}
