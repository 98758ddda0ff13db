//! Configurable program analysis: what an analysis is, products of analyses, reached sets with their graph, exploration and
//! refinement.
//!
//! This crate never names a domain, a solver or a file format.

mod analysis;
mod explore;
mod flow;
mod observer;
mod order;
mod point;
mod reached;
mod relevance;
mod schedule;

pub use analysis::Analysis;
pub use explore::{Found, begin, begin_at, explore, explore_until, explore_within};
pub use flow::{Callees, Flow, Step, StepKind};
pub use observer::{AnyOf, Mode, Observer};
pub use order::{Order, Place};
pub use point::{Call, Point, StackId, Stacks};
pub use reached::{Entry, Reached, Search, StateId};
pub use schedule::Key;
