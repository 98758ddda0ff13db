//! Ranges of paths: a path is the sequence of its decisions, paths are ordered by their first different decision, and a range is
//! what lies between two of them.
//!
//! A decision is taken at a node with several edges, and is then the rank of the edge; and at a call through a pointer, and is then
//! the number of the function that is called. So both are known from the program alone, and a `switch`, a computed `goto` and a
//! call through a pointer are decisions with many outcomes. A path that ends before another, which begins with it, is the smaller
//! one.
//!
//! Knows no file, no analysis and no solver.

mod beginnings;
mod bound;
mod choices;
mod observe;

pub use beginnings::Beginnings;
pub use bound::{Bound, Bounds, Range};
pub use choices::{Decisions, choices_at};
pub use observe::{Chain, Standing};
