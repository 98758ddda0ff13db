//! Turns: of several computations at most a given number work at once, and each gets its share of the work.
//!
//! A computation hands over at its safe points, which are the places where it asks whether its budget is exhausted. A slice ends by
//! the clock, or after a number of safe points: then the order of turns does not depend on the speed of the machine. This file knows nothing
//! of what is computed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a slice of work is measured in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// Time on the clock.
    Clock,
    /// Safe points that were passed: two runs of the same program take the same turns.
    SafePoints,
}

/// How long a computation works before another gets its turn.
const SLICE: Duration = Duration::from_millis(20);
/// The same in safe points.
const SLICE_SAFE_POINTS: u64 = 1000;
/// Safe points that are taken for a second of work where delays are compared with them.
const SAFE_POINTS_PER_SECOND: u64 = 50_000;
/// A waiting computation looks this often whether it was cancelled, because a raised flag wakes no thread.
const LOOK: Duration = Duration::from_millis(10);

/// A table of computations that take turns.
#[derive(Debug)]
pub struct Turns {
    pace: Pace,
    /// How many may work at once.
    places: usize,
    table: Mutex<Table>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    /// How many work now, and the most that have worked at once.
    working: usize,
    most_working: usize,
    /// Work of all computations together, in nanoseconds or in what stands for them.
    total: u64,
}

#[derive(Debug)]
struct Entry {
    share: u64,
    /// Work of this computation, divided by its share: the smallest has the next turn.
    used: u64,
    /// It has no turn before this much work was done in total, unless a place is left over.
    begins_after: u64,
    /// Whether the delay is over.
    has_begun: bool,
    state: EntryState,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EntryState {
    Waits,
    Works,
    /// It needs no place: it waits for something else, or is gone.
    Pauses,
}

/// The place of one computation in the table. Clones are the same place and belong to one thread.
#[derive(Clone, Debug)]
pub struct Turn(Arc<TurnPlace>);

#[derive(Debug)]
struct TurnPlace {
    turns: Arc<Turns>,
    number: usize,
    /// Nanoseconds since `origin` when the slice began, and safe points passed since then.
    slice_began: AtomicU64,
    passed: AtomicU64,
    /// Nanoseconds of waiting for a place.
    waited: AtomicU64,
    origin: Instant,
}

impl Turns {
    /// A table in which this many computations may work at once.
    pub fn new(places: usize, pace: Pace) -> Arc<Turns> {
        let places = places.max(1);
        Arc::new(Turns { pace, places, table: Mutex::default(), changed: Condvar::new() })
    }

    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// Adds a computation with its share of the work, which is to call [`Turn::begin`], or [`Turn::end`] if nothing comes of it. It begins when the others together have worked for `after` on each place, or as soon as a
    /// place is left over.
    pub fn join(self: &Arc<Turns>, share: u32, after: Duration) -> Turn {
        let after = nanoseconds(after).saturating_mul(self.places as u64);
        let share = u64::from(share.max(1));
        // It waits from now on, so that the order does not depend on which thread is started first.
        let entry = Entry { share, used: 0, begins_after: after, has_begun: after == 0, state: EntryState::Waits };
        let number = {
            let mut table = self.lock();
            table.entries.push(entry);
            table.entries.len() - 1
        };
        let (slice_began, passed, waited) = Default::default();
        Turn(Arc::new(TurnPlace { turns: self.clone(), number, slice_began, passed, waited, origin: Instant::now() }))
    }

    /// Lets waiting computations look at once whether they were cancelled.
    pub fn wake(&self) {
        self.changed.notify_all();
    }

