//! Constant evaluation on the unit, with the front end's folder; nothing in the tree changes.

use rucc_sema::{Const, Eval};

use crate::ast::{ExprId, ExpressionKind};
use crate::expression::wrap;
use crate::unit::{Unit, raw_id};

impl Unit {
    /// Evaluates an expression as an integer constant, if it is one (no side effects, no error).
    ///
    /// A constant whose evaluation has undefined behaviour (`5/0`, `INT_MAX + 1`) is not one.
    pub fn constant(&self, id: ExprId) -> Option<i128> {
        let mut eval = self.folder();
        let value = eval.constant(raw_id(id)).ok()?;
        match value {
            Const::Int(value) if eval.finish().is_empty() => Some(wrap(value, self.scalar_of(self.type_of(id))?)),
            _ => None,
        }
    }

    /// Evaluates an expression as gcc does in the initialiser of a static object: to `Integer`, `Float`, `Address` or
    /// `LabelDifference`.
    pub fn constant_expression(&self, id: ExprId) -> Option<ExpressionKind> {
        let mut eval = self.folder().objects(true);
        let value = eval.initializer(raw_id(id)).ok()?;
        if !eval.finish().is_empty() {
            return None;
        }
        match self.constant_kind(value, self.type_of(id)) {
            ExpressionKind::Unsupported(_) => None,
            kind => Some(kind),
        }
    }

    fn folder(&self) -> Eval<'_> {
        Eval::new(&self.tree, &self.raw_types, &self.target, &self.names)
    }
}
