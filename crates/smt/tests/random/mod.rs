//! Random terms for the tests: each is built twice, through the constructors and node by node.
#![allow(dead_code)]

use std::collections::BTreeMap;

use tandem_smt::{BitVector, FloatSort, FunctionValue, Model, Op, RoundingMode, Sort, Term, Terms, Value};

/// A small random number generator: tests only need it to be even and the same every time.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Often small, often near the ends.
    pub fn bits(&mut self, width: u32) -> BitVector {
        let mut value = BitVector::new(width, u128::from(self.next()) << 64 | u128::from(self.next()));
        if width > 128 {
            value = value.concat(&BitVector::new(64, u128::from(self.next()))).extract(width - 1, 0);
        }
        match self.below(8) {
            0 => BitVector::zero(width),
            1 => BitVector::one(width),
            2 => BitVector::ones(width),
            3 => BitVector::sign_bit(width).sub(&BitVector::new(width, u128::from(self.next() % 2))),
            4 => BitVector::new(width, u128::from(self.next() % 5)),
            5 => BitVector::ones(width).shift_right(self.below(width as usize) as u32),
            6 => BitVector::one(width).shift_left(self.below(width as usize) as u32),
            _ => value,
        }
    }

    pub fn float(&mut self, sort: FloatSort) -> BitVector {
        let one = tandem_smt::softfloat::from_unsigned(sort, RoundingMode::NearestEven, &BitVector::one(1));
        let bits = match self.below(8) {
            0 => sort.zero(false),
            1 => sort.zero(true),
            2 => sort.infinity(self.below(2) == 0),
            3 => sort.nan(),
            4 => one,
            5 => tandem_smt::softfloat::neg(sort, &one),
            _ => self.bits(sort.width()),
        };
        tandem_smt::softfloat::canonical(sort, &bits)
    }

    pub fn value(&mut self, terms: &Terms, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            Sort::Bv(width) => Value::Bits(self.bits(width)),
            Sort::Float(sort) => Value::Float(sort, self.float(sort)),
            Sort::RoundingMode => Value::Rounding(self.pick(&RoundingMode::ALL)),
            Sort::Uninterpreted(_) => Value::Element(sort, self.below(3) as u32),
            Sort::Array(id) => {
                let (index, element) = terms.array_sorts(id);
                let default = self.value(terms, element);
                let count = self.below(4);
                let entries: BTreeMap<Value, Value> =
                    (0..count).map(|_| (self.value(terms, index), self.value(terms, element))).collect();
                terms.array_value(index, default, entries)
            }
        }
    }
}

/// Which terms to make.
#[derive(Clone, Copy)]
pub struct Shape {
    pub floats: bool,
    pub arrays: bool,
    pub functions: bool,
    pub widths: &'static [u32],
}

pub const ALL: Shape =
    Shape { floats: true, arrays: true, functions: true, widths: &[1, 2, 3, 5, 8, 13, 32, 64, 65, 128, 130, 200] };

/// A pool with pairs of terms: the simplified one and the one made node by node.
pub struct Builder {
    pub terms: Terms,
    pub random: Random,
    pub pairs: Vec<(Term, Term)>,
    pub symbols: Vec<u32>,
    shape: Shape,
    pub widths: Vec<u32>,
    pub float: FloatSort,
}

impl Builder {
    pub fn new(seed: u64, shape: Shape) -> Builder {
        let mut random = Random::new(seed);
        let width = random.pick(shape.widths);
        let other = random.pick(shape.widths);
        let float = random.pick(&[
            FloatSort { exponent: 3, significand: 4 },
            FloatSort { exponent: 2, significand: 2 },
            FloatSort::HALF,
            FloatSort::SINGLE,
            FloatSort::DOUBLE,
        ]);
        let widths = vec![width, other, float.width(), 1];
        let mut builder =
            Builder { terms: Terms::new(), random, pairs: Vec::new(), symbols: Vec::new(), shape, widths, float };
        builder.leaves(width, other);
        builder
    }

    fn leaves(&mut self, width: u32, other: u32) {
        let terms = self.terms.clone();
        let mut sorts = vec![Sort::Bool, Sort::Bool, Sort::Bv(width), Sort::Bv(width), Sort::Bv(other)];
        if self.shape.floats {
            sorts.extend([Sort::Float(self.float), Sort::Float(self.float), Sort::RoundingMode]);
        }
        if self.shape.arrays {
            let array = terms.array_sort(Sort::Bv(width), Sort::Bv(other));
            sorts.extend([array, terms.array_sort(Sort::Bool, Sort::Bv(width))]);
        }
        if self.shape.functions {
            sorts.extend([terms.declare_sort("Thing"), terms.declare_sort("Thing")]);
        }
        for (number, sort) in sorts.into_iter().enumerate() {
            let term = terms.variable(&format!("v{number}"), sort);
            self.symbols.extend(terms.symbols(&[term]));
            self.pairs.push((term, term));
        }
    }

