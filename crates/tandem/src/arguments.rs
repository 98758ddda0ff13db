//! The command line's words. Says what may be written, does nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use tandem_analyses::{DEFAULT_RUN, described_names};
use tandem_coop::ranges::Splitter;
use tandem_syntax::DataModel;

use crate::arguments_bench::Bench;
use crate::arguments_fql::{Fql, FqlAction};
use crate::arguments_gia::{Gia, GiaAction, Reading};
use crate::arguments_net::{JobArguments, NetStatus, OptionalServer, Worker};
use crate::quantity::{parse_size, parse_time};

/// Analyses for C that work together.
#[derive(Parser, Debug)]
#[command(
    name = "tandem",
    version,
    long_version = crate::version::long(),
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
    /// Split the paths of a program into ranges; print the bounds between them
    ///
    /// A bound is a test case (Test-Comp) and the decisions of its path. With --output, also writes ranges.yml, the test cases, and
    /// each range as a C program.
    Split(Split),
    /// Write tests that cover a program, and prove of the rest that nothing covers it
    ///
    /// The last line on standard output is `Coverage: C covered, U unreachable, O open of G goals, T tests`.
    /// Exit status: 0 every goal is covered or proved unreachable, 2 bad input, 3 some goal is open.
    Test(Test),
    /// Carry out a plan: analyses and other programs that work together
    ///
    /// The last line on standard output is `Verdict: TRUE`, `Verdict: FALSE` or `Verdict: UNKNOWN (reason)`.
    /// Exit status: 0 proved, 1 refuted, 2 bad input, 3 unknown.
    Run(Run),
    /// Verify the tasks of task sets, check the verdicts against the expected ones, print a table
    ///
    /// Each task is verified by a process of its own. With --output, also writes a page with plots. Exit status: 0 no verdict is wrong,
    /// 1 some verdict is wrong, 2 bad input, 3 stopped before the end.
    Bench(Bench),
    /// Compile a program, run it on many inputs, and say whether a run reaches the error
    ///
    /// The program runs in a sandbox, plain and with the sanitizers of gcc. It proves nothing: it is for doubting proofs.
    /// Exit status: 0 no run reached the error, 1 some run did, 2 bad input, 3 it could not be compiled or run.
    Attack(Attack),
    /// Run an SMT-LIB 2 script
    ///
    /// Exit status: 0 every check was answered, 2 bad input, 3 a check was not answered.
    #[command(mut_arg("file", |file| file.help("An SMT-LIB 2 script (.smt2)")))]
    #[command(mut_args(|argument| match argument.get_id().as_str() {
        "property" | "data_model" | "include_directories" | "definitions" | "threads" | "output" => argument.hide(true),
        _ => argument,
    }))]
    Smt(Smt),
    /// Work with verification witnesses
    Witness(Witness),
    /// Work with exchange automata
    Gia(Gia),
    /// Work with coverage queries (FQL)
    Fql(Fql),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page, or write one for each command
    Man(Man),
    /// Work on jobs of a queue on a NATS server, until stopped
    ///
    /// `verify`, `test` and `bench` put jobs there with --nats. Each job is a process of its own. Exit status: 0 when stopped, 2 if the
    /// server cannot be used.
    Worker(Worker),
    /// Show what goes on in the queue on a NATS server
    Status(NetStatus),
    /// One job of a worker, from standard input
    #[command(hide = true)]
    Job(JobArguments),
}

#[derive(Args, Debug)]
pub struct Completions {
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct Man {
    /// A directory for the pages of all commands
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// The name under which an automaton from a file is trusted.
pub const GIA: &str = "gia";
/// The exchange between the analyses of the default run.
pub const EXCHANGE: &str = "exchange";

/// What the process as a whole has to keep to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
}

impl Command {
    /// The options that most commands have.
    fn common(&self) -> Option<&Common> {
        match self {
            Command::Attack(attack) => Some(&attack.common),
            Command::Cfa(cfa) => Some(&cfa.common),
            Command::Exec(exec) => Some(&exec.common),
            Command::Verify(verify) => Some(&verify.common),
            Command::Split(split) => Some(&split.common),
            Command::Witness(Witness { action: WitnessAction::Join(_) }) => None,
            Command::Test(test) => Some(&test.common),
            Command::Run(run) => Some(&run.common),
            Command::Smt(smt) => Some(&smt.common),
            Command::Witness(Witness { action: WitnessAction::Validate(validate) }) => Some(&validate.common),
            Command::Gia(Gia { action: GiaAction::Check(check) }) => Some(&check.common),
            Command::Gia(_) => None,
            Command::Fql(Fql { action: FqlAction::Explain(explain) }) => Some(&explain.common),
            // Its limits are those of each task.
            Command::Bench(_) => None,
            Command::Completions(_) | Command::Man(_) => None,
            Command::Worker(_) | Command::Status(_) | Command::Job(_) => None,
        }
    }

    pub fn limits(&self) -> Limits {
        if let Command::Job(job) = self {
            return Limits { time: job.time_limit, memory: job.memory_limit };
        }
        self.common()
            .map_or(Limits::default(), |common| Limits { time: common.time_limit, memory: common.memory_limit })
    }

