//! Terms against `semantics`: every operation on every scalar, on corner and random values, with variables and with
//! constants for each operand.

use proptest::prelude::*;
use tandem_cfa::semantics::{self, RoundedOperation, RoundingDirection, is_nan, mask};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{BinaryOp, Intrinsic, Scalar, UnaryOp};
use tandem_smt::{BitVector, Model, Op, Sort, Term, Terms, Value};

use super::{INT, Scalars, binary_result};

const fn int(bits: u32, signed: bool) -> Scalar {
    Scalar::Int { bits, signed }
}

const SCALARS: [Scalar; 17] = [
    Scalar::Bool,
    int(8, true),
    int(8, false),
    int(16, true),
    int(16, false),
    int(32, true),
    int(32, false),
    int(64, true),
    int(64, false),
    int(128, true),
    int(128, false),
    Scalar::Pointer { bits: 32 },
    Scalar::Pointer { bits: 64 },
    Scalar::Float(FloatKind::Single),
    Scalar::Float(FloatKind::Double),
    Scalar::Float(FloatKind::Extended),
    Scalar::Float(FloatKind::Quad),
];

const UNARY: [UnaryOp; 3] = [UnaryOp::Neg, UnaryOp::Complement, UnaryOp::Not];

const BINARY: [BinaryOp; 16] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];

const POINTER: [BinaryOp; 3] = [BinaryOp::PointerAdd, BinaryOp::PointerSub, BinaryOp::PointerDiff];

const INTRINSICS: [Intrinsic; 24] = [
    Intrinsic::ByteSwap,
    Intrinsic::LeadingZeros,
    Intrinsic::TrailingZeros,
    Intrinsic::PopCount,
    Intrinsic::Parity,
    Intrinsic::FindFirstSet,
    Intrinsic::RedundantSignBits,
    Intrinsic::IsNan,
    Intrinsic::IsInfinite,
    Intrinsic::IsFinite,
    Intrinsic::IsNormal,
    Intrinsic::SignBit,
    Intrinsic::FloatAbs,
    Intrinsic::CopySign,
    Intrinsic::SquareRoot,
    Intrinsic::Floor,
    Intrinsic::Ceil,
    Intrinsic::Trunc,
    Intrinsic::Round,
    Intrinsic::RoundEven,
    Intrinsic::FloatMin,
    Intrinsic::FloatMax,
    Intrinsic::FloatMod,
    Intrinsic::FloatRemainder,
];

/// Patterns that are values: `_Bool` 0 or 1, the leading one of `long double` where the exponent wants it.
fn regular(scalar: Scalar, bits: u128) -> u128 {
    let bits = bits & mask(scalar.bits());
    match scalar {
        Scalar::Bool => bits & 1,
        Scalar::Float(FloatKind::Extended) => {
            let normal = (bits >> 64) & mask(15) != 0;
            bits & !(1 << 63) | u128::from(normal) << 63
        }
        Scalar::Float(_) | Scalar::Int { .. } | Scalar::Pointer { .. } => bits,
    }
}

