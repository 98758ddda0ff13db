//! Terms as the values of a store: the symbolic analyses' domain. A path is what was assumed on it, and the inputs it took.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tandem_base::FastBuild;
use tandem_cfa::exec::InputSource;
use tandem_cfa::semantics::{RoundedOperation, RoundingDirection};
use tandem_cfa::{BinaryOp, EdgeId, Intrinsic, Scalar, UnaryOp, semantics};
use tandem_smt::{Op, Sort, Term, Terms};

use crate::encode::Scalars;
use crate::store::{Domain, Part, Parts, StartKey};

/// How many addresses a pointer may have before it counts as unknown.
const PARTS: usize = 256;

/// A guard (always, if there is none), a constant, and what is to be added.
type Address = (Option<Term>, u64, Option<Term>);

pub struct Formulas {
    pub terms: Terms,
    counter: u64,
    starts: HashMap<StartKey, Term, FastBuild>,
    /// What each start symbol stands for.
    pub start_keys: HashMap<Term, StartKey, FastBuild>,
    bases: HashMap<Term, u64, FastBuild>,
    hiding: HashMap<Term, bool, FastBuild>,
    /// The symbols of inputs.
    inputs: HashSet<u32, FastBuild>,
    /// The symbols of memory that was never written, and which terms contain one.
    unwritten: HashSet<u32, FastBuild>,
    of_unwritten: HashMap<Term, bool, FastBuild>,
    /// If set, inputs are numbers drawn from this.
    drawn: Option<u64>,
    /// Distinguishes the symbols of several domains over one pool.
    prefix: String,
}

/// What was assumed, and which inputs were taken, in order.
#[derive(Clone, Default)]
pub struct Path {
    pub assumed: Option<Rc<Assumed>>,
    pub log: Option<Rc<Logged>>,
}

pub struct Assumed {
    pub term: Term,
    pub before: Option<Rc<Assumed>>,
    pub length: u32,
}

pub enum Logged {
    Input {
        before: Option<Rc<Logged>>,
        value: Term,
        source: InputSource,
        edge: EdgeId,
    },
    /// Where two paths met: the first was taken if the term holds.
    Merge {
        guard: Term,
        then: Option<Rc<Logged>>,
        otherwise: Option<Rc<Logged>>,
    },
}

impl Drop for Assumed {
    fn drop(&mut self) {
        // One after the other: a long path must not need a deep stack.
        let mut next = self.before.take();
        while let Some(mut node) = next.and_then(|node| Rc::try_unwrap(node).ok()) {
            next = node.before.take();
        }
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        let mut pending = Vec::new();
        take_children(self, &mut pending);
        while let Some(node) = pending.pop() {
            if let Ok(mut node) = Rc::try_unwrap(node) {
                take_children(&mut node, &mut pending);
            }
        }
    }
}

fn take_children(node: &mut Logged, pending: &mut Vec<Rc<Logged>>) {
    match node {
        Logged::Input { before, .. } => pending.extend(before.take()),
        Logged::Merge { then, otherwise, .. } => {
            pending.extend(then.take());
            pending.extend(otherwise.take());
        }
    }
}

impl Path {
    pub fn assume(&mut self, term: Term) {
        let length = self.assumed.as_ref().map_or(0, |assumed| assumed.length) + 1;
        self.assumed = Some(Rc::new(Assumed { term, before: self.assumed.take(), length }));
    }

    /// Everything assumed, oldest first.
    pub fn conditions(&self) -> Vec<Term> {
        let mut terms: Vec<Term> = ancestors(&self.assumed).map(|node| node.term).collect();
        terms.reverse();
        terms
    }

    /// What was assumed after the first `length` assumptions, newest first.
    pub fn since(&self, length: u32) -> impl Iterator<Item = Term> + '_ {
        ancestors(&self.assumed).take_while(move |node| node.length > length).map(|node| node.term)
    }

    pub fn length(&self) -> u32 {
        self.assumed.as_ref().map_or(0, |assumed| assumed.length)
    }
}

fn ancestors(from: &Option<Rc<Assumed>>) -> impl Iterator<Item = &Rc<Assumed>> {
    std::iter::successors(from.as_ref(), |node| node.before.as_ref())
}

