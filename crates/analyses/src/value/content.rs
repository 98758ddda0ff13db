//! When a cell stands for all that another one stands for. Knows values, and nothing of stores.

use super::domain::{Value, is_address};
use crate::store::{Cell, Content, mixed};

/// How known numbers compare.
pub struct Numbers;

/// What a cell holds: one that was never written holds what comes from outside.
pub fn held(cell: &Cell<Value>) -> Value {
    match cell {
        Cell::Undefined => Value::Foreign,
        Cell::Zero => Value::Known(0),
        Cell::Start | Cell::Unknown => Value::Unknown,
        Cell::Value(value) => *value,
    }
}

impl Content<Value> for Numbers {
    fn covers(&self, old: &Cell<Value>, new: &Cell<Value>) -> bool {
        let (old, new) = (held(old), held(new));
        match old {
            Value::Unknown => true,
            Value::Foreign => match new {
                Value::Foreign => true,
                Value::Known(bits) => !is_address(bits),
                Value::Unknown | Value::Near(_) => false,
            },
            Value::Near(_) | Value::Known(_) => old == new,
        }
    }

    fn number(&self, cell: &Cell<Value>) -> u64 {
        match held(cell) {
            Value::Unknown => 0,
            Value::Foreign => 1,
            Value::Near(address) => mixed(2, address) | 4,
            Value::Known(bits) => mixed(mixed(3, bits as u64), (bits >> 64) as u64) | 4,
        }
    }
}
