//! Candidates for invariants, from samples and from the conditions of the program. They need not hold: whoever uses them
//! checks them.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

use tandem_base::{Budget, StopReason};
use tandem_cfa::semantics::sign_extend;
use tandem_cpa::{Flow, Point};
use tandem_smt::{Op, Sort, Term, TermMap, Terms};

use super::affine::equations;
use super::arrays::{ArrayProposal, TRIED};
use super::samples::{Row, collect};
use super::{ByPoint, Induction};
use crate::blocks::Block;
use crate::formula::Formulas;
use crate::interval;
use crate::store::{Domain, StartKey};

/// How long the interval analysis may take.
const INTERVALS: Duration = Duration::from_millis(500);
/// Symbols at one point that pairs are made of.
const PAIRS: usize = 24;
/// Different values of a variable that cases are made of.
const CASES: usize = 10;
/// Constants that a difference of two symbols is compared with.
const DIFFERENCES: usize = 3;
/// Candidates at one point.
pub(super) const MOST: usize = 600;

pub fn candidates<'a>(
    induction: &mut Induction<'a>,
    flow: &mut Flow<'a>,
    first: &Block,
    blocks: &BTreeMap<Point, Rc<Block>>,
    round: u32,
    budget: &Budget,
) -> Result<ByPoint, StopReason> {
    let symbols = relevant(induction, first, blocks);
    let samples = collect(flow, &induction.terms, &symbols, budget)?;
    let constants = constants(induction, blocks);
    let pointer = flow.program.model().pointer_bits();
    let exact = exact_constants(induction, first, blocks);
    let atoms = atoms(induction, blocks);
    let intervals = from_intervals(&mut induction.blocks.executor.domain, flow, budget);
    let mut all = ByPoint::new();
    for point in blocks.keys() {
        let here = symbols.iter().filter(|(_, key)| is_visible(flow, *point, *key));
        let (arrays, numbers): (Vec<_>, Vec<_>) =
            here.copied().partition(|(_, key)| matches!(key, StartKey::Elements { .. }));
        let visible: Vec<Term> = numbers.into_iter().map(|(symbol, _)| symbol).collect();
        let proposal = Proposal {
            terms: &induction.terms,
            rows: samples.get(point).map_or(&[], Vec::as_slice),
            symbols: visible,
            constants: &constants,
            exact: &exact,
            atoms: &atoms,
            round,
        };
        let mut found = intervals.get(point).cloned().unwrap_or_default();
        found.extend(proposal.agreed(induction.suggested.get(point).map_or(&[], Vec::as_slice)));
        found.extend(proposal.run());
        found.extend(about_arrays(&proposal, &arrays, pointer));
        all.insert(*point, found);
    }
    Ok(all)
}

/// What the interval analysis found out, once it has come to its fixpoint.
pub fn from_intervals(domain: &mut Formulas, flow: &mut Flow<'_>, budget: &Budget) -> ByPoint {
    let known = interval::bounds(flow, &budget.within(INTERVALS)).unwrap_or_default();
    let terms = domain.terms.clone();
    let mut all = ByPoint::new();
    for (point, bounds) in known {
        let formulas = all.entry(point).or_default();
        for bound in bounds {
            let StartKey::Slot { variable, .. } = bound.key else { continue };
            let Some(scalar) = flow.program.types.scalar(flow.program.variables[variable].ty) else { continue };
            let width = scalar.bits();
            let symbol = domain.start_value(bound.key, width);
            let number = |value: i128| terms.bv(width, value as u128 & tandem_cfa::semantics::mask(width));
            let (low, high) = (number(bound.low), number(bound.high));
            formulas.extend(match bound.signed {
                true => [terms.bv_sle(low, symbol), terms.bv_sle(symbol, high)],
                false => [terms.bv_ule(low, symbol), terms.bv_ule(symbol, high)],
            });
        }
        formulas.retain(|formula| !matches!(terms.op(*formula), Op::True | Op::False));
    }
    all
}

