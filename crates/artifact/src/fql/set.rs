//! Sets of small numbers.

/// A set of numbers below a bound.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Whether it is new.
    pub fn insert(&mut self, number: usize) -> bool {
        if number / 64 >= self.words.len() {
            self.words.resize(number / 64 + 1, 0);
        }
        let word = &mut self.words[number / 64];
        let new = *word >> (number % 64) & 1 == 0;
        *word |= 1 << (number % 64);
        new
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(index * 64 + bit as usize)
            })
        })
    }
}

impl FromIterator<usize> for Bits {
    fn from_iter<T: IntoIterator<Item = usize>>(numbers: T) -> Bits {
        let mut set = Bits::default();
        numbers.into_iter().for_each(|number| {
            set.insert(number);
        });
        set
    }
}