    /// A pair of this sort; a constant if there is none or now and then.
    pub fn operand(&mut self, sort: Sort) -> (Term, Term) {
        let fits: Vec<(Term, Term)> =
            self.pairs.iter().copied().filter(|(term, _)| self.terms.sort(*term) == sort).collect();
        if fits.is_empty() || self.random.below(5) == 0 {
            let value = self.random.value(&self.terms, sort);
            if let Some(term) = self.terms.value_term(&value, sort) {
                return (term, term);
            }
        }
        if fits.is_empty() {
            let term = self.terms.variable("other", sort);
            return (term, term);
        }
        // The later ones are the larger ones.
        let recent = fits.len().min(6);
        if self.random.below(2) == 0 {
            fits[fits.len() - 1 - self.random.below(recent)]
        } else {
            self.random.pick(&fits)
        }
    }

    fn operator(&mut self) -> (Op, Sort, Vec<Sort>) {
        let width = {
            let widths = self.widths.clone();
            self.random.pick(&widths)
        };
        let bits = Sort::Bv(width);
        let float = Sort::Float(self.float);
        let kind = self.random.below(10);
        match kind {
            0 => self.boolean_operator(),
            1..=3 => {
                let op = self.random.pick(&[
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
                    Op::BvAdd,
                    Op::BvAdd,
                    Op::BvAdd,
                    Op::BvMul,
                    Op::BvMul,
                    Op::BvUdiv,
                    Op::BvUrem,
                    Op::BvSdiv,
                    Op::BvSrem,
                    Op::BvShl,
                    Op::BvLshr,
                    Op::BvAshr,
                ]);
                (op, bits, vec![bits, bits])
            }
            4 => {
                let op = self.random.pick(&[Op::BvNot, Op::BvNeg]);
                (op, bits, vec![bits])
            }
            5 => {
                let op = self.random.pick(&[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq, Op::Eq]);
                (op, Sort::Bool, vec![bits, bits])
            }
            6 => self.slice_operator(width),
            7 => {
                let sorts: Vec<Sort> = self.pairs.iter().map(|(term, _)| self.terms.sort(*term)).collect();
                let sort = self.random.pick(&sorts);
                if self.random.below(2) == 0 {
                    (Op::Ite, sort, vec![Sort::Bool, sort, sort])
                } else {
                    (Op::Eq, Sort::Bool, vec![sort, sort])
                }
            }
            8 if self.shape.floats => self.float_operator(float, bits),
            9 if self.shape.arrays || self.shape.functions => self.other_operator(bits),
            _ => self.boolean_operator(),
        }
    }

    fn boolean_operator(&mut self) -> (Op, Sort, Vec<Sort>) {
        let op = self.random.pick(&[Op::Not, Op::And, Op::Or, Op::Xor, Op::Eq, Op::Ite]);
        let count = match op {
            Op::Not => 1,
            Op::And | Op::Or => 2 + self.random.below(3),
            Op::Ite => 3,
            _ => 2,
        };
        (op, Sort::Bool, vec![Sort::Bool; count])
    }

    fn slice_operator(&mut self, width: u32) -> (Op, Sort, Vec<Sort>) {
        let by = 1 + self.random.below(9) as u32;
        let (op, result, args) = match self.random.below(4) {
            0 => (Op::ZeroExtend(by), width + by, vec![Sort::Bv(width)]),
            1 => (Op::SignExtend(by), width + by, vec![Sort::Bv(width)]),
            2 => {
                let widths = self.widths.clone();
                let other = self.random.pick(&widths);
                (Op::Concat, width + other, vec![Sort::Bv(width), Sort::Bv(other)])
            }
            _ => {
                let low = self.random.below(width as usize) as u32;
                let high = low + self.random.below((width - low) as usize) as u32;
                (Op::Extract { high, low }, high - low + 1, vec![Sort::Bv(width)])
            }
        };
        if result < 300 {
            self.widths.push(result);
        }
        (op, Sort::Bv(result), args)
    }

