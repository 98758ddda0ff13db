//! SMT-LIB 2: terms, values and scripts as text, and scripts read back.

mod print;
mod symbol;

pub use print::{DisplaySort, DisplayTerm, DisplayValue, declarations, logic, script};
