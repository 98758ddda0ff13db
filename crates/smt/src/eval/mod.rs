//! Evaluation of terms under a model. Iterative: terms may be millions of operators deep.
//!
//! Only what decides the value is evaluated: one branch of an if-then-else, and of a chain of stores the one that a
//! select hits.

mod array;
mod operation;

use std::collections::HashMap;

use tandem_base::FastBuild;

use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{RoundingMode, Sort};
use crate::value::{ArrayValue, BitVector, Model, Value};

pub(crate) use operation::apply;

impl Value {
    /// Whether this is a value of the sort (of arrays: whether it is an array at all).
    pub fn has_sort(&self, sort: Sort) -> bool {
        match (self, sort) {
            (Value::Bool(_), Sort::Bool) | (Value::Rounding(_), Sort::RoundingMode) => true,
            (Value::Bits(bits), Sort::Bv(width)) => bits.width() == width,
            (Value::Float(own, bits), Sort::Float(float)) => *own == float && bits.width() == float.width(),
            (Value::Element(own, _), Sort::Uninterpreted(_)) => *own == sort,
            (Value::Array(_), Sort::Array(_)) => true,
            _ => false,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_bits(&self) -> Option<&BitVector> {
        match self {
            Value::Bits(bits) => Some(bits),
            _ => None,
        }
    }
}

impl Terms {
    /// The value of a symbol that a model does not mention: zero, false, everywhere.
    pub fn default_value(&self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bv(width) => Value::Bits(BitVector::zero(width)),
            Sort::Float(sort) => Value::Float(sort, sort.zero(false)),
            Sort::RoundingMode => Value::Rounding(RoundingMode::NearestEven),
            Sort::Array(id) => {
                let default = self.default_value(self.array_sorts(id).1);
                Value::Array(ArrayValue { default, entries: Vec::new() }.into())
            }
            Sort::Uninterpreted(_) => Value::Element(sort, 0),
        }
    }

    /// The value of a term under a model.
    pub fn eval(&self, term: Term, model: &Model) -> Value {
        Evaluator::new(self, model).value(term)
    }

    /// Whether a boolean term is true under a model.
    pub fn holds(&self, term: Term, model: &Model) -> bool {
        self.eval(term, model) == Value::Bool(true)
    }

    /// The value of a term that is a constant.
    pub fn as_value(&self, term: Term) -> Option<Value> {
        match self.op(term) {
            Op::True => Some(Value::Bool(true)),
            Op::False => Some(Value::Bool(false)),
            Op::Bits(_) | Op::WideBits(_) => self.as_bv(term).map(Value::Bits),
            Op::Rounding(mode) => Some(Value::Rounding(mode)),
            Op::FloatFromBits(sort) => {
                let bits = self.as_bv(self.args(term)[0])?;
                Some(Value::Float(sort, softfloat::canonical(sort, &bits)))
            }
            _ => None,
        }
    }

    /// The term that has this value of this sort everywhere; `None` for elements of declared sorts.
    pub fn value_term(&self, value: &Value, sort: Sort) -> Option<Term> {
        match value {
            Value::Bool(value) => Some(self.bool(*value)),
            Value::Bits(bits) => Some(self.bv_value(bits)),
            Value::Float(sort, bits) => Some(self.float_value(*sort, bits)),
            Value::Rounding(mode) => Some(self.rounding(*mode)),
            Value::Element(..) => None,
            Value::Array(array) => {
                let Sort::Array(id) = sort else { return None };
                let (index, element) = self.array_sorts(id);
                let mut term = self.const_array(sort, self.value_term(&array.default, element)?);
                for (at, value) in &array.entries {
                    term = self.store(term, self.value_term(at, index)?, self.value_term(value, element)?);
                }
                Some(term)
            }
        }
    }
}

/// Evaluates terms under one model and remembers the values of all subterms.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    model: &'a Model,
    memo: HashMap<Term, Value, FastBuild>,
    stack: Vec<Term>,
    operands: Vec<Value>,
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, model: &'a Model) -> Evaluator<'a> {
        Evaluator { terms, model, memo: HashMap::default(), stack: Vec::new(), operands: Vec::new() }
    }

    pub fn value(&mut self, term: Term) -> Value {
        self.stack.push(term);
        while let Some(&top) = self.stack.last() {
            if self.memo.contains_key(&top) {
                self.stack.pop();
            } else if let Some(value) = self.step(top) {
                self.memo.insert(top, value);
                self.stack.pop();
            }
        }
        self.memo[&term].clone()
    }

    /// The value of a term, or `None` with what it needs first on the stack.
    fn step(&mut self, term: Term) -> Option<Value> {
        let node = self.terms.node(term);
        match node.op {
            Op::Variable(symbol) => Some(self.constant(symbol, node.sort)),
            Op::Ite => {
                let condition = self.need(node.args[0])?.as_bool().unwrap_or(false);
                self.need(node.args[if condition { 1 } else { 2 }]).cloned()
            }
            Op::Select => self.select(node.args[0], node.args[1]),
            Op::Store => self.store(term),
            Op::Apply(symbol) => {
                self.gather(&node.args)?;
                let function = self.model.functions.get(&symbol);
                let value = function.map(|table| table.entries.get(&self.operands).unwrap_or(&table.default));
                let value = value.filter(|value| value.has_sort(node.sort)).cloned();
                Some(value.unwrap_or_else(|| self.terms.default_value(node.sort)))
            }
            op => {
                self.gather(&node.args)?;
                let value = operation::apply(op, node.sort, &self.operands);
                let value = value.or_else(|| self.terms.as_value(term));
                Some(value.unwrap_or_else(|| self.terms.default_value(node.sort)))
            }
        }
    }

    fn constant(&self, symbol: u32, sort: Sort) -> Value {
        let value = self.model.constants.get(&symbol).filter(|value| value.has_sort(sort));
        value.cloned().unwrap_or_else(|| self.terms.default_value(sort))
    }

    fn need(&mut self, term: Term) -> Option<&Value> {
        let found = self.memo.get(&term);
        if found.is_none() {
            self.stack.push(term);
        }
        found
    }

    /// The values of all into `operands`, or `None` with the missing ones on the stack.
    fn gather(&mut self, args: &[Term]) -> Option<()> {
        let height = self.stack.len();
        self.operands.clear();
        for &arg in args {
            match self.memo.get(&arg) {
                Some(value) => self.operands.push(value.clone()),
                None => self.stack.push(arg),
            }
        }
        (self.stack.len() == height).then_some(())
    }
}
