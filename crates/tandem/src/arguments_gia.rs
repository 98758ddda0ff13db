//! The words of `tandem gia`. Says what may be written, does nothing.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use crate::arguments::{Common, Model};

#[derive(Args, Debug)]
pub struct Gia {
    #[command(subcommand)]
    pub action: GiaAction,
}

#[derive(Subcommand, Debug)]
pub enum GiaAction {
    /// Draw an exchange automaton
    ///
    /// Unreachable is green, reached blue, candidate yellow. Without the program, edges are shown by their places only.
    Show(GiaShow),
    /// Check that an exchange automaton is well-formed and correct for a program
    ///
    /// The last line on standard output is `GIA: correct`, `GIA: incorrect (reason)` or `GIA: unknown (reason)`.
    /// Exit status: 0 correct, 1 incorrect, 2 bad input (also: not well-formed, about another program), 3 unknown.
    #[command(mut_arg("output", |argument| argument.hide(true)))]
    Check(GiaCheck),
    /// Write what is left of a program when the settled paths are taken out
    ///
    /// A path that is covered may stay where it cannot be told apart; no other path goes. With candidates, only these stay.
    Reduce(GiaReduce),
    /// Combine what several automata know
    ///
    /// Exit status: 0 done, 2 bad input, also if the automata contradict each other.
    Combine(GiaCombine),
    /// Convert between exchange automata, witnesses, condition automata, test suites and ranges
    ///
    /// What a file is, is told by its name (and content), or by --from and --to.
    Convert(GiaConvert),
}

#[derive(Args, Debug)]
pub struct GiaShow {
    /// An exchange automaton (gia.yml)
    #[arg(value_name = "GIA")]
    pub gia: PathBuf,
    /// The program it is about: C source (.c, .i) or a task definition (.yml)
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How to show it
    #[arg(long, value_enum, default_value = "text")]
    pub format: GiaFormat,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum GiaFormat {
    Text,
    Dot,
    Svg,
    Html,
}

#[derive(Args, Debug)]
pub struct GiaCheck {
    /// An exchange automaton (gia.yml)
    #[arg(value_name = "GIA")]
    pub gia: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Args, Debug)]
pub struct GiaReduce {
    /// An exchange automaton (gia.yml)
    #[arg(value_name = "GIA")]
    pub gia: PathBuf,
    /// The program it is about: C source (.c, .i) or a task definition (.yml)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which paths to take out: those that reach no target (ut), or those that have reached one (rt)
    #[arg(long, value_enum)]
    pub remove: Remove,
    /// The C file to write
    #[arg(long, value_name = "OUT.c")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Remove {
    /// Unreachable
    Ut,
    /// Reached
    Rt,
}

#[derive(Args, Debug)]
pub struct GiaCombine {
    /// Exchange automata (gia.yml)
    #[arg(value_name = "GIA", required = true)]
    pub automata: Vec<PathBuf>,
    /// The program they are about: C source (.c, .i) or a task definition (.yml)
    #[arg(long, value_name = "FILE")]
    pub program: PathBuf,
    /// The file to write
    #[arg(long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Args, Debug)]
pub struct GiaConvert {
    /// What to convert: gia.yml, witness.yml, witness.graphml, condition.spc, ranges.yml or a directory of test cases
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// What to write
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// The program: C source (.c, .i) or a task definition (.yml)
    #[arg(long, value_name = "FILE")]
    pub program: PathBuf,
    /// What IN is
    #[arg(long, value_enum, value_name = "KIND")]
    pub from: Option<Kind>,
    /// What OUT shall be
    #[arg(long, value_enum, value_name = "KIND")]
    pub to: Option<Kind>,
    /// Take what a condition automaton of another program calls verified for unreachable
    #[arg(long)]
    pub trust: bool,
    /// Look for a run that takes a path of a violation witness; its path is called reached
    #[arg(long)]
    pub replay: bool,
    /// Which of the ranges of a file: 1 is the one with the least paths
    #[arg(long, value_name = "K", default_value = "1")]
    pub range: usize,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kind {
    /// An exchange automaton (gia.yml)
    Gia,
    /// A witness of format 2.0 (YAML)
    Witness,
    /// A witness of format 1.0 (GraphML)
    WitnessGraphml,
    /// A condition automaton (.spc)
    Condition,
    /// A directory of test cases (Test-Comp)
    TestSuite,
    /// Bounds of ranges of paths (ranges.yml)
    Ranges,
}

/// How a program is read.
#[derive(Args, Debug)]
pub struct Reading {
    /// A property file (.prp) or a name, which says what the targets are
    #[arg(long, value_name = "P")]
    pub property: Option<String>,
    /// Sizes of C's types (default: the task's, or LP64)
    #[arg(long, value_name = "MODEL", value_enum, ignore_case = true)]
    pub data_model: Option<Model>,
    /// A directory for `cc -E` to search for include files
    #[arg(short = 'I', value_name = "DIR")]
    pub include_directories: Vec<String>,
    /// A macro for `cc -E`
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub definitions: Vec<String>,
}

impl Reading {
    /// As the other commands say it.
    pub fn common(&self, file: &Path) -> Common {
        Common {
            property: self.property.clone(),
            data_model: self.data_model,
            include_directories: self.include_directories.clone(),
            definitions: self.definitions.clone(),
            ..Common::of(file)
        }
    }
}
