//! The names of a script: declarations, definitions and sorts, undone by `pop`.

use std::collections::HashMap;

use super::text::{NodeId, Nodes, ReadError};
use crate::pool::{Term, Terms};
use crate::softfloat;
use crate::sort::{FloatSort, Sort};

/// The widest bit-vector that is read.
pub(super) const MAXIMAL_WIDTH: u32 = 1 << 20;

const SORT_DEPTH: usize = 200;

#[derive(Clone)]
pub(super) enum Meaning {
    /// A declared constant or function.
    Symbol(u32),
    /// A definition: its parameters as variables that no script can name, and its body.
    Definition(Vec<Term>, Term),
}

#[derive(Clone)]
enum SortMeaning {
    Declared(Sort),
    Defined { parameters: Vec<String>, body: NodeId },
}

/// What a level of the assertion stack hides or adds: the name and what it meant before.
enum Undo {
    Symbol(String, Option<Meaning>),
    Sort(String, Option<SortMeaning>),
    Level,
}

pub(super) struct Scope {
    pub terms: Terms,
    symbols: HashMap<String, Meaning>,
    sorts: HashMap<String, SortMeaning>,
    undo: Vec<Undo>,
}

impl Scope {
    pub fn new(terms: &Terms) -> Scope {
        Scope { terms: terms.clone(), symbols: HashMap::new(), sorts: HashMap::new(), undo: Vec::new() }
    }

    pub fn symbol(&self, name: &str) -> Option<&Meaning> {
        self.symbols.get(name)
    }

    pub fn has_sort(&self, name: &str) -> bool {
        self.sorts.contains_key(name)
    }

    pub fn define(&mut self, name: &str, meaning: Meaning) {
        let before = self.symbols.insert(name.to_owned(), meaning);
        self.undo.push(Undo::Symbol(name.to_owned(), before));
    }

    pub fn declare_sort(&mut self, name: &str) -> Sort {
        let sort = self.terms.declare_sort(name);
        self.add_sort(name, SortMeaning::Declared(sort));
        sort
    }

    pub fn define_sort(&mut self, name: &str, parameters: Vec<String>, body: NodeId) {
        self.add_sort(name, SortMeaning::Defined { parameters, body });
    }

    fn add_sort(&mut self, name: &str, meaning: SortMeaning) {
        let before = self.sorts.insert(name.to_owned(), meaning);
        self.undo.push(Undo::Sort(name.to_owned(), before));
    }

    pub fn push(&mut self) {
        self.undo.push(Undo::Level);
    }

    /// Undoes one level; false if there is none.
    pub fn pop(&mut self) -> bool {
        if !self.undo.iter().any(|entry| matches!(entry, Undo::Level)) {
            return false;
        }
        while let Some(entry) = self.undo.pop() {
            match entry {
                Undo::Level => break,
                Undo::Symbol(name, Some(before)) => drop(self.symbols.insert(name, before)),
                Undo::Symbol(name, None) => drop(self.symbols.remove(&name)),
                Undo::Sort(name, Some(before)) => drop(self.sorts.insert(name, before)),
                Undo::Sort(name, None) => drop(self.sorts.remove(&name)),
            }
        }
        true
    }

    pub fn sort(&self, nodes: &Nodes, at: NodeId) -> Result<Sort, ReadError> {
        self.sort_with(nodes, at, &HashMap::new(), SORT_DEPTH)
    }

