//! What analyses, people and other programs exchange: tasks, properties, verdicts, test cases, test suites and
//! witnesses.
//!
//! Each artifact has a file of its own here; `format` has one file per outside dialect. Text comes in, a value or a
//! [`Problem`](tandem_base::Problem) with its place goes out. This crate never reads a file and never names an analysis.

mod assumption;
pub mod convert;
pub mod format;
pub mod fql;
pub mod gia;
mod identity;
pub mod job;
mod literal;
pub mod plan;
mod property;
pub mod range;
mod stamp;
mod task;
mod test_case;
mod test_inputs;
mod test_of_run;
mod trace;
mod verdict;
mod witness;
mod witness_automaton;

pub use assumption::{Assumption, AssumptionKind, VerdictBasis, VerdictNote};
pub use identity::{IdentityDifference, ProgramIdentity};
pub use literal::{Integer, Literal};
pub use property::{ErrorCall, Goals, Property};
pub use stamp::{iso_time, sha256_hex, uuid_of};
pub use task::{Task, TaskProperty};
pub use test_case::{Input, Metadata, TestCase};
pub use test_inputs::{RunInputs, TestInputs, bits};
pub use test_of_run::{input_of, literal, test_of_run};
pub use trace::{LINES, Step, Trace, What};
pub use verdict::{Caveat, Invariant, SolverGap, Verdict, Violation};
pub use witness::{
    Branch, ExpressionFormat, InvariantKind, Producer, Segment, Waypoint, WaypointKind, Witness, WitnessContent,
    WitnessExpression, WitnessInvariant, WitnessLocation, WitnessMetadata, WitnessTask, WitnessVersion,
};
pub use witness_automaton::{
    AutomatonKind, AutomatonMetadata, WitnessAutomaton, WitnessEdge, WitnessNode, WitnessNodeId,
};
