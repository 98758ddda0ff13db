//! The reached set and its graph: all abstract states found, where they are, and from which they came.

use std::collections::{BTreeMap, HashMap, VecDeque};

use tandem_base::{FastBuild, Id, IdVec, define_id};

use crate::explore::Found;
use crate::flow::Step;
use crate::point::Point;
use crate::schedule::Key;

define_id!(
    /// A state of a reached set.
    StateId, "s"
);

#[derive(Clone, Debug)]
pub struct Entry<S> {
    pub state: S,
    pub point: Point,
    pub key: Key,
    /// From where it was reached, and how; several after a merge.
    pub parents: Vec<(StateId, Step)>,
    /// The state that covers it, if one does: then it has no successors of its own.
    pub covered_by: Option<StateId>,
    /// Taken out by a merge or a refinement.
    pub removed: bool,
    pub expanded: bool,
}

/// States by number; the first is the start. The numbers of removed states are not used again.
#[derive(Clone, Debug)]
pub struct Reached<S> {
    pub entries: IdVec<StateId, Entry<S>>,
    at: HashMap<Point, Vec<StateId>, FastBuild>,
    pub(crate) waiting: Waiting,
    /// States behind the bound of an exploration: they wait for a larger one.
    pub deferred: Vec<StateId>,
    fingerprints: HashMap<(Point, u64), StateId, FastBuild>,
    /// Whether states know their place in the unrolling: who neither searches by it nor bounds rounds can do without.
    pub keyed: bool,
    /// What was found and not yet told.
    pub(crate) found: Vec<Found>,
}

/// In which order states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Search {
    DepthFirst,
    BreadthFirst,
    /// Where the fewest states have been first.
    LeastVisited,
    /// By the place in the unrolling: states that meet are merged before they go on.
    Unrolled,
}

/// States to be expanded.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    search: Search,
    counter: u64,
    /// By rank, if they have one.
    queue: BTreeMap<(Option<Key>, u64), StateId>,
    place: HashMap<StateId, (Option<Key>, u64), FastBuild>,
    /// One after the other, if not; with numbers of states that do not wait any more.
    line: VecDeque<StateId>,
    waits: Vec<bool>,
}

impl Waiting {
    fn new(search: Search) -> Waiting {
        Waiting {
            search,
            counter: 0,
            queue: BTreeMap::new(),
            place: HashMap::default(),
            line: VecDeque::new(),
            waits: Vec::new(),
        }
    }

    fn push(&mut self, id: StateId, key: &Key, visits: usize) {
        self.counter += 1;
        let rank = match self.search {
            Search::DepthFirst | Search::BreadthFirst => {
                if self.waits.len() <= id.index() {
                    self.waits.resize(id.index() + 1, false);
                }
                self.waits[id.index()] = true;
                self.line.push_back(id);
                return;
            }
            // Of those with equally many visits, the latest.
            Search::LeastVisited => {
                (None, (visits as u64).min(1 << 20) << 40 | ((1 << 40) - 1 - (self.counter & ((1 << 40) - 1))))
            }
            Search::Unrolled => (Some(key.clone()), self.counter),
        };
        self.queue.insert(rank.clone(), id);
        self.place.insert(id, rank);
    }

    fn pop(&mut self) -> Option<StateId> {
        loop {
            let id = match self.search {
                Search::DepthFirst => self.line.pop_back()?,
                Search::BreadthFirst => self.line.pop_front()?,
                Search::Unrolled | Search::LeastVisited => {
                    let (_, id) = self.queue.pop_first()?;
                    self.place.remove(&id);
                    return Some(id);
                }
            };
            if std::mem::take(&mut self.waits[id.index()]) {
                return Some(id);
            }
        }
    }

    fn remove(&mut self, id: StateId) {
        if let Some(rank) = self.place.remove(&id) {
            self.queue.remove(&rank);
        }
        if let Some(waits) = self.waits.get_mut(id.index()) {
            *waits = false;
        }
    }

    fn contains(&self, id: StateId) -> bool {
        self.waits.get(id.index()).copied().unwrap_or(false) || self.place.contains_key(&id)
    }

    fn all(&self) -> impl Iterator<Item = StateId> + '_ {
        self.queue.values().chain(self.line.iter().filter(|id| self.waits[id.index()])).copied()
    }
}

impl<S> Reached<S> {
    pub fn new(search: Search) -> Reached<S> {
        Reached {
            entries: IdVec::new(),
            at: HashMap::default(),
            waiting: Waiting::new(search),
            deferred: Vec::new(),
            fingerprints: HashMap::default(),
            keyed: true,
            found: Vec::new(),
        }
    }

    /// Adds a state that waits to be expanded.
    pub fn add(&mut self, state: S, point: Point, key: Key, parents: Vec<(StateId, Step)>) -> StateId {
        let entry = Entry { state, point, key, parents, covered_by: None, removed: false, expanded: false };
        let id = self.entries.push(entry);
        self.at.entry(point).or_default().push(id);
        self.wait(id);
        id
    }

    /// Adds a state that never waits, and that no other state is compared with: one that was looked for. It is where the step
    /// to it leads, but whoever gets there otherwise is another matter.
    pub fn add_apart(&mut self, state: S, point: Point, key: Key, parents: Vec<(StateId, Step)>) -> StateId {
        let entry = Entry { state, point, key, parents, covered_by: None, removed: false, expanded: false };
        self.entries.push(entry)
    }

