//! What an actor is: what it needs, what it gives, what it is allowed to say, and how it is asked.

use std::fmt;

use tandem_analyses::{Hint, LibraryValues, Task};
use tandem_artifact::gia::{Gia, Subject};
use tandem_artifact::{Caveat, ErrorCall, Invariant, TestCase, Violation, WitnessContent};
use tandem_base::Budget;
use tandem_cfa::Program;

use super::board::Known;

pub use tandem_analyses::Approximation;

/// The kinds of things that actors exchange.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    Program,
    Property,
    /// Exchange automata.
    Gia,
    /// Candidates, in an exchange automaton or a witness: paths that somebody should look at.
    Candidates,
    Witness,
    Tests,
    Verdict,
    /// Conditions worth tracking.
    Precision,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Program => "program",
            Kind::Property => "property",
            Kind::Gia => "exchange automaton",
            Kind::Candidates => "candidates",
            Kind::Witness => "witness",
            Kind::Tests => "test suite",
            Kind::Verdict => "verdict",
            Kind::Precision => "precision",
        })
    }
}

/// What is said of an actor before it works.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    pub name: String,
    pub about: String,
    pub needs: Vec<Kind>,
    pub gives: Vec<Kind>,
    pub approximates: Approximation,
    /// Whether what it says is a fact. If not, it is checked before anybody relies on it.
    pub trusted: bool,
}

/// What all actors of a run work on.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    pub program: &'a Program,
    pub error: &'a ErrorCall,
    pub subject: &'a Subject,
    pub threads: usize,
    /// Conditions worth tracking, over expressions of the program.
    pub hints: &'a [Hint],
    /// What is taken for the values of library functions on the way to an error.
    pub library_values: LibraryValues,
}

impl<'a> Setting<'a> {
    /// The task of verifying the program with so many threads.
    pub fn task(&self, threads: usize) -> Task<'a> {
        Task { library_values: self.library_values, ..Task::new(self.program, self.error, threads) }
    }
}

/// What a proof about the whole program, for which undefined behaviour was looked for, says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProofGround {
    UndefinedExcluded,
    UndefinedOpen,
}

/// What an actor has to say. All of it is in addition to what was known before.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    pub gia: Option<Gia>,
    /// Alarms that may be false, as candidates: worth a look, but nobody is to keep to them.
    pub alarms: Option<Gia>,
    /// A run of the program itself that was replayed to the error.
    pub violation: Option<Violation>,
    pub tests: Vec<TestCase>,
    /// A witness for the violation of the property, not checked.
    pub witness: Option<WitnessContent>,
    /// Facts that support a proof.
    pub invariants: Vec<Invariant>,
    /// Conditions worth tracking, at loops.
    pub precision: Vec<Invariant>,
    /// Why there is no more.
    pub caveats: Vec<Caveat>,
    /// Set with a proof about the whole program, of which it is known whether its runs are defined.
    pub proof: Option<ProofGround>,
    /// A word for the journal.
    pub note: String,
}

/// Who works.
pub trait Actor<'a> {
    fn act(&mut self, setting: Setting<'a>, known: &Known, budget: &Budget) -> Delivery;
}

/// Those who can be asked for by name.
pub trait Cast: Sync {
    fn names(&self) -> Vec<String>;

    fn declaration(&self, name: &str) -> Option<Declaration>;

    /// The actors of one thread of a plan; they live as long as it works.
    fn troupe<'a>(&'a self, setting: Setting<'a>) -> Box<dyn Troupe<'a> + 'a>;
}

/// The actors of one thread. Who works several times remembers the times before.
pub trait Troupe<'a> {
    fn actor(&mut self, name: &str) -> Option<&mut dyn Actor<'a>>;
}
