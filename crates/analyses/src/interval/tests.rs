//! Every operation covers what `semantics` gives for values in its arguments; the laws of the order; and what the domain
//! is precise enough for.

use proptest::prelude::*;
use tandem_cfa::semantics::{self, mask};
use tandem_cfa::types::FloatKind;
use tandem_cfa::{BinaryOp, Intrinsic, Scalar, UnaryOp};

use super::domain::Set;
use super::{Interval, floats, refine};
use crate::encode::INT;

const fn int(bits: u32, signed: bool) -> Scalar {
    Scalar::Int { bits, signed }
}

const SCALARS: [Scalar; 15] = [
    Scalar::Bool,
    int(8, true),
    int(8, false),
    int(16, true),
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
];

const COMPARISONS: [BinaryOp; 6] = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

const ARITHMETIC: [BinaryOp; 10] = [
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
];

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

/// A pattern: small, near a bound of the type, of random magnitude, or anything; of floats mostly numbers.
fn value(scalar: Scalar) -> BoxedStrategy<u128> {
    let top = 1u128 << (scalar.bits() - 1);
    let near = (0..24u128).prop_map(|small| small.wrapping_sub(12));
    let bound = (prop_oneof![Just(0), Just(top), Just(1 << (scalar.bits() / 2))], near)
        .prop_map(move |(bound, near): (u128, u128)| regular(scalar, bound.wrapping_add(near)));
    let random = (any::<u128>(), 0..scalar.bits(), any::<bool>()).prop_map(move |(bits, shift, negated)| {
        let bits = (bits & mask(scalar.bits())) >> shift;
        regular(scalar, if negated { bits.wrapping_neg() } else { bits })
    });
    if let Scalar::Float(_) = scalar {
        let double = Scalar::Float(FloatKind::Double);
        let convert = move |number: f64| semantics::convert(double, scalar, u128::from(number.to_bits())).bits;
        let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e300, 5e-324, 0.5];
        let special = proptest::sample::select(special.to_vec()).prop_map(convert);
        let number = (-1000i32..1000, -3i32..3).prop_map(move |(a, b)| convert(f64::from(a) * f64::from(b).exp2()));
        return prop_oneof![random, special, number].boxed();
    }
    prop_oneof![bound, random].boxed()
}

/// A set and a pattern in it.
fn sample(scalar: Scalar) -> BoxedStrategy<(Interval, u128)> {
    let joined = proptest::collection::vec(value(scalar), 1..4).prop_map(move |values| {
        let joined =
            values.iter().fold(Interval::bottom(scalar), |set, &bits| set.join(&Interval::constant(scalar, bits)));
        (joined, values[0])
    });
    let top = value(scalar).prop_map(move |bits| (Interval::top(scalar), bits));
    (prop_oneof![8 => joined, 1 => top], any::<u128>(), any::<bool>())
        .prop_map(|((set, bits), seed, inner)| (set, if inner { member(&set, seed).unwrap_or(bits) } else { bits }))
        .boxed()
}

/// Some pattern in the set.
fn member(set: &Interval, seed: u128) -> Option<u128> {
    match (set.set, set.scalar) {
        (Set::Range(range), scalar) if range.step != 0 => {
            let count = range.low.abs_diff(range.high) / range.step;
            let index = seed % count.saturating_add(1).max(1);
            Some(range.low.wrapping_add_unsigned(index.wrapping_mul(range.step)) as u128 & mask(scalar.bits()))
        }
        (Set::Floats(set), Scalar::Float(kind)) if set.has_numbers() => {
            let fraction = (seed as u32) as f64 / f64::from(u32::MAX);
            let number = set.low + (set.high - set.low) * fraction;
            let bits = floats::pattern(kind, number);
            set.contains(floats::number(kind, bits)).then_some(bits)
        }
        _ => None,
    }
}

fn scalar() -> impl Strategy<Value = Scalar> {
    proptest::sample::select(SCALARS.to_vec())
}