    fn sort_with(
        &self,
        nodes: &Nodes,
        at: NodeId,
        parameters: &HashMap<String, Sort>,
        depth: usize,
    ) -> Result<Sort, ReadError> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(nodes.unexpected(at, "a sort that is less deeply nested"));
        };
        if let Some(name) = nodes.symbol(at) {
            return self.named_sort(nodes, at, name, &[], parameters, depth);
        }
        let items = nodes.list(at).unwrap_or(&[]);
        match items.first().and_then(|&first| nodes.symbol(first)) {
            Some("_") => indexed_sort(nodes, at, items),
            Some("Array") => {
                let &[_, index, element] = items else {
                    return Err(nodes.unexpected(at, "`(Array INDEX ELEMENT)`"));
                };
                let index = self.sort_with(nodes, index, parameters, depth)?;
                let element = self.sort_with(nodes, element, parameters, depth)?;
                Ok(self.terms.array_sort(index, element))
            }
            Some(name) => self.named_sort(nodes, at, name, &items[1..], parameters, depth),
            None => Err(nodes.unexpected(at, "a sort")),
        }
    }

    fn named_sort(
        &self,
        nodes: &Nodes,
        at: NodeId,
        name: &str,
        args: &[NodeId],
        parameters: &HashMap<String, Sort>,
        depth: usize,
    ) -> Result<Sort, ReadError> {
        if let (Some(&sort), true) = (parameters.get(name), args.is_empty()) {
            return Ok(sort);
        }
        match self.sorts.get(name) {
            Some(SortMeaning::Declared(sort)) if args.is_empty() => return Ok(*sort),
            Some(SortMeaning::Defined { parameters: names, body }) if names.len() == args.len() => {
                let mut inner = HashMap::new();
                for (name, &arg) in names.iter().zip(args) {
                    inner.insert(name.clone(), self.sort_with(nodes, arg, parameters, depth)?);
                }
                return self.sort_with(nodes, *body, &inner, depth);
            }
            Some(_) => return Err(nodes.unexpected(at, "as many arguments as the sort was declared with")),
            None => {}
        }
        match name {
            "Bool" => Ok(Sort::Bool),
            "RoundingMode" => Ok(Sort::RoundingMode),
            "Float16" => Ok(Sort::Float(FloatSort::HALF)),
            "Float32" => Ok(Sort::Float(FloatSort::SINGLE)),
            "Float64" => Ok(Sort::Float(FloatSort::DOUBLE)),
            "Float128" => Ok(Sort::Float(FloatSort::QUAD)),
            "Int" | "Real" | "String" | "RegLan" => Err(nodes.error(
                at,
                (
                    format!("the sort `{name}`"),
                    "a sort of booleans, bit-vectors, floats, arrays or a declared one: integers, reals and strings \
                     are not supported"
                        .to_owned(),
                ),
            )),
            _ => Err(nodes.error(at, (format!("the unknown sort `{name}`"), "a declared sort".to_owned()))),
        }
    }
}

/// A number inside a list, at most `limit`.
pub(super) fn number(nodes: &Nodes, at: NodeId, limit: u32) -> Result<u32, ReadError> {
    use super::text::{Atom, Content};
    if let Content::Atom(Atom::Numeral(digits)) = &nodes.node(at).content
        && let Ok(number) = digits.parse::<u32>()
        && number <= limit
    {
        return Ok(number);
    }
    Err(nodes.unexpected(at, &format!("a number of at most {limit}")))
}

/// Exponent and significand bits.
pub(super) fn float_sort(nodes: &Nodes, exponent: NodeId, significand: NodeId) -> Result<FloatSort, ReadError> {
    let sort = FloatSort {
        exponent: number(nodes, exponent, softfloat::MAXIMAL_EXPONENT_BITS)?,
        significand: number(nodes, significand, 1 << 16)?,
    };
    if sort.exponent < 2 {
        return Err(nodes.unexpected(exponent, "at least two bits of exponent"));
    }
    if sort.significand < 2 {
        return Err(nodes.unexpected(significand, "at least two bits of significand"));
    }
    Ok(sort)
}

fn indexed_sort(nodes: &Nodes, at: NodeId, items: &[NodeId]) -> Result<Sort, ReadError> {
    match (items.get(1).and_then(|&name| nodes.symbol(name)), items) {
        (Some("BitVec"), &[_, _, width]) => match number(nodes, width, MAXIMAL_WIDTH)? {
            0 => Err(nodes.unexpected(width, "a width of at least one")),
            width => Ok(Sort::Bv(width)),
        },
        (Some("FloatingPoint"), &[_, _, exponent, significand]) => {
            Ok(Sort::Float(float_sort(nodes, exponent, significand)?))
        }
        _ => Err(nodes.unexpected(at, "`(_ BitVec N)` or `(_ FloatingPoint E S)`")),
    }
}
