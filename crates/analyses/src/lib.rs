//! Analyses of C programs, the registry that lists them, and the catalog of everything that can be asked for by name.
//!
//! This crate never prints, times, logs or reads options: a task and a budget go in, an [`Outcome`] comes out.

pub mod arg;
mod basis;
pub mod blocks;
pub mod bmc;
pub mod catalog;
pub mod compare;
pub mod concolic;
mod cubes;
pub mod encode;
pub mod exchange;
pub mod export;
pub mod formula;
pub mod goal_paths;
pub(crate) mod induction;
pub mod interval;
pub mod invariant;
pub mod paths;
mod plan;
pub mod predicate;
mod query;
mod random;
pub mod registry;
pub mod replay;
pub mod store;
pub mod symbolic;
mod task;
pub mod trail;
mod undefined;
pub mod validate;
pub mod value;
pub mod witness;

pub use basis::basis;
pub use catalog::{DEFAULT_RUN, NAMES, described_names, is_shareable, verify, verify_shared, with_facts};
pub use random::DEFAULT_RUN_RUNS;
pub use registry::{ANALYSES, AnalysisEntry, Approximation, ContributionKind};
pub use symbolic::Share;
pub use task::{Hint, LibraryValues, NativeConfirmation, Outcome, Task};
pub use undefined::{UndefinedFinding, sift};
