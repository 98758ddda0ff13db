//! What is settled about the goals of a query. A goal is four bytes here: half a million of them are nothing.
//!
//! A goal is covered by a replay, and infeasible by a proof. One that is both shows a bug; then it is covered: the run has been seen.

use std::ops::Range;

use tandem_cfa::exec::Input;

/// What is known about a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GoalStatus {
    /// With the number of a reason, if somebody tried.
    Open(Option<u32>),
    /// By the test of this number.
    Covered(u32),
    /// By a proof of this kind.
    Infeasible(Proof),
}

/// Why no run covers a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The predicate analysis has shown it.
    Predicate,
    /// No run begins as the path does.
    Beginning,
    /// No run covers a part of the goal.
    Part,
    /// An earlier run of the program has shown it.
    Stored,
}

impl Proof {
    pub const ALL: [Proof; 4] = [Proof::Predicate, Proof::Beginning, Proof::Part, Proof::Stored];

    pub fn name(self) -> &'static str {
        match self {
            Proof::Predicate => "predicate",
            Proof::Beginning => "impossible beginning",
            Proof::Part => "infeasible part",
            Proof::Stored => "store",
        }
    }
}

/// A test that counts.
#[derive(Clone, Debug)]
pub struct GoalTest {
    pub inputs: Vec<Input>,
    /// The goals it covers, by number, in their order.
    pub goals: Vec<u64>,
    /// Those that no test before it covered.
    pub first: usize,
    pub by: &'static str,
}

/// Counts of covered, infeasible and open goals.
pub type Counts = (u64, u64, u64);

pub struct GoalBoard {
    status: Vec<u32>,
    pub tests: Vec<GoalTest>,
    pub reasons: Vec<String>,
    counts: Counts,
    /// Goals that were called infeasible before a test covered them: each is a bug.
    pub contradictions: Vec<u64>,
    /// Grows with every change.
    pub version: u64,
    pub statistics: Statistics,
}

/// What the search has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub runs: u64,
    pub automata: u64,
    pub candidates: u64,
    pub refinements: u64,
    pub states: u64,
    pub reused: u64,
    pub checks: u64,
}

const KIND: u32 = 30;
const VALUE: u32 = (1 << KIND) - 1;

fn pack(status: GoalStatus) -> u32 {
    match status {
        GoalStatus::Open(None) => 0,
        GoalStatus::Open(Some(reason)) => (reason + 1) & VALUE,
        GoalStatus::Covered(test) => 1 << KIND | test & VALUE,
        GoalStatus::Infeasible(proof) => {
            2 << KIND | Proof::ALL.iter().position(|other| *other == proof).unwrap_or(0) as u32
        }
    }
}

fn unpack(word: u32) -> GoalStatus {
    match (word >> KIND, word & VALUE) {
        (0, 0) => GoalStatus::Open(None),
        (0, reason) => GoalStatus::Open(Some(reason - 1)),
        (1, test) => GoalStatus::Covered(test),
        (_, proof) => GoalStatus::Infeasible(Proof::ALL[proof as usize % Proof::ALL.len()]),
    }
}

impl GoalBoard {
    pub fn new(goals: u64) -> GoalBoard {
        GoalBoard {
            status: vec![0; goals as usize],
            tests: Vec::new(),
            reasons: Vec::new(),
            counts: (0, 0, goals),
            contradictions: Vec::new(),
            version: 0,
            statistics: Statistics::default(),
        }
    }

    pub fn goals(&self) -> u64 {
        self.status.len() as u64
    }

    pub fn status(&self, goal: u64) -> GoalStatus {
        self.status.get(goal as usize).map_or(GoalStatus::Open(None), |word| unpack(*word))
    }

    pub fn is_open(&self, goal: u64) -> bool {
        self.status.get(goal as usize).is_some_and(|word| word >> KIND == 0)
    }

    pub fn is_covered(&self, goal: u64) -> bool {
        self.status.get(goal as usize).is_some_and(|word| word >> KIND == 1)
    }

    pub fn has_open(&self, goals: Range<u64>) -> bool {
        self.status[goals.start as usize..goals.end as usize].iter().any(|word| word >> KIND == 0)
    }

