//! The command line's words. Says what may be written, does nothing.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use tandem_syntax::DataModel;

use crate::quantity::{parse_size, parse_time};

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
    /// Prove or refute that the program reaches no error
    ///
    /// The last line on standard output is `Verdict: TRUE`, `Verdict: FALSE` or `Verdict: UNKNOWN (reason)`.
    /// Exit status: 0 proved, 1 refuted, 2 bad input, 3 unknown.
    Verify(Verify),
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

/// What the process as a whole has to keep to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
}

impl Command {
    fn common(&self) -> &Common {
        match self {
            Command::Cfa(cfa) => &cfa.common,
            Command::Exec(exec) => &exec.common,
            Command::Verify(verify) => &verify.common,
            Command::Smt(smt) => &smt.common,
        }
    }

    pub fn limits(&self) -> Limits {
        Limits { time: self.common().time_limit, memory: self.common().memory_limit }
    }

    /// Whether standard output is for programs.
    pub fn json(&self) -> bool {
        self.common().json
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
pub struct Verify {
    #[command(flatten)]
    pub common: Common,
    /// The analysis to use (default: the one that is best for most programs)
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(tandem_analyses::NAMES))]
    pub analysis: Option<String>,
}

impl Verify {
    /// The analysis asked for, or the one for those who ask for none.
    pub fn analysis(&self) -> &str {
        let names = tandem_analyses::NAMES;
        let default = names.iter().find(|name| **name == "default").or(names.first());
        self.analysis.as_deref().or(default.copied()).unwrap_or_default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }
}
