//! Cooperation: actors, what they exchange, and plans that say who works when. The journal of a run is data.

mod actor;
mod board;
mod doubt;
mod journal;
mod run;
mod split;
mod typing;

pub use actor::{Actor, Approximation, Cast, Declaration, Delivery, Kind, ProofGround, Setting, Troupe};
pub use board::Known;
pub use doubt::checked_gia;
pub use journal::{Entry, Size};
pub use run::{Performance, Tell, perform};
pub use typing::{IllTyped, check};
