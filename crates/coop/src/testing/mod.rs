//! Tests for the goals of a program, made by a tester that runs it and a verifier that proves what no run reaches. Each takes what
//! the other has settled and goes on with the rest.
//!
//! `goals` says what is to be covered, `board` what is settled, `tester` and `verifier` are the two sides, `outside` lets other programs take
//! part, `cycle` lets them work together, `select` makes the suite small.

mod board;
mod cycle;
mod exchange;
pub mod goals;
mod outside;
mod remote;
mod select;
mod tester;
mod verifier;

pub use board::{Accepted, Board, Status};
pub use cycle::{Options, TestPlan, cycle, cycle_with};
pub use exchange::{Given, gia_of, given};
pub use goals::{Criterion, Goal, ending_errors, goals, targets};
pub use remote::{Batches, cycle_elsewhere, tested, told};
pub use select::select;
