//! Sets of small numbers, sparse and quick to unite. Knows nothing of what the numbers stand for.

/// Words of 64 numbers, sorted by position; empty words are left out.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Set {
    words: Vec<(u32, u64)>,
}

impl Set {
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn contains(&self, number: u32) -> bool {
        let found = self.words.binary_search_by_key(&(number / 64), |word| word.0);
        found.is_ok_and(|at| self.words[at].1 >> (number % 64) & 1 == 1)
    }

    /// Whether it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let bit = 1 << (number % 64);
        match self.words.binary_search_by_key(&(number / 64), |word| word.0) {
            Ok(at) => {
                let new = self.words[at].1 & bit == 0;
                self.words[at].1 |= bit;
                new
            }
            Err(at) => {
                self.words.insert(at, (number / 64, bit));
                true
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().flat_map(|(position, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(position * 64 + bit)
            })
        })
    }

    /// What is in this set and not in the other.
    pub fn without(&self, other: &Set) -> Set {
        let mut words = Vec::new();
        let mut at = 0;
        for (position, word) in &self.words {
            while other.words.get(at).is_some_and(|word| word.0 < *position) {
                at += 1;
            }
            let rest = match other.words.get(at) {
                Some((same, taken)) if same == position => word & !taken,
                _ => *word,
            };
            if rest != 0 {
                words.push((*position, rest));
            }
        }
        Set { words }
    }

    /// Adds all of the other.
    pub fn unite(&mut self, other: &Set) {
        let mut missing = 0;
        let mut at = 0;
        for (position, word) in &other.words {
            while self.words.get(at).is_some_and(|own| own.0 < *position) {
                at += 1;
            }
            match self.words.get_mut(at) {
                Some(own) if own.0 == *position => own.1 |= word,
                _ => missing += 1,
            }
        }
        if missing > 0 {
            self.merge(other, missing);
        }
    }

    /// Puts the words in that have no place yet, from the back, so that each word moves once.
    fn merge(&mut self, other: &Set, missing: usize) {
        let (mut own, mut at) = (self.words.len(), self.words.len() + missing);
        self.words.resize(at, (0, 0));
        for word in other.words.iter().rev() {
            while own > 0 && self.words[own - 1].0 > word.0 {
                own -= 1;
                at -= 1;
                self.words[at] = self.words[own];
            }
            if own == 0 || self.words[own - 1].0 != word.0 {
                at -= 1;
                self.words[at] = *word;
            }
        }
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<A: IntoIterator<Item = u32>>(numbers: A) -> Set {
        let mut set = Set::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn agrees_with_sorted_sets() {
        let mut seed = 1u64;
        let mut next = move |limit: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % limit) as u32
        };
        for _ in 0..2000 {
            let mut pick = |count: u64| -> BTreeSet<u32> { (0..next(count + 1)).map(|_| next(700)).collect() };
            let (a, b) = (pick(40), pick(40));
            let (mut left, right): (Set, Set) = (a.iter().copied().collect(), b.iter().copied().collect());
            assert!(left.iter().eq(a.iter().copied()));
            assert!(left.without(&right).iter().eq(a.difference(&b).copied()));
            left.unite(&right);
            assert!(left.iter().eq(a.union(&b).copied()));
            assert!((0..700).all(|number| left.contains(number) == (a.contains(&number) || b.contains(&number))));
        }
    }
}
