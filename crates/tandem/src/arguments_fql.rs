//! The words of `tandem fql`. Says what may be written, does nothing.

use clap::{Args, Subcommand, ValueEnum};
use tandem_artifact::fql::Semantics;

use crate::arguments::Common;

#[derive(Args, Debug)]
pub struct Fql {
    #[command(subcommand)]
    pub action: FqlAction,
}

#[derive(Subcommand, Debug)]
pub enum FqlAction {
    /// List or count the test goals of a query, without looking for tests
    ///
    /// The last line on standard output is `Goals: N`. Exit status: 0 done, 2 bad input.
    #[command(mut_args(|argument| match argument.get_id().as_str() {
        "property" | "threads" | "output" => argument.hide(true),
        _ => argument,
    }))]
    Explain(Explain),
}

#[derive(Args, Debug)]
pub struct Explain {
    /// A query, such as 'cover @BASICBLOCKENTRY->@BASICBLOCKENTRY'
    #[arg(value_name = "QUERY")]
    pub query: String,
    #[command(flatten)]
    pub common: Common,
    /// Whose meaning of filters counts where the published tools differ
    #[arg(long, value_enum, value_name = "TOOL", default_value = "tiger")]
    pub fql_semantics: FqlSemantics,
    /// Count the goals, do not list them
    #[arg(long)]
    pub count: bool,
    /// List so many goals at most
    #[arg(long, value_name = "N", default_value = "1000")]
    pub limit: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FqlSemantics {
    Tiger,
    Fshell,
}

impl From<FqlSemantics> for Semantics {
    fn from(semantics: FqlSemantics) -> Semantics {
        match semantics {
            FqlSemantics::Tiger => Semantics::Tiger,
            FqlSemantics::Fshell => Semantics::FShell,
        }
    }
}
