//! FQL: coverage criteria as queries, and the test goals they stand for.
//!
//! [`parse`] reads a query of either published dialect; [`Goals`] says which goals it has for a program. A goal is an automaton over the
//! letters of a run ([`Letters`]): its edges, and the moments when functions are entered and left. Goals are made when they are asked for,
//! and what a run covers is found for all of them at once where the form of the query allows it.
//!
//! Nothing here asks whether a goal can be reached: no analysis, no solver, no file.

mod automaton;
mod batch;
mod blocks;
mod chain;
mod family;
mod filter;
mod goal;
mod goals;
mod letters;
mod lex;
mod minimise;
mod parse;
mod parse_filter;
mod paths;
mod patterns;
mod print;
mod set;
mod steps;
mod tree;
mod uses;

pub use batch::{Batch, Link, PathTree};
pub use goal::{Goal, GoalTransition, Guard, Test};
pub use goals::Goals;
pub use letters::{Letter, Letters};
pub use minimise::minimise;
pub use parse::parse;
pub use tree::{Anchored, Filter, FilterKind, Joint, Pattern, PatternKind, Query, Repetition, StatementType};

/// Whose meaning of filters counts where the published tools differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Semantics {
    /// CPA/tiger.
    #[default]
    Tiger,
    /// FShell 2.
    FShell,
}