    /// Covered, infeasible and open goals.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    pub fn is_decided(&self) -> bool {
        self.counts.2 == 0
    }

    /// Takes a test if it covers a goal that no test so far covers; says how many.
    pub fn accept(&mut self, inputs: Vec<Input>, goals: Vec<u64>, by: &'static str) -> usize {
        let test = self.tests.len() as u32;
        let mut first = 0;
        for goal in &goals {
            let status = self.status(*goal);
            match status {
                GoalStatus::Covered(_) => continue,
                GoalStatus::Open(_) => self.counts.2 -= 1,
                GoalStatus::Infeasible(_) => {
                    self.counts.1 -= 1;
                    self.contradictions.push(*goal);
                }
            }
            first += 1;
            self.counts.0 += 1;
            self.status[*goal as usize] = pack(GoalStatus::Covered(test));
        }
        if first > 0 {
            self.version += 1;
            self.tests.push(GoalTest { inputs, goals, first, by });
        }
        first
    }

    /// Notes that no run covers these goals.
    pub fn exclude(&mut self, goals: Range<u64>, proof: Proof) {
        for goal in goals {
            if self.is_open(goal) {
                self.status[goal as usize] = pack(GoalStatus::Infeasible(proof));
                self.counts.1 += 1;
                self.counts.2 -= 1;
                self.version += 1;
            }
        }
    }

    /// Notes why these goals are still open.
    pub fn doubt(&mut self, goals: Range<u64>, reason: &str) {
        let number = self.reasons.iter().position(|known| known == reason).unwrap_or_else(|| {
            self.reasons.push(reason.to_string());
            self.reasons.len() - 1
        });
        for goal in goals {
            if self.is_open(goal) {
                self.status[goal as usize] = pack(GoalStatus::Open(Some(number as u32)));
            }
        }
    }

    /// As few tests as cover what all together cover: their numbers.
    pub fn select(&self) -> Vec<usize> {
        let mut covered = vec![false; self.status.len()];
        let mut fresh: Vec<usize> = self.tests.iter().map(|test| test.goals.len()).collect();
        let mut chosen = Vec::new();
        // Of two that add as much, the one that covers more may make others superfluous.
        let mut queue: std::collections::BinaryHeap<(usize, usize, usize)> =
            fresh.iter().enumerate().map(|(test, count)| (*count, *count, self.tests.len() - test)).collect();
        while let Some((count, all, back)) = queue.pop() {
            let test = self.tests.len() - back;
            fresh[test] = self.tests[test].goals.iter().filter(|goal| !covered[**goal as usize]).count();
            if fresh[test] == 0 {
                continue;
            }
            if fresh[test] < count {
                queue.push((fresh[test], all, back));
                continue;
            }
            self.tests[test].goals.iter().for_each(|goal| covered[*goal as usize] = true);
            chosen.push(test);
        }
        self.without_superfluous(chosen)
    }

    /// The first ones were chosen when little was covered: some may be superfluous by now.
    fn without_superfluous(&self, mut chosen: Vec<usize>) -> Vec<usize> {
        let mut times = vec![0u32; self.status.len()];
        chosen.iter().flat_map(|test| &self.tests[*test].goals).for_each(|goal| times[*goal as usize] += 1);
        chosen.retain(|test| {
            let goals = &self.tests[*test].goals;
            let is_needed = goals.iter().any(|goal| times[*goal as usize] == 1);
            if !is_needed {
                goals.iter().for_each(|goal| times[*goal as usize] -= 1);
            }
            is_needed
        });
        chosen.sort_unstable();
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_covered_goal_stays_covered_and_a_contradiction_is_noted() {
        let mut board = GoalBoard::new(4);
        assert_eq!(board.accept(Vec::new(), vec![1], "random"), 1);
        board.exclude(0..3, Proof::Predicate);
        assert_eq!(board.counts(), (1, 2, 1));
        assert_eq!(board.accept(Vec::new(), vec![0, 1], "random"), 1);
        assert_eq!(board.contradictions, [0]);
        board.doubt(0..4, "why");
        assert_eq!(board.status(3), GoalStatus::Open(Some(0)));
        assert_eq!(board.status(2), GoalStatus::Infeasible(Proof::Predicate));
        assert_eq!(board.counts(), (2, 1, 1));
    }

    #[test]
    fn superfluous_tests_go() {
        let mut board = GoalBoard::new(6);
        for goals in [vec![0], vec![5], vec![1, 2, 3, 4], vec![0, 1, 2], vec![3, 4, 5]] {
            board.tests.push(GoalTest { inputs: Vec::new(), goals, first: 1, by: "" });
        }
        assert_eq!(board.select(), [3, 4]);
    }
}
