//! Random values for inputs: small, extreme and arbitrary ones, and the constants of the program. Knows no path.

use std::collections::{BTreeSet, HashMap};

use tandem_base::FastBuild;
use tandem_cfa::exec::{Inputs, Request};
use tandem_cfa::semantics::{integer_value, mask};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{EdgeId, ExprKind, Program, Scalar};

/// Constants that are kept.
const MOST: usize = 1000;
/// Values that are remembered for one call.
const LEARNED: usize = 32;

/// A source of values that gives the same ones every time it is made from the same program and seed.
pub struct Draw {
    state: u64,
    integers: Vec<i128>,
    floats: Vec<(FloatKind, u128)>,
    /// For each call that asks for inputs, values that led on before.
    learned: HashMap<EdgeId, Vec<u128>, FastBuild>,
}

/// What kind of values one run gets: programs that loop over their inputs want many of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mood {
    Zeros,
    /// One value for all.
    Same(i128),
    /// Zero and one.
    Flags,
    /// A few values from zero on.
    Small,
    /// Constants of the program.
    Words,
    /// Values that led on before at the same call.
    Learned,
    Mixed,
}

impl Draw {
    pub fn new(program: &Program, seed: u64) -> Draw {
        let mut integers = BTreeSet::from([0, 1]);
        let mut floats = Vec::new();
        for expr in program.arena.exprs().iter() {
            let (ExprKind::Bits(bits), Some(scalar)) = (expr.kind, program.types.scalar(expr.ty)) else { continue };
            match scalar {
                Scalar::Int { .. } if integers.len() < MOST => {
                    let value = integer_value(scalar, u128::from(bits));
                    integers.extend([value - 1, value, value + 1]);
                }
                Scalar::Float(kind) if floats.len() < MOST => floats.push((kind, u128::from(bits))),
                Scalar::Int { .. } | Scalar::Float(_) | Scalar::Bool | Scalar::Pointer { .. } => {}
            }
        }
        Draw {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            integers: integers.into_iter().collect(),
            floats,
            learned: HashMap::default(),
        }
    }

    pub fn word(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 1
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound.max(1) as u64) as usize
    }

    /// Remembers a value that led on.
    pub fn learn(&mut self, edge: EdgeId, bits: u128) {
        let values = self.learned.entry(edge).or_default();
        if values.len() < LEARNED && !values.contains(&bits) {
            values.push(bits);
        }
    }

    pub fn mood(&mut self) -> Mood {
        match self.below(12) {
            0 => Mood::Same(self.word_of_program()),
            1 => Mood::Flags,
            2 => Mood::Small,
            3 | 4 => Mood::Words,
            5..=8 if !self.learned.is_empty() => Mood::Learned,
            _ => Mood::Mixed,
        }
    }

    /// A value for a call.
    fn value_at(&mut self, mood: Mood, edge: EdgeId, scalar: Scalar) -> u128 {
        let count = self.learned.get(&edge).map_or(0, Vec::len);
        // Now and then something else, so that more can be learned.
        if mood == Mood::Learned && count > 0 && self.below(64) > 0 {
            let at = self.below(count);
            return self.learned[&edge][at];
        }
        self.value(mood, scalar)
    }

    pub fn value(&mut self, mood: Mood, scalar: Scalar) -> u128 {
        let integer = match mood {
            Mood::Zeros => 0,
            Mood::Same(value) => value,
            Mood::Flags => self.below(2) as i128,
            Mood::Small => self.below(8) as i128,
            Mood::Words => self.word_of_program(),
            Mood::Learned | Mood::Mixed => match self.below(8) {
                0 => 0,
                1 => self.below(2) as i128,
                2 => self.below(16) as i128,
                3 => -(self.below(16) as i128),
                4 | 5 => self.word_of_program(),
                6 => (1i128 << (scalar.bits() - 1).min(126)) - self.below(2) as i128,
                _ => i128::from(self.word()) << 64 ^ i128::from(self.word()) << 1,
            },
        };
        self.fit(mood, integer, scalar)
    }

    fn fit(&mut self, mood: Mood, integer: i128, scalar: Scalar) -> u128 {
        if let Scalar::Pointer { .. } = scalar {
            // A pointer from outside points to nothing of the program: all that matters is whether it is null.
            return if self.below(8) == 0 { 1 << 12 } else { 0 };
        }
        let Scalar::Float(kind) = scalar else { return integer as u128 & mask(scalar.bits()) };
        let fitting = self.floats.iter().filter(|(other, _)| *other == kind).count();
        if matches!(mood, Mood::Words | Mood::Learned | Mood::Mixed) && fitting > 0 && self.below(2) == 0 {
            let number = self.below(fitting);
            return self.floats.iter().filter(|(other, _)| *other == kind).nth(number).map_or(0, |(_, bits)| *bits);
        }
        let from = Scalar::Int { bits: 128, signed: true };
        if mood == Mood::Mixed && self.below(4) == 0 {
            // Any bits: numbers of all sizes, infinities and the like.
            return (u128::from(self.word()) << 64 | u128::from(self.word()) << 1) & mask(kind.bits());
        }
        tandem_cfa::semantics::convert(from, scalar, integer as u128).bits
    }

    fn word_of_program(&mut self) -> i128 {
        let at = self.below(self.integers.len());
        self.integers[at]
    }
}

/// Given values first, then drawn ones. Memory that was never written is zero.
pub struct Drawn<'a> {
    pub values: &'a [u128],
    pub used: usize,
    pub mood: Mood,
    pub draw: &'a mut Draw,
}

impl Inputs for Drawn<'_> {
    fn nondet(&mut self, request: Request<'_>) -> u128 {
        let at = self.used;
        self.used += 1;
        match self.values.get(at) {
            Some(value) => *value,
            None => self.draw.value_at(self.mood, request.edge, request.scalar),
        }
    }

    fn uninitialised(&mut self, _: Request<'_>) -> u128 {
        0
    }
}