impl Formulas {
    pub fn new(terms: &Terms, prefix: &str) -> Formulas {
        Formulas {
            terms: terms.clone(),
            counter: 0,
            starts: HashMap::default(),
            start_keys: HashMap::default(),
            bases: HashMap::default(),
            hiding: HashMap::default(),
            inputs: HashSet::default(),
            unwritten: HashSet::default(),
            of_unwritten: HashMap::default(),
            drawn: None,
            prefix: prefix.to_string(),
        }
    }

    /// From now on inputs are numbers: zeros for the first seed, then random ones, small ones more often than others.
    pub fn choose_inputs(&mut self, seed: u64) {
        self.drawn = Some(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }

    fn draw(&mut self, width: u32) -> Option<Term> {
        let state = self.drawn?;
        if state == 0 {
            return Some(self.terms.bv(width, 0));
        }
        let mut word = || {
            let mut x = self.drawn.unwrap_or(1);
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            self.drawn = Some(x);
            x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 3
        };
        let bits = match word() % 8 {
            0 | 1 => u128::from(word() % 2),
            2 | 3 => u128::from(word() % 8),
            4 => u128::from(word() % 100),
            5 => u128::from(word() % 16).wrapping_neg(),
            6 => u128::from(word() % 100_000),
            _ => u128::from(word()),
        };
        Some(self.terms.bv(width, bits & semantics::mask(width)))
    }

    fn scalars(&self) -> Scalars<'_> {
        Scalars::new(&self.terms)
    }

    fn fresh(&mut self, kind: &str, sort: Sort) -> Term {
        self.counter += 1;
        self.terms.variable(&format!("{}{kind}!{}", self.prefix, self.counter), sort)
    }

    /// Any value of a sort.
    pub fn any_of(&mut self, sort: Sort) -> Term {
        self.fresh("any", sort)
    }

    /// The symbol for what a variable or cell holds where a formula speaks. Its name is the same in every analysis of the program.
    pub(crate) fn start_symbol(&mut self, key: StartKey, sort: Sort) -> Term {
        if let Some(term) = self.starts.get(&key) {
            return *term;
        }
        let name = match key {
            StartKey::Slot { depth, variable } => format!("{}v{}.{depth}", self.prefix, variable.0),
            StartKey::Cell { object, offset, size } => format!("{}{object:?}.{offset}.{size}", self.prefix),
            StartKey::Elements { object, size } => format!("{}{object:?}[{size}]", self.prefix),
        };
        let term = self.terms.variable(&name, sort);
        self.starts.insert(key, term);
        self.start_keys.insert(term, key);
        term
    }

    fn array_sort(&self, width: u32) -> Sort {
        self.terms.array_sort(Sort::Bv(64), Sort::Bv(width))
    }

    fn index(&self, offset: Term) -> Term {
        let width = self.terms.width(offset);
        if width < 64 { self.terms.zero_extend(offset, 64 - width) } else { offset }
    }

    /// Whether a term is made of memory that was never written.
    fn is_of_unwritten(&mut self, term: Term) -> bool {
        if self.unwritten.is_empty() {
            return false;
        }
        if let Some(known) = self.of_unwritten.get(&term) {
            return *known;
        }
        let is_unwritten = |part: Term| match self.terms.op(part) {
            Op::Variable(symbol) => self.unwritten.contains(&symbol),
            _ => false,
        };
        let found = self.terms.subterms(&[term]).into_iter().any(is_unwritten);
        self.of_unwritten.insert(term, found);
        found
    }

    /// Whether a term is a constant that is as large as the address of an object.
    pub(crate) fn may_be_address(&self, term: Term) -> bool {
        let lowest = 1 << 28;
        match self.terms.op(term) {
            Op::Bits(bits) => {
                bits >= lowest
                    && bits < u64::MAX - lowest
                    && self.terms.width(term) >= 32
                    && !part_is_negative(bits, self.terms.width(term), lowest)
            }
            Op::WideBits(_) => true,
            _ => false,
        }
    }

    /// Whether a term may be an address of an object, or be made of one: if not, it came from outside.
    fn may_hide_address(&mut self, term: Term) -> bool {
        if let Some(known) = self.hiding.get(&term) {
            return *known;
        }
        let hides = self.terms.subterms(&[term]).into_iter().any(|part| match self.terms.op(part) {
            Op::Bits(_) => self.may_be_address(part),
            // An address may have been put together from its bytes.
            Op::WideBits(_) | Op::Concat => true,
            // What an unknown place held may be an address; an input is none.
            Op::Variable(symbol) => !self.inputs.contains(&symbol),
            _ => false,
        });
        self.hiding.insert(term, hides);
        hides
    }

