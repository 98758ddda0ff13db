//! The translation unit: what [`parse`] returns and everyone else walks.

use tandem_base::{Problem, SourceText};

use crate::ast::*;
use crate::types::{DataModel, Types, VlaId};

/// A typed translation unit.
pub struct Unit {}

/// What the front end made of a text. With a problem of severity `Error`, the unit is not to be used.
pub struct Parsed {
    pub unit: Unit,
    pub problems: Vec<Problem>,
}

/// Reads a preprocessed C text. Needs a large stack for deeply nested input: runs on a thread of its own.
pub fn parse(source: &SourceText, model: DataModel) -> Parsed {
    let _ = (source, model);
    todo!()
}

impl Unit {
    pub fn types(&self) -> &Types {
        todo!()
    }

    /// Takes the types out, for the program that is made from this unit.
    pub fn take_types(&mut self) -> Types {
        todo!()
    }

    /// Objects and functions at file scope, each once, in the order they were declared.
    pub fn top_level(&self) -> Vec<DeclId> {
        todo!()
    }

    pub fn declaration(&self, id: DeclId) -> Declaration {
        let _ = id;
        todo!()
    }

    pub fn expression(&self, id: ExprId) -> Expression {
        let _ = id;
        todo!()
    }

    pub fn statement(&self, id: StmtId) -> Statement {
        let _ = id;
        todo!()
    }

    pub fn label(&self, id: LabelId) -> Label {
        let _ = id;
        todo!()
    }

    /// The bytes of a string literal as they lie in memory, terminating zero included.
    pub fn string(&self, id: StringId) -> Vec<u8> {
        let _ = id;
        todo!()
    }

    /// The expression that gives the number of elements of a variable-length array type.
    pub fn vla_size(&self, id: VlaId) -> ExprId {
        let _ = id;
        todo!()
    }

    /// Evaluates an expression as an integer constant, if it is one (no side effects, no error).
    pub fn constant(&self, id: ExprId) -> Option<i128> {
        let _ = id;
        todo!()
    }
}