fn corners(scalar: Scalar) -> Vec<u128> {
    let top = 1u128 << (scalar.bits() - 1);
    let mut list = vec![0, 1, 2, 3, 7, 0x55, 100, top - 1, top, top + 1, top | 1 << 5, u128::MAX, u128::MAX - 1];
    if let Scalar::Float(_) = scalar {
        let double = Scalar::Float(FloatKind::Double);
        let powers = [7, 8, 15, 16, 31, 32, 63, 64, 127, 128].map(|power| f64::from(power).exp2());
        let numbers = [0.5, 0.99, 1.0, 1.5, 2.5, 3.0, 1e-40, 1e300, 1e-310, f64::INFINITY, f64::NAN];
        for number in powers.iter().flat_map(|&p| [p, p - 1.0, p + 1.0]).chain(numbers) {
            for number in [number, -number] {
                let bits = semantics::convert(double, scalar, u128::from(number.to_bits())).bits;
                list.extend([bits, bits.wrapping_sub(1), bits + 1]);
            }
        }
        // The largest exponent with a payload: quiet and signalling.
        list.extend([mask(scalar.bits()) << 1, mask(scalar.bits()) ^ top ^ (top >> 20)]);
    }
    let mut list: Vec<u128> = list.into_iter().map(|bits| regular(scalar, bits)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Random values: of random magnitude for integers, of random or similar exponents for floats.
fn some(scalar: Scalar) -> impl Strategy<Value = u128> {
    let list = corners(scalar);
    let random = (any::<u128>(), 0..scalar.bits()).prop_map(move |(bits, shift)| regular(scalar, bits >> shift));
    let number = (any::<i64>(), -70i32..70).prop_map(move |(mantissa, exponent)| {
        let number = mantissa as f64 * f64::from(exponent).exp2();
        semantics::convert(Scalar::Float(FloatKind::Double), scalar, u128::from(number.to_bits())).bits
    });
    prop_oneof![random, number, proptest::sample::select(list)]
}

struct Bench {
    terms: Terms,
}

impl Bench {
    fn new() -> Bench {
        Bench { terms: Terms::new() }
    }

    fn scalars(&self) -> Scalars<'_> {
        Scalars::new(&self.terms)
    }

    fn variable(&self, name: &str, scalar: Scalar) -> Term {
        self.terms.variable(&format!("{name}{}", scalar.bits()), Sort::Bv(scalar.bits()))
    }

    fn model(&self, values: &[(Term, u128)]) -> Model {
        let mut model = Model::default();
        for &(term, bits) in values {
            let Op::Variable(symbol) = self.terms.op(term) else { panic!("a variable") };
            model.constants.insert(symbol, Value::Bits(BitVector::new(self.terms.width(term), bits)));
        }
        model
    }

    fn bits(&self, term: Term, model: &Model) -> u128 {
        self.terms.eval(term, model).as_bits().and_then(BitVector::small).expect("a narrow bit-vector")
    }

    /// Builds the term with variables, one constant and only constants, and compares each with what is expected
    /// (`None`: no result).
    fn check_pair(
        &self,
        about: &str,
        (left, right): (Scalar, Scalar),
        (a, b): (u128, u128),
        build: &dyn Fn(Term, Term) -> (Term, Option<Term>),
        (result, expected): (Scalar, Option<u128>),
    ) {
        let scalars = self.scalars();
        let (x, y) = (self.variable("a", left), self.variable("b", right));
        let (p, q) = (scalars.constant(left, a), scalars.constant(right, b));
        let model = self.model(&[(x, a), (y, b)]);
        for (s, t, all) in [(x, y, false), (x, q, false), (p, y, false), (p, q, true)] {
            let (term, defined) = build(s, t);
            assert_eq!(self.terms.sort(term), Sort::Bv(result.bits()), "{about}: width");
            assert!(!all || self.terms.is_value(term), "{about}: constants are not folded");
            let holds = defined.is_none_or(|defined| self.terms.holds(defined, &model));
            assert_eq!(holds, expected.is_some(), "{about} on {a:#x} and {b:#x}: defined");
            if let Some(expected) = expected {
                let actual = self.bits(term, &model);
                assert_eq!(actual, expected, "{about} on {a:#x} and {b:#x}: {actual:#x} is not {expected:#x}");
            }
        }
    }

    fn check_unary(&self, scalar: Scalar, a: u128) {
        let scalars = self.scalars();
        for op in UNARY {
            let result = if op == UnaryOp::Not { INT } else { scalar };
            let expected = semantics::unary(op, scalar, a).bits;
            let build = |x, _| (scalars.unary(op, scalar, x), None);
            self.check_pair(&format!("{op:?} {scalar:?}"), (scalar, scalar), (a, a), &build, (result, Some(expected)));
        }
        let truth = |x, _| (scalars.of_truth(scalars.truth(scalar, x), INT), None);
        let expected = u128::from(semantics::is_true(scalar, a));
        self.check_pair(&format!("truth {scalar:?}"), (scalar, scalar), (a, a), &truth, (INT, Some(expected)));
        for to in SCALARS {
            let expected = semantics::convert(scalar, to, a).bits;
            let build = |x, _| (scalars.convert(scalar, to, x), None);
            self.check_pair(&format!("{scalar:?} to {to:?}"), (scalar, scalar), (a, a), &build, (to, Some(expected)));
        }
    }

    fn check_binary(&self, scalar: Scalar, a: u128, b: u128) {
        let scalars = self.scalars();
        for op in BINARY {
            let expected = semantics::binary(op, scalar, scalar, a, b, 1).ok().map(|outcome| outcome.bits);
            let build = |x, y| scalars.binary(op, scalar, scalar, x, y, 1);
            let result = (binary_result(op, scalar), expected);
            self.check_pair(&format!("{op:?} {scalar:?}"), (scalar, scalar), (a, b), &build, result);
        }
    }

    fn check_intrinsics(&self, scalar: Scalar, a: u128, b: u128) {
        let scalars = self.scalars();
        for intrinsic in INTRINSICS {
            let expected = semantics::intrinsic(intrinsic, scalar, a, b);
            let build = |x, y| (scalars.intrinsic(intrinsic, scalar, x, Some(y)).expect("a term"), None);
            let result = (semantics::intrinsic_result(intrinsic, scalar), Some(expected));
            self.check_pair(&format!("{intrinsic:?} {scalar:?}"), (scalar, scalar), (a, b), &build, result);
        }
    }

    /// Operations on floats in every direction; the third operand, if there is one, is the first again.
    fn check_rounded(&self, scalar: Scalar, a: u128, b: u128) {
        let scalars = self.scalars();
        for operation in RoundedOperation::ALL {
            for direction in RoundingDirection::ALL {
                let floats = SCALARS.into_iter().filter(|to| matches!(to, Scalar::Float(_)));
                let is_conversion = operation == RoundedOperation::Convert;
                for to in floats.filter(|to| is_conversion || *to == scalar) {
                    let expected = semantics::rounded(operation, direction, scalar, to, [a, b, a]);
                    let build =
                        |x, y| (scalars.rounded(operation, direction, scalar, to, &[x, y, x]).expect("a term"), None);
                    let about = format!("{operation:?} {direction:?} {scalar:?} {to:?}");
                    self.check_pair(&about, (scalar, scalar), (a, b), &build, (to, Some(expected)));
                }
            }
        }
    }

    /// Operators whose operands differ in type.
    fn check_mixed(&self, left: Scalar, right: Scalar, a: u128, b: u128, stride: u64) {
        let scalars = self.scalars();
        let operators: &[BinaryOp] = match (left, right) {
            (Scalar::Float(_), _) | (_, Scalar::Float(_)) => &[],
            (Scalar::Pointer { .. }, _) if left == right => &POINTER,
            (Scalar::Pointer { .. }, _) => &POINTER[..2],
            _ => &[BinaryOp::Shl, BinaryOp::Shr],
        };
        for &op in operators {
            let expected = semantics::binary(op, left, right, a, b, stride).ok().map(|outcome| outcome.bits);
            let build = |x, y| scalars.binary(op, left, right, x, y, stride);
            let about = format!("{op:?} {left:?} {right:?} stride {stride}");
            self.check_pair(&about, (left, right), (a, b), &build, (left, expected));
        }
    }
}

const STRIDES: [u64; 9] = [0, 1, 3, 4, 24, 1 << 31, 0xffff_ffff, 1 << 63, u64::MAX];

#[test]
fn corner_values() {
    let bench = Bench::new();
    for scalar in SCALARS {
        let list = corners(scalar);
        for &a in &list {
            bench.check_unary(scalar, a);
        }
        // Every 41st pair of floats, of which there are many; another selection for each operand.
        let step = if list.len() > 20 { 41 } else { 1 };
        for (i, &a) in list.iter().enumerate() {
            for &b in list[i % step..].iter().step_by(step) {
                bench.check_binary(scalar, a, b);
                bench.check_intrinsics(scalar, a, b);
            }
        }
    }
}

#[test]
fn corner_values_in_every_direction() {
    let bench = Bench::new();
    for scalar in SCALARS.into_iter().filter(|scalar| !matches!(scalar, Scalar::Pointer { .. })) {
        let list = corners(scalar);
        for (i, &a) in list.iter().enumerate() {
            for &b in list[i % 67..].iter().step_by(67) {
                bench.check_rounded(scalar, a, b);
            }
        }
    }
}

#[test]
fn to_nearest_is_what_the_operators_do() {
    for scalar in SCALARS.into_iter().filter(|scalar| matches!(scalar, Scalar::Float(_))) {
        let list = corners(scalar);
        for (i, &a) in list.iter().enumerate() {
            for &b in list[i % 7..].iter().step_by(7) {
                let operators = [
                    (BinaryOp::Add, RoundedOperation::Add),
                    (BinaryOp::Sub, RoundedOperation::Subtract),
                    (BinaryOp::Mul, RoundedOperation::Multiply),
                    (BinaryOp::Div, RoundedOperation::Divide),
                ];
                for (op, operation) in operators {
                    let expected = semantics::binary(op, scalar, scalar, a, b, 0).expect("a value").bits;
                    let nearest = RoundingDirection::Nearest;
                    let actual = semantics::rounded(operation, nearest, scalar, scalar, [a, b, 0]);
                    assert_eq!(actual, expected, "{op:?} {scalar:?} on {a:#x} and {b:#x}");
                }
            }
        }
    }
}

#[test]
fn corner_values_of_two_types() {
    let bench = Bench::new();
    for left in SCALARS {
        for right in SCALARS {
            for (i, &a) in corners(left).iter().enumerate() {
                for (j, &b) in corners(right).iter().enumerate() {
                    bench.check_mixed(left, right, a, b, STRIDES[(3 * i + j) % STRIDES.len()]);
                }
            }
        }
    }
}

fn two_values() -> impl Strategy<Value = (Scalar, u128, u128)> {
    proptest::sample::select(SCALARS.to_vec()).prop_flat_map(|scalar| (Just(scalar), some(scalar), some(scalar)))
}

fn two_types() -> impl Strategy<Value = (Scalar, Scalar, u128, u128)> {
    let scalar = || proptest::sample::select(SCALARS.to_vec());
    (scalar(), scalar()).prop_flat_map(|(left, right)| (Just(left), Just(right), some(left), some(right)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn random_values((scalar, a, b) in two_values()) {
        let bench = Bench::new();
        bench.check_unary(scalar, a);
        bench.check_binary(scalar, a, b);
        bench.check_intrinsics(scalar, a, b);
    }

    #[test]
    fn random_values_of_two_types((left, right, a, b) in two_types(), stride in any::<u64>(), shift in 0..64u32) {
        Bench::new().check_mixed(left, right, a, b, stride >> shift);
    }

    /// Results as operands: here the patterns that were written are read again.
    #[test]
    fn chains_of_float_operations(
        (kind, a, b) in proptest::sample::select(vec![FloatKind::Single, FloatKind::Double, FloatKind::Extended])
            .prop_flat_map(|kind| (Just(kind), some(Scalar::Float(kind)), some(Scalar::Float(kind)))),
        steps in proptest::collection::vec((0..14u32, any::<bool>()), 1..12),
    ) {
        let scalar = Scalar::Float(kind);
        let bench = Bench::new();
        let (x, y) = (bench.variable("a", scalar), bench.variable("b", scalar));
        let model = bench.model(&[(x, a), (y, b)]);
        let mut values = vec![(x, a), (y, b)];
        for (choice, old) in steps {
            let last = values[values.len() - 1];
            let other = if old { values[0] } else { values[values.len() - 2] };
            let next = chained(&bench, kind, choice, last, other);
            prop_assert_eq!(bench.bits(next.0, &model), next.1, "step {}", choice);
            values.push(next);
        }
    }
}

/// One step on two values, each with its pattern.
fn chained(bench: &Bench, kind: FloatKind, choice: u32, a: (Term, u128), b: (Term, u128)) -> (Term, u128) {
    let scalar = Scalar::Float(kind);
    let scalars = bench.scalars();
    let terms = &bench.terms;
    match choice {
        0..4 => {
            let op = BINARY[choice as usize];
            let bits = semantics::binary(op, scalar, scalar, a.1, b.1, 1).map_or(0, |outcome| outcome.bits);
            (scalars.binary(op, scalar, scalar, a.0, b.0, 1).0, bits)
        }
        4 => (scalars.unary(UnaryOp::Neg, scalar, a.0), semantics::unary(UnaryOp::Neg, scalar, a.1).bits),
        5..11 => {
            let intrinsic = [
                Intrinsic::FloatAbs,
                Intrinsic::CopySign,
                Intrinsic::SquareRoot,
                Intrinsic::Floor,
                Intrinsic::FloatMin,
                Intrinsic::FloatMax,
            ][choice as usize - 5];
            let term = scalars.intrinsic(intrinsic, scalar, a.0, Some(b.0)).expect("a term");
            (term, semantics::intrinsic(intrinsic, scalar, a.1, b.1))
        }
        11 => {
            let (through, there) = (Scalar::Float(FloatKind::Quad), semantics::convert);
            let term = scalars.convert(through, scalar, scalars.convert(scalar, through, a.0));
            (term, there(through, scalar, there(scalar, through, a.1).bits).bits)
        }
        12 => {
            // `isnan(a) ? 0 : a` has the form of a written pattern.
            let condition = scalars.intrinsic(Intrinsic::IsNan, scalar, a.0, None).expect("a term");
            let term = terms.ite(scalars.truth(INT, condition), scalars.constant(scalar, 0), a.0);
            (term, if is_nan(kind, a.1) { 0 } else { a.1 })
        }
        _ => {
            let condition = scalars.truth(scalar, b.0);
            let holds = semantics::is_true(scalar, b.1);
            (terms.ite(condition, a.0, b.0), if holds { a.1 } else { b.1 })
        }
    }
}

#[test]
fn what_was_written_is_read_without_a_detour() {
    let bench = Bench::new();
    let (terms, scalars) = (&bench.terms, bench.scalars());
    for kind in [FloatKind::Single, FloatKind::Double, FloatKind::Extended, FloatKind::Quad] {
        let scalar = Scalar::Float(kind);
        let (x, y) = (bench.variable("a", scalar), bench.variable("b", scalar));
        let add = |a, b| scalars.binary(BinaryOp::Add, scalar, scalar, a, b, 1).0;
        let sum = add(scalars.unary(UnaryOp::Neg, scalar, add(x, y)), y);
        let float = scalars.view(kind, sum).float;
        assert_eq!(terms.op(float), Op::FloatSub);
        assert_eq!(terms.op(terms.args(float)[2]), Op::FloatAdd, "of {kind:?}");
    }
}

#[test]
fn conditions_survive_being_numbers() {
    let bench = Bench::new();
    let scalars = bench.scalars();
    let condition = bench.terms.variable("c", Sort::Bool);
    for scalar in SCALARS {
        let number = scalars.of_truth(condition, scalar);
        assert_eq!(scalars.truth(scalar, number), condition, "{scalar:?}");
        assert_eq!(scalars.truth(INT, scalars.convert(scalar, INT, number)), condition, "{scalar:?}");
    }
}

#[test]
fn values_are_told_from_other_patterns() {
    let bench = Bench::new();
    for (scalar, good, bad) in [
        (Scalar::Bool, vec![0, 1], vec![2, 255]),
        (
            Scalar::Float(FloatKind::Extended),
            vec![0, 1, 0x3fff << 64 | 1 << 63, 0x7fff << 64 | 3 << 62],
            vec![1 << 63, 0x3fff << 64, 0x7fff << 64 | 1 << 62],
        ),
    ] {
        let value = bench.variable("a", scalar);
        let condition = bench.scalars().is_value(scalar, value).expect("not all patterns are values");
        for (list, expected) in [(good, true), (bad, false)] {
            for bits in list {
                assert_eq!(bench.terms.holds(condition, &bench.model(&[(value, bits)])), expected, "{bits:#x}");
            }
        }
    }
}