    /// The addresses of a term: a constant and a rest, under guards. Nothing if there are too many.
    fn expand(&self, term: Term) -> Option<Vec<Address>> {
        let terms = &self.terms;
        if let Some(bits) = terms.as_bv(term).and_then(|bits| bits.small()) {
            return Some(vec![(None, bits as u64, None)]);
        }
        if let Some(base) = self.bases.get(&term) {
            return Some(vec![(None, *base, None)]);
        }
        match terms.op(term) {
            Op::Ite => {
                let args = terms.args(term).to_vec();
                let mut parts = Vec::new();
                for (guard, side) in [(args[0], args[1]), (terms.not(args[0]), args[2])] {
                    for (inner, address, rest) in self.expand(side)? {
                        let guard = inner.map_or(guard, |inner| terms.and2(guard, inner));
                        if guard != terms.bool(false) {
                            parts.push((Some(guard), address, rest));
                        }
                    }
                }
                (parts.len() <= PARTS).then_some(parts)
            }
            Op::BvAdd => {
                let mut sums = vec![(None, 0u64, None)];
                for arg in terms.args(term).to_vec() {
                    let choices = self.expand(arg)?;
                    let mut next = Vec::new();
                    for (guard, address, rest) in &sums {
                        for (other, more, extra) in &choices {
                            let guard: Option<Term> = match (*guard, *other) {
                                (Some(a), Some(b)) => Some(terms.and2(a, b)),
                                (a, b) => a.or(b),
                            };
                            let rest: Option<Term> = match (*rest, *extra) {
                                (Some(a), Some(b)) => Some(terms.bv_add(a, b)),
                                (a, b) => a.or(b),
                            };
                            if guard != Some(terms.bool(false)) {
                                next.push((guard, address.wrapping_add(*more), rest));
                            }
                        }
                    }
                    sums = next;
                    if sums.len() > PARTS {
                        return None;
                    }
                }
                Some(sums)
            }
            _ => Some(vec![(None, 0, Some(term))]),
        }
    }
}

impl Domain for Formulas {
    type Value = Term;
    type Guard = Term;
    type Path = Path;

    const SYMBOLIC: bool = true;

    fn constant(&mut self, width: u32, bits: u128) -> Term {
        self.terms.bv(width, bits)
    }

    fn known(&self, value: &Term) -> Option<u128> {
        self.terms.as_bv(*value)?.small()
    }

    fn unary(&mut self, op: UnaryOp, scalar: Scalar, a: &Term) -> Term {
        self.scalars().unary(op, scalar, *a)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: Scalar,
        right: Scalar,
        a: &Term,
        b: &Term,
        stride: u64,
    ) -> (Term, Option<Term>) {
        self.scalars().binary(op, left, right, *a, *b, stride)
    }

    fn convert(&mut self, from: Scalar, to: Scalar, a: &Term) -> Term {
        self.scalars().convert(from, to, *a)
    }

    fn intrinsic(&mut self, op: Intrinsic, scalar: Scalar, a: &Term, b: Option<&Term>) -> Term {
        match self.scalars().intrinsic(op, scalar, *a, b.copied()) {
            Some(term) => term,
            None => self.any(semantics::intrinsic_result(op, scalar).bits()),
        }
    }

    fn rounded(
        &mut self,
        operation: RoundedOperation,
        direction: RoundingDirection,
        from: Scalar,
        to: Scalar,
        operands: &[Term],
    ) -> Term {
        match self.scalars().rounded(operation, direction, from, to, operands) {
            Some(term) => term,
            None => self.any(to.bits()),
        }
    }

    fn extract(&mut self, value: &Term, width: u32, low: u32, count: u32) -> Term {
        if low == 0 && count == width { *value } else { self.terms.extract(*value, low + count - 1, low) }
    }

    fn concat(&mut self, high: (&Term, u32), low: (&Term, u32)) -> Term {
        self.terms.concat(*high.0, *low.0)
    }

    fn add(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.terms.bv_add(*a, *b)
    }

    fn subtract(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.terms.bv_sub(*a, *b)
    }

    fn multiply(&mut self, width: u32, a: &Term, by: u64) -> Term {
        self.terms.bv_mul(self.terms.bv(width, u128::from(by)), *a)
    }

