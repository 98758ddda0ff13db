//! The board of a ranged run: which ranges there are, who works on them, and what is proved. Starts nothing and runs nothing.
//!
//! A range is proved if an analysis has proved it; or if an analysis has proved what it kept of it, and all it gave away is
//! proved; or if it was halved and both halves are proved. The program is proved if all ranges of the split are.

use tandem_analyses::Outcome;
use tandem_artifact::range::{Decisions, Range};
use tandem_artifact::{Caveat, Invariant, Verdict};
use tandem_base::Cancel;

/// The number of a range on the board.
pub type PieceId = usize;
/// The number of an attempt of an analysis on a range.
pub type AttemptId = usize;

/// Some paths of the program.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    Range(Range),
    /// What begins so.
    Begins(Vec<Decisions>),
}

pub struct Piece {
    pub part: Part,
    /// The analysis (by its number) that is to begin with it.
    pub assigned: usize,
    /// The analyses that have begun with it.
    pub tried: Vec<usize>,
    /// The proof of the whole range.
    proof: Option<Outcome>,
    /// The proof of what an attempt kept, and what it gave away.
    rest: Option<(Outcome, Vec<PieceId>)>,
    halves: Option<[PieceId; 2]>,
    /// Whether it was tried to halve it in vain.
    is_whole: bool,
    /// Outcomes that were no proof.
    pub failed: Vec<Outcome>,
    /// The range it is a part of.
    parent: Option<PieceId>,
    /// Given away by an attempt that has failed, while others may do better with the whole: nobody needs it.
    abandoned: bool,
}

pub struct Attempt {
    pub piece: PieceId,
    pub analysis: usize,
    pub cancel: Cancel,
    pub is_running: bool,
    /// Whether somebody waits for a part of it.
    pub is_wanted: bool,
    /// It had nothing to give when it was asked so many times in a row.
    pub refused: u32,
    gave: Vec<PieceId>,
}

#[derive(Default)]
pub struct Board {
    pub pieces: Vec<Piece>,
    pub attempts: Vec<Attempt>,
    /// Pieces of the split.
    roots: usize,
    /// How many analyses there are.
    analyses: usize,
    pub violation: Option<Outcome>,
    /// A run whose behaviour C does not define, if somebody has found one: then nothing is called proved.
    pub undefined: Option<Caveat>,
    pub is_stopped: bool,
    /// What was tracked by those who were stopped.
    pub tracked: Vec<Invariant>,
    /// Ranges that were taken over by another analysis, and parts that were given away.
    pub takeovers: u64,
    pub cuts: u64,
}

impl Board {
    /// The ranges of a split, each with the number of the analysis that is to begin with it, of so many.
    pub fn new(ranges: Vec<(Range, usize)>, analyses: usize) -> Board {
        let mut board = Board { roots: ranges.len(), analyses, ..Board::default() };
        for (range, assigned) in ranges {
            board.add(Part::Range(range), assigned, None);
        }
        board
    }

    fn add(&mut self, part: Part, assigned: usize, parent: Option<PieceId>) -> PieceId {
        self.pieces.push(Piece {
            part,
            assigned,
            tried: Vec::new(),
            proof: None,
            rest: None,
            halves: None,
            is_whole: false,
            failed: Vec::new(),
            parent,
            abandoned: false,
        });
        self.pieces.len() - 1
    }

    pub fn roots(&self) -> std::ops::Range<PieceId> {
        0..self.roots
    }

    pub fn is_proved(&self, piece: PieceId) -> bool {
        let Piece { proof, rest, halves, .. } = &self.pieces[piece];
        let all = |pieces: &[PieceId]| pieces.iter().all(|piece| self.is_proved(*piece));
        proof.is_some()
            || rest.as_ref().is_some_and(|(_, gave)| all(gave))
            || halves.as_ref().is_some_and(|halves| all(halves))
    }

    /// The outcomes that together prove the piece, each with the range that it is about; only for one that is proved.
    pub fn proofs(&self, piece: PieceId, out: &mut Vec<(Range, Vec<Outcome>)>) {
        let Piece { part, proof, rest, halves, .. } = &self.pieces[piece];
        // A part that was given away is one of the range of who gave it.
        if let Part::Range(range) = part {
            out.push((range.clone(), Vec::new()));
        }
        let mut tell = |proof: &Outcome| {
            if let Some((_, parts)) = out.last_mut() {
                parts.push(proof.clone());
            }
        };
        if let Some(proof) = proof {
            return tell(proof);
        }
        let proved = |pieces: &[PieceId]| pieces.iter().all(|piece| self.is_proved(*piece));
        if let Some((kept, gave)) = rest.as_ref().filter(|(_, gave)| proved(gave)) {
            tell(kept);
            gave.iter().for_each(|piece| self.proofs(*piece, out));
        } else if let Some(halves) = halves {
            out.pop();
            halves.iter().for_each(|piece| self.proofs(*piece, out));
        }
    }

