//! Analyses that work together: what is left of a program when an exchange automaton has settled the rest, and whether what an
//! automaton says is so.
//!
//! Never parses a file format and never reads a file.

pub mod actors;
pub mod check;
pub mod cooperation;
mod hints;
pub mod kernel;
pub mod multigoal;
pub mod outside;
pub mod plans;
pub mod queue;
pub mod ranges;
pub mod reduce;
pub mod settled;
pub mod testing;
mod words;

pub use hints::with_hints;
