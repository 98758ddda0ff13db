//! Analyses of C programs, and the catalog that names them.
//!
//! This crate never prints, times, logs or reads options: a task and a budget go in, an [`Outcome`] comes out.

pub mod blocks;
mod bmc;
pub mod catalog;
pub mod concolic;
pub mod encode;
pub mod export;
pub mod formula;
mod induction;
pub mod interval;
pub mod invariant;
mod plan;
pub mod predicate;
mod query;
mod random;
pub mod replay;
pub mod store;
mod symbolic;
mod task;
pub mod trail;
mod undefined;
pub mod validate;
mod value;
pub mod witness;

pub use catalog::{NAMES, verify};
pub use task::{Hint, Outcome, Task};
