//! Ranges of integers with a step: `low, low + step, ..., high`. Knows no width; what leaves a type's limits is brought
//! back by [`Range::wrapped`].

/// Not empty. `high - low` is a multiple of `step`, which is zero only for a single number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    pub low: i128,
    pub high: i128,
    pub step: u128,
}

pub(super) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The rest modulo a positive number, never negative.
fn rest(value: i128, modulus: u128) -> u128 {
    match i128::try_from(modulus) {
        Ok(modulus) => value.rem_euclid(modulus) as u128,
        Err(_) if value < 0 => (modulus - value.unsigned_abs() % modulus) % modulus,
        Err(_) => value as u128 % modulus,
    }
}

impl Range {
    pub fn single(value: i128) -> Range {
        Range { low: value, high: value, step: 0 }
    }

    /// All numbers between the bounds; `None` if there are none.
    pub fn between(low: i128, high: i128) -> Option<Range> {
        Range::stepping(low, high, low, 1)
    }

    /// The numbers between the bounds that differ from `from` by a multiple of the step; `None` if there are none.
    pub fn stepping(low: i128, high: i128, from: i128, step: u128) -> Option<Range> {
        if step == 0 {
            return (low <= from && from <= high).then(|| Range::single(from));
        }
        if low > high {
            return None;
        }
        let residue = rest(from, step);
        let distance = |from: u128, to: u128| if to >= from { to - from } else { step - (from - to) };
        let up = distance(rest(low, step), residue);
        let down = distance(residue, rest(high, step));
        let low = low.checked_add_unsigned(up)?;
        let high = high.checked_sub_unsigned(down)?;
        match low.cmp(&high) {
            std::cmp::Ordering::Less => Some(Range { low, high, step }),
            std::cmp::Ordering::Equal => Some(Range::single(low)),
            std::cmp::Ordering::Greater => None,
        }
    }

    pub fn as_single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub fn contains(self, value: i128) -> bool {
        self.low <= value
            && value <= self.high
            && match self.step {
                0 => true,
                step => value.abs_diff(self.low).is_multiple_of(step),
            }
    }

    pub fn is_subset(self, other: Range) -> bool {
        let steps = other.step == 0 || self.step.is_multiple_of(other.step);
        other.contains(self.low) && other.contains(self.high) && steps
    }

    pub fn join(self, other: Range) -> Range {
        let step = gcd(gcd(self.step, other.step), self.low.abs_diff(other.low));
        Range { low: self.low.min(other.low), high: self.high.max(other.high), step }
    }

    /// The common numbers, or some more of the one with the wider step.
    pub fn meet(self, other: Range) -> Option<Range> {
        let common = gcd(self.step, other.step);
        let distance = self.low.abs_diff(other.low);
        if common != 0 && !distance.is_multiple_of(common) {
            return None;
        }
        let finer = if self.step == 0 || (other.step != 0 && self.step > other.step) { self } else { other };
        Range::stepping(self.low.max(other.low), self.high.min(other.high), finer.low, finer.step)
    }

    /// Those of the numbers that lie between the bounds.
    pub fn within(self, low: i128, high: i128) -> Option<Range> {
        Range::stepping(self.low.max(low), self.high.min(high), self.low, self.step)
    }

    /// Without this number, where that can be said.
    pub fn without(self, value: i128) -> Option<Range> {
        if self.low == value && self.high == value {
            None
        } else if self.low == value {
            self.within(self.low + 1, self.high)
        } else if self.high == value {
            self.within(self.low, self.high - 1)
        } else {
            Some(self)
        }
    }