fn one() -> impl Strategy<Value = (Interval, u128)> {
    scalar().prop_flat_map(sample)
}

fn two() -> impl Strategy<Value = ((Interval, u128), (Interval, u128))> {
    scalar().prop_flat_map(|scalar| (sample(scalar), sample(scalar)))
}

fn mixed() -> impl Strategy<Value = ((Interval, u128), (Interval, u128))> {
    let pointer = prop_oneof![Just(Scalar::Pointer { bits: 32 }), Just(Scalar::Pointer { bits: 64 })];
    let index = proptest::sample::select(SCALARS[..8].to_vec());
    (pointer, index).prop_flat_map(|(left, right)| (sample(left), sample(right)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn operations_of_one_operand_are_sound((set, a) in one(), (_, other) in one()) {
        let scalar = set.scalar();
        prop_assert!(set.contains(a));
        for op in [UnaryOp::Neg, UnaryOp::Complement, UnaryOp::Not] {
            let exact = semantics::unary(op, scalar, a).bits;
            prop_assert!(set.unary(op).contains(exact), "{:?} {:?} {:#x}: {:?}", op, set, a, set.unary(op));
        }
        for to in SCALARS {
            let exact = semantics::convert(scalar, to, a).bits;
            prop_assert!(set.convert(to).contains(exact), "{:?} {:#x} to {:?}: {:?}", set, a, to, set.convert(to));
            if to.bits() == scalar.bits() && (to != Scalar::Bool || a < 2) {
                prop_assert!(set.reinterpret(to).contains(a), "{:?} {:#x} as {:?}", set, a, to);
            }
        }
        if let Some(truth) = set.truth() {
            prop_assert_eq!(truth, semantics::is_true(scalar, a));
        }
        if let Some(bits) = set.as_constant() {
            prop_assert_eq!(bits, a);
        }
        let other = regular(scalar, other);
        for intrinsic in INTRINSICS {
            let exact = semantics::intrinsic(intrinsic, scalar, a, other);
            let result = set.intrinsic(intrinsic, Some(&Interval::constant(scalar, other)));
            prop_assert!(result.contains(exact), "{:?} {:?} {:#x}: {:?}", intrinsic, set, a, result);
        }
    }

    #[test]
    fn operations_of_two_operands_are_sound(((x, a), (y, b)) in two()) {
        let scalar = x.scalar();
        for op in ARITHMETIC.into_iter().chain(COMPARISONS) {
            let result = x.binary(op, &y, 1);
            if let Ok(exact) = semantics::binary(op, scalar, scalar, a, b, 1) {
                prop_assert!(result.contains(exact.bits), "{:?} {:?} {:?} on {:#x} {:#x}: {:?}", x, op, y, a, b, result);
            }
        }
    }

    #[test]
    fn pointers_and_shifts_of_two_types_are_sound(((x, a), (y, b)) in mixed(), stride in any::<u64>(), shift in 0..64u32) {
        let stride = stride >> shift;
        let difference = [BinaryOp::PointerDiff];
        let also = if x.scalar() == y.scalar() { &difference[..] } else { &[] };
        for &op in [BinaryOp::PointerAdd, BinaryOp::PointerSub, BinaryOp::Shl, BinaryOp::Shr].iter().chain(also) {
            let result = x.binary(op, &y, stride);
            if let Ok(exact) = semantics::binary(op, x.scalar(), y.scalar(), a, b, stride) {
                prop_assert!(result.contains(exact.bits), "{:?} {:?} {:?} on {:#x} {:#x}: {:?}", x, op, y, a, b, result);
            }
        }
    }

    #[test]
    fn differences_of_pointers_are_sound(((x, a), (y, b)) in prop_oneof![Just(32u32), Just(64)].prop_flat_map(|bits| (sample(Scalar::Pointer { bits }), sample(Scalar::Pointer { bits }))), stride in 0..40u64)
    {
        let result = x.binary(BinaryOp::PointerDiff, &y, stride);
        if let Ok(exact) = semantics::binary(BinaryOp::PointerDiff, x.scalar(), y.scalar(), a, b, stride) {
            prop_assert!(result.contains(exact.bits), "{:?} - {:?} on {:#x} {:#x}: {:?}", x, y, a, b, result);
        }
    }

    #[test]
    fn laws(((x, a), (y, b)) in two(), thresholds in proptest::collection::vec(-200..200i128, 0..5)) {
        let join = x.join(&y);
        prop_assert!(x.leq(&x) && x.leq(&join) && y.leq(&join) && join.leq(&Interval::top(x.scalar())));
        prop_assert!(Interval::bottom(x.scalar()).leq(&x));
        prop_assert!(join.contains(a) && join.contains(b));
        prop_assert!(!x.leq(&y) || y.contains(a));
        let meet = x.meet(&y);
        prop_assert!(!y.contains(a) || meet.contains(a), "{:?} and {:?} share {:#x}: {:?}", x, y, a, meet);
        prop_assert!(meet.leq(&x) || meet.leq(&y));
        let mut thresholds = thresholds;
        thresholds.sort_unstable();
        let wide = x.widen(&y, &thresholds);
        prop_assert!(join.leq(&wide), "{:?} widened by {:?}: {:?}", x, y, wide);
        prop_assert_eq!(wide.widen(&x, &thresholds), wide);
        let narrow = wide.narrow(&join);
        prop_assert!(join.leq(&narrow) && narrow.leq(&wide), "{:?} narrowed by {:?}: {:?}", wide, join, narrow);
    }

    #[test]
    fn widening_ends(scalar in scalar(), values in proptest::collection::vec(any::<u128>(), 400), thresholds in 0..6i128) {
        let thresholds: Vec<i128> = (0..thresholds).map(|i| i * 10 - 20).collect();
        let mut set = Interval::constant(scalar, regular(scalar, values[0]));
        let mut changes = 0;
        for bits in values {
            let next = set.widen(&Interval::constant(scalar, regular(scalar, bits)), &thresholds);
            changes += u32::from(next != set);
            set = next;
        }
        // The step may lose one prime factor at a time.
        prop_assert!(changes <= 140, "{} changes", changes);
    }

    #[test]
    fn refinement_keeps_what_satisfies_the_comparison(((x, a), (y, b)) in two()) {
        let scalar = x.scalar();
        for op in COMPARISONS {
            let truth = semantics::binary(op, scalar, scalar, a, b, 1).is_ok_and(|outcome| outcome.bits != 0);
            let refined = refine(op, &x, &y, truth);
            let Some((left, right)) = refined else {
                return Err(TestCaseError::fail(format!("{x:?} {op:?} {y:?} is {truth} for {a:#x} and {b:#x}")));
            };
            prop_assert!(left.contains(a) && right.contains(b), "{:?} {:?} {:?} on {:#x} {:#x}: {:?}", x, op, y, a, b, refined);
            prop_assert!(left.leq(&x) || op == BinaryOp::Eq || op == BinaryOp::Ne);
        }
    }
}

const UNSIGNED: Scalar = int(32, false);

fn ints(low: i128, high: i128) -> Interval {
    Interval::between(INT, low, high)
}

fn unsigned(low: i128, high: i128) -> Interval {
    Interval::between(UNSIGNED, low, high)
}

fn number(value: i128) -> Interval {
    Interval::constant(INT, value as u128)
}

#[test]
fn arithmetic_is_precise_within_the_type() {
    let x = ints(1, 10);
    assert_eq!(x.binary(BinaryOp::Add, &ints(-3, 5), 1), ints(-2, 15));
    assert_eq!(x.binary(BinaryOp::Mul, &ints(-3, 5), 1).bounds(), Some((-30, 50)));
    assert_eq!(x.binary(BinaryOp::Div, &ints(0, 5), 1), ints(0, 10));
    assert_eq!(ints(-100, 100).binary(BinaryOp::Rem, &number(7), 1), ints(-6, 6));
    assert_eq!(ints(-3, 3).binary(BinaryOp::Rem, &number(7), 1), ints(-3, 3));
    assert!(x.binary(BinaryOp::Div, &number(0), 1).is_empty());
    assert_eq!(Interval::top(INT).binary(BinaryOp::And, &number(15), 1), ints(0, 15));
    assert_eq!(unsigned(0, 10).binary(BinaryOp::Shl, &unsigned(2, 2), 1).bounds(), Some((0, 40)));
    assert_eq!(ints(-8, 9).binary(BinaryOp::Shr, &number(1), 1), ints(-4, 4));
}

#[test]
fn wrapping_around_as_a_whole_stays_precise() {
    let below_zero = unsigned(3, 4).binary(BinaryOp::Sub, &unsigned(5, 6), 1);
    assert_eq!(below_zero.bounds(), Some(((1 << 32) - 3, (1 << 32) - 1)));
    assert_eq!(below_zero.convert(INT), ints(-3, -1));
    assert_eq!(ints(-3, -1).convert(UNSIGNED), below_zero);
    assert!(unsigned(0, 4).binary(BinaryOp::Sub, &unsigned(2, 2), 1).is_top());
}

#[test]
fn steps_survive_loops_and_overflow() {
    let even = number(0).join(&number(2));
    let next = even.binary(BinaryOp::Add, &number(2), 1);
    let wide = even.widen(&next, &[]);
    assert_eq!(wide.bounds(), Some((0, i128::from(i32::MAX) - 1)));
    assert_eq!(wide.step(), Some(2));
    assert!(wide.binary(BinaryOp::Add, &number(2), 1).step() == Some(2), "also when it wraps around");
    assert!(refine(BinaryOp::Eq, &wide, &number(7), true).is_none());
    let odd = wide.binary(BinaryOp::Add, &number(1), 1);
    assert_eq!(odd.binary(BinaryOp::Rem, &number(2), 1).truth(), Some(true));
}

#[test]
fn a_loop_is_bounded_by_its_condition() {
    let start = number(0);
    let mut head = start;
    loop {
        let Some((inside, _)) = refine(BinaryOp::Lt, &head, &number(100), true) else { panic!("the loop is entered") };
        let next = head.widen(&start.join(&inside.binary(BinaryOp::Add, &number(1), 1)), &[50, 100, 1000]);
        if next == head {
            break;
        }
        head = next;
    }
    assert_eq!(head, ints(0, 100));
    let after = refine(BinaryOp::Lt, &head, &number(100), false);
    assert_eq!(after.map(|(left, _)| left), Some(number(100)));
}

#[test]
fn floats_are_intervals_of_numbers() {
    let double = Scalar::Float(FloatKind::Double);
    let constant = |number: f64| Interval::constant(double, u128::from(number.to_bits()));
    let x = constant(1.0).join(&constant(2.0));
    assert_eq!(x.binary(BinaryOp::Add, &x, 1).float_bounds(), Some((2.0, 4.0)));
    assert_eq!(constant(1.0).binary(BinaryOp::Div, &x, 1).float_bounds(), Some((0.5, 1.0)));
    assert_eq!(x.convert(INT), ints(1, 2));
    assert_eq!(ints(-3, 8).convert(double).float_bounds(), Some((-3.0, 8.0)));
    let any = Interval::top(double);
    assert_eq!(any.binary(BinaryOp::Eq, &any, 1).truth(), None);
    let small = refine(BinaryOp::Lt, &any, &constant(1.0), true).map(|(left, _)| left);
    assert_eq!(small.and_then(|set| set.float_bounds()), Some((f64::NEG_INFINITY, 1f64.next_down())));
    assert!(small.is_some_and(|set| !set.may_be_nan()));
    assert_eq!(constant(-0.0).as_constant(), Some(1 << 63));
    assert_eq!(constant(0.0).truth(), Some(false));
}
