//! Layers: solvers around a solver, each with one thing to add. None of them knows which solver is inside.
//!
//! A useful order, from the outside: [`Counting`], [`Cache`], [`Slicing`], [`QueryLog`], a back end. The cache looks components
//! up by itself; the slicing below it keeps what the back end has to be told small. The log has what was really asked then.

mod cache;
mod components;
mod counting;
mod cross;
mod generations;
mod log;
mod slicing;
mod stack;

pub use cache::{Cache, CacheCounters};
pub use counting::{Counting, SolverCounters};
pub use cross::{CrossCheck, Disagreement};
pub use log::QueryLog;
pub use slicing::{Slicing, SlicingCounters};
