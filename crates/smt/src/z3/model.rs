//! From Z3's models to values of our own.
//!
//! Numbers are read as numerals, floats by their encoding. Arrays and functions are read from their interpretations as
//! far as these are made of entries and a default (`as-array`, `store`, `const`: by name, which is stable between versions).
//! Where a version of Z3 answers with anything else, the selects and applications that occur in the terms are evaluated
//! one by one instead.

use std::collections::{BTreeMap, HashMap};

use num_bigint::BigUint;

use super::engine::Engine;
use super::ffi::{Ast, Binary, Decl, Error, Interpretation, Result, Session, Shape, Unary};
use super::floats;
use super::translate::{Translation, rounding_constant};
use crate::op::Op;
use crate::pool::Terms;
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::{BitVector, FunctionValue, Model, Value};

/// The model of the last check, which was `Sat`.
pub fn extract(terms: &Terms, engine: &mut Engine) -> Result<Model> {
    let Engine { session, translation, .. } = engine;
    session.load_model()?;
    let mark = session.mark();
    let mut reader = Reader { terms, session, translation, elements: HashMap::new() };
    let model = reader.model();
    session.release(mark);
    model
}

struct Reader<'a> {
    terms: &'a Terms,
    session: &'a mut Session,
    translation: &'a Translation,
    /// Elements of declared sorts, numbered as they are met, by the identity of Z3's tree.
    elements: HashMap<(Sort, u32), u32>,
}

