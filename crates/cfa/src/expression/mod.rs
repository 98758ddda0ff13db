//! C expressions from text: the invariants and assumptions that others write about a program.
//!
//! The expressions have no side effects and mean what they would mean at one place of the source: names are those in
//! scope there, types and conversions are C's, and the result is interned in the program, equal to what lowering makes of
//! the same text. Short-circuit operators have no form in the automaton's expressions, so a condition is a [`Formula`]
//! over expressions: its parts are to be evaluated from left to right, as far as needed, and no further.
//!
//! What the program no longer knows (names declared in ways [`Names`] does not follow) is refused, never guessed.
//! Nothing here knows a witness format or an analysis.

mod lex;
mod literal;
mod make;
mod names;
mod parse;
mod place;
#[cfg(test)]
mod tests;
mod type_name;
mod value;

use tandem_base::{Problem, Span};
use tandem_syntax::on_large_stack;

use crate::model::{ExprId, FunctionId, PlaceId, Program};
pub use names::Names;
use value::Typing;

/// The place of the source an expression is about.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Made once for the program, for any number of texts.
    pub names: &'a Names,
    pub function: FunctionId,
    /// The byte of the source whose scope counts.
    pub at: u32,
    /// What `\result` means, if it means anything.
    pub result: Option<PlaceId>,
}

/// A condition. An atom holds if its (scalar) expression compares unequal to zero. Parts are evaluated from left to right until
/// the outcome is settled: what comes later may be undefined then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    Atom(ExprId),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

impl Formula {
    /// The expressions in it, from left to right.
    pub fn atoms(&self) -> Vec<ExprId> {
        let mut atoms = Vec::new();
        let mut open = vec![self];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Atom(expr) => atoms.push(*expr),
                Formula::Not(inner) => open.push(inner),
                Formula::And(parts) | Formula::Or(parts) => open.extend(parts.iter().rev()),
            }
        }
        atoms
    }
}

/// Reads an expression of scalar type. Spans of problems are in `text`.
pub fn parse_expression(program: &mut Program, context: Context<'_>, text: &str) -> Result<ExprId, Problem> {
    read(program, context, text, |program, tree| {
        let mut typing = Typing::new(program, context, tree);
        let value = typing.scalar_value(tree.root)?;
        Ok(value.expr)
    })
}

/// Reads a condition. Spans of problems are in `text`.
pub fn parse_formula(program: &mut Program, context: Context<'_>, text: &str) -> Result<Formula, Problem> {
    read(program, context, text, |program, tree| {
        let mut typing = Typing::new(program, context, tree);
        typing.formula(tree.root)
    })
}

/// Texts with fewer tokens than this cannot nest deeply enough to exhaust a stack.
const SHALLOW: usize = 200;

fn read<T: Send>(
    program: &mut Program,
    context: Context<'_>,
    text: &str,
    make: impl FnOnce(&mut Program, &parse::Tree) -> Result<T, Problem> + Send,
) -> Result<T, Problem> {
    let tokens = lex::tokens(text)?;
    let all = || {
        let tree = {
            let is_type = |name: &str| context.names.is_type(program, context.function, context.at, name);
            parse::parse(text, &tokens, &is_type)?
        };
        make(program, &tree)
    };
    if tokens.len() < SHALLOW {
        return all();
    }
    let started = on_large_stack(all);
    started.unwrap_or_else(|error| Err(problem(Span::NONE, format!("cannot start a thread to read on: {error}"))))
}

fn problem(span: Span, message: impl Into<String>) -> Problem {
    Problem::error(span, message)
}