/// Candidates about all elements of the arrays.
fn about_arrays(proposal: &Proposal<'_>, arrays: &[(Term, StartKey)], pointer: u32) -> Vec<Term> {
    let size = |(symbol, key): &(Term, StartKey)| match key {
        StartKey::Elements { size, .. } => Some((*symbol, *size)),
        StartKey::Slot { .. } | StartKey::Cell { .. } => None,
    };
    let arrays: Vec<(Term, u64)> = arrays.iter().filter_map(size).take(5).collect();
    if arrays.is_empty() {
        return Vec::new();
    }
    let terms = proposal.terms;
    let numbers = |row: &Row| -> TermMap {
        let bits = |(symbol, bits): (&Term, &u64)| (*symbol, terms.bv(terms.width(*symbol), u128::from(*bits)));
        let few = |(symbol, size): &(Term, u64)| {
            let array = row.arrays.get(symbol)?;
            // Only the elements that candidates are tried on: the whole array would be looked through each time.
            let mut small = terms.variable("unseen elements", terms.sort(*symbol));
            small = if terms.sort(small) == terms.sort(*symbol) { small } else { *symbol };
            for number in TRIED {
                let at = terms.bv(64, number * u128::from(*size));
                small = terms.store(small, at, terms.select(*array, at));
            }
            Some((*symbol, small))
        };
        row.numbers.iter().map(bits).chain(arrays.iter().filter_map(few)).collect()
    };
    let rows: Vec<TermMap> = proposal.rows.iter().rev().take(10).map(numbers).collect();
    let mut constants: Vec<i128> = proposal.exact.to_vec();
    constants.sort_unstable_by_key(|constant| (constant.unsigned_abs(), *constant));
    constants.dedup();
    ArrayProposal { terms, pointer, arrays: &arrays, numbers: &proposal.symbols, constants: &constants, rows: &rows }
        .run()
}

/// Whether a symbol means something at a point: a static, or a local of a call on its stack.
fn is_visible(flow: &Flow<'_>, point: Point, key: StartKey) -> bool {
    match key {
        StartKey::Slot { depth: 0, .. } => true,
        StartKey::Slot { depth, variable } => {
            let stacks: Vec<_> = flow.stacks.outwards(point.stack).collect();
            let at = stacks.len().checked_sub(depth as usize);
            let function = at.and_then(|at| stacks.get(at)).map(|stack| flow.function(*stack));
            function.is_some() && flow.program.variables[variable].function == function
        }
        StartKey::Cell { .. } | StartKey::Elements { .. } => true,
    }
}

/// The symbols that conditions depend on, directly or through other symbols.
fn relevant(
    induction: &mut Induction<'_>,
    first: &Block,
    blocks: &BTreeMap<Point, Rc<Block>>,
) -> Vec<(Term, StartKey)> {
    let terms = induction.terms.clone();
    let mut conditions = Vec::new();
    for block in blocks.values().map(|block| &**block).chain([first]) {
        conditions.extend(block.ends.iter().flat_map(|(_, store)| store.path.conditions()));
        conditions.extend(block.errors.iter().flat_map(|error| error.path.conditions()));
    }
    let mut known: BTreeSet<Term> = BTreeSet::new();
    let mut fresh = terms.free_variables(&conditions);
    while !fresh.is_empty() {
        let keys = &induction.blocks.executor.domain.start_keys;
        fresh.retain(|symbol| keys.contains_key(symbol) && known.insert(*symbol));
        if fresh.is_empty() || known.len() > 300 {
            break;
        }
        let mut values = Vec::new();
        for block in blocks.values() {
            for (_, store) in &block.ends {
                values.extend(induction.blocks.meaning(store, &fresh).into_values());
            }
        }
        fresh = terms.free_variables(&values);
    }
    let keys = &induction.blocks.executor.domain.start_keys;
    let narrow = |symbol: &Term| match terms.sort(*symbol) {
        Sort::Bv(width) => width <= 64,
        Sort::Array(_) => true,
        _ => false,
    };
    known.into_iter().filter(narrow).filter_map(|symbol| Some((symbol, *keys.get(&symbol)?))).collect()
}

/// Numbers that the conditions compare with, by width, as signed numbers.
fn constants(induction: &Induction<'_>, blocks: &BTreeMap<Point, Rc<Block>>) -> BTreeMap<u32, BTreeSet<i128>> {
    let terms = &induction.terms;
    let mut found: BTreeMap<u32, BTreeSet<i128>> = BTreeMap::new();
    for part in terms.subterms(&conditions(blocks)) {
        if let (Op::Bits(bits), Sort::Bv(width)) = (terms.op(part), terms.sort(part)) {
            let set = found.entry(width).or_default();
            if set.len() < 60 {
                let number = sign_extend(u128::from(bits), width);
                set.extend([number - 1, number, number + 1]);
            }
        }
    }
    found
}

