//! The blocks of a program as the predicate analysis uses them: numbered, with what start symbols stand for at each end, and with
//! copies of their symbols, so that one block can stand several times on a path. Knows no predicates.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use tandem_base::{Budget, FastBuild, StopReason};
use tandem_cfa::EdgeId;
use tandem_cfa::exec::InputSource;
use tandem_cfa::expression::Formula;
use tandem_cpa::{Flow, Point};
use tandem_smt::{Term, TermMap, Terms};

use crate::blocks::{Block, Blocks, Gap};
use crate::formula::{Formulas, Logged, Path};
use crate::store::Store;

use super::product::{Automaton, Product};

/// How a block is left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    End(usize),
    Error(usize),
    Gap(usize),
}

/// A block on a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hop {
    pub segment: usize,
    pub exit: Exit,
}

/// What a symbol stands for at the end of a block, and the inputs that reading it there takes.
#[derive(Clone)]
struct Meaning {
    value: Term,
    inputs: Vec<(Term, InputSource, EdgeId)>,
}

pub struct Segments<'a> {
    blocks: Blocks<'a>,
    pub terms: Terms,
    all: Vec<Rc<Block>>,
    numbers: HashMap<Point, usize, FastBuild>,
    meanings: HashMap<(Hop, Term), Meaning, FastBuild>,
    originals: TermMap,
    /// If set, blocks are those of the product with an automaton.
    product: Option<Product>,
    /// For each block what it was made from.
    origins: Vec<Origin>,
    /// The blocks of the program alone, by where they begin.
    plain: HashMap<Point, usize, FastBuild>,
    /// The blocks of the product.
    old: Vec<usize>,
}

/// What a block was made from: a block of the program alone, and for each end which of that block's ends it is and what else is assumed there.
#[derive(Clone, Default)]
struct Origin {
    block: usize,
    ends: Vec<(usize, Term)>,
}

impl<'a> Segments<'a> {
    /// The block from the start of the program is number zero; a gap if the start is not modelled.
    pub fn new(flow: &mut Flow<'a>, budget: &Budget) -> Result<Result<Segments<'a>, Gap>, StopReason> {
        Segments::start(flow, Terms::new(), false, budget)
    }

    /// The same, for the product of the program with automata that read its steps.
    pub fn observed(
        flow: &mut Flow<'a>,
        terms: Terms,
        budget: &Budget,
    ) -> Result<Result<Segments<'a>, Gap>, StopReason> {
        Segments::start(flow, terms, true, budget)
    }