    /// Lets the state be found by its content.
    pub(crate) fn set_fingerprint(&mut self, id: StateId, fingerprint: u64) {
        self.fingerprints.insert((self.entries[id].point, fingerprint), id);
    }

    /// The last state at the point with this fingerprint.
    pub(crate) fn with_fingerprint(&self, at: Point, fingerprint: u64) -> Option<StateId> {
        self.fingerprints.get(&(at, fingerprint)).copied().filter(|id| !self.entries[*id].removed)
    }

    /// Lets a state be expanded (again).
    pub fn wait(&mut self, id: StateId) {
        let entry = &self.entries[id];
        let visits = self.at.get(&entry.point).map_or(0, Vec::len);
        self.waiting.push(id, &entry.key, visits);
    }

    /// Lets the deferred states be expanded after all.
    pub fn resume(&mut self) {
        for id in std::mem::take(&mut self.deferred) {
            if !self.entries[id].removed {
                self.wait(id);
            }
        }
    }

    pub fn next_waiting(&mut self) -> Option<StateId> {
        self.waiting.pop()
    }

    /// Whether a step that is not modelled was found and not yet told: an exploration that was stopped may leave one behind.
    pub fn has_untold_gap(&self) -> bool {
        self.found.iter().any(|found| matches!(found, Found::Unsupported(id, _) if !self.entries[*id].removed))
    }

    /// What was found and not yet told, but at states that were taken out since.
    pub(crate) fn next_found(&mut self) -> Option<Found> {
        loop {
            let found = self.found.pop()?;
            match found {
                Found::Target(id) | Found::Unsupported(id, _) if self.entries[id].removed => {}
                Found::Target(_) | Found::Unsupported(..) | Found::Everything | Found::Stopped(_) => {
                    return Some(found);
                }
            }
        }
    }

    /// The state needs no expansion (now).
    pub fn stop_waiting(&mut self, id: StateId) {
        self.waiting.remove(id);
    }

    pub fn is_waiting(&self, id: StateId) -> bool {
        self.waiting.contains(id)
    }

    pub fn search(&self) -> Search {
        self.waiting.search
    }

    /// The states that wait with exactly this key.
    pub fn waiting_with(&self, key: &Key) -> impl Iterator<Item = StateId> + '_ {
        let (low, high) = ((Some(key.clone()), 0), (Some(key.clone()), u64::MAX));
        self.waiting.queue.range(low..high).map(|(_, id)| *id)
    }

    pub fn waiting(&self) -> impl Iterator<Item = StateId> + '_ {
        self.waiting.all()
    }

    /// Whether so many states wait, or more.
    pub fn waits_for(&self, count: usize) -> bool {
        self.waiting.all().take(count).count() == count
    }

    pub fn waits(&self) -> bool {
        self.waiting.all().next().is_some()
    }

    /// The states at a point that were not removed.
    pub fn at(&self, point: Point) -> &[StateId] {
        self.at.get(&point).map_or(&[], Vec::as_slice)
    }

    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        self.at.iter().filter(|(_, ids)| !ids.is_empty()).map(|(point, _)| *point)
    }

    /// Takes a state out.
    pub fn remove(&mut self, id: StateId) {
        let entry = &mut self.entries[id];
        entry.removed = true;
        if let Some(ids) = self.at.get_mut(&entry.point) {
            ids.retain(|other| *other != id);
        }
        self.waiting.remove(id);
    }

    /// Takes out a state and everything that came from it; what these covered waits again, and so does every other parent
    /// that had a child among them.
    pub fn remove_subtree(&mut self, root: StateId) {
        let mut children: HashMap<StateId, Vec<StateId>, FastBuild> = HashMap::default();
        for (id, entry) in self.entries.enumerate().filter(|(_, entry)| !entry.removed) {
            for (parent, _) in &entry.parents {
                children.entry(*parent).or_default().push(id);
            }
        }
        let mut pending = vec![root];
        let mut gone = Vec::new();
        while let Some(id) = pending.pop() {
            if !self.entries[id].removed {
                self.remove(id);
                gone.push(id);
                pending.extend(children.get(&id).into_iter().flatten());
            }
        }
        self.revive(&gone);
    }

    /// After states were removed: their parents and what they covered are to be looked at again.
    fn revive(&mut self, gone: &[StateId]) {
        let gone_set: std::collections::HashSet<StateId, FastBuild> = gone.iter().copied().collect();
        let mut again = Vec::new();
        for id in gone {
            again.extend(self.entries[*id].parents.iter().map(|(parent, _)| *parent));
        }
        for (id, entry) in self.entries.enumerate() {
            if !entry.removed && entry.covered_by.is_some_and(|by| gone_set.contains(&by)) {
                again.push(id);
            }
        }
        again.sort_unstable();
        again.dedup();
        for id in again {
            let entry = &mut self.entries[id];
            if !entry.removed {
                entry.covered_by = None;
                entry.expanded = false;
                if !self.is_waiting(id) {
                    self.wait(id);
                }
            }
        }
    }

    pub fn len(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.removed).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A path from the start to the state, following first parents: the steps, with the state each begins in.
    pub fn path_to(&self, id: StateId) -> Vec<(StateId, Step)> {
        let mut path = Vec::new();
        let mut at = id;
        while let Some((parent, step)) = self.entries[at].parents.first() {
            path.push((*parent, *step));
            at = *parent;
        }
        path.reverse();
        path
    }
}