/// Numbers that the program itself has, in conditions and in what it stores.
fn exact_constants(induction: &mut Induction<'_>, first: &Block, blocks: &BTreeMap<Point, Rc<Block>>) -> Vec<i128> {
    let terms = induction.terms.clone();
    let mut formulas = conditions(blocks);
    let keys: Vec<Term> = induction.blocks.executor.domain.start_keys.keys().copied().collect();
    for block in blocks.values().map(|block| &**block).chain([first]) {
        for (_, store) in &block.ends {
            formulas.extend(induction.blocks.meaning(store, &keys).into_values());
        }
    }
    let mut found = BTreeSet::from([0]);
    for part in terms.subterms(&formulas) {
        if let (Op::Bits(bits), Sort::Bv(width @ (8 | 16 | 32))) = (terms.op(part), terms.sort(part)) {
            found.insert(sign_extend(u128::from(bits), width));
        }
    }
    found.into_iter().take(200).collect()
}

fn conditions(blocks: &BTreeMap<Point, Rc<Block>>) -> Vec<Term> {
    let mut all = Vec::new();
    for block in blocks.values() {
        all.extend(block.ends.iter().flat_map(|(_, store)| store.path.conditions()));
        all.extend(block.errors.iter().flat_map(|error| error.path.conditions()));
    }
    all
}

/// Conditions of the program that speak about nothing but symbols of states.
fn atoms(induction: &Induction<'_>, blocks: &BTreeMap<Point, Rc<Block>>) -> Vec<Term> {
    let terms = &induction.terms;
    let keys = &induction.blocks.executor.domain.start_keys;
    let mut atoms: Vec<Term> = terms
        .subterms(&conditions(blocks))
        .into_iter()
        .filter(|part| {
            matches!(
                terms.op(*part),
                Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle | Op::FloatLt | Op::FloatLe | Op::FloatEq
            )
        })
        .filter(|part| {
            let free = terms.free_variables(&[*part]);
            !free.is_empty() && free.iter().all(|symbol| keys.contains_key(symbol)) && terms.dag_size(&[*part]) < 40
        })
        .collect();
    atoms.truncate(200);
    atoms
}

struct Proposal<'a> {
    terms: &'a Terms,
    rows: &'a [Row],
    symbols: Vec<Term>,
    constants: &'a BTreeMap<u32, BTreeSet<i128>>,
    exact: &'a [i128],
    atoms: &'a [Term],
    round: u32,
}

