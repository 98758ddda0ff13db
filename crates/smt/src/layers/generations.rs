//! A map of bounded size that forgets what has not been used for long.

use std::hash::Hash;

use hashbrown::HashMap;
use tandem_base::FastBuild;

/// Two maps: when the young one is full it becomes the old one, and what the old one held is forgotten unless it was
/// used since, which made it young again.
pub struct Generations<K, V> {
    young: HashMap<K, V, FastBuild>,
    old: HashMap<K, V, FastBuild>,
    size: usize,
}

impl<K: Hash + Eq, V: Clone> Generations<K, V> {
    /// Holds at least the last `size` entries and at most twice as many.
    pub fn new(size: usize) -> Generations<K, V> {
        Generations { young: HashMap::default(), old: HashMap::default(), size }
    }

    pub fn get<Q>(&mut self, key: &Q) -> Option<V>
    where
        Q: Hash + hashbrown::Equivalent<K> + ?Sized,
    {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    pub fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.size {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}
