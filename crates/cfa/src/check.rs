//! Well-formedness of a program: what every consumer of an automaton may rely on.
//!
//! Runs in time linear in the program, never panics and never changes anything. It knows the model and the types, but
//! not how a program came about. The invariants, by number:
//!
//! Ids and types
//!  1. Every id that is stored anywhere is in range, and so is every node, edge and variable id in a range or list.
//!  2. The parts of a type have smaller ids than the type, and no record contains itself except behind a pointer.
//!  3. No expression and no place contains itself.
//!
//! Functions and their graphs
//!  4. A function has a function type; the entry of the program has a body.
//!  5. The nodes of a body are neighbours, are marked with its function, and every node belongs to exactly one body.
//!  6. The edges of a body are neighbours; `out` of each node is the run of exactly the edges with this source.
//!  7. Edges, entry, exit, labels, loops and statements of a function refer to nodes of the same function.
//!  8. No edge leaves the exit, and an edge leads to the exit exactly if it is a `return`.
//!  9. A node with several edges has two, which assume the same condition: the first that it holds, the second that it
//!     does not, and both name the same condition of the source. No assume edge stands alone.
//! 10. A node without edges is the exit, or every edge into it ends the path: a call that never returns, an unreachable
//!     or killed place, an unsupported step.
//! 11. Every node but the exit can be reached from the entry, judging by the graph alone.
//!
//! Types of expressions and places
//! 12. A constant has scalar type and fits into its width: `Bits` up to 64 bits, `Wide` beyond; `_Bool` is 0 or 1.
//! 13. `Zero` has array or record type; a read has the type of its place, which is an object type.
//! 14. An address has the type pointer to its place's type, or to the element if that is an array; no bit-field has an
//!     address; a function's address is a pointer to the function's type.
//! 15. Operands of unary and binary operations, conversions and intrinsics are scalars, and typed as the model says.
//! 16. A place has the type of its variable, of what its pointer points to, of its member or of its array's element;
//!     members belong to the record; an index is an integer.
//! 17. Arrays and records are values only as a whole: `Zero` in assignments, reads in assignments, arguments and returns.
//!
//! Edges
//! 18. An assignment stores a value of the place's type, which has a size.
//! 19. Arguments of a call agree in number and type with a prototype; the result is stored in a place of the result type.
//! 20. A returned value has the function's result type, which is not `void`.
//! 21. An assumed condition is a scalar.
//! 22. A parameter, local or temporary is used and declared only in its own function.
//!
//! Data
//! 23. Parameters agree with the function's type if that has a prototype; the lists of a body hold exactly its
//!     parameters, and its locals and temporaries, each once.
//! 24. Only static objects have initial values: constants inside the object.
//! 25. A variable that is no scalar or whose address is taken says that it lives in memory.
//!
//! Decisions
//! 26. A decision has two outcomes (a `switch` or a computed jump: at least one); an outcome on an edge is one of them.
//! 27. An edge names only decisions and conditions of its own function, and a condition only if it assumes or skips.

mod data;
mod flow;
mod order;
mod ranges;
mod steps;
mod typing;

use std::fmt;

use tandem_syntax::types::{RecordId, TypeId};

use crate::model::*;

/// An invariant that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Its number in the list above.
    pub invariant: u8,
    pub place: Spot,
    /// What is wrong there, in one sentence without a full stop.
    pub text: String,
}

/// The part of a program that a violation is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    Program,
    Type(TypeId),
    Record(RecordId),
    Variable(VariableId),
    Function(FunctionId),
    Node(NodeId),
    Edge(EdgeId),
    Expr(ExprId),
    Place(PlaceId),
    Decision(DecisionId),
    Condition(ConditionId),
    /// By its number in [`Program::statements`].
    Statement(usize),
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spot::Program => f.write_str("program"),
            Spot::Type(id) => write!(f, "type {id}"),
            Spot::Record(id) => write!(f, "record {id}"),
            Spot::Variable(id) => write!(f, "variable {id}"),
            Spot::Function(id) => write!(f, "function {id}"),
            Spot::Node(id) => write!(f, "node {id}"),
            Spot::Edge(id) => write!(f, "edge {id}"),
            Spot::Expr(id) => write!(f, "expression {id}"),
            Spot::Place(id) => write!(f, "place {id}"),
            Spot::Decision(id) => write!(f, "{id}"),
            Spot::Condition(id) => write!(f, "{id}"),
            Spot::Statement(index) => write!(f, "statement {index}"),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (invariant {})", self.place, self.text, self.invariant)
    }
}

/// Everything that is wrong with the program; empty if it is well-formed.
///
/// Violations of the first three invariants are returned alone: what follows is not defined without them.
pub fn check(program: &Program) -> Vec<Violation> {
    let mut found = Found::default();
    ranges::check(program, &mut found);
    if !found.violations.is_empty() {
        return found.violations;
    }
    let Some(facts) = order::facts(program, &mut found) else {
        return found.violations;
    };
    flow::check(program, &mut found);
    typing::check(program, &mut found);
    steps::check(program, &facts, &mut found);
    data::check(program, &facts, &mut found);
    found.violations
}

/// The violations found so far.
#[derive(Default)]
struct Found {
    violations: Vec<Violation>,
}

impl Found {
    fn add(&mut self, invariant: u8, place: Spot, text: impl Into<String>) {
        self.violations.push(Violation { invariant, place, text: text.into() });
    }

    /// Notes a violation unless `holds`; the text is made only then.
    fn require(&mut self, holds: bool, invariant: u8, place: Spot, text: impl FnOnce() -> String) {
        if !holds {
            self.add(invariant, place, text());
        }
    }
}

#[cfg(test)]
mod tests;
