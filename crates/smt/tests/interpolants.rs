//! Interpolants of random infeasible traces: every sequence must be one, and its atoms must be readable.

use std::time::Duration;

use tandem_base::Budget;
use tandem_smt::interpolate::{Failure, first_flaw, sequence};
use tandem_smt::{Sort, Term, Terms, Z3Mode, Z3Solver};

/// A small generator of pseudo-random numbers, so that a failing trace can be made again from its number.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// A variable of a straight-line program: its width, its signedness and how often it was assigned.
struct Variable {
    name: &'static str,
    width: u32,
    signed: bool,
    version: u32,
}

/// A straight-line C program as a sequence of formulas, made at random.
struct Trace<'a> {
    terms: &'a Terms,
    random: Random,
    variables: Vec<Variable>,
}

/// A value of C after the integer promotions.
#[derive(Clone, Copy)]
struct Operand {
    term: Term,
    signed: bool,
}

impl<'a> Trace<'a> {
    fn new(terms: &'a Terms, seed: u64) -> Trace<'a> {
        let types = [("c", 8, true), ("h", 16, false), ("i", 32, true), ("u", 32, false), ("l", 64, true)];
        let variables =
            types.map(|(name, width, signed)| Variable { name, width, signed, version: 0 }).into_iter().collect();
        Trace { terms, random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), variables }
    }

    fn formulas(&mut self) -> Vec<Vec<Term>> {
        let length = 3 + self.random.below(8);
        (0..length)
            .map(|_| if self.random.below(2) == 0 { self.assign() } else { self.assume() })
            .map(|t| vec![t])
            .collect()
    }

    fn current(&self, variable: usize) -> Term {
        let Variable { name, width, version, .. } = self.variables[variable];
        self.terms.variable(&format!("{name}_{version}"), Sort::Bv(width))
    }

    fn read(&mut self) -> Operand {
        let chosen = self.random.below(self.variables.len() as u64) as usize;
        let term = self.current(chosen);
        let Variable { width, signed, .. } = self.variables[chosen];
        if width >= 32 {
            return Operand { term, signed };
        }
        let by = 32 - width;
        let term = if signed { self.terms.sign_extend(term, by) } else { self.terms.zero_extend(term, by) };
        Operand { term, signed: true }
    }

    /// The usual arithmetic conversions.
    fn balance(&self, left: Operand, right: Operand) -> (Term, Term, bool) {
        let (a, b) = (self.terms.width(left.term), self.terms.width(right.term));
        let widen = |operand: Operand, by| match operand.signed {
            _ if by == 0 => operand.term,
            true => self.terms.sign_extend(operand.term, by),
            false => self.terms.zero_extend(operand.term, by),
        };
        let width = a.max(b);
        let signed = match a.cmp(&b) {
            std::cmp::Ordering::Equal => left.signed && right.signed,
            std::cmp::Ordering::Less => right.signed,
            std::cmp::Ordering::Greater => left.signed,
        };
        (widen(left, width - a), widen(right, width - b), signed)
    }