    /// Whether standard output is for programs.
    pub fn json(&self) -> bool {
        match self {
            Command::Bench(bench) => bench.json(),
            Command::Status(status) => status.json,
            Command::Job(_) => true,
            _ => self.common().is_some_and(|common| common.json),
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
pub struct Attack {
    #[command(flatten)]
    pub common: Common,
    /// How long the program is run, such as 2s
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "2s")]
    pub seconds: Duration,
    /// A directory of test cases, which are tried first
    #[arg(long, value_name = "DIR")]
    pub suite: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Verify {
    #[command(flatten)]
    pub common: Common,
    /// The analysis to use (default: the one that is best for most programs); with --splitter or --bounds several, for the first
    /// range, the second, ...
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = analysis_names())]
    pub analysis: Vec<String>,
    /// Split the paths into ranges, which the analyses work on side by side: balanced, rdm, rdm9, lb3, lb10, lbN
    #[arg(long, value_name = "S", value_parser = parse_splitter, conflicts_with = "bounds")]
    pub splitter: Option<Splitter>,
    /// How many ranges
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000), requires = "splitter")]
    pub ranges: Option<u16>,
    /// The bounds of the ranges: ranges.yml of `split`, or a test case (XML)
    #[arg(long, value_name = "FILE")]
    pub bounds: Option<PathBuf>,
    /// Let nobody take over ranges of others
    #[arg(long)]
    pub no_steal: bool,
    /// A plan: cc-gia, cc-wit, cmc, invariants, testify, parallel, or a plan file (.yml)
    #[arg(long, value_name = "PLAN", conflicts_with = "analysis")]
    pub plan: Option<String>,
    /// An actor of the plan whose word is taken without a check
    #[arg(long, value_name = "NAME", requires = "plan")]
    pub trust: Vec<String>,
    /// Leave out a part of the default run, to see what it is worth; `exchange`: the analyses tell each other nothing
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new([EXCHANGE]), conflicts_with_all = ["analysis", "plan", "splitter", "bounds", "all", "nats"])]
    pub without: Vec<String>,
    /// Let every analysis work to its end, or to its share of the time limit (20 s each without one), and compare the answers: a contradiction
    /// is an internal error
    #[arg(long, conflicts_with_all = ["analysis", "plan", "splitter", "bounds", "nats"])]
    pub all: bool,
    /// Write what was found as SARIF, for editors and code-scanning views
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    #[command(flatten)]
    pub server: OptionalServer,
}

#[derive(Args, Debug)]
pub struct Run {
    /// A plan file (.yml), the name of a plan, or that of an actor
    #[arg(value_name = "PLAN")]
    pub plan: String,
    #[command(flatten)]
    pub common: Common,
    /// Show the plan and carry nothing out
    #[arg(long, value_name = "FORMAT", value_enum, num_args = 0..=1, default_missing_value = "text")]
    pub explain: Option<PlanFormat>,
    /// An actor whose word is taken without a check; `gia` for the automaton of --given
    #[arg(long, value_name = "NAME")]
    pub trust: Vec<String>,
    /// An exchange automaton to begin with: what it claims is checked first, and used as far as it was confirmed
    #[arg(long, value_name = "GIA", visible_alias = "gia")]
    pub given: Option<PathBuf>,
    /// Write what was found as SARIF, for editors and code-scanning views
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlanFormat {
    Text,
    Dot,
}

impl Run {
    /// The same as a command for tests, if the plan is one that makes tests.
    pub fn test(&self) -> Option<Test> {
        let plan: Vec<String> = self.plan.split(',').map(str::to_string).collect();
        plan.iter().any(|name| tandem_coop::testing::TestPlan::named(name).is_some()).then(|| Test {
            common: self.common.clone(),
            cover: None,
            fql_semantics: crate::arguments_fql::FqlSemantics::Tiger,
            without: Vec::new(),
            store: None,
            recheck: 0,
            batch: tandem_coop::testing::Options::default().batch as u32,
            plan,
            seed: 1,
            gia: self.given.clone(),
            trust: self.trust.clone(),
            server: OptionalServer::default(),
        })
    }
}

impl Verify {
    /// The analyses asked for, or the plan, or the analysis for those who ask for none.
    pub fn analyses(&self) -> Vec<&str> {
        if self.all {
            return vec!["all"];
        }
        if !self.analysis.is_empty() {
            return self.analysis.iter().map(String::as_str).collect();
        }
        vec![self.plan.as_deref().unwrap_or(DEFAULT_RUN)]
    }

