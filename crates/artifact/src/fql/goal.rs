//! Test goals: automata over the letters of a run, with tests of the program's state.

use tandem_cfa::EdgeId;

use crate::gia::EdgeSet;

/// A test goal. A run is in the language if some way through the automaton, from an initial to an accepting state, reads its word
/// (see [`Letters`](super::Letters)) and all tests on the way hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Goal {
    /// Where a run begins, and what must hold before its first edge.
    pub initial: Vec<(u32, Guard)>,
    /// For each state whether a run may end there.
    pub accepting: Vec<bool>,
    /// Sorted by source.
    pub transitions: Vec<GoalTransition>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GoalTransition {
    pub source: u32,
    pub letters: EdgeSet,
    /// What must hold behind the letter.
    pub guard: Guard,
    pub target: u32,
}

/// A conjunction of tests; without any, it always holds.
pub type Guard = Box<[Test]>;

/// A predicate of the query, by its number, and whether it must hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Test {
    pub predicate: u32,
    pub holds: bool,
}

impl Goal {
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    /// The transitions that leave a state.
    pub fn from(&self, state: u32) -> &[GoalTransition] {
        let start = self.transitions.partition_point(|transition| transition.source < state);
        let rest = &self.transitions[start..];
        &rest[..rest.partition_point(|transition| transition.source == state)]
    }

    /// Whether a run that has come to the state is in the language however it goes on: reaching it is enough.
    pub fn is_settled(&self, state: u32) -> bool {
        let stays = |transition: &GoalTransition| {
            transition.target == state && transition.letters.is_all() && transition.guard.is_empty()
        };
        self.accepting[state as usize] && self.from(state).iter().any(stays)
    }

    /// Whether reaching an accepting state is always enough.
    pub fn is_open_ended(&self) -> bool {
        (0..self.states() as u32).all(|state| !self.accepting[state as usize] || self.is_settled(state))
    }

    /// Whether a whole run is in the language: the number of its edges after which that is settled (all, if only its end decides).
    /// `word` is that of [`Letters::word`](super::Letters::word); `test` says whether a predicate holds when so many edges have been
    /// taken, if it has a value there.
    pub fn accepts(&self, word: &[(EdgeId, usize)], test: impl FnMut(usize, u32) -> Option<bool>) -> Option<usize> {
        self.reads(word, true, test)
    }

    /// The same for the beginning of a run: only what is settled whatever follows.
    pub fn settles(&self, word: &[(EdgeId, usize)], test: impl FnMut(usize, u32) -> Option<bool>) -> Option<usize> {
        self.reads(word, false, test)
    }

    fn reads(
        &self,
        word: &[(EdgeId, usize)],
        ended: bool,
        mut test: impl FnMut(usize, u32) -> Option<bool>,
    ) -> Option<usize> {
        let mut holds = |at: usize, guard: &Guard| guard.iter().all(|one| test(at, one.predicate) == Some(one.holds));
        let mut here: Vec<u32> = Vec::new();
        for (state, guard) in &self.initial {
            if !here.contains(state) && holds(0, guard) {
                here.push(*state);
            }
        }
        if here.iter().any(|state| self.is_settled(*state)) {
            return Some(0);
        }
        let mut taken = 0;
        for (letter, at) in word {
            taken = *at;
            let mut next: Vec<u32> = Vec::with_capacity(here.len());
            for state in &here {
                for transition in self.from(*state) {
                    let new = transition.letters.contains(*letter) && !next.contains(&transition.target);
                    if new && holds(taken, &transition.guard) {
                        next.push(transition.target);
                    }
                }
            }
            here = next;
            if here.iter().any(|state| self.is_settled(*state)) {
                return Some(taken);
            }
            if here.is_empty() {
                return None;
            }
        }
        (ended && here.iter().any(|state| self.accepting[*state as usize])).then_some(taken)
    }

    /// Only what can be reached and leads to acceptance, numbered in the order it is reached.
    pub(super) fn trimmed(&self) -> Goal {
        let count = self.states();
        let mut leading = self.accepting.clone();
        loop {
            let before = leading.iter().filter(|leads| **leads).count();
            for transition in self.transitions.iter().rev() {
                if leading[transition.target as usize] {
                    leading[transition.source as usize] = true;
                }
            }
            if leading.iter().filter(|leads| **leads).count() == before {
                break;
            }
        }
        let mut numbers = vec![u32::MAX; count];
        let mut order = Vec::new();
        for (state, _) in &self.initial {
            visit(*state, &leading, &mut numbers, &mut order);
        }
        let mut at = 0;
        while at < order.len() {
            for transition in self.from(order[at]) {
                visit(transition.target, &leading, &mut numbers, &mut order);
            }
            at += 1;
        }
        let number = |state: u32| numbers[state as usize];
        let kept =
            self.transitions.iter().filter(|one| number(one.source) != u32::MAX && number(one.target) != u32::MAX);
        let mut transitions: Vec<GoalTransition> = kept
            .map(|one| GoalTransition { source: number(one.source), target: number(one.target), ..one.clone() })
            .collect();
        transitions.sort();
        let initial = self.initial.iter().filter(|(state, _)| number(*state) != u32::MAX);
        Goal {
            initial: initial.map(|(state, guard)| (number(*state), guard.clone())).collect(),
            accepting: order.iter().map(|state| self.accepting[*state as usize]).collect(),
            transitions,
        }
    }
}

fn visit(state: u32, leading: &[bool], numbers: &mut [u32], order: &mut Vec<u32>) {
    if leading[state as usize] && numbers[state as usize] == u32::MAX {
        numbers[state as usize] = order.len() as u32;
        order.push(state);
    }
}
