//! The text form of a program: written for people, read back exactly.
//!
//! `read(&write(p))` is [`same_program`] as `p` for every well-formed program: equal in everything but the source text,
//! of which the text form keeps only the file name, and in the order of interned expressions and places. Line and column
//! stand beside every span for people; the reader looks at the byte range, and gives the program a blank source in which
//! the spans have these lines and columns.
//!
//! ```text
//! tandem cfa 1                             the version of this format
//! file "a.c"
//! model LP64                               or ILP32
//! entry main                               or: entry none
//! record struct s#0 size 8 align 4 { a: int at 0; b: unsigned int at 4 bits 0 width 3; }
//! type#0 = int                             all types, in the order of their ids; types that follow need not be listed
//! global x#0: int @ 1:5 [4-5] = { 0: 5; }
//! function main#0: int(void) @ 2:5 [11-15] {
//!   local y#1: int @ 3:7 [30-31] scope [30-80]
//!   parameters
//!   locals y
//!   nodes n0 to n4 entry n0 exit n1
//!   edges e0 to e3
//!   loop n2 @ 4:3 [40-60]
//!   label again n2
//!   decision 0: if outcomes 2 @ 4:7 [44-49] statement [40-60]
//!   condition 0: decision 0 @ 4:7 [44-49]
//!   statement 0: n2 @ 4:3 [40-60]
//!   e0: n0 -> n2  declare y  @ 3:7 [30-31]
//!   e1: n2 -> n3  assume y < 5  @ 4:7 [44-49] condition 0 decision 0 = 1
//!   ...
//! }
//! ```
//!
//! Declarations carry the id of what they declare (`x#0`); a use carries it only where the name alone is ambiguous. Names
//! that are no identifiers or are words of this format stand in single quotes.
//!
//! Types are read from left to right: `int*[3]` is an array of three pointers, `int[3]*` a pointer to an array,
//! `int(char*, ...)` a function, `int(?)` one without a prototype, `int[]` incomplete, `int[vla#2]` of variable length,
//! `type#7` a type of the table.
//!
//! Expressions are C's, with these differences. There is no precedence: operators of different kinds need parentheses.
//! Every conversion is written. An expression has the type that follows from its parts; where it has another, `<type>`
//! stands before it: `<char>65`, `<int*>&array`, `<struct s>zero`. The same for a place is `{type: place}`. `fn f` is a pointer to a function;
//! `name(x)` is an intrinsic; `.#2` is a member by its number. Numbers beginning with `0x` are the bits of a constant.
//!
//! This module knows the model and the types; it must not know how a program came about.

mod lex;
mod names;
mod positions;
mod read;
mod read_function;
mod read_terms;
mod read_types;
mod same;
mod typed;
mod words;
mod write;
mod write_terms;

pub use lex::ReadError;
pub use read::read;
pub use same::same_program;
pub use write::write;

#[cfg(test)]
mod tests;