    fn expression(&mut self, depth: u32) -> Operand {
        if depth == 0 || self.random.below(3) == 0 {
            if self.random.below(3) == 0 {
                let number = [0, 1, 2, 3, 5, 10, 100, 1000][self.random.below(8) as usize];
                return Operand { term: self.terms.bv(32, number), signed: true };
            }
            return self.read();
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        let (a, b, signed) = self.balance(left, right);
        let term = match self.random.below(8) {
            0..=2 => self.terms.bv_add(a, b),
            3 | 4 => self.terms.bv_sub(a, b),
            // Products of two variables are hard for the solver at 64 bits, and few of them are enough.
            5 if self.random.below(8) == 0 => self.terms.bv_mul(a, b),
            5 => self.terms.bv_mul(a, self.terms.bv(self.terms.width(a), 3)),
            6 => self.terms.bv_and(a, b),
            _ => self.terms.bv_xor(a, b),
        };
        Operand { term, signed }
    }

    fn assign(&mut self) -> Term {
        let target = self.random.below(self.variables.len() as u64) as usize;
        let value = self.expression(2);
        let width = self.variables[target].width;
        let from = self.terms.width(value.term);
        let value = match width.checked_sub(from) {
            Some(0) => value.term,
            Some(by) if value.signed => self.terms.sign_extend(value.term, by),
            Some(by) => self.terms.zero_extend(value.term, by),
            None => self.terms.extract(value.term, width - 1, 0),
        };
        self.variables[target].version += 1;
        self.terms.eq(self.current(target), value)
    }

    fn assume(&mut self) -> Term {
        let (left, right) = (self.expression(1), self.expression(1));
        let (a, b, signed) = self.balance(left, right);
        match (self.random.below(6), signed) {
            (0 | 1, _) => self.terms.eq(a, b),
            (2, _) => self.terms.not(self.terms.eq(a, b)),
            (3, true) => self.terms.bv_slt(a, b),
            (3, false) => self.terms.bv_ult(a, b),
            (_, true) => self.terms.bv_sle(a, b),
            (_, false) => self.terms.bv_ule(a, b),
        }
    }
}

#[test]
fn a_thousand_infeasible_traces() {
    let mut infeasible = 0;
    let (mut inexpressible, mut slow) = (Vec::new(), Vec::new());
    let mut seed = 0;
    while infeasible < 1000 {
        seed += 1;
        let terms = Terms::new();
        let budget = Budget::with_time(Duration::from_secs(2));
        let formulas = Trace::new(&terms, seed).formulas();
        let mut solver = Z3Solver::new(&terms, Z3Mode::Incremental);
        match sequence(&mut solver, &formulas, &budget) {
            Ok(interpolants) => {
                infeasible += 1;
                let flaw = first_flaw(&mut solver, &formulas, &interpolants, &budget);
                assert_eq!(flaw, None, "trace {seed}");
            }
            Err(Failure::Satisfiable(_)) => {}
            Err(Failure::Unknown(reason)) => slow.push((seed, reason)),
            Err(Failure::Inexpressible { cut }) => {
                infeasible += 1;
                inexpressible.push((seed, cut));
            }
        }
    }
    assert!(inexpressible.len() <= 2, "no interpolants for {inexpressible:?}");
    assert!(slow.len() <= 20, "out of time for {slow:?} in {seed} traces");
}

fn bits(terms: &Terms, name: &str) -> Term {
    terms.variable(name, Sort::Bv(32))
}

/// `x0 <= y; x1 = x0 + 4 (with y small); y + 4 < x1`: the middle must speak of x1 and y alone.
#[test]
fn the_atoms_are_words() {
    let terms = Terms::new();
    let (x0, x1, y) = (bits(&terms, "x0"), bits(&terms, "x1"), bits(&terms, "y"));
    let formulas = vec![
        vec![terms.bv_sle(x0, y), terms.bv_sle(y, terms.bv(32, 100)), terms.bv_sle(terms.bv(32, 0), x0)],
        vec![terms.eq(x1, terms.bv_add(x0, terms.bv(32, 4)))],
        vec![terms.bv_slt(terms.bv_add(y, terms.bv(32, 4)), x1)],
    ];
    let mut solver = Z3Solver::new(&terms, Z3Mode::Incremental);
    let interpolants = sequence(&mut solver, &formulas, &Budget::unlimited()).expect("infeasible");
    assert_eq!(first_flaw(&mut solver, &formulas, &interpolants, &Budget::unlimited()), None);
    assert!(terms.dag_size(&interpolants) < 25, "{} nodes", terms.dag_size(&interpolants));
}

/// Memory: `m1 = store(m0, p, 1); m1[p] == 0` with everything else irrelevant.
#[test]
fn arrays_are_eliminated() {
    let terms = Terms::new();
    let memory = terms.array_sort(Sort::Bv(32), Sort::Bv(8));
    let (m0, m1, m2) = (terms.variable("m0", memory), terms.variable("m1", memory), terms.variable("m2", memory));
    let (p, q) = (bits(&terms, "p"), bits(&terms, "q"));
    let byte = |value| terms.bv(8, value);
    let formulas = vec![
        vec![terms.eq(m1, terms.store(m0, p, byte(1))), terms.eq(terms.select(m0, q), byte(3))],
        vec![terms.eq(m2, terms.store(m1, q, byte(2))), terms.not(terms.eq(p, q))],
        vec![terms.eq(terms.select(m2, p), byte(7))],
    ];
    let mut solver = Z3Solver::new(&terms, Z3Mode::Incremental);
    let interpolants = sequence(&mut solver, &formulas, &Budget::unlimited()).expect("infeasible");
    assert_eq!(first_flaw(&mut solver, &formulas, &interpolants, &Budget::unlimited()), None);
}

/// Floats: `f1 = f0 + 1.0; f0 >= 0; f1 < 0`.
#[test]
fn floats_are_interpolated() {
    let terms = Terms::new();
    let single = tandem_smt::FloatSort::SINGLE;
    let float = |name: &str| terms.variable(name, Sort::Float(single));
    let constant = |value: f32| terms.float_value(single, &tandem_smt::BitVector::new(32, value.to_bits().into()));
    let nearest = terms.rounding(tandem_smt::RoundingMode::NearestEven);
    let formulas = vec![
        vec![terms.float_le(constant(0.0), float("f0"))],
        vec![terms.eq(float("f1"), terms.float_add(nearest, float("f0"), constant(1.0)))],
        vec![terms.float_lt(float("f1"), constant(0.0))],
    ];
    let mut solver = Z3Solver::new(&terms, Z3Mode::Incremental);
    let interpolants = sequence(&mut solver, &formulas, &Budget::unlimited()).expect("infeasible");
    assert_eq!(first_flaw(&mut solver, &formulas, &interpolants, &Budget::unlimited()), None);
}
