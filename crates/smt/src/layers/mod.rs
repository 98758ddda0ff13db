//! Layers: solvers around a solver, each with one thing to add. None of them knows which solver is inside.
//!
//! A useful order, from the outside: [`Counting`], [`Slicing`], [`Cache`], [`QueryLog`], a back end. Slices are what
//! repeats, so the cache belongs inside the slicing; the log inside the cache has what was really asked.

mod cache;
mod counting;
mod cross;
mod generations;
mod slicing;
mod stack;

pub use cache::{Cache, CacheCounters};
pub use counting::{Counting, SolverCounters};
pub use cross::{CrossCheck, Disagreement};
pub use slicing::{Slicing, SlicingCounters};