    pub fn is_ranged(&self) -> bool {
        self.splitter.is_some() || self.bounds.is_some()
    }
}

#[derive(Args, Debug)]
pub struct Split {
    #[command(flatten)]
    pub common: Common,
    /// Where to cut: balanced, rdm, rdm9, lb3, lb10, lbN for any N, or several loop bounds such as lb1-3-10
    #[arg(long, value_name = "S", value_parser = parse_splitter, default_value = "lb3")]
    pub splitter: Splitter,
    /// How many ranges (default: 2, or one more than there are loop bounds)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub ranges: Option<u16>,
}

/// The names of the registered analyses and of the default run, each with what it is, for the help.
pub fn analysis_names() -> PossibleValuesParser {
    PossibleValuesParser::new(described_names().map(|(name, about)| PossibleValue::new(name).help(about)))
}

fn parse_splitter(name: &str) -> Result<Splitter, String> {
    Splitter::named(name).ok_or_else(|| format!("there is no splitter `{name}`; accepted is {}", Splitter::ACCEPTED))
}

#[derive(Args, Debug)]
pub struct Test {
    #[command(flatten)]
    pub common: Common,
    /// What is to be covered: branches, statements, conditions, error-call, calls, or an FQL query such as
    /// 'cover @BASICBLOCKENTRY->@BASICBLOCKENTRY' (default: what the property says, or branches)
    #[arg(long, value_name = "CRITERION")]
    pub cover: Option<String>,
    /// Of a query: whose meaning of filters counts where the published tools differ
    #[arg(long, value_enum, value_name = "TOOL", default_value = "tiger")]
    pub fql_semantics: crate::arguments_fql::FqlSemantics,
    /// Of a query: what is left out of what makes the search fast, to see what it is worth
    #[arg(long, value_name = "NAME,...", value_delimiter = ',',
          value_parser = PossibleValuesParser::new(tandem_coop::multigoal::Switches::NAMES))]
    pub without: Vec<String>,
    /// Of a query: a directory in which what is known stays from run to run
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Of a query: at the end, so many random runs that look for a goal that was called infeasible and is covered
    #[arg(long, value_name = "RUNS", default_value = "0")]
    pub recheck: u64,
    /// Inputs that the tester tries before the verifier begins, and between its turns if there is only one thread
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "100")]
    pub batch: u32,
    /// Who takes part: cotest (a tester and a verifier), concolic (the tester alone), conditional (two testers), coveritest (verifiers in
    /// turns), or testers from outside: afl, libfuzzer, klee; also several, as in cotest,afl
    #[arg(long, value_name = "PLAN,...", default_value = "cotest", value_delimiter = ',')]
    pub plan: Vec<String>,
    /// What random inputs are drawn from
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// An exchange automaton (gia.yml) about the same goals: what it calls unreachable is checked and then left alone, its reached paths
    /// are tried first
    #[arg(long, value_name = "GIA")]
    pub gia: Option<PathBuf>,
    /// Whose word is taken without a check: `gia` for the automaton of --gia
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new([GIA]))]
    pub trust: Vec<String>,
    #[command(flatten)]
    pub server: OptionalServer,
}

#[derive(Args, Debug)]
pub struct Smt {
    #[command(flatten)]
    pub common: Common,
}

#[derive(Args, Debug)]
pub struct Witness {
    #[command(subcommand)]
    pub action: WitnessAction,
}

#[derive(Subcommand, Debug)]
pub enum WitnessAction {
    /// Check a witness against a program
    ///
    /// The last line on standard output is `Witness: confirmed`, `Witness: rejected (reason)` or `Witness: unknown (reason)`.
    /// Exit status: 0 confirmed, 1 rejected, 2 bad input (also: a witness about another program), 3 unknown.
    #[command(mut_arg("output", |argument| argument.hide(true)))]
    Validate(Validate),
    /// Join correctness witnesses of parts of a program's runs into one for all of them
    Join(Join),
}

#[derive(Args, Debug)]
pub struct Join {
    /// Witnesses of format 2.x (YAML) or 1.0 (GraphML), and at last the program: C source (.c, .i) or a task definition (.yml)
    #[arg(value_name = "WITNESS... FILE", required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
    /// The file to write: of format 1.0 if its name ends in .graphml, else 2.0
    #[arg(long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

#[derive(Args, Debug)]
pub struct Validate {
    /// A witness of format 2.x (YAML) or 1.0 (GraphML)
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// An analysis that is not asked: for example the one that wrote the witness
    #[arg(long, value_name = "NAME", value_parser = analysis_names())]
    pub without: Option<String>,
    /// Ask no analysis: insert the invariants into the text of the program and run it many times, compiled and interpreted (10 s without
    /// --time-limit). The last line is `Witness: refuted (reason)`, exit status 1, or `Witness: not refuted (...)`, exit status 3
    #[arg(long, conflicts_with = "without")]
    pub refute: bool,
    #[command(flatten)]
    pub common: Common,
}

/// What most commands understand.
#[derive(Args, Clone, Debug)]
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

impl Common {
    /// A file, and nothing said about it; nobody looks on.
    pub fn of(file: &Path) -> Common {
        Common {
            file: file.to_path_buf(),
            property: None,
            data_model: None,
            time_limit: None,
            memory_limit: None,
            threads: None,
            output: None,
            json: false,
            quiet: true,
            include_directories: Vec::new(),
            definitions: Vec::new(),
        }
    }
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
