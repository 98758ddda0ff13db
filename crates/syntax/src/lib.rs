//! C text to a typed tree, with problems that carry spans.
//!
//! This crate never fails on bad input (it returns what it understood, and the problems), does no IO and knows
//! no control-flow automaton. The front end crates it uses are not visible outside.

pub mod ast;
mod constant;
mod convert;
mod directives;
mod driver;
mod expression;
mod nesting;
mod scan;
mod stack;
mod statement;
pub mod types;
mod unit;

pub use directives::needs_preprocessor;
pub use nesting::DEEPEST;
pub use stack::on_large_stack;
pub use types::{DataModel, Scalar, Types};
pub use unit::{Parsed, Unit, parse, parse_after};
