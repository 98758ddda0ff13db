//! Control-flow automata of C programs.
//!
//! From the typed tree to an automaton whose edges assume, assign, call, return or skip ([`lower`]); its text form;
//! a well-formedness check; loops and dominators; one definition of what every operation of C computes
//! ([`semantics`]); the table of library functions; a concrete interpreter.
//!
//! This crate never names an analysis or a solver.

pub mod build;
pub mod c_print;
pub mod c_source;
pub mod check;
pub mod dot;
pub mod exec;
pub mod expression;
pub mod graph;
pub mod json;
pub mod library;
mod lower;
pub mod model;
pub mod points_to;
pub mod semantics;
pub mod source_flow;
pub mod text;

pub use build::{Built, build};
pub use model::*;
pub use tandem_syntax::types;
pub use tandem_syntax::{DataModel, Scalar, Types};
