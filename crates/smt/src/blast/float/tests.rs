//! The terms that floats become, evaluated, against the soft floats.

use super::Floats;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::sort::{FloatSort, RoundingMode, Sort};
use crate::value::{BitVector, Model, Value};

/// An operation, of its arguments: rounding mode, three floats, an integer.
struct Operation {
    name: &'static str,
    floats: usize,
    rounds: bool,
    make: fn(&Terms, FloatSort, Term, [Term; 3]) -> Term,
}

const OTHER: FloatSort = FloatSort { exponent: 4, significand: 3 };
const WIDER: FloatSort = FloatSort { exponent: 5, significand: 7 };

const OPERATIONS: &[Operation] = &[
    Operation { name: "add", floats: 2, rounds: true, make: |t, _, m, [x, y, _]| t.float_add(m, x, y) },
    Operation { name: "sub", floats: 2, rounds: true, make: |t, _, m, [x, y, _]| t.float_sub(m, x, y) },
    Operation { name: "mul", floats: 2, rounds: true, make: |t, _, m, [x, y, _]| t.float_mul(m, x, y) },
    Operation { name: "div", floats: 2, rounds: true, make: |t, _, m, [x, y, _]| t.float_div(m, x, y) },
    Operation { name: "fma", floats: 3, rounds: true, make: |t, _, m, [x, y, z]| t.float_fma(m, x, y, z) },
    Operation { name: "sqrt", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_sqrt(m, x) },
    Operation { name: "integral", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_round_to_integral(m, x) },
    Operation { name: "rem", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.float_rem(x, y) },
    Operation { name: "min", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.float_min(x, y) },
    Operation { name: "max", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.float_max(x, y) },
    Operation { name: "abs", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_abs(x) },
    Operation { name: "neg", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_neg(x) },
    Operation { name: "eq", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.float_eq(x, y) },
    Operation { name: "lt", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.float_lt(x, y) },
    Operation { name: "le", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.float_le(x, y) },
    Operation { name: "same", floats: 2, rounds: false, make: |t, _, _, [x, y, _]| t.eq(x, y) },
    Operation { name: "normal", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_normal(x) },
    Operation { name: "subnormal", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_subnormal(x) },
    Operation { name: "zero", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_zero(x) },
    Operation { name: "infinite", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_infinite(x) },
    Operation { name: "nan", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_nan(x) },
    Operation { name: "negative", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_negative(x) },
    Operation { name: "positive", floats: 1, rounds: false, make: |t, _, _, [x, ..]| t.float_is_positive(x) },
    Operation { name: "to other", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_to_float(OTHER, m, x) },
    Operation { name: "to wider", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_to_float(WIDER, m, x) },
    Operation {
        name: "to single",
        floats: 1,
        rounds: true,
        make: |t, _, m, [x, ..]| t.float_to_float(FloatSort::SINGLE, m, x),
    },
    Operation { name: "to 1 signed", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_to_signed(1, m, x) },
    Operation { name: "to 3 signed", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_to_signed(3, m, x) },
    Operation { name: "to 3 unsigned", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_to_unsigned(3, m, x) },
    Operation { name: "to 9 signed", floats: 1, rounds: true, make: |t, _, m, [x, ..]| t.float_to_signed(9, m, x) },
    Operation {
        name: "to 64 unsigned",
        floats: 1,
        rounds: true,
        make: |t, _, m, [x, ..]| t.float_to_unsigned(64, m, x),
    },
    Operation {
        name: "from signed",
        floats: 1,
        rounds: true,
        make: |t, sort, m, [x, ..]| t.float_from_signed(sort, m, t.float_to_bits(x)),
    },
    Operation {
        name: "from unsigned",
        floats: 1,
        rounds: true,
        make: |t, sort, m, [x, ..]| t.float_from_unsigned(sort, m, t.float_to_bits(x)),
    },
    Operation {
        name: "choice of sums",
        floats: 2,
        rounds: true,
        make: |t, _, m, [x, y, _]| {
            let (sum, product) = (t.float_add(m, x, y), t.float_mul(m, x, y));
            let smaller = t.float_min(sum, product);
            t.ite(t.float_lt(sum, product), t.float_neg(smaller), t.float_abs(t.float_max(product, sum)))
        },
    },
    Operation {
        name: "classes of sums",
        floats: 2,
        rounds: true,
        make: |t, _, m, [x, y, _]| {
            let sum = t.float_add(m, x, y);
            t.or(&[t.float_is_normal(sum), t.and2(t.float_is_subnormal(sum), t.float_is_negative(sum))])
        },
    },
    Operation {
        name: "equality of sums",
        floats: 2,
        rounds: true,
        make: |t, _, m, [x, y, _]| t.eq(t.float_add(m, x, y), t.float_mul(m, x, y)),
    },
];

struct Check {
    terms: Terms,
    sort: FloatSort,
    mode: Term,
    floats: [Term; 3],
}

impl Check {
    fn new(sort: FloatSort) -> Check {
        let terms = Terms::new();
        let mode = terms.variable("m", Sort::RoundingMode);
        let floats = ["x", "y", "z"].map(|name| terms.variable(name, Sort::Float(sort)));
        Check { terms, sort, mode, floats }
    }

    fn lowered(&self, operation: &Operation) -> (Term, Term) {
        let term = (operation.make)(&self.terms, self.sort, self.mode, self.floats);
        let term = match self.terms.sort(term) {
            Sort::Float(_) => self.terms.float_to_bits(term),
            _ => term,
        };
        (term, lower_all(&self.terms, term))
    }

