//! The back end for each query, chosen by what is in it.
//!
//! | in the query | first | then |
//! |---|---|---|
//! | floats | bit-blaster | Z3, fresh |
//! | arrays, functions or declared sorts, no floats | Z3, incremental | bit-blaster |
//! | bit-vectors alone | bit-blaster | Z3, incremental |
//!
//! The reasons are measurements (`cargo bench` repeats them, with Z3 4.8.12). Floats: the bit-blaster is about 26 times
//! faster than Z3. Path conditions over bit-vectors, pushed and popped: 7 to 10 times faster than an incremental Z3 on logs of
//! explorations, and more on some families. Factoring and division: close, and both give up on the hard ones. Arrays: about
//! equal; Z3 goes first because it has the theory built in, where the bit-blaster adds lemmas until they suffice. A solver
//! for bit-vectors alone never starts Z3, which costs more than many checks.
//!
//! If the first one gives up, or takes long while there is time, the other is asked; they take turns with growing shares (with floats, Z3 has one
//! turn). Where
//! Z3 took long and the bit-blaster then had the answer, the bit-blaster goes first until it is the other way round.

use std::time::Duration;

use tandem_base::{Budget, FastBuild, StopReason};

use crate::blast::BlastSolver;
use crate::op::Op;
use crate::pool::{Term, Terms};
use crate::solver::{Answer, Solver, UnknownReason};
use crate::sort::Sort;
use crate::value::Model;
use crate::z3::{Z3Mode, Z3Solver};

/// The first share of time, and how much longer each following one is.
const FIRST_SHARE: Duration = Duration::from_millis(500);
const GROWTH: u32 = 4;

/// A solver that asks the back end that is best for the query.
pub struct AutoSolver {
    terms: Terms,
    incremental: Z3Solver,
    fresh: Z3Solver,
    blast: BlastSolver,
    stack: Vec<Vec<Term>>,
    traits: hashbrown::HashMap<Term, Traits, FastBuild>,
    last: BackEnd,
    /// Whether on arrays and functions the bit-blaster has been the faster one lately.
    blast_leads: bool,
    counters: AutoCounters,
}

/// How often each back end was asked, and how often the second had to help.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AutoCounters {
    pub incremental: u64,
    pub fresh: u64,
    pub blast: u64,
    pub second_tries: u64,
}

/// What is in a term that the choice depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Traits {
    floats: bool,
    /// Arrays, functions, declared sorts: what does not turn into bits at once.
    theories: bool,
}

impl Traits {
    fn join(self, other: Traits) -> Traits {
        Traits { floats: self.floats || other.floats, theories: self.theories || other.theories }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BackEnd {
    Incremental,
    Fresh,
    Blast,
}

impl AutoSolver {
    pub fn new(terms: &Terms) -> AutoSolver {
        AutoSolver {
            terms: terms.clone(),
            incremental: Z3Solver::new(terms, Z3Mode::Incremental),
            fresh: Z3Solver::new(terms, Z3Mode::Fresh),
            blast: BlastSolver::new(terms),
            stack: vec![Vec::new()],
            traits: hashbrown::HashMap::default(),
            last: BackEnd::Incremental,
            blast_leads: false,
            counters: AutoCounters::default(),
        }
    }

    pub fn counters(&self) -> AutoCounters {
        self.counters
    }

    fn query_traits(&mut self, assumptions: &[Term]) -> Traits {
        let mut traits = Traits::default();
        for level in 0..self.stack.len() {
            for position in 0..self.stack[level].len() {
                traits = traits.join(self.traits_of(self.stack[level][position]));
            }
        }
        assumptions.iter().fold(traits, |traits, &term| traits.join(self.traits_of(term)))
    }

    fn choose(&self, traits: Traits) -> [BackEnd; 2] {
        match traits {
            Traits { floats: true, .. } => [BackEnd::Blast, BackEnd::Fresh],
            Traits { theories: true, .. } if !self.blast_leads => [BackEnd::Incremental, BackEnd::Blast],
            Traits { .. } => [BackEnd::Blast, BackEnd::Incremental],
        }
    }

    /// Each term is looked at once.
    fn traits_of(&mut self, root: Term) -> Traits {
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.traits.contains_key(&term) {
                open.pop();
                continue;
            }
            let mut traits = own_traits(&self.terms, term);
            let before = open.len();
            for &arg in self.terms.args(term) {
                match self.traits.get(&arg) {
                    Some(&below) => traits = traits.join(below),
                    None => open.push(arg),
                }
            }
            if open.len() == before {
                self.traits.insert(term, traits);
                open.pop();
            }
        }
        self.traits[&root]
    }

    fn back_end(&mut self, which: BackEnd) -> &mut dyn Solver {
        match which {
            BackEnd::Incremental => &mut self.incremental,
            BackEnd::Fresh => &mut self.fresh,
            BackEnd::Blast => &mut self.blast,
        }
    }

    fn ask(&mut self, which: BackEnd, assumptions: &[Term], budget: &Budget) -> Answer {
        match which {
            BackEnd::Incremental => self.counters.incremental += 1,
            BackEnd::Fresh => self.counters.fresh += 1,
            BackEnd::Blast => self.counters.blast += 1,
        }
        self.last = which;
        self.back_end(which).check(assumptions, budget)
    }
}

impl Solver for AutoSolver {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn name(&self) -> &str {
        "auto"
    }

