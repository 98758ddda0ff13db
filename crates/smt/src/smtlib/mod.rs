//! SMT-LIB 2: terms, values and scripts as text, and scripts read back.

mod expression;
mod print;
mod read;
mod scope;
mod script;
mod symbol;
mod text;
mod theory;

pub use print::{DisplaySort, DisplayTerm, DisplayValue, declarations, logic, script};
pub use read::read_script;
pub use script::{Command, Located, Script};
pub use text::ReadError;
