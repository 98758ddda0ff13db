//! C source text, for any C tool, of a program whose functions have the shape of graphs over the edges of an automaton.
//!
//! The shapes say which edges are taken and in which order; they may leave edges out, take them several times, test
//! something in between, and stop. The text is complete: types with their exact layout, objects with their initialisers,
//! declarations of what is only called, and structured functions whose statements carry `#line` directives to the lines
//! they come from. Signed overflow wraps and types do not tell pointers apart, as everywhere here (`-fwrapv
//! -fno-strict-aliasing`).
//!
//! Nothing here knows why a shape is what it is.

mod condition;
mod data;
mod declare;
mod flow;
mod initial;
mod layout;
mod lifetime;
mod lines;
mod names;
mod outside;
mod plan;
mod print;
mod step;
mod structure;
mod tidy;
mod types;
mod used;

use tandem_base::{Id, Problem, Span};
use tandem_syntax::on_large_stack;

use crate::expression::Formula;
use crate::model::*;

/// A program to be written. Functions that are called or pointed to and are not among these are only declared.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    pub functions: Vec<Shape>,
}

/// A function: a graph of [`Knot`]s over the edges of the function it comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// It has this function's type, parameters and locals.
    pub original: FunctionId,
    /// No two shapes have the same name. Whoever points to the original function gets the shape that has its name.
    pub name: String,
    pub entry: usize,
    pub nodes: Vec<Knot>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Knot {
    /// One edge that is no assume: a step. Assumes: the first that passes is taken, and if none does the program stops here.
    /// No edge: the path ends here.
    Steps(Vec<Taken>),
    /// A test that is no step of the program. Its expressions are those of the program that is written.
    Test { condition: Formula, yes: usize, no: usize },
    /// Ends the program quietly.
    Stop,
    /// Goes where the exit code says with which the function called just before was left; the last for all other codes.
    Dispatch(Vec<(u32, usize)>),
    /// The end of the function.
    Exit,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Taken {
    pub edge: EdgeId,
    pub to: usize,
    /// Another name for the function that the edge calls directly.
    pub callee: Option<String>,
    /// On the edge of a `return`: the exit code to leave with.
    pub leave: Option<u32>,
}

/// Every function that has a body and is no model of a library function, as it is.
pub fn identity(program: &Program) -> Source {
    let own = program.functions.enumerate().filter(|(_, function)| !function.is_library);
    let shape = |(original, function): (FunctionId, &Function)| {
        let body = function.body.as_ref()?;
        let local = |node: NodeId| node.index() - body.nodes.start.index();
        let taken = |edge| Taken { edge, to: local(program.edges[edge].target), callee: None, leave: None };
        let knot = |node| match node == body.exit {
            true => Knot::Exit,
            false => Knot::Steps(program.out(node).iter().map(taken).collect()),
        };
        let nodes = body.nodes.iter().map(knot).collect();
        Some(Shape { original, name: function.name.to_string(), entry: local(body.entry), nodes })
    };
    Source { functions: own.filter_map(shape).collect() }
}

/// The text. `file` is the name of the program's file in `#line` directives.
///
/// Fails where a step or a type is not modelled and cannot be copied from the source either.
pub fn write(program: &Program, source: &Source, file: &str) -> Result<String, Problem> {
    let started = on_large_stack(|| declare::write(program, source, file));
    started
        .unwrap_or_else(|error| Err(Problem::error(Span::NONE, format!("cannot start a thread to write on: {error}"))))
}