    // The back ends translate nothing before they are asked, so each can be told everything.
    fn push(&mut self) {
        self.stack.push(Vec::new());
        self.incremental.push();
        self.fresh.push();
        self.blast.push();
    }

    fn pop(&mut self, levels: usize) {
        let rest = self.stack.len().saturating_sub(levels).max(1);
        let levels = self.stack.len() - rest;
        self.stack.truncate(rest);
        self.incremental.pop(levels);
        self.fresh.pop(levels);
        self.blast.pop(levels);
    }

    fn assert(&mut self, term: Term) {
        if let Some(level) = self.stack.last_mut() {
            level.push(term);
        }
        self.incremental.assert(term);
        self.fresh.assert(term);
        self.blast.assert(term);
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        let traits = self.query_traits(assumptions);
        let theories = traits.theories && !traits.floats;
        let mut order = self.choose(traits).to_vec();
        let (mut share, mut turn) = (FIRST_SHARE, 0);
        loop {
            let which = order[turn % order.len()];
            // The last one that is left gets all the time there is.
            let part = if order.len() == 1 { budget.clone() } else { budget.within(share) };
            let answer = self.ask(which, assumptions, &part);
            let Answer::Unknown(reason) = answer else {
                if turn > 0 && theories {
                    self.blast_leads = which == BackEnd::Blast;
                }
                return answer;
            };
            if budget.exhausted().is_some() {
                return Answer::Unknown(reason);
            }
            match reason {
                // Its share is over, not the budget.
                UnknownReason::Stopped(StopReason::Time) if order.len() > 1 => {
                    turn += 1;
                    share *= GROWTH;
                    // With floats, Z3 seldom has more to say later: the rest of the time is better spent elsewhere.
                    order.retain(|&other| which != BackEnd::Fresh || other != which);
                }
                // It cannot do it; the other may.
                UnknownReason::Incomplete(_) | UnknownReason::Stopped(StopReason::Memory) if order.len() > 1 => {
                    order.retain(|&other| other != which);
                }
                reason => return Answer::Unknown(reason),
            }
            self.counters.second_tries += 1;
        }
    }

    fn model(&mut self) -> Model {
        self.back_end(self.last).model()
    }

    fn core(&mut self) -> Vec<Term> {
        self.back_end(self.last).core()
    }
}

/// What the operator itself adds.
fn own_traits(terms: &Terms, term: Term) -> Traits {
    let node = terms.node(term);
    Traits {
        floats: matches!(node.sort, Sort::Float(_) | Sort::RoundingMode),
        theories: matches!(node.sort, Sort::Array(_) | Sort::Uninterpreted(_)) || matches!(node.op, Op::Apply(_)),
    }
}
