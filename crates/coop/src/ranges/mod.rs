//! Ranged program analysis: a program's paths are split into ranges, and analyses work on the ranges side by side.
//!
//! A range is an observer ([`RangeObserver`]): where a path stands between the bounds is part of the point, so every
//! registered analysis that keeps to an observer works on a range without knowing of it. [`sprint`] tries without ranges, [`split`] chooses the bounds, [`verify_ranges`] lets analyses work on the ranges and
//! take over from each other, [`range_gia`] says a range as an exchange automaton, from which the reducer makes C.
//!
//! Reads no file and knows no file format.

mod balanced;
mod compile;
mod induced;
mod loop_bound;
mod observer;
mod open;
mod pieces;
mod random;
mod remote;
mod run;
mod share;
mod split;
mod sprint;
mod weight;
mod witness;

pub use compile::{range_candidates, range_gia, stray};
pub use induced::{Induced, induced};
pub use observer::{BeginningsObserver, RangeObserver};
pub use open::range_of_gia;
pub use remote::{believed, checked, verify_elsewhere, verify_range};
pub use run::{Plan, RangedOutcome, verify_ranges};
pub use split::{Cut, Split, Splitter, split};
pub use sprint::{Sprint, sprint};
pub use witness::joined_invariants;