    /// What the proofs so far were made of, and what others have tracked.
    pub fn conditions(&self) -> Vec<Invariant> {
        let proofs =
            self.pieces.iter().flat_map(|piece| piece.proof.iter().chain(piece.rest.iter().map(|(kept, _)| kept)));
        proofs.flat_map(|proof| &proof.invariants).chain(&self.tracked).cloned().collect()
    }

    /// Whether work on the piece is still of use.
    pub fn is_open(&self, piece: PieceId) -> bool {
        let mut at = Some(piece);
        while let Some(piece) = at {
            if self.pieces[piece].abandoned || self.is_proved(piece) {
                return false;
            }
            at = self.pieces[piece].parent;
        }
        true
    }

    pub fn is_over(&self) -> bool {
        self.violation.is_some() || self.is_stopped || self.roots().all(|piece| self.is_proved(piece))
    }

    pub fn running(&self, piece: PieceId) -> impl Iterator<Item = AttemptId> + '_ {
        let attempts = self.attempts.iter().enumerate();
        attempts.filter(move |(_, attempt)| attempt.is_running && attempt.piece == piece).map(|(id, _)| id)
    }

    pub fn begin(&mut self, piece: PieceId, analysis: usize) -> AttemptId {
        self.pieces[piece].tried.push(analysis);
        let cancel = Cancel::new();
        self.attempts.push(Attempt {
            piece,
            analysis,
            cancel,
            is_running: true,
            is_wanted: false,
            refused: 0,
            gave: Vec::new(),
        });
        self.attempts.len() - 1
    }

    /// The attempt gives away the paths that begin so. From now on, its verdict is about the rest.
    pub fn give(&mut self, attempt: AttemptId, beginnings: Vec<Vec<u32>>) {
        let Attempt { piece, analysis, .. } = self.attempts[attempt];
        self.attempts[attempt].is_wanted = false;
        if beginnings.is_empty() {
            self.attempts[attempt].refused += 1;
            return;
        }
        self.attempts[attempt].refused = 0;
        self.cuts += 1;
        let part = Part::Begins(beginnings.into_iter().map(Decisions).collect());
        let id = self.add(part, analysis, Some(piece));
        self.attempts[attempt].gave.push(id);
    }

    /// The halves of a piece, to be worked on besides it.
    pub fn halve(&mut self, piece: PieceId, halves: (Range, Range), analysis: usize) {
        if self.pieces[piece].halves.is_none() {
            let first = self.add(Part::Range(halves.0), analysis, Some(piece));
            let second = self.add(Part::Range(halves.1), analysis, Some(piece));
            self.pieces[piece].halves = Some([first, second]);
        }
    }

    /// Whether the piece was halved, or cannot be.
    pub fn has_halves(&self, piece: PieceId) -> bool {
        self.pieces[piece].halves.is_some() || self.pieces[piece].is_whole
    }

    pub fn cannot_halve(&mut self, piece: PieceId) {
        self.pieces[piece].is_whole = true;
    }

    /// The attempt has come to its end.
    pub fn finish(&mut self, attempt: AttemptId, outcome: Outcome) {
        let Attempt { piece, cancel, is_running, gave, .. } = &mut self.attempts[attempt];
        *is_running = false;
        let (piece, was_cancelled, gave) = (*piece, cancel.is_raised(), std::mem::take(gave));
        let undefined = outcome.caveats.iter().find(|caveat| matches!(caveat, Caveat::Undefined { .. }));
        self.undefined = self.undefined.take().or_else(|| undefined.cloned());
        for tracked in &outcome.precision {
            if !self.tracked.contains(tracked) {
                self.tracked.push(tracked.clone());
            }
        }
        match outcome.verdict {
            Verdict::False => {
                self.violation.get_or_insert(outcome);
            }
            Verdict::True if gave.is_empty() => self.pieces[piece].proof = Some(outcome),
            Verdict::True => self.pieces[piece].rest = Some((outcome, gave)),
            Verdict::Unknown(_) => {
                // If nobody is left to try the whole, a violation may still be found in what was given away.
                let is_retried = self.pieces[piece].tried.len() < self.analyses;
                for given in gave.into_iter().filter(|_| is_retried || was_cancelled) {
                    self.pieces[given].abandoned = true;
                }
                if !was_cancelled {
                    self.pieces[piece].failed.push(outcome);
                }
            }
        }
        self.cancel_useless();
    }

    /// Stops whoever works on what nobody needs any more.
    pub fn cancel_useless(&mut self) {
        let is_over = self.is_over();
        for index in 0..self.attempts.len() {
            if self.attempts[index].is_running && (is_over || !self.is_open(self.attempts[index].piece)) {
                self.attempts[index].cancel.raise();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_artifact::range::{Bound, Bounds};
    use tandem_base::{Id, Span};

    fn proof() -> Outcome {
        Outcome::new("test", None, None, Vec::new())
    }

    fn unknown() -> Outcome {
        Outcome::new("test", None, None, vec![Caveat::Bound("test".into())])
    }

    fn board() -> Board {
        let ranges = Bounds::new(vec![Bound::path(Decisions(vec![0, 1]))]).ranges();
        Board::new(ranges.into_iter().zip([0, 1]).collect(), 2)
    }

    #[test]
    fn all_ranges_are_needed() {
        let mut board = board();
        let (first, second) = (board.begin(0, 0), board.begin(1, 1));
        board.finish(first, proof());
        assert!(!board.is_over());
        board.finish(second, unknown());
        assert!(!board.is_over() && board.is_open(1) && !board.is_open(0));
        let again = board.begin(1, 0);
        board.finish(again, proof());
        assert!(board.is_over() && board.violation.is_none());
    }

    #[test]
    fn what_was_given_away_is_needed_too() {
        let mut board = board();
        let (first, second) = (board.begin(0, 0), board.begin(1, 0));
        board.finish(first, proof());
        board.give(second, vec![vec![1, 0]]);
        board.give(second, vec![vec![1, 1]]);
        board.finish(second, proof());
        assert!(!board.is_over() && board.pieces.len() == 4);
        let third = board.begin(2, 0);
        board.finish(third, proof());
        assert!(!board.is_over());
        let fourth = board.begin(3, 0);
        board.finish(fourth, proof());
        assert!(board.is_over());
        let mut proofs = Vec::new();
        board.proofs(1, &mut proofs);
        assert!(proofs.len() == 1 && proofs[0].1.len() == 3, "{proofs:?}");
    }

    #[test]
    fn who_proves_the_whole_needs_no_parts() {
        let mut board = board();
        let (first, second) = (board.begin(0, 0), board.begin(1, 0));
        board.give(second, vec![vec![1, 0]]);
        let part = board.begin(2, 0);
        let other = board.begin(1, 1);
        board.finish(other, proof());
        assert!(board.attempts[part].cancel.is_raised() && board.attempts[second].cancel.is_raised());
        assert!(!board.attempts[first].cancel.is_raised() && !board.is_over());
    }

    #[test]
    fn parts_of_a_failed_attempt_are_not_needed() {
        let mut board = board();
        let second = board.begin(1, 0);
        board.give(second, vec![vec![1, 0]]);
        let part = board.begin(2, 0);
        board.finish(second, unknown());
        assert!(board.attempts[part].cancel.is_raised());
        board.finish(part, proof());
        assert!(!board.is_proved(1) && board.is_open(1));
    }

    #[test]
    fn a_violation_is_looked_for_in_what_a_failed_attempt_gave_away() {
        let mut board = Board::new(vec![(Range::whole(), 0)], 1);
        let whole = board.begin(0, 0);
        board.give(whole, vec![vec![1, 0]]);
        board.finish(whole, unknown());
        assert!(board.is_open(1) && !board.is_over());
        let part = board.begin(1, 0);
        board.finish(part, proof());
        assert!(!board.is_over() && !board.is_open(1));
    }

    #[test]
    fn what_was_tracked_is_kept() {
        let mut board = board();
        let tracked = |value: &str| Invariant { function: Id::from_index(0), at: Span::NONE, value: value.into() };
        for words in [["a", "b"], ["b", "c"]] {
            let attempt = board.begin(0, 0);
            board.attempts[attempt].cancel.raise();
            board.finish(attempt, Outcome { precision: words.map(tracked).to_vec(), ..unknown() });
        }
        assert_eq!(board.conditions(), ["a", "b", "c"].map(tracked));
        assert!(!board.is_proved(0) && board.pieces[0].failed.is_empty());
    }

    #[test]
    fn halves_prove_the_whole() {
        let mut board = board();
        let second = board.begin(1, 0);
        let Part::Range(range) = board.pieces[1].part.clone() else { panic!("a range") };
        let halves = range.cut(&Bound::path(Decisions(vec![1, 1]))).unwrap();
        board.halve(1, halves, 0);
        for half in [2, 3] {
            let attempt = board.begin(half, 0);
            assert!(!board.is_proved(1));
            board.finish(attempt, proof());
        }
        assert!(board.is_proved(1) && board.attempts[second].cancel.is_raised());
        // What a half says is about the half.
        let mut proofs = Vec::new();
        board.proofs(1, &mut proofs);
        let ranges = [2, 3].map(|half| board.pieces[half].part.clone());
        assert_eq!(proofs.iter().map(|(range, _)| Part::Range(range.clone())).collect::<Vec<_>>(), ranges);
        assert!(proofs.iter().all(|(_, parts)| parts.len() == 1));
    }
}
