//! Single and double with rounding to nearest even, by the machine's own arithmetic, which is exactly IEEE's.

use super::canonical;
use crate::bitvector::BitVector;
use crate::sort::{FloatSort, RoundingMode};

fn single(bits: &BitVector) -> f32 {
    f32::from_bits(bits.small().unwrap_or(0) as u32)
}

fn double(bits: &BitVector) -> f64 {
    f64::from_bits(bits.small().unwrap_or(0) as u64)
}

fn from_single(number: f32) -> BitVector {
    canonical(FloatSort::SINGLE, &BitVector::new(32, u128::from(number.to_bits())))
}

fn from_double(number: f64) -> BitVector {
    canonical(FloatSort::DOUBLE, &BitVector::new(64, u128::from(number.to_bits())))
}

pub(super) fn unary(
    sort: FloatSort,
    mode: RoundingMode,
    operand: &BitVector,
    on_single: impl Fn(f32) -> f32,
    on_double: impl Fn(f64) -> f64,
) -> Option<BitVector> {
    match sort {
        _ if mode != RoundingMode::NearestEven => None,
        FloatSort::SINGLE => Some(from_single(on_single(single(operand)))),
        FloatSort::DOUBLE => Some(from_double(on_double(double(operand)))),
        _ => None,
    }
}

pub(super) fn binary(
    sort: FloatSort,
    mode: RoundingMode,
    left: &BitVector,
    right: &BitVector,
    on_single: impl Fn(f32, f32) -> f32,
    on_double: impl Fn(f64, f64) -> f64,
) -> Option<BitVector> {
    unary(sort, mode, left, |a| on_single(a, single(right)), |a| on_double(a, double(right)))
}

pub(super) fn fma(
    sort: FloatSort,
    mode: RoundingMode,
    left: &BitVector,
    right: &BitVector,
    addend: &BitVector,
) -> Option<BitVector> {
    unary(sort, mode, left, |a| a.mul_add(single(right), single(addend)), |a| a.mul_add(double(right), double(addend)))
}

pub(super) fn to_float(from: FloatSort, to: FloatSort, mode: RoundingMode, bits: &BitVector) -> Option<BitVector> {
    match (from, to) {
        (FloatSort::SINGLE, FloatSort::DOUBLE) => Some(from_double(f64::from(single(bits)))),
        (FloatSort::DOUBLE, FloatSort::SINGLE) if mode == RoundingMode::NearestEven => {
            Some(from_single(double(bits) as f32))
        }
        _ => None,
    }
}
