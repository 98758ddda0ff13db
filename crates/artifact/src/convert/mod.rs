//! From and to exchange automata: witnesses, condition automata, runs and tests.
//!
//! What others claim is no fact: a violation becomes a candidate, an invariant stays an invariant of an automaton without marks.
//! Reached is only what a run of the interpreter has reached. Every conversion says what it had to leave out ([`Converted::lost`]); the
//! table in `docs/gia.md` says what is kept and what is lost in general.
//!
//! Knows no file and no text format; `format` does. Names no analysis.

mod condition;
mod invariants;
mod join;
mod path;
mod places;
mod targets;
mod tests_of;
mod value;
mod violation;
mod witness;

pub use condition::{Trust, condition_of, gia_of_condition};
pub use invariants::{gia_of_correctness, invariants_of};
pub use join::{join_invariants, join_texts, loop_invariants};
pub use path::{NoPath, reached_path};
pub use places::{Places, Spot};
pub use targets::{error_targets, targets_of};
pub use tests_of::{PathTest, tests_of};
pub use value::asked;
pub use violation::{gia_of_automaton, gia_of_violation};
pub use witness::{Claim, ClaimInvariant, ClaimStep, automaton_of, claim_of, content_of};

/// What came out, and what could not be said in the other language.
#[derive(Clone, PartialEq, Debug)]
pub struct Converted<T> {
    pub value: T,
    /// One sentence each.
    pub lost: Vec<String>,
}

impl<T> Converted<T> {
    pub fn whole(value: T) -> Converted<T> {
        Converted { value, lost: Vec::new() }
    }
}