    /// The most computations that have worked at once.
    pub fn most_working(&self) -> usize {
        self.lock().most_working
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Lets those whose delay is over take part; if places are left over, the next ones as well.
    fn let_begin(&mut self, places: usize) {
        let least = self.entries.iter().filter(|entry| entry.has_begun && entry.state != EntryState::Pauses);
        let least = least.map(|entry| entry.used).min().unwrap_or(0);
        let begin = |entry: &mut Entry| {
            entry.has_begun = true;
            entry.used = entry.used.max(least);
        };
        for entry in self.entries.iter_mut().filter(|entry| !entry.has_begun) {
            if entry.begins_after <= self.total {
                begin(entry);
            }
        }
        loop {
            let busy = self.entries.iter().filter(|entry| entry.has_begun && entry.state != EntryState::Pauses).count();
            let next = self.entries.iter_mut().filter(|entry| !entry.has_begun && entry.state == EntryState::Waits);
            let Some(next) = next.min_by_key(|entry| entry.begins_after).filter(|_| busy < places) else { return };
            begin(next);
        }
    }

    /// The waiting computation that has the next turn.
    fn next(&self) -> Option<usize> {
        let waiting = |entry: &Entry| entry.has_begun && entry.state == EntryState::Waits;
        let numbers = (0..self.entries.len()).filter(|number| waiting(&self.entries[*number]));
        numbers.min_by_key(|number| (self.entries[*number].used, *number))
    }

    fn work(&mut self, number: usize) {
        self.entries[number].state = EntryState::Works;
        self.working += 1;
        self.most_working = self.most_working.max(self.working);
    }

    fn stop(&mut self, number: usize, state: EntryState) {
        if self.entries[number].state == EntryState::Works {
            self.working -= 1;
        }
        self.entries[number].state = state;
    }
}

impl Turn {
    /// Another computation of the same table.
    pub fn beside(&self, share: u32, after: Duration) -> Turn {
        self.0.turns.join(share, after)
    }

    pub fn turns(&self) -> &Arc<Turns> {
        &self.0.turns
    }

    /// How long the computation has existed without the time that it waited for a place.
    pub fn worked(&self) -> Duration {
        self.0.origin.elapsed().saturating_sub(Duration::from_nanos(self.0.waited.load(Ordering::Relaxed)))
    }

    /// Waits for a place. Returns without one if `is_over` says that there is nothing to do any more.
    pub fn begin(&self, is_over: impl Fn() -> bool) {
        let mut table = self.0.turns.lock();
        table.stop(self.0.number, EntryState::Waits);
        drop(self.wait(table, is_over));
    }

    /// A safe point: hands over if the slice is used up and another computation is behind.
    pub fn pass(&self, is_over: impl Fn() -> bool) {
        let passed = self.0.passed.fetch_add(1, Ordering::Relaxed) + 1;
        let work = match self.0.turns.pace {
            Pace::SafePoints if passed < SLICE_SAFE_POINTS => return,
            Pace::SafePoints => passed.saturating_mul(1_000_000_000 / SAFE_POINTS_PER_SECOND),
            Pace::Clock => {
                let work =
                    nanoseconds(self.0.origin.elapsed()).saturating_sub(self.0.slice_began.load(Ordering::Relaxed));
                if work < nanoseconds(SLICE) {
                    return;
                }
                work
            }
        };
        self.begin_slice();
        let mut table = self.0.turns.lock();
        table.total = table.total.saturating_add(work);
        let entry = &mut table.entries[self.0.number];
        entry.used = entry.used.saturating_add(work / entry.share);
        let used = entry.used;
        if entry.state != EntryState::Works {
            return;
        }
        table.let_begin(self.0.turns.places);
        if table.next().is_some_and(|other| table.entries[other].used < used) {
            table.stop(self.0.number, EntryState::Waits);
            drop(self.wait(table, is_over));
        }
    }

    /// Gives the place to others while `work` waits for something else.
    pub fn pause<R>(&self, is_over: impl Fn() -> bool, work: impl FnOnce() -> R) -> R {
        let was_at_work = {
            let mut table = self.0.turns.lock();
            let was_at_work = table.entries[self.0.number].state == EntryState::Works;
            table.stop(self.0.number, EntryState::Pauses);
            was_at_work
        };
        self.0.turns.wake();
        let result = work();
        if was_at_work {
            self.begin(is_over);
        }
        result
    }

