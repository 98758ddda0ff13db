//! What every other crate stands on: typed ids, spans and source positions, budgets.
//!
//! This crate never knows another crate of the workspace.

mod budget;
mod hash;
mod id;
mod source;
mod turns;

pub use budget::{Budget, Cancel, StopReason};
pub use hash::{FastBuild, FastHasher};
pub use id::{Id, IdRange, IdVec};
pub use source::{Position, Problem, Severity, SourceText, Span, TokenPlace};
pub use turns::{Pace, Turn, Turns};
