//! Programs from outside as machine code: compiled by the system's compiler together with C text of ours, and run in the sandbox.
//!
//! [`replay`] asks whether one run reaches the error with the real C library; [`attack`] tries many inputs; [`refute`]
//! tries them on a program with the invariants of a witness in its text. None of them knows an analysis.

pub mod attack;
mod compile;
mod instrument;
pub mod refute;
pub mod replay;
