//! Invariants about all elements of an array: `for every K with 0 <= K < i: a[K] == c`. The K is a symbol that nothing else
//! speaks about and no block changes: a formula with it that is inductive holds for every K, so it may be used with
//! any number in its place.

use std::collections::BTreeSet;

use tandem_smt::{Op, Sort, Term, TermMap, Terms};

/// How many elements a formula is used for in one question.
const USES: usize = 16;

/// The symbol for the number of an element, of the width of the variables that count elements.
pub fn any_index(terms: &Terms, width: u32) -> Term {
    terms.variable(&format!("K!{width}"), Sort::Bv(width))
}

fn index_width(terms: &Terms, symbol: Term) -> Option<u32> {
    [32, 64].into_iter().find(|width| any_index(terms, *width) == symbol)
}

/// The width of the K in a formula, if it has one.
pub fn bound_width(terms: &Terms, formula: Term) -> Option<u32> {
    terms.free_variables(&[formula]).into_iter().find_map(|symbol| index_width(terms, symbol))
}

/// The byte offset of an element of this size by its number, as programs compute it.
pub fn offset(terms: &Terms, pointer: u32, number: Term, size: u64) -> Term {
    let width = terms.width(number);
    let wide = match width < pointer {
        true => terms.sign_extend(number, pointer - width),
        false => terms.extract(number, pointer - 1, 0),
    };
    let scaled = terms.bv_mul(terms.bv(pointer, u128::from(size)), wide);
    if pointer < 64 { terms.zero_extend(scaled, 64 - pointer) } else { scaled }
}

/// The element numbers (of a width) that the formulas read arrays at.
fn read_at(terms: &Terms, formulas: &[Term], pointer: u32, width: u32) -> BTreeSet<Term> {
    let mut numbers = BTreeSet::new();
    for part in terms.subterms(formulas) {
        if terms.op(part) != Op::Select {
            continue;
        }
        let args = terms.args(part);
        let Sort::Bv(bits) = terms.sort(part) else { continue };
        numbers.extend(number_of(terms, args[1], pointer, width, u64::from(bits / 8)));
    }
    numbers
}

/// The number of the element at an offset, if the offset was made from one.
fn number_of(terms: &Terms, at: Term, pointer: u32, width: u32, size: u64) -> Option<Term> {
    if let Some(bits) = terms.as_bv(at).and_then(|bits| bits.small()) {
        return (bits % u128::from(size) == 0).then(|| terms.bv(width, bits / u128::from(size)));
    }
    // Whatever it was made from, it can be taken apart if the same way leads back.
    let candidates = terms.subterms(&[at]).into_iter().filter(|part| terms.sort(*part) == Sort::Bv(width));
    candidates.into_iter().find(|part| offset(terms, pointer, *part, size) == at)
}

/// The formulas as they can be used together with these conditions: those with a K for each element that matters.
pub fn instances(terms: &Terms, pointer: u32, formulas: &[Term], conditions: &[Term]) -> Vec<Term> {
    let mut all = Vec::new();
    let mut cache: Option<Vec<(u32, BTreeSet<Term>)>> = None;
    for formula in formulas {
        let Some(width) = bound_width(terms, *formula) else {
            all.push(*formula);
            continue;
        };
        let known = cache.get_or_insert_with(|| {
            [32, 64].into_iter().map(|width| (width, read_at(terms, conditions, pointer, width))).collect()
        });
        all.push(*formula);
        let numbers = known.iter().filter(|(of, _)| *of == width).flat_map(|(_, numbers)| numbers);
        let own = any_index(terms, width);
        for number in numbers.filter(|number| **number != own).take(USES) {
            let map: TermMap = [(own, *number)].into_iter().collect();
            all.push(terms.substitute(*formula, &map));
        }
    }
    all
}

