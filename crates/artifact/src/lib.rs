//! What analyses, people and other programs exchange: tasks, properties, verdicts, test cases and test suites.
//!
//! Each artifact has a file of its own here; `format` has one file per outside dialect. Text comes in, a value or a
//! [`Problem`](tandem_base::Problem) with its place goes out. This crate never reads a file and never names an analysis.

pub mod format;
mod literal;
mod property;
mod task;
mod test_case;
mod trace;
mod verdict;

pub use literal::{Integer, Literal};
pub use property::{ErrorCall, Goals, Property};
pub use task::{Task, TaskProperty};
pub use test_case::{Input, Metadata, TestCase};
pub use trace::{LINES, Step, Trace, What};
pub use verdict::{Caveat, Invariant, Verdict, Violation};