impl Reader<'_> {
    fn model(&mut self) -> Result<Model> {
        let mut model = Model::default();
        let translation = self.translation;
        for &(symbol, decl) in &translation.symbols {
            let declared = self.terms.symbol(symbol);
            if !declared.parameters.is_empty() {
                if let Some(value) = self.function(symbol, decl)? {
                    model.functions.insert(symbol, value);
                }
            } else if let Some(found) = self.session.constant_interpretation(decl)? {
                let value = match self.value(found, declared.result) {
                    Ok(value) => value,
                    Err(_) => self.by_occurrence(decl, declared.result)?,
                };
                model.constants.insert(symbol, value);
            }
        }
        Ok(model)
    }

    fn value(&mut self, ast: Ast, sort: Sort) -> Result<Value> {
        match sort {
            Sort::Bool => self.session.bool_value(ast).map(Value::Bool).ok_or_else(|| no_value("boolean")),
            Sort::Bv(width) => self.bits(ast, width).map(Value::Bits),
            Sort::Float(float) => self.float(ast, float),
            Sort::RoundingMode => self.rounding(ast),
            Sort::Array(id) => {
                let (index, element) = self.terms.array_sorts(id);
                self.array(ast, index, element)
            }
            Sort::Uninterpreted(_) => {
                let fresh = self.elements.keys().filter(|(other, _)| *other == sort).count() as u32;
                let number = *self.elements.entry((sort, self.session.identity(ast))).or_insert(fresh);
                Ok(Value::Element(sort, number))
            }
        }
    }

    fn bits(&mut self, ast: Ast, width: u32) -> Result<BitVector> {
        if let Some(small) = self.session.small_value(ast) {
            return Ok(BitVector::new(width, u128::from(small)));
        }
        let digits = self.session.numeral_value(ast).ok_or_else(|| no_value("bit-vector"))?;
        let number: BigUint = digits.parse().map_err(|_| no_value("bit-vector"))?;
        Ok(BitVector::from_big(width, &number))
    }

    fn float(&mut self, ast: Ast, float: FloatSort) -> Result<Value> {
        let is_nan = self.session.unary(Unary::FloatIsNan, ast)?;
        let is_nan = self.session.eval(is_nan)?;
        if self.session.bool_value(is_nan).ok_or_else(|| no_value("float"))? {
            return Ok(Value::Float(float, BitVector::from_big(float.width(), &floats::canonical_nan(float))));
        }
        let encoding = self.session.unary(Unary::FloatToBits, ast)?;
        let encoding = self.session.eval(encoding)?;
        Ok(Value::Float(float, self.bits(encoding, float.width())?))
    }

    fn rounding(&mut self, ast: Ast) -> Result<Value> {
        for mode in RoundingMode::ALL {
            let constant = self.session.constant(rounding_constant(mode))?;
            let equal = self.session.binary(Binary::Eq, ast, constant)?;
            let equal = self.session.eval(equal)?;
            if self.session.bool_value(equal) == Some(true) {
                return Ok(Value::Rounding(mode));
            }
        }
        Err(no_value("rounding mode"))
    }

    fn array(&mut self, mut ast: Ast, index: Sort, element: Sort) -> Result<Value> {
        // The outermost store of an index is the one that counts: the first that is met.
        let mut entries: BTreeMap<Value, Value> = BTreeMap::new();
        let default = loop {
            if let Some(decl) = self.session.as_array(ast)? {
                let found = self.session.function_interpretation(decl)?.ok_or_else(|| no_value("array"))?;
                for (args, value) in &found.entries {
                    let &[at] = args.as_slice() else { return Err(no_value("array")) };
                    let (at, value) = (self.value(at, index)?, self.value(*value, element)?);
                    entries.entry(at).or_insert(value);
                }
                break self.value(found.default.ok_or_else(|| no_value("array"))?, element)?;
            }
            match self.session.shape(ast)? {
                Shape::Application(name, args) => match (name.as_str(), args.as_slice()) {
                    ("const", &[value]) => break self.value(value, element)?,
                    ("store", &[below, at, value]) => {
                        let (at, value) = (self.value(at, index)?, self.value(value, element)?);
                        entries.entry(at).or_insert(value);
                        ast = below;
                    }
                    _ => return Err(no_value("array")),
                },
                Shape::Numeral | Shape::Other => return Err(no_value("array")),
            }
        };
        Ok(self.terms.array_value(index, default, entries))
    }

    fn function(&mut self, symbol: u32, decl: Decl) -> Result<Option<FunctionValue>> {
        let declared = self.terms.symbol(symbol);
        let Some(found) = self.session.function_interpretation(decl)? else { return Ok(None) };
        match self.read_function(&found, &declared.parameters, declared.result) {
            Ok(value) => Ok(Some(value)),
            Err(_) => self.applications(symbol).map(Some),
        }
    }

    fn read_function(&mut self, found: &Interpretation, parameters: &[Sort], result: Sort) -> Result<FunctionValue> {
        let default = self.value(found.default.ok_or_else(|| no_value("function"))?, result)?;
        let mut entries = HashMap::new();
        for (args, value) in &found.entries {
            let args: Result<Vec<Value>> =
                args.iter().zip(parameters).map(|(&arg, &sort)| self.value(arg, sort)).collect();
            entries.insert(args?, self.value(*value, result)?);
        }
        Ok(FunctionValue { default, entries })
    }

    /// A function by its applications in the terms.
    fn applications(&mut self, symbol: u32) -> Result<FunctionValue> {
        let declared = self.terms.symbol(symbol);
        let mut entries = HashMap::new();
        let translation = self.translation;
        for (term, tree) in translation.translated() {
            if self.terms.op(term) != Op::Apply(symbol) {
                continue;
            }
            let mut args = Vec::new();
            for &arg in self.terms.args(term) {
                let tree = translation.known(arg).ok_or_else(|| no_value("function"))?;
                let value = self.session.eval(tree)?;
                args.push(self.value(value, self.terms.sort(arg))?);
            }
            let value = self.session.eval(tree)?;
            entries.insert(args, self.value(value, declared.result)?);
        }
        let default = entries.values().next().cloned().ok_or_else(|| no_value("function"))?;
        Ok(FunctionValue { default, entries })
    }

    /// A constant by what can be seen of it: an array at the indices that occur in the terms.
    fn by_occurrence(&mut self, decl: Decl, sort: Sort) -> Result<Value> {
        let tree = self.session.apply(decl, &[])?;
        let Sort::Array(id) = sort else {
            let value = self.session.eval(tree)?;
            return self.value(value, sort);
        };
        let (index, element) = self.terms.array_sorts(id);
        let mut entries: BTreeMap<Value, Value> = BTreeMap::new();
        let translation = self.translation;
        for (term, _) in translation.translated() {
            let (Op::Select | Op::Store, &[_, at, ..]) = (self.terms.op(term), self.terms.args(term)) else { continue };
            if self.terms.sort(at) != index {
                continue;
            }
            let at = translation.known(at).ok_or_else(|| no_value("array"))?;
            let at = self.session.eval(at)?;
            let selected = self.session.binary(Binary::Select, tree, at)?;
            let selected = self.session.eval(selected)?;
            entries.insert(self.value(at, index)?, self.value(selected, element)?);
        }
        let default = entries.values().next().cloned().ok_or_else(|| no_value("array"))?;
        Ok(self.terms.array_value(index, default, entries))
    }
}

fn no_value(what: &str) -> Error {
    Error(format!("the model's {what} is none that can be read"))
}