    fn truth(&mut self, scalar: Scalar, value: &Term) -> Term {
        self.scalars().truth(scalar, *value)
    }

    fn guard(&mut self, value: bool) -> Term {
        self.terms.bool(value)
    }

    fn decided(&self, guard: &Term) -> Option<bool> {
        match self.terms.op(*guard) {
            Op::True => Some(true),
            Op::False => Some(false),
            _ => None,
        }
    }

    fn not(&mut self, guard: &Term) -> Term {
        self.terms.not(*guard)
    }

    fn and(&mut self, a: &Term, b: &Term) -> Term {
        self.terms.and2(*a, *b)
    }

    fn or(&mut self, a: &Term, b: &Term) -> Term {
        self.terms.or2(*a, *b)
    }

    fn equal(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.terms.eq(*a, *b)
    }

    fn at_most(&mut self, _: u32, a: &Term, b: &Term) -> Term {
        self.terms.bv_ule(*a, *b)
    }

    fn choose(&mut self, guard: &Term, then: &Term, otherwise: &Term) -> Term {
        self.terms.ite(*guard, *then, *otherwise)
    }

    fn input(&mut self, path: &mut Path, width: u32, source: InputSource, edge: EdgeId) -> Term {
        if let Some(number) = self.draw(width) {
            return number;
        }
        let value = self.fresh("in", Sort::Bv(width));
        if let Op::Variable(symbol) = self.terms.op(value) {
            self.inputs.insert(symbol);
        }
        path.log = Some(Rc::new(Logged::Input { before: path.log.take(), value, source, edge }));
        value
    }

    fn note_unwritten(&mut self, value: &Term) {
        if let Op::Variable(symbol) = self.terms.op(*value) {
            self.unwritten.insert(symbol);
        }
    }

    fn any(&mut self, width: u32) -> Term {
        if let Some(number) = self.draw(width) {
            return number;
        }
        self.fresh("any", Sort::Bv(width))
    }

    fn start_value(&mut self, key: StartKey, width: u32) -> Term {
        self.start_symbol(key, Sort::Bv(width))
    }

    fn symbolic_base(&mut self, width: u32, base: u64) -> Term {
        let term = self.fresh("heap", Sort::Bv(width));
        self.bases.insert(term, base);
        term
    }

    fn assume(&mut self, path: &mut Path, guard: &Term) -> bool {
        // A conjunction is assumed one by one: each is a condition that may decide another.
        if self.terms.op(*guard) == Op::And {
            for conjunct in self.terms.args(*guard).to_vec() {
                path.assume(conjunct);
            }
        } else {
            path.assume(*guard);
        }
        true
    }

    fn parts(&mut self, width: u32, pointer: &Term) -> Parts<Formulas> {
        let Some(expanded) = self.expand(*pointer) else {
            return Parts {
                known: Vec::new(),
                otherwise: Some(self.terms.bool(true)),
                unclear: true,
                unwritten: false,
            };
        };
        let (mut known, mut otherwise, mut unclear, mut unwritten) = (Vec::new(), None, false, false);
        let mask = semantics::mask(width) as u64;
        for (guard, address, rest) in expanded {
            let address = address & mask;
            // A rest with nothing but a small constant is no address of ours.
            if rest.is_some() && (address < 1 << 20 || address > mask - (1 << 20)) {
                let guard = guard.unwrap_or_else(|| self.terms.bool(true));
                otherwise = Some(otherwise.map_or(guard, |other| self.terms.or2(other, guard)));
                unclear |= rest.is_some_and(|rest| self.may_hide_address(rest));
                unwritten |= rest.is_some_and(|rest| self.is_of_unwritten(rest));
            } else {
                known.push(Part { guard, address, rest });
            }
        }
        Parts { known, otherwise, unclear, unwritten }
    }

