//! Scripts: what a file of SMT-LIB commands asks for, over terms of a pool. Running them is a solver's part.

use tandem_base::Position;

use crate::pool::Term;
use crate::sort::Sort;

/// The commands of a file in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    pub commands: Vec<Located>,
}

impl Script {
    /// All asserted terms, whatever is pushed and popped.
    pub fn assertions(&self) -> Vec<Term> {
        let commands = self.commands.iter();
        commands
            .filter_map(|located| match &located.command {
                Command::Assert { term, .. } => Some(*term),
                _ => None,
            })
            .collect()
    }
}

/// A command and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Located {
    pub command: Command,
    pub position: Position,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    SetLogic(String),
    /// Name without its colon, and the value as it was written.
    SetOption(String, String),
    SetInfo(String, String),
    GetInfo(String),
    GetOption(String),
    DeclareSort(Sort),
    /// A constant or function, by its number in the pool, and the name it was given.
    Declare {
        name: String,
        symbol: u32,
    },
    /// Definitions are expanded where they are used.
    Define {
        name: String,
    },
    Assert {
        term: Term,
        name: Option<String>,
    },
    CheckSat,
    CheckSatAssuming(Vec<Term>),
    Push(usize),
    Pop(usize),
    GetModel,
    /// The terms with the text they were asked for by.
    GetValue(Vec<(String, Term)>),
    GetUnsatCore,
    GetUnsatAssumptions,
    GetAssertions,
    GetAssignment,
    Echo(String),
    Reset,
    ResetAssertions,
    Exit,
}
