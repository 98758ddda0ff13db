//! Configurable program analysis: what an analysis is, products of analyses, reached sets with their graph, exploration and
//! refinement.
//!
//! This crate never names a domain, a solver or a file format.
