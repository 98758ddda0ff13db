//! The words of `tandem bench`. Says what may be written, does nothing.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::arguments::analysis_names;
use crate::arguments_net::OptionalServer;
use crate::quantity::{parse_size, parse_time};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Bench {
    #[command(subcommand)]
    pub action: Option<BenchAction>,
    /// Task sets (.set: a pattern of task definitions a line), task definitions (.yml), and patterns of both
    #[arg(value_name = "SET", required = true)]
    pub sets: Vec<PathBuf>,
    /// The analysis to use (default: that of `verify`)
    #[arg(long, value_name = "NAME", value_parser = analysis_names())]
    pub analysis: Option<String>,
    /// The plan to use: its name, or a plan file
    #[arg(long, value_name = "PLAN", conflicts_with = "analysis")]
    pub plan: Option<String>,
    /// Wall time for each task
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "20s")]
    pub time_limit: Duration,
    /// Memory for each task
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "8GB")]
    pub memory_limit: u64,
    /// How many tasks are worked on at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), default_value = "1")]
    pub jobs: u16,
    /// How many threads each task may use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Take only every K-th line of each set: lines 1, 1 + K, 1 + 2K, ...
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), default_value = "1")]
    pub every: u32,
    /// A directory for results.json, results.csv, table.md, report.html and what each task produces
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Go on with the run whose results are in the output directory: its answers are taken over
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Print one JSON object on stdout instead of text
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(long)]
    pub quiet: bool,
    /// Options for `verify`, after `--`
    #[arg(last = true, value_name = "OPTION")]
    pub passed_on: Vec<String>,
    #[command(flatten)]
    pub server: OptionalServer,
}

#[derive(Subcommand, Debug)]
pub enum BenchAction {
    /// Compare two runs, task by task
    ///
    /// Exit status: 0 no verdict is wrong and none contradicts that of the other run, 1 otherwise, 2 bad input.
    Compare(Compare),
    /// Count why there was no verdict, as a table
    Reasons(Reasons),
    /// Show the results of a run as a table, or of several runs side by side
    Table(Tables),
}

#[derive(Args, Debug)]
pub struct Tables {
    /// Output directories of `bench`, or their results.json
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Compare {
    /// An output directory of `bench`, or its results.json
    #[arg(value_name = "RUN")]
    pub first: PathBuf,
    /// Another one
    #[arg(value_name = "RUN")]
    pub second: PathBuf,
    /// A directory for compare.html
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print one JSON object on stdout instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Reasons {
    /// An output directory of `bench`, or its results.json
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
}

impl Bench {
    /// Whether standard output is for programs.
    pub fn json(&self) -> bool {
        match &self.action {
            Some(BenchAction::Compare(compare)) => compare.json,
            Some(BenchAction::Reasons(_) | BenchAction::Table(_)) => false,
            None => self.json,
        }
    }
}