    fn model(&self, mode: RoundingMode, bits: &[BitVector; 3]) -> Model {
        let mut model = Model::default();
        let symbol = |term: Term| match self.terms.op(term) {
            Op::Variable(symbol) => symbol,
            _ => panic!("not a variable"),
        };
        model.constants.insert(symbol(self.mode), Value::Rounding(mode));
        for (&float, bits) in self.floats.iter().zip(bits) {
            let canonical = crate::softfloat::canonical(self.sort, bits);
            model.constants.insert(symbol(float), Value::Float(self.sort, canonical));
        }
        model
    }

    fn compare(&self, operation: &Operation, (term, lowered): (Term, Term), mode: RoundingMode, bits: [BitVector; 3]) {
        let model = self.model(mode, &bits);
        let (expected, found) = (self.terms.eval(term, &model), self.terms.eval(lowered, &model));
        assert_eq!(found, expected, "{} {:?} {mode} {bits:?}", operation.name, self.sort);
    }
}

/// The term with every float operation replaced by what it becomes.
fn lower_all(terms: &Terms, root: Term) -> Term {
    let mut floats = Floats::new(terms);
    let mut done = crate::TermMap::default();
    for term in terms.subterms(&[root]) {
        let args = terms.args(term);
        let is_float = matches!(terms.sort(term), Sort::Float(_));
        let has_float = args.iter().any(|&arg| matches!(terms.sort(arg), Sort::Float(_)));
        if is_float {
            floats.make(term).unwrap();
        } else if has_float && !(terms.op(term) == Op::FloatToBits && floats.is_atom(args[0])) {
            floats.lower(term).unwrap();
            done.insert(term, floats.lowered(term).unwrap());
        }
    }
    // Lowered terms refer to the original ones where those were not floats.
    let mut result = root;
    for _ in 0..10 {
        let next = terms.substitute(result, &done);
        if next == result {
            break;
        }
        result = next;
    }
    result
}

fn exhaustive(sort: FloatSort, triples: bool) {
    let check = Check::new(sort);
    let width = sort.width();
    let count = 1u128 << width;
    for operation in OPERATIONS {
        if operation.floats == 3 && !triples {
            continue;
        }
        let pair = check.lowered(operation);
        let modes: &[RoundingMode] = if operation.rounds { &RoundingMode::ALL } else { &RoundingMode::ALL[..1] };
        let end = |number: usize| if operation.floats >= number { count } else { 1 };
        let all = [1, 2, 3].map(end).iter().product::<u128>();
        // Every combination of arguments; every mode only where there are few of them.
        for number in 0..all {
            let arguments = [number % count, number / count % count, number / count / count];
            let bits = arguments.map(|bits| BitVector::new(width, bits));
            let few = if all < 3_000 { modes } else { &modes[number as usize * 3 / 7 % modes.len()..][..1] };
            for &mode in few {
                check.compare(operation, pair, mode, bits.clone());
            }
        }
    }
}

#[test]
fn tiny_formats_exhaustively() {
    exhaustive(FloatSort { exponent: 2, significand: 2 }, true);
    exhaustive(FloatSort { exponent: 2, significand: 3 }, true);
    exhaustive(FloatSort { exponent: 3, significand: 2 }, true);
}

#[test]
fn small_formats_exhaustively() {
    exhaustive(FloatSort { exponent: 3, significand: 4 }, false);
    exhaustive(FloatSort { exponent: 2, significand: 5 }, false);
}

/// Bits that are often near a boundary.
fn random_bits(state: &mut u64, sort: FloatSort) -> BitVector {
    let mut next = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    };
    let (fraction_width, width) = (sort.significand - 1, sort.width());
    let random = u128::from(next()) << 64 | u128::from(next());
    let ones = |count: u32| (1u128 << count) - 1;
    let fraction = match next() % 6 {
        0 => 0,
        1 => ones(fraction_width),
        2 => 1 << (next() % u64::from(fraction_width)),
        3 => ones(fraction_width) ^ ones((next() % u64::from(fraction_width)) as u32),
        _ => random & ones(fraction_width),
    };
    let bias = ones(sort.exponent - 1);
    let near = u128::from(next() % u64::from(2 * sort.significand));
    let exponent = match next() % 8 {
        0 => 0,
        1 => ones(sort.exponent),
        2 => 1,
        3 => ones(sort.exponent) - 1,
        4 | 5 => bias + near - u128::from(sort.significand).min(bias),
        _ => random >> 100 & ones(sort.exponent),
    };
    let sign = u128::from(next() & 1);
    BitVector::new(width, sign << (width - 1) | (exponent & ones(sort.exponent)) << fraction_width | fraction)
}

#[test]
fn usual_formats_randomly() {
    let mut state = 0x1234_5678_9abc_def1;
    for (sort, rounds) in
        [(FloatSort::HALF, 200), (FloatSort::SINGLE, 200), (FloatSort::DOUBLE, 200), (FloatSort::EXTENDED, 40)]
    {
        let check = Check::new(sort);
        for operation in OPERATIONS {
            // Thousands of steps for each evaluation: small formats are enough.
            if operation.name == "rem" && sort.exponent > 8 {
                continue;
            }
            let pair = check.lowered(operation);
            for round in 0..rounds {
                let mode = RoundingMode::ALL[round % 5];
                let mut bits = [(); 3].map(|()| random_bits(&mut state, sort));
                if round % 4 == 0 {
                    bits[1] = crate::softfloat::add(sort, mode, &bits[0], &random_bits(&mut state, sort));
                }
                check.compare(operation, pair, mode, bits);
            }
        }
    }
}