    /// Leaves the table: others get the place.
    pub fn end(&self) {
        self.0.turns.lock().stop(self.0.number, EntryState::Pauses);
        self.0.turns.wake();
    }

    fn begin_slice(&self) {
        self.0.passed.store(0, Ordering::Relaxed);
        self.0.slice_began.store(nanoseconds(self.0.origin.elapsed()), Ordering::Relaxed);
    }

    fn wait<'t>(&'t self, mut table: MutexGuard<'t, Table>, is_over: impl Fn() -> bool) -> MutexGuard<'t, Table> {
        self.0.turns.changed.notify_all();
        let start = Instant::now();
        loop {
            table.let_begin(self.0.turns.places);
            if table.working < self.0.turns.places && table.next() == Some(self.0.number) {
                table.work(self.0.number);
                break;
            }
            if is_over() {
                table.stop(self.0.number, EntryState::Pauses);
                break;
            }
            let waited = self.0.turns.changed.wait_timeout(table, LOOK);
            table = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        // Another place may be free as well.
        self.0.turns.changed.notify_all();
        self.0.waited.fetch_add(nanoseconds(start.elapsed()), Ordering::Relaxed);
        self.begin_slice();
        table
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    /// Lets computations with these shares and delays work for a while; how many safe points each has passed, and the most at once.
    fn passed(places: usize, members: &[(u32, Duration)], pace: Pace) -> (Vec<u64>, usize) {
        let turns = Turns::new(places, pace);
        let over = AtomicBool::new(false);
        let joined: Vec<Turn> = members.iter().map(|(share, after)| turns.join(*share, *after)).collect();
        let counts = std::thread::scope(|scope| {
            let work = |turn: &Turn| {
                let is_over = || over.load(Ordering::Relaxed);
                turn.begin(is_over);
                let mut count = 0;
                while !is_over() {
                    turn.pass(is_over);
                    count += 1;
                    std::hint::black_box((0..200).sum::<u64>());
                }
                turn.end();
                count
            };
            let handles: Vec<_> = joined.iter().map(|turn| scope.spawn(move || work(turn))).collect();
            std::thread::sleep(Duration::from_millis(600));
            over.store(true, Ordering::Relaxed);
            turns.wake();
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        });
        (counts, turns.most_working())
    }

    #[test]
    fn no_more_work_at_once_than_there_are_places_and_none_starves() {
        for pace in [Pace::Clock, Pace::SafePoints] {
            let (counts, most) = passed(1, &[(1, Duration::ZERO); 3], pace);
            assert_eq!(most, 1);
            let (least, largest) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least > 0 && *largest < 5 * *least, "{counts:?}");
        }
    }

    #[test]
    fn a_larger_share_is_more_work() {
        let (counts, most) = passed(1, &[(4, Duration::ZERO), (1, Duration::ZERO)], Pace::SafePoints);
        assert_eq!(most, 1);
        assert!(counts[0] > 2 * counts[1] && counts[1] > 0, "{counts:?}");
    }

    #[test]
    fn a_delay_ends_when_a_place_is_left_over() {
        let hour = Duration::from_secs(3600);
        let (counts, most) = passed(2, &[(1, Duration::ZERO), (1, hour), (1, 2 * hour)], Pace::Clock);
        assert_eq!((most, counts[2]), (2, 0));
        assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
    }

    #[test]
    fn who_pauses_gives_the_place_away() {
        let turns = Turns::new(1, Pace::Clock);
        let (one, other) = (turns.join(1, Duration::ZERO), turns.join(1, Duration::ZERO));
        one.begin(|| false);
        let answer = one.pause(
            || false,
            || {
                other.begin(|| false);
                other.end();
                7
            },
        );
        assert_eq!((answer, turns.most_working()), (7, 1));
        one.end();
    }
}