    fn divisor(&self, value: &Term) -> u64 {
        let terms = &self.terms;
        if let Some(bits) = terms.as_bv(*value) {
            let bits = bits.small().unwrap_or(1) as u64;
            return match bits {
                0 => 1 << 40,
                1..=0xff_ffff_ffff => bits,
                _ => gcd(bits, 1 << 40),
            };
        }
        let args = terms.args(*value);
        match terms.op(*value) {
            // The sum itself may wrap around too, but then it lies outside of every object.
            Op::BvAdd => args.iter().map(|arg| self.divisor(arg)).reduce(gcd).unwrap_or(1),
            Op::BvNeg => self.divisor(&args[0]),
            Op::BvMul => {
                let product =
                    args.iter().map(|arg| self.divisor(arg)).fold(1, |a: u64, b| a.saturating_mul(b).min(1 << 40));
                // A product that wraps around keeps only its factors of two. A number of 32 bits times a small one does
                // not wrap around in 64.
                let narrow = |arg: &Term| match terms.op(*arg) {
                    Op::SignExtend(by) | Op::ZeroExtend(by) => terms.width(*arg) - by <= 32,
                    _ => terms.as_bv(*arg).and_then(|bits| bits.small()).is_some_and(|bits| bits < 1 << 31),
                };
                let exact = terms.width(*value) == 64 && args.len() == 2 && args.iter().all(narrow);
                if exact { product } else { product & product.wrapping_neg() }
            }
            Op::Ite => gcd(self.divisor(&args[1]), self.divisor(&args[2])),
            Op::SignExtend(_) | Op::ZeroExtend(_) => {
                let inner = self.divisor(&args[0]);
                inner & inner.wrapping_neg()
            }
            Op::Concat => {
                let low = terms.width(args[1]);
                match terms.as_bv(args[1]) {
                    Some(bits) if bits.is_zero() && low < 40 => {
                        self.divisor(&args[0]).saturating_mul(1 << low).min(1 << 40)
                    }
                    _ => 1,
                }
            }
            Op::BvShl => match terms.as_bv(args[1]).and_then(|bits| bits.as_u32()) {
                Some(by) if by < 40 => self.divisor(&args[0]).saturating_mul(1 << by).min(1 << 40),
                _ => 1,
            },
            _ => 1,
        }
    }

    fn elements(&mut self, width: u32, of: &Term) -> Term {
        self.terms.const_array(self.array_sort(width), *of)
    }

    fn start_elements(&mut self, key: StartKey, width: u32) -> Term {
        let sort = self.array_sort(width);
        self.start_symbol(key, sort)
    }

    fn fresh_elements(&mut self, width: u32) -> Term {
        let sort = self.array_sort(width);
        self.fresh("array", sort)
    }

    fn elements_input(&mut self, path: &mut Path, width: u32, source: InputSource, edge: EdgeId) -> Term {
        let value = self.fresh_elements(width);
        path.log = Some(Rc::new(Logged::Input { before: path.log.take(), value, source, edge }));
        value
    }

    fn select(&mut self, elements: &Term, offset: &Term) -> Term {
        self.terms.select(*elements, self.index(*offset))
    }

    fn replace(&mut self, elements: &Term, offset: &Term, value: &Term) -> Term {
        self.terms.store(*elements, self.index(*offset), *value)
    }

    fn join_paths(&mut self, a: &Path, b: &Path) -> (Term, Path) {
        let (mut x, mut y) = (a.assumed.as_ref(), b.assumed.as_ref());
        let (mut first, mut second) = (Vec::new(), Vec::new());
        loop {
            match (x, y) {
                (Some(p), Some(q)) if Rc::ptr_eq(p, q) => break,
                (Some(p), Some(q)) if p.length >= q.length => {
                    first.push(p.term);
                    x = p.before.as_ref();
                }
                (Some(p), None) => {
                    first.push(p.term);
                    x = p.before.as_ref();
                }
                (_, Some(q)) => {
                    second.push(q.term);
                    y = q.before.as_ref();
                }
                (None, None) => break,
            }
        }
        let (then, otherwise) = (self.terms.and(&first), self.terms.and(&second));
        let either = self.terms.or2(then, otherwise);
        let same = match (&a.log, &b.log) {
            (Some(p), Some(q)) => Rc::ptr_eq(p, q),
            (None, None) => true,
            _ => false,
        };
        let log = match same {
            true => a.log.clone(),
            false => Some(Rc::new(Logged::Merge { guard: then, then: a.log.clone(), otherwise: b.log.clone() })),
        };
        let mut path = Path { assumed: x.cloned(), log };
        if self.decided(&either) != Some(true) {
            path.assume(either);
        }
        (then, path)
    }
}

/// Whether bits of a width are a negative number of small magnitude.
fn part_is_negative(bits: u64, width: u32, magnitude: u64) -> bool {
    width < 64 && bits > (semantics::mask(width) as u64) - magnitude
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
