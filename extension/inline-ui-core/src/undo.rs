use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

/// A map that can go back to what it was when it was last kept. It remembers only what changed.
#[derive(Clone)]
pub(crate) struct Undo<K, V> {
    map: BTreeMap<K, V>,
    /// What stood there before each change, the first change first.
    changes: Vec<(K, Option<V>)>,
}

/// Changes that may be remembered without new memory.
const USUAL: usize = 16;

impl<K: Ord + Clone, V: Clone> Undo<K, V> {
    pub(crate) fn new(map: BTreeMap<K, V>) -> Self {
        Self { map, changes: Vec::new() }
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        let before = self.map.insert(key.clone(), value);
        self.changes.push((key, before));
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        let removed = self.map.remove(key)?;
        self.changes.push((key.clone(), Some(removed.clone())));
        Some(removed)
    }

    pub(crate) fn pop_first(&mut self) -> Option<(K, V)> {
        let first = self.map.keys().next()?.clone();
        self.remove(&first).map(|value| (first, value))
    }

    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let value = self.map.get_mut(key)?;
        if !self.changes.iter().any(|(changed, _)| changed == key) {
            self.changes.push((key.clone(), Some(value.clone())));
        }
        Some(value)
    }

    pub(crate) fn clear(&mut self) {
        let all = std::mem::take(&mut self.map).into_iter();
        self.changes.extend(all.map(|(key, value)| (key, Some(value))));
    }

    /// From here on, this is what it goes back to.
    pub(crate) fn keep(&mut self) {
        self.changes.clear();
        self.changes.shrink_to(USUAL);
    }

    pub(crate) fn undo(&mut self) {
        while let Some((key, before)) = self.changes.pop() {
            match before {
                Some(value) => drop(self.map.insert(key, value)),
                None => drop(self.map.remove(&key)),
            }
        }
    }
}

impl<K, V> Default for Undo<K, V> {
    fn default() -> Self {
        Self { map: BTreeMap::new(), changes: Vec::new() }
    }
}

impl<K, V> Deref for Undo<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &BTreeMap<K, V> {
        &self.map
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Undo<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.map.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_back_over_every_kind_of_change_to_what_was_kept() {
        let mut map = Undo::new(BTreeMap::from([(1, "a"), (2, "b"), (3, "c")]));
        map.keep();
        map.insert(4, "d");
        *map.get_mut(&4).unwrap() = "e";
        *map.get_mut(&1).unwrap() = "f";
        *map.get_mut(&1).unwrap() = "g";
        map.remove(&2);
        map.insert(2, "h");
        assert_eq!(map.pop_first(), Some((1, "g")));
        map.clear();
        map.insert(3, "i");
        assert_eq!(*map, BTreeMap::from([(3, "i")]));
        map.undo();
        assert_eq!(*map, BTreeMap::from([(1, "a"), (2, "b"), (3, "c")]));
    }

    #[test]
    fn what_is_kept_stays() {
        let mut map = Undo::default();
        map.insert(1, "a");
        map.keep();
        map.undo();
        assert_eq!(map.get(&1), Some(&"a"));
    }
}