/// Candidates about all elements of arrays.
pub struct ArrayProposal<'a> {
    pub terms: &'a Terms,
    pub pointer: u32,
    /// Symbols of arrays, and the size of their elements.
    pub arrays: &'a [(Term, u64)],
    /// Symbols of numbers.
    pub numbers: &'a [Term],
    pub constants: &'a [i128],
    pub rows: &'a [TermMap],
}

/// The elements that candidates are tried on.
pub const TRIED: [u128; 4] = [0, 1, 2, 7];

/// Candidates about the arrays of one point.
const MOST: usize = 400;

impl ArrayProposal<'_> {
    pub fn run(&self) -> Vec<Term> {
        let mut found = Vec::new();
        for width in [32, 64] {
            let index = any_index(self.terms, width);
            let ranges = self.ranges(width, index);
            for (array, size) in self.arrays {
                let element = self.terms.select(*array, offset(self.terms, self.pointer, index, *size));
                for fact in self.facts(element, *size, width, index) {
                    for range in &ranges {
                        let candidate = self.terms.implies(*range, fact);
                        if found.len() < MOST && self.fits(candidate, index, width) {
                            found.push(candidate);
                        }
                    }
                }
            }
        }
        found
    }

    /// Ranges of element numbers: below a counter, or between a counter and a bound.
    fn ranges(&self, width: u32, index: Term) -> Vec<Term> {
        let terms = self.terms;
        let zero = terms.bv(width, 0);
        let least = terms.bv_sle(zero, index);
        let counters: Vec<Term> =
            self.numbers.iter().copied().filter(|symbol| terms.width(*symbol) == width).take(6).collect();
        let mut ranges: Vec<Term> =
            counters.iter().map(|counter| terms.and2(least, terms.bv_slt(index, *counter))).collect();
        let bounds = self.constants.iter().filter(|bound| **bound > 1 && **bound < 1 << 30).rev().take(4);
        for bound in bounds {
            let bound = terms.bv(width, *bound as u128);
            let below = terms.bv_slt(index, bound);
            ranges.push(terms.and2(least, below));
            for counter in counters.iter().take(3) {
                ranges.push(terms.and(&[least, terms.bv_slt(*counter, index), below]));
            }
        }
        ranges
    }

    /// What may hold of an element.
    fn facts(&self, element: Term, size: u64, width: u32, index: Term) -> Vec<Term> {
        let terms = self.terms;
        let bits = size as u32 * 8;
        let mut facts = Vec::new();
        let fits = |constant: &&i128| **constant >= -(1i128 << (bits - 1)) && **constant < 1i128 << (bits - 1);
        for constant in self.constants.iter().filter(fits).take(12) {
            let number = terms.bv(bits, *constant as u128 & tandem_cfa::semantics::mask(bits));
            facts.push(terms.eq(element, number));
            if *constant == 0 {
                facts.push(terms.bv_sle(element, number));
                facts.push(terms.bv_sle(number, element));
            }
        }
        for symbol in self.numbers.iter().filter(|symbol| terms.width(**symbol) == bits).take(8) {
            facts.push(terms.eq(element, *symbol));
            facts.push(terms.bv_sle(element, *symbol));
            facts.push(terms.bv_sle(*symbol, element));
        }
        for (other, other_size) in self.arrays.iter().filter(|(_, other)| *other == size) {
            let there = terms.select(*other, offset(terms, self.pointer, index, *other_size));
            if there != element {
                facts.push(terms.eq(element, there));
            }
        }
        if bits == width {
            facts.push(terms.eq(element, index));
        }
        facts
    }

    /// Whether no sample speaks against it.
    fn fits(&self, candidate: Term, index: Term, width: u32) -> bool {
        let mut supported = false;
        for row in self.rows.iter().rev().take(10) {
            for number in TRIED {
                let mut map = row.clone();
                map.insert(index, self.terms.bv(width, number));
                match self.terms.op(self.terms.substitute(candidate, &map)) {
                    Op::False => return false,
                    Op::True => supported = true,
                    _ => {}
                }
            }
        }
        supported || self.rows.is_empty()
    }
}
