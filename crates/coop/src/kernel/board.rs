//! The board: what the members of a cooperation have told each other, with the author and the ground of each contribution, and when. Nothing
//! gets on it that its author may not say.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tandem_analyses::exchange::{Contribution, ExchangeBoard, Posted};
use tandem_analyses::{ContributionKind, registry};
use tandem_base::Budget;
use tandem_smt::Terms;

/// Contributions of one author that are taken at most: a member that floods the board must not slow down the others.
const MOST_OF_ONE_AUTHOR: usize = 2000;
/// Formulas of one contribution that are taken at most.
const MOST_FORMULAS: usize = 400;
/// A waiting member looks this often whether its budget has ended.
const LOOK: Duration = Duration::from_millis(10);

/// Whether members of a cooperation tell each other anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exchange {
    On,
    /// The same members, each for itself: to see what the exchange is worth.
    Off,
}

/// Something that crossed the board, for the journal.
#[derive(Clone, PartialEq, Debug)]
pub struct Crossing {
    /// The number of the contribution.
    pub number: usize,
    pub author: &'static str,
    pub kind: ContributionKind,
    /// How many formulas it has.
    pub formulas: usize,
    /// Since the start of the cooperation.
    pub posted_at: Duration,
    /// The facts that it rests on.
    pub grounds: Vec<usize>,
    /// The members that have made use of it, and when each did first.
    pub used_by: Vec<(&'static str, Duration)>,
}

pub struct MemberBoard {
    terms: Terms,
    exchange: Exchange,
    start: Instant,
    state: Mutex<BoardState>,
    changed: Condvar,
}

#[derive(Default)]
struct BoardState {
    posted: Vec<Arc<Posted>>,
    crossings: Vec<Crossing>,
    /// What was refused, with the author.
    refused: Vec<(&'static str, String)>,
    /// Members that may still post something: they have not ended, and do not wait for others.
    active: usize,
}

impl MemberBoard {
    pub fn new(exchange: Exchange) -> MemberBoard {
        let (state, changed) = Default::default();
        MemberBoard { terms: Terms::new(), exchange, start: Instant::now(), state, changed }
    }

    fn state(&self) -> MutexGuard<'_, BoardState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A member takes part from now on.
    pub fn enter(&self) {
        self.state().active += 1;
    }

    /// A member has ended.
    pub fn leave(&self) {
        let mut state = self.state();
        state.active = state.active.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    /// What has crossed the board, in the order of its numbers.
    pub fn crossings(&self) -> Vec<Crossing> {
        self.state().crossings.clone()
    }

    /// What was refused, with the author.
    pub fn refused(&self) -> Vec<(&'static str, String)> {
        self.state().refused.clone()
    }

    fn has_news(&self, state: &BoardState, reader: &str, cursor: usize) -> bool {
        state.posted[cursor.min(state.posted.len())..].iter().any(|posted| posted.author != reader)
    }
}

/// Why a contribution is refused, if it is.
fn flaw(state: &BoardState, author: &str, contribution: &Contribution) -> Option<String> {
    if state.posted.iter().filter(|posted| posted.author == author).count() >= MOST_OF_ONE_AUTHOR {
        return Some("too many contributions of one member".into());
    }
    let kind = contribution.kind();
    if !registry::entry(author).is_some_and(|entry| entry.gives(kind)) {
        return Some(format!("`{author}` is not registered as one that gives {kind}"));
    }
    let known = state.posted.len();
    let is_claim = |number: &usize| {
        let posted = state.posted.get(*number);
        posted.is_some_and(|posted| !matches!(posted.contribution, Contribution::Precision(_)))
    };
    let wrong = contribution.grounds().iter().find(|ground| !is_claim(ground));
    wrong.map(|ground| format!("it rests on number {ground}, which is no fact before number {known}"))
}

impl ExchangeBoard for MemberBoard {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn post(&self, author: &'static str, mut contribution: Contribution) {
        if self.exchange == Exchange::Off {
            return;
        }
        let mut state = self.state();
        if let Some(why) = flaw(&state, author, &contribution) {
            state.refused.push((author, why));
            return;
        }
        let formulas = match &mut contribution {
            Contribution::Facts { formulas, .. } | Contribution::Precision(formulas) => {
                formulas.truncate(MOST_FORMULAS);
                formulas.len()
            }
            Contribution::SafeCutPoints { .. } => 0,
        };
        let number = state.posted.len();
        state.crossings.push(Crossing {
            number,
            author,
            kind: contribution.kind(),
            formulas,
            posted_at: self.start.elapsed(),
            grounds: contribution.grounds().to_vec(),
            used_by: Vec::new(),
        });
        state.posted.push(Arc::new(Posted { number, author, contribution }));
        drop(state);
        self.changed.notify_all();
    }