    /// The numbers modulo two to the `width`, as the ones between the limits, which are that many.
    ///
    /// If they do not all lie in one lap around, anything between the limits with the same low bits.
    pub fn wrapped(self, width: u32, limits: Range) -> Range {
        if limits.low <= self.low && self.high <= limits.high {
            return self;
        }
        let full = if width >= 128 { 0 } else { 1u128 << width };
        if full != 0
            && let (Some(low), Some(high)) = (self.low.checked_sub(limits.low), self.high.checked_sub(limits.low))
        {
            let lap = low.div_euclid(full as i128);
            if high.div_euclid(full as i128) == lap {
                let shift = lap * full as i128;
                return Range { low: self.low - shift, high: self.high - shift, step: self.step };
            }
        }
        let step = if self.step == 0 { 1 } else { 1 << self.step.trailing_zeros() };
        let step = if full != 0 { gcd(step, full) } else { step };
        Range::stepping(limits.low, limits.high, self.low, step).unwrap_or(limits)
    }

    pub fn add(self, other: Range) -> Option<Range> {
        let low = self.low.checked_add(other.low)?;
        let high = self.high.checked_add(other.high)?;
        Some(Range { low, high, step: gcd(self.step, other.step) })
    }

    pub fn negated(self) -> Option<Range> {
        Some(Range { low: self.high.checked_neg()?, high: self.low.checked_neg()?, step: self.step })
    }

    pub fn sub(self, other: Range) -> Option<Range> {
        let low = self.low.checked_sub(other.high)?;
        let high = self.high.checked_sub(other.low)?;
        Some(Range { low, high, step: gcd(self.step, other.step) })
    }

    pub fn mul(self, other: Range) -> Option<Range> {
        let (mut low, mut high) = (i128::MAX, i128::MIN);
        for a in [self.low, self.high] {
            for b in [other.low, other.high] {
                let product = a.checked_mul(b)?;
                (low, high) = (low.min(product), high.max(product));
            }
        }
        // (a + s*i) * (b + t*j) = a*b + a*t*j + b*s*i + s*t*i*j; without an exact step, none is known.
        let parts = [
            self.low.unsigned_abs().checked_mul(other.step),
            other.low.unsigned_abs().checked_mul(self.step),
            self.step.checked_mul(other.step),
        ];
        let step = parts.into_iter().try_fold(0, |step, part| Some(gcd(step, part?))).unwrap_or(1);
        Some(if low == high { Range::single(low) } else { Range { low, high, step } })
    }

    /// Truncated quotients by the divisors that are not zero; `None` if there are none.
    pub fn div(self, other: Range) -> Option<Range> {
        let positive = other.within(1, i128::MAX).map(|divisor| self.div_by_sign(divisor));
        let negative = other.within(i128::MIN, -1).map(|divisor| self.div_by_sign(divisor));
        match (positive, negative) {
            (Some(one), Some(two)) => Some(one.join(two)),
            (one, two) => one.or(two),
        }
    }

    /// By divisors of one sign: extremes are at the corners, and zero lies between dividends of both signs.
    fn div_by_sign(self, divisor: Range) -> Range {
        let quotients = [self.low, self.high].map(|a| [divisor.low, divisor.high].map(|b| a.saturating_div(b)));
        let [[a, b], [c, d]] = quotients;
        let (low, high) = (a.min(b).min(c).min(d), a.max(b).max(c).max(d));
        if low == high { Range::single(low) } else { Range { low, high, step: 1 } }
    }

    /// Remainders with the sign of the dividend; `None` if all divisors are zero.
    pub fn rem(self, other: Range) -> Option<Range> {
        let largest = other.low.unsigned_abs().max(other.high.unsigned_abs());
        if largest == 0 {
            return None;
        }
        let bound = i128::try_from(largest - 1).unwrap_or(i128::MAX);
        if let Some(divisor) = other.as_single() {
            let whole = |value: i128| value.saturating_div(divisor);
            if whole(self.low) == whole(self.high) {
                let (low, high) = (self.low.wrapping_rem(divisor), self.high.wrapping_rem(divisor));
                return Some(Range { low, high, step: self.step });
            }
        }
        let low = if self.low >= 0 { 0 } else { self.low.max(-bound) };
        let high = if self.high <= 0 { 0 } else { self.high.min(bound) };
        let step = match other.as_single() {
            Some(divisor) => gcd(self.step, divisor.unsigned_abs()),
            None => 1,
        };
        match step {
            0 => Range::between(low, high),
            step => Range::stepping(low, high, self.low, step),
        }
    }
}
