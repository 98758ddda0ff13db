//! A solver of our own: terms to bits, bits to clauses, clauses to CaDiCaL; arrays and functions by lemmas on demand.
//!
//! Each file is one step: [`float`] (floats to bit-vector terms), [`translate`] and [`circuit`] (terms to words of the
//! [`graph`]), [`cnf`] (graph to clauses), [`sat`] (CaDiCaL), [`theory`] (lemmas), [`model`] (back to values).
//! Other solvers and the layers are not known here.

mod assignment;
mod circuit;
mod cnf;
mod float;
mod graph;
mod model;
mod sat;
mod scope;
mod solver;
mod theory;
mod translate;

pub use solver::{BlastSolver, BlastStatistics};