    fn news(&self, reader: &'static str, cursor: &mut usize) -> Vec<Arc<Posted>> {
        let state = self.state();
        let from = std::mem::replace(cursor, state.posted.len()).min(state.posted.len());
        state.posted[from..].iter().filter(|posted| posted.author != reader).cloned().collect()
    }

    fn used(&self, reader: &'static str, number: usize) {
        let now = self.start.elapsed();
        let mut state = self.state();
        if let Some(crossing) = state.crossings.get_mut(number) {
            if !crossing.used_by.iter().any(|(other, _)| *other == reader) {
                crossing.used_by.push((reader, now));
            }
        }
    }

    fn wait_for_news(&self, reader: &'static str, cursor: usize, budget: &Budget) -> bool {
        if self.exchange == Exchange::Off {
            return false;
        }
        let wait = || {
            let mut state = self.state();
            state.active = state.active.saturating_sub(1);
            let is_new = loop {
                if self.has_news(&state, reader, cursor) {
                    break true;
                }
                // When all others wait as well, nothing will come.
                if state.active == 0 || budget.stop_reason().is_some() {
                    break false;
                }
                state = self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
            };
            state.active += 1;
            is_new
        };
        match &budget.turn {
            Some(turn) => turn.pause(|| budget.stop_reason().is_some(), wait),
            None => wait(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(cut_points: u32, grounds: Vec<usize>) -> Contribution {
        Contribution::SafeCutPoints { cut_points, grounds }
    }

    #[test]
    fn news_are_what_others_have_posted_and_come_once() {
        let board = MemberBoard::new(Exchange::On);
        board.post("bmc", bound(1, Vec::new()));
        board.post("bmc", bound(2, vec![0]));
        let (mut own, mut other) = (0, 0);
        assert!(board.news("bmc", &mut own).is_empty());
        assert_eq!(board.news("k-induction", &mut other).len(), 2);
        assert!(board.news("k-induction", &mut other).is_empty());
        board.used("k-induction", 1);
        board.used("k-induction", 1);
        assert_eq!(board.crossings()[1].used_by.len(), 1);
    }

    #[test]
    fn grounds_come_before_what_rests_on_them() {
        let board = MemberBoard::new(Exchange::On);
        board.post("bmc", bound(1, vec![0]));
        assert_eq!((board.crossings().len(), board.refused().len()), (0, 1));
        board.post("predicate", Contribution::Precision(Vec::new()));
        board.post("bmc", bound(1, vec![0]));
        assert_eq!((board.crossings().len(), board.refused().len()), (1, 2), "precision is no ground of a claim");
    }

    #[test]
    fn a_member_that_floods_the_board_is_refused() {
        let board = MemberBoard::new(Exchange::On);
        for _ in 0..MOST_OF_ONE_AUTHOR + 5 {
            board.post("bmc", bound(1, Vec::new()));
        }
        assert_eq!((board.crossings().len(), board.refused().len()), (MOST_OF_ONE_AUTHOR, 5));
        board.post("predicate", Contribution::Precision(Vec::new()));
        assert_eq!(board.crossings().len(), MOST_OF_ONE_AUTHOR + 1);
    }

    #[test]
    fn a_member_may_say_only_what_it_is_registered_for() {
        let board = MemberBoard::new(Exchange::On);
        board.post("value", bound(1, Vec::new()));
        board.post("random", Contribution::Facts { formulas: Vec::new(), grounds: Vec::new() });
        board.post("astrology", bound(1, Vec::new()));
        assert_eq!((board.crossings().len(), board.refused().len()), (0, 3));
    }

    #[test]
    fn nobody_waits_when_all_wait() {
        let board = MemberBoard::new(Exchange::On);
        board.enter();
        board.enter();
        let waits = std::thread::scope(|scope| {
            // The first that sees that the other waits gives up; the other does so when the first has left.
            let wait = |name| {
                let is_new = board.wait_for_news(name, 0, &Budget::unlimited());
                board.leave();
                is_new
            };
            let one = scope.spawn(move || wait("bmc"));
            let other = scope.spawn(move || wait("value"));
            (one.join().unwrap(), other.join().unwrap())
        });
        assert_eq!(waits, (false, false));
    }

    #[test]
    fn without_exchange_nothing_crosses() {
        let board = MemberBoard::new(Exchange::Off);
        board.enter();
        board.post("bmc", bound(1, Vec::new()));
        assert!(board.news("value", &mut 0).is_empty() && board.crossings().is_empty());
        assert!(!board.wait_for_news("value", 0, &Budget::unlimited()));
    }
}