impl Proposal<'_> {
    fn run(&self) -> Vec<Term> {
        let mut found = Vec::new();
        self.bounds(&mut found);
        self.conditions(&mut found);
        if self.symbols.len() <= PAIRS || self.round > 0 {
            self.pairs(&mut found);
            self.sums(&mut found);
        }
        self.cases(&mut found);
        found.retain(|term| !matches!(self.terms.op(*term), Op::True | Op::False));
        let mut seen = BTreeSet::new();
        found.retain(|term| seen.insert(*term));
        found.truncate(MOST);
        found
    }

    fn width(&self, symbol: Term) -> u32 {
        self.terms.width(symbol)
    }

    /// The values of a symbol in the samples that have one.
    fn values(&self, symbol: Term) -> Vec<u64> {
        self.rows.iter().filter_map(|row| row.numbers.get(&symbol).copied()).collect()
    }

    fn number(&self, width: u32, value: i128) -> Term {
        self.terms.bv(width, value as u128 & tandem_cfa::semantics::mask(width))
    }

    fn bounds(&self, found: &mut Vec<Term>) {
        for symbol in &self.symbols {
            let width = self.width(*symbol);
            let values = self.values(*symbol);
            let signed: Vec<i128> = values.iter().map(|bits| sign_extend(u128::from(*bits), width)).collect();
            let (Some(low), Some(high)) = (signed.iter().min(), signed.iter().max()) else {
                self.guesses(*symbol, width, found);
                continue;
            };
            if low == high {
                found.push(self.terms.eq(*symbol, self.number(width, *low)));
            }
            let empty = BTreeSet::new();
            let constants = self.constants.get(&width).unwrap_or(&empty);
            let least = (-1i128) << (width - 1);
            let most = -(least + 1);
            let below = constants.range(..=*low).rev().take(4).chain([low]);
            for bound in below.filter(|bound| **bound > least) {
                found.push(self.terms.bv_sle(self.number(width, *bound), *symbol));
            }
            let above = constants.range(*high..).take(4).chain([high]);
            for bound in above.filter(|bound| **bound < most) {
                found.push(self.terms.bv_sle(*symbol, self.number(width, *bound)));
                if *bound >= 0 && *low >= 0 {
                    found.push(self.terms.bv_ule(*symbol, self.number(width, *bound)));
                }
            }
            for modulus in [1u32, 2, 3] {
                let mask = (1u64 << modulus) - 1;
                if width > modulus && values.len() > 2 && values.iter().all(|bits| bits & mask == values[0] & mask) {
                    let low = self.terms.extract(*symbol, modulus - 1, 0);
                    found.push(self.terms.eq(low, self.terms.bv(modulus, u128::from(values[0] & mask))));
                }
            }
        }
    }

    /// Bounds of a symbol of which no sample says anything.
    fn guesses(&self, symbol: Term, width: u32, found: &mut Vec<Term>) {
        for number in self.exact.iter().filter(|number| **number >= 0 && **number < 1i128 << (width - 1)).take(12) {
            let constant = self.number(width, *number);
            found.push(self.terms.bv_sle(constant, symbol));
            found.push(self.terms.bv_sle(symbol, constant));
        }
    }

    /// The program's own conditions, where all samples agree on them.
    fn conditions(&self, found: &mut Vec<Term>) {
        found.extend(self.agreed(self.atoms));
    }

    /// Each of the conditions, or its opposite, if all samples agree on it.
    fn agreed(&self, conditions: &[Term]) -> Vec<Term> {
        let mut found = Vec::new();
        for atom in conditions {
            let free = self.terms.free_variables(&[*atom]);
            if !free.iter().all(|symbol| self.symbols.contains(symbol)) {
                continue;
            }
            let verdicts: Vec<bool> =
                self.rows.iter().take(40).filter_map(|row| self.holds(*atom, &free, row)).collect();
            if verdicts.iter().all(|holds| *holds) {
                found.push(*atom);
            }
            if verdicts.iter().all(|holds| !*holds) {
                found.push(self.terms.not(*atom));
            }
        }
        found
    }

    fn holds(&self, atom: Term, free: &[Term], row: &Row) -> Option<bool> {
        let mut map = TermMap::default();
        for symbol in free {
            map.insert(*symbol, self.terms.bv(self.width(*symbol), u128::from(*row.numbers.get(symbol)?)));
        }
        match self.terms.op(self.terms.substitute(atom, &map)) {
            Op::True => Some(true),
            Op::False => Some(false),
            _ => None,
        }
    }

    fn pairs(&self, found: &mut Vec<Term>) {
        for (index, a) in self.symbols.iter().enumerate() {
            for b in &self.symbols[index + 1..] {
                let width = self.width(*a);
                if width != self.width(*b) || width < 16 {
                    continue;
                }
                let both: Vec<(i128, i128)> = self
                    .rows
                    .iter()
                    .filter_map(|row| Some((*row.numbers.get(a)?, *row.numbers.get(b)?)))
                    .map(|(x, y)| (sign_extend(u128::from(x), width), sign_extend(u128::from(y), width)))
                    .collect();
                if both.len() < 2 {
                    continue;
                }
                self.differences(*a, *b, &both, found);
                if both.iter().all(|(x, y)| x == y) {
                    found.push(self.terms.eq(*a, *b));
                } else if both.iter().all(|(x, y)| x <= y) {
                    found.push(self.terms.bv_sle(*a, *b));
                    if both.iter().all(|(x, _)| *x >= 0) {
                        found.push(self.terms.bv_ule(*a, *b));
                    }
                    if both.iter().all(|(x, y)| x < y) {
                        found.push(self.terms.bv_slt(*a, *b));
                    }
                } else if both.iter().all(|(x, y)| x >= y) {
                    found.push(self.terms.bv_sle(*b, *a));
                    if both.iter().all(|(_, y)| *y >= 0) {
                        found.push(self.terms.bv_ule(*b, *a));
                    }
                    if both.iter().all(|(x, y)| x > y) {
                        found.push(self.terms.bv_slt(*b, *a));
                    }
                }
            }
        }
    }

    /// Bounds of the difference of two symbols: constants of the program, and what the samples show. Sums do not overflow where both are small, and the
    /// candidate does not hold otherwise.
    fn differences(&self, a: Term, b: Term, both: &[(i128, i128)], found: &mut Vec<Term>) {
        let width = self.width(a);
        let empty = BTreeSet::new();
        let constants = self.constants.get(&width).unwrap_or(&empty);
        for (one, other, sign) in [(a, b, 1), (b, a, -1)] {
            let Some(most) = both.iter().map(|(x, y)| (x - y) * sign).max() else { continue };
            let bounds: BTreeSet<i128> = constants.range(most..).take(DIFFERENCES).copied().chain([most]).collect();
            for bound in bounds.into_iter().filter(|bound| *bound != 0 && bound.unsigned_abs() < 1 << (width - 2)) {
                let shifted = self.terms.bv_add(other, self.number(width, bound));
                found.push(self.terms.bv_sle(one, shifted));
            }
        }
    }

    /// Linear equations that all samples fulfil.
    fn sums(&self, found: &mut Vec<Term>) {
        for width in [8, 16, 32, 64] {
            let moves = |symbol: &Term| self.values(*symbol).windows(2).any(|pair| pair[0] != pair[1]);
            let columns: Vec<Term> = self
                .symbols
                .iter()
                .copied()
                .filter(|symbol| self.width(*symbol) == width)
                .filter(moves)
                .take(16)
                .collect();
            let number = |row: &Row, symbol: &Term| {
                let bits = row.numbers.get(symbol)?;
                Some(sign_extend(u128::from(*bits), width))
            };
            let rows: Vec<Vec<i128>> =
                self.rows.iter().filter_map(|row| columns.iter().map(|symbol| number(row, symbol)).collect()).collect();
            if columns.len() < 2 || rows.len() < columns.len() + 1 {
                continue;
            }
            for equation in equations(&rows) {
                let mut total = self.number(width, equation[columns.len()]);
                for (symbol, factor) in columns.iter().zip(&equation).filter(|(_, factor)| **factor != 0) {
                    total = self.terms.bv_add(total, self.terms.bv_mul(self.number(width, *factor), *symbol));
                }
                found.push(self.terms.eq(total, self.terms.bv(width, 0)));
            }
        }
    }

    /// What a variable of few values says about others: `x == 1` implies `y == 0`.
    fn cases(&self, found: &mut Vec<Term>) {
        let few = |symbol: &Term| {
            let values: BTreeSet<u64> = self.values(*symbol).into_iter().collect();
            (2..=CASES).contains(&values.len()).then_some((*symbol, values))
        };
        let switches: Vec<(Term, BTreeSet<u64>)> = self.symbols.iter().filter_map(few).take(12).collect();
        for (switch, values) in &switches {
            let width = self.width(*switch);
            let is = |value: &u64| self.terms.eq(*switch, self.terms.bv(width, u128::from(*value)));
            let all: Vec<Term> = values.iter().map(is).collect();
            found.push(self.terms.or(&all));
            for value in values {
                for other in self.symbols.iter().filter(|other| *other != switch) {
                    let with = |row: &&Row| row.numbers.get(switch) == Some(value);
                    let held: BTreeSet<u64> =
                        self.rows.iter().filter(with).filter_map(|row| row.numbers.get(other).copied()).collect();
                    let all: BTreeSet<u64> = self.values(*other).into_iter().collect();
                    if held.is_empty() || held.len() > 2 || held.len() == all.len() {
                        continue;
                    }
                    let width = self.width(*other);
                    let these: Vec<Term> = held
                        .iter()
                        .map(|bits| self.terms.eq(*other, self.terms.bv(width, u128::from(*bits))))
                        .collect();
                    found.push(self.terms.implies(is(value), self.terms.or(&these)));
                }
            }
        }
    }
}
