//! Test goals of coverage queries: for each goal a test that covers it, or a proof that none does, or neither.
//!
//! `board` says what is settled, `levels` which goals are asked about together and what follows from what, `worker` asks, `run` lets workers share what they
//! find, `probe` makes predicates a part of the program. What a test covers is what its replay has read; what no run covers is what the predicate analysis (or a walk through
//! a tree of paths) has excluded without caveats.

mod board;
mod levels;
mod probe;
mod run;
mod worker;

pub use board::{GoalBoard, GoalStatus, GoalTest};
pub use run::{Known, MultiGoalOptions, Switches, recheck, solve};
