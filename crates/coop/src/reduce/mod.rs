//! Reducers: the residual program of an exchange automaton.
//!
//! The ut-reducer takes away the paths that are proved to reach no target, the rt-reducer those that have reached one; with candidates,
//! everything that is no candidate goes, too. A covered path may stay, an open path may never go. So wherever the reducer cannot follow
//! the automaton exactly (a call through a pointer, a condition that cannot be tested safely, more states than the program may
//! grow by) it forgets what is covered, and what it forgets stays in the program.
//!
//! The residual is the product of the program and the automaton: nodes with the set of states that runs of the automaton may be in.
//! After a step whose transitions have conditions, these are tested in the program (a test is no step of a path), so that the
//! set is known exactly. Functions are cloned for each set they are entered with; a clone that can be left with several sets says
//! by an exit code which it was.

mod explore;
mod follow;
mod prune;
mod shape;

use std::collections::HashSet;

use tandem_artifact::gia::{Gia, Mark};
use tandem_base::Problem;
use tandem_cfa::c_source::{self, Knot, Source};
use tandem_cfa::{EdgeId, Op, Program};

/// What is left of a program.
pub struct Residual {
    /// The program, with the expressions that the tests need.
    pub program: Program,
    pub source: Source,
    /// Whether something was cut off at all.
    pub reduced: bool,
    /// Whether something that is covered had to stay because the residual would have grown too large.
    pub bounded: bool,
}

impl Residual {
    /// The edges that are left.
    pub fn edges(&self) -> HashSet<EdgeId> {
        let mut edges = HashSet::new();
        for shape in &self.source.functions {
            let mut seen = vec![false; shape.nodes.len()];
            let mut open = vec![shape.entry];
            while let Some(knot) = open.pop() {
                if std::mem::replace(&mut seen[knot], true) {
                    continue;
                }
                match &shape.nodes[knot] {
                    Knot::Steps(steps) => {
                        for step in steps {
                            // A step to a stop is one that was taken out, unless it calls a function that does not come back.
                            if step.callee.is_some() || !matches!(shape.nodes[step.to], Knot::Stop) {
                                edges.insert(step.edge);
                                open.push(step.to);
                            }
                        }
                    }
                    Knot::Test { yes, no, .. } => open.extend([*yes, *no]),
                    Knot::Dispatch(ways) => open.extend(ways.iter().map(|(_, to)| *to)),
                    Knot::Stop | Knot::Exit => {}
                }
            }
        }
        edges
    }

    /// The residual as C. `file` is what its lines are said to come from.
    pub fn c_text(&self, file: &str) -> Result<String, Problem> {
        c_source::write(&self.program, &self.source, file)
    }
}

/// The residual of a program without the paths that the automaton covers with `remove`, [`Mark::Unreachable`] or [`Mark::Reached`].
/// Calls to `error_functions` are errors, whether they have a body or not.
pub fn reduce(program: &Program, gia: &Gia, remove: Mark, error_functions: &[&str]) -> Residual {
    let gia = tandem_artifact::gia::minimise(gia);
    let mut program = program.clone();
    let mut exploration = explore::explore(&mut program, &gia, remove, error_functions);
    prune::prune(&mut exploration);
    let source = shape::source(&program, &exploration);
    Residual { program, source, reduced: exploration.reduced, bounded: exploration.bounded }
}

/// How large the functions of a program are that the user wrote: their edges.
pub fn size(program: &Program) -> usize {
    let own = program.functions.iter().filter(|function| !function.is_library);
    let bodies = own.filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| body.edges.iter()).filter(|edge| !matches!(program.edges[*edge].op, Op::Declare(_))).count()
}
