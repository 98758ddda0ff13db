//! The fast loop against the definitions, and memory.
