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
        match self.fold(id)? {
            Const::Int(value) => Some(wrap(value, self.scalar_of(self.type_of(id))?)),
            _ => None,
        }
    }

    /// Evaluates an expression as C allows it in the initialiser of a static object: to `Integer`, `Float`, `Address` or
    /// `LabelDifference`.
    pub fn constant_expression(&self, id: ExprId) -> Option<ExpressionKind> {
        let value = self.fold(id)?;
        match self.constant_kind(value, self.type_of(id)) {
            ExpressionKind::Unsupported(_) => None,
            kind => Some(kind),
        }
    }

    fn fold(&self, id: ExprId) -> Option<Const> {
        let mut eval = Eval::new(&self.tree, &self.raw_types, &self.target, &self.names).objects(true);
        let value = eval.initializer(raw_id(id)).ok()?;
        eval.finish().is_empty().then_some(value)
    }
}