    fn start(
        flow: &mut Flow<'a>,
        terms: Terms,
        keeps_steps: bool,
        budget: &Budget,
    ) -> Result<Result<Segments<'a>, Gap>, StopReason> {
        let mut blocks = Blocks::new(flow, Formulas::new(&terms, ""));
        blocks.keeps_steps = keeps_steps;
        let first = match blocks.first(flow, budget)? {
            Ok(first) => first,
            Err(gap) => return Ok(Err(gap)),
        };
        Ok(Ok(Segments {
            blocks,
            terms,
            all: vec![Rc::new(first)],
            numbers: HashMap::default(),
            meanings: HashMap::default(),
            originals: TermMap::default(),
            product: keeps_steps.then(|| Product::new(flow.program)),
            origins: vec![Origin::default()],
            plain: HashMap::default(),
            old: Vec::new(),
        }))
    }

    /// The number of the block from a cut point.
    pub fn from(&mut self, flow: &mut Flow<'a>, point: Point, budget: &Budget) -> Result<usize, StopReason> {
        if let Some(number) = self.numbers.get(&point) {
            return Ok(*number);
        }
        if self.product.is_some() {
            let plain = self.plain_from(flow, point, budget)?;
            let always = self.terms.bool(true);
            let number = self.derive(plain, &[(point.mode, always)]);
            self.numbers.insert(point, number);
            return Ok(number);
        }
        let block = self.blocks.block(flow, point, budget)?;
        let number = self.add(block, Origin::default());
        self.numbers.insert(point, number);
        Ok(number)
    }

    fn add(&mut self, block: Rc<Block>, origin: Origin) -> usize {
        self.all.push(block);
        self.origins.push(origin);
        self.all.len() - 1
    }

    /// The block of the program alone.
    fn plain_from(&mut self, flow: &mut Flow<'a>, point: Point, budget: &Budget) -> Result<usize, StopReason> {
        let point = Point { mode: 0, ..point };
        if let Some(number) = self.plain.get(&point) {
            return Ok(*number);
        }
        let block = self.blocks.block(flow, point, budget)?;
        let number = self.add(block, Origin::default());
        self.plain.insert(point, number);
        Ok(number)
    }

    /// From now on blocks are those of the product with this automaton; returns the number of the first one.
    pub fn watch(&mut self, automaton: Automaton) -> usize {
        // Blocks of earlier products are needed no more; their numbers stay theirs.
        let nothing = Rc::new(Block::empty());
        for number in self.old.drain(..) {
            self.origins[number].ends = Vec::new();
            self.all[number] = nothing.clone();
        }
        self.numbers.clear();
        let always = self.terms.bool(true);
        let start: Vec<(u32, Term)> = automaton.initial().map(|state| (state, always)).collect();
        if let Some(product) = &mut self.product {
            product.automaton = Some(Rc::new(automaton));
        }
        self.derive(0, &start)
    }

    /// The block of the product in which the automaton begins in these states, each if its condition holds.
    fn derive(&mut self, plain: usize, start: &[(u32, Term)]) -> usize {
        let block = self.all[plain].clone();
        let Some(product) = &mut self.product else { return plain };
        let (block, ends) = product.block(&self.terms, plain, &block, start);
        let number = self.add(Rc::new(block), Origin { block: plain, ends });
        self.old.push(number);
        number
    }

    /// The end of a block of the program alone that a hop leads to, and what else is assumed.
    pub fn root(&self, hop: Hop) -> (Hop, Option<Term>) {
        match (hop.exit, &self.origins[hop.segment]) {
            (Exit::End(index), Origin { block, ends }) => match ends.get(index) {
                Some((end, also)) => (Hop { segment: *block, exit: Exit::End(*end) }, Some(*also)),
                None => (hop, None),
            },
            _ => (hop, None),
        }
    }

    /// What a condition of the program means at a point, over start symbols; nothing if it has no value there.
    pub fn formula_at(&mut self, flow: &Flow<'a>, point: Point, formula: &Formula) -> Option<Term> {
        let mut store = self.blocks.executor.anywhere(flow, point, Path::default());
        // Nobody makes the accesses of a condition that was only suggested.
        let executor = &mut self.blocks.executor;
        let (beyond, unclear) = (std::mem::take(&mut executor.beyond), executor.unclear_bounds);
        let found = self.formula_in(&mut store, formula);
        let executor = &mut self.blocks.executor;
        (executor.beyond, executor.unclear_bounds) = (beyond, unclear);
        found
    }

    fn formula_in(&mut self, store: &mut Store<Formulas>, formula: &Formula) -> Option<Term> {
        Some(match formula {
            Formula::Atom(expr) => self.blocks.executor.truth(store, *expr).ok()?,
            Formula::Not(inner) => {
                let term = self.formula_in(store, inner)?;
                self.terms.not(term)
            }
            Formula::And(parts) | Formula::Or(parts) => {
                let all: Option<Vec<Term>> = parts.iter().map(|part| self.formula_in(store, part)).collect();
                if matches!(formula, Formula::And(_)) { self.terms.and(&all?) } else { self.terms.or(&all?) }
            }
        })
    }

    /// Whether some access is made of which nobody knows whether it stays in its object.
    pub fn has_unclear_bounds(&self) -> bool {
        self.blocks.executor.unclear_bounds
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn block(&self, segment: usize) -> &Rc<Block> {
        &self.all[segment]
    }

    pub fn formulas(&self) -> &Formulas {
        &self.blocks.executor.domain
    }

    pub fn formulas_mut(&mut self) -> &mut Formulas {
        &mut self.blocks.executor.domain
    }

    pub fn path(&self, hop: Hop) -> &Path {
        let block = &self.all[hop.segment];
        match hop.exit {
            Exit::End(index) => &block.ends[index].1.path,
            Exit::Error(index) => &block.errors[index].path,
            Exit::Gap(index) => &block.gaps[index].path,
        }
    }

    fn is_start_symbol(&self, symbol: &Term) -> bool {
        self.formulas().start_keys.contains_key(symbol)
    }

    /// The start symbols of terms.
    pub fn start_symbols(&self, formulas: &[Term]) -> Vec<Term> {
        let mut symbols = self.terms.free_variables(formulas);
        symbols.retain(|symbol| self.is_start_symbol(symbol));
        symbols
    }

    /// What a start symbol stands for where the hop ends.
    pub fn value(&mut self, hop: Hop, symbol: Term) -> Term {
        self.meaning(hop, symbol).value
    }

    fn meaning(&mut self, hop: Hop, symbol: Term) -> &Meaning {
        let (hop, _) = self.root(hop);
        if !self.meanings.contains_key(&(hop, symbol)) {
            let meaning = self.find_meaning(hop, symbol);
            self.meanings.insert((hop, symbol), meaning);
        }
        &self.meanings[&(hop, symbol)]
    }

    fn find_meaning(&mut self, hop: Hop, symbol: Term) -> Meaning {
        let sort = self.terms.sort(symbol);
        let key = self.formulas().start_keys.get(&symbol).copied();
        if let (Exit::End(index), Some(key)) = (hop.exit, key) {
            let mut scratch: Store<Formulas> = self.all[hop.segment].ends[index].1.clone();
            let before = scratch.path.log.clone();
            let value = self.blocks.executor.start_key_value(&mut scratch, key);
            if let Some(value) = value.filter(|value| self.terms.sort(*value) == sort) {
                return Meaning { value, inputs: inputs_between(&before, &scratch.path.log) };
            }
            // Never written: an input when it is read.
            let value = self.blocks.executor.domain.any_of(sort);
            let inputs = match key {
                crate::store::StartKey::Slot { variable, .. } => {
                    vec![(value, InputSource::Variable(variable), EdgeId(0))]
                }
                crate::store::StartKey::Cell { .. } | crate::store::StartKey::Elements { .. } => Vec::new(),
            };
            return Meaning { value, inputs };
        }
        Meaning { value: self.blocks.executor.domain.any_of(sort), inputs: Vec::new() }
    }

    /// The inputs that are taken by looking at these symbols where the hop ends.
    pub fn late_inputs(&mut self, hop: Hop, symbols: &BTreeSet<Term>) -> Vec<(Term, InputSource, EdgeId)> {
        symbols.iter().flat_map(|symbol| self.meaning(hop, *symbol).inputs.clone()).collect()
    }

    /// Formulas over start symbols, as they read where the hop ends, over the symbols of its block.
    pub fn at_end(&mut self, hop: Hop, formulas: &[Term]) -> Vec<Term> {
        let mut map = TermMap::default();
        for symbol in self.start_symbols(formulas) {
            map.insert(symbol, self.value(hop, symbol));
        }
        self.terms.substitute_all(formulas, &map)
    }

    /// The copy of a symbol for a position on a path.
    pub fn copy_symbol(&mut self, symbol: Term, position: usize) -> Term {
        let tandem_smt::Op::Variable(number) = self.terms.op(symbol) else { return symbol };
        if position == 0 {
            return symbol;
        }
        let name = format!("{}@{position}", self.terms.symbol(number).name);
        let copy = self.terms.variable(&name, self.terms.sort(symbol));
        self.originals.insert(copy, symbol);
        copy
    }

    /// The formulas with copies of their symbols.
    pub fn copies(&mut self, formulas: &[Term], position: usize) -> Vec<Term> {
        if position == 0 {
            return formulas.to_vec();
        }
        let mut map = TermMap::default();
        for symbol in self.terms.free_variables(formulas) {
            map.insert(symbol, self.copy_symbol(symbol, position));
        }
        self.terms.substitute_all(formulas, &map)
    }

    /// The formula with the symbols that its symbols are copies of; nothing if some are no copies of start symbols.
    pub fn original(&self, formula: Term) -> Option<Term> {
        let symbols = self.terms.free_variables(&[formula]);
        let known = |symbol: &Term| self.originals.get(symbol).is_some_and(|original| self.is_start_symbol(original));
        symbols.iter().all(known).then(|| self.terms.substitute(formula, &self.originals))
    }
}

/// The inputs that were logged since.
fn inputs_between(before: &Option<Rc<Logged>>, after: &Option<Rc<Logged>>) -> Vec<(Term, InputSource, EdgeId)> {
    let mut found = Vec::new();
    let mut at = after.clone();
    while let Some(node) = at {
        if before.as_ref().is_some_and(|before| Rc::ptr_eq(before, &node)) {
            break;
        }
        match &*node {
            Logged::Input { before: earlier, value, source, edge } => {
                found.push((*value, *source, *edge));
                at = earlier.clone();
            }
            Logged::Merge { .. } => break,
        }
    }
    found.reverse();
    found
}
