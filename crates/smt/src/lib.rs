//! Terms over booleans, bit-vectors, IEEE floats, arrays and uninterpreted functions; solvers for them; interpolants.
//!
//! Terms are interned in a [`Terms`] pool that threads share; a [`Term`] is four bytes and two equal terms are the
//! same number. Solvers are values that a worker owns; layers around a solver are solvers themselves.
//!
//! This crate never knows C or a program.

mod auto;
mod bitvector;
mod blast;
pub mod c;
mod construct;
mod eval;
pub mod interpolate;
pub mod layers;
mod op;
mod pool;
mod script;
pub mod smtlib;
pub mod softfloat;
mod solver;
mod sort;
mod value;
mod walk;
mod z3;

pub use auto::{AutoCounters, AutoSolver};
pub use blast::{BlastSolver, BlastStatistics};
pub use eval::Evaluator;
pub use op::Op;
pub use pool::{Node, Symbol, Term, Terms};
pub use script::{ScriptRun, run_script};
pub use solver::{Answer, Solver, UnknownReason};
pub use sort::{FloatSort, RoundingMode, Sort};
pub use value::{ArrayValue, BitVector, FunctionValue, Model, Value};
pub use walk::{Importer, TermMap};
pub use z3::{Z3Mode, Z3Solver};

/// The solvers that are linked in, and their versions.
pub fn versions() -> String {
    format!("Z3 {}, CaDiCaL {}", z3::version(), cadical_sys::CaDiCal::version())
}