    fn float_operator(&mut self, float: Sort, bits: Sort) -> (Op, Sort, Vec<Sort>) {
        let sort = self.float;
        let mode = Sort::RoundingMode;
        let width = self.random.pick(&[1, 8, 20, 64]);
        let all: [(Op, Sort, &[Sort]); 31] = [
            (Op::FloatFromBits(sort), float, &[Sort::Bv(sort.width())]),
            (Op::FloatToBits, Sort::Bv(sort.width()), &[float]),
            (Op::FloatAbs, float, &[float]),
            (Op::FloatNeg, float, &[float]),
            (Op::FloatNeg, float, &[float]),
            (Op::FloatAdd, float, &[mode, float, float]),
            (Op::FloatSub, float, &[mode, float, float]),
            (Op::FloatMul, float, &[mode, float, float]),
            (Op::FloatDiv, float, &[mode, float, float]),
            (Op::FloatFma, float, &[mode, float, float, float]),
            (Op::FloatSqrt, float, &[mode, float]),
            (Op::FloatRem, float, &[float, float]),
            (Op::FloatRoundToIntegral, float, &[mode, float]),
            (Op::FloatMin, float, &[float, float]),
            (Op::FloatMax, float, &[float, float]),
            (Op::FloatEq, Sort::Bool, &[float, float]),
            (Op::FloatLt, Sort::Bool, &[float, float]),
            (Op::FloatLe, Sort::Bool, &[float, float]),
            (Op::FloatIsNormal, Sort::Bool, &[float]),
            (Op::FloatIsSubnormal, Sort::Bool, &[float]),
            (Op::FloatIsZero, Sort::Bool, &[float]),
            (Op::FloatIsInfinite, Sort::Bool, &[float]),
            (Op::FloatIsNan, Sort::Bool, &[float]),
            (Op::FloatIsNegative, Sort::Bool, &[float]),
            (Op::FloatIsPositive, Sort::Bool, &[float]),
            (Op::FloatToFloat(FloatSort::SINGLE), Sort::Float(FloatSort::SINGLE), &[mode, float]),
            (Op::FloatToFloat(sort), float, &[mode, Sort::Float(FloatSort::SINGLE)]),
            (Op::FloatFromSigned(sort), float, &[mode, bits]),
            (Op::FloatFromUnsigned(sort), float, &[mode, bits]),
            (Op::FloatToSigned(width), Sort::Bv(width), &[mode, float]),
            (Op::FloatToUnsigned(width), Sort::Bv(width), &[mode, float]),
        ];
        let (op, result, args) = self.random.pick(&all);
        (op, result, args.to_vec())
    }

    fn other_operator(&mut self, bits: Sort) -> (Op, Sort, Vec<Sort>) {
        let arrays: Vec<Sort> = self
            .pairs
            .iter()
            .map(|(term, _)| self.terms.sort(*term))
            .filter(|sort| matches!(sort, Sort::Array(_)))
            .collect();
        if arrays.is_empty() || (self.shape.functions && self.random.below(3) == 0) {
            let thing = self.terms.declare_sort("Thing");
            let result = self.random.pick(&[Sort::Bool, bits, thing]);
            let name = format!("f{result:?}");
            let symbol = self.terms.function(&name, &[bits, thing], result);
            self.symbols.push(symbol);
            return (Op::Apply(symbol), result, vec![bits, thing]);
        }
        let array = self.random.pick(&arrays);
        let Sort::Array(id) = array else { unreachable!() };
        let (index, element) = self.terms.array_sorts(id);
        match self.random.below(7) {
            0..=2 => (Op::Select, element, vec![array, index]),
            3..=5 => (Op::Store, array, vec![array, index, element]),
            _ => (Op::ConstArray(id), array, vec![element]),
        }
    }

    /// Adds one random term; the operator and the simplified arguments it was asked for, for those who check sizes.
    pub fn step(&mut self) -> (Op, Sort, Vec<Term>, Term) {
        let (op, sort, sorts) = self.operator();
        let operands: Vec<(Term, Term)> = sorts.into_iter().map(|sort| self.operand(sort)).collect();
        let (simple, plain): (Vec<Term>, Vec<Term>) = operands.into_iter().unzip();
        let built = self.terms.rebuild(op, sort, &simple);
        self.pairs.push((built, self.terms.intern(op, sort, &plain)));
        (op, sort, simple, built)
    }

    /// Random values for all symbols.
    pub fn model(&mut self) -> Model {
        let mut model = Model::default();
        for symbol in self.symbols.clone() {
            let declared = self.terms.symbol(symbol);
            let (parameters, result) = (declared.parameters.clone(), declared.result);
            if parameters.is_empty() {
                model.constants.insert(symbol, self.random.value(&self.terms, result));
                continue;
            }
            let default = self.random.value(&self.terms, result);
            let entries = (0..3)
                .map(|_| {
                    let key = parameters.iter().map(|&sort| self.random.value(&self.terms, sort)).collect();
                    (key, self.random.value(&self.terms, result))
                })
                .collect();
            model.functions.insert(symbol, FunctionValue { default, entries });
        }
        model
    }
}
