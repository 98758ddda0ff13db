//! Intervals: sets of values of one scalar, for analyses that over-approximate.
//!
//! Every operation covers what [`tandem_cfa::semantics`] gives for all values in its arguments. Nothing here knows programs,
//! memory or paths.

mod bitwise;
mod convert;
pub mod domain;
mod floats;
mod operate;
mod range;
mod refine;
#[cfg(test)]
mod tests;

pub use domain::Interval;
pub use refine::refine;
