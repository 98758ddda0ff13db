//! The queue of jobs on NATS JetStream: many workers on many machines, one server (or a cluster of them) between them.
//!
//! The only crate that speaks to a network, and the only one with an asynchronous runtime: everything it offers blocks. It moves jobs, answers
//! and texts; it never looks at what they say beyond whether they are well-formed. What goes where is described in `docs/distributed.md`.

mod cluster;
mod connect;
mod coordinator;
mod names;
mod present;
mod results;
mod setup;
mod status;
mod texts;
mod trouble;
mod worker;

pub use cluster::Cluster;
pub use connect::Server;
pub use coordinator::{Coordinator, RunRecord};
pub use present::{Crew, Present};
pub use status::{RunStatus, Status};
pub use worker::Workplace;
